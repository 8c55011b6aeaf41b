"""Utility of releases of every kind, compared with brute force in plain Python."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from effort import tries
from hypothesis import given, settings
from hypothesis import strategies as st
from reference_utility import Both, Row, Value
from table_files import read_csv, write_csv

import kanon_sql
from kanon_sql.errors import ConfigurationError, EngineError, NoReleaseError
from kanon_sql.measures.utility import counting_queries

Json = dict[str, Any]

AGES = [str(age) for age in range(8)]
ZIPS = ["A213", "A214", "A223", "B001", "B002"]
JOBS = {"smith": "craft", "baker": "craft", "clerk": "office", "judge": "office", "craft": "office"}
BORN = ["2001-03-05", "2001-11-30", "2002-01-01", "2013-07-09"]
# Where no hierarchy is: what makes ranges and sets. The level of a label is then of no meaning.
WITHOUT: dict[str, Any] = {"age": {}, "zip": {"type": "text"}, "job": {}, "born": {}}
WITH: dict[str, Any] = {
    "age": {"builtin": "intervals", "widths": [2, 4]},
    "zip": {"builtin": "prefix", "keep": [2, 1]},
    "job": "jobs.csv",
    "born": {"builtin": "date", "levels": ["month", "year", "decade"]},
}


def level_words() -> dict[str, dict[str, list[str]]]:
    """What each value becomes at each level, from the value itself upwards; * is the top of all."""

    def interval(age: int, width: int) -> str:
        low = age // width * width
        return f"{low}-{low + width - 1}"

    return {
        "age": {age: [age, interval(int(age), 2), interval(int(age), 4)] for age in AGES},
        "zip": {code: [code, code[:2] + "**", code[:1] + "***"] for code in ZIPS},
        "job": {job: [job, group] for job, group in JOBS.items()},
        "born": {day: [day, day[:7], day[:4], f"{day[:3]}0-{day[:3]}9"] for day in BORN},
    }


def below_levels(words: Mapping[str, list[str]], labels: set[Value], domain: set[Value]) -> dict[Value, list[Value]]:
    """What labels of a hierarchy stand for: all at the lowest level that knows them, else each at the highest."""
    top = max(map(len, words.values()))
    labels_at = [{words[v][level] for v in domain if v is not None} for level in range(top)]
    plain = {label for label in labels if label not in (None, "*")}
    common = next((level for level in range(top) if plain <= labels_at[level]), None)
    leaves_of: dict[Value, list[Value]] = {}
    for label in plain:
        level = common if common is not None else max(level for level in range(top) if label in labels_at[level])
        leaves_of[label] = [v for v in domain if v is not None and words[v][level] == label]
    return leaves_of


def within(label: str, domain: set[Value]) -> list[Value]:
    """What a range or a set stands for."""
    bare = label.removesuffix(" or missing")
    missing: list[Value] = [None] if bare != label and None in domain else []
    values = sorted(v for v in domain if v is not None)
    if bare in values:
        return [bare, *missing]
    if bare.startswith("{"):
        return [v for v in values if v in bare[1:-1].split(", ")] + missing
    dates = re.fullmatch(r"(\d{4}-\d\d-\d\d)/(\d{4}-\d\d-\d\d)", bare)
    if dates:
        return [v for v in values if dates[1] <= v <= dates[2]] + missing
    low, high = map(float, bare.split("-"))
    return [v for v in values if low <= float(v) <= high] + missing


def both_of(source: Sequence[Row], release: Sequence[Row], quasi: Mapping[str, Any], others: Sequence[str]) -> Both:
    """Both tables with what the labels stand for, read from the definitions in docs/utility.md."""
    stands: dict[str, dict[Value, list[Value]]] = {}
    for name in [*quasi, *others]:
        domain = {row[name] for row in source}
        labels = {row[name] for row in release}
        stands[name] = {label: [label] for label in labels}
        if name not in quasi:
            continue
        if quasi[name] == WITH[name]:
            stands[name] |= below_levels(level_words()[name], labels, domain)
        else:
            stands[name] |= {label: within(label, domain) for label in labels if label not in (None, "*")}
        if "*" in labels:
            stands[name]["*"] = list(domain)
    return Both(source, release, stands, frozenset({"age", "born", "score"} & stands.keys()))


def as_numbers(both: Both) -> Both:
    """Dates as the number of their days."""

    def days(value: Value) -> Value:
        return (
            value
            if value is None or not re.fullmatch(r"\d{4}-\d\d-\d\d", value)
            else str(date.fromisoformat(value).toordinal())
        )

    def row(record: Row) -> Row:
        return {**record, "born": days(record["born"])}

    below = both.stands["born"]
    # Labels stay as they are, but for those that are a day.
    stands = {**both.stands, "born": {days(label): [days(v) for v in values] for label, values in below.items()}}
    return Both([row(record) for record in both.source], [row(record) for record in both.release], stands, both.numbers)


@st.composite
def tables(draw: st.DrawFn) -> list[Row]:
    cells = {
        "age": st.sampled_from([*AGES, *AGES, None]),
        "zip": st.sampled_from([*ZIPS, *ZIPS, None]),
        "job": st.sampled_from([*JOBS, None]),
        "born": st.sampled_from([*BORN, *BORN, None]),
        "ill": st.sampled_from(["flu", "cold", "*", None]),
        "score": st.sampled_from(["1", "2.5", "10", None]),
    }
    return draw(st.lists(st.fixed_dictionaries(cells), min_size=2, max_size=25))


def make(folder: Path, rows: Sequence[Row], quasi: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """Writes the tables; a configuration for them."""
    names = list(rows[0])
    write_csv(folder / "source.csv", [names, *([row[name] for name in names] for row in rows)])
    write_csv(folder / "jobs.csv", [[job, group, "*"] for job, group in JOBS.items()])
    quasi = {name: str(folder / "jobs.csv") if spec == "jobs.csv" else spec for name, spec in quasi.items()}
    return {
        "source": str(folder / "source.csv"),
        "target": {"path": str(folder / "out.csv"), "overwrite": True},
        "quasi_identifiers": quasi,
        "sensitive": ["ill"],
        "insensitive": [name for name in names if name not in (*quasi, "ill")],
        "privacy": {"k": 2},
        **more,
    }


def release_of(config: dict[str, Any], folder: Path) -> list[Row] | None:
    try:
        kanon_sql.run(config)
    except NoReleaseError:
        return None
    return list(read_csv(folder / "out.csv"))


def compare(measured: Json, both: Both) -> None:
    """The distances of all columns and the associations of all pairs."""
    for name, figures in measured["columns"].items():
        assert figures["total_variation"] == pytest.approx(both.total_variation(name), abs=1e-9), name
        assert figures["earth_mover"] == pytest.approx(both.earth_mover(name), abs=1e-9), name
    for pair in measured["pairs"]:
        before, after = both.association(*pair["columns"])
        assert pair["source"] == pytest.approx(before, abs=1e-6), pair
        assert pair["release"] == pytest.approx(after, abs=1e-6), pair


@pytest.mark.slow
@settings(max_examples=tries(60))
@given(rows=tables(), data=st.data())
def test_columns_and_pairs_are_those_of_brute_force(folder: Path, rows: list[Row], data: st.DataObject) -> None:
    algorithm = data.draw(st.sampled_from(["optimal", "mondrian", "local"]))
    names = data.draw(st.lists(st.sampled_from(list(WITH)), min_size=1, max_size=3, unique=True))
    free = algorithm != "optimal" and data.draw(st.booleans())
    quasi = {name: WITHOUT[name] if free else WITH[name] for name in names}
    masks = algorithm == "optimal" and data.draw(st.booleans())
    more: dict[str, Any] = {"algorithm": algorithm, "release": {"suppressed": "mask" if masks else "drop"}}
    if algorithm == "optimal":
        more["suppression"] = {"limit": data.draw(st.integers(0, 5))}
    config = make(folder, rows, quasi, **more)
    released = release_of(config, folder)
    if released is None:
        return
    measured = kanon_sql.utility(config)
    others = [name for name in rows[0] if name not in quasi]
    compare(measured, as_numbers(both_of(rows, released, quasi, others)))
    assert set(measured["columns"]) == set(rows[0])
    assert len(measured["pairs"]) == 15


@pytest.mark.slow
@settings(max_examples=tries(20))
@given(rows=tables())
def test_queries_are_answered_as_by_brute_force(folder: Path, rows: list[Row]) -> None:
    quasi = {name: WITH[name] for name in ("age", "job")}
    config = make(folder, rows, quasi)
    released = release_of(config, folder)
    if released is None:
        return
    drawn_queries: list[tuple[tuple[tuple[str, int], ...], Json]] = []
    drawn = counting_queries.draw_bins

    def noted(sets: Any, bins: Any) -> Any:
        listed_bins = drawn(sets, bins)
        drawn_queries.append(
            (
                tuple((dimension.name, dimension.column.index) for drawn_set in sets for dimension in drawn_set),
                listed_bins,
            )
        )
        return listed_bins

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting_queries, "draw_bins", noted)
        answered = kanon_sql.utility(config)["queries"]
    if answered is None:
        assert not drawn_queries
        return
    both = as_numbers(both_of(rows, released, quasi, [name for name in rows[0] if name not in quasi]))
    names = {index: name for name, index in drawn_queries[0][0]}
    domains = {name: both.domain(name) for name in rows[0]}
    queries: dict[tuple[int, int], dict[str, set[Value]]] = {}
    listed = drawn_queries[0][1]
    for number, index, query, bin_ in zip(
        *(listed[key] for key in ("sets", "columns", "queries", "bins")), strict=True
    ):
        taken = queries.setdefault((number, query), {})
        taken.setdefault(names[index], set()).add(domains[names[index]][bin_])
    assert answered["count"] == len(queries)
    bound = 0.001 * len(rows)
    answers = [both.answers(taken) for taken in queries.values()]
    errors = sorted(abs(after - before) / max(before, bound) for before, after in answers)
    middle = (len(errors) - 1) / 2
    median = (errors[int(middle)] + errors[-int(-middle // 1)]) / 2
    assert answered["median_relative_error"] == pytest.approx(median, rel=1e-6, abs=1e-9)


@pytest.mark.slow
@settings(max_examples=tries(10))
@given(rows=tables())
def test_a_release_that_changes_nothing_is_as_good_as_the_source(folder: Path, rows: list[Row]) -> None:
    config = make(folder, rows, {key: {"builtin": "suppress"} for key in ("age", "job")}, privacy={"k": 1})
    assert release_of(config, folder) is not None
    measured = kanon_sql.utility(config)
    assert all(figures["total_variation"] == 0 for figures in measured["columns"].values())
    assert all(figures["earth_mover"] in (0, None) for figures in measured["columns"].values())
    assert all(pair["source"] == pytest.approx(pair["release"], abs=1e-9) for pair in measured["pairs"])
    assert measured["pmse"] in (None, pytest.approx(0, abs=1e-9))
    if measured["queries"]:
        assert measured["queries"]["p95_relative_error"] == pytest.approx(0, abs=1e-9)


@pytest.mark.slow
def test_a_release_of_stars_alone_knows_nothing(folder: Path) -> None:
    rows: list[Row] = [
        {"age": age, "job": job, "ill": "flu" if job == "judge" else "cold", "score": age}
        for age, job in zip(AGES * 5, ["smith", "judge", "judge", "clerk", "judge"] * 8, strict=True)
    ]
    config = make(folder, rows, {key: {"builtin": "suppress"} for key in ("age", "job")}, privacy={"k": 40})
    assert release_of(config, folder) is not None
    measured = kanon_sql.utility(config)
    pairs = {tuple(pair["columns"]): pair for pair in measured["pairs"]}
    assert pairs["job", "ill"]["source"] == pytest.approx(1)
    assert pairs["age", "score"]["source"] == pytest.approx(1)
    hidden = [pair["release"] for names, pair in pairs.items() if {"age", "job"} & set(names)]
    assert hidden == pytest.approx([0.0] * len(hidden))
    assert measured["columns"]["age"]["total_variation"] == pytest.approx(0)  # as often as one another
    assert measured["columns"]["job"]["total_variation"] == pytest.approx(3 / 5 - 1 / 3)
    assert measured["queries"]["p95_relative_error"] > 0.1
    assert measured["pmse"] > 0.001


def test_what_cannot_be_compared_is_refused(folder: Path) -> None:
    rows: list[Row] = [{"age": "1", "job": "smith", "ill": "flu", "score": "1"}] * 5
    config = make(folder, rows, {"age": WITH["age"], "job": WITH["job"]})
    (folder / "out.csv").unlink(missing_ok=True)
    with pytest.raises(EngineError, match="there is no release yet"):
        kanon_sql.utility(config)
    with pytest.raises(ConfigurationError, match="in place"):
        kanon_sql.utility({**config, "target": "in-place"})
    with pytest.raises(ConfigurationError, match="no target"):
        kanon_sql.utility({name: value for name, value in config.items() if name != "target"})
    write_csv(folder / "out.csv", [["age", "ill"], ["1", "flu"]])
    with pytest.raises(ConfigurationError, match="'job'"):
        kanon_sql.utility(config)


def test_time_that_runs_out_is_told(folder: Path) -> None:
    rows: list[Row] = [{"age": "1", "job": "smith", "ill": "flu", "score": "1"}] * 5
    config = make(folder, rows, {"age": WITH["age"], "job": WITH["job"]})
    assert release_of(config, folder) is not None
    measured = kanon_sql.utility(config, time_limit=0)
    assert measured["columns"] == {} and measured["queries"] is None and measured["pmse"] is None
    assert any("time ran out" in warning for warning in measured["warnings"])
