"""What the replaced tables of a schema had beside rows: carried over where PostgreSQL takes it, else told.

Each is tried on the released rows, in the words of PostgreSQL itself: a key that is none any more, a condition that a
generalized value does not meet, a default of another type stay out. So does, untried, what may hold a value of the rows
that the release no longer shows: every comment, and a condition, default or index with a literal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from kanon_sql.engines.postgres.engine import Postgres, encoded
from kanon_sql.engines.postgres.schema import PostgresSchema
from kanon_sql.errors import ConfigurationError
from kanon_sql.sql.connection import Row
from kanon_sql.sql.literals import holds_literal
from kanon_sql.sql.template import quoted

_COLUMNS = """
    SELECT attribute.attname, attribute.attnotnull, pg_get_expr(defaults.adbin, defaults.adrelid),
        attribute.attidentity <> '' OR attribute.attgenerated <> '',
        col_description(attribute.attrelid, attribute.attnum)
    FROM pg_attribute AS attribute
    LEFT JOIN pg_attrdef AS defaults
        ON defaults.adrelid = attribute.attrelid AND defaults.adnum = attribute.attnum
    WHERE attribute.attrelid = %s AND attribute.attnum > 0 AND NOT attribute.attisdropped
    ORDER BY attribute.attnum
"""
_CONSTRAINTS = """
    SELECT conname, contype = 'f', pg_get_constraintdef(oid), contype IN ('c', 'x')
    FROM pg_constraint
    WHERE conrelid = %s AND contype IN ('p', 'u', 'x', 'c', 'f')
    -- A foreign key refers to a key that must be there.
    ORDER BY contype = 'f', contype <> 'p', conname
"""
_INDEXES = """
    SELECT class.relname, pg_get_indexdef(indexed.indexrelid)
    FROM pg_index AS indexed
    JOIN pg_class AS class ON class.oid = indexed.indexrelid
    WHERE indexed.indrelid = %s
        AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = indexed.indexrelid AND contype IN ('p', 'u', 'x'))
    ORDER BY class.relname
