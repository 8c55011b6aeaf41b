"""Tests that must not be skipped, as in continuous integration, where every engine is there.

KANON_SQL_TEST_REQUIRED is a regular expression; a test is failed instead of skipped where it is found in the test's
file or in the reason, as in `tests/dbt/test_dbt.py: dbt is not installed`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Generator

import pytest


def not_skipped(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Makes a failure of a skip that is not allowed."""
    pattern = os.environ.get("KANON_SQL_TEST_REQUIRED")
    if not pattern or not report.skipped or hasattr(report, "wasxfail"):
        return
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    said = f"{report.nodeid.partition('::')[0]}: {reason.removeprefix('Skipped: ')}"
    if re.search(pattern, said, re.IGNORECASE):
        report.outcome = "failed"
        report.longrepr = f"{said}\nIt must not be skipped: KANON_SQL_TEST_REQUIRED={pattern}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Of a test."""
    report = yield
    not_skipped(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Of a module, which may skip itself as a whole."""
    report = yield
    not_skipped(report)
    return report
