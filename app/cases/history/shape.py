"""Whether an entry tells all that acts tell, so that whoever shows it may rely on it. Pure.

An entry that was written by an act always does; one made by somebody else's hand may replay and still lack a part.
"""

from __future__ import annotations

from app.audit import Entry
from app.values import Json, parse_instant

_IDS = ("submission", "filing", "note", "attachment")
_TEXTS = (*_IDS, "form", "answers", "number", "kind", "text", "reason", "sealed", "digest", "standstill")
_BESIDE = {
    "submission": ("form", "answers"),
    "filing": ("number", "kind"),
    "note": ("text",),
    "attachment": ("digest",),
}


def whole(entry: Entry) -> bool:
    """True when nothing is missing or of another kind than it should be."""
    body = entry.body
    try:
        needed = [part for key, parts in _BESIDE.items() if key in body for part in parts]
        return (
            isinstance(body["command"]["op"], str)
            and all(isinstance(q, str) and isinstance(args, list) for q, args, _ in body.get("asked", []))
            and all(_ordered(order) for order in body.get("orders", []))
            and all(_counted(term) for term in body.get("terms", []))
            and all(isinstance(body[part], str) for part in {*needed, *(p for p in _TEXTS if p in body)})
            and all(isinstance(warning, str) for warning in body.get("warnings", []))
            and all(isinstance(body.get(number, 0), int) for number in ("corrects", "surplus", "size"))
            and isinstance(body.get("before_term", {}).get("term", ""), str)
        )
    except (LookupError, TypeError, ValueError, AttributeError):
        return False


def _ordered(order: Json) -> bool:
    name, args, result = order["order"], order["args"], order["result"]
    if name == "emitir":
        return all(isinstance(text, str) for text in (args[0], result["document"], result["number"]))
    if name == "cobrar":
        return isinstance(args[0], int) and isinstance(result["cents"], int)
    return name != "contar" or _counted(result)


def _counted(term: Json) -> bool:
    ends = (parse_instant(term["due_at"]), parse_instant(term["expires_at"]))
    return ends[0] <= ends[1] and all(isinstance(term[key], str) for key in ("term", "base", "trace"))
