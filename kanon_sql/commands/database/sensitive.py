"""The sensitive values of each person, over all tables that have such columns."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from kanon_sql.commands.database.tables import OpenTable
from kanon_sql.config.database import LoadedDatabase
from kanon_sql.source.columns import null_for
from kanon_sql.source.model import Source
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.tables import rows_of
from kanon_sql.sql.template import Fill, Item, column, fill, state

_ROOM = "commands/database"


def read_sensitive(
    engine: Engine, loaded: LoadedDatabase, tables: Mapping[str, OpenTable], released: Source, persons: str
) -> str:
    """Makes the table (person, value) of the sensitive values of persons; the name of it.

    Args:
        engine: the engine.
        loaded: the configuration.
        tables: the tables, whose rows have their persons.
        released: the table of persons as it is released.
        persons: the table (person, key) of all persons.
    """
    parts: list[exp.Expr] = []
    for name, columns in loaded.sensitive.items():
        table = tables[name]
        source, rows = table.source, table.rows
        if table.config.is_unit:
            source, rows = released, _with_persons(released, loaded.config.unit.key, persons)
        assert rows is not None
        for held in columns:
            col = source.column(held)
            value = null_for(column(col.key, "table_rows"), table.source.missing if col.is_text else ())
            names: dict[str, Fill] = {
                "table_rows": rows,
                "sensitive_value": exp.cast(value, "VARCHAR"),
                "sensitive_name": exp.Literal.string(f"{name}.{held}"),
            }
            parts.append(fill(f"{_ROOM}/sensitive_values", names=names))
    told, values = state("facts_told"), rows_of(parts, state("sensitive_values"))
    engine.query(f"{_ROOM}/told", names={"told": told, "sensitive_values": values})
    return told


def _with_persons(released: Source, key: str, persons: str) -> exp.Select:
    own: list[Item] = [{"key": column(col.key, "released")} for col in released.columns]
    names: dict[str, Fill] = {
        "released": released.relation,
        "persons": persons,
        "released_key": column(released.column(key).key, "released"),
    }
    statement = fill(f"{_ROOM}/released_persons", names=names, lists={"own": own})
    assert isinstance(statement, exp.Select)
    return statement
