"""Local recoding from end to end: what is released, reported, compiled and refused."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pytest
from mondrian_jobs import people, read, write

import kanon_sql
from kanon_sql.errors import ConfigurationError, NoReleaseError

Json = dict[str, Any]


def config(folder: Path, k: int, **more: Any) -> Json:
    return {
        "source": str(people(folder)),
        "target": {"path": str(folder / "out.csv"), "overwrite": True},
        "quasi_identifiers": {
            "age": {},
            "sex": {"builtin": "suppress"},
            "zip": {"builtin": "prefix", "keep": [2, 1]},
        },
        "insensitive": ["id"],
        "privacy": {"k": k},
        "algorithm": {"name": "local", "seed": 1},
        "release": {"order": "none"},
        **more,
    }


def covers(label: str, value: str, column: int) -> bool:
    """Whether a released value stands for a source value."""
    if column == 0 and "-" in label:
        low, high = label.split("-")
        return int(low) <= int(value) <= int(high)
    return label in ("*", value) or (column == 2 and value.startswith(label.rstrip("*")) and len(label) == len(value))


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 5, 40, 400])
def test_every_row_is_released_under_labels_that_cover_it(tmp_path: Path, k: int) -> None:
    report = kanon_sql.run(config(tmp_path, k)).report
    source = {row[3]: row for row in read(tmp_path / "people.csv")}
    rows = read(tmp_path / "out.csv")
    assert sorted(row[3] for row in rows) == sorted(source)
    assert all(covers(row[i], source[row[3]][i], i) for row in rows for i in range(3))
    classes = Counter(tuple(row[:3]) for row in rows)
    assert min(classes.values()) == report["privacy"]["k"]["actual"] >= k
    assert len(classes) == report["classes"]["count"]
    levels = report["solution"]["rows_by_level"]
    assert {name: sum(of.values()) for name, of in levels.items()} == dict.fromkeys(("age", "sex", "zip"), 400)
    assert levels["sex"].get("1", 0) == sum(row[1] == "*" for row in rows)
    assert levels["age"].get("1", 0) == sum("-" in row[0] for row in rows)


@pytest.mark.slow
def test_it_loses_less_than_a_lattice_node_and_repeats_by_its_seed(tmp_path: Path) -> None:
    local = kanon_sql.run(config(tmp_path, 5)).report
    first = (tmp_path / "out.csv").read_bytes()
    kanon_sql.run(config(tmp_path, 5))
    assert (tmp_path / "out.csv").read_bytes() == first
    levels = {"age": {"builtin": "intervals", "widths": [5, 10, 20]}}
    quasi_identifiers = {**config(tmp_path, 5)["quasi_identifiers"], **levels}
    both = [
        kanon_sql.run(config(tmp_path, 5, quasi_identifiers=quasi_identifiers, algorithm=algorithm)).lm
        for algorithm in ("optimal", "local")
    ]
    assert both[1] < both[0]
    assert local["loss"]["lm"] < both[0]


@pytest.mark.slow
def test_compile_gives_the_same_classes(tmp_path: Path) -> None:
    kanon_sql.run(config(tmp_path, 5))
    with duckdb.connect() as connection:
        compiled = connection.execute(kanon_sql.compile(config(tmp_path, 5))).fetchall()
    assert Counter(row[:3] for row in compiled) == Counter(tuple(row[:3]) for row in read(tmp_path / "out.csv"))


@pytest.mark.slow
def test_missing_values_and_time(tmp_path: Path) -> None:
    lines = [[str(i % 7) if i % 3 else "", str(i)] for i in range(60)]
    source = write(tmp_path / "s.csv", ["q", "id"], lines)
    given = config(tmp_path, 4, source=str(source), quasi_identifiers=["q"])
    kanon_sql.run(given)
    assert min(Counter(row[0] for row in read(tmp_path / "out.csv")).values()) >= 4
    result = kanon_sql.run(given, time_limit=0)
    assert not result.report["search"]["finished"]
    assert result.released == 60


def test_what_does_not_go_with_local(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="cut does not go with name: local"):
        kanon_sql.run(config(tmp_path, 5, algorithm={"name": "local", "cut": "strict"}))
    with pytest.raises(NoReleaseError, match="only 400 rows"):
        kanon_sql.run(config(tmp_path, 401))
    with (tmp_path / "people.csv").open(newline="", encoding="utf-8") as file:
        assert len(list(csv.reader(file))) == 401
