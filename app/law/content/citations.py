"""The law's text beside `norma.toml`, and whether what the content cites is in it.

A norm may do without the text: then nothing is checked, and citations lead nowhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from app.law.content.raw import read_rows, read_text
from app.law.content.sections import Faults, Section
from app.law.text import LawText, parse
from app.values import Json

_SAID_BY_FORMS = frozenset({"title", "description"})


def read_law(files: Mapping[str, bytes], folder: str, section: Section) -> LawText | None:
    """The text that `[norma]` names (`texto`), its own faults told with file and line; None where it names none."""
    name = section.text("texto", required=False)
    skipped = section.texts("numeros_pulados", required=False)
    if not name:
        return None
    path = folder + name
    if path not in files:
        section.fault("texto", f"o arquivo {path} não existe")
        return None
    text = read_text(files[path], path, section.faults)
    if text is None:
        return None
    law, found = parse(text, skipped)
    for line, told in found:
        section.faults.add(path, f"linha {line}", told)
    return law


def check_citations(
    law: LawText,
    files: Mapping[str, bytes],
    folder: str,
    toml: Json,
    forms: Mapping[str, tuple[Json, Json]],
    faults: Faults,
) -> None:
    """Adds every citation of a place that the text does not have: of `norma.toml`, its tables, its forms."""
    cited = [(folder + "norma.toml", key, words) for key, words in _in_toml(toml, "", cites=False)]
    for path in sorted(files):
        if path.startswith(folder) and path.endswith(".csv"):
            rows = read_rows(files, path, (), Faults())
            cited += [(path, line, row["artigo"]) for line, row in rows if row.get("artigo")]
    for form, (schema, _) in forms.items():
        path = f"{folder.replace('bpmn/', 'forms/', 1)}{form}-schema.json"
        cited += [(path, key, words) for key, words in _in_form(schema, "")]
    for file, key, words in cited:
        for place in law.missing(words):
            faults.add(
                file, key, f"cita {place}, que não está no texto da lei (artigo de outra: art., minúsculo)"
            )


def _in_toml(value: Json, path: str, *, cites: bool) -> Iterator[tuple[str, str]]:
    """What stands under `artigo` and `artigos`, at any depth."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _in_toml(part, f"{path}.{key}".lstrip("."), cites=key in ("artigo", "artigos"))
    elif isinstance(value, list):
        for number, part in enumerate(value, 1):
            yield from _in_toml(part, f"{path}[{number}]" if isinstance(part, dict) else path, cites=cites)
    elif cites and isinstance(value, str):
        yield path, value


def _in_form(value: Json, path: str) -> Iterator[tuple[str, str]]:
    """What people read in a form, at any depth."""
    if isinstance(value, dict):
        for key, part in value.items():
            if key in _SAID_BY_FORMS and isinstance(part, str):
                yield f"{path}.{key}".lstrip("."), part
            else:
                yield from _in_form(part, f"{path}.{key}".lstrip("."))
    elif isinstance(value, list):
        for number, part in enumerate(value, 1):
            yield from _in_form(part, f"{path}[{number}]")
