"""Reads a story file: YAML with Portuguese keys, every unknown or repeated key refused with its place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from app.demo.given import given
from app.demo.shapes import Place, keys_among, listing, pairs, text
from app.errors import Invalid
from app.scenario.language import ACTS, STEP_KEYS, STORY_KEYS, expectations, instant
from app.scenario.reading import read_yaml


@dataclass(frozen=True)
class Step:
    """One dated line: an act by somebody, or just a moment at which something must hold.

    Attributes:
        line: where it is written, for sentences.
    """

    at: datetime
    who: str | None
    act: str | None
    target: str
    answers: Mapping[str, Any]
    stamp: datetime | None
    case: str
    seat: str | None
    refusal: str | None
    reason: str
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


def read_stories(path: Path, zone_of: Callable[[str], ZoneInfo]) -> list[Story]:
    """The stories of a file. Instants without offset are local to the zone of the story's municipality.

    Raises Invalid naming file, line and key for anything that is not the language of `docs/scenarios.md`.
    """
    try:
        return list(_stories(path, read_yaml(path), zone_of))
    except Invalid as error:
        raise Invalid(f"{path.name}: {error}", code=error.code) from None


def _stories(path: Path, raw: Any, zone_of: Callable[[str], ZoneInfo]) -> Iterator[Story]:
    whole = Place("", getattr(raw, "line", None))
    keys_among(whole, raw, STORY_KEYS)
    for key in ("cenario", "titulo"):
        if raw.get(key) is None:
            raise whole.fault(f"falta {key}")
    name, title = (text(whole.at(raw, key), raw[key]) for key in ("cenario", "titulo"))
    if not re.fullmatch(r"[\w.-]{1,60}", name):
        raise whole.at(raw, "cenario").fault("use um nome curto, de letras, números e hífens, como SC-10")
    listing(text)(whole.at(raw, "artigos"), raw.get("artigos") or [])
    slug = text(whole.at(raw, "municipio"), raw.get("municipio") or "jequie")
    try:
        zone = zone_of(slug)
    except Invalid as error:
        raise whole.at(raw, "municipio").fault(str(error)) from None
    for called, body in _variants(whole, raw, name):
        yield _story(Story(called, title, slug, {}, (), path), raw, body, zone)


def _variants(whole: Place, raw: Mapping[str, Any], name: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    variants = raw.get("variantes")
    if not variants:
        yield name, raw
        return
    if "quando" in raw:
        raise whole.at(raw, "quando").fault("com variantes, os passos de todas ficam em comum")
    place = whole.at(raw, "variantes")
    keys_among(place, variants, None)
    for letter, body in variants.items():
        one = Place(f"{name}-{letter}", place.at(variants, letter).line)
        keys_among(one, body, {"titulo", "dado", "quando"})
        yield one.name, body


def _story(bare: Story, raw: Mapping[str, Any], body: Mapping[str, Any], zone: ZoneInfo) -> Story:
    place, title = Place(bare.name, getattr(body, "line", None)), bare.title
    told = given(place.at(raw, "dado"), raw.get("dado") or {})
    if body is not raw:
        told = _merged(told, given(place.at(body, "dado"), body.get("dado") or {}))
        if body.get("titulo") is not None:
            title = f"{title}: {text(place.at(body, 'titulo'), body['titulo'])}"
    lines = [*_lines(place, raw, "comum"), *_lines(place, body, "quando")]
    steps = tuple(
        _step(Place(f"{bare.name}, passo {n}", line), told, zone) for n, (line, told) in enumerate(lines, 1)
    )
    if not steps:
        raise place.fault("a história não tem passos em quando")
    for before, after in pairwise(steps):
        if after.at < before.at:
            raise Invalid(f"{after.line}: vem antes do passo anterior; os passos seguem a ordem das datas")
    return replace(bare, title=title, given=told, steps=steps)


def _lines(place: Place, body: Mapping[str, Any], key: str) -> list[tuple[int | None, Any]]:
    steps = body.get(key)
    where = place.at(body, key)
    if steps is not None and not isinstance(steps, list):
        raise where.fault("esperava-se uma lista de passos, cada um começando por um hífen")
    return [(getattr(step, "line", where.line), step) for step in steps or []]


def _step(place: Place, line: Any, zone: ZoneInfo) -> Step:
    keys_among(place, line, STEP_KEYS)
    if line.get("em") is None:
        raise place.fault("falta em (a data e a hora)")
    acts = [a for a in ACTS if a in line]
    if len(acts) > 1 or (acts and "quem" not in line):
        raise place.fault("um ato por passo, com quem o pratica")

    def told(key: str, default: str | None = None) -> str | None:
        return text(place.at(line, key), line[key]) if key in line else default

    stamp = line.get("carimbo")
    return Step(
        at=instant(place, line["em"], zone),
        who=told("quem"),
        act=acts[0] if acts else None,
        target=(told(acts[0]) if acts else None) or "",
        answers=_answers(place.at(line, "com"), line.get("com") or {}),
        stamp=instant(place.at(line, "carimbo"), stamp, zone) if stamp is not None else None,
        case=told("processo", "1") or "1",
        seat=told("assento"),
        refusal=told("recusa"),
        reason=told("motivo") or "",
        then=expectations(place.at(line, "entao"), line.get("entao") or {}),
        line=str(place),
    )


def _answers(place: Place, told: Any) -> dict[str, Any]:
    answers: dict[str, Any] = pairs(lambda _, value: value)(place, told)
    if empty := sorted(key for key, value in answers.items() if value is None):
        # `{texto: Nove, ou dez}` is two keys for YAML: a text with a comma or a colon needs quotes there.
        raise place.fault(f"chave sem valor (falta pôr um texto entre aspas?): {', '.join(empty)}")
    return answers


def _merged(one: Mapping[str, list[Any]], other: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
    return {key: [*one.get(key, []), *other.get(key, [])] for key in (*one, *other)}
