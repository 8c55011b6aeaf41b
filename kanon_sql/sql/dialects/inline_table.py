"""Tables of values that a statement needs: written into it, or named by it and written beside it as CSV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp

from kanon_sql.errors import ConfigurationError
from kanon_sql.sql.dialects.dialect import Dialect
from kanon_sql.sql.dialects.types import column_type
from kanon_sql.sql.template import column, quoted
from kanon_sql.sql.type_names import IN_BIGINT

Cell = str | int | bool | None


def cell_type(described: str) -> type[str] | type[int] | type[bool]:
    """What holds the values of a type, described as DuckDB does, in a listing."""
    return int if described in IN_BIGINT else bool if described == "BOOLEAN" else str


def cell_of(value: str | None, described: str) -> Cell:
    """A value, given as text, as it is listed."""
    if value is None:
        return None
    kind = cell_type(described)
    return value == "true" if kind is bool else kind(value)


@dataclass(frozen=True)
class Listing:
    """A table of values: `columns` are (name, type as DuckDB describes it); `subject` says of what it is.

    The first `keys` columns tell its rows apart.

    Whole numbers are int, truth values bool; every other value is a text that its type can be read from.
    """

    name: str
    subject: str
    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple[Cell, ...], ...]
    keys: int = 1

    def stored(self) -> tuple[list[tuple[str, str]], Iterator[Sequence[Cell]]]:
        """(columns, rows) of the CSV file: a NULL is an empty text and a 1 in a column beside it.

        What is empty in a CSV file is NULL for one reader and a text for another.
        """
        absent = [i for i, _ in enumerate(self.columns) if any(row[i] is None for row in self.rows)]
        columns = [*self.columns, *((_absent(self.columns[i][0]), "INTEGER") for i in absent)]
        empty: dict[int, Cell] = {i: "" if self.columns[i][1] == "VARCHAR" else self._some(i) for i in absent}
        rows = (
            (
                *(empty[i] if cell is None else cell for i, cell in enumerate(row)),
                *(int(row[i] is None) for i in absent),
            )
            for row in self.rows
        )
        return columns, rows

    def inline(self, dialect: Dialect) -> exp.CTE:
        """The table as a common table expression with all its values."""
        types = self._types(dialect)
        rows = self.rows or (tuple(None for _ in self.columns),)
        tuples = [
            exp.Tuple(expressions=[_literal(cell, *kind) for cell, kind in zip(row, types, strict=True)])
            for row in rows
        ]
        names = [name for name, _ in self.columns]
        alias = exp.TableAlias(this=quoted("listed"), columns=[quoted(name) for name in names])
        values = exp.Values(expressions=tuples, alias=alias)
        selected = [exp.alias_(_read(name, *kind), name, quoted=True) for name, kind in zip(names, types, strict=True)]
        return self._cte(exp.select(*selected).from_(values))

    def named(self, dialect: Dialect, table: exp.Table) -> exp.CTE:
        """The table as a common table expression over a table that its CSV file was loaded into."""
        types = self._types(dialect)
        stored, _ = self.stored()
        marks = {name for name, _ in stored[len(self.columns) :]}
        made = table.copy()
        made.set("alias", exp.TableAlias(this=quoted("listed")))
        selected: list[exp.Expr] = []
        for index, ((name, _), kind) in enumerate(zip(self.columns, types, strict=True)):
            value = _read(name, *kind)
            if any(row[index] == "" for row in self.rows):
                # The file holds no NULL: what a reader made one of was an empty text.
                value = exp.Coalesce(this=value, expressions=[exp.Literal.string("")])
            if _absent(name) in marks:
                is_absent = column(_absent(name), "listed").eq(exp.Literal.number(1))
                value = exp.Case(ifs=[exp.If(this=is_absent, true=exp.null())], default=value)
                # Beside a NULL a DECIMAL would lose its precision and scale.
                value = exp.Cast(this=value, to=kind[0].copy())
            selected.append(exp.alias_(value, name, quoted=True))
        return self._cte(exp.select(*selected).from_(made))

    def _cte(self, select: exp.Select) -> exp.CTE:
        return exp.CTE(this=select, alias=exp.TableAlias(this=quoted(self.name)))

    def _some(self, index: int) -> Cell:
        return next((row[index] for row in self.rows if row[index] is not None), 0)

    def _types(self, dialect: Dialect) -> list[tuple[exp.DataType, bool]]:
        """The type of each column, and whether its values are texts to be cast."""
        made = []
        for index, (_, described) in enumerate(self.columns):
            kind = column_type(dialect, described, self.subject)
            if not dialect.blanks_count and described == "VARCHAR":
                self._refuse_blanks(dialect, index)
            if not dialect.nan_equals and any(str(row[index]).lower() == "nan" for row in self.rows):
                raise ConfigurationError(
                    f"{self.subject} holds NaN, which {dialect.name} finds unequal to itself; replace it in the source"
                )
            native = all(isinstance(row[index], (int, bool)) for row in self.rows if row[index] is not None)
            made.append((kind, not native))
        return made

    def _refuse_blanks(self, dialect: Dialect, index: int) -> None:
        if self.columns[index][0] != "value":
            return
        texts = {str(row[index]) for row in self.rows if row[index] is not None}
        if len({text.rstrip(" ") for text in texts}) < len(texts):
            raise ConfigurationError(
                f"{self.subject} has values that differ in blanks at their end only, which {dialect.name} may take for "
                "one; trim them in the source"
            )


def _absent(name: str) -> str:
    return f"{name}_missing"


def _read(name: str, kind: exp.DataType, is_text: bool) -> exp.Expr:
    value = column(name, "listed")
    if is_text or not kind.is_type("BIGINT", "BOOLEAN"):
        return exp.Cast(this=value, to=kind.copy())
    return value


def _literal(cell: Cell, kind: exp.DataType, is_text: bool) -> exp.Expr:
    if cell is None:
        return exp.cast(exp.null(), "VARCHAR") if is_text else exp.Cast(this=exp.null(), to=kind.copy())
    if isinstance(cell, bool):
        return exp.true() if cell else exp.false()
    return exp.Literal.number(cell) if isinstance(cell, int) else exp.Literal.string(cell)
