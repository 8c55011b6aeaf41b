"""k-map and delta-presence, in full-domain searches and checks, against brute force over every node."""

from __future__ import annotations

import csv
import itertools
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import reference_models
from effort import tries
from hypothesis import HealthCheck, Phase, event, given, settings
from hypothesis import strategies as st
from reference import Hierarchy

import kanon_sql
from kanon_sql.errors import ConfigurationError, EngineError, NoReleaseError

Cell = str | None
Person = tuple[Cell, Cell]
TREE = [["u", "low", "*"], ["v", "low", "*"], ["w", "high", "*"]]
person = st.tuples(st.sampled_from(["x1", "x2", "y1", "y2", None]), st.sampled_from(["u", "v", "w", None]))
no_shrinking = [Phase.explicit, Phase.reuse, Phase.generate]
slow = settings(
    max_examples=tries(40),
    deadline=None,
    phases=no_shrinking,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def write(path: Path, rows: Sequence[Person]) -> str:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["a", "b"])
        writer.writerows([["" if cell is None else cell for cell in row] for row in rows])
    return str(path)


def config(folder: Path, table: Sequence[Person], population: Sequence[Person], **privacy: Any) -> dict[str, Any]:
    with (folder / "tree.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(TREE)
    everyone = write(folder / "everyone.csv", population)
    privacy = {
        key: {**entry, "population": everyone} if isinstance(entry, dict) else entry for key, entry in privacy.items()
    }
    return {
        "source": write(folder / "in.csv", table),
        "target": {"path": str(folder / "out.csv"), "overwrite": True},
        "quasi_identifiers": {"a": {"builtin": "prefix", "keep": [1]}, "b": str(folder / "tree.csv")},
        "privacy": privacy,
    }


def classes(rows: Sequence[Person], levels: Sequence[int], hierarchies: Sequence[Hierarchy]) -> Counter[Any]:
    """Rows of each class; a prefix is cut here, so that it does not matter which values a hierarchy was made of."""

    def released(value: Cell, level: int, hierarchy: Hierarchy | None) -> Cell:
        if hierarchy is not None:
            return hierarchy.generalize(value, level)
        if level == 2:
            return "*"
        return value if value is None or level == 0 else value[:1] + "*"

    return Counter((released(row[0], levels[0], None), released(row[1], levels[1], hierarchies[1])) for row in rows)


def loss(rows: Sequence[Person], kept: Sequence[Person], levels: Sequence[int], of: Sequence[Hierarchy]) -> Fraction:
    units = sum((h.cost(row[i], levels[i]) for row in kept for i, h in enumerate(of)), Fraction(0))
    return (units + 2 * (len(rows) - len(kept))) / len(rows)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[Person], list[Person]]:
    """(the table, the population, of which it is a part)."""
    table = draw(st.lists(person, min_size=1, max_size=8))
    return table, table + draw(st.lists(person, max_size=12))


