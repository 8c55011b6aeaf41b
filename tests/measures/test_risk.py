"""Risk of re-identification: every measure against plain Python on small random tables."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from cases import NAMES
from effort import tries
from hypothesis import given, settings
from hypothesis import strategies as st
from shared_engine import attached
from table_files import quoted, write_csv, write_parquet

import kanon_sql
from kanon_sql.config.load import from_mapping
from kanon_sql.errors import ConfigurationError, EngineError, NoReleaseError
from kanon_sql.measures.risk.measure import size_bounds
from kanon_sql.measures.risk.table import MOST_SUBSETS, subset_size
from kanon_sql.sql.connection import EngineOptions
from kanon_sql.sql.deadline import Deadline

Json = dict[str, Any]
Value = str | None
Row = tuple[Value, ...]

VALUES: list[Value] = [None, "a", "A", " a", "02", "2", "2.0", "*", "NULL", "é", "it's", 'q"q']


def close(figure: float | None, expected: Fraction | None) -> bool:
    return figure == expected if expected is None else figure == pytest.approx(float(expected), rel=1e-9, abs=1e-12)


def sizes_of(rows: Sequence[Row], places: Sequence[int]) -> Counter[Row]:
    return Counter(tuple(row[i] for i in places) for row in rows)


def expect(part: Json, rows: Sequence[Row], names: Sequence[str], width: int, threshold: float, largest: int) -> None:
    """The report's part on a table of these rows, of which the first `width` columns are quasi-identifiers."""
    n, classes = len(rows), sizes_of(rows, range(width))
    risks = [Fraction(1, classes[row[:width]]) for row in rows]
    assert part["rows"]["measured"] == n
    assert part["quasi_identifiers"] == list(names[:width])
    assert (part["classes"]["count"], part["classes"]["min"]) == (len(classes), min(classes.values()))
    assert part["classes"]["max"] == max(classes.values())
    assert close(part["classes"]["average"], Fraction(n, len(classes)))
    unique = sum(risk == 1 for risk in risks)
    assert part["unique"]["rows"] == unique and close(part["unique"]["share"], Fraction(unique, n))
    above = sum(float(risk) > threshold for risk in risks)
    prosecutor = part["prosecutor"]
    assert close(prosecutor["highest"], max(risks)) and close(prosecutor["average"], sum(risks, Fraction()) / n)
    assert prosecutor["above"]["rows"] == above and close(prosecutor["above"]["share"], Fraction(above, n))
    for size_range in part["sizes"]:
        inside = [size for size in classes.values() if size_range["from"] <= size <= size_range["to"]]
        assert (size_range["classes"], size_range["rows"]) == (len(inside), sum(inside))
    assert sum(size_range["rows"] for size_range in part["sizes"]) == n
    subsets = part["subsets"]
    assert subsets["columns"] == list(names)
    wanted = {
        tuple(names[i] for i in subset): sizes_of(rows, subset)
        for size in range(1, largest + 1)
        for subset in itertools.combinations(range(len(names)), size)
    }
    assert subsets["count"] == subsets["counted"] == len(wanted)
    listed = {tuple(subset["columns"]): subset for subset in subsets["listed"]}
    assert set(listed) == set(wanted)
    for columns, counted in wanted.items():
        subset = listed[columns]
        alone = sum(size == 1 for size in counted.values())
        assert (subset["combinations"], subset["unique"]) == (len(counted), alone)
        assert close(subset["unique_share"], Fraction(alone, n)) and close(
            subset["distinction"], Fraction(len(counted), n)
        )
        told_apart = sum(
            [row[names.index(c)] for c in columns] != [second[names.index(c)] for c in columns]
            for row, second in itertools.combinations(rows, 2)
        )
        assert close(subset["separation"], Fraction(told_apart, n * (n - 1) // 2) if n > 1 else None)
        smaller = (part for size in range(1, len(columns)) for part in itertools.combinations(columns, size))
        assert subset["holds_key"] == any(len(wanted[part]) == n for part in smaller)
    assert [subset["unique"] for subset in subsets["listed"]] == sorted(subset["unique"] for subset in listed.values())[
        ::-1
    ]


def write(path: Path, names: Sequence[str], rows: Sequence[Row]) -> None:
    if path.suffix == ".csv":
        write_csv(path, [names, *(["" if value is None else value for value in row] for row in rows)], quote=True)
    else:
        write_parquet(path, names, rows)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], int, list[Row]]:
    """(names, number of quasi-identifiers, rows), some rows several times."""
    names = draw(st.lists(st.sampled_from(NAMES), unique_by=str.casefold, min_size=1, max_size=4))
    values = st.sampled_from(draw(st.lists(st.sampled_from(VALUES), min_size=1, max_size=4, unique=True)))
    different = draw(st.lists(st.tuples(*(values for _ in names)), min_size=1, max_size=6))
    rows = draw(st.lists(st.sampled_from(different), min_size=1, max_size=14))
    return names, draw(st.integers(1, len(names))), rows