"""
# What a new table has not, and this role gives it in words of its own if it wants to.
_OTHERS = """
    SELECT 'triggers' WHERE EXISTS (SELECT 1 FROM pg_trigger WHERE tgrelid = %(table)s AND NOT tgisinternal)
    UNION ALL SELECT 'policies of row-level security' WHERE EXISTS (SELECT 1 FROM pg_policy WHERE polrelid = %(table)s)
    UNION ALL SELECT 'rules' WHERE EXISTS (SELECT 1 FROM pg_rewrite WHERE ev_class = %(table)s)
    UNION ALL SELECT 'rights of other roles'
        WHERE EXISTS (SELECT 1 FROM pg_class WHERE oid = %(table)s AND relacl IS NOT NULL)
            OR EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = %(table)s AND attacl IS NOT NULL)
    UNION ALL SELECT 'its owner'
        WHERE EXISTS (SELECT 1 FROM pg_class WHERE oid = %(table)s AND pg_get_userbyid(relowner) <> current_user)
    UNION ALL SELECT 'partitions' WHERE EXISTS (SELECT 1 FROM pg_class WHERE oid = %(table)s AND relkind = 'p')
    UNION ALL SELECT 'inheritance' WHERE EXISTS (SELECT 1 FROM pg_inherits WHERE inhrelid = %(table)s)
    UNION ALL SELECT 'statistics ''' || stxname || '''' FROM pg_statistic_ext WHERE stxrelid = %(table)s
    UNION ALL SELECT 'the comment of index ''' || CAST(CAST(indexrelid AS regclass) AS TEXT) || ''''
        FROM pg_index WHERE indrelid = %(table)s AND obj_description(indexrelid, 'pg_class') IS NOT NULL
    UNION ALL SELECT 'the comment of constraint ''' || conname || ''''
        FROM pg_constraint WHERE conrelid = %(table)s AND obj_description(oid, 'pg_constraint') IS NOT NULL
"""
_DEPENDENT = """
    SELECT DISTINCT CASE class.relkind WHEN 'm' THEN 'materialized view ' ELSE 'view ' END
        || CAST(CAST(class.oid AS regclass) AS TEXT)
    FROM pg_depend AS depends
    JOIN pg_rewrite AS rule ON depends.classid = CAST('pg_rewrite' AS regclass) AND rule.oid = depends.objid
    JOIN pg_class AS class ON class.oid = rule.ev_class
    WHERE depends.refclassid = CAST('pg_class' AS regclass) AND depends.refobjid = ANY(%(tables)s)
        AND NOT class.oid = ANY(%(tables)s)
    UNION ALL
    SELECT DISTINCT 'foreign key of ' || CAST(CAST(conrelid AS regclass) AS TEXT)
    FROM pg_constraint
    WHERE contype = 'f' AND confrelid = ANY(%(tables)s) AND NOT conrelid = ANY(%(tables)s)
    UNION ALL
    SELECT 'table ' || CAST(CAST(inhrelid AS regclass) AS TEXT)
    FROM pg_inherits
    JOIN pg_class AS class ON class.oid = inhrelid
    WHERE inhparent = ANY(%(tables)s) AND NOT inhrelid = ANY(%(tables)s) AND NOT class.relispartition
    ORDER BY 1
"""
_SHOWN = 5


@dataclass(frozen=True)
class Carried:
    """What a table has beside rows, as rows of the catalog."""

    columns: Sequence[Row]  # name, whether NOT NULL, default, whether it is computed, comment
    constraints: Sequence[Row]  # name, whether it is a foreign key, definition, whether that is a condition
    indexes: Sequence[Row]  # name, statement
    others: tuple[str, ...]
    comment: str | None


def read_carried(postgres: Postgres, number_of_table: int, place: str) -> Carried:
    """What a table that will be replaced has beside rows."""
    connection, number = postgres.connection, [number_of_table]
    with postgres.speaking(place):
        comment = connection.execute("SELECT obj_description(%s, 'pg_class')", number).fetchone()
        return Carried(
            connection.execute(_COLUMNS, number).fetchall(),
            connection.execute(_CONSTRAINTS, number).fetchall(),
            connection.execute(_INDEXES, number).fetchall(),
            tuple(row[0] for row in connection.execute(_OTHERS, {"table": number_of_table}).fetchall()),
            comment[0] if comment is not None else None,
        )


def refuse_dependent(postgres: Postgres, replaced: Sequence[int], said: str, place: str) -> None:
    """Raises ConfigurationError for views, foreign keys and tables elsewhere that hang on tables to be replaced.

    A materialized view would go on holding rows of before, and a view would name columns that there are no more.
    `replaced` are their object numbers, `said` is the beginning of the message: what cannot be done to them.
    """
    with postgres.speaking(place):
        rows = postgres.connection.execute(_DEPENDENT, {"tables": list(replaced)}).fetchall()
    dependent = [row[0] for row in rows]
    if dependent:
        more = f" and {len(dependent) - _SHOWN:,} more" if len(dependent) > _SHOWN else ""
        raise ConfigurationError(
            f"{place}: {said} while others depend on it: {', '.join(dependent[:_SHOWN])}{more}; drop these, and make "
            "them anew of the release"
        )


def not_kept(carried: Carried) -> list[str]:
    """What a table had beside rows that a new one of its name has not."""
    parts = [what for of_references in (False, True) for what, _ in _statements("", carried, of_references)]
    return [*carried.others, *parts]


def carry_over(schema: PostgresSchema, kept: Mapping[str, Carried]) -> tuple[str, ...]:
    """Gives the new tables what those that they replace had; warnings of what was lost, one for each table."""
    lost: dict[str, list[str]] = {name: list(carried.others) for name, carried in kept.items()}
    # Foreign keys come last: those that they refer to have their keys then.
    for of_references in (False, True):
        for name, carried in kept.items():
            for what, statement in _statements(schema.table(name).sql("postgres"), carried, of_references):
                if statement is None or not _taken(schema.postgres, statement):
                    lost[name].append(what)
    return tuple(
        f"table {name!r}: not kept of the replaced table: {', '.join(names)}" for name, names in lost.items() if names
    )


def _statements(table: str, carried: Carried, of_references: bool) -> Iterator[tuple[str, str | None]]:
    """(what is carried over to a table, the statement that does it, None where nothing does)."""
    if not of_references:
        yield from _of_columns(table, carried)
    for constraint, refers, definition, is_condition in carried.constraints:
        if refers == of_references:
            named = quoted(constraint).sql("postgres")
            # A condition is tried on the released rows, also where those of before were not.
            condition = definition.removesuffix(" NOT VALID") if is_condition else definition
            is_lost = is_condition and holds_literal(condition.removesuffix(" NO INHERIT"), "postgres")
            statement = None if is_lost else f"ALTER TABLE {table} ADD CONSTRAINT {named} {condition}"
            yield f"constraint {constraint!r}", statement
    if not of_references:
        for index, statement in carried.indexes:
            yield f"index {index!r}", None if holds_literal(statement, "postgres") else statement
        if carried.comment is not None:
            yield "its comment", None


def _of_columns(table: str, carried: Carried) -> Iterator[tuple[str, str | None]]:
    for name, not_null, default, computed, comment in carried.columns:
        column = quoted(name).sql("postgres")
        if computed:
            yield f"that column {name!r} is computed", None
        elif default is not None:
            statement = f"ALTER TABLE {table} ALTER COLUMN {column} SET DEFAULT {default}"
            yield f"the default of {name!r}", None if holds_literal(default, "postgres") else statement
        if not_null:
            yield f"NOT NULL of {name!r}", f"ALTER TABLE {table} ALTER COLUMN {column} SET NOT NULL"
        if comment is not None:
            yield f"the comment of {name!r}", None


def _taken(postgres: Postgres, statement: str) -> bool:
    """Whether PostgreSQL executes a statement; one that it refuses leaves no trace."""
    import psycopg

    connection = postgres.connection
    try:
        with connection.transaction():  # a savepoint within the run's transaction
            connection.execute(encoded(statement))
    except psycopg.Error as error:
        if connection.broken:
            with postgres.speaking():
                raise error
        return False
    return True
