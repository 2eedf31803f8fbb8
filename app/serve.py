"""Starts the web server, and for the demo pacemaker, press and mail beside it, and says what it does in plain words."""

from __future__ import annotations

import errno
import gc
import glob
import os
import signal
import socket
import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import click
from sqlalchemy.engine import make_url
from waitress.server import create_server

from app import create_app, logs
from app.clock import clock_for
from app.demo import demo_world, install
from app.demo.letting_pass import go_on
from app.scenario.past import load_once
from app.scheduler import MailRoom, Pacemaker, PressRoom
from app.settings import Settings
from app.store import Store, connect
from app.store.alone import alone_in
from app.store.migrate import migrate

_THREADS = 8


def serve_demo(settings: Settings) -> int:
    """Migrates, furnishes once, starts web and pacemaker, prints address and accounts. Gives the exit code."""
    logs.configure(settings.log)
    end_in_order()
    # Where there is a folder already, somebody may be at work in it: that is told before a port that is taken.
    known = settings.data_dir.is_dir()
    if not known and not _port_is_free(settings):
        return 1
    with alone_in(settings.folders) as taken:
        if taken is not None:
            click.echo(_at_work(settings, taken), err=True)
            return 1
        return _demo(settings) if not known or _port_is_free(settings) else 1


def _demo(settings: Settings) -> int:
    _make_demo_aside(settings)
    store = _open(settings)
    with closing(store.database):
        if load_once(store, settings.content_dir, settings.municipality):
            click.echo("Dados de demonstração carregados.")
        _let_time_arrive(settings, store)
        pacemaker, rooms = Pacemaker(store), rooms_beside(settings, store)
        pacemaker.start()
        for room in rooms:
            room.start()
        try:
            click.echo(f"\nTramita está em {settings.local_address}  (Ctrl+C encerra)\n")
            _tell_accounts(settings, store)
            return _serve(settings, store)
        finally:
            for room in rooms:
                room.stop()
            pacemaker.stop()


def rooms_beside(settings: Settings, store: Store) -> list[PressRoom | MailRoom]:
    """What works beside the deadlines: the press, and the mail where there is a server for it."""
    press = PressRoom(store, settings.public_address)
    mail = [MailRoom(store, settings.mail, settings.public_address)] if settings.mail else []
    return [press, *mail]


def serve_web(settings: Settings) -> int:
    """Serves pages only; `tramita worker` watches the deadlines."""
    logs.configure(settings.log)
    end_in_order()
    if not _port_is_free(settings):
        return 1
    store = _open(settings)
    with closing(store.database):
        install(store, settings.content_dir, settings.municipality)
        _let_time_arrive(settings, store)
        click.echo(f"Tramita está em {settings.local_address}")
        return _serve(settings, store)


def _let_time_arrive(settings: Settings, store: Store) -> None:
    """A demo's clock that was stopped on its way to a date goes on to it before anybody looks."""
    if settings.demo and go_on(store):
        click.echo("O relógio da demonstração chegou à data para onde ia.")


def end_in_order() -> None:
    """The signal by which supervisors stop a process ends it like Ctrl+C: what is in hand is finished."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.default_int_handler)


def _tell_accounts(settings: Settings, store: Store) -> None:
    click.echo("Contas de demonstração (escolha uma na página de entrada):")
    norm = install(store, settings.content_dir, settings.municipality)
    for person in demo_world(settings.content_dir, settings.municipality).get("pessoas", []):
        offices = ", ".join(norm.roles[role].name for role in person["papeis"])
        click.echo(f"  {person['login']:<12} {person['nome']}, {offices}")


def _make_demo_aside(settings: Settings) -> None:
    """Builds a new SQLite demo beside its place and moves it there when whole: a start may be stopped at any moment.

    What a stopped start left is swept away; only whoever holds the folder knows that nobody is writing it.
    """
    url = make_url(settings.database_url)
    if url.get_backend_name() != "sqlite" or not url.database or Path(url.database).exists():
        return
    target = Path(url.database)
    for leftover in target.parent.glob(f"{glob.escape(target.name)}.part*"):
        leftover.unlink()
    part = target.with_name(f"{target.name}.part-{os.getpid()}")
    click.echo("Preparando os dados de demonstração…")
    store = _open(replace(settings, database_url=f"sqlite:///{part}"))
    load_once(store, settings.content_dir, settings.municipality)
    store.database.close()  # the last connection to close folds the write-ahead log into the file
    part.replace(target)


def _at_work(settings: Settings, folder: Path) -> str:
    return (
        f"Já há um Tramita aberto com os dados da pasta {folder}. Encerre-o, ou abra este com outra pasta e outra "
        f"porta, por exemplo: TRAMITA_DATA_DIR={settings.data_dir}-2 make run PORT={settings.port + 1}"
    )


def _open(settings: Settings) -> Store:
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    database = connect(settings.database_url)
    migrate(database)
    return Store(database, clock_for(demo=settings.demo))


def _serve(settings: Settings, store: Store) -> int:
    server = create_server(
        create_app(settings, store),
        host=settings.host,
        port=settings.port,
        threads=_THREADS,
        ident="Tramita",
        # Nobody here believes what a proxy says; that one speaks for somebody else must be seen all the same.
        clear_untrusted_proxy_headers=False,
    )
    gc.collect()
    gc.freeze()  # what is loaded by now stays: to go through it again and again would keep people waiting
    try:
        server.run()  # gives back when interrupted: waitress keeps KeyboardInterrupt to itself
        click.echo("\nEncerrado.")
    finally:
        server.close()
    return 0


def _port_is_free(settings: Settings) -> bool:
    """Says what is wrong with host and port before anything is made for them."""
    try:
        found = socket.getaddrinfo(
            settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        for family, kind, protocol, _, address in found:
            with socket.socket(family, kind, protocol) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                if family == socket.AF_INET6:
                    probe.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                probe.bind(address)
    except OSError as error:
        click.echo(_unusable(settings, error), err=True)
        return False
    return True


def _unusable(settings: Settings, error: OSError) -> str:
    if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
        return f"O endereço {settings.host} não é desta máquina. Confira TRAMITA_HOST."
    other = (
        f"make run PORT={settings.port + 1}" if settings.demo else f"tramita web --port {settings.port + 1}"
    )
    if error.errno == errno.EADDRINUSE:
        return f"A porta {settings.port} já está em uso. Escolha outra, por exemplo: {other}"
    if error.errno == errno.EACCES:
        return f"Este usuário não pode abrir a porta {settings.port}. Escolha outra acima de 1024: {other}"
    raise error
