"""Secondary use of health data under the European Health Data Space: Regulation (EU) 2025/327.

The regulation names no measure and no threshold of anonymity; so no step says that anything is met.
"""

from __future__ import annotations

from kanon_sql.report.page.model import PageFacts
from kanon_sql.report.page.recipes.preset import (
    NO_ADVICE,
    Recipe,
    RecipeStep,
    classes,
    columns,
    listed,
    methods,
    models,
    pseudonyms,
    risks,
    worth,
)
from kanon_sql.report.words import moment

SOURCES = (
    (
        "Regulation (EU) 2025/327 of 11 February 2025 on the European Health Data Space, OJ L, 2025/327, 5.3.2025",
        "https://eur-lex.europa.eu/eli/reg/2025/327/oj",
    ),
    (
        "TEHDAS2, deliverable D7.2, final: Guideline for Health Data Access Bodies on data minimisation, "
        "pseudonymisation, anonymisation and synthetic data, 2026",
        "https://zenodo.org/records/20269109",
    ),
)


def ehds(facts: PageFacts) -> Recipe:
    """What the regulation says of anonymised data, with these facts."""
    note = f"{NO_ADVICE} Chapter IV, on secondary use, applies from 26 March 2029, some of it earlier or later "
    note += (
        "(Article 105). The guideline D7.2 of TEHDAS2, a joint action of member states, is no law; no figure here is "
    )
    note += "compared with it."
    return Recipe("ehds", "European Health Data Space", SOURCES, (*_provided(facts), *_used(facts)), note)


def _provided(facts: PageFacts) -> tuple[RecipeStep, ...]:
    """What is provided, and how it is treated."""
    return (
        RecipeStep(
            "Only the data that are needed",
            "Access is given only to data that are adequate, relevant and limited to what the purpose needs.",
            "Article 66(1)",
            columns(facts),
            "judgement",
            "What the purpose in the application needs.",
        ),
        RecipeStep(
            "Anonymised where that suffices",
            "Data are provided in an anonymised format where the purpose can be achieved with them.",
            "Article 66(2)",
            worth(facts),
            "judgement",
            "Whether the purpose can be achieved with this release.",
        ),
        RecipeStep(
            "Pseudonymised only where it does not",
            "Otherwise in a pseudonymised format, for a demonstrated reason; what reverses the pseudonyms is left to "
            "the health data access body or a trusted third party.",
            "Article 66(3) with Article 68(1), point (c)",
            (("released as pseudonyms", listed(pseudonyms(facts))),),
            "judgement",
            "The reason, and who holds the key of the pseudonyms.",
        ),
        RecipeStep(
            "Techniques",
            "State-of-the-art techniques are applied, generalisation and suppression among them. How to choose among "
            "minimisation, pseudonymisation, anonymisation and synthetic data is the subject of TEHDAS2 D7.2.",
            "recital 65; TEHDAS2 D7.2",
            (*methods(facts), *models(facts)),
            "judgement",
            "Whether these techniques are the state of the art for these data.",
        ),
    )


def _used(facts: PageFacts) -> tuple[RecipeStep, ...]:
    """Where it is used, and what becomes of the results."""
    return (
        RecipeStep(
            "The secure processing environment",
            "Access only in such an environment: for the persons of the permit, with measures against reading, "
            "copying and removing, and with logs that are kept for at least a year.",
            "Article 73(1), points (a), (b) and (e)",
            (),
            "judgement",
            "All of it. A program that makes a table does not see the environment.",
        ),
        RecipeStep(
            "What may be downloaded",
            "Only non-personal electronic health data, those in an anonymised statistical format among them. "
            "The regulation gives no number for that.",
            "Article 73(2), recital 77",
            risks(facts),
            "judgement",
            "Whether this release is non-personal.",
        ),
        RecipeStep(
            "No access for others, no re-identification",
            "The user gives no access to third parties that the permit does not name, and does not try to re-identify "
            "anybody.",
            "Article 61(2) and (3)",
            (),
            "judgement",
            "The user's conduct.",
        ),
        RecipeStep(
            "Publication of results",
            "The user makes results public within 18 months of the end of the processing, or of the answer to a "
            "request.",
            "Article 61(4)",
            (("this release was made", moment(facts.report.get("created"))), *classes(facts)),
            "judgement",
            "When the processing ended; whether what is published is anonymous.",
        ),
    )
