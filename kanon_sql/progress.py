"""Progress of long work, shown on standard error where that is a terminal, or in the cell of a notebook."""

from __future__ import annotations

import contextvars
import html
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from kanon_sql.errors import escape


class Progress:
    """Shows nothing: the base, and what pipelines and --quiet use."""

    @contextmanager
    def step(self, what: str, ask: Callable[[], float] | None = None) -> Iterator[None]:
        """Announces a step; `ask` gives its progress in percent, below 0 when unknown."""
        yield

    def advance(self, steps: int = 1, what: str = "nodes checked") -> None:
        """So much more was done."""


def chosen(given: Progress | bool | None) -> Progress:
    """What a caller asked for: bars of its own, none, or where it says nothing bars in a notebook only."""
    if isinstance(given, Progress):
        return given
    if given is not False and _in_notebook():
        return NotebookProgress()
    return TerminalProgress() if given else Progress()


def _in_notebook() -> bool:
    """Whether a kernel of Jupyter runs this, which shows HTML."""
    shell = sys.modules.get("IPython")
    running = shell.get_ipython() if shell is not None else None
    return running is not None and getattr(running, "kernel", None) is not None


class NotebookProgress(Progress):
    """A bar for each step that takes longer than a moment, gone when the step ends."""

    _PATIENCE = 0.7  # seconds: short work leaves no trace

    def __init__(self) -> None:
        self._done = ""
        self._shown: Any = None  # one output of the cell, for all steps

    @contextmanager
    def step(self, what: str, ask: Callable[[], float] | None = None) -> Iterator[None]:
        self._done = ""
        stop = threading.Event()
        # The thread writes into the cell that the step is of.
        context = contextvars.copy_context()
        watcher = threading.Thread(target=context.run, args=(self._watch, what, ask, stop), daemon=True)
        watcher.start()
        try:
            yield
        finally:
            stop.set()
            watcher.join()

    def advance(self, steps: int = 1, what: str = "nodes checked") -> None:
        count = int(self._done.partition(" ")[0] or 0) + steps
        self._done = f"{count} {what}"

    def _watch(self, what: str, ask: Callable[[], float] | None, stop: threading.Event) -> None:
        if stop.wait(self._PATIENCE):
            return
        from IPython.display import HTML, display

        began = time.perf_counter() - self._PATIENCE
        self._shown = self._shown or display(HTML(""), display_id=True)
        while not stop.wait(0.4):
            self._shown.update(HTML(self._bar(what, ask, began)))
        self._shown.update(HTML(""))

    def _bar(self, what: str, ask: Callable[[], float] | None, began: float) -> str:
        percent = ask() if ask is not None else -1.0
        state = f"{percent:.0f} %" if percent >= 0 else self._done
        width = min(100.0, percent) if percent >= 0 else 100.0
        return (
            f'<div style="font-size:90%">{html.escape(escape(what))} '
            '<span style="display:inline-block;width:160px;height:.7em;background:rgba(128,128,128,.25)">'
            f'<span style="display:block;width:{width:.1f}%;height:100%;background:#4c8bd0;'
            f'opacity:{1 if percent >= 0 else 0.35}"></span></span> '
            f"{html.escape(state)} {time.perf_counter() - began:.0f} s</div>"
        )


class TerminalProgress(Progress):
    """A line with a bar for each step, gone when the step ends."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        self._bars = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.fields[count]}"),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task: int | None = None
        self._count = 0

    @contextmanager
    def step(self, what: str, ask: Callable[[], float] | None = None) -> Iterator[None]:
        self._count = 0
        stop = threading.Event()
        with self._bars:
            task = self._bars.add_task(escape(what), total=100 if ask else None, count="")
            self._task = int(task)
            watcher = threading.Thread(target=self._watch, args=(ask, stop), daemon=True)
            watcher.start()
            try:
                yield
            finally:
                stop.set()
                watcher.join()
                self._bars.remove_task(task)
                self._task = None

    def advance(self, steps: int = 1, what: str = "nodes checked") -> None:
        self._count += steps
        if self._task is not None:
            self._bars.update(self._task, count=f"{self._count} {what}")  # type: ignore[arg-type]

    def _watch(self, ask: Callable[[], float] | None, stop: threading.Event) -> None:
        while ask is not None and not stop.wait(0.2):
            percent = ask()
            if self._task is not None and percent >= 0:
                self._bars.update(self._task, completed=percent)  # type: ignore[arg-type]


class Stopwatch:
    """Seconds spent in named parts of a run."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._start = time.perf_counter()

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Adds the time of the block to the part."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start

    def report(self) -> dict[str, float]:
        """The seconds of each part, and those since the start as `total`."""
        seconds = {**self.seconds, "total": time.perf_counter() - self._start}
        return {name: round(value, 4) for name, value in seconds.items()}
