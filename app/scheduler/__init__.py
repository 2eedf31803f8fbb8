"""Drives the heart by the clock: wakes, sweeps what is due, sleeps. A timer beats; the rows decide.

A deadline is an indexed row claimed under its case's lock, so a sweep may run late, twice or in several processes
and each deadline is still decided once, never before its instant. No rule about a case lives here.
The press of documents and the mail run beside it and share nothing with it but the database.
"""

from app.scheduler.mail_room import MailRoom
from app.scheduler.pacemaker import STALE_SECONDS, Pacemaker
from app.scheduler.press_room import PressRoom
from app.scheduler.skew import Clocks
from app.scheduler.sweeping import SWEEP_SECONDS, Swept, due_ids, next_end, sweep, wake_at

__all__ = [
    "STALE_SECONDS",
    "SWEEP_SECONDS",
    "Clocks",
    "MailRoom",
    "Pacemaker",
    "PressRoom",
    "Swept",
    "due_ids",
    "next_end",
    "sweep",
    "wake_at",
]
