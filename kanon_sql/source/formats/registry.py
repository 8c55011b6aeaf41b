"""How files of each format are read and written, and what is told of places in them and where they cannot be read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from kanon_sql.errors import EngineError, NoRoomError, UnplacedError
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
        raise _told(engine, source, error) from error


@contextmanager
def telling_source(engine: Engine) -> Iterator[list[Source]]:
    """As `telling_faults`, where the source is opened in the block, which adds it to the list.

    Errors that say themselves what they are about are left alone: targets and ledgers fail, too.
    """
    opened: list[Source] = []
    try:
        yield opened
    except UnplacedError as error:
        if not opened:
            raise
        raise _told(engine, opened[-1], error) from error.__cause__


def _told(engine: Engine, source: Source, error: EngineError) -> EngineError:
    looked_at = source.files and not isinstance(error, NoRoomError)
    known = FILE_FORMATS.get(source.kind) if looked_at else None
    fault = None
    with suppress(EngineError):  # files that cannot be read once more, as those of a broken encoding
        fault = known.ragged(engine, source) if known is not None else None
    return EngineError(fault or [f"{source.label}: {problem}" for problem in error.problems])


def find_place(engine: Engine, source: Source, item: Column, first: First) -> str | None:
    """The place of a value of a column, such as "line 17" or "row 3 of b.parquet"; None where there is no telling.

    `first` finds (file, position) of the value in a SELECT of value, file and position. Names of partitioned files hold
    values, so that none is named. Raises EngineError for files that cannot be read again.
    """
    if source.partitions or not source.files or source.kind not in FILE_FORMATS:
        return None
    return FILE_FORMATS[source.kind].place_of(engine, source, item, first)
