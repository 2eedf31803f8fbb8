"""What goes out by e-mail: written down by an act, carried out after its commit, at least once, recognisable if twice.

`queue` is for acts; `relay.py` takes what waits, one message at a time; `post.py` speaks with the mail server. A
message is committed with the act that queues it or not at all. What it says and to whom is decided above.
"""

from __future__ import annotations

import unicodedata

from app.store import Tx
from app.store.tables import message

_LONGEST_SUBJECT = 200


def queue(tx: Tx, person_id: str, subject: str, text: str, page: str = "") -> None:
    """Writes a message to a person down, to be sent to the address they have then.

    Args:
        subject: one line; whatever could end it or hide in it is left out.
        page: path within the site, such as `/caixa`, that the message ends with.
    """
    own_id = tx.new_id()
    tx.add(
        message,
        id=own_id,
        message_id=f"<{own_id}@tramita.mensagem>",
        person_id=person_id,
        subject=one_line(subject)[:_LONGEST_SUBJECT],
        text="\n".join(map(one_line, text.splitlines())),
        page=one_line(page),
        queued_at=tx.now,
        failures=0,
    )


def one_line(text: str) -> str:
    """Without line ends, control characters and half surrogate pairs; runs of blanks become one."""
    seen = " ".join(text.split())
    return "".join(c for c in seen if unicodedata.category(c) not in ("Cc", "Cf", "Cs"))
