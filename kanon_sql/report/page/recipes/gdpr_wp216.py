"""Singling out, linkability, inference: Opinion 05/2014 of the Article 29 Working Party on anonymisation (WP216)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kanon_sql.report.page.model import PageFacts
from kanon_sql.report.page.recipes.preset import (
    NO_ADVICE,
    Fact,
    Recipe,
    RecipeStep,
    State,
    after,
    classes,
    columns,
    configuration,
    entries,
    listed,
    methods,
    models,
    pseudonyms,
    released,
    risks,
    roles,
    unique,
)
from kanon_sql.report.words import plain

SOURCES = (
    (
        "Article 29 Data Protection Working Party, Opinion 05/2014 on Anonymisation Techniques, 0829/14/EN WP216, "
        "10 April 2014",
        "https://ec.europa.eu/justice/article-29/documentation/opinion-recommendation/files/2014/wp216_en.pdf",
    ),
)


def gdpr_wp216(facts: PageFacts) -> Recipe:
    """The three criteria of the opinion and what it says beside them, with these facts."""
    note = f"{NO_ADVICE} The opinion was adopted under Directive 95/46/EC. It is not among those that the European "
    note += "Data Protection Board endorsed in 2018 (Endorsement 1/2018), and the Board cites it since."
    return Recipe(
        "gdpr-wp216",
        "Opinion 05/2014 (WP216): three criteria of anonymity",
        SOURCES,
        (*_criteria(facts), *_beside_them(facts)),
        note,
    )


def _criteria(facts: PageFacts) -> tuple[RecipeStep, ...]:
    """The three criteria."""
    single, single_remains = _single(facts)
    infer, infer_remains = _inference(facts)
    return (
        RecipeStep(
            "Singling out",
            "Nobody can isolate the records of an individual. Of k-anonymity the opinion says that this is no risk any "
            "more, of pseudonyms that it is.",
            "section 2.2.2 (page 9); table 6 (page 24)",
            (*classes(facts), ("rows alone with their quasi-identifiers", _alone(facts)), *columns(facts)),
            single,
            single_remains,
        ),
        RecipeStep(
            "Linkability",
            "Nobody can link two records of the same individual, within the data or with other data. Of k-anonymity "
            "and of l-diversity the opinion says that this is still a risk.",
            "section 2.2.2 (page 9); table 6 (page 24)",
            risks(facts),
            "judgement",
            "Which other data exist. `kanon-sql link` joins a table of persons, `kanon-sql releases check` another "
            "release of the same rows.",
        ),
        RecipeStep(
            "Inference",
            "Nobody can infer anything about an individual. Of k-anonymity the opinion says that this is still a risk, "
            "of l-diversity that it may not be.",
            "section 2.2.2 (page 9); table 6 (page 24)",
            (("sensitive columns", listed(roles(facts, "sensitive"))), *models(facts)),
            infer,
            infer_remains,
        ),
    )


def _beside_them(facts: PageFacts) -> tuple[RecipeStep, ...]:
    """What the opinion says beside them."""
    return (
        RecipeStep(
            "Pseudonyms are not anonymity",
            "A pseudonym makes linking to the original identity harder; alone it does not make data anonymous.",
            "section 4 (page 20)",
            (("released as pseudonyms", listed(pseudonyms(facts))),),
            "judgement",
            "Who holds the key, and whether pseudonyms are needed at all.",
        ),
        RecipeStep(
            "The original data",
            "Where the data at the level of individual events are kept, and a part of them is handed over with "
            "identifiers removed or masked, that part is still personal data.",
            "section 2.2.2 (page 9)",
            _original(facts),
            "judgement",
            "Whether and for whom the originals are kept, and what this means for the release.",
        ),
        RecipeStep(
            "Case by case, with the risk that remains",
            "No technique meets the three criteria with certainty; techniques are chosen and combined case by case, "
            "and what remains of the risk is looked at. The opinion gives no minimum for a parameter.",
            "sections 5.1 and 5.2 (pages 23 and 24)",
            methods(facts),
            "judgement",
            "Whether the risk that remains is acceptable, and when it is looked at again.",
        ),
    )


def _single(facts: PageFacts) -> tuple[State, str]:
    alone = unique(facts)
    beyond = "Whether the columns that are released as they are single anybody out."
    if alone is None:
        return "judgement", "Whether anybody is alone, which was not measured."
    return ("not met" if alone or pseudonyms(facts) else "met"), beyond


def _alone(facts: PageFacts) -> str:
    return "not measured" if after(facts) is None else plain(unique(facts))


def _inference(facts: PageFacts) -> tuple[State, str]:
    if not released(facts):
        return "judgement", "Nothing: there is no release."
    bound = {entry.get("column") for name, entry in entries(facts) if _bounds(name, entry)}
    free = [name for name in roles(facts, "sensitive") if name not in bound]
    if free:
        return "not met", f"What can be inferred of {listed(free)}: no model bounds it."
    if bound:
        return "judgement", "Whether the models and their thresholds suffice, and what else can be inferred."
    return "judgement", "Whether any column that is released tells something of a person: none is listed as sensitive."


def _bounds(name: str, entry: Mapping[str, Any]) -> bool:
    """Whether a model says more of a column than that it is there."""
    return not (name == "l_diversity" and entry["actual"] is not None and entry["actual"] <= 1)


def _original(facts: PageFacts) -> tuple[Fact, ...]:
    target = configuration(facts).get("target")
    if isinstance(target, dict) and target.get("in_place"):
        return (("the source", "was replaced by the release; copies elsewhere are not known"),)
    return (("the source", "is kept beside the release, as far as this program knows"),)
