"""Fields that depend on another answer, shown and hidden by generated CSS: no script, and nothing hidden without it.

The server decides again when the form arrives (`app.cases.forms.inactive`); this is only what the eye sees.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from app.cases.forms import properties
from app.values import Json


def css(schema: Json) -> str:
    """The form's own stylesheet; empty when no field is conditional."""
    rules = list(_rules(schema))
    # Browsers without :has() get no rule at all: they show every field, and the server drops what does not apply.
    return "\n".join(["@supports selector(:has(*)) {", *rules, "}", ""]) if rules else ""


def conditional(schema: Json) -> set[str]:
    """Fields that are there only for some answers."""
    return set(_shown_when(schema)) | set(_hidden_when(schema))


def _rules(schema: Json) -> Iterator[str]:
    for name, conditions in _shown_when(schema).items():
        field = f"[data-field={_quoted(name)}]"
        yield f"{field} {{ display: none }}"
        yield ", ".join(f"{condition} {field}" for condition in conditions) + " { display: block }"
    for name, conditions in _hidden_when(schema).items():
        field = f"[data-field={_quoted(name)}]"
        yield ", ".join(f"{condition} {field}" for condition in conditions) + " { display: none }"


def _shown_when(schema: Json) -> dict[str, list[str]]:
    """Fields declared only inside branches, with the selectors of the answers that bring them in."""
    base, found = set(schema.get("properties", {})), dict[str, list[str]]()
    for holds, fails, rule in _branches(schema):
        for selector, side in ((holds, "then"), (fails, "else")):
            for name, spec in rule.get(side, {}).get("properties", {}).items():
                if isinstance(spec, dict) and name not in base:
                    found.setdefault(name, []).append(selector)
    return found


def _hidden_when(schema: Json) -> dict[str, list[str]]:
    """Fields of the form itself that a branch switches off (`false`)."""
    base, found = set(schema.get("properties", {})), dict[str, list[str]]()
    for holds, fails, rule in _branches(schema):
        for selector, side in ((holds, "then"), (fails, "else")):
            for name, spec in rule.get(side, {}).get("properties", {}).items():
                if spec is False and name in base:
                    found.setdefault(name, []).append(selector)
    return found


def _branches(schema: Json) -> Iterator[tuple[str, str, dict[str, Any]]]:
    known = properties(schema)
    for rule in schema.get("allOf", []):
        tests = rule.get("if", {}).get("properties", {})
        if tests and set(tests) <= set(known) and all("const" in t or "enum" in t for t in tests.values()):
            holds = "".join(f":has({_chosen(name, test)})" for name, test in tests.items())
            yield f"form{holds}", f"form:not({holds})", rule


def _chosen(name: str, test: dict[str, Any]) -> str:
    values = [test["const"]] if "const" in test else test["enum"]
    return ", ".join(
        f"[name={_quoted(name)}][value={value}]:checked, [name={_quoted(name)}] option[value={value}]:checked"
        for value in (_quoted(_text(v)) for v in values)
    )


def _text(value: Json) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _quoted(text: str) -> str:
    """A CSS string. Keys and values come from the norm, which is not to be trusted with quotes either."""
    safe = "".join(c if c.isalnum() or c in "_-. " else f"\\{ord(c):x} " for c in text)
    return f'"{safe}"'
