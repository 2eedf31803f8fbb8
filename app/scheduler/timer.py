"""APScheduler, kept to what it is good for: calling back in time. It holds no deadline and decides nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from apscheduler.executors.base import BaseExecutor, run_job
from apscheduler.schedulers import SchedulerNotRunningError
from apscheduler.schedulers.background import BackgroundScheduler


class Timer:
    """Calls `call` first at `first`, then every few seconds, and at one instant more that may be moved."""

    def __init__(self, call: Callable[[], None], seconds: int, first: datetime) -> None:
        self._call = call
        self._scheduler = BackgroundScheduler(
            timezone=UTC,
            executors={"default": _Daemons()},
            # Two: while one call works, the next comes, finds it at work and leaves.
            job_defaults={"coalesce": True, "max_instances": 2, "misfire_grace_time": None},
        )
        self._scheduler.add_job(call, "interval", seconds=seconds, id="sweep", next_run_time=first)

    @property
    def running(self) -> bool:
        return bool(self._scheduler.running)

    @property
    def calls(self) -> set[str]:
        """Which calls are to come: `sweep`, and `wake` when one is arranged."""
        return {job.id for job in self._scheduler.get_jobs()}

    def start(self) -> None:
        self._scheduler.start()

    def wake(self, at: datetime) -> None:
        """Arranges the call at one instant, in place of the one arranged before."""
        self._scheduler.add_job(self._call, "date", run_date=at, id="wake", replace_existing=True)

    def stop(self) -> None:
        """No more calls; one that is under way is not waited for."""
        with suppress(SchedulerNotRunningError):
            self._scheduler.shutdown(wait=False)


class _Daemons(BaseExecutor):  # type: ignore[misc]
    """A thread of its own per call. A process does not end before the threads of a pool do: one call that hangs
    would keep it from ever ending."""

    def _do_submit_job(self, job: Any, run_times: list[datetime]) -> None:
        threading.Thread(target=self._run, args=(job, run_times), name="tramita-beat", daemon=True).start()

    def _run(self, job: Any, run_times: list[datetime]) -> None:
        self._run_job_success(job.id, run_job(job, "default", run_times, self._logger.name))
