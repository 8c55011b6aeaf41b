"""Engines beside DuckDB: the rows stay there, and what leaves them are distinct combinations with their rows.

Targets in an engine beside DuckDB: the release is made there, counted there, and put in place once it verified.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
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
from kanon_sql.source.duckdb import DuckDB
from kanon_sql.source.model import Alone, Backend, Column, Source, select_keys
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine, Row, literal
from kanon_sql.sql.dialects import Dialect, refuse_column_names
from kanon_sql.sql.template import column, state
from kanon_sql.sql.writing import Listing, write
from kanon_sql.targets.target import Rehearsed, Sink

_LOOKED_AT = 100_000


class Remote(Backend):
    """An engine that is asked in the portable core of SQL only (kanon_sql.sql.dialects)."""

    weighted = True
    statements = 0

    def __init__(self, *, show_values: bool) -> None:
        self.show_values = show_values

    def query(self, name: template.Statement, *, values: Mapping[str, Any] | None = None, **holes: Any) -> list[Row]:
        return self.rows(self.written(template.fill(name, **holes), values))

    def written(self, tree: exp.Expr, values: Mapping[str, Any] | None = None) -> str:
        """The text of a statement, its parameters as literals."""
        for node in list(tree.find_all(exp.Parameter, exp.Placeholder)):
            node.replace(literal((values or {})[node.name]))
        return write(tree, self.dialect)

    def given(self, engine: Engine, rows: exp.Select, columns: Sequence[Column]) -> exp.Select:
        return bring_counted(engine, self, rows, columns, state("raw_frequency"))

    def counted(self, engine: Engine, source: Source, names: Sequence[str], table: str) -> Source:
        """A source of this engine as DuckDB has it: the combinations of some columns, each weighted by its rows."""
        read = [source.column(name) for name in dict.fromkeys(names)]
        relation = bring_counted(engine, self, source.relation, read, table)
        return replace(source, relation=relation, backend=DuckDB(engine), weighted=True)

    def alone(self, source: Source, rows: exp.Select, n: int, most: Mapping[Column, float]) -> list[Alone]:
        """The columns in which more than a share of the rows drawn at random hold a value of their own.

        A value that is alone in the table is alone in every share of it, so that few in the share are few in the table.
        """
        share = min(1.0, _LOOKED_AT / n)
        found = []
        for item, limit in most.items():
            for part in dict.fromkeys((share, min(1.0, 10 * share), 1.0)):
                drawn = exp.Literal.number(part if part < 1 else 1)
                names: dict[str, template.Fill] = {"source": source.relation, "share": drawn, "out_key": item.key}
                looked_at, alone = (int(value or 0) for value in self.query("engines/alone", names=names)[0])
                if alone <= limit * looked_at:
                    break
            else:
                found.append(Alone(item, alone, looked_at))
        return found

    def reads_itself(self, source: Source, dialect: Dialect) -> bool:
        return dialect is self.dialect and source.kind == "table"

    def bring(self, engine: Engine, statement: exp.Expr, columns: Sequence[tuple[str, str]], table: str) -> exp.Select:
        self.copy_to(engine, self.written(statement), columns, table)
        return exp.select("*").from_(exp.Table(this=template.quoted(table)))

    def listed(self, listing: Listing) -> exp.CTE:
        return listing.named(self.dialect, self.load(state(listing.name), listing))

    @abstractmethod
    def open_source(self, loaded: LoadedConfig) -> Source:
        """The source of a configuration. Raises ConfigurationError or EngineError."""

    @abstractmethod
    def rows(self, sql: str) -> list[Row]:
        """Runs a statement of few rows."""

    @abstractmethod
    def fingerprint(self, sql: str, *, missing: str | None) -> Row:
        """(rows that a statement gives, the sum of a hash of each), equal for the same rows in whatever order.

        A NULL is its own value, or the text `missing` where what was written has only that.
        """

    @abstractmethod
    def copy_to(self, engine: Engine, sql: str, columns: Sequence[tuple[str, str]], table: str) -> None:
        """Makes the temporary table of DuckDB of a statement's result; `columns` are its (names, types) in order."""

    def keep(self, statement: exp.Expr, name: str, secrets: Mapping[str, str] | None = None) -> exp.Table:
        if not secrets:
            return self.make(statement, name)
        # What makes a table takes no parameters everywhere, and logs have those of statements that take them. Rows that
        # are loaded stand in no statement, and in no log of them.
        columns = tuple((one, "VARCHAR") for one in secrets)
        bound = self.load(f"bound_of_{name}", Listing(name, name, columns, (tuple(secrets.values()),)))
        made = statement.copy()
        for node in list(made.find_all(exp.Parameter)):
            node.replace(exp.select(template.column(node.name)).from_(bound.copy()).subquery())
        kept = self.make(made, name)
        self.forget(bound)
        return kept

    @abstractmethod
    def make(self, statement: exp.Expr, name: str) -> exp.Table:
        """Makes a table of a statement's result, for this run only; what statements call it."""

    @abstractmethod
    def load(self, name: str, listing: Listing) -> exp.Table:
        """Loads a table of values under a name, for this run only; what statements call it."""


