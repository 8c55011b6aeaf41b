"""EMA Policy 0070: anonymization of clinical reports for publication, and the threshold of 0.09 of its guidance."""

from __future__ import annotations

from kanon_sql.report.page.model import PageFacts
from kanon_sql.report.page.recipes.preset import (
    NO_ADVICE,
    Recipe,
    RecipeStep,
    State,
    columns,
    documents,
    highest,
    journalist,
    methods,
    models,
    released,
    risks,
    worth,
)
from kanon_sql.report.words import decimal

THRESHOLD = 0.09
"""The highest risk that a record of a public release may have."""

SOURCES = (
    (
        "European Medicines Agency, policy on publication of clinical data for medicinal products for human use "
        "(Policy 0070), EMA/240810/2013, 2 October 2014",
        "https://www.ema.europa.eu/en/human-regulatory-overview/marketing-authorisation/clinical-data-publication",
    ),
    (
        "European Medicines Agency, external guidance on the implementation of the policy, EMA/90915/2016, version "
        "1.3, 20 September 2017, chapter 3 on anonymisation",
        "https://www.ema.europa.eu/en/human-regulatory-overview/marketing-authorisation/clinical-data-publication",
    ),
    (
        "L. Kniola, Calculating the risk of re-identification of patient-level data using quantitative approach, "
        "PhUSE 2016, paper DH09: the threshold is one of the maximum risk, and an attempt is certain",
        "https://www.phuse.eu",
    ),
)
_GUIDANCE = "EMA/90915/2016, chapter 3, recommended process"


def ema_0070(facts: PageFacts) -> Recipe:
    """The seven steps of the guidance, with these facts."""
    note = f"{NO_ADVICE} The policy is about clinical reports; its figures are applied here to a table. The guidance "
    note += "also accepts that all three criteria of Opinion 05/2014 are fulfilled: for that use gdpr-wp216."
    return Recipe("ema-0070", "EMA Policy 0070", SOURCES, (*_expected(facts), *_found(facts)), note)


def _expected(facts: PageFacts) -> tuple[RecipeStep, ...]:
    """Who attacks what, and which risk is acceptable."""
    return (
        RecipeStep(
            "Direct identifiers and quasi-identifiers",
            "Determine which variables identify a participant, alone or with others.",
            _GUIDANCE,
            columns(facts),
            "judgement",
            "Whether the lists are complete, free texts and narratives among them.",
        ),
        RecipeStep(
            "Adversaries and attacks",
            "Identify who may try, and how.",
            _GUIDANCE,
            (("attempt", "taken as certain: what is published is open to anybody"), *risks(facts)),
            "judgement",
            "Which attacks are plausible; which other data about the participants exist.",
        ),
        RecipeStep(
            "Data utility",
            "Consider what the data are still good for.",
            _GUIDANCE,
            worth(facts),
            "judgement",
            "Whether the scientific usefulness is enough.",
        ),
        RecipeStep(
            "The threshold",
            "Determine the risk that is acceptable. For publication the guidance suggests 0.09 for the maximum risk.",
            _GUIDANCE,
            (("threshold", f"{THRESHOLD}, of the highest risk of a record"),),
            "judgement",
            "Whether another threshold is justified by the context, the harm and the motives of an attacker.",
        ),
    )


def _found(facts: PageFacts) -> tuple[RecipeStep, ...]:
    """The risk that was measured, and how it is documented."""
    documented, complete = documents(facts)
    state, remains = _measured(facts)
    return (
        RecipeStep(
            "The actual risk",
            "Evaluate the risk, and compare it with the threshold.",
            _GUIDANCE,
            _compared(facts),
            state,
            remains,
        ),
        RecipeStep(
            "The methodology",
            "Establish by which techniques the data are anonymised.",
            _GUIDANCE,
            (*methods(facts), *models(facts)),
            "judgement",
            "Why these techniques were chosen; what else the reports hold that is no table.",
        ),
        RecipeStep(
            "The documentation",
            "Document the methodology and the process, in the anonymisation report that is published with the data.",
            _GUIDANCE,
            documented,
            complete,
            "The anonymisation report itself, on the agency's template.",
        ),
    )


def _compared(facts: PageFacts) -> tuple[tuple[str, str], ...]:
    risk, beside = highest(facts), journalist(facts)
    if risk is None:
        return (("highest risk of a record", risks(facts)[0][1]),)
    lines = [("highest risk of a record", f"{decimal(risk, 4)}: one divided by the smallest class of the release")]
    if beside is not None:
        lines.append(("in the population that was given", decimal(beside, 4)))
    return (*lines, ("threshold", str(THRESHOLD)))


def _measured(facts: PageFacts) -> tuple[State, str]:
    risk, beside = highest(facts), journalist(facts)
    if risk is None:
        why = "The risk, which was not measured." if released(facts) else "Nothing: there is no release."
        return "judgement", why
    if risk <= THRESHOLD:
        return "met", "Whether the quasi-identifiers are all that an attacker can know."
    if beside is not None and beside <= THRESHOLD:
        return "judgement", "Whether the risk may be taken in the population that was given, where it is not above."
    if round(risk, 2) <= THRESHOLD:
        return "not met", "1/11 is 0.0909: whether it may be taken for 0.09 is to be agreed; k = 12 needs no agreement."
    return "not met", "Whether a higher threshold is justified, or k = 12 is asked for."
