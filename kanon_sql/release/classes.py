"""Rows under the labels of classes, as one SELECT.

Rows of a tuple that several classes share are dealt out to them in the order of a hash of what is released as it is. So
the order tells nothing of the source's, and is the same in each run and on every engine; rows of equal values are
interchangeable.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

from sqlglot import exp

from kanon_sql.errors import ConfigurationError
from kanon_sql.frequency.dimensions import Dimension
from kanon_sql.release.release import Writing
from kanon_sql.release.statement import filled, numbered, sort_items
from kanon_sql.search.classes import BOUNDS, bound_name, label_name
from kanon_sql.source.model import Column
from kanon_sql.source.roles import Roles
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.dialects import own
from kanon_sql.sql.template import Item, column, state

# Types whose texts are the same on every engine.
_WHOLE_NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT")
_SAME_TEXT = ("VARCHAR", "ENUM", "UUID", "BOOLEAN", "DATE", "TIME", "DECIMAL", *_WHOLE_NUMBERS)
_FLOATS = ("DOUBLE", "FLOAT")
_WHOLE = 10**15  # floats from here on are told apart by their order alone
_PARTS = 1 << 20  # of one, by which the hash tells floats apart
_MISSING = "-"  # no hash


@dataclass(frozen=True)
class Output:
    """A released column: one of the source unchanged (`key`), or one of the table released_classes (`label`).

    With both, the rows of a class have one value: it keeps its type unless quasi-identifiers are text.
    """

    name: str
    key: str | None = None
    label: str | None = None
    is_bound: bool = False
    column: Column | None = None

    def is_plain(self, *, as_text: bool) -> bool:
        """Whether a row's own value is released; `as_text` says that quasi-identifiers are text."""
        return self.key is not None and not (as_text and self.label is not None)


def outputs(roles: Roles, dimensions: Sequence[Dimension], whole: Set[int] | None) -> list[Output]:
    """The released columns in the source's order.

    A range becomes two columns, x_lower and x_upper, except for the `whole` dimensions; with None for all. Raises
    ConfigurationError where one of these has the name of another column.
    """
    by_key = {d.column.key: d for d in dimensions}
    columns: list[Output] = []
    for col in roles.released:
        d = by_key.get(col.key)
        if d is None:
            columns.append(Output(col.name, key=col.key, column=col))
        elif whole is not None and d.has_ranges and d.index not in whole:
            columns += [Output(f"{col.name}_{end}", label=bound_name(d, end), is_bound=True) for end in BOUNDS]
        elif d.apart and not col.is_text:
            columns.append(Output(col.name, key=col.key, label=label_name(d), column=col))
        else:
            columns.append(Output(col.name, label=label_name(d)))
    names = [output.name.casefold() for output in columns]
    twice = [output.name for output in columns if output.is_bound and names.count(output.name.casefold()) > 1]
    if twice:
        raise ConfigurationError(
            f"release.ranges: columns would release {', '.join(map(repr, twice))} beside a column of that name; "
            "rename or drop one"
        )
    return columns


def select_partitions(
    engine: Engine,
    rows: exp.Select,
    dimensions: Sequence[Dimension],
    released: Sequence[Output],
    writing: Writing,
    *,
    dealt_by: Sequence[exp.Expr] | None,
) -> exp.Expr:
    """SELECT of the released rows; with `dealt_by` classes may share the rows of a tuple, dealt out in that order."""
    classes = state("released_classes")
    items: list[Item] = []
    for output in released:
        if output.is_plain(as_text=writing.as_text):
            value: exp.Expr = column(str(output.key), "source")
            value = output.column.released(value) if output.column else value
        else:
            value = column(output.label or "", classes)
            if not output.is_bound and (writing.plain_text or writing.as_text):
                value = exp.cast(value, "VARCHAR")
        items.append({"value": value, "name": output.name})
    sort = sort_items(writing)
    if dealt_by is not None:
        labels: list[Item] = [{"classes": classes, "part": column("part", "source")}]
        dealt = _dealt(engine, rows, dimensions, dealt_by)
        return filled(dealt, {"label": labels, "out": items, "sort": sort or [{"key": column("number", "source")}]})
    assigned = state("assigned")
    return filled(
        numbered(rows, writing),
        {
            "tuple": [{"assigned": assigned}],
            "label": [{"classes": classes, "part": column("part", assigned)}],
            "place": [{"position": d.position, "mapping": d.domain} for d in dimensions],
            "qi": [{"mapping": d.domain, "key": d.column.key} for d in dimensions],
            "out": items,
            "sort": sort,
        },
    )


