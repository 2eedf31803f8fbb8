"""Working on a case beside its diagram: claiming, drafts, notes, files, cancelling."""

from __future__ import annotations

from typing import Any

import pytest

from app.cases import acts
from app.cases.acts.ending import FALLS, STANDS
from app.cases.acts.folder import clean_name, kind_of, named_as
from app.cases.inbox import draft_of
from app.errors import NotFound
from app.registry.evidence import faults
from app.store import blobs
from app.store.cases_tables import attachment, draft, note, work_item
from app.store.registry_tables import charge, occurrence
from app.values import canonical, digest
from tests.cases.infringement import AUTO, OTHER, Infringement, to_trial
from tests.cases.town import Town, local

PDF, PNG, JPEG = b"%PDF-1.7\n", b"\x89PNG\r\n\x1a\n0", b"\xff\xd8\xff\xe0"


def charged_next(town: Town) -> Infringement:
    return Infringement.opened(town).registered()


def test_a_claimed_task_is_shown_as_taken_and_can_be_given_back(town: Town) -> None:
    case = charged_next(town)
    item = case.item("lavrar_auto")
    town.act("autuante", acts.claim, item["id"], item["version"])
    taken = case.item("lavrar_auto")
    assert (taken["claimed_by"], taken["version"]) == (town.world.people["autuante"], item["version"] + 1)
    town.act("autuante", acts.release, item["id"], taken["version"])
    free = case.item("lavrar_auto")
    assert (free["claimed_by"], free["version"], free["status"]) == (None, item["version"] + 2, "open")
    assert case.acts[-2:] == ["claim", "release"]
    case.charged(by="membro1")


def test_who_claimed_a_task_completes_it(town: Town) -> None:
    case = charged_next(town)
    item = case.item("lavrar_auto")
    town.act("autuante", acts.claim, item["id"], item["version"])
    case.charged()
    done = case.item("lavrar_auto")
    assert (done["status"], done["closed_by"]) == ("done", f"pessoa:{town.world.people['autuante']}")
    assert done["closed_at"] == local("2026-05-08 10:00")


def test_a_draft_is_the_persons_own_and_changes_no_version(town: Town) -> None:
    case = charged_next(town)
    item = case.item("lavrar_auto")
    for login, words in (("autuante", "Meia fra"), ("membro1", "Outra"), ("autuante", "Meia frase")):
        town.draft(login, acts.save_draft, item["id"], {"dispositivo": words, "campo": "x"})
    kept = {who: town.read(draft_of, item["id"], town.world.people[who]) for who in ("autuante", "membro1")}
    assert {who: row["answers"] for who, row in kept.items()} == {
        "autuante": {"dispositivo": "Meia frase"},
        "membro1": {"dispositivo": "Outra"},
    }
    assert town.read(draft_of, item["id"], town.world.people["presidente"]) is None
    assert "Meia frase" not in repr(town.rows(draft))
    assert case.item("lavrar_auto")["version"] == item["version"]
    assert "save_draft" not in case.acts


def test_completing_a_task_takes_the_draft_of_whoever_completes_and_leaves_the_others(town: Town) -> None:
    case = charged_next(town)
    item = case.item("lavrar_auto")
    for login in ("autuante", "membro1"):
        town.draft(login, acts.save_draft, item["id"], {"dispositivo": f"De {login}"})
    case.charged()
    assert town.read(draft_of, item["id"], town.world.people["autuante"]) is None
    kept = town.read(draft_of, item["id"], town.world.people["membro1"])
    assert kept["answers"] == {"dispositivo": "De membro1"}
    assert "De membro1" not in repr(town.rows(draft))
    with pytest.raises(NotFound, match="não tem rascunho"):
        town.draft("autuante", acts.discard_draft, item["id"])
    assert len(town.rows(draft)) == 1
    town.draft("membro1", acts.discard_draft, item["id"])
    assert town.rows(draft) == []
    assert case.acts[-1] == "complete"


def test_annulling_leaves_drafts_with_the_task_that_fell_and_with_the_one_that_opens_again(
    town: Town,
) -> None:
    case = charged_next(town)
    again = case.item("lavrar_auto")["id"]
    town.draft("membro1", acts.save_draft, again, {"dispositivo": "Meia frase"})
    case.charged()
    fell = case.item("dar_ciencia_auto")["id"]
    town.draft("protocolo", acts.save_draft, fell, {"prova": "Livro 4"})
    town.act("secretario", acts.annul, case.id, 3, "Outro veículo.", case.row["version"])
    assert (case.open, case.item("dar_ciencia_auto")["status"]) == (["lavrar_auto"], "annulled")
    kept = [
        town.read(draft_of, item, town.world.people[who])["answers"]
        for item, who in ((again, "membro1"), (fell, "protocolo"))
    ]
    assert kept == [{"dispositivo": "Meia frase"}, {"prova": "Livro 4"}]


