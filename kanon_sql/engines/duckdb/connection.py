"""DuckDB inside this process: a connection of our own, or one that was handed in, whose settings are left alone."""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import duckdb
from sqlglot import exp

from kanon_sql.config.load import LoadedConfig
from kanon_sql.engines.duckdb.frames import is_relation, read_frame
from kanon_sql.engines.job import ConfigLike, ConfiguredJob, Opened, standing_in
from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.source.duckdb import opened, refuse_calls, refuse_shadowing
from kanon_sql.source.formats.registry import telling_source
from kanon_sql.source.model import Source
from kanon_sql.source.opening import open_source, read_source_columns
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine, EngineOptions, Row, open_engine, start_engine
from kanon_sql.sql.template import state
from kanon_sql.sql.watching import report_changed_files
from kanon_sql.targets.opening import open_sink, prepare
from kanon_sql.targets.target import LocalSink

HANDED_IN = "data"  # in the place of a query that is configured
_LOCK = threading.Lock()
# By the identities of connections, each while a job runs on it.
_shared: dict[int, _Shared] = {}


@dataclass
class _Shared:
    """What the jobs on one connection share: the turn to use it, and the numbers of their scopes."""

    turn: AbstractContextManager[Any] = field(default_factory=threading.RLock)
    scopes: set[int] = field(default_factory=set)


@contextmanager
def _beside_others(connection: duckdb.DuckDBPyConnection) -> Iterator[AbstractContextManager[Any]]:
    """Gives the shared turn, in a scope that no other job on this connection has at the moment."""
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

    From writing until it is committed or rolled back, it holds the turn to use the connection.
    """

    plain_text = in_transaction = True
    stays = True
    connection: Any = None  # set on commit: it holds the release

    def __init__(self, name: exp.Table, turn: AbstractContextManager[Any], *, lasting: bool = True) -> None:
        self.name = name
        self.lasting = lasting
        self._turn = turn
        self._holds = ExitStack()
        self._begun = False

    def paths(self) -> tuple[list[Path], list[Path]]:
        return [], []

    def describe(self) -> str:
        return f"table {self.name.name}" if self.lasting else "memory"

    def write(self, engine: Engine, release: exp.Expr, source: Source, columns: list[str]) -> None:
        self._holds.enter_context(self._turn)
        if not _has_transaction(engine):
            engine.run("BEGIN")
            self._begun = True
        created = exp.Create(this=self.name.copy(), kind="TABLE", expression=release)
        if "temp" in (self.name.catalog, self.name.db):
            created.set("properties", exp.Properties(expressions=[exp.TemporaryProperty()]))
        engine.run(created)

    def written(self, engine: Engine) -> Source:
        return opened(engine, self.name, self.describe(), self.describe(), ())

    def commit(self, engine: Engine) -> None:
        if self._begun:
            engine.run("COMMIT")
            self._begun = False
        self._holds.close()
        self.connection = engine.connection

    def roll_back(self, engine: Engine) -> None:
        """Undoes what was not committed."""
        with self._holds:
            if self._begun:
                engine.run("ROLLBACK")


class DuckDBJob(ConfiguredJob):
    """DuckDB, with what a caller passed: a connection, the rows, the table to make; the rest is as configured.

    A target in a file is staged and locked before the source is looked at. A release without a target stays in the
    connection, which then is not closed at the end.
    """

    def __init__(self, loaded: LoadedConfig, handed: UserInput | None = None) -> None:
        super().__init__(loaded)
        self.handed = handed or UserInput()
        self.source_handed_in = self.handed.data is not None
        self.target_handed_in = self.handed.target is not None or loaded.config.target is None

    @contextmanager
    def open(self, options: EngineOptions) -> Iterator[Opened]:
        if self.handed.connection is None and not self.source_handed_in:
            prepare(self.loaded)
        with (
            self._engine(options, keep=self.target_handed_in) as (engine, turn),
            self._sink(engine, turn) as sink,
            telling_source(engine) as read,
        ):
            self.sink = sink
            yield Opened(engine, sink, partial(self._source, engine, read))

    @contextmanager
    def read(self, options: EngineOptions) -> Iterator[tuple[Engine, Source]]:
        with self._engine(options) as (engine, _), telling_source(engine) as read:
            yield engine, self._source(engine, read)

    @contextmanager
    def _engine(
        self, options: EngineOptions, *, keep: bool = False
    ) -> Iterator[tuple[Engine, AbstractContextManager[Any]]]:
        """(DuckDB, the turn to use it); where it stays open the program's own tables are dropped at the end."""
        if self.handed.connection is not None:
            with _in_turns(self.handed.connection, options) as engine_and_turn:
                yield engine_and_turn
        elif keep:
            engine = start_engine(options)
            try:
                with report_changed_files(engine.watch):
                    yield engine, nullcontext()
                drop_state(engine)
                release_files(engine)
            except BaseException:
                # Notebooks keep the frames of the last error, and all that they hold.
                engine.connection.close()
                engine.held.close()
                raise
        else:
            with open_engine(options) as engine:
                yield engine, nullcontext()

    @contextmanager
    def _sink(self, engine: Engine, turn: AbstractContextManager[Any]) -> Iterator[LocalSink]:
        if not self.target_handed_in:
            self._refuse_target()
            with open_sink(engine, self.loaded) as configured:
                yield configured
            return
        if self.handed.target is not None:
            sink = ConnectionSink(_table(str(self.handed.target)), turn)
        else:
            sink = ConnectionSink(_in_memory(own=self.handed.connection is None), turn, lasting=False)
        try:
            yield sink
        finally:
            sink.roll_back(engine)

    def _refuse_target(self) -> None:
        """Raises ConfigurationError for a target that does not go with what the caller passed."""
        target, place = self.loaded.config.target, self.loaded.place("target")
        if target is not None and target.in_place and self.source_handed_in:
            raise ConfigurationError(f"{place}: in-place replaces a file or a table; data= is neither: name a target")
        if target is not None and target.path is None and self.handed.connection is not None:
            raise ConfigurationError(
                f"{place}: a database is not written through connection=; expected target= (the table to make in it)"
            )

    def _source(self, engine: Engine, read: list[Source]) -> Source:
        """Opens the source and adds it to those that are `read`."""
        if self.handed.data is None:
            source = open_source(engine, self.loaded)
        else:
            opened = open_given(engine, self.handed.data, tuple(self.loaded.config.source.missing or ()))
            source = read_source_columns(opened, self.loaded)
        read.append(source)
        return source


