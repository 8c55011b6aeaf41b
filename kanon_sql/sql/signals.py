"""What SIGINT, SIGTERM and SIGHUP do: they end a run at once while nothing is changed, and wait from then on.

The engine looks for signals while a statement runs, but then waits for what its threads do, which may take minutes:
so a handler of ours interrupts the connections first. A run may ask that the first signal ends its search only, and
what the search has found by then is released.

In the command a thread (watchdog) sees each signal as well. What both of them, and `hold`, change is changed under a
lock: so the process never ends, and nothing is interrupted, once a release is being put in its place.

A thread of the command that answers signals where the main thread cannot.

Python runs handlers in the main thread, between two steps of its own: not while native code binds a statement, solves
a program, reads a workbook or closes a database. The interpreter writes the number of a signal into a pipe at once; the
thread that reads it interrupts the engine until the main thread has come to its handler, and ends the process where
that has not ended by itself soon after.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.machinery import ExtensionFileLoader
from types import FrameType
from typing import Any
from weakref import WeakSet

from kanon_sql.errors import InterruptedRunError

NOTHING_CHANGED = "interrupted: nothing was changed"
AFTER_RELEASE = "interrupted after the release was put in its place, where it is complete and verified"
RELEASING = "interrupted: releasing the best release so far; once more to give up"
PUTTING = "interrupted: the release is being put in its place"

_AGAIN = 0.02  # seconds until a signal that came at a bad moment comes again
_LOADING = ("create_module", "exec_module")
_NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_connections: WeakSet[Any] = WeakSet()
_lock = threading.RLock()
_cleanings: list[Callable[[], object]] = []


class _Run:
    """The run of this process on its main thread: how deep its blocks are, and the handlers that it replaced."""

    def __init__(self) -> None:
        self.depth = 0
        self.replaced: dict[int, Any] = {}
        self.waiting: list[int] | None = None  # signals that came since they must wait
        self.interrupted = False
        self.releases = False  # the first signal gives nothing up
        self.came = False  # a signal that gave nothing up
        self.seen = False  # that the thread has seen it
        self.held = False  # from the first `hold` on, for good
        self.told = False  # what happened is being said
        self.postponed = 0  # how deep the blocks are that are not interrupted
        self.late: int | None = None  # a signal that came in one of them


_run = _Run()


def install() -> None:
    """Handlers for the whole process, as the command does; signals that are ignored stay so (nohup)."""
    _run.interrupted = _run.held = _run.told = False
    _replace(_NUMBERS, _interrupt)


def telling() -> None:
    """From here on the process itself says how it ended."""
    with _lock:
        _run.told = True


def ignore() -> None:
    """For the very end of a process, which says what happened and cannot be ended better than by that."""
    _replace(_NUMBERS, signal.SIG_IGN)


def interrupted() -> bool:
    """Whether a signal has interrupted the process: what it then fails with may be called anything."""
    return _run.interrupted


def releasing() -> Callable[[], bool] | None:
    """From here to the end of the outermost block the first signal gives nothing up; the answer says whether it came.

    None where there are no signals: outside of a block, and in other threads than the main one.
    """
    ended = ending()
    _run.releases = _run.releases or ended is not None
    return ended


def release_nothing() -> None:
    """There is nothing to release: from here on a signal gives up at once."""
    if ending() is not None:
        _run.releases = False


def ending() -> Callable[[], bool] | None:
    """Asks whether a signal came that gave nothing up, so that work beside the release ends; None as of `releasing`."""
    if not _run.depth or threading.current_thread() is not threading.main_thread():
        return None
    return lambda: _run.came


def watch(connection: Any) -> None:
    """From now on a signal interrupts what this connection of the engine executes, as long as it exists."""
    with suppress(TypeError):  # not every stand-in for a connection can be watched
        _connections.add(connection)


@contextmanager
def cleared(clean: Callable[[], object]) -> Iterator[None]:
    """Where the process is ended in the block, `clean` removes what the block would remove at its end."""
    _cleanings.append(clean)
    try:
        yield
    finally:
        _cleanings.remove(clean)


def gives_up(number: int) -> bool:
    """Of a signal that the thread has seen: whether it gives up what runs."""
    with _lock:
        first, _run.seen = _run.releases and not _run.seen, True
        return number in _NUMBERS and not first and not _run.held


def press() -> None:
    """Interrupts what runs where the main thread has not come to its handler: it may wait for what does not look."""
    with _lock:
        if not (_run.interrupted or _run.held):
            _interrupt_all()


def end_process() -> None:
    """Ends the process, which was to end by itself, as if it had; not once a release is being put in its place."""
    with _lock:
        if _run.held:
            return
        for clean in reversed(_cleanings):
            with suppress(Exception):
                clean()
        if not _run.told:
            shown = "\x1b[?25h\r\x1b[K" if os.isatty(2) else ""  # bars hide the cursor
            with suppress(OSError):
                os.write(2, f"{shown}kanon-sql: error: {NOTHING_CHANGED}\n".encode())
        os._exit(InterruptedRunError.exit_status)


@contextmanager
def run_block() -> Iterator[None]:
    """A run, or a command around it: in it a signal interrupts the statement that runs.

    At the end of the outermost block the handlers are as they were, and signals that had to wait (see `hold`) come
    through: to a handler of the caller's own, else as InterruptedRunError. Only the main thread has signals.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    if not _run.depth and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        _run.replaced.update(_replace((signal.SIGINT,), _interrupt))
    _run.depth += 1
    ended_well = False
    try:
        yield
        ended_well = True
    finally:
        _run.depth -= 1
        if not _run.depth:
            _let_through(ended_well)