@pytest.mark.slow
@settings(max_examples=tries(60))
@given(
    table=tables(),
    suffix=st.sampled_from(["csv", "parquet"]),
    threshold=st.sampled_from([0, 0.1, 0.2, 0.25, 1 / 3, 0.5, 1]),
    largest=st.integers(0, 4),
    every=st.booleans(),
)
def test_measures_are_those_of_the_definitions(
    folder: Path, table: tuple[list[str], int, list[Row]], suffix: str, threshold: float, largest: int, every: bool
) -> None:
    names, width, rows = table
    path = folder / f"t.{suffix}"
    write(path, names, rows)
    config = {"source": str(path), "quasi_identifiers": names[:width], "privacy": {"k": 1}}
    data = kanon_sql.risk(config, threshold=threshold, subsets=largest, all_columns=every)
    seen = len(names) if every else width
    expect(data["before"], [row[:seen] for row in rows], names[:seen], width, threshold, min(largest, seen))
    assert (data["after"], data["population"], data["warnings"]) == (None, None, [])
    before = data["before"]
    assert before["marketer"]["average"] == before["prosecutor"]["average"]
    assert before["marketer"]["rows"] == before["classes"]["count"]
    assert before["journalist"] is None and before["exposed"] is None


@pytest.mark.slow
@settings(max_examples=tries(60))
@given(
    table=tables(),
    others=st.lists(st.tuples(*[st.sampled_from(VALUES)] * 4), max_size=12),
    threshold=st.sampled_from([0, 0.1, 0.2, 0.5]),
    suffixes=st.tuples(*[st.sampled_from(["csv", "parquet"])] * 2),
)
def test_risks_with_a_population(
    folder: Path,
    table: tuple[list[str], int, list[Row]],
    others: list[Row],
    threshold: float,
    suffixes: tuple[str, str],
) -> None:
    names, width, rows = table
    persons = [*rows, *(row[: len(names)] for row in others)]
    path, register = folder / f"t.{suffixes[0]}", folder / f"p.{suffixes[1]}"
    write(path, names, rows)
    # Columns in another order: they are found by their names.
    write(register, names[::-1], [row[::-1] for row in persons])
    config = {
        "source": {"path": str(path), "missing": [""]},
        "target": str(folder / "none.csv"),  # so the source is no release itself: its * is a value
        "quasi_identifiers": names[:width],
        "privacy": {"k": 1},
        "unlisted": "drop",
    }
    data = kanon_sql.risk(config, population=register, threshold=threshold)
    n, sample, everyone = len(rows), sizes_of(rows, range(width)), sizes_of(persons, range(width))
    risks = [Fraction(1, everyone[row[:width]]) for row in rows]
    journalist, marketer = data["before"]["journalist"], data["before"]["marketer"]
    assert close(journalist["highest"], max(risks))
    assert close(journalist["average"], sum(risks, Fraction()) / n)
    assert close(journalist["average_from_population"], Fraction(len(sample), sum(everyone[key] for key in sample)))
    assert journalist["above"]["rows"] == sum(float(risk) > threshold for risk in risks)
    assert close(marketer["rows"], sum((Fraction(f, everyone[key]) for key, f in sample.items()), Fraction()))
    assert close(marketer["average"], Fraction(1, n) * sum(Fraction(f, everyone[key]) for key, f in sample.items()))
    assert data["before"]["unique"]["in_population"] == sum(risk == 1 for risk in risks)
    assert data["population"]["rows"] == len(persons)
    assert data["population"]["combinations"] == len(everyone)
    assert data["population"]["unique"] == sum(size == 1 for size in everyone.values())


