"""A published norm in time: which rule holds on the day of an act, and what may not be published at all."""

from __future__ import annotations

import socket
import urllib.request
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from referencing.exceptions import Unresolvable

from app import documents
from app.cases import access, acts, inbox
from app.cases.forms import validate
from app.cases.vocabulary import LANGUAGE
from app.errors import Forbidden, Invalid
from app.law.norm import Norm
from app.registry import diagrams, norms
from app.settings import ROOT
from app.store.cases_tables import document
from app.store.registry_tables import charge
from app.web.forms.choices import choices_of
from app.web.sheets import subject
from tests.cases.infringement import Infringement, notice
from tests.cases.town import Town, local

FINES, COMPETENCES = "bpmn/jequie/multas.csv", "bpmn/jequie/competencias.csv"
NORMA, DIAGRAM = "bpmn/jequie/norma.toml", "bpmn/jequie/infracao.bpmn"
Files = dict[str, bytes]


def jequie() -> Files:
    """The content of the house."""
    return norms.read_content(ROOT, "jequie")


def with_text(files: Files, path: str, *pairs: tuple[str, str]) -> Files:
    text = files[path].decode()
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return {**files, path: text.encode()}


def rows_of(files: Files, path: str, starts: str) -> str:
    return "".join(line for line in files[path].decode().splitlines(True) if line.startswith(starts))


def publish(town: Town, files: Mapping[str, bytes], since: date | None = date(2026, 3, 3)) -> Any:
    norm = town.install(norms.publish, files, since, "Decreto 10", language=LANGUAGE)
    town.norm = norm
    return norm


def until(day: str, *later: str) -> Files:
    """I-14 in force until a day; then what `later` says, in the columns of the table."""
    files = jequie()
    old = rows_of(files, FINES, "I-14,")
    assert "1994-12-15,," in old
    return with_text(files, FINES, (old, old.replace("1994-12-15,,", f"1994-12-15,{day},") + "".join(later)))


NEWER = 'I-14,I,Deixar de realizar viagens,8,certo,2026-05-08,,"Lei 2.000/2026",\n'


@pytest.mark.parametrize(("day", "units"), [("2026-05-07 23:59", 500), ("2026-05-08 00:00", 800)])
def test_a_fine_is_that_of_the_day_of_the_auto(town: Town, day: str, units: int) -> None:
    publish(town, until("2026-05-07", NEWER))
    case = Infringement.opened(town).registered("2026-05-06 09:00").charged(day)
    assert town.row(charge, case_id=case.id)["units"] == units


def test_pages_and_papers_tell_the_rule_of_the_notice_and_then_that_of_the_auto(town: Town) -> None:
    norm = publish(town, until("2026-05-07", NEWER))
    before, after = "Deixar de realizar o número de viagens determinadas", "Deixar de realizar viagens"
    case = Infringement.opened(town).registered("2026-05-06 09:00")
    town.at("2026-05-08 09:59")
    assert described(town, norm, case).startswith(before)
    case.charged("2026-05-08 10:00")
    town.at("2026-05-25 10:00")
    assert described(town, norm, case) == after
    assert [f["text"] for f in paper(town, case, "notificacao") if f["text"].startswith(before)]
    assert after in [f["text"] for f in paper(town, case, "auto_de_infracao")]


def described(town: Town, norm: Norm, case: Infringement) -> str:
    return dict(town.read(subject.table_row, norm, case.row))["O que a lei descreve"]


def test_a_code_repealed_before_the_auto_has_no_fine(town: Town) -> None:
    publish(town, until("2026-05-07"))
    case = Infringement.opened(town).registered()
    town.at("2026-05-08 10:00")
    item = case.item("lavrar_auto")
    answers = {"fatos": "Duas viagens a menos.", "dispositivo": "Anexo I", "penalidade": "multa"}
    refused = town.refusal("autuante", acts.complete, item["id"], answers, item["version"])
    assert refused.code == "tabela.codigo_desconhecido"
    assert refused.message == "O código I-14 não está na tabela da lei em vigor em 08/05/2026."


def test_a_notice_cites_a_code_in_force_on_its_own_day(town: Town) -> None:
    publish(town, until("2026-05-04"))
    town.at("2026-05-05 08:10")
    told = notice(town, ocorrida_em="2026-05-04")
    refused = town.refusal("fiscal", acts.open_case, "jequie", "infracao", told)
    assert refused.fields == {"codigo": "O código não está na tabela da lei em vigor em 05/05/2026."}
    town.act("fiscal", acts.open_case, "jequie", "infracao", told, local("2026-05-04 17:00"))


