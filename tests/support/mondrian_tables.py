"""Small random tables of every kind of column for Mondrian."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cases import NAMES, VALUES, WORDS, hierarchy_files
from effort import tries
from hypothesis import Phase, settings
from hypothesis import strategies as st
from reference_mondrian import Cell, Codes, Dimension, Mondrian, Ordered, Row, Tree, Words
from shared_engine import insert, shared
from table_files import quoted, read_csv, read_parquet, write_csv

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
        by_id = {str(row["id"]): tuple(row[c] for c in self.dimensions) for row in rows}
        assert len(by_id) == len(rows)
        return by_id

    def codes(self) -> dict[str, Codes]:
        """The source's tuple for each id."""
        return {str(row["id"]): tuple(d.code(row[c]) for c, d in self.dimensions.items()) for row in self.rows}


def write_typed(path: Path, columns: Sequence[str], types: Mapping[str, str], rows: Sequence[Sequence[Cell]]) -> None:
    with shared() as connection:
        named = ", ".join(f"{quoted(column)} {types.get(column, 'VARCHAR')}" for column in columns)
        connection.execute(f"CREATE TEMP TABLE t ({named})")
        insert(connection, "t", rows)
        connection.table("t").write_parquet(str(path))


def unique_levels(lines: Sequence[Sequence[str]]) -> list[list[str]]:
    """The same tree with no word on two levels, so that a label names one node."""
    return [[row[0], *(f"{word}^{level}" for level, word in enumerate(row[1:], 1))] for row in lines]


def inferred(cells: Sequence[Cell]) -> str:
    """How an undeclared CSV column is ordered."""
    present = [cell for cell in cells if cell is not None]
    if all(NUMERAL.fullmatch(cell) for cell in present):
        return "number"
    return "date" if all(DAY.fullmatch(cell) for cell in present) else "text"


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


def column(values: Sequence[Cell], k: int, spec: Json | None = None, kind: str = "number") -> Table:
    """A CSV table of one quasi-identifier."""
    rows = [{"id": str(number), "q": value} for number, value in enumerate(values)]
    dimension = Words(values) if kind == "text" else Ordered(values, kind)
    return Table(rows, {"q": dimension}, {"q": spec or {}}, {}, {}, k)
