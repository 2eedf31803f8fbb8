"""What a watchman asks of the site, and what people of the house are told when nobody decides the terms that end."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import event, text, update
from sqlalchemy.exc import OperationalError

from app import outbox
from app.clock import FixedClock
from app.scheduler.heartbeat import Heartbeat
from app.store import INSTALLER
from app.store.cases_tables import deadline
from app.store.tables import message
from tests.web.browser import Browser
from tests.web.conftest import Site

DETAILS = {
    "faltas",
    "trabalhadores",
    "prazos_sem_decisao",
    "prazos_adiados",
    "documentos_a_imprimir",
    "mensagens_a_enviar",
}


def asked(browser: Browser, path: str = "/pronto", **headers: str) -> tuple[int, dict[str, Any]]:
    answer = browser.client.get(path, headers=headers)
    assert answer.headers["Cache-Control"] == "no-store"
    return answer.status_code, json.loads(answer.text)


def test_the_process_answers_without_asking_the_database(site: Site) -> None:
    seen: list[str] = []
    event.listen(site.store.database.engine, "connect", lambda *_: seen.append("connected"))
    site.store.database.close()
    answer = site.visitor().client.get("/saude")
    assert (answer.status_code, json.loads(answer.text)) == (200, {"estado": "vivo"})
    assert answer.headers["Cache-Control"] == "no-store"
    assert seen == []


def test_a_site_with_a_worker_at_work_is_ready(site: Site) -> None:
    site.watched()
    status, told = asked(site.visitor())
    assert (status, told["estado"], told["faltas"], told["trabalhadores"]) == (200, "pronto", [], 1)
    assert set(told) == {"estado", *DETAILS}
    assert asked(site.visitor(), "/prazos-em-dia") == (200, {**told, "estado": "em_dia"})


def _nothing(site: Site) -> None:
    """No worker was ever there."""


def _silent(site: Site) -> None:
    site.watched()
    site.clock.set(site.clock.now() + timedelta(seconds=16))


def _not_sweeping(site: Site) -> None:
    Heartbeat(site.store, site.clock).beat(None, 16.0)


def _skewed(site: Site) -> None:
    Heartbeat(site.store, site.clock).beat(timedelta(seconds=6), 0.0)


def _gone_ahead(site: Site) -> None:
    """A worker whose last sign was given by a clock that was set right since: it may be dead for a long time."""
    ahead = FixedClock(site.clock.now() + timedelta(minutes=10))
    Heartbeat(site.store, ahead).beat(None, 0.0)


def _far_ahead(site: Site) -> None:
    """It lives, and knows that its clock is wrong."""
    ahead = FixedClock(site.clock.now() + timedelta(minutes=10))
    Heartbeat(site.store, ahead).beat(timedelta(minutes=10), 0.0)


def _undecided(site: Site) -> None:
    site.charged()
    site.clock.set(site.clock.now() + timedelta(days=30))
    site.watched()


@pytest.mark.parametrize(
    ("spoil", "fault", "words"),
    [
        (_nothing, "sem_trabalhador", "Nenhum programa vigia os prazos."),
        (_silent, "trabalhador_calado", "não dá sinal há mais de quinze segundos"),
        (_not_sweeping, "trabalhador_calado", "não dá sinal há mais de quinze segundos"),
        (_gone_ahead, "trabalhador_calado", "não dá sinal há mais de quinze segundos"),
        (_far_ahead, "relogio_errado", "O relógio do servidor não confere"),
        (_skewed, "relogio_errado", "O relógio do servidor não confere"),
        (_undecided, "prazos_sem_decisao", "terminaram há mais de um minuto"),
    ],
)
def test_what_keeps_terms_from_being_decided_is_red_and_told_where_people_look(
    site: Site, spoil: Callable[[Site], None], fault: str, words: str
) -> None:
    spoil(site)
    status, told = asked(site.visitor(), "/prazos-em-dia")
    assert (status, told["estado"], told["faltas"]) == (503, "parado", [fault])
    # Nobody is sent away for it: people read, file and decide without a worker.
    assert asked(site.visitor()) == (200, {**told, "estado": "pronto"})
    for login, path in (("fiscal", "/situacao"), ("gestor", "/caixa"), ("auditor", "/caixa")):
        notice = site.person(login).get(path).one("section", id="prazos-parados")
        assert notice.attributes["role"] == "alert"
        assert "Os fins de prazo não estão sendo registrados" in notice.text
        assert words in notice.text
        assert "Avise quem administra o sistema." in notice.text
    assert "prazos-parados" not in site.person("membro1").get("/caixa").html


def test_where_all_is_well_nobody_is_alarmed(site: Site) -> None:
    site.watched()
    for path in ("/situacao", "/caixa"):
        assert "prazos-parados" not in site.person("gestor").get(path).html


def test_a_term_that_could_not_be_decided_is_counted_and_does_not_stop_the_site(site: Site) -> None:
    site.charged()
    site.clock.set(site.clock.now() + timedelta(days=30))
    site.watched()
    with site.store.silent_act(INSTALLER) as tx:
        tx.write(update(deadline).values(retry_at=tx.now + timedelta(hours=1), failures=3, failure="x"))
    status, told = asked(site.visitor(), "/prazos-em-dia")
    assert (status, told["prazos_sem_decisao"], told["prazos_adiados"] > 0) == (200, 0, True)
    assert "não puderam ser decididos" in site.person("gestor").get("/situacao").text


@pytest.mark.parametrize("path", ["/pronto", "/prazos-em-dia"])
def test_a_database_out_of_reach_is_an_answer(site: Site, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    def gone() -> Any:
        raise OperationalError("SELECT 1", {}, Exception("server closed the connection unexpectedly"))

    monkeypatch.setattr(site.store.database.engine, "connect", gone)
    assert asked(site.visitor(), path)[1]["faltas"] == ["banco_fora_do_alcance"]
    assert asked(site.visitor(), path, **{"X-Forwarded-For": "203.0.113.7"}) == (503, {"estado": "parado"})


@pytest.mark.parametrize("path", ["/pronto", "/prazos-em-dia"])
def test_a_database_of_another_version_is_told(site: Site, path: str) -> None:
    with site.store.database.writing() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '0999'"))
    status, told = asked(site.visitor(), path)
    assert (status, told["faltas"]) == (503, ["banco_de_outra_versao"])


@pytest.mark.parametrize(
    ("path", "status", "state"), [("/pronto", 200, "pronto"), ("/prazos-em-dia", 503, "parado")]
)
def test_why_is_told_to_this_machine_and_to_people_of_the_house_alone(
    site: Site, path: str, status: int, state: str
) -> None:
    far = {"X-Forwarded-For": "203.0.113.7"}
    assert asked(site.visitor(), path, **far) == (status, {"estado": state})
    elsewhere = site.visitor().client.get(path, environ_base={"REMOTE_ADDR": "203.0.113.7"})
    assert json.loads(elsewhere.text) == {"estado": state}
    assert set(asked(site.person("fiscal"), path, **far)[1]) == {"estado", *DETAILS}


def test_a_message_that_nobody_will_get_is_not_waiting(site: Site) -> None:
    with site.store.silent_act(INSTALLER) as tx:
        for login in ("gestor", "fiscal"):
            outbox.queue(tx, site.world.people[login], "Prazo", "Terminou.")
    assert asked(site.visitor())[1]["mensagens_a_enviar"] == 2
    with site.store.silent_act(INSTALLER) as tx:
        gone = message.c.person_id == site.world.people["gestor"]
        tx.write(update(message).where(gone).values(given_up_at=tx.now, failure="x"))
    assert asked(site.visitor())[1]["mensagens_a_enviar"] == 1


def test_looking_costs_few_statements_however_much_there_is(site: Site) -> None:
    site.watched()
    seen: list[str] = []
    event.listen(site.store.database.engine, "before_cursor_execute", lambda *told: seen.append(told[2]))
    asked(site.visitor())
    assert len(seen) <= 12, seen
