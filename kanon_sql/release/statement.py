"""The release as one SELECT over the source; text columns of few values may be written as ENUM types."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp

from kanon_sql.frequency.aggregated import Aggregated
from kanon_sql.frequency.table import code_name
from kanon_sql.hierarchy.mapping import MappingTable
from kanon_sql.release.aggregates import value_name
from kanon_sql.release.release import Writing
from kanon_sql.search.full_domain.lattice import Node
from kanon_sql.search.problem import SearchProblem
from kanon_sql.source.model import Column
from kanon_sql.source.roles import Roles
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.tables import MOST_LABELS, enum_type, of_one_value
from kanon_sql.sql.template import Fill, Item, column, state

# Rows are sorted by a keyed hash: without the 128 bits of key, drawn for this run and forgotten after it, the order
# tells nothing of the source's order, even to one who could guess the state of the engine's generator.
_SORT_KEY = "hash(xor(hash(xor(hash(drawn), CAST($first AS UBIGINT))), CAST($second AS UBIGINT)))"


# The list holes of the release, those first that leave out what others are in.
_PARTS = ("mask", "drop", "value", "tuple", "label", "class", "group", "place", "qi")

GROUP = "household"  # the column of the suppressed classes that names the group of their rows

# Types in which equal values may be written differently (0.0 and -0.0, 1 month and 30 days): a class must release one.
WRITTEN_DIFFERENTLY = ("DOUBLE", "FLOAT", "INTERVAL", "TIME WITH TIME ZONE")
_FEW = min(1_000, MOST_LABELS)  # values, about
_MANY = 1_000_000  # rows: with fewer the statements that list the values cost more than is gained


@dataclass(frozen=True)
class Generalization:
    """The columns of a source at a lattice node.

    Each quasi-identifier is released by a level of its mapping table, or, where `aggregated`, by the class's value in
    the table class_values. Rows with the same `group`, a value of the table source, are suppressed together.
    """

    roles: Roles
    mappings: tuple[MappingTable, ...]
    node: Node
    aggregated: tuple[Aggregated, ...] = ()
    group: exp.Expr | None = None

    @property
    def shown(self) -> list[Aggregated]:
        """The columns of which classes show an aggregate: at level 0 there is nothing to aggregate."""
        return [aggregated for aggregated in self.aggregated if self.node[aggregated.index]]

    @property
    def shown_as(self) -> dict[int, str]:
        """The columns of class_values, by the indexes of their quasi-identifiers."""
        return {aggregated.index: value_name(aggregated.index) for aggregated in self.shown}

    @property
    def quasi_identifiers(self) -> list[tuple[Column, MappingTable, int]]:
        """(column, mapping table, level) of each quasi-identifier, in the configuration's order."""
        return list(zip(self.roles.quasi_identifiers, self.mappings, self.node, strict=True))

    def levels(self) -> list[tuple[str, MappingTable, int]]:
        """The same by the names of the columns."""
        return [(col.name, mapping, level) for col, mapping, level in self.quasi_identifiers]

    def grouping(self) -> list[tuple[MappingTable, int]]:
        """The quasi-identifiers that tell classes apart: those below the top of their hierarchies."""
        return [(m, level) for _, m, level in self.quasi_identifiers if level < m.height or m.splits_top]


def starred_condition(engine: Engine, generalization: Generalization) -> exp.Expr:
    """The condition that a tuple is * in every quasi-identifier at the node's levels anyway."""
    if generalization.shown:
        return exp.false()
    condition: list[exp.Expr] = []
    for _, mapping, level in generalization.quasi_identifiers:
        label = exp.cast(column(f"label_{level}"), "VARCHAR").eq(exp.Literal.string("*"))
        table = exp.Table(this=template.quoted(mapping.table))
        codes = engine.run(exp.select(column(f"level_{level}")).from_(table).where(label).distinct())
        if not codes:
            return exp.false()
        numbers = [exp.Literal.number(row[0]) for row in codes]
        condition.append(exp.In(this=column(code_name(mapping.index, level)), expressions=numbers))
    return exp.paren(exp.and_(*condition))


def release_select(
    engine: Engine, rows: exp.Select, generalization: Generalization, suppressed: int, writing: Writing
) -> exp.Expr:
    """SELECT of the released rows under their real names, in the source's column order.

    The classes of the `suppressed` rows are those of the table suppressed_classes.
    """
    by_key = {col.key: (mapping, level) for col, mapping, level in generalization.quasi_identifiers}
    masks, shown = suppressed > 0 and writing.masked, generalization.shown_as
    needs_codes = {m.index for m, _ in generalization.grouping()} if suppressed or shown else set()
    outputs: list[Item] = []
    joined: list[Item] = []
    for col in generalization.roles.released:
        value = col.released(column(col.key, "source"))
        if col.key in by_key:
            mapping, level = by_key[col.key]
            value, needs_join = column(shown.get(mapping.index, ""), state("class_values")), False
            if mapping.index not in shown:
                plain = writing.plain_text or writing.masked
                value, needs_join = _released_value(engine, col, mapping, level, plain)
            if needs_join or mapping.index in needs_codes:
                joined.append({"mapping": mapping.table, "key": col.key})
            if writing.as_text and not value.is_type("VARCHAR"):
                value = exp.cast(value, "VARCHAR")
            if masks:
                value = _masked(value)
        outputs.append({"value": value, "name": col.name})
    classes: list[Item] = [{"classes": state("suppressed_classes")}] if suppressed else []
    codes: list[Item] = [
        {"code": code_name(m.index, level), "mapping": m.table, "level": f"level_{level}"}
        for m, level in generalization.grouping()
    ]
    return filled(
        numbered(rows, writing),
        {
            "mask": classes if masks else [],
            "drop": [] if masks else classes,
            "value": [{"classes": state("class_values")}] if shown else [],
            "class": codes,
            "group": [{"name": GROUP, "value": generalization.group}]
            if generalization.group is not None and suppressed
            else [],
            "qi": joined,
            "out": outputs,
            "sort": sort_items(writing),
        },
    )


