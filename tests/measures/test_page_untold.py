"""Whoever has the release and its page learns nothing of suppressed persons: other values of theirs, the same page."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest
from effort import tries

import kanon_sql

Json = dict[str, Any]
Row = tuple[str, str, str, str]

DIAGNOSES = ("asthma", "cold", "flu", "gout")
HEAD = "sex,age,diagnosis,cost"


def kept_rows(random: Random, classes: int, size: int) -> list[Row]:
    """Rows of classes of one sex and ten years, `size` in each."""
    return [
        (
            "fm"[number % 2],
            str(20 + 10 * (number // 2) + random.randrange(10)),
            random.choice(DIAGNOSES),
            str(random.randrange(40)),
        )
        for number in range(classes)
        for _ in range(size)
    ]


def lone_rows(random: Random, number: int) -> list[Row]:
    """Rows that few others are like, so that they are suppressed: of which age, with which diagnosis, for what.

    That all of them have the same sex or age is likely, so that they have as many values more than the others or fewer.
    """
    age = random.choice((100, 110))
    return [
        (random.choice("fm"), str(age + random.randrange(3)), random.choice(DIAGNOSES), str(random.randrange(40)))
        for _ in range(number)
    ]


def run(folder: Path, name: str, rows: list[Row], config: Json, *, again: bool = False) -> tuple[list[str], str, Json]:
    """(the released lines, the page without times and digests, the report's utility) of a run in `folder`.

    The page is that of the run, or one that is made of its release `again`.
    """
    place = folder / name
    place.mkdir()
    lines = [",".join(row) for row in sorted(rows)]
    (place / "source.csv").write_text("\n".join([HEAD, *lines]) + "\n", encoding="utf-8")
    job = {
        "source": str(place / "source.csv"),
        "target": str(place / "release.csv"),
        "quasi_identifiers": {
            "sex": {"builtin": "suppress"},
            "age": {"builtin": "intervals", "widths": [5, 10, 20, 40]},
        },
        "sensitive": ["diagnosis"],
        "insensitive": ["cost"],
        "privacy": {"k": 4},
        "suppression": {"limit": 3},
        **config,
    }
    if "report" in config and again:
        job["report"] = str(place / "report.json")
    report = kanon_sql.run(job, html=None if again else place / "page.html").report
    if again:
        report = kanon_sql.report_release(job, html=place / "page.html")[1]
    released = (place / "release.csv").read_text(encoding="utf-8").splitlines()
    page = (place / "page.html").read_text(encoding="utf-8").replace(str(place), "FOLDER")
    for pattern in (
        r"\b[0-9a-f]{64}\b",
        r"\d{4}-\d\d-\d\dT[\d:+]+",
        r"\d\d? \w+ 20\d\d, \d\d:\d\d \w+",
        r"[a-z]+ \d+\.\d\d\b",
    ):
        page = re.sub(pattern, "", page)
    return sorted(released), page, report["utility"]


def fixed(age: int) -> Json:
    """Quasi-identifiers at levels that do not depend on the data."""
    return {
        "sex": {"builtin": "suppress", "min_level": 0, "max_level": 0},
        "age": {"builtin": "intervals", "widths": [5, 10, 20, 40], "min_level": age, "max_level": age},
    }


CONFIGS: dict[str, Json] = {
    "searched": {},
    "fixed": {"quasi_identifiers": fixed(2)},
    "models": {
        "privacy": {
            "k": 4,
            "t_closeness": {"column": "diagnosis", "t": 0.9},
            "beta": {"column": "diagnosis", "beta": 20},
            "l_diversity": {"column": "diagnosis", "l": 1},
        },
        "quasi_identifiers": fixed(2),
    },
    "for the agency": {"quasi_identifiers": fixed(2), "report": {"for": "ema-0070"}},
    "few columns are known": {"quasi_identifiers": fixed(2), "privacy": {"k": 4, "known_columns": 1}},
    "entropy": {"quasi_identifiers": fixed(2), "algorithm": {"name": "optimal", "objective": "entropy"}},
}


@pytest.mark.slow
@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_other_values_of_suppressed_rows_give_the_same_page(config: Json, tmp_path: Path) -> None:
    random = Random(7)
    kept = kept_rows(random, 6, 5)
    runs = [run(tmp_path, str(number), kept + lone_rows(random, 2), config) for number in range(3)]
    assert runs[0][0] == runs[1][0] == runs[2][0] and len(runs[0][0]) == len(kept) + 1
    for _, page, utility in runs[1:]:
        assert utility == runs[0][2]
        assert page == runs[0][1]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(tries(6)))
def test_so_do_those_of_other_tables(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    config = random.choice(list(CONFIGS.values()))
    kept, number = kept_rows(random, random.randint(2, 8), random.randint(4, 7)), random.randint(1, 3)
    runs = [run(tmp_path, str(number_of_run), kept + lone_rows(random, number), config) for number_of_run in range(3)]
    same = [
        outcome for outcome in runs[1:] if outcome[0] == runs[0][0]
    ]  # else it is the search that chose another release
    for _, page, utility in same:
        assert utility == runs[0][2]
        assert page == runs[0][1]


@pytest.mark.slow
def test_every_diagnosis_of_suppressed_persons_is_as_likely_as_before(tmp_path: Path) -> None:
    """Of all that two persons may have the equations of the page rule out nothing: k assignments are left, and more."""
    kept = kept_rows(Random(1), 6, 5)
    pages = set()
    for number, diagnoses in enumerate(product(DIAGNOSES, repeat=2)):
        lone = [("f", "101", diagnoses[0], "3"), ("f", "108", diagnoses[1], "4")]
        _, page, utility = run(tmp_path, str(number), kept + lone, {"quasi_identifiers": fixed(2)})
        pages.add((tuple(re.findall(r"\d[\d.,]*", page)), repr(utility)))
    assert len(pages) == 1


@pytest.mark.slow
def test_the_page_of_a_release_that_is_there_tells_no_more(tmp_path: Path) -> None:
    random = Random(3)
    kept = kept_rows(random, 4, 5)
    for again in (False, True):
        pages = []
        for number in range(2):
            place = f"{again}{number}"
            config = {"quasi_identifiers": fixed(2), **({"report": "report.json"} if again else {})}
            outcome = run(tmp_path, place, kept + lone_rows(random, 2), config, again=True)
            pages.append(outcome[1])
        assert pages[0] == pages[1]
        assert "without the 2 suppressed rows" in pages[0]


@pytest.mark.slow
@pytest.mark.parametrize("limit", [0, 3])
def test_rows_of_a_class_may_change_places(limit: int, tmp_path: Path) -> None:
    """Which row of a class has which age, the page does not tell: of few rows not even a word of it."""
    random = Random(5)
    kept = kept_rows(random, 6, 5)
    lone = lone_rows(random, 2 if limit else 0)
    pages = []
    for number in range(3):
        ages = [row[1] for start in range(0, len(kept), 5) for row in random.sample(kept[start : start + 5], 5)]
        moved = [(sex, age, *rest) for (sex, _, *rest), age in zip(kept, ages, strict=True)]
        config: Json = {"quasi_identifiers": fixed(2), "suppression": {"limit": limit}}
        pages.append(run(tmp_path, str(number), [*moved, *lone], config)[:2])  # type: ignore[list-item]
    assert pages[0] == pages[1] == pages[2]
