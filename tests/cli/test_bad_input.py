"""Bad and hostile input: the exit status, one line a problem, no values, nothing changed and nothing left behind.

What a release holds is read again with Python's csv module, which shares nothing with the engine.
"""

from __future__ import annotations

import csv
import gzip
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml
from effort import some, tries
from hypothesis import given, settings
from hypothesis import strategies as st
from places import ROOT
from tables import configuration, write

import kanon_sql
from kanon_sql.errors import EngineError, KanonError
from kanon_sql.sql.connection import EngineOptions

SUPPRESS = {"builtin": "suppress"}


def simple(source: Any, target: Any, *columns: str, k: int = 2, **more: Any) -> dict[str, Any]:
    """A configuration where every quasi-identifier may be suppressed and everything else is released."""
    return {
        "source": source if isinstance(source, dict) else str(source),
        "target": target if isinstance(target, (dict, str)) else str(target),
        "quasi_identifiers": dict.fromkeys(columns, SUPPRESS),
        "unlisted": "insensitive",
        "privacy": {"k": k},
        **more,
    }


def records(path: Path) -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def refused(config: dict[str, Any], status: int) -> list[str]:
    """The problems of a run that must fail with an exit status."""
    with pytest.raises(KanonError) as caught:
        kanon_sql.run(config)
    assert caught.value.exit_status == status
    assert caught.value.problems
    assert all("\n" not in problem for problem in caught.value.problems)
    return caught.value.problems


def command(folder: Path, *words: str, **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "kanon_sql", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        **more,
    )


@pytest.mark.parametrize(
    ("text", "status", "k"),
    [
        ("", 3, 2),  # an empty file
        ("x,y\n", 1, 2),  # a header only
        ("x,y", 1, 2),
        ("x,y\na,1\na,1\n", 1, 3),  # k above the rows
        ("x,y\na,1\na,1,2\n", 3, 2),  # too many fields
        ("x,y\na,1\na\n", 3, 2),  # too few
        ('x,y\n"a,1\na,1\n', 3, 2),  # a quote that never ends
        ("x,x\na,1\na,1\n", 3, 2),  # a column twice
        ("u,v\na,1\na,1\n", 2, 2),  # another table
    ],
)
def test_a_bad_csv_has_the_status_of_its_kind(tmp_path: Path, text: str, status: int, k: int) -> None:
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text(text)
    refused(simple(source, target, "x", k=k), status)
    assert source.read_text() == text
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


