"""The server says what is wrong with its address, and ends in order. Nothing here listens."""

from __future__ import annotations

import signal
import socket
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from app import serve
from app.settings import Settings


@dataclass
class House:
    """What the server is made of, replaced by what only writes down that it was used."""

    settings: Settings
    told: list[str] = field(default_factory=list)

    def note(self, what: str) -> Any:
        return lambda *_, **__: self.told.append(what)


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    term = signal.getsignal(signal.SIGTERM)
    made = House(Settings(database_url="sqlite://", data_dir=tmp_path / "var"))
    pacemaker = SimpleNamespace(start=made.note("beats"), stop=made.note("beats no more"))
    press = SimpleNamespace(start=made.note("prints"), stop=made.note("prints no more"))
    server = SimpleNamespace(run=made.note("serves"), close=made.note("closed"))
    store = SimpleNamespace(database=SimpleNamespace(close=made.note("database closed")))
    norm = SimpleNamespace(roles={})
    for name, stands_for in {
        "logs": SimpleNamespace(configure=lambda _: None),
        "_port_is_free": lambda _: True,
        "_make_demo_aside": lambda _: None,
        "_open": lambda _: store,
        "load_once": lambda *_: False,
        "install": lambda *_: norm,
        "demo_world": lambda *_: {},
        "create_app": lambda *_: None,
        "create_server": lambda *_, **__: server,
        "Pacemaker": lambda _: pacemaker,
        "PressRoom": lambda *_: press,
    }.items():
        monkeypatch.setattr(serve, name, stands_for)
    yield made
    signal.signal(signal.SIGTERM, term)


def test_an_interrupted_demo_says_that_it_ended_and_closes_all_it_opened(
    house: House, capsys: pytest.CaptureFixture[str]
) -> None:
    assert serve.serve_demo(house.settings) == 0
    assert house.told == [
        "beats",
        "prints",
        "serves",
        "closed",
        "prints no more",
        "beats no more",
        "database closed",
    ]
    assert capsys.readouterr().out.endswith("\nEncerrado.\n")


def test_an_interrupted_web_says_that_it_ended_and_closes_all_it_opened(
    house: House, capsys: pytest.CaptureFixture[str]
) -> None:
    assert serve.serve_web(house.settings) == 0
    assert house.told == ["serves", "closed", "database closed"]
    assert capsys.readouterr().out.endswith("\nEncerrado.\n")


@pytest.mark.parametrize("broken", ["demo_world", "create_app", "create_server"])
def test_a_demo_that_cannot_be_served_stops_its_pacemaker(
    house: House, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise ValueError("não foi possível")

    monkeypatch.setattr(serve, broken, fails)
    with pytest.raises(ValueError, match="não foi possível"):
        serve.serve_demo(house.settings)
    assert house.told == ["beats", "prints", "prints no more", "beats no more", "database closed"]


def test_the_signal_of_a_supervisor_ends_it_like_ctrl_c(house: House) -> None:
    serve.serve_web(house.settings)
    handler: Any = signal.getsignal(signal.SIGTERM)
    with pytest.raises(KeyboardInterrupt):
        handler(signal.SIGTERM, None)


def unserved(settings: Settings, capsys: pytest.CaptureFixture[str]) -> str:
    """What is said instead of serving; nothing was made for it."""
    assert serve.serve_demo(settings) == 1
    assert not settings.data_dir.exists()
    said = capsys.readouterr()
    assert said.out == ""
    return said.err


@pytest.fixture
def probed(house: House, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """As `house`, but for the look at the port."""
    monkeypatch.undo()
    monkeypatch.setattr(serve.logs, "configure", lambda _: None)
    return house.settings


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that somebody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


def test_a_taken_port_is_told_with_another_to_try(
    probed: Settings, taken: int, capsys: pytest.CaptureFixture[str]
) -> None:
    said = unserved(replace(probed, port=taken, demo=True), capsys)
    assert said.startswith(f"A porta {taken} já está em uso")
    assert f"make run PORT={taken + 1}" in said


def test_whoever_serves_an_office_is_told_of_its_own_command(
    probed: Settings, taken: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert serve.serve_web(replace(probed, port=taken, demo=False)) == 1
    assert f"tramita web --port {taken + 1}" in capsys.readouterr().err


@pytest.mark.parametrize("host", ["203.0.113.7", "nao existe"])
def test_an_address_that_is_not_this_machine_s_is_told(
    probed: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], host: str
) -> None:
    def known(name: str, port: int, **_: object) -> list[Any]:
        if name != "203.0.113.7":  # of the block that documentation uses: nobody's
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return [(socket.AF_INET, socket.SOCK_STREAM, 0, "", (name, port))]

    monkeypatch.setattr("socket.getaddrinfo", known)
    said = unserved(replace(probed, host=host), capsys)
    assert said == f"O endereço {host} não é desta máquina. Confira TRAMITA_HOST.\n"


def test_an_ipv6_address_is_looked_at_as_such_and_written_in_brackets(
    house: House, capsys: pytest.CaptureFixture[str]
) -> None:
    serve.serve_web(replace(house.settings, host="::1", port=8123))
    assert "Tramita está em http://[::1]:8123" in capsys.readouterr().out
