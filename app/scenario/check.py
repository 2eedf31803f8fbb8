"""Compares what a story says must hold with what the database shows, one readable line per difference."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from sqlalchemy import select

from app import documents
from app.cases import history
from app.demo import World
from app.law.competence import roles_for
from app.law.norm import Norm
from app.registry import charges, occurrences
from app.store import Reader
from app.store.cases_tables import ANNULLED, filing
from app.values import Money, Units


@dataclass
class _Scene:
    reader: Reader
    norm: Norm
    world: World
    case_id: str
    folder: history.Folder
    last_number: str


def differences(
    reader: Reader, norm: Norm, world: World, case_id: str | None, last_number: str, then: Mapping[str, Any]
) -> Iterator[str]:
    """Each thing the story expects and the case does not show."""
    if not then:
        return
    if case_id is None:
        yield "o processo não foi aberto"
        return
    scene = _Scene(reader, norm, world, case_id, history.folder(reader, case_id), last_number)
    for key, expected in then.items():
        yield from _CHECKS[key](scene, expected)


def _status(scene: _Scene, expected: str) -> Iterator[str]:
    yield from _same("estado", scene.folder.case["status"], expected)


def _ended(scene: _Scene, expected: bool) -> Iterator[str]:
    yield from _same("encerrado", scene.folder.case["closed_at"] is not None, expected)


def _deadlines(scene: _Scene, expected: Mapping[str, Any]) -> Iterator[str]:
    """A term whose every count was annulled was not counted."""
    rows = {r["key"]: r for r in scene.folder.deadlines if r["status"] != ANNULLED}
    for key, told in expected.items():
        if key not in scene.norm.deadlines:
            yield f"prazo {key}: a norma não o tem"
        elif told is None:
            yield from _same(f"prazo {key} existe", key in rows, False)
        elif key not in rows:
            yield f"prazo {key}: esperava-se {told}, e ele não foi contado"
        else:
            due = rows[key]["due_at"].astimezone(scene.norm.zone)
            yield from _same(f"prazo {key}", _shown(due, told), str(told))


def _shown(due: datetime, told: Any) -> str:
    if isinstance(told, datetime) or (isinstance(told, str) and len(told) > 10):
        return f"{due:%Y-%m-%d %H:%M:%S}"
    return due.date().isoformat()


def _issued(scene: _Scene, expected: Sequence[str]) -> Iterator[str]:
    kinds = [r["kind"] for r in scene.folder.documents]
    for kind in expected:
        if kind not in kinds:
            yield f"documento {kind}: esperava-se emitido; há {', '.join(kinds) or 'nenhum'}"


def _annulled(scene: _Scene, expected: Sequence[str]) -> Iterator[str]:
    """Documents whose act was annulled: they stay in the folder, with their numbers, marked."""
    fallen = set(scene.folder.case["fallen"])
    found = sorted({r["kind"] for r in scene.folder.documents if r["seq"] in fallen})
    yield from _same("sem_efeito", found, sorted(expected))


def _numbers(scene: _Scene, expected: Mapping[str, Sequence[int]]) -> Iterator[str]:
    """`numeros: {auto_de_infracao: [1, 2]}`: the numbers of all documents of a kind, annulled ones too."""
    for kind, numbers in expected.items():
        found = [r["number"] for r in scene.folder.documents if r["kind"] == kind]
        yield from _same(f"números de {kind}", found, list(numbers))


def _not_issued(scene: _Scene, expected: Sequence[str]) -> Iterator[str]:
    kinds = {r["kind"] for r in scene.folder.documents}
    for kind in expected:
        if kind not in scene.norm.documents:
            yield f"documento {kind}: a norma não o tem"
        elif kind in kinds:
            yield f"documento {kind}: não devia ter sido emitido"


def _fields(scene: _Scene, expected: Mapping[str, Any]) -> Iterator[str]:
    """`campos: {auto_de_infracao: [chave, …]}` must not be empty; with a mapping, must contain the text."""
    newest = {r["kind"]: r["id"] for r in scene.folder.documents}
    for kind, wanted in expected.items():
        if kind not in newest:
            yield f"documento {kind}: não foi emitido"
            continue
        texts = {f["key"]: f["text"] for f in documents.content_of(scene.reader, newest[kind])["fields"]}
        pairs = wanted.items() if isinstance(wanted, Mapping) else ((k, "") for k in wanted)
        for key, text in pairs:
            if not texts.get(key):
                yield f"documento {kind}: o campo {key} está vazio"
            elif str(text) not in texts[key]:
                yield f"documento {kind}: o campo {key} é “{texts[key]}”, esperava-se conter “{text}”"


def _charge(scene: _Scene, expected: Mapping[str, Any]) -> Iterator[str]:
    owed = charges.of_case(scene.reader, scene.case_id)
    if owed is None:
        yield "cobrança: não há"
        return
    if "ufp" in expected:
        yield from _same("cobrança em UFP", owed.units, Units.parse(expected["ufp"]))
    if "reais" in expected:
        yield from _same("cobrança em reais", owed.amount, Money.parse(expected["reais"]))
    if "devedor" in expected:
        names = {carrier_id: name for name, carrier_id in scene.world.carriers.items()}
        yield from _same("devedor", names.get(owed.carrier_id), expected["devedor"])


def _refund(scene: _Scene, expected: Mapping[str, Any]) -> Iterator[str]:
    owed = charges.of_case(scene.reader, scene.case_id)
    if owed is None or owed.refund is None:
        yield "devolução: não foi ordenada"
        return
    if "percentual" in expected:
        yield from _same("percentual devolvido", owed.refund_percent, expected["percentual"])
    if "ufp" in expected:
        worth = Units.parse(expected["ufp"]).at(owed.unit_value)
        yield from _same("devolução em UFP, ao valor da UFP do auto", owed.refund, worth)
    if "reais" in expected:
        yield from _same("devolução em reais", owed.refund, Money.parse(expected["reais"]))


def _paid(scene: _Scene, expected: Any) -> Iterator[str]:
    yield from _same("pago", charges.paid(scene.reader, scene.case_id), Money.parse(expected))


def _occurrence(scene: _Scene, expected: str) -> Iterator[str]:
    row = occurrences.of_case(scene.reader, scene.case_id)
    yield from _same("ocorrência", row["status"] if row else None, expected)


def _tasks(scene: _Scene, expected: Sequence[str]) -> Iterator[str]:
    open_now = sorted({r["element"] for r in scene.folder.items if r["status"] == "open"})
    yield from _same("tarefas abertas", open_now, sorted(set(expected)))


def _who_acts(scene: _Scene, expected: Sequence[str]) -> Iterator[str]:
    roles: set[str] = set()
    day = scene.reader.now.astimezone(scene.norm.zone).date()
    for item in scene.folder.items:
        if item["status"] == "open":
            roles |= {row.role for row in roles_for(scene.norm, item["act"], day)}
    for role in expected:
        if role not in roles:
            yield f"quem age: esperava-se {role}; agem {', '.join(sorted(roles)) or 'ninguém'}"
    if not expected:
        yield from _same("quem age", sorted(roles), [])


def _filing(scene: _Scene, expected: Mapping[str, Any]) -> Iterator[str]:
    row = scene.reader.first(select(filing).where(filing.c.number == scene.last_number))
    if row is None:
        yield "protocolo: nada foi protocolado"
    elif "moveu" in expected:
        yield from _same("a petição moveu o processo", row["delivered"], expected["moveu"])


def _petition(scene: _Scene, expected: bool) -> Iterator[str]:
    yield from _same("petição autônoma aberta", bool(scene.folder.linked), expected)


def _infringer(scene: _Scene, expected: str) -> Iterator[str]:
    ids = {f"transportador:{v}": k for k, v in scene.world.carriers.items()}
    ids |= {f"pessoal:{v}": k for k, v in scene.world.staff.items()}
    yield from _same("infrator", ids.get(scene.folder.case["infringer"]), expected)


def _votes(scene: _Scene, expected: Mapping[str, str]) -> Iterator[str]:
    yield from _same("votos", scene.folder.case["flow"].get("votos"), dict(expected))


def _flow(scene: _Scene, expected: Mapping[str, Any]) -> Iterator[str]:
    """`fatos: {classe: recurso1}`: what the diagram knows."""
    for key, value in expected.items():
        told = value.isoformat() if isinstance(value, date) else value
        yield from _same(f"fato {key}", scene.folder.case["flow"].get(key), told)


def _warned(scene: _Scene, expected: int) -> Iterator[str]:
    """`avisos: 1`: how many warnings the case's journal keeps."""
    lines = history.timeline(scene.reader, scene.case_id)
    told = sum(len(line.entry.body.get("warnings", ())) for line in lines)
    yield from _same("avisos no processo", told, expected)


def _same(what: str, found: Any, expected: Any) -> Iterator[str]:
    if found != expected:
        yield f"{what}: esperava-se {_told(expected)}, encontrou-se {_told(found)}"


def _told(value: Any) -> str:
    if isinstance(value, Mapping):
        return "; ".join(f"{k}: {_told(v)}" for k, v in value.items())
    if isinstance(value, list):
        return ", ".join(_told(v) for v in value) or "nada"
    if isinstance(value, bool):
        return "sim" if value else "não"
    return "nada" if value is None or value == "" else str(value)


_CHECKS: dict[str, Callable[[_Scene, Any], Iterator[str]]] = {
    "estado": _status,
    "encerrado": _ended,
    "prazos": _deadlines,
    "documentos": _issued,
    "sem_documentos": _not_issued,
    "sem_efeito": _annulled,
    "numeros": _numbers,
    "avisos": _warned,
    "campos": _fields,
    "cobranca": _charge,
    "devolucao": _refund,
    "pago": _paid,
    "ocorrencia": _occurrence,
    "tarefas": _tasks,
    "quem_age": _who_acts,
    "protocolo": _filing,
    "peticao": _petition,
    "infrator": _infringer,
    "votos": _votes,
    "fatos": _flow,
}
