"""What rows of a release still tell of time: how many days lie between two dates of a row, as a stay from its begin to
its end.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from sqlglot import exp

from kanon_sql.source.columns import null_for
from kanon_sql.source.model import Source
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import column

if TYPE_CHECKING:
    from kanon_sql.results.utility import DaysBetween, DaysMeans


def count_rows(engine: Engine, source: Source) -> int:
    """The rows of a table."""
    return int(engine.run(exp.select(exp.Count(this=exp.Star())).from_(source.relation.copy().subquery("rows")))[0][0])


def measure_days(engine: Engine, source: Source, release: Source, dates: Sequence[str]) -> list[DaysBetween]:
    """For each two columns of `dates` that follow each other the days between them, in both tables.

    Texts that are no dates are missing values. Raises EngineError.
    """
    entries: list[DaysBetween] = []
    for earlier, later in pairwise(dates):
        names = {name: _dates(table, earlier, later) for name, table in (("source", source), ("released", release))}
        of_source, of_release, varied = engine.query("measures/utility/days_between", names=names)[0]
        mean: DaysMeans = {"source": of_source, "release": of_release}
        entries.append({"columns": [earlier, later], "mean": mean, "total_variation": varied})
    return entries


def _dates(table: Source, earlier: str, later: str) -> exp.Select:
    named = [
        exp.alias_(exp.TryCast(this=_value(table, name), to=exp.DataType.build("TIMESTAMP")), alias)
        for name, alias in ((earlier, "earlier"), (later, "later"))
    ]
    return exp.select(*named).from_(table.relation.copy().subquery("rows"))


def _value(table: Source, name: str) -> exp.Expr:
    col = table.column(name)
    return null_for(column(col.key, "rows"), table.missing if col.is_text else ())
