"""The filters in an address. What is not understood is left out of the search and said, never an error.

Leaving it out without a word would show more than was asked for and pass for the answer.
"""

from __future__ import annotations

from collections.abc import Container, Mapping

from flask import request

from app.web.forms.reading import clean

LONGEST = 100  # letters of a search


class Asked:
    """What an address asks for.

    `kept`: what was understood, for links that ask for the same and more. `told`: the same in words, each under its
    label: paper has no form to show it in.
    """

    def __init__(self) -> None:
        self.kept: dict[str, str] = {}
        self.told: list[tuple[str, str]] = []
        self.left_out: list[str] = []

    def __bool__(self) -> bool:
        """Whether anything narrows the list."""
        return bool(self.kept)

    def typed(self, name: str) -> str:
        """What stands in the address, without what nobody can see."""
        return clean(request.args.get(name, ""))[:LONGEST].strip()

    def text(self, name: str, label: str) -> str:
        value = self.typed(name)
        return self._keep(name, value, label, f"“{value}”")

    def choice(self, name: str, label: str, known: Container[str], words: Mapping[str, str]) -> str:
        """One of the known values, or empty. `words`: how they are called."""
        value = self.typed(name)
        if value and value not in known:
            self.left_out.append(label)
            return ""
        return self._keep(name, value, label, words.get(value, value))

    def ticked(self, name: str, label: str) -> bool:
        return bool(self.choice(name, label, ("1",), {"1": ""}))

    def _keep(self, name: str, value: str, label: str, words: str) -> str:
        if value:
            self.kept[name] = value
            self.told.append((label, words))
        return value
