"""Another engine that holds the rows, without a server: a connection of DuckDB of its own, with a job and a target.

What all engines share (kanon_sql.engines.remote and job) runs on it as on a server, in the tests that need none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import duckdb
from shared_engine import insert
from sqlglot import exp

from kanon_sql.config.load import LoadedConfig
from kanon_sql.config.model import TargetConfig
from kanon_sql.engines.job import RemoteJob
from kanon_sql.engines.remote import Remote, RemoteRelease, RemoteSink, target_of
from kanon_sql.settings.algorithms import Abilities
from kanon_sql.source.model import Column, Source, select_keys
from kanon_sql.sql.connection import Engine, EngineOptions, Row
from kanon_sql.sql.dialects import find_dialect
from kanon_sql.sql.writing import Listing
from kanon_sql.targets.target import Sink


class Elsewhere(Remote):
    """The connection `server` as the engine that holds the rows; `texts` are the statements that it was sent."""

    abilities = Abilities("postgres", files=False)
    dialect = find_dialect("duckdb")

    def __init__(self, server: duckdb.DuckDBPyConnection) -> None:
        super().__init__(show_values=False)
        self.server = server
        self.texts: list[str] = []

    def rows(self, sql: str) -> list[Row]:
        self.statements += 1
        self.texts.append(sql)
        return self.server.execute(sql).fetchall()

    def open_source(self, loaded: LoadedConfig) -> Source:
        return self.opened(str(loaded.config.source.table))

    def opened(self, name: str, kind: str = "table") -> Source:
        """A table of the server as a source."""
        table = exp.to_table(name)
        described = self.rows(f"DESCRIBE {table.sql('duckdb')}")
        columns = tuple(Column(row[0], f"c{i}", row[1]) for i, row in enumerate(described))
        relation = select_keys(table, [column.name for column in columns])
        return Source(kind, relation, columns, (), True, name, self)

    def open_release(self, engine: Engine, loaded: LoadedConfig, missing: tuple[str, ...]) -> Source | None:
        target = loaded.config.target
        assert target is not None
        return self.opened(str(target.table)) if self.has(str(target.table)) else None

    def has(self, name: str) -> bool:
        """Whether the server has a table of this name."""
        return (name,) in self.rows("SHOW TABLES")

    def holds(self, target: TargetConfig) -> bool:
        return target.path is None

    def fingerprint(self, sql: str, *, missing: str | None) -> Row:
        cells = "hashed" if missing is None else f"coalesce(CAST(columns(*) AS VARCHAR), '{missing}')"
        hashes = f"SELECT {cells} FROM ({sql}) AS hashed"
        return self.rows(f"SELECT count(*), CAST(sum(hash(made)) AS VARCHAR) FROM ({hashes}) AS made")[0]

    def copy_to(self, engine: Engine, sql: str, columns: Sequence[tuple[str, str]], table: str) -> None:
        defined = ", ".join(f'"{name}" {kind}' for name, kind in columns)
        engine.run(f'CREATE OR REPLACE TEMP TABLE "{table}" ({defined})')
        insert(engine.connection, f'"{table}"', self.rows(sql))

    def make(self, statement: exp.Expr, name: str) -> exp.Table:
        self.rows(f'CREATE OR REPLACE TEMP TABLE "{name}" AS {self.written(statement)}')
        return exp.to_table(name)

    def load(self, name: str, listing: Listing) -> exp.Table:
        columns, rows = listing.stored()
        self.rows(f'CREATE OR REPLACE TEMP TABLE "{name}" ({", ".join(" ".join(column) for column in columns)})')
        for row in rows:
            self.server.execute(f'INSERT INTO "{name}" VALUES ({", ".join("?" * len(row))})', list(row))
        return exp.to_table(name)

    def forget(self, kept: exp.Table) -> None:
        self.rows(f"DROP TABLE {kept.sql('duckdb')}")


class ElsewhereTable(RemoteSink):
    """A table there, made beside the target and renamed at the commit."""

    remote: Elsewhere

    def describe(self) -> str:
        return f"{self.target.table} elsewhere"

    def _create(self, release: RemoteRelease) -> None:
        self.remote.rows(f"CREATE OR REPLACE TABLE made_beside AS {release.sql}")

    def _opened(self) -> Source:
        return self.remote.opened("made_beside")

    def commit(self, engine: Engine) -> None:
        self.remote.rows(f"ALTER TABLE made_beside RENAME TO {self.target.table}")


class ElsewhereJob(RemoteJob[Elsewhere]):
    """A run whose rows the server of the class holds."""

    server: duckdb.DuckDBPyConnection

    @contextmanager
    def connect(self, options: EngineOptions) -> Iterator[Elsewhere]:
        yield Elsewhere(self.server)

    @contextmanager
    def open_target(self, remote: Elsewhere) -> Iterator[Sink]:
        target, place = target_of(self.loaded)
        yield ElsewhereTable(remote, target, place)


def configured(**parts: Any) -> dict[str, Any]:
    """A configuration of a run there, of the table people."""
    return {
        "engine": {"postgres": "elsewhere"},
        "source": {"table": "people"},
        "target": {"table": "released"},
        **parts,
    }
