"""The risk of groups of rows, such as households: who finds one member has found the others, too.

* Each row gets the risk of the most exposed row of its household: of the smallest class, or of the class of which the
  population has fewest persons. Averaged over the rows this is the risk of households, and never below that of rows.
* Beside it, for the rows of a household with the risks r1, r2 ...: 1 - (1 - r1)(1 - r2)..., the risk that at least one
  of them is found, if they are found independently.

A. Hundepool and others: mu-ARGUS user's manual. 2008 (household risk, by Boole's formula); M. Templ: Statistical
Disclosure Control for Microdata. 2017 (hierarchical risk in sdcMicro). A row that names no household is one of its own.
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from kanon_sql.commands.risk.measure import Json
from kanon_sql.commands.risk.table import RiskTable, read_tuples, value_name
from kanon_sql.source.formats.registry import telling_faults
from kanon_sql.source.model import Column, Source
from kanon_sql.source.values import normalized, person
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Item, state


def read_households(engine: Engine, table: RiskTable, source: Source, group: Column, rows: exp.Select) -> RiskTable:
    """The table with its rows by household, as the source's column `group` tells them apart, its classes numbered."""
    members, numbered = state("risk_members"), state("risk_numbered")
    values = [normalized(item, source.missing) for item in table.quasi_identifiers]
    with telling_faults(engine, source):
        read_tuples(engine, rows, members, [*values, person(group, source.missing)])
    names = {"class_list": table.classes, "numbered": numbered}
    engine.query("commands/risk/households/numbered", names=names, lists={"qi": _items(table)})
    return replace(table, classes=numbered, members=members)


def measure_households(engine: Engine, table: RiskTable, sized: str | None, threshold: float) -> Json:
    """The report's part on the households of one table; `sized` is the table of its classes' persons, if there is."""
    assert table.members is not None
    by_persons = sized is not None
    if sized is None:
        sized = state("risk_sized")
        names = {"numbered": table.classes, "sized_classes": sized}
        engine.query("commands/risk/households/without_persons", names=names)
    households = state("risk_households")
    names = {"members": table.members, "numbered": table.classes, "sized_classes": sized, "households": households}
    names["holder_name"] = value_name(len(table.quasi_identifiers))
    engine.query("commands/risk/households/households", names=names, lists={"qi": _items(table)})
    found = _measures(engine, threshold, by_persons=False)
    return {
        "count": found["count"],
        "largest": found["largest"],
        "unique": found["unique"],
        "prosecutor": found["risk"],
        "journalist": _measures(engine, threshold, by_persons=True)["risk"] if by_persons else None,
    }


def _items(table: RiskTable) -> list[Item]:
    return [{"name": value_name(i)} for i in range(len(table.quasi_identifiers))]


def _measures(engine: Engine, threshold: float, *, by_persons: bool) -> Json:
    values = {"threshold": float(threshold), "by_persons": by_persons}
    names = {"households": state("risk_households")}
    row = engine.query("commands/risk/households/measures", names=names, values=values)[0]
    count, n, largest, highest, average, above, rows_above, alone, rows_alone, *any_found = row
    any_highest, any_average, any_above, any_rows = any_found
    return {
        "count": count,
        "largest": largest,
        "unique": {"households": alone, "rows": rows_alone, "share": rows_alone / n},
        "risk": {
            "highest": highest,
            "average": average,
            "above": {"households": above, "rows": rows_above, "share": rows_above / n},
            "any_found": {
                "highest": any_highest,
                "average": any_average,
                "above": {"households": any_above, "rows": any_rows, "share": any_rows / n},
            },
        },
    }
