"""The values that the classes of a release show of aggregated columns (see kanon_sql.search.classes).

For a lattice node they are put into a table here; for every release they are found once more of the rows themselves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from kanon_sql.frequency.aggregated import Aggregated
from kanon_sql.frequency.table import code_name
from kanon_sql.recount.statement import Table
from kanon_sql.search.classes import Deviations, label_aggregates
from kanon_sql.settings.algorithms import query_of
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Item, compose, state

Shown = tuple[Aggregated, exp.Expr, exp.Expr]
# The dash between the ends is a number's minus, too, and that of its exponent.
_ENDS = {"number": ("^(-?[^-]+?([eE]-[0-9]+)?)-(.+)$", (1, 3)), "date": ("^([^/]+)/(.+)$", (1, 2))}
# How far a shown value may be rounded: dates in microseconds, a mean of days by half of one; texts not at all, below 0.
_ROUNDED = {"DATE": 43_200_000_000, "date": 1, "number": 0, "text": -1}


def value_name(index: int) -> str:
    """The column of the table class_values that holds what classes show of quasi-identifier `index`."""
    return f"value_{index}"


def list_class_values(
    engine: Engine, shown: Sequence[Aggregated], codes: Sequence[str], *, suppresses: bool
) -> list[Deviations]:
    """Makes the table class_values of the released classes, which these codes of the frequency table tell apart.

    Gives how far the values of each column that is no text deviate from what is shown. With `suppresses`, the classes
    of the table suppressed_classes are not released.
    """
    tuples, classes = state("tuples"), state("node_classes")
    keys: list[Item] = [{"code": code} for code in codes]
    dropped: list[Item] = [{"classes": state("suppressed_classes")}] if suppresses else []
    engine.query(
        "release/node_classes", names={"tuples": tuples, "node_classes": classes}, lists={"drop": dropped, "key": keys}
    )
    deviations = []
    values: list[Item] = []
    for aggregated in shown:
        names: dict[str, template.Fill] = {"tuples": tuples, "node_classes": classes}
        names["value_code"] = code_name(aggregated.index, 0)
        members = template.fill("release/class_members", names=names, lists={"key": keys})
        assert isinstance(members, exp.Select)
        labels = state(f"value_labels_{aggregated.index}")
        deviation = label_aggregates(engine, aggregated, members, labels)
        deviations += [] if deviation is None else [deviation]
        values.append({"labels": labels, "name": value_name(aggregated.index)})
    engine.query(
        "release/class_values",
        names={"node_classes": classes},
        lists={"key": keys, "value": values},
    )
    return deviations


@dataclass(frozen=True)
class AggregateRecount:
    """The released rows of the source with what their classes show, for finding the aggregates again.

    `keys` tell classes apart. `columns` are of each aggregated column: itself, what is shown of it, and the value of a
    row, each as an expression over the columns of `rows`.
    """

    rows: exp.Select
    keys: Sequence[exp.Expr]
    columns: Sequence[Shown]

    def table(self) -> Table:
        return Table(self.rows, self.keys)

    def differences(self, engine: Engine) -> list[str]:
        """The problems: columns that show something else than the aggregate of their class, in how many classes."""
        together: dict[str, list[Shown]] = {}
        different: dict[int, int] = {}
        for shown in self.columns:
            query = f"release/aggregates/{query_of(shown[0].aggregate)}"
            if template.mentions(query, "column"):
                together.setdefault(query, []).append(shown)
            else:
                different[shown[0].index] = self._different(engine, query, *shown)
        for query, columns in together.items():
            different |= self._different_together(engine, query, columns)
        return [
            f"{different[aggregated.index]:,} classes show another {aggregated.aggregate} of column "
            f"{aggregated.name!r} than their rows have"
            for aggregated, _, _ in self.columns
            if different[aggregated.index]
        ]

    def _different(self, engine: Engine, query: str, aggregated: Aggregated, shown: exp.Expr, value: exp.Expr) -> int:
        """In how many classes a column shows something else, by a query that takes one column."""
        text, shown_text = exp.cast(value.copy(), "VARCHAR"), exp.cast(shown.copy(), "VARCHAR")
        columns = {
            "said": text,
            "number": _number(aggregated, text, value),
            "shown": shown_text,
            "shown_number": _number(aggregated, shown_text),
        }
        rows = engine.query(
            compose(query, values={"rounded": exp.Literal.number(_rounded(aggregated))}),
            names={"shown_rows": self._shown_rows(self.keys, columns)},
            lists={"key": _key_items(self.keys)},
            values={"missing": aggregated.released_missing},
        )
        return int(rows[0][0])

    def _different_together(self, engine: Engine, query: str, columns: Sequence[Shown]) -> dict[int, int]:
        """The same of all columns with the same aggregate, by their indices: the rows are joined and grouped once."""
        keys = [key for key in self.keys if all(key != shown for _, shown, _ in columns)]
        selected: dict[str, exp.Expr] = {}
        items: list[Item] = []
        for aggregated, shown, value in columns:
            selected[f"shown_{aggregated.index}"] = exp.cast(shown.copy(), "VARCHAR")
            number = _number(aggregated, exp.cast(value.copy(), "VARCHAR"), value)
            selected[f"number_{aggregated.index}"] = number
            items.append(_column_item(query, aggregated))
        rows = engine.query(
            query,
            names={"shown_rows": self._shown_rows(keys, selected)},
            lists={"key": _key_items(keys), "column": items},
        )
        return {aggregated.index: int(count) for (aggregated, _, _), count in zip(columns, rows[0], strict=True)}

    def _shown_rows(self, keys: Sequence[exp.Expr], columns: Mapping[str, exp.Expr]) -> exp.Select:
        """SELECT of keys of classes and further columns of the released rows."""
        named = {**{f"v{i}": exp.cast(key.copy(), "VARCHAR") for i, key in enumerate(keys)}, **columns}
        selected = [exp.alias_(expression, name) for name, expression in named.items()]
        return exp.select(*selected).from_(self.rows.copy().subquery("released_rows"))


def _key_items(keys: Sequence[exp.Expr]) -> list[Item]:
    return [{"value": f"v{i}"} for i in range(len(keys))]


def _column_item(query: str, aggregated: Aggregated) -> Item:
    """What a query that takes many columns reads of one."""
    index, missing = aggregated.index, aggregated.released_missing
    shown = template.column(f"shown_{index}")
    item: dict[str, template.Fill] = {
        **{name: f"{name}_{index}" for name in ("shown", "number", "least", "most", "again", "different")},
        "shown_number": _number(aggregated, shown),
        "missing": exp.null() if missing is None else exp.Literal.string(missing),
        "rounded": exp.Literal.number(_rounded(aggregated)),
        **_ends(aggregated, shown),
    }
    mentioned = template.holes(query).mentioned
    return {name: value for name, value in item.items() if f"column_{name}" in mentioned}


def _ends(aggregated: Aggregated, shown: exp.Expr) -> dict[str, exp.Expr]:
    """The ends of what is shown of a column of intervals, as numbers."""
    if aggregated.aggregate != "interval":
        return {}
    pattern, groups = _ENDS[aggregated.kind]
    least, most = (  # an empty text where there is no such end
        exp.Anonymous(
            this="regexp_extract",
            expressions=[shown.copy(), exp.Literal.string(pattern), exp.Literal.number(group)],
        )
        for group in groups
    )
    return {"shown_least": _number(aggregated, least), "shown_most": _number(aggregated, most)}


def _rounded(aggregated: Aggregated) -> int:
    return _ROUNDED.get(aggregated.described, _ROUNDED[aggregated.kind])


def _number(aggregated: Aggregated, text: exp.Expr, value: exp.Expr | None = None) -> exp.Expr:
    """A value of a row, or a shown one, as a number; dates in microseconds."""
    if aggregated.kind == "text":
        return exp.cast(exp.null(), "DOUBLE")
    if aggregated.kind == "number":
        return exp.TryCast(this=text.copy(), to=exp.DataType.build("DOUBLE"))
    if value is not None and aggregated.described == "TIMESTAMP WITH TIME ZONE":
        moment: exp.Expr = value.copy()
    else:
        plain = exp.Anonymous(
            this="regexp_replace", expressions=[text.copy(), exp.Literal.string("[+]00$"), exp.Literal.string("")]
        )
        moment = exp.TryCast(this=plain, to=exp.DataType.build("TIMESTAMP"))
    return exp.cast(exp.Anonymous(this="epoch_us", expressions=[moment]), "DOUBLE")
