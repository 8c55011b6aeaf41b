"""The shared oracles: published and independently computed optima of Adult and the small tables."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest
from adult import DATA, ORACLES, SAMARATI, Json, adult_config, configurations, oracle, rows_of
from effort import needs
from reference import Cell, Hierarchy, Problem

import kanon_sql

PREFERENCES = {
    "absolute-distance": "min_absolute_distance",
    "relative-distance": "min_relative_distance",
    "distribution": "max_distribution",
    "suppression": "min_suppression",
}

pytestmark = needs(ORACLES)


OPTIMAL = [case for case in oracle("optimal.json").get("cases", []) if not case["model"]]
TOY = oracle("toy.json")
EXAMPLES = [name for name in ("suppression_example", "generalization_example") if name in TOY]


@cache
def adult() -> tuple[dict[str, Cell], ...]:
    """Adult as the models read it: ? is missing."""
    header, *rows = rows_of(DATA / "adult" / "adult.csv")
    return tuple({c: None if v in ("?", "") else v for c, v in zip(header, row, strict=True)} for row in rows)


def levels_of(node: Json, order: Sequence[str]) -> tuple[int, ...]:
    return tuple(node["levels"][column] for column in order)


def oracle_nodes(nodes: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
    return sorted(tuple(node) for node in nodes)


def adult_run(expected: Json, folder: Path, algorithm: Json) -> tuple[tuple[int, ...], Json]:
    report = kanon_sql.run(adult_config(expected, folder, algorithm)).report
    return levels_of(report["solution"], SAMARATI["qi_order"]), report


def check_listed(nodes: Sequence[Json], expected: Json, order: Sequence[str]) -> None:
    """What a lattice lists against an oracle's satisfying and minimal nodes and its least height."""
    satisfying = [node for node in nodes if node["satisfies"]]
    assert sorted(levels_of(node, order) for node in satisfying) == oracle_nodes(expected["satisfying"])
    assert min(node["height"] for node in satisfying) == expected["min_height"]
    minimal = {levels_of(node, order): node for node in nodes if node["minimal"]}
    assert len(minimal) == len(expected["minimal"])
    for oracle_node in expected["minimal"]:
        if isinstance(oracle_node, list):
            assert tuple(oracle_node) in minimal
            continue
        node = minimal[tuple(oracle_node["node"])]
        assert (node["suppressed"], node["classes"]) == (oracle_node["suppressed"], oracle_node["classes"])
        assert node["lm"] == pytest.approx(oracle_node["lm"], rel=1e-8)


@pytest.mark.parametrize("expected", configurations(SAMARATI.get("configs", [])))
def test_the_reference_agrees_with_the_samarati_oracle(expected: Json) -> None:
    order = SAMARATI["qi_order"]
    files = {c: Hierarchy.of_file(rows_of(DATA / "samarati" / f"{c}.csv")) for c in order}
    problem = Problem(adult(), files, expected["k"], expected["max_suppressed"], "drop-any")
    listed = [
        {
            "levels": dict(zip(order, node.levels, strict=True)),
            "height": node.height,
            "suppressed": node.suppressed,
            "classes": node.classes,
            "lm": float(node.lm),
            "satisfies": node.satisfies,
            "minimal": node in problem.minimal,
        }
        for node in problem.nodes
    ]
    assert problem.n == 30162
    check_listed(listed, expected, order)
    assert [list(problem.optimal().levels)] == expected["lm_optimal_global"]
    assert float(problem.optimal().lm) == pytest.approx(expected["lm_optimal_global_value"])
    assert [list(problem.samarati().levels)] == expected["lm_optimal_at_min_height"]
    for preference, key in PREFERENCES.items():
        preferred = sorted(node.levels for node in problem.preferred(preference))
        assert preferred == oracle_nodes(expected["prefer"][key])


