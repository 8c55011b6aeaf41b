"""Targets that are tables of a DuckDB database file."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from sqlglot import exp

from kanon_sql.config.model import TargetConfig
from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.source.duckdb import attach, opened
from kanon_sql.source.lake import is_catalog
from kanon_sql.source.model import Column, Source
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine, literal, naming
from kanon_sql.sql.template import column
from kanon_sql.targets.database_copy import DatabaseCopy, Name, dotted, folded, table_of
from kanon_sql.targets.staging import Staged
from kanon_sql.targets.staging_permissions import mask_of
from kanon_sql.targets.target import LocalSink, shown

CATALOG, _OLD_CATALOG = "kanon_sql_target", "kanon_sql_replaced"


class DatabaseTable(LocalSink):
    """What all tables share: CREATE TABLE AS in a transaction of their own."""

    plain_text = True

    def __init__(self, name: Name, final: Path) -> None:
        self.name = name
        self.final = final
        self.catalog = CATALOG

    def describe(self) -> str:
        return f"{'.'.join(self.name)} in {shown(self.final)}"

    def table(self) -> exp.Table:
        return table_of(self.catalog, self.name)

    def written(self, engine: Engine) -> Source:
        return opened(engine, self.table(), self.describe(), self.describe(), ())

    def again(self, engine: Engine) -> Source:
        table = table_of(attach(engine, self.final), self.name)
        return opened(engine, table, self.describe(), self.describe(), ())

    def _create(self, engine: Engine, release: exp.Expr, *, replace: bool) -> None:
        engine.run(exp.Create(this=self.table(), kind="TABLE", expression=release, replace=replace))


class CreatedTable(DatabaseTable):
    """A table of a new database file that is written with others, and goes into place with them."""

    def paths(self) -> tuple[list[Path], list[Path]]:
        return [], [self.final.parent]

    def write(self, engine: Engine, release: exp.Expr, source: Source, columns: list[str]) -> None:
        self._create(engine, release, replace=False)

    def commit(self, engine: Engine) -> None:
        """Nothing: the database is moved into place as a whole."""


class TableSink(DatabaseTable):
    """A table made in a database file itself; the transaction is committed once the table is verified.

    The file keeps what was written before the end of a run that fails, and what the table held before.
    """

    in_transaction = True

    def __init__(
        self, engine: Engine, path: Path, name: Name, target: TargetConfig, place: str, *, shares_source: bool
    ) -> None:
        super().__init__(name, path)
        self.overwrite = target.overwrite
        # The source's own tables are found under the name that the file goes by.
        with mask_of(path):
            self.catalog = attach(engine, path, read_only=False, name=None if shares_source else CATALOG)
        if is_catalog(engine, self.catalog):
            raise ConfigurationError(f"{place}: {path.name} is the catalog of a lake; expected ducklake:{path.name}")
        remains = (
            "the source's rows, deleted ones too" if shares_source else "rows of replaced tables and of failed runs"
        )
        self.warnings = (f"the database file {path.name} still holds {remains}: do not share the file itself",)
        refuse_existing(engine, self.catalog, name, target, place)

    def paths(self) -> tuple[list[Path], list[Path]]:
        return [self.final, self.final.with_name(self.final.name + ".wal")], []

    def write(self, engine: Engine, release: exp.Expr, source: Source, columns: list[str]) -> None:
        engine.run("BEGIN")
        try:
            self._create(engine, release, replace=self.overwrite)
        except EngineError:
            with suppress(EngineError):  # what failed may have ended the transaction
                engine.run("ROLLBACK")
            raise

    def commit(self, engine: Engine) -> None:
        with mask_of(self.final):
            engine.run("COMMIT")


class StagedDatabase(DatabaseTable):
    """A table in a new file that holds all of the `old` database too, and replaces it."""

    def __init__(self, staged: Staged, name: Name, target: TargetConfig, place: str, old: str | None) -> None:
        super().__init__(name, staged.target)
        self.staged = staged
        self.target = target
        self.place = place
        self.old = old
        self.warnings = staged.warnings()
        self._released: Sequence[Column] = ()

    def refuse(self, released: Sequence[Column], place: str) -> None:
        super().refuse(released, place)
        self._released = released

    def keep(self) -> None:
        self.staged.kept = True

    def _refuse_broken(self, broken: list[str]) -> None:
        """Refuses a release without which views and the like worked. Raises ConfigurationError."""
        if broken and not self.target.allow_broken:
            raise ConfigurationError(
                f"{self.place}: {self.final.name} would hold what no longer works with the released table: "
                f"{', '.join(broken)}; change or drop them first, or set target.allow_broken: true"
            )


class DatabaseSink(StagedDatabase):
    """A table in a new database file, which replaces the old one where there is one.

    Deleted rows, and those of runs that failed, stay in a database file even after CHECKPOINT and VACUUM, so everything
    else of an old one is copied beside the release into a new file.
    """

    def __init__(
        self, engine: Engine, staged: Staged, name: Name, target: TargetConfig, place: str, *, old: str | None = None
    ) -> None:
        super().__init__(staged, name, target, place, old)
        self._copy: DatabaseCopy | None = None
        storage = ""
        if old is not None:
            with naming(self.final):
                version, block_size = engine.query("targets/storage", values={"catalog": old})[0]
                self._copy = DatabaseCopy(engine, old, CATALOG, name)
            storage = f"STORAGE_VERSION {literal(version.rstrip('+')).sql('duckdb')}, BLOCK_SIZE {int(block_size)}"
            self.name = self._copy.name or name
        attach(engine, staged.path, read_only=False, name=CATALOG, options=storage)

    def paths(self) -> tuple[list[Path], list[Path]]:
        return [], [self.staged.path.parent]

    def staged_file(self) -> Path:
        return self.staged.path

    def prepare(self, engine: Engine, source: Source) -> None:
        copied = self._copy
        if copied is None:
            schema = exp.Table(db=template.quoted(self.name[0]), catalog=template.quoted(self.catalog))
            engine.run(exp.Create(this=schema, kind="SCHEMA", exists=True))
            return
        with naming(self.final):
            copied.copy_schema()
        # An empty table of the columns as they are tells early which views miss one that is not released.
        self._create(engine, empty_release(source, self._released), replace=False)
        self._refuse_broken(copied.broken())
        engine.run(f"DROP TABLE {dotted(self.catalog, self.name)}")

    def write(self, engine: Engine, release: exp.Expr, source: Source, columns: list[str]) -> None:
        with naming(self.final):
            lost = self._copy.copy_rows() if self._copy else []
        self._create(engine, release, replace=False)
        if self._copy is None:
            return
        if self._copy.name is not None:
            lost += self._copy.carry_over(self._copy.name)
        broken = self._copy.broken()
        self._refuse_broken(broken)
        self.warnings += tuple(self._copy.describe(lost, broken))

    def written(self, engine: Engine) -> Source:
        # What is verified is the file, not what the engine remembers of it.
        engine.run(f"CHECKPOINT {CATALOG}")
        engine.run(f"DETACH {CATALOG}")
        attach(engine, self.staged.path, name=CATALOG)
        return super().written(engine)

    def commit(self, engine: Engine) -> None:
        engine.run(f"DETACH {CATALOG}")
        # An old database stays attached, so that no other program can change it in the meantime; where there was none,
        # or an empty file, one may have been made there.
        self.staged.commit(unchanged=True)


def empty_release(source: Source, released: Sequence[Column]) -> exp.Select:
    """The columns that are released, as the source has them, without a row."""
    columns = [exp.alias_(col.released(column(col.key)), col.name, quoted=True) for col in released]
    rows = source.relation.copy()
    for parameter in list(rows.find_all(exp.Parameter)):
        parameter.replace(exp.null())  # keys are not made use of yet, and NULL in the place of each changes no type
    return exp.select(*columns).from_(rows.subquery("source_rows")).limit(0)


def open_old(engine: Engine, path: Path, *, shares_source: bool) -> str:
    """Attaches a database that is going to be replaced; gives its catalog. Raises EngineError."""
    log = path.with_name(path.name + ".wal")
    if log.exists() and log.stat().st_size:
        raise EngineError(f"{log}: the database has changes that are not checkpointed; open and CHECKPOINT it first")
    # The source's own tables are found under the name that the file goes by.
    return attach(engine, path, name=None if shares_source else _OLD_CATALOG)


def refuse_existing(engine: Engine, catalog: str, name: Name, target: TargetConfig, place: str) -> None:
    """Refuses a view, and a table that exists and may not be overwritten. Raises ConfigurationError."""
    refuse_view(engine, catalog, name, place)
    exists = engine.query("source/table_exists", values={"catalog": catalog, "schema": name[0], "name": name[1]})[0][0]
    if exists and not target.overwrite:
        raise ConfigurationError(
            f"{place}: table {'.'.join(name)} exists already; name another or set overwrite: true (--overwrite)"
        )


def refuse_view(engine: Engine, catalog: str, name: Name, place: str) -> None:
    """Refuses a view, which no table can replace. Raises ConfigurationError."""
    views = engine.query("targets/views", values={"catalog": catalog})
    if folded(name) in [folded((schema, view)) for schema, view in views]:
        raise ConfigurationError(f"{place}: {'.'.join(name)} is a view, which no release replaces; name a table")
