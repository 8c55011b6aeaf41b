"""What a role may do with tables of PostgreSQL, and which of their rows it sees.

Looked at before any work is done: what is refused names the right that is missing, and the GRANT to ask for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from kanon_sql.errors import ConfigurationError
from kanon_sql.sql.connection import Row
from kanon_sql.sql.template import quoted

if TYPE_CHECKING:
    from kanon_sql.engines.postgres.engine import Postgres

_SCHEMA = """
    SELECT nspname, has_schema_privilege(oid, 'USAGE'), has_schema_privilege(oid, 'CREATE')
    FROM pg_namespace WHERE nspname = coalesce(%s, current_schema())
"""
_COLUMNS = """
    SELECT attname, has_column_privilege(attrelid, attnum, 'SELECT')
    FROM pg_attribute
    WHERE attrelid = %s AND attnum > 0 AND NOT attisdropped
    ORDER BY attnum
"""
_OWNED = """
    SELECT pg_has_role(class.relowner, 'USAGE') OR pg_has_role(namespace.nspowner, 'USAGE'),
        pg_get_userbyid(class.relowner), row_security_active(class.oid)
    FROM pg_class AS class
    JOIN pg_namespace AS namespace ON namespace.oid = class.relnamespace
    WHERE class.oid = %s
"""
_PARENT = """
    SELECT CAST(CAST(inhparent AS regclass) AS TEXT) FROM pg_inherits WHERE inhrelid = %s ORDER BY inhseqno LIMIT 1
"""
# A view is read with the rights of its owner or, where it says so, of whoever reads it.
_REACHED = """
    WITH RECURSIVE reached(number, reader) AS (
        SELECT CAST(%(table)s AS oid), CAST(CAST(current_user AS regrole) AS oid)
        UNION
        SELECT depends.refobjid,
            CASE WHEN EXISTS (
                SELECT 1 FROM pg_options_to_table(class.reloptions)
                WHERE option_name = 'security_invoker' AND CAST(option_value AS BOOLEAN)
            ) THEN reached.reader ELSE class.relowner END
        FROM reached
        JOIN pg_class AS class ON class.oid = reached.number AND class.relkind = 'v'
        JOIN pg_rewrite AS rule ON rule.ev_class = class.oid
        JOIN pg_depend AS depends ON depends.classid = CAST('pg_rewrite' AS regclass) AND depends.objid = rule.oid
            AND depends.refclassid = CAST('pg_class' AS regclass) AND depends.refobjid <> class.oid
    )
    SELECT number, reader FROM reached
"""
# As PostgreSQL decides whether policies hold: not for superusers, those who bypass them, and owners but by force.
_HIDING = """
    SELECT DISTINCT CAST(CAST(class.oid AS regclass) AS TEXT)
    FROM unnest(CAST(%(numbers)s AS oid[]), CAST(%(readers)s AS oid[])) AS reached(number, reader)
    JOIN pg_class AS class ON class.oid = reached.number
    JOIN pg_roles AS role ON role.oid = reached.reader
    WHERE class.relrowsecurity AND NOT role.rolsuper AND NOT role.rolbypassrls
        AND (class.relforcerowsecurity OR NOT pg_has_role(reached.reader, class.relowner, 'USAGE'))
    ORDER BY 1
"""
# Functions of users, whatever they read, are not among what a view depends on, and read it as whoever reads the view.
_CALLING = """
    SELECT EXISTS (
        SELECT 1
        FROM unnest(CAST(%(numbers)s AS oid[])) AS reached(number)
        JOIN pg_class AS class ON class.oid = reached.number AND class.relkind = 'v'
        JOIN pg_rewrite AS rule ON rule.ev_class = class.oid
        JOIN pg_depend AS depends ON depends.classid = CAST('pg_rewrite' AS regclass) AND depends.objid = rule.oid
            AND depends.refclassid = CAST('pg_proc' AS regclass)
    )
"""
# Rows of partitions, and of tables that inherit, are rows of their table.
_SHARED = """
    WITH RECURSIVE readable(number) AS (
        SELECT unnest(CAST(%(numbers)s AS oid[]))
        UNION
        SELECT inherits.inhrelid FROM readable JOIN pg_inherits AS inherits ON inherits.inhparent = readable.number
    ),
    parts(number) AS (
        SELECT CAST(%(target)s AS oid)
        UNION
        SELECT inherits.inhrelid FROM parts JOIN pg_inherits AS inherits ON inherits.inhparent = parts.number
    )
    SELECT CAST(CAST(number AS regclass) AS TEXT) FROM readable JOIN parts USING (number) ORDER BY 1 LIMIT 1
"""
_PARTS = """
    WITH RECURSIVE parts(number) AS (
        SELECT CAST(%s AS oid)
        UNION
        SELECT inherits.inhrelid
        FROM parts
        JOIN pg_inherits AS inherits ON inherits.inhparent = parts.number
        JOIN pg_class AS class ON class.oid = inherits.inhrelid AND class.relispartition
    )
    SELECT number FROM parts
