"""The search in the engine that holds the rows, for more distinct combinations than should leave it.

A lattice is searched as always; each node is a GROUP BY over the combinations in that engine. Cuts are found as always
too, by the same statements (see kanon_sql.search.rounds). DuckDB has the values of each single column, for the
hierarchies, the order of values and the bounds of the loss, and those of the sensitive columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlglot import exp

from kanon_sql.config.load import LoadedConfig
from kanon_sql.config.model import Config
from kanon_sql.errors import ConfigurationError, NoReleaseError
from kanon_sql.frequency.dimensions import Dimension
from kanon_sql.frequency.judged import Models, count_models, model_columns, read_models
from kanon_sql.frequency.sensitive import Sensitive
from kanon_sql.frequency.table import (
    Frequency,
    FurtherColumns,
    LevelMarginal,
    Tuples,
    build_costs,
    code_name,
    count_records,
    frequency_items,
)
from kanon_sql.hierarchy.hierarchy import GeneralizedColumn
from kanon_sql.hierarchy.mapping import MappingTable
from kanon_sql.hierarchy.uncovered import refuse_uncovered
from kanon_sql.privacy.registry import models_of, thresholds_of
from kanon_sql.search.full_domain.soft_deadline import UninterruptedNodes
from kanon_sql.search.rounds import RemoteRounds
from kanon_sql.source.columns import counted_columns, counted_statement, or_missing
from kanon_sql.source.model import Backend, Column, Source
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine, Row, literal
from kanon_sql.sql.template import Composed, Item, column, state
from kanon_sql.sql.writing import Cell, Listing, cell_of

MOST_IN_DUCKDB = 20_000_000  # distinct combinations, of about 100 bytes each
_MOST_DIMENSIONS = 62  # the bits of a BIGINT
_POSITION: list[Item] = [{"code": "position"}]


@dataclass(frozen=True)
class RemoteCombinations:
    """The distinct combinations of columns, as a table of the engine that holds the rows.

    `searched` says that the search runs there.
    """

    backend: Backend
    columns: Sequence[Column]
    table: exp.Table
    searched: bool

    def bring(self, engine: Engine) -> exp.Select:
        """SELECT of the combinations in DuckDB, with their numbers of rows as row_count."""
        typed = counted_columns(self.columns)
        kept = exp.select(*(column(name) for name, _ in typed)).from_(self.table.copy())
        return self.backend.bring(engine, kept, typed, state("raw_frequency"))

    def bring_values(self, engine: Engine, columns: Sequence[Column], table: str) -> exp.Select:
        """SELECT in DuckDB of the combinations of some columns, with their numbers of rows as row_count."""
        keys = [column(col.key) for col in columns]
        rows = exp.select(*keys, column("row_count")).from_(self.table.copy())
        outputs: list[Item] = [{"key": col.key} for col in columns]
        statement = template.fill("search/full_domain/pushdown_values", {"source": rows}, {"out": outputs})
        return self.backend.bring(engine, statement, counted_columns(columns), table)


def keep_combinations(
    loaded: LoadedConfig, backend: Backend, rows: exp.Select, columns: Sequence[Column]
) -> RemoteCombinations | None:
    """Keeps the distinct combinations in the engine if it may search them; None if DuckDB searches in any case.

    Raises ConfigurationError if the configuration requires a search there that cannot be done.
    """
    search_in, reason = loaded.config.search_in, refusal(loaded.config)
    # For rounds DuckDB, which writes to disk what does not fit, is faster unless many machines make them.
    in_duckdb = search_in == "duckdb" or (search_in == "auto" and not loaded.config.algorithm.declared.full_domain)
    if search_in == "engine" and reason is not None:
        raise ConfigurationError(f"{loaded.place('search_in')}: {reason}; expected search_in: auto or duckdb")
    if in_duckdb or reason is not None or not backend.abilities.pushdown:
        return None
    if search_in == "auto" and not backend.takes_tables:
        return None
    table = backend.keep(counted_statement(backend, rows, columns), "combinations")
    counts = exp.select(column("row_count")).from_(table.copy())
    count = int(backend.query("frequency/tuple_count", names={"tuples": counts})[0][0])
    return RemoteCombinations(backend, columns, table, search_in == "engine" or count > MOST_IN_DUCKDB)


def refusal(config: Config) -> str | None:
    """Why the engine that holds the rows cannot do the search; None if it can."""
    if not config.algorithm.declared.pushdown:
        return f"{config.algorithm.name} searches in DuckDB alone"
    if config.privacy.entity is not None:
        return "entities are counted in DuckDB alone"
    if config.group is not None or config.privacy.known_columns is not None:
        return "rows that fall in rounds are found in DuckDB alone"
    if not config.algorithm.declared.full_domain and (reason := _refused_cuts(config)) is not None:
        return reason
    if above := thresholds_of(config.privacy):
        return f"{', '.join(threshold.key for threshold in above)} of the whole table is judged in DuckDB alone"
    if left := [model.key for model in models_of(config.privacy) if not model.spec.portable]:
        return f"{', '.join(dict.fromkeys(left))} is judged in DuckDB alone"
    if any(spec.aggregate for spec in config.quasi_identifiers.values()):
        return "aggregates are found in DuckDB alone"
    if config.release.suppressed == "mask":
        return "whether rows can be masked is found in DuckDB alone"
    return None


def _refused_cuts(config: Config) -> str | None:
    """Why the engine that holds the rows cannot find the cuts of Mondrian; None if it can."""
    algorithm = config.algorithm
    if algorithm.cut == "relaxed":
        return "cut: relaxed deals out rows of the same values, in DuckDB alone"
    if algorithm.dimension == "random":
        return "dimension: random draws by a hash that DuckDB alone has"
    if len(config.quasi_identifiers) > _MOST_DIMENSIONS:
        return f"mondrian takes at most {_MOST_DIMENSIONS} quasi-identifiers outside of DuckDB"
    return None


class RemoteNodes:
    """Checks nodes in the engine that holds the rows (see kanon_sql.search.full_domain.checker.Counter)."""

    searched_in: Literal["duckdb", "engine"] = "engine"
    packs = False  # engines differ in how they unnest a list

    def __init__(self, engine: Engine, backend: Backend, tables: Mapping[str, exp.Select]) -> None:
        self._engine = engine
        self._backend = backend
        self._tables = tables

    def query(self, name: template.Statement, *, values: Mapping[str, Any] | None = None, **holes: Any) -> list[Row]:
        return self._backend.query(Composed(self._filled(name, **holes)), values=values)

    def list_suppressed(self, statement: template.Statement, values: Mapping[str, int], keys: Sequence[Item]) -> None:
        create = self._filled(statement, lists={"key": keys})
        assert isinstance(create, exp.Create)
        for parameter in list(create.find_all(exp.Parameter, exp.Placeholder)):
            parameter.replace(literal(values[parameter.name]))
        columns = [*((str(key["code"]), "BIGINT") for key in keys), ("is_suppressed", "BOOLEAN")]
        self._backend.bring(self._engine, create.expression, columns, state("suppressed_classes"))

    def _filled(self, name: template.Statement, **holes: Any) -> exp.Expr:
        tree = template.fill(name, **holes)
        for table in list(tree.find_all(exp.Table)):
            if table.name in self._tables and not table.args.get("db"):
                template.put(table, exp.Subquery(this=self._tables[table.name].copy()))
        return tree


def remote_models(
    engine: Engine, loaded: LoadedConfig, source: Source, kept: RemoteCombinations
) -> tuple[Models, exp.Select | None]:
    """(the models, the combinations of the sensitive columns in DuckDB with their numbers of rows)."""
    columns = model_columns(loaded, source)
    if not columns:
        return Models(), None
    rows = kept.bring_values(engine, columns, state("sensitive_values"))
    models = read_models(engine, loaded, source, rows)
    count_records(engine, rows, [], models.further_columns(source), staged=True)
    return count_models(engine, models, [], []), rows


def remote_frequency(
    engine: Engine,
    kept: RemoteCombinations,
    inputs: Sequence[GeneralizedColumn],
    mappings: Sequence[MappingTable],
    models: Models,
) -> tuple[Frequency, UninterruptedNodes]:
    """Codes the combinations in the engine, and gives it the costs of the values of each column.

    `inputs` read what `bring_values` brought. Raises ConfigurationError if hierarchies leave values uncovered,
    NoReleaseError without any row.
    """
    backend = kept.backend
    marginals = _marginals(engine, inputs, mappings)
    coded = backend.keep(_coded(engine, kept, inputs, mappings, models), "coded")
    names = [code_name(m.index, level) for m in mappings for level in range(m.height + 1)]
    tables: dict[str, exp.Select] = {}
    tuples = exp.select(*map(column, [*names, "row_count"])).from_(coded)
    if models.columns:
        for attribute in models.columns.values():
            value = exp.alias_(column(attribute.code), "value", quoted=True)
            tables[attribute.table] = exp.select(*map(column, names), value, column("row_count")).from_(coded.copy())
            tables[attribute.reference] = _reference(engine, backend, attribute)
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
    return Frequency(tuple(mappings), int(n), int(count), marginals), UninterruptedNodes(
        RemoteNodes(engine, backend, tables)
    )


def remote_tuples(
    engine: Engine, kept: RemoteCombinations, dimensions: Sequence[Dimension], models: Models
) -> tuple[Tuples, RemoteRounds]:
    """Counts the combinations by the positions of their values, in the engine that holds them.

    Raises NoReleaseError without any row.
    """
    backend = kept.backend
    listed: list[exp.CTE] = []
    cells: list[Item] = []
    joined: list[Item] = []
    for d in dimensions:
        subject = f"quasi-identifier {d.column.name!r}"
        listing, value = _placed(engine, f"domain_{d.index}", subject, d.column, d.domain)
        listed.append(backend.listed(listing))
        cells.append({"value": value, "name": d.position})
        joined.append({"mapping": listing.name, "key": d.column.key})
    _add_sensitive(engine, kept, models, listed, cells, joined)
    records = backend.keep_settled(_with_codes(kept, listed, cells, joined), "coded")
    positions = [d.position for d in dimensions]
    table = _counted_by(backend, records, [(key, key) for key in positions], "positions")
    given: dict[str, tuple[Sequence[str], exp.Table]] = {state("frequency"): ((*positions, "row_count"), table)}
    for attribute in models.columns.values():
        keys = [*((key, key) for key in positions), (attribute.code, "value")]
        values = _counted_by(backend, records, keys, f"values_{attribute.index}")
        given[attribute.table] = ((*positions, "value", "row_count"), values)
        shares = backend.keep_settled(_reference(engine, backend, attribute), f"reference_{attribute.index}")
        given[attribute.reference] = (("value", "row_count", "share"), shares)
    backend.forget(records)
    counted = exp.select(column("row_count")).from_(table.copy())
    count, n = backend.query("frequency/tuple_count", names={"tuples": counted})[0]
    if not n:
        raise NoReleaseError("the source has no row; there is nothing to release")
    return Tuples(tuple(dimensions), int(n), int(count)), RemoteRounds(engine, backend, given)


def _counted_by(backend: Backend, records: exp.Table, keys: Sequence[tuple[str, str]], name: str) -> exp.Table:
    """Keeps how many rows have each combination of some columns, which are (named, called)."""
    named = [exp.alias_(column(key), called, quoted=True) for key, called in keys]
    rows = exp.select(*named, column("row_count")).from_(records.copy())
    cells: list[Item] = [{"name": called} for _, called in keys]
    return backend.keep_settled(template.fill("frequency/tuples_of_values", {"records": rows}, {"cell": cells}), name)


def _add_sensitive(
    engine: Engine,
    kept: RemoteCombinations,
    models: Models,
    listed: list[exp.CTE],
    cells: list[Item],
    joined: list[Item],
) -> None:
    """Adds the codes of the sensitive columns to those of the combinations."""
    for attribute in models.columns.values():
        col = attribute.column
        listing, value = _placed(engine, attribute.code, f"column {col.name!r}", col, attribute.domain)
        listed.append(kept.backend.listed(listing))
        cells.append({"value": value, "name": attribute.code})
        joined.append({"mapping": listing.name, "key": col.key})


def _reference(engine: Engine, backend: Backend, attribute: Sensitive) -> exp.Select:
    """The numbers of rows and the shares of the sensitive values in all rows, as a relation of the engine."""
    counts = engine.query("search/full_domain/pushdown_reference", names={"reference": attribute.reference})
    typed = (("value", "BIGINT"), ("row_count", "BIGINT"), ("share", "DOUBLE"))
    rows: tuple[tuple[Cell, ...], ...] = tuple((int(row[0]), int(row[1]), str(row[2])) for row in counts)
    return _loaded(backend, Listing(f"shares_{attribute.index}", f"column {attribute.column.name!r}", typed, rows))


def _loaded(backend: Backend, listing: Listing) -> exp.Select:
    listed = backend.listed(listing).this
    assert isinstance(listed, exp.Select)
    return listed


def _marginals(
    engine: Engine, inputs: Sequence[GeneralizedColumn], mappings: Sequence[MappingTable]
) -> tuple[tuple[LevelMarginal, ...], ...]:
    """The costs of each level of each column, from the frequencies of that column alone."""
    marginals: list[tuple[LevelMarginal, ...]] = []
    for mapping in _covering(engine, list(zip(inputs, mappings, strict=True))):
        marginals.append(build_costs(engine, mapping))
    return tuple(marginals)


def refuse_uncovered_alone(engine: Engine, trees: Sequence[tuple[GeneralizedColumn, MappingTable]]) -> None:
    """Raises ConfigurationError for values that hierarchies do not cover, looking at each column alone."""
    for _ in _covering(engine, trees):
        pass


def _covering(engine: Engine, trees: Sequence[tuple[GeneralizedColumn, MappingTable]]) -> Iterator[MappingTable]:
    """Each hierarchy that covers the values of its column, while the frequency table is that of this column alone.

    Raises ConfigurationError in the end, for those that do not.
    """
    problems: list[str] = []
    for qi, mapping in trees:
        rows = exp.select("*").from_(exp.Table(this=template.quoted(state(f"values_{qi.index}"))))
        holes = frequency_items([qi.column], [mapping])
        count_records(engine, rows, holes, FurtherColumns(), staged=True)
        try:
            refuse_uncovered(engine, rows, [qi.column], [mapping], [qi.place], holes)
        except ConfigurationError as error:
            problems += error.problems
        else:
            yield mapping
    if problems:
        raise ConfigurationError(problems)


def _coded(
    engine: Engine,
    kept: RemoteCombinations,
    inputs: Sequence[GeneralizedColumn],
    mappings: Sequence[MappingTable],
    models: Models,
) -> exp.Select:
    """The SELECT of the combinations by the codes of every level, and of the sensitive columns."""
    listed: list[exp.CTE] = []
    cells: list[Item] = []
    joined: list[Item] = []
    for qi, mapping in zip(inputs, mappings, strict=True):
        col = qi.column
        steps: list[Item] = [{"code": f"level_{level}"} for level in range(mapping.height + 1)]
        listing, absent = _codes(
            engine, f"codes_{mapping.index}", f"quasi-identifier {col.name!r}", col, mapping.table, steps
        )
        listed.append(kept.backend.listed(listing))
        for level in range(mapping.height + 1):
            code = None if absent is None else exp.Literal.number(int(absent[level]))
            value = or_missing(column(col.key, "source"), column(f"level_{level}", listing.name), code)
            cells.append({"value": value, "name": code_name(mapping.index, level)})
        joined.append({"mapping": listing.name, "key": col.key})
    _add_sensitive(engine, kept, models, listed, cells, joined)
    return _with_codes(kept, listed, cells, joined)


def _with_codes(
    kept: RemoteCombinations, listed: Sequence[exp.CTE], cells: Sequence[Item], joined: Sequence[Item]
) -> exp.Select:
    """The SELECT of the combinations by the codes that are `listed`."""
    keys = [*map(column, dict.fromkeys(str(join["key"]) for join in joined)), column("row_count")]
    source = exp.select(*keys).from_(kept.table.copy())
    statement = template.fill("search/full_domain/pushdown_coded", {"source": source}, {"cell": cells, "qi": joined})
    assert isinstance(statement, exp.Select)
    for part in listed:
        statement = statement.with_(part.args["alias"].this, as_=part.this)
    return statement


def _placed(engine: Engine, name: str, subject: str, col: Column, domain: str) -> tuple[Listing, exp.Expr]:
    """(a column's values with their positions, the position of a value of the combinations)."""
    listing, absent = _codes(engine, name, subject, col, domain, _POSITION)
    code = exp.Literal.number(0 if absent is None else int(absent[0]))
    return listing, or_missing(column(col.key, "source"), column("position", name), code)


def _codes(
    engine: Engine, name: str, subject: str, col: Column, table: str, steps: Sequence[Item]
) -> tuple[Listing, Row | None]:
    """(a column's values with their codes, the codes of a missing value)."""
    rows = engine.query("search/full_domain/pushdown_codes", names={"mapping": table}, lists={"step": steps})
    absent = next((row[1:] for row in rows if row[0] is None), None)
    coded = tuple((cell_of(row[0], col.type), *map(int, row[1:])) for row in rows if row[0] is not None)
    typed = (("value", col.type), *((str(step["code"]), "BIGINT") for step in steps))
    return Listing(name, subject, typed, coded), absent
