"""A person at a browser, as far as a measure needs one: signs in, opens a task, sends its form, keeps the cookie."""

from __future__ import annotations

import http.client
from html.parser import HTMLParser
from urllib.parse import urlencode

from app.bench.town import ANSWERS
from app.clock import monotonic
from app.store import Row


class Client:
    """One connection that stays open, with one session."""

    def __init__(self, port: int, person_id: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self._cookies: dict[str, str] = {}
        told = _hidden(self.get("/entrar")[1])
        self.post("/entrar", {**told, "pessoa": person_id})

    def get(self, path: str) -> tuple[int, str]:
        return self._request("GET", path, None)

    def post(self, path: str, fields: dict[str, str]) -> tuple[int, str]:
        return self._request("POST", path, urlencode(fields))

    def complete(self, task: Row) -> float:
        """Opens a task and sends its form; the seconds that sending took. Raises when it is not accepted."""
        path = f"/tarefas/{task['id']}"
        told = _hidden(self.get(path)[1])
        began = monotonic()
        status, page = self.post(path, {**told, **ANSWERS})
        spent = monotonic() - began
        if status != http.client.SEE_OTHER:
            raise RuntimeError(f"a completion was answered with {status}: {page[:400]}")
        return spent

    def close(self) -> None:
        self._connection.close()

    def _request(self, method: str, path: str, body: str | None) -> tuple[int, str]:
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self._cookies.items())}
        if body is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        self._connection.request(method, path, body, headers)
        answer = self._connection.getresponse()
        for told in answer.headers.get_all("Set-Cookie") or ():
            name, _, value = told.partition(";")[0].partition("=")
            self._cookies[name] = value
        return answer.status, answer.read().decode()


class _Fields(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        if tag == "input" and told.get("type") == "hidden" and told.get("name"):
            self.found.setdefault(str(told["name"]), told.get("value") or "")


def _hidden(page: str) -> dict[str, str]:
    """The hidden fields of a page's forms; of two with one name, the first."""
    reader = _Fields()
    reader.feed(page)
    return reader.found
