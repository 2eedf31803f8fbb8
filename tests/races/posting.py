"""A site over a town's database, and somebody who stops in the middle of an act until they are killed.

python -m tests.races.posting URL FOLDER PERSON CASE KEY
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from flask import Flask
from flask.testing import FlaskClient

from app import create_app
from app.clock import FixedClock
from app.settings import Settings
from app.store import Store, connect
from app.web.pages import folder as pages
from tests.cases.town import FOUNDED, local


def site(url: str, folder: Path, store: Store) -> Flask:
    return create_app(
        Settings(database_url=url, data_dir=folder, demo=True, secret_key="a key of the test"), store
    )


def entered(app: Flask, person: str) -> FlaskClient:
    app.config["WTF_CSRF_ENABLED"] = False  # tokens are tests/web's
    client = app.test_client()
    with client.session_transaction() as cookie:
        cookie["pessoa"] = person
    return client


def note(client: FlaskClient, number: str, key: str, words: str = "Liguei.") -> Any:
    return client.post(f"/processos/{number}/anotar", data={"texto": words, "_chave": key})


def stopping(*_: Any) -> None:
    """Everything is written and nothing committed."""
    print("inside", flush=True)
    sys.stdin.read()


def main() -> None:
    url, folder, person, number, key = sys.argv[1:]
    store = Store(connect(url), FixedClock(local(FOUNDED)))
    pages.lead = stopping  # type: ignore[assignment]
    note(entered(site(url, Path(folder), store), person), number, key)


if __name__ == "__main__":
    main()
