"""Rows of damaged files, as programs that share nothing with kanon-sql read them: each a job of its own process."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import sys
from collections.abc import Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any

from trials.files_pool import HEAD

Json = dict[str, Any]
Table = tuple[list[str], list[list[Any]]]
_GUESSING = "auto_detect = false, header = true, quote = '\"', escape = '\"'"


def read(given: Json) -> None:
    """The job of reading the file `path` with a `reader`; prints columns and rows, each cell a text."""
    columns, rows = globals()[f"_{given['reader']}"](given)
    texts = [[cell_text(cell) for cell in row] for row in rows]
    json.dump({"columns": columns, "rows": texts}, sys.stdout)


def cell_text(cell: Any) -> str:
    """A cell as text; NULL is an empty one."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, datetime) and not any((cell.hour, cell.minute, cell.second, cell.microsecond)):
        cell = cell.date()
    return cell.isoformat() if isinstance(cell, date | datetime) else str(cell)


def _pyarrow(given: Json) -> Table:
    import pyarrow.parquet as pq

    with pq.ParquetFile(given["path"]) as file:
        table = file.read(given["columns"] or None, use_threads=False)
    table.validate(full=True)
    return table.column_names, list(map(list, zip(*(column.to_pylist() for column in table.columns), strict=True)))


def _engine(given: Json) -> Table:
    """The engine itself, which trusts no statistics."""
    import duckdb

    with duckdb.connect(config={"threads": 1}) as connection:
        connection.execute("SET disabled_optimizers = 'statistics_propagation,compressed_materialization'")
        if given["format"] == "table":
            connection.execute(f"ATTACH '{given['path']}' AS found (READ_ONLY)")
            called = f"found.{given['table']}"
        else:
            called = f"{given['function']}('{given['path']}'{given.get('options', '')})"
        cursor = connection.execute(f"SELECT {', '.join(given['columns']) or '*'} FROM {called}")
        return [str(column[0]) for column in cursor.description], [list(row) for row in cursor.fetchall()]


def _unpacked(path: Path) -> bytes:
    data = path.read_bytes()
    if path.suffix == ".gz":
        return gzip.decompress(data)
    if path.suffix == ".zst":
        import zstandard

        reader = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(data), read_across_frames=True)
        unpacked = reader.read()
        end = zstandard.ZstdDecompressor().decompressobj(read_across_frames=True)
        end.decompress(data)
        if not end.eof and end.unused_data:
            raise ValueError("rubbish behind the last frame")
        if not _whole(data):
            raise ValueError("the last frame is cut")
        return unpacked
    return data


def _whole(data: bytes) -> bool:
    import zstandard

    while data:
        frame = zstandard.ZstdDecompressor().decompressobj()
        frame.decompress(data)
        if not frame.eof:
            return False
        data = frame.unused_data
    return True


def _text(data: bytes) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16")
    zeros = [data[start::2].count(0) for start in (0, 1)]  # of the first bytes of characters, and of the second
    if min(zeros) == 0 and max(zeros) * 4 >= len(data) > 0:
        return data.decode("utf-16-be" if zeros[0] else "utf-16-le")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252")


def _csv(given: Json) -> Table:
    text = _text(_unpacked(Path(given["path"])))
    csv.field_size_limit(1 << 28)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=given["delimiter"], strict=True)
    columns, *rows = (row for row in reader if row)
    if any(len(row) != len(columns) for row in rows):
        raise ValueError("records of different lengths")
    return columns, rows


def _json(given: Json) -> Table:
    text = _unpacked(Path(given["path"])).decode("utf-8")
    array = text.lstrip().startswith("[")
    records = json.loads(text) if array else _values(text)
    columns = list(dict.fromkeys(name for record in records for name in record))
    return columns, [[_json_cell(record.get(name)) for name in columns] for record in records]


def _values(text: str) -> list[Json]:
    """Objects one after the other."""
    decoder, place, records = json.JSONDecoder(), 0, []
    blank = re.compile(r"\s*")
    while (place := blank.match(text, place).end()) < len(text):  # type: ignore[union-attr]
        record, place = decoder.raw_decode(text, place)
        records.append(record)
    return records


def _json_cell(cell: Any) -> Any:
    return json.dumps(cell) if isinstance(cell, list | dict) else cell


def _openpyxl(given: Json) -> Table:
    import openpyxl

    columns, *rows = openpyxl.load_workbook(given["path"], data_only=True).active.iter_rows(values_only=True)
    return [cell_text(name) for name in columns], [list(row) for row in rows if any(cell is not None for cell in row)]


def _calamine(given: Json) -> Table:
    import python_calamine

    sheet = python_calamine.CalamineWorkbook.from_path(given["path"]).get_sheet_by_index(0)
    columns, *rows = sheet.to_python()
    whole = [[int(c) if isinstance(c, float) and c.is_integer() else c for c in row] for row in rows]
    return [cell_text(name) for name in columns], [row for row in whole if any(cell != "" for cell in row)]


def readers_of(path: Path, table: str | None = None, like: str | None = None) -> Sequence[Json]:
    """What reads a file, the most independent first; a CSV file is written as the source `like` it."""
    name, given = path.name, {"path": str(path)}
    if table is not None:
        return [{**given, "reader": "engine", "format": "table", "table": table}]
    engine = {**given, "reader": "engine", "format": "file"}
    if name.endswith(".parquet"):
        return [{**given, "reader": "pyarrow"}, {**engine, "function": "read_parquet"}]
    if ".json" in name:
        return [{**given, "reader": "json"}, {**engine, "function": "read_json"}]
    if name.endswith(".xlsx"):
        return [{**given, "reader": "openpyxl"}, {**given, "reader": "calamine"}]
    delimiter = {"quoted.csv": ";", "in.tsv": "\t"}.get(like or name, ",")
    encoding = {"utf16.csv": "utf-16", "latin.csv": "latin-1"}.get(name, "utf-8")
    columns = ", ".join(f"'{column}': 'VARCHAR'" for column in HEAD)
    options = f", {_GUESSING}, columns = {{{columns}}}, delim = '{delimiter}', encoding = '{encoding}'"
    return [{**given, "reader": "csv", "delimiter": delimiter}, {**engine, "function": "read_csv", "options": options}]
