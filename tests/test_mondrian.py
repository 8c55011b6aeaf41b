"""Mondrian against the plain reference: small random tables of every kind of column."""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pytest
from conftest import NAMES, VALUES, WORDS, hierarchy_files, quoted, read_csv, read_parquet, write_csv
from effort import tries
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st
from reference_mondrian import Cell, Codes, Dimension, Mondrian, Ordered, Partition, Row, Tree, Words

import kanon_sql
from kanon_sql.errors import NoReleaseError

Json = dict[str, Any]

NUMERAL = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")
DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
PLAIN = ["a", "A", " a", "b", 'q"q', "x,y", "x;y", "l\nm", "it's", "é", "e\u0301", "NULL", "\\", "-", "日本"]
LOOKALIKES = ["{a, b}", "{a", "a}", "a or missing", "25-30", "*", '"a"', "a, b", "02", "2"]
INTEGERS = ["-12", "-10", "-9", "-1", "0", "1", "2", "3", "5", "10", "90000000000"]
SMALL = INTEGERS[:-1]
QUARTERS = ["-10.25", "-1.5", "-1", "-0.5", "0", "0.25", "0.5", "2", "2.75", "10", "1000.5"]
CENTS = ["-10.20", "-1.00", "-0.01", "0.00", "0.10", "0.20", "0.30", "2.00", "10.99"]
DAYS = ["1899-12-31", "1970-01-01", "2020-01-31", "2020-02-01", "2020-02-29", "2020-03-01", "2021-12-31"]


def examples(number: int) -> settings:
    """The rows come of a seed, so that there is little to shrink."""
    return settings(max_examples=tries(number), phases=[Phase.explicit, Phase.reuse, Phase.generate])


@dataclass(frozen=True)
class Table:
    """A table with an id for every row, and what kanon-sql is told of it."""

    rows: Sequence[Row]
    dimensions: Mapping[str, Dimension]
    specs: Mapping[str, Json]
    files: Mapping[str, list[list[str]]]
    types: Mapping[str, str]
    k: int
    target: str = "out.csv"

    @property
    def problem(self) -> Mondrian:
        return Mondrian(self.rows, self.dimensions, self.k)

    def config(self, folder: Path, **algorithm: Any) -> Json:
        """Writes the source and the hierarchies."""
        columns = ["id", *self.dimensions]
        cells = [[row[column] for column in columns] for row in self.rows]
        source = folder / ("in.parquet" if self.types else "in.csv")
        if self.types:
            write_typed(source, columns, self.types, cells)
        else:
            write_csv(source, [columns, *cells])
        specs = {column: dict(spec) for column, spec in self.specs.items()}
        for number, (column, lines) in enumerate(self.files.items()):
            write_csv(folder / f"h{number}.csv", lines, quote=True)
            specs[column]["hierarchy"] = str(folder / f"h{number}.csv")
        return {
            "source": str(source) if self.types else {"path": str(source), "csv": {"delimiter": ","}},
            "target": {"path": str(folder / self.target), "overwrite": True},
            "quasi_identifiers": specs,
            "insensitive": ["id"],
            "privacy": {"k": self.k},
            "algorithm": {"name": "mondrian", **algorithm},
        }

    def labels(self, folder: Path) -> dict[str, tuple[Cell, ...]]:
        """What was released for each id."""
        path = folder / self.target
        rows = read_parquet(path) if path.suffix == ".parquet" else read_csv(path)
        found = {str(row["id"]): tuple(row[c] for c in self.dimensions) for row in rows}
        assert len(found) == len(rows)
        return found

    def codes(self) -> dict[str, Codes]:
        """The source's tuple for each id."""
        return {str(row["id"]): tuple(d.code(row[c]) for c, d in self.dimensions.items()) for row in self.rows}


def write_typed(path: Path, columns: Sequence[str], types: Mapping[str, str], rows: Sequence[Sequence[Cell]]) -> None:
    with duckdb.connect() as connection:
        named = ", ".join(f"{quoted(column)} {types.get(column, 'VARCHAR')}" for column in columns)
        connection.execute(f"CREATE TABLE t ({named})")
        connection.executemany(f"INSERT INTO t VALUES ({', '.join('?' for _ in columns)})", [list(row) for row in rows])
        connection.table("t").write_parquet(str(path))


def unique_levels(lines: Sequence[Sequence[str]]) -> list[list[str]]:
    """The same tree with no word on two levels, so that a label names one node."""
    return [[row[0], *(f"{word}^{level}" for level, word in enumerate(row[1:], 1))] for row in lines]


def inferred(cells: Sequence[Cell]) -> str:
    """How an undeclared CSV column is ordered."""
    known = [cell for cell in cells if cell is not None]
    if all(NUMERAL.fullmatch(cell) for cell in known):
        return "number"
    return "date" if all(DAY.fullmatch(cell) for cell in known) else "text"


