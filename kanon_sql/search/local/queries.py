"""The tables of a local search and its statements; docs/tables.md says which reads and writes which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from sqlglot import exp

from kanon_sql.sql import tables, template
from kanon_sql.sql.connection import Engine, Row
from kanon_sql.sql.deadline import Deadline
from kanon_sql.sql.template import Fill, Item, state

_TABLES = (
    "cells",
    "choices",
    "choices_with_taken",
    "merge_order",
    "rest_class",
    "rest",
    "taken",
    "tuples_a",
    "tuples_b",
    "above_a",
    "above_b",
    "labels_a",
    "labels_b",
    "offers",
    "accepted",
    "takers",
    "members",
    "class_costs",
    "joined",
    "borrowed",
    "cut_tuples",
    "cut_classes",
    "kept_classes",
    "priced_cells",
    "prices",
    "proving_prices",
    "best_prices",
    "feasible",
    "priced_pairs",
    "near_labels",
    "covers",
    "label_values",
    "active",
    "filled",
    "opened",
    "kept_members",
    "labelled",
    "ruined",
    "label_offers",
    "label_takes",
    "label_made",
    "cell_halves",
    "standing",
    "spare",
    "lendable",
    "near_pairs",
    "zone_offers",
    "zone_fillers",
    "zone_made",
    "recreated",
    "gaining",
    "program",
)


def table(name: str) -> str:
    """The name of a further table of this search."""
    return state(f"local_{name}")


def own_tables() -> Mapping[str, str]:
    """The names of the search's tables, as the query files call them."""
    return _own_tables(state(""))


@cache
def _own_tables(prefix: str) -> Mapping[str, str]:
    return {
        **{name: f"{prefix}local_{name}" for name in _TABLES},
        **{name: prefix + name for name in ("frequency", "assigned")},
    }


@dataclass(frozen=True)
class Queries:
    """Runs files of queries/search/local on the tables of the search. Raises TimeUpError once the deadline has
    passed."""

    engine: Engine
    deadline: Deadline = field(default_factory=Deadline)
    names: Mapping[str, Fill] = field(default_factory=own_tables)

    def run(
        self,
        name: str,
        values: Mapping[str, Any] | None = None,
        names: Mapping[str, Fill] | None = None,
        lists: Mapping[str, Sequence[Item]] | None = None,
    ) -> list[Row]:
        """Runs one file, its holes filled; its rows. Raises HoleError for names that the file does not have."""
        return self.run_text(template.render(f"search/local/{name}", names, lists, self.names), values)

    def run_text(self, statement: str, values: Mapping[str, Any] | None = None) -> list[Row]:
        """Runs a filled statement; its rows."""
        self.deadline.check()
        return self.engine.run(statement, values)

    def copy(self, name: str, source: str) -> None:
        """Makes a table of the search a copy of another."""
        self.run_text(tables.copy(own_tables()[name], own_tables()[source]))

    def make(self, name: str, file: str, values: Mapping[str, Any] | None = None) -> None:
        """Makes a table of the search of the rows that a file selects."""
        rows = template.fill(f"search/local/{file}", scope=self.names)
        self.run_text(tables.copy(own_tables()[name], exp.Subquery(this=rows)), values)

    def empty_like(self, name: str, source: str, *columns: str) -> None:
        """Makes a table of the search one without rows, with these columns of another."""
        self.run_text(tables.empty_like(own_tables()[name], own_tables()[source], *columns))

    def append(self, name: str, source: str, *columns: str) -> int:
        """Adds these columns of all rows of a table of the search to another; how many rows."""
        return int(self.run_text(tables.append(own_tables()[name], own_tables()[source], *columns))[0][0])

    def named(self, **names: Fill) -> Queries:
        """Queries with further names, of which each file takes those that it has."""
        return replace(self, names={**self.names, **names})

    def count(self, name: str, values: Mapping[str, Any] | None = None, names: Mapping[str, Fill] | None = None) -> int:
        """Runs one file that inserts or changes rows; how many."""
        return int(self.run(name, values, names)[0][0])

    def size(self) -> tuple[int, int]:
        """(tuples, rows) without a class."""
        tuples, rows = self.run("rest_size")[0]
        return int(tuples), int(rows)
