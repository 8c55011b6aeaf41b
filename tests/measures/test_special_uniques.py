"""Special uniques: minimal sample uniques and their scores against plain loops over all subsets of the columns."""

from __future__ import annotations

import itertools
import statistics
from collections import Counter, defaultdict
from collections.abc import Sequence
from math import prod
from pathlib import Path
from typing import Any

import pytest
from effort import tries
from hypothesis import given, settings
from hypothesis import strategies as st
from shared_engine import shared
from table_files import write_csv

import kanon_sql
from kanon_sql.errors import ConfigurationError
from kanon_sql.measures.risk import special_uniques
from kanon_sql.measures.risk.special_uniques import SpecialAsked, measure_special, special_size, weight
from kanon_sql.measures.risk.table import RiskTable, value_name
from kanon_sql.progress import Progress
from kanon_sql.source.model import Column
from kanon_sql.sql import tables
from kanon_sql.sql.connection import EngineOptions, open_engine
from kanon_sql.sql.deadline import Deadline

Json = Any
Row = tuple[str | None, ...]


def uniques_of(rows: Sequence[Row], persons: Sequence[str | None], largest: int) -> list[set[tuple[int, ...]]]:
    """Of each row the subsets of columns that are minimal uniques of its person."""
    width = len(rows[0])
    unique_sets: list[set[tuple[int, ...]]] = [set() for _ in rows]
    for size in range(1, min(largest, width) + 1):
        for subset in itertools.combinations(range(width), size):
            holders = defaultdict(set)
            for row, person in zip(rows, persons, strict=True):
                holders[tuple(row[i] for i in subset)].add(person)
            for row, uniques in zip(rows, unique_sets, strict=True):
                alone = len(holders[tuple(row[i] for i in subset)]) == 1
                if alone and not any(set(smaller) < set(subset) for smaller in uniques):
                    uniques.add(subset)
    return unique_sets