def simple(folder: Path, rows: Sequence[Row], name: str = "t.csv") -> Json:
    write(folder / name, ["a", "b"], rows)
    return {
        "source": str(folder / name),
        "target": str(folder / "none.csv"),
        "quasi_identifiers": ["a", "b"],
        "privacy": {"k": 1},
    }


def test_a_population_that_lacks_persons_is_refused_with_counts(tmp_path: Path) -> None:
    config = simple(tmp_path, [("x", "1")] * 3 + [("y", "2")] * 2 + [("z", None)])
    write(tmp_path / "p.csv", ["a", "b"], [("x", "1"), ("x", "1"), ("z", None), ("y", "3")])
    with pytest.raises(EngineError) as raised:
        kanon_sql.risk(config, population=tmp_path / "p.csv")
    assert raised.value.exit_status == 3
    assert len(raised.value.problems) == 1
    assert "1 classes (2 rows)" in str(raised.value) and "1 classes (3 rows) hold more" in str(raised.value)


def test_types_of_the_population_are_fitted_to_the_table(tmp_path: Path) -> None:
    with attached() as connection:
        connection.execute("CREATE TABLE t (age INTEGER, born DATE)")
        connection.execute("INSERT INTO t VALUES (34, '1990-01-02'), (NULL, '1990-01-02')")
        connection.table("t").write_parquet(str(tmp_path / "t.parquet"))
    config = {
        "source": str(tmp_path / "t.parquet"),
        "target": "none.csv",
        "quasi_identifiers": ["age", "born"],
        "privacy": {"k": 1},
    }
    rows: list[Row] = [("034", "1990-01-02"), ("34", "1990-01-02"), (None, "1990-01-02"), ("7", "1990-01-02")]
    write(tmp_path / "p.csv", ["age", "born"], rows)
    data = kanon_sql.risk(config, population=tmp_path / "p.csv")
    assert data["before"]["journalist"]["highest"] == 1
    assert data["before"]["journalist"]["average"] == 0.75
    write(tmp_path / "p.csv", ["age", "born"], [*rows, ("old", "1990-01-02"), ("young", "1990-01-02")])
    with pytest.raises(EngineError, match=r"'age' holds 2 distinct values that are no INTEGER"):
        kanon_sql.risk(config, population=tmp_path / "p.csv")


def test_columns_that_the_population_lacks(tmp_path: Path) -> None:
    config = simple(tmp_path, [("x", "1")])
    write(tmp_path / "p.csv", ["a", "c"], [("x", "1")])
    with pytest.raises(ConfigurationError, match="there is no column 'b'"):
        kanon_sql.risk(config, population=tmp_path / "p.csv")


def test_missing_texts_and_rows(tmp_path: Path) -> None:
    config = simple(tmp_path, [("?", "1"), (None, "1"), ("x", "?"), ("x", "2")])
    config["source"] = {"path": config["source"], "missing": ["?", ""]}
    before = kanon_sql.risk(config)["before"]
    assert (before["classes"]["count"], before["unique"]["rows"]) == (3, 2)
    before = kanon_sql.risk(config, overrides=[("missing", "drop")])["before"]
    assert before["rows"] == {"source": 4, "missing": 3, "measured": 1}
    assert before["subsets"]["listed"][0]["separation"] is None


def test_a_table_without_rows(tmp_path: Path) -> None:
    with pytest.raises(NoReleaseError, match="has no row; there is no risk to measure"):
        kanon_sql.risk(simple(tmp_path, []))
    config = simple(tmp_path, [(None, "1")])
    with pytest.raises(NoReleaseError, match="no row left without missing values"):
        kanon_sql.risk(config, overrides=[("missing", "drop")])


