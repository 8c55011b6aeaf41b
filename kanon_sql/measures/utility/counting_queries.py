"""How well the release answers counting queries: "how many rows have an age of 30 to 40 and the diagnosis flu or cold?"

A query takes one to three columns, at least one of them a quasi-identifier, and of each a random range of its values,
or a random set where they have no order. The release answers with the rows that are expected: a label counts by the
share of its values that the query takes. The error is relative to the true count, or to 0.1 % of the rows where that is
more (the sanity bound of X. Xiao, G. Wang, J. Gehrke: Differential privacy via wavelet transforms, 2010, section VII).
The queries are the same whenever the values are.

What a released label stands for: runs of values of the source, in their order.

The values of a column that the source holds are its domain, ranked in their order, a missing value first. A label of a
hierarchy stands for the values below it, a range for those within it, a set for its members, * for all of them; each
with equal weight.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from random import Random
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from kanon_sql.config.model import QuasiIdentifier
from kanon_sql.errors import ConfigurationError
from kanon_sql.frequency.dimensions import Dimension, Kind, ordered_dimension
from kanon_sql.hierarchy.builtin import CODES
from kanon_sql.hierarchy.hierarchy import GeneralizedColumn
from kanon_sql.hierarchy.mapping import MappingTable, build_mapping
from kanon_sql.measures.release_pair import ReleasePair
from kanon_sql.measures.utility.compared import SIDES, Coded, ComparedColumn, coded_table, tuples
from kanon_sql.source.columns import as_written
from kanon_sql.sql import tables
from kanon_sql.sql.deadline import Deadline
from kanon_sql.sql.template import Item, column, state

if TYPE_CHECKING:
    from kanon_sql.results.utility import QueryErrors

SEED, SETS, SIZE = 20_260_101, 20, 25
MOST_COLUMNS, SANITY = 3, 0.001
_PLACES = ("first", "second", "third")


def measure_queries(
    subject: ReleasePair, columns: Sequence[Coded], rows: int, deadline: Deadline
) -> QueryErrors | None:
    """The errors of the queries on a source of `rows` rows, None where no column has two values. Raises TimeUpError."""
    bins = {coded.column.index: _bins(subject, coded) for coded in columns if not coded.summed}
    sets = _draw_sets([coded for coded in columns if len(bins.get(coded.column.index, ())) > 1])
    if not sets:
        return None
    drawn_queries = {name: json.dumps(listed) for name, listed in draw_bins(sets, bins).items()}
    subject.engine.query("measures/utility/asked", values=drawn_queries)
    answers: dict[str, list[float]] = {}
    for side in SIDES:
        for coded in {coded.code: coded for drawn in sets for coded in drawn}.values():
            deadline.check()
            names = {"label_bins": coded.bins(side), "query_weights": _weights(coded)}
            values = {"column": coded.column.index, "size": SIZE}
            subject.engine.query("measures/utility/query_weights", names=names, values=values)
        answers[side] = []
        for number, drawn in enumerate(sets):
            deadline.check()
            answers[side] += _answer(subject, side, number, drawn)
    bound = SANITY * rows
    pairs = zip(answers["source"], answers["release"], strict=True)
    errors = sorted(abs(released - true) / max(true, bound) for true, released in pairs)
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


def _bins(subject: ReleasePair, coded: Coded) -> list[int]:
    names = {"bins": coded.column.table("bins"), "ranks": coded.column.table("ranks")}
    return [int(number) for number, _ in subject.engine.query("measures/utility/listed_bins", names=names)]


def _weights(coded: Coded) -> str:
    return coded.column.table("query_weights")


def _draw_sets(columns: Sequence[Coded]) -> list[tuple[Coded, ...]]:
    """Different sets of columns, each with a quasi-identifier."""
    random = Random(SEED)
    quasi = [coded for coded in columns if coded.column.generalized]
    drawn_sets: dict[tuple[str, ...], tuple[Coded, ...]] = {}
    for _ in range(10 * SETS if quasi else 0):
        others = random.sample(list(columns), min(random.randrange(MOST_COLUMNS), len(columns)))
        drawn = {coded.code: coded for coded in [random.choice(quasi), *others[: MOST_COLUMNS - 1]]}
        drawn_sets.setdefault(tuple(sorted(drawn)), tuple(drawn.values()))
        if len(drawn_sets) == SETS:
            break
    return list(drawn_sets.values())


def draw_bins(sets: Sequence[tuple[Coded, ...]], bins: Mapping[int, Sequence[int]]) -> dict[str, list[int]]:
    """What each query takes of each of its columns, whose `bins` are by their numbers: sets, columns, queries, bins."""
    random = Random(SEED)
    listed: dict[str, list[int]] = {"sets": [], "columns": [], "queries": [], "bins": []}
    for number, drawn in enumerate(sets):
        for query in range(SIZE):
            for coded in drawn:
                there = bins[coded.column.index]
                size = random.randint(1, len(there) - 1)
                start = random.randint(0, len(there) - size)
                taken = there[start : start + size] if coded.ordered else random.sample(there, size)
                listed["sets"] += [number] * size
                listed["columns"] += [coded.column.index] * size
                listed["queries"] += [query] * size
                listed["bins"] += taken
    return listed


def _answer(subject: ReleasePair, side: str, number: int, drawn: Sequence[Coded]) -> list[float]:
    names = {"coded": coded_table(side)}
    for place, coded in zip(_PLACES, drawn, strict=False):
        names |= {f"{place}_code": coded.code, f"{place}_weights": _weights(coded)}
    items: list[Item] = [{"number": query + 1} for query in range(SIZE)]
    query = f"measures/utility/answers_{len(drawn)}"
    row = subject.engine.query(query, names=names, lists={"query": items}, values={"set": number})[0]
    return [float(answer or 0) for answer in row]


# Beside the tables of a search in the same connection, which are numbered from 0.
_OWN = 100_000


def count_values(subject: ReleasePair, side: str, compared: ComparedColumn) -> None:
    """Counts the values of a column in the frequency table of a side."""
    names = {"tuples": tuples(side), "counted_values": compared.table("values"), "item_name": compared.value}
    subject.engine.query("measures/utility/counted_values", names=names)


def make_domain(subject: ReleasePair, compared: ComparedColumn) -> Kind:
    """Makes the domain of a column from its counted values, and the table ranks; what its values are."""
    engine = subject.engine
    dimension = _ordered(subject, compared)
    number: exp.Expr = exp.cast(exp.null(), "DOUBLE")
    if dimension.kind == "number":
        # A label such as 0.1-0.3 holds the text of a FLOAT, which as a DOUBLE is another number.
        written = exp.cast(column("ordered"), "VARCHAR") if compared.column.type == "FLOAT" else column("ordered")
        number = exp.cast(written, "DOUBLE")
    elif dimension.kind == "date":
        moment = exp.cast(column("ordered"), "TIMESTAMP")
        number = exp.cast(exp.Anonymous(this="epoch_us", expressions=[moment]), "DOUBLE")
    engine.query(
        "measures/utility/domain",
        names={
            "domain": compared.table("domain"),
            "counted_values": compared.table("values"),
            "ordered_values": dimension.domain,
            "number_value": number,
            "value_text": as_written(column("value", "counted"), compared.column.type),
        },
    )
    engine.query("measures/utility/ranks", names={"domain": compared.table("domain"), "ranks": compared.table("ranks")})
    engine.run(tables.drop(dimension.domain))
    engine.run(tables.drop(dimension.places))
    return dimension.kind


def _ordered(subject: ReleasePair, compared: ComparedColumn) -> Dimension:
    """The values of a column in their order: as the search orders them, as texts where they fit no other."""
    distinct = exp.select("value").from_(exp.to_table(compared.table("values")))
    spec = subject.hierarchies[compared.name][0] if compared.generalized else QuasiIdentifier()
    coded = spec.builtin == "prefix" or spec.builtin in CODES  # digits of codes are no numbers
    for value_type in ("text" if coded else spec.type, "text"):
        try:
            given = GeneralizedColumn(
                _OWN + compared.index, compared.column, QuasiIdentifier(type=value_type), distinct
            )
            return ordered_dimension(subject.engine, given)
        except ConfigurationError:
            if value_type == "text":
                raise
    raise AssertionError


def make_runs(subject: ReleasePair, compared: ComparedColumn, kind: Kind) -> None:
    """Makes the tables labels(code, label ...) and runs(code, first, last) of a column from its counted labels."""
    engine = subject.engine
    own = ("domain", "ranks", "labels", "runs")
    names: dict[str, Any] = {name: compared.table(name) for name in own}
    scratch = ("steps", "points", "spans", "span_runs", "open_labels", "members")
    names |= {name: state(f"utility_{name}") for name in scratch}
    text = as_written(column("value"), compared.released_type)
    labels = {"counted_values": compared.table("values"), "labels": names["labels"], "label_text": text}
    engine.query("measures/utility/labels", names=labels, values={"ranges": compared.meaning.ranges})
    engine.run(tables.empty(names["span_runs"], {"code": "BIGINT", "first": "BIGINT", "last": "BIGINT"}))
    level = _make_steps(subject, compared, names)
    engine.query("measures/utility/points", scope=names, values={"level": level})
    if compared.meaning.ranges:
        _read_ranges(subject, compared, kind, names)
    engine.query("measures/utility/missing_points", scope=names)
    engine.query("measures/utility/runs", scope=names, values={"generalized": compared.generalized})
    engine.query("measures/utility/strange_runs", scope=names)
    for name in ("values", *scratch):
        engine.run(tables.drop(names.get(name) or compared.table(name)))


def _make_steps(subject: ReleasePair, compared: ComparedColumn, names: dict[str, Any]) -> int | None:
    """Makes the table of what stands for each value at each level; the level that all labels are of, where one is."""
    engine = subject.engine
    spec, hierarchy = subject.hierarchies[compared.name] if compared.generalized else (QuasiIdentifier(), None)
    if hierarchy is None and spec.builtin is None:
        engine.query("measures/utility/own_steps", scope=names)
        return 0
    mapping = _mapping(subject, compared)
    levels: list[Item] = [{"number": level, "label": f"label_{level}"} for level in range(1, mapping.height + 1)]
    engine.query("measures/utility/steps", names={"mapping": mapping.table}, scope=names, lists={"level": levels})
    engine.run(tables.drop(mapping.table))
    engine.run(tables.drop(mapping.weight_table))
    level = engine.query("measures/utility/common_level", scope=names)[0][0]
    return None if level is None else int(level)


def _mapping(subject: ReleasePair, compared: ComparedColumn) -> MappingTable:
    spec, hierarchy = subject.hierarchies[compared.name]
    domain = exp.to_table(compared.table("domain"))
    distinct = exp.select("value").from_(domain)
    counted = exp.select("value", "row_count").from_(domain.copy())
    place = subject.loaded.place("quasi_identifiers", compared.name)
    given = GeneralizedColumn(
        _OWN + compared.index, compared.column, spec, distinct, hierarchy, place=place, counted=counted
    )
    return build_mapping(subject.engine, given)


def _read_ranges(subject: ReleasePair, compared: ComparedColumn, kind: Kind, names: dict[str, Any]) -> None:
    """Adds what labels of columns without hierarchy stand for: members of sets, ranges of numbers and dates."""
    engine = subject.engine
    engine.query("measures/utility/open_labels", scope=names)
    unread = {"labels": names["open_labels"]}
    engine.run(tables.empty(names["members"], {"code": "BIGINT", "point": "VARCHAR"}))
    if compared.meaning.sets:
        engine.query("measures/link/set_points", names={**unread, "points": names["members"]})
    engine.query("measures/utility/bare_points", scope=names)
    engine.query("measures/utility/open_labels", scope=names)
    if kind in ("number", "date"):
        engine.query(f"measures/link/{kind}_spans", names={**unread, "spans": names["spans"]})
        engine.query("measures/utility/span_runs", scope=names, values={"between": compared.meaning.aggregated})
