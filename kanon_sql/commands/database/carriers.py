"""Facts that only rows tell which go through other rows with facts, read for the search (see `DependentFacts`)."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from kanon_sql.commands.database.tables import OpenTable, fact_items
from kanon_sql.search.facts.levels import FactTable
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.tables import copy, rows_of
from kanon_sql.sql.template import Fill, Item, column, quoted, state

_ROOM = "commands/database"


def read_carriers(engine: Engine, tables: Mapping[str, OpenTable], facts: Mapping[str, FactTable]) -> str | None:
    """Makes the table (person, leaf, needed) of all tables with `facts` that go through others with facts.

    None where there are none. Raises EngineError.
    """
    needs = _Needs(engine, tables, facts)
    parts: list[exp.Select] = []
    for name, table_facts in facts.items():
        table = tables[name]
        link, above = table.config.link, needs.above(table)
        if link is None or above is None:
            continue
        part = state(f"facts_carriers_{len(parts)}")
        names: dict[str, Fill] = {
            "carriers": part,
            "table_rows": table.linked(),
            "leaves": table_facts.leaves,
            "needs": above,
            "through_key": table.source.column(link.column).key,
        }
        engine.query(f"{_ROOM}/carriers", names=names, lists={"fact": fact_items(table, table_facts)})
        parts.append(exp.select("*").from_(exp.Table(this=quoted(part))))
    if not parts:
        return None
    carriers = state("facts_carriers")
    engine.run(copy(carriers, rows_of(parts, "carriers")))
    return carriers


class _Needs:
    """By table and key, the tables (key, needed) of the facts that rows need; each is made once."""

    def __init__(self, engine: Engine, tables: Mapping[str, OpenTable], facts: Mapping[str, FactTable]) -> None:
        self.engine, self.tables, self.facts = engine, tables, facts
        self._by_key: dict[tuple[str, str], str | None] = {}

    def above(self, table: OpenTable) -> str | None:
        """What the rows need that the rows of a table go through; None where they need nothing, or there are none."""
        link = table.config.link
        if link is None or link.through is None:
            return None
        if (link.through, link.column) not in self._by_key:
            self._by_key[link.through, link.column] = self._make(self.tables[link.through], link.column)
        return self._by_key[link.through, link.column]

    def _make(self, table: OpenTable, key: str) -> str | None:
        link, facts, above = table.config.link, self.facts.get(table.name), self.above(table)
        if facts is None and above is None:
            return None
        lists: dict[str, list[Item]] = {"fact": [], "leaf": [], "above": []}
        if facts is not None:
            lists["fact"] = fact_items(table, facts)
            lists["leaf"] = [{"leaves": facts.leaves, "number": column("leaf", facts.leaves)}]
        if link is not None and above is not None:
            through = column(table.source.column(link.column).key)
            lists["above"] = [{"needs": above, "column": through, "needed": column("needed", above)}]
        needs = state(f"facts_needs_{len(self._by_key)}")
        names: dict[str, Fill] = {
            "needs": needs,
            "table_rows": table.linked(),
            "own_key": table.source.column(key).key,
        }
        self.engine.query(f"{_ROOM}/row_needs", names=names, lists=lists)
        return needs
