"""The report of `kanon-sql risk`: what an attacker can expect of a table, and of its release.

f is the size of a row's equivalence class in the table, F the number of persons of the population who fall under it.

* prosecutor risk 1/f: the attacker knows that the person is in the table;
* journalist risk 1/F: the attacker knows that the person is in the population, of which the table is a sample;
* marketer risk: the share of the rows that an attacker names right who links all of them, each at random within its
  class: the sum of f/F over the classes, divided by the rows. Without a population F = f: classes / rows.

K. El Emam: Guide to the De-Identification of Personal Health Information. 2013 (prosecutor, journalist, threshold);
F. Dankar, K. El Emam: A method for evaluating marketer re-identification risk. 2010.

Of groups of rows, such as households: who finds one member has found the others, too.

* Each row gets the risk of the most exposed row of its household: of the smallest class, or of the class of which the
  population has fewest persons. Averaged over the rows this is the risk of households, and never below that of rows.
* Beside it, for the rows of a household with the risks r1, r2 ...: 1 - (1 - r1)(1 - r2)..., the risk that at least one
  of them is found, if they are found independently.

A. Hundepool and others: mu-ARGUS user's manual. 2008 (household risk, by Boole's formula); M. Templ: Statistical
Disclosure Control for Microdata. 2017 (hierarchical risk in sdcMicro). A row that names no household is one of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlglot import exp

from kanon_sql.measures.risk.table import RiskTable, SubsetMeasures, Subsets, read_tuples, value_name
from kanon_sql.source.columns import normalized, person
from kanon_sql.source.formats.registry import telling_faults
from kanon_sql.source.model import Column, Source
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Item, state

if TYPE_CHECKING:
    from kanon_sql.results.risk import (
        ClassRisk,
        ColumnSubset,
        ExposedClass,
        HouseholdRisk,
        Households,
        HouseholdShare,
        TableRisk,
    )

THRESHOLD = 0.2  # the risk above which a row counts
MOST_EXPOSED = 10

_FIRST_SIZES = ((1, 1), (2, 2), (3, 4), (5, 9))
_NEXT_SIZES = ((1, 2), (2, 5), (5, 10))


@dataclass(frozen=True)
class ClassSums:
    """The sums over the classes that measures.sql explains; those of persons only with a population."""

    rows: int
    classes: int
    smallest: int
    largest: int
    alone: int
    above: int
    fewest_persons: int | None
    persons: int | None
    named_right: float | None
    above_by_persons: int
    alone_in_population: int
    absent_classes: int
    absent_rows: int
    outnumbered_classes: int
    outnumbered_rows: int


def sum_classes(engine: Engine, table: RiskTable, sized: str | None, threshold: float) -> ClassSums:
    """The sums over the table's classes; `sized` is the table of their sizes and persons, where there are any."""
    classes: exp.Expr = exp.to_table(sized) if sized else _without_persons(table)
    engine.query("measures/risk/class_sizes", names={"sized_classes": classes})
    return sum_sizes(engine, threshold)


def sum_sizes(engine: Engine, threshold: float) -> ClassSums:
    """The sums over the classes of the table class_sizes."""
    values = {"threshold": float(threshold)}
    return ClassSums(*engine.query("measures/risk/measures", values=values)[0])


def contradictions_of(sums: ClassSums, table: RiskTable, population: str) -> list[str]:
    """What contradicts that the table is a sample of the population: one line, or none."""
    if not sums.absent_classes + sums.outnumbered_classes:
        return []
    return [
        f"{population}: {sums.absent_classes:,} classes ({sums.absent_rows:,} rows) of {table.label} are not in the "
        f"population, {sums.outnumbered_classes:,} classes ({sums.outnumbered_rows:,} rows) hold more rows than it has "
        "persons; expected every row's person in the population, with values written the same way, and a hierarchy "
        "for every column that was generalized"
    ]


def describe_table(engine: Engine, table: RiskTable, sums: ClassSums, subsets: Subsets) -> TableRisk:
    """The report's part on one table without the risks that need a population."""
    n = table.n
    return {
        "table": table.label,
        "rows": {"source": table.source_rows, "missing": table.source_rows - n, "measured": n},
        "quasi_identifiers": list(table.names),
        **describe_classes(engine, sums),
        "subsets": {
            "columns": [column.name for column in table.columns],
            "largest": subsets.largest,
            "count": subsets.count,
            "counted": len(subsets.measured),
            "listed": [_describe_subset(subset, n) for subset in subsets.measured],
        },
        "exposed": _exposed(engine, table) if engine.show_values else None,
        "weighted": table.weighted,
        "households": None,
        "special_uniques": None,
    }


def describe_classes(engine: Engine, sums: ClassSums) -> ClassRisk:
    """What the report says of the classes of the table class_sizes, and of the risks of their rows."""
    n, bounds = sums.rows, size_bounds(sums.largest)
    sizes = engine.query(
        "measures/risk/histogram",
        values={"lows": [low for low, _ in bounds], "highs": [high for _, high in bounds]},
    )
    return {
        "classes": {
            "count": sums.classes,
            "min": sums.smallest,
            "max": sums.largest,
            "average": n / sums.classes,
        },
        "unique": {"rows": sums.alone, "share": sums.alone / n, "in_population": None},
        "population_uniqueness": None,
        "prosecutor": {
            "highest": 1 / sums.smallest,
            "average": sums.classes / n,
            "above": {"rows": sums.above, "share": sums.above / n},
        },
        "journalist": None,
        "marketer": {"average": sums.classes / n, "rows": float(sums.classes)},
        "sizes": [
            {"from": low, "to": high, "classes": classes, "rows": rows, "share": rows / n}
            for low, high, classes, rows in sizes
        ],
    }


