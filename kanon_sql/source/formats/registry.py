"""The formats of files by name, and where in a source a value is, or a fault that an engine reports."""

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
    """Adds to an engine's error in the block which source it is about, or which records of its files do not fit.

    To find these the files are read once more, so only after an error. Raises EngineError.
    """
    try:
        yield
    except EngineError as error:
        raise _about_source(engine, source, error) from error


@contextmanager
def telling_source(engine: Engine) -> Iterator[list[Source]]:
    """As `telling_faults`, for a source that is opened in the block, which appends it to the list.

    Errors that name what they are about stay as they are: targets and ledgers fail, too.
    """
    opened: list[Source] = []
    try:
        yield opened
    except UnplacedError as error:
        if not opened:
            raise
        raise _about_source(engine, opened[-1], error) from error.__cause__


def _about_source(engine: Engine, source: Source, error: EngineError) -> EngineError:
    looked_at = source.files and not isinstance(error, NoRoomError)
    file_format = FILE_FORMATS.get(source.kind) if looked_at else None
    fault = None
    with suppress(EngineError):  # files that cannot be read once more, as those of a broken encoding
        fault = file_format.ragged(engine, source) if file_format is not None else None
    return EngineError(fault or [f"{source.label}: {problem}" for problem in error.problems])


def find_place(engine: Engine, source: Source, column: Column, first: First) -> str | None:
    """The place of a value of a column, such as "line 17" or "row 3 of b.parquet"; None where it cannot be found out.

    `first` finds (file, position) of the value in a SELECT of value, file and position. For partitioned files there is
    none, as their names hold values. Raises EngineError for files that cannot be read again.
    """
    if source.partitions or not source.files or source.kind not in FILE_FORMATS:
        return None
    return FILE_FORMATS[source.kind].place_of(engine, source, column, first)