def filled(rows: exp.Expr, lists: Mapping[str, list[Item]]) -> exp.Expr:
    """The release of rows, with the parts of the query file that the lists name and no others."""
    parts: dict[str, list[Item]] = {name: [] for name in _PARTS}
    return template.fill("release/release", names={"source": rows}, lists={**parts, **lists})


def numbered(rows: exp.Select, writing: Writing) -> exp.Select:
    """The rows, with their numbers as `number` where a seed makes their random order repeatable."""
    if writing.seed is None or writing.order != "random":
        return rows
    number = exp.alias_(template.parse("row_number() OVER ()"), "number")
    return exp.select("*", number).from_(rows.copy().subquery(state("unnumbered")))


def sort_items(writing: Writing) -> list[Item]:
    """The sort key of a release in random order; none where the source's order is kept."""
    if writing.order != "random":
        return []
    seed = writing.seed
    first, second = (seed, seed) if seed is not None else (secrets.randbits(64), secrets.randbits(64))
    key = template.parse(_SORT_KEY)
    drawn = exp.column("number", "source") if seed is not None else exp.Anonymous(this="random")
    holes = {"first": first, "second": second}
    for parameter in list(key.find_all(exp.Parameter, exp.Placeholder)):
        parameter.replace(exp.Literal.number(holes[parameter.name] % 2**64))
    for reference in list(key.find_all(exp.Column)):
        reference.replace(drawn.copy())
    return [{"key": key}]


def _released_value(
    engine: Engine, col: Column, mapping: MappingTable, level: int, plain_text: bool
) -> tuple[exp.Expr, bool]:
    """(the released value of a quasi-identifier, whether that needs the mapping table)."""
    if level == 0 < mapping.height and col.type.startswith(WRITTEN_DIFFERENTLY):
        return column("value", mapping.table), True
    if level == 0 < mapping.height and not col.is_text:
        return col.released(column(col.key, "source")), False
    if level == mapping.height and not mapping.splits_top:
        label = engine.query(
            "release/top_label", names={"mapping": mapping.table, "label_top": f"label_{mapping.height}"}
        )[0][0]
        return (exp.Literal.string(str(label)) if plain_text else of_one_value(str(label))), False
    value = column(f"label_{level}", mapping.table)
    return (exp.cast(value, "VARCHAR") if plain_text else value), True


def _masked(value: exp.Expr) -> exp.Expr:
    hidden = exp.Is(this=column("is_suppressed", state("suppressed_classes")), expression=exp.true())
    return exp.Case(ifs=[exp.If(this=hidden, true=exp.Literal.string("*"))], default=exp.cast(value, "VARCHAR"))


def listed_rows(engine: Engine, problem: SearchProblem, writing: Writing) -> exp.Select:
    """The rows of a problem, texts of few values as ENUM types where that pays and the target takes them."""
    source, roles = problem.source, problem.roles
    # A treated value is dear: it is not made again to be listed.
    plain = [col for col in roles.released if col.is_text and col.name not in source.treatments]
    texts = [col for col in plain if col not in roles.quasi_identifiers]
    may_list = not source.backend.weighted and source.columnar and not writing.plain_text
    if not texts or not may_list or not _FEW or problem.n < _MANY:
        return problem.rows
    rows: dict[str, Fill] = {"source": problem.rows}
    keys: list[Item] = [{"key": col.key} for col in texts]
    estimates = engine.query("source/distinct_estimates", names=rows, lists={"out": keys})[0]
    few = {col.key for col, estimate in zip(texts, estimates, strict=True) if estimate <= _FEW}
    listed: list[Item] = []
    for key in sorted(few):
        table, present = state(f"listed_texts_{key}"), column(key, "source")
        values = exp.select(present).distinct().from_(problem.rows.copy().subquery("source"))
        kind = enum_type(engine, state(f"listed_{key}"), values.where(present.is_(exp.null()).not_()))
        names: dict[str, Fill] = {**rows, "listed_texts": table, "out_key": key}
        names["listed_label"] = exp.Cast(this=column("value", "present"), to=kind)
        engine.query("release/listed_texts", names=names)
        listed.append({"listed": table, "key": key})
    if not listed:
        return problem.rows
    others: list[Item] = [{"key": col.key} for col in source.columns if col.key not in few]
    select = template.fill("release/listed_rows", names=rows, lists={"out": others, "text": listed})
    assert isinstance(select, exp.Select)
    return select
