"""The frequency table: each distinct tuple of quasi-identifiers with its number of rows, by codes or by positions.

Searches work on it, so that their cost follows the distinct tuples and not the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlglot import exp

from kanon_sql.errors import NoReleaseError
from kanon_sql.frequency.dimensions import Dimension
from kanon_sql.hierarchy.mapping import MappingTable
from kanon_sql.hierarchy.uncovered import refuse_uncovered
from kanon_sql.source.columns import normalized, person
from kanon_sql.source.model import Column, Source
from kanon_sql.source.roles import Roles
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Item, column, state

Read = Callable[[Column, Sequence[str]], exp.Expr]


@dataclass(frozen=True)
class LevelMarginal:
    """What one quasi-identifier costs at one level, if no row is suppressed.

    `units` is the sum over the rows of the leaves below the released value, less one; `spread` the sum over the rows of
    the binary logarithm of the number of rows with the same released value; `values` the number of released values;
    `most_units` the greatest units of one row.
    """

    units: int
    spread: float
    values: int
    most_units: int


@dataclass(frozen=True)
class FurtherColumns:
    """Columns by which rows are counted beside the quasi-identifiers.

    `coded` are items of the list hole `qi`. `owners` identify persons and groups, by their names in the table; texts of
    theirs that are `missing` become NULL.
    """

    coded: tuple[Item, ...] = ()
    owners: tuple[tuple[str, Column], ...] = ()
    missing: tuple[str, ...] = ()


@dataclass(frozen=True)
class Frequency:
    """The frequency table of `n` rows that take part, in `tuples` distinct combinations.

    `marginals[i][level]` is what quasi-identifier i costs at a level.
    """

    mappings: tuple[MappingTable, ...]
    n: int
    tuples: int
    marginals: tuple[tuple[LevelMarginal, ...], ...]

    @property
    def heights(self) -> tuple[int, ...]:
        """The height of each quasi-identifier's hierarchy."""
        return tuple(mapping.height for mapping in self.mappings)


def required_columns(source: Source, roles: Roles, policy: str) -> Sequence[Column]:
    """The columns that may not be missing in a row that takes part; `policy` is keep, drop or drop-any."""
    return {"keep": (), "drop": roles.quasi_identifiers, "drop-any": source.columns}[policy]


def takes_part(columns: Sequence[Column], missing: Sequence[str], read: Read = normalized) -> exp.Expr:
    """The condition on rows that take part; `read` gives the value of a column, NULL where it is missing."""
    return exp.and_(*(exp.Is(this=read(required, missing), expression=exp.null()).not_() for required in columns))


def participants(source: Source, roles: Roles, policy: str) -> exp.Select:
    """SELECT of the rows that take part, with all columns under their keys."""
    columns = required_columns(source, roles, policy)
    if not columns:
        return source.relation.copy()
    inner = source.relation.copy().subquery(state("rows"))
    keys = [column(source_column.key) for source_column in source.columns]
    return exp.select(*keys).from_(inner).where(takes_part(columns, source.missing))


def count_rows(source: Source, roles: Roles, policy: str) -> tuple[int, int]:
    """(rows of the source, rows that take part). Raises NoReleaseError when none is left."""
    columns = required_columns(source, roles, policy)
    condition = takes_part(columns, source.missing) if columns else exp.true()
    counted = exp.select(exp.alias_(condition, "takes_part")).from_(source.relation.copy().subquery(state("rows")))
    rows, left = source.backend.query("frequency/count_rows", names={"source": counted})[0]
    if not left:
        why = "has no row" if not rows else "has no row left without missing values"
        error = NoReleaseError(f"{source.label} {why}; there is nothing to release")
        error.source_rows = int(rows)
        raise error
    return int(rows), int(left)


def stage_tuples(engine: Engine, rows: exp.Select, columns: Sequence[Column]) -> exp.Select:
    """Reads a source that is slow to read once, into a table of its distinct raw tuples; a SELECT of them."""
    engine.query(
        "frequency/raw_frequency",
        names={"source": rows},
        lists={"qi": [{"key": qi.key} for qi in columns]},
    )
    return exp.select("*").from_(exp.Table(this=template.quoted(state("raw_frequency"))))


def count_records(
    engine: Engine, rows: exp.Select, items: Sequence[Item], further: FurtherColumns, *, staged: bool
) -> None:
    """Makes the frequency table; with further columns also the table records, which has them, too.

    `items` are the items of the list hole `qi`. With `staged` the rows are distinct tuples with their row_count.
    """
    total: exp.Expr = exp.Sum(this=exp.column("row_count", "source")) if staged else exp.Count(this=exp.Star())
    with_more = bool(further.coded or further.owners)
    owners: list[Item] = [{"value": person(owner, further.missing), "name": name} for name, owner in further.owners]
    engine.query(
        "frequency/frequency",
        names={"frequency": state("records" if with_more else "frequency"), "source": rows, "row_total": total},
        lists={"qi": [*items, *further.coded], "carried": owners},
    )
    if with_more:
        engine.query("frequency/frequency_of_records", lists={"qi": items})


