"""The values that the classes of a release show of aggregated columns (see kanon_sql.search.classes).

For a lattice node they are put into a table here; for every release they are found once more of the rows themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    columns: Sequence[tuple[Aggregated, exp.Expr, exp.Expr]]

    def table(self) -> Table:
        return Table(self.rows, self.keys)

    def differences(self, engine: Engine) -> list[str]:
        """The problems: columns that show something else than the aggregate of their class, in how many classes."""
        problems = []
        keys: list[Item] = [{"value": f"v{i}"} for i in range(len(self.keys))]
        for aggregated, shown, value in self.columns:
            parameters = {"rounded": exp.Literal.number(_ROUNDED.get(aggregated.described, _ROUNDED[aggregated.kind]))}
            rows = engine.query(
                compose(f"release/aggregates/{query_of(aggregated.aggregate)}", values=parameters),
                names={"shown_rows": self._shown_rows(aggregated, shown, value), **_ends(aggregated)},
                lists={"key": keys},
                values={"missing": aggregated.released_missing},
            )
            if different := rows[0][0]:
                problems.append(
                    f"{different:,} classes show another {aggregated.aggregate} of column {aggregated.name!r} than "
                    "their rows have"
                )
        return problems

    def _shown_rows(self, aggregated: Aggregated, shown: exp.Expr, value: exp.Expr) -> exp.Select:
        """SELECT of the keys of classes, the values in them, and what is shown."""
        text, shown_text = exp.cast(value.copy(), "VARCHAR"), exp.cast(shown.copy(), "VARCHAR")
        columns = {
            **{f"v{i}": exp.cast(key.copy(), "VARCHAR") for i, key in enumerate(self.keys)},
            "said": text,
            "number": _number(aggregated, text, value),
            "shown": shown_text,
            "shown_number": _number(aggregated, shown_text),
        }
        named = [exp.alias_(expression, name) for name, expression in columns.items()]
        return exp.select(*named).from_(self.rows.copy().subquery("released_rows"))


def _ends(aggregated: Aggregated) -> dict[str, exp.Expr]:
    """What the query of intervals reads of the column `shown`: it and its ends as numbers."""
    if aggregated.aggregate != "interval":
        return {}
    shown = template.column("shown")
    pattern, groups = _ENDS[aggregated.kind]
    least, most = (  # an empty text where there is no such end
        exp.Anonymous(
            this="regexp_extract",
            expressions=[shown.copy(), exp.Literal.string(pattern), exp.Literal.number(group)],
        )
        for group in groups
    )
    return {
        "shown_number": _number(aggregated, shown),
        "shown_least": _number(aggregated, least),
        "shown_most": _number(aggregated, most),
    }


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
