"""Whether the ledger knows a source: by all its rows, by some of its columns, or by the places that it reads.

Of each column a fingerprint is kept: a sum over digests of its values, into which a key of the ledger is mixed, equal
where another column of as many rows holds the same values, each as often. Beside it stands how many bits it says by
that (see queries/ledger/column_prints.sql): a column of one value says none, nor do numbers of rows. Two tables of as
many rows are taken for the same where the columns that are equal say enough together, though one has columns less, more
or under other names.

A place is where a source or target stands, by which the ledger knows one that has changed since. Those of a query, or
of a view of a database, are the files and tables that it reads. A path that it puts together from several texts is not
known before it is read, and is none.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from glob import glob
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import duckdb
from sqlglot import TokenType, exp, tokenize
from sqlglot.errors import SqlglotError

from kanon_sql.config.load import LoadedConfig
from kanon_sql.ledger.basis import Overview, digest, overview
from kanon_sql.ledger.ledger import Entry
from kanon_sql.ledger.there import scan_columns
from kanon_sql.settings.source import SourceConfig
from kanon_sql.source.columns import text_of
from kanon_sql.source.duckdb import attached_as, split_name, with_absolute_paths
from kanon_sql.source.model import Column, Source
from kanon_sql.source.remote import is_remote
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.dialects import find_dialect
from kanon_sql.sql.template import Item
from kanon_sql.sql.writing import named_tables, table_name

Json = dict[str, Any]

_ENOUGH = 20  # bits: two tables of as many rows agree by chance less than once in a million
_SOME = 1_000  # rows, of which every value must be a number for a column of numbers
_NOTHING = exp.cast(exp.null(), "VARCHAR")
_FIRST_SCHEMA = {"postgres": "public", "spark": "default"}  # where tables are that are named without a schema
_FEW = 1_000  # distinct values, about, that are counted in memory before they are digested


@dataclass(frozen=True)
class ColumnPrint:
    """What is kept of a column: its fingerprint, and how many bits it says."""

    text: str
    bits: int


@dataclass(frozen=True)
class TablePrint:
    """What is kept of a table of so many rows: of columns by their names, and of `others` whose names are not kept."""

    rows: int
    columns: Mapping[str, ColumnPrint]
    others: Sequence[ColumnPrint] = ()

    def of_released(self, names: Collection[str]) -> TablePrint:
        """What the ledger keeps: the columns of these names, and of the others those that no guess would hit."""
        others = (column for name, column in self.columns.items() if name not in names)
        released = {name: column for name, column in self.columns.items() if name in names}
        return TablePrint(self.rows, released, [column for column in others if column.bits >= _ENOUGH])

    def has_rows_of(self, other: TablePrint) -> bool:
        """Whether both are taken for the same rows."""
        bits = {column.text: column.bits for column in other._all()}
        return self.rows == other.rows and sum(bits[text] for text in bits.keys() & self._texts()) >= _ENOUGH

    def is_part_of(self, other: TablePrint) -> bool:
        """Whether it has those rows, and each of its columns is one of them: under its name, or beyond doubt."""
        return self.has_rows_of(other) and all(
            other.columns.get(name) == column or (column.bits >= _ENOUGH and column.text in other._texts())
            for name, column in self.columns.items()
        )

    def namesakes(self, other: TablePrint) -> dict[str, list[str]]:
        """For each column the columns of the same rows that hold the same values, whatever they are called there."""
        if self.rows != other.rows:
            return {}
        return {
            name: [former for former, kept in other.columns.items() if kept.text == column.text]
            for name, column in self.columns.items()
        }

    def to_dict(self) -> Json:
        """It as JSON data."""
        return {
            "rows": self.rows,
            "columns": {name: [column.text, column.bits] for name, column in self.columns.items()},
            "others": [[column.text, column.bits] for column in self.others],
        }

    @classmethod
    def of_dict(cls, kept: Json) -> TablePrint:
        """What `to_dict` made."""
        columns = {name: ColumnPrint(*column) for name, column in kept["columns"].items()}
        return cls(kept["rows"], columns, [ColumnPrint(*column) for column in kept["others"]])

    def _all(self) -> Iterator[ColumnPrint]:
        yield from self.columns.values()
        yield from self.others

    def _texts(self) -> set[str]:
        return {column.text for column in self._all()}


def kept_key(entries: Sequence[Entry]) -> str:
    """The key that a ledger mixes into fingerprints of columns; a new one where it has none yet."""
    kept = [entry.details["prints"]["key"] for entry in entries if "prints" in entry.details]
    return str(kept[0]) if kept else secrets.token_hex(16)


def kept_print(entry: Entry, table: str, key: str) -> TablePrint | None:
    """What a release keeps of its `source` or `release`; None for older ones, and for those of another key."""
    prints = entry.details.get("prints")
    return TablePrint.of_dict(prints[table]) if prints is not None and prints["key"] == key else None


def print_columns(engine: Engine, table: Source, key: str, rows: int, estimates: Sequence[int]) -> TablePrint:
    """The fingerprints of all columns of a table of so many rows, in one scan.

    `estimates`, where DuckDB holds it, are about how many distinct values each column has, in the order of their names.
    Of a source they are taken as it stands, as is the fingerprint of all columns.
    """
    table = table.unread or table
    columns = sorted(table.columns, key=lambda column: column.name)
    if table.backend.weighted:
        scan_columns(engine, table, key, rows, _FEW)
    else:
        _scan(engine, table, columns, key, estimates)
    sums = engine.query("ledger/column_prints", values={"key": key})
    return TablePrint(
        rows,
        {
            column.name: ColumnPrint(_digest(key, total), bits)
            for column, (_, total, bits) in zip(columns, sums, strict=True)
        },
    )


def _scan(engine: Engine, table: Source, columns: Sequence[Column], key: str, estimates: Sequence[int]) -> None:
    values = [exp.Coalesce(this=text_of(column, ()), expressions=[exp.Literal.string("")]) for column in columns]
    is_few = [estimate <= _FEW for estimate in estimates]
    numbers = _numbers(engine, table, [value for value, few in zip(values, is_few, strict=True) if not few])
    items: list[Item] = [
        {
            "few": value if few else _NOTHING,
            "many": _NOTHING if few else value,
            "number": exp.cast(exp.null(), "DOUBLE") if few else next(numbers),
            **{name: f"{name}_{position}" for name in ("name", "text", "place")},
        }
        for position, (value, few) in enumerate(zip(values, is_few, strict=True))
    ]
    names = {"table_rows": table.relation}
    engine.query("ledger/column_scan", names=names, lists={"cell": items}, values={"key": key})


def _numbers(engine: Engine, table: Source, values: Sequence[exp.Expr]) -> Iterator[exp.Expr]:
    """Of each of these texts the number or moment that it is, NULL where some rows say that it is neither."""
    if not values:
        return
    names = {"table_rows": table.relation.limit(_SOME)}
    ((kinds,),) = engine.query(
        "ledger/column_kinds", names=names, lists={"cell": [{"value": value} for value in values]}
    )
    for kind, value in zip(kinds, values, strict=True):
        if kind is None:
            yield exp.cast(exp.null(), "DOUBLE")
        elif kind == "number":
            yield exp.TryCast(this=value.copy(), to=exp.DataType.build("DOUBLE"))
        else:
            moment = exp.TryCast(this=value.copy(), to=exp.DataType.build("TIMESTAMP"))
            seconds = exp.Anonymous(this="epoch", expressions=[moment])
            finite = exp.Anonymous(this="isfinite", expressions=[moment.copy()])
            yield exp.Case(ifs=[exp.If(this=finite, true=seconds)])


def _digest(key: str, total: str) -> str:
    return hashlib.sha256(f"{key} {total}".encode()).hexdigest()[:32]


def source_place(loaded: LoadedConfig) -> str | None:
    """Where the source of a configuration is, as it says."""
    source = loaded.config.source
    named = source.path if source.folder_table is None else source.folder_table[1]
    if named is not None:
        return _absolute(loaded, named)
    return f"{_database(loaded, source.database_file)}: {source.table or ' '.join((source.query or '').split())}"


def target_place(loaded: LoadedConfig) -> str | None:
    """Where the target of a configuration is, as it says."""
    target = loaded.config.target
    if target is None or target.in_place:
        return source_place(loaded)
    if target.path is not None:
        return _absolute(loaded, target.path)
    return f"{_database(loaded, target.database_file or '')}: {target.table}"


def places_of_source(engine: Engine, loaded: LoadedConfig, source: Source) -> set[str]:
    """All places that a source reads."""
    config, given = loaded.config.source, source_place(loaded)
    places = {given} if given is not None else set()
    if source.backend.weighted:
        files = {str(Path(name).resolve()) for name in glob(_absolute(loaded, config.path or ""))}  # noqa: PTH207
        return places | files | _of_engine(loaded, source.backend.tables_read(source.unread or source))
    if config.path is not None or config.folder_table is not None:
        return places | {str(path.resolve()) for path in source.files}
    return places | set(_Read(engine, config, loaded.base).places())


def places_of_target(loaded: LoadedConfig) -> set[str]:
    """The places of a target that is no source; as a query names it."""
    target, given = loaded.config.target, target_place(loaded)
    places = {given} if given is not None else set()
    if target is not None and target.table is not None and loaded.config.engine.chosen != "duckdb":
        named = table_name(target.table, find_dialect(loaded.config.engine.chosen), loaded.place("target"))
        places |= _of_engine(loaded, [(named.db or _FIRST_SCHEMA[loaded.config.engine.chosen], named.name)])
    elif target is not None and target.table is not None:
        schema, table = split_name(target.table, loaded.place("target"))
        places |= set(_of_table(_absolute(loaded, target.database_file or ""), schema, table))
    return places


def _database(loaded: LoadedConfig, file: str | None) -> str:
    """What holds the tables of a source or target: a file, or the engine, which other users reach as well."""
    engine = loaded.config.engine
    if engine.postgres is not None:
        url = urlsplit(engine.postgres)
        server = url.netloc.rpartition("@")[2].casefold()
        return f"postgresql://{server}{url.path}"
    if engine.spark is not None:
        return "spark"
    return "" if file is None else _absolute(loaded, file)


def _of_engine(loaded: LoadedConfig, tables: Sequence[tuple[str, str]]) -> set[str]:
    """Tables of another engine as configurations may name them; those of its first schema without it, too."""
    database, first = _database(loaded, None), _FIRST_SCHEMA[loaded.config.engine.chosen]
    return {place for schema, name in tables for place in _of_table(database, schema, name, first)}


def folders_around(places: set[str]) -> set[str]:
    """The folders that files lie in: one of them may be a source or a target as a whole."""
    return {str(folder) for place in places if place.startswith("/") for folder in Path(place).parents}


class _Read:
    """What a table, view or query reads."""

    def __init__(self, engine: Engine, config: SourceConfig, base: Path) -> None:
        self.engine = engine
        self.base = base
        self.database = None if config.database_file is None else base / config.database_file
        self.catalog = None if self.database is None else attached_as(engine, self.database)
        self.query = config.query
        if config.query is None:
            schema, name = split_name(config.table or "", "source")
            table = exp.Table(this=template.quoted(name), db=template.quoted(schema))
            if self.catalog is not None:
                table.set("catalog", template.quoted(self.catalog))
            self.query = template.text(exp.select("*").from_(table))

    def places(self) -> Iterator[str]:
        query = with_absolute_paths((self.query or "").strip().rstrip(";"), self.base)
        waiting, seen = [query], set[str]()
        while waiting:
            text = waiting.pop()
            if text in seen:
                continue
            seen.add(text)
            yield from self._files(_quoted_texts(text))
            for table in self._tables(text):
                yield from self._files([".".join(part.name for part in table.parts)])
                if self.database is not None:
                    yield from _of_table(str(self.database.resolve()), table.db or "main", table.name)
                    waiting += self._view(table)

    def _tables(self, text: str) -> list[exp.Table]:
        """The tables that a statement names, and as far as the engine tells those that views and macros of it name."""
        tables: list[exp.Table] = []
        try:
            names = self.engine.connection.get_table_names(text, qualified=True)
            tables = [exp.to_table(name, dialect="duckdb") for name in names]
        except (duckdb.Error, SqlglotError):
            pass  # it binds no list of files, and no statement of two steps such as PIVOT
        return [*tables, *named_tables(text, "duckdb")]

    def _view(self, table: exp.Table) -> list[str]:
        """The SELECT of a view of the database; nothing for a table."""
        values = {"catalog": self.catalog, "schema": table.db or "main", "name": table.name}
        return [str(row[0]) for row in self.engine.query("ledger/view", values=values)]

    def _files(self, texts: list[str]) -> Iterator[str]:
        """The files that texts name, as the engine reads them: patterns."""
        for text in texts:
            try:
                names = glob(str(self.base / text.removeprefix("file://")), recursive=True)  # noqa: PTH207
                yield from (str(Path(name).resolve()) for name in names if Path(name).is_file())
            except (OSError, ValueError):
                continue  # no name of a file


def _quoted_texts(text: str) -> list[str]:
    try:
        return [token.text for token in tokenize(text, read="duckdb") if token.token_type is TokenType.STRING]
    except SqlglotError:
        return []


def _of_table(database: str, schema: str, name: str, first: str = "main") -> Iterator[str]:
    """A table as configurations may name it, whose case says nothing."""
    schema, name = schema.casefold(), name.casefold()
    yield f"{database}: {schema}.{name}"
    if schema == first:
        yield f"{database}: {name}"


def _absolute(loaded: LoadedConfig, path: str) -> str:
    path = path.removeprefix("file://")
    return path if is_remote(path) or "://" in path else str((loaded.base / path).resolve())


@dataclass(frozen=True)
class SourceLook:
    """By what a source is known again.

    `columns` were printed under the `key` of the ledger; it `reads` places, and its release is put where the run
    `writes`.
    """

    fingerprint: str
    columns: TablePrint
    key: str
    reads: set[str]
    writes: set[str]

    def built_on(self, earlier: Sequence[Entry]) -> Entry | None:
        """The last release that the source is, or some columns of it."""
        whole = (entry for entry in reversed(earlier) if entry.release_fingerprint == self.fingerprint)
        return next(whole, None) or next((entry for entry in reversed(earlier) if self._is_part_of(entry)), None)

    def has_source_of(self, entry: Entry) -> bool:
        """Whether a release was made of the same rows, or of the same place, whose rows may have changed since."""
        if entry.source_fingerprint == self.fingerprint or self._reads_place_of(entry):
            return True
        tables = (kept_print(entry, table, self.key) for table in ("source", "release"))
        return any(self.columns.has_rows_of(table) for table in tables if table is not None)

    def kept(self, released: Collection[str], release: TablePrint) -> Json:
        """The entries of the ledger."""
        return {
            "prints": {
                "key": self.key,
                "source": self.columns.of_released(released).to_dict(),
                "release": release.to_dict(),
            },
            "places": sorted(map(digest, self.reads | self.writes)),
        }

    def _is_part_of(self, entry: Entry) -> bool:
        release = kept_print(entry, "release", self.key)
        return release is not None and self.columns.is_part_of(release)

    def _reads_place_of(self, entry: Entry) -> bool:
        named = {entry.source_place, entry.target_place}
        reads = set(map(digest, self.reads))
        around = set(map(digest, folders_around(self.reads)))
        return bool(reads & {*named, *entry.details.get("places", ())} or around & named)


def printed(engine: Engine, table: Source, key: str) -> tuple[Overview, TablePrint]:
    """The fingerprint of a table, and those of its columns."""
    whole = overview(engine, table)
    return whole, print_columns(engine, table, key, whole.rows, whole.estimates)


def columns_again(entry: Entry, earlier: Entry) -> dict[str, set[str]]:
    """For each released column the columns of an earlier release that it is: of its name, or of the same values."""
    again = {name: {name} & set(earlier.released) for name in entry.released}
    prints = entry.details["prints"]
    former = kept_print(earlier, "source", prints["key"])
    if former is not None:
        for name, others in TablePrint.of_dict(prints["source"]).namesakes(former).items():
            again[name] |= set(others)
    return again
