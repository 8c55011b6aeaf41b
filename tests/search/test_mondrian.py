"""Mondrian against the plain reference: small random tables of every kind of column."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from mondrian_tables import (
    Json,
    Table,
    column,
    examples,
    tables,
)
from reference_mondrian import Cell, Codes, Ordered, Partition, Row, Words

import kanon_sql
from kanon_sql.errors import NoReleaseError


def classes_of(table: Table, labels: Mapping[str, tuple[Cell, ...]]) -> dict[tuple[Cell, ...], Partition]:
    """The source's tuples under each released tuple of labels."""
    by_labels: defaultdict[tuple[Cell, ...], Partition] = defaultdict(Counter)
    codes = table.codes()
    assert labels.keys() == codes.keys()
    for number, label in labels.items():
        by_labels[label][codes[number]] += 1
    return dict(by_labels)


def check_report(table: Table, report: Json, partitions: Sequence[Partition], classes: Sequence[Partition]) -> None:
    """Counts and losses; `partitions` are those that the losses are of."""
    n = len(table.rows)
    sizes = sorted(map(Counter.total, classes))
    assert report["status"] == "released"
    assert report["rows"] == {"source": n, "missing": 0, "suppressed": 0, "masked": 0, "released": n}
    assert report["classes"]["count"] == len(sizes)
    assert (report["classes"]["min"], report["classes"]["max"]) == (sizes[0], sizes[-1])
    assert report["privacy"]["k"] == {"required": table.k, "actual": sizes[0]}
    assert sizes[0] >= table.k
    losses = table.problem.losses(partitions)
    reported_losses = {column: report["loss"]["attributes"][column] for column in losses}
    assert reported_losses == pytest.approx({column: float(loss) for column, loss in losses.items()}, abs=1e-9)
    assert report["loss"]["lm"] == pytest.approx(float(sum(losses.values())), abs=1e-9)
    assert report["loss"]["ncp"] == pytest.approx(table.problem.ncp(partitions), abs=1e-7)
    assert report["loss"]["c_avg"] == pytest.approx(n / len(sizes) / table.k)
    assert report["loss"]["discernibility"] == sum(size * size for size in sizes)


@pytest.mark.slow
@examples(70)
@given(tables(), st.sampled_from(["strict", "strict-le", "relaxed"]))
def test_the_widest_dimension_is_cut_as_by_the_reference(folder: Path, table: Table, cut: str) -> None:
    """Every row has the label of the reference's partition, or as many rows of each tuple have where it is shared."""
    assume(len(table.rows) >= table.k)
    report = kanon_sql.run(table.config(folder, cut=cut, dimension="widest", seed=1)).report
    final = table.problem.partitions(cut)
    partitions = [partition for partition, _ in final]
    expected: Counter[tuple[Codes, tuple[Cell, ...]]] = Counter()
    for partition in partitions:
        label = table.problem.label(partition)
        expected.update({(codes, label): count for codes, count in partition.items()})
    labels, codes = table.labels(folder), table.codes()
    assert Counter((codes[number], label) for number, label in labels.items()) == expected
    check_report(table, report, partitions, list(classes_of(table, labels).values()))
    assert report["solution"] == {"partitions": len(final), "depth": max(depth for _, depth in final)}
    assert report["algorithm"] == {"name": "mondrian", "cut": cut, "dimension": "widest", "seed": 1}


@pytest.mark.slow
@examples(70)
@given(tables(ambiguous=False), st.sampled_from(["loss", "random"]), st.integers(0, 3))
def test_strict_cuts_leave_nothing_that_can_be_cut(folder: Path, table: Table, dimension: str, seed: int) -> None:
    """What holds of every strict release, whichever of several cuts it took."""
    assume(len(table.rows) >= table.k)
    report = kanon_sql.run(table.config(folder, dimension=dimension, seed=seed)).report
    classes = classes_of(table, table.labels(folder))
    for label, rows in classes.items():
        assert table.problem.label(rows) == label
    partitions = list(classes.values())
    check_report(table, report, partitions, partitions)
    count = report["solution"]["partitions"]
    assert count >= len(classes)
    if not table.files:
        assert count == len(classes)
        assert max(map(Counter.total, partitions)) <= table.problem.bound
    if count == len(classes):
        assert not any(table.problem.cuttable(rows, by_leaf=dimension == "loss") for rows in partitions)


