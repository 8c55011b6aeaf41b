"""The labels of one quasi-identifier in the release, and what is said of them whatever the search was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from kanon_sql.commands.page.gathered import Gathered
from kanon_sql.commands.page.hidden import least_told, told_bars
from kanon_sql.commands.risk.table import value_name
from kanon_sql.config.model import QuasiIdentifier
from kanon_sql.frequency.dimensions.dimension import Kind
from kanon_sql.frequency.dimensions.order import kind_of_type
from kanon_sql.hierarchy.builtin import describe
from kanon_sql.report.page.model import Bar
from kanon_sql.source.model import Column
from kanon_sql.source.reading import understood
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Fill, column, state

MOST_BARS = 30
MOST_LABELS = 6  # samples of a level
STRANGE = "its labels are not those of its hierarchy, so that the source cannot be counted under them"


@dataclass(frozen=True)
class Counted:
    """The labels of one column: those that most rows have, all together, and whether `strange` ones are among them.

    A label is (label, place in order or None, rows of the release, rows of the source).
    """

    frequent: Sequence[tuple[str | None, float | None, int, int]]
    labels: int
    released: int
    source: int
    strange: int

    @property
    def ordered(self) -> bool:
        """Whether the labels have an order."""
        return any(place is not None for _, place, _, _ in self.frequent)

    @property
    def samples(self) -> tuple[str, ...]:
        """The most frequent labels."""
        return tuple(label for label, _, _, _ in self.frequent if label is not None)[:MOST_LABELS]


def count_labels(gathered: Gathered, index: int) -> None:
    """Makes the table label_counts of one column of the release."""
    names = {"label_counts": state("page_label_counts"), "tuples": gathered.tuples, "this_text": value_name(index)}
    gathered.subject.engine.query("commands/page/label_counts", names=names)


def place_alone(engine: Engine, kind: Kind = "text") -> None:
    """Makes the table placed of labels under which the source is not counted; numbers and dates are put in order."""
    names: dict[str, Fill] = {"placed": state("page_placed"), "label_counts": state("page_label_counts")}
    engine.query("commands/page/placed_alone", names={**names, "label_place": begin_of(kind)})


def begin_of(kind: Kind) -> exp.Expr:
    """Where the first number or date of a `label` lies in order."""
    found: exp.Expr
    if kind == "number":
        found = _extracted("^-?[0-9]+([.][0-9]+)?([eE][+-]?[0-9]+)?")
    elif kind == "date":
        found = exp.Replace(
            this=_extracted("^[0-9]{4}(-[0-9]{2})?(-[0-9]{2})?"), expression=_text("-"), replacement=_text("")
        )
        found = exp.Anonymous(this="rpad", expressions=[found, exp.Literal.number(8), _text("0")])
    else:
        found = exp.null()
    return exp.TryCast(this=found, to=exp.DataType.build("DOUBLE"))


def _extracted(pattern: str) -> exp.Expr:
    return exp.Anonymous(this="regexp_extract", expressions=[column("label"), _text(pattern)])


def _text(text: str) -> exp.Expr:
    return exp.Literal.string(text)


def read_placed(engine: Engine) -> Counted:
    """What the table placed holds."""
    names = {"placed": state("page_placed")}
    found = engine.query("commands/page/most_frequent", names=names, values={"most": MOST_BARS + 1})
    sums = engine.query("commands/page/placed_sums", names=names)[0]
    frequent = [
        (label, None if place is None else float(place), int(released), int(source))
        for label, place, released, source in found
    ]
    return Counted(frequent, *(int(one) for one in sums))


def bars_of(
    gathered: Gathered, counted: Counted, n: int | None, least: int | None = None
) -> tuple[tuple[Bar, ...], Bar | None]:
    """The bars of the most frequent labels, and the others; `n` are the rows of the source, None where these are not
    counted under the labels. `least` is the least difference from the release that is told, where none of it is
    suppressed rows.
    """
    most = MOST_BARS if len(counted.frequent) > MOST_BARS else len(counted.frequent)
    shown = list(counted.frequent[:most])
    if counted.ordered:
        shown.sort(key=lambda one: (one[0] is None, one[1] is None, one[1] or 0.0, one[0] or ""))
    bars = tuple(Bar(label, None if n is None else source, released) for label, _, released, source in shown)
    rest = counted.released - sum(bar.release for bar in bars)
    if n is None:
        return bars, Bar(None, None, rest) if rest else None
    config = gathered.subject.loaded.config
    others = Bar(None, n - sum(bar.source or 0 for bar in bars), rest)
    bars, others = told_bars(bars, others, least_told(config) if least is None else least, config.privacy.k)
    return bars, others if others.source != 0 or others.release else None


def place_of(engine: Engine, item: Column, values: exp.Select) -> exp.Expr:
    """Where a `value` of a column lies in order, as a number; NULL where its values are texts.

    `values` selects the distinct values as value, with is_missing.
    """
    kind, value = kind_of_type(item.type), understood(column("value"), item.reading if item.is_text else None)
    if item.is_text:
        texts = exp.select(exp.alias_(value.copy(), "value"), "is_missing").from_(values.subquery("as_written"))
        present, numerals, dates, *_ = engine.query("frequency/read_order", names={"distinct_values": texts})[0]
        kind = "text" if not present or (numerals and dates) else "date" if numerals else "number"
    if kind == "text":
        return exp.cast(exp.null(), "DOUBLE")
    if kind == "number":
        return exp.TryCast(this=value, to=exp.DataType.build("DOUBLE"))
    moment = exp.TryCast(this=value, to=exp.DataType.build("TIMESTAMP"))
    return exp.cast(exp.Anonymous(this="epoch_us", expressions=[moment]), "DOUBLE")


def known_values(table: str) -> exp.Select:
    """SELECT of the values of a mapping table as value, with is_missing."""
    is_missing = exp.alias_(column("level_0").eq(0), "is_missing", quoted=True)
    return exp.select(column("value"), is_missing).from_(exp.Table(this=template.quoted(table)))


def generalized_by(spec: QuasiIdentifier, otherwise: str) -> str:
    """What generalizes a column, in a few words; `otherwise` where it has no hierarchy."""
    if spec.hierarchy is not None:
        return f"hierarchy {spec.hierarchy}"
    return otherwise if spec.builtin is None else describe(spec)[1:-1].removeprefix("builtin: ")
