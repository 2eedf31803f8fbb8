"""A person at a browser that talks to a real server: keeps the session, sends what a page's form holds."""

from __future__ import annotations

import re
import socket
from dataclasses import dataclass, field
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlencode

_TOKEN = re.compile(r'name="csrf_token" value="([^"]+)"')


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class Visitor:
    """One browser. Not for two threads at once."""

    port: int
    cookies: dict[str, str] = field(default_factory=dict)
    token: dict[str, str] = field(default_factory=dict)  # what makes a form one of this session's pages

    def get(self, path: str) -> str:
        status, body = self._ask("GET", path)
        assert status == 200, (path, status)
        return body

    def post(self, path: str, fields: dict[str, str]) -> int:
        return self._ask("POST", path, fields)[0]

    def enter(self, person_id: str) -> None:
        self._take_token()
        assert self.post("/entrar", {**self.token, "pessoa": person_id}) in (302, 303)
        self._take_token()

    def _take_token(self) -> None:
        found = _TOKEN.search(self.get("/entrar"))
        assert found
        self.token = {"csrf_token": found[1]}

    def _ask(self, method: str, path: str, fields: dict[str, str] | None = None) -> tuple[int, str]:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        if fields is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        try:
            connection.request(method, path, urlencode(fields) if fields is not None else None, headers)
            answer: Any = connection.getresponse()
            for cookie in answer.headers.get_all("Set-Cookie") or ():
                name, _, value = cookie.partition(";")[0].partition("=")
                self.cookies[name] = value
            return int(answer.status), answer.read().decode()
        finally:
            connection.close()
