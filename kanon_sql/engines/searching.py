"""The search in the engine that holds the rows: for distinct combinations too many to leave it.

The lattice is searched as always; each node is a GROUP BY over the combinations there. What DuckDB has are the values
of each single column, which the hierarchies and the bounds of the loss need.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from kanon_sql.config.load import LoadedConfig
from kanon_sql.engines.counting import brought, counted_statement
from kanon_sql.engines.model import Warehouse
from kanon_sql.errors import ConfigurationError, NoReleaseError
from kanon_sql.frequency.table import (
    Carried,
    Frequency,
    LevelMarginal,
    build_costs,
    code_name,
    count_records,
    frequency_items,
)
from kanon_sql.hierarchy.mapping import Mapping as MappingTable
from kanon_sql.hierarchy.uncovered import refuse_uncovered
from kanon_sql.privacy.registry import models_of
from kanon_sql.release.body import cells, or_missing, set_with
from kanon_sql.source.model import Column
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine, Row
from kanon_sql.sql.deadline import Deadline
from kanon_sql.sql.dialects.inline_table import Cell, Listing
from kanon_sql.sql.template import Item, column, state

MOST_IN_DUCKDB = 20_000_000  # distinct combinations, of about 100 bytes each


@dataclass(frozen=True)
class Kept:
    """The distinct combinations as a table of the engine; `searched` says that they are to be searched there."""

    table: exp.Table
    searched: bool


def keep_tuples(loaded: LoadedConfig, home: Warehouse, rows: exp.Select, columns: Sequence[Column]) -> Kept | None:
    """Keeps the distinct combinations where they may be searched there; None where DuckDB searches them in any case.

    Raises ConfigurationError where the search is asked for there and cannot be done.
    """
    asked, reason = loaded.config.search_in, _refusal(loaded)
    if asked == "engine" and reason is not None:
        raise ConfigurationError(f"{loaded.place('search_in')}: {reason}; expected search_in: auto or duckdb")
    if asked == "duckdb" or reason is not None:
        return None
    table = home.keep(counted_statement(home, rows, columns), "combinations")
    count = int(
        home.query("frequency/tuple_count", names={"tuples": exp.select(column("row_count")).from_(table)})[0][0]
    )
    return Kept(table, asked == "engine" or count > MOST_IN_DUCKDB)


def _refusal(loaded: LoadedConfig) -> str | None:
    """Why the engine itself cannot search for what is asked."""
    config = loaded.config
    if not config.algorithm.declared.full_domain:
        return f"{config.algorithm.name} searches in DuckDB alone"
    if config.privacy.entity is not None or models_of(config.privacy):
        return "models beside k are judged in DuckDB alone"
    if config.release.suppressed == "mask":
        return "whether rows can be masked is found in DuckDB alone"
    return None


def bring_values(engine: Engine, home: Warehouse, kept: Kept, item: Column, index: int) -> exp.Select:
    """SELECT in DuckDB of the values of one column, with the number of rows as row_count."""
    rows = exp.select(column(item.key), column("row_count")).from_(kept.table.copy())
    statement = template.fill("engines/values", names={"source": rows, "out_key": item.key})
    return brought(engine, home, home.written(statement), [item], state(f"values_{index}"))


class NodesThere:
    """Asks the engine about nodes, where a checker asks DuckDB otherwise."""

    def __init__(self, home: Warehouse, tables: Mapping[str, exp.Select]) -> None:
        self.home = home
        self.tables = tables
        self._deadline = Deadline()

    def query(self, name: template.Statement, *, values: Mapping[str, Any] | None = None, **holes: Any) -> list[Row]:
        """Runs a statement over the tables of the search (see Engine.query)."""
        self._deadline.check()
        return self.home.rows(self.home.written(self._filled(name, **holes), values))

    @contextmanager
    def until(self, deadline: Deadline) -> Iterator[None]:
        """Asks nothing more once the deadline has passed; a statement that runs is not interrupted."""
        self._deadline = deadline
        try:
            yield
        finally:
            self._deadline = Deadline()

    def bring_suppressed(self, engine: Engine, statement: template.Statement, k: int, keys: Sequence[Item]) -> None:
        """Makes the table suppressed_classes in DuckDB, of what its statement selects there."""
        made = self._filled(statement, lists={"key": keys})
        assert isinstance(made, exp.Create)
        columns = [*((str(key["code"]), "BIGINT") for key in keys), ("is_suppressed", "BOOLEAN")]
        self.home.bring(engine, self.home.written(made.expression, {"k": k}), columns, state("suppressed_classes"))

    def _filled(self, name: template.Statement, **holes: Any) -> exp.Expr:
        tree = template.fill(name, **holes)
        for table in list(tree.find_all(exp.Table)):
            if table.name in self.tables and not table.args.get("db"):
                template.put(table, exp.Subquery(this=self.tables[table.name].copy()))
        return tree


def frequency_there(
    engine: Engine,
    home: Warehouse,
    kept: Kept,
    columns: Sequence[Column],
    mappings: Sequence[MappingTable],
    values: Sequence[exp.Select],
    places: Sequence[str],
) -> tuple[Frequency, NodesThere]:
    """Codes the combinations in the engine, and gives DuckDB the costs of each column's values.

    Raises ConfigurationError when hierarchies leave values uncovered, NoReleaseError without any row.
    """
    marginals = _marginals(engine, columns, mappings, values, places)
    coded = home.keep(_coded(engine, home, kept, columns, mappings), "coded")
    names = [code_name(m.index, level) for m in mappings for level in range(m.height + 1)]
    tuples = exp.select(*map(column, [*names, "row_count"])).from_(coded)
    count, n = home.query("frequency/tuple_count", names={"tuples": tuples})[0]
    if not n:
        raise NoReleaseError("the source has no row; there is nothing to release")
    tables = {state("tuples"): tuples}
    for mapping in mappings:
        costs = state(f"costs_{mapping.index}")
        rows: tuple[tuple[Cell, ...], ...] = tuple(
            (*map(int, row[:3]), str(row[3])) for row in engine.query("engines/costs", names={"costs": costs})
        )
        typed = (("level", "BIGINT"), ("code", "BIGINT"), ("units", "BIGINT"), ("spread", "DOUBLE"))
        tables[costs] = _loaded(home, Listing(f"costs_{mapping.index}", "the costs", typed, rows))
    return Frequency(tuple(mappings), int(n), int(count), marginals), NodesThere(home, tables)


def _marginals(
    engine: Engine,
    columns: Sequence[Column],
    mappings: Sequence[MappingTable],
    values: Sequence[exp.Select],
    places: Sequence[str],
) -> tuple[tuple[LevelMarginal, ...], ...]:
    """What each level of each column costs, by the frequency of that column alone."""
    problems: list[str] = []
    found = []
    for item, mapping, rows, place in zip(columns, mappings, values, places, strict=True):
        holes = frequency_items([item], [mapping])
        count_records(engine, rows, holes, Carried(), staged=True)
        try:
            refuse_uncovered(engine, rows, [item], [mapping], [place], holes)
        except ConfigurationError as error:
            problems += error.problems
        else:
            found.append(build_costs(engine, mapping))
    if problems:
        raise ConfigurationError(problems)
    return tuple(found)


def _coded(
    engine: Engine, home: Warehouse, kept: Kept, columns: Sequence[Column], mappings: Sequence[MappingTable]
) -> str:
    """The statement of the combinations by the codes of every level."""
    listed: list[exp.CTE] = []
    cell_items: list[Item] = []
    joined: list[Item] = []
    for item, mapping in zip(columns, mappings, strict=True):
        steps: list[Item] = [{"code": f"level_{level}"} for level in range(mapping.height + 1)]
        rows = engine.query("engines/codes", names={"mapping": mapping.table}, lists={"step": steps})
        absent = next((row[1:] for row in rows if row[0] is None), None)
        there = tuple((cells(row[0], item.type), *map(int, row[1:])) for row in rows if row[0] is not None)
        typed = (("value", item.type), *((str(step["code"]), "BIGINT") for step in steps))
        listing = Listing(f"codes_{mapping.index}", f"quasi-identifier {item.name!r}", typed, there)
        listed.append(home.listed(listing))
        for level in range(mapping.height + 1):
            code = None if absent is None else exp.Literal.number(int(absent[level]))
            value = or_missing(column(item.key, "source"), column(f"level_{level}", listing.name), code)
            cell_items.append({"value": value, "name": code_name(mapping.index, level)})
        joined.append({"mapping": listing.name, "key": item.key})
    keys = [*(column(item.key) for item in columns), column("row_count")]
    names = {"source": exp.select(*keys).from_(kept.table.copy())}
    statement = template.fill("engines/coded", names=names, lists={"cell": cell_items, "qi": joined})
    assert isinstance(statement, exp.Select)
    set_with(statement, listed)
    return home.written(statement)


def _loaded(home: Warehouse, listing: Listing) -> exp.Select:
    """SELECT of a table of values that was loaded into the engine."""
    made = home.listed(listing).this
    assert isinstance(made, exp.Select)
    return made
