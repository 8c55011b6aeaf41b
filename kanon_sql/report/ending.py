"""How a run ends: what is true then, in the error that it raises and in the report that it leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kanon_sql.config.load import LoadedConfig
from kanon_sql.errors import EngineError, InterruptedRunError, KanonError, ReleasedError
from kanon_sql.progress import Stopwatch
from kanon_sql.report.report import ReportDraft, write_json
from kanon_sql.sql import signals


@contextmanager
def ending(
    loaded: LoadedConfig,
    draft: ReportDraft,
    watch: Stopwatch,
    report: Path | None,
    describe: Callable[[], dict[str, Any]],
) -> Iterator[None]:
    """The block is the run: its draft is completed and the report written, however it ends.

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
                _finish(draft, watch)
                try:
                    _write(report, describe)
                except EngineError as failure:
                    error.add(failure.problems)
                raise
            _finish(draft, watch)
            try:
                _write(report, describe)
            except EngineError as failure:
                draft.errors = list(failure.problems)
                raise ReleasedError([f"the release is in its place, but {one}" for one in failure.problems]) from None
    except KeyboardInterrupt:
        raise InterruptedRunError(signals.NOTHING_CHANGED) from None
    except KanonError as error:
        error.report = describe()
        raise


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
        raise ReleasedError([f"the release is in its place, but {one}" for one in problems]) from error


def _finish(draft: ReportDraft, watch: Stopwatch) -> None:
    draft.seconds = {**watch.seconds, "total": watch.total()}


def _write(report: Path | None, describe: Callable[[], dict[str, Any]]) -> None:
    if report is not None:
        write_json(report, describe())
