"""The page as a whole: its sections, and what it may not hold."""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from dataclasses import replace
from typing import Any

import page_facts
import pytest

from kanon_sql.report.page.model import AttackFacts, PageFacts
from kanon_sql.report.page.page import SECTIONS, render

FACTS = {
    "released": page_facts.released(),
    "by classes": page_facts.by_classes(),
    "no release": page_facts.without_release(),
    "timed out": page_facts.without_release("timed-out"),
    "failed": page_facts.without_release("failed"),
    "poor": page_facts.poor(),
    "attacked": page_facts.released(attacks=page_facts.attacks()),
    "attacked in vain": page_facts.released(attacks=AttackFacts((), controlled=False, held_out=0.5)),
    "afterwards": page_facts.afterwards(),
    "without source": page_facts.released(risk={**page_facts.risk(), "before": None}),
}


@pytest.mark.parametrize("facts", FACTS.values(), ids=FACTS)
def test_sections_stand_in_their_order(facts: PageFacts) -> None:
    page = render(facts)
    names = [name for name, _ in SECTIONS if name != "attacks" or facts.attacks]
    assert re.findall(r'<section id="(\w+)"', page) == names
    assert re.findall(r'<li><a href="#(\w+)">', page)[: len(names)] == names
    assert page.startswith("<!DOCTYPE html>\n") and page.endswith("</html>\n")


@pytest.mark.parametrize("facts", FACTS.values(), ids=FACTS)
def test_nothing_is_loaded(facts: PageFacts) -> None:
    page = render(facts)
    assert not re.search(r"""(?:src|srcset|data|action|poster)=|<(?:link|iframe|object|embed|img|base)\b""", page)
    assert set(re.findall(r"""href=["']?(.)""", page)) == {"#"}
    assert not re.search(r"@import|url\((?!#)", page)
    # The only addresses are the names of namespaces.
    assert set(re.findall(r"\w+://[^\s\"'<]*", page)) <= {"http://www.w3.org/2000/svg"}


def test_the_policy_allows_the_scripts_of_the_page_alone() -> None:
    page = render(page_facts.released())
    policy = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', page)
    assert policy and "default-src &#39;none&#39;" in policy[1]
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digests = {b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts}
    assert digests == set(re.findall(r"sha256-([\w+/=]+)", policy[1]))
    assert not re.search(r"<[^>]+\son\w+=", page)


@pytest.mark.parametrize("facts", FACTS.values(), ids=FACTS)
def test_every_name_is_used_once_and_every_link_leads_somewhere(facts: PageFacts) -> None:
    page = render(facts)
    names = re.findall(r"""\sid=["']?([^"'\s>]+)""", page)
    assert len(names) == len(set(names))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= set(names)
    labelled_by = re.findall(r'aria-labelledby="([^"]+)"', page)
    assert {name for label in labelled_by for name in label.split()} <= set(names)


@pytest.mark.parametrize("facts", FACTS.values(), ids=FACTS)
def test_nothing_reads_as_python(facts: PageFacts) -> None:
    words = re.sub(r"<(script|style)\b.*?</\1>", "", render(facts), flags=re.DOTALL)
    assert not re.findall(r">[^<]*\b(?:None|nan|inf|True|False|Undefined)\b[^<]*<", words)


def test_texts_of_others_do_nothing() -> None:
    hostile = "</script><script>alert(1)</script>\"'\x1b[31m\u202eevil"
    facts = page_facts.released()
    report: Any = {**facts.report, "warnings": [hostile], "release": {"order": "random", "target": hostile}}
    page = render(replace(facts, title=hostile, report=report, notes={"risk": hostile}))
    assert page.count("<script") == render(facts).count("<script")
    assert "alert(1)" in page and "<script>alert" not in page
    assert not set(page) & {"\x1b", "\u202e"}


def test_long_lists_are_folded_and_lose_nothing() -> None:
    facts = page_facts.released()
    warnings = [f"warning number {place}" for place in range(100)]
    columns = tuple(replace(facts.columns[0], name=f"column number {place}") for place in range(100))
    page = render(replace(facts, report={**facts.report, "warnings": warnings}, columns=columns))
    assert "<summary>92 more</summary>" in page and "<summary>88 more</summary>" in page
    assert all(page.count(f"<li>{warning}</li>") == 1 for warning in warnings)
    assert all(page.count(f"<li><b>{column.name}</b>:") == 1 for column in columns)