def expected(rows: Sequence[Row], persons: Sequence[str | None], names: Sequence[str], largest: int) -> Json:
    """What the report says of the special uniques, from the definitions."""
    width, n = len(names), len(rows)
    largest = min(largest, width)
    uniques = uniques_of(rows, persons, largest)
    weights = {size: prod(width - i for i in range(size, min(largest, width - 1) + 1)) for size in range(1, width + 1)}
    of_class = {row: sum(weights[len(unique)] for unique in of_row) for row, of_row in zip(rows, uniques, strict=True)}
    scores = sorted(score for score in of_class.values() if score)
    combos = {
        (unique, tuple(row[i] for i in unique)) for row, of_row in zip(rows, uniques, strict=True) for unique in of_row
    }
    by_class = dict(zip(rows, uniques, strict=True))
    added = [
        sum(weights[len(unique)] for of_class in by_class.values() for unique in of_class if i in unique)
        for i in range(width)
    ]
    special_rows = sum(bool(of_row) for of_row in uniques)
    return {
        "size": largest,
        "rows": special_rows,
        "share": pytest.approx(special_rows / n),
        "msus": {str(size): sum(len(unique) == size for unique, _ in combos) for size in range(1, largest + 1)},
        "columns": {name: pytest.approx(score / (sum(scores) or 1)) for name, score in zip(names, added, strict=True)},
        "scores": {
            "min": scores[0],
            "mean": pytest.approx(sum(scores) / len(scores)),
            "median": statistics.median_low(scores),
            "p95": scores[-(-len(scores) * 95 // 100) - 1],
            "max": scores[-1],
        }
        if scores
        else None,
    }


VALUES = [None, "a", "b", "A", "02", "2", "*", "NULL"]


@st.composite
def random_tables(draw: st.DrawFn) -> tuple[list[str], list[Row], list[str | None]]:
    """(names, rows, the person of each row)."""
    names = [f"c{i}" for i in range(draw(st.integers(1, 5)))]
    values = st.sampled_from(VALUES[: draw(st.integers(1, len(VALUES)))])
    rows = draw(st.lists(st.tuples(*(values for _ in names)), min_size=1, max_size=14))
    persons = draw(st.lists(st.sampled_from([None, "p", "q", "r", "s"]), min_size=len(rows), max_size=len(rows)))
    return names, rows, persons


def measured(folder: Path, names: Sequence[str], rows: Sequence[Row], **options: Any) -> Json:
    path = folder / "t.csv"
    write_csv(path, [names, *(["" if value is None else value for value in row] for row in rows)], quote=True)
    config = {"source": str(path), "target": str(folder / "none.csv"), "privacy": {"k": 1}}
    config["quasi_identifiers"] = [name for name in names if name != "person"]
    if "person" in names:
        config["privacy"] = {"k": 1, "entity": "person"}
    data: Json = kanon_sql.risk(config, subsets=0, **options)
    return data


@pytest.mark.slow
@settings(max_examples=tries(50))
@given(table=random_tables(), largest=st.integers(1, 5), by_entity=st.booleans())
def test_minimal_uniques_are_those_of_the_definition(
    folder: Path, table: tuple[list[str], list[Row], list[str | None]], largest: int, by_entity: bool
) -> None:
    names, rows, persons = table
    if by_entity:
        held = [(person, *row) for person, row in zip(persons, rows, strict=True)]
        data = measured(folder, ["person", *names], held, special_uniques=largest)
    else:
        data = measured(folder, names, rows, special_uniques=largest)
    holders = persons if by_entity else [str(i) for i in range(len(rows))]
    special, wanted = data["before"]["special_uniques"], expected(rows, holders, names, largest)
    assert {key: special[key] for key in wanted} == wanted
    alone = {person for person, of_row in zip(holders, uniques_of(rows, holders, largest), strict=True) if of_row}
    assert special["entities"] == (len(alone) if by_entity else None)
    assert special["sets"]["counted"] == special["sets"]["count"]
    assert (special["dis"], special["values"]) == (None, None)


def test_a_table_whose_shares_are_known(tmp_path: Path) -> None:
    """The shares that sdcMicro's own tests expect of this table: 50, 37.5 and 37.5 %."""
    rows = [("2", "0", "0"), ("1", "3", "6"), ("1", "0", "0")]
    special = measured(tmp_path, ["a", "b", "c"], rows, special_uniques=3)["before"]["special_uniques"]
    assert special["columns"] == {"a": 0.5, "b": 0.375, "c": 0.375}
    assert special["msus"] == {"1": 3, "2": 2, "3": 0}


def by_hand(rows: Sequence[Row], fraction: float | None = None, *, show: bool = False) -> Json:
    """The report's part for rows that are put into the engine as they are."""
    with open_engine(EngineOptions(show_values=show)) as engine:
        width = len(rows[0])
        engine.run(tables.empty("t", {**{value_name(i): "VARCHAR" for i in range(width)}, "row_count": "BIGINT"}))
        for row in set(rows):
            values = {f"p{i}": value for i, value in enumerate((*row, rows.count(row)))}
            engine.run(f"INSERT INTO t VALUES ({', '.join('$' + name for name in values)})", values)
        columns = tuple(Column(f"c{i}", f"c{i}", "VARCHAR") for i in range(width))
        table = RiskTable("t", len(rows), len(rows), columns, columns, "t", "t")
        return measure_special(engine, table, SpecialAsked(width, fraction, 0.2), Deadline(), Progress())


ROWS: list[Row] = [
    *([("f", "north", "low", "yes"), ("m", "south", "high", "no")] * 3),
    *([("f", "south", "low", "no")] * 2),
    ("f", "north", "high", "yes"),
    ("m", "north", "low", "no"),
    ("m", "south", "mid", "yes"),
]


def test_what_is_found_is_the_same_when_it_is_added_up_in_between(monkeypatch: pytest.MonkeyPatch) -> None:
    at_once = by_hand(ROWS, 0.1)
    monkeypatch.setattr(special_uniques, "_MOST_PENDING", 0)
    monkeypatch.setattr(special_uniques, "_WORD", 3)
    assert by_hand(ROWS, 0.1) == at_once


def test_probabilities_of_a_right_match() -> None:
    special = by_hand(ROWS, 0.1)
    scores = [
        sum(weight(4, 4, len(unique)) for unique in uniques)
        for uniques in uniques_of(ROWS, [str(i) for i in range(len(ROWS))], 4)
    ]
    scores = [score for score in scores if score]
    dis = special["dis"]
    assert (dis["fraction"], dis["unique"], dis["pairs"]) == (0.1, 3, 1)
    assert dis["probability"] == pytest.approx(3 * 0.1 / (3 * 0.1 + 2 * 0.9))
    q = 1 + (8 - 4) / 20
    inverse = sum(score**-q for score in scores)
    chances = sorted(
        1 / (1 + (len(scores) / dis["probability"] - len(scores)) / (score**q * inverse)) for score in scores
    )
    assert dis["mean"] == pytest.approx(statistics.mean(chances))
    assert (dis["median"], dis["max"]) == (pytest.approx(chances[1]), pytest.approx(chances[-1]))
    assert dis["above"] == sum(chance > 0.2 for chance in chances)
    assert statistics.harmonic_mean(chances) == pytest.approx(dis["probability"])


def test_the_fraction_is_that_of_the_rows(tmp_path: Path) -> None:
    data = measured(tmp_path, ["a", "b", "c", "d"], ROWS, special_uniques=4, sampling_fraction=0.1)
    assert data["before"]["special_uniques"]["dis"] == pytest.approx(by_hand(ROWS, 0.1)["dis"])
    at_most = measured(tmp_path, ["a", "b", "c", "d"], ROWS, special_uniques=4, population_size=len(ROWS))
    assert at_most["before"]["special_uniques"]["dis"]["probability"] == 1


def test_values_are_shown_only_where_they_may_be() -> None:
    assert by_hand(ROWS)["values"] is None
    shown = by_hand(ROWS, show=True)
    assert all(sum(entry["share"] for entry in values) == pytest.approx(1) for values in shown["values"].values())
    added: Counter[str | None] = Counter()
    for row, uniques in zip(ROWS, uniques_of(ROWS, [str(i) for i in range(len(ROWS))], 4), strict=True):
        added[row[2]] += sum(int(weight(4, 4, len(unique))) for unique in uniques if 2 in unique)
    assert {entry["value"]: entry["share"] for entry in shown["values"]["c2"]} == {
        value: pytest.approx(score / sum(added.values())) for value, score in added.items() if score
    }
    assert "north" not in str(by_hand(ROWS))


def test_scores_of_rows_are_written_where_values_may_be_shown(tmp_path: Path) -> None:
    names, shown = ["a", "Rows", "c", "d"], EngineOptions(show_values=True)
    file = tmp_path / "scores.parquet"
    file.write_text("older")
    options = {"special_uniques": 3, "sampling_fraction": 0.1, "scores": file}
    with pytest.raises(ConfigurationError, match="expected --show-values beside it"):
        measured(tmp_path, names, ROWS, **options)
    assert file.read_text() == "older"
    dis = measured(tmp_path, names, ROWS, options=shown, **options)["before"]["special_uniques"]["dis"]
    uniques = uniques_of(ROWS, [str(i) for i in range(len(ROWS))], 3)
    wanted = {
        row: (1, sum(weight(4, 3, len(unique)) for unique in of_row))
        for row, of_row in zip(ROWS, uniques, strict=True)
        if of_row
    }
    with shared() as connection:
        scores = connection.read_parquet(str(file))
        assert scores.columns == [*names, "rows_", "suda_score", "dis_suda_score"]
        rows = scores.fetchall()
    assert {row[:4]: row[4:6] for row in rows} == wanted
    assert [row[5] for row in rows] == sorted((row[5] for row in rows), reverse=True)
    assert statistics.mean(row[6] for row in rows) == pytest.approx(dis["mean"])
    measured(tmp_path, names, ROWS, options=shown, special_uniques=3, scores=tmp_path / "scores.csv")
    lines = (tmp_path / "scores.csv").read_text().splitlines()
    assert len(lines) == 1 + len(wanted) and lines[1].endswith(",")
    for more in ({"scores": tmp_path / "t.csv"}, {"scores": tmp_path / "scores.xyz"}):
        with pytest.raises(ConfigurationError, match="--scores"):
            measured(tmp_path, names, ROWS, options=shown, special_uniques=3, **more)
    with pytest.raises(ConfigurationError, match="expected --special-uniques beside it"):
        measured(tmp_path, names, ROWS, options=shown, scores=file)


def test_requests_that_make_no_sense(tmp_path: Path) -> None:
    assert [special_size(columns, 3, "t") for columns in (2, 30)] == [2, 3]
    with pytest.raises(ConfigurationError, match=r"13 columns of t have 8,191 subsets of up to 13"):
        special_size(13, 20, "t")
    with pytest.raises(ConfigurationError, match="--special-uniques 0: expected a number of columns, 1 or more"):
        measured(tmp_path, ["a"], [("x",)], special_uniques=0)


def test_time_runs_out(tmp_path: Path) -> None:
    data = measured(tmp_path, ["a", "b"], [("x", "1"), ("y", "2")], special_uniques=2, time_limit=0)
    special = data["before"]["special_uniques"]
    assert (special["sets"], special["rows"], special["scores"]) == ({"count": 3, "counted": 0}, 0, None)
    assert "0 of 3 subsets" in data["warnings"][-1]


def test_a_release_is_looked_at_by_rows(tmp_path: Path) -> None:
    """The entities of a release are not known: it does not have their column."""
    names, rows = ["person", "a"], [("p", "x"), ("p", "x"), ("q", "y"), ("r", "y")]
    write_csv(tmp_path / "none.csv", [["a"], ["x"], ["y"], ["y"]])
    data = measured(tmp_path, names, rows, special_uniques=1)
    assert (data["before"]["special_uniques"]["rows"], data["before"]["special_uniques"]["entities"]) == (2, 1)
    assert (data["after"]["special_uniques"]["rows"], data["after"]["special_uniques"]["entities"]) == (1, None)