@pytest.mark.parametrize("expected", configurations(SAMARATI.get("configs", [])))
def test_the_lattice_of_adult(expected: Json, tmp_path: Path) -> None:
    nodes = kanon_sql.lattice(adult_config(expected, tmp_path, {"name": "optimal"}))["nodes"]
    assert len(nodes) == 60
    check_listed(nodes, expected, SAMARATI["qi_order"])


@pytest.mark.parametrize("expected", configurations(SAMARATI.get("configs", [])))
def test_the_optimum_of_adult(expected: Json, tmp_path: Path) -> None:
    levels, report = adult_run(expected, tmp_path, {"name": "optimal"})
    assert [list(levels)] == expected["lm_optimal_global"]
    assert report["loss"]["lm"] == pytest.approx(expected["lm_optimal_global_value"])
    assert report["search"]["proven"] is True
    assert report["rows"]["source"] == 32561
    assert report["rows"]["missing"] == 2399


@pytest.mark.parametrize("expected", configurations(SAMARATI.get("configs", [])))
@pytest.mark.parametrize("prefer", ["loss", "first"])
def test_samarati_on_adult(expected: Json, prefer: str, tmp_path: Path) -> None:
    levels, report = adult_run(expected, tmp_path, {"name": "samarati", "prefer": prefer})
    assert report["solution"]["height"] == expected["min_height"]
    lowest = [node for node in expected["satisfying"] if sum(node) == expected["min_height"]]
    assert list(levels) in (expected["lm_optimal_at_min_height"] if prefer == "loss" else [min(lowest)])


@pytest.mark.parametrize("expected", configurations(SAMARATI.get("configs", [])))
@pytest.mark.parametrize("prefer", PREFERENCES)
def test_preferences_on_adult(expected: Json, prefer: str, tmp_path: Path) -> None:
    levels, _ = adult_run(expected, tmp_path, {"name": "minimal", "prefer": prefer})
    assert list(levels) in expected["prefer"][PREFERENCES[prefer]]


@pytest.mark.parametrize("expected", configurations(SAMARATI.get("configs", [])))
def test_the_minimal_node_of_least_loss_on_adult(expected: Json, tmp_path: Path) -> None:
    levels, _ = adult_run(expected, tmp_path, {"name": "minimal", "prefer": "loss"})
    assert list(levels) == min(expected["minimal"], key=lambda node: float(node["lm"]))["node"]


def large_config(case: Json, folder: Path) -> Json:
    sources = DATA / "adult_arx"
    objective = "loss" if case["metric"].endswith("Sum") else "geometric-mean-loss"
    return {
        "source": {"path": str(sources / case["data"]), "csv": {"delimiter": ";", "header": True}},
        "target": str(folder / "out.parquet"),
        "quasi_identifiers": {c: str(sources / f"adult_hierarchy_{c}.csv") for c in case["qis"]},
        "unlisted": "drop",
        "privacy": {"k": case["k"]},
        "suppression": {"limit": f"{case['supp'] * 100:g}%"},
        "algorithm": {"name": "optimal", "objective": objective},
    }


@pytest.mark.parametrize("case", [pytest.param(case, id=case["case"]) for case in OPTIMAL])
def test_the_optimum_of_a_large_lattice(case: Json, tmp_path: Path) -> None:
    report = kanon_sql.run(large_config(case, tmp_path)).report
    assert report["solution"]["levels"] == case["levels"]
    assert report["loss"]["objective"] == pytest.approx(case["loss"], rel=1e-8)
    attributes = [report["loss"]["attributes"][column] for column in case["qis"]]
    assert attributes == pytest.approx(case["loss_vector"], abs=1e-9)
    assert report["rows"]["source"] == case["rows"]
    assert report["rows"]["suppressed"] == case["suppressed"]
    assert (report["classes"]["count"], report["classes"]["min"]) == (case["classes"], case["min_class"])
    assert report["search"]["lattice_nodes"] == case["lattice_size"]
    assert report["search"]["proven"] is True
    assert report["search"]["checked"] <= case["nodes_checked"]


