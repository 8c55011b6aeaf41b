"""A schema of PostgreSQL that nobody has looked at: a copy of its tables, and what a configuration calls it.

DATA is the address of a server, or `${NAME}`, the variable of the environment that holds it. An address that may hold a
password stands in no configuration.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from kanon_sql.errors import ConfigurationError
from kanon_sql.settings.treatments import variable_of
from kanon_sql.source.tables import SourceTables
from kanon_sql.sql.connection import EngineOptions

if TYPE_CHECKING:
    from kanon_sql.engines.postgres.engine import Postgres

VARIABLE = "POSTGRES_URL"
_SCHEMES = ("postgresql://", "postgres://")
_SHOWN = 20


@dataclass(frozen=True)
class ProposedSchema:
    """How a configuration names a schema, and a schema for the release that is not there yet.

    The server's `address` stands in a `variable` of the environment where it may hold a password: it is None then, as
    where it came from one.
    """

    name: str
    target: str
    variable: str | None
    address: str | None


def names_server(data: str | os.PathLike[str]) -> bool:
    """Whether DATA is the address of a PostgreSQL server, or a variable of the environment with one.

    Raises ConfigurationError for a variable that is not there.
    """
    text = os.fspath(data)
    variable = variable_of(text)
    if variable is None:
        return text.startswith(_SCHEMES)
    if variable not in os.environ:
        raise ConfigurationError(f"DATA: the environment has no variable {variable}; set it, or correct its name")
    return os.environ[variable].startswith(_SCHEMES)


@contextmanager
def open_schema(data: str, name: str | None, options: EngineOptions) -> Iterator[tuple[SourceTables, ProposedSchema]]:
    """The tables of a schema, copied into a private file that is there for the block, all as they are at one moment.

    Raises ConfigurationError without a name, with the schemas of the server, and for tables that this role may not
    read; EngineError where there is none of that name, or the server cannot be reached.
    """
    from kanon_sql.engines.postgres.engine import open_server
    from kanon_sql.engines.postgres.schema import PostgresSchema, list_schemas

    variable = variable_of(data)
    url = data if variable is None else os.environ[variable]
    with open_server(url, options) as server:
        if name is None:
            raise _unnamed(list_schemas(server, "DATA"))
        schema = PostgresSchema(server, name, "--schema")
        tables = schema.listed(server.folders[0] / "schema.duckdb")
        schema.fetch(options, tables, tables.places)
        if variable is None and not _may_be_shown(url):
            variable = VARIABLE
        yield tables, ProposedSchema(name, _free_name(server, name), variable, url if variable is None else None)


def _free_name(server: Postgres, name: str) -> str:
    """The name of a schema that is not there yet."""
    from kanon_sql.engines.postgres.schema import is_schema

    names = (f"{name}_released{'' if number == 1 else f'_{number}'}" for number in count(1))
    return next(free for free in names if not is_schema(server, free, "--schema"))


def _may_be_shown(url: str) -> bool:
    """Whether an address has no password, nor a parameter that may hold one."""
    try:
        parts = urlsplit(url)
        return parts.password is None and not parts.query and not parts.fragment
    except ValueError:
        return False


def _unnamed(schemas: list[str]) -> ConfigurationError:
    """What is said where no schema is named: which there are."""
    if not schemas:
        return ConfigurationError("DATA: this role sees no schema with a table on the server; expected another role")
    listed = ", ".join(schemas[:_SHOWN]) + (" ..." if len(schemas) > _SHOWN else "")
    return ConfigurationError(
        f"DATA: expected --schema with one of the server's schemas (in Python schema=): {listed}; its tables are "
        "looked at together"
    )
