"""What a process sees that was started after the table of the town's time zone was changed under it.

    PYTHONTZPATH=folder python -m tests.races.zones URL

Sweeps a microsecond before the end of the only term there is, and at its end; says what it found, as JSON.
"""

from __future__ import annotations

import json
import sys
from datetime import timedelta

from app.clock import FixedClock
from app.scheduler import sweep
from app.store.cases_tables import deadline
from tests.crash.hamlet import OPENED, Hamlet


def main(url: str) -> None:
    clock = FixedClock(OPENED)
    hamlet = Hamlet.at(url, clock)
    (term,) = hamlet.rows(deadline)
    new = hamlet.opened()
    (counted_anew,) = hamlet.rows(deadline, case_id=new)
    clock.set(term["expires_at"] - timedelta(microseconds=1))
    before = sweep(hamlet.store).expired
    clock.set(term["expires_at"])
    at_its_end = sweep(hamlet.store).expired
    entry = hamlet.entries(term["case_id"])[-1]
    told = {
        "expires_at": term["expires_at"].isoformat(),
        "new_expires_at": counted_anew["expires_at"].isoformat(),
        "swept": [before, at_its_end],
        "act": entry.act,
        "legal_instant": entry.effective_at.isoformat(),
        "faults": hamlet.faults(),
    }
    hamlet.close()
    print(json.dumps(told))


if __name__ == "__main__":
    main(sys.argv[1])
