"""Open releases: those of which the run that made them could not say any more whether they came to their place."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from kanon_sql.errors import KanonError
from kanon_sql.ledger.earlier import holds, open_target, recorded_configuration, restored
from kanon_sql.ledger.ledger import Entry, open_ledger
from kanon_sql.sql.connection import EngineOptions, open_engine
from kanon_sql.targets.staging_names import PART


def still_beside(paths: tuple[list[Path], list[Path]]) -> list[str]:
    """[path, inode] of a file that was written beside its target and leaves its name when it takes that place.

    Empty where a target is not written so.
    """
    files, folders = paths
    for path in (*files, *(file for folder in folders for file in sorted(folder.rglob("*")))):
        if any(name.endswith(PART) for name in path.parts) and path.is_file():
            return [str(path.absolute()), str(path.stat().st_ino)]
    return []


def settle_open(path: Path, place: str, options: EngineOptions) -> None:
    """Looks of each open release of a ledger whether it came to its place, and says so there.

    One of which that cannot be told stays open, and counts as a release. No other run is alive that has made it: that
    would hold the ledger. Raises ConfigurationError and EngineError for a ledger that cannot be used.
    """
    if not path.exists() or not path.stat().st_size:
        return
    with open_ledger(path, place, write=False) as ledger:
        still_open = [entry for entry in ledger.entries() if entry.state == "open"]
    if not still_open:
        return
    with open_ledger(path, place, write=True) as ledger:
        for entry in ledger.entries():
            came = _came_to_its_place(entry, path, options) if entry.state == "open" else None
            if came is not None:
                ledger.close(entry, released=came)


def _came_to_its_place(entry: Entry, ledger: Path, options: EngineOptions) -> bool | None:
    """None where it cannot be told: its target may also have been moved or replaced since."""
    with suppress(KanonError):
        loaded = recorded_configuration(entry, ledger)
        with suppress(KanonError), open_engine(options) as engine:
            if holds(engine, open_target(engine, entry, loaded), entry):
                return True
        return False if _is_still_beside(*restored(entry.details["open"], entry, ledger)) else None
    return None


def _is_still_beside(path: str = "", inode: str = "") -> bool:
    """Whether the file has its first name, and no other: then it was not moved to its place."""
    with suppress(OSError):
        state = Path(path).lstat()
        return str(state.st_ino) == inode and state.st_nlink == 1
    return False
