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
    parts = ("columns", "constraints", "indexes", "others", "comment")
    columns, constraints, indexes, others, ((comment,),) = (
        postgres.catalogue(f"carried/{part}", place, table=number_of_table) for part in parts
    )
    return Carried(columns, constraints, indexes, tuple(row[0] for row in others), comment)


def refuse_dependent(postgres: Postgres, replaced: Sequence[int], said: str, place: str) -> None:
    """Raises ConfigurationError for views, foreign keys and tables elsewhere that hang on tables to be replaced.

    A materialized view would go on holding rows of before, and a view would name columns that there are no more.
    `replaced` are their object numbers, `said` is the beginning of the message: what cannot be done to them.
    """
    dependent = [row[0] for row in postgres.catalogue("carried/dependent", place, tables=list(replaced))]
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
