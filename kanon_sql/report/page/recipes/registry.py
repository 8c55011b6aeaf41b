"""The presets by name, as `report.for` gives it."""

from __future__ import annotations

from collections.abc import Callable

from kanon_sql.report.page.model import PageFacts
from kanon_sql.report.page.recipes.ehds import ehds
from kanon_sql.report.page.recipes.ema_0070 import ema_0070
from kanon_sql.report.page.recipes.gdpr_wp216 import gdpr_wp216
from kanon_sql.report.page.recipes.hipaa_expert import hipaa_expert
from kanon_sql.report.page.recipes.preset import Recipe

RECIPES: dict[str, Callable[[PageFacts], Recipe]] = {
    "hipaa-expert": hipaa_expert,
    "ema-0070": ema_0070,
    "ehds": ehds,
    "gdpr-wp216": gdpr_wp216,
}


def recipe_of(facts: PageFacts) -> Recipe | None:
    """The steps of the preset that was asked for, with these facts; None where none was."""
    return None if facts.recipe is None else RECIPES[facts.recipe](facts)
