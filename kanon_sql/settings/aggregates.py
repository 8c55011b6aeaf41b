"""What a class may be released as in place of a label: one value made of all of its rows.

A query of the same name in `queries/search/aggregates` computes it, and one in `queries/release/aggregates` computes it
again of the rows themselves.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Aggregate:
    """An aggregate of the values of `kinds`: number, date or text. Where it is `positive` no value is below 0."""

    kinds: tuple[str, ...]
    positive: bool = False


AGGREGATES: dict[str, Aggregate] = {
    "mean": Aggregate(("number", "date")),
    "median": Aggregate(("number", "date")),
    "mode": Aggregate(("number", "date", "text")),
    "geometric-mean": Aggregate(("number",), positive=True),
    "interval": Aggregate(("number", "date")),
}


def query_of(aggregate: str) -> str:
    """The name of the query files of an aggregate."""
    return aggregate.replace("-", "_")
