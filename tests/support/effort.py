"""How much is tried: `pytest` alone takes a few minutes of processor time, `pytest --all` runs every test whole.

Without `--all`, tests with a mark of pyproject.toml (those that take long, or need more than `.[dev]`) are deselected,
and properties are tried on fewer examples. `--rest` runs what that leaves out.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, settings

Test = TypeVar("Test", bound=Callable[..., None])

_FEWER = 10
_everything = False


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--all", action="store_true", help="run the marked tests too, and every property on all its examples"
    )
    parser.addoption("--rest", action="store_true", help="run what --all runs, without what is run as a whole anyway")


def pytest_configure(config: pytest.Config) -> None:
    global _everything
    _everything = bool(config.getoption("all") or config.getoption("rest"))
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


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("rest"):
        return
    marks = {line.partition(":")[0] for line in config.getini("markers")}
    kept = {
        item: bool(marks & {mark.name for mark in item.iter_markers()}) or is_property(item) for item in list(items)
    }
    config.hook.pytest_deselected(items=[item for item in items if not kept[item]])
    items[:] = [item for item in items if kept[item]]


def is_property(item: pytest.Item) -> bool:
    """Whether a test is tried on examples that hypothesis makes."""
    return bool(getattr(getattr(item, "obj", None), "is_hypothesis_test", False))


def tries(number: int) -> int:
    """The examples of a property that gets `number` of them with `--all`."""
    return number if _everything else max(2, number // _FEWER)


def some(values: Sequence[Any], few: int = 2) -> list[Any]:
    """The values that a test gets one by one: all but a few of them make it slow."""
    return [*values[:few], *(pytest.param(value, marks=pytest.mark.slow) for value in values[few:])]


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
