"""Sources of cases as files: CSV in odd dialects, Parquet, JSON, folders, DuckDB tables, workbooks."""

from __future__ import annotations

import gzip
import io
import json
import random
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
from table_files import quoted

from trials.making_trees import record, text

Json = dict[str, Any]
Rows = Sequence[Sequence[Any]]
TYPES = {"text": "VARCHAR", "integer": "BIGINT", "double": "DOUBLE", "date": "DATE", "boolean": "BOOLEAN"}


@dataclass
class Written:
    """What stands under `source` in the configuration, and the files behind it."""

    source: Any
    files: dict[str, bytes] = field(default_factory=dict)
    dialect: Json = field(default_factory=dict)  # of a CSV, as far as a release takes it over
    partition: str | None = None
    in_place: bool = True
    unread: bool = False  # refused as it is: what the engine cannot read in an encoding


def write(draw: random.Random, way: str, columns: Sequence[tuple[str, str]], rows: Rows) -> Written:
    """A source of a table of (name, kind) columns."""
    if way in ("table", "view", "database query"):
        return _table(draw, columns, rows, way)
    if way in ("csv", "parquet", "json"):
        written = {"csv": _csv, "parquet": _parquet, "json": _json}[way](draw, columns, rows)
        return _beside_another(columns, rows, written) if draw.random() < 0.15 else written
    return {"several": _several, "hive": _hive, "query": _query, "xlsx": _xlsx}[way](draw, columns, rows)


