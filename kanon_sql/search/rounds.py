"""Where a search in rounds has its tables: in DuckDB, or in the engine that holds the rows.

The statements are the same in both. There a table that grows is kept as its parts, since an engine of which little is
asked has tables that are made once and read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from sqlglot import exp

from kanon_sql.source.model import Backend
from kanon_sql.sql import tables, template
from kanon_sql.sql.connection import Engine, Row, literal
from kanon_sql.sql.deadline import Deadline, SoftlyEnded
from kanon_sql.sql.template import Composed, Fill, Item, Statement, column, quoted
from kanon_sql.sql.writing import Cell, Listing

_WHOLE = (exp.DataType.Type.UINT, exp.DataType.Type.INT, exp.DataType.Type.INT128)
_NUMBERS = "BIGINT"  # the type of whole numbers in engines beside DuckDB
Names = Mapping[str, Fill]
Lists = Mapping[str, Sequence[Item]]


class Rounds(Protocol):
    """Makes the tables of a search in rounds.

    What is `sorted_apart` says which rows are numbered together, as an expression on their partition: numbers and
    running sums are compared within a partition alone.
    """

    searched_in: Literal["duckdb", "engine"]
    sorted_apart: Fill

    def prepare(
        self, name: Statement, names: Names | None = None, lists: Lists | None = None, scope: Names | None = None
    ) -> Any:
        """A query file with its holes filled (see template.fill), to be run again and again."""

    def run(self, statement: Any, values: Mapping[str, int]) -> None:
        """Makes the table of a statement, or adds to it; `values` may hold more than its parameters."""

    def count(self, statement: Any, values: Mapping[str, int]) -> int:
        """Makes the table of a statement; its rows."""

    def rows(self, statement: Any, values: Mapping[str, int]) -> list[Row]:
        """The few rows of a statement that makes no table."""

    def carry(self, name: str) -> None:
        """Makes a small table of DuckDB readable, with its whole and floating point numbers."""

    def empty(self, name: str, like: str, columns: Sequence[str]) -> None:
        """Makes a table without rows, with columns of another one."""

    def until(self, deadline: Deadline) -> AbstractContextManager[None]:
        """Ends the statements within it by a TimeUpError when the deadline passes."""


class DuckdbRounds:
    """The tables are temporary ones of DuckDB."""

    searched_in: Literal["duckdb", "engine"] = "duckdb"
    sorted_apart: Fill = 0  # one sort serves all partitions

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def prepare(
        self, name: Statement, names: Names | None = None, lists: Lists | None = None, scope: Names | None = None
    ) -> str:
        return template.render(name, names, lists, scope)

    def run(self, statement: str, values: Mapping[str, int]) -> None:
        self._engine.run(statement, _mentioned(statement, values))

    def count(self, statement: str, values: Mapping[str, int]) -> int:
        return int(self._engine.run(statement, _mentioned(statement, values))[0][0])

    def rows(self, statement: str, values: Mapping[str, int]) -> list[Row]:
        return self._engine.run(statement, _mentioned(statement, values))

    def carry(self, name: str) -> None:
        """It is there."""

    def empty(self, name: str, like: str, columns: Sequence[str]) -> None:
        self._engine.run(tables.empty_like(name, like, *columns))

    def until(self, deadline: Deadline) -> AbstractContextManager[None]:
        return self._engine.until(deadline)


def _mentioned(statement: str, values: Mapping[str, int]) -> dict[str, int]:
    return {name: value for name, value in values.items() if f"${name}" in statement}


@dataclass
class _Table:
    """A table of an engine: its columns, and the tables that are its parts."""

    columns: Sequence[str]
    parts: list[exp.Table]

    def rows(self) -> exp.Expr:
        """The relation of all of its rows."""
        if len(self.parts) == 1:
            return self.parts[0].copy()
        keys = [column(key) for key in self.columns]
        return tables.rows_of([exp.select(*keys).from_(part.copy()) for part in self.parts])


class RemoteRounds(SoftlyEnded):
    """The tables are kept in the engine that holds the rows, where no statement is interrupted.

    `given` are the tables that it begins with, under the names that statements have for them: their columns and where
    they are.
    """

    searched_in: Literal["duckdb", "engine"] = "engine"
    sorted_apart: Fill = "part"  # several machines sort

    def __init__(self, engine: Engine, backend: Backend, given: Mapping[str, tuple[Sequence[str], exp.Table]]) -> None:
        super().__init__()
        self._engine = engine
        self._backend = backend
        self._tables = {name: _Table(columns, [table]) for name, (columns, table) in given.items()}
        self._made = 0

    def prepare(
        self, name: Statement, names: Names | None = None, lists: Lists | None = None, scope: Names | None = None
    ) -> exp.Expr:
        tree = template.fill(name, names, lists, scope)
        for kind in list(tree.find_all(exp.DataType)):
            if kind.this in _WHOLE:
                kind.replace(exp.DataType.build(_NUMBERS, dialect="duckdb"))
        return tree

    def run(self, statement: exp.Expr, values: Mapping[str, int]) -> None:
        self._deadline.check()
        tree = _with_values(statement, values)
        name, rows = _name_of(tree), tree.args.get("expression")
        if rows is None:
            self._replace(name, _Table([part.name for part in tree.this.expressions], []))
        elif isinstance(tree, exp.Insert):
            self._tables[name].parts.append(self._kept(name, rows))
        else:
            self._replace(name, _Table(rows.named_selects, [self._kept(name, rows)]))

    def count(self, statement: exp.Expr, values: Mapping[str, int]) -> int:
        self.run(statement, values)
        counts = exp.select(column("row_count")).from_(self._tables[_name_of(statement)].rows())
        return int(self._backend.query("frequency/tuple_count", names={"tuples": counts})[0][0])

    def rows(self, statement: exp.Expr, values: Mapping[str, int]) -> list[Row]:
        self._deadline.check()
        return self._backend.query(Composed(self._reading(_with_values(statement, values))))

    def carry(self, name: str) -> None:
        described = self._engine.run(exp.Describe(this=exp.Table(this=quoted(name))))
        columns = tuple((str(row[0]), "DOUBLE" if row[1] == "DOUBLE" else _NUMBERS) for row in described)
        # As texts floating point numbers lose no digit on the way.
        values = [exp.cast(column(key), "VARCHAR" if kind == "DOUBLE" else kind) for key, kind in columns]
        rows: list[tuple[Cell, ...]] = self._engine.run(exp.select(*values).from_(quoted(name)))
        listed = self._backend.listed(Listing(name, "the values", columns, tuple(rows))).this
        self._replace(name, _Table([key for key, _ in columns], [self._kept(name, listed)]))

    def empty(self, name: str, like: str, columns: Sequence[str]) -> None:
        none = exp.select(*map(column, columns)).from_(exp.Table(this=quoted(like))).where(exp.false())
        self._replace(name, _Table(columns, [self._kept(name, none)]))

    def bring(self, create: exp.Expr) -> None:
        """Makes the table of a statement in DuckDB of tables that are here; all of its columns are whole numbers."""
        rows = create.args["expression"].copy()
        typed = [(key, _NUMBERS) for key in rows.named_selects]
        self._backend.bring(self._engine, self._reading(rows), typed, _name_of(create))

    def rows_of(self, name: str, columns: Sequence[str]) -> exp.Select:
        """SELECT of columns of a table in the engine."""
        return exp.select(*map(column, columns)).from_(_called(self._tables[name].rows(), "rows"))

    def _reading(self, rows: exp.Expr) -> exp.Expr:
        """The statement with what its tables are in the engine."""
        for table in list(rows.find_all(exp.Table)):
            if table.name in self._tables and not table.db:
                template.put(table, self._tables[table.name].rows())
        return rows

    def _kept(self, name: str, rows: exp.Expr) -> exp.Table:
        self._made += 1
        return self._backend.keep_settled(self._reading(rows), f"{name}_{self._made}")

    def _replace(self, name: str, table: _Table) -> None:
        for part in self._tables[name].parts if name in self._tables else ():
            self._backend.forget(part)
        self._tables[name] = table


def _with_values(statement: exp.Expr, values: Mapping[str, int]) -> exp.Expr:
    """A copy of a statement with literals in place of its parameters."""
    tree = statement.copy()
    for parameter in list(tree.find_all(exp.Parameter, exp.Placeholder)):
        parameter.replace(literal(values[parameter.name]))
    return tree


def _name_of(statement: exp.Expr) -> str:
    """The table that a statement makes or adds to."""
    target = statement.this
    return str((target.this if isinstance(target, exp.Schema) else target).name)


def _called(relation: exp.Expr, name: str) -> exp.Expr:
    relation.set("alias", exp.TableAlias(this=quoted(name)))
    return relation
