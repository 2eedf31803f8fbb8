"""Reading one section of a norm without ever stopping: every fault is kept with its file and key.

Knows types and Portuguese sentences; knows no section by name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime

from app.errors import Invalid
from app.values import Json

_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_.\-]*")
#: More faults than anybody mends in one go; the rest shows when these are mended.
MAX_FAULTS = 1000
#: Characters of a file, key or sentence told: a key of a megabyte must not be repeated in every fault beneath it.
LONGEST = 300
_NAMES = {str: "texto", int: "número inteiro", bool: "booleano", list: "lista", dict: "tabela", date: "data"}


class Faults:
    """Everything wrong that was found, in the order it was found."""

    def __init__(self) -> None:
        self._found: list[tuple[str, str, str]] = []

    def add(self, file: str, key: str, text: str) -> None:
        self._found.append((file[:LONGEST], key[:LONGEST], text[:LONGEST]))

    def raise_if_any(self) -> None:
        """Raises Invalid with one field per file and key, so that the whole list can be mended at once."""
        if not self._found:
            return
        told = self._found[:MAX_FAULTS]
        texts: dict[str, list[str]] = {}
        for file, key, text in told:
            texts.setdefault(f"{file} [{key}]" if file and key else file or key, []).append(text)
        many = f"{len(self._found)} faltas" if len(self._found) > 1 else "1 falta"
        shown = f" Mostram-se as primeiras {MAX_FAULTS}." if len(self._found) > MAX_FAULTS else ""
        raise Invalid(
            f"A norma não pode ser publicada: tem {many}.{shown}",
            code="norma.invalida",
            fields={where: "; ".join(found) for where, found in texts.items()},
            faults=tuple(told),
        )


class Section:
    """One table of a TOML file, read key by key. What is missing or of another type becomes a fault.

    A fault gives back a harmless value, so that reading goes on; nothing read is used when a fault exists.
    """

    def __init__(self, values: Json, file: str, path: str, faults: Faults) -> None:
        self.file, self.path, self.faults = file, path, faults
        self._read: set[str] = set()
        self._values: Mapping[str, Json] = values if isinstance(values, dict) else {}
        if not isinstance(values, dict):
            self.fault("", "esperava-se uma tabela")

    def fault(self, key: str, text: str) -> None:
        self.faults.add(self.file, ".".join(filter(None, (self.path, key[:LONGEST]))), text)

    def has(self, key: str) -> bool:
        return key in self._values

    def text(self, key: str, *, required: bool = True) -> str:
        value = self._typed(key, str, required)
        if value is None:
            return ""
        if required and not value.strip():
            self.fault(key, "está vazio")
        return str(value).strip()

    def article(self, *, required: bool = True) -> str:
        """The legal support. A rule of the house: nothing of the law enters without its article."""
        if required and not self.has("artigo"):
            self._read.add("artigo")
            self.fault("artigo", "falta o artigo que fundamenta")
            return ""
        return self.text("artigo", required=required)

    def integer(self, key: str, *, required: bool = True) -> int | None:
        value = self._typed(key, int, required)
        return None if value is None else int(value)

    def flag(self, key: str) -> bool:
        return bool(self._typed(key, bool, required=False))

    def day(self, key: str) -> date:
        value = self._typed(key, date, required=True)
        return value if isinstance(value, date) else date.min

    def texts(self, key: str, *, required: bool = True) -> tuple[str, ...]:
        """A list of texts, each once."""
        values = self._typed(key, list, required) or []
        if not all(isinstance(value, str) and value for value in values):
            self.fault(key, "deve ser uma lista de textos")
            return ()
        if len(set(values)) != len(values):
            self.fault(key, "tem item repetido")
        return tuple(values)

    def labels(self, key: str, *, required: bool = True) -> dict[str, str]:
        """A table of texts."""
        values = self._typed(key, dict, required) or {}
        if not all(isinstance(value, str) and value for value in values.values()):
            self.fault(key, "deve ser uma tabela de textos")
            return {}
        return dict(values)

    def section(self, key: str) -> Section:
        """A table that must be there."""
        values = self._typed(key, dict, required=True) or {}
        return Section(values, self.file, ".".join(filter(None, (self.path, key))), self.faults)

    def sections(self, key: str, *, required: bool = False) -> Iterator[Section]:
        """The tables of a list of tables."""
        for number, values in enumerate(self._typed(key, list, required) or [], start=1):
            yield Section(values, self.file, f"{self.path}.{key}[{number}]", self.faults)

    def keyed(self, key: str) -> Iterator[tuple[str, Section]]:
        """The named tables of a table, such as every `[papeis.<key>]`."""
        path = ".".join(filter(None, (self.path, key)))
        for name, values in (self._typed(key, dict, required=False) or {}).items():
            section = Section(values, self.file, f"{path}.{name[:LONGEST]}", self.faults)
            if not _KEY.fullmatch(name) or len(name) > LONGEST:
                section.fault(
                    "", "a chave só pode ter letras sem acento, algarismos, ponto, hífen e sublinhado"
                )
            yield name, section

    def rest(self) -> dict[str, Json]:
        """What nobody has read: free settings."""
        unread = {key: value for key, value in self._values.items() if key not in self._read}
        self._read |= set(unread)
        return unread

    def finish(self) -> None:
        """A key that nobody reads is a misspelled key."""
        for key in self.rest():
            self.fault(key, "chave desconhecida")

    def _typed(self, key: str, kind: type, required: bool) -> Json:
        self._read.add(key)
        if key not in self._values:
            if required:
                self.fault(key, "falta")
            return None
        value = self._values[key]
        # TOML's true is a Python int and its datetime a date: neither is what the norm means.
        confused = (kind is int and isinstance(value, bool)) or (kind is date and isinstance(value, datetime))
        if not isinstance(value, kind) or confused:
            self.fault(key, f"deve ser {_NAMES[kind]}")
            return None
        return value