def _beside_another(columns: Sequence[tuple[str, str]], rows: Rows, written: Written) -> Written:
    """The file under a name that reads as a glob, which a file with the values of other columns matches."""
    ((name, content),) = written.files.items()
    names = [name for name, _ in columns]
    if content[:4] == b"PAR1":
        turned = [(column, kind) for column, (_, kind) in zip(reversed(names), columns, strict=True)]
        beside = parquet_bytes(turned, rows)
    else:
        beside = content[: len(content) // 2]
    glob = f"[{name[0]}]{name[1:]}"
    source = {**written.source, "path": glob} if isinstance(written.source, dict) else glob
    return replace(written, source=source, files={glob: content, name: beside})


def csv_bytes(names: Sequence[str], rows: Rows, dialect: Json, encoding: str = "utf-8", end: str = "\n") -> bytes:
    """A CSV file; NULL is an empty field."""
    lines = [list(names)] if dialect.get("header", True) else []
    lines += [["" if cell is None else text(cell) for cell in row] for row in rows]
    every, quote = dialect.get("all", False), dialect.get("quote", '"')
    return "".join(record(line, dialect["delimiter"], quote, end, every=every) for line in lines).encode(encoding)


def _csv(draw: random.Random, columns: Sequence[tuple[str, str]], rows: Rows) -> Written:
    names = [name for name, _ in columns]
    delimiter = draw.choice([",", ",", ",", ";", "\t", "|", "^"])
    named = draw.random() < 0.5 or delimiter == "^"
    dialect: Json = {"delimiter": delimiter, "all": draw.random() < 0.3 or len(columns) == 1, "header": True}
    if draw.random() < 0.1 and named:
        dialect["quote"] = "'"
    config: Json = {"delimiter": delimiter, "header": True} if named else {}
    config |= {"quote": "'"} if "quote" in dialect else {}
    if draw.random() < 0.1 and names == [f"column{i}" for i in range(len(names))]:
        dialect["header"] = False
    encoding = draw.choice(["utf-8"] * 6 + ["utf-8-sig", "cp1252", "utf-16"])
    end = draw.choice(["\n", "\n", "\n", "\r\n"])
    try:
        content = csv_bytes(names, rows, dialect, encoding, end)
        if encoding == "cp1252" and _is_utf8(content):
            raise UnicodeError("who reads these bytes takes them for UTF-8")
    except UnicodeError:
        encoding, content = "utf-8", csv_bytes(names, rows, dialect, "utf-8", end)
    if encoding in ("cp1252", "utf-16") and draw.random() < 0.5:
        config["encoding"] = encoding
    name = draw.choice(["s.csv", "s.csv", "s.tsv", "s.txt", "source é.csv", "s.data"])
    if draw.random() < 0.1 and encoding == "utf-8":
        name, content = "s.csv.gz", gzip.compress(content, mtime=0)
    source: Any = {"path": name, "csv": config} if config else name
    return Written(source, {name: content}, dialect, unread=_unread(content, encoding, names[0] + delimiter))


def _unread(content: bytes, encoding: str, first: str) -> bool:
    """A first name behind a byte order mark that ends in a delimiter; not where a copy without the mark is read."""
    copied = encoding == "utf-16" and max(content.decode(encoding)) > "\uffff"
    return encoding in ("utf-8-sig", "utf-16") and not copied and first.endswith(first[-1] * 2)


def _is_utf8(content: bytes) -> bool:
    """Whether bytes hold letters, all of which are UTF-8."""
    return not content.isascii() and content.decode("utf-8", "ignore").encode() == content


def parquet_bytes(columns: Sequence[tuple[str, str]], rows: Rows) -> bytes:
    """A Parquet file, written by DuckDB."""
    with tempfile.TemporaryDirectory() as folder, duckdb.connect(config={"threads": 1}) as connection:
        _fill(connection, "t", columns, rows)
        path = Path(folder) / "t.parquet"
        connection.table("t").write_parquet(str(path))
        return path.read_bytes()


def _fill(connection: duckdb.DuckDBPyConnection, name: str, columns: Sequence[tuple[str, str]], rows: Rows) -> None:
    described = ", ".join(f"{quoted(column)} {TYPES[kind]}" for column, kind in columns)
    connection.execute(f"CREATE TABLE {name} ({described})")
    if rows:
        marks = "(" + ", ".join("?" for _ in columns) + ")"
        cells = [cell for row in rows for cell in row]
        connection.execute(f"INSERT INTO {name} VALUES {', '.join([marks] * len(rows))}", cells)


def _parquet(draw: random.Random, columns: Sequence[tuple[str, str]], rows: Rows) -> Written:
    name = draw.choice(["s.parquet", "s.parquet", "s.pq", "s with blank.parquet", "nosuffix"])
    return Written(name, {name: parquet_bytes(columns, rows)})


def _json(draw: random.Random, columns: Sequence[tuple[str, str]], rows: Rows) -> Written:
    objects = []
    for i, row in enumerate(rows):
        record = {
            name: cell.isoformat() if isinstance(cell, date) else cell
            for (name, _), cell in zip(columns, row, strict=True)
        }
        objects.append(
            {name: cell for name, cell in record.items() if i == 0 or cell is not None or draw.random() < 0.5}
        )
    plain = draw.random() < 0.5
    if draw.random() < 0.5:
        lines = json.dumps(objects, ensure_ascii=plain, indent=draw.choice([None, 1]))
        return Written("s.json", {"s.json": lines.encode()})
    lines = "".join(json.dumps(values, ensure_ascii=plain) + "\n" for values in objects)
    name = draw.choice(["s.jsonl", "s.ndjson", "s.jsonl.gz"])
    return Written(name, {name: gzip.compress(lines.encode(), mtime=0) if name.endswith("gz") else lines.encode()})


def _several(draw: random.Random, columns: Sequence[tuple[str, str]], rows: Rows) -> Written:
    at = sorted(draw.randint(0, len(rows)) for _ in range(draw.choice([1, 2])))
    parts = [rows[a:b] for a, b in zip([0, *at], [*at, len(rows)], strict=True)]
    if all(kind == "text" for _, kind in columns):
        names = [name for name, _ in columns]
        files = {
            f"parts/p{i}.csv": csv_bytes(names, part, {"delimiter": ",", "all": True}) for i, part in enumerate(parts)
        }
        source = draw.choice(["parts/*.csv", "parts", "parts/p?.csv"])
    else:
        files = {f"parts/p{i}.parquet": parquet_bytes(columns, part) for i, part in enumerate(parts)}
        source = draw.choice(["parts/*.parquet", "parts", "parts/**/*.parquet"])
    return Written(source, files, {"delimiter": ",", "header": True}, in_place=source == "parts")


def _hive(draw: random.Random, columns: Sequence[tuple[str, str]], rows: Rows) -> Written:
    """The last column is that of the folders, and of plain texts."""
    name = columns[-1][0]
    files = {}
    for value in dict.fromkeys(row[-1] for row in rows):
        part = [row[:-1] for row in rows if row[-1] == value]
        files[f"parts/{name}={value}/data.parquet"] = parquet_bytes(columns[:-1], part)
    return Written("parts", files, partition=name)


def _table(draw: random.Random, columns: Sequence[tuple[str, str]], rows: Rows, way: str) -> Written:
    """The file's header holds what DuckDB draws; its tables are the same each time."""
    table = draw.choice(["t", "t", "select", "t é", "T b", "c0"])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s.duckdb"
        with duckdb.connect(str(path), config={"threads": 1}) as connection:
            _fill(connection, quoted(table), columns, rows)
            if way == "view":
                connection.execute(f"CREATE VIEW v AS SELECT * FROM {quoted(table)}")
            elif draw.random() < 0.3:
                connection.execute("CREATE TABLE other AS SELECT 42 AS answer")
        content = path.read_bytes()
    source: Json = {"database": "s.duckdb"}
    if way == "database query":
        source["query"] = f"SELECT * FROM {quoted(table)} AS x WHERE true"
    else:
        source["table"] = "v" if way == "view" else draw.choice([quoted(table), f"main.{quoted(table)}"])
    return Written(source, {"s.duckdb": content}, in_place=way == "table")


def _query(draw: random.Random, columns: Sequence[tuple[str, str]], rows: Rows) -> Written:
    files = {"q.parquet": parquet_bytes(columns, rows)}
    query = draw.choice(["SELECT * FROM 'q.parquet'", "SELECT * FROM read_parquet('q.parquet') WHERE 1 = 1"])
    return Written({"query": query}, files, in_place=False)


def _xlsx(draw: random.Random, columns: Sequence[tuple[str, str]], rows: Rows) -> Written:
    import xlsxwriter

    file = io.BytesIO()
    book = xlsxwriter.Workbook(file, {"in_memory": True})
    sheet = book.add_worksheet("Patients")
    for c, (name, _) in enumerate(columns):
        sheet.write_string(0, c, name)
        for r, row in enumerate(rows):
            if isinstance(row[c], str):
                sheet.write_string(r + 1, c, row[c])
            elif row[c] is not None:
                sheet.write(r + 1, c, row[c])
    book.close()
    return Written({"path": "s.xlsx", "sheet": "Patients"}, {"s.xlsx": file.getvalue()}, in_place=False)