@pytest.mark.slow
@examples(50)
@given(tables())
def test_the_cut_of_the_greatest_gain_is_taken(folder: Path, table: Table) -> None:
    """Wherever no two cuts gain the same, the default's partitions are the reference's."""
    assume(len(table.rows) >= table.k)
    partitions = table.problem.by_loss()
    assume(partitions is not None)
    assert partitions is not None
    report = kanon_sql.run(table.config(folder)).report
    labels = table.labels(folder)
    assert Counter(labels.values()) == table.problem.released(partitions)
    check_report(table, report, partitions, list(classes_of(table, labels).values()))
    assert report["solution"]["partitions"] == len(partitions)


@pytest.mark.slow
@examples(20)
@given(tables(ambiguous=False), st.sampled_from(["strict-le", "relaxed"]), st.sampled_from(["loss", "random"]))
def test_other_cuts_release_every_row_in_its_ranges(folder: Path, table: Table, cut: str, dimension: str) -> None:
    assume(len(table.rows) >= table.k)
    report = kanon_sql.run(table.config(folder, cut=cut, dimension=dimension, seed=1)).report
    classes = classes_of(table, table.labels(folder))
    for label, rows in classes.items():
        assert table.problem.label(rows) == label
    check_report(table, report, list(classes.values()), list(classes.values()))
    assert report["solution"]["partitions"] >= len(classes)


@pytest.mark.slow
@examples(10)
@given(tables(), st.sampled_from(["strict", "relaxed"]), st.sampled_from(["loss", "random", "widest"]))
def test_a_seed_repeats_a_run(folder: Path, table: Table, cut: str, dimension: str) -> None:
    assume(len(table.rows) >= table.k)
    config = table.config(folder, cut=cut, dimension=dimension, seed=7)
    first = kanon_sql.run(config).report["solution"], table.labels(folder)
    assert (kanon_sql.run(config).report["solution"], table.labels(folder)) == first


def released(folder: Path, table: Table, **algorithm: Any) -> list[str]:
    """The labels in the order of the source's rows."""
    kanon_sql.run(table.config(folder, **algorithm))
    labels = table.labels(folder)
    return [labels[str(number)][0] or "" for number in range(len(table.rows))]


