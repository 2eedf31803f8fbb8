"""`tramita db backup`, `restore` and `check`, as somebody types them."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text

from app.clock import SystemClock
from app.monitor.health import NO_WORKER, health
from app.scheduler.heartbeat import Heartbeat
from app.store import Store, connect
from app.store.alone import alone_in
from tests.cli.conftest import Tramita, refused
from tests.databases import Databases
from tests.store.tools import of_the_server


@pytest.fixture
def env(database_url: str) -> dict[str, str]:
    return {"TRAMITA_DATABASE_URL": database_url, "TRAMITA_PG_BIN": str(of_the_server() or "")}


def test_a_copy_is_made_put_back_elsewhere_and_examined(
    tramita: Tramita, env: dict[str, str], databases: Databases, tmp_path: Path
) -> None:
    assert tramita("db", "migrate", **env).exit_code == 0
    file = tmp_path / "c" / "hoje.tar"
    made = tramita("db", "backup", str(file), **env)
    assert made.exit_code == 0, made.output
    assert made.stdout.startswith(f"Cópia guardada em {file} (")
    kind = "sqlite" if env["TRAMITA_DATABASE_URL"].startswith("sqlite") else "postgresql"
    url = databases.empty(kind)  # type: ignore[arg-type]
    elsewhere = {**env, "TRAMITA_DATABASE_URL": url}
    done = tramita("db", "restore", str(file), **elsewhere)
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[-1] == "Tudo confere."
    assert "✗" not in done.stdout
    again = tramita("db", "restore", str(file), **elsewhere)
    assert refused(again).startswith("O banco de dados já tem dados")
    replaced = tramita("db", "restore", str(file), "--replace", **elsewhere)
    assert replaced.exit_code == 0, replaced.output
    assert replaced.stdout.startswith("O que havia foi guardado em ")
    databases.drop(url)


def test_a_copy_that_was_put_back_knows_no_worker_of_its_day(
    tramita: Tramita, env: dict[str, str], tmp_path: Path
) -> None:
    """Else a site that has just been restored would seem watched, or its worker hung."""
    tramita("db", "migrate", **env)
    with closing(connect(env["TRAMITA_DATABASE_URL"])) as database:
        store = Store(database, SystemClock())
        Heartbeat(store, store.wall).beat(None, 0.0)
        file = tmp_path / "a.tar"
        assert tramita("db", "backup", str(file), **env).exit_code == 0
    assert tramita("db", "restore", str(file), "--replace", **env).exit_code == 0
    with closing(connect(env["TRAMITA_DATABASE_URL"])) as database:
        assert health(Store(database, SystemClock())).faults == (NO_WORKER,)


def test_a_copy_without_a_name_goes_to_the_data_folder(tramita: Tramita, tmp_path: Path) -> None:
    tramita("db", "migrate")
    assert tramita("db", "backup").exit_code == 0
    (only,) = (tmp_path / "data" / "copias").iterdir()
    assert only.name.startswith("tramita-jequie-")


def test_an_examination_tells_each_fault_and_ends_with_one(tramita: Tramita, env: dict[str, str]) -> None:
    tramita("db", "migrate", **env)
    assert tramita("db", "check", **env).exit_code == 0
    database = connect(env["TRAMITA_DATABASE_URL"])
    with database.writing() as connection:
        connection.execute(text("DELETE FROM norm_value"))
        connection.execute(text("DELETE FROM stream"))
    database.close()
    told = tramita("db", "check", "--sem-reproducao", **env)
    assert told.exit_code == 1
    assert "✗ histórico" in told.stdout
    assert "processos reproduzidos" not in told.stdout
    assert refused(tramita("db", "backup", "x.tar", **env)).startswith("O histórico tem ")


def test_nothing_is_restored_where_tramita_is_at_work(tramita: Tramita, tmp_path: Path) -> None:
    tramita("db", "migrate")
    tramita("db", "backup", str(tmp_path / "a.tar"))
    with alone_in([tmp_path / "data"], shared=True):
        told = refused(tramita("db", "restore", str(tmp_path / "a.tar"), "--replace"))
    assert told.startswith("Há um Tramita em uso com os dados da pasta")


def test_web_and_worker_share_a_folder_but_not_with_a_restoration(tramita: Tramita, tmp_path: Path) -> None:
    tramita("db", "migrate")
    with alone_in([tmp_path / "data"]):
        for command in (("web", "--port", "1"), ("worker",)):
            assert "está em uso por um `tramita run`" in refused(tramita(*command))
    with alone_in([tmp_path / "data"], shared=True), alone_in([tmp_path / "data"], shared=True) as taken:
        assert taken is None


def test_there_is_nothing_to_copy_where_nothing_is(tramita: Tramita, tmp_path: Path) -> None:
    assert refused(tramita("db", "backup")).startswith("Não há dados do Tramita")
    assert refused(tramita("db", "check")).startswith("Não há dados do Tramita")
    assert "não existe" in refused(tramita("db", "restore", str(tmp_path / "nada.tar")))
