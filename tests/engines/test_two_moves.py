"""Targets that are replaced in two moves: whatever fails or is killed, the next run has the old one or the new one."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress

import pytest

from kanon_sql.engines.spark import two_moves
from kanon_sql.engines.spark.two_moves import OLD, TwoMoves, owner_alive, staged_name
from kanon_sql.errors import EngineError, ReleasedError, UnsettledError

Names = dict[str, str]
TARGET = "lake.released"


class KilledError(BaseException):
    """The process ends here."""


class InMemory(TwoMoves):
    """Names with what they hold; the call of a number does not work, or does and is not answered."""

    def __init__(self, names: Names, fails: int = -1, fault: Callable[[], BaseException] | None = None) -> None:
        self.held, self.fails, self.fault, self.calls = names, fails, fault, 0
        self.answers = False  # whether the call that fails has an effect
        self.lost = False  # whether all later calls fail too
        super().__init__("target", "table released", TARGET)

    def _call(self, work: Callable[[], object]) -> None:
        number, self.calls = self.calls, self.calls + 1
        if self.fault is not None and (number == self.fails or (self.lost and number > self.fails)):
            if self.answers and number == self.fails:
                work()
            raise self.fault()
        work()

    def there(self) -> bool:
        self._call(lambda: None)
        return TARGET in self.held

    def names(self) -> list[str]:
        return [name for name in self.held if name.startswith(two_moves.beginning(TARGET))]

    def move(self, name: str, to: str | None) -> None:
        def moved() -> None:
            if (name or TARGET) not in self.held or (to or TARGET) in self.held:
                raise EngineError("no such name, or the other is taken")
            self.held[to or TARGET] = self.held.pop(name or TARGET)

        self._call(moved)

    def remove(self, name: str) -> None:
        self._call(lambda: self.held.pop(name, None))


def ended(run: InMemory) -> None:
    """Its process is gone."""
    two_moves._staging.discard(run.staged)


def next_run(names: Names) -> InMemory:
    run = InMemory(names)
    run.recover()
    return run


@pytest.mark.parametrize("at", range(5))
@pytest.mark.parametrize("answers", [False, True])
@pytest.mark.parametrize("is_there", [False, True])
def test_after_a_kill_the_next_run_puts_all_in_order(at: int, answers: bool, is_there: bool) -> None:
    names: Names = {TARGET: "old"} if is_there else {}
    run = InMemory(names, at, KilledError)
    run.answers = answers
    names[run.staged] = "new"
    try:
        run.replace(overwrite=True)
        run.withdraw()
    except KilledError:
        assert set(names.values()) >= ({"old"} if TARGET not in names and is_there else {"new"})
    ended(run)
    later = next_run(names)
    assert set(names) <= {TARGET}
    assert names.get(TARGET) in (("old", "new") if is_there else (None, "new"))
    assert all("was put back" in warning for warning in later.warnings)


@pytest.mark.parametrize("lost", [False, True])
@pytest.mark.parametrize("at", range(5))
@pytest.mark.parametrize("answers", [False, True])
@pytest.mark.parametrize("is_there", [False, True])
def test_what_an_error_says_of_the_target_is_true(at: int, answers: bool, is_there: bool, lost: bool) -> None:
    names: Names = {TARGET: "old"} if is_there else {}
    run = InMemory(names, at, lambda: EngineError("lost"))
    run.answers, run.lost = answers, lost
    names[run.staged] = "new"
    before, says = names.get(TARGET), ""
    try:
        run.replace(overwrite=True)
    except ReleasedError:
        assert names[TARGET] == "new"
    except UnsettledError as error:
        says = str(error)
        assert names.get(TARGET) in ("old", "new", None)
        assert TARGET in names or not is_there or f"{run.staged}{OLD}" in says
    except EngineError:
        assert names.get(TARGET) == before
    else:
        assert names[TARGET] == "new"
    run.withdraw()
    ended(run)
    next_run(names)
    assert set(names) <= {TARGET}
    assert TARGET in names or not is_there


def test_a_target_that_another_run_made_meanwhile_stays() -> None:
    names: Names = {}
    run = InMemory(names)
    names |= {run.staged: "new", TARGET: "another"}
    with pytest.raises(EngineError, match="was made meanwhile; it was left as it is"):
        run.replace(overwrite=False)
    run.withdraw()
    assert names == {TARGET: "another"}


def test_two_runs_in_turn_at_every_call_leave_one_release() -> None:
    for at in range(6):
        names: Names = {TARGET: "old"}
        other = InMemory(names)
        names[other.staged] = "other"

        def meanwhile(other: InMemory = other) -> BaseException:
            other.replace(overwrite=True)
            return EngineError("the other one came")

        run = InMemory(names, at, meanwhile)
        names[run.staged] = "new"
        with suppress(EngineError):
            run.replace(overwrite=True)
        run.withdraw()
        other.withdraw()
        ended(run)
        ended(other)
        next_run(names)
        assert set(names) == {TARGET}


def test_what_a_living_run_staged_is_left_alone() -> None:
    names: Names = {TARGET: "old"}
    run = InMemory(names)
    names[run.staged] = "new"
    next_run(names).withdraw()
    assert run.staged in names
    run.withdraw()
    assert names == {TARGET: "old"}


def test_a_run_on_another_machine_is_left_alone_and_reported() -> None:
    parts = staged_name(TARGET).split("_")
    parts[3] = "0" * 8
    name = "_".join(parts)
    assert owner_alive(name) is None
    names: Names = {TARGET: "old", name: "new"}
    assert any(name in warning and "another machine" in warning for warning in next_run(names).warnings)
    assert name in names
    names = {f"{name}{OLD}": "old", name: "new"}
    with pytest.raises(EngineError, match=r"is missing, and .* beside it holds what it held"):
        next_run(names)
    assert set(names) == {f"{name}{OLD}", name}


def test_who_staged_a_name_is_looked_for_by_number_and_beginning() -> None:
    say = f"from kanon_sql.engines.spark import two_moves as m; print(m.staged_name({TARGET!r}), flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", say], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        name = process.stdout.readline().strip()
        assert name.startswith(two_moves.beginning(TARGET)) and owner_alive(name) and owner_alive(f"{name}{OLD}")
        parts = name.split("_")
        if parts[5] != "0":
            parts[5] = str(int(parts[5]) + 1)  # another process has got the number since
            assert owner_alive("_".join(parts)) is False
        process.communicate("\n")
    assert owner_alive(name) is False
    own = staged_name(TARGET)
    assert owner_alive(own)
    two_moves._staging.discard(own)
    assert owner_alive(own) is False
    assert owner_alive("kanon_sql_0123abcd") is None  # of an earlier version