def test_identifiers_are_not_among_all_columns(tmp_path: Path) -> None:
    config = {**simple(tmp_path, [("x", "1"), ("y", "2")]), "quasi_identifiers": ["a"], "identifiers": ["b"]}
    assert kanon_sql.risk(config, all_columns=True)["before"]["subsets"]["columns"] == ["a"]


def test_values_are_shown_only_where_they_may_be(tmp_path: Path) -> None:
    config = simple(tmp_path, [("secret", "1"), ("y", None), ("y", None)])
    shown = kanon_sql.risk(config, options=EngineOptions(show_values=True))["before"]["exposed"]
    assert shown == [
        {"rows": 1, "values": {"a": "secret", "b": "1"}},
        {"rows": 2, "values": {"a": "y", "b": None}},
    ]
    assert "secret" not in str(kanon_sql.risk(config))


def test_the_number_of_subsets_is_bounded(tmp_path: Path) -> None:
    assert [subset_size(columns, None, "t") for columns in (1, 3, 31, 32, 99, 100)] == [1, 3, 3, 2, 2, 1]
    assert subset_size(12, 12, "t") == 12
    with pytest.raises(ConfigurationError, match=r"13 columns of t have 8,191 subsets of up to 13"):
        subset_size(13, 20, "t")
    assert MOST_SUBSETS == 5000
    names = [f"c{i}" for i in range(40)]
    write(tmp_path / "wide.csv", names, [tuple("x" for _ in names), tuple("y" for _ in names)])
    config = {"source": str(tmp_path / "wide.csv"), "quasi_identifiers": names, "privacy": {"k": 1}}
    data = kanon_sql.risk(config)
    assert data["before"]["subsets"]["largest"] == 2
    assert len(data["before"]["subsets"]["listed"]) == 40 + 40 * 39 // 2
    assert "only subsets of up to 2" in data["warnings"][0]


def test_time_runs_out_for_subsets_alone(tmp_path: Path) -> None:
    data = kanon_sql.risk(simple(tmp_path, [("x", "1"), ("y", "2")]), time_limit=0)
    assert data["before"]["prosecutor"]["highest"] == 1
    assert data["before"]["subsets"]["count"] == 3 and data["before"]["subsets"]["counted"] == 0
    assert "0 of 3 subsets" in data["warnings"][0]
    assert Deadline(0).passed()


def test_requests_that_make_no_sense(tmp_path: Path) -> None:
    config = simple(tmp_path, [("x", "1")])
    loaded = from_mapping(config)
    with pytest.raises(ConfigurationError) as raised:
        kanon_sql.risk(loaded, threshold=1.5, subsets=-1, plot=tmp_path / "r.pdf")
    assert len(raised.value.problems) == 3
    with pytest.raises(ConfigurationError, match="it would replace"):
        kanon_sql.risk(loaded, report=tmp_path / "t.csv")
    with pytest.raises(EngineError, match="its folder does not exist"):
        kanon_sql.risk(loaded, report=tmp_path / "nowhere" / "r.json")


def test_ranges_of_the_histogram_meet() -> None:
    assert size_bounds(1) == [(1, 1)]
    assert size_bounds(10)[:5] == [(1, 1), (2, 2), (3, 4), (5, 9), (10, 19)]
    for largest in (2, 9, 99, 100, 123_456):
        bounds = size_bounds(largest)
        assert bounds[-1][0] <= largest <= bounds[-1][1]
        assert all(high + 1 == low for (_, high), (low, _) in itertools.pairwise(bounds))


def test_tables_of_a_database(tmp_path: Path) -> None:
    name = 'a"b; drop'
    with attached(tmp_path / "w.duckdb") as connection:
        connection.execute(f"CREATE TABLE t ({quoted(name)} INTEGER, kept TEXT)")
        connection.execute("INSERT INTO t VALUES (1, 'x'), (1, 'x'), (2, NULL)")
    config = {
        "source": {"database": str(tmp_path / "w.duckdb"), "table": "t"},
        "quasi_identifiers": [name],
        "privacy": {"k": 1},
    }
    data = kanon_sql.risk(config, all_columns=True)
    expect(data["before"], [("1", "x"), ("1", "x"), ("2", None)], [name, "kept"], 1, 0.2, 2)
