"""An entry of the ledger, and whether what a file holds can be one.

A ledger is a file like others: who copied it while it was written, or changed it by hand, finds that out here, before
a release is compared with what it holds.

The ledger: a DuckDB file that keeps what was released of which source, and none of its rows.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, fields
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb

from kanon_sql.config.load import LoadedConfig
from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.sql import disk
from kanon_sql.sql.connection import Engine
from kanon_sql.targets.staging import stage_file
from kanon_sql.targets.staging_names import clear, leftovers, lock_path, target_lock
from kanon_sql.targets.staging_paths import refuse_link_to_nothing, refuse_special
from kanon_sql.targets.staging_permissions import mask_of

Json = dict[str, Any]


@dataclass(frozen=True)
class Entry:
    """A release of the ledger.

    `origin` is the first release of the same source, itself where it is that; `built_on` the release that was its
    source. `source` and `target` say where they were, None for tables of a connection that was handed in, and the
    places are digests of that; fingerprints are equal for equal rows. `details` are its configuration, solution,
    privacy and counts; of an open release, of which it is not said yet that it came to its place, also what shows
    that it did not: `open` is [path, inode] of a file that is then still beside the target, or empty.
    """

    id: int
    made_at: str
    program: str
    origin: int
    built_on: int | None
    source: str | None
    source_place: str | None
    source_fingerprint: str
    target: str | None
    target_place: str | None
    release_fingerprint: str
    quasi_identifiers: list[str]
    released: list[str]
    details: Json

    @property
    def state(self) -> str:
        """ "open" from before the release is put in its place until that is said of it; then "released"."""
        return "open" if "open" in self.details else "released"

    def to_dict(self) -> Json:
        """The entry as JSON data, without what only tells whether a source is another one."""
        shown = asdict(self)
        shown["details"] = {name: value for name, value in self.details.items() if name not in ("prints", "places")}
        return {**shown, "state": self.state}


_Kinds = tuple[type, ...]
_NULL = type(None)
_KINDS: dict[str, _Kinds] = {
    **dict.fromkeys(("id", "origin"), (int,)),
    **dict.fromkeys(("made_at", "program", "source_fingerprint", "release_fingerprint", "details"), (str,)),
    **dict.fromkeys(("source", "source_place", "target", "target_place"), (str, _NULL)),
    "built_on": (int, _NULL),
    **dict.fromkeys(("quasi_identifiers", "released"), (list,)),
}
_IN_DETAILS: dict[str, _Kinds] = {
    **dict.fromkeys(("configuration", "folder", "order"), (str,)),
    **dict.fromkeys(("rows", "classes", "privacy"), (dict,)),
    "solution": (dict, _NULL),
}
_MAYBE_IN_DETAILS: dict[str, _Kinds] = {
    **dict.fromkeys(("columns", "treatments", "prints", "lake"), (dict,)),
    **dict.fromkeys(("aggregated", "open", "places"), (list,)),
}
_COUNTS = (("rows", ("source", "suppressed", "released")), ("classes", ("count", "min", "max")))


def entry_of(row: Json) -> Entry:
    """The entry that a row of the ledger is. Raises ValueError with what of it cannot be."""
    _expect(row, _KINDS)
    for name in ("quasi_identifiers", "released"):
        _expect_texts(row, name)
    try:
        details = json.loads(row["details"])
    except (ValueError, RecursionError):
        raise ValueError("details") from None
    if not isinstance(details, dict):
        raise ValueError("details")
    _expect(details, _IN_DETAILS)
    _expect({**{name: kinds[0]() for name, kinds in _MAYBE_IN_DETAILS.items()}, **details}, _MAYBE_IN_DETAILS)
    for name in ("aggregated", "open", "places"):
        _expect_texts({name: [], **details}, name)
    if "prints" in details:
        _expect_prints(details["prints"])
    for name, counts in _COUNTS:
        _expect(details[name], dict.fromkeys(counts, (int,)))
    _expect_parts(details)
    return Entry(**{**row, "details": details})


def _expect_parts(details: Json) -> None:
    """Raises ValueError with the part of nested details that cannot be."""
    levels = (details["solution"] or {}).get("levels", {})
    if not isinstance(levels, dict) or not all(type(level) is int for level in levels.values()):
        raise ValueError("solution")
    if not isinstance(details["privacy"].get("k"), dict) or "required" not in details["privacy"]["k"]:
        raise ValueError("privacy")
    nested = [*details.get("columns", {}).values()]
    for treated in details.get("treatments", {}).values():
        nested += [treated, *(treated.values() if isinstance(treated, dict) else ())]
    if not all(isinstance(part, dict) for part in nested):
        raise ValueError("columns, treatments")
    if "lake" in details:
        _expect(details["lake"], {"table": (str,), "snapshot": (int,), "next_row": (int,)})
    if len(details.get("open", [])) > 2:
        raise ValueError("open")


def _expect_prints(prints: Json) -> None:
    """Raises ValueError where the fingerprints of columns cannot be."""
    _expect(prints, {"key": (str,), "source": (dict,), "release": (dict,)})
    for table in (prints["source"], prints["release"]):
        _expect(table, {"rows": (int,), "columns": (dict,), "others": (list,)})
        for column in (*table["columns"].values(), *table["others"]):
            if not isinstance(column, list) or [type(part) for part in column] != [str, int]:
                raise ValueError("prints")


def _expect(held: Json, kinds: dict[str, _Kinds]) -> None:
    """Raises ValueError with the first name whose value is of another kind."""
    for name, kind in kinds.items():
        if not isinstance(held.get(name, ...), kind) or isinstance(held[name], bool):
            raise ValueError(name)


def _expect_texts(held: Json, name: str) -> None:
    if not all(isinstance(text, str) for text in held[name]):
        raise ValueError(name)


_one_thread = threading.Lock()
# A ledger made by a newer engine is gone on with by the oldest one that this package takes.
_SETTINGS = {"storage_compatibility_version": "v1.5.0"}
_PATIENCE = 10.0  # seconds that a run waits for another one that writes to the ledger


class Ledger:
    """An open ledger. Only one program at a time can write to it."""

    def __init__(self, path: Path, place: str, *, write: bool) -> None:
        self._path = path
        self._place = place
        self._write = write
        self._held = ExitStack()
        self._open()

    def entries(self) -> list[Entry]:
        """All releases, in the order in which they were made. Raises EngineError for a ledger that is damaged."""
        names = [field.name for field in fields(Entry)]
        try:
            rows = [dict(zip(names, row, strict=True)) for row in self._engine.query("ledger/rows")]
        except EngineError as error:
            raise self._damaged(str(error)) from error
        entries: list[Entry] = []
        for number, row in enumerate(rows, 1):
            try:
                entries.append(entry_of(row))
            except ValueError as error:
                raise self._damaged(f"its row {number} cannot be a release ({error})") from None
        if any(entry.id >= other.id for entry, other in pairwise(entries)):
            raise self._damaged("two of its rows are the same release")
        return entries

    def _damaged(self, why: str) -> EngineError:
        return EngineError(
            f"{self._path}: the ledger cannot be read: {why}; put a copy of it that is whole in its place"
        )

    def add(self, entry: Entry) -> None:
        """Adds a release; it is on the disk then, as after the other changes. Raises EngineError."""
        self._change("add", {**asdict(entry), "details": json.dumps(entry.details)})

    def close(self, entry: Entry, *, released: bool) -> None:
        """Ends that a release is open: it came to its place, or did not and is taken out. Raises EngineError."""
        try:
            self._close(entry, released=released)
        except EngineError:
            # An engine refuses everything once a write has failed: what it logged is read by a new connection.
            self.end()
            self._open()
            # Another run may have settled the release since, and made another one of this number.
            if any(_same(other, entry) for other in self.entries()):
                self._close(entry, released=released)
            else:
                self._checkpoint()

    def end(self) -> None:
        """Closes the file."""
        self._held.close()

    def _open(self) -> None:
        self._engine = self._held.enter_context(_connected(self._path, self._place, write=self._write))

    def is_ledger(self) -> bool:
        """Whether the database is one."""
        return bool(self._engine.query("ledger/is_there")[0][0])

    def _close(self, entry: Entry, *, released: bool) -> None:
        if released:
            details = {name: value for name, value in entry.details.items() if name != "open"}
            self._change("close", {"id": entry.id, "details": json.dumps(details)})
        else:
            self._change("remove", {"id": entry.id})

    def _change(self, name: str, values: Json) -> None:
        # The write-ahead log that the engine makes is as private as the ledger, and is not left behind.
        try:
            with mask_of(self._path):
                self._engine.query(f"ledger/{name}", values=values)
            self._checkpoint()
        except EngineError as error:
            raise EngineError(f"{self._place}: the ledger {self._path} cannot be written: {error}") from error

    def _checkpoint(self) -> None:
        with mask_of(self._path):
            self._engine.run("CHECKPOINT")


def _same(entry: Entry, other: Entry) -> bool:
    return all(getattr(entry, name) == getattr(other, name) for name in ("id", "made_at", "release_fingerprint"))


@contextmanager
def open_ledger(path: Path, place: str, *, write: bool) -> Iterator[Ledger]:
    """Opens a ledger; to write, it is made where it is not there. Every change of it is a transaction of its own.

    Raises ConfigurationError for a file that is no ledger, EngineError for one that cannot be opened.
    """
    # The engine keeps other programs off, but not other threads of this one.
    with _one_thread, _opened(path, place, write=write) as ledger:
        yield ledger


@contextmanager
def _opened(path: Path, place: str, *, write: bool) -> Iterator[Ledger]:
    refuse_ledger(path, place)
    if not write and not path.is_file():
        raise EngineError(f"{place}: there is no ledger {path}; a run with releases.path makes it")
    if not path.parent.is_dir():
        raise EngineError(f"{place}: the folder of the ledger {path} does not exist; make it")
    if write and _is_empty(path):
        _make(path, place)
    elif write:
        _clear(path, place)
    ledger = Ledger(path, place, write=write)
    try:
        if not ledger.is_ledger():
            raise ConfigurationError(f"{place}: {path} is a database but no ledger; name a file of its own")
        yield ledger
    finally:
        ledger.end()


def refuse_ledger(path: Path, place: str) -> None:
    """Raises ConfigurationError for what can be no ledger: a pipe, a socket, a device, a symbolic link to nothing."""
    refuse_special(path, f"{place}: the ledger")
    refuse_link_to_nothing(path, f"{place}: the ledger")


def _is_empty(path: Path) -> bool:
    """Whether there is no ledger yet: no file, or one without a byte, as a killed run of version 0.1.0 left it."""
    return not path.exists() or (path.is_file() and path.stat().st_size == 0)


def _clear(path: Path, place: str) -> None:
    """Removes what a run left that was killed while it made the ledger, and had put it in its place."""
    real = path.resolve()
    if leftovers(real) or lock_path(real).exists():
        # Where another run has the lock it is alive, and clears up itself.
        with suppress(EngineError), target_lock(real, place):
            clear(real)


def _make(path: Path, place: str) -> None:
    """A new ledger, moved to its place once it is complete and on the disk. Raises EngineError."""
    until = time.monotonic() + _PATIENCE
    while _is_empty(path):
        try:
            with stage_file(path, overwrite=path.exists(), place=place) as staged:
                if not _is_empty(path):
                    return
                staged.path.unlink()  # the engine makes database files itself
                with _connected(staged.path, place, is_new=True) as engine, mask_of(staged.path):
                    engine.query("ledger/make")
                    engine.run("CHECKPOINT")
                # The engine would take what belonged to a ledger that is gone for changes of this one.
                path.with_name(f"{path.name}.wal").unlink(missing_ok=True)
                staged.commit(mode=None if path.exists() else 0o600)
        except OSError as error:
            raise EngineError(f"{place}: the ledger {path} cannot be made {disk.why(error)}") from None
        except (ConfigurationError, EngineError):
            # Another run makes it, or has made it.
            other = lock_path(path.resolve()).exists() or not _is_empty(path)
            if not other or time.monotonic() > until:
                raise
            time.sleep(0.1)


@contextmanager
def _connected(path: Path, place: str, *, write: bool = False, is_new: bool = False) -> Iterator[Engine]:
    """The file as a database, which is new or was there. Raises EngineError."""
    with mask_of(path):
        connection = _connect(path, place, write=write or is_new, settings=_SETTINGS if is_new else {})
    try:
        yield Engine(connection)
    finally:
        connection.close()


def _connect(path: Path, place: str, *, write: bool, settings: Mapping[str, str]) -> duckdb.DuckDBPyConnection:
    """Opens the file, and waits a while for another program that writes to it. Raises EngineError."""
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            return duckdb.connect(str(path), read_only=not write, config=dict(settings))
        except duckdb.Error as error:
            busy = isinstance(error, duckdb.IOException) and "set lock on file" in str(error).lower()
            if busy and time.monotonic() < until:
                time.sleep(0.2)
                continue
            other = "it is no DuckDB file, or must not be written; name another, or make it writable"
            why = "another program uses it; wait for that" if busy else disk.full(str(error)) or other
            raise EngineError(f"{place}: the ledger {path} cannot be opened: {why}") from None


def read_ledger(named: str, loaded: LoadedConfig | None) -> tuple[Path, list[Entry]]:
    """(file, releases) of a ledger that is named itself, or by a configuration.

    Raises ConfigurationError for a configuration without a ledger, EngineError for a ledger that cannot be read.
    """
    if loaded is None:
        path, place = Path(named), "LEDGER"
    elif loaded.config.releases is None:
        raise ConfigurationError(f"{loaded.place()}: there is no ledger; expected releases: {{path: ledger.duckdb}}")
    else:
        path, place = loaded.base / loaded.config.releases.path, loaded.place("releases")
    with open_ledger(path, place, write=False) as ledger:
        return path, ledger.entries()


def find_entry(entries: Sequence[Entry], number: int, path: Path) -> Entry:
    """The release of that number. Raises ConfigurationError."""
    for entry in entries:
        if entry.id == number:
            return entry
    existing = f"1 to {entries[-1].id}" if entries else "none, it is empty"
    raise ConfigurationError(f"{path}: there is no release {number}; expected one of the ledger: {existing}")