def test_whoever_comes_back_to_a_task_that_moved_reads_who_did_what(town: Town) -> None:
    case = charged_next(town)
    item = case.item("lavrar_auto")

    def sends(login: str) -> str:
        return town.refusal(login, acts.complete, item["id"], AUTO, item["version"]).message

    town.act("autuante", acts.claim, item["id"], item["version"])
    assert (
        sends("membro1") == "Antônio Dias assumiu a tarefa depois que você a abriu. Confira e envie de novo."
    )
    town.act("autuante", acts.release, item["id"], item["version"] + 1)
    assert sends("membro1") == (
        "Antônio Dias esteve com a tarefa e a devolveu depois que você a abriu. Confira e envie de novo."
    )
    assert sends("autuante") == (
        "Você assumiu ou devolveu esta tarefa em outra página. Confira e envie de novo."
    )
    case.charged()
    town.act("secretario", acts.annul, case.id, 5, "Outro veículo.", case.row["version"])
    assert sends("membro1") == "A tarefa mudou depois que você a abriu. Confira e envie de novo."


def test_a_note_is_kept_whole_and_the_journal_holds_its_digest(town: Town) -> None:
    case = charged_next(town)
    words = "Visto.\nJose\u0301 \u202e🚌 ok " + "á" * 3_000
    town.act("fiscal", acts.annotate, case.id, f"  {words}\n")
    row = town.row(note, case_id=case.id)
    assert (row["text"], row["by"]) == (words, f"pessoa:{town.world.people['fiscal']}")
    entry = town.entries(f"processo:{case.id}")[-1]
    assert (entry.act, entry.body["text"], entry.seq) == ("annotate", digest(canonical(words)), row["seq"])


@pytest.mark.parametrize(
    ("media", "data", "ending"),
    [("application/pdf", PDF, "pdf"), ("image/png", PNG, "png"), ("image/jpeg", JPEG, "jpg")],
)
def test_a_file_is_kept_by_its_digest_and_once(
    shared_town: Town, media: str, data: bytes, ending: str
) -> None:
    town = shared_town
    case = Infringement.opened(town, when=None, ocorrida_em="2026-03-02")
    for name in ("laudo.exe", f"o mesmo.{ending}"):
        town.act("fiscal", acts.attach, case.id, name, media, data)
    rows = town.rows(attachment, case_id=case.id)
    assert sorted(r["name"] for r in rows) == [f"laudo.{ending}", f"o mesmo.{ending}"]
    assert {(r["media_type"], r["size"], r["blob_digest"]) for r in rows} == {
        (media, len(data), digest(data))
    }
    assert town.read(blobs.fetch, digest(data)) == data
    assert town.entries(f"processo:{case.id}")[-1].body["digest"] == digest(data)


@pytest.mark.parametrize("declared", ["", "application/octet-stream", "application/x-pdf", "text/plain"])
def test_a_kind_is_known_by_the_content_whatever_a_browser_calls_it(declared: str) -> None:
    assert kind_of(PDF, declared) == "application/pdf"
    assert kind_of(PNG, declared) == "image/png"
    assert kind_of(JPEG, declared) == "image/jpeg"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("../../etc/senha.pdf", "senha.pdf"),
        ("C:\\temp\\laudo.pdf", "laudo.pdf"),
        ("a\x00b\r\nc.pdf", "abc.pdf"),
        ("\u202efdp.exe", "fdp.exe"),
        ("\ud800.pdf", "pdf"),
        ("", "arquivo"),
        ("...", "arquivo"),
        ("/", "arquivo"),
        ("sem ponto", "sem ponto"),
        ("x" * 300 + ".pdf", "x" * 110 + ".pdf"),
        ("y" * 300, "y" * 120),
        ("a." + "z" * 50, "a." + "z" * 9),
        ("\u3164", "arquivo"),
        ("Relato\u0301rio.pdf", "Relat\u00f3rio.pdf"),
        ("z" + "\u0301\u0323" * 2_000 + ".pdf", "\u1e93" + "\u0323" * 14 + "\u0301" * 15 + ".pdf"),
        ("pasta/" + "x" * 3_000_000 + ".jpeg", "x" * 110 + ".jpeg"),
    ],
)
def test_the_name_of_a_file_is_only_ever_shown_and_is_cleaned_first(name: str, shown: str) -> None:
    assert clean_name(name) == shown


