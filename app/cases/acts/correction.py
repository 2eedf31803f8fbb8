"""A wrong plate, code or date of service, put right by a reasoned act: what was written stays, beside what is right.

A field that the diagram never sees is corrected in place: later documents print the new text. One that the diagram
decides by is corrected from its entry on: what followed from it falls, and the entry is done again with the right data.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from sqlalchemy import select, update

from app import audit
from app.audit import Entry, seal
from app.cases import access, record
from app.cases.acts import opening, tasks
from app.cases.acts.annulment import enter_again, entry_of, go_back, require_case_version
from app.cases.acts.entry import entry
from app.cases.acts.limits import read_form, text
from app.cases.display import is_vote
from app.cases.dossier import Dossier, open_dossier
from app.cases.forms import Answers, properties
from app.errors import Conflict, Invalid
from app.store import Row, Tx
from app.store.cases_tables import cases, submission, work_item
from app.values import Json, iso, parse_instant

CORRECTABLE = ("open", "complete", "serve_notice", "correct")


@entry
def correct(tx: Tx, case_id: str, seq: int, answers: Mapping[str, Json], reason: str, version: int) -> None:
    """Puts the answers of an entry right.

    Args:
        seq: the entry whose form is corrected: the opening, a completed task or a service.
        answers: the whole form as it should have been.
    Raises Forbidden without competence, Invalid for what is no form of ours or changes nothing, Conflict when the case
    moved or the entry no longer stands.
    """
    dossier = open_dossier(tx, case_id)
    access.require(tx, dossier.norm, "corrigir")
    correctable(dossier, seq)
    require_case_version(dossier, version)
    why = text(reason, "Motivo", 2_000)
    wrong, checked = weighed(dossier, seq, answers)
    dossier.effective_at = wrong.effective_at
    told: dict[str, Json] = {"corrects": seq, "reason": why}
    if moves(dossier, wrong, checked):
        _from_there(dossier, wrong, checked, told)
    else:
        kept = record.keep_submission(dossier, checked.form, checked, None)[1]
        audit.append(tx, dossier.stream, "correct", {"command": {"op": "none"}, **kept, **told})
        # The correction would fall with what it corrects: whoever was about to annul that has to look again.
        moved = {"version": dossier.row["version"] + 1}
        tx.write(update(cases).where(cases.c.id == dossier.id).values(**moved))


def weighed(dossier: Dossier, seq: int, answers: Mapping[str, Json]) -> tuple[Entry, Answers]:
    """The entry and the checked answers that would stand in its place. Nothing is written.

    Raises Invalid for answers with problems, for another party and for answers that change nothing.
    """
    wrong = correctable(dossier, seq)
    checked = read_form(dossier.tx, dossier.norm, wrong.body["form"], answers, wrong.effective_at)
    before = answers_of(dossier, wrong)
    _require_same_parties(dossier, wrong, before, checked)
    if before == {**checked.plain, **checked.personal}:
        raise Invalid("Nada mudou em relação ao que está registrado.", code="correcao.igual")
    return wrong, checked


def correctable(dossier: Dossier, seq: int) -> Entry:
    """The entry, when it is a form of ours that stands and no later correction stands in its place."""
    wrong = entry_of(dossier, seq)
    if wrong.act not in CORRECTABLE or "form" not in wrong.body:
        raise Invalid(
            "Só se corrige o que o órgão escreveu num formulário. Petição errada: anule o registro dela.",
            code="correcao.sem_formulario",
        )
    if {seq, moving(dossier, wrong).seq} & set(dossier.fallen):
        raise Conflict(
            "Este registro está sem efeito: corrija o que está em vigor.", code="correcao.sem_efeito"
        )
    item = _item_of(dossier, wrong)
    if item and is_vote(dossier.definition, item):
        raise Invalid(
            "Um voto não se corrige, nem se lê antes dos outros: anule o registro dele, e vota-se de novo.",
            code="correcao.voto",
        )
    if item:
        access.require_to_correct(dossier.tx, dossier.norm, item["act"])
    later = corrections_of(audit.entries(dossier.tx, dossier.stream), dossier.fallen).get(seq)
    if later:
        raise Conflict(
            f"Este registro já foi corrigido pelo registro {later}: corrija aquele.",
            code="correcao.repetida",
        )
    return wrong


def _item_of(dossier: Dossier, written: Entry) -> Row | None:
    """The task that the entry completed, also behind a correction of it; none for an opening."""
    kept = select(submission.c.work_item_id).where(
        submission.c.id == moving(dossier, written).body["submission"]
    )
    return dossier.tx.first(select(work_item).where(work_item.c.id.in_(kept)))


def corrections_of(told: Iterable[Entry], fallen: Collection[int]) -> dict[int, int]:
    """By number of a corrected entry, that of the newest correction of it that stands."""
    return {e.body["corrects"]: e.seq for e in told if "corrects" in e.body and e.seq not in fallen}


def answers_of(dossier: Dossier, written: Entry) -> dict[str, Json]:
    """What was answered, personal fields included; they are missing where the subject was erased."""
    row = dossier.tx.one(
        select(submission).where(submission.c.id == written.body["submission"]), "Respostas inexistentes."
    )
    return {**row["answers"], **(seal.unseal(dossier.tx, row["sealed_id"]) or {})}


def moves(dossier: Dossier, wrong: Entry, checked: Answers) -> bool:
    """Whether the diagram or a term depends on what changed."""
    first = moving(dossier, wrong)
    if "service" in first.body and _told_instant(checked) != first.body["served_at"]:
        return True
    data = first.body["command"]["data"]
    return any(data.get(name) != value for name, value in checked.flow.items())


def _told_instant(checked: Answers) -> str | None:
    told = checked.get("instante")
    return iso(parse_instant(told)) if isinstance(told, str) else None


def moving(dossier: Dossier, written: Entry) -> Entry:
    """The entry that moved the diagram, behind corrections in place of it."""
    while written.body["command"]["op"] == "none":
        written = entry_of(dossier, written.body["corrects"])
    return written


def _require_same_parties(
    dossier: Dossier, wrong: Entry, before: Mapping[str, Json], checked: Answers
) -> None:
    """Who the case is against cannot be corrected: everybody concerned would have to be heard anew."""
    schema = dossier.norm.forms[wrong.body["form"]][0]
    for name, spec in properties(schema).items():
        if spec.get("x-registro") and before.get(name) != checked.get(name):
            raise Invalid(
                "A correção não troca a parte: cancele este processo e abra outro.",
                code="correcao.parte",
                fields={name: "Não se corrige: cancele o processo e abra outro."},
            )


def _from_there(dossier: Dossier, wrong: Entry, checked: Answers, told: dict[str, Json]) -> None:
    first = moving(dossier, wrong)
    happened = first.effective_at
    told["author"] = first.body.get("author") or first.actor
    go_back(dossier, first.seq, "annul", {"reason": told["reason"], "correcting": wrong.seq})
    dossier.effective_at, dossier.corrected_author = happened, told["author"]
    if first.body["command"]["op"] == "start":
        opening.start(dossier, checked, "correct", told)
    else:
        item = dossier.tx.one(
            select(work_item).where(
                work_item.c.case_id == dossier.id,
                work_item.c.task_id == first.body["command"]["task"],
                work_item.c.status == "open",
            ),
            "A tarefa a corrigir não existe mais.",
        )
        tasks.perform(dossier, item, checked, "correct", told)
    record.next_act(dossier)
    dossier.corrected_author = None
    enter_again(dossier, first.seq)
