"""What a release tells to somebody who knows the method, against all worlds of small tables."""

from __future__ import annotations

import csv
import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from effort import tries
from hypothesis import given, settings
from hypothesis import strategies as st
from model_cases import ModelTable, Row, best, slow
from table_files import write_csv

import kanon_sql
from kanon_sql.commands import attack
from kanon_sql.measures.attack import method

ENOUGH = 40  # worlds
Posterior = dict[tuple[tuple[str | None, str | None], str | None], Fraction]


def worlds(case: ModelTable, levels: Sequence[int]) -> Iterator[ModelTable]:
    """Every way to deal out sensitive values within the released classes of a node, each way of rows once."""
    node = next(node_of_case for node_of_case in case.nodes() if node_of_case["levels"] == tuple(levels))
    left = Counter(case.rows) - Counter(row for rows in node["released"].values() for row in rows)
    dealt = [list(itertools.permutations([row[2] for row in rows])) for rows in node["released"].values()]
    for chosen in itertools.product(*dealt):
        table: list[Row] = list(left.elements())
        for rows, values in zip(node["released"].values(), chosen, strict=True):
            table += [(a, b, s, e) for (a, b, _, e), s in zip(rows, values, strict=True)]
        yield replace(case, rows=tuple(table))


def posterior(case: ModelTable, levels: Sequence[int]) -> tuple[Fraction, Posterior, Posterior]:
    """The share of worlds that lead to the same levels; shares of values by combination in these, and in all."""
    counts: dict[str, Counter[Any]] = {"kept": Counter(), "all": Counter()}
    counted: Counter[str] = Counter()
    for world in worlds(case, levels):
        chosen = best(world.nodes())
        for which in ("all", "kept") if chosen and chosen["levels"] == tuple(levels) else ("all",):
            counted[which] += 1
            counts[which].update(((a, b), s) for a, b, s, _ in world.rows)
    sizes = Counter((row[0], row[1]) for row in case.rows)
    shares = [
        {key: Fraction(rows, counted[which] * sizes[key[0]]) for key, rows in counts[which].items()}
        for which in ("kept", "all")
    ]
    return Fraction(counted["kept"], counted["all"]), shares[0], shares[1]


def measured(case: ModelTable, folder: Path, enough: int = ENOUGH, **more: Any) -> dict[str, Any]:
    """What the command measures of the release of a case."""
    config = case.config(folder, **more)
    kanon_sql.run(config, advice=False)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(attack, "Asked", partial(method.Asked, enough=enough))
        return kanon_sql.attack(config, method=True, attacks=1)


MEN = tuple(("x1", "u", s, None) for s in "11") + tuple(("y1", "u", s, None) for s in ("2", "5", "9", None))
DIVERSE = (("l_diversity", {"l": 2}),)
CASES = [
    ModelTable(MEN, 2, 0, DIVERSE, False),
    ModelTable((*MEN, ("y2", "v", "1", None)), 2, 2, (("t_closeness", {"t": 0.5}),), False),
]


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_worlds_tell_what_all_of_them_tell(case: ModelTable, folder: Path) -> None:
    attacked = measured(case, folder)
    chosen = best(case.nodes())
    assert chosen is not None
    kept, after, before = posterior(case, chosen["levels"])
    worlds = attacked["minimality"]
    assert worlds["kept"] >= method.TOO_FEW
    share = worlds["kept"] / worlds["worlds"]
    assert share == pytest.approx(float(kept), abs=4 * (float(kept * (1 - kept)) / worlds["worlds"]) ** 0.5 + 0.02)
    released = {row[:2] for rows in chosen["released"].values() for row in rows}
    gain = max(float(after[key] - before[key]) for key in after if key[0] in released)
    assert worlds["columns"]["s"]["gain"] == pytest.approx(gain, abs=0.3)
    assert worlds["columns"]["s"]["by_chance"] < 0.3


@pytest.mark.slow
def test_a_blind_release_tells_nothing_by_its_choice(folder: Path) -> None:
    case = ModelTable((*MEN, ("y2", "v", "1", None), ("y2", "v", "2", None)), 2, 2, DIVERSE, False)
    attacked = measured(case, folder, algorithm={"name": "optimal", "blind": True})
    worlds = attacked["minimality"]
    assert worlds["kept"] == worlds["worlds"] == ENOUGH
    assert worlds["columns"]["s"]["gain"] < 0.3
    report = kanon_sql.run(case.config(folder, algorithm={"name": "optimal", "blind": True})).report
    for world in itertools.islice(worlds_of(case, report), 50):
        again = kanon_sql.run(world.config(folder, algorithm={"name": "optimal", "blind": True}), advice=False).report
        assert (again["solution"], again["rows"]) == (report["solution"], report["rows"])


def worlds_of(case: ModelTable, report: dict[str, Any]) -> Iterator[ModelTable]:
    return itertools.islice(worlds(case, tuple(report["solution"]["levels"].values())), 0, None, 97)