def build_frequency(
    engine: Engine,
    rows: exp.Select,
    columns: Sequence[Column],
    mappings: Sequence[MappingTable],
    further: FurtherColumns,
    *,
    staged: bool,
    places: Sequence[str],
) -> Frequency:
    """Counts the rows by quasi-identifier codes and prepares the tables that the search reads.

    Raises UncoveredError when hierarchies leave values uncovered, NoReleaseError without any row.
    """
    items = frequency_items(columns, mappings)
    count_records(engine, rows, items, further, staged=staged)
    refuse_uncovered(engine, rows, columns, mappings, places, items)
    marginals = tuple(build_costs(engine, mapping) for mapping in mappings)
    engine.query(
        "frequency/tuples",
        lists={"cell": cell_items(mappings), "qi": leaf_items(mappings)},
    )
    tuples, n = engine.query("frequency/tuple_count")[0]
    if not n:
        raise NoReleaseError("the source has no row; there is nothing to release")
    return Frequency(tuple(mappings), int(n), int(tuples), marginals)


def cell_items(mappings: Sequence[MappingTable]) -> list[Item]:
    """The items of the list hole `cell`: the codes of every level of each quasi-identifier."""
    return [
        {"codes": state(f"codes_{m.index}"), "level": f"level_{level}", "name": code_name(m.index, level)}
        for m in mappings
        for level in range(m.height + 1)
    ]


def leaf_items(mappings: Sequence[MappingTable]) -> list[Item]:
    """The items of the list hole `qi` where leaf codes are joined with those of the levels above."""
    return [{"codes": state(f"codes_{m.index}"), "leaf": leaf_name(m.index)} for m in mappings]


def code_name(index: int, level: int) -> str:
    """The column of the tuples table that holds the codes of quasi-identifier `index` at `level`."""
    return f"q{index}_{level}"


def leaf_name(index: int) -> str:
    """The column of the frequency table that holds the leaf codes of quasi-identifier `index`."""
    return f"q{index}"


def frequency_items(columns: Sequence[Column], mappings: Sequence[MappingTable]) -> list[Item]:
    """The items of the list hole `qi`: mapping table, column key and leaf code of each quasi-identifier."""
    return [
        {"mapping": mapping.table, "key": qi.key, "leaf": leaf_name(mapping.index), "code": "level_0"}
        for qi, mapping in zip(columns, mappings, strict=True)
    ]


def build_costs(engine: Engine, mapping: MappingTable) -> tuple[LevelMarginal, ...]:
    """Makes the table of what each released value of a quasi-identifier costs; the sums of each level."""
    codes = state(f"codes_{mapping.index}")
    costs = state(f"costs_{mapping.index}")
    levels: list[Item] = [{"code": f"level_{level}", "number": level} for level in range(mapping.height + 1)]
    engine.query("frequency/codes", names={"codes": codes, "mapping": mapping.table}, lists={"step": levels})
    engine.query(
        "frequency/costs",
        names={
            "costs": costs,
            "codes": codes,
            "weight": mapping.weight_table,
            "qi_leaf": leaf_name(mapping.index),
        },
        lists={"step": levels},
    )
    rows = engine.query("frequency/marginals", names={"costs": costs})
    return tuple(
        LevelMarginal(int(units), float(spread), int(values), int(most_units))
        for _, units, spread, values, most_units in rows
    )


@dataclass(frozen=True)
class Tuples:
    """The frequency table by positions: `n` rows in `count` distinct tuples.

    It has a column p0, p1 ... for each dimension.
    """

    dimensions: tuple[Dimension, ...]
    n: int
    count: int

    @property
    def table(self) -> str:
        """The table with a row for each tuple, and its row_count."""
        return state("frequency")


def count_tuples(
    engine: Engine, rows: exp.Select, dimensions: Sequence[Dimension], further: FurtherColumns, *, staged: bool
) -> Tuples:
    """Counts the rows that take part by the positions of their values. Raises NoReleaseError without any row."""
    items: list[Item] = [
        {
            "mapping": dimension.domain,
            "key": dimension.column.key,
            "leaf": dimension.position,
            "code": "position",
        }
        for dimension in dimensions
    ]
    count_records(engine, rows, items, further, staged=staged)
    count, n = engine.query("frequency/tuple_count", names={"tuples": state("frequency")})[0]
    if not n:
        raise NoReleaseError("the source has no row; there is nothing to release")
    return Tuples(tuple(dimensions), int(n), int(count))


def position_items(dimensions: Sequence[Dimension]) -> list[Item]:
    """The items of the list hole `this`: number, position column and bit of each dimension."""
    return [{"number": d.index, "position": d.position, "bit": 1 << d.index} for d in dimensions]
