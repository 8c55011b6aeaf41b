"""What classes show in place of labels: the mean, the median, the mode, the geometric mean or the ends of their values.

A class holds k rows, and satisfies the models, before it has any label, so it does under whatever it shows as long as
that is one for all of its rows. Classes that come to show the same are one to whoever reads the release: one that holds
the rows of all of them. It has k rows since each of them has, and it satisfies the other models since these are kept by
unions: the values of a union are as many as those of a part at least, and no share of it is greater, or further from
that of all rows, than the greatest in its parts.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from kanon_sql.frequency.aggregated import Aggregated
from kanon_sql.settings.aggregates import query_of
from kanon_sql.source.values import as_written
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import column, compose, state

Deviations = tuple[float, float]
BETWEEN = {"number": "-", "date": "/"}
_DAY = "CAST(DATE '1970-01-01' + CAST(round_even(number, 0) AS INTEGER) AS VARCHAR)"
_MOMENT = "CAST(make_timestamp(CAST(round_even(number, 0) AS BIGINT)) AS VARCHAR)"
_MOMENT_IN_UTC = "CAST(make_timestamp(CAST(round_even(number, 0) AS BIGINT)) AS VARCHAR) || '+00'"


def label_aggregates(engine: Engine, one: Aggregated, members: exp.Select, labels: str) -> Deviations | None:
    """Makes the table `labels`(part, label) of what classes show of a column, each class of `members` once.

    `members` selects part, which is NULL where rows are suppressed, code and row_count. Returns how far values are from
    the mean of their class and from that of all (see `sse`); None for texts.
    """
    held = state("held")
    names: dict[str, template.Fill] = {"members": members, "aggregated": one.table, "held": held}
    engine.query("search/aggregates/held", names=names)
    given = {"scale": exp.Literal.number(one.scale), "between": exp.Literal.string(BETWEEN.get(one.kind, ""))}
    aggregates = compose(f"search/aggregates/{query_of(one.aggregate)}", {"held": held}, given)
    statement = compose("search/aggregates/labels", {"aggregates": aggregates, "held": held, "labels": labels})
    text = exp.Coalesce(this=column("said", "aggregates"), expressions=[_text(one)])
    engine.query(statement, names={"members": members, "label_text": text}, values={"missing": one.released_missing})
    if one.kind == "text":
        return None
    within, total = engine.query("search/aggregates/deviations", names={"held": held})[0]
    return float(within), float(total)


def relabel(engine: Engine, one: Aggregated, members: exp.Select, labels: str) -> Deviations | None:
    """Puts what classes show of a column in the place of their labels in the table `labels`(part, label ...)."""
    found = label_aggregates(engine, one, members, state("aggregate_labels"))
    engine.query("search/aggregates/relabel", names={"aggregate_labels": state("aggregate_labels"), "labels": labels})
    return found


def sse(deviations: Iterable[Deviations]) -> float | None:
    """SSE/SST: the share of the squared distances from the mean of all that stays within the classes, a mean over the
    columns that hold more than one value; None without columns. A suppressed row loses all of its distance.
    """
    known = list(deviations)
    shares = [within / total for within, total in known if total]
    return min(1.0, sum(shares) / max(1, len(shares))) if known else None


def _text(one: Aggregated) -> exp.Expr:
    """The text of a number of the table aggregates."""
    if one.kind == "date":
        words = _DAY if one.described == "DATE" else _MOMENT
        return template.parse(_MOMENT_IN_UTC if one.described == "TIMESTAMP WITH TIME ZONE" else words)
    return as_written(column("number", "aggregates"), "DOUBLE")