@pytest.mark.slow
def test_equal_values_stay_together_or_are_shared_out(tmp_path: Path) -> None:
    table = column(["1", "2", "3", "3", "4", "5"], 2)
    for dimension in ("widest", "random", "loss"):
        assert released(tmp_path, table, dimension=dimension) == ["1-2", "1-2", "3", "3", "4-5", "4-5"]
    relaxed = released(tmp_path, table, cut="relaxed", dimension="widest")
    assert relaxed[:2] + relaxed[4:] == ["1-3", "1-3", "3-5", "3-5"]
    assert sorted(relaxed[2:4]) == ["1-3", "3-5"]


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("kind", "values", "labels"),
    [
        ("number", ["-10", "-1", "25", "30"], ["-10--1", "-10--1", "25-30", "25-30"]),
        ("number", ["9", "10", "100", "99"], ["9-10", "9-10", "99-100", "99-100"]),
        ("number", ["1.5", "2.25", "7", "7"], ["1.5-2.25", "1.5-2.25", "7", "7"]),
        ("number", ["", "1", "2", "3"], ["1 or missing", "1 or missing", "2-3", "2-3"]),
        ("number", ["", "", "2", "3"], ["", "", "2-3", "2-3"]),
        ("number", ["", "1", "2", "30", "31", "32"], ["1-2 or missing"] * 3 + ["30-32"] * 3),
        ("date", ["2020-01-01", "2020-03-31", "2021-01-01", "2021-01-01"], ["2020-01-01/2020-03-31"] * 2),
        ("text", ["a", "b", "c", "c"], ["{a, b}", "{a, b}", "c", "c"]),
        ("text", ["B", "a", "A", "b"], ["{A, B}", "{a, b}", "{A, B}", "{a, b}"]),
        ("text", ["x,y", 'q"\\', "{", "}"], [r'{"q\"\\", "x,y"}', r'{"q\"\\", "x,y"}', '{"{", "}"}', '{"{", "}"}']),
        ("text", ["", "a", "b", "c"], ["a or missing", "a or missing", "{b, c}", "{b, c}"]),
        ("text", ["007", "7", "8", "9"], ["{007, 7}", "{007, 7}", "{8, 9}", "{8, 9}"]),
    ],
)
def test_labels(tmp_path: Path, kind: str, values: list[str], labels: list[str]) -> None:
    k = 3 if len(values) == 6 else 2
    table = column([value or None for value in values], k, {"type": kind}, kind)
    release = released(tmp_path, table, dimension="widest")
    assert release[: len(labels)] == labels
    assert released(tmp_path, table) == release


@pytest.mark.parametrize("rows", [0, 1, 2])
def test_fewer_rows_than_k(tmp_path: Path, rows: int) -> None:
    table = column(["1"] * rows, 3)
    with pytest.raises(NoReleaseError) as raised:
        kanon_sql.run(table.config(tmp_path))
    assert raised.value.exit_status == 1
    assert not (tmp_path / table.target).exists()


@pytest.mark.slow
def test_the_kind_of_a_csv_column_is_found_or_told(tmp_path: Path) -> None:
    """Numerals are numbers unless one has a leading zero or a plus; `type` decides."""
    values = ["9", "10", "100", "99"]
    assert released(tmp_path, column(values, 2)) == ["9-10", "9-10", "99-100", "99-100"]
    as_text = {"type": "text"}
    assert released(tmp_path, column(values, 2, as_text, "text")) == ["{9, 99}", "{10, 100}", "{10, 100}", "{9, 99}"]
    for odd in ("010", "+10", "1e1", "."):
        release = released(tmp_path, column(["9", odd, "99", "100"], 2, kind="text"))
        assert all(label.startswith("{") for label in release)


@pytest.mark.slow
def test_different_seeds_cut_differently(tmp_path: Path) -> None:
    rows: list[Row] = [
        {"id": str(i), "p": str(i * 37 % 101), "q": str(i * 11 % 89), "r": "abcdefgh"[i % 7]} for i in range(300)
    ]
    kinds = {c: Ordered([row[c] for row in rows], "number") for c in "pq"}
    table = Table(rows, {**kinds, "r": Words([row["r"] for row in rows])}, {"p": {}, "q": {}, "r": {}}, {}, {}, 5)
    labels_by_seed = []
    for seed in (1, 1, 2, 3):
        kanon_sql.run(table.config(tmp_path, dimension="random", seed=seed))
        labels_by_seed.append(table.labels(tmp_path))
    assert labels_by_seed[0] == labels_by_seed[1]
    assert len({tuple(sorted(labels.items())) for labels in labels_by_seed}) == 3


@pytest.mark.slow
def test_equal_tuples_are_shared_out_by_the_seed(tmp_path: Path) -> None:
    table = column(["1"] * 10 + ["2"] * 20 + ["3"] * 10, 20)
    labels_by_seed = [released(tmp_path, table, cut="relaxed", dimension="widest", seed=seed) for seed in (1, 1, 2)]
    assert labels_by_seed[0] == labels_by_seed[1] != labels_by_seed[2]
    assert all(Counter(labels) == {"1-2": 20, "2-3": 20} for labels in labels_by_seed)
