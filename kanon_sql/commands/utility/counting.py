"""How well the release answers counting queries: "how many rows have an age of 30 to 40 and the diagnosis flu or cold?"

A query takes one to three columns, at least one of them a quasi-identifier, and of each a random range of its values,
or a random set where they have no order. The release answers with the rows that are expected: a label counts by the
share of its values that the query takes. The error is relative to the true count, or to 0.1 % of the rows where that is
more (the sanity bound of X. Xiao, G. Wang, J. Gehrke: Differential privacy via wavelet transforms, 2010, section VII).
The queries are the same whenever the values are.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from random import Random

from kanon_sql.commands.subject import Subject
from kanon_sql.commands.utility.coding import SIDES, Coded, coded_table
from kanon_sql.report.report import Json
from kanon_sql.sql.deadline import Deadline
from kanon_sql.sql.template import Item, state

SEED, SETS, SIZE = 20_260_101, 20, 25
MOST_COLUMNS, SANITY = 3, 0.001
_PLACES = ("first", "second", "third")


def measure_queries(subject: Subject, columns: Sequence[Coded], rows: int, deadline: Deadline) -> Json | None:
    """The errors of the queries on a source of `rows` rows, None where no column has two values. Raises TimeUpError."""
    bins = {one.column.index: _bins(subject, one) for one in columns if not one.summed}
    sets = _draw_sets([one for one in columns if len(bins.get(one.column.index, ())) > 1])
    if not sets:
        return None
    asked = {name: json.dumps(listed) for name, listed in draw_bins(sets, bins).items()}
    subject.engine.query("commands/utility/asked", names={"asked": state("utility_asked")}, values=asked)
    answers: dict[str, list[float]] = {}
    for side in SIDES:
        for one in {one.code: one for drawn in sets for one in drawn}.values():
            deadline.check()
            names = {"label_bins": one.bins(side), "asked": state("utility_asked"), "query_weights": _weights(one)}
            values = {"column": one.column.index, "size": SIZE}
            subject.engine.query("commands/utility/query_weights", names=names, values=values)
        answers[side] = []
        for number, drawn in enumerate(sets):
            deadline.check()
            answers[side] += _answer(subject, side, number, drawn)
    bound = SANITY * rows
    pairs = zip(answers["source"], answers["release"], strict=True)
    errors = sorted(abs(told - true) / max(true, bound) for true, told in pairs)
    return {
        "count": len(errors),
        "median_relative_error": _quantile(errors, 0.5),
        "p95_relative_error": _quantile(errors, 0.95),
    }


def _quantile(errors: Sequence[float], share: float) -> float:
    """Between the two nearest of the sorted errors, by the line through them."""
    place = share * (len(errors) - 1)
    low = int(place)
    high = min(low + 1, len(errors) - 1)
    return errors[low] + (place - low) * (errors[high] - errors[low])


def _bins(subject: Subject, one: Coded) -> list[int]:
    names = {"bins": one.column.table("bins"), "ranks": one.column.table("ranks")}
    return [int(number) for number, _ in subject.engine.query("commands/utility/listed_bins", names=names)]


def _weights(one: Coded) -> str:
    return one.column.table("query_weights")


def _draw_sets(columns: Sequence[Coded]) -> list[tuple[Coded, ...]]:
    """Different sets of columns, each with a quasi-identifier."""
    random = Random(SEED)
    quasi = [one for one in columns if one.column.generalized]
    found: dict[tuple[str, ...], tuple[Coded, ...]] = {}
    for _ in range(10 * SETS if quasi else 0):
        others = random.sample(list(columns), min(random.randrange(MOST_COLUMNS), len(columns)))
        drawn = {one.code: one for one in [random.choice(quasi), *others[: MOST_COLUMNS - 1]]}
        found.setdefault(tuple(sorted(drawn)), tuple(drawn.values()))
        if len(found) == SETS:
            break
    return list(found.values())


def draw_bins(sets: Sequence[tuple[Coded, ...]], bins: Mapping[int, Sequence[int]]) -> dict[str, list[int]]:
    """What each query takes of each of its columns, whose `bins` are by their numbers: sets, columns, queries, bins."""
    random = Random(SEED)
    asked: dict[str, list[int]] = {"sets": [], "columns": [], "queries": [], "bins": []}
    for number, drawn in enumerate(sets):
        for query in range(SIZE):
            for one in drawn:
                there = bins[one.column.index]
                size = random.randint(1, len(there) - 1)
                start = random.randint(0, len(there) - size)
                taken = there[start : start + size] if one.ordered else random.sample(there, size)
                asked["sets"] += [number] * size
                asked["columns"] += [one.column.index] * size
                asked["queries"] += [query] * size
                asked["bins"] += taken
    return asked


def _answer(subject: Subject, side: str, number: int, drawn: Sequence[Coded]) -> list[float]:
    names = {"coded": coded_table(side)}
    for place, one in zip(_PLACES, drawn, strict=False):
        names |= {f"{place}_code": one.code, f"{place}_weights": _weights(one)}
    items: list[Item] = [{"number": query + 1} for query in range(SIZE)]
    query = f"commands/utility/answers_{len(drawn)}"
    row = subject.engine.query(query, names=names, lists={"query": items}, values={"set": number})[0]
    return [float(answer or 0) for answer in row]
