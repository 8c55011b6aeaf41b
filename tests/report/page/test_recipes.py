"""The presets: what each asks, where its thresholds lie, and that nothing is called met which nobody measured."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import page_facts
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import escape

import kanon_sql.report.page.page
from kanon_sql.report.page.model import PageFacts
from kanon_sql.report.page.page import render
from kanon_sql.report.page.recipes.preset import Recipe, RecipeStep
from kanon_sql.report.page.recipes.registry import RECIPES, recipe_of
from kanon_sql.settings.report import RECIPES as NAMES

Json = dict[str, Any]
CONFIGURATION: Json = {
    "source": {"path": "adult.csv"},
    "target": {"path": "out/adult.parquet"},
    "identifiers": ["name"],
    "quasi_identifiers": {"sex": {"builtin": "suppress"}, "age": {"builtin": "intervals", "widths": [5]}},
    "sensitive": ["occupation"],
    "insensitive": ["hours"],
}


def facts(recipe: str, **changes: Any) -> Any:
    """A release whose report holds its configuration."""
    page: Any = copy.deepcopy(page_facts.released(recipe=recipe))
    page.report["configuration"] = copy.deepcopy(CONFIGURATION)
    return replace(page, **changes)


def with_least(recipe: str, least: int) -> Any:
    """A release whose smallest class has so many rows."""
    page = facts(recipe)
    assert page.risk is not None
    page.risk["after"]["prosecutor"]["highest"] = 1 / least
    page.risk["after"]["unique"]["rows"] = 3 if least == 1 else 0
    page.report["privacy"]["k"]["actual"] = least
    return page


def of(shown: PageFacts) -> Recipe:
    recipe = recipe_of(shown)
    assert recipe is not None
    return recipe


def step(shown: PageFacts, title: str) -> RecipeStep:
    return next(candidate for candidate in of(shown).steps if candidate.title == title)


def test_every_name_that_a_configuration_takes_is_a_preset() -> None:
    assert set(NAMES) == set(RECIPES)
    assert recipe_of(page_facts.released()) is None


def states() -> Iterator[PageFacts]:
    """Releases with all facts, with few, and runs without any."""
    for name in RECIPES:
        yield facts(name)
        yield facts(name, risk=None, utility=None, evidence=None, columns=(), lattice=None, notes={"risk": "no time"})
        yield page_facts.released(recipe=name)  # a report without its configuration, as older versions wrote it
        yield page_facts.by_classes(recipe=name)
        for status in ("no-release", "timed-out", "failed"):
            yield page_facts.without_release(status, recipe=name)


@pytest.mark.parametrize("shown", list(states()), ids=lambda shown: f"{shown.recipe} {shown.report['status']}")
def test_every_step_says_what_is_asked_where_and_what_remains(shown: PageFacts) -> None:
    recipe = of(shown)
    assert recipe.name == shown.recipe
    assert "not legal advice" in recipe.note
    assert all(title and re.fullmatch(r"https://\S+", address) for title, address in recipe.sources)
    titles = [part.title for part in recipe.steps]
    assert len(set(titles)) == len(titles) >= 6
    for part in recipe.steps:
        assert part.asked and part.source and part.remains
        assert part.state in ("met", "not met", "judgement")
        assert all(what and isinstance(figure, str) and figure for what, figure in part.facts)


@pytest.mark.parametrize("shown", list(states()), ids=lambda shown: f"{shown.recipe} {shown.report['status']}")
def test_the_page_holds_every_step(shown: PageFacts) -> None:
    recipe, page = of(shown), render(shown)
    assert page.count("legal advice") == 1
    for part in recipe.steps:
        for text in (part.title, part.asked, part.source, part.remains):
            assert str(escape(text)) in page


@pytest.mark.parametrize("name", RECIPES)
def test_what_nobody_knows_any_more_is_not_known(name: str) -> None:
    """Of a release in place of its source, whose run kept no report, only what it holds is known."""
    shown = facts(name)
    shown.report.update(
        rows={"source": None, "missing": None, "suppressed": None, "masked": None, "released": 300},
        loss=None, solution=None, search=None, algorithm={"name": "optimal"}, suppression=None, labels=None,
    )  # fmt: skip
    figures = {figure for part in of(shown).steps for what, figure in part.facts if what == "rows suppressed"}
    assert figures <= {"not known"} and not any("None" in fact for part in of(shown).steps for _, fact in part.facts)


@pytest.mark.parametrize("name", RECIPES)
@pytest.mark.parametrize("status", ["no-release", "timed-out", "failed"])
def test_nothing_is_met_without_a_release(name: str, status: str) -> None:
    assert "met" not in {part.state for part in of(page_facts.without_release(status, recipe=name)).steps}


@pytest.mark.parametrize("name", RECIPES)
def test_nothing_is_met_where_no_risk_was_measured(name: str) -> None:
    assert "met" not in {part.state for part in of(facts(name, risk=None)).steps}


@given(st.integers(1, 60))
def test_the_threshold_of_the_agency_is_that_of_the_smallest_class(least: int) -> None:
    measured = step(with_least("ema-0070", least), "The actual risk")
    assert measured.state == ("met" if 9 * least >= 100 else "not met")
    assert measured.facts[-1] == ("threshold", "0.09")


def test_a_class_of_eleven_is_called_what_it_is() -> None:
    """1/11 is 0.0909: above the threshold, though many round it."""
    eleven, ten = (step(with_least("ema-0070", least), "The actual risk") for least in (11, 10))
    assert eleven.state == ten.state == "not met"
    assert "0.0909" in eleven.remains and "0.0909" not in ten.remains
    assert step(with_least("ema-0070", 12), "The actual risk").state == "met"


def test_a_population_may_carry_the_risk_where_a_person_says_so() -> None:
    shown = with_least("ema-0070", 5)
    assert shown.risk is not None
    shown.risk["after"]["journalist"] = {"highest": 1 / 40}
    measured = step(shown, "The actual risk")
    assert measured.state == "judgement" and "population" in measured.remains
    shown.risk["after"]["journalist"] = {"highest": 1 / 6}
    assert step(shown, "The actual risk").state == "not met"


def test_of_entities_the_risk_is_that_of_an_entity() -> None:
    """Rows enough in the class, but of fewer persons."""
    shown = with_least("ema-0070", 40)
    shown.report["privacy"]["k"] = {"required": 5, "actual": 5, "counts": "entities"}
    assert step(shown, "The actual risk").state == "not met"
    shown.report["privacy"]["k"] = {"required": 12, "actual": 12, "counts": "entities"}
    assert step(shown, "The actual risk").state == "met"


@pytest.mark.parametrize("name, title", [("hipaa-expert", "The methods and results are documented"),
                                         ("ema-0070", "The documentation")])  # fmt: skip
def test_documents_are_there_or_not(name: str, title: str) -> None:
    assert step(facts(name), title).state == "met"
    for missing in ("evidence", "risk"):
        assert step(facts(name, **{missing: None}), title).state == "not met"
    whole = facts(name).evidence
    assert whole is not None
    for part in (replace(whole, recounts=()), replace(whole, release=replace(whole.release, sha256=None))):
        judged = step(facts(name, evidence=part), title)
        assert judged.state == "not met"
        assert [figure for _, figure in judged.facts].count("not on this page") == 1


@pytest.mark.parametrize("name", ["hipaa-expert", "ehds"])
@pytest.mark.parametrize("least", [1, 2, 11, 1000])
def test_where_the_text_has_no_number_no_risk_is_judged(name: str, least: int) -> None:
    judged = [part for part in of(with_least(name, least)).steps if "documented" not in part.title]
    assert {part.state for part in judged} == {"judgement"}


def test_singling_out_is_excluded_where_nobody_is_alone() -> None:
    assert step(with_least("gdpr-wp216", 2), "Singling out").state == "met"
    assert step(with_least("gdpr-wp216", 1), "Singling out").state == "not met"


def test_a_pseudonym_singles_out() -> None:
    shown = with_least("gdpr-wp216", 50)
    shown.report["configuration"]["transform"] = {"name": {"pseudonym": {"key": "***"}}, "hours": {"round": 5}}
    judged = step(shown, "Singling out")
    assert judged.state == "not met"
    assert ("released as pseudonyms", "name") in judged.facts
    assert ("direct identifiers, never released", "none") in judged.facts


def test_k_alone_leaves_inference() -> None:
    shown = facts("gdpr-wp216")
    assert step(shown, "Inference").state == "judgement"  # l-diversity of the only sensitive column
    shown.report["configuration"]["sensitive"].append("religion")
    judged = step(shown, "Inference")
    assert judged.state == "not met" and "religion" in judged.remains and "occupation" not in judged.remains
    del shown.report["privacy"]["l_diversity"]
    assert "occupation" in step(shown, "Inference").remains
    shown.report["privacy"]["l_diversity"] = [{"column": "occupation", "required": 1, "actual": 1},
                                             {"column": "religion", "required": 2, "actual": 2}]  # fmt: skip
    assert "occupation" in step(shown, "Inference").remains


def test_linkability_is_never_called_met() -> None:
    for least in (1, 2, 1000):
        assert step(with_least("gdpr-wp216", least), "Linkability").state == "judgement"


def test_the_source_that_was_replaced_is_not_called_kept() -> None:
    shown = facts("gdpr-wp216")
    assert "kept" in step(shown, "The original data").facts[0][1]
    shown.report["configuration"]["target"] = {"in_place": True}
    assert "replaced" in step(shown, "The original data").facts[0][1]


CLAIM = re.compile(
    r"\banonym\w*\b[^.;:]{0,40}?\b(?:under|within|according to|in the (?:sense|meaning) of|as defined by)\b"
    r"[^.;:]{0,40}?\b(?:GDPR|DSGVO|General Data Protection Regulation|2016/679)"
    r"|\b(?:GDPR|law)[- ]?(?:compliant|anonymous|anonymis|anonymiz)",
    re.IGNORECASE,
)


def test_no_page_says_that_a_release_is_anonymous_in_law() -> None:
    for claim in ("anonymous under the GDPR", "Anonymised data within the meaning of the GDPR", "GDPR-compliant"):
        assert CLAIM.search(claim)
    rooms = Path(kanon_sql.report.page.page.__file__).parent
    sources = [*(rooms / "recipes").glob("*.py"), *(rooms / "templates").glob("*.j2"), *rooms.glob("*.py")]
    texts = {path.name: path.read_text(encoding="utf-8") for path in sources}
    # A text of a recipe goes on in the next line of the program.
    texts = {name: re.sub(r'"\s*\n\s*"', "", text) for name, text in texts.items()}
    texts |= {f"page {shown.recipe}": re.sub("<[^>]*>", " ", render(shown)) for shown in map(facts, RECIPES)}
    assert len(sources) > 20
    assert not {name for name, text in texts.items() if CLAIM.search(re.sub(r"\s+", " ", text))}


def test_the_health_data_space_names_the_final_guideline() -> None:
    page = render(facts("ehds"))
    assert "D7.2" in page and "https://zenodo.org/records/20269109" in page
