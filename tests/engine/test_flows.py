"""The ways that tokens took: known from the engine, never guessed from what lies at both ends."""

from tests.engine.diagrams import (
    catch,
    end,
    events,
    on_timer,
    parallel,
    part,
    process,
    start,
    timer,
    user,
    vote,
    xor,
)
from tests.engine.office import BASE, Office


def passed(office: Office) -> list[str]:
    return [flow.removeprefix("f_") for flow in office.step.flows]


def test_only_the_way_taken_out_of_a_gateway_is_passed() -> None:
    """Both ends of `tira > fim` are reached in the end, but nobody goes along it."""
    office = Office(
        {
            "p.bpmn": process(
                "p",
                [start(), user("ver"), xor("tira"), user("mais"), end()],
                "inicio > ver\nver > tira\ntira > fim : pronto\ntira > mais : not pronto\nmais > fim",
            )
        }
    )
    office.start()
    assert passed(office) == ["inicio_ver"]
    office.complete("ver", pronto=False)
    assert passed(office) == ["ver_tira", "tira_mais"]
    office.complete("mais")
    assert passed(office) == ["mais_fim"]


def test_a_token_that_waits_at_a_join_has_come_there() -> None:
    office = Office(
        {
            "p.bpmn": process(
                "p",
                [start(), parallel("abre"), user("a"), user("b"), parallel("fecha"), user("c"), end()],
                "inicio > abre\nabre > a\nabre > b\na > fecha\nb > fecha\nfecha > c\nc > fim",
            )
        }
    )
    office.start()
    assert passed(office) == ["inicio_abre", "abre_a", "abre_b"]
    office.complete("a")
    assert passed(office) == ["a_fecha"]
    office.complete("b")
    assert passed(office) == ["b_fecha", "fecha_c"]


def test_behind_an_event_gateway_only_the_event_that_occurs_is_reached() -> None:
    office = Office(
        {
            "p.bpmn": process(
                "p",
                [
                    start(),
                    events("espera"),
                    catch("veio", "defesa"),
                    timer("prazo", "prazo('defesa', ciencia)"),
                    user("ler"),
                    end(),
                    end("nada"),
                ],
                "inicio > espera\nespera > veio\nespera > prazo\nveio > ler\nprazo > nada\nler > fim",
            )
        }
    )
    office.start(ciencia=BASE)
    assert passed(office) == ["inicio_espera"]
    office.deliver("defesa")
    assert passed(office) == ["espera_veio", "veio_ler"]


def test_from_a_boundary_event_the_way_leads_from_the_event_and_not_from_its_host() -> None:
    body = part("corpo", [start("si"), user("dentro"), end("sf")], "si > dentro\ndentro > sf")
    office = Office(
        {
            "p.bpmn": process(
                "p",
                [
                    start(),
                    body,
                    on_timer("tarde", "corpo", "prazo('defesa', ciencia)"),
                    user("cobrar"),
                    end(),
                ],
                "inicio > corpo\ncorpo > fim\ntarde > cobrar\ncobrar > fim",
            )
        }
    )
    office.start(ciencia=BASE)
    assert passed(office) == ["inicio_corpo", "si_dentro"]
    office.expire("tarde")
    assert passed(office) == ["tarde_cobrar"]
    office.complete("cobrar")
    assert passed(office) == ["cobrar_fim"]


def test_seats_of_a_vote_are_no_way_of_their_own_and_a_second_round_is_told_again() -> None:
    office = Office(
        {
            "p.bpmn": process(
                "p",
                [start(), xor("volta"), vote("votar"), xor("decidido"), end()],
                "inicio > volta\nvolta > votar\nvotar > decidido\n"
                "decidido > fim : maioria(votos) != ''\ndecidido > volta : maioria(votos) == ''",
            )
        }
    )
    office.start(assentos={"um": "um", "dois": "dois"})
    assert passed(office) == ["inicio_volta", "volta_votar"]
    office.complete("votar", "um", voto="P")
    assert passed(office) == []
    office.complete("votar", "dois", voto="I")
    assert passed(office) == ["votar_decidido", "decidido_volta", "volta_votar"]
