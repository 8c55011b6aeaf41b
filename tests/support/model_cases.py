"""Requests of privacy models on small tables, and the best release by brute force."""

from __future__ import annotations

import csv
import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import reference_models
from effort import tries
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from reference import Hierarchy
from reference_models import Cell

TREE = {"1": ["1", "low", "*"], "2": ["2", "low", "*"], "5": ["5", "high", "*"], "9": ["9", "high", "*"]}
A, B = ["x1", "x2", "y1", "y2"], ["u", "v", "w"]
SPECS: list[tuple[str, dict[str, Any]]] = [
    ("l_diversity", {"l": 2}),
    ("l_diversity", {"l": 3}),
    ("l_diversity", {"l": 2, "variant": "entropy"}),
    ("l_diversity", {"l": 1.5, "variant": "entropy"}),
    ("l_diversity", {"l": 2, "variant": "recursive", "c": 2}),
    ("l_diversity", {"l": 2, "variant": "recursive", "c": 0.5}),
    ("t_closeness", {"t": 0.3}),
    ("t_closeness", {"t": 0.5}),
    ("t_closeness", {"t": 0.25, "distance": "ordered"}),
    ("t_closeness", {"t": 0.25, "distance": "hierarchical", "hierarchy": "tree.csv"}),
    ("alpha_k", {"alpha": 0.5}),
    ("alpha_k", {"alpha": 0.75}),
    ("beta", {"beta": 1}),
    ("beta", {"beta": 0.5, "variant": "enhanced"}),
    ("beta", {"beta": 3, "variant": "enhanced"}),
    ("delta_disclosure", {"delta": 1.1}),
]
Row = tuple[Cell, Cell, Cell, Cell]


