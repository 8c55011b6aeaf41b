"""What a written release holds, read back with readers that are not kanon-sql's own."""

from __future__ import annotations

import csv
import datetime
import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from cases import Case, cases, pinned_case
from effort import tries
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from reference import Hierarchy, Problem
from shared_engine import attached
from table_files import read_csv, read_parquet, write_csv

import kanon_sql

Json = dict[str, Any]


def multiset(rows: Iterable[Mapping[str, Any]]) -> Counter[tuple[tuple[str, Any], ...]]:
    return Counter(tuple(sorted(row.items())) for row in rows)


def class_sizes(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> Counter[tuple[Any, ...]]:
    return Counter(tuple(row[column] for column in columns) for row in rows)


def raw_csv(path: Path) -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def levels_of(report: Json, columns: Sequence[str]) -> tuple[int, ...]:
    return tuple(report["solution"]["levels"][column] for column in columns)


def without_nulls(rows: Iterable[Mapping[str, Any]]) -> list[Json]:
    """Empty text for NULL: a CSV file cannot tell them apart."""
    return [{column: "" if cell is None else cell for column, cell in row.items()} for row in rows]


def check_release(case: Case, folder: Path, mask: bool, order: str) -> Json:
    """Runs and compares what was written with the reference's release of the levels that were chosen."""
    problem = case.problem
    release = {"order": order, "suppressed": "mask" if mask else "drop"}
    report = kanon_sql.run(case.config(folder, release=release)).report
    levels = levels_of(report, problem.columns)
    written = case.released(folder)
    expected = problem.release(levels, masked=mask)
    node = problem.node(levels)
    rows = report["rows"]
    if order == "none":
        assert without_nulls(written) == without_nulls(expected)
    assert multiset(without_nulls(written)) == multiset(without_nulls(expected))
    if written:
        assert list(written[0]) == [*case.others, *problem.columns]
    assert all(size >= problem.k for size in class_sizes(written, problem.columns).values())
    assert rows["source"] == rows["missing"] + rows["suppressed"] + rows["released"] == len(problem.rows)
    assert (rows["suppressed"], rows["released"]) == (node.suppressed, node.released)
    assert rows["masked"] == len(written) - rows["released"]
    return report


@settings(max_examples=tries(50, fewer=16))
@given(cases(), st.booleans(), st.sampled_from(["none", "random"]))
def test_a_release_is_that_of_its_levels(folder: Path, case: Case, mask: bool, order: str) -> None:
    assume(case.problem.satisfying)
    check_release(case, folder, mask, order)


@pytest.mark.slow
def test_releases_that_suppress_much(folder: Path) -> None:
    """Twenty tables, a quarter of them without masks; most must have masked rows, or the test says little."""
    some = [case for case in map(pinned_case, range(40)) if case.problem.satisfying][:20]
    reports = [check_release(case, folder, number % 4 > 0, "random") for number, case in enumerate(some)]
    assert sum(report["rows"]["masked"] > 0 for report in reports) >= 12


# A table of texts that careless readers change.
HEADER = ["id", "zip", "born", "price", "note", "city", "when"]
ROWS = [
    ["1", "02139", "1990-01-31", "1.50", "", "Köln", "2020-01-01 00:00:00"],
    ["2", "02139", "1990-02-28", "1.5", "a,b", "Köln", "2020-01-01"],
    ["3", "02138", "1991-02-28", "+1", 'say "x"', "Köln", "2020-01-01T00:00:00Z"],
    ["4", "02138", "1991-03-31", "1e3", "two\nlines", "Köln", "NULL"],
    ["5", "02215", "", "007", " blank ", "Bonn", "true"],
    ["6", "02215", "", "-0", "NaN", "Bonn", "nan"],
    ["7", "94110", "2001-12-01", "9999999999999999999999", "é", "Ulm", "None"],
    ["8", "94110", "2001-12-24", "0x10", "e\u0301", "Ulm", "01/02/03"],
    ["9", "10115", "2001-12-24", "1_000", "\\N", "Rom", "'"],
]


def texts_config(folder: Path, **changes: Any) -> Json:
    write_csv(folder / "source.csv", [HEADER, *ROWS])
    zips = sorted({row[1] for row in ROWS})
    write_csv(folder / "zip.csv", [[code, code[:4] + "*", code[:2] + "***"] for code in zips])
    born = sorted({row[2] for row in ROWS} - {""})
    write_csv(folder / "born.csv", [[day, day[:4]] for day in born])
    return {
        "source": str(folder / "source.csv"),
        "target": str(folder / "release.csv"),
        "identifiers": ["city"],
        "quasi_identifiers": {"zip": str(folder / "zip.csv"), "born": str(folder / "born.csv")},
        "insensitive": ["id", "price"],
        "sensitive": ["note", "when"],
        "privacy": {"k": 2},
        "suppression": {"limit": 1},
        **changes,
    }


def test_texts_come_out_as_they_went_in(tmp_path: Path) -> None:
    fixed = {"hierarchy": str(tmp_path / "born.csv"), "min_level": 1, "max_level": 1}
    kept = {"hierarchy": str(tmp_path / "zip.csv"), "max_level": 0}
    config = texts_config(tmp_path, quasi_identifiers={"zip": kept, "born": fixed}, release={"order": "none"})
    report = kanon_sql.run(config).report
    assert report["rows"]["suppressed"] == 1
    expected = [[*row[:2], row[2][:4], *row[3:5], row[6]] for row in ROWS[:-1]]
    assert raw_csv(tmp_path / "release.csv") == [[c for c in HEADER if c != "city"], *expected]


def test_texts_of_a_csv_file_in_a_parquet_release(tmp_path: Path) -> None:
    fixed = {"hierarchy": str(tmp_path / "born.csv"), "min_level": 1, "max_level": 1}
    kept = {"hierarchy": str(tmp_path / "zip.csv"), "max_level": 0}
    target = str(tmp_path / "release.parquet")
    config = texts_config(
        tmp_path,
        quasi_identifiers={"zip": kept, "born": fixed},
        release={"order": "none"},
        target=target,
    )
    kanon_sql.run(config)
    released = without_nulls(read_parquet(Path(target)))
    assert [list(row.values()) for row in released] == [[*row[:2], row[2][:4], *row[3:5], row[6]] for row in ROWS[:-1]]


def test_missing_texts_are_released_as_they_were(tmp_path: Path) -> None:
    """`?` is NULL for the models: it needs no row in a hierarchy, and is one class with the empty text."""
    rows = [["?", "?"], ["", ""], ["?", "x"], ["a", "y"], ["a", "?"]]
    write_csv(tmp_path / "source.csv", [["q", "s"], *rows])
    write_csv(tmp_path / "q.csv", [["a"], ["b"]])
    config = {
        "source": {"path": str(tmp_path / "source.csv"), "missing": ["?", ""]},
        "target": str(tmp_path / "release.csv"),
        "quasi_identifiers": {"q": str(tmp_path / "q.csv")},
        "sensitive": ["s"],
        "privacy": {"k": 2},
        "release": {"order": "none"},
    }
    report = kanon_sql.run(config).report
    assert report["solution"]["levels"] == {"q": 0}
    assert report["classes"]["count"] == 2
    assert report["loss"]["lm"] == 0
    assert [row[1] for row in raw_csv(tmp_path / "release.csv")] == ["s", *(row[1] for row in rows)]
    for policy, left in (("drop", 2), ("drop-any", 1)):
        changed = {**config, "missing": policy, "privacy": {"k": 1}, "target": str(tmp_path / f"{policy}.csv")}
        rest = kanon_sql.run(changed).report["rows"]
        assert (rest["missing"], rest["released"]) == (5 - left, left)


def test_types_of_a_parquet_file(tmp_path: Path) -> None:
    """A column that is not generalized keeps its type, a generalized one is text."""
    with attached() as connection:
        connection.execute(
            """CREATE TABLE t AS SELECT
                   (i // 2)::SMALLINT AS age, DATE '2020-01-01' + (i // 4)::INTEGER AS day, i % 2 = 0 AS flag,
                   (i + 0.50)::DECIMAL(9, 2) AS price, [i, NULL] AS list, {'a': i} AS struct,
                   CASE WHEN i % 3 > 0 THEN '' END AS note, TIMESTAMPTZ '2020-01-01 12:00:00+00' AS moment,
                   i::UTINYINT AS small
               FROM range(8) AS r(i)"""
        )
        connection.table("t").write_parquet(str(tmp_path / "source.parquet"))
    write_csv(tmp_path / "age.csv", [[str(i), f"{i // 2 * 2}+"] for i in range(10)])
    write_csv(tmp_path / "day.csv", [["2020-01-01", "2020"], ["2020-01-02", "2020"]])
    config = {
        "source": str(tmp_path / "source.parquet"),
        "target": str(tmp_path / "release.parquet"),
        "quasi_identifiers": {
            "age": {"hierarchy": str(tmp_path / "age.csv"), "min_level": 1, "max_level": 1},
            "day": str(tmp_path / "day.csv"),
        },
        "unlisted": "insensitive",
        "privacy": {"k": 4},
        "release": {"order": "none"},
    }
    assert kanon_sql.run(config).report["solution"]["levels"] == {"age": 1, "day": 0}
    query = "SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM read_parquet(?))"
    with attached() as connection:
        before, after = (
            dict(connection.execute(query, [str(tmp_path / f"{name}.parquet")]).fetchall())
            for name in ("source", "release")
        )
        ages = connection.execute("SELECT age FROM read_parquet(?)", [config["target"]]).fetchall()
        assert after == {**before, "age": "VARCHAR"}
        assert list(after) == list(before)
        read = "SELECT * EXCLUDE (age, moment), moment::VARCHAR FROM read_parquet(?)"
        source, release = (
            connection.execute(read, [str(tmp_path / f"{name}.parquet")]).fetchall() for name in ("source", "release")
        )
    assert release == source
    assert source[1][2:6] == (Decimal("1.50"), [1, None], {"a": 1}, "")
    assert source[0][0] == datetime.date(2020, 1, 1)
    assert [row[0] for row in ages] == ["0+"] * 4 + ["2+"] * 4


def masked(folder: Path, sizes: Mapping[str, int], k: int, **changes: Any) -> tuple[Json, list[str]]:
    """Runs over one quasi-identifier at level 0, whose values have these sizes; masks what is suppressed."""
    cells = [value for value, size in sizes.items() for _ in range(size)]
    write_csv(folder / "source.csv", [["q", "s"], *[[cell, str(i)] for i, cell in enumerate(cells)]])
    write_csv(folder / "q.csv", [[value, value, "*"] for value in sizes])
    config = {
        "source": str(folder / "source.csv"),
        "target": {"path": str(folder / "release.csv"), "overwrite": True},
        "quasi_identifiers": {"q": {"hierarchy": str(folder / "q.csv"), "max_level": 0}},
        "sensitive": ["s"],
        "privacy": {"k": k},
        "suppression": {"limit": "50%"},
        "release": {"order": "none", "suppressed": "mask"},
        **changes,
    }
    report = kanon_sql.run(config).report
    return report, [row["q"] or "" for row in read_csv(folder / "release.csv")]


def test_masked_rows_form_a_class_of_at_least_k(tmp_path: Path) -> None:
    report, cells = masked(tmp_path, {"a": 1, "b": 5, "c": 2}, 3)
    assert sorted(cells) == ["*", "*", "*", *"bbbbb"]
    assert report["rows"] == {"source": 8, "missing": 0, "suppressed": 3, "masked": 3, "released": 5}
    assert report["classes"]["count"] == 1
    assert report["loss"]["lm"] == pytest.approx(3 / 8)


def test_masked_rows_that_are_too_few_are_dropped(tmp_path: Path) -> None:
    report, cells = masked(tmp_path, {"a": 1, "b": 5, "c": 2}, 4)
    assert cells == [*"bbbbb"]
    assert report["rows"] == {"source": 8, "missing": 0, "suppressed": 3, "masked": 0, "released": 5}
    assert any("mask" in str(warning) for warning in report["warnings"])


def test_masked_rows_join_the_class_that_is_a_star_everywhere(tmp_path: Path) -> None:
    report, cells = masked(tmp_path, {"a": 1, "*": 4, "b": 5}, 4)
    assert cells == [*"*****bbbbb"]
    assert (report["rows"]["suppressed"], report["rows"]["masked"]) == (1, 1)


def many(folder: Path, rows: int, **release: Any) -> tuple[Json, list[int]]:
    """Releases a table of many rows; returns the report and the numbers of the released source rows."""
    source = folder / "source.csv"
    if not source.exists():
        write_csv(source, [["q", "s"], *[[str(i * i % 7), str(i)] for i in range(rows)]])
        write_csv(folder / "q.csv", [[str(i)] for i in range(7)])
    config = {
        "source": str(source),
        "target": {"path": str(folder / "release.csv"), "overwrite": True},
        "quasi_identifiers": {"q": str(folder / "q.csv")},
        "sensitive": ["s"],
        "privacy": {"k": 2},
        "release": release,
    }
    report = kanon_sql.run(config).report
    return report, [int(row[1]) for row in raw_csv(folder / "release.csv")[1:]]


def test_a_random_order_tells_nothing_of_the_source(tmp_path: Path) -> None:
    rows = 5000
    _, first = many(tmp_path, rows, order="random")
    _, second = many(tmp_path, rows, order="random")
    assert sorted(first) == sorted(second) == list(range(rows))
    assert first != second
    for numbers in (first, second):
        neighbours = sum(abs(a - b) == 1 for a, b in itertools.pairwise(numbers))
        assert neighbours < 30  # 2 are expected of 4,999
        # Where a row stands does not say where it stood: the correlation's standard error is 0.014.
        middle = (rows - 1) / 2
        covariance = sum((at - middle) * (number - middle) for at, number in enumerate(numbers))
        assert abs(covariance / sum((at - middle) ** 2 for at in range(rows))) < 0.1


def test_random_is_the_default_order(tmp_path: Path) -> None:
    _, numbers = many(tmp_path, 2000)
    assert numbers != sorted(numbers)


@pytest.mark.slow
def test_a_seed_repeats_the_order_and_is_not_reported(tmp_path: Path) -> None:
    report, first = many(tmp_path, 5000, order="random", seed=424242)
    again, second = many(tmp_path, 5000, order="random", seed=424242)
    _, of_other_seed = many(tmp_path, 5000, order="random", seed=424243)
    assert first == second != of_other_seed
    assert first != sorted(first)
    for seen in (report, again):
        assert "424242" not in str(seen)
        assert any("seed" in str(warning) for warning in seen["warnings"])


@pytest.mark.slow
def test_order_none_keeps_that_of_a_large_source(tmp_path: Path) -> None:
    """More rows than one of the engine's row groups, so that several threads write."""
    _, numbers = many(tmp_path, 300_000, order="none")
    assert numbers == list(range(300_000))


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("missing", ["keep", "drop"])
def test_order_none_keeps_that_of_a_small_source(tmp_path: Path, suffix: str, missing: str) -> None:
    """The engine may turn a join around where the hierarchy is larger than the source."""
    rows: list[dict[str, str | None]] = [{"q": str(i % 3), "note": str(i)} for i in range(100)]
    for leaves in (3, 5000):
        files = {"q": [[str(leaf)] for leaf in range(leaves)]}
        problem = Problem(rows, {"q": Hierarchy.of_file(files["q"])}, k=2, missing=missing)
        case = Case(problem, files, others=["note"], parquet=suffix == "parquet")
        kanon_sql.run(case.config(tmp_path, release={"order": "none"}))
        assert case.released(tmp_path) == rows


def test_names_that_differ_in_case_only(tmp_path: Path) -> None:
    """They are told apart in the source; side by side in a release the engine could not write them."""
    write_csv(tmp_path / "source.csv", [["age", "Age", "note", "NOTE"], *[["a", "b", "c", "d"]] * 2])
    write_csv(tmp_path / "q.csv", [["a"], ["b"]])
    config = {
        "source": str(tmp_path / "source.csv"),
        "target": str(tmp_path / "release.csv"),
        "quasi_identifiers": {"Age": str(tmp_path / "q.csv")},
        "identifiers": ["note", "age"],
        "sensitive": ["NOTE"],
        "privacy": {"k": 2},
    }
    kanon_sql.run(config)
    assert raw_csv(tmp_path / "release.csv") == [["Age", "NOTE"], *[["b", "d"]] * 2]


def test_a_null_alone_in_its_row_is_not_lost(tmp_path: Path) -> None:
    """A blank line is no row for many readers: the field must be quoted."""
    (tmp_path / "source.csv").write_text('q\n""\na\n""\na\n', encoding="utf-8")
    write_csv(tmp_path / "q.csv", [["a"], ["b"]])
    config = {
        "source": str(tmp_path / "source.csv"),
        "target": str(tmp_path / "release.csv"),
        "quasi_identifiers": {"q": str(tmp_path / "q.csv")},
        "privacy": {"k": 2},
    }
    assert kanon_sql.run(config).report["rows"]["released"] == 4
    with (tmp_path / "release.csv").open(newline="", encoding="utf-8") as file:
        assert Counter(row["q"] for row in csv.DictReader(file)) == {"": 2, "a": 2}
