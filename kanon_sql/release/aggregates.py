"""What the classes of a lattice node show of columns that are aggregated (see kanon_sql.search.classes), and what
any classes show, found once more of the rows themselves.
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


def value_name(index: int) -> str:
    """The column of the table class_values that holds what classes show of quasi-identifier `index`."""
    return f"value_{index}"


def list_class_values(
    engine: Engine, shown: Sequence[Aggregated], codes: Sequence[str], *, suppresses: bool
) -> list[Deviations]:
    """Makes the table class_values of released classes, which these codes of the frequency table tell apart; how far
    the values of each column that is no text are from the means.

    Where it `suppresses`, the other classes are those of the table suppressed_classes.
    """
    tuples, classes = state("tuples"), state("node_classes")
    keys: list[Item] = [{"code": code} for code in codes]
    dropped: list[Item] = [{"classes": state("suppressed_classes")}] if suppresses else []
    engine.query(
        "release/node_classes",
        names={"tuples": tuples, "node_classes": classes},
        lists={"drop": dropped, "key": keys},
    )
    deviations = []
    values: list[Item] = []
    for one in shown:
        names: dict[str, template.Fill] = {"tuples": tuples, "node_classes": classes}
        names["value_code"] = code_name(one.index, 0)
        members = template.fill("release/class_members", names=names, lists={"key": keys})
        assert isinstance(members, exp.Select)
        labels = state(f"value_labels_{one.index}")
        found = label_aggregates(engine, one, members, labels)
        deviations += [] if found is None else [found]
        values.append({"labels": labels, "name": value_name(one.index)})
    engine.query(
        "release/class_values",
        names={"node_classes": classes, "class_values": state("class_values")},
        lists={"key": keys, "value": values},
    )
    return deviations


@dataclass(frozen=True)
class Again:
    """The released rows of the source with what their classes show, for aggregates to be found again.

    `keys` tell classes apart and `columns` are, of each aggregated column, itself, what is shown of it, and the value
    of a row, each as an expression over the columns of `rows`.
    """

    rows: exp.Select
    keys: Sequence[exp.Expr]
    columns: Sequence[tuple[Aggregated, exp.Expr, exp.Expr]]

    def table(self) -> Table:
        """The rows as a table to be counted."""
        return Table(self.rows, self.keys)

    def differences(self, engine: Engine) -> list[str]:
        """Which columns show something else than the aggregate of their class, in how many classes."""
        problems = []
        keys: list[Item] = [{"value": f"v{i}"} for i in range(len(self.keys))]
        for one, shown, value in self.columns:
            given = {"rounded": exp.Literal.number(_ROUNDED.get(one.described, _ROUNDED[one.kind]))}
            found = engine.query(
                compose(f"release/aggregates/{query_of(one.aggregate)}", values=given),
                names={"shown_rows": self._shown_rows(one, shown, value)},
                lists={"key": keys},
                values={"missing": one.released_missing},
            )
            if different := found[0][0]:
                problems.append(
                    f"{different} classes show another {one.aggregate} of column {one.name!r} than their rows have"
                )
        return problems

    def _shown_rows(self, one: Aggregated, shown: exp.Expr, value: exp.Expr) -> exp.Select:
        """SELECT of the classes, of the values in them, and of what is shown."""
        text, shown_text = exp.cast(value.copy(), "VARCHAR"), exp.cast(shown.copy(), "VARCHAR")
        columns = {
            **{f"v{i}": exp.cast(key.copy(), "VARCHAR") for i, key in enumerate(self.keys)},
            "said": text,
            "number": _number(one, text, value),
            "shown": shown_text,
            "shown_number": _number(one, shown_text),
        }
        if one.aggregate == "interval":
            least, most = (_end(one, shown_text, group) for group in _ENDS[one.kind][1])
            columns |= {"shown_least": _number(one, least), "shown_most": _number(one, most)}
        named = [exp.alias_(made, name) for name, made in columns.items()]
        return exp.select(*named).from_(self.rows.copy().subquery("released_rows"))


# What stands between the ends is a number's minus, too, and that of its exponent.
_ENDS = {"number": ("^(-?[^-]+?([eE]-[0-9]+)?)-(.+)$", (1, 3)), "date": ("^([^/]+)/(.+)$", (1, 2))}


def _end(one: Aggregated, text: exp.Expr, group: int) -> exp.Expr:
    """The text of an end of an interval, an empty one where it has none."""
    pattern = exp.Literal.string(_ENDS[one.kind][0])
    return exp.Anonymous(this="regexp_extract", expressions=[text.copy(), pattern, exp.Literal.number(group)])


# How far what is shown may be rounded: dates in microseconds, a mean of days by half of one; texts not at all, below 0.
_ROUNDED = {"DATE": 43_200_000_000, "date": 1, "number": 0, "text": -1}


def _number(one: Aggregated, text: exp.Expr, value: exp.Expr | None = None) -> exp.Expr:
    """A value, or what is shown, as a number; dates in microseconds."""
    if one.kind == "text":
        return exp.cast(exp.null(), "DOUBLE")
    if one.kind == "number":
        return exp.TryCast(this=text.copy(), to=exp.DataType.build("DOUBLE"))
    if value is not None and one.described == "TIMESTAMP WITH TIME ZONE":
        moment: exp.Expr = value.copy()
    else:
        plain = exp.Anonymous(
            this="regexp_replace", expressions=[text.copy(), exp.Literal.string("[+]00$"), exp.Literal.string("")]
        )
        moment = exp.TryCast(this=plain, to=exp.DataType.build("TIMESTAMP"))
    return exp.cast(exp.Anonymous(this="epoch_us", expressions=[moment]), "DOUBLE")