@pytest.mark.slow
@slow
@given(
    both=tables(),
    k=st.integers(1, 3),
    k_map=st.integers(1, 5),
    least=st.sampled_from([0, 0, 0, 0.2]),
    most=st.sampled_from([1, 0.75, 0.5]),
    limit=st.integers(0, 4),
)
def test_the_optimum_is_that_of_all_nodes(
    both: tuple[list[Person], list[Person]], k: int, k_map: int, least: float, most: float, limit: int, tmp_path: Path
) -> None:
    table, population = both
    of = [Hierarchy.prefix([row[0] for row in table], [1]), Hierarchy.of_file(TREE)]
    candidates = []
    for levels in itertools.product(range(3), range(3)):
        f, everyone = classes(table, levels, of), classes(population, levels, of)
        holds = {
            key: f[key] >= k
            and reference_models.k_map(f[key], everyone[key], {"k": k_map})[0]
            and reference_models.delta_presence(f[key], everyone[key], {"min": least, "max": most})[0]
            for key in f
        }
        suppressed = sum(f[key] for key in f if not holds[key])
        absent = any(not f[key] for key in everyone)
        if least and (suppressed or absent):  # what is suppressed is absent, too
            continue
        if suppressed <= min(limit, len(table) - 1):
            names = {id(row): next(iter(classes([row], levels, of))) for row in table}
            kept = [row for row in table if holds[names[id(row)]]]
            candidates.append((loss(table, kept, levels, of), sum(levels), levels, suppressed))
    configured = config(
        tmp_path, table, population, k=k, k_map={"k": k_map}, delta_presence={"min": least, "max": most}
    )
    configured["suppression"] = {"limit": limit}
    event("released" if candidates else "no release")
    if not candidates:
        with pytest.raises(NoReleaseError):
            kanon_sql.run(configured)
        return
    best = min(candidates)
    report = kanon_sql.run(configured).report
    assert tuple(report["solution"]["levels"].values()) == best[2]
    assert report["rows"]["suppressed"] == best[3]
    assert report["loss"]["lm"] == pytest.approx(float(best[0]), abs=1e-9)
    assert report["privacy"]["k_map"]["actual"] >= k_map
    assert report["privacy"]["delta_presence"]["actual"]["max"] <= most


@slow
@given(both=tables(), k_map=st.integers(1, 5), most=st.sampled_from([1, 0.75, 0.5]))
def test_a_check_compares_values_as_they_stand(
    both: tuple[list[Person], list[Person]], k_map: int, most: float, tmp_path: Path
) -> None:
    table, population = both
    f, everyone = Counter(table), Counter(population)
    bad = [key for key in f if everyone[key] < k_map or Fraction(f[key], everyone[key]) > Fraction(str(most))]
    configured = config(tmp_path, table, population, k=1, k_map={"k": k_map}, delta_presence={"max": most})
    report = kanon_sql.check(configured)
    assert report["violations"]["classes"] == len(bad)
    assert report["violations"]["rows"] == sum(f[key] for key in bad)
    assert report["privacy"]["k_map"] == {"required": k_map, "actual": min(everyone[key] for key in f)}
    shares = [f[key] / everyone[key] for key in everyone]
    assert report["privacy"]["delta_presence"]["actual"] == {"min": min(shares), "max": max(shares)}


def test_k_itself_may_be_absent(tmp_path: Path) -> None:
    table = [("x1", "u"), ("x1", "v")]
    report = kanon_sql.run(config(tmp_path, table, table * 2, k_map={"k": 2})).report
    assert report["solution"]["levels"] == {"a": 0, "b": 0}
    assert report["privacy"]["k"] == {"required": 1, "actual": 1}


def test_a_table_that_is_no_part_of_the_population_is_an_error(tmp_path: Path) -> None:
    configured = config(tmp_path, [("x1", "u")] * 2, [("x1", "u")], k=1, delta_presence={"max": 1})
    for job in (kanon_sql.run, kanon_sql.check):
        with pytest.raises(EngineError, match="more rows in the table than persons in the population"):
            job(configured)


def test_a_population_lacks_nothing(tmp_path: Path) -> None:
    configured = config(tmp_path, [("x1", "u")], [("x1", "u")], k=1, k_map={"k": 1})
    (tmp_path / "everyone.csv").write_text("a,c\nx1,u\n", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="lacks 'b'"):
        kanon_sql.run(configured)
    (tmp_path / "everyone.csv").write_text("a,b\nx1,u\nx1,elsewhere\n", encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"1 rows of the population .* that a hierarchy does not cover"):
        kanon_sql.run(configured)


@pytest.mark.parametrize("algorithm", ["mondrian", "local"])
def test_classes_of_a_population_are_for_full_domain_searches(algorithm: str, tmp_path: Path) -> None:
    configured = config(tmp_path, [("x1", "u")], [("x1", "u")], k=1, k_map={"k": 1})
    with pytest.raises(ConfigurationError, match=f"no class in a release by {algorithm}"):
        kanon_sql.run({**configured, "algorithm": algorithm})