def test_no_row_left_after_missing(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text("x,y\n,1\n,2\n")
    refused(simple(source, tmp_path / "out.csv", "x", missing="drop"), 1)


def test_ragged_rows_are_counted_and_placed(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text("x,y\nmary,1\nmary,1,secret\njohn,1\njohn\n")
    (problem,) = refused(simple(source, tmp_path / "out.csv", "x"), 3)
    assert str(source) in problem
    assert "line 3, 5" in problem
    assert not {"mary", "john", "secret"} & set(problem.replace(",", " ").split())


@pytest.mark.parametrize("damage", ["half", "empty", "text"])
def test_a_damaged_parquet_file(tmp_path: Path, damage: str) -> None:
    source = write(tmp_path / "in.parquet")
    whole = source.read_bytes()
    source.write_bytes({"half": whole[: len(whole) // 2], "empty": b"", "text": b"x,y\na,1\n"}[damage])
    refused(configuration(str(source), str(tmp_path / "out.csv")), 3)
    assert [path.name for path in tmp_path.iterdir()] == ["in.parquet"]


_DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda whole: b"",
    "half": lambda whole: whole[: len(whole) // 2],
    "footer": lambda whole: whole[:-60] + b"\xff" * 40 + whole[-20:],
    "page": lambda whole: whole[:40] + b"\xff" * 200 + whole[240:],
}


@pytest.mark.parametrize("place", ["in/who=mary/b.parquet", "in/b.parquet"])
@pytest.mark.parametrize("damage", list(_DAMAGES))
def test_the_damaged_one_of_many_parquet_files_is_named(tmp_path: Path, damage: str, place: str) -> None:
    damaged = tmp_path / place
    damaged.parent.mkdir(parents=True)
    for path in (damaged.with_name("a.parquet"), damaged, damaged.with_name("c.parquet")):
        duckdb.sql(f"COPY (SELECT 'v' || n % 300 AS x, n AS file FROM range(3000) AS t(n)) TO '{path}'")
    damaged.write_bytes(_DAMAGES[damage](damaged.read_bytes()))
    config = {**simple(tmp_path / "in", tmp_path / "out.csv", "x"), "unlisted": "drop"}
    (problem,) = refused(config, 3)
    assert problem.startswith(f"{str(damaged).replace('=mary', '=...')}: ")
    assert "damaged" in problem or "magic" in problem


def test_a_damaged_parquet_file_is_named_in_the_words_of_the_engine_where_these_may_be_shown(tmp_path: Path) -> None:
    source = tmp_path / "in.parquet"
    source.write_bytes(b"")
    config = simple(source, tmp_path / "out.csv", "x")
    assert refused(config, 3)[0].startswith(f"{source}: cannot be read: it is damaged or cut off")
    with pytest.raises(EngineError, match=r"in\.parquet: the engine failed .* too small to be a Parquet file"):
        kanon_sql.run(config, options=EngineOptions(show_values=True))


def test_a_line_break_in_the_header_unlike_those_of_the_file(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_bytes(b'x,"first\nsecond"\r\na,1\r\na,2\r\n')
    assert kanon_sql.run(simple(source, tmp_path / "out.csv", "x")).released == 2


def test_a_truncated_gzip_file(tmp_path: Path) -> None:
    source = tmp_path / "in.csv.gz"
    whole = gzip.compress("".join(f"a{i},{i * 7919 % 10007}\n" for i in range(20_000)).encode())
    source.write_bytes(whole[:3000])
    refused(simple(source, tmp_path / "out.csv", "x"), 3)


def test_an_encoding_that_is_none(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text("x,y\na,1\na,1\n")
    refused(simple({"path": str(source), "csv": {"encoding": "base64"}}, tmp_path / "out.csv", "x"), 2)


@pytest.mark.parametrize("path", ["abfss://b/a.csv", "hdfs://h/a.parquet", "ftp://h/a.csv", "file:///etc/passwd"])
def test_remote_paths_are_refused(tmp_path: Path, path: str) -> None:
    refused(simple(path, tmp_path / "out.csv", "x"), 2)
    source = write(tmp_path / "in.parquet")
    refused(configuration(str(source), path), 2)


def test_the_source_is_no_target(tmp_path: Path) -> None:
    source = write(tmp_path / "in.csv")
    before = source.read_bytes()
    (tmp_path / "soft.csv").symlink_to(source)
    os.link(source, tmp_path / "hard.csv")
    for name in ("in.csv", "soft.csv", "hard.csv"):
        target = {"path": str(tmp_path / name), "overwrite": True}
        refused(configuration(str(source), target), 2)
    assert source.read_bytes() == before


@pytest.mark.parametrize("name", ["folder.csv", "missing/out.csv", "there.csv", "x" * 300 + ".csv", "no_suffix"])
def test_targets_that_cannot_be(tmp_path: Path, name: str) -> None:
    source = write(tmp_path / "in.csv")
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "there.csv").write_text("old")
    refused(configuration(str(source), str(tmp_path / name)), 3 if "/" in name else 2)
    assert (tmp_path / "there.csv").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder.csv", "in.csv", "there.csv"]


def test_the_report_does_not_replace_the_source(tmp_path: Path) -> None:
    source = write(tmp_path / "in.csv")
    before = source.read_bytes()
    with pytest.raises(KanonError):
        kanon_sql.run(configuration(str(source), str(tmp_path / "out.csv")), report=source)
    assert source.read_bytes() == before


def test_the_report_does_not_replace_the_release(tmp_path: Path) -> None:
    source, target = write(tmp_path / "in.csv"), tmp_path / "out.csv"
    with pytest.raises(KanonError):
        kanon_sql.run(configuration(str(source), str(target)), report=target)


NAMES = ["select", '"; DROP TABLE x; --', " b ", "a.b", "*", "$k", "?", "c0", "value", "row_count", "a'b", "\n", "👍"]
OF_QUERIES = ["source", "qi_key", "sort_key", "class_code", "class_level", "suppressed_classes"]


@pytest.mark.few(1)
@pytest.mark.parametrize("suppressed", ["drop", "mask"])
@pytest.mark.parametrize(
    "name",
    some([*NAMES[2:], *NAMES[:2], *OF_QUERIES, "class_size"], 4),
)
def test_hostile_column_names(tmp_path: Path, name: str, suppressed: str) -> None:
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    rows = [[f"a{i % 3}", f"b{i % 2}"] for i in range(30)]
    with source.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([[name, "other"], *rows])
    config = simple(source, target, name, "other", release={"suppressed": suppressed})
    kanon_sql.run(config)
    header, *released = records(target)
    assert header == [name, "other"]
    assert Counter(map(tuple, released)) == Counter(map(tuple, rows))
    with duckdb.connect() as connection:
        compiled = connection.execute(kanon_sql.compile(config)).fetchall()
    assert Counter(compiled) == Counter(map(tuple, rows))


@pytest.mark.slow
def test_names_that_differ_in_case_only(tmp_path: Path) -> None:
    """The engine renames the second of two such names: they are refused side by side, one of them is fine."""
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text("x,X\na,p\na,q\n")
    (problem,) = refused(simple(source, target, "x"), 2)
    assert "differ in case only" in problem
    with pytest.raises(KanonError, match="differ in case only"):
        kanon_sql.compile(simple(source, target, "x"))
    kanon_sql.run(simple(source, target, "x", identifiers=["X"]))
    assert records(target) == [["x"], ["a"], ["a"]]


def test_a_column_without_a_name(tmp_path: Path) -> None:
    """As pandas writes its index: it may be dropped, not released."""
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text(",x\n0,a\n1,a\n")
    refused(simple(source, target, "x"), 2)
    kanon_sql.run(simple(source, target, "x", unlisted="drop"))
    assert records(target) == [["x"], ["a"], ["a"]]


def test_a_first_row_of_values_is_not_shown(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text("mary,flu\nmary,flu\n")
    assert "mary" not in refused(simple(source, tmp_path / "out.csv", "column0"), 2)[0]


TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n\0"), max_size=6)


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=8), st.sampled_from([",", ";", "\t", "|", "::"]))
@settings(max_examples=tries(25))
def test_values_come_out_as_they_went_in(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]], delimiter: str
) -> None:
    folder = tmp_path_factory.mktemp("values")
    source, target = folder / "in.csv", folder / "out.csv"
    lines = [("x", "y"), *rows, *rows]
    quoted = [delimiter.join('"' + cell.replace('"', '""') + '"' for cell in line) for line in lines]
    source.write_text("\n".join(quoted) + "\n", encoding="utf-8", newline="")
    described = {"path": str(source), "csv": {"delimiter": delimiter, "header": True}}
    kanon_sql.run(simple(described, {"path": str(target), "csv": {"delimiter": ","}}, "x"))
    assert Counter(map(tuple, records(target)[1:])) == Counter([*rows, *rows])


@pytest.mark.few(1)
@pytest.mark.parametrize("literal_stars", [0, 3])
@pytest.mark.parametrize("k", [2, 3, 4])
def test_masked_rows_are_one_class_of_k(tmp_path: Path, k: int, literal_stars: int) -> None:
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text("x,y\n" + "a,1\nb,1\nc,1\n" + "*,1\n" * literal_stars + "z,1\n" * 6)
    config = simple(source, target, "x", k=k, suppression={"limit": 6}, release={"suppressed": "mask"})
    config["quasi_identifiers"]["x"] = {**SUPPRESS, "max_level": 0}
    kanon_sql.run(config)
    assert min(Counter(row[0] for row in records(target)[1:]).values()) >= k


@pytest.mark.parametrize(("limit", "fits"), [("0.2999999999%", False), ("0.3%", True), ("33.333%", True)])
def test_percent_limits_are_exact(tmp_path: Path, limit: str, fits: bool) -> None:
    source = tmp_path / "in.csv"
    source.write_text("x,y\na,1\nb,1\nc,1\n" + "z,1\n" * 997)
    config = simple(source, tmp_path / "out.csv", "x", suppression={"limit": limit})
    config["quasi_identifiers"]["x"] = {**SUPPRESS, "max_level": 0}
    if fits:
        assert kanon_sql.run(config).suppressed == 3
    else:
        refused(config, 1)


@pytest.mark.parametrize(
    ("content", "where"),
    [
        (b"a,g\n", "in.csv"),  # a value without a row: told of the column
        (b"a,g\na,h\nb,g\n", "h.csv:2"),
        (b"a,g,1\nb,g,2\n", "h.csv:2"),
        (b"a,g,1\nb,g\n", "h.csv:2"),
        (b'"a,g\nb,g\n', "h.csv:1"),
        (b"a,\x81\nb,g\n", "h.csv"),
        (b"", "h.csv"),
    ],
)
def test_bad_hierarchies(tmp_path: Path, content: bytes, where: str) -> None:
    (tmp_path / "in.csv").write_text("x,y\na,1\nb,1\n")
    (tmp_path / "h.csv").write_bytes(content)
    config = simple(tmp_path / "in.csv", tmp_path / "out.csv", "x")
    config["quasi_identifiers"] = {"x": {"hierarchy": str(tmp_path / "h.csv")}}
    (problem,) = refused(config, 2)
    assert where in problem or "column 'x'" in problem


@pytest.mark.slow
def test_interrupt_during_a_statement(tmp_path: Path) -> None:
    slow = "SELECT 'a' AS x, sum(hash(i) % 7) AS y FROM range(100000000000) AS numbers(i)"
    config = simple({"query": slow}, "out.csv", "x")
    (tmp_path / "c.yaml").write_text(yaml.safe_dump(config))
    process = subprocess.Popen(
        [sys.executable, "-m", "kanon_sql", "run", "c.yaml", "--threads", "1"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    time.sleep(4)
    process.send_signal(signal.SIGINT)
    try:
        process.communicate(timeout=30)
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == 130
    assert [path.name for path in tmp_path.iterdir()] == ["c.yaml"]


@pytest.mark.slow
def test_check_of_tables_that_cannot_be_measured(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("x,y\nmary,1\nmary,1\n")
    (tmp_path / "bare.csv").write_text("1,2\n1,2\n")
    assert command(tmp_path, "check", "in.csv", "--qi", "x", "--k", "2").returncode == 0
    assert command(tmp_path, "check", "bare.csv", "--qi", "column0", "--k", "2").returncode == 0
    violated = command(tmp_path, "check", "in.csv", "--qi", "x", "--k", "3", "--json")
    assert violated.returncode == 1
    assert "mary" not in violated.stdout + violated.stderr
    missing = command(tmp_path, "check", "in.csv", "--qi", "nope", "--k", "2")
    assert missing.returncode == 2
    assert missing.stderr.startswith("kanon-sql: error: ")
