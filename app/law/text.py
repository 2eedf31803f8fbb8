"""The law's own text by articles, and which of its places a citation means.

Pure and lenient: a line that is neither heading nor article stays a line. What cannot be right (an article twice, or
left out) is told with its line; whether citations lead anywhere is checked in `content/citations.py`.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from typing import Any

MOST = 1000  # articles of one range: "Arts. 1 a 9999999" must not keep anybody waiting

_ARTICLE = re.compile(r"(Art\. ?(\d{1,4})[ºo°]?(?:-([A-Z])(?!\w))?)(?=[\s.–—-]|$)\s*(.*)")
_HEADING = re.compile(
    r"((LIVRO|TÍTULO|CAPÍTULO|SEÇÃO|SUBSEÇÃO|ANEXO|GRUPO) (\[?[IVXLC\d]+\]?))(?: [-–—] (.+))?", re.I
)
_LEVELS = {"SEÇÃO": 3, "GRUPO": 3, "SUBSEÇÃO": 4}  # all others are 2: the page's own title is above them
_KINDS = (
    ("paragraph", re.compile(r"Parágrafo\b|§", re.I)),
    ("item", re.compile(r"\[?[IVXLC]+\]? ?[-–—]|\[[IVXLC]+ [-–—]")),
    ("letter", re.compile(r"[a-z] ?\)")),
)


@dataclass(frozen=True)
class Line:
    """A line of the text; `kind` is `paragraph`, `item`, `letter` or, for all else, `text`."""

    kind: str
    text: str


@dataclass(frozen=True)
class Article:
    """An article: `label` as the text writes it (`Art. 5`), then its lines; the first one goes on after the label."""

    number: str
    label: str
    lines: tuple[Line, ...]

    @property
    def anchor(self) -> str:
        return f"art-{self.number.lower()}"


@dataclass(frozen=True)
class Heading:
    """A chapter, section, annex or group; `level` as in HTML, from 2."""

    level: int
    label: str
    title: str
    anchor: str


@dataclass(frozen=True)
class Passage:
    """Lines that belong to no article: what stands before the first, between headings, after the last."""

    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Rows:
    """A table of the text, its lines written `cell | cell`; the first one heads it."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Block = Article | Heading | Passage | Rows


@dataclass(frozen=True)
class LawText:
    """The whole text in its order. `preface`: what whoever transcribed it says of it."""

    preface: tuple[str, ...]
    blocks: tuple[Block, ...]

    @cached_property
    def articles(self) -> dict[str, Article]:
        return {block.number: block for block in self.blocks if isinstance(block, Article)}

    @cached_property
    def headings(self) -> tuple[Heading, ...]:
        return tuple(block for block in self.blocks if isinstance(block, Heading))

    @cached_property
    def anchors(self) -> frozenset[str]:
        return frozenset(block.anchor for block in self.blocks if isinstance(block, Article | Heading))

    def missing(self, citation: str) -> list[str]:
        """Places that a citation names and the text does not have, as people read them."""
        found = list(mentions(citation))
        absent = [f"Art. {n}" for m in found for n in m.numbers if n not in self.articles]
        return absent + [m.words for m in found if not m.numbers and m.anchor not in self.anchors]


# ------------------------------------------------------------------------------------------------ citations


@dataclass(frozen=True)
class Mention:
    """A place that a citation names: where it stands in the citation, its anchor and the articles it covers."""

    start: int
    end: int
    words: str
    anchor: str
    numbers: tuple[str, ...] = ()


