"""The `tramita` command: what administrators, auditors and lawyers do from a terminal. No rule lives here.

Exit codes: 0 when all is well, 1 when something differs or fails, 2 for a command that cannot be understood.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

import click

from app import logs
from app.audit.verify import verify
from app.cases.dossier import MISSING
from app.cases.proof import whole
from app.cases.proof.replay import case_ids, id_of, replay
from app.cli.db import db
from app.cli.faults import Fault, of_file, of_refusal
from app.cli.measuring import bench
from app.cli.opening import at_work, check_database, evidence_store, settings_now, working_store
from app.cli.people import people
from app.cli.portuguese import Group, Port
from app.errors import NotFound, Refused
from app.law.examples import check_examples
from app.scheduler import Pacemaker
from app.serve import end_in_order, rooms_beside, serve_demo, serve_web
from app.settings import log_form
from app.values import NotUtf8, utf8

_LARGEST = 10_000_000  # bytes of a table of examples


@click.group(name="tramita", cls=Group)
def main() -> None:
    """Tramita: procedimentos administrativos de transporte municipal, no tempo da lei."""
    # Before anything else: structlog's own traces show the values of variables, which may be somebody's data.
    logs.configure(log_form())


main.add_command(people)
main.add_command(bench)
main.add_command(db)


@main.command()
@click.option("--port", type=Port(), default=None, help="Porta da página (padrão 8000).")
def run(port: int | None) -> None:
    """Abre o Tramita com dados de demonstração, com o relógio dos prazos no mesmo processo."""
    settings = settings_now(demo=True, port=port)
    check_database(settings)
    sys.exit(serve_demo(settings))


@main.command()
@click.option("--port", type=Port(), default=None, help="Porta da página (padrão 8000).")
def web(port: int | None) -> None:
    """Serve as páginas; os prazos ficam com `tramita worker`."""
    settings = settings_now(port=port)
    check_database(settings)
    with at_work(settings):
        sys.exit(serve_web(settings))


@main.command()
def worker() -> None:
    """Vigia os prazos, prepara os PDF dos documentos e envia os e-mails até ser interrompido."""
    settings = settings_now()
    with at_work(settings), working_store(settings) as store:
        end_in_order()
        pacemaker, rooms = Pacemaker(store), rooms_beside(settings, store)
        pacemaker.start()
        for room in rooms:
            room.start()
        click.echo("Vigiando prazos. Interrompa com Ctrl+C.")
        try:
            pacemaker.wait()
        except KeyboardInterrupt:
            click.echo("Encerrado.")
        finally:
            for room in rooms:
                room.stop()
            pacemaker.stop()


@main.group()
def deadlines() -> None:
    """Prazos."""


@deadlines.command("check")
@click.argument("file", metavar="ARQUIVO", type=click.Path(path_type=Path, readable=False))
def deadlines_check(file: Path) -> None:
    """Confere exemplos de prazos contados à mão (CSV) e mostra cada diferença com a sua contagem."""
    report = check_examples(_table(file))
    if report.faults:
        raise Fault(f"{file.name}: {'; '.join(report.faults)}.")
    for line in report.lines():
        click.echo(line)
    sys.exit(0 if report.matched == report.total and report.total else 1)


def _table(file: Path) -> str:
    """The text of a table. The sentences say what to do in the spreadsheet it comes from."""
    with file.open("rb") as opened:
        data = opened.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise Fault(f"{file.name} tem mais de 10 MB: divida-o em vários arquivos.")
    if b"\x00" in data:
        raise Fault(f"{file.name} não é um texto em UTF-8: grave a planilha como “CSV UTF-8”.")
    try:
        text = utf8(data)
    except NotUtf8 as error:
        raise Fault(
            f"{file.name}, linha {error.line}: o texto não está em UTF-8: grave a planilha como “CSV UTF-8”."
        ) from None
    head = text.partition("\n")[0]
    if "," not in head and (";" in head or "\t" in head):
        raise Fault(
            f"{file.name}: as colunas têm de ser separadas por vírgula: grave a planilha como CSV com vírgulas."
        )
    return text


@main.group()
def scenario() -> None:
    """Histórias de processos."""


@scenario.command("run")
@click.argument(
    "paths", metavar="CAMINHO…", nargs=-1, required=True, type=click.Path(path_type=Path, readable=False)
)
def scenario_run(paths: tuple[Path, ...]) -> None:
    """Encena as histórias (arquivos .yaml ou pastas) e diz o que não saiu como escrito."""
    from app.scenario import play_file

    stories = held = 0
    for path in _yaml_files(paths):
        with tempfile.TemporaryDirectory(prefix="tramita-") as folder:
            try:
                outcomes = play_file(path, f"sqlite:///{folder}/{{number}}.db")
            except (Refused, OSError) as error:
                sentence = of_file(error) if isinstance(error, OSError) else of_refusal(error)
                if sentence is None:
                    raise
                click.echo(f"✗ {sentence}", err=True)
                stories += 1
                continue
        for outcome in outcomes:
            stories, held = stories + 1, held + outcome.held
            told = f"{outcome.story.name}: {outcome.story.title}"
            click.echo(f"✓ {told}" if outcome.held else f"✗ {told} ({path.name})")
            for line in outcome.differences:
                click.echo(f"    {line}")
    click.echo(f"{held} de {stories} histórias saíram como escrito")
    sys.exit(0 if held == stories else 1)


def _yaml_files(paths: Iterable[Path]) -> list[Path]:
    found: list[Path] = []
    for path in paths:
        if not path.exists():
            raise Fault(f"{path}: não existe; confira o caminho.")
        inside = sorted([*path.rglob("*.yaml"), *path.rglob("*.yml")]) if path.is_dir() else [path]
        if not inside:
            raise Fault(f"{path}: não há histórias (arquivos .yaml) nesta pasta.")
        found += inside
    return found


@main.group()
def audit() -> None:
    """Histórico: integridade e reprodução."""


@audit.command("verify")
def audit_verify() -> None:
    """Recalcula todas as cadeias do histórico e confere com ele os registros."""
    with evidence_store(settings_now()) as store, store.read(long=True) as reader:
        result = verify(reader)
        different = list(whole.faults(reader))
    for fault in result.faults:
        click.echo(f"✗ {fault.stream}, registro {fault.seq}: {fault.reason}")
    for line in different:
        click.echo(f"✗ {line}")
    count = f"{_many(result.entries, 'registro')} em {_many(result.streams, 'cadeia')}"
    click.echo(f"{count}; {len(result.faults) + len(different)} com problema")
    sys.exit(1 if result.faults or different else 0)


@audit.command("replay")
@click.argument("case", metavar="[PROCESSO]", required=False)
@click.option("--all", "everything", is_flag=True, help="Todos os processos.")
def audit_replay(case: str | None, everything: bool) -> None:
    """Reproduz um processo (pelo número) ou todos, e compara com o que está guardado."""
    if bool(case) == everything:
        raise click.UsageError("Diga o número de um processo ou --all.")
    bad = 0
    with evidence_store(settings_now()) as store, store.read(long=True) as reader:
        try:
            chosen = [id_of(reader, case)] if case else case_ids(reader)
        except NotFound:
            raise Fault(MISSING) from None
        for case_id in chosen:
            result = replay(reader, case_id)
            bad += bool(result.faults)
            click.echo(
                f"{'✗' if result.faults else '✓'} {result.number}: {_many(result.entries, 'registro')}"
            )
            for fault in result.faults:
                click.echo(f"    {fault}")
        gone = [] if case else list(whole.gone(reader))
        for one in gone:
            click.echo(f"✗ {one.number}: {_many(one.entries, 'registro')}\n    {one.fault}")
    bad += len(gone)
    click.echo(f"{_many(len(chosen) + len(gone), 'processo')}; {bad} com diferença")
    sys.exit(1 if bad else 0)


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
