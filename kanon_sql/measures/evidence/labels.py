"""What is told of counts of source rows: none of fewer than k, and none that others of the same figure give away.

A row that was suppressed is as dear as one that was released: the rows of a label in the source less those in the
release are suppressed rows with that label, so that such a difference is a count, too. What may not be told is told
together with others: ranges of a histogram are joined, differences are moved to "others".

The labels of one quasi-identifier in the release, and what is said of them whatever the search was.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from kanon_sql.config.model import Config, QuasiIdentifier
from kanon_sql.frequency.dimensions import Kind, kind_of_type
from kanon_sql.hierarchy.builtin import describe
from kanon_sql.measures.evidence.gathered import Gathered
from kanon_sql.measures.risk.table import value_name
from kanon_sql.report.page.model import Bar
from kanon_sql.source.model import Column
from kanon_sql.source.reading import understood
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import column

if TYPE_CHECKING:
    from kanon_sql.results.risk import SizeBin


def least_told(config: Config) -> float:
    """The least number of source rows that is told; endless where k counts entities, of which a row may be one."""
    if config.privacy.entity is not None:
        return math.inf
    persons = [int(model.k) for model in getattr(config.privacy, "k_map", None) or ()]
    return max(2, config.privacy.k, *persons)


def told_bars(bars: Sequence[Bar], others: Bar, least: float, k: int) -> tuple[tuple[Bar, ...], Bar]:
    """Bars with the counts of the source that may be told, and the others together.

    Fewer than `least` rows that a label has more in the source are told with the others; where these would still be
    so few, the next fewest are as well.
    """
    more = [(bar.source or 0) - bar.release for bar in bars]
    moved = {i for i, rows in enumerate(more) if 0 < rows < least}
    left = sorted((i for i, rows in enumerate(more) if rows >= least), key=lambda i: more[i])
    beyond = (others.source or 0) - others.release + sum(more[i] for i in moved)
    while 0 < beyond < least and left:
        moved.add(left[0])
        beyond += more[left.pop(0)]
    shown_bars = tuple(
        Bar(bar.label, bar.release if i in moved else bar.source, bar.release) for i, bar in enumerate(bars)
    )
    together = others.release + beyond
    return shown_bars, Bar(others.label, None if 0 < together < k else together, others.release)


def told_ranges(sizes: Sequence[SizeBin], k: int) -> list[list[int]]:
    """Which ranges of a histogram of class sizes are told together, so that none holds 1 to k - 1 rows.

    Ranges that are joined hold 2 k rows: fewer could be divided among their sizes in one way only. Those below k are
    joined with each other where that is enough, else all of them together with the next: where nothing is generalized,
    the rows in such classes are those suppressed, which everybody can count. So a range of sizes from below k on to
    k is joined only with all below it.
    """
    rows = [size["rows"] for size in sizes]
    below = sum(size["from"] < k for size in sizes)
    parts = [_joined(rows, part, k) for part in (range(below), range(below, len(rows)))]
    cut = any(size["from"] < k <= size["to"] for size in sizes)
    torn = cut and any(len(part) > 1 and below - 1 in part for part in parts[0])
    if not torn and all(_are_enough(rows, together, k) for part in parts for together in part):
        return [together for part in parts for together in part]
    return _joined(rows, range(below, len(rows)), k, range(below))


def _joined(rows: Sequence[int], part: Sequence[int], k: int, before: Sequence[int] = ()) -> list[list[int]]:
    """The ranges of a part; those of `before` it stay together with the first of it."""
    ranges: list[list[int]] = []
    held = list(before)
    for i in part:
        held.append(i)
        if _are_enough(rows, held, k):
            ranges.append(held)
            held = []
    while ranges and not _are_enough(rows, held, k):
        held = ranges.pop() + held
    return [*ranges, held] if held else ranges


def _are_enough(rows: Sequence[int], together: Sequence[int], k: int) -> bool:
    total = sum(rows[i] for i in together)
    return total == 0 or total >= (k if len(together) == 1 else 2 * k)


def join_ranges(sizes: Sequence[SizeBin], together: Sequence[Sequence[int]]) -> list[SizeBin]:
    """A histogram with ranges joined."""
    return [
        {
            "from": sizes[part[0]]["from"],
            "to": sizes[part[-1]]["to"],
            "classes": sum(sizes[i]["classes"] for i in part),
            "rows": sum(sizes[i]["rows"] for i in part),
            "share": sum(sizes[i]["share"] for i in part),
        }
        for part in together
    ]


def hide_small_classes(before: Any, after: Any, k: int, threshold: float) -> None:
    """Takes out of the risks (PageTable) of source and release what tells of fewer than k rows of the source.

    Where ranges of the histogram are joined, all that would divide their rows again is None: the classes of such a
    range and of all rows (and with them averages, and what a marketer names right), the smallest and largest class
    (and the highest risk) where one of them is there, and rows up to a size within such a range.
    """
    ranges = told_ranges(before["sizes"], k)
    joined = [part for part in ranges if len(part) > 1]
    ends = {before["sizes"][part[-1]]["to"] for part in ranges}
    last = max(ends)
    for side in (before, after):
        side["sizes"] = join_ranges(side["sizes"], ranges)
    if not joined:
        return
    classes, prosecutor = before["classes"], before["prosecutor"]
    for size, part in zip(before["sizes"], ranges, strict=True):
        if len(part) > 1:
            size["classes"] = None
            for key in ("min", "max"):
                if classes[key] is not None and size["from"] <= classes[key] <= size["to"]:
                    classes[key] = None
    classes["count"] = classes["average"] = prosecutor["average"] = None
    before["marketer"] = {"average": None, "rows": None}
    if classes["min"] is None:
        prosecutor["highest"] = None
    for entry, most in ((before["unique"], 1), (prosecutor["above"], math.ceil(1 / threshold) - 1)):
        if most < last and most not in ends:
            entry["rows"] = entry["share"] = None


MOST_BARS = 30
MOST_LABELS = 6  # samples of a level
STRANGE = "its labels are not those of its hierarchy, so that the source cannot be counted under them"


@dataclass(frozen=True)
class LabelCounts:
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
    names = {"tuples": gathered.tuples, "this_text": value_name(index)}
    gathered.subject.engine.query("measures/evidence/label_counts", names=names)


def place_alone(engine: Engine, kind: Kind = "text") -> None:
    """Makes the table placed of labels under which the source is not counted; numbers and dates are put in order."""
    engine.query("measures/evidence/placed_alone", names={"label_place": begin_of(kind)})


def begin_of(kind: Kind) -> exp.Expr:
    """Where the first number or date of a `label` lies in order."""
    expression: exp.Expr
    if kind == "number":
        expression = _extracted("^-?[0-9]+([.][0-9]+)?([eE][+-]?[0-9]+)?")
    elif kind == "date":
        expression = exp.Replace(
            this=_extracted("^[0-9]{4}(-[0-9]{2})?(-[0-9]{2})?"), expression=_text("-"), replacement=_text("")
        )
        expression = exp.Anonymous(this="rpad", expressions=[expression, exp.Literal.number(8), _text("0")])
    else:
        expression = exp.null()
    return exp.TryCast(this=expression, to=exp.DataType.build("DOUBLE"))


def _extracted(pattern: str) -> exp.Expr:
    return exp.Anonymous(this="regexp_extract", expressions=[column("label"), _text(pattern)])


def _text(text: str) -> exp.Expr:
    return exp.Literal.string(text)


def read_placed(engine: Engine) -> LabelCounts:
    """What the table placed holds."""
    rows = engine.query("measures/evidence/most_frequent", values={"most": MOST_BARS + 1})
    sums = engine.query("measures/evidence/placed_sums")[0]
    frequent = [
        (label, None if place is None else float(place), int(released), int(source))
        for label, place, released, source in rows
    ]
    return LabelCounts(frequent, *(int(total) for total in sums))


def bars_of(
    gathered: Gathered, counted: LabelCounts, n: int | None, least: int | None = None
) -> tuple[tuple[Bar, ...], Bar | None]:
    """The bars of the most frequent labels, and the others; `n` are the rows of the source, None where these are not
    counted under the labels. `least` is the least difference from the release that is told, where none of it is
    suppressed rows.
    """
    most = MOST_BARS if len(counted.frequent) > MOST_BARS else len(counted.frequent)
    shown = list(counted.frequent[:most])
    if counted.ordered:
        shown.sort(key=lambda entry: (entry[0] is None, entry[1] is None, entry[1] or 0.0, entry[0] or ""))
    bars = tuple(Bar(label, None if n is None else source, released) for label, _, released, source in shown)
    rest = counted.released - sum(bar.release for bar in bars)
    if n is None:
        return bars, Bar(None, None, rest) if rest else None
    config = gathered.subject.loaded.config
    others = Bar(None, n - sum(bar.source or 0 for bar in bars), rest)
    bars, others = told_bars(bars, others, least_told(config) if least is None else least, config.privacy.k)
    return bars, others if others.source != 0 or others.release else None


def place_of(engine: Engine, source_column: Column, values: exp.Select) -> exp.Expr:
    """Where a `value` of a column lies in order, as a number; NULL where its values are texts.

    `values` selects the distinct values as value, with is_missing.
    """
    kind, value = (
        kind_of_type(source_column.type),
        understood(column("value"), source_column.reading if source_column.is_text else None),
    )
    if source_column.is_text:
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
