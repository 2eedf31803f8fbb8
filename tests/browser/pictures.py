"""Takes the pictures of the README: `make screenshots`. A demo on a fixed day, a real Chromium, PNG files in docs/img.

The same day and the same stories every time, so that a picture changes only when a page does.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import typst
from playwright.sync_api import Browser

from app.documents import pdf_of
from app.documents.printing import typeset
from app.settings import ROOT
from tests.browser.site import MISSING, chromium_here, launched, load_demo, serving
from tests.browser.stage import printed
from tests.browser.visit import Served, Visit

IMAGES = ROOT / "docs" / "img"
SIZE = {"width": 1280, "height": 1080}


def places(served: Served) -> dict[str, tuple[str, str]]:
    """Picture -> who looks, and where."""
    case = f"/processos/{served.case('EM_CONTRARRAZOES')}"
    return {
        "caixa": ("presidente", "/caixa"),
        "tarefa": ("secretario", served.task("decidir_ultima")),
        "processo": ("auditor", case),
        "historico": ("auditor", f"{case}/historico/9"),
        "situacao": ("gestor", "/situacao"),
        "relogio": ("gestor", "/relogio"),
    }


def photograph(chromium: Browser, served: Served) -> None:
    visit = Visit.begin(chromium, served, script=True)
    for picture, (login, where) in places(served).items():
        visit.enter(login)
        visit.page.set_viewport_size(SIZE)  # type: ignore[arg-type]
        visit.page.goto(where)
        visit.page.wait_for_load_state("networkidle")
        visit.page.screenshot(path=IMAGES / f"{picture}.png")
    visit.leave()


def show_paper(served: Served, folder: Path) -> None:
    """The first page of a decision, as the press prints it."""
    with served.store.read() as reader:
        pdf = pdf_of(reader, str(served.paper("decisao_comissao")["id"]))
    assert pdf is not None
    (folder / "paper.pdf").write_bytes(pdf)
    source = folder / "paper.typ"
    source.write_text(
        '#set page(width: 21cm, height: 29.7cm, margin: 0pt)\n#image("paper.pdf", width: 100%)\n'
    )
    typst.compile(source, output=IMAGES / "documento.png", format="png", ppi=80)


def main() -> None:
    program = chromium_here()
    if program is None:
        raise SystemExit(MISSING)
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        demo, folder = Path(made) / "demo.db", Path(made)
        load_demo(demo)
        with serving(demo, folder) as served, launched(program) as chromium:
            printed(served, setter=typeset)
            photograph(chromium, served)
            show_paper(served, folder)


if __name__ == "__main__":
    main()
