"""The presets by name, as `report.for` gives it."""

from __future__ import annotations

from collections.abc import Callable

from kanon_sql.report.page.model import PageFacts
from kanon_sql.report.page.recipes.model import Recipe

RECIPES: dict[str, Callable[[PageFacts], Recipe]] = {}


def recipe_of(facts: PageFacts) -> Recipe | None:
    """The steps of the preset that was asked for, with these facts; None where none was."""
    return None if facts.recipe is None else RECIPES[facts.recipe](facts)
