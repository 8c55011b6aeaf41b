"""How much is tried: `pytest` alone takes a few minutes of processor time, `pytest --all` runs every test whole.

Without `--all`, tests with a mark of pyproject.toml (those that take long, or need more than `.[dev]`) are deselected,
and properties are tried on fewer examples: the first ones of those that `--all` tries.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, settings

Test = TypeVar("Test", bound=Callable[..., None])
Value = TypeVar("Value")

_FEWER = 10
_everything = False


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--all", action="store_true", help="run the marked tests too, and every property on all its examples"
    )


def pytest_configure(config: pytest.Config) -> None:
    global _everything
    _everything = bool(config.getoption("all"))
    if _everything and not any(word.startswith("-m") for word in config.invocation_params.args):
        config.option.markexpr = ""
    # The same examples on every run; HYPOTHESIS_PROFILE=explore looks for new ones.
    for name, same in (("repeatable", True), ("explore", False)):
        settings.register_profile(
            name,
            derandomize=same,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow],
            max_examples=tries(100),
        )
    settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


def tries(number: int) -> int:
    """The examples of a property that gets `number` of them with `--all`."""
    return number if _everything else max(2, number // _FEWER)


def some(values: Sequence[Value], few: int = 2) -> Sequence[Value]:
    """The values that a test gets one by one: a few of them without `--all`."""
    return values if _everything else values[:few]


def needs(*paths: Path) -> list[pytest.MarkDecorator]:
    """The marks of a test that reads reference results or tables which are kept beside this repository."""
    missing = not all(path.exists() for path in paths)
    return [
        pytest.mark.oracle,
        pytest.mark.skipif(missing, reason="the reference results are not beside this repository"),
    ]


def with_marks(marks: Sequence[pytest.MarkDecorator]) -> Callable[[Test], Test]:
    """A decorator that gives a test several marks."""

    def marked(test: Test) -> Test:
        for mark in marks:
            test = mark(test)
        return test

    return marked
