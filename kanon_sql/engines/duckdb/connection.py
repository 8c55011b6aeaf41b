"""DuckDB inside this process: a connection of our own, or one that was handed in, whose settings are left alone."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import duckdb
from sqlglot import exp

from kanon_sql.config.load import LoadedConfig
from kanon_sql.engines.job import ConfiguredJob, Given, Job, Opened, standing_in
from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.source.duckdb import opened
from kanon_sql.source.model import Source
from kanon_sql.source.opening import open_source
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine, EngineOptions, open_engine
from kanon_sql.sql.template import state
from kanon_sql.targets.opening import open_sink, prepare
from kanon_sql.targets.target import LocalSink

_STANDS_IN = "handed in"
_LOCK = threading.Lock()


@dataclass
class _Shared:
    """What the jobs that run on one connection share: the turn to ask it something, and the numbers of their scopes."""

    turn: AbstractContextManager[Any] = field(default_factory=threading.RLock)
    scopes: set[int] = field(default_factory=set)


# By the identities of connections, each while a job runs on it.
_shared: dict[int, _Shared] = {}


@contextmanager
def _beside_others(connection: duckdb.DuckDBPyConnection) -> Iterator[AbstractContextManager[Any]]:
    """A scope that no other job on this connection has at the moment; the turn that they share."""
    with _LOCK:
        shared = _shared.setdefault(id(connection), _Shared())
        number = next(number for number in count() if number not in shared.scopes)
        shared.scopes.add(number)
    try:
        with template.scoped(number):
            yield shared.turn
    finally:
        with _LOCK:
            shared.scopes.remove(number)
            if not shared.scopes:
                del _shared[id(connection)]


class ConnectionSink(LocalSink):
    """A table made in the user's connection, in one transaction unless the user has one open; temporary in `temp`.

    Until it is committed or rolled back it is the `turn` of this job.
    """

    plain_text = True

    def __init__(self, name: exp.Table, turn: AbstractContextManager[Any]) -> None:
        self.name = name
        self._turn = turn
        self._holds = ExitStack()
        self._in_transaction = False

    def paths(self) -> tuple[list[Path], list[Path]]:
        return [], []

    def describe(self) -> str:
        return f"table {self.name.name}"

    def write(self, engine: Engine, release: exp.Expr, source: Source, columns: list[str]) -> None:
        self._holds.enter_context(self._turn)
        if not _has_transaction(engine):
            engine.run("BEGIN")
            self._in_transaction = True
        created = exp.Create(this=self.name.copy(), kind="TABLE", expression=release)
        if "temp" in (self.name.catalog, self.name.db):
            created.set("properties", exp.Properties(expressions=[exp.TemporaryProperty()]))
        engine.run(created)

    def written(self, engine: Engine) -> Source:
        return opened(engine, self.name, self.describe(), self.describe(), ())

    def commit(self, engine: Engine) -> None:
        if self._in_transaction:
            engine.run("COMMIT")
            self._in_transaction = False
        self._holds.close()

    def roll_back(self, engine: Engine) -> None:
        """Takes back what was not committed."""
        with self._holds:
            if self._in_transaction:
                engine.run("ROLLBACK")


class ConnectionJob(Job):
    """The user's connection; the program's own tables are dropped at the end."""

    handed_in = True

    def __init__(
        self,
        config: Given,
        connection: duckdb.DuckDBPyConnection,
        source: str | duckdb.DuckDBPyRelation | None,
        target: str | None,
        overrides: Iterable[tuple[str, Any]],
    ) -> None:
        if source is None or target is None:
            raise ConfigurationError(
                "connection= needs source= (a table, view or relation) and target= (the table to make)"
            )
        super().__init__(load_for_hand_in(config, overrides))
        self.connection = connection
        self.source = _table(source) if isinstance(source, str) else source
        self.target = _table(target)

    @contextmanager
    def open(self, options: EngineOptions) -> Iterator[Opened]:
        missing = tuple(self.loaded.config.source.missing or ())
        with _beside_others(self.connection) as turn:
            engine = Engine(self.connection, owned=False, turn=turn)
            sink = ConnectionSink(self.target, turn)
            try:
                rows = self.source if isinstance(self.source, exp.Table) else _view(engine, self.source)
                yield Opened(
                    engine, sink, lambda: opened(engine, rows, "the relation", rows.name, missing, kind="relation")
                )
            finally:
                sink.roll_back(engine)
                drop_state(engine)


def load_for_hand_in(
    config: Given, overrides: Iterable[tuple[str, Any]] = (), base: Path | None = None
) -> LoadedConfig:
    """The configuration without regard to its source and target, which are handed in (see standing_in)."""
    return standing_in(config, {"source": {"path": _STANDS_IN}, "target": _STANDS_IN}, overrides, base)


def _has_transaction(engine: Engine) -> bool:
    """Whether the user has a transaction open: only then do two statements share its number."""
    return engine.query("engines/transaction_number") == engine.query("engines/transaction_number")


def _table(name: str) -> exp.Table:
    parts = exp.to_table(name, dialect="duckdb")
    if not isinstance(parts.this, exp.Identifier):
        raise ConfigurationError(f"{name!r} is no table name; expected table, schema.table or catalog.schema.table")
    for part in parts.find_all(exp.Identifier):
        part.set("quoted", True)
    return parts


def _view(engine: Engine, relation: duckdb.DuckDBPyRelation) -> exp.Table:
    view = exp.Table(this=template.quoted(state("source_relation")))
    engine.run(f"CREATE OR REPLACE TEMP VIEW {view.sql('duckdb')} AS {relation.sql_query()}")
    return view


def drop_state(engine: Engine) -> None:
    """Drops the program's own temporary tables, views and types; in a transaction that failed they go with it."""
    with suppress(EngineError):
        for kind, name in engine.query("engines/own_state", values={"prefix": state("")}):
            engine.run(f"DROP {kind} IF EXISTS {template.quoted(name).sql('duckdb')}")


class DuckDBJob(ConfiguredJob):
    """A connection of our own; the target is staged and locked before the source is looked at."""

    @contextmanager
    def open(self, options: EngineOptions) -> Iterator[Opened]:
        prepare(self.loaded)
        with open_engine(options) as engine, open_sink(engine, self.loaded) as sink:
            yield Opened(engine, sink, lambda: open_source(engine, self.loaded))

    @contextmanager
    def read(self, options: EngineOptions) -> Iterator[tuple[Engine, Source]]:
        with open_engine(options) as engine:
            yield engine, open_source(engine, self.loaded)
