"""A relay in a process of its own: sends one message, says so on its output and stays there until it is killed.

python -m tests.crash.relaying DATABASE_URL INSTANT SMTP_PORT
"""

from __future__ import annotations

import sys
import threading
from datetime import datetime

from app.clock import FixedClock
from app.outbox.post import Letter, Post
from app.outbox.relay import Relay
from app.store import Store, connect
from tests.outbox.mailbox import Mailbox


def main(url: str, instant: str, port: str) -> None:
    post = Post(Mailbox(port=int(port)).mail())

    def send_and_stay(letter: Letter) -> None:
        post.send(letter)
        print("sent", flush=True)
        threading.Event().wait()

    store = Store(connect(url), FixedClock(datetime.fromisoformat(instant)))
    Relay(store, send_and_stay, "https://tramita.example.org").send_next()


if __name__ == "__main__":
    main(*sys.argv[1:])
