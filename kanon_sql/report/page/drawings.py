"""The figures of each section, as far as there are facts for them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from markupsafe import Markup

from kanon_sql.report.charts.bands import draw_bands
from kanon_sql.report.charts.before_after import draw_class_sizes, draw_risks
from kanon_sql.report.charts.columns import draw_labels, draw_steps
from kanon_sql.report.charts.figure import Figure, figure_html
from kanon_sql.report.charts.lattice_figure import draw_lattice
from kanon_sql.report.charts.pairs import draw_pairs
from kanon_sql.report.page.comparison import found_by
from kanon_sql.report.page.model import ColumnFacts, PageFacts


@dataclass(frozen=True)
class Drawings:
    """Figures as parts of the page, by section; those of `columns` for each quasi-identifier."""

    comparison: tuple[Markup, ...]
    columns: tuple[tuple[Markup, ...], ...]
    utility: tuple[Markup, ...]
    choice: tuple[Markup, ...]


def draw(facts: PageFacts) -> Drawings:
    """The figures of all facts that are there."""
    k = facts.report["privacy"]["k"]["required"]
    risk, pairs = facts.risk, (facts.utility or {}).get("pairs")
    return Drawings(
        comparison=_html(
            [draw_class_sizes(risk, k), replace(_bare(draw_risks(risk)), alt=found_by(risk, k))] if risk else ()
        ),
        columns=tuple(_html(_column(column, k, place)) for place, column in enumerate(facts.columns, 1)),
        utility=_html([_bare(draw_pairs(pairs))] if pairs else ()),
        choice=_html(
            [
                *([draw_lattice(facts.lattice)] if facts.lattice else ()),
                *([draw_bands(facts.classes)] if facts.classes else ()),
            ]
        ),
    )


def _column(column: ColumnFacts, k: int, place: int) -> list[Figure]:
    found = [draw_steps(column, f"steps-{place}")] if len(column.steps) > 1 else []
    return [*found, draw_labels(column, k, f"labels-{place}")] if column.bars else found


def _bare(figure: Figure) -> Figure:
    """The figure without its numbers, where a table of the section has them and more."""
    return replace(figure, head=(), rows=())


def _html(figures: Iterable[Figure]) -> tuple[Markup, ...]:
    return tuple(Markup(figure_html(one)) for one in figures)  # each escapes its texts itself
