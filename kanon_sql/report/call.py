"""A call of a job: what it was given beside its subject, and what is true when it ends, in its error and its report."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from kanon_sql.config.load import LoadedConfig
from kanon_sql.errors import EngineError, InterruptedRunError, KanonError, ReleasedError, WarnedError
from kanon_sql.progress import Progress, Stopwatch, chosen
from kanon_sql.report.report import ReportDraft, write_json
from kanon_sql.sql import signals
from kanon_sql.sql.connection import EngineOptions

if TYPE_CHECKING:
    from kanon_sql.results.told import ToldReport

Written = TypeVar("Written", bound=Mapping[str, Any])
Describe = Callable[[], Mapping[str, Any]]  # makes the report of a job
ON_INTERRUPT = ("nothing", "release")  # what a run leaves that is interrupted during its search


@dataclass(frozen=True)
class Call:
    """Bounds of the engine, bars, a time limit, the report to write; `watch` runs from the call on.

    Of a run: whether `advice` is looked for, whether it is a `dry_run`, which writes nothing but what tells of it, the
    `page` to write, laid out for a `recipe` and with what `attack` reported, whether a signal during the search
    `releases` the best found so far, whether it is `strict`, so that a warning ends it before anything is written but
    the report, and the file or URL where the `lineage` is told.
    """

    options: EngineOptions = field(default_factory=EngineOptions)
    progress: Progress = field(default_factory=Progress)
    time_limit: float | None = None
    report: Path | None = None
    watch: Stopwatch = field(default_factory=Stopwatch)
    advice: bool = True
    dry_run: bool = False
    page: Path | None = None
    recipe: str | None = None
    attack: Path | None = None
    releases: bool = False
    strict: bool = False
    lineage: str | None = None

    @classmethod
    def of(
        cls,
        options: EngineOptions | None,
        progress: Progress | bool | None,
        time_limit: float | None = None,
        report: str | os.PathLike[str] | None = None,
    ) -> Call:
        """A call with what users give, or leave out."""
        path = None if report is None else Path(report)
        return cls(options or EngineOptions(), chosen(progress), time_limit, path)

    @contextmanager
    def step(self, part: str, what: str, ask: Callable[[], float] | None = None) -> Iterator[None]:
        """The block is a step that is announced, and timed as a part of the whole."""
        with self.watch.part(part), self.progress.step(what, ask):
            yield

    def write(self, data: Written) -> Written:
        """The data, written as the report where one was asked for. Raises EngineError."""
        if self.report is not None:
            write_json(self.report, data)
        return data


@contextmanager
def reporting(call: Call, loaded: LoadedConfig, draft: ReportDraft, describe: Describe) -> Iterator[None]:
    """The block is the job: its draft is completed and the report written, however it ends.

    `describe` makes the report of the draft. Raises what the block raises, ReleasedError for whatever fails once the
    release is in its place, and InterruptedRunError for signals; each has the report.
    """
    try:
        with signals.run_block():
            try:
                with _after_release(draft):
                    yield
            except KanonError as error:
                error.redact(loaded.redact)
                draft.fail(error)
                draft.seconds = call.watch.report()
                try:
                    report = call.write(describe())
                    if call.page is not None and draft.status != "released" and not isinstance(error, WarnedError):
                        _write_page(call.page, draft.target or loaded.name, cast("ToldReport", report), loaded)
                except EngineError as failure:
                    error.add(failure.problems)
                raise
            draft.seconds = call.watch.report()
            try:
                call.write(describe())
            except EngineError as failure:
                if draft.status != "released":
                    raise
                draft.errors = list(failure.problems)
                raise in_place_but(failure.problems) from None
    except KeyboardInterrupt:
        raise InterruptedRunError(signals.NOTHING_CHANGED) from None
    except KanonError as error:
        error.report = dict(describe())
        raise


def _write_page(path: Path, title: str, report: ToldReport, loaded: LoadedConfig) -> None:
    """The page of a job that failed. Raises EngineError."""
    from kanon_sql.report.page.model import PageFacts
    from kanon_sql.report.page.page import page_text, write_page

    write_page(path, page_text(PageFacts(title, report), loaded))


@contextmanager
def _after_release(draft: ReportDraft) -> Iterator[None]:
    """Says of whatever fails in the block when the release was put in its place that it was."""
    try:
        yield
    except KeyboardInterrupt:
        raise InterruptedRunError(signals.NOTHING_CHANGED) from None
    except Exception as error:
        if draft.status != "released" or isinstance(error, ReleasedError):
            raise
        unexpected = [f"the run did not end as it should (unexpected {type(error).__name__})"]
        problems = error.problems if isinstance(error, KanonError) else unexpected
        raise in_place_but(problems) from error


def in_place_but(problems: Iterable[str]) -> ReleasedError:
    """The error for what failed once the release was in its place."""
    return ReleasedError([f"the release is in its place, but {problem}" for problem in problems])
