"""What a room says when it refuses. Only this family crosses rooms; anything else is a bug.

Each refusal has a stable `code` for programs, an HTTP status for doors and one Portuguese sentence for
people that says what happened and what to do. Nothing here may write, log or decide.
"""

from __future__ import annotations

from collections.abc import Mapping


class Refused(Exception):
    """The request was understood and refused; nothing changed.

    Args:
        message: one or two sentences in Portuguese, for the person who asked.
        code: stable identifier such as `multa.valor_nao_confirmado`.
        fields: message per form field, when the refusal is about what was typed.
        context: values a program may want (never personal data).
    """

    status = 400
    default_code = "recusado"

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        fields: Mapping[str, str] | None = None,
        **context: object,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.default_code
        self.fields = dict(fields or {})
        self.context = context

    def __str__(self) -> str:
        details = "; ".join(f"{k}: {v}" for k, v in self.fields.items())
        return f"{self.message} ({details})" if details else self.message


class NotFound(Refused):
    """There is no such thing, or the asker may not know of it."""

    status = 404
    default_code = "nao_encontrado"


class Forbidden(Refused):
    """The person lacks office, appointment or impartiality for this act."""

    status = 403
    default_code = "sem_competencia"


class Conflict(Refused):
    """Somebody was faster, or the thing is no longer in the state the asker saw."""

    status = 409
    default_code = "conflito"


class Invalid(Refused):
    """What was sent does not fit the form, the norm or the facts."""

    status = 422
    default_code = "invalido"


class TooLate(Refused):
    """The act is barred because a term has run out."""

    status = 422
    default_code = "intempestivo"


class Broken(Exception):
    """Stored evidence contradicts itself: a chain, digest or replay does not match. Never a refusal."""