_OPENING = re.compile(r"\bArt(s?)\.\s*(?=\d)")
_NUMBER = re.compile(r"(\d{1,4})[ºo°]?(?:-([A-Z])(?!\w))?(?![\d\w])")
_BETWEEN = re.compile(r", (?:e |ou )?| e | ou ")
_UP_TO = re.compile(r" a (?=\d)")
_ROMAN = r"[IVXLC]+(?!\w)"
_LETTER = r"[a-z](?=,|;|\.|\)| e | a | \(|$)"
_DETAIL = re.compile(
    rf"(?:, (?:e )?| e )(?:§§ ?\d+[ºo°]?(?:(?:, | e | a )\d+[ºo°])*|§ ?\d+[ºo°]?|parágrafo único|caput)"
    rf"|, {_ROMAN}(?: (?:e|a) {_ROMAN})*|, {_LETTER}(?: (?:e|a) {_LETTER})*"
)
_ANNEX = re.compile(r"\bAnexo ([IVXLC]+|\d+)(?!\w)(?:, Grupo ([IVXLC]+|\d+)(?!\w))?")


def cited(citation: str) -> tuple[str, ...]:
    """The numbers of the articles that a citation means, each once: `Arts. 108 e 126, § 1º` means 108 and 126.

    `Art.` with a capital is the norm's own law; articles of another one are written small (`Constituição, art. 5º`).
    """
    return tuple(dict.fromkeys(number for mention in mentions(citation) for number in mention.numbers))


def mentions(citation: str) -> Iterator[Mention]:
    """Every place of the law that a text names, in the order of the text."""
    found = [m for opening in _OPENING.finditer(citation) for m in _articles(citation, opening)]
    for annex in _ANNEX.finditer(citation):
        anchor = f"anexo-{annex[1].lower()}" + (f"-grupo-{annex[2].lower()}" if annex[2] else "")
        found.append(Mention(*annex.span(), annex[0], anchor))
    yield from sorted(found, key=lambda m: m.start)


def _articles(citation: str, opening: re.Match[str]) -> Iterator[Mention]:
    """The articles after one `Art.` or `Arts.`, each with its paragraphs and items."""
    number = _NUMBER.match(citation, opening.end())
    start, last = (opening.end() if opening[1] else opening.start()), ""
    while number:
        here, end = _name(number), number.end()
        while detail := _DETAIL.match(citation, end):
            end = detail.end()
        covered = _range(last, here) if last else (here,)
        yield Mention(start, end, citation[start:end], f"art-{here.lower()}", covered)
        up_to = _UP_TO.match(citation, end)
        link = up_to or _BETWEEN.match(citation, end)
        number = _NUMBER.match(citation, link.end()) if link else None
        start, last = (link.end() if link else end), (here if up_to else "")


def _name(number: re.Match[str]) -> str:
    return f"{int(number[1])}" + (f"-{number[2]}" if number[2] else "")


def _range(first: str, last: str) -> tuple[str, ...]:
    """The articles after `first` up to `last`."""
    low, high = _order(first)[0], _order(last)[0]
    between = range(low + 1, high) if high - low <= MOST else range(0)
    return (*map(str, between), last)


def _order(number: str) -> tuple[int, str]:
    whole, _, suffix = number.partition("-")
    return int(whole), suffix


# ------------------------------------------------------------------------------------------------ reading

Make = Callable[[tuple[Any, ...]], Block]


@dataclass
class _Reader:
    """Blocks as they grow: what each will be, and its lines so far. `open`: what the last one is, if it still grows."""

    skipped: frozenset[str]
    parts: list[tuple[Make, list[Any]]] = field(default_factory=list)
    open: str = ""
    faults: list[tuple[int, str]] = field(default_factory=list)
    outer: list[Heading] = field(default_factory=list)
    anchors: Counter[str] = field(default_factory=Counter)
    numbers: dict[str, None] = field(default_factory=dict)

    def grow(self, what: str, make: Make, *lines: Any) -> None:
        self.parts.append((make, list(lines)))
        self.open = what


