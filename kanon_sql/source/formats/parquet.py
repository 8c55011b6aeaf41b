"""Parquet: one file, many, or a folder with hive partitions."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from glob import escape
from pathlib import Path

from sqlglot import exp

from kanon_sql.config.model import TargetConfig
from kanon_sql.errors import ConfigurationError, EngineError, NoRoomError, UnplacedError
from kanon_sql.settings.formats import head_of, kind_of
from kanon_sql.source.duckdb import DuckDB
from kanon_sql.source.formats.base import FileFormat, First, OpenRequest, Writer, located, named_file
from kanon_sql.source.model import Column, Source, select_keys
from kanon_sql.sql.connection import Engine, literal
from kanon_sql.sql.template import Item

_NOT_HELD = re.compile(r"\b(U?HUGEINT|BIGNUM|INTERVAL|TIME WITH TIME ZONE|UNION)\b")
_IN_QUOTES = re.compile(r"\"[^\"]*\"|'[^']*'")  # names of fields, values of ENUM types
_ONE_VALUE = re.compile(r"ENUM\('(?:[^']|'')*'\)")
_EMPTY_TEXT = re.compile(r"[(,]\s*''\s*[,)]")  # among the values of an ENUM type, or a text that reads like it
_FOLDER_OF_VALUES = re.compile(r"=[^/]*(?=/)")
_DAMAGED = (
    "cannot be read: it is damaged or cut off, or holds texts that are not UTF-8; write it anew "
    "(--show-values shows the engine's words)"
)
_VIRTUAL = {"filename", "file_row_number"}  # the engine's columns for the file and the number of a row


class ParquetFormat(FileFormat):
    """Reads and writes Parquet."""

    def open(self, engine: Engine, request: OpenRequest) -> Source:
        return _open(engine, request.paths, tuple(request.config.missing or ()), request.partitions)

    def open_release(
        self, engine: Engine, path: Path, target: TargetConfig, like: Source, names: Sequence[str], place: str
    ) -> Source:
        del target, names, place
        return _open(engine, (path,), like.missing)

    def ragged(self, engine: Engine, source: Source) -> str | None:
        return _unreadable(engine, source.files, "source/parquet_values")

    def place_of(self, engine: Engine, source: Source, col: Column, first: First) -> str | None:
        del engine
        if _VIRTUAL & {other.name.lower() for other in source.columns}:
            return None
        counted = exp.Add(this=exp.column("file_row_number"), expression=exp.Literal.number(1))
        place = first(located(source, col, counted))
        return None if place is None else f"row {place[1]}{named_file(source, place[0])}"

    def writer(self, target: TargetConfig, final: Path) -> Writer:
        return ParquetWriter(self.name, target, final)


class ParquetWriter(Writer):
    """Writes Parquet, columns of ENUM types as such: their texts are not hashed row by row, which is most of the work.

    DuckDB 2.0 may lose values of an ENUM type of several: all threads note without a lock which of them dictionaries
    need, and a note that is lost leaves an empty text there. So a file is looked through for empty texts, which no such
    type lists, and columns that hold one are written again from texts. Files of partitions are written from texts.
    """

    _names: Sequence[str] = ()  # of the columns that are written
    _listed: Sequence[int] = ()  # the places of those of an ENUM type of several values

    def refuse(self, released: Sequence[Column], place: str) -> None:
        lossy = [col for col in released if _NOT_HELD.search(_IN_QUOTES.sub("", col.type))]
        if lossy:
            raise ConfigurationError(
                f"{place}: Parquet cannot hold column {lossy[0].name!r} of type {lossy[0].type} unchanged; "
                "cast it in source.query, or write CSV or a table"
            )

    def begin(
        self, engine: Engine, release: exp.Expr, source: Source, columns: Sequence[str], partitions: Sequence[str]
    ) -> exp.Expr:
        described = [(str(row[0]), str(row[1])) for row in engine.run(exp.Describe(this=release.copy()))]
        self._names = [name for name, _ in described]
        of_several = {place for place, (_, kind) in enumerate(described) if _lists_several(kind)}
        texts = {place for place in of_several if partitions or _EMPTY_TEXT.search(described[place][1])}
        self._listed = sorted(of_several - texts)
        return _with_texts(release, self._names, texts)

    def mended(self, engine: Engine, statement: exp.Expr, file: Path) -> exp.Expr | None:
        if not self._listed:
            return None
        keys: list[Item] = [{"key": f"c{place}"} for place in self._listed]
        rows = exp.select("*").from_(_by_place(_read_parquet((file,), hive=False), len(self._names)))
        counted = engine.query("source/parquet_empty_texts", names={"written": rows}, lists={"text": keys})[0]
        lost = {place for place, count in zip(self._listed, counted, strict=True) if count}
        return _with_texts(statement, self._names, lost) if lost else None

    def written(self, engine: Engine, files: tuple[Path, ...], partitions: tuple[str, ...]) -> Source:
        return _open(engine, files, (), partitions)


def _lists_several(described: str) -> bool:
    """Whether a column's type is one of whose values some may be lost."""
    return described.startswith("ENUM(") and not _ONE_VALUE.fullmatch(described)


