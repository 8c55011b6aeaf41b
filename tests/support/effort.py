"""How much is tried: `pytest` alone takes a few minutes of processor time, `pytest --all` runs every test whole.

Without `--all`, tests with a mark of pyproject.toml (those that take long, or need more than `.[dev]`) are deselected,
and properties are tried on fewer examples. `--rest` runs what that leaves out.

`--turn 3/8` takes the third of eight parts of the rest: of the slow tests those that their names assign to it, of each
property an eighth of the examples, drawn by a seed of that turn. All turns together try as much as `--rest` does, and
more cases, as every turn draws others. `--turn 1/4:tests/faults` takes a quarter of
those tests, and `--turn 1/1:tests/cli/test_cli.py::test_help` all with that name, beside what `--turn` alone takes.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, Phase, seed, settings

Test = TypeVar("Test", bound=Callable[..., None])

_FEWER = 10
_BY_TURNS = {"slow", "oracle"}
_everything = False


@dataclass(frozen=True)
class Turn:
    """Part `number` (from 1) of `parts` of what takes long."""

    number: int = 1
    parts: int = 1

    @classmethod
    def parse(cls, text: str) -> Turn:
        """The turn of a text such as `3/4`; raises `pytest.UsageError` of any other."""
        number, slash, parts = text.partition("/")
        if not (slash and number.isdecimal() and parts.isdecimal() and 1 <= int(number) <= int(parts)):
            raise pytest.UsageError(f"--turn {text}: expected a part of parts, such as 3/4")
        return cls(int(number), int(parts))

    def takes(self, name: str) -> bool:
        """Whether the test of that name belongs to this part."""
        return int(hashlib.sha256(name.encode()).hexdigest(), 16) % self.parts == self.number - 1


@dataclass(frozen=True)
class Portion:
    """A turn of the tests below a path, the root of all if none is named; with `name`, of that function or class."""

    turn: Turn
    path: Path
    name: str

    @classmethod
    def parse(cls, text: str, root: Path) -> Portion:
        """The portion of a text such as `3/4`, `1/2:tests/faults` or `1/1:tests/cli/test_cli.py::test_help`."""
        turn, _, place = text.partition(":")
        path, _, name = place.partition("::")
        return cls(Turn.parse(turn), (root / path).resolve(), name)

    def takes(self, item: pytest.Item) -> bool:
        """Whether a test belongs to it."""
        names = item.nodeid.partition("[")[0].split("::")[1:]
        return item.path.is_relative_to(self.path) and self.name in ("", *names) and self.turn.takes(item.nodeid)


# The turn of all tests: properties draw their share of examples by it.
_turn = Turn()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--all", action="store_true", help="run the marked tests too, and every property on all its examples"
    )
    parser.addoption("--rest", action="store_true", help="run what --all runs, without what is run as a whole anyway")
    parser.addoption(
        "--turn",
        metavar="I/N[:PATH[::NAME]]",
        action="append",
        default=[],
        help="with --all or --rest: part I of N parts of what takes long, of all tests or of those at PATH",
    )


def pytest_configure(config: pytest.Config) -> None:
    global _everything, _turn
    _everything = bool(config.getoption("all") or config.getoption("rest"))
    of_all = [text for text in config.getoption("turn") if ":" not in text]
    _turn = Turn.parse(of_all[-1]) if _everything and of_all else Turn()
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


@pytest.hookimpl(tryfirst=True)  # before marks are chosen by -m
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    marks = {line.partition(":")[0] for line in config.getini("markers")} - {"few(number)"}
    portions = [Portion.parse(text, config.rootpath) for text in config.getoption("turn")]

    _mark_all_but_few(items)

    def is_kept(item: pytest.Item) -> bool:
        own_marks = marks & {mark.name for mark in item.iter_markers()}
        if is_property(item):
            return True
        if config.getoption("rest") and not own_marks:
            return False
        return not (portions and own_marks & _BY_TURNS) or any(portion.takes(item) for portion in portions)

    if not (config.getoption("rest") or _turn.parts > 1):
        return
    kept = {item: is_kept(item) for item in list(items)}
    config.hook.pytest_deselected(items=[item for item in items if not kept[item]])
    items[:] = [item for item in items if kept[item]]
    if _turn.number > 1:  # the first turn draws what derandomized runs draw
        for item in items:
            if is_property(item) and isinstance(item, pytest.Function):
                seed(f"{item.nodeid} in turn {_turn.number}")(item.obj)


def _mark_all_but_few(items: Sequence[pytest.Item]) -> None:
    """Makes a test with the mark `few(number)` slow for all its parameters but the first so many."""
    seen: Counter[str] = Counter()
    for item in items:
        for mark in item.iter_markers("few"):
            name = item.nodeid.partition("[")[0]
            seen[name] += 1
            if seen[name] > mark.args[0]:
                item.add_marker("slow")


def is_property(item: pytest.Item) -> bool:
    """Whether a test is tried on examples that hypothesis makes."""
    return bool(getattr(getattr(item, "obj", None), "is_hypothesis_test", False))


def tries(number: int, fewer: int = _FEWER) -> int:
    """The examples of a property that gets `number` of them with `--all`: in each turn its share, plainly one of so
    many fewer.
    """
    return max(2, -(-number // _turn.parts)) if _everything else max(2, number // fewer)


def whole_runs(number: int) -> settings:
    """The settings of a property of whole runs: examples are only made, as making one smaller takes many runs."""
    return settings(
        phases=[Phase.generate],
        max_examples=tries(number),
        suppress_health_check=[HealthCheck.function_scoped_fixture],
        deadline=None,
    )


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
