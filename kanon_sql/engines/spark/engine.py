"""Spark executes the job: a session of our own, one that was handed in, or a server reached by Spark Connect."""

from __future__ import annotations

import re
import secrets
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlparse

from sqlglot import exp

from kanon_sql.config.load import LoadedConfig
from kanon_sql.config.model import TargetConfig
from kanon_sql.engines.remote import Remote
from kanon_sql.engines.spark.connection import LOST, describe
from kanon_sql.errors import ConfigurationError, EngineError, LostEngineError
from kanon_sql.settings.algorithms import ENGINES
from kanon_sql.settings.columns import LATIN1, UTF8
from kanon_sql.settings.source import CsvOptions
from kanon_sql.source.model import Column, Kind, Source, refuse_repeated, select_keys
from kanon_sql.sql import signals, template
from kanon_sql.sql.connection import Engine, Row
from kanon_sql.sql.dialects import find_dialect
from kanon_sql.sql.writing import Listing, cell_type, named_tables, table_name

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_TYPES = {
    "string": "VARCHAR",
    "boolean": "BOOLEAN",
    "tinyint": "TINYINT",
    "smallint": "SMALLINT",
    "int": "INTEGER",
    "bigint": "BIGINT",
    "float": "FLOAT",
    "double": "DOUBLE",
    "date": "DATE",
    "timestamp_ntz": "TIMESTAMP",
    "timestamp": "TIMESTAMP WITH TIME ZONE",
    "binary": "BLOB",
}
_NO_CHECKPOINTS = "checkpoint object-store path is not configured"
_OF_JAVA = {UTF8: "utf-8", LATIN1: "ISO-8859-1"}
_PART = 24  # bits
_AT_THE_END = 10.0  # seconds for what is to be removed after an interrupt
_STORED = {bool: "boolean", int: "bigint", str: "string"}
_IN_ARROW = {"boolean": "bool", "bigint": "int64", "string": "string"}


