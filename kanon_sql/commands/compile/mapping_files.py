"""Mapping tables as CSV files, for the database that executes a compiled statement."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from kanon_sql.errors import EngineError
from kanon_sql.sql.dialects.inline_table import Cell, Listing


def write_listings(folder: Path, tables: Sequence[tuple[str, Listing]]) -> list[Path]:
    """Writes each table as NAME.csv, for the owner's eyes only, as the tables hold values of the source.

    Raises EngineError for a folder that is not there and for files that are.
    """
    files = [folder / f"{name.replace('/', '_')}.csv" for name, _ in tables]
    problems = [] if folder.is_dir() else [f"{folder}: the folder of the mapping tables does not exist; make it"]
    problems += [
        f"{file}: a mapping table would replace this file; remove it, or name another --mapping-folder or "
        "--mapping-prefix"
        for file in files
        if file.exists()
    ]
    if problems:
        raise EngineError(problems)
    written: list[Path] = []
    try:
        for file, (_, listing) in zip(files, tables, strict=True):
            handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            written.append(file)
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as stream:
                stream.writelines(csv_lines(listing))
    except BaseException as error:
        for file in written:
            file.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise EngineError(f"{folder}: the mapping tables cannot be written ({error.strerror})") from None
        raise
    return files


def csv_lines(listing: Listing) -> Iterator[str]:
    """The lines of the CSV file: a header, texts in quotes, no field that is NULL."""
    columns, rows = listing.stored()
    yield _line(name for name, _ in columns)
    for row in rows:
        yield _line(row)


def _line(cells: Iterable[Cell]) -> str:
    return ",".join(_field(cell) for cell in cells) + "\n"


def _field(cell: Cell) -> str:
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, int):
        return str(cell)
    text = (cell or "").replace('"', '""')
    return f'"{text}"'
