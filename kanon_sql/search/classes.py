"""The classes that a search made, labelled as they are released: by ranges, nodes, sets or aggregates of their values.

An aggregate is the mean, the median, the mode, the geometric mean or the ends of the values of a class. A class has k
rows and satisfies the models before it gets any label, so it does under whatever label, as long as that is one for all
of its rows. Classes that get the same labels are one to whoever reads the release, with the rows of all of them. It has
k rows since each of them has, and it satisfies the other models since these are kept by unions: a union has at least as
many values as any of its parts, and no share in it is greater, or further from that of all rows, than the greatest in
its parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

from sqlglot import exp

from kanon_sql.frequency.aggregated import Aggregated
from kanon_sql.frequency.dimensions import Dimension, Grid, NumberGrid
from kanon_sql.frequency.table import Tuples
from kanon_sql.search.rounds import RemoteRounds
from kanon_sql.settings.algorithms import query_of
from kanon_sql.source.columns import as_written
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.tables import MOST_LABELS, enum_type
from kanon_sql.sql.template import Item, column, compose, quoted, state

Deviations = tuple[float, float]
BETWEEN = {"number": "-", "date": "/"}  # the two ends of a range
BOUNDS = ("lower", "upper")
# Dimensions that one statement labels: each of its joins holds some 30 MB that no limit of memory governs.
_AT_ONCE = 2
_DAY = "CAST(DATE '1970-01-01' + CAST(round_even(number, 0) AS INTEGER) AS VARCHAR)"
_MOMENT = "CAST(make_timestamp(CAST(round_even(number, 0) AS BIGINT)) AS VARCHAR)"
_MOMENT_IN_UTC = "CAST(make_timestamp(CAST(round_even(number, 0) AS BIGINT)) AS VARCHAR) || '+00'"


@dataclass(frozen=True)
class Classes:
    """The equivalence classes of a release, `count` of them; their table is released_classes(part, row_count, label_0
    ...).

    It has the columns cost_0 ... as well, and lower_i and upper_i for dimensions of ranges, unless these are widened.
    `partitions` may be more than `count`: those with the same labels are one class. `units[i]` is the sum over the rows
    of the loss of dimension i, `squares` the sum of the squared class sizes, `sse` the loss of aggregates (see `sse`).
    """

    count: int
    partitions: int
    squares: int
    units: tuple[float, ...]
    sse: float | None = None


def build_classes(
    engine: Engine,
    tuples: Tuples,
    grids: Mapping[int, Grid] | None = None,
    aggregated: Sequence[Aggregated] = (),
    *,
    suppresses: bool = False,
    rounds: RemoteRounds | None = None,
) -> Classes:
    """Labels the classes of the table assigned(part, p0 ..., row_count).

    That table may be one of `rounds`: then the classes, and which texts each holds, are brought to DuckDB. `grids` are
    those of the dimensions, by their numbers, whose ranges are widened; `aggregated` dimensions show an
    aggregate. If a search that leaves tuples whole `suppresses` rows, these are not in the table.
    """
    dimensions, grids = tuples.dimensions, grids or {}
    shown = {qi.index: qi for qi in aggregated}
    deviations: list[Deviations] = []
    items: list[Item] = [
        {"position": d.position, "low": f"low_{d.index}", "first": f"first_{d.index}", "high": f"high_{d.index}"}
        for d in dimensions
    ]
    names = {name: state(name) for name in ("classes", "assigned", "released_classes")}
    if rounds is None:
        engine.query("search/classes", scope=names, lists={"this": items})
    else:
        rounds.bring(template.fill("search/classes", scope=names, lists={"this": items}))
    for d, names_of_dimension in zip(dimensions, items, strict=True):
        if rounds is not None and d.kind == "text":
            rounds.bring(template.fill("search/values_of_classes", {"this_position": d.position}, scope=names))
        _label(
            engine,
            d,
            grids.get(d.index),
            {**names, **{f"this_{key}": value for key, value in names_of_dimension.items()}},
        )
        table = state(f"labels_{d.index}")
        if d.index in shown:
            distances = relabel(engine, shown[d.index], _members(dimensions, d, suppresses=suppresses), table)
            deviations += [] if distances is None else [distances]
    _release(engine, dimensions, {*grids, *shown}, names)
    return replace(_measure(engine, dimensions, names), sse=sse(deviations))


def _members(dimensions: Sequence[Dimension], d: Dimension, *, suppresses: bool) -> exp.Select:
    """SELECT of the values of a dimension, by their codes, in each class: part, code, row_count."""
    if not suppresses:
        members = exp.select(column("part"), exp.alias_(column(d.position), "code"), column("row_count"))
        return members.from_(quoted(state("assigned")))
    names: dict[str, template.Fill] = {"value_position": d.position}
    names |= {name: state(name) for name in ("frequency", "assigned")}
    positions: list[Item] = [{"position": other.position} for other in dimensions]
    select = template.fill("search/aggregates/members", names=names, lists={"this": positions})
    assert isinstance(select, exp.Select)
    return select


def rows_by_level(engine: Engine, d: Dimension) -> list[tuple[str, int]]:
    """The released rows at each level of a dimension; without a hierarchy 0 are values, 1 ranges or sets."""
    shifts, lowest = (d.tree.shifts, d.tree.min_level) if d.tree else ((0,), 0)
    names: dict[str, template.Fill] = {
        "classes": state("classes"),
        "this_low": f"low_{d.index}",
        "this_high": f"high_{d.index}",
        "this_lowest": lowest,
    }
    counts = engine.query("search/levels", names=names, lists={"level": [{"shift": shift} for shift in shifts]})
    return [(str(level), int(rows)) for level, rows in counts]


def label_name(d: Dimension) -> str:
    """The column of released_classes with the labels of a dimension."""
    return f"label_{d.index}"


def bound_name(d: Dimension, end: str) -> str:
    """The column of released_classes with the lower or the upper bounds of a dimension."""
    return f"{end}_{d.index}"


def _release(engine: Engine, dimensions: Sequence[Dimension], boundless: Set[int], names: Mapping[str, str]) -> None:
    """Makes the table released_classes from the tables labels_i; dimensions that are `boundless` get no bounds."""
    kept: list[Item] = []
    for start in range(0, len(dimensions), _AT_ONCE):
        few = dimensions[start : start + _AT_ONCE]
        outputs: list[Item] = [{"label": _labels_as_enum(engine, d), "name": label_name(d)} for d in few]
        outputs += [
            {"label": column(f"{end}_bound", state(f"labels_{d.index}")), "name": bound_name(d, end)}
            for d in few
            if d.has_ranges and d.index not in boundless
            for end in BOUNDS
        ]
        costs = _costs(few)
        scope = {**names, "labelled": names["released_classes" if kept else "classes"]}
        engine.query("search/released_classes", scope=scope, lists={"known": kept, "out": outputs, "this": costs})
        kept += [{"name": output["name"]} for output in outputs] + [{"name": cost["cost"]} for cost in costs]


def _costs(dimensions: Sequence[Dimension]) -> list[Item]:
    return [{"labels": state(f"labels_{d.index}"), "cost": f"cost_{d.index}"} for d in dimensions]


def _measure(engine: Engine, dimensions: Sequence[Dimension], names: Mapping[str, str]) -> Classes:
    labels: list[Item] = [{"name": label_name(d)} for d in dimensions]
    count, squares, partitions = engine.query("search/sizes", scope=names, lists={"label": labels})[0]
    units = engine.query("search/losses", scope=names, lists={"this": _costs(dimensions)})[0]
    return Classes(int(count), int(partitions), int(squares), tuple(map(float, units)))


def _label(engine: Engine, d: Dimension, grid: Grid | None, names: Mapping[str, template.Fill]) -> None:
    """Makes the table labels_i(part, label, cost) of a dimension."""
    names = {**names, "labels": state(f"labels_{d.index}"), "places": d.places, "nodes": d.nodes}
    if d.tree is not None:
        items: list[Item] = [{"shift": shift} for shift in d.tree.shifts]
        names |= {"this_lowest": d.tree.min_level, "missing_position": d.tree.missing, "top_level": d.tree.top}
        engine.query("search/tree_labels", scope=names, lists={"level": items})
    elif isinstance(grid, NumberGrid):
        ends = {f"{end}_units": grid.units(f"{end}_place", upward=end == "upper") for end in BOUNDS}
        values: dict[str, Any] = {"missing": d.released_missing, "digits": grid.digits, "span": grid.span}
        engine.query("search/widened_numbers", names=ends, values=values, scope=names)
    elif grid is not None:
        values = {"missing": d.released_missing, "days": grid.days, "hours": grid.hours, "span": grid.span}
        engine.query("search/widened_dates", scope=names, values=values)
    elif d.has_ranges:
        values = {"missing": d.released_missing, "between": BETWEEN[d.kind]}
        engine.query("search/range_labels", scope=names, values=values)
    else:
        values = {"missing": d.released_missing, "values": d.values}
        engine.query("search/set_labels", scope=names, values=values)


def _labels_as_enum(engine: Engine, d: Dimension) -> exp.Expr:
    """The labels of a dimension, as an ENUM type if they are few."""
    table = state(f"labels_{d.index}")
    label = column("label", table)
    if not 0 < engine.query("search/label_count", names={"labels": table})[0][0] <= MOST_LABELS:
        return label
    labels = exp.select("label").from_(quoted(table)).where("label IS NOT NULL").distinct()
    return exp.Cast(this=label, to=enum_type(engine, state(f"released_{d.index}"), labels))


def label_aggregates(engine: Engine, qi: Aggregated, members: exp.Select, labels: str) -> Deviations | None:
    """Makes the table `labels`(part, label) of the aggregate of a column in each class of `members`.

    `members` selects part (NULL for suppressed rows), code and row_count. Returns the squared distances of the values
    from the means of their classes and from the mean of all (see `sse`); None for texts.
    """
    held = state("held")
    names: dict[str, template.Fill] = {"members": members, "aggregated": qi.table, "held": held}
    engine.query("search/aggregates/held", names=names)
    values = {"scale": exp.Literal.number(qi.scale), "between": exp.Literal.string(BETWEEN.get(qi.kind, ""))}
    aggregates = compose(f"search/aggregates/{query_of(qi.aggregate)}", {"held": held}, values)
    statement = compose("search/aggregates/labels", {"aggregates": aggregates, "held": held, "labels": labels})
    text = exp.Coalesce(this=column("said", "aggregates"), expressions=[_number_text(qi)])
    engine.query(statement, names={"members": members, "label_text": text}, values={"missing": qi.released_missing})
    if qi.kind == "text":
        return None
    within, total = engine.query("search/aggregates/deviations", names={"held": held})[0]
    return float(within), float(total)


def relabel(engine: Engine, qi: Aggregated, members: exp.Select, labels: str) -> Deviations | None:
    """Replaces the labels of a column in the table `labels`(part, label ...) by the aggregate of each class."""
    deviations = label_aggregates(engine, qi, members, state("aggregate_labels"))
    engine.query("search/aggregates/relabel", names={"labels": labels})
    return deviations


def sse(deviations: Iterable[Deviations]) -> float | None:
    """SSE/SST: the share of the squared distances from the mean of all that remains within the classes.

    It is a mean over the columns that hold more than one value; None without columns. A suppressed row loses all of its
    distance.
    """
    columns = list(deviations)
    shares = [within / total for within, total in columns if total]
    # To ten places: beyond these, the sums depend on the order in which threads add.
    return round(min(1.0, sum(shares) / max(1, len(shares))), 10) if columns else None


def _number_text(qi: Aggregated) -> exp.Expr:
    """The text of the column `number` of the table aggregates."""
    if qi.kind == "date":
        return template.parse({"DATE": _DAY, "TIMESTAMP WITH TIME ZONE": _MOMENT_IN_UTC}.get(qi.described, _MOMENT))
    return as_written(column("number", "aggregates"), "DOUBLE")
