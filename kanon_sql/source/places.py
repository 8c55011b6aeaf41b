"""Where a value stands in the files of a source: its line, record or row, for messages that must not show it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from sqlglot import exp

from kanon_sql.errors import EngineError
from kanon_sql.source.csv import read_csv
from kanon_sql.source.model import Column, CsvDialect, Source
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine

_NO_DELIMITER = "\x02"  # a file that holds it has no lines that could be counted
_VIRTUAL = {"filename", "file_row_number"}  # what the engine calls a file and the places of its rows

First = Callable[[exp.Select], tuple[str, int] | None]


def find_place(engine: Engine, source: Source, item: Column, first: First) -> str | None:
    """The place of a value of a column, such as "line 17" or "row 3 of b.parquet"; None where there is no telling.

    `first` finds (file, position) of the value in a SELECT of value, file and position. Names of partitioned files hold
    values, so that none is named. Raises EngineError for files that cannot be read again.
    """
    if source.partitions or source.home is not None:
        return None
    if source.kind == "parquet":
        return _in_parquet(source, item, first)
    return _in_csv(engine, source, item, first) if source.kind == "csv" else None


def _in_parquet(source: Source, item: Column, first: First) -> str | None:
    if _VIRTUAL & {one.name.lower() for one in source.columns}:
        return None
    counted = exp.Add(this=exp.column("file_row_number"), expression=exp.Literal.number(1))
    found = first(_located(source, item, counted))
    return None if found is None else f"row {found[1]}{_of(source, found[0])}"


def _in_csv(engine: Engine, source: Source, item: Column, first: First) -> str | None:
    assert source.dialect is not None
    path = source.files[0]
    if len(source.files) > 1:
        found = first(_located(source, item, exp.Literal.number(0)))
        if found is None:
            return None
        path = Path(found[0])
    alone = replace(source, relation=source.relation.from_(_reader(source, source.dialect, path)))
    counted = template.fill("source/csv_places", names={"records": _located(alone, item, exp.Literal.number(0))})
    assert isinstance(counted, exp.Select)
    found = first(counted)
    if found is None:
        return None
    line = _line(engine, source, source.dialect, path, found[1])
    where = f"record {found[1]}" if line is None else f"line {line}"
    return where + _of(source, found[0])


def _located(source: Source, item: Column, position: exp.Expr) -> exp.Select:
    """SELECT of a column of all files as value, with the file and a position."""
    value = next(one for one in source.relation.expressions if one.alias_or_name == item.key)
    parts = {"value": value.unalias(), "file": exp.column("filename"), "position": position}
    return source.relation.select(*(exp.alias_(part.copy(), name) for name, part in parts.items()), append=False)


def _reader(source: Source, dialect: CsvDialect, path: Path) -> exp.Table:
    return read_csv([path], dialect, [one.key for one in source.columns], source.missing, parallel=False)


def _line(engine: Engine, source: Source, dialect: CsvDialect, path: Path, record: int) -> int | None:
    """The line of a record, where each record of its file is one line."""
    plain = replace(dialect, delimiter=_NO_DELIMITER, quote="", escape="", header=False)
    lines = read_csv([path], plain, ["line"], ("",), parallel=False)
    names = {"file_lines": lines, "file_records": _reader(source, dialect, path)}
    try:
        counted = engine.query("source/csv_lines", names=names)[0]
    except EngineError:
        return None
    return record + dialect.header if counted[0] == counted[1] + dialect.header else None


def _of(source: Source, file: str) -> str:
    return f" of {Path(file).name}" if len(source.files) > 1 else ""
