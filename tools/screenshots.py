"""Takes the pictures of the README: `make screenshots`. A demo on a fixed day, a real Chromium, PNG files in docs/img.

The same day and the same stories every time, so that a picture changes only when a page does.
"""

import os
import shutil
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import typst
from playwright.sync_api import Page, sync_playwright
from sqlalchemy import select
from werkzeug.serving import make_server

from app import create_app
from app.clock import DemoClock, FixedClock
from app.documents import pdf_of
from app.documents.press import Press
from app.registry import norms
from app.scenario.past import load_once
from app.settings import ROOT, Settings
from app.store import Store, connect
from app.store.cases_tables import cases, document, work_item
from app.store.migrate import migrate
from app.store.registry_tables import person

IMAGES = ROOT / "docs" / "img"
DAY = datetime(2026, 8, 18, 11, 0, tzinfo=ZoneInfo("America/Bahia"))  # a Tuesday with no holiday near
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
]
WIDTH, HEIGHT = 1280, 1080


@contextmanager
def demo(folder: Path) -> Iterator[tuple[str, Store]]:
    """A served demo with its past and its papers printed: address and store."""
    settings = Settings(data_dir=folder, database_url=f"sqlite:///{folder / 'tramita.db'}", demo=True)
    store = Store(connect(settings.database_url), DemoClock(base=FixedClock(DAY)))
    migrate(store.database)
    load_once(store, ROOT, "jequie")
    press = Press(store, norms.by_digest, "http://127.0.0.1:8000")
    while press.print_next():
        pass
    server = make_server("127.0.0.1", 0, create_app(settings, store), threaded=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", store
    server.shutdown()
    thread.join()
    store.database.close()


def told(store: Store, column, *wanted, order) -> str:
    with store.read() as reader:
        return str(reader.scalar(select(column).where(*wanted).order_by(order).limit(1)))


def places(store: Store) -> dict[str, tuple[str, str]]:
    """Picture -> who looks, and where."""
    case = told(store, cases.c.number, cases.c.status == "EM_CONTRARRAZOES", order=cases.c.number)
    ruling = told(
        store,
        work_item.c.id,
        work_item.c.act == "decidir_ultima",
        work_item.c.status == "open",
        order=work_item.c.id,
    )
    return {
        "caixa": ("presidente", "/caixa"),
        "tarefa": ("secretario", f"/tarefas/{ruling}"),
        "processo": ("auditor", f"/processos/{case}"),
        "historico": ("auditor", f"/processos/{case}/historico/9"),
        "situacao": ("gestor", "/situacao"),
        "relogio": ("gestor", "/relogio"),
    }


def enter(page: Page, name: str) -> None:
    page.goto("/entrar")
    page.locator("button.account", has_text=name).click()
    page.wait_for_url("**/caixa")


def photograph(address: str, store: Store) -> None:
    program = next((found for name in NAMES if (found := shutil.which(name))), None)
    if program is None:
        raise SystemExit("O Chromium não está instalado (no Debian: sudo apt install chromium).")
    spoken = {**os.environ, "LANGUAGE": "pt_BR", "LANG": "pt_BR.UTF-8"}
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=FLAGS, env=spoken)
        for picture, (login, where) in places(store).items():
            context = browser.new_context(
                base_url=address,
                locale="pt-BR",
                timezone_id="America/Bahia",
                viewport={"width": WIDTH, "height": HEIGHT},
            )
            page = context.new_page()
            enter(page, told(store, person.c.name, person.c.login == login, order=person.c.id))
            page.goto(where)
            page.wait_for_load_state("networkidle")
            page.screenshot(path=IMAGES / f"{picture}.png")
            context.close()
        browser.close()


def print_paper(store: Store, folder: Path) -> None:
    """The first page of a decision, as the press printed it."""
    with store.read() as reader:
        query = select(document.c.id).where(document.c.kind == "decisao_comissao").order_by(document.c.number)
        pdf = pdf_of(reader, str(reader.scalar(query.limit(1)))) or b""
    (folder / "paper.pdf").write_bytes(pdf)
    source = folder / "paper.typ"
    source.write_text(
        '#set page(width: 21cm, height: 29.7cm, margin: 0pt)\n#image("paper.pdf", width: 100%)\n'
    )
    typst.compile(source, output=IMAGES / "documento.png", format="png", ppi=80)


def main() -> None:
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made, demo(Path(made)) as (address, store):
        photograph(address, store)
        print_paper(store, Path(made))
    for image in sorted(IMAGES.glob("*.png")):
        print(f"{image.relative_to(ROOT)}  {image.stat().st_size // 1024} KiB")


if __name__ == "__main__":
    main()
