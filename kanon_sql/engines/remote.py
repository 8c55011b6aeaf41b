"""The base classes of engines beside DuckDB, and of their targets.

The rows stay in the engine; DuckDB gets their distinct combinations with counts. The release is made and counted in the
engine, and put in place once it verified.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sqlglot import exp

from kanon_sql.config.load import LoadedConfig
from kanon_sql.config.model import TargetConfig
from kanon_sql.errors import ConfigurationError
from kanon_sql.release.compiled import CompiledRelease, CompileRequest, set_with, with_of
from kanon_sql.release.compiled_source import own_columns, participating
from kanon_sql.release.release import Release, Writing
from kanon_sql.release.verify import different_rows, reading_again
from kanon_sql.source.columns import bring_counted
from kanon_sql.source.duckdb import DuckDB, opened
from kanon_sql.source.model import Backend, Column, Source, UniqueValues, select_keys
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine, Row, literal
from kanon_sql.sql.dialects import Dialect, refuse_column_names
from kanon_sql.sql.template import column, state
from kanon_sql.sql.writing import Listing, write
from kanon_sql.targets.target import DryRunRelease, Sink

_LOOKED_AT = 100_000
# Types that tables of DuckDB have when rows are copied there; others are written as texts by the engine.
_COPIED_TYPES = (
    *("VARCHAR", "BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "FLOAT", "DOUBLE", "DATE", "TIMESTAMP"),
    *("TIMESTAMP WITH TIME ZONE", "BLOB", "BYTEA", "UUID", "TIME"),
)
PLAIN_TEXTS = ("VARCHAR", "BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "DATE")


class Remote(Backend):
    """An engine that holds the rows, and is sent statements in the portable core of SQL only (kanon_sql.sql.dialects).

    A subclass sets `abilities` and `dialect`, and implements the abstract methods; errors of its driver become
    EngineError, in one line and without values of the data unless `show_values`. Each statement adds one to
    `statements`. A RemoteJob (kanon_sql.engines.job) opens it, a RemoteSink writes its release.

    Examples:
        Another process of DuckDB as the engine that holds the rows; how a driver moves rows is all that is its own:

        >>> import duckdb
        >>> from sqlglot import exp
        >>> from kanon_sql.engines.remote import Remote
        >>> from kanon_sql.settings.algorithms import Abilities
        >>> from kanon_sql.source.model import Column, Source, select_keys
        >>> from kanon_sql.sql.connection import EngineOptions, open_engine
        >>> from kanon_sql.sql.dialects import find_dialect
        >>> class Elsewhere(Remote):
        ...     abilities = Abilities("elsewhere")
        ...     dialect = find_dialect("duckdb")
        ...     server = duckdb.connect()
        ...
        ...     def rows(self, sql):
        ...         self.statements += 1
        ...         return self.server.execute(sql).fetchall()
        ...
        ...     def open_source(self, loaded):
        ...         return self.opened(loaded.config.source.table)
        ...
        ...     def opened(self, name):
        ...         table = exp.to_table(name)
        ...         described = self.rows(f"DESCRIBE {table.sql('duckdb')}")
        ...         columns = tuple(Column(row[0], f"c{i}", row[1]) for i, row in enumerate(described))
        ...         relation = select_keys(table, [column.name for column in columns])
        ...         return Source("table", relation, columns, (), True, name, self)
        ...
        ...     def fingerprint(self, sql, *, missing):
        ...         hashes = "count(*), CAST(sum(hash(hashed)) AS VARCHAR)"
        ...         return self.rows(f"SELECT {hashes} FROM ({sql}) AS hashed")[0]
        ...
        ...     def copy_to(self, engine, sql, columns, table):  # drivers copy by files, or by Arrow
        ...         engine.run(f"CREATE OR REPLACE TEMP TABLE {table} ({', '.join(' '.join(c) for c in columns)})")
        ...         for row in self.rows(sql):
        ...             engine.run(f"INSERT INTO {table} VALUES {row}")
        ...
        ...     def make(self, statement, name):
        ...         self.rows(f"CREATE TEMP TABLE {name} AS {self.written(statement)}")
        ...         return exp.to_table(name)
        ...
        ...     def load(self, name, listing):
        ...         columns, rows = listing.stored()
        ...         self.rows(f"CREATE TEMP TABLE {name} ({', '.join(' '.join(column) for column in columns)})")
        ...         for row in rows:
        ...             self.rows(f"INSERT INTO {name} VALUES {tuple(row)}")
        ...         return exp.to_table(name)
        ...
        ...     def forget(self, kept):
        ...         self.rows(f"DROP TABLE {kept.sql('duckdb')}")
        >>> elsewhere = Elsewhere(show_values=False)
        >>> _ = elsewhere.rows("CREATE TABLE people AS SELECT unnest([21, 21, 34]) AS age, 'f' AS sex")
        >>> people = elsewhere.opened("people")
        >>> with open_engine(EngineOptions()) as engine:  # of the rows only their combinations come, with counts
        ...     counted = elsewhere.counted(engine, people, ["age"], "counts")
        ...     print(sorted(engine.run(counted.relation)))
        [(21, 2), (34, 1)]
    """

    weighted = True
    statements = 0

    def __init__(self, *, show_values: bool) -> None:
        self.show_values = show_values

    def query(self, name: template.Statement, *, values: Mapping[str, Any] | None = None, **holes: Any) -> list[Row]:
        return self.rows(self.written(template.fill(name, **holes), values))

    def written(self, tree: exp.Expr, values: Mapping[str, Any] | None = None) -> str:
        """The text of a statement in the dialect, with its parameters as literals."""
        for node in list(tree.find_all(exp.Parameter, exp.Placeholder)):
            node.replace(literal((values or {})[node.name]))
        return write(tree, self.dialect)

    def given(self, engine: Engine, rows: exp.Select, columns: Sequence[Column]) -> exp.Select:
        return bring_counted(engine, self, rows, columns, state("raw_frequency"))

    def counted(self, engine: Engine, source: Source, names: Sequence[str], table: str) -> Source:
        """A source of this engine as a weighted source of DuckDB.

        Args:
            engine: DuckDB.
            source: the source, or a written release.
            names: the columns that are needed; others are not copied.
            table: the name of the temporary table of DuckDB.

        Returns: the distinct combinations of these columns, each with its rows as row_count.
        """
        read = [source.column(name) for name in dict.fromkeys(names)]
        relation = bring_counted(engine, self, source.relation, read, table)
        return replace(source, relation=relation, backend=DuckDB(engine), weighted=True)

    def alone(self, source: Source, rows: exp.Select, n: int, most: Mapping[Column, float]) -> list[UniqueValues]:
        """The columns in which more than a share of the rows drawn at random hold a unique value.

        A value that is unique in the table is unique in every sample of it, so few in the sample are few in the table.
        """
        share = min(1.0, _LOOKED_AT / n)
        left = [UniqueValues(col, 0, 0) for col in most]
        for part in dict.fromkeys((share, min(1.0, 10 * share), 1.0)):
            counted = self._values_of_their_own(source, [unique.column for unique in left], part)
            left = [unique for unique in counted if unique.rows > most[unique.column] * unique.looked_at]
            if not left:
                break
        return left

    def _values_of_their_own(self, source: Source, columns: Sequence[Column], share: float) -> list[UniqueValues]:
        """Of each column the rows drawn that hold a unique value; the rows are drawn once for all columns."""
        texts = [exp.alias_(exp.cast(column(col.key), "VARCHAR"), col.key, quoted=True) for col in columns]
        drawn = exp.select(*texts).from_(source.relation.copy().subquery("looked_at_rows"))
        if share < 1:
            drawn = drawn.where(exp.LT(this=exp.Rand(), expression=exp.Literal.number(share)))
        counts = [
            template.fill(
                "engines/alone", {"drawn": "drawn_rows", "out_key": col.key, "column_number": literal(number)}
            )
            for number, col in enumerate(columns)
        ]
        statement = exp.union(*counts, distinct=False) if len(counts) > 1 else counts[0]
        assert isinstance(statement, exp.Query)
        named = exp.TableAlias(this=template.quoted("drawn_rows"))
        set_with(statement, [exp.CTE(this=drawn, alias=named)])
        rows = self.rows(self.written(statement))
        places = {int(row[0]): tuple(int(value or 0) for value in row[1:]) for row in rows}
        return [UniqueValues(col, places[number][1], places[number][0]) for number, col in enumerate(columns)]

    def reads_itself(self, source: Source, dialect: Dialect) -> bool:
        return dialect is self.dialect and source.kind == "table"

    def bring(self, engine: Engine, statement: exp.Expr, columns: Sequence[tuple[str, str]], table: str) -> exp.Select:
        self.copy_to(engine, self.written(statement), columns, table)
        return exp.select("*").from_(exp.Table(this=template.quoted(table)))

    def listed(self, listing: Listing) -> exp.CTE:
        return listing.named(self.dialect, self.load(state(listing.name), listing))

    def unified(self, value: exp.Expr, kind: str) -> exp.Expr:
        """A value of a type that DuckDB does not have, so that equal ones are written alike."""
        return value

    @abstractmethod
    def open_source(self, loaded: LoadedConfig) -> Source:
        """Opens the source of a configuration: a table, the result of a query (as a view), or files.

        Args:
            loaded: the configuration; `loaded.place("source")` begins messages.

        Returns: a Source whose relation selects the columns under keys c0, c1 ..., with types as DuckDB describes them.

        Raises: ConfigurationError for what the engine cannot read, EngineError where reading fails.
        """

    @abstractmethod
    def rows(self, sql: str) -> list[Row]:
        """Runs a statement of few rows.

        Args:
            sql: the text, in the dialect.

        Returns: its rows as tuples.

        Raises: EngineError.
        """

    @abstractmethod
    def fingerprint(self, sql: str, *, missing: str | None) -> Row:
        """Counts and hashes the rows of a statement, equal for the same rows in whatever order.

        Args:
            sql: the text of a SELECT.
            missing: the text that stands for NULL where only texts were written; None where NULL is its own value.

        Returns: (the number of rows, the sum of a hash of each row).

        Raises: EngineError.
        """

    @abstractmethod
    def copy_to(self, engine: Engine, sql: str, columns: Sequence[tuple[str, str]], table: str) -> None:
        """Copies a statement's result into a temporary table of DuckDB.

        Args:
            engine: DuckDB.
            sql: the text of a SELECT.
            columns: (name, type in DuckDB) of the table's columns, in the order of the statement's.
            table: the name of the table.

        Raises: EngineError where rows cannot be read, or DuckDB cannot hold their values.
        """

    def keep(self, statement: exp.Expr, name: str, secrets: Mapping[str, str] | None = None) -> exp.Table:
        if not secrets:
            return self.make(statement, name)
        # What makes a table takes no parameters everywhere, and logs have those of statements that take them. Rows that
        # are loaded stand in no statement, and in no log of them.
        columns = tuple((parameter, "VARCHAR") for parameter in secrets)
        bound = self.load(f"bound_of_{name}", Listing(name, name, columns, (tuple(secrets.values()),)))
        bound_statement = statement.copy()
        for node in list(bound_statement.find_all(exp.Parameter)):
            node.replace(exp.select(template.column(node.name)).from_(bound.copy()).subquery())
        kept = self.make(bound_statement, name)
        self.forget(bound)
        return kept

    @abstractmethod
    def make(self, statement: exp.Expr, name: str) -> exp.Table:
        """Makes a table of a statement's result where the rows are, for this run only.

        Args:
            statement: a SELECT; see `written` for its text.
            name: the name of the table, unique in this run; it must hide no other table.

        Returns: the table as statements name it.

        Raises: EngineError.
        """

    @abstractmethod
    def load(self, name: str, listing: Listing) -> exp.Table:
        """Loads a table of values, for this run only.

        Args:
            name: the name of the table, unique in this run.
            listing: the values; `listing.stored()` gives columns and rows without NULL.

        Returns: the table as statements name it.

        Raises: EngineError.
        """


class Copied(DuckDB):
    """DuckDB with rows that another engine holds copied into temporary tables; the release is copied when it is opened.

    What is measured on rows, and not on their distinct combinations, is so measured as on a table of DuckDB.
    """

    def __init__(self, engine: Engine, remote: Remote, target: TargetConfig | None) -> None:
        super().__init__(engine)
        self.remote = remote
        self.folders = remote.folders
        # A file that was copied from the engine holds texts as it writes them: those of the source are to be the same.
        self._unified = target is None or remote.holds(target)

    def holds(self, target: TargetConfig) -> bool:
        return self.remote.holds(target)

    def open_release(self, engine: Engine, loaded: LoadedConfig, missing: tuple[str, ...]) -> Source | None:
        release = self.remote.open_release(engine, loaded, missing)
        return None if release is None else self.copied(release, state("copied_release"))

    def copied(self, source: Source, table: str, withheld: Collection[str] = ()) -> Source:
        """A source of the engine as a table of DuckDB; columns that are `withheld` hold nothing there."""
        values: list[exp.Expr] = []
        columns: list[tuple[str, str]] = []
        for col in source.columns:
            held = col.type in _COPIED_TYPES or col.type.startswith("DECIMAL(")
            value: exp.Expr = column(col.key)
            kind = col.type if held else "VARCHAR"
            if col.name in withheld:
                value = exp.cast(exp.null(), "VARCHAR")
            elif not held:
                value = exp.cast(self.remote.unified(value, col.type) if self._unified else value, "VARCHAR")
            values.append(exp.alias_(value, col.key, quoted=True))
            columns.append((col.name, kind))
        rows = exp.select(*values).from_(source.relation.copy().subquery("copied_rows"))
        self.remote.copy_to(self.engine, self.remote.written(rows), columns, table)
        named = exp.Table(this=template.quoted(table))
        there = opened(self.engine, named, source.label, source.label, source.missing)
        return replace(there, backend=self)


@dataclass(frozen=True)
class RemoteRelease:
    """A release as the statement of the engine that makes it; its classes are counted by the columns `judged`."""

    sql: str
    body: CompiledRelease
    judged: tuple[str, ...]


def remote_release(remote: Remote, loaded: LoadedConfig, release: Release) -> RemoteRelease:
    """Compiles a release for the engine that holds the rows, and loads the tables of values that it reads."""
    prepared = release.problem
    masks = loaded.config.release.suppressed == "mask"
    group = prepared.models.group
    carried = [] if group is None else [group]
    request = CompileRequest(
        rows=participating(loaded, prepared, lambda needed: own_columns(prepared.source, needed), carried),
        missing=prepared.source.missing,
        order=loaded.config.release.order,
        as_text=masks,
        masks=masks,
        carried=group,
        together=group is not None,
        executed=True,
    )
    body = release.compiled(request)
    refuse_column_names(remote.dialect, [col.name for col in body.released], loaded.place())
    statement = with_listed(remote, body)
    judged = [col.name for col in body.released if col.is_quasi_identifier]
    counted = [model.column for model in prepared.models.models if model.column is not None]
    return RemoteRelease(remote.written(statement), body, tuple(dict.fromkeys([*judged, *counted])))


def with_listed(remote: Remote, body: CompiledRelease) -> exp.Select:
    """The statement of a release, beginning with the tables of values that it reads, which are loaded."""
    statement = body.statement
    used = {table.name for table in statement.find_all(exp.Table)}
    listed = [remote.listed(listing) for listing in body.listings if listing.name in used]
    set_with(statement, [*listed, *with_of(statement).expressions])
    return statement


def looked_at_columns(loaded: LoadedConfig) -> set[str]:
    """The columns of which more is asked than to be passed on as they are."""
    config = loaded.config
    shifted = {treatment.shift.by for treatment in config.transform.values() if treatment.shift is not None}
    named = {*config.quasi_identifiers, *config.sensitive, *config.transform, *config.source.columns, *shifted}
    return named | {name for name in (config.privacy.entity, config.group) if name is not None}


def target_of(loaded: LoadedConfig) -> tuple[TargetConfig, str]:
    """(the target of a configuration, its place for messages). Raises ConfigurationError where there is none."""
    place = loaded.place("target")
    if loaded.config.target is None:
        raise ConfigurationError(f"{place}: there is no target; expected a path or a table")
    return loaded.config.target, place


def there_already(target: str) -> str:
    """The message for a target that exists and may not be replaced."""
    return f"{target} exists already; name another or set overwrite: true (--overwrite)"


class RemoteSink(Sink):
    """A table or a folder that the engine writes; a subclass implements `_create`, `_opened`, `commit`, `describe`."""

    kind = "table"  # as of a source
    _release: RemoteRelease
    _source: Source

    def __init__(self, remote: Remote, target: TargetConfig, place: str) -> None:
        self.remote = remote
        self.target = target
        self.place = place

    def refuse(self, released: Sequence[Column], place: str) -> None:
        super().refuse(released, place)
        refuse_column_names(self.remote.dialect, [col.name for col in released], place)

    def paths(self) -> tuple[list[Path], list[Path]]:
        return [], []

    def make(self, engine: Engine, loaded: LoadedConfig, release: Release, writing: Writing) -> None:
        self.put(remote_release(self.remote, loaded, release))

    def put(self, release: RemoteRelease) -> None:
        """Makes a release that is a statement of the engine beside the target. Raises EngineError."""
        self._release = release
        self._create(release)

    def dry_run(self, engine: Engine, loaded: LoadedConfig, release: Release, writing: Writing) -> DryRunRelease:
        compiled = remote_release(self.remote, loaded, release)
        statement = compiled.body.statement.copy()
        statement.set("order", None)
        names = [col.name for col in compiled.body.released]
        columns = tuple(Column(col.name, f"c{i}", col.described) for i, col in enumerate(compiled.body.released))
        rows = select_keys(statement.subquery("released"), names)
        whole = Source("query", rows, columns, (), False, self.describe(), self.remote)
        return DryRunRelease(whole, self.remote.counted(engine, whole, compiled.judged, state("written_classes")))

    def written(self, engine: Engine) -> Source:
        self._source = self._opened()
        return self.remote.counted(engine, self._source, self._release.judged, state("written_classes"))

    def whole(self, written: Source) -> Source:
        return self._source

    def compared(self, engine: Engine, written: Source) -> int:
        body, source, remote = self._release.body, self._source, self.remote
        statement = body.statement.copy()
        statement.set("order", None)
        columns = [
            col
            for col in body.released
            # Where classes share tuples whose rows cannot be put in order these are dealt out anew each time.
            if not (col.is_quasi_identifier and statement.find(exp.Rand))
            # CSV has its own texts of other types.
            and (not source.only_texts or col.described in PLAIN_TEXTS)
        ]
        if not columns:
            return 0
        missing = "" if source.only_texts else None
        read_columns = exp.select(*(column(source.column(col.name).key) for col in columns))
        made_columns = exp.select(*(column(col.name) for col in columns))
        with reading_again():
            read = remote.written(read_columns.from_(source.relation.copy().subquery("written_rows")))
            fingerprint = remote.fingerprint(read, missing=missing)
        again = remote.written(made_columns.from_(statement.subquery("made_rows")))
        if fingerprint != remote.fingerprint(again, missing=missing):
            raise different_rows()
        return len(columns)

    @abstractmethod
    def _create(self, release: RemoteRelease) -> None:
        """Runs the statement of the release, into a table or folder beside the target."""

    @abstractmethod
    def _opened(self) -> Source:
        """What `_create` made, opened anew as a source of the engine."""
