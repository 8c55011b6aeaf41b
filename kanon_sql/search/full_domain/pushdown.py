"""The search where the rows are: for distinct combinations too many to leave the engine that holds them.

The lattice is searched as always; each node is a GROUP BY over the combinations there. What DuckDB has are the values
of each single column, which the hierarchies and the bounds of the loss need, and those of the sensitive columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from kanon_sql.config.load import LoadedConfig
from kanon_sql.config.model import Config
from kanon_sql.errors import ConfigurationError, NoReleaseError
from kanon_sql.frequency.judged import Models, count_models, model_columns, read_models
from kanon_sql.frequency.sensitive import Sensitive
from kanon_sql.frequency.table import (
    Carried,
    Frequency,
    LevelMarginal,
    build_costs,
    code_name,
    count_records,
    frequency_items,
)
from kanon_sql.hierarchy.hierarchy import Input
from kanon_sql.hierarchy.mapping import MappingTable
from kanon_sql.hierarchy.uncovered import refuse_uncovered
from kanon_sql.privacy.registry import models_of
from kanon_sql.search.full_domain.soft_deadline import Unhurried
from kanon_sql.source.columns import counted_columns, counted_statement, or_missing
from kanon_sql.source.model import Backend, Column, Source
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine, Row, literal
from kanon_sql.sql.template import Composed, Item, column, state
from kanon_sql.sql.writing import Cell, Listing, cell_of

MOST_IN_DUCKDB = 20_000_000  # distinct combinations, of about 100 bytes each


@dataclass(frozen=True)
class Kept:
    """The `count` distinct combinations of columns as a table of the engine that holds the rows.

    `searched` says that they are to be searched there.
    """

    backend: Backend
    columns: Sequence[Column]
    table: exp.Table
    searched: bool

    def bring(self, engine: Engine) -> exp.Select:
        """SELECT of them in DuckDB, with the number of rows as row_count."""
        typed = counted_columns(self.columns)
        kept = exp.select(*(column(name) for name, _ in typed)).from_(self.table.copy())
        return self.backend.bring(engine, kept, typed, state("raw_frequency"))

    def bring_values(self, engine: Engine, items: Sequence[Column], table: str) -> exp.Select:
        """SELECT in DuckDB of what columns hold together, with the number of rows as row_count."""
        keys = [column(item.key) for item in items]
        rows = exp.select(*keys, column("row_count")).from_(self.table.copy())
        outputs: list[Item] = [{"key": item.key} for item in items]
        statement = template.fill("search/full_domain/pushdown_values", {"source": rows}, {"out": outputs})
        return self.backend.bring(engine, statement, counted_columns(items), table)


def keep_combinations(
    loaded: LoadedConfig, backend: Backend, rows: exp.Select, columns: Sequence[Column]
) -> Kept | None:
    """Keeps the distinct combinations where they may be searched there; None where DuckDB searches them in any case.

    Raises ConfigurationError where the search is asked for there and cannot be done.
    """
    asked, reason = loaded.config.search_in, refusal(loaded.config)
    if asked == "engine" and reason is not None:
        raise ConfigurationError(f"{loaded.place('search_in')}: {reason}; expected search_in: auto or duckdb")
    if asked == "duckdb" or reason is not None or not backend.abilities.pushdown:
        return None
    table = backend.keep(counted_statement(backend, rows, columns), "combinations")
    counts = exp.select(column("row_count")).from_(table.copy())
    count = int(backend.query("frequency/tuple_count", names={"tuples": counts})[0][0])
    return Kept(backend, columns, table, asked == "engine" or count > MOST_IN_DUCKDB)


def refusal(config: Config) -> str | None:
    """Why the engine that holds the rows cannot search for what is asked; None where it can."""
    if not config.algorithm.declared.full_domain:
        return f"{config.algorithm.name} searches in DuckDB alone"
    if config.privacy.entity is not None:
        return "entities are counted in DuckDB alone"
    if left := [model.key for model in models_of(config.privacy) if not model.spec.portable]:
        return f"{', '.join(dict.fromkeys(left))} is judged in DuckDB alone"
    if any(spec.aggregate for spec in config.quasi_identifiers.values()):
        return "aggregates are found in DuckDB alone"
    if config.release.suppressed == "mask":
        return "whether rows can be masked is found in DuckDB alone"
    return None


class NodesThere:
    """Asks the engine that holds the rows about nodes (see kanon_sql.search.full_domain.checker.Counter)."""

    searched_in = "engine"
    packs = False  # each engine makes rows of a list in its own way

    def __init__(self, engine: Engine, backend: Backend, tables: Mapping[str, exp.Select]) -> None:
        self._engine = engine
        self._backend = backend
        self._tables = tables

    def query(self, name: template.Statement, *, values: Mapping[str, Any] | None = None, **holes: Any) -> list[Row]:
        return self._backend.query(Composed(self._filled(name, **holes)), values=values)

    def list_suppressed(self, statement: template.Statement, values: Mapping[str, int], keys: Sequence[Item]) -> None:
        made = self._filled(statement, lists={"key": keys})
        assert isinstance(made, exp.Create)
        for node in list(made.find_all(exp.Parameter, exp.Placeholder)):
            node.replace(literal(values[node.name]))
        columns = [*((str(key["code"]), "BIGINT") for key in keys), ("is_suppressed", "BOOLEAN")]
        self._backend.bring(self._engine, made.expression, columns, state("suppressed_classes"))

    def _filled(self, name: template.Statement, **holes: Any) -> exp.Expr:
        tree = template.fill(name, **holes)
        for table in list(tree.find_all(exp.Table)):
            if table.name in self._tables and not table.args.get("db"):
                template.put(table, exp.Subquery(this=self._tables[table.name].copy()))
        return tree


def models_there(engine: Engine, loaded: LoadedConfig, source: Source, kept: Kept) -> tuple[Models, exp.Select | None]:
    """(the models, what DuckDB needs of the sensitive columns: what they hold together, and how many rows have it)."""
    columns = model_columns(loaded, source)
    if not columns:
        return Models(), None
    rows = kept.bring_values(engine, columns, state("sensitive_values"))
    models = read_models(engine, loaded, source, rows)
    count_records(engine, rows, [], models.carried(source), staged=True)
    return count_models(engine, models, [], []), rows


def frequency_there(
    engine: Engine, kept: Kept, inputs: Sequence[Input], mappings: Sequence[MappingTable], models: Models
) -> tuple[Frequency, Unhurried]:
    """Codes the combinations in the engine, and gives DuckDB the costs of each column's values.

    `inputs` read what `bring_values` brought. Raises ConfigurationError when hierarchies leave values uncovered,
    NoReleaseError without any row.
    """
    backend = kept.backend
    marginals = _marginals(engine, inputs, mappings)
    coded = backend.keep(_coded(engine, kept, inputs, mappings, models), "coded")
    names = [code_name(m.index, level) for m in mappings for level in range(m.height + 1)]
    tables: dict[str, exp.Select] = {}
    tuples = exp.select(*map(column, [*names, "row_count"])).from_(coded)
    if models.columns:
        for one in models.columns.values():
            value = exp.alias_(column(one.code), "value", quoted=True)
            tables[one.table] = exp.select(*map(column, names), value, column("row_count")).from_(coded.copy())
            tables[one.reference] = _reference(engine, backend, one)
        statement = template.fill(
            "frequency/tuples_of_values", {"records": tuples}, {"cell": [{"name": name} for name in names]}
        )
        tuples = exp.select(*map(column, [*names, "row_count"])).from_(backend.keep(statement, "tuples"))
    count, n = backend.query("frequency/tuple_count", names={"tuples": tuples})[0]
    if not n:
        raise NoReleaseError("the source has no row; there is nothing to release")
    tables[state("tuples")] = tuples
    for mapping in mappings:
        costs = state(f"costs_{mapping.index}")
        rows: tuple[tuple[Cell, ...], ...] = tuple(
            (*map(int, row[:3]), str(row[3]))
            for row in engine.query("search/full_domain/pushdown_costs", names={"costs": costs})
        )
        typed = (("level", "BIGINT"), ("code", "BIGINT"), ("units", "BIGINT"), ("spread", "DOUBLE"))
        tables[costs] = _loaded(backend, Listing(f"costs_{mapping.index}", "the costs", typed, rows))
    return Frequency(tuple(mappings), int(n), int(count), marginals), Unhurried(NodesThere(engine, backend, tables))


def _reference(engine: Engine, backend: Backend, one: Sensitive) -> exp.Select:
    """How many of all rows hold each sensitive value, as the engine has it."""
    found = engine.query("search/full_domain/pushdown_reference", names={"reference": one.reference})
    typed = (("value", "BIGINT"), ("row_count", "BIGINT"), ("share", "DOUBLE"))
    rows: tuple[tuple[Cell, ...], ...] = tuple((int(row[0]), int(row[1]), str(row[2])) for row in found)
    return _loaded(backend, Listing(f"shares_{one.index}", f"column {one.column.name!r}", typed, rows))


def _loaded(backend: Backend, listing: Listing) -> exp.Select:
    listed = backend.listed(listing).this
    assert isinstance(listed, exp.Select)
    return listed


def _marginals(
    engine: Engine, inputs: Sequence[Input], mappings: Sequence[MappingTable]
) -> tuple[tuple[LevelMarginal, ...], ...]:
    """What each level of each column costs, by the frequency of that column alone."""
    problems: list[str] = []
    found = []
    for one, mapping in zip(inputs, mappings, strict=True):
        rows = exp.select("*").from_(exp.Table(this=template.quoted(state(f"values_{one.index}"))))
        holes = frequency_items([one.column], [mapping])
        count_records(engine, rows, holes, Carried(), staged=True)
        try:
            refuse_uncovered(engine, rows, [one.column], [mapping], [one.place], holes)
        except ConfigurationError as error:
            problems += error.problems
        else:
            found.append(build_costs(engine, mapping))
    if problems:
        raise ConfigurationError(problems)
    return tuple(found)


def _coded(
    engine: Engine, kept: Kept, inputs: Sequence[Input], mappings: Sequence[MappingTable], models: Models
) -> exp.Select:
    """The statement of the combinations by the codes of every level, and of the sensitive columns."""
    listed: list[exp.CTE] = []
    cells: list[Item] = []
    joined: list[Item] = []
    for one, mapping in zip(inputs, mappings, strict=True):
        item = one.column
        steps: list[Item] = [{"code": f"level_{level}"} for level in range(mapping.height + 1)]
        listing, absent = _codes(
            engine, f"codes_{mapping.index}", f"quasi-identifier {item.name!r}", item, mapping.table, steps
        )
        listed.append(kept.backend.listed(listing))
        for level in range(mapping.height + 1):
            code = None if absent is None else exp.Literal.number(int(absent[level]))
            value = or_missing(column(item.key, "source"), column(f"level_{level}", listing.name), code)
            cells.append({"value": value, "name": code_name(mapping.index, level)})
        joined.append({"mapping": listing.name, "key": item.key})
    for sensitive in models.columns.values():
        item = sensitive.column
        listing, absent = _codes(engine, sensitive.code, f"column {item.name!r}", item, sensitive.domain, _POSITION)
        listed.append(kept.backend.listed(listing))
        code = exp.Literal.number(0 if absent is None else int(absent[0]))
        value = or_missing(column(item.key, "source"), column("position", listing.name), code)
        cells.append({"value": value, "name": sensitive.code})
        joined.append({"mapping": listing.name, "key": item.key})
    keys = [*map(column, dict.fromkeys(str(one["key"]) for one in joined)), column("row_count")]
    source = exp.select(*keys).from_(kept.table.copy())
    statement = template.fill("search/full_domain/pushdown_coded", {"source": source}, {"cell": cells, "qi": joined})
    assert isinstance(statement, exp.Select)
    for part in listed:
        statement = statement.with_(part.args["alias"].this, as_=part.this)
    return statement


_POSITION: list[Item] = [{"code": "position"}]


def _codes(
    engine: Engine, name: str, subject: str, item: Column, table: str, steps: Sequence[Item]
) -> tuple[Listing, Row | None]:
    """(a column's values with their codes, the codes of a missing one)."""
    rows = engine.query("search/full_domain/pushdown_codes", names={"mapping": table}, lists={"step": steps})
    absent = next((row[1:] for row in rows if row[0] is None), None)
    there = tuple((cell_of(row[0], item.type), *map(int, row[1:])) for row in rows if row[0] is not None)
    typed = (("value", item.type), *((str(step["code"]), "BIGINT") for step in steps))
    return Listing(name, subject, typed, there), absent
