"""Two starts on one folder: the second says so and touches nothing; whoever was killed holds nothing any more."""

from __future__ import annotations

import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from app import serve
from app.settings import ROOT, Settings
from app.store.alone import alone_in

HOLDS = """\
import sys, time
from pathlib import Path
from app.store.alone import alone_in
with alone_in([Path(sys.argv[1])]) as taken:
    print(taken, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """A first demo is about to be built; only the building itself is left out."""
    term = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(serve.logs, "configure", lambda _: None)
    monkeypatch.setattr(serve, "end_in_order", lambda: None)
    monkeypatch.setattr(serve, "_port_is_free", lambda _: True)
    signal.signal(signal.SIGTERM, term)
    folder = tmp_path / "var"
    folder.mkdir()
    return Settings(database_url=f"sqlite:///{folder / 'tramita.db'}", data_dir=folder, port=8123)


@pytest.fixture
def building(settings: Settings) -> list[Path]:
    """What another start has in hand at this moment."""
    files = [settings.data_dir / f"tramita.db.part-1{tail}" for tail in ("", "-wal")]
    for file in files:
        file.write_bytes(b"half a demo")
    return files


def told_apart(settings: Settings, capsys: pytest.CaptureFixture[str]) -> str:
    assert serve.serve_demo(settings) == 1
    said = capsys.readouterr()
    assert said.out == ""
    return said.err


def test_a_second_start_says_who_is_there_and_how_to_start_elsewhere(
    settings: Settings, building: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    with alone_in([settings.data_dir]) as taken:
        assert taken is None
        said = told_apart(settings, capsys)
    assert said.startswith(f"Já há um Tramita aberto com os dados da pasta {settings.data_dir}.")
    assert f"TRAMITA_DATA_DIR={settings.data_dir}-2 make run PORT=8124" in said
    assert [file.read_bytes() for file in building] == [b"half a demo"] * 2


def test_who_is_there_is_told_before_the_port_that_it_holds(
    settings: Settings, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serve, "_port_is_free", lambda _: pytest.fail("the port is not what is wrong"))
    with alone_in([settings.data_dir]):
        assert told_apart(settings, capsys).startswith("Já há um Tramita aberto")


def test_a_database_kept_elsewhere_is_one_start_s_too(
    settings: Settings, building: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with alone_in([settings.data_dir]):
        said = told_apart(replace(settings, data_dir=tmp_path / "other"), capsys)
    assert f"da pasta {settings.data_dir}." in said
    assert all(file.exists() for file in building)


def test_a_start_sweeps_away_what_a_stopped_one_left_and_builds_under_a_name_of_its_own(
    settings: Settings, building: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    built: list[str] = []

    def opened(told: Settings) -> SimpleNamespace:
        path = Path(told.database_url.removeprefix("sqlite:///"))
        assert not any(file.exists() for file in building)
        path.write_bytes(b"a demo")
        built.append(path.name)
        return SimpleNamespace(database=SimpleNamespace(close=lambda: None))

    monkeypatch.setattr(serve, "_open", opened)
    monkeypatch.setattr(serve, "load_once", lambda *_: True)
    monkeypatch.setattr("os.getpid", lambda: 4711)
    serve._make_demo_aside(settings)
    assert built == ["tramita.db.part-4711"]
    assert sorted(file.name for file in settings.data_dir.iterdir()) == ["tramita.db"]


@pytest.mark.skipif(sys.platform == "win32", reason="a process is killed in another way there")
def test_a_killed_process_holds_nothing(settings: Settings) -> None:
    other = subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(settings.data_dir)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with other:
        assert other.stdout is not None
        assert other.stdout.readline() == "None\n"
        with alone_in([settings.data_dir]) as taken:
            assert taken == settings.data_dir.resolve()
        other.kill()
    with alone_in([settings.data_dir]) as taken:
        assert taken is None