def _dealt(engine: Engine, rows: exp.Select, dimensions: Sequence[Dimension], dealt_by: Sequence[exp.Expr]) -> exp.Expr:
    """The rows with their classes, those of shared tuples dealt out, and their numbers."""
    list_shares(engine, dimensions)
    holes: list[Item] = [{"domain": d.domain, "key": d.column.key, "position": d.position} for d in dimensions]
    lists: dict[str, Sequence[Item]] = {"qi": holes, "deal": [{"key": key} for key in dealt_by]}
    return exp.Subquery(this=template.fill("release/dealt_rows", names={"source": rows}, lists=lists))


def list_shares(engine: Engine, dimensions: Sequence[Dimension]) -> None:
    """Makes the table shares(part, p0 ..., rows_before, last_row): which rows of each tuple a class takes."""
    engine.query("release/shares", lists={"this": [{"position": d.position} for d in dimensions]})


def dealing_order(released: Sequence[tuple[exp.Expr, str]], seed: int) -> list[exp.Expr]:
    """The expressions that rows are put in order by: a hash of their released values, then values that have no such
    hash.

    `released` has (value, its type in DuckDB).
    """
    texts = [_text(value, kind) for value, kind in released]
    hashed = [
        exp.func("COALESCE", own("md5", text), exp.Literal.string(_MISSING)) for text in texts if text is not None
    ]
    ties = [value.copy() for value, kind in released if kind.startswith(_FLOATS) or _is_moment(kind)]
    return [own("md5", own("concat", str(seed), exp.Literal.string(_MISSING), *hashed)), *ties]


def tells_apart(kind: str) -> bool:
    """Whether rows with different values of this type of DuckDB get different places in that order."""
    return kind.startswith(_FLOATS) or _is_moment(kind) or _has_same_text(kind)


def _is_moment(kind: str) -> bool:
    """Whether the text of a value depends on a time zone."""
    return kind.endswith("TIME ZONE")


def _has_same_text(kind: str) -> bool:
    return kind.startswith(_SAME_TEXT) and not kind.endswith("[]") and not _is_moment(kind)


def _text(value: exp.Expr, kind: str) -> exp.Expr | None:
    if kind.startswith(_FLOATS) and not kind.endswith("[]"):
        return _float_text(value)
    return exp.cast(value.copy(), "VARCHAR") if _has_same_text(kind) else None


def _float_text(value: exp.Expr) -> exp.Expr:
    """A text of two whole numbers, since engines write floats in different ways."""

    def double() -> exp.Expr:
        return exp.cast(value.copy(), "DOUBLE")

    def whole(number: exp.Expr) -> exp.Expr:
        return exp.cast(exp.cast(exp.Floor(this=number), "BIGINT"), "VARCHAR")

    rest = exp.Paren(this=exp.Sub(this=double(), expression=exp.Floor(this=double())))
    parts = exp.Mul(this=rest, expression=exp.Literal.number(_PARTS))
    is_usual = exp.LT(this=exp.Abs(this=double()), expression=exp.Literal.number(_WHOLE))
    text = own("concat", whole(double()), exp.Literal.string(_MISSING), whole(parts))
    return exp.Case(ifs=[exp.If(this=is_usual, true=text)])
