"""The `tramita` command: what administrators, auditors and lawyers do from a terminal. No rule lives here.

Exit codes: 0 when all is well, 1 when something differs or fails, 2 for a command that cannot be understood.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

import click

from app.audit.verify import verify
from app.cases.dossier import MISSING
from app.cases.history import by_number
from app.cases.replay import case_ids, replay
from app.clock import SystemClock
from app.demo import install
from app.errors import NotFound, Refused
from app.law.examples import check_examples
from app.registry import evidence
from app.scheduler import Pacemaker
from app.serve import log_plainly, serve_demo, serve_web
from app.settings import Settings, from_environment
from app.store import Store, connect
from app.store.migrate import is_empty, migrate


@click.group()
def main() -> None:
    """Tramita: procedimentos administrativos de transporte municipal, no tempo da lei."""


@main.command()
@click.option("--port", type=click.IntRange(1, 65535), default=None, help="Porta da página (padrão 8000).")
def run(port: int | None) -> None:
    """Abre o Tramita com dados de demonstração, com o relógio dos prazos no mesmo processo."""
    sys.exit(serve_demo(_settings(demo=True, port=port)))


@main.command()
@click.option("--port", type=click.IntRange(1, 65535), default=None)
def web(port: int | None) -> None:
    """Serve as páginas; os prazos ficam com `tramita worker`."""
    sys.exit(serve_web(_settings(port=port)))


@main.command()
def worker() -> None:
    """Vigia os prazos até ser interrompido."""
    log_plainly()
    store = _store(_settings())
    pacemaker = Pacemaker(store)
    pacemaker.start()
    click.echo("Vigiando prazos. Interrompa com Ctrl+C.")
    try:
        pacemaker.wait()
    except KeyboardInterrupt:
        pacemaker.stop()


@main.group()
def db() -> None:
    """Banco de dados."""


@db.command("migrate")
def db_migrate() -> None:
    """Cria ou atualiza as tabelas e publica a norma, se ainda não houver."""
    settings = _settings()
    store = _store(settings)
    norm = install(store, settings.content_dir, settings.municipality)
    click.echo(f"Pronto: {norm.law}, {norm.municipality}/{norm.state}.")


@main.group()
def deadlines() -> None:
    """Prazos."""


@deadlines.command("check")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def deadlines_check(file: Path) -> None:
    """Confere exemplos de prazos contados à mão (CSV) e mostra cada diferença com a sua contagem."""
    report = check_examples(file.read_text("utf-8"))
    for line in report.lines():
        click.echo(line)
    sys.exit(0 if report.matched == report.total and report.total else 1)


@main.group()
def scenario() -> None:
    """Histórias de processos."""


@scenario.command("run")
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
def scenario_run(paths: tuple[Path, ...]) -> None:
    """Encena as histórias (arquivos .yaml ou pastas) e diz o que não saiu como escrito."""
    from app.scenario import play_file

    stories = held = 0
    for path in _yaml_files(paths):
        with tempfile.TemporaryDirectory(prefix="tramita-") as folder:
            try:
                outcomes = play_file(path, f"sqlite:///{folder}/{{name}}.db")
            except Refused as error:
                click.echo(f"✗ {path.name}: {error}")
                stories += 1
                continue
        for outcome in outcomes:
            stories, held = stories + 1, held + outcome.held
            click.echo(f"{'✓' if outcome.held else '✗'} {outcome.story.name}: {outcome.story.title}")
            for line in outcome.differences:
                click.echo(f"    {line}")
    click.echo(f"{held} de {stories} histórias saíram como escrito")
    sys.exit(0 if held == stories and stories else 1)


@main.group()
def audit() -> None:
    """Histórico: integridade e reprodução."""


@audit.command("verify")
def audit_verify() -> None:
    """Recalcula todas as cadeias do histórico e confere com ele os registros."""
    with _evidence(_settings()).read() as reader:
        result = verify(reader)
        different = list(evidence.faults(reader))
    for fault in result.faults:
        click.echo(f"✗ {fault.stream}, registro {fault.seq}: {fault.reason}")
    for line in different:
        click.echo(f"✗ {line}")
    count = f"{_many(result.entries, 'registro')} em {_many(result.streams, 'cadeia')}"
    click.echo(f"{count}; {len(result.faults) + len(different)} com problema")
    sys.exit(1 if result.faults or different else 0)


@audit.command("replay")
@click.argument("case", required=False)
@click.option("--all", "everything", is_flag=True, help="Todos os processos.")
def audit_replay(case: str | None, everything: bool) -> None:
    """Reproduz um processo (pelo número) ou todos, e compara com o que está guardado."""
    if bool(case) == everything:
        raise click.UsageError("diga o número de um processo ou --all")
    bad = 0
    with _evidence(_settings()).read() as reader:
        try:
            chosen = [str(by_number(reader, case)["id"])] if case else case_ids(reader)
        except NotFound:
            raise click.ClickException(MISSING) from None
        for case_id in chosen:
            result = replay(reader, case_id)
            bad += bool(result.faults)
            click.echo(
                f"{'✗' if result.faults else '✓'} {result.number}: {_many(result.entries, 'registro')}"
            )
            for fault in result.faults:
                click.echo(f"    {fault}")
    click.echo(f"{_many(len(chosen), 'processo')}; {bad} com diferença")
    sys.exit(1 if bad else 0)


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _yaml_files(paths: Iterable[Path]) -> list[Path]:
    found: list[Path] = []
    for path in paths:
        found += sorted(path.rglob("*.yaml")) if path.is_dir() else [path]
    return found


def _settings(*, demo: bool = False, port: int | None = None) -> Settings:
    try:
        settings = from_environment()
    except ValueError as error:
        raise click.ClickException(str(error)) from None
    changes = {"demo": settings.demo or demo, "port": port or settings.port}
    return Settings(**{**settings.__dict__, **changes})


def _evidence(settings: Settings) -> Store:
    """The database as it is: an audit neither makes one nor upgrades it."""
    database = connect(settings.database_url)
    if is_empty(database):
        raise click.ClickException("Não há dados do Tramita neste banco; confira TRAMITA_DATA_DIR.")
    return Store(database, SystemClock())


def _store(settings: Settings) -> Store:
    database = connect(settings.database_url)
    migrate(database)
    return Store(database, SystemClock())
