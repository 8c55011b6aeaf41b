"""What each section of the page says, in words."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import page_facts
import pytest

from kanon_sql.report.page import columns, comparison, proof, summary
from kanon_sql.report.page.model import PageFacts, Recount, Step
from kanon_sql.report.page.page import render
from kanon_sql.report.page.withheld import told

if TYPE_CHECKING:
    from kanon_sql.results.run import Advice


def verdict(key: str, **entry: Any) -> summary.ModelVerdict:
    """That of one model of a release."""
    report = page_facts.report()
    report["privacy"] = {"k": {"required": 2, "actual": 2}, key: entry}
    return summary.verdicts(report)[list(report["privacy"]).index(key)]


@pytest.mark.parametrize(
    ("key", "required", "actual", "holds"),
    [
        ("k", 5, 5, True),
        ("k", 5, 4, False),
        ("k", 5, None, None),
        ("l_diversity", 3, 2.999, False),
        ("l_diversity", 3, 3, True),
        ("t_closeness", 0.2, 0.2 + 1e-10, True),
        ("t_closeness", 0.2, 0.21, False),
        ("t_closeness", 0.2, 0, True),
        ("delta_disclosure", 1, None, None),
        ("delta_presence", {"min": 0.1, "max": 0.5}, {"min": 0.1, "max": 0.5}, True),
        ("delta_presence", {"min": 0.1, "max": 0.5}, {"min": 0.05, "max": 0.5}, False),
        ("delta_presence", {"min": 0.1, "max": 0.5}, {"min": 0.1, "max": 0.6}, False),
        ("delta_presence", {"min": 0.1, "max": 0.5}, {"min": None, "max": None}, None),
    ],
)
def test_verdicts(key: str, required: Any, actual: Any, holds: bool | None) -> None:
    judged = verdict(key, required=required, actual=actual, variant="distinct", column="x")
    assert judged.holds is holds
    assert bool(judged.actual) == (holds is not None)


def test_each_model_says_what_it_asks() -> None:
    diverse = verdict("l_diversity", required=3, actual=4, variant="distinct", column="illness")
    assert (diverse.model, diverse.required) == ("l-diversity distinct illness", "at least 3")
    assert diverse.asks == "every class holds at least 3 different values of illness"
    close = verdict("t_closeness", required=0.2, actual=0.15, distance="equal", column="illness")
    assert (close.model, close.required, close.actual) == ("t-closeness equal illness", "at most 0.2", "0.15")
    assert "a distance of at most 0.2 on" in close.asks


def test_a_list_of_models_has_a_verdict_each() -> None:
    report = page_facts.report()
    entry = report["privacy"]["l_diversity"]
    report["privacy"]["l_diversity"] = [entry, {**entry, "column": "class", "actual": 2}]
    assert [judged.holds for judged in summary.verdicts(report)] == [True, True, False, True]


@pytest.mark.parametrize(
    ("facts", "look", "headline"),
    [
        (page_facts.released(), "open", "Released: what was asked for holds, but"),
        (page_facts.without_release(), "bad", "nothing satisfies"),
        (page_facts.without_release("timed-out"), "bad", "time ran out"),
        (page_facts.without_release("failed"), "bad", "the run failed"),
        (page_facts.released(report={**page_facts.report(), "status": "dry-run"}), "open", "nothing was written"),
    ],
)
def test_the_first_screen_says_how_it_ended(facts: PageFacts, look: str, headline: str) -> None:
    first_screen = summary.summarize(told(facts))
    assert first_screen.look == look and headline in first_screen.headline


def test_a_release_that_lacks_something_is_not_called_good() -> None:
    report = page_facts.report()
    report["privacy"]["k"]["actual"] = 9
    first_screen = summary.summarize(page_facts.released(report=report))
    assert first_screen.look == "bad" and "not everything" in first_screen.headline


def test_the_first_screen_says_what_of_what_when_by_what() -> None:
    first_screen = summary.summarize(page_facts.released())
    assert first_screen.sentences[0] == (
        "out/adult.parquet was made of adult.csv on 22 November 2026, 08:30 UTC, by kanon-sql 0.2.0."
    )
    assert first_screen.sentences[1] == (
        "By sex and age every row looks like at least 9 others: the rows fall into 38 classes, the smallest of 10 rows."
    )
    numbers = {tile.what: tile.number for tile in first_screen.tiles}
    assert numbers == {
        "smallest class (k)": "10 rows",
        "rows in the source": "32,561",
        "left out for missing values": "2,399",
        "rows suppressed": "13",
        "rows released": "30,149",
        "information lost": "22.3 %",
    }


def test_many_quasi_identifiers_are_not_all_named_in_a_sentence() -> None:
    report = page_facts.report()
    report["loss"]["attributes"] = {f"column {place}": 0.1 for place in range(100)}
    said = summary.summarize(page_facts.released(report=report)).sentences[1]
    assert said.startswith("By column 0, column 1, ") and "column 7 and 92 other quasi-identifiers every row" in said
    report["loss"]["attributes"] = {f"column {place}": 0.1 for place in range(9)}
    assert "column 7 and column 8 every row" in summary.summarize(page_facts.released(report=report)).sentences[1]


def test_a_page_that_was_made_afterwards_says_so() -> None:
    first_screen = summary.summarize(page_facts.afterwards())
    assert first_screen.sentences[0] == (
        "out/adult.parquet took the place of its source; this page was made on 22 November 2026, 08:30 UTC, by "
        "kanon-sql 0.2.0. When the release was made is not known."
    )
    assert {tile.what: tile.number for tile in first_screen.tiles}["rows suppressed"] == "\N{EN DASH}"
    assert "not known any more" in proof.explain(page_facts.afterwards()).effort


def known_of_age(entry: Any, **changes: Any) -> str:
    """What is known of `age`, with that in the configuration."""
    report = page_facts.report()
    report["configuration"] = {"quasi_identifiers": {"age": entry}}
    column = replace(page_facts.columns()[1], **changes)
    return columns.known(page_facts.released(report=report), column)


def test_what_is_still_known() -> None:
    intervals = {"builtin": "intervals", "widths": [5, 10, 20]}
    assert known_of_age(intervals, level=0, loss=0.0) == "as in the source"
    assert known_of_age({**intervals, "aggregate": "median"}, level=1) == "the median of each class"
    assert known_of_age({"aggregate": "interval"}, level=None) == "by the least and the greatest value of each class"
    assert known_of_age(intervals, level=1) == "in steps of 5"
    assert known_of_age(intervals, level=2) == "in steps of 10"
    assert known_of_age(intervals, level=4, distinct=(72, 1)) == "nothing: one label for all rows"
    assert known_of_age({"builtin": "prefix", "keep": [3, 1]}, level=1) == "by its first 3 characters"
    assert known_of_age({"builtin": "prefix", "keep": [3, 1]}, level=2) == "by its first character"
    assert known_of_age({"builtin": "date", "levels": ["month", "year"]}, level=2) == "by year"
    assert known_of_age("age.csv") == "in 8 groups instead of 72 values, such as 20-29 and 30-39"
    assert known_of_age("age.csv", distinct=(None, 8), labels=()) == "in 8 groups"


def test_a_column_that_only_suppression_changed() -> None:
    facts = page_facts.released()
    assert columns.known(facts, facts.columns[0]) == "as in the source, but for suppressed rows"
    assert columns.known(facts, replace(facts.columns[0], loss=0.0)) == "as in the source"


def test_what_is_still_known_where_classes_differ() -> None:
    steps = (Step(0, 72, rows=250), Step(1, 8, ("20-29",), rows=500), Step(2, 1, ("*",), rows=250))
    assert known_of_age(None, level=None, steps=steps) == (
        "exactly in 25.0 % of the rows, coarser in 50.0 % and not at all in 25.0 %"
    )
    assert known_of_age(None, level=None, steps=steps[:1]) == "as in the source"
    assert (
        known_of_age(None, level=None, steps=(replace(steps[0], rows=0), steps[1]))
        == "exactly in no row and coarser in 100 %"
    )
    assert known_of_age(None, level=None, steps=()) == "each class has labels of its own"
    assert known_of_age(None, level=None, steps=(), loss=0.0) == "as in the source"
    page = page_facts.by_classes()
    assert (
        columns.known(page, replace(page.columns[1], steps=())) == "exactly in 39.8 % of the rows and coarser in 60.2 %"
    )


def test_small_counts_of_the_source_are_not_told() -> None:
    risk = page_facts.risk()
    before = risk["before"]
    before["unique"] = {"rows": None, "share": None, "in_population": None}
    before["classes"] = {"count": None, "min": None, "max": 199, "average": None}
    before["prosecutor"] = {"highest": None, "average": None, "above": {"rows": None, "share": None}}
    before["marketer"] = {"average": None, "rows": None}
    for size_range in before["sizes"]:
        size_range["classes"] = None
    compared = comparison.compare(page_facts.released(risk=risk))
    assert compared is not None
    assert compared.alone == (
        "It is not told how many rows of the source are alone with their values of the quasi-identifiers; "
        "in the release no row is."
    )
    assert compared.note is not None and "fewer than 10 rows" in compared.note
    cells = {row[0]: row[1] for row in compared.risks.rows}
    assert cells == {
        "rows measured": f"{before['rows']['measured']:,}",
        "classes": "not told",
        "rows of the smallest class": "< 10",
        "unique rows": "not told",
        "prosecutor risk, highest": "> 0.1000",
        "prosecutor risk, average": "not told",
        "prosecutor risk, rows above 0.2": "not told",
        "marketer risk": "not told",
        "rows that a marketer names right": "not told",
    }
    assert comparison.found_by(risk, 10).endswith(
        "in the source with a probability of more than 0.1000 for some rows; "
        "in the release with a probability of 0.1000 (at most 1 in 10), 0.0044 on average."
    )
    page = render(page_facts.released(risk=risk))
    assert compared.note in page
    of_masked = comparison.compare(page_facts.released(report=page_facts.masked()))
    assert of_masked is not None and of_masked.note is None and of_masked.risks.head[1] == "source (before)"


def test_before_are_the_released_rows_where_others_were_suppressed() -> None:
    compared = comparison.compare(page_facts.released())
    assert compared is not None and compared.note is not None and "without the 13 suppressed rows" in compared.note
    assert compared.risks.head[1] == "released rows in the source (before)"


@pytest.mark.parametrize("word", ["before", "after"])
def test_one_table_can_be_missing(word: str) -> None:
    compared = comparison.compare(page_facts.released(risk={**page_facts.risk(), word: None}))
    assert compared is not None
    assert len(compared.risks.head) == 2 and {len(row) for row in compared.risks.rows} == {2}


def test_a_population_adds_the_journalist() -> None:
    risk = page_facts.risk()
    risk["population"] = {"table": "people.csv", "rows": 100000, "combinations": 7, "unique": 2}
    compared = comparison.compare(page_facts.released(risk=risk))
    assert compared is not None
    assert ("journalist risk, highest", "\N{EN DASH}", "\N{EN DASH}") in compared.risks.rows


@pytest.mark.parametrize(
    ("value", "word"), [(0, "good"), (0.05, "good"), (0.051, "fair"), (0.9, "poor"), (None, "not measured")]
)
def test_words_for_figures(value: float | None, word: str) -> None:
    assert columns.word_of(value, ((0.05, "good"), (0.2, "fair")), "poor") == word


def test_predictions_stand_beside_guessing() -> None:
    described = columns.describe(page_facts.released())
    assert described is not None and described.prediction is not None
    assert described.prediction.rows == (("occupation", "13.7 %", "21.4 %", "19.8 %"),)


def test_utility_takes_what_is_there() -> None:
    described = columns.describe(
        page_facts.released(utility={"columns": {}, "pairs": [], "queries": None, "pmse": None, "prediction": None})
    )
    assert described is not None
    assert (described.pairs, described.answers, described.prediction) == (None, (), None)
    assert columns.describe(page_facts.without_release()) is None


def test_alternatives_are_said_as_the_command_line_takes_them() -> None:
    explained = proof.explain(page_facts.released())
    assert explained.alternatives is not None
    assert explained.alternatives.rows == (
        ("--set algorithm=local", "5.4 % or less", "22.3 %", "0"),
        ("--set suppression.limit=2%", "18.1 %", "22.3 %", "590"),
    )
    assert proof.change(cast("Advice", {"without": "age", "change": {}})) == "without age"


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        (page_facts.released(), "It is proven that the result is the best."),
        (page_facts.without_release(), "It is proven that none of them satisfies."),
        (page_facts.by_classes(), "It is not proven"),
        (page_facts.without_release(report={**page_facts.without_release().report, "search": None}), "ended before"),
    ],
)
def test_how_sure_the_search_is(facts: PageFacts, words: str) -> None:
    assert words in proof.explain(facts).effort


def test_evidence_names_both_files() -> None:
    evidence = proof.lay_out(page_facts.released())
    assert evidence is not None
    assert evidence.hierarchies is not None and evidence.hierarchies.rows[0][0] == "age"
    assert [file.what for file in evidence.files] == ["Source", "Release"]
    assert ("salted SHA-256", "5b" * 32) in evidence.files[0].facts
    assert "size" not in dict(evidence.files[0].facts) and "size" in dict(evidence.files[1].facts)
    assert [recount.expected for recount in evidence.recounts] == ["38, 10"]
    odd = replace(page_facts.evidence(), recounts=(Recount("x", "SELECT 1", (True, None, 0.25, 12345)),))
    evidence = proof.lay_out(page_facts.released(evidence=odd))
    assert evidence is not None and evidence.recounts[0].expected == "true, NULL, 0.25, 12345"
    assert proof.lay_out(page_facts.without_release()) is None
