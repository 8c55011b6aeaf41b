"""What a role may do with tables of PostgreSQL, and which of their rows it sees.

Looked at before any work is done: what is refused names the right that is missing, and the GRANT to ask for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from kanon_sql.errors import ConfigurationError
from kanon_sql.sql.connection import Row
from kanon_sql.sql.template import quoted

if TYPE_CHECKING:
    from kanon_sql.engines.postgres.engine import Postgres


@dataclass(frozen=True)
class _Session:
    """Who reads which database, and what may be made there; why nothing is written at all, None where it can be."""

    role: str
    database: str
    read_only: str | None
    makes_temporary: bool
    makes_schemas: bool


class Rights:
    """What the role of a connection may do; messages name it and the right that it lacks."""

    def __init__(self, postgres: Postgres) -> None:
        self._postgres = postgres
        self._known_session: _Session | None = None

    def refuse_unreadable(self, table: exp.Table, place: str) -> None:
        """Raises ConfigurationError for a table or view that is there and that this role may not read whole."""
        self._refuse_elsewhere(table, place)
        if table.db:
            schema = self._row("schema", place, schema=table.db)
            if schema is not None and not schema[1]:
                raise self._missing(f"look into schema {table.db!r}", f"USAGE ON SCHEMA {_named(table.db)}", place)
        catalogued = self._postgres.find(table)
        if catalogued is None:
            return
        columns = self._rows("columns", place, table=catalogued[2])
        unreadable = [name for name, may in columns if not may]
        if not unreadable:
            return
        what, right = _full(catalogued[0], table.name), "SELECT"
        if len(unreadable) < len(columns):
            what = f"columns {', '.join(map(repr, unreadable))} of {what}; name the others in source.query"
            right = f"SELECT ({', '.join(map(_named, unreadable))})"
        raise self._missing(f"read {what}", f"{right} ON {_full(catalogued[0], table.name)}", place)

    def hiding(self, table: exp.Table, place: str) -> tuple[str, ...]:
        """A warning where policies of row-level security decide which rows of a table, or below a view, are read."""
        reached = self._reached(table, place)
        tables = ", ".join(row[0] for row in self._rows("hiding", place, **reached))
        if not tables and not self._functions_hide(table, reached, place):
            return ()
        where = tables or "tables that functions read"
        return (
            f"row-level security is on for role {self._role(place)!r} in {where}: rows that its policies "
            "hide are neither counted nor released, and all figures are of the others alone; a role with BYPASSRLS "
            "sees all rows",
        )

    def _functions_hide(self, table: exp.Table, reached: dict[str, Any], place: str) -> bool:
        """Whether policies hide rows of what functions of a view read: it is read once, by a role that refuses this."""
        import psycopg

        calling = self._row("calling", place, numbers=reached["numbers"])
        if calling is None or not calling[0]:
            return False
        name = f"{self._postgres.mark}_rows"
        rows = exp.select(exp.Count(this=exp.column(name))).from_(exp.alias_(table.copy(), name, table=True))
        try:
            with self._postgres.connection.transaction(force_rollback=True):
                self._postgres.connection.execute(b"SET LOCAL row_security = off")
                self._postgres.connection.execute(rows.sql("postgres").encode())
        except psycopg.errors.InsufficientPrivilege as error:
            return bool(error.diag.source_file == "rls.c")
        except psycopg.Error:
            return False  # the run ends by it too, and says where
        return False

    def refuse_unmade(self, table: exp.Table, place: str) -> None:
        """Raises ConfigurationError where this role cannot make a table of that name."""
        self._refuse_elsewhere(table, place)
        self.refuse_read_only(place)
        schema = self._row("schema", place, schema=table.db or None)
        if schema is None:
            where = f"there is no schema {table.db!r} in this database" if table.db else "search_path names no schema"
            raise ConfigurationError(f"{place}: {where}; correct its name, or make it by CREATE SCHEMA")
        if not (schema[1] and schema[2]):
            rights = ", ".join(right for right, has in zip(("USAGE", "CREATE"), schema[1:], strict=True) if not has)
            raise self._missing(
                f"make tables in schema {schema[0]!r}", f"{rights} ON SCHEMA {_named(schema[0])}", place
            )

    def refuse_read_only(self, place: str) -> None:
        """Raises ConfigurationError where nothing can be written by this role, or on this server."""
        reason = self._session(place).read_only
        if reason is not None:
            raise ConfigurationError(f"{place}: no table can be made there: {reason}; expected a path as target")

    def may_make_schemas(self, place: str) -> bool:
        """Whether this role may make a schema in the database."""
        return self._session(place).makes_schemas

    def refuse_unreplaced(self, catalogued: tuple[str, str, int], name: str, place: str) -> None:
        """Raises ConfigurationError where a table that is there cannot be replaced without loss of other rows."""
        owned = self._row("owner", place, table=catalogued[2])
        assert owned is not None
        shown = _full(catalogued[0], name)
        if not owned[0]:
            raise ConfigurationError(
                f"{place}: role {self._role(place)!r} does not own {shown}, and cannot replace it; expected its owner, "
                f"GRANT {_named(owned[1])} TO {_named(self._role(place))}, or another table"
            )
        if owned[2]:
            raise ConfigurationError(
                f"{place}: row-level security hides rows of {shown} from role {self._role(place)!r}, which would be "
                "lost unseen; name another table, or a role that sees all rows"
            )
        parent = self._row("parent", place, table=catalogued[2])
        if parent is not None:
            raise ConfigurationError(
                f"{place}: {shown} is a part of table {parent[0]}, which would lose its rows; name another table"
            )

    def parts(self, number: int, place: str) -> list[int]:
        """The object numbers of a table and its partitions, which are dropped with it."""
        return [row[0] for row in self._rows("partitions", place, table=number)]

    def shared(self, source: exp.Table, target: int, place: str) -> str | None:
        """A table of whose rows both read and replaced ones are; None where there is none."""
        row = self._row("shared", place, numbers=self._reached(source, place)["numbers"], target=target)
        return None if row is None else str(row[0])

    def read_with(self, table: exp.Table) -> list[tuple[str, str]]:
        """(schema, name) of each table and view that stays and is read with a table or view."""
        numbers = self._reached(table, "source")["numbers"]
        return [(str(row[0]), str(row[1])) for row in self._rows("names", None, numbers=numbers)]

    def _reached(self, table: exp.Table, place: str) -> dict[str, Any]:
        """The tables and views that are read with a table or view, and the roles with whose rights they are."""
        catalogued = self._postgres.find(table)
        reached = [] if catalogued is None else self._rows("reached", place, table=catalogued[2])
        return {"numbers": [row[0] for row in reached], "readers": [row[1] for row in reached]}

    def without_tables(self) -> str | None:
        """Why no table can be made for a run, even a temporary one; None where it can."""
        session = self._session(None)
        if session.read_only is not None or session.makes_temporary:
            return session.read_only
        role, database = session.role, session.database
        return f"role {role!r} may not; expected GRANT TEMP ON DATABASE {_named(database)} TO {_named(role)}"

    def _refuse_elsewhere(self, table: exp.Table, place: str) -> None:
        if not table.catalog:
            return
        database = self._session(place).database
        if database != table.catalog:
            raise ConfigurationError(f"{place}: engine.postgres names database {database!r}, and not {table.catalog!r}")

    def _session(self, place: str | None) -> _Session:
        if self._known_session is None:
            ((standby, read_only, makes_temporary, makes_schemas, role, database),) = self._postgres.catalogue(
                "session", place
            )
            reason = None
            if standby:
                reason = "the server is a standby, which is only read"
            elif read_only:
                reason = "transactions are read-only for this role or database (default_transaction_read_only)"
            self._known_session = _Session(role, database, reason, makes_temporary, makes_schemas)
        return self._known_session

    def _missing(self, what: str, right: str, place: str) -> ConfigurationError:
        role = self._role(place)
        return ConfigurationError(f"{place}: role {role!r} may not {what}; expected GRANT {right} TO {_named(role)}")

    def _role(self, place: str) -> str:
        return self._session(place).role

    def _row(self, name: str, place: str | None, **values: object) -> Row | None:
        return next(iter(self._rows(name, place, **values)), None)

    def _rows(self, name: str, place: str | None, **values: object) -> list[Row]:
        return self._postgres.catalogue(f"rights/{name}", place, **values)


def _named(name: str) -> str:
    return quoted(name).sql("postgres")


def _full(schema: str, name: str) -> str:
    return f"{_named(schema)}.{_named(name)}"
