"""Targets in an engine beside DuckDB: the release is made there, counted there, and put in place once it verified."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlglot import exp

from kanon_sql.config.load import LoadedConfig
from kanon_sql.dialects.model import refuse_column_names
from kanon_sql.dialects.write import write
from kanon_sql.engine.connection import Engine
from kanon_sql.engine.template import state
from kanon_sql.engines.counting import counted_source
from kanon_sql.engines.model import Warehouse
from kanon_sql.prepared import Prepared
from kanon_sql.release.body import Asked, Body, set_with, with_of
from kanon_sql.release.compiled_source import own_columns, participating
from kanon_sql.release.sink import LocalSink, Sink
from kanon_sql.solution import Solution
from kanon_sql.source.model import Column, Source


@dataclass(frozen=True)
class Release:
    """A release as the statement that makes it; `judged` are the columns that its classes are counted by."""

    sql: str
    body: Body
    judged: tuple[str, ...]


def release_of(
    engine: Engine, loaded: LoadedConfig, prepared: Prepared, solution: Solution, home: Warehouse
) -> Release:
    """Compiles a solution for the engine that holds the rows, and loads the tables of values that it reads."""
    config = loaded.config.release
    masks = config.suppressed == "mask"
    asked = Asked(
        rows=participating(loaded, prepared, lambda needed: own_columns(prepared.source, needed)),
        missing=prepared.source.missing,
        order=config.order,
        as_text=masks,
        masks=masks,
        executed=True,
    )
    body = solution.compiled(asked)
    refuse_column_names(home.dialect, [one.name for one in body.released], loaded.place())
    statement = body.statement
    used = {table.name for table in statement.find_all(exp.Table)}
    listed = [home.listed(one) for one in body.listings if one.name in used]
    set_with(statement, [*listed, *with_of(statement).expressions])
    judged = [one.name for one in body.released if one.is_quasi_identifier]
    spoken = [model.column for model in prepared.models.models if model.column is not None]
    return Release(write(statement, home.dialect), body, tuple(dict.fromkeys([*judged, *spoken])))


def write_release(
    engine: Engine, loaded: LoadedConfig, prepared: Prepared, solution: Solution, home: Warehouse, sink: Sink
) -> None:
    """Makes the release where the rows are, or takes it from there to a file of this machine."""
    release = release_of(engine, loaded, prepared, solution, home)
    if isinstance(sink, WarehouseSink):
        sink.make(release)
    else:
        assert isinstance(sink, LocalSink)
        columns = [(one.name, one.described) for one in release.body.released]
        sink.write(engine, home.fetched(release.sql, columns), prepared.source, [name for name, _ in columns])


def there_already(what: str) -> str:
    """What is said of a target that is not to be replaced."""
    return f"{what} exists already; name another or set overwrite: true"


class WarehouseSink(Sink):
    """A table or a folder that the engine writes."""

    def __init__(self, home: Warehouse) -> None:
        self.home = home
        self._judged: tuple[str, ...] = ()

    def refuse(self, released: Sequence[Column], place: str) -> None:
        super().refuse(released, place)
        refuse_column_names(self.home.dialect, [item.name for item in released], place)

    def paths(self) -> tuple[list[Path], list[Path]]:
        return [], []

    def make(self, release: Release) -> None:
        """Makes the release beside the target. Raises EngineError."""
        self._judged = release.judged
        self._create(release)

    def written(self, engine: Engine) -> Source:
        return counted_source(engine, self._opened(), self._judged, state("written_classes"))

    @abstractmethod
    def _create(self, release: Release) -> None:
        """Runs the statement into a place beside the target."""

    @abstractmethod
    def _opened(self) -> Source:
        """What was made, opened anew."""
