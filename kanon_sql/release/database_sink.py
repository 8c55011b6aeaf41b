"""Targets that are tables of a DuckDB database file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlglot import exp

from kanon_sql.engine import template
from kanon_sql.engine.connection import Engine
from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.release.sink import LocalSink, shown
from kanon_sql.release.staging import Staged
from kanon_sql.source.database import attach, describe_relation
from kanon_sql.source.model import Source, select_keys

_CATALOG = "kanon_sql_target"


class _Tables(LocalSink):
    """What all tables share: they are made by CREATE TABLE AS in a transaction of their own."""

    plain_text = True

    def __init__(self, name: tuple[str, str], final: Path) -> None:
        self.name = name
        self.final = final
        self.catalog = _CATALOG

    def describe(self) -> str:
        return f"{'.'.join(self.name)} in {shown(self.final)}"

    def table(self) -> exp.Table:
        """The target table, fully named."""
        schema, name = self.name
        return exp.Table(this=template.quoted(name), db=template.quoted(schema), catalog=template.quoted(self.catalog))

    def written(self, engine: Engine) -> Source:
        columns, names = describe_relation(engine, self.table(), self.describe())
        return Source(
            kind="table",
            relation=select_keys(self.table(), names),
            columns=columns,
            missing=(),
            columnar=True,
            label=self.describe(),
        )

    def _create(self, engine: Engine, release: exp.Expr, *, replace: bool) -> None:
        engine.run(exp.Create(this=self.table(), kind="TABLE", expression=release, replace=replace))


class TableSink(_Tables):
    """A table of a database file that exists; the transaction is committed once the table is verified."""

    def __init__(
        self,
        engine: Engine,
        path: Path,
        name: tuple[str, str],
        *,
        overwrite: bool,
        place: str,
        shares_source: bool = False,
    ) -> None:
        super().__init__(name, path)
        self.overwrite = overwrite
        self.shares_source = shares_source
        # The source's own tables are found under the name that the file goes by.
        with _mask_of(path):
            self.catalog = attach(engine, path, read_only=False, name=None if shares_source else _CATALOG)
        if shares_source:
            self.warnings = (
                f"the database file {path.name} still holds the source's rows, deleted ones too: "
                "do not share the file itself",
            )
        there = engine.query("table_exists", values={"catalog": self.catalog, "schema": name[0], "name": name[1]})[0][0]
        if there and not overwrite:
            raise ConfigurationError(
                f"{place}: table {'.'.join(name)} exists already; name another or set overwrite: true"
            )

    def paths(self) -> tuple[list[Path], list[Path]]:
        return [self.final, self.final.with_name(self.final.name + ".wal")], []

    def write(self, engine: Engine, release: exp.Expr, source: Source, columns: list[str]) -> None:
        engine.run("BEGIN")
        try:
            self._create(engine, release, replace=self.overwrite)
        except EngineError:
            engine.run("ROLLBACK")
            raise

    def commit(self, engine: Engine) -> None:
        with _mask_of(self.final):
            engine.run("COMMIT")


class NewDatabaseSink(_Tables):
    """A table of a database file that is made for it."""

    def __init__(self, engine: Engine, staged: Staged, name: tuple[str, str]) -> None:
        super().__init__(name, staged.target)
        self.staged = staged
        _attach_new(engine, staged)

    def paths(self) -> tuple[list[Path], list[Path]]:
        return [], [self.staged.path.parent]

    def write(self, engine: Engine, release: exp.Expr, source: Source, columns: list[str]) -> None:
        if self.name[0] != "main":
            engine.run(
                exp.Create(
                    this=exp.Table(db=template.quoted(self.name[0]), catalog=template.quoted(self.catalog)),
                    kind="SCHEMA",
                )
            )
        self._create(engine, release, replace=False)

    def commit(self, engine: Engine) -> None:
        _detach(engine)
        self.staged.commit()


class ReplacedTableSink(_Tables):
    """A table replaced in place.

    Deleted texts stay in a database file even after CHECKPOINT and VACUUM, so everything else and the release are
    copied into a new file, which takes the place of the old one.
    """

    def __init__(self, staged: Staged, path: Path, name: tuple[str, str]) -> None:
        super().__init__(name, path)
        self.staged = staged

    def paths(self) -> tuple[list[Path], list[Path]]:
        return [], [self.staged.path.parent]

    def prepare(self, engine: Engine, source: Source) -> None:
        wal = self.final.with_name(self.final.name + ".wal")
        if wal.exists() and wal.stat().st_size:
            raise EngineError(
                f"{wal}: the database has changes that are not checkpointed; open and CHECKPOINT it first"
            )
        _attach_new(engine, self.staged)

    def write(self, engine: Engine, release: exp.Expr, source: Source, columns: list[str]) -> None:
        origin = source.relation.find(exp.Table)
        assert origin is not None
        catalog = template.quoted(origin.catalog).sql("duckdb")
        target = template.quoted(self.catalog).sql("duckdb")
        engine.run(f"COPY FROM DATABASE {catalog} TO {target} (SCHEMA)")
        engine.run(f"DROP TABLE {self.table().sql('duckdb')}")
        for schema, name in engine.query(
            "other_tables",
            values={
                "catalog": origin.catalog,
                "schema": self.name[0],
                "name": self.name[1],
            },
        ):
            copy = exp.Table(
                this=template.quoted(name), db=template.quoted(schema), catalog=template.quoted(self.catalog)
            )
            rows = exp.Table(
                this=template.quoted(name),
                db=template.quoted(schema),
                catalog=template.quoted(origin.catalog),
            )
            engine.run(exp.Insert(this=copy, expression=exp.select("*").from_(rows)))
        self._create(engine, release, replace=False)

    def commit(self, engine: Engine) -> None:
        _detach(engine)
        self.staged.commit(unchanged=True)


@contextmanager
def _mask_of(database: Path) -> Iterator[None]:
    """Files that the engine makes beside a database, as its write-ahead log, grant no more than the database does."""
    before = os.umask(0o777 & ~database.stat().st_mode)
    try:
        yield
    finally:
        os.umask(before)


def _attach_new(engine: Engine, staged: Staged) -> None:
    attach(engine, staged.path, read_only=False, name=_CATALOG)


def _detach(engine: Engine) -> None:
    engine.run(f"CHECKPOINT {_CATALOG}")
    engine.run(f"DETACH {_CATALOG}")