@pytest.mark.parametrize("case", [pytest.param(case, id=case["case"]) for case in OPTIMAL])
def test_the_reference_agrees_with_the_optimal_oracle(case: Json) -> None:
    header, *rows = rows_of(DATA / "adult_arx" / case["data"], ";")
    files = {c: DATA / "adult_arx" / f"adult_hierarchy_{c}.csv" for c in case["qis"]}
    problem = Problem(
        [dict(zip(header, row, strict=True)) for row in rows],
        {c: Hierarchy.of_file(rows_of(path, ";")) for c, path in files.items()},
        case["k"],
        f"{case['supp'] * 100:g}%",
    )
    node = problem.node(tuple(case["levels"][column] for column in case["qis"]))
    assert (node.suppressed, node.classes, node.sizes[0]) == (
        case["suppressed"],
        case["classes"],
        case["min_class"],
    )
    assert problem.allowed == case["suppression_limit_abs"]
    assert [float(loss) for loss in node.losses] == pytest.approx(case["loss_vector"], abs=1e-9)
    loss = float(node.lm) if case["metric"].endswith("Sum") else node.geometric_mean
    assert loss == pytest.approx(case["loss"], rel=1e-8)


def toy_hierarchies(rows: Sequence[Sequence[str]]) -> dict[str, list[list[str]]]:
    """Race is suppressed at its level 1; ZIP loses its last digit, then its last two."""
    races, zips = (sorted({row[position] for row in rows}) for position in (0, 1))
    return {
        "Race": [[race, "person"] for race in races],
        "ZIP": [[code, code[:-1] + "*", code[:-2] + "**"] for code in zips],
    }


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_reference_agrees_with_the_small_tables(name: str) -> None:
    header, *rows = rows_of(DATA / "toy" / TOY[name]["table"])
    files = {column: Hierarchy.of_file(levels) for column, levels in toy_hierarchies(rows).items()}
    table = [dict(zip(header, row, strict=True)) for row in rows]
    for oracle_node in TOY[name]["nodes"]:
        levels = tuple(oracle_node["node"])
        assert sorted(Problem(table, files, 1).class_sizes(levels).values()) == oracle_node["class_sizes"]
    for expected in TOY[name]["configs"]:
        problem = Problem(table, files, expected["k"], expected["max_sup"])
        assert sorted(node.levels for node in problem.satisfying) == oracle_nodes(expected["satisfying"])
        assert sorted(node.levels for node in problem.minimal) == oracle_nodes(expected["minimal"])
        assert {str(list(node.levels)): node.suppressed for node in problem.nodes} == expected["suppressed"]


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_lattices_of_the_small_tables(name: str, tmp_path: Path) -> None:
    source = DATA / "toy" / TOY[name]["table"]
    order = TOY[name]["qi"]
    paths = {column: tmp_path / f"{column}.csv" for column in order}
    for column, levels in toy_hierarchies(rows_of(source)[1:]).items():
        paths[column].write_text("".join(",".join(row) + "\n" for row in levels), encoding="utf-8")
    sizes = {tuple(oracle_node["node"]): oracle_node["class_sizes"] for oracle_node in TOY[name]["nodes"]}
    for expected in TOY[name]["configs"]:
        config = {
            "source": str(source),
            "quasi_identifiers": {column: str(path) for column, path in paths.items()},
            "privacy": {"k": expected["k"]},
            "suppression": {"limit": expected["max_sup"]},
        }
        nodes = kanon_sql.lattice({**config, "target": str(tmp_path / "out.csv")})["nodes"]
        check_listed(nodes, expected, order)
        by_levels = {levels_of(node, order): node for node in nodes}
        assert set(by_levels) == set(sizes)
        for text, suppressed in expected["suppressed"].items():
            assert by_levels[tuple(ast.literal_eval(text))]["suppressed"] == suppressed
        for chosen, class_sizes in sizes.items():
            assert by_levels[chosen]["classes"] == sum(size >= expected["k"] for size in class_sizes)