@pytest.mark.parametrize(
    ("name", "media", "shown"),
    [
        ("laudo.PDF", "application/pdf", "laudo.PDF"),
        ("foto.jpeg", "image/jpeg", "foto.jpeg"),
        ("foto.jpg", "image/png", "foto.png"),
        ("laudo.pdf.exe", "application/pdf", "laudo.pdf"),
        ("Ofício nº 12.2026", "application/pdf", "Ofício nº 12.2026.pdf"),
        ("sem ponto", "image/png", "sem ponto.png"),
        ("pdf", "application/pdf", "pdf.pdf"),
        (".exe", "application/pdf", "arquivo.pdf"),
        ("y" * 120, "image/jpeg", "y" * 110 + ".jpg"),
    ],
)
def test_a_file_ends_as_its_kind_does(name: str, media: str, shown: str) -> None:
    assert named_as(name, media) == shown


def test_a_cancelled_case_ends_with_its_reason_and_counts_against_nobody(town: Town) -> None:
    case = to_trial(town)
    case.town.act("secretario", acts.cancel, case.id, "  Notificação lavrada em duplicidade. ", FALLS)
    row = case.row
    assert (row["status"], row["closed_reason"]) == ("CANCELADO", "Notificação lavrada em duplicidade.")
    assert (case.open, case.row["awaited"]) == ([], [])
    votes = town.rows(work_item, case_id=case.id, element="votar")
    assert {(v["status"], v["closed_by"]) for v in votes} == {
        ("cancelled", f"pessoa:{town.world.people['secretario']}")
    }
    assert town.row(occurrence, case_id=case.id)["status"] == "anulada"
    assert case.acts[-1] == "cancel"


def test_cancelling_stops_every_term(town: Town) -> None:
    case = Infringement.opened(town).registered().charged().served()
    town.act("secretario", acts.cancel, case.id, "Erro na placa.", FALLS)
    states = {key: case.term(key)["status"] for key in ("defesa", "recurso1", "pagamento_auto")}
    assert states == {"defesa": "cancelled", "recurso1": "cancelled", "pagamento_auto": "closed"}
    town.let_pass("2026-06-01 09:00")
    assert case.status == "CANCELADO"


@pytest.mark.parametrize(("fate", "units", "cents"), [(FALLS, 0, 0), (STANDS, 500, 50_000)])
def test_whoever_cancels_says_what_becomes_of_the_charge(
    town: Town, fate: str, units: int, cents: int
) -> None:
    """Five units of 100 reais are owed. The law is silent: neither answer is presumed."""
    case = Infringement.opened(town).registered().charged()
    for unsaid in ("", "talvez"):
        refused = town.refusal("secretario", acts.cancel, case.id, "Erro na placa.", unsaid)
        assert (refused.code, list(refused.fields)) == ("cobranca.indefinida", ["cobranca"])
    town.act("secretario", acts.cancel, case.id, "Erro na placa: a multa não tem causa.", fate)
    row = town.row(charge, case_id=case.id)
    assert (row["units"], row["cents"]) == (units, cents)
    body = town.entries(f"processo:{case.id}")[-1].body
    assert (body["charge"], body["cents"]) == (fate, 50_000)
    assert town.read(lambda reader: list(faults(reader))) == []


def test_a_charge_that_is_not_there_neither_falls_nor_stands(town: Town) -> None:
    case = charged_next(town)
    refused = town.refusal("secretario", acts.cancel, case.id, "Erro na placa.", FALLS)
    assert refused.code == "cobranca.inexistente"
    town.act("secretario", acts.cancel, case.id, "Erro na placa.")
    assert "charge" not in town.entries(f"processo:{case.id}")[-1].body


def test_a_petition_about_an_occurrence_that_was_never_entered_can_be_cancelled_too(town: Town) -> None:
    case_id = town.act("protocolo", acts.open_case, "jequie", "peticao", OTHER)
    town.act("secretario", acts.cancel, case_id, "Protocolada por engano.")
    assert Infringement(town, case_id).status == "CANCELADO"


def test_notes_and_files_go_on_after_the_end(town: Town) -> None:
    case = charged_next(town)
    town.act("secretario", acts.cancel, case.id, "Erro na placa.")
    town.act("fiscal", acts.annotate, case.id, "Visto depois do fim.")
    town.act("fiscal", acts.attach, case.id, "foto.png", "image/png", PNG)
    assert case.acts[-2:] == ["annotate", "attach"]


def test_an_act_may_have_happened_before_it_was_typed(town: Town) -> None:
    """The auto was drawn up at ten; it is typed at four. The entry keeps both."""
    case = charged_next(town)
    town.at("2026-05-08 16:00")
    case.do("autuante", "lavrar_auto", AUTO, effective_at=local("2026-05-08 10:00"))
    entry: Any = town.entries(f"processo:{case.id}")[-1]
    assert (entry.at, entry.effective_at) == (local("2026-05-08 16:00"), local("2026-05-08 10:00"))