def test_only_codes_in_force_today_are_offered(town: Town) -> None:
    norm = publish(town, until("2026-05-07"))
    spec = {"x-tabela": "multas"}
    for when, offered in (("2026-05-07 23:59", True), ("2026-05-08 00:00", False)):
        town.at(when)
        codes = {option.value for option in town.read(choices_of, norm, spec) or ()}
        assert ("I-14" in codes, "I-15" in codes) == (offered, True)


def test_an_act_passes_to_another_office_at_local_midnight(town: Town) -> None:
    files = jequie()
    rows = rows_of(files, COMPETENCES, "registrar_notificacao,")
    ended = rows.replace("1994-12-15,,", "1994-12-15,2026-05-06,")
    begun = "registrar_notificacao,protocolo,2026-05-07,,Lei 2.000/2026,\n"
    norm = publish(town, with_text(files, COMPETENCES, (rows, ended + begun)))
    case = Infringement.opened(town)
    # Bahia keeps UTC-3: the first instant is still the sixth there and already the seventh in UTC.
    for when, competent in (("2026-05-06 23:59", "membro1"), ("2026-05-07 00:00", "protocolo")):
        town.at(when)
        for login in ("membro1", "protocolo"):
            may = login == competent
            assert town.read(inbox.count, norm, town.world.people[login]) == int(may)
            if may:
                town.act(login, access.require, norm, "registrar_notificacao")
            else:
                with pytest.raises(Forbidden, match="Este ato cabe a"):
                    town.act(login, access.require, norm, "registrar_notificacao")
    case.registered("2026-05-07 09:00", by="protocolo")


def another_municipality() -> Files:
    """The same law with its table, its code and its column called otherwise: content only."""
    files = jequie()
    files = with_text(files, FINES, ("codigo,grupo", "inciso,grupo"), (",ufp,", ",unidades,"))
    files = with_text(
        files,
        NORMA,
        ("[tabelas.multas]", "[tabelas.infracoes]"),
        ('tabela = "multas"', 'tabela = "infracoes"'),
        ('chave = "codigo"\nvalor = "ufp"', 'chave = "inciso"\nvalor = "unidades"'),
        ('"multa.codigo"', '"multa.inciso"'),
    )
    files = with_text(files, DIAGRAM, ("'multas'", "'infracoes'"), ("codigo", "inciso"))
    forms = [path for path in files if path.startswith("forms/") and b'"codigo"' in files[path]]
    for path in forms:
        files = with_text(files, path, ('"codigo"', '"inciso"'))
    return with_text(files, "forms/jequie/notificacao-schema.json", ('"multas"', '"infracoes"'))


def test_another_name_of_table_and_code_needs_no_change_of_the_program(town: Town) -> None:
    norm = publish(town, another_municipality())
    town.at("2026-05-05 08:10")
    told = notice(town)
    told["inciso"] = told.pop("codigo")
    case = Infringement(town, town.act("fiscal", acts.open_case, "jequie", "infracao", told))
    case.registered().charged()
    assert town.row(charge, case_id=case.id)["units"] == 500
    shown = dict(town.read(subject.table_row, norm, case.row))
    assert shown["Código"] == "I-14"
    texts = [f["text"] for f in paper(town, case, "auto_de_infracao")]
    assert "I-14" in texts
    assert shown["O que a lei descreve"] in texts


def paper(town: Town, case: Infringement, kind: str) -> list[dict[str, str]]:
    row = town.row(document, case_id=case.id, kind=kind)
    content = town.read(documents.content_of, row["id"])
    return list(content["fields"])


def refusal_of(town: Town, files: Files) -> dict[str, str]:
    refused = town.unchanged(lambda: town.install(norms.publish, files, None, "Decreto", language=LANGUAGE))
    assert (type(refused), refused.code) == (Invalid, "norma.invalida")
    return refused.fields


@pytest.mark.parametrize(
    ("old", "new", "where", "told"),
    [
        ("fator_reincidencia(quem", "adivinha(quem", "formalizar_auto", "adivinha"),
        ("cobrar(valor_auto)", "__import__('os')", "formalizar_auto", ""),
        ('value="voto-schema.json"', 'value="urna-schema.json"', "votar", "o formulário 'urna' não existe"),
        ('value="registrar_notificacao"', 'value="voar"', "registrar_notificacao", "o ato 'voar' não existe"),
        ('value="NOTIFICADO"', 'value="NADA"', "registrar_notificacao", "o estado 'NADA' não existe"),
    ],
)
def test_a_norm_whose_diagram_would_not_run_is_not_published(
    shared_town: Town, old: str, new: str, where: str, told: str
) -> None:
    found = refusal_of(shared_town, with_text(jequie(), DIAGRAM, (old, new)))
    assert told in found[f"{DIAGRAM} [{where}]"]


