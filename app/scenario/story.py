"""Reads a story file: YAML with Portuguese keys, every unknown or repeated key refused with its place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time
from itertools import pairwise
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import yaml

from app.errors import Invalid

STORY_KEYS = {"cenario", "titulo", "artigos", "municipio", "dado", "quando", "variantes", "comum"}
# What each given line must say, and what it may say besides.
GIVEN_KEYS: dict[str, tuple[set[str], set[str]]] = {
    "pessoas": ({"login", "nome", "matricula", "papeis"}, {"assento", "desde", "ato"}),
    "transportadores": ({"chave", "nome", "cnpj", "desde"}, {"outorgas"}),
    "pessoal": ({"chave", "transportador", "nome", "categoria", "matricula", "desde"}, set()),
    "antecedentes": ({"infrator", "codigo", "data", "situacao"}, {"outorga", "fonte"}),
    "valores": ({"chave", "valor", "ato"}, {"desde"}),
    "feriados": (
        {"data", "tipo", "nome", "ato"},
        {"ambito", "abre", "fecha", "expediente_fechado", "publicado_em", "em_vigor_desde"},
    ),
}
STEP_KEYS = {
    "em",
    "quem",
    "abre",
    "conclui",
    "protocola",
    "anota",
    "cancela",
    "com",
    "carimbo",
    "processo",
    "assento",
    "recusa",
    "entao",
}
ACTS = ("abre", "conclui", "protocola", "anota", "cancela")
THEN_KEYS = {
    "estado",
    "encerrado",
    "prazos",
    "documentos",
    "sem_documentos",
    "campos",
    "cobranca",
    "devolucao",
    "pago",
    "ocorrencia",
    "tarefas",
    "quem_age",
    "protocolo",
    "peticao",
    "infrator",
    "votos",
    "fatos",
    "avisos",
}
# Parts of an expectation that has parts: a misspelt one would check nothing in silence.
THEN_PARTS = {
    "cobranca": {"ufp", "reais", "devedor"},
    "devolucao": {"percentual", "ufp", "reais"},
    "protocolo": {"moveu"},
}


@dataclass(frozen=True)
class Step:
    """One dated line: an act by somebody, or just a moment at which something must hold."""

    at: datetime
    who: str | None
    act: str | None
    target: str
    answers: Mapping[str, Any]
    stamp: datetime | None
    case: str
    seat: str | None
    refusal: str | None
    then: Mapping[str, Any]
    line: str


@dataclass(frozen=True)
class Story:
    """One story, or one variant of a file with several."""

    name: str
    title: str
    municipality: str
    given: Mapping[str, Any]
    steps: tuple[Step, ...]
    path: Path = field(default_factory=Path)


class _Loader(yaml.SafeLoader):
    """Refuses duplicate keys, which YAML would let the last one win in silence."""


def _mapping(loader: _Loader, node: yaml.MappingNode) -> dict[Any, Any]:
    seen: dict[Any, Any] = {}
    for key_node, value_node in node.value:
        key = loader.construct_object(key_node, deep=True)
        if key in seen:
            raise Invalid(f"chave repetida: {key}{key_node.start_mark}")
        seen[key] = loader.construct_object(value_node, deep=True)
    return seen


def _minute(loader: _Loader, node: yaml.ScalarNode) -> datetime:
    return datetime.fromisoformat(loader.construct_scalar(node))


_Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)
# YAML knows instants with seconds only; people write `2026-05-18 16:30`, and it must be an instant everywhere.
_Loader.add_implicit_resolver("!minuto", re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d$"), list("0123456789"))
_Loader.add_constructor("!minuto", _minute)


def read_stories(path: Path, zone: ZoneInfo) -> list[Story]:
    """The stories of a file. Naive instants are local to `zone`.

    Raises Invalid naming file and key for anything that is not the language of `docs/scenarios.md`.
    """
    try:
        raw = yaml.load(path.read_text("utf-8"), Loader=_Loader)  # noqa: S506 (a SafeLoader with one more check)
    except yaml.YAMLError as error:
        raise Invalid(f"{path.name}: não é YAML: {error}") from None
    except Invalid as error:
        raise Invalid(f"{path.name}: {error.message}") from None
    _only(path, "", raw, STORY_KEYS)
    for key in ("cenario", "titulo"):
        if key not in raw:
            raise Invalid(f"{path.name}: falta {key}")
    return [_story(path, raw, name, body, zone) for name, body in _variants(raw)]


def _variants(raw: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    variants = raw.get("variantes")
    if not variants:
        yield str(raw["cenario"]), raw
        return
    for letter, body in variants.items():
        yield f"{raw['cenario']}-{letter}", body


def _story(path: Path, raw: Mapping[str, Any], name: str, body: Mapping[str, Any], zone: ZoneInfo) -> Story:
    if body is not raw:
        _only(path, name, body, {"titulo", "dado", "quando"})
    given = _merged(raw.get("dado") or {}, body.get("dado") or {} if body is not raw else {})
    _check_given(path, name, given)
    lines = [*(raw.get("comum") or []), *(body.get("quando") or [])]
    steps = tuple(_step(path, f"{name}, passo {n}", line, zone) for n, line in enumerate(lines, 1))
    if not steps:
        raise Invalid(f"{path.name}: {name}: a história não tem passos em quando")
    for before, after in pairwise(steps):
        if after.at < before.at:
            raise Invalid(
                f"{path.name}: {after.line}: vem antes do passo anterior; os passos seguem a ordem das datas"
            )
    title = f"{raw['titulo']}: {body['titulo']}" if body is not raw and "titulo" in body else raw["titulo"]
    return Story(name, title, raw.get("municipio", "jequie"), given, steps, path)


def _step(path: Path, place: str, line: Mapping[str, Any], zone: ZoneInfo) -> Step:
    _only(path, place, line, STEP_KEYS)
    if "em" not in line:
        raise Invalid(f"{path.name}: {place}: falta em (a data e a hora)")
    acts = [a for a in ACTS if a in line]
    if len(acts) > 1 or (acts and "quem" not in line):
        raise Invalid(f"{path.name}: {place}: um ato por passo, com quem o pratica")
    then = line.get("entao") or {}
    _only(path, f"{place}: entao", then, THEN_KEYS)
    for key, parts in THEN_PARTS.items():
        if key in then:
            _only(path, f"{place}: entao: {key}", then[key], parts)
    answers = line.get("com") or {}
    _only(path, f"{place}: com", answers, set(answers))
    if empty := sorted(str(k) for k, v in answers.items() if v is None):
        # `{texto: Nove, ou dez}` is two keys for YAML: a text with a comma or a colon needs quotes there.
        raise Invalid(
            f"{path.name}: {place}: com: chave sem valor (falta pôr um texto entre aspas?): {', '.join(empty)}"
        )
    stamp = line.get("carimbo")
    return Step(
        at=_instant(path, place, line["em"], zone),
        who=line.get("quem"),
        act=acts[0] if acts else None,
        target=str(line[acts[0]]) if acts else "",
        answers=answers,
        stamp=_instant(path, place, stamp, zone) if stamp is not None else None,
        case=str(line.get("processo", "1")),
        seat=line.get("assento"),
        refusal=line.get("recusa"),
        then=then,
        line=place,
    )


def _instant(path: Path, place: str, value: Any, zone: ZoneInfo) -> datetime:
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError:
            raise Invalid(f"{path.name}: {place}: data e hora ilegíveis: {value}") from None
    if isinstance(value, datetime):
        return value if value.tzinfo else value.replace(tzinfo=zone)
    if isinstance(value, date):
        return datetime.combine(value, time(9, 0), zone)
    raise Invalid(f"{path.name}: {place}: data e hora ilegíveis: {value}")


def _check_given(path: Path, name: str, given: Mapping[str, Any]) -> None:
    _only(path, f"{name}: dado", given, set(GIVEN_KEYS))
    for key, lines in given.items():
        needed, optional = GIVEN_KEYS[key]
        for line in lines:
            _only(path, f"{name}: dado: {key}", line, needed | optional)
            if missing := sorted(needed - set(line)):
                raise Invalid(f"{path.name}: {name}: dado: {key}: falta {', '.join(missing)}")


def _merged(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(one)
    for key, value in other.items():
        merged[key] = [*(merged.get(key) or []), *value] if isinstance(value, list) else value
    return merged


def _only(path: Path, place: str, given: Any, allowed: set[str]) -> None:
    if not isinstance(given, Mapping):
        raise Invalid(f"{path.name}: {place or 'o arquivo'}: esperavam-se chaves e valores")
    unknown = sorted(str(k) for k in given if k not in allowed)
    if unknown:
        raise Invalid(f"{path.name}: {place or 'o arquivo'}: chave desconhecida: {', '.join(unknown)}")
