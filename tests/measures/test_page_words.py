"""What a page says first: what is not in the release, which columns are nearly unique, how many rows a label has."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from page_facts import report as reported
from page_jobs import facts_of

import kanon_sql
from kanon_sql.errors import ConfigurationError
from kanon_sql.report.page.model import AttackFacts, AttackRow, PageFacts, UniqueColumn
from kanon_sql.report.page.summary import summarize
from kanon_sql.report.page.withheld import told


@pytest.mark.slow
def test_with_local_the_source_is_counted_in_full_and_by_its_own_values(tmp_path: Path) -> None:
    draw = random.Random(1)
    rows = [(f"p{i // 2}", f"n{i}", "fm"[i % 2], 1930 + draw.randrange(60), i * 7) for i in range(600)]
    lines = ["who,name,sex,age,cost", *(",".join(map(str, row)) for row in rows)]
    (tmp_path / "in.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    config = {
        "source": str(tmp_path / "in.csv"),
        "target": str(tmp_path / "out.csv"),
        "identifiers": ["name"],
        "quasi_identifiers": {"sex": "sex", "age": {"builtin": "intervals", "widths": [10, 20]}},
        "insensitive": ["cost"],
        "privacy": {"k": 20, "entity": "who"},
        "algorithm": "local",
    }
    report, facts = facts_of(config, tmp_path, ("columns", "unique"))
    assert report["rows"]["suppressed"] == 0 and facts.removed == ("who", "name")
    sex, age = facts.columns
    assert sex.distinct[0] == 2 and age.distinct[0] == len({row[3] for row in rows})
    decades = Counter(f"{row[3] // 10 * 10}-{row[3] // 10 * 10 + 9}" for row in rows)
    shown = {bar.label: bar.source for bar in age.bars if bar.label is not None and bar.label in decades}
    assert shown and all(shown[label] == decades[label] for label in shown)
    summary = summarize(told(facts))
    assert summary.look == "open" and "nearly unique" in summary.headline
    assert "Not in the release: who and name." in summary.sentences


@pytest.mark.parametrize(
    ("changes", "look"),
    [
        ({}, "good"),
        ({"unique": (UniqueColumn("cost", "insensitive", 21648, 30149),)}, "open"),
        ({"notes": {"unique": "time did not suffice"}}, "open"),
        ({"attacks": AttackFacts((AttackRow("linkability", 41, 0, 3, 38, (35, 41)),), controlled=True)}, "open"),
        ({"attacks": AttackFacts((AttackRow("linkability", 9, 0, 3, 6, (3, 9)),), controlled=True)}, "good"),
        ({"attacks": AttackFacts((AttackRow("inference of cost", 90, 9, None, 81, (79, 83)),), False)}, "good"),
    ],
)
def test_the_headline_is_green_only_where_nothing_is_left_to_judge(changes: dict[str, Any], look: str) -> None:
    summary = summarize(told(PageFacts(title="Release", report=reported(), **changes)))
    assert summary.look == look
    assert ("everything that was asked for holds" in summary.headline) == (look == "good")
    judged = [verdict.model for verdict in summary.verdicts if verdict.holds is None]
    expected = {
        "unique": "nearly unique column 'cost'",
        "notes": "nearly unique columns",
        "attacks": "attack: linkability",
    }
    assert judged == ([expected[next(iter(changes))]] if look == "open" else [])


def test_the_page_says_what_thresholds_of_the_whole_table_ask(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("sex,ill\n" + "f,flu\nm,cold\n" * 20, encoding="utf-8")
    config = {
        "source": str(tmp_path / "in.csv"),
        "target": str(tmp_path / "out.csv"),
        "quasi_identifiers": {"sex": {"builtin": "suppress"}},
        "insensitive": ["ill"],
        "privacy": {
            "k": 2,
            "average_risk": {"at_most": 0.25},
            "population_uniqueness": {"at_most": 0.05, "fraction": 0.1},
        },
    }
    kanon_sql.run(config, advice=False, html=tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "with a probability of at most 0.25 on average" in page
    assert "a share of 0.05 is estimated to be unique" in page


def test_a_page_is_no_pdf(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("a\n1\n1\n", encoding="utf-8")
    config = {
        "source": str(tmp_path / "in.csv"),
        "quasi_identifiers": {"a": {"builtin": "suppress"}},
        "privacy": {"k": 2},
    }
    with pytest.raises(ConfigurationError, match="the page is written as HTML; expected a name such as page"):
        kanon_sql.run(config, html=tmp_path / "page.pdf")


@pytest.mark.slow
@pytest.mark.parametrize(("own", "look"), [(30, "open"), (5, "good")])
def test_the_written_page_judges_a_column_that_is_nearly_unique(own: int, look: str, tmp_path: Path) -> None:
    """The page of a run, and one of its release without the report of the run."""
    rows = [f"{20 + number % 2},{number if number < own else 'none'}" for number in range(40)]
    (tmp_path / "in.csv").write_text("\n".join(["age,phone", *rows]), encoding="utf-8")
    config = {
        "source": str(tmp_path / "in.csv"),
        "target": str(tmp_path / "out.csv"),
        "quasi_identifiers": {"age": {"builtin": "suppress"}},
        "insensitive": ["phone"],
        "accept": [],
        "privacy": {"k": 2},
    }
    kanon_sql.run(config, html=tmp_path / "page.html", advice=False)
    again, _ = kanon_sql.report_release(config)
    for page in ((tmp_path / "page.html").read_text(encoding="utf-8"), again):
        assert ("nearly unique column &#39;phone&#39;" in page) == (look == "open")
        assert ("75.0 % of the released rows hold a value of their own" in page) == (look == "open")
        assert ("everything that was asked for holds" in page) == (look == "good")
        assert "30 of 40" not in page
    accepted, _ = kanon_sql.report_release({**config, "accept": ["phone"]})
    assert "everything that was asked for holds" in accepted


def test_a_page_of_attacks_is_no_pdf_either(tmp_path: Path) -> None:
    config = {"source": "none.csv", "quasi_identifiers": {"a": {"builtin": "suppress"}}, "privacy": {"k": 2}}
    with pytest.raises(ConfigurationError, match="the page is written as HTML; expected a name such as page"):
        kanon_sql.attack(config, html=tmp_path / "page.pdf")
