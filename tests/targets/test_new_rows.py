"""Rows that came into a table of a lake since a release, released at its levels: each once, none in a small class."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import duckdb
import pytest
from effort import tries
from lakes import PACKAGE, opened
from ledger_jobs import HEAD, configuration, table
from queried import answers
from table_files import write_csv

import kanon_sql
from kanon_sql.errors import ConfigurationError, KanonError, NoReleaseError

K = 3
_MERGED = ["INSERT INTO lake.cases FROM lake.cases", "INSERT INTO lake.cases FROM lake.cases", "CHECKPOINT lake"]
TABLE = "01a21ddf-e0c1-71d5-a604-3377d3a30884"
Rows = list[tuple[Any, ...]]


def real_lake(test: Callable[..., None]) -> Any:
    """A test of a real lake, where DuckLake is installed."""
    missing = pytest.mark.skipif(find_spec(PACKAGE) is None, reason="No module named DuckLake: .[lake]")
    return pytest.mark.lake(missing(test))


def job(folder: Path, **more: Any) -> dict[str, Any]:
    return {
        "source": {"database": f"ducklake:{folder / 'meta.ducklake'}", "table": "cases"},
        "target": str(folder / "nightly.parquet"),
        "identifiers": ["name"],
        "quasi_identifiers": {
            "sex": {"builtin": "suppress", "max_level": 0},
            "zip": {"builtin": "prefix", "keep": [3, 2], "min_level": 1, "max_level": 1},
        },
        "sensitive": ["diagnosis"],
        "privacy": {"k": K},
        "suppression": {"limit": "100%"},
        "releases": {"path": str(folder / "ledger.duckdb")},
        **more,
    }


def cases(draw: random.Random, first: int, count: int, diagnoses: int) -> Rows:
    """Cases with as many diagnoses, or one for each of them."""
    return [
        (
            f"secret{i}",
            draw.choice("fm"),
            f"0{draw.randint(1, 3)}{draw.randint(100, 130)}",
            f"d{draw.randrange(diagnoses) if diagnoses else i}",
        )
        for i in range(first, first + count)
    ]


def insert(connection: duckdb.DuckDBPyConnection, rows: Rows) -> None:
    for row in rows:
        connection.execute("INSERT INTO lake.cases VALUES (?, ?, ?, ?)", row)


def laid_out(folder: Path, rows: Rows) -> None:
    with opened(folder / "meta.ducklake") as connection:
        connection.execute("CREATE TABLE lake.cases (name VARCHAR, sex VARCHAR, zip VARCHAR, diagnosis VARCHAR)")
        insert(connection, rows)


def apply(folder: Path, number: int = 1, **more: Any) -> dict[str, Any]:
    catalog = f"ducklake:{folder / 'meta.ducklake'}"
    return kanon_sql.apply(number, catalog, ledger=folder / "ledger.duckdb", new_rows=True, **more)


def released(report: dict[str, Any]) -> Rows:
    with duckdb.connect() as connection:
        return connection.execute("SELECT * FROM read_parquet($1)", [report["release"]["target"]]).fetchall()


def generalized(row: Sequence[Any]) -> tuple[Any, ...]:
    return row[1], f"{row[2][:3]}**", row[3]


def whole_classes(rows: Counter[tuple[Any, ...]], least: int) -> Counter[tuple[Any, ...]]:
    """The rows whose classes hold k of them, and so many diagnoses."""
    sizes, diagnoses = Counter[tuple[Any, ...]](), Counter[tuple[Any, ...]]()
    for (sex, code, _), count in rows.items():
        sizes[sex, code] += count
        diagnoses[sex, code] += 1
    return Counter({row: n for row, n in rows.items() if sizes[row[:2]] >= K and diagnoses[row[:2]] >= least and n})


@real_lake
@pytest.mark.slow
@pytest.mark.parametrize(("diagnoses", "least"), [(0, 1), (2, 1), (3, 2)])
@pytest.mark.parametrize("seed", range(tries(2)))
def test_each_new_row_is_released_once_as_soon_as_its_class_is_whole(
    tmp_path: Path, seed: int, diagnoses: int, least: int
) -> None:
    draw = random.Random(seed)
    laid_out(tmp_path, first := cases(draw, 0, 80, diagnoses))
    kanon_sql.run(
        job(tmp_path, privacy={"k": K, **({"l_diversity": {"l": least, "column": "diagnosis"}} if least > 1 else {})}),
        advice=False,
    )
    there, new = {row[0]: row for row in first}, dict[str, tuple[Any, ...]]()
    before: Counter[tuple[Any, ...]] = Counter()
    number = len(first)
    for _night in range(4):
        rows = cases(draw, number, draw.choice((0, 2, 9, 25)), diagnoses)
        number += len(rows)
        with opened(tmp_path / "meta.ducklake") as connection:
            insert(connection, rows)
            gone, other = draw.sample(sorted(there), 2)
            connection.execute("DELETE FROM lake.cases WHERE name = ?", [gone])
            connection.execute("UPDATE lake.cases SET zip = '01100' WHERE name = ?", [other])
        # A row that was changed or deleted is no new one; in a release it stays what it was.
        there = {name: row for name, row in {**there, **{row[0]: row for row in rows}}.items() if name != gone}
        new = {**{name: row for name, row in new.items() if name not in (gone, other)}, **{row[0]: row for row in rows}}
        waiting = Counter(generalized(row) for row in new.values()) - before
        expected = whole_classes(waiting, least)
        if not expected:
            with pytest.raises(NoReleaseError, match="no row"):
                apply(tmp_path)
            continue
        report = apply(tmp_path)
        assert Counter(released(report)) == expected
        before += expected
        counted = {name: report["rows"][name] for name in ("source", "suppressed", "released")}
        left = waiting.total() - expected.total()
        assert counted == {"source": waiting.total(), "suppressed": left, "released": expected.total()}
        assert report["suppressed"]["waiting"] == left
        assert report["earlier"] == []


@real_lake
@pytest.mark.slow
def test_nothing_tells_which_rows_wait(tmp_path: Path) -> None:
    draw = random.Random(1)
    laid_out(tmp_path, cases(draw, 0, 80, 2))
    kanon_sql.run(job(tmp_path), advice=False)
    catalog, ledger = f"ducklake:{tmp_path / 'meta.ducklake'}", tmp_path / "ledger.duckdb"
    with pytest.raises(NoReleaseError, match="no row is new since release 1"):
        apply(tmp_path)
    with opened(tmp_path / "meta.ducklake") as connection:
        insert(connection, cases(draw, 80, 40, 2))
    assert apply(tmp_path)["new_rows"]["inserted"] == 40
    with pytest.raises(NoReleaseError, match="release 2 of new rows of the same source"):
        kanon_sql.run(job(tmp_path, target=str(tmp_path / "all.parquet")), advice=False)
    with pytest.raises(NoReleaseError, match="release 2 of new rows of the same source"):
        kanon_sql.apply(1, catalog, ledger=ledger)
    with pytest.raises(ConfigurationError, match="release of all rows before it: 1"):
        apply(tmp_path, 2)
    warned = kanon_sql.apply(1, catalog, ledger=ledger, overrides=[("releases.on_conflict", "warn")])
    assert any("of new rows of the same source" in warning for warning in warned["warnings"])
    with pytest.raises(ConfigurationError, match=r"release 3 of .* holds all rows"):
        apply(tmp_path)


@real_lake
@pytest.mark.slow
def test_equal_rows_of_several_nights_are_each_released_once(tmp_path: Path) -> None:
    laid_out(tmp_path, rows := [("secret", "f", "02100", "d0")] * 4)
    kanon_sql.run(job(tmp_path), advice=False)
    for _night in range(3):  # each release holds the rows of the others, and of the first one
        with opened(tmp_path / "meta.ducklake") as connection:
            insert(connection, rows)
        assert released(apply(tmp_path)) == [("f", "021**", "d0")] * 4
        with pytest.raises(NoReleaseError, match="no row could be released"):
            apply(tmp_path)


@real_lake
@pytest.mark.slow
@pytest.mark.parametrize("options", ["", "(DATA_INLINING_ROW_LIMIT 0)"])
@pytest.mark.parametrize(
    "kept",
    [[], ["ducklake_flush_inlined_data('lake')"], ["ducklake_rewrite_data_files('lake', delete_threshold => 0)"]],
)
def test_a_row_that_was_there_is_not_new_whatever_the_feed_tells(tmp_path: Path, options: str, kept: list[str]) -> None:
    draw = random.Random(1)
    laid_out(tmp_path, cases(draw, 0, 20, 2))
    with opened(tmp_path / "meta.ducklake", options) as connection:
        connection.execute("CALL ducklake_flush_inlined_data('lake')")
        connection.execute("DELETE FROM lake.cases WHERE name = 'secret3'")
    kanon_sql.run(job(tmp_path), advice=False)
    with opened(tmp_path / "meta.ducklake", options) as connection:
        connection.execute("UPDATE lake.cases SET zip = '02999' WHERE name < 'secret15'")
        connection.execute("INSERT INTO lake.cases SELECT 'young', 'f', '01999', 'd0' FROM range(3)")
        connection.execute("UPDATE lake.cases SET zip = '02999' WHERE name < 'secret13'")
        for call in kept:
            connection.execute(f"CALL {call}")
    assert released(apply(tmp_path)) == [("f", "019**", "d0")] * 3


@real_lake
@pytest.mark.slow
@pytest.mark.parametrize(
    ("statements", "message"),
    [
        (["CREATE OR REPLACE TABLE lake.cases AS FROM lake.cases"], "made anew since release 1"),
        (["CALL ducklake_expire_snapshots('lake', versions => [{next}])"], "have expired"),
        (["CALL ducklake_flush_inlined_data('lake')", *_MERGED], "files of the table were merged since release 1"),
        (["CREATE TABLE lake.other AS FROM lake.cases", "DROP TABLE lake.cases"], "cases"),
    ],
)
def test_a_lake_that_no_longer_knows_is_refused(tmp_path: Path, statements: list[str], message: str) -> None:
    draw = random.Random(1)
    laid_out(tmp_path, cases(draw, 0, 80, 2))
    report = kanon_sql.run(job(tmp_path), advice=False).report
    snapshot = int(report["source"]["snapshot"].removeprefix("snapshot "))
    with opened(tmp_path / "meta.ducklake") as connection:
        insert(connection, cases(draw, 80, 40, 2))
        for statement in statements:
            connection.execute(statement.format(next=snapshot + 1))
    with pytest.raises(KanonError, match=message):
        apply(tmp_path)
    assert [entry["id"] for entry in kanon_sql.list_releases(tmp_path / "ledger.duckdb")["releases"]] == [1]


@real_lake
@pytest.mark.slow
def test_a_lake_that_was_put_back_is_refused(tmp_path: Path) -> None:
    draw = random.Random(1)
    laid_out(tmp_path, cases(draw, 0, 80, 2))
    catalog = tmp_path / "meta.ducklake"
    before = catalog.read_bytes()
    with opened(catalog) as connection:
        insert(connection, cases(draw, 80, 1, 2))
    kanon_sql.run(job(tmp_path), advice=False)
    catalog.write_bytes(before)
    with pytest.raises(ConfigurationError, match="put back from a copy"):
        apply(tmp_path)


@real_lake
@pytest.mark.slow
def test_a_table_of_an_odd_name_in_a_schema(tmp_path: Path) -> None:
    draw = random.Random(1)
    named = '"Ärzte und"."der ""Fälle"" 1\'s"'
    with opened(tmp_path / "meta.ducklake") as connection:
        connection.execute('CREATE SCHEMA lake."Ärzte und"')
        connection.execute(f"CREATE TABLE lake.{named} (name VARCHAR, sex VARCHAR, zip VARCHAR, diagnosis VARCHAR)")
        for row in cases(draw, 0, 80, 2):
            connection.execute(f"INSERT INTO lake.{named} VALUES (?, ?, ?, ?)", row)
    source = {"database": f"ducklake:{tmp_path / 'meta.ducklake'}", "table": named}
    kanon_sql.run(job(tmp_path, source=source), advice=False)
    new = cases(draw, 80, 40, 2)
    with opened(tmp_path / "meta.ducklake") as connection:
        for row in new:
            connection.execute(f"INSERT INTO lake.{named} VALUES (?, ?, ?, ?)", row)
    expected = whole_classes(Counter(map(generalized, new)), 1)
    assert Counter(released(apply(tmp_path))) == expected


def test_new_rows_are_known_of_a_lake_alone(tmp_path: Path) -> None:
    write_csv(tmp_path / "source.csv", [HEAD, *table(200)])
    kanon_sql.run(configuration(tmp_path), advice=False)
    with pytest.raises(ConfigurationError, match="expected a table of a lake"):
        kanon_sql.apply(1, tmp_path / "source.csv", ledger=tmp_path / "ledger.duckdb", new_rows=True)


def test_a_row_is_new_of_which_only_its_insertion_is_told() -> None:
    feed = [(3, 1, "insert"), (5, 2, "insert"), (6, 3, "insert"), (7, 3, "update_preimage"), (7, 3, "update_postimage")]
    feed += [
        (6, 4, "insert"),
        (8, 4, "delete"),
        (8, 5, "delete"),
        (9, 6, "insert"),
        (9, 0, "insert"),
        (9, 10**18, "insert"),
    ]
    tables = {
        "table_changes": ("snapshot_id BIGINT, rowid BIGINT, change_type VARCHAR", feed),
        "changes": ("row_number BIGINT, is_new BOOLEAN", []),
    }
    then = "SELECT row_number, is_new FROM changes ORDER BY ALL"
    changes = answers("source/lake/changes", tables, values={"since": 4, "next_row": 2}, then=then)
    assert changes == [(0, False), (2, True), (3, False), (4, False), (5, False), (6, True), (10**18, False)]


def test_rows_that_share_a_number_are_not_new() -> None:
    tables: dict[str, Any] = {
        "table_rows": ("rowid BIGINT, a VARCHAR", [(1, "old"), (2, "new"), (3, "old"), (3, "new")]),
        "changes": ("row_number BIGINT, is_new BOOLEAN", [(1, False), (2, True), (3, True)]),
        "new_rows": ("a VARCHAR", []),
    }
    then = "SELECT * FROM new_rows"
    assert answers("source/lake/new_rows", tables, lists={"out": [{"name": "a"}]}, then=then) == [("new",)]


def test_files_of_a_table_are_merged_where_a_snapshot_since_says_so() -> None:
    tables: dict[str, Any] = {
        "lake_tables": ("table_id BIGINT, table_uuid UUID", [(2, TABLE), (2, TABLE.replace("1", "2"))]),
        "lake_changes": ("snapshot_id BIGINT, changes_made VARCHAR", []),
    }
    changes = [(4, "merge_adjacent:2"), (5, "inlined_insert:2,merge_adjacent:22"), (6, "rewrite_delete:2"), (7, None)]
    for more, is_merged in (([], False), ([(8, "a:1,merge_adjacent:2")], True), ([(8, "compacted_table:2")], True)):
        tables["lake_changes"] = (tables["lake_changes"][0], [*changes, *more])
        assert answers("source/lake/merged", tables, values={"table": TABLE, "since": 4}) == [(is_merged,)]


def test_rows_of_one_text_are_left_as_often_as_none_was_released() -> None:
    tables = {
        "candidates": ("c0 VARCHAR, c1 VARCHAR", [("x", None), ("x", None), ("x", "y"), (None, "y"), ("x", None)]),
        "earlier": ("a VARCHAR, b VARCHAR, row_count BIGINT", [("x", None, 1), ("x", None, 1), ("x", "y", 2)]),
        "unreleased": ("c0 VARCHAR, c1 VARCHAR", []),
    }
    lists = {"cell": [{"name": "a", "text": "c0"}, {"name": "b", "text": "c1"}]}
    then = "SELECT * FROM unreleased ORDER BY ALL"
    assert answers("commands/apply/unreleased", tables, lists=lists, then=then) == [("x", None), (None, "y")]