class Spark(Remote):
    """A Spark session; `label` is where it runs."""

    abilities = ENGINES["spark"]
    dialect = find_dialect("spark")

    def __init__(self, session: SparkSession, label: str, *, owned: bool, show_values: bool) -> None:
        super().__init__(show_values=show_values)
        self.session = session
        self.label = label
        self.owned = owned
        self._mark = f"kanon_sql_{secrets.token_hex(4)}"
        self._views: list[str] = []
        self.source_path: str | None = None
        self._kept: list[DataFrame] = []
        self._named: list[exp.Table] = []  # the tables that the source names

    def open_source(self, loaded: LoadedConfig) -> Source:
        config, place = loaded.config.source, loaded.place("source")
        missing = tuple(config.missing or ())
        if config.table is not None:
            table = table_name(config.table, self.dialect, place)
            self._named = [table]
            return self.opened(table, "table", config.table, missing, place)
        if config.query is not None:
            self._named = named_tables(config.query, "spark")
            view = exp.Table(this=template.quoted(f"{self._mark}_source"))
            self._views.append(view.name)
            # As the body of a view it is a query: a command, which Spark would run at once, is refused.
            with self.speaking(place):
                self.session.sql(f"CREATE OR REPLACE TEMP VIEW {view.sql('spark')} AS\n{config.query}\n").collect()
            return self.opened(view, "query", "the query", missing, place)
        path = str(config.path)
        kind = self.format_of(path, None, place)
        if kind == "csv":
            missing = ("",) if config.missing is None else missing
        self.source_path = self.whole_path(path, loaded.base)
        frame = self.read(self.source_path, kind, config.csv_options, place)
        return self.opened(self.view(frame, "source"), kind, path, missing, place)

    def opened(self, table: exp.Table, kind: Kind, label: str, missing: tuple[str, ...], place: str) -> Source:
        """A table or view as a source of this engine."""
        with self.speaking(place):
            described = self.session.table(table.sql("spark")).dtypes
        names = [name for name, _ in described]
        refuse_repeated(names, place)
        columns = tuple(Column(name, f"c{i}", _type(kind)) for i, (name, kind) in enumerate(described))
        return Source(kind, select_keys(table, names), columns, missing, True, label, self)

    def tables_read(self, source: Source) -> list[tuple[str, str]]:
        catalog = self.session.catalog
        with self.speaking():
            return [(table.db or catalog.currentDatabase(), table.name) for table in self._named]

    def holds(self, target: TargetConfig) -> bool:
        return True

    def open_release(self, engine: Engine, loaded: LoadedConfig, missing: tuple[str, ...]) -> Source | None:
        target, place = loaded.config.target, loaded.place("target")
        assert target is not None
        if target.table is not None:
            table = table_name(target.table, self.dialect, place)
            with self.speaking(place):
                if not self.session.catalog.tableExists(table.sql("spark")):
                    return None
            return self.opened(table, "table", f"{target.table} in Spark", missing, place)
        path = self.whole_path(str(target.path), loaded.base)
        kind = self.format_of(path, target.format, place)
        if not self._is_there(path):
            return None
        frame = self.read(path, kind, written_csv(target, path), place)
        # NULL is written as an empty field, whatever the source calls missing.
        missing = missing if kind != "csv" or "" in missing else (*missing, "")
        # Several releases are open where they are compared.
        return self.opened(self.view(frame, f"release_{len(self._views)}"), kind, path, missing, place)

    def _is_there(self, path: str) -> bool:
        """Whether a path is there; True where that cannot be told, so that reading it says why."""
        local = local_path(path)
        if local is not None:
            return local.exists()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.session.read.text(path).schema  # noqa: B018 - which is what looks for the files
        except Exception as error:
            return "PATH_NOT_FOUND" not in str(error)
        return True

    def read(self, path: str, kind: Kind, csv: CsvOptions, place: str) -> DataFrame:
        """A file or folder as a frame; fields of CSV are texts, and a record of another length is an error."""
        with self.speaking(place):
            if kind == "parquet":
                return self.session.read.parquet(path)
            options = {
                "header": "true" if csv.header is not False else "false",
                "sep": csv.delimiter or ("\t" if path.endswith(".tsv") else ","),
                "quote": csv.quote or '"',
                "escape": csv.escape or csv.quote or '"',
                "encoding": _OF_JAVA.get(csv.encoding or UTF8) or csv.encoding,
                "multiLine": "true",
                "inferSchema": "false",
                "enforceSchema": "false",
                "mode": "FAILFAST",
            }
            return self.session.read.options(**options).csv(path)

    def rows(self, sql: str) -> list[Row]:
        self.statements += 1
        with self.speaking():
            return [tuple(row) for row in self.session.sql(sql).collect()]

    def fingerprint(self, sql: str, *, missing: str | None) -> Row:
        from pyspark.sql import functions

        frame = self.create(sql)
        frame = frame.toDF(*(f"c{i}" for i in range(len(frame.columns))))
        cells = []
        for name in frame.columns:
            cells.append(functions.coalesce(frame[name].cast("string"), functions.lit(missing or "")))
            if missing is None:
                cells.append(frame[name].isNull())
        # The sum of 64 bits as three sums of parts, none of which overflows: a wide decimal costs a third more.
        digest = functions.xxhash64(*cells)
        parts = [functions.shiftright(digest, bits) for bits in (0, _PART, 2 * _PART)]
        parts[:2] = [part.bitwiseAND(functions.lit((1 << _PART) - 1)) for part in parts[:2]]
        with self.speaking():
            counted = frame.agg(functions.count(functions.lit(1)), *map(functions.sum, parts))
            return tuple(counted.collect()[0])

    def copy_to(self, engine: Engine, sql: str, columns: Sequence[tuple[str, str]], table: str) -> None:
        self.statements += 1
        with self.speaking():
            brought = self.session.sql(sql).toArrow()
        name = f"{self._mark}_brought"
        engine.connection.register(name, brought)
        try:
            values = [
                exp.alias_(exp.cast(template.column(original), kind), key, quoted=True)
                for original, (key, kind) in zip(brought.column_names, columns, strict=True)
            ]
            select = exp.select(*values).from_(exp.Table(this=template.quoted(name)))
            target = exp.Table(this=template.quoted(table))
            engine.run(f"CREATE OR REPLACE TEMP TABLE {target.sql('duckdb')} AS {template.text(select)}")
        finally:
            engine.connection.unregister(name)

    def load(self, name: str, listing: Listing) -> exp.Table:
        import pyarrow

        columns, rows = listing.stored()
        # As a table of Arrow the values are in the plan, so that Spark knows how few they are and joins them where the
        # rows lie; a list would go through a process of Python on each executor, and both sides through an exchange.
        kinds = [(name, _STORED[cell_type(described)]) for name, described in columns]
        values = list(zip(*rows, strict=True))
        with self.speaking():
            if not values:
                schema = ", ".join(f"`{name}` {kind}" for name, kind in kinds)
                return self.view(self.session.createDataFrame([], schema), name)
            arrays = []
            for each, (_, kind) in zip(values, kinds, strict=True):
                # A number may stand for a text.
                texts = [value if value is None else str(value) for value in each] if kind == "string" else each
                arrays.append(pyarrow.array(texts, _IN_ARROW[kind]))
            table = pyarrow.Table.from_arrays(arrays, names=[name for name, _ in kinds])
            return self.view(self.session.createDataFrame(table), name)

    def forget(self, kept: exp.Table) -> None:
        with quietly():
            self.session.catalog.dropTempView(kept.name)

    def make(self, statement: exp.Expr, name: str) -> exp.Table:
        self.statements += 1
        with self.speaking():
            frame = self.session.sql(self.written(statement)).persist()
        self._kept.append(frame)
        return self.view(frame, name)

    def keep_settled(self, statement: exp.Expr, name: str) -> exp.Table:
        # What is persisted keeps how it was made: after some rounds a plan would hold all of those before.
        frame = self.create(self.written(statement))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                # Sail reads again as BIGINT what it told to be INTEGER.
                kinds = dict(frame.dtypes)
                wide = [frame[key].cast("bigint").alias(key) if kinds[key] == "int" else frame[key] for key in kinds]
                settled = frame.select(*wide).localCheckpoint()
        except Exception as error:
            if not str(error).startswith(_NO_CHECKPOINTS):
                raise self._in_words(error) from (error if self.show_values else None)
            raise EngineError(
                "search_in: engine with mondrian needs local checkpoints, which this server does not make (Sail does "
                "where execution.checkpoint.path is set); expected search_in: duckdb"
            ) from None
        return self.view(settled, name)

    def create(self, sql: str) -> DataFrame:
        """The frame of a statement, not executed yet."""
        self.statements += 1
        with self.speaking():
            return self.session.sql(sql)

    def ending(self, work: Callable[[], object]) -> None:
        """Runs the end of a job.

        After an interrupt nothing waits any more for what runs in Spark: it is ended, and the work done in a thread,
        since the answer to what was asked for last may still come to this one.
        """
        if sys.exc_info()[1] is None or not signals.interrupted():
            work()
            return

        def end() -> None:
            with quietly():
                self._end_all()
            with quietly():
                work()

        thread = threading.Thread(target=end, daemon=True)
        thread.start()
        thread.join(_AT_THE_END)

    def _end_all(self) -> None:
        """Ends what a session of our own executes."""
        if not self.owned:
            return
        if hasattr(self.session, "interruptAll") and not self._is_classic():
            self.session.interruptAll()
        else:
            self.session.sparkContext.cancelAllJobs()

    def _is_classic(self) -> bool:
        return not type(self.session).__module__.startswith("pyspark.sql.connect")

    def close(self) -> None:
        self.ending(self._close)

    def _close(self) -> None:
        for view in self._views:
            with quietly():
                self.session.catalog.dropTempView(view)
        for frame in self._kept:
            with quietly():
                frame.unpersist()
        if self.owned:
            with quietly():
                self.session.stop()

    @contextmanager
    def speaking(self, place: str | None = None) -> Iterator[None]:
        """Turns an error of Spark into an EngineError of one line without values of the data."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                yield
        except (ConfigurationError, EngineError):
            raise
        except Exception as error:
            raise self._in_words(error, place) from (error if self.show_values else None)

    def _in_words(self, error: Exception, place: str | None = None) -> EngineError:
        """An error of Spark in one line without values of the data."""
        message = describe(error, show_values=self.show_values)
        kind = LostEngineError if message == LOST else EngineError
        return kind(f"{place}: {message}" if place else message)

    def whole_path(self, path: str, base: Path) -> str:
        """A path as Spark reads it: one without a scheme is of this machine."""
        return path if "://" in path or path.startswith("file:") else str((base / path).absolute())

    def format_of(self, path: str, named: str | None, place: str) -> Kind:
        """Parquet or CSV, by the path's ending. Raises ConfigurationError."""
        if named not in (None, "csv", "parquet"):
            raise ConfigurationError(f"{place}: Spark does not write {named}; expected csv or parquet")
        if named in ("csv", "parquet"):
            return "csv" if named == "csv" else "parquet"
        plain = re.sub(r"\.(gz|bz2|zst)$", "", path.rstrip("/*").lower())
        if plain.endswith((".csv", ".tsv", ".txt")):
            return "csv"
        if plain.endswith((".parquet", ".pq")):
            return "parquet"
        folder = Path(path)
        if folder.is_dir() and any(folder.rglob("*.csv")):
            return "csv"
        if "." in Path(plain).name and not folder.is_dir():
            raise ConfigurationError(
                f"{place}: the name {Path(plain).name!r} tells no format; expected .csv or .parquet"
            )
        return "parquet"

    def view(self, frame: DataFrame, name: str) -> exp.Table:
        view = f"{self._mark}_{name}"
        with self.speaking():
            frame.createOrReplaceTempView(view)
        self._views.append(view)
        return exp.Table(this=template.quoted(view))


def local_path(path: str) -> Path | None:
    """The path on this machine, or on a mount that all machines have; None where it is another file system's."""
    parsed = urlparse(path)
    if parsed.scheme not in ("", "file"):
        return None
    return Path(parsed.path if parsed.scheme else path)


def written_csv(target: TargetConfig, path: str) -> CsvOptions:
    """How the CSV files of a target are written: as those of DuckDB, with tabs where the name says so."""
    tabs = path.lower().removesuffix(".gz").endswith(".tsv")
    return target.csv.model_copy(update={"delimiter": "\t"}) if tabs and not target.csv.delimiter else target.csv


@contextmanager
def quietly() -> Iterator[None]:
    """For the end of a session: a failure there changes nothing any more."""
    try:
        yield
    except Exception:
        return


def _type(described: str) -> str:
    """A type of Spark as DuckDB describes it; one that DuckDB does not have keeps its name."""
    if described.startswith(("varchar", "char")):
        return "VARCHAR"
    if described.startswith("decimal"):
        return described.upper()
    if described.startswith("array"):
        return f"{described.upper()}[]"
    return _TYPES.get(described, described.upper())
