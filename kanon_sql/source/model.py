"""What a source is to the rest of the program."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from sqlglot import exp

from kanon_sql.config.load import LoadedConfig
from kanon_sql.config.model import TargetConfig
from kanon_sql.errors import ConfigurationError
from kanon_sql.settings.algorithms import Abilities
from kanon_sql.settings.columns import LATIN1, UTF8, WINDOWS
from kanon_sql.settings.formats import only_texts, read_by_engine
from kanon_sql.settings.treatments import TreatmentConfig
from kanon_sql.source.reading import Reading
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine, Row
from kanon_sql.sql.dialects import Dialect
from kanon_sql.sql.writing import Listing

Kind = str  # table, query, relation, or the name of a format
Role = Literal["identifier", "quasi_identifier", "sensitive", "insensitive", "dropped"]


@dataclass(frozen=True)
class CsvDialect:
    """How a CSV source is written; a CSV release of it is written the same way.

    With `formulas` texts that look like formulas are escaped in this file (see kanon_sql.source.formats.csv_reading); a
    release does not take that over. Files in an `encoding` that the engine does not read have `copies` in UTF-8, which
    it reads instead. `skipped` lines of each file are neither header nor record; a release has none of them.
    """

    delimiter: str
    quote: str
    escape: str
    header: bool
    encoding: str
    line_end: str = "\n"
    formulas: bool = False
    skipped: int = 0
    copies: Mapping[Path, Path] = field(default_factory=dict, compare=False)

    @property
    def engine_encoding(self) -> str:
        """The encoding that the engine is given. Without letters of its own Windows-1252 is Latin-1."""
        if self.copies:
            return UTF8
        return LATIN1 if self.encoding == WINDOWS else self.encoding

    def file_read(self, path: Path) -> Path:
        """The file that the engine reads for a file of the source: its copy, if there is one."""
        return self.copies.get(path, path)


@dataclass(frozen=True)
class Column:
    """A column: `name` is the user's, `key` the one in the program's statements, `type` as DuckDB describes it.

    `reading` says how the texts of a column are understood, where the configuration or a treatment says so, `as_text`
    that its values are of a type that is read as its texts.
    """

    name: str
    key: str
    type: str
    reading: Reading | None = None
    as_text: bool = False

    @property
    def is_text(self) -> bool:
        """Whether the column holds texts, to which `missing` applies."""
        return self.type == "VARCHAR"

    @property
    def released_type(self) -> str:
        """The type that is released: text instead of ENUM, nested ones too, as an ENUM lists every value."""
        return self.type if "ENUM(" not in self.type else _without_enum(self.type).sql("duckdb")

    def released(self, value: exp.Expr) -> exp.Expr:
        """A value of the column in the type that is released."""
        return value if "ENUM(" not in self.type else exp.Cast(this=value, to=_without_enum(self.type))


@dataclass(frozen=True)
class UniqueValues:
    """How many of the rows `looked_at` hold a unique value in a column."""

    column: Column
    rows: int
    looked_at: int


class Backend(ABC):
    """The engine that holds the rows of a source: DuckDB itself, or another one, of which DuckDB gets only counts.

    Statements are given as syntax trees in the portable core of SQL. A subclass sets `abilities`, `dialect` and, where
    DuckDB reads files of this machine, the `folders` of these. What DuckDB is `given` are rows or, with `weighted`,
    their distinct combinations, each with its rows as row_count. Use:

        relation = source.backend.given(engine, source.relation, columns)  # some columns, as DuckDB can read them

    kanon_sql.source.duckdb.DuckDB implements it in this process, kanon_sql.engines.remote.Remote for other engines.
    """

    abilities: Abilities
    dialect: Dialect
    folders: tuple[Path, ...] = ()
    weighted = False

    @property
    def takes_tables(self) -> bool:
        """Whether tables of a run can be made where the rows are (see `keep`)."""
        return True

    @property
    @abstractmethod
    def statements(self) -> int:
        """How many statements the engine has been given."""

    @abstractmethod
    def query(self, name: template.Statement, *, values: Mapping[str, Any] | None = None, **holes: Any) -> list[Row]:
        """Runs a query file of few rows where the rows of the source are (see Engine.query).

        Args:
            name: the file in queries/, or a composed statement.
            values: the parameters of the statement.
            holes: names, lists and scope, as of template.fill.

        Returns: the rows as tuples.

        Raises: EngineError.
        """

    @abstractmethod
    def given(self, engine: Engine, rows: exp.Select, columns: Sequence[Column]) -> exp.Select:
        """Makes columns of rows readable in DuckDB, for everything but the making of the release.

        Args:
            engine: DuckDB.
            rows: a SELECT in this engine that gives the columns under their keys.
            columns: the columns that are needed.

        Returns: a SELECT in DuckDB of these columns, with row_count where the backend is weighted.

        Raises: ConfigurationError for columns of types that engines do not compare alike, EngineError.
        """

    @abstractmethod
    def alone(self, source: Source, rows: exp.Select, n: int, most: Mapping[Column, float]) -> list[UniqueValues]:
        """Finds columns of nearly unique values, of which a run warns.

        Args:
            source: the source.
            rows: the SELECT that `given` returned.
            n: the number of rows.
            most: for each column the share of rows, between 0 and 1, that may hold a unique value.

        Returns: the columns above their share, each with how many values are unique among how many rows looked at.
        """

    @abstractmethod
    def reads_itself(self, source: Source, dialect: Dialect) -> bool:
        """Whether a statement in a dialect can name the source as the backend does, such as a table of the engine."""

    @abstractmethod
    def bring(self, engine: Engine, statement: exp.Expr, columns: Sequence[tuple[str, str]], table: str) -> exp.Select:
        """Copies a statement's result into a temporary table of DuckDB.

        Args:
            engine: DuckDB.
            statement: a SELECT in this engine.
            columns: (name, type in DuckDB) of each column, in the order of the statement's.
            table: the name of the table.

        Returns: a SELECT in DuckDB of that table.

        Raises: EngineError.
        """

    @abstractmethod
    def keep(self, statement: exp.Expr, name: str, secrets: Mapping[str, str] | None = None) -> exp.Table:
        """Keeps a statement's result where the rows are, for this run only.

        Args:
            statement: a SELECT in this engine.
            name: the name of the table, unique in this run.
            secrets: texts of its parameters by their names, such as keys; no statement may show them.

        Returns: the table as statements of this engine name it; `forget` drops it.

        Raises: EngineError.
        """

    def keep_settled(self, statement: exp.Expr, name: str) -> exp.Table:
        """Keeps a statement's result as `keep` does, where the next one is made of it, and the next of that.

        Args:
            statement: a SELECT in this engine.
            name: the name of the table, unique in this run.

        Returns: the table; nothing that it was made of is needed any more.

        Raises: EngineError.
        """
        return self.keep(statement, name)

    @abstractmethod
    def forget(self, kept: exp.Table) -> None:
        """Drops a table of `keep`, once nothing reads it any more."""

    @abstractmethod
    def listed(self, listing: Listing) -> exp.CTE:
        """Makes a small table of values readable: the common table expression that statements begin with."""

    def tables_read(self, source: Source) -> list[tuple[str, str]]:
        """(schema, name) of each table and view that a source of this engine reads, as far as the engine tells."""
        return []

    def holds(self, target: TargetConfig) -> bool:
        """Whether releases at a target stand in this engine; DuckDB finds its own by their files."""
        return False

    def open_release(self, engine: Engine, loaded: LoadedConfig, missing: tuple[str, ...]) -> Source | None:
        """Opens the release that stands at the configuration's target, which this engine `holds`.

        Args:
            engine: DuckDB.
            loaded: the configuration.
            missing: texts that mean missing in its source.

        Returns: the release where its rows are; None where there is none yet.

        Raises: ConfigurationError, EngineError where it cannot be read.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class LakeVersion:
    """A table of a lake at a snapshot: what tells it from a table that is made anew, and the snapshot's number.

    By the catalog rows that are inserted later have numbers from `next_row` on.
    """

    table: str
    snapshot: int
    next_row: int


