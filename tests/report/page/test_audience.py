"""For whom the release is: what the configuration says of it stands on the page, and what it does not say is said."""

from __future__ import annotations

import html
from datetime import date
from pathlib import Path
from typing import Any

import page_facts
import page_jobs
import pytest

from kanon_sql.config.load import from_mapping
from kanon_sql.config.schema import json_schema
from kanon_sql.errors import ConfigurationError
from kanon_sql.report.page.model import Audience
from kanon_sql.report.page.page import render

Json = dict[str, Any]
SAID: Json = {"recipient": "Institute <A> & B", "means": "a register", "as_of": "2026-06-30", "review": "2027-06-30"}
NOT_SAID = "not said: whoever signs below has to say it"


def config(**report: Any) -> Json:
    return {"source": "data.csv", "quasi_identifiers": ["age"], "privacy": {"k": 2}, "report": report}


def limits(page: str) -> str:
    return page.partition('<section id="limits"')[2].partition("</section>")[0]


def test_the_page_shows_what_is_said_and_what_is_not() -> None:
    whole = limits(render(page_facts.released(audience=Audience(**SAID))))
    assert all(html.escape(text) in whole for text in SAID.values()) and "<A>" not in whole
    assert NOT_SAID not in whole and "does not say who that is" not in whole
    half = limits(render(page_facts.released(audience=Audience(recipient="<script>alert(1)</script>"))))
    assert half.count(NOT_SAID) == 3 and "<script>" not in half and "alert(1)" in half
    bare = limits(render(page_facts.released()))
    assert "This page does not say who that is" in bare and NOT_SAID not in bare


@pytest.mark.slow
def test_the_keys_are_read_from_the_configuration(tmp_path: Path) -> None:
    source = tmp_path / "data.csv"
    source.write_text("age\n" + "30\n" * 4, encoding="utf-8")
    job = {**config(**SAID), "source": str(source), "target": str(tmp_path / "out.csv")}
    job["quasi_identifiers"] = {"age": {"builtin": "suppress"}}
    _, facts = page_jobs.facts_of(job, tmp_path, parts=("loss",))
    assert facts.audience == Audience(**SAID)
    assert html.escape(SAID["recipient"]) in limits((tmp_path / "page.html").read_text(encoding="utf-8"))


@pytest.mark.parametrize("key", ["as_of", "review"])
@pytest.mark.parametrize("wrong", ["30.06.2026", "2026-02-30", "20260630", "2026-W10-1", "2026", "", 2026])
def test_a_date_is_a_day_of_the_calendar(key: str, wrong: Any) -> None:
    with pytest.raises(ConfigurationError, match=rf"report\.{key}: expected a date such as 2026-01-31"):
        from_mapping(config(**{key: wrong}))


@pytest.mark.parametrize("review", ["2026-06-29", "2026-06-30"])
def test_the_review_is_after_the_date_of_the_data(review: str) -> None:
    with pytest.raises(ConfigurationError, match=r"report\.review: expected a date after as_of \(2026-06-30\)"):
        from_mapping(config(as_of="2026-06-30", review=review))


def test_days_of_python_are_dates() -> None:
    report = from_mapping(config(as_of=date(2026, 6, 30), review="2026-07-01")).config.report
    assert report is not None and (report.as_of, report.review) == ("2026-06-30", "2026-07-01")


def test_editors_know_the_keys() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    validator = jsonschema.Draft202012Validator(json_schema())
    assert validator.is_valid(config(**SAID))
    assert not validator.is_valid(config(as_of="30.06.2026")) and not validator.is_valid(config(recipient=""))
