"""The figures of each section."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from kanon_sql.report.page.model import PageFacts


@dataclass(frozen=True)
class Drawings:
    """Figures as parts of the page, by section; those of `columns` for each quasi-identifier."""

    comparison: tuple[Markup, ...]
    columns: tuple[tuple[Markup, ...], ...]
    utility: tuple[Markup, ...]
    choice: tuple[Markup, ...]


def draw(facts: PageFacts) -> Drawings:
    """The figures of all facts that are there."""
    return Drawings((), tuple(() for _ in facts.columns), (), ())