def _with_texts(release: exp.Expr, names: Sequence[str], texts: Collection[int]) -> exp.Expr:
    """The release with columns of these names, those at the places `texts` cast to texts."""
    if not texts:
        return release
    outputs: list[exp.Expr] = []
    for place, name in enumerate(names):
        value = exp.column(f"c{place}", "released")
        outputs.append(exp.alias_(exp.cast(value, "VARCHAR") if place in texts else value, name, quoted=True))
    return exp.select(*outputs).from_(_by_place(exp.Subquery(this=release.copy()), len(names)))


def _by_place(rows: exp.Expr, columns: int) -> exp.Expr:
    """Rows as the table `released` of c0, c1 ...: names may differ in case alone, which the engine takes for one."""
    places = [exp.to_identifier(f"c{place}") for place in range(columns)]
    rows.set("alias", exp.TableAlias(this=exp.to_identifier("released"), columns=places))
    return rows


def _open(
    engine: Engine, paths: tuple[Path, ...], missing: tuple[str, ...], partitions: tuple[str, ...] = ()
) -> Source:
    reader = _read_parquet(paths, hive=bool(partitions))
    try:
        described = engine.run(exp.Describe(this=exp.select("*").from_(reader.copy())))
        written = _written_names(engine, paths[0])
        different = _first_other(engine, paths)
    except EngineError as error:
        _refuse_other_kinds(paths)
        fault = _unreadable(engine, paths, "source/parquet_columns")
        raise EngineError(fault or f"{paths[0]}: {error}") from error
    names = [str(row[0]) for row in described]
    if different is not None:
        raise EngineError(
            f"{different}: its columns or types differ from those of other files; expected files of one schema"
        )
    twice = sorted(set(written) & set(partitions))
    if twice:
        raise EngineError(f"{paths[0]}: column {', '.join(map(repr, twice))} is there twice, as a partition too")
    # The engine renames columns that differ only in case; their places tell which is which.
    shown = [
        written[position] if position < len(written) and name not in partitions else name
        for position, name in enumerate(names)
    ]
    columns = tuple(
        Column(name, f"c{position}", str(row[1]))
        for position, (name, row) in enumerate(zip(shown, described, strict=True))
    )
    return Source(
        kind="parquet",
        relation=select_keys(reader, names),
        columns=columns,
        missing=missing,
        columnar=True,
        label=str(paths[0]) if len(paths) == 1 else f"{len(paths)} Parquet files",
        backend=DuckDB(engine),
        files=paths,
        partitions=partitions,
    )


def _read_parquet(paths: tuple[Path, ...], *, hive: bool) -> exp.Table:
    """The read_parquet call; values in names of folders are read as texts, as they are written."""
    arguments: list[exp.Expr] = [literal([escape(str(path)) for path in paths])]
    options = {"hive_partitioning": hive, **({"hive_types_autocast": False} if hive else {})}
    arguments += [exp.EQ(this=exp.to_identifier(name), expression=literal(value)) for name, value in options.items()]
    return exp.Table(this=exp.Anonymous(this="read_parquet", expressions=arguments))


def _refuse_other_kinds(paths: tuple[Path, ...]) -> None:
    """Raises EngineError for a file that is of another format by its first bytes."""
    for path in paths:
        kind = kind_of(head_of(path), path.name)
        if kind is not None and kind.format != "parquet":
            raise EngineError(f"{path}: is {kind.what}, no Parquet; {kind.remedy}")


def _first_other(engine: Engine, paths: tuple[Path, ...]) -> str | None:
    """The first file of other columns, which the engine would read by those of the first file, with types cast."""
    if len(paths) == 1:
        return None
    others = engine.query("source/parquet_differences", values={"paths": [escape(str(path)) for path in paths]})
    return str(others[0][0]) if others else None


def _unreadable(engine: Engine, paths: tuple[Path, ...], query: str) -> str | None:
    """What is wrong with the first file for which a query fails; None where it fails for none.

    Names of folders may be values of partitions, which are left out of the path of one of several files.
    """
    for path in paths:
        try:
            engine.query(query, values={"path": escape(str(path))})
        except NoRoomError:
            return None
        except EngineError as error:
            unsaid = isinstance(error, UnplacedError) and not engine.show_values
            shown = engine.show_values or len(paths) == 1  # a file that was asked for by its name
            place = str(path) if shown else _FOLDER_OF_VALUES.sub("=...", str(path))
            return f"{place}: {_DAMAGED if unsaid else error}"
    return None


def _written_names(engine: Engine, path: Path) -> list[str]:
    """The names of the top-level columns as they are written in the file."""
    rows = engine.query("source/parquet_columns", values={"path": escape(str(path))})
    names: list[str] = []
    position = 1
    while position < len(rows):
        names.append(str(rows[position][0]))
        open_children = int(rows[position][1] or 0)
        position += 1
        while open_children:
            open_children += int(rows[position][1] or 0) - 1
            position += 1
    return names