@dataclass(frozen=True)
class Source:
    """An open source.

    `relation` is a SELECT that gives every row under the columns' keys. `columnar` says that reading one column alone
    is cheap; where it is not, the distinct tuples are taken in one pass first. `backend` is the engine that holds the
    rows and executes `relation`. Each row of a `weighted` source stands for as many rows as its column row_count says.
    `unread` is the source as it stands, where columns are read or treated as a configuration says, `untreated` the
    source as it is read, before the `treatments` of its columns, which hold no values to be found any more. `kept` are
    the tables, and columns of them, with the pseudonyms of columns. `origin` is where `files` were fetched from, a URL
    or a table of which they are a `snapshot`; `version` that of a table of a lake. `before` are columns that the
    relation holds beside its own: untreated values, by the names of the columns (see
    kanon_sql.source.treatments.lookups).
    """

    kind: Kind
    relation: exp.Select
    columns: tuple[Column, ...]
    missing: tuple[str, ...]
    columnar: bool
    label: str
    backend: Backend
    files: tuple[Path, ...] = ()
    folder: Path | None = None
    partitions: tuple[str, ...] = ()
    dialect: CsvDialect | None = None
    database: Path | None = None
    table: tuple[str, str] | None = None
    origin: str | None = None
    snapshot: str | None = None
    version: LakeVersion | None = None
    warnings: tuple[str, ...] = ()
    weighted: bool = False
    unread: Source | None = None
    untreated: Source | None = None
    treatments: Mapping[str, TreatmentConfig] = field(default_factory=dict)
    kept: Mapping[str, tuple[exp.Table, str]] = field(default_factory=dict)
    before: Mapping[str, Column] = field(default_factory=dict)

    @property
    def only_texts(self) -> bool:
        """Whether all values are texts of files that do not tell an empty one from NULL."""
        return only_texts(self.kind)

    @property
    def encoding(self) -> str | None:
        """The encoding of its files, where they are texts in one."""
        return None if self.dialect is None else self.dialect.encoding

    @property
    def is_copied(self) -> bool:
        """Whether copies of its files are read, which only this connection can."""
        return self.origin is not None or (self.dialect is not None and bool(self.dialect.copies))

    @property
    def named_by_first_row(self) -> bool:
        """Whether the names of the columns are from a first row, which may hold values instead of names."""
        return self.dialect.header if self.dialect is not None else not read_by_engine(self.kind)

    def column(self, name: str) -> Column:
        """The column of a name; StopIteration without one."""
        return next(column for column in self.columns if column.name == name)