@contextmanager
def postponed() -> Iterator[None]:
    """A signal that comes in the block interrupts at its end: for what is short, and must be undone when it is done."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _run.postponed += 1
    try:
        yield
    finally:
        _run.postponed -= 1
        if _run.late is not None and not _run.postponed:
            late, _run.late = _run.late, None
            _interrupt(late, None)


def hold() -> None:
    """From here to the end of the outermost block signals wait: the release is put in its place now."""
    if not _run.depth or _run.waiting is not None or threading.current_thread() is not threading.main_thread():
        return
    with _lock:
        _run.waiting, _run.held = [], True
    for number, handler in _replace(_NUMBERS, _wait).items():
        _run.replaced.setdefault(number, handler)


def _let_through(ended_well: bool) -> None:
    came, _run.waiting = _run.waiting or [], None
    _run.releases = _run.came = _run.seen = False
    replaced, _run.replaced = _run.replaced, {}
    for number, handler in replaced.items():
        signal.signal(number, handler)
    ours = (_interrupt, signal.default_int_handler)
    for number in came:
        if replaced[number] not in ours:
            signal.raise_signal(number)
    if ended_well and any(replaced[number] in ours for number in came):
        raise InterruptedRunError(AFTER_RELEASE)


def _replace(numbers: tuple[signal.Signals, ...], handler: Any) -> dict[int, Any]:
    """Sets a handler for the signals that are not ignored; the handlers before."""
    before: dict[int, Any] = {number: signal.getsignal(number) for number in numbers}
    # None is a handler that was not set from Python, and could not be set again.
    kept = {number: old for number, old in before.items() if old not in (signal.SIG_IGN, None)}
    for number in kept:
        signal.signal(number, handler)
    return kept


def _interrupt(number: int, frame: FrameType | None) -> None:
    if _run.postponed:
        _run.late = number
        return
    if _goes_on(RELEASING):
        return
    if _loads_native_code(frame):
        again = threading.Timer(_AGAIN, os.kill, (os.getpid(), number))
        again.daemon = True
        again.start()
        return
    with _lock:
        _run.interrupted = True
        _interrupt_all()
    raise KeyboardInterrupt


def _loads_native_code(frame: FrameType | None) -> bool:
    """Whether an exception would be raised into the loading of native code, which aborts the process or swallows it."""
    while frame is not None:
        if frame.f_code.co_name in _LOADING and isinstance(frame.f_locals.get("self"), ExtensionFileLoader):
            return True
        frame = frame.f_back
    return False


def _interrupt_all() -> None:
    with suppress(RuntimeError):  # one is added meanwhile
        for connection in list(_connections):
            with suppress(Exception):  # one that is closed by now
                connection.interrupt()


def _wait(number: int, *_: Any) -> None:
    if _run.waiting is not None and not _goes_on(PUTTING):
        _run.came = True
        _run.waiting.append(number)


def _goes_on(telling: str) -> bool:
    """Whether this is the first signal of a run that then releases what it has."""
    if not _run.releases or _run.came:
        return False
    _run.came = True
    line = f"kanon-sql: {telling}\n"
    try:
        sys.stderr.write(line)
        sys.stderr.flush()
    except (RuntimeError, OSError, ValueError, AttributeError):  # a stream that is just written to, or that is gone
        with suppress(OSError):
            os.write(2, line.encode())
    return True


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
        if gives_up(number[0]):
            _press()


def _press() -> None:
    """Interrupts, then ends the process."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        press()
        time.sleep(_LOOK)
    end_process()
