"""Runs on a connection that was handed in: its tables are source and target, its settings are left alone."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import duckdb
from sqlglot import exp

from kanon_sql.config.load import LoadedConfig, from_mapping, load_config
from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.source.database import describe_relation, open_relation
from kanon_sql.source.model import Source, select_keys
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine, EngineOptions
from kanon_sql.sql.template import state
from kanon_sql.targets.target import LocalSink, Sink

_STANDS_IN = "handed in"


class ConnectionSink(LocalSink):
    """A table made in the user's connection, in one transaction unless the user has one open; temporary in `temp`."""

    plain_text = True

    def __init__(self, name: exp.Table) -> None:
        self.name = name
        self._in_transaction = False

    def paths(self) -> tuple[list[Path], list[Path]]:
        return [], []

    def describe(self) -> str:
        return f"table {self.name.name}"

    def write(self, engine: Engine, release: exp.Expr, source: Source, columns: list[str]) -> None:
        if not _has_transaction(engine):
            engine.run("BEGIN")
            self._in_transaction = True
        created = exp.Create(this=self.name.copy(), kind="TABLE", expression=release)
        if "temp" in (self.name.catalog, self.name.db):
            created.set("properties", exp.Properties(expressions=[exp.TemporaryProperty()]))
        engine.run(created)

    def written(self, engine: Engine) -> Source:
        columns, names = describe_relation(engine, self.name, self.describe())
        return Source(
            kind="table",
            relation=select_keys(self.name.copy(), names),
            columns=columns,
            missing=(),
            columnar=True,
            label=self.describe(),
        )

    def commit(self, engine: Engine) -> None:
        if self._in_transaction:
            engine.run("COMMIT")
            self._in_transaction = False

    def roll_back(self, engine: Engine) -> None:
        """Takes back what was not committed."""
        if self._in_transaction:
            engine.run("ROLLBACK")


class Job:
    """The engine, source and sink of a run on the user's connection."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, source: exp.Table, sink: ConnectionSink) -> None:
        self.connection = connection
        self.source = source
        self.sink = sink

    @contextmanager
    def open(self, options: EngineOptions) -> Iterator[tuple[Engine, Sink, Callable[[LoadedConfig], Source]]]:
        """The engine and the sink, and how the source is opened; the program's own tables are dropped at the end."""
        engine = Engine(self.connection, owned=False)
        try:
            yield (
                engine,
                self.sink,
                lambda loaded: open_relation(engine, self.source, tuple(loaded.config.source.missing or ())),
            )
        finally:
            self.sink.roll_back(engine)
            drop_state(engine)


def handed_in(
    config: str | os.PathLike[str] | Mapping[str, Any] | LoadedConfig,
    connection: duckdb.DuckDBPyConnection,
    source: str | duckdb.DuckDBPyRelation | None,
    target: str | None,
    overrides: Iterable[tuple[str, Any]],
) -> tuple[LoadedConfig, Job]:
    """The configuration and the job for a run on a user's connection. Raises ConfigurationError."""
    if source is None or target is None:
        raise ConfigurationError(
            "connection= needs source= (a table, view or relation) and target= (the table to make)"
        )
    loaded = load_for_hand_in(config, overrides)
    if isinstance(source, str):
        relation = _table(source)
    else:
        relation = exp.Table(this=template.quoted(state("source_relation")))
        view = relation.sql("duckdb")
        Engine(connection, owned=False).run(f"CREATE OR REPLACE TEMP VIEW {view} AS {source.sql_query()}")
    return loaded, Job(connection, relation, ConnectionSink(_table(target)))


def load_for_hand_in(
    config: str | os.PathLike[str] | Mapping[str, Any] | LoadedConfig,
    overrides: Iterable[tuple[str, Any]] = (),
    base: Path | None = None,
) -> LoadedConfig:
    """The configuration without regard to its source and target, which are handed in.

    Paths in a mapping refer to `base`, or the working folder. Raises ConfigurationError with every problem.
    """
    stand_ins = {"path": _STANDS_IN}
    if isinstance(config, LoadedConfig):
        return config
    if not isinstance(config, Mapping):
        return load_config(config, [*overrides, ("source", stand_ins), ("target", _STANDS_IN)])
    given = config.get("source")
    missing = {"missing": given["missing"]} if isinstance(given, Mapping) and "missing" in given else {}
    return from_mapping({**config, "source": {**stand_ins, **missing}, "target": _STANDS_IN}, base, overrides)


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


def drop_state(engine: Engine) -> None:
    """Drops the program's own temporary tables, views and types; in a transaction that failed they go with it."""
    with suppress(EngineError):
        _drop_state(engine)


def _drop_state(engine: Engine) -> None:
    for kind, name in engine.query("engines/own_state", values={"prefix": state("")}):
        engine.run(f"DROP {kind} IF EXISTS {template.quoted(name).sql('duckdb')}")