_PLAIN_TEXTS = ("VARCHAR", "BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "DATE")


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
    asked = CompileRequest(
        rows=participating(loaded, prepared, lambda needed: own_columns(prepared.source, needed)),
        missing=prepared.source.missing,
        order=loaded.config.release.order,
        as_text=masks,
        masks=masks,
        executed=True,
    )
    body = release.compiled(asked)
    refuse_column_names(remote.dialect, [one.name for one in body.released], loaded.place())
    statement = body.statement
    used = {table.name for table in statement.find_all(exp.Table)}
    listed = [remote.listed(one) for one in body.listings if one.name in used]
    set_with(statement, [*listed, *with_of(statement).expressions])
    judged = [one.name for one in body.released if one.is_quasi_identifier]
    spoken = [model.column for model in prepared.models.models if model.column is not None]
    return RemoteRelease(remote.written(statement), body, tuple(dict.fromkeys([*judged, *spoken])))


def target_of(loaded: LoadedConfig) -> tuple[TargetConfig, str]:
    """(the target of a configuration, its place there). Raises ConfigurationError where there is none."""
    place = loaded.place("target")
    if loaded.config.target is None:
        raise ConfigurationError(f"{place}: there is no target; expected a path or a table")
    return loaded.config.target, place


def there_already(what: str) -> str:
    """What is said of a target that is not to be replaced."""
    return f"{what} exists already; name another or set overwrite: true (--overwrite)"


class RemoteSink(Sink):
    """A table or a folder that the engine writes."""

    _release: RemoteRelease
    _source: Source

    def __init__(self, remote: Remote, target: TargetConfig, place: str) -> None:
        self.remote = remote
        self.target = target
        self.place = place

    def refuse(self, released: Sequence[Column], place: str) -> None:
        super().refuse(released, place)
        refuse_column_names(self.remote.dialect, [item.name for item in released], place)

    def paths(self) -> tuple[list[Path], list[Path]]:
        return [], []

    def make(self, engine: Engine, loaded: LoadedConfig, release: Release, writing: Writing) -> None:
        self._release = remote_release(self.remote, loaded, release)
        self._create(self._release)

    def rehearsed(self, engine: Engine, loaded: LoadedConfig, release: Release, writing: Writing) -> Rehearsed:
        made = remote_release(self.remote, loaded, release)
        statement = made.body.statement.copy()
        statement.set("order", None)
        names = [one.name for one in made.body.released]
        columns = tuple(Column(one.name, f"c{i}", one.described) for i, one in enumerate(made.body.released))
        rows = select_keys(statement.subquery("released"), names)
        whole = Source("query", rows, columns, (), False, self.describe(), self.remote)
        return Rehearsed(whole, self.remote.counted(engine, whole, made.judged, state("written_classes")))

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
            one
            for one in body.released
            # Where classes share tuples whose rows cannot be put in order these are dealt out anew each time.
            if not (one.is_quasi_identifier and statement.find(exp.Rand))
            # CSV has its own texts of other types.
            and (not source.only_texts or one.described in _PLAIN_TEXTS)
        ]
        if not columns:
            return 0
        missing = "" if source.only_texts else None
        found = exp.select(*(column(source.column(one.name).key) for one in columns))
        made = exp.select(*(column(one.name) for one in columns))
        with reading_again():
            read = remote.written(found.from_(source.relation.copy().subquery("written_rows")))
            fingerprint = remote.fingerprint(read, missing=missing)
        again = remote.written(made.from_(statement.subquery("made_rows")))
        if fingerprint != remote.fingerprint(again, missing=missing):
            raise different_rows()
        return len(columns)

    @abstractmethod
    def _create(self, release: RemoteRelease) -> None:
        """Runs the statement into a place beside the target."""

    @abstractmethod
    def _opened(self) -> Source:
        """What was made, opened anew."""
