"""The auditor sees everything and changes nothing: every page is read, every POST of the site is tried."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from sqlalchemy import func, select

from app.registry import norms
from app.store.cases_tables import attachment, cases, document, work_item
from app.store.registry_tables import carrier, staff
from app.store.schema import metadata
from app.store.tables import stream
from tests.web.conftest import CHARGE, DEFENCE, SERVED, Site
from tests.web.test_carriers import NEW
from tests.web.test_registering import GRANT, MEMBER, PAPER

OWN = {"/entrar", "/sair", "/idioma"}  # the session and its language: nobody else's, and in no table
ANSWERS = {
    **CHARGE,
    **SERVED,
    **DEFENCE,
    **NEW,
    **GRANT,
    **MEMBER,
    **PAPER,
    "texto": "Visto.",
    "motivo": "Visto.",
    "cobranca": "permanece",
    "registro": "2",
}


def state(site: Site) -> tuple[dict[str, int], dict[str, tuple[int, str]]]:
    """Rows of every table; number and hash at the head of every chain."""
    with site.store.read() as reader:
        counts = {
            t.name: int(reader.scalar(select(func.count()).select_from(t))) for t in metadata.sorted_tables
        }
        heads = {r["name"]: (r["seq"], r["head"]) for r in reader.all(select(stream))}
    return counts, heads


def known(site: Site) -> dict[str, list[str]]:
    """What may stand in each kind of place of an address."""
    with site.store.read() as reader:
        ids = [
            r["id"]
            for table in (work_item, document, attachment, carrier, staff, cases)
            for r in reader.all(select(table.c.id))
        ]
        numbers = [r["number"] for r in reader.all(select(cases.c.number))]
        norm = norms.in_force(reader, "jequie", reader.now)
    keys = [*norm.processes, *norm.filings]
    return {"_Id": ids, "_Number": numbers, "_Key": keys, "IntegerConverter": ["1", "2", "3"]}


def posts(site: Site) -> Iterator[str]:
    """Every address of the site that takes a POST, with everything that exists in its places."""
    there, adapter = known(site), site.app.url_map.bind("localhost")
    for rule in site.app.url_map.iter_rules():
        if "POST" not in (rule.methods or ()) or rule.rule in OWN:
            continue
        places = {name: there.get(type(kind).__name__, ["1"]) for name, kind in rule._converters.items()}
        for values in product(*places.values()):
            yield adapter.build(rule.endpoint, dict(zip(places, values, strict=True)), method="POST")


def test_the_auditor_may_read_everything_and_change_nothing(site: Site) -> None:
    case = site.defended()
    auditor = site.person("auditor")
    es, jose = site.world.carriers["ES"], site.world.staff["jose"]
    for path in (
        "/caixa",
        "/processos",
        "/transportadores",
        "/situacao",
        "/norma",
        case,
        f"/transportadores/{es}",
        f"/pessoal-de-trafego/{jose}",
        auditor.get(case).link("Votar"),
    ):
        page = auditor.get(path)
        assert page.status == 200, path
        assert page.all("form", method="post", action=path) == []
    before, tried = state(site), set()
    for path in posts(site):
        for extra in (
            {"_acao": "concluir", "versao": "1"},
            {"_acao": "rascunho", "versao": "1"},
            {"versao": "2"},
        ):
            page = auditor.post(path, **ANSWERS, **extra)
            assert page.status in (403, 404, 409, 422), (path, page.status)
            tried.add(path)
    assert len(tried) > 20
    assert state(site) == before
