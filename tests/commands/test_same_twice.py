"""The same table, configuration and version give the same release, figures and advice: again, with other threads, in
another order of rows, in several files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from effort import some
from same_twice import bag, differences, draw, ways, without_times

import kanon_sql
from kanon_sql.sql.connection import EngineOptions

Json = dict[str, Any]

LEVELS: Json = {
    "age": {"builtin": "intervals", "widths": [2, 4, 12]},
    "zip": {"builtin": "prefix", "keep": [4, 3]},
    "sex": {"builtin": "suppress"},
}
IN_ORDER: Json = {"age": {}, "zip": {"builtin": "prefix", "keep": [4, 3]}, "sex": {}}

SEARCHES: dict[str, tuple[Any, Json]] = {
    "local": ("local", LEVELS),
    "relaxed": ({"name": "mondrian", "cut": "relaxed"}, IN_ORDER),
    "local in order": ("local", IN_ORDER),
    "local, fast": ({"name": "local", "effort": "fast"}, LEVELS),
    "local, best": ({"name": "local", "effort": "best"}, LEVELS),
    "random": ({"name": "mondrian", "dimension": "random"}, IN_ORDER),
    "relaxed, random": ({"name": "mondrian", "cut": "relaxed", "dimension": "random", "seed": 3}, IN_ORDER),
    "relaxed, widest": ({"name": "mondrian", "cut": "relaxed", "dimension": "widest"}, IN_ORDER),
    "strict": ("mondrian", IN_ORDER),
    "strict, widest": ({"name": "mondrian", "dimension": "widest"}, LEVELS),
    "strict-le": ({"name": "mondrian", "cut": "strict-le"}, IN_ORDER),
    "microaggregation": ("microaggregation", {"age": {"aggregate": "mean"}}),
    "optimal": ("optimal", LEVELS),
    **{
        f"optimal, {objective}": ({"name": "optimal", "objective": objective}, LEVELS)
        for objective in (
            "geometric-mean-loss",
            "discernibility",
            "average-class-size",
            "precision",
            "entropy",
        )
    },
    "samarati": ("samarati", LEVELS),
    "samarati, first": ({"name": "samarati", "prefer": "first"}, LEVELS),
    "minimal": ("minimal", LEVELS),
    "minimal, distribution": ({"name": "minimal", "prefer": "distribution"}, LEVELS),
}


def config(folder: Path, source: Path, algorithm: Any, quasi_identifiers: Json, **more: Any) -> Json:
    return {
        "source": str(source),
        "target": {"path": str(folder / "out.csv"), "overwrite": True},
        "quasi_identifiers": quasi_identifiers,
        "sensitive": ["illness"],
        "unlisted": "insensitive",
        "privacy": {"k": 3},
        "algorithm": algorithm,
        **more,
    }


def same(folder: Path, seed: int, of: Callable[[Path, EngineOptions], Any], rows: int = 150) -> None:
    """Asserts that all ways of reading a drawn table come to the same."""
    first: Any = None
    for source, threads in ways(folder, draw(seed, rows), seed):
        outcome = of(source, EngineOptions(threads=threads))
        first = outcome if first is None else first
        assert not list(differences(first, outcome)), (source.name, threads)


@pytest.mark.slow
@pytest.mark.parametrize("name", some(list(SEARCHES), 3))
@pytest.mark.parametrize("seed", some([1, 2, 3], 1))
def test_a_search_releases_the_same(tmp_path: Path, name: str, seed: int) -> None:
    algorithm, quasi_identifiers = SEARCHES[name]
    limit = {} if algorithm in ("local",) or "optimal" not in name else {"suppression": {"limit": 5}}

    def of(source: Path, options: EngineOptions) -> Any:
        result = kanon_sql.run(config(tmp_path, source, algorithm, quasi_identifiers, **limit), options=options)
        return without_times(result.report), bag(tmp_path / "out.csv")

    same(tmp_path, seed, of)


def models(privacy: Json) -> Json:
    return {"privacy": {"k": 2, **privacy}}


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["local", "mondrian", "optimal"])
@pytest.mark.parametrize(
    "privacy",
    [
        {"l_diversity": {"column": "illness", "l": 2, "variant": "entropy"}},
        {"t_closeness": {"column": "illness", "t": 0.4}},
        {"beta": {"column": "illness", "beta": 3}},
    ],
    ids=lambda privacy: next(iter(privacy)),
)
def test_so_do_models(tmp_path: Path, algorithm: str, privacy: Json) -> None:
    def of(source: Path, options: EngineOptions) -> Any:
        result = kanon_sql.run(config(tmp_path, source, algorithm, LEVELS, **models(privacy)), options=options)
        return without_times(result.report), bag(tmp_path / "out.csv")

    same(tmp_path, 4, of)


@pytest.mark.slow
def test_a_table_is_measured_the_same(tmp_path: Path) -> None:
    with_models: Json = models({"l_diversity": {"column": "illness", "l": 2, "variant": "entropy"}})
    with_models["privacy"]["t_closeness"] = {"column": "illness", "t": 0.3}

    def of(source: Path, options: EngineOptions) -> Any:
        given = config(tmp_path, source, "optimal", LEVELS, **with_models)
        measured = [
            kanon_sql.check(given, options=options),
            kanon_sql.risk(given, options=options),
            kanon_sql.lattice(given, options=options),
            kanon_sql.sweep(given, k=[2, 4], options=options),
        ]
        return without_times(measured)

    same(tmp_path, 5, of)


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["optimal", "local"])
def test_a_release_is_measured_the_same(tmp_path: Path, algorithm: str) -> None:
    def of(source: Path, options: EngineOptions) -> Any:
        given = config(tmp_path, source, algorithm, LEVELS)
        kanon_sql.run(given, options=options)
        measured = [
            kanon_sql.utility(given, options=options),
            kanon_sql.attack(given, hold_out="30%", options=options),
        ]
        return without_times(measured)

    same(tmp_path, 6, of, rows=300)


@pytest.mark.slow
def test_a_configuration_is_proposed_the_same(tmp_path: Path) -> None:
    def of(source: Path, options: EngineOptions) -> Any:
        proposal = kanon_sql.init(source, options=options)
        return without_times(
            [line for line in proposal.yaml.splitlines() if "csv" not in line and not line.endswith("parts")]
        )

    same(tmp_path, 7, of)


@pytest.mark.slow
def test_a_statement_is_written_the_same(tmp_path: Path) -> None:
    """Of several files a statement names each, and is no other for it: those of one file are compared."""
    statements = set()
    for source, threads in ways(tmp_path, draw(7, 150), 7):
        if "*" not in source.name:
            given = config(tmp_path, source, {"name": "mondrian", "cut": "relaxed"}, IN_ORDER)
            statement = kanon_sql.compile(given, options=EngineOptions(threads=threads))
            statements.add(statement.replace(str(source), "").replace(source.name, ""))
    assert len(statements) == 1


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["local", {"name": "mondrian", "cut": "relaxed"}], ids=["local", "relaxed"])
def test_rows_of_shared_tuples_are_dealt_out_by_several_columns_without_a_text(tmp_path: Path, algorithm: Any) -> None:
    """Floating-point numbers and moments are written differently by engines: each is an order of its own."""
    bags: list[Counter[Any]] = []
    for order in ("number", "hash(number)"):
        path = tmp_path / f"{len(bags)}.parquet"
        duckdb.connect().execute(
            "COPY (SELECT 20 + number % 2 AS age, number % 7 / 3 AS pay, number % 5 / 7 AS share, "
            "TIMESTAMPTZ '2024-01-01 00:00+00' + INTERVAL (number % 3) HOUR AS seen "
            f"FROM range(40) AS t(number) ORDER BY {order}) TO '{path}'"
        )
        target = tmp_path / f"out {len(bags)}.parquet"
        kanon_sql.run(
            {
                "source": str(path),
                "target": str(target),
                "quasi_identifiers": {"age": {}},
                "unlisted": "insensitive",
                "privacy": {"k": 3},
                "algorithm": algorithm,
            }
        )
        bags.append(Counter(duckdb.read_parquet(str(target)).fetchall()))
    assert bags[0] == bags[1] and bags[0].total() == 40
