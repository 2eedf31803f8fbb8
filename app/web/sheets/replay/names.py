"""Who people and records of the registry are, asked once for a page."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime

from app import people
from app.law.norm import Norm
from app.store import Reader
from app.web.forms.choices import called

_REGISTERS = ("transportador", "pessoal")


@dataclass
class Names:
    """`reader` looks from the instant of the entry that is shown."""

    reader: Reader
    norm: Norm
    _known: dict[str, str] = field(default_factory=dict)

    def know(self, actors: Collection[str]) -> None:
        """Asks for many names together."""
        self._known |= people.names_of(self.reader, actors)

    def of(self, actor: str) -> str:
        """How a journal's actor is called."""
        if actor not in self._known:
            self._known[actor] = people.name_of(self.reader, actor)
        return self._known[actor]

    def offices(self, actor: str, instant: datetime) -> tuple[str, ...]:
        """What the person was on the local day of an instant."""
        if not actor.startswith("pessoa:"):
            return ()
        day = instant.astimezone(self.norm.zone).date()
        held = people.offices(self.reader, actor.removeprefix("pessoa:"), day)
        names = (self.norm.roles[o.role].name for o in held if o.role in self.norm.roles)
        return tuple(dict.fromkeys(names))

    def record(self, told: str) -> str | None:
        """The name of `transportador:<id>` or `pessoal:<id>`; None for any other text."""
        kind, _, record = told.partition(":")
        if kind not in _REGISTERS or not record:
            return None
        if told not in self._known:
            self._known[told] = called(self.reader, self.norm, {"x-registro": kind}, record) or told
        return self._known[told]
