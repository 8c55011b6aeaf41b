"""The statement that returns the classes of a release which violate k or a model: counts only, no value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import comb

from sqlglot import exp

from kanon_sql.errors import ConfigurationError
from kanon_sql.frequency.judged import Models
from kanon_sql.frequency.sensitive import Sensitive
from kanon_sql.recount.combinations import violating_combinations
from kanon_sql.recount.statement import Chain, Question, Table, parts_of, ranks_and_steps
from kanon_sql.release.compiled import CompiledRelease, CompileRequest, other_name, present, source_rows
from kanon_sql.source.model import Column
from kanon_sql.source.reading import understood
from kanon_sql.source.roles import Roles
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.tables import union_all
from kanon_sql.sql.template import column, quoted
from kanon_sql.sql.writing import Listing

MOST_SETS = 500  # of columns that a statement counts, each by itself

Check = tuple[exp.Query, tuple[Listing, ...], tuple[str, ...]]

# The columns of a listing in their order, how many of them tell its rows apart, and how its rows are sorted.
_LISTED = {
    "ranks": ((("value", "VARCHAR"), ("rank", "BIGINT")), 1, "rank, value"),
    "steps": ((("value", "VARCHAR"), ("level", "BIGINT"), ("node", "BIGINT")), 2, "value NULLS FIRST, level"),
}


def compiled_check(
    engine: Engine,
    request: CompileRequest,
    roles: Roles,
    body: CompiledRelease,
    models: Models,
    k: int,
    table: exp.Table | None,
) -> Check:
    """(the statement, its listings, the keys of models that it does not check as they compare with a population).

    It returns the violating classes of the `table` that the release was stored in, else of the release as the statement
    makes it of the source.
    """
    checked = tuple(model for model in models.models if model.population is None)
    if models.known_columns is not None:
        return _of_few_columns(request, body, replace(models, models=checked), k, table)
    values = {name: _counted(attr.column, request, other_name(attr.column)) for name, attr in models.columns.items()}
    entity = column("entity") if models.by_entity else None
    reference = Table(exp.Table(this=quoted("source_rows")), (), values, entity)  # all rows that take part
    question = Question(k, checked, models.columns, reference, missing=request.missing)
    listings: list[Listing] = [] if table is not None else list(body.listings)
    from_engine = ranks_and_steps(request.missing)

    def listed(name: str, attr: Sensitive) -> None:
        columns, keys, order = _LISTED[name]
        statement = from_engine(name, attr)
        assert isinstance(statement, exp.Select)
        rows = engine.run(template.text(statement.order_by(order, dialect="duckdb")))
        subject = f"sensitive column {attr.column.name!r}"
        listings.append(Listing(f"{name}_{attr.index}", subject, columns, tuple(rows), keys))

    chain = Chain(_released(request, body, models, table, question.attributes), question, listed)
    violating = [_named("k entities" if models.by_entity else "k", chain.too_small(exp.Literal.number(k)))]
    for index, model in enumerate(checked):
        violating.append(_named(f"{model.key} of {model.column}", chain.violating(index)))
    statement = union_all(violating)
    assert isinstance(statement, exp.Query)
    before = body.parts() if table is None else []
    if table is not None and any("reference" in parts_of(model) for model in checked):
        before = [source_rows(request, roles)]
    chain.before(statement, *before)
    return statement, tuple(listings), tuple(model.key for model in models.models if model.population is not None)


def _of_few_columns(
    request: CompileRequest, body: CompiledRelease, models: Models, k: int, table: exp.Table | None
) -> Check:
    """The statement for every combination of `known_columns` columns, unless there are too many."""
    quasi = [col.name for col in body.released if col.is_quasi_identifier]
    if (sets := comb(len(quasi), models.known_columns or 0)) > MOST_SETS:
        raise ConfigurationError(
            f"--check: {len(quasi)} quasi-identifiers have {sets:,} sets of {models.known_columns}; a statement "
            f"counts at most {MOST_SETS}, `kanon-sql check` counts all"
        )
    question = Question(k, models.models, models.columns, missing=request.missing, known_columns=models.known_columns)
    rows, combinations = violating_combinations(_released(request, body, models, table, question.attributes), question)
    statement = union_all([_named(name, select) for name, select in combinations])
    assert isinstance(statement, exp.Query)
    statement.set("with_", exp.With(expressions=[*(body.parts() if table is None else []), rows]))
    return statement, () if table is not None else tuple(body.listings), ()


def _released(
    request: CompileRequest,
    body: CompiledRelease,
    models: Models,
    table: exp.Table | None,
    attributes: Sequence[Sensitive],
) -> Table:
    """The rows of the release, from the stored table or from the statement."""
    codes = {col.name: col.code if table is None else col.name for col in body.released}
    keys = [column(codes[col.name]) for col in body.released if col.is_quasi_identifier]
    values = {entry.column.name: _counted(entry.column, request, codes[entry.column.name]) for entry in attributes}
    entity = column("entity") if models.by_entity else None
    return Table(table if table is not None else exp.Table(this=quoted("released")), keys, values, entity)


def _counted(col: Column, request: CompileRequest, name: str) -> exp.Expr:
    """A sensitive value as models count it: different spellings of one number are one value."""
    return understood(present(col, request.missing, column(name)), col.reading if col.is_text else None)


def _named(requirement: str, violating: exp.Expr) -> exp.Expr:
    name = exp.alias_(exp.cast(exp.Literal.string(requirement), "VARCHAR"), "requirement")
    violating.set("expressions", [name, *violating.expressions])
    return violating