def add_population(part: TableRisk, sums: ClassSums) -> None:
    """Fills in the risks of one table that a population tells."""
    n = sums.rows
    assert sums.named_right is not None
    assert sums.fewest_persons is not None
    assert sums.persons is not None
    part["unique"]["in_population"] = sums.alone_in_population
    part["journalist"] = {
        "highest": 1 / sums.fewest_persons,
        "average": sums.named_right / n,
        "average_from_population": sums.classes / sums.persons,
        "above": {"rows": sums.above_by_persons, "share": sums.above_by_persons / n},
    }
    part["marketer"] = {"average": sums.named_right / n, "rows": sums.named_right}


def size_bounds(largest: int) -> list[tuple[int, int]]:
    """The ranges of the histogram: 1, 2, 3-4, 5-9, 10-19, 20-49, 50-99, 100-199 ... up to the largest class."""
    bounds, unit = list(_FIRST_SIZES), 10
    while bounds[-1][1] < largest:
        bounds += [(low * unit, high * unit - 1) for low, high in _NEXT_SIZES]
        unit *= 10
    return [(low, high) for low, high in bounds if low <= largest]


def pad_sizes(part: ClassRisk, other: ClassRisk) -> None:
    """Lengthens the histogram of one table to that of another, so that they stand side by side."""
    missing = other["sizes"][len(part["sizes"]) :]
    part["sizes"] += [
        {"from": size["from"], "to": size["to"], "classes": 0, "rows": 0, "share": 0.0} for size in missing
    ]


def _without_persons(table: RiskTable) -> exp.Select:
    persons = exp.alias_(exp.cast(exp.null(), "BIGINT"), "persons")
    return exp.select(exp.column("row_count").as_("size"), persons).from_(exp.to_table(table.classes))


def _describe_subset(subset: SubsetMeasures, n: int) -> ColumnSubset:
    return {
        "columns": list(subset.columns),
        "combinations": subset.combinations,
        "unique": subset.alone,
        "unique_share": subset.alone / n,
        "distinction": subset.distinction,
        "separation": subset.separation,
        "holds_key": subset.holds_key,
    }


def _exposed(engine: Engine, table: RiskTable) -> list[ExposedClass]:
    """The smallest classes with their values as texts."""
    items: list[Item] = [{"name": value_name(i), "text": f"text_{i}"} for i in range(len(table.names))]
    rows = engine.query(
        "measures/risk/exposed", names={"class_list": table.classes}, values={"most": MOST_EXPOSED}, lists={"qi": items}
    )
    return [{"rows": rows, "values": dict(zip(table.names, values, strict=True))} for rows, *values in rows]


def read_households(engine: Engine, table: RiskTable, source: Source, group: Column, rows: exp.Select) -> RiskTable:
    """The table with its rows by household, as the source's column `group` tells them apart, its classes numbered."""
    members, numbered = state("risk_members"), state("risk_numbered")
    values = [(qi, normalized(qi, source.missing)) for qi in table.quasi_identifiers]
    with telling_faults(engine, source):
        read_tuples(engine, source, rows, members, [*values, (group, person(group, source.missing))])
    names = {"class_list": table.classes, "numbered": numbered}
    engine.query("measures/risk/households/numbered", names=names, lists={"qi": _items(table)})
    return replace(table, classes=numbered, members=members)


def measure_households(engine: Engine, table: RiskTable, sized: str | None, threshold: float) -> Households:
    """The report's part on the households of one table; `sized` is the table of its classes' persons, if there is."""
    assert table.members is not None
    by_persons = sized is not None
    if sized is None:
        sized = state("risk_sized")
        names = {"numbered": table.classes, "sized_classes": sized}
        engine.query("measures/risk/households/without_persons", names=names)
    names = {"members": table.members, "numbered": table.classes, "sized_classes": sized}
    names["holder_name"] = value_name(len(table.quasi_identifiers))
    engine.query("measures/risk/households/households", names=names, lists={"qi": _items(table)})
    households_read = _measures(engine, threshold, by_persons=False)
    by_journalist = _measures(engine, threshold, by_persons=True).risk if by_persons else None
    return {
        "count": households_read.count,
        "largest": households_read.largest,
        "unique": households_read.unique,
        "prosecutor": households_read.risk,
        "journalist": by_journalist,
    }


def _items(table: RiskTable) -> list[Item]:
    return [{"name": value_name(i)} for i in range(len(table.quasi_identifiers))]


@dataclass(frozen=True)
class _HouseholdMeasures:
    """What measures.sql tells of the table of households, by the rows of each class or by its persons."""

    count: int
    largest: int
    unique: HouseholdShare
    risk: HouseholdRisk


def _measures(engine: Engine, threshold: float, *, by_persons: bool) -> _HouseholdMeasures:
    values = {"threshold": float(threshold), "by_persons": by_persons}
    row = engine.query("measures/risk/households/measures", values=values)[0]
    count, n, largest, highest, average, above, rows_above, alone, rows_alone, *any_found = row
    any_highest, any_average, any_above, any_rows = any_found
    return _HouseholdMeasures(
        count,
        largest,
        unique={"households": alone, "rows": rows_alone, "share": rows_alone / n},
        risk={
            "highest": highest,
            "average": average,
            "above": {"households": above, "rows": rows_above, "share": rows_above / n},
            "any_found": {
                "highest": any_highest,
                "average": any_average,
                "above": {"households": any_above, "rows": any_rows, "share": any_rows / n},
            },
        },
    )
