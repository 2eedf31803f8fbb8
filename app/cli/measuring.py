"""`tramita bench`: how fast it is on this machine, on databases made for it."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

import click
import orjson

from app.bench import MEASURES, measured
from app.bench.figures import as_json, as_lines
from app.bench.town import Occupied
from app.cli.faults import Fault


@click.command()
@click.argument("what", metavar="MEDIDA", type=click.Choice([*MEASURES, "all"]))
@click.option(
    "--database",
    "urls",
    metavar="URL",
    multiple=True,
    help="Banco vazio, só para a medida; pode ser repetido. Sem ele, um arquivo SQLite temporário.",
)
@click.option("--times", type=click.IntRange(1, 50), default=5, help="Repetições de cada medida (padrão 5).")
@click.option("--json", "as_data", is_flag=True, help="Em JSON, para programas.")
def bench(what: str, urls: tuple[str, ...], times: int, *, as_data: bool) -> None:
    """Mede o sistema em um município inventado: acts, deadlines, inbox, audit ou all."""
    with _databases(urls) as given:
        try:
            figures = list(measured(what, given, times))
        except Occupied as refused:
            raise Fault(refused.message) from None
    if as_data:
        click.echo(orjson.dumps(as_json(figures), option=orjson.OPT_INDENT_2))
    else:
        for line in as_lines(figures):
            click.echo(line)
    sys.exit(1 if any(figure.held is False for figure in figures) else 0)


@contextmanager
def _databases(urls: tuple[str, ...]) -> Iterator[list[str]]:
    """Those given or, where none is, a file that goes afterwards."""
    if urls:
        yield list(urls)
        return
    with tempfile.TemporaryDirectory(prefix="tramita-") as folder:
        yield [f"sqlite:///{folder}/medida.db"]
