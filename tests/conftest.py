"""Settings of all tests; what they share stands in `support`."""

from __future__ import annotations

import gc
import signal
from collections.abc import Iterator
from pathlib import Path

import collecting
import pytest
from effort import pytest_addoption, pytest_collection_modifyitems, pytest_configure  # noqa: F401 - pytest finds them
from report_schema import reports_keep_their_schema  # noqa: F401 - as above
from required import pytest_make_collect_report, pytest_runtest_makereport  # noqa: F401 - pytest finds them here


def pytest_sessionstart(session: pytest.Session) -> None:
    """Looks for what can be freed as seldom as the program does."""
    gc.set_threshold(50_000)
    session.config.pluginmanager.register(collecting)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all examples of a module: each overwrites the files of the one before."""
    return tmp_path_factory.mktemp("examples")


@pytest.fixture
def handlers() -> Iterator[None]:
    """Ctrl-C as a terminal has it: under nohup, or in the background of a script, signals are ignored."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.getsignal(number) for number in numbers]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)
