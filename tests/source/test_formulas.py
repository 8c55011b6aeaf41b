"""CSV releases whose cells no spreadsheet executes: `target.csv.formulas: escape`."""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared_engine import attached
from sqlglot import exp

import kanon_sql
from kanon_sql.errors import ConfigurationError
from kanon_sql.source.formats.csv_reading import escaped, escaped_name, unescaped, unescaped_name

Json = dict[str, Any]
ESCAPE = {"formulas": "escape"}
PLAIN = ["-5", "-0.5", "-1,5", "5", "-.5", "-1e-05", "a=1", " =1", "", "a", "'", "'a", "'-5", "1-2", "x@y"]
FORMULAS = ["=1+1", "+49 30", "-1+2", "@SUM(A1)", "\tx", "\rx", "-", "=", "-5%", "+5", "--5", "-10--1", '=cmd|"/c"!A0']


def read(path: Path) -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def config(folder: Path, rows: list[list[str]], names: list[str], **more: Any) -> Json:
    with (folder / "s.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([names, *rows])
    return {
        "source": str(folder / "s.csv"),
        "target": {"path": str(folder / "out.csv"), "csv": ESCAPE, "overwrite": True},
        "unlisted": "insensitive",
        "privacy": {"k": 2},
        **more,
    }


def test_cells_and_headers_get_an_apostrophe_and_nothing_else_does(tmp_path: Path) -> None:
    texts = [*PLAIN, *FORMULAS]
    rows = [["x", text, str(i)] for i, text in enumerate(texts)]
    more: Json = {"quasi_identifiers": {"@q": {"builtin": "suppress"}}, "release": {"order": "none"}}
    given = config(tmp_path, rows, ["@q", "=note", "-7"], **more)
    kanon_sql.run(given)
    header, *written = read(tmp_path / "out.csv")
    assert header == ["'@q", "'=note", "-7"]
    assert [row[1] for row in written] == [*PLAIN, *(f"'{text}" for text in FORMULAS)]
    del given["target"]["csv"]
    kanon_sql.run(given)
    assert [row[1] for row in read(tmp_path / "out.csv")] == ["=note", *texts]


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["optimal", "mondrian"])
def test_texts_that_differ_by_the_apostrophe_stay_two_classes(tmp_path: Path, algorithm: str) -> None:
    rows = [[text, sick] for text in ("=a", "'=a", "''=a") for sick in ("-x", "=y", "'=y")]
    models = {"l_diversity": {"column": "sick", "l": 3}, "t_closeness": {"column": "sick", "t": 0.1}}
    quasi = {"=q": {"builtin": "suppress"}}
    given = config(tmp_path, rows, ["=q", "sick"], quasi_identifiers=quasi, sensitive=["sick"], algorithm=algorithm)
    given["privacy"] = {"k": 3, **models}
    report = kanon_sql.run(given).report
    assert report["classes"]["count"] == 3
    written = read(tmp_path / "out.csv")[1:]
    assert Counter(row[0] for row in written) == {"'=a": 3, "''=a": 3, "'''=a": 3}
    assert {row[1] for row in written} == {"'-x", "'=y", "''=y"}
    checked = kanon_sql.check(given, tmp_path / "out.csv")
    assert (checked["status"], checked["privacy"]["k"]["actual"]) == ("satisfied", 3)


@pytest.mark.slow
def test_what_was_released_is_read_back(tmp_path: Path) -> None:
    rows = [[str(number), f"={number}"] for number in (-9, -8, -3, -2)]
    given = config(tmp_path, rows, ["q", "=s"], quasi_identifiers=["q"], algorithm="mondrian")
    given["releases"] = {"path": str(tmp_path / "ledger.duckdb")}
    kanon_sql.run(given)
    assert sorted({row[0] for row in read(tmp_path / "out.csv")[1:]}) == ["'-3--2", "'-9--8"]
    linked = kanon_sql.link(tmp_path / "out.csv", tmp_path / "s.csv", ["q", "=s"], release_config=given)
    assert (linked["least_matches"]["of_a_person"], linked["expected_links"]["by_person"]) == (1, 4.0)
    again = {**given, "source": {"path": str(tmp_path / "out.csv"), "csv": ESCAPE}, "privacy": {"k": 4}}
    again["target"] = {**given["target"], "path": str(tmp_path / "two.csv")}
    assert kanon_sql.run(again).report["ledger"]["built_on"] == 1


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"target": {"path": "out.parquet", "csv": ESCAPE}}, "target.csv.formulas: only a CSV file holds formulas"),
        ({"target": {"path": "x", "format": "parquet", "csv": ESCAPE}}, "csv does not go with format: parquet"),
        ({"target": {"database": "x.duckdb", "table": "t", "csv": ESCAPE}}, "csv goes with path; remove it"),
        ({"target": {"in_place": True, "csv": ESCAPE}, "source": {"database": "x.duckdb", "table": "t"}},
         "csv.formulas: escape goes with CSV, a table is replaced"),
        ({"engine": {"spark": "local[1]"}}, "formulas are not escaped by spark"),
    ],
)  # fmt: skip
def test_other_targets_are_refused(tmp_path: Path, changes: Json, message: str) -> None:
    with attached(tmp_path / "x.duckdb") as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS q")
    given = config(tmp_path, [["x"]], ["q"], quasi_identifiers={"q": {"builtin": "suppress"}}) | changes
    for part in ("source", "target"):
        if isinstance(given[part], dict):
            given[part] = {k: str(tmp_path / v) if k in ("path", "database") else v for k, v in given[part].items()}
    with pytest.raises(ConfigurationError, match=re.escape(message)):
        kanon_sql.run(given)


def test_a_folder_in_place_keeps_its_partitions(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    for name in ("@a", "b"):
        (folder / f"p={name}").mkdir(parents=True)
        (folder / f"p={name}" / "x.csv").write_text("q,s\n1,=2\n1,3\n", encoding="utf-8")
    given = {
        "source": str(folder),
        "target": {"in_place": True, "csv": ESCAPE},
        "quasi_identifiers": {"q": {"builtin": "suppress"}},
        "unlisted": "insensitive",
        "privacy": {"k": 2},
    }
    kanon_sql.run(given)
    paths = [path for path in folder.rglob("*") if path.is_file()]
    assert {path.parent.name.replace("%40", "@") for path in paths} == {"p=@a", "p=b"}
    assert {row[1] for path in paths for row in read(path)} == {"s", "'=2", "3"}


@settings(max_examples=15)
@given(st.lists(st.text(st.sampled_from("'=+-@\t\r\n5.,eE a"), max_size=6), min_size=20, max_size=40))
def test_escaping_is_undone_and_tells_texts_apart(texts: list[str]) -> None:
    value = exp.column("value")
    select = exp.select(escaped(value), unescaped(escaped(value))).from_("unnest(?) AS v(value)").sql("duckdb")
    with attached() as connection:
        escapes = connection.execute(select, [texts]).fetchall()
    assert [row[1] for row in escapes] == texts
    assert [row[0] for row in escapes] == [escaped_name(text) for text in texts]
    assert [unescaped_name(row[0]) for row in escapes] == texts
    assert not any(re.match(r"[=+@\t\r\n]", row[0]) for row in escapes)
