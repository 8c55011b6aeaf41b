"""Where a value stands in the files of a source: its line, record or row, for messages that must not show it."""

from __future__ import annotations

from kanon_sql.source.formats.base import First
from kanon_sql.source.formats.registry import FILE_FORMATS
from kanon_sql.source.model import Column, Source
from kanon_sql.sql.connection import Engine


def find_place(engine: Engine, source: Source, item: Column, first: First) -> str | None:
    """The place of a value of a column, such as "line 17" or "row 3 of b.parquet"; None where there is no telling.

    `first` finds (file, position) of the value in a SELECT of value, file and position. Names of partitioned files hold
    values, so that none is named. Raises EngineError for files that cannot be read again.
    """
    if source.partitions or not source.files or source.kind not in FILE_FORMATS:
        return None
    return FILE_FORMATS[source.kind].place_of(engine, source, item, first)
