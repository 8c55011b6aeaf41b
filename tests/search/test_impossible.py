"""Requests that no release satisfies are refused before the search, and never one that some release satisfies."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
import reference_models
from effort import tries
from hypothesis import given, settings
from hypothesis import strategies as st
from shared_engine import attached, insert

import kanon_sql
from kanon_sql.errors import NoReleaseError
from kanon_sql.frequency.judged import Models
from kanon_sql.frequency.sensitive import Sensitive
from kanon_sql.privacy.registry import PrivacyConfig, models_of
from kanon_sql.search.full_domain.checker import NodeChecker
from kanon_sql.search.problem import impossible
from kanon_sql.source.model import Column
from kanon_sql.sql.connection import Engine, EngineOptions, open_engine

Cell = str | None
ITEM = Column("s", "c0", "VARCHAR")


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with open_engine(EngineOptions(threads=1)) as opened:
        yield opened


def refused(engine: Engine, values: Sequence[Cell], model: dict[str, Any], limit: int, *, entity: bool = False) -> bool:
    """Whether the program refuses a table with these sensitive values at once."""
    counts = Counter(0 if value is None else ord(value) for value in values)
    rows = ", ".join(f"({value}, {count})" for value, count in counts.items())
    sensitive = Sensitive(0, ITEM, entity, "text")
    engine.connection.execute(
        f'CREATE OR REPLACE TEMP TABLE {sensitive.reference} AS FROM (VALUES (-1, 0), {rows}) AS _("value", row_count)'
    )
    models = models_of(PrivacyConfig.model_validate(model))
    return bool(impossible(engine, Models(models, {"s": sensitive}, {}, ITEM if entity else None), limit))


def classes_of(values: tuple[Cell, ...]) -> Iterator[list[tuple[Cell, ...]]]:
    """Every way to put rows into classes."""
    if not values:
        yield []
        return
    first, rest = values[0], values[1:]
    for size in range(len(rest) + 1):
        for chosen in combinations(range(len(rest)), size):
            left = tuple(value for i, value in enumerate(rest) if i not in chosen)
            for others in classes_of(left):
                yield [(first, *(rest[i] for i in chosen)), *others]


def satisfiable(values: Sequence[Cell], model: dict[str, Any], limit: int) -> bool:
    """Whether any rows but at most `limit`, in any classes, satisfy the model by its definition."""
    ((key, spec),) = ((key, spec) for key, spec in model.items() if key != "k")
    holds = getattr(reference_models, key)
    ordered = sorted(values, key=str)
    for size in range(max(1, len(values) - limit), len(values) + 1):
        for released in dict.fromkeys(combinations(ordered, size)):
            if any(
                all(holds(values_of_class, values, spec)[0] for values_of_class in classes)
                for classes in classes_of(released)
            ):
                return True
    return False


MODELS = st.one_of(
    st.builds(lambda least: {"l_diversity": {"column": "s", "l": least}}, st.integers(1, 5)),
    st.builds(
        lambda least: {"l_diversity": {"column": "s", "l": least, "variant": "entropy"}},
        st.sampled_from(["1", "1.5", "1.8", "2", "2.5", "2.9", "3"]),
    ),
    st.builds(
        lambda least, c: {"l_diversity": {"column": "s", "l": least, "variant": "recursive", "c": c}},
        st.integers(1, 4),
        st.sampled_from(["0.5", "1", "1.5", "2", "3"]),
    ),
    st.builds(
        lambda alpha: {"alpha_k": {"column": "s", "alpha": alpha}},
        st.sampled_from(["0.2", "0.25", "0.33", "0.34", "0.5", "0.6", "0.75", "1"]),
    ),
)


@pytest.mark.slow
@settings(max_examples=tries(80))
@given(
    values=st.lists(st.sampled_from(["a", "a", "a", "b", "b", "c", None]), min_size=1, max_size=6),
    model=MODELS,
    limit=st.integers(0, 5),
)
def test_what_is_refused_is_impossible(engine: Engine, values: list[Cell], model: dict[str, Any], limit: int) -> None:
    if refused(engine, values, {"k": 1, **model}, limit):
        assert not satisfiable(values, model, limit)


# (values, model, the least limit of suppressed rows at which it is not refused)
SKEWED = ["a"] * 90 + ["b"] * 6 + ["c"] * 4
BOUNDS: list[tuple[list[str], dict[str, Any], int | None]] = [
    (SKEWED, {"l_diversity": {"column": "s", "l": 4}}, None),
    (SKEWED, {"l_diversity": {"column": "s", "l": "3.01", "variant": "entropy"}}, None),
    (SKEWED, {"l_diversity": {"column": "s", "l": 4, "variant": "recursive", "c": 9}}, None),
    (SKEWED, {"l_diversity": {"column": "s", "l": 2, "variant": "recursive", "c": "3"}}, 61),
    (SKEWED, {"alpha_k": {"column": "s", "alpha": "0.5"}}, 80),
    (SKEWED, {"alpha_k": {"column": "s", "alpha": "0.3"}}, None),
]


@pytest.mark.slow
@pytest.mark.parametrize(("values", "model", "least"), BOUNDS)
def test_the_bounds_are_where_they_should_be(
    engine: Engine, values: list[str], model: dict[str, Any], least: int | None
) -> None:
    limits = [limit for limit in range(100) if not refused(engine, values, {"k": 2, **model}, limit)]
    assert limits == ([] if least is None else list(range(limits[0], 100)))
    # One row more or less: the bound counts parts of rows.
    assert least is None or abs(limits[0] - least) <= 1


def test_the_bound_of_an_entropy_is_that_of_the_most_even_rest(engine: Engine) -> None:
    """By definition: of all ways to suppress rows of two values, the best."""

    def best(limit: int) -> float:
        entropies = []
        for a in range(limit + 1):
            counts = [90 - a, 10 - min(10, max(0, limit - a))]
            total = sum(counts)
            entropies.append(-math.fsum(c / total * math.log(c / total) for c in counts if c))
        return math.exp(max(entropies))

    values = ["a"] * 90 + ["b"] * 10
    for limit in (0, 20, 50, 70):
        for factor, expected in (("0.999", False), ("1.001", True)):
            wanted_entropy = Decimal(f"{best(limit):.6f}") * Decimal(factor)
            model = {"l_diversity": {"column": "s", "l": f"{wanted_entropy:.6f}", "variant": "entropy"}}
            assert refused(engine, values, {"k": 2, **model}, limit) is expected, (limit, factor)


def test_entities_are_bounded_by_the_number_of_values_alone(engine: Engine) -> None:
    model = {"k": 1, "l_diversity": {"column": "s", "l": "2", "variant": "entropy"}}
    assert not refused(engine, ["a"] * 9 + ["b"], model, 0, entity=True)
    assert refused(engine, ["a"] * 9, model, 0, entity=True)
    assert refused(engine, ["a"] * 9 + [None], model, 0, entity=True)


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["optimal", "minimal", "mondrian", "local"])
def test_every_algorithm_says_no_before_it_searches(
    algorithm: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw = random.Random(1)
    with attached() as connection:
        connection.execute("CREATE TABLE t (a VARCHAR, b VARCHAR, s VARCHAR)")
        rows = [(draw.choice("uvw"), draw.choice("xyz"), "ill" if i % 10 else draw.choice("pq")) for i in range(200)]
        insert(connection, "t", rows)
        connection.execute(f"COPY t TO '{tmp_path}/t.parquet' (FORMAT parquet)")
    config: dict[str, Any] = {
        "source": str(tmp_path / "t.parquet"),
        "target": str(tmp_path / "out.csv"),
        "quasi_identifiers": {"a": {"builtin": "suppress"}, "b": {"builtin": "suppress"}},
        "sensitive": ["s"],
        "algorithm": algorithm,
        "suppression": {"limit": "10%"},
    }

    def refuse(*_: Any) -> None:
        raise AssertionError("a node was asked for")

    monkeypatch.setattr(NodeChecker, "_ask", refuse)
    wanted: list[tuple[dict[str, Any], str]] = [
        (
            {"l_diversity": {"column": "s", "l": 5}},
            "distinct l = 5 in 's': the rows that take part have only 3 different",
        ),
        ({"l_diversity": {"column": "s", "l": "2.5", "variant": "entropy"}}, "as diverse as 1.5"),
        ({"alpha_k": {"column": "s", "alpha": "0.5"}}, "has a share of 0.88"),
    ]
    for model, said in wanted:
        with pytest.raises(NoReleaseError, match=said) as refusal:
            kanon_sql.run({**config, "privacy": {"k": 2, **model}})
        assert "ill" not in str(refusal.value)
    every = {key: spec for model, _ in wanted[1:] for key, spec in model.items()}
    with pytest.raises(NoReleaseError) as both:
        kanon_sql.run({**config, "privacy": {"k": 2, **every}})
    assert len(both.value.problems) == 2
