"""What SIGINT, SIGTERM and SIGHUP do: they end a run at once while nothing is changed, and wait from then on.

DuckDB looks for signals while a statement runs, but then waits for its threads, which may take minutes: so our handler
interrupts the connections first. A run may arrange that the first signal only ends its search, and the best result so
far is released.

Python runs handlers in the main thread, between two of its own steps: not while native code binds a statement, solves a
program, reads a workbook or closes a database. So in the command a thread sees each signal as well: the interpreter
writes its number into a pipe at once, and the thread interrupts the engine until the main thread has come to its
handler, or ends the process where that has not ended by itself soon after. What both of them and `hold` change is
changed under a lock: once a release is being put in its place, the process never ends and nothing is interrupted.
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
_LOADING = ("create_module", "exec_module")  # functions of importlib that load native code
_NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_connections: WeakSet[Any] = WeakSet()
_lock = threading.RLock()
_cleanings: list[Callable[[], object]] = []
# Of the thread of the command.
PATIENCE = 1.0  # seconds from a signal that gives up to the end of the process, at the latest
_LOOK = 0.05
_NAME = "kanon-sql signals"


class _Run:
    """The run of this process on its main thread: how deep its blocks are, and the handlers that it replaced."""

    def __init__(self) -> None:
        self.depth = 0
        self.replaced: dict[int, Any] = {}
        self.waiting: list[int] | None = None  # signals that came after `hold`
        self.interrupted = False
        self.releases = False  # the first signal only ends the search
        self.came = False  # the first signal, which only ended the search
        self.seen = False  # the thread has seen it
        self.held = False  # from the first `hold` on, for good
        self.reports = False  # the process reports how it ended
        self.postponed = 0  # how deep the blocks are that are not interrupted
        self.late: int | None = None  # a signal that came in such a block


_run = _Run()


def install() -> None:
    """Handlers for the whole process, as the command does; signals that are ignored stay so (nohup)."""
    _run.interrupted = _run.held = _run.reports = False
    _replace(_NUMBERS, _interrupt)


def process_reports_itself() -> None:
    """From here on the process itself reports how it ended."""
    with _lock:
        _run.reports = True


def ignore() -> None:
    """For the very end of a process, when it reports what happened: signals change nothing any more."""
    _replace(_NUMBERS, signal.SIG_IGN)


def interrupted() -> bool:
    """Whether a signal has interrupted the process: the error that follows may be of any kind."""
    return _run.interrupted


def releasing() -> Callable[[], bool] | None:
    """From here to the end of the outermost block the first signal only ends the search.

    Gives a function that says whether it came; None where there are no signals: outside of a block, and in other
    threads than the main one.
    """
    ended = ending()
    _run.releases = _run.releases or ended is not None
    return ended


def release_nothing() -> None:
    """There is nothing to release: from here on the first signal gives up at once."""
    if ending() is not None:
        _run.releases = False


def ending() -> Callable[[], bool] | None:
    """A function that says whether the first signal came, so that optional work ends; None as in `releasing`."""
    if not _run.depth or threading.current_thread() is not threading.main_thread():
        return None
    return lambda: _run.came


def watch(connection: Any) -> None:
    """From now on a signal interrupts the statements of this connection, as long as it exists."""
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
    """Whether a signal that the thread has seen gives up the run."""
    with _lock:
        first, _run.seen = _run.releases and not _run.seen, True
        return number in _NUMBERS and not first and not _run.held


def press() -> None:
    """Interrupts the engine where the main thread has not come to its handler, as it may be in native code."""
    with _lock:
        if not (_run.interrupted or _run.held):
            _interrupt_all()


def end_process() -> None:
    """Ends the process as if by itself, unless a release is being put in its place."""
    with _lock:
        if _run.held:
            return
        for clean in reversed(_cleanings):
            with suppress(Exception):
                clean()
        if not _run.reports:
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
    """A signal that comes in the block interrupts at its end: for short work that must be undone once done."""
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
    """Sets a handler for the signals that are not ignored; gives the handlers before."""
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


def _goes_on(message: str) -> bool:
    """Whether this is the first signal of a run that goes on to release its best result; then reports it."""
    if not _run.releases or _run.came:
        return False
    _run.came = True
    line = f"kanon-sql: {message}\n"
    try:
        sys.stderr.write(line)
        sys.stderr.flush()
    except (RuntimeError, OSError, ValueError, AttributeError):  # a stream that is just written to, or that is gone
        with suppress(OSError):
            os.write(2, line.encode())
    return True


def start() -> None:
    """Starts the thread that watches for signals, in a process of the command's own."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(reading,), name=_NAME, daemon=True).start()


def alone() -> bool:
    """Whether the process has no threads besides the main one and that one."""
    return all(thread is threading.main_thread() or thread.name == _NAME for thread in threading.enumerate())


def _watch(reading: int) -> None:
    while number := os.read(reading, 1):
        if not gives_up(number[0]):
            continue
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            press()
            time.sleep(_LOOK)
        end_process()
