"""Targets in an engine beside DuckDB: the release is made there, counted there, and put in place once it verified."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlglot import exp

from kanon_sql.config.load import LoadedConfig
from kanon_sql.engines.counting import counted_source
from kanon_sql.engines.model import Warehouse
from kanon_sql.release.body import Asked, Body, set_with, with_of
from kanon_sql.release.compiled_source import own_columns, participating
from kanon_sql.release.release import Release
from kanon_sql.release.verify import reading_again
from kanon_sql.source.model import Column, Source
from kanon_sql.sql.connection import Engine, Row
from kanon_sql.sql.dialects.dialect import refuse_column_names
from kanon_sql.sql.dialects.write import write
from kanon_sql.sql.template import column, state
from kanon_sql.targets.target import LocalSink, Sink

_PLAIN_TEXTS = ("VARCHAR", "BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "DATE")


@dataclass(frozen=True)
class RemoteRelease:
    """A release as the statement of the engine that makes it; its classes are counted by the columns `judged`."""

    sql: str
    body: Body
    judged: tuple[str, ...]


def remote_release(loaded: LoadedConfig, release: Release, home: Warehouse) -> RemoteRelease:
    """Compiles a release for the engine that holds the rows, and loads the tables of values that it reads."""
    config, prepared = loaded.config.release, release.problem
    masks = config.suppressed == "mask"
    asked = Asked(
        rows=participating(loaded, prepared, lambda needed: own_columns(prepared.source, needed)),
        missing=prepared.source.missing,
        order=config.order,
        as_text=masks,
        masks=masks,
        executed=True,
    )
    body = release.compiled(asked)
    refuse_column_names(home.dialect, [one.name for one in body.released], loaded.place())
    statement = body.statement
    used = {table.name for table in statement.find_all(exp.Table)}
    listed = [home.listed(one) for one in body.listings if one.name in used]
    set_with(statement, [*listed, *with_of(statement).expressions])
    judged = [one.name for one in body.released if one.is_quasi_identifier]
    spoken = [model.column for model in prepared.models.models if model.column is not None]
    return RemoteRelease(write(statement, home.dialect), body, tuple(dict.fromkeys([*judged, *spoken])))


def write_release(
    engine: Engine, loaded: LoadedConfig, release: Release, home: Warehouse, sink: Sink
) -> exp.Expr | None:
    """Makes the release where the rows are, or takes it from there to a file of this machine: by which statement."""
    made = remote_release(loaded, release, home)
    if isinstance(sink, WarehouseSink):
        sink.make(made)
        return None
    assert isinstance(sink, LocalSink)
    columns = [(one.name, one.described) for one in made.body.released]
    fetched = home.fetched(made.sql, columns)
    sink.write(engine, fetched, release.problem.source, [name for name, _ in columns])
    return fetched


def there_already(what: str) -> str:
    """What is said of a target that is not to be replaced."""
    return f"{what} exists already; name another or set overwrite: true (--overwrite)"


class WarehouseSink(Sink):
    """A table or a folder that the engine writes."""

    def __init__(self, home: Warehouse) -> None:
        self.home = home
        self._release: RemoteRelease | None = None
        self._source: Source | None = None

    def refuse(self, released: Sequence[Column], place: str) -> None:
        super().refuse(released, place)
        refuse_column_names(self.home.dialect, [item.name for item in released], place)

    def paths(self) -> tuple[list[Path], list[Path]]:
        return [], []

    def make(self, release: RemoteRelease) -> None:
        """Makes the release beside the target. Raises EngineError."""
        self._release = release
        self._create(release)

    def written(self, engine: Engine) -> Source:
        assert self._release is not None
        self._source = self._opened()
        return counted_source(engine, self._source, self._release.judged, state("written_classes"))

    def fingerprints(self) -> tuple[int, Row, Row]:
        """(columns that could be compared, the fingerprint of what was written, that of the release made again)."""
        assert self._release is not None
        assert self._source is not None
        body, source, home = self._release.body, self._source, self.home
        statement = body.statement.copy()
        statement.set("order", None)
        columns = [
            one
            for one in body.released
            # Where classes share tuples their rows are dealt out anew each time.
            if not (one.is_quasi_identifier and statement.find(exp.Rand))
            # CSV has its own texts of other types.
            and (not source.only_texts or one.described in _PLAIN_TEXTS)
        ]
        if not columns:
            return 0, (), ()
        missing = "" if source.only_texts else None
        found = exp.select(*(column(source.column(one.name).key) for one in columns))
        made = exp.select(*(column(one.name) for one in columns))
        with reading_again():
            read = home.written(found.from_(source.relation.copy().subquery("written_rows")))
            written = home.fingerprint(read, missing=missing)
        again = home.written(made.from_(statement.subquery("made_rows")))
        return len(columns), written, home.fingerprint(again, missing=missing)

    @abstractmethod
    def _create(self, release: RemoteRelease) -> None:
        """Runs the statement into a place beside the target."""

    @abstractmethod
    def _opened(self) -> Source:
        """What was made, opened anew."""
