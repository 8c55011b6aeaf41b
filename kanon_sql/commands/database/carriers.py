"""Facts that only rows tell which go through other rows with facts, read for the search (see `DependentFacts`)."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from kanon_sql.commands.database.tables import OpenTable, fact_items
from kanon_sql.search.facts.levels import FactTable
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.tables import copy
from kanon_sql.sql.template import Fill, Item, column, quoted, state

_ROOM = "commands/database"
_CARRIERS = state("facts_carriers")


def read_carriers(engine: Engine, tables: Mapping[str, OpenTable], facts: Mapping[str, FactTable]) -> str | None:
    """Makes the table (person, leaf, needed) of all tables with `facts` that go through others with facts.

    None where there are none. Raises EngineError.
    """
    needs = _Needs(engine, tables, facts)
    parts: list[exp.Select] = []
    for name, told in facts.items():
        table = tables[name]
        link = table.config.link
        above = None if link is None or link.through is None else needs.of(link.through, link.column)
        if link is None or above is None:
            continue
        part = state(f"facts_carriers_{len(parts)}")
        names: dict[str, Fill] = {
            "carriers": part,
            "table_rows": table.linked(),
            "leaves": told.leaves,
            "needs": above,
            "through_key": table.source.column(link.column).key,
        }
        engine.query(f"{_ROOM}/carriers", names=names, lists={"fact": fact_items(table, told)})
        parts.append(exp.select("*").from_(exp.Table(this=quoted(part))))
    if not parts:
        return None
    union: exp.Select | exp.Union = parts[0]
    for select in parts[1:]:
        union = exp.union(union, select, distinct=False)
    engine.run(copy(_CARRIERS, union.subquery("carriers")))
    return _CARRIERS


class _Needs:
    """By table and key, the tables (key, needed) of the facts that rows need; each is made once."""

    def __init__(self, engine: Engine, tables: Mapping[str, OpenTable], facts: Mapping[str, FactTable]) -> None:
        self.engine, self.tables, self.facts = engine, tables, facts
        self._made: dict[tuple[str, str], str | None] = {}

    def of(self, name: str, key: str) -> str | None:
        """What rows of a table need, by one of its columns; None where they need nothing."""
        if (name, key) not in self._made:
            self._made[name, key] = self._make(self.tables[name], key)
        return self._made[name, key]

    def _make(self, table: OpenTable, key: str) -> str | None:
        link, facts = table.config.link, self.facts.get(table.name)
        above = None if link is None or link.through is None else self.of(link.through, link.column)
        if facts is None and above is None:
            return None
        lists: dict[str, list[Item]] = {"fact": [], "leaf": [], "above": []}
        if facts is not None:
            lists["fact"] = fact_items(table, facts)
            lists["leaf"] = [{"leaves": facts.leaves, "number": column("leaf", facts.leaves)}]
        if link is not None and above is not None:
            through = column(table.source.column(link.column).key)
            lists["above"] = [{"needs": above, "column": through, "needed": column("needed", above)}]
        needs = state(f"facts_needs_{len(self._made)}")
        names: dict[str, Fill] = {
            "needs": needs,
            "table_rows": table.linked(),
            "own_key": table.source.column(key).key,
        }
        self.engine.query(f"{_ROOM}/row_needs", names=names, lists=lists)
        return needs