def parse(text: str, skipped: Collection[str] = ()) -> tuple[LawText, list[tuple[int, str]]]:
    """The text and what is wrong with it, by line.

    Lines that begin with `#` are the preface. A blank line ends what stands before it, except that paragraphs and items
    go on with their article; a heading has its title beside it or on the next line. `skipped`: numbers that the law
    itself leaves out.
    """
    reader, lines = _Reader(frozenset(skipped)), text.split("\n")
    preface = tuple(line.lstrip("# ").rstrip() for line in lines if line.startswith("#"))
    numbered = [(n, line.strip()) for n, line in enumerate(lines, 1) if not line.startswith("#")]
    for blank, group in groupby(numbered, key=lambda one: not one[1]):
        if not blank:
            _block(reader, list(group))
    if not reader.numbers:
        reader.faults.append((1, "o texto não tem artigo: cada um começa uma linha, com Art. e o número"))
    return LawText(preface, tuple(make(tuple(told)) for make, told in reader.parts)), reader.faults


def _block(reader: _Reader, lines: list[tuple[int, str]]) -> None:
    """Lines without a blank between them."""
    if reader.open != "article" or _kind(lines[0][1]) == "text":
        reader.open = ""
    if found := _HEADING.fullmatch(lines[0][1]):
        second = lines[1][1] if len(lines) > 1 and not found[4] else ""
        title = "" if " | " in second or second.startswith("Art.") else second
        _heading(reader, found, title or found[4] or "")
        lines = lines[2 if title else 1 :]
    for number, line in lines:
        if line.startswith("Art."):
            _article(reader, number, line)
        elif " | " in line:
            if reader.open != "rows":
                reader.grow("rows", lambda rows: Rows(rows[0], rows[1:]))
            reader.parts[-1][1].append(tuple(cell.strip() for cell in line.split(" | ")))
        else:
            if reader.open not in ("article", "passage"):
                reader.grow("passage", Passage)
            reader.parts[-1][1].append(Line(_kind(line), line))


def _heading(reader: _Reader, found: re.Match[str], title: str) -> None:
    level = _LEVELS.get(found[2].upper(), 2)
    reader.outer = [outer for outer in reader.outer if outer.level < level]
    anchor = "-".join([*(outer.anchor for outer in reader.outer[-1:]), _slug(found[1])])
    reader.anchors[anchor] += 1
    if (times := reader.anchors[anchor]) > 1:
        anchor = f"{anchor}--{times}"
    heading = Heading(level, found[1], title, anchor)
    reader.outer.append(heading)
    reader.grow("", lambda _: heading)


def _article(reader: _Reader, line: int, text: str) -> None:
    found = _ARTICLE.fullmatch(text)
    if found is None:
        reader.faults.append((line, f"o número do artigo não se lê: {text[:40]}"))
        reader.grow("passage", Passage, Line("text", text))
        return
    number, label = f"{int(found[2])}" + (f"-{found[3]}" if found[3] else ""), found[1]
    if number in reader.numbers:
        reader.faults.append((line, f"o Art. {number} já está no texto"))
    else:
        last = next(reversed(reader.numbers), "")
        reader.faults += [(line, told) for told in _gap(last, number, reader.skipped)]
    reader.numbers[number] = None
    reader.grow("article", lambda lines: Article(number, label, lines), Line("text", found[4]))


def _gap(last: str, number: str, skipped: frozenset[str]) -> Iterator[str]:
    """What is wrong with an article's place: another is missing before it, or it comes too late."""
    (before, after), (whole, suffix) = _order(last or "0"), _order(number)
    if (whole, suffix) < (before, after):
        yield f"o Art. {number} vem depois do Art. {last}"
    for absent in range(before + 1, min(whole + bool(suffix), before + MOST)):
        if str(absent) not in skipped:
            yield f"falta o Art. {absent} antes do Art. {number}"


def _kind(line: str) -> str:
    return next((kind for kind, pattern in _KINDS if pattern.match(line)), "text")


def _slug(label: str) -> str:
    plain = unicodedata.normalize("NFD", label).encode("ascii", "ignore").decode().lower()
    return "-".join(re.findall(r"[a-z0-9]+", plain))
