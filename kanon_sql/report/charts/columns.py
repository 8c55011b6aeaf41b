"""A quasi-identifier: the levels of its hierarchy, and how its labels are distributed in source and release.

Classes of a release by their size, and the loss of their rows.
"""

from __future__ import annotations

from collections.abc import Sequence

from kanon_sql.report.charts import svg
from kanon_sql.report.charts.diagram import clean
from kanon_sql.report.charts.figure import WIDTH, Figure, LegendEntry, Panel, cut
from kanon_sql.report.charts.paired import AFTER, SIZE, SMALL, Frame, Pair, draw_pairs_of_bars, legend
from kanon_sql.report.page.model import Bar, ClassBand, ColumnFacts, Step
from kanon_sql.report.words import UNKNOWN

_PITCH, _LOW_PITCH = 52, 38
_STRIP = 14
_MOST_PARTS = 80


def draw_labels(column: ColumnFacts, k: int, name: str) -> Figure:
    """Rows of each label in the release and, at the same level, in the source; a count None is below `k`."""
    bars = [*column.bars, *([column.others] if column.others else [])]
    compares = any(bar.source is not None for bar in bars)
    pairs = [_pair(bar, k, bar is column.others) for bar in bars]
    sides = (True, False) if compares else (False,)
    title = f"{cut(column.name)}: rows of each label"
    alt = _distribution(column, compares)
    drawing = draw_pairs_of_bars(Frame("", "rows", whole=True), pairs, sides)
    rows = tuple((pair.label, *(pair.texts if compares else pair.texts[1:])) for pair in pairs)
    head = ("label", "source", "release") if compares else ("label", "release")
    key = legend() if compares else legend(before="")
    return Figure(name, title, alt, (Panel(title, alt, drawing),), key, head, rows, note=column.note or "")


def draw_steps(column: ColumnFacts, name: str) -> Figure:
    """The hierarchy as strips, the finest at the bottom, one part a label; the level that was chosen is full."""
    title = f"{cut(column.name)}: levels of generalization"
    drawing = svg.Drawing(WIDTH, 2)
    for step in reversed(column.steps):
        drawing.marks.append(_strip(step, _is_released(step, column), drawing.height))
        drawing.height += _PITCH if step.labels else _LOW_PITCH
    alt = _chosen(column)
    head = ("level", "labels", "rows released", "labels of the release, or above them")
    rows = tuple(
        (str(step.level), f"{step.count:,}", f"{step.rows:,}" if step.rows else "", ", ".join(map(_said, step.labels)))
        for step in column.steps
    )
    released = any(_is_released(step, column) for step in column.steps)
    box = {"x": -11, "y": -6, "width": 22, "height": 12, "rx": 2}
    keys = (
        LegendEntry(
            svg.tag("rect", **box, class_="step", fill=svg.GRID, stroke=svg.BORDER), "a level; its parts are labels"
        ),
        LegendEntry(svg.tag("rect", **box, class_="after", color=AFTER, fill="currentColor"), "released"),
    )
    return Figure(name, title, alt, (Panel(title, alt, drawing),), keys if released else keys[:1], head, rows)


def _is_released(step: Step, column: ColumnFacts) -> bool:
    return step.level == column.level or (column.level is None and step.rows > 0)


def _pair(bar: Bar, k: int, others: bool) -> Pair:
    label = "all others" if others else _said(bar.label)
    source = f"< {k:,}" if bar.source is None else f"{bar.source:,}"
    text = f"{label}\nsource: {source} rows\nrelease: {bar.release:,} rows"
    return Pair(label, bar.source, bar.release, (source, f"{bar.release:,}"), text)


def _said(label: str | None) -> str:
    """A label as it is shown: a missing value and an empty text have words."""
    if label is None:
        return "(missing)"
    return cut(clean(label)) or "(empty)"


def _distribution(column: ColumnFacts, compares: bool) -> str:
    count = len(column.bars)
    if not count:
        return f"No labels of {cut(column.name)} are shown."
    what = "one label" if count == 1 else f"{'all' if column.others is None else 'the most frequent'} {count:,} labels"
    top = max(column.bars, key=lambda bar: bar.release)
    both = ", in source and release" if compares else " of the release"
    return f"Rows of {what}{both}; the most frequent is {_said(top.label)} with {top.release:,} rows of the release."


def _chosen(column: ColumnFacts) -> str:
    tops = max((step.level for step in column.steps), default=0)
    loss = "" if column.loss is None else f"; {_lost(column.loss)} of its detail is lost"
    if column.level is None:
        return f"{cut(column.name)} has levels 0 to {tops}; each class has its own{loss}."
    return f"Level {column.level} of 0 to {tops} was released{loss}."


