"""The ledger: a DuckDB file that keeps what was released of which source, and none of its rows."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import duckdb

from kanon_sql.config.load import LoadedConfig
from kanon_sql.engine.connection import Engine
from kanon_sql.errors import ConfigurationError, EngineError

Json = dict[str, Any]

_PATIENCE = 10.0  # seconds that a run waits for another one that writes to the ledger


@dataclass(frozen=True)
class Entry:
    """A release of the ledger.

    `origin` is the first release of the same source, itself where it is that; `built_on` the release that was its
    source. `source` and `target` say where they were, None for tables of a connection that was handed in, and the
    places are digests of that; fingerprints are equal for equal rows. `details` are its configuration, solution,
    privacy and counts.
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

    def to_dict(self) -> Json:
        """The entry as JSON data."""
        return asdict(self)


class Ledger:
    """An open ledger. Only one program at a time can write to it."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def entries(self) -> list[Entry]:
        """All releases, in the order in which they were made."""
        names = [field.name for field in fields(Entry)]
        rows = [dict(zip(names, row, strict=True)) for row in self._engine.query("releases/ledger_rows")]
        return [Entry(**{**row, "details": json.loads(row["details"])}) for row in rows]

    def add(self, entry: Entry) -> None:
        """Adds a release. Raises EngineError."""
        self._engine.query("releases/ledger_add", values={**asdict(entry), "details": json.dumps(entry.details)})


@contextmanager
def open_ledger(path: Path, place: str, *, write: bool) -> Iterator[Ledger]:
    """Opens a ledger; to write, it is made where it is not there, and kept only when the block ends well.

    Raises ConfigurationError for a file that is no ledger, EngineError for one that cannot be opened.
    """
    if not write and not path.is_file():
        raise EngineError(f"{place}: there is no ledger {path}; a run with releases.path makes it")
    if not path.parent.is_dir():
        raise EngineError(f"{place}: the folder of the ledger {path} does not exist; make it")
    fresh = not path.exists()
    connection = _connect(path, place, write=write)
    kept = False
    try:
        engine = Engine(connection)
        ledgers, tables = engine.query("releases/ledger_is_there")[0]
        fresh = fresh and not ledgers  # another run may have made it meanwhile
        if not ledgers and (tables or not write):
            raise ConfigurationError(f"{place}: {path} is a database but no ledger; name a file of its own")
        if write:
            engine.run("BEGIN")
            engine.query("releases/ledger_make")
        yield Ledger(engine)
        if write:
            engine.run("COMMIT")
        kept = True
    finally:
        connection.close()
        if fresh and not kept:
            path.unlink(missing_ok=True)


def _connect(path: Path, place: str, *, write: bool) -> duckdb.DuckDBPyConnection:
    """Opens the file, and waits a while for another program that writes to it. Raises EngineError."""
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            return duckdb.connect(str(path), read_only=not write)
        except duckdb.Error as error:
            busy = isinstance(error, duckdb.IOException) and "lock" in str(error).lower()
            if busy and time.monotonic() < until:
                time.sleep(0.2)
                continue
            why = "another program uses it; wait for that" if busy else "it is no DuckDB file, or must not be written"
            raise EngineError(f"{place}: the ledger {path} cannot be opened: {why}") from error


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
    known = f"1 to {entries[-1].id}" if entries else "none, it is empty"
    raise ConfigurationError(f"{path}: there is no release {number}; expected one of the ledger: {known}")