@st.composite
def tables(draw: st.DrawFn, ambiguous: bool = True, most: int = 30) -> Table:
    """Mixed kinds of columns; `ambiguous` ones have words that can be mistaken for other labels."""
    parquet = draw(st.booleans())
    target = draw(st.sampled_from(["out.csv", "out.parquet"]))
    columns = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique_by=str.casefold))
    kinds: dict[str, str] = {}
    files: dict[str, list[list[str]]] = {}
    types: dict[str, str] = {}
    cells: dict[str, list[Cell]] = {}
    chance = random.Random(draw(st.integers(0, 10**9)))
    for column in columns:
        kind = kinds[column] = draw(st.sampled_from(["number", "number", "date", "text", "tree", "tree of numbers"]))
        values = {"date": DAYS, "text": [*PLAIN, *LOOKALIKES] if ambiguous else PLAIN}.get(kind, VALUES)
        types[column] = {"date": "DATE", "tree of numbers": "SMALLINT"}.get(kind, "VARCHAR")
        if kind == "number":
            types[column] = draw(st.sampled_from(["BIGINT", "DOUBLE", "DECIMAL(9,2)"]))
            exact = {"BIGINT": INTEGERS, "DOUBLE": [str(float(q)) for q in QUARTERS], "DECIMAL(9,2)": CENTS}
            values = exact[types[column]] if parquet else draw(st.sampled_from([INTEGERS, QUARTERS, CENTS]))
        elif kind == "tree":
            files[column] = draw(hierarchy_files())
        elif kind == "tree of numbers":
            upper = {word: draw(st.sampled_from(["low", "high"])) for word in WORDS}
            words = [draw(st.sampled_from(WORDS)) for _ in SMALL]
            files[column] = [[leaf, word, upper[word]] for leaf, word in zip(SMALL, words, strict=True)]
        if column in files:
            if not ambiguous:
                files[column] = unique_levels(files[column])
            values = [row[0] for row in files[column]]
        cells[column] = [*chance.sample(values, chance.randint(1, len(values))), *([None] * chance.randint(0, 1))]
    different = [{c: chance.choice(some) for c, some in cells.items()} for _ in range(chance.randint(1, most))]
    drawn = [chance.choice(different) for _ in range(chance.randint(1, most))]
    rows = [{"id": f"r{number}", **row} for number, row in enumerate(drawn)]
    specs: dict[str, Json] = {column: {} for column in columns}
    dimensions: dict[str, Dimension] = {}
    for column, kind in kinds.items():
        shown = [row[column] for row in rows]
        if column in files:
            dimensions[column] = Tree(files[column], None in shown)
            continue
        if not parquet and (inferred(shown) != kind or draw(st.booleans())):
            specs[column]["type"] = kind
        dimensions[column] = Words(shown) if kind == "text" else Ordered(shown, kind)
    return Table(rows, dimensions, specs, files, types if parquet else {}, draw(st.integers(1, 4)), target)


def classes_of(table: Table, labels: Mapping[str, tuple[Cell, ...]]) -> dict[tuple[Cell, ...], Partition]:
    """The source's tuples under each released tuple of labels."""
    found: defaultdict[tuple[Cell, ...], Partition] = defaultdict(Counter)
    codes = table.codes()
    assert labels.keys() == codes.keys()
    for number, label in labels.items():
        found[label][codes[number]] += 1
    return dict(found)


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
    found = {column: report["loss"]["attributes"][column] for column in losses}
    assert found == pytest.approx({column: float(loss) for column, loss in losses.items()}, abs=1e-9)
    assert report["loss"]["lm"] == pytest.approx(float(sum(losses.values())), abs=1e-9)
    assert report["loss"]["ncp"] == pytest.approx(table.problem.ncp(partitions), abs=1e-7)
    assert report["loss"]["c_avg"] == pytest.approx(n / len(sizes) / table.k)
    assert report["loss"]["discernibility"] == sum(size * size for size in sizes)


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


def column(values: Sequence[Cell], k: int, spec: Json | None = None, kind: str = "number") -> Table:
    """A CSV table of one quasi-identifier."""
    rows = [{"id": str(number), "q": value} for number, value in enumerate(values)]
    dimension = Words(values) if kind == "text" else Ordered(values, kind)
    return Table(rows, {"q": dimension}, {"q": spec or {}}, {}, {}, k)


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
    found = released(tmp_path, table, dimension="widest")
    assert found[: len(labels)] == labels
    assert released(tmp_path, table) == found


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
        found = released(tmp_path, column(["9", odd, "99", "100"], 2, kind="text"))
        assert all(label.startswith("{") for label in found)


@pytest.mark.slow
def test_different_seeds_cut_differently(tmp_path: Path) -> None:
    rows: list[Row] = [
        {"id": str(i), "p": str(i * 37 % 101), "q": str(i * 11 % 89), "r": "abcdefgh"[i % 7]} for i in range(300)
    ]
    kinds = {c: Ordered([row[c] for row in rows], "number") for c in "pq"}
    table = Table(rows, {**kinds, "r": Words([row["r"] for row in rows])}, {"p": {}, "q": {}, "r": {}}, {}, {}, 5)
    found = []
    for seed in (1, 1, 2, 3):
        kanon_sql.run(table.config(tmp_path, dimension="random", seed=seed))
        found.append(table.labels(tmp_path))
    assert found[0] == found[1]
    assert len({tuple(sorted(labels.items())) for labels in found}) == 3


@pytest.mark.slow
def test_equal_tuples_are_shared_out_by_the_seed(tmp_path: Path) -> None:
    table = column(["1"] * 10 + ["2"] * 20 + ["3"] * 10, 20)
    found = [released(tmp_path, table, cut="relaxed", dimension="widest", seed=seed) for seed in (1, 1, 2)]
    assert found[0] == found[1] != found[2]
    assert all(Counter(labels) == {"1-2": 20, "2-3": 20} for labels in found)
