"""What a municipality brings for demos and stories: its zone, its invented world, a past that may have a fault."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from app.clock import FixedClock
from app.demo import demo_world, furnish, install, zone_of
from app.errors import Invalid
from app.scenario.past import _tell
from app.settings import ROOT
from app.store import Store, connect
from tests.databases import Databases
from tests.scenarios.reached import published


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "bpmn" / "tarauaca").mkdir(parents=True)
    return tmp_path / "bpmn" / "tarauaca"


@pytest.fixture
def store(databases: Databases) -> Iterator[Store]:
    url = databases.prepared("sqlite", published)
    database = connect(url)
    yield Store(database, FixedClock(datetime(2026, 11, 30, 15, tzinfo=UTC)))
    database.close()
    databases.drop(url)


def test_the_zone_of_a_municipality_is_that_of_its_norm(folder: Path, tmp_path: Path) -> None:
    (folder / "norma.toml").write_text('[norma]\nfuso = "America/Rio_Branco"\n', "utf-8")
    assert zone_of(tmp_path, "tarauaca").key == "America/Rio_Branco"
    assert zone_of(ROOT, "jequie").key == "America/Bahia"


def test_the_zone_of_a_norm_is_read_within_the_limits_of_a_norm(folder: Path, tmp_path: Path) -> None:
    """A dotted name without end would keep the parser busy for minutes; deep ones would exhaust it."""
    head = b'[norma]\nfuso = "America/Rio_Branco"\n'
    for hostile in (b"a." * 2_000 + b"a = 1\n", b"x = " + b"[" * 20_000, b"#" * 2_000_001):
        (folder / "norma.toml").write_bytes(head + hostile)
        with pytest.raises(Invalid, match="norma"):
            zone_of(tmp_path, "tarauaca")


@pytest.mark.parametrize("norm", [b'[norma]\nfuso = "Marte/Olimpo"\n', b"[norma]\n", b"\xff", b"norma = 1\n"])
def test_a_norm_without_a_zone_says_what_is_wrong_with_it(norm: bytes, folder: Path, tmp_path: Path) -> None:
    (folder / "norma.toml").write_bytes(norm)
    with pytest.raises(Invalid, match="norma"):
        zone_of(tmp_path, "tarauaca")


WORLDS = {
    b"pessoas = [\n": "bpmn/tarauaca/demonstracao.toml não pode ser lido",
    b"\xff\xfe": "bpmn/tarauaca/demonstracao.toml não pode ser lido",
    b"gente = []\n": "bpmn/tarauaca/demonstracao.toml: chave desconhecida: gente",
    b'[[pessoas]]\nlogin = "a"\n': "bpmn/tarauaca/demonstracao.toml: pessoas: falta matricula, nome, papeis",
    b'[[valores]]\nchave = "a"\nvalor = true\nato = "b"\n': "valores: valor: esperava-se um texto, veio true",
}


@pytest.mark.parametrize("world", WORLDS)
def test_a_world_that_cannot_be_furnished_is_told(world: bytes, folder: Path, tmp_path: Path) -> None:
    (folder / "demonstracao.toml").write_bytes(world)
    with pytest.raises(Invalid) as refused:
        demo_world(tmp_path, "tarauaca")
    assert WORLDS[world] in str(refused.value)


def test_a_story_that_cannot_go_on_does_not_keep_the_demo_from_starting(store: Store, tmp_path: Path) -> None:
    steps = "".join(
        f"  - {{em: 2026-03-0{day}, quem: {who}, anota: x}}\n" for day, who in ((2, "x"), (3, "y"))
    )
    (tmp_path / "historia.yaml").write_text(f"cenario: X\ntitulo: Y\nquando:\n{steps}", "utf-8")
    norm = install(store, ROOT, "jequie")
    world = furnish(store, norm, demo_world(ROOT, "jequie"))
    with capture_logs() as logs:
        _tell(store, norm, world, tmp_path)
    assert [entry["difference"].partition(";")[0] for entry in logs] == [
        "a história para aqui: linha 4: X, passo 1: pessoa x não existe nesta história"
    ]
