"""Progress of long work, shown on standard error, and only where that is a terminal."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from kanon_sql.errors import escape


class Progress:
    """Shows nothing: the base, and what pipelines and --quiet use."""

    @contextmanager
    def step(self, what: str, ask: Callable[[], float] | None = None) -> Iterator[None]:
        """Announces a step; `ask` gives its progress in percent, below 0 when unknown."""
        yield

    def advance(self, steps: int = 1, what: str = "nodes checked") -> None:
        """So much more was done."""


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