"""
_TABLES = """
    SELECT pg_is_in_recovery(), CAST(current_setting('transaction_read_only') AS BOOLEAN),
        has_database_privilege(current_database(), 'TEMP'), current_user, current_database()
"""


class Rights:
    """What the role of a connection may do; messages name it and the right that it lacks."""

    def __init__(self, postgres: Postgres) -> None:
        self._postgres = postgres
        self._of_tables: tuple[str | None, str | None] | None = None

    def refuse_unreadable(self, table: exp.Table, place: str) -> None:
        """Raises ConfigurationError for a table or view that is there and that this role may not read whole."""
        self._refuse_elsewhere(table, place)
        if table.db:
            schema = self._row(_SCHEMA, [table.db], place)
            if schema is not None and not schema[1]:
                raise self._missing(f"look into schema {table.db!r}", f"USAGE ON SCHEMA {_named(table.db)}", place)
        catalogued = self._postgres.find(table)
        if catalogued is None:
            return
        columns = self._rows(_COLUMNS, [catalogued[2]], place)
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
        tables = ", ".join(row[0] for row in self._rows(_HIDING, reached, place))
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

        calling = self._row(_CALLING, reached, place)
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
        schema = self._row(_SCHEMA, [table.db or None], place)
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
        reason = self._states(place)[0]
        if reason is not None:
            raise ConfigurationError(f"{place}: no table can be made there: {reason}; expected a path as target")

    def may_make_schemas(self, place: str) -> bool:
        """Whether this role may make a schema in the database."""
        row = self._row("SELECT has_database_privilege(current_database(), 'CREATE')", [], place)
        return row is not None and bool(row[0])

    def refuse_unreplaced(self, catalogued: tuple[str, str, int], name: str, place: str) -> None:
        """Raises ConfigurationError where a table that is there cannot be replaced without loss of other rows."""
        owned = self._row(_OWNED, [catalogued[2]], place)
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
        parent = self._row(_PARENT, [catalogued[2]], place)
        if parent is not None:
            raise ConfigurationError(
                f"{place}: {shown} is a part of table {parent[0]}, which would lose its rows; name another table"
            )

    def parts(self, number: int, place: str) -> list[int]:
        """The object numbers of a table and its partitions, which are dropped with it."""
        return [row[0] for row in self._rows(_PARTS, [number], place)]

    def shared(self, source: exp.Table, target: int, place: str) -> str | None:
        """A table of whose rows both read and replaced ones are; None where there is none."""
        row = self._row(_SHARED, {**self._reached(source, place), "target": target}, place)
        return None if row is None else str(row[0])

    def _reached(self, table: exp.Table, place: str) -> dict[str, Any]:
        """The tables and views that are read with a table or view, and the roles with whose rights they are."""
        catalogued = self._postgres.find(table)
        reached = [] if catalogued is None else self._rows(_REACHED, {"table": catalogued[2]}, place)
        return {"numbers": [row[0] for row in reached], "readers": [row[1] for row in reached]}

    def without_tables(self) -> str | None:
        """Why no table can be made for a run, even a temporary one; None where it can."""
        return self._states(None)[1]

    def _refuse_elsewhere(self, table: exp.Table, place: str) -> None:
        if not table.catalog:
            return
        row = self._row("SELECT current_database()", [], place)
        if row is not None and row[0] != table.catalog:
            raise ConfigurationError(f"{place}: engine.postgres names database {row[0]!r}, and not {table.catalog!r}")

    def _states(self, place: str | None) -> tuple[str | None, str | None]:
        """Why no table can be made, and why no temporary one."""
        if self._of_tables is None:
            row = self._row(_TABLES, [], place)
            assert row is not None
            standby, read_only, temporary, role, database = row
            reason = None
            if standby:
                reason = "the server is a standby, which is only read"
            elif read_only:
                reason = "transactions are read-only for this role or database (default_transaction_read_only)"
            lacks = f"role {role!r} may not; expected GRANT TEMP ON DATABASE {_named(database)} TO {_named(role)}"
            self._of_tables = (reason, reason or (None if temporary else lacks))
        return self._of_tables

    def _missing(self, what: str, right: str, place: str) -> ConfigurationError:
        role = self._role(place)
        return ConfigurationError(f"{place}: role {role!r} may not {what}; expected GRANT {right} TO {_named(role)}")

    def _role(self, place: str) -> str:
        row = self._row("SELECT current_user", [], place)
        assert row is not None
        return str(row[0])

    def _row(self, statement: str, values: Any, place: str | None) -> Row | None:
        return next(iter(self._rows(statement, values, place)), None)

    def _rows(self, statement: str, values: Any, place: str | None) -> list[Row]:
        with self._postgres.speaking(place):
            return list(self._postgres.connection.execute(statement.encode(), values).fetchall())


def _named(name: str) -> str:
    return quoted(name).sql("postgres")


def _full(schema: str, name: str) -> str:
    return f"{_named(schema)}.{_named(name)}"
