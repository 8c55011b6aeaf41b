"""A quasi-identifier: the steps of its hierarchy, and how its labels are distributed in source and release."""

from __future__ import annotations

from kanon_sql.report.charts import svg
from kanon_sql.report.charts.figure import WIDTH, Figure, Panel
from kanon_sql.report.charts.paired import SMALL, Frame, Pair, add_head, draw_pairs_of_bars, legend
from kanon_sql.report.page.model import Bar, ColumnFacts, Step

_STEP, _PITCH = 34, 40


def draw_labels(column: ColumnFacts, k: int, name: str) -> Figure:
    """Rows of each label in the release and, at the same level, in the source; a count None is below `k`."""
    bars = [*column.bars, *([column.others] if column.others else [])]
    knows = any(bar.source is not None for bar in bars)
    pairs = [_pair(bar, k, bar is column.others) for bar in bars]
    sides = (True, False) if knows else (False,)
    title = f"{column.name}: rows by label"
    drawing = draw_pairs_of_bars(Frame(title, "rows", whole=True), pairs, sides)
    alt = f"{len(column.bars)} labels of {column.name}"
    rows = tuple((pair.label, *pair.texts) for pair in pairs)
    key = legend() if knows else legend(before="")
    return Figure(name, title, alt, (Panel(title, alt, drawing),), key, ("label", "source", "release"), rows)


def draw_steps(column: ColumnFacts, name: str) -> Figure:
    """The hierarchy as steps, the finest at the bottom: labels of each level, and the level that was chosen."""
    title = f"{column.name}: the levels of its hierarchy"
    drawing = svg.Drawing(WIDTH, 0)
    add_head(drawing, title)
    top = drawing.height + 4
    for place, step in enumerate(reversed(column.steps)):
        drawing.marks.append(_step(step, step.level == column.level, top + place * _PITCH))
    drawing.height = top + len(column.steps) * _PITCH
    alt = f"{len(column.steps)} levels"
    rows = tuple(
        (str(step.level), f"{step.count:,}", f"{step.rows:,}", ", ".join(step.labels)) for step in column.steps
    )
    return Figure(name, title, alt, (Panel(title, alt, drawing),), (), ("level", "labels", "rows", "some"), rows)


def _pair(bar: Bar, k: int, others: bool) -> Pair:
    label = "all others" if others else "(missing)" if bar.label is None else bar.label
    source = f"< {k:,}" if bar.source is None else f"{bar.source:,}"
    return Pair(label, bar.source, bar.release, (source, f"{bar.release:,}"), label)


def _step(step: Step, chosen: bool, y: float) -> str:
    look = {"fill": svg.WINNER if chosen else svg.GRID, "stroke": svg.BORDER, "class_": "step"}
    words = f"level {step.level}: {step.count:,} labels" + (", released" if chosen else "")
    some = svg.shortened(", ".join(step.labels), WIDTH - 16, SMALL)
    box = svg.tag("rect", x=0.5, y=y, width=WIDTH - 1, height=_STEP, rx=4, **look)
    return svg.tag("g", box, svg.text(8, y + 14, words, 11.5), svg.text(8, y + 28, some, SMALL))
