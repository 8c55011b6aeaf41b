"""What a released label stands for: runs of values of the source, in their order.

The values of a column that the source holds are its domain, ranked in their order, a missing value first. A label of a
hierarchy stands for the values below it, a range for those within it, a set for its members, * for all of them; each
with equal weight.
"""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from kanon_sql.commands.subject import Subject
from kanon_sql.commands.utility.compared import Compared, tuples
from kanon_sql.config.model import QuasiIdentifier
from kanon_sql.errors import ConfigurationError
from kanon_sql.frequency.dimensions.dimension import Dimension, Kind
from kanon_sql.frequency.dimensions.order import ordered_dimension
from kanon_sql.hierarchy.codes import CODES
from kanon_sql.hierarchy.hierarchy import Input
from kanon_sql.hierarchy.mapping import Mapping, build_mapping
from kanon_sql.source.values import as_written
from kanon_sql.sql import tables
from kanon_sql.sql.template import Item, column, state

# Beside the tables of a search in the same connection, which are numbered from 0.
_OWN = 100_000


def count_values(subject: Subject, side: str, one: Compared) -> None:
    """Counts the values of a column in the frequency table of a side."""
    names = {"tuples": tuples(side), "counted_values": one.table("values"), "item_name": one.value}
    subject.engine.query("commands/utility/counted_values", names=names)


def make_domain(subject: Subject, one: Compared) -> Kind:
    """Makes the domain of a column from its counted values, and the table ranks; what its values are."""
    engine = subject.engine
    dimension = _ordered(subject, one)
    number: exp.Expr = exp.cast(exp.null(), "DOUBLE")
    if dimension.kind == "number":
        # A label such as 0.1-0.3 holds the text of a FLOAT, which as a DOUBLE is another number.
        written = exp.cast(column("ordered"), "VARCHAR") if one.item.type == "FLOAT" else column("ordered")
        number = exp.cast(written, "DOUBLE")
    elif dimension.kind == "date":
        moment = exp.cast(column("ordered"), "TIMESTAMP")
        number = exp.cast(exp.Anonymous(this="epoch_us", expressions=[moment]), "DOUBLE")
    engine.query(
        "commands/utility/domain",
        names={
            "domain": one.table("domain"),
            "counted_values": one.table("values"),
            "ordered_values": dimension.domain,
            "number_value": number,
            "value_text": as_written(column("value", "counted"), one.item.type),
        },
    )
    engine.query("commands/utility/ranks", names={"domain": one.table("domain"), "ranks": one.table("ranks")})
    engine.run(tables.drop(dimension.domain))
    engine.run(tables.drop(dimension.places))
    return dimension.kind


def _ordered(subject: Subject, one: Compared) -> Dimension:
    """The values of a column in their order: as the search orders them, as texts where they fit no other."""
    distinct = exp.select("value").from_(exp.to_table(one.table("values")))
    spec = subject.hierarchies[one.name][0] if one.generalized else QuasiIdentifier()
    coded = spec.builtin == "prefix" or spec.builtin in CODES  # digits of codes are no numbers
    for said in ("text" if coded else spec.type, "text"):
        try:
            given = Input(_OWN + one.index, one.item, QuasiIdentifier(type=said), distinct)
            return ordered_dimension(subject.engine, given)
        except ConfigurationError:
            if said == "text":
                raise
    raise AssertionError


def make_runs(subject: Subject, one: Compared, kind: Kind) -> None:
    """Makes the tables labels(code, label ...) and runs(code, first, last) of a column from its counted labels."""
    engine = subject.engine
    own = ("domain", "ranks", "labels", "runs")
    names: dict[str, Any] = {name: one.table(name) for name in own}
    scratch = ("steps", "points", "spans", "span_runs", "open_labels", "members")
    names |= {name: state(f"utility_{name}") for name in scratch}
    text = as_written(column("value"), one.released_type)
    labels = {"counted_values": one.table("values"), "labels": names["labels"], "label_text": text}
    engine.query("commands/utility/labels", names=labels, values={"ranges": one.meaning.ranges})
    engine.run(tables.empty(names["span_runs"], {"code": "BIGINT", "first": "BIGINT", "last": "BIGINT"}))
    level = _make_steps(subject, one, names)
    engine.query("commands/utility/points", scope=names, values={"level": level})
    if one.meaning.ranges:
        _read_ranges(subject, one, kind, names)
    engine.query("commands/utility/missing_points", scope=names)
    engine.query("commands/utility/runs", scope=names, values={"generalized": one.generalized})
    engine.query("commands/utility/strange_runs", scope=names)
    for name in ("values", *scratch):
        engine.run(tables.drop(names.get(name) or one.table(name)))


def _make_steps(subject: Subject, one: Compared, names: dict[str, Any]) -> int | None:
    """Makes the table of what stands for each value at each level; the level that all labels are of, where one is."""
    engine = subject.engine
    spec, hierarchy = subject.hierarchies[one.name] if one.generalized else (QuasiIdentifier(), None)
    if hierarchy is None and spec.builtin is None:
        engine.query("commands/utility/own_steps", scope=names)
        return 0
    mapping = _mapping(subject, one)
    levels: list[Item] = [{"number": level, "label": f"label_{level}"} for level in range(1, mapping.height + 1)]
    engine.query("commands/utility/steps", names={"mapping": mapping.table}, scope=names, lists={"level": levels})
    engine.run(tables.drop(mapping.table))
    engine.run(tables.drop(mapping.weight_table))
    level = engine.query("commands/utility/common_level", scope=names)[0][0]
    return None if level is None else int(level)


def _mapping(subject: Subject, one: Compared) -> Mapping:
    spec, hierarchy = subject.hierarchies[one.name]
    domain = exp.to_table(one.table("domain"))
    distinct = exp.select("value").from_(domain)
    counted = exp.select("value", "row_count").from_(domain.copy())
    place = subject.loaded.place("quasi_identifiers", one.name)
    given = Input(_OWN + one.index, one.item, spec, distinct, hierarchy, place=place, counted=counted)
    return build_mapping(subject.engine, given)


def _read_ranges(subject: Subject, one: Compared, kind: Kind, names: dict[str, Any]) -> None:
    """Adds what labels of columns without hierarchy stand for: members of sets, ranges of numbers and dates."""
    engine = subject.engine
    engine.query("commands/utility/open_labels", scope=names)
    unread = {"labels": names["open_labels"]}
    engine.run(tables.empty(names["members"], {"code": "BIGINT", "point": "VARCHAR"}))
    if one.meaning.sets:
        engine.query("commands/link/set_points", names={**unread, "points": names["members"]})
    engine.query("commands/utility/bare_points", scope=names)
    engine.query("commands/utility/open_labels", scope=names)
    if kind in ("number", "date"):
        engine.query(f"commands/link/{kind}_spans", names={**unread, "spans": names["spans"]})
        engine.query("commands/utility/span_runs", scope=names, values={"between": one.meaning.aggregated})
