"""What a person does in front of the site, in words of the site."""

from __future__ import annotations

from dataclasses import dataclass, field
from zoneinfo import ZoneInfo

from playwright.sync_api import Page
from sqlalchemy import select

from app.clock import FixedClock
from app.store import Row, Store
from app.store.cases_tables import cases, document, work_item

ZONE = ZoneInfo("America/Bahia")


@dataclass
class Served:
    """A running site: its address, and the store and clock behind it."""

    url: str
    store: Store
    clock: FixedClock

    def first(self, query: object) -> Row:
        with self.store.read() as reader:
            row = reader.first(query)  # type: ignore[arg-type]
        assert row is not None
        return row

    def person(self, login: str) -> Row:
        from app.store.registry_tables import person

        return self.first(select(person).where(person.c.login == login))

    def case(self, status: str) -> str:
        """Number of the oldest case in a state."""
        return str(
            self.first(select(cases.c.number).where(cases.c.status == status).order_by(cases.c.number))[
                "number"
            ]
        )

    def task(self, element: str) -> str:
        """Address of the oldest open task of an element."""
        query = select(work_item.c.id).where(work_item.c.element == element, work_item.c.status == "open")
        return f"/tarefas/{self.first(query.order_by(work_item.c.opened_at))['id']}"

    def paper(self, kind: str) -> str:
        query = select(document.c.id).where(document.c.kind == kind).order_by(document.c.number)
        return f"/documentos/{self.first(query)['id']}"


@dataclass
class Visit:
    """One person with one browser window."""

    page: Page
    served: Served
    script: bool
    faults: list[str] = field(default_factory=list)
    zone: ZoneInfo = ZONE

    def enter(self, login: str) -> None:
        """Signs in as a demo account, from wherever one is."""
        self.page.goto("/entrar")
        self.page.locator("button.account", has_text=str(self.served.person(login)["name"])).click()
        self.page.wait_for_url("**/caixa")

    def english(self) -> None:
        self.page.get_by_role("button", name="English").click()

    def follow(self, name: str) -> None:
        self.page.get_by_role("link", name=name).first.click()

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).first.click()

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