@pytest.mark.slow
def test_too_few_worlds_give_no_figure(folder: Path) -> None:
    attacked = measured(CASES[0], folder, enough=3)
    assert attacked["minimality"]["kept"] == 3
    assert attacked["minimality"]["columns"] is None
    assert any("worlds" in warning for warning in attacked["warnings"])


# What a label tells of a class: every way to fill a class that leads to the same label is looked at.


def told_of(label: Callable[[Counter[str]], object], values: Sequence[str], domain: Sequence[str], part: Any) -> int:
    """How many cells of a class have a part of the domain (`part` of a value) in every way to fill it."""
    ways = [
        Counter(way)
        for way in itertools.combinations_with_replacement(sorted(domain), len(values))
        if label(Counter(way)) == label(Counter(values))
    ]
    parts = [Counter(part(value) for value in way.elements()) for way in ways]
    return sum(
        min(part_counts[name] for part_counts in parts)
        for name in {name for part_counts in parts for name in part_counts}
    )


WAYS = {"1": ("p", "r"), "2": ("p", "r"), "3": ("q", "r"), "4": ("q", "r"), "5": ("q", "r"), "6": ("s", "t")}


def above(value: str, level: int) -> str:
    return (value, *WAYS[value], "*")[level]


def lowest(values: Counter[str]) -> int:
    """The level at which all values have one label."""
    return next(level for level in range(4) if len({above(value, level) for value in values}) == 1)


def tree(values: Counter[str]) -> tuple[int, str]:
    return lowest(values), above(min(values), lowest(values))


def ends(values: Counter[str]) -> tuple[str, str]:
    return min(values), max(values)


SHOWN: dict[str, Callable[[Counter[str]], object]] = {"n": ends, "w": frozenset, "h": tree}


@pytest.mark.slow
@settings(slow, max_examples=tries(12))
@given(
    st.lists(st.tuples(*map(st.sampled_from, ("1234567", "abcd", "123456"))), min_size=4, max_size=12),
    st.sampled_from(["mondrian", "local"]),
)
def test_what_labels_tell_is_so_in_every_way_to_fill_a_class(
    folder: Path, rows: list[tuple[str, str, str]], algorithm: str
) -> None:
    columns = ("n", "w", "h")
    write_csv(folder / "table.csv", [columns, *rows])
    write_csv(folder / "h.csv", [(value, *labels, "*") for value, labels in WAYS.items()])
    config = {
        "source": str(folder / "table.csv"),
        "target": {"path": str(folder / "cut.csv"), "overwrite": True},
        "quasi_identifiers": {"n": {"type": "number"}, "w": {"type": "text"}, "h": str(folder / "h.csv")},
        "privacy": {"k": 2},
        "algorithm": {"name": algorithm, "seed": 1},
        "release": {"order": "none"},
    }
    kanon_sql.run(config, advice=False)
    downcoding = kanon_sql.attack(config, method=True, attacks=1)["downcoding"]
    with (folder / "cut.csv").open(encoding="utf-8", newline="") as file:
        labels = [tuple(row[name] for name in columns) for row in csv.DictReader(file)]
    classes: dict[tuple[str, ...], list[tuple[str, ...]]] = defaultdict(list)
    for label, row in zip(labels, rows, strict=True):
        classes[label].append(row)
    most, cells = 0, Counter[str]()
    for members in classes.values():
        of_class = []
        for place, (name, shown) in enumerate(SHOWN.items()):
            values = [row[place] for row in members]
            below = partial(above, level=lowest(Counter(values)) - 1) if name == "h" else str
            alike = len(set(values)) == 1
            of_class.append(0 if alike else told_of(shown, values, sorted({row[place] for row in rows}), below))
            cells[name] += of_class[-1]
        most += max(of_class)
    assert downcoding["columns"] == {name: cells[name] for name in columns}
    assert downcoding["rows"] == most


@pytest.mark.slow
def test_a_label_of_one_value_is_that_value(folder: Path) -> None:
    """At level 1 of the prefixes x* is x1 and x2, y* only y1; z stays as it is."""
    rows = (("x1", "u"), ("x2", "u"), ("y1", "u"), ("y1", "u"), ("z", "u"), ("z", "u"))
    case = ModelTable(tuple((*row, "1", None) for row in rows), 2, 0, (), False)
    attacked = measured(case, folder)
    assert attacked["downcoding"] == {"rows": 2, "classes": None, "columns": {"a": 2, "b": 0}}
    assert attacked["minimality"] is None


@pytest.mark.slow
def test_a_release_of_something_else_is_not_measured(folder: Path) -> None:
    kanon_sql.run(CASES[0].config(folder), advice=False)
    doubled = replace(CASES[0], rows=(*CASES[0].rows, *CASES[0].rows))
    attacked = kanon_sql.attack(doubled.config(folder), method=True, attacks=1)
    assert attacked["downcoding"] is None and attacked["minimality"] is None
    assert any("is not what" in warning for warning in attacked["warnings"])
