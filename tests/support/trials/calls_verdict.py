"""What counts as a loss: of a target that is old or new, an exit status, what was said, a ledger, and what was left."""

from __future__ import annotations

import signal
from dataclasses import dataclass
from pathlib import Path

from trials.calls_judge import Whole, faults_beside, releases

_SIGNALS = {"SIGTERM": signal.SIGTERM, "SIGINT": signal.SIGINT, "SIGHUP": signal.SIGHUP}
_BEGINS = tuple(f"kanon-sql: {kind}: " for kind in ("error", "warning", "enough would be"))
_IN_PLACE = ("the release is in its place", "was replaced", "after the release was put in its place")
# Calls that clear up: where one of them fails, what it should have removed is left to the next run.
_CLEARING = {"unlink", "unlinkat", "remove", "rmdir", "open(read)", "close", "chmod", "fchmodat"}


@dataclass(frozen=True)
class Ended:
    """How a run ended: its status (below 0 a signal, None for never), and what it said."""

    status: int | None
    err: str


class Verdict:
    """Judges one disturbed run in a folder, and the next run there; what is `wrong` with them."""

    def __init__(self, whole: Whole, folder: Path, fault: str, call: str, ended: Ended) -> None:
        self.whole, self.folder, self.fault, self.call, self.ended = whole, folder, fault, call, ended
        self.wrong: list[str] = []
        self.state = self.outcome = ""
        self.next_is_due = False
        self._open_allowed = False
        self.killed = ended.status is not None and ended.status < 0

    def judge(self) -> str:
        """old, new or missing; anything else is wrong."""
        self.state = state = self.whole.state(self.folder)
        if state == "missing" and not self.whole.job.replaced:
            self.state = state = "old"
        if state not in ("old", "new"):
            between = (self.killed or self._halfway) and self.whole.job.no_exchange and self.whole.job.read == "folder"
            if not (state == "missing" and between):
                self.wrong.append(f"the target: {state}")
        self._status()
        self._said()
        self.wrong += faults_beside(self.whole, self.folder, state)
        self._ledger()
        left = self.whole.left(self.folder)
        if left and not self.killed and not self._left_to_the_next(left):
            self.wrong.append(f"left: {', '.join(left)}")
        self.next_is_due = self.killed or bool(left) or self._open_allowed or state == "missing"
        ending = "killed" if self.killed else f"exit {self.ended.status}"
        self.outcome = "not reached" if self.call == "none" else f"{state}, {ending}"
        return state

    def judge_next(self, ended: Ended) -> None:
        """The run behind it must succeed and clear up."""
        before = len(self.wrong)
        if ended.status != 0:
            self.wrong.append(f"exit {ended.status}: {ended.err.strip()[:300]}")
        state = self.whole.state(self.folder)
        if state != "new":
            self.wrong.append(f"the target: {state}")
        self.wrong += faults_beside(self.whole, self.folder, state)
        left = [name for name in self.whole.left_behind_next(self.folder) if not self._of_another_target(name)]
        if left:
            self.wrong.append(f"left: {', '.join(left)}")
        if self.whole.job.ledger:
            self._ledger_next()
        self.wrong[before:] = [f"next run: {fault}" for fault in self.wrong[before:]]
        self.outcome += ", then new"

    def _left_to_the_next(self, left: list[str]) -> bool:
        """Whether the call that failed is one that clears up, or a lock, of which nobody can say who has it now.

        The log of a ledger that the engine could not write belongs to it: whoever opens it next reads and removes it.
        Where the ledger may not know that a release failed, what was written stays, emptied: the next run finds it.
        """
        if self._halfway:
            return True
        ledger = self.whole.job.ledger
        if self.fault.startswith("E") and ledger:
            left = [name for name in left if name != f"{ledger}.wal" and not self._emptied(name)]
        if not left:
            return True
        unlocked = self.call == "flock" and len(left) == 1 and left[0].endswith(".kanon-sql.lock")
        return self.fault.startswith("E") and (self.call in _CLEARING or unlocked)

    @property
    def _halfway(self) -> bool:
        """Whether the run says that the old folder is beside its place, and that the next run completes it."""
        return ".old now, whole; run again" in self.ended.err

    def _emptied(self, name: str) -> bool:
        path = self.folder / name
        return name.endswith(".part") and not any(
            part.stat().st_size for part in (path, *path.rglob("*")) if part.is_file()
        )

    def _of_another_target(self, name: str) -> bool:
        """A second `apply` writes elsewhere; the first one's lock is cleared by whoever writes that target again."""
        if self.whole.job.command != "apply" or self.state != "new":
            return False
        return name in ("third.csv", f".{self.whole.job.target}.kanon-sql.lock")

    def _status(self) -> None:
        status, new = self.ended.status, self.state == "new"
        if self.call == "none":  # the order of calls differs: it did not come so far
            expected = status == 0 and new
        elif self.fault.startswith("SIGKILL"):
            expected = status == -signal.SIGKILL
        elif self.fault in _SIGNALS:
            by_signal = self.whole.job.command == "api" and status == -_SIGNALS[self.fault]
            expected = by_signal or status == 130 or (status == 0 and new)
        else:
            expected = status in (3, 4) or (status == 0 and new)
        if not expected:
            self.wrong.append(f"exit {status}, the target is {self.state}")

    def _said(self) -> None:
        lines = self.ended.err.splitlines()
        wrong = [line for line in lines if not line.startswith(_BEGINS)]
        if wrong or "Traceback" in self.ended.err or "unexpected " in self.ended.err:
            self.wrong.append(f"it said: {(wrong or lines)[0][:200]}")
        errors = [line for line in lines if line.startswith(_BEGINS[0])]
        if self.killed:
            return
        if bool(errors) != (self.ended.status != 0):
            self.wrong.append(f"exit {self.ended.status} with {len(errors)} errors")
        if errors and any(words in line for line in errors for words in _IN_PLACE) != (self.state == "new"):
            self.wrong.append(f"the target is {self.state}, but it said: {errors[0][:200]}")

    def _ledger(self) -> None:
        if self.whole.job.ledger is None:
            return
        states, base = releases(self.whole.job, self.folder), self.whole.releases
        if isinstance(states, str):
            self.wrong.append(states)
            return
        more = [state for _, state in states[len(base) :]]
        expected = [["released"]] if self.state == "new" else [[]]
        # Open: killed before it was said, or it could not be said, which a warning tells.
        if self.killed or "stays open in the ledger" in self.ended.err:
            expected.append(["open"])
        self._open_allowed = more == ["open"]
        if states[: len(base)] != base or more not in expected:
            self.wrong.append(f"the target is {self.state}, the ledger says {more}")

    def _ledger_next(self) -> None:
        states, base = releases(self.whole.job, self.folder), self.whole.releases
        if isinstance(states, str):
            self.wrong.append(states)
            return
        more = [state for _, state in states[len(base) :]]
        expected = ["released"] * (1 + (self.state == "new"))
        if states[: len(base)] != base or more != expected:
            self.wrong.append(f"the ledger says {more}")
