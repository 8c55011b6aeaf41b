"""What rows of a release still tell of time: how many days lie between two dates of a row, as a stay from its begin to
its end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from sqlglot import exp

from kanon_sql.source.columns import null_for
from kanon_sql.source.days import as_day
from kanon_sql.source.model import Source
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import column

if TYPE_CHECKING:
    from kanon_sql.results.utility import DaysBetween, DaysMeans


_MOMENT = "TIMESTAMP WITH TIME ZONE"


def count_rows(engine: Engine, source: Source) -> int:
    """The rows of a table."""
    return int(engine.run(exp.select(exp.Count(this=exp.Star())).from_(source.relation.copy().subquery("rows")))[0][0])


def measure_days(engine: Engine, source: Source, release: Source, dates: Sequence[str]) -> list[DaysBetween]:
    """For each two columns of `dates` that follow each other the days between them, in both tables.

    A text is read as the source reads it; one that is no date is a missing value, and so is an infinite date. Raises
    EngineError.
    """
    entries: list[DaysBetween] = []
    for pair in pairwise(dates):
        names = {name: _days(table, source, pair) for name, table in (("source", source), ("released", release))}
        of_source, of_release, varied = engine.query("measures/utility/days_between", names=names)[0]
        mean: DaysMeans = {"source": of_source, "release": of_release}
        entries.append({"columns": [*pair], "mean": mean, "total_variation": varied})
    return entries


def _days(table: Source, source: Source, dates: tuple[str, str]) -> exp.Select:
    """SELECT of two columns of a table as days; the columns of the `source` say how texts are read."""
    named = []
    for name, alias in zip(dates, ("earlier", "later"), strict=True):
        col, read = table.column(name), source.column(name)
        value = null_for(column(col.key, "rows"), table.missing if col.is_text else ())
        if col.is_text and read.type == _MOMENT:
            value = exp.TryCast(this=value, to=exp.DataType.build(_MOMENT))  # written with the zone of a machine
            col = replace(col, type=_MOMENT)
        named.append(exp.alias_(as_day(value, replace(col, reading=read.reading)), alias))
    return exp.select(*named).from_(table.relation.copy().subquery("rows"))
