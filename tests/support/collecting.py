"""What the collection of tests costs: a worker compiles half of the modules, and what stays is not looked at again.

In a fresh clone each module of tests has to be compiled, which takes longer than to collect all of them. Of workers
that go through the folders in the same order each compiles everything; every second one goes backwards, and finds
compiled what the others have been at.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Generator

import pytest

_WORKER = os.environ.get("PYTEST_XDIST_WORKER", "")  # as gw0, gw1
_BACKWARDS = _WORKER[-1:] in {"1", "3", "5", "7", "9"}
_Reports = Generator[None, pytest.CollectReport, pytest.CollectReport]


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """What is in a folder, in the order in which this worker looks at it."""
    report = yield
    if _BACKWARDS and isinstance(collector, pytest.Directory) and report.passed:
        report.result = report.result[::-1]
    return report


@pytest.hookimpl(tryfirst=True)  # before any is left out or marked
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The same order for every worker; the tests of a module keep theirs."""
    if _WORKER:
        items.sort(key=lambda item: item.path.parts)


def pytest_collection_finish() -> None:
    """What was collected stays until the end."""
    gc.freeze()