@dataclass(frozen=True)
class ModelTable:
    """A table of (a, b, sensitive, entity), and what is asked of its release."""

    rows: tuple[Row, ...]
    k: int
    limit: int
    models: tuple[tuple[str, dict[str, Any]], ...]
    by_entity: bool

    def pairs(self, rows: Sequence[Row]) -> list[Cell]:
        """The sensitive values that are counted: one a row, or one for each entity that has it."""
        if not self.by_entity:
            return [row[2] for row in rows]
        return [value for _, value in {(row[3], row[2]) for row in rows}]

    def reached(self, rows: Sequence[Row], everything: Sequence[Row]) -> list[tuple[bool, float | None]]:
        """Whether a class holds k and each model, and what it reaches."""
        size = len({row[3] for row in rows}) if self.by_entity else len(rows)
        measured: list[tuple[bool, float | None]] = [(size >= self.k, size)]
        for key, spec in self.models:
            measured.append(
                reference_models.MODELS[key](self.pairs(rows), self.pairs(everything), {**spec, "tree": TREE})
            )
        return measured

    def privacy(self) -> dict[str, Any]:
        models: dict[str, Any] = {"k": self.k}
        for key, spec in self.models:
            models.setdefault(key, []).append({"column": "s", **spec})
        return {**models, **({"entity": "e"} if self.by_entity else {})}

    def config(self, folder: Path, **more: Any) -> dict[str, Any]:
        with (folder / "in.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["a", "b", "s", "e"])
            writer.writerows([["" if cell is None else cell for cell in row] for row in self.rows])
        with (folder / "tree.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(TREE.values())
        specs = [(key, dict(spec)) for key, spec in self.models]
        for _, spec in specs:
            if "hierarchy" in spec:
                spec["hierarchy"] = str(folder / "tree.csv")
        privacy: dict[str, Any] = {"k": self.k, **({"entity": "e"} if self.by_entity else {})}
        for key, spec in specs:
            privacy.setdefault(key, []).append({"column": "s", **spec})
        return {
            "source": str(folder / "in.csv"),
            "target": {"path": str(folder / "out.csv"), "overwrite": True},
            "quasi_identifiers": {"a": {"builtin": "prefix", "keep": [1]}, "b": {"builtin": "suppress"}},
            "sensitive": ["s"],
            "unlisted": "drop",
            "privacy": privacy,
            "suppression": {"limit": self.limit},
            **more,
        }

    def nodes(self) -> list[dict[str, Any]]:
        """Every node: levels, suppressed rows, loss, classes."""
        hierarchies = [
            Hierarchy.prefix([row[0] for row in self.rows], [1]),
            Hierarchy.suppress([row[1] for row in self.rows]),
        ]
        all_nodes = []
        for levels in itertools.product(range(3), range(2)):
            classes: dict[tuple[Cell, ...], list[Row]] = {}
            for row in self.rows:
                key = tuple(h.generalize(row[i], levels[i]) for i, h in enumerate(hierarchies))
                classes.setdefault(key, []).append(row)
            judged = {key: self.reached(rows, self.rows) for key, rows in classes.items()}
            released = {key: rows for key, rows in classes.items() if all(holds for holds, _ in judged[key])}
            kept = [row for rows in released.values() for row in rows]
            suppressed = len(self.rows) - len(kept)
            units = [
                sum((h.cost(row[i], levels[i]) for row in kept), Fraction(0)) + suppressed
                for i, h in enumerate(hierarchies)
            ]
            all_nodes.append(
                {
                    "levels": levels,
                    "suppressed": suppressed,
                    "loss": sum(units, Fraction(0)) / len(self.rows),
                    "released": released,
                    "reached": [judged[key] for key in released],
                    "satisfies": suppressed <= min(self.limit, len(self.rows) - 1),
                }
            )
        return all_nodes


def cells(values: Sequence[str]) -> st.SearchStrategy[Cell]:
    return st.sampled_from([*values, *values, None])


@st.composite
def model_tables(draw: st.DrawFn, most: int = 14, specs: Sequence[tuple[str, dict[str, Any]]] = SPECS) -> ModelTable:
    row = st.tuples(cells(A), cells(B), cells(list(TREE)), cells(["p", "q", "r", "s", "t"]))
    rows = draw(st.lists(row, min_size=1, max_size=most))
    models = draw(st.lists(st.sampled_from(specs), min_size=1, max_size=2, unique_by=str))
    return ModelTable(tuple(rows), draw(st.integers(1, 4)), draw(st.integers(0, 6)), tuple(models), draw(st.booleans()))


@st.composite
def model_tables_of_numbers(draw: st.DrawFn, specs: Sequence[tuple[str, dict[str, Any]]] = SPECS) -> ModelTable:
    number = st.integers(1, 6).map(str)
    row = st.tuples(number, number, cells(list(TREE)), cells(["p", "q", "r", "s", "t"]))
    rows = draw(st.lists(row, min_size=1, max_size=20))
    models = draw(st.lists(st.sampled_from(specs), min_size=1, max_size=2, unique_by=str))
    return ModelTable(tuple(rows), draw(st.integers(1, 4)), 0, tuple(models), draw(st.booleans()))


def best(nodes: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    satisfying = [node for node in nodes if node["satisfies"]]
    return min(satisfying, key=lambda node: (node["loss"], sum(node["levels"]), node["levels"]), default=None)


def check_privacy(
    report: Mapping[str, Any], case: ModelTable, reached: Sequence[Sequence[tuple[bool, float | None]]]
) -> None:
    """What the report says that the release reaches, against brute force."""
    assert report["k"]["actual"] == min(class_reached[0][1] or 0 for class_reached in reached)
    places: Counter[str] = Counter()
    for position, (key, spec) in enumerate(case.models, 1):
        entry = report[key][places[key]]
        places[key] += 1
        values = [class_reached[position][1] for class_reached in reached]
        least = key in reference_models.LEAST
        if None in values:
            assert entry["actual"] is None
        else:
            worst = (min if least else max)(value for value in values if value is not None)
            assert entry["actual"] == pytest.approx(worst, abs=1e-9)
        threshold = next(spec[name] for name in ("l", "t", "alpha", "beta", "delta", "values") if name in spec)
        assert entry["required"] == threshold


NO_SHRINKING = [Phase.explicit, Phase.reuse, Phase.generate]  # tables are small as they are, and runs take long
slow = settings(
    max_examples=tries(40, fewer=20),
    deadline=None,
    phases=NO_SHRINKING,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
