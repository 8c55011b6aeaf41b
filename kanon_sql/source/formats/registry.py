"""How files of each format are read and written, and what is told of places in them and where they cannot be read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kanon_sql.errors import EngineError
from kanon_sql.source.formats.base import FileFormat, First
from kanon_sql.source.formats.csv import CsvFormat
from kanon_sql.source.formats.excel import ExcelFormat
from kanon_sql.source.formats.json import JsonFormat
from kanon_sql.source.formats.parquet import ParquetFormat
from kanon_sql.source.model import Column, Source
from kanon_sql.sql.connection import Engine

# By the names of kanon_sql.settings.formats.
FILE_FORMATS: dict[str, FileFormat] = {
    "csv": CsvFormat("csv"),
    "parquet": ParquetFormat("parquet"),
    "jsonl": JsonFormat("jsonl"),
    "json": JsonFormat("json"),
    "excel": ExcelFormat("excel"),
}


@contextmanager
def telling_faults(engine: Engine, source: Source) -> Iterator[None]:
    """Says of an engine's error which source it is about, or which records of its files do not fit.

    These are looked for by reading the files once more, so only after an error. Raises EngineError.
    """
    try:
        yield
    except EngineError as error:
        known = FILE_FORMATS.get(source.kind) if source.files else None
        fault = known.ragged(engine, source) if known is not None else None
        raise EngineError(fault or [f"{source.label}: {problem}" for problem in error.problems]) from error


def find_place(engine: Engine, source: Source, item: Column, first: First) -> str | None:
    """The place of a value of a column, such as "line 17" or "row 3 of b.parquet"; None where there is no telling.

    `first` finds (file, position) of the value in a SELECT of value, file and position. Names of partitioned files hold
    values, so that none is named. Raises EngineError for files that cannot be read again.
    """
    if source.partitions or not source.files or source.kind not in FILE_FORMATS:
        return None
    return FILE_FORMATS[source.kind].place_of(engine, source, item, first)
