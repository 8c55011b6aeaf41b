"""DuckDB as the engine that holds the rows: what is asked of them is asked of its connection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlglot import exp

from kanon_sql.settings.abilities import ENGINES
from kanon_sql.source.model import Alone, Backend, Column, Source
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine, Row
from kanon_sql.sql.dialects.dialect import Dialect, find_dialect
from kanon_sql.sql.dialects.inline_table import Listing
from kanon_sql.sql.template import column, state

_TOGETHER = 50  # columns that are counted by one statement, which keeps them in memory or the spill folder


class DuckDB(Backend):
    """A connection, which also does the search."""

    abilities = ENGINES["duckdb"]
    dialect = find_dialect("duckdb")

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    @property
    def statements(self) -> int:
        return self.engine.statements

    def query(self, name: template.Statement, *, values: Mapping[str, Any] | None = None, **holes: Any) -> list[Row]:
        return self.engine.query(name, values=values, **holes)

    def given(self, engine: Engine, rows: exp.Select, columns: Sequence[Column]) -> exp.Select:
        return rows

    def alone(self, source: Source, rows: exp.Select, n: int, most: Mapping[Column, float]) -> list[Alone]:
        items = {"out": [{"key": item.key} for item in most]}
        estimates = self.query("source/distinct_estimates", names={"source": rows}, lists=items)[0]
        # An estimate errs by a few percent; where it is well below the share no count is needed.
        near = [item for item, estimate in zip(most, estimates, strict=True) if estimate > most[item] * n * 0.8]
        counted = zip(near, self._values_of_their_own(rows, near, columnar=source.columnar), strict=True)
        return [Alone(item, alone, n) for item, alone in counted if alone > most[item] * n]

    def _values_of_their_own(self, given: exp.Select, columns: Sequence[Column], *, columnar: bool) -> list[int]:
        """For each column how many rows are alone with their value, many columns in one statement.

        Of a source that is dear to read the columns are kept while they are counted, so that it is read once for all.
        """
        counted: list[int] = []
        rows = state("released_rows")
        for start in range(0, len(columns), _TOGETHER):
            some = columns[start : start + _TOGETHER]
            read = exp.select(*(column(item.key) for item in some)).from_(given.subquery(state("rows")))
            counts = [
                exp.Subquery(
                    this=template.fill(
                        "source/values_of_their_own", names={"source": rows}, lists={"out": [{"key": item.key}]}
                    ),
                    alias=exp.TableAlias(this=template.quoted(item.key)),
                )
                for item in some
            ]
            statement = exp.select(*counts).with_(template.quoted(rows), as_=read, materialized=not columnar)
            counted += map(int, self.engine.run(statement)[0])
        return counted

    def reads_itself(self, source: Source, dialect: Dialect) -> bool:
        return dialect is self.dialect

    def bring(self, engine: Engine, statement: exp.Expr, columns: Sequence[tuple[str, str]], table: str) -> exp.Select:
        return exp.select(*(column(name) for name, _ in columns)).from_(self._made(statement, table))

    def keep(self, statement: exp.Expr, name: str) -> exp.Table:
        return self._made(statement, state(name))

    def _made(self, statement: exp.Expr, name: str) -> exp.Table:
        table = exp.Table(this=template.quoted(name))
        self.engine.run(f"CREATE OR REPLACE TEMP TABLE {table.sql('duckdb')} AS {template.text(statement)}")
        return table

    def listed(self, listing: Listing) -> exp.CTE:
        return listing.inline(self.dialect)
