"""Every page of the site in every state that looks different: who looks, and how to get there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import delete, select

from app.documents.codes import grouped
from app.store import INSTALLER
from app.store.cases_tables import document, unprinted
from app.store.registry_tables import carrier, staff
from app.store.tables import worker
from tests.browser.site import watched
from tests.browser.visit import Served, Visit

Go = Callable[[Visit], None]
WHY = "O registro saiu com o veículo errado."


@dataclass(frozen=True)
class State:
    """`page` is the endpoint whose address the browser shows. `login` is empty for somebody who has not signed in."""

    page: str
    login: str
    go: Go


def at(path: str | Callable[[Served], str]) -> Go:
    return lambda v: v.open(path if isinstance(path, str) else path(v.served))


def case(name: str, more: str = "") -> Go:
    """A page of a staged case."""
    return at(lambda s: f"/processos/{s.cases[name]}{more}")


def then(*steps: Go) -> Go:
    def go(visit: Visit) -> None:
        for step in steps:
            step(visit)

    return go


def send(button: str = "main form[method=post] button", **fields: str) -> Go:
    def go(visit: Visit) -> None:
        visit.fill(**fields)
        visit.send(button)

    return go


def stale(visit: Visit) -> None:
    """The page was opened before somebody else went on."""
    visit.forge(versao="0")


def unlocked(visit: Visit) -> None:
    """Opens the drawers of the page where forms wait, and lets the forms go as they are: the server judges."""
    visit.page.locator("details:has(form) > summary").evaluate_all("all => all.forEach((s) => s.click())")
    visit.page.locator("main form").evaluate_all("all => all.forEach((form) => (form.noValidate = true))")


def without_viewer(visit: Visit) -> None:
    visit.page.route("**/build/viewer.js", lambda route: route.abort())


def still(visit: Visit) -> None:
    """The page that waits for the press would move on by itself: a reader has time to read it."""

    def hold(route: object) -> None:
        answer = route.fetch()  # type: ignore[attr-defined]
        headers = {name: value for name, value in answer.headers.items() if name != "refresh"}
        route.fulfill(response=answer, headers=headers)  # type: ignore[attr-defined]

    visit.page.route("**/pdf", hold)


def waiting_paper(served: Served) -> str:
    query = select(document.c.id).join(unprinted, unprinted.c.document_id == document.c.id)
    return f"/documentos/{served.first(query.order_by(document.c.issued_at.desc()))['id']}"


def paper(kind: str, name: str) -> Go:
    return at(lambda s: f"/documentos/{s.paper(kind, s.cases[name])['id']}")


def check(kind: str, name: str) -> Go:
    return at(lambda s: f"/conferir/{grouped(s.paper(kind, s.cases[name])['code'])}")


def compared(data: bytes | None) -> Go:
    def go(visit: Visit) -> None:
        if data is not None:
            file = {"name": "recebido.pdf", "mimeType": "application/pdf", "buffer": data}
            visit.page.locator("input[type=file]").set_input_files([file])  # type: ignore[list-item]
        unlocked(visit)
        visit.send()

    return go


def unwatched(step: Go) -> Go:
    """Opens a page while no worker gives a sign."""

    def go(visit: Visit) -> None:
        with visit.served.store.silent_act(INSTALLER) as tx:
            tx.write(delete(worker))
        step(visit)
        watched(visit.served)

    return go


def record(where: str) -> Callable[[Served], str]:
    def path(served: Served) -> str:
        row = served.first(
            select(carrier.c.id, staff.c.id.label("member")).join(staff, staff.c.carrier_id == carrier.c.id)
        )
        return where.format(carrier=row["id"], staff=row["member"])

    return path


def element(name: str, status: str = "open") -> Go:
    return at(lambda s: s.task(name, status))


REGISTERS = {
    "carrier": ("registering.carrier", "/transportadores/novo"),
    "grant": ("registering.grant", "/transportadores/{carrier}/outorgas/nova"),
    "member of the staff": ("registering.staff", "/transportadores/{carrier}/pessoal/novo"),
    "antecedent": ("registering.antecedent", "/transportadores/{carrier}/antecedentes/novo"),
    "antecedent of a person": (
        "registering.antecedent_of_staff",
        "/pessoal-de-trafego/{staff}/antecedentes/novo",
    ),
}
REGISTRAR = {"carrier": "gestor", "grant": "gestor", "member of the staff": "gestor"}

DOORS = {
    "way in": State("entering.enter", "", at("/entrar")),
    "inbox": State("inbox.show", "presidente", at("/caixa")),
    "empty inbox": State("inbox.show", "auditor", at("/caixa")),
    "inbox searched in vain": State("inbox.show", "presidente", at("/caixa?busca=zzzz")),
    "cases": State("cases.browse", "auditor", at("/processos")),
    "cases of one state": State("cases.browse", "auditor", at("/processos?estado=EM_DEFESA")),
    "cases searched in vain": State("cases.browse", "auditor", at("/processos?busca=zzzz&numero=zzzz")),
    "situation": State("situation.show", "gestor", at("/situacao")),
    "situation in which nobody decides terms": State("situation.show", "gestor", unwatched(at("/situacao"))),
    "inbox where nobody decides terms": State("inbox.show", "gestor", unwatched(at("/caixa"))),
    "norm": State("norm.show", "auditor", at("/norma")),
    "text of the law": State("norm.law", "auditor", at("/norma/lei")),
    "clock": State("clock.show", "gestor", at("/relogio")),
    "clock sent back": State(
        "clock.show", "gestor", then(at("/relogio"), send("button[value=data]", data="2026-08-01"))
    ),
}

FOLDERS = {
    "case that runs": State("cases.show", "protocolo", case("served")),
    "case with everything": State("cases.show", "secretario", case("long")),
    "case that ended": State("cases.show", "secretario", case("warned")),
    "case with annulled acts": State("cases.show", "presidente", case("annulled")),
    "case with a filing typed late": State("cases.show", "presidente", case("overtaken")),
    "case with erased data": State("cases.show", "auditor", case("erased")),
    "petition": State("cases.show", "secretario", at(lambda s: f"/processos/{s.case('EM_DESPACHO')}")),
    "receipt": State("cases.show", "protocolo", case("served", "?registro=4")),
    "receipt of going back": State("cases.show", "secretario", case("annulled", "?registro=11")),
    "note without words": State(
        "folder.annotate",
        "fiscal",
        then(case("served"), unlocked, send("form[action$=anotar] button", texto=" ")),
    ),
    "file that was not chosen": State(
        "folder.attach",
        "fiscal",
        then(
            case("served"),
            unlocked,
            send("form[action$=anexar] button"),
        ),
    ),
    "cancelling without a reason": State(
        "folder.cancel",
        "secretario",
        then(case("served"), unlocked, send("form[action$=cancelar] button")),
    ),
    "what can be opened": State("opening.choose", "fiscal", at("/processos/novo")),
    "new case": State("opening.blank", "fiscal", at("/processos/novo/infracao")),
    "new case with errors": State("opening.blank", "fiscal", then(at("/processos/novo/infracao"), send())),
    "filing": State("counter.desk", "protocolo", case("served", "/protocolar/contestacao")),
    "filing with errors": State(
        "counter.desk", "protocolo", then(case("served", "/protocolar/contestacao"), send())
    ),
    "payment": State("counter.desk", "protocolo", case("served", "/protocolar/pagamento")),
}

TASKS = {
    "task with a form": State("tasks.show", "secretario", element("decidir_ultima")),
    "task with errors": State(
        "tasks.show", "secretario", then(element("decidir_ultima"), send("button[value=concluir]"))
    ),
    "task that moved on": State(
        "tasks.show", "secretario", then(element("decidir_ultima"), stale, send("button[value=concluir]"))
    ),
    "task with a draft": State(
        "tasks.show",
        "secretario",
        then(element("despachar_peticao"), send("button[value=rascunho]")),
    ),
    "task of a vote": State("tasks.show", "membro1", element("votar")),
    "task of somebody else": State("tasks.show", "auditor", element("votar")),
    "task taken by a colleague": State("tasks.show", "presidente", element("lavrar_auto")),
    "task that is done": State("tasks.show", "presidente", element("lavrar_auto", "done")),
}

PAPERS = {
    "document": State("papers.paper", "auditor", paper("auto_de_infracao", "long")),
    "document being prepared": State("papers.paper", "auditor", at(waiting_paper)),
    "document annulled": State("papers.paper", "auditor", paper("decisao_comissao", "annulled")),
    "document erased": State("papers.paper", "auditor", paper("notificacao", "erased")),
    "PDF being prepared": State(
        "papers.pdf", "auditor", then(still, at(lambda s: f"{waiting_paper(s)}/pdf"))
    ),
    "check": State("checking.ask", "", at("/conferir")),
    "check of half a code": State(
        "checking.ask", "", then(at("/conferir"), send("main form button", codigo="ABC"))
    ),
    "check of an unknown code": State("checking.show", "", at("/conferir/0000-0000-0000-0000")),
    "check at an address with a slash too many": State("checking.astray", "", at("/conferir/ABC/DEF")),
    "check of a document": State("checking.show", "", check("auto_de_infracao", "long")),
    "check of an annulled document": State("checking.show", "", check("decisao_comissao", "annulled")),
    "check with the same file": State(
        "checking.show", "", then(check("auto_de_infracao", "long"), compared(b"%PDF-1.7\n"))
    ),
    "check with another file": State(
        "checking.show", "", then(check("auto_de_infracao", "long"), compared(b"%PDF-1.4\n"))
    ),
    "check without a file": State(
        "checking.show", "", then(check("auto_de_infracao", "long"), compared(None))
    ),
}

REPLAYS = {
    "replay": State("replay.last", "auditor", case("long", "/historico")),
    "replay, first entry": State("replay.step", "auditor", case("long", "/historico/1")),
    "replay, entry in the middle": State("replay.step", "auditor", case("long", "/historico/10")),
    "replay, entry of the press": State("replay.step", "auditor", case("long", "/historico/14")),
    "replay, annulled entry": State("replay.step", "auditor", case("annulled", "/historico/10")),
    "replay, annulment": State("replay.step", "auditor", case("annulled", "/historico/11")),
    "replay, term that ran out": State("replay.step", "auditor", case("overtaken", "/historico/5")),
    "replay of what was tampered with": State("replay.last", "auditor", case("tampered", "/historico")),
    "replay without the viewer": State(
        "replay.step", "auditor", then(without_viewer, case("long", "/historico/10"))
    ),
}

BACKWARDS = {
    "annulment": State("annulling.show", "secretario", case("long", "/registros/13/anular")),
    "annulment over filings": State("annulling.show", "secretario", case("long", "/registros/4/anular")),
    "annulment without a reason": State(
        "annulling.show", "secretario", then(case("long", "/registros/4/anular"), send())
    ),
    "annulment of a case that moved on": State(
        "annulling.show",
        "secretario",
        then(case("long", "/registros/4/anular"), stale, send(motivo=WHY)),
    ),
    "expiry to set aside": State(
        "setting_aside.show", "presidente", case("overtaken", "/registros/5/afastar")
    ),
    "expiry set aside without a reason": State(
        "setting_aside.show", "presidente", then(case("overtaken", "/registros/5/afastar"), send())
    ),
    "correction": State("correcting.show", "presidente", case("served", "/registros/4/corrigir")),
    "correction that only corrects": State(
        "correcting.show",
        "presidente",
        then(
            case("served", "/registros/4/corrigir"), send("button[value=conferir]", prova="Livro 4, fl. 13")
        ),
    ),
    "correction that moves the case": State(
        "correcting.show",
        "presidente",
        then(
            case("served", "/registros/4/corrigir"),
            send("button[value=conferir]", instante="2026-08-11T09:30"),
        ),
    ),
    "correction that changes nothing": State(
        "correcting.show",
        "presidente",
        then(case("served", "/registros/4/corrigir"), send("button[value=conferir]")),
    ),
}

RECORDS = {
    "carriers": State("carriers.browse", "gestor", at("/transportadores")),
    "carriers searched in vain": State("carriers.browse", "gestor", at("/transportadores?busca=zzzz")),
    "carrier": State("carriers.show", "gestor", at(record("/transportadores/{carrier}"))),
    "member of the staff": State("carriers.staff", "gestor", at(record("/pessoal-de-trafego/{staff}"))),
    **{
        f"new {name}": State(page, REGISTRAR.get(name, "presidente"), at(record(where)))
        for name, (page, where) in REGISTERS.items()
    },
    **{
        f"new {name} with errors": State(
            page, REGISTRAR.get(name, "presidente"), then(at(record(where)), send())
        )
        for name, (page, where) in REGISTERS.items()
    },
}

REFUSALS = {
    "what is not theirs to do (403)": State("annulling.show", "fiscal", case("long", "/registros/4/anular")),
    "nothing there (404)": State("cases.show", "auditor", at("/processos/99999/2026-9")),
    "address of nothing (404)": State("", "auditor", at("/nada")),
    "record that fell already (409)": State(
        "annulling.show", "secretario", case("annulled", "/registros/10/anular")
    ),
    "what cannot be annulled (422)": State(
        "annulling.show", "secretario", case("long", "/registros/1/anular")
    ),
    "form from another session (400)": State(
        "folder.annotate",
        "fiscal",
        then(
            case("served"),
            unlocked,
            lambda v: v.forge(csrf_token="x"),
            send("form[action$=anotar] button", texto="x"),
        ),
    ),
    "fault of the system (500)": State("quebra", "auditor", at("/quebra")),
}

STATES = {**DOORS, **FOLDERS, **TASKS, **PAPERS, **REPLAYS, **BACKWARDS, **RECORDS, **REFUSALS}

# Addresses that answer a GET with something that is no page.
NO_PAGES = {
    "static": "files of the site",
    "inbox.home": "leads on to the inbox",
    "health.alive": "an answer for a program that watches",
    "health.ready": "an answer for a program that watches",
    "health.on_time": "an answer for a program that watches",
    "cases.diagram": "the diagram as XML, for the viewer",
    "cases.whole_diagram": "the drawing alone, as a picture",
    "norm.form_style": "a style sheet, made for one form",
    "papers.download": "a file as somebody handed it in",
}
