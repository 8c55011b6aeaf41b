"""What a DuckDB database holds, as its catalog tells it."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp, tokenize
from sqlglot.errors import SqlglotError

from kanon_sql.errors import EngineError
from kanon_sql.source.model import enums
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine

Name = tuple[str, str]  # schema and name


@dataclass(frozen=True)
class CatalogColumn:
    """A column; `default` is an expression as the engine writes it."""

    name: str
    type: str
    nullable: bool
    default: str | None
    comment: str | None


@dataclass(frozen=True)
class Constraint:
    """A constraint of a table; `refers` is the table that a foreign key refers to."""

    kind: str
    text: str
    columns: tuple[str, ...]
    refers: Name | None


@dataclass(frozen=True)
class CatalogTable:
    """A table; `generated` are its columns that are computed from others."""

    name: Name
    comment: str | None
    generated: frozenset[str]
    columns: dict[str, CatalogColumn]
    constraints: tuple[Constraint, ...]


def dotted(catalog: str, name: Name) -> str:
    """The full name of something in a database, quoted."""
    return ".".join(template.quoted(part).sql("duckdb") for part in (catalog, *name))


def table_of(catalog: str, name: Name) -> exp.Table:
    """A table or view of a database."""
    schema, table = name
    return exp.Table(this=template.quoted(table), db=template.quoted(schema), catalog=template.quoted(catalog))


def read_tables(engine: Engine, catalog: str) -> dict[Name, CatalogTable]:
    """The tables of a database, in the order in which they were made."""
    values = {"catalog": catalog}
    columns: dict[Name, dict[str, CatalogColumn]] = {}
    for schema, table, *about in engine.query("targets/columns", values=values):
        columns.setdefault((schema, table), {})[about[0]] = CatalogColumn(*about)
    constraints: dict[Name, list[Constraint]] = {}
    for schema, table, kind, text, names, refers in engine.query("targets/constraints", values=values):
        # A foreign key never leaves its schema.
        made = Constraint(kind, text, tuple(names), (schema, refers) if kind == "FOREIGN KEY" else None)
        constraints.setdefault((schema, table), []).append(made)
    return {
        (schema, name): CatalogTable(
            (schema, name), comment, _generated(sql), columns[schema, name], tuple(constraints.get((schema, name), ()))
        )
        for schema, name, sql, comment in engine.query("targets/tables", values=values)
    }


def _generated(statement: str) -> frozenset[str]:
    # Not every supported engine has a column for it in its catalog.
    try:
        tree = template.parse(statement)
    except SqlglotError:
        return frozenset()
    kinds = (exp.GeneratedAsIdentityColumnConstraint, exp.ComputedColumnConstraint)
    return frozenset(one.name for one in tree.find_all(exp.ColumnDef) if any(map(one.find, kinds)))


def read_types(engine: Engine, catalog: str) -> dict[Name, str]:
    """The types that were made in a database, as the engine describes them, in the order in which they were made."""
    return {
        (schema, name): str(engine.run(f"DESCRIBE SELECT CAST(NULL AS {dotted(catalog, (schema, name))})")[0][1])
        for schema, name in engine.query("targets/types", values={"catalog": catalog})
    }


def enums_in(types: list[str]) -> set[str]:
    """The ENUM types in types as the engine describes them."""
    return {one.sql("duckdb") for described in types if "ENUM(" in described for one in enums(described)}


def readable_views(engine: Engine, catalog: str) -> list[Name]:
    """The views of a database whose tables and columns are there."""
    found: list[Name] = []
    for schema, name in engine.query("targets/views", values={"catalog": catalog}):
        try:
            engine.run(exp.Describe(this=exp.select("*").from_(table_of(catalog, (schema, name)))))
        except EngineError:
            continue
        found.append((schema, name))
    return found


def macros_that_name(engine: Engine, catalog: str, name: str) -> list[Name]:
    """The macros in whose definition a name occurs."""
    found: list[Name] = []
    for schema, macro, definition in engine.query("targets/macros", values={"catalog": catalog}):
        words = {token.text.casefold() for token in tokenize(definition, read="duckdb")}
        if name.casefold() in words and (schema, macro) not in found:
            found.append((schema, macro))
    return found
