"""The attacks of docs/limits.md, carried out by somebody who knows the algorithm and not the rows."""

from __future__ import annotations

import csv
import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from places import EXAMPLES

import kanon_sql

VISITS = EXAMPLES / "limits" / "visits.csv"


def visits() -> list[list[str]]:
    with VISITS.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))[1:]


def diverse(part: Sequence[str], _: Sequence[str]) -> bool:
    return len(set(part)) >= 2


def close(part: Sequence[str], everything: Sequence[str]) -> bool:
    p, q = Counter(part), Counter(everything)
    return sum(abs(p[value] / len(part) - q[value] / len(everything)) for value in q) / 2 <= 0.65


MODELS: list[tuple[dict[str, Any], Callable[[Sequence[str], Sequence[str]], bool], float]] = [
    ({"l_diversity": {"column": "diagnosis", "l": 2}}, diverse, 1.0),
    ({"t_closeness": {"column": "diagnosis", "t": 0.65}}, close, 1 / 16),
]


def worlds(diagnoses: Sequence[str]) -> list[tuple[list[str], list[str]]]:
    """All ways to give the released diagnoses to the two men and the six women."""
    divisions = []
    for chosen in itertools.combinations(range(len(diagnoses)), 2):
        men = [diagnoses[i] for i in chosen]
        divisions.append((men, [diagnosis for i, diagnosis in enumerate(diagnoses) if i not in chosen]))
    return divisions


def released_level(folder: Path, men: list[str], women: list[str], model: dict[str, Any], **more: int) -> int:
    """The level of sex that the program releases for a table."""
    source, target = folder / "s.csv", folder / "out.csv"
    with source.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerows(
            [["sex", "diagnosis"], *(["m", diagnosis] for diagnosis in men), *(["f", diagnosis] for diagnosis in women)]
        )
    config = {
        "source": str(source),
        "target": {"path": str(target), "overwrite": True},
        "quasi_identifiers": {"sex": {"builtin": "suppress", **more}},
        "sensitive": ["diagnosis"],
        "privacy": {"k": 2, **model},
    }
    return int(kanon_sql.run(config).report["solution"]["levels"]["sex"])


@pytest.mark.slow
@pytest.mark.parametrize(("model", "satisfies", "chance"), MODELS, ids=["l", "t"])
def test_minimality_tells_what_the_model_was_to_hide(
    tmp_path: Path, model: dict[str, Any], satisfies: Callable[[Sequence[str], Sequence[str]], bool], chance: float
) -> None:
    diagnoses = [row[1] for row in visits()]
    true_men = [diagnosis for sex, diagnosis in visits() if sex == "m"]
    possible = worlds(diagnoses)
    before = sum(men[0] == "HIV" for men, _ in possible + [(men[::-1], women) for men, women in possible])
    assert before / (2 * len(possible)) == 2 / 8
    # The attacker runs the algorithm in the head: the sexes are released where both satisfy.
    level = [int(not (satisfies(men, diagnoses) and satisfies(women, diagnoses))) for men, women in possible]
    assert released_level(tmp_path, true_men, [diagnosis for sex, diagnosis in visits() if sex == "f"], model) == 1
    for wanted in (0, 1):
        men, women = possible[level.index(wanted)]
        assert released_level(tmp_path, men, women, model) == wanted
    left = [men for (men, _), reached in zip(possible, level, strict=True) if reached == 1]
    assert sum(diagnosis == "HIV" for men in left for diagnosis in men) / (2 * len(left)) == chance


@pytest.mark.slow
def test_levels_that_are_fixed_tell_nothing(tmp_path: Path) -> None:
    """With the level given, and by k alone, the release is the same of whatever world."""
    possible = worlds([row[1] for row in visits()])
    for men, women in (possible[0], possible[5], possible[-1]):
        assert released_level(tmp_path, men, women, {}, min_level=1) == 1
        assert released_level(tmp_path, men, women, {}) == 0
