"""Text that people typed, made fit for a paper: what can be shown stays, what cannot is marked; none stops the press.

Says nothing of what the text means, and changes no stored text.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from app.documents.glyphs import MARKS, MISSING, SHOWN

LONGEST_RUN = 80  # letters without a space; a break may follow, or setting one endless word takes a minute
MOST_MARKS = 2  # combining marks on one letter
_BREAK = "\u200b"  # a place to break a line that shows nothing
_LINES = str.maketrans({"\r": "\n", "\u0085": "\n", "\u2028": "\n", "\u2029": "\n", "\v": "\n", "\f": "\n"})
_BLANK = re.compile(r" *\n *")
_GAPS = re.compile(r"\n{3,}")
_SPACES = re.compile(r" {2,}")


@dataclass
class Printable:
    """Cleans texts one after the other. `replaced` says whether one of them lost a character that has no glyph."""

    replaced: bool = False
    _run: int = 0
    _marks: int = MOST_MARKS

    def __call__(self, text: str) -> str:
        """The text in NFC without control, format and direction characters, with breaks in what has no spaces."""
        self._run, self._marks = 0, MOST_MARKS
        plain = unicodedata.normalize("NFC", text.replace("\r\n", "\n").translate(_LINES))
        shown = "".join(map(self._shown, plain))
        return _GAPS.sub("\n\n", _BLANK.sub("\n", _SPACES.sub(" ", shown))).strip()

    def _shown(self, char: str) -> str:
        kind = unicodedata.category(char)
        if char in "\n\t" or kind[0] == "Z":
            self._run, self._marks = 0, MOST_MARKS  # nothing for a mark to go on
            return "\n" if char == "\n" else " "
        if kind in ("Cc", "Cf"):
            return ""
        if kind[0] == "M":
            return self._mark(char)
        self._run, self._marks = self._run + 1, 0
        gap = ""
        if self._run > LONGEST_RUN:
            gap, self._run = _BREAK, 1
        if char in SHOWN:
            return gap + char
        self.replaced, self._marks = True, MOST_MARKS
        return gap + MISSING

    def _mark(self, char: str) -> str:
        if self._marks >= MOST_MARKS or ord(char) not in MARKS:
            self.replaced = True
            return ""
        self._marks += 1
        return char
