"""`tramita db`: makes and upgrades the tables, copies the database and puts a copy back, examines it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from app.cli.faults import Fault
from app.cli.opening import check_database, evidence_store, knows_revision, settings_now, working_store
from app.cli.portuguese import Group
from app.clock import SystemClock
from app.demo import install
from app.monitor import soundness
from app.scheduler import heartbeat
from app.settings import Settings
from app.store import Database, Store
from app.store.alone import alone_in
from app.store.backup import Believe, Place, make
from app.store.backup import restore as put_back
from app.store.backup.making import LISTED, OPENED, RESTORED

_PROVED = {
    OPENED: "aberta e examinada",
    RESTORED: "restaurada num banco de prova e conferida",
    LISTED: "só o índice da cópia foi lido: o usuário do PostgreSQL não pode criar um banco de prova",
}
_FAULTY = click.option(
    "--com-defeitos", "faulty", is_flag=True, help="Aceita um histórico cujas cadeias não conferem."
)


@click.group(cls=Group)
def db() -> None:
    """Banco de dados: tabelas, cópias de segurança, exame."""


@db.command("migrate")
def migrate() -> None:
    """Cria ou atualiza as tabelas e publica a norma, se ainda não houver."""
    settings = settings_now()
    with working_store(settings) as store:
        norm = install(store, settings.content_dir, settings.municipality)
    click.echo(f"Pronto: {norm.law}, {norm.municipality}/{norm.state}.")


@db.command("backup")
@click.argument("file", metavar="[ARQUIVO]", required=False, type=click.Path(path_type=Path, readable=False))
@_FAULTY
def backup(file: Path | None, faulty: bool) -> None:
    """Copia o banco de dados para um arquivo, com o sistema em uso, e confere a cópia."""
    settings = settings_now()
    with evidence_store(settings):  # there, of this program, of this version
        pass
    now = SystemClock().now()
    target = (
        file or settings.data_dir / "copias" / f"tramita-{settings.municipality}-{now:%Y%m%dT%H%M%SZ}.tar"
    )
    made = make(_place(settings), target, now, _believe(faulty))
    told = made.manifest
    click.echo(f"Cópia guardada em {made.file} ({_megabytes(made.file)}).")
    click.echo(f"Conferida: {told.entries} registros em {told.streams} cadeias; {_PROVED[told.proved]}.")
    click.echo("Ela contém os dados de todos. Guarde-a em outro lugar, ao abrigo de quem não pode vê-los.")


@db.command("restore")
@click.argument("file", metavar="ARQUIVO", type=click.Path(path_type=Path, readable=False))
@click.option(
    "--replace", is_flag=True, help="Põe a cópia no lugar dos dados que houver; eles são guardados antes."
)
@_FAULTY
def restore(file: Path, replace: bool, faulty: bool) -> None:
    """Põe uma cópia de segurança no lugar e examina o resultado. O sistema tem de estar parado."""
    settings = settings_now()
    if not file.is_file():
        raise Fault(f"{file}: não existe ou não é um arquivo; confira o caminho.")
    now = SystemClock().now()
    keep = settings.data_dir / "copias" / f"antes-de-restaurar-{now:%Y%m%dT%H%M%SZ}.tar" if replace else None
    with _nobody_at_work(settings):
        done = put_back(_place(settings), file, _believe(faulty), known=knows_revision, now=now, keep=keep)
        if done.kept:
            click.echo(f"O que havia foi guardado em {done.kept}.")
        click.echo(f"Restaurado: a cópia é de {done.manifest.created_at}.")
        check_database(settings)
        with working_store(settings) as store:
            heartbeat.forget(store)
            sound = _examine(store, replaying=True)
    sys.exit(0 if sound else 1)


@db.command("check")
@click.option("--sem-reproducao", "quick", is_flag=True, help="Não reproduz os processos, o que mais demora.")
def check(quick: bool) -> None:
    """Examina o banco de dados inteiro, sem alterar nada, e diz linha a linha o que viu."""
    with evidence_store(settings_now()) as store:
        sound = _examine(store, replaying=not quick)
    sys.exit(0 if sound else 1)


def _examine(store: Store, *, replaying: bool) -> bool:
    bad = 0
    for line in soundness.examined(store, replaying=replaying):
        click.echo(f"{'✓' if line.sound else '✗'} {line.told}")
        bad += not line.sound
        for fault in line.faults:
            click.echo(f"    {fault}")
    click.echo("Tudo confere." if not bad else f"{bad} com problema.")
    return not bad


def _believe(faulty: bool) -> Believe:
    def judged(database: Database) -> None:
        if not faulty:
            soundness.believe(database, lambda it: Store(it, SystemClock()))

    return judged


def _place(settings: Settings) -> Place:
    return Place(settings.database_url, settings.pg_bin)


@contextmanager
def _nobody_at_work(settings: Settings) -> Iterator[None]:
    with alone_in(settings.folders) as taken:
        if taken is not None:
            raise Fault(f"Há um Tramita em uso com os dados da pasta {taken}: encerre-o e repita o comando.")
        yield


def _megabytes(file: Path) -> str:
    return f"{file.stat().st_size / 1024 / 1024:.1f} MB".replace(".", ",")