@pytest.mark.parametrize(
    "diagram",
    [
        b"",
        b"<definitions/>",
        b"\x00\xff",
        b"<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><a>&b;</a>",
        b'<bpmn:definitions xmlns:bpmn="http://www.omg.org/spec/BPMN/20100524/MODEL"/>',
        b"<a>" * 100_000,
    ],
)
def test_what_is_no_diagram_is_not_published(shared_town: Town, diagram: bytes) -> None:
    found = refusal_of(shared_town, {**jequie(), DIAGRAM: diagram})
    assert [where for where in found if where.startswith(DIAGRAM)]


def drawn(inside: str) -> bytes:
    model = "http://www.omg.org/spec/BPMN/20100524/MODEL"
    return f'<definitions xmlns="{model}"><process id="infracao">{inside}</process></definitions>'.encode()


@pytest.mark.parametrize(
    ("inside", "told"),
    [
        ("<manualTask/>" * 501, "o diagrama tem mais de 500 elementos"),
        ("<subProcess>" * 9 + "</subProcess>" * 9, "há mais de 8 subprocessos, um dentro do outro"),
        ("<subProcess>" * 240 + "</subProcess>" * 240, "há mais de 8 subprocessos, um dentro do outro"),
    ],
)
def test_a_diagram_that_would_take_minutes_to_compile_is_not_compiled(
    shared_town: Town, inside: str, told: str
) -> None:
    assert refusal_of(shared_town, {**jequie(), DIAGRAM: drawn(inside)})[DIAGRAM] == told


def test_faults_of_norm_and_diagram_are_told_together(shared_town: Town) -> None:
    files = with_text(jequie(), NORMA, ('uf = "BA"\n', ""))
    found = refusal_of(shared_town, {**files, DIAGRAM: b"<a/>"})
    assert found[f"{NORMA} [norma.uf]"] == "falta"
    assert DIAGRAM in found


def test_the_norm_of_the_house_has_no_fault_in_its_diagrams(shared_town: Town) -> None:
    assert list(diagrams.faults(shared_town.norm, LANGUAGE)) == []


def test_without_a_day_the_norm_is_in_force_since_its_publication(town: Town) -> None:
    files = with_text(jequie(), FINES, ("operacionais", "operacionais "))
    publish(town, files, None)
    assert town.entries("norma:jequie")[-1].body["in_force_from"] == "1994-12-15"


def test_answers_are_checked_without_fetching_anything(
    shared_town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No such form can be published; were one in force all the same, it would still reach nobody."""
    for owner, name in ((socket, "socket"), (urllib.request, "urlopen")):
        monkeypatch.setattr(owner, name, lambda *_, **__: pytest.fail("something was to be fetched"))
    target = {"$ref": "http://127.0.0.1:9/esquema.json"}
    for schema in (
        {"type": "object", "properties": {"a": target}},
        {"type": "object", "properties": {"a": {}}, "allOf": [{"if": {"properties": {"a": target}}}]},
    ):
        odd = replace(shared_town.norm, forms={"odd": (schema, {})})
        with shared_town.store.read() as reader, pytest.raises(Unresolvable):
            validate(reader, odd, "odd", {"a": "x"}, odd.zone, now=local("2026-05-05 08:00"))


def vila(root: Path) -> Path:
    for room in ("bpmn", "forms"):
        (root / room / "vila").mkdir(parents=True)
    (root / "bpmn" / "vila" / "norma.toml").write_text("[norma]\n")
    return root


def test_a_file_of_fifty_megabytes_is_not_even_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    large = vila(tmp_path) / "bpmn" / "vila" / "grande.csv"
    with large.open("wb") as file:
        file.truncate(50_000_000)
    monkeypatch.setattr(Path, "read_bytes", lambda _: pytest.fail("a file was read"))
    with pytest.raises(Invalid) as refused:
        norms.read_content(tmp_path, "vila")
    told = "o arquivo tem 50,0 MB; o limite é 2,0 MB"
    assert refused.value.fields["bpmn/vila/grande.csv"] == told


def test_a_shortcut_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    outside = tmp_path / "segredo.csv"
    outside.write_text("x")
    folder = vila(tmp_path / "conteudo") / "bpmn" / "vila"
    (folder / "multas.csv").symlink_to(outside)
    with pytest.raises(Invalid) as refused:
        norms.read_content(tmp_path / "conteudo", "vila")
    assert refused.value.fields == {"bpmn/vila/multas.csv": "o arquivo é um atalho para fora da pasta"}
