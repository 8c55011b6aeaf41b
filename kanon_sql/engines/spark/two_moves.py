"""Targets that are replaced in two moves, where nothing exchanges two of them in one: tables, folders of Hadoop.

The old one is moved aside, then the new one to its place. A run that ends between them leaves no target: the old one,
whole, has another name. Each name that a run stages tells the target and the process of the run, so that the next run
on this machine puts back what a killed run moved aside, and removes what it left.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import socket
import uuid
from abc import ABC, abstractmethod
from pathlib import Path

from kanon_sql.engines.spark.engine import quietly
from kanon_sql.errors import EngineError, ReleasedError, UnsettledError

OLD = "_old"
_PREFIX = "kanon_sql"
_LENGTH = 8  # hexadecimal digits of a digest
_PARTS = 6  # of a name without its end
_staging: set[str] = set()  # names of runs of this process that go on


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_LENGTH]


def _machine() -> str:
    """This machine, or this container on it: processes have numbers of their own there."""
    numbers = ""
    with quietly():
        numbers = os.readlink("/proc/self/ns/pid")  # noqa: PTH115 - no path
    return _digest(f"{socket.gethostname()} {uuid.getnode()} {numbers}")


def _began(process: int) -> str:
    """When a process began, as the system counts; nothing where it does not say, or there is none."""
    with quietly():
        return (
            Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[19]
        )
    return ""


def _runs(process: int, began: str) -> bool:
    """Whether a process of this machine runs that began then."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass  # of another user
    return _began(process) in ("", began)


def staged_name(target: str) -> str:
    """A new name for what this process stages for a target."""
    process = os.getpid()
    name = f"{beginning(target)}{_machine()}_{process}_{_began(process) or 0}_{secrets.token_hex(4)}"
    _staging.add(name)
    return name


def beginning(target: str) -> str:
    """How the names begin that runs stage for a target."""
    return f"{_PREFIX}_{_digest(target)}_"


def owner_alive(name: str) -> bool | None:
    """Whether the run goes on that staged a name; None where it was another machine's."""
    name = name.removesuffix(OLD)
    parts = name.removeprefix(f"{_PREFIX}_").split("_")
    if len(parts) != _PARTS - 1 or parts[1] != _machine() or not parts[2].isdecimal():
        return None
    process = int(parts[2])
    if process == os.getpid() and parts[3] == (_began(process) or "0"):
        return name in _staging
    return _runs(process, parts[3])


class TwoMoves(ABC):
    """One target of one run, with the name that is staged for it. Messages begin with `place`."""

    def __init__(self, place: str, label: str, target: str) -> None:
        self.place = place
        self.label = label  # the target as messages name it
        self.target = target
        self.staged = staged_name(target)
        self.in_place = False
        self.warnings: tuple[str, ...] = ()

    @abstractmethod
    def there(self) -> bool:
        """Whether there is a target. Raises EngineError."""

    @abstractmethod
    def names(self) -> list[str]:
        """The names that runs staged for this target, as far as that can be told."""

    @abstractmethod
    def move(self, name: str, to: str | None) -> None:
        """Gives what has a staged name, or the target (`name` empty), another name; None is the target's.

        Raises EngineError.
        """

    @abstractmethod
    def remove(self, name: str) -> None:
        """Removes what has a staged name, if it is there. Raises EngineError."""

    def recover(self) -> None:
        """Puts back what a killed run moved aside, and removes what it left.

        Raises EngineError where a run of another machine may be at work between its moves.
        """
        names = sorted(name for name in self.names() if name != self.staged and owner_alive(name) is not True)
        for name in (name for name in names if name.endswith(OLD)):
            self._recover_old(name)
        for name in (name for name in names if not name.endswith(OLD)):
            self._recover_new(name)

    def _recover_old(self, name: str) -> None:
        is_elsewhere = owner_alive(name) is None
        if self.there():
            self._recover_new(name)
        elif is_elsewhere:
            raise EngineError(
                f"{self.place}: {self.label} is missing, and {name} beside it holds what it held: a run on another "
                "machine is replacing it now, or was killed; if none runs, rename it back and run again"
            )
        else:
            self.move(name, None)
            self.warnings += (f"{self.label} was put back: a killed run had moved it aside",)

    def _recover_new(self, name: str) -> None:
        if owner_alive(name) is None:
            self.warnings += (
                f"{name} was left, or is being written, by a run on another machine; drop it if none runs",
            )
            return
        with quietly():
            self.remove(name)

    def replace(self, *, overwrite: bool) -> None:
        """Puts what is staged in the place of the target.

        Raises EngineError with the target untouched, UnsettledError where it is moved aside and cannot be put back or
        nobody can say, ReleasedError where the release is in its place and the old one stays beside it.
        """
        replaced = self.there()
        if replaced and not overwrite:
            raise EngineError(f"{self.place}: {self.label} was made meanwhile; it was left as it is")
        if replaced:
            self._step("", f"{self.staged}{OLD}", before=True)
        self._step(self.staged, None, before=not replaced)
        self.in_place = True
        if replaced:
            try:
                self.remove(f"{self.staged}{OLD}")
            except EngineError as error:
                raise ReleasedError(
                    f"{self.place}: {self.label} was replaced, but the old one could not be removed; the next run "
                    f"removes {self.staged}{OLD} ({error})"
                ) from None

    def _step(self, name: str, to: str | None, *, before: bool) -> None:
        """One of the moves; where it fails, the target is as it was before, if that can be."""
        try:
            self.move(name, to)
        except EngineError as error:
            if not self._as_before(moved_aside=not before):
                raise UnsettledError(
                    f"{self.place}: while {self.label} was being replaced, the connection was lost or a move failed: "
                    f"it may be the old one, the new one, or missing, and then {self.staged}{OLD} holds the old one, "
                    f"which the next run puts back ({error})"
                ) from None
            raise

    def _as_before(self, *, moved_aside: bool) -> bool:
        """Whether the target is what it was before this run, or what another run has put there since."""
        with quietly():
            if moved_aside and not self.there():
                self.move(f"{self.staged}{OLD}", None)
            elif moved_aside:
                self.remove(f"{self.staged}{OLD}")
            staged = self.names()
            return self.staged in staged and f"{self.staged}{OLD}" not in staged
        return False

    def withdraw(self) -> None:
        """Removes what was not put in place. Raises nothing."""
        if not self.in_place:
            with quietly():
                self.remove(self.staged)
        _staging.discard(self.staged)
