"""What a person does in front of the site, in words of the site."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

from axe_playwright_python.base import AXE_SCRIPT
from flask import Flask
from playwright.sync_api import Browser, Page
from sqlalchemy import select

from app.clock import FixedClock
from app.store import Row, Store
from app.store.cases_tables import cases, document, work_item
from app.store.registry_tables import person

ZONE = ZoneInfo("America/Bahia")
_DRAWN = """() => !window.TramitaDiagram || [...document.querySelectorAll("[data-diagram]")].every(
    (e) => e.querySelector(".djs-container") || document.querySelector(".diagram-failed"))"""


@dataclass
class Served:
    """A running site: its address, and the store, clock and application behind it. `cases`: numbers of those staged."""

    url: str
    store: Store
    clock: FixedClock
    app: Flask
    cases: dict[str, str] = field(default_factory=dict)

    def first(self, query: Any) -> Row:
        with self.store.read() as reader:
            row = reader.first(query)
        assert row is not None
        return row

    def person(self, login: str) -> Row:
        return self.first(select(person).where(person.c.login == login))

    def case(self, status: str) -> str:
        """Number of the oldest case in a state."""
        query = select(cases.c.number).where(cases.c.status == status).order_by(cases.c.number)
        return str(self.first(query)["number"])

    def row(self, number: str) -> Row:
        return self.first(select(cases).where(cases.c.number == number))

    def task(self, element: str, status: str = "open") -> str:
        """Address of the oldest task of an element."""
        query = select(work_item.c.id).where(work_item.c.element == element, work_item.c.status == status)
        return f"/tarefas/{self.first(query.order_by(work_item.c.opened_at))['id']}"

    def paper(self, kind: str, number: str = "") -> Row:
        """The oldest document of a kind, of a case if one is named."""
        query = select(document).join(cases, cases.c.id == document.c.case_id).where(document.c.kind == kind)
        return self.first(
            (query.where(cases.c.number == number) if number else query).order_by(document.c.number)
        )

    def later(self, minutes: int = 10) -> None:
        self.clock.set(self.clock.now() + timedelta(minutes=minutes))


@dataclass
class Visit:
    """Somebody in front of the site. Every person has a window of their own, so that nobody takes another's session."""

    page: Page
    served: Served
    script: bool
    faults: list[str] = field(default_factory=list)
    zone: ZoneInfo = ZONE
    windows: dict[str, Page] = field(default_factory=dict)

    @classmethod
    def begin(cls, chromium: Browser, served: Served, *, script: bool) -> Visit:
        faults: list[str] = []
        return cls(window(chromium, served, script, faults), served, script, faults)

    def leave(self) -> None:
        for page in {self.page, *self.windows.values()}:
            page.context.close()

    def complaints(self) -> list[str]:
        """What the browser complained of; that a page was refused is no complaint."""
        return [told for told in self.faults if "status of 4" not in told and "status of 500" not in told]

    def enter(self, login: str) -> None:
        """Goes to the desk of a demo account: signs in there the first time, and finds its session afterwards."""
        known = self.windows.get(login)
        if known is not None:
            self.page = known
            self.page.goto("/caixa")
            return
        if self.windows:  # the first person takes the window that is there
            browser = self.page.context.browser
            assert browser is not None
            self.page = window(browser, self.served, self.script, self.faults)
        self.windows[login] = self.page
        self.page.goto("/entrar")
        self.page.locator("button.account", has_text=str(self.served.person(login)["name"])).click()
        self.page.wait_for_url("**/caixa")

    def open(self, path: str) -> None:
        """Goes to a page and waits until it stands as it will be read."""
        self.page.goto(path)
        self.settle()

    def settle(self) -> None:
        self.page.wait_for_load_state()
        if self.script and self.page.locator("[data-diagram]").count():
            self.page.wait_for_function(_DRAWN)

    def english(self) -> None:
        self.page.get_by_role("button", name="English").click()

    def follow(self, name: str) -> None:
        self.page.get_by_role("link", name=name).first.click()
        self.settle()

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).first.click()
        self.settle()

    def send(self, button: str = "main form[method=post] button") -> None:
        """Presses the button of a form, the first on the page unless another is named."""
        self.page.locator(button).first.click()
        self.settle()

    def text(self, where: str = "main") -> str:
        """What is written somewhere, with white space as it is read."""
        return " ".join(self.page.locator(where).first.inner_text().split())

    def choose(self, name: str, words: str) -> None:
        """The first option of a list whose text has these words."""
        option = self.page.locator(f"select[name='{name}'] option", has_text=words).first
        self.page.locator(f"select[name='{name}']").select_option(option.get_attribute("value") or "")

    def fill(self, **fields: str) -> None:
        """Types into fields by their names; options of a list by their value."""
        for name, value in fields.items():
            found = self.page.locator(f"[name='{name}']")
            kind = found.first.evaluate("e => e.tagName + ':' + (e.type || '')")
            if kind.startswith("SELECT"):
                found.first.select_option(value)
            elif kind.endswith(("radio", "checkbox")):
                self.page.locator(f"[name='{name}'][value='{value}']").check()
            else:
                found.first.fill(value)

    def forge(self, **fields: str) -> None:
        """Sets what a form carries along unseen, as a page does that was left open too long."""
        for name, value in fields.items():
            self.page.locator(f"input[name='{name}']").evaluate_all(
                "(inputs, value) => inputs.forEach((input) => (input.value = value))", value
            )


def window(chromium: Browser, served: Served, script: bool, faults: list[str]) -> Page:
    """A window with no session. What the browser complains of in it goes to `faults`."""
    context = chromium.new_context(
        base_url=served.url,
        locale="pt-BR",
        timezone_id="America/Bahia",
        java_script_enabled=script,
        viewport={"width": 1280, "height": 900},
    )
    context.set_default_timeout(15_000)
    page = context.new_page()
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda told: told.type == "error" and faults.append(told.text))
    return page


@dataclass
class Crowd:
    """Everybody who looks at one site, each in a window of their own for each language, with scripts and without.

    Who has no login has not signed in.
    """

    chromium: Browser
    served: Served
    windows: dict[tuple[str, str, bool], Visit] = field(default_factory=dict)

    def of(self, login: str, language: str = "pt-BR", *, script: bool = True) -> Visit:
        visit = self.windows.get((login, language, script)) or self._come(login, language, script)
        visit.faults.clear()
        visit.page.unroute_all()
        visit.page.set_viewport_size({"width": 1280, "height": 900})
        visit.page.emulate_media(media="screen")
        return visit

    def _come(self, login: str, language: str, script: bool) -> Visit:
        visit = self.windows[login, language, script] = Visit.begin(self.chromium, self.served, script=script)
        visit.page.context.add_init_script(AXE_SCRIPT)  # sent once, not with every page
        visit.page.goto("/conferir")
        if login:
            visit.enter(login)
        if language == "en":
            visit.english()
        return visit

    def leave(self) -> None:
        for visit in self.windows.values():
            visit.leave()