def open_given(engine: Engine, data: Any, missing: tuple[str, ...], subject: str = "data") -> Source:
    """The rows that a caller passed, as a source: a table, view or relation of the user's connection, or a frame.

    `subject` names them in messages. Raises ConfigurationError or EngineError.
    """
    if isinstance(data, str):
        table = _table(data)
        refuse_calls(engine, table, subject)
        return opened(engine, table, "the relation", table.name, missing, kind="relation")
    if not engine.owned and is_relation(data):
        view = exp.Table(this=template.quoted(state("source_relation")))
        engine.run(f"CREATE OR REPLACE TEMP VIEW {view.sql('duckdb')} AS {data.sql_query()}")
        refuse_calls(engine, view, subject, own=view.name)
        return opened(engine, view, "the relation", view.name, missing, kind="relation")
    return read_frame(engine, data, missing, subject)


@contextmanager
def open_duckdb(options: EngineOptions, connection: Any = None) -> Iterator[Engine]:
    """A new connection, or the one that a caller passed, of which the program's own tables are dropped at the end."""
    if connection is None:
        with open_engine(options) as engine:
            yield engine
    else:
        with _in_turns(connection, options) as (engine, _):
            yield engine


@contextmanager
def _in_turns(connection: Any, options: EngineOptions) -> Iterator[tuple[Engine, AbstractContextManager[Any]]]:
    """(the user's connection, the turn to use it)."""
    with _beside_others(connection) as turn:
        engine = Engine(connection, owned=False, show_values=options.show_values, turn=turn)
        try:
            refuse_shadowing(engine, "the connection")
            with report_changed_files(engine.watch):
                yield engine, turn
        finally:
            drop_state(engine)
            engine.held.close()


@dataclass(frozen=True)
class UserInput:
    """What a caller passed in place of parts of a configuration.

    `data` are the rows: a frame (see read_frame), or, with a `connection`, a relation, table or view of it. `target` is
    the table to make in the connection, else a file.
    """

    data: Any = None
    connection: Any = None
    target: str | os.PathLike[str] | None = None


def _in_memory(*, own: bool) -> exp.Table:
    """The table of a release without a target: in a connection of our own, else a temporary one of the user."""
    if own:
        return exp.table_("release", db="main", catalog="memory", quoted=True)
    return exp.table_(f"released_by_kanon_sql_{secrets.token_hex(6)}", db="main", catalog="temp", quoted=True)


def release_files(engine: Engine) -> None:
    """Detaches the databases that a job read, so that other programs can write them again."""
    engine.run("USE memory")
    for name, *_ in engine.query("source/attached_databases"):
        engine.run(f"DETACH {template.quoted(name).sql('duckdb')}")
    engine.held.close()


def load_for_hand_in(
    config: ConfigLike, overrides: Iterable[tuple[str, Any]] = (), base: Path | None = None
) -> LoadedConfig:
    """The configuration without its source and target, which are passed later (see standing_in)."""
    return standing_in(
        config, {"source": {"query": HANDED_IN}, "target": None, "engine": {"name": "duckdb"}}, overrides, base
    )


def _has_transaction(engine: Engine) -> bool:
    """Whether the user has a transaction open: only then do two statements have the same transaction number."""
    return engine.query("engines/transaction_number") == engine.query("engines/transaction_number")


def _table(name: str) -> exp.Table:
    parts = exp.to_table(name, dialect="duckdb")
    if not isinstance(parts.this, exp.Identifier):
        raise ConfigurationError(f"{name!r} is no table name; expected table, schema.table or catalog.schema.table")
    for part in parts.find_all(exp.Identifier):
        part.set("quoted", True)
    return parts


def drop_state(engine: Engine) -> None:
    """Drops the program's own temporary tables, views and types; in a transaction that failed they go with it."""
    own: list[Row] = []
    with suppress(EngineError):
        own = engine.query("engines/own_state", values={"prefix": state("")})
    for kind, name in own:
        with suppress(EngineError):  # the others go all the same: they may hold values of the data
            engine.run(f"DROP {kind} IF EXISTS {template.quoted(name).sql('duckdb')}")
