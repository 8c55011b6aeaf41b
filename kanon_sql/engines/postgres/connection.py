"""Connections to PostgreSQL, and what is said of their errors."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from kanon_sql.errors import ConfigurationError, EngineError

if TYPE_CHECKING:
    import psycopg

# How values are written when they are copied, whatever the role or the database has set; and a search may take long.
_OWN_SETTINGS = (
    "datestyle = ISO",
    "intervalstyle = postgres",
    "bytea_output = hex",
    "extra_float_digits = 1",
    "standard_conforming_strings = on",
    "idle_in_transaction_session_timeout = 0",
)
# With less memory combinations are counted by sorting all rows.
_MEMORY = """
    SELECT set_config('work_mem', '128MB', false)
    WHERE pg_size_bytes(current_setting('work_mem')) < pg_size_bytes('128MB')
"""
_NO_URL = (
    "engine.postgres: this is no connection URL; expected postgresql://user:password@host:port/database, with %40 for "
    "@, %2F for /, %3F for ?, %23 for # and %3A for : in a user or password"
)
# Classes of SQLSTATE: transactions, authorization, rollback, resources, state of objects, operators, system errors ...
_OF_SERVER = ("25", "28", "40", "53", "55", "57")
# ... and names and syntax.
_OF_NAMES = ("0A", "3D", "3F", "42")


def open_connection(url: str) -> psycopg.Connection[Any]:
    """A connection in a transaction that sees one state of the database. Raises ConfigurationError or EngineError."""
    if _is_ambiguous(url):
        raise ConfigurationError(_NO_URL)
    try:
        import psycopg
    except ImportError:
        raise ConfigurationError("engine.postgres needs psycopg; install kanon-sql[postgres]") from None
    try:
        connection = psycopg.connect(url, application_name="kanon-sql", client_encoding="utf8")
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        for setting in _OWN_SETTINGS:
            connection.execute(encoded(f"SET {setting}"))
        connection.execute(_MEMORY)
    except psycopg.ProgrammingError:
        # What libpq says of a URL that it cannot read quotes it, perhaps the password.
        raise ConfigurationError(_NO_URL) from None
    except psycopg.Error as error:
        raise EngineError(f"engine.postgres: no connection: {_one_line(str(error))}") from None
    return connection


def _is_ambiguous(url: str) -> bool:
    """Whether a password that is not encoded would be taken for a host or a port, which messages name."""
    before, at, _ = url.partition("://")[2].rpartition("@")
    return bool(at) and any(mark in before for mark in "@/?#")


def describe(error: psycopg.Error, *, show_values: bool) -> str:
    """One line for an error of PostgreSQL: unless `show_values` its words only where they hold no values.

    That is where it points into a statement, which was then not executed, and where it speaks of the server.
    """
    state = error.sqlstate or ""
    if is_lost(error):
        return "the connection to PostgreSQL was lost; nothing was changed"
    if state.startswith(("22", "23", "P0")) and not show_values:
        return f"PostgreSQL refused a value (SQLSTATE {state}); --show-values shows which"
    speaks = state.startswith(_OF_SERVER) or (state.startswith(_OF_NAMES) and error.diag.statement_position)
    if not speaks and not show_values:
        return f"PostgreSQL failed (SQLSTATE {state}, {type(error).__name__}); --show-values shows its words"
    return f"PostgreSQL failed (SQLSTATE {state}): {_one_line(str(error))}"


def is_lost(error: psycopg.Error) -> bool:
    """Whether the connection ended, so that the server did not say what became of the last statement."""
    state = error.sqlstate or ""
    return not state or state.startswith(("57P", "08")) or state == "40003"


def _one_line(text: str) -> str:
    text = re.sub(r"(password\s*=\s*)('[^']*'|\S+)", r"\1***", text)
    return " ".join(re.sub(r"://([^:/@\s]+):[^@\s]+@", r"://\1@", text).split())[:500]


def encoded(sql: str) -> bytes:
    """A statement as the driver takes one that is not a literal of the program."""
    return sql.encode()
