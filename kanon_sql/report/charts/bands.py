"""Classes of a release by their size, and the loss of their rows."""

from __future__ import annotations

from collections.abc import Sequence

from kanon_sql.report.charts.figure import Figure, Panel
from kanon_sql.report.charts.paired import Frame, Pair, draw_pairs_of_bars
from kanon_sql.report.page.model import ClassBand


def draw_bands(bands: Sequence[ClassBand], name: str = "bands") -> Figure:
    """Rows in classes of each range of sizes, and the mean loss of these rows."""
    rows = [
        Pair(_size(one), None, one.rows, ("", f"{one.rows:,}"), f"{_size(one)} rows\n{one.classes:,} classes")
        for one in bands
    ]
    losses = [
        Pair(_size(one), None, None if one.loss is None else 100 * one.loss, ("", _percent(one.loss))) for one in bands
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
    return "\N{EN DASH}" if loss is None else f"{100 * loss:.1f} %"
