"""Classes of a release by their size, and the loss of their rows."""

from __future__ import annotations

from collections.abc import Sequence

from kanon_sql.report.charts.figure import Figure, Panel
from kanon_sql.report.charts.paired import Frame, Pair, draw_pairs_of_bars
from kanon_sql.report.page.model import ClassBand


def draw_bands(bands: Sequence[ClassBand], name: str = "bands") -> Figure:
    """Rows in classes of each range of sizes, and the mean loss of these rows."""
    rows = [Pair(_size(band), None, band.rows, ("", f"{band.rows:,}")) for band in bands]
    losses = [
        Pair(_size(band), None, None if band.loss is None else 100 * band.loss, ("", _percent(band.loss)))
        for band in bands
    ]
    panels = (
        Panel("Rows by size of class", "", draw_pairs_of_bars(Frame("Rows", "rows", True), rows, (False,))),
        Panel("Loss by size of class", "", draw_pairs_of_bars(Frame("Mean loss", "%"), losses, (False,))),
    )
    table = tuple((_size(band), f"{band.classes:,}", f"{band.rows:,}", _percent(band.loss)) for band in bands)
    head = ("rows in the class", "classes", "rows", "mean loss")
    return Figure(name, "Size of classes, and what they lose", "", panels, (), head, table)


def _size(band: ClassBand) -> str:
    return f"{band.least:,}" if band.least == band.most else f"{band.least:,}\N{EN DASH}{band.most:,}"


def _percent(loss: float | None) -> str:
    return "\N{EN DASH}" if loss is None else f"{100 * loss:.1f} %"
