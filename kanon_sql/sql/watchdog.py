"""A thread of the command that answers signals where the main thread cannot.

Python runs handlers in the main thread, between two steps of its own: not while native code binds a statement, solves
a program, reads a workbook or closes a database. The interpreter writes the number of a signal into a pipe at once; the
thread that reads it interrupts the engine until the main thread has come to its handler, and ends the process where
that has not ended by itself soon after.
"""

from __future__ import annotations

import os
import signal
import threading
import time

from kanon_sql.sql import signals

PATIENCE = 1.0  # seconds from a signal that gives up to the end of the process, at the latest
_LOOK = 0.05
_NAME = "kanon-sql signals"


def start() -> None:
    """Begins to watch; for a process that is the command's own."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(reading,), name=_NAME, daemon=True).start()


def alone() -> bool:
    """Whether the process has no other threads than the main one and this one."""
    return all(one is threading.main_thread() or one.name == _NAME for one in threading.enumerate())


def _watch(reading: int) -> None:
    while number := os.read(reading, 1):
        if signals.gives_up(number[0]):
            _press()


def _press() -> None:
    """Interrupts, then ends the process."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        signals.press()
        time.sleep(_LOOK)
    signals.end_process()
