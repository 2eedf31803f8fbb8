"""Whether what sets a document on paper is there and stays at home: its template and the crest.

That a template compiles is seen where papers are set; here nothing runs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from app.law.content.raw import read_text
from app.law.content.sections import Section

CREST = "brasao.svg"
LARGEST_CREST = 200_000  # bytes; it goes into every paper

_PACKAGE = re.compile(r"[\"']@")  # `@preview/…`: typst would fetch it from the network
_NAME = re.compile(r"[a-z][a-z0-9_]{0,59}")


def check_papers(files: Mapping[str, bytes], folder: str, template: str, section: Section) -> None:
    """Adds what is wrong with a document's template and with the crest to the faults of its section."""
    if not _NAME.fullmatch(template):
        section.fault("modelo", f"{template!r} não é nome de modelo: use letras minúsculas e sublinhado")
        return
    path, crest = f"{folder}{template}.typ", files.get(folder + CREST, b"")
    if path not in files:
        section.fault("modelo", f"o modelo {path} não existe")
    else:
        text = read_text(files[path], path, section.faults) or ""
        if _PACKAGE.search(text):
            section.fault("modelo", f"{path} pede um pacote (@…): o modelo tem de ser inteiro")
    if not crest:
        section.fault("", f"falta o brasão, {folder}{CREST}")
    elif b"<svg" not in crest or len(crest) > LARGEST_CREST or _is_not_text(crest):
        section.fault("", f"{folder}{CREST} não é um SVG de até {LARGEST_CREST // 1000} kB")


def _is_not_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return True
    return False
