"""Files that are no tables, and tables where a configuration is expected: said by name, at once."""

from __future__ import annotations

import gzip
import json
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from shared_engine import attached, shared
from tables import simple

import kanon_sql
from kanon_sql.cli.main import main
from kanon_sql.errors import EngineError

RECORDS = [{"x": f"value {number}", "y": number} for number in range(20_000)]


def zipped(path: Path, *names: str) -> bytes:
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, "<a/>")
    return path.read_bytes()


def content(folder: Path, kind: str) -> bytes:
    path = folder / "made"
    if kind == "DuckDB":
        with attached(path) as connection:
            connection.execute("CREATE TABLE t AS SELECT 1 AS x")
        return path.read_bytes()
    if kind == "Parquet":
        with shared() as connection:
            connection.execute(f"COPY (SELECT 1 AS x) TO '{path}' (FORMAT parquet)")
        return path.read_bytes()
    others: dict[str, Callable[[], bytes]] = {
        "JSON": lambda: json.dumps(RECORDS).encode(),
        "NDJSON": lambda: "\n".join(map(json.dumps, RECORDS)).encode(),
        "Excel (.xlsx)": lambda: zipped(path, "[Content_Types].xml", "xl/workbook.xml"),
        "zip": lambda: zipped(path, "in.csv"),
        "Excel (.xls)": lambda: bytes.fromhex("d0cf11e0a1b11ae1") + bytes(500),
        "SQLite": lambda: b"SQLite format 3\0" + bytes(500),
        "PDF": lambda: b"%PDF-1.7\n",
        "ORC": lambda: b"ORC\n\x03",
        "Avro": lambda: b"Obj\x01\x04\x14avro.codec",
        "Arrow": lambda: b"ARROW1\0\0",
        "gzip": lambda: gzip.compress(b"x,y\na,1\n"),
        "Zstandard": lambda: bytes.fromhex("28b52ffd") + bytes(20),
        "HTML": lambda: b"<!DOCTYPE html>\n<html>",
    }
    return others[kind]()


KINDS = ["JSON", "NDJSON", "Excel (.xlsx)", "zip", "Excel (.xls)", "SQLite", "PDF", "ORC", "Avro", "Arrow", "gzip"]
KINDS += ["Zstandard", "HTML", "DuckDB", "Parquet"]


@pytest.mark.few(24)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["in.csv", "in.csv.gz"])
def test_other_files_are_refused_by_name(tmp_path: Path, kind: str, name: str) -> None:
    raw = content(tmp_path, kind)
    (tmp_path / name).write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
    begun = time.process_time()
    with pytest.raises(EngineError, match=r"in\.csv.*: is ") as caught:
        kanon_sql.run(simple(tmp_path / name, tmp_path / "out.csv", "x"))
    assert kind.removeprefix("ND").partition(" ")[0] in str(caught.value)
    assert time.process_time() - begun < 3


def test_json_that_is_called_parquet(tmp_path: Path) -> None:
    (tmp_path / "in.parquet").write_bytes(content(tmp_path, "JSON"))
    with pytest.raises(EngineError, match="is JSON, no Parquet"):
        kanon_sql.run(simple(tmp_path / "in.parquet", tmp_path / "out.csv", "x"))


@pytest.mark.few(3)
@pytest.mark.parametrize("header", ["{x},y", "[x],y", '"{""x"": 1}",y', "x,{y}", "<x>,y", "ORDER,y"])
def test_headers_that_look_a_little_like_it(tmp_path: Path, header: str) -> None:
    (tmp_path / "in.csv").write_text(f"{header},q\na,1,b\na,1,b\n")
    config = simple(tmp_path / "in.csv", tmp_path / "out.csv", "q")
    kanon_sql.run({**config, "source": {"path": config["source"], "csv": {"header": True}}})


@pytest.mark.parametrize("many", [100_000, 500_000])
def test_a_line_of_very_many_fields(tmp_path: Path, many: int) -> None:
    (tmp_path / "in.csv").write_text(",".join(map(str, range(many))) + "\n")
    begun = time.process_time()
    with pytest.raises(EngineError, match=r"its first line has .* fields"):
        kanon_sql.run(simple(tmp_path / "in.csv", tmp_path / "out.csv", "x"))
    assert time.process_time() - begun < 3


@pytest.mark.parametrize("command", ["run", "check", "sweep", "lattice", "risk", "compile"])
@pytest.mark.parametrize("name", ["in.csv", "in.parquet", "data", "in.db"])
def test_data_where_a_configuration_is_expected(
    tmp_path: Path, command: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    kind = {"in.parquet": "Parquet", "data": "Parquet", "in.db": "DuckDB"}.get(name)
    (tmp_path / name).write_bytes(b"x,y\na,1\n" if kind is None else content(tmp_path, kind))
    with pytest.raises(SystemExit) as ended:
        main([command, str(tmp_path / name)])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert f"{name}: this is data, expected a configuration" in said
    assert "--qi COLUMN" in said


def test_a_configuration_in_json_is_one(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("x,y\na,1\na,1\n")
    (tmp_path / "c.json").write_text(json.dumps(simple("in.csv", "out.csv", "x")))
    kanon_sql.run(str(tmp_path / "c.json"))
