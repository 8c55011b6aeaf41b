"""Whole files that trials damage, each with the same persons: made once by programs that are not kanon-sql."""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
import shutil
from datetime import date, timedelta
from pathlib import Path
from typing import Any

HEAD = ["id", "sex", "age", "zip", "diagnosis", "cost", "seen"]
Row = list[Any]
_CREATED = "CREATE TABLE people (id VARCHAR, sex VARCHAR, age INTEGER, zip VARCHAR, diagnosis VARCHAR, cost DOUBLE,"
PARQUET: dict[str, dict[str, Any]] = {  # by name: what pyarrow is told
    "snappy.parquet": {},
    "snappy_plain.parquet": {"use_dictionary": False, "version": "1.0"},
    "zstd.parquet": {"compression": "zstd"},
    "zstd_checksums.parquet": {"compression": "zstd", "write_page_checksum": True, "use_dictionary": False},
    "gzip.parquet": {"compression": "gzip", "data_page_version": "2.0"},
    "gzip_plain.parquet": {"compression": "gzip", "use_dictionary": False},
    "none.parquet": {"compression": "none", "data_page_size": 1024},
    "none_plain.parquet": {"compression": "none", "use_dictionary": False, "write_page_index": True},
}


def people(count: int = 900, seed: int = 1) -> list[Row]:
    """Rows in the order of HEAD."""
    draw = random.Random(seed)
    return [
        [
            f"r{number:05}",
            draw.choice("fm"),
            draw.randint(18, 80),
            f"0{draw.randint(2130, 2149)}",
            draw.choice(["flu", "cold, bad", 'so-called "x"', "Grüße", None]),
            draw.randint(0, 50_000) / 100,
            date(2020, 1, 1) + timedelta(draw.randint(0, 1500)) if draw.random() > 0.1 else None,
        ]
        for number in range(count)
    ]


def make(given: dict[str, Any]) -> None:
    """The job of making all of them in the folder `given["folder"]`."""
    folder = Path(given["folder"])
    rows = people()
    _texts(folder, rows)
    _jsons(folder, rows)
    _parquet(folder, rows)
    _databases(folder, rows)
    _excel(folder, rows[:300])
    _hierarchies(folder)


def _texts(folder: Path, rows: list[Row]) -> None:
    def text(delimiter: str = ",", line_end: str = "\n", quoted: bool = False) -> str:
        buffer = io.StringIO()
        writer = csv.writer(
            buffer, delimiter=delimiter, lineterminator=line_end, quoting=csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL
        )
        writer.writerows([HEAD, *rows])
        return buffer.getvalue()

    (folder / "in.csv").write_bytes(text().encode())
    (folder / "crlf.csv").write_bytes(text(line_end="\r\n").encode("utf-8-sig"))
    (folder / "quoted.csv").write_bytes(text(";", quoted=True).encode())
    (folder / "latin.csv").write_bytes(text().encode("latin-1"))
    (folder / "utf16.csv").write_bytes(text().encode("utf-16"))
    (folder / "in.tsv").write_bytes(text("\t").encode())
    (folder / "in.csv.gz").write_bytes(gzip.compress(text().encode(), mtime=0))


def _jsons(folder: Path, rows: list[Row]) -> None:
    import zstandard

    records = [dict(zip(HEAD, (*row[:6], row[6] and row[6].isoformat()), strict=True)) for row in rows]
    lines = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode()
    array = json.dumps(records, indent=1).encode()
    (folder / "in.jsonl").write_bytes(lines)
    (folder / "in.json").write_bytes(array)
    (folder / "in.jsonl.gz").write_bytes(gzip.compress(lines, mtime=0))
    (folder / "in.json.gz").write_bytes(gzip.compress(array, mtime=0))
    (folder / "in.jsonl.zst").write_bytes(zstandard.ZstdCompressor(write_checksum=True).compress(lines))
    (folder / "in.json.zst").write_bytes(zstandard.ZstdCompressor().compress(array))


def _parquet(folder: Path, rows: list[Row]) -> None:
    import duckdb
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = dict(zip(HEAD, map(list, zip(*rows, strict=True)), strict=True))
    table = pa.table({**columns, "age": pa.array(columns["age"], pa.int32())})
    for name, options_of_file in PARQUET.items():
        pq.write_table(table, folder / name, row_group_size=300, **options_of_file)
    with duckdb.connect() as connection:
        _fill(connection, people(5000, 2))
        for codec in ("snappy", "zstd", "uncompressed"):
            options = f"FORMAT parquet, CODEC {codec}, ROW_GROUP_SIZE 2048"
            connection.execute(f"COPY (FROM people) TO '{folder}/engine_{codec}.parquet' ({options})")


def _fill(connection: Any, rows: list[Row]) -> None:
    connection.execute(f"{_CREATED} seen DATE)")
    lists = list(map(list, zip(*rows, strict=True)))
    marks = ", ".join(f"unnest(${place + 1}) AS {name}" for place, name in enumerate(HEAD))
    connection.execute(f"INSERT INTO people SELECT {marks}", lists)


def _databases(folder: Path, rows: list[Row]) -> None:
    import duckdb

    for name, size in (("in.duckdb", 16384), ("large.duckdb", 262144)):
        with duckdb.connect() as connection:
            connection.execute(f"ATTACH '{folder / name}' AS made (BLOCK_SIZE {size})")
            connection.execute("USE made")
            _fill(connection, rows)
            connection.execute("CREATE TABLE others AS SELECT range AS a, 'o' || range AS b FROM range(2000)")
            connection.execute("CREATE TABLE keyed (a INTEGER PRIMARY KEY, b VARCHAR DEFAULT 'x')")
            connection.execute("INSERT INTO keyed SELECT range, 'k' || range FROM range(500)")
            connection.execute("CREATE VIEW seen_people AS SELECT id, seen FROM people")
    with duckdb.connect(str(folder / "open.duckdb")) as connection:
        connection.execute("PRAGMA disable_checkpoint_on_shutdown")
        connection.execute("SET wal_autocheckpoint = '1GB'")
        _fill(connection, rows[:600])
        connection.execute("CHECKPOINT")
        for start in (600, 700, 800):
            lists = list(map(list, zip(*rows[start : start + 100], strict=True)))
            connection.execute(f"INSERT INTO people SELECT {', '.join('unnest(?)' for _ in HEAD)}", lists)
        shutil.copy(folder / "open.duckdb", folder / "logged.duckdb")
        shutil.copy(folder / "open.duckdb.wal", folder / "logged.duckdb.wal")


def _excel(folder: Path, rows: list[Row]) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    for row in [HEAD, *rows]:
        book.active.append(row)
    book.save(folder / "in.xlsx")


def _hierarchies(folder: Path) -> None:
    lines = [f"{age},{age // 5 * 5}s,{age // 10 * 10}s,{age // 20 * 20}s,*\n" for age in range(15, 90)]
    (folder / "age.csv").write_text("".join(lines), encoding="utf-8")
