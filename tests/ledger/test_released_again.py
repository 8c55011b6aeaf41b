"""A source that is an earlier release: in place a second time, or a release given as the source."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from shared_engine import attached, insert
from tables import configuration, people, write

import kanon_sql
from kanon_sql.errors import ConfigurationError

_BEFORE = "looks like an earlier release of this configuration"


def _named(path: Path) -> Path:
    """People with an identifier, as CSV, Parquet or the table people of a DuckDB file."""
    rows = [(f"p{i}", *row) for i, row in enumerate(people(60))]
    database = path if path.suffix == ".duckdb" else ":memory:"
    with attached(database) as connection:
        connection.execute(
            "CREATE TABLE people (name VARCHAR, sex VARCHAR, age INTEGER, zip VARCHAR, diagnosis VARCHAR, cost DOUBLE)"
        )
        insert(connection, "people", rows)
        if path.suffix != ".duckdb":
            connection.execute(f"COPY people TO '{path}' (FORMAT {path.suffix[1:]})")
    return path


def _hierarchies(folder: Path) -> dict[str, Any]:
    """Hierarchy files for people."""
    rows_of: dict[str, list[tuple[str, ...]]] = {
        "sex": [(sex, "*") for sex in "fm"],
        "age": [(str(age), f"{age // 10}x", "*") for age in range(18, 81)],
        "zip": [(f"0{number}", f"0{number}"[:3] + "**", "*") for number in range(2130, 2150)],
    }
    for name, rows in rows_of.items():
        with (folder / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows(rows)
    return {name: {"hierarchy": str(folder / f"{name}.csv"), "min_level": 1} for name in rows_of}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("suffix", "kind", "identified"),
    [
        (".csv", "builtins", True),
        (".csv", "files", False),
        (".parquet", "builtins", False),
        (".parquet", "files", True),
        (".duckdb", "builtins", True),
        (".duckdb", "files", False),
    ],
)
def test_in_place_a_second_time(tmp_path: Path, suffix: str, kind: str, identified: bool) -> None:
    path = _named(tmp_path / f"people{suffix}")
    source: Any = {"database": str(path), "table": "people"} if suffix == ".duckdb" else str(path)
    config = configuration(source, "in-place", privacy={"k": 2})
    if kind == "files":
        config["quasi_identifiers"] = _hierarchies(tmp_path)
    config["quasi_identifiers"]["age"]["min_level"] = 1
    config |= {"identifiers": ["name"]} if identified else {"unlisted": "drop"}
    kanon_sql.run(config)
    before = path.read_bytes()
    with pytest.raises(ConfigurationError, match=_BEFORE) as caught:
        kanon_sql.run(config)
    problems = caught.value.problems
    expected = "no column 'name'" if identified else "not covered"
    assert expected in problems[0]
    gone = "its identifiers are gone and " if identified else ""
    assert problems[-1].endswith(f": {gone}its values are labels of the hierarchies; name the original as source")
    assert path.read_bytes() == before


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("builtin", "values", "level"),
    [
        ({"builtin": "date", "levels": ["month", "year"]}, ["2020-01-05", "2020-02-07"], 1),
        ({"builtin": "date", "levels": ["quarter", "decade"]}, ["2020-01-05", "2020-07-07"], 1),
        ({"builtin": "date", "levels": ["quarter", "decade"]}, ["2020-01-05", "1997-07-07"], 2),
        ({"builtin": "date", "levels": ["year", "century"]}, ["2020-01-05", "1997-07-07"], 2),
        ({"builtin": "intervals", "widths": [5, 10]}, ["-3", "12"], 1),
        ({"builtin": "intervals", "widths": ["0.5", 10]}, ["-3.2", "12.75"], 1),
        ({"builtin": "intervals", "widths": [5, 20], "bottom": 18, "top": 90}, ["17", "91", "18", "87", "33"], 2),
        ({"builtin": "intervals", "widths": ["0.5"], "top": "1.25"}, ["1.1", "0.25", "7"], 1),
        ({"builtin": "prefix", "keep": [3, 1]}, ["02134", "12345"], 2),
        ({"builtin": "merge-rare", "below": [3, 9]}, ["x", "y"], 1),
        ({"builtin": "icd10"}, ["I21.0", "a00"], 2),
        ({"builtin": "nace"}, ["01.11", "62.01"], 3),
        ({"builtin": "de-plz"}, ["10115", "01067"], 2),
        ({"builtin": "fr-postal"}, ["75001", "20137"], 2),
    ],
)
def test_labels_of_built_in_hierarchies(tmp_path: Path, builtin: dict[str, Any], values: list[str], level: int) -> None:
    (tmp_path / "in.csv").write_text("name,x,y\n" + "".join(f"n{i},{value},1\n" for i, value in enumerate(values * 2)))
    config = {
        "source": str(tmp_path / "in.csv"),
        "target": str(tmp_path / "out.csv"),
        "identifiers": ["name"],
        "insensitive": ["y"],
        "quasi_identifiers": {"x": {**builtin, "min_level": level, "max_level": level}},
        "privacy": {"k": 1},
    }
    kanon_sql.run(config)
    again = {**config, "source": str(tmp_path / "out.csv"), "target": str(tmp_path / "again.csv")}
    with pytest.raises(ConfigurationError, match=_BEFORE):
        kanon_sql.run(again)
    (tmp_path / "out.csv").write_text((tmp_path / "out.csv").read_text() + "12.Jan.99,1\n")
    if builtin["builtin"] in ("date", "intervals"):  # others take any text, or know what is no code elsewhere
        with pytest.raises(ConfigurationError) as caught:
            kanon_sql.run(again)
        assert not [problem for problem in caught.value.problems if _BEFORE in problem]


@pytest.mark.slow
def test_a_release_that_the_ledger_knows(tmp_path: Path) -> None:
    path = write(tmp_path / "people.csv", rows=60)
    (tmp_path / "ages.csv").write_text("".join(f"{age},{age // 10}x,*\n" for age in range(18, 81)))
    config = configuration(str(path), str(tmp_path / "out.csv"), releases={"path": str(tmp_path / "ledger.duckdb")})
    config["quasi_identifiers"]["age"] = {"hierarchy": str(tmp_path / "ages.csv"), "min_level": 1}
    kanon_sql.run(config)
    # Other labels since: only the ledger can tell.
    (tmp_path / "ages.csv").write_text("".join(f"{age},from {age // 10 * 10},*\n" for age in range(18, 81)))
    again = {**config, "source": str(tmp_path / "out.csv"), "target": str(tmp_path / "again.csv")}
    with pytest.raises(ConfigurationError, match=r"out\.csv is release 1 of the ledger; name the original as source"):
        kanon_sql.run(again)
    with (tmp_path / "out.csv").open("a") as file:
        file.write("f,30-34,02134,flu,1\n")
    with pytest.raises(ConfigurationError) as caught:
        kanon_sql.run(again)
    assert len(caught.value.problems) == 1


@pytest.mark.parametrize(
    ("row", "identifiers", "said"),
    [
        ("40-44", [], True),
        ("*", [], False),  # a table may write it for what it does not know
        ("about 40", [], False),
        ("40-43", [], False),
        ("41", ["nmae"], False),
        ("*", ["name"], True),
    ],
)
def test_what_is_taken_for_a_release(tmp_path: Path, row: str, identifiers: list[str], said: bool) -> None:
    ages = ["40-44", row] if said else ["41", "42", row]
    (tmp_path / "in.csv").write_text("age,y\n" + "".join(f"{age},1\n" for age in ages))
    config = {
        "source": str(tmp_path / "in.csv"),
        "target": str(tmp_path / "out.csv"),
        "identifiers": identifiers,
        "insensitive": ["y"],
        "quasi_identifiers": {"age": {"builtin": "intervals", "widths": [5, 10, 20]}},
        "privacy": {"k": 1},
    }
    with pytest.raises(ConfigurationError) as caught:
        kanon_sql.run(config)
    assert bool([problem for problem in caught.value.problems if _BEFORE in problem]) is said
    problems = [problem.replace(str(tmp_path), "") for problem in caught.value.problems]  # its name has a number
    assert not any("40" in problem or "41" in problem for problem in problems)


def test_labels_behind_many_values_are_seen_too(tmp_path: Path) -> None:
    values = [str(age) for age in range(20, 40)] * 60
    hierarchy = tmp_path / "age.csv"
    hierarchy.write_text("".join(f"{age},{age // 10}x,*\n" for age in range(20, 40)))
    advice = []
    for texts in ([*values, *["2x"] * 30], [*["2x"] * 30, *values]):
        path = tmp_path / "ages.csv"
        path.write_text("age\n" + "".join(f"{text}\n" for text in texts))
        config = configuration(str(path), None, privacy={"k": 2}, quasi_identifiers={"age": str(hierarchy)})
        config["source"] = str(path)
        with pytest.raises(ConfigurationError) as caught:
            kanon_sql.run({**config, "target": str(tmp_path / "out.csv"), "sensitive": [], "insensitive": []})
        advice.append(caught.value.problems[-1])
    assert _BEFORE in advice[0]
    assert advice[0] == advice[1]