def _lost(loss: float) -> str:
    if not loss:
        return "nothing"
    return "less than 0.1 %" if loss < 0.001 else f"{100 * loss:.1f} %"


def _strip(step: Step, released: bool, y: float) -> str:
    """A line of words, the strip, and below it some labels."""
    count = "1 label" if step.count == 1 else f"{step.count:,} labels"
    rows = f", {step.rows:,} rows" if step.rows else ""
    look: dict[str, str | float] = {"font_weight": "bold"} if released else {}
    marks = [
        svg.tooltip(f"level {step.level}\n{', '.join(map(_said, step.labels))}"),
        svg.text(0, y + 12, f"level {step.level}" + (" \N{EM DASH} released" if released else ""), SIZE, **look),
        svg.text(WIDTH, y + 12, f"{count}{rows}", SIZE, text_anchor="end"),
        _parts(step.count, released, y + 17),
    ]
    if step.labels:
        words = _listed(step.labels, step.count)
        marks.append(svg.text(0, y + 18 + _STRIP + 11, words, SMALL, **svg.QUIET_LOOK))
    return svg.tag("g", *marks, class_="level")


def _listed(labels: Sequence[str], count: int) -> str:
    """As many labels as have room, at least one."""
    shown: list[str] = []
    for label in labels:
        more = [*shown, _said(label)]
        end = ", \N{HORIZONTAL ELLIPSIS}" if len(more) < count else ""
        if svg.text_width(", ".join(more) + end, SMALL) > WIDTH and shown:
            break
        shown = more
    end = ", \N{HORIZONTAL ELLIPSIS}" if len(shown) < count else ""
    return svg.shortened(", ".join(shown), WIDTH - svg.text_width(end, SMALL), SMALL) + end


def _parts(count: int, released: bool, y: float) -> str:
    """The strip in as many parts as there are labels, or as can be told apart."""
    parts = min(max(count, 1), _MOST_PARTS)
    look: dict[str, str | float] = (
        {"class_": "after", "color": AFTER, "fill": "currentColor", "stroke": "currentColor"}
        if released
        else {"class_": "step", "fill": svg.GRID, "stroke": svg.BORDER}
    )
    box = svg.tag("rect", x=0.5, y=y + 0.5, width=WIDTH - 1, height=_STRIP - 1, rx=2, **look)
    if parts == 1:
        return box
    cuts = "".join(f"M{WIDTH * part / parts:.1f} {y + 0.5:.1f}v{_STRIP - 1}" for part in range(1, parts))
    line: dict[str, str | float] = (
        {"class_": "gap", "stroke": "#FFFFFF"} if released else {"class_": "cut", "stroke": svg.BORDER}
    )
    return box + svg.tag("path", d=cuts, stroke_width=1, **line)


def draw_bands(bands: Sequence[ClassBand], name: str = "bands") -> Figure:
    """Rows in classes of each range of sizes, and the mean loss of these rows."""
    rows = [
        Pair(_size(band), None, band.rows, ("", f"{band.rows:,}"), f"{_size(band)} rows\n{band.classes:,} classes")
        for band in bands
    ]
    losses = [
        Pair(_size(band), None, None if band.loss is None else 100 * band.loss, ("", _percent(band.loss)))
        for band in bands
    ]
    alt = _words(bands)
    panels = (
        Panel(
            "Rows by the size of their class",
            f"For each size of class, the rows in such classes. {alt}",
            draw_pairs_of_bars(Frame("Rows in classes of this size", "rows", True), rows, (False,)),
        ),
        Panel(
            "Loss by the size of the class",
            "For each size of class, the mean loss of the rows in such classes.",
            draw_pairs_of_bars(Frame("Mean loss of the rows in these classes", "% of their detail"), losses, (False,)),
        ),
    )
    table = tuple((_size(band), f"{band.classes:,}", f"{band.rows:,}", _percent(band.loss)) for band in bands)
    head = ("rows in the class", "classes", "rows", "mean loss")
    return Figure(name, "How large are the classes, and what do they lose?", alt, panels, (), head, table)


def _words(bands: Sequence[ClassBand]) -> str:
    classes, rows = sum(band.classes for band in bands), sum(band.rows for band in bands)
    if not classes:
        return "There are no classes."
    return f"{rows:,} rows in {classes:,} classes, {rows / classes:,.1f} rows a class on average."


def _size(band: ClassBand) -> str:
    return f"{band.least:,}" if band.least == band.most else f"{band.least:,}\N{EN DASH}{band.most:,}"


def _percent(loss: float | None) -> str:
    return UNKNOWN if loss is None else f"{100 * loss:.1f} %"
