"""How a job on Spark ends: after an interrupt nothing waits for what still runs there."""

from __future__ import annotations

import signal
import threading
from types import SimpleNamespace
from typing import Any

import pytest

from kanon_sql.engines.spark.connection import _handler_kept
from kanon_sql.engines.spark.engine import Spark
from kanon_sql.sql import signals


def _spark(calls: list[str], *, owned: bool) -> Spark:
    session: Any = SimpleNamespace(sparkContext=SimpleNamespace(cancelAllJobs=lambda: calls.append("jobs ended")))
    return Spark(session, "local", owned=owned, show_values=False)


def _threads(calls: list[str]) -> None:
    calls.append("here" if threading.current_thread() is threading.main_thread() else "in a thread")


def test_a_job_that_was_not_interrupted_ends_here(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    spark = _spark(calls, owned=True)
    spark.ending(lambda: _threads(calls))
    monkeypatch.setattr(signals, "interrupted", lambda: True)  # an earlier run of this process
    spark.ending(lambda: _threads(calls))
    assert calls == ["here", "here"]


@pytest.mark.parametrize("owned", [False, True])
def test_an_interrupted_job_ends_what_runs_in_a_session_of_its_own(
    monkeypatch: pytest.MonkeyPatch, owned: bool
) -> None:
    calls: list[str] = []
    spark = _spark(calls, owned=owned)
    monkeypatch.setattr(signals, "interrupted", lambda: True)
    with pytest.raises(KeyboardInterrupt):
        try:
            raise KeyboardInterrupt
        finally:
            spark.ending(lambda: _threads(calls))
    assert calls == [*["jobs ended"] * owned, "in a thread"]


def test_a_context_of_spark_does_not_take_the_signals() -> None:
    before = signal.getsignal(signal.SIGINT)
    with _handler_kept():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    assert signal.getsignal(signal.SIGINT) is before
