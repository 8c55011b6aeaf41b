"""Expert determination under the HIPAA Privacy Rule: 45 CFR 164.514(b)(1).

The rule calls for a risk that is "very small" and gives no number; so no step compares a risk with one.
"""

from __future__ import annotations

from kanon_sql.report.page.model import PageFacts
from kanon_sql.report.page.recipes.preset import (
    Fact,
    Recipe,
    RecipeStep,
    columns,
    documents,
    journalist,
    methods,
    models,
    risks,
    worth,
)
from kanon_sql.report.words import decimal

SOURCES = (
    (
        "45 CFR 164.514(a) and (b)(1)",
        "https://www.ecfr.gov/current/title-45/subtitle-A/subchapter-C/part-164/subpart-E/section-164.514",
    ),
    (
        "HHS, Guidance Regarding Methods for De-identification of Protected Health Information, 26 November 2012",
        "https://www.hhs.gov/hipaa/for-professionals/special-topics/de-identification/index.html",
    ),
)


def hipaa_expert(facts: PageFacts) -> Recipe:
    """The steps of an expert determination, with these facts."""
    return Recipe("hipaa-expert", "HIPAA: expert determination", SOURCES, (*_alone(facts), *_beside_others(facts)))


def _alone(facts: PageFacts) -> tuple[RecipeStep, ...]:
    """The expert, the data, the methods, and the risk of the data alone."""
    return (
        RecipeStep(
            "The expert",
            "A person with appropriate knowledge of, and experience with, generally accepted statistical and "
            "scientific methods for making information not individually identifiable.",
            "45 CFR 164.514(b)(1)",
            (),
            "judgement",
            "Who that is, and what qualifies them. A program is no such person.",
        ),
        RecipeStep(
            "The information and who receives it",
            "The risk is that of identification by an anticipated recipient.",
            "45 CFR 164.514(b)(1)(i)",
            columns(facts),
            "judgement",
            "Who receives the data, under which terms, and whether the columns have the right roles.",
        ),
        RecipeStep(
            "The principles and methods that were applied",
            "Generally accepted statistical and scientific principles and methods.",
            "45 CFR 164.514(b)(1)(i)",
            (*methods(facts), *models(facts)),
            "judgement",
            "Whether these methods suit these data.",
        ),
        RecipeStep(
            "The risk of the information alone",
            "The risk that the information could be used alone to identify an individual is very small. "
            "The rule gives no number.",
            "45 CFR 164.514(b)(1)(i)",
            risks(facts),
            "judgement",
            "Whether these risks are very small for this recipient; the number is the expert's choice.",
        ),
    )


def _beside_others(facts: PageFacts) -> tuple[RecipeStep, ...]:
    """The risk beside other data, and what is documented."""
    documented, complete = documents(facts)
    return (
        RecipeStep(
            "The risk in combination with other information",
            "So is the risk in combination with other reasonably available information. Where no table of the "
            "population is at hand, the expert may rest on the data themselves, which estimates with caution.",
            "45 CFR 164.514(b)(1)(i); HHS guidance, section 2, on how experts assess the risk",
            _beside(facts),
            "judgement",
            "Which other information can reasonably be had, and what it adds. `kanon-sql risk --population` measures "
            "against a table of the population, `kanon-sql link` joins one.",
        ),
        RecipeStep(
            "What the data are still good for",
            "Nothing: the rule asks for no utility. It is here since the expert weighs methods.",
            "not in the rule",
            worth(facts),
            "judgement",
            "Whether the recipient can do with the data what they are for.",
        ),
        RecipeStep(
            "The methods and results are documented",
            "The expert documents the methods and results of the analysis that justify the determination.",
            "45 CFR 164.514(b)(1)(ii)",
            documented,
            complete,
            "The justification itself, and the signature.",
        ),
    )


def _beside(facts: PageFacts) -> tuple[Fact, ...]:
    risk = facts.risk
    population = risk.get("population") if risk else None
    if not population:
        return (("population", "none was given; risks rest on the release alone"),)
    return (
        ("population", f"{population['rows']:,} persons"),
        ("highest journalist risk", decimal(journalist(facts), 4)),
    )