def enums(described: str) -> list[exp.DataType]:
    """The ENUM types in a type as DuckDB describes it, nested ones too."""
    return list(filter(_is_enum, exp.DataType.build(described, "duckdb", udt=True).find_all(exp.DataType)))


def is_nested(described: str) -> bool:
    """Whether values of a type, as DuckDB describes it, hold others."""
    return described.endswith("]") or described.startswith(("STRUCT", "MAP", "UNION", "JSON"))


def _without_enum(described: str) -> exp.DataType:
    whole = exp.DataType.build(described, "duckdb", udt=True)
    plain = whole.transform(lambda kind: exp.DataType.build("VARCHAR") if _is_enum(kind) else kind)
    assert isinstance(plain, exp.DataType)
    return plain


def _is_enum(kind: exp.Expr) -> bool:
    return isinstance(kind, exp.DataType) and kind.this == exp.DataType.Type.ENUM


def refuse_repeated(names: list[str], subject: str) -> None:
    """Raises ConfigurationError, speaking of `subject`, for names that repeat among the columns of a relation."""
    repeated = sorted(name for name, count in Counter(names).items() if count > 1)
    if repeated:
        raise ConfigurationError(f"{subject}: column {', '.join(map(repr, repeated))} is there twice; name it apart")


def select_keys(relation: exp.Expr, names: list[str]) -> exp.Select:
    """SELECT of all columns of a relation, each under its key: c0, c1 ... in order."""
    keys = [
        exp.alias_(exp.Column(this=exp.to_identifier(name, quoted=True)), f"c{position}", quoted=True)
        for position, name in enumerate(names)
    ]
    return exp.select(*keys).from_(relation)
