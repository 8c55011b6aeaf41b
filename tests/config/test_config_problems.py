"""Every problem of a configuration at once, each with its line, in plain words."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import pytest

from kanon_sql.config.load import LoadedConfig, load_config
from kanon_sql.errors import ConfigurationError

SMALL = "source: data.csv\nquasi_identifiers: [age, sex]\nprivacy: {k: 5}\n"


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def load(text: str, *overrides: tuple[str, Any]) -> LoadedConfig:
    Path("c.yaml").write_text(textwrap.dedent(text), encoding="utf-8")
    return load_config("c.yaml", overrides)


def problems_of(text: str, *overrides: tuple[str, Any]) -> list[str]:
    with pytest.raises(ConfigurationError) as caught:
        load(text, *overrides)
    assert all(problem.isprintable() for problem in caught.value.problems)
    return caught.value.problems


def only(problems: list[str]) -> str:
    assert len(problems) == 1, problems
    return problems[0]


def test_every_problem_at_once_in_order_of_lines() -> None:
    problems = problems_of(
        """\
        source: {pth: x.csv}
        quasi_identifiers:
          age: {builtin: prefix, max_level: ten}
          sex: {hierarchy: a.csv, builtin: suppress}
          age: h.csv
          zip: {wieght: 2, min_level: 3, max_level: 1}
        sensitive: [sex, ""]
        insensitive: foo
        privacy:
          k: 0
        algorithm: optmal
        suppression: {limit: 101%}
        report: "${KANON_TEST_NOT_SET}"
        l_diversity: 5
        """
    )
    assert [problem.split(": ")[:2] for problem in problems] == [
        ["c.yaml:1", "source.pth"],
        ["c.yaml:3", "quasi_identifiers.age.max_level"],
        ["c.yaml:3", "quasi_identifiers.age.builtin"],
        ["c.yaml:4", "quasi_identifiers.sex.builtin"],
        ["c.yaml:5", "quasi_identifiers.age"],
        ["c.yaml:6", "quasi_identifiers.zip.wieght"],
        ["c.yaml:6", "quasi_identifiers.zip.min_level"],
        ["c.yaml:7", "sensitive.1"],
        ["c.yaml:7", "sensitive.0"],
        ["c.yaml:8", "insensitive"],
        ["c.yaml:10", "privacy.k"],
        ["c.yaml:11", "algorithm.name"],
        ["c.yaml:12", "suppression.limit"],
        ["c.yaml:13", "report.json"],
        ["c.yaml:14", "l_diversity"],
    ]


def test_a_problem_between_keys_points_at_the_key_at_fault() -> None:
    problems = problems_of(
        """\
        source:
          path: a.csv

          query: SELECT 1
        quasi_identifiers:
          age:
            min_level: 3

            max_level: 1
        privacy:
          k: x
        """
    )
    assert [problem.split(" ")[0] for problem in problems] == ["c.yaml:4:", "c.yaml:7:", "c.yaml:11:"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("senstive: [a]", "unknown key 'senstive', did you mean sensitive?"),
        ("Release: {}", "unknown key 'Release', did you mean release?"),
        ("k: 5", "unknown key 'k', did you mean privacy.k?"),
        ("limit: 5", "unknown key 'limit', did you mean suppression.limit?"),
        ("release: {ordr: none}", "release.ordr: unknown key 'ordr', did you mean order?"),
        ("target: {in-place: true}", "unknown key 'in-place', did you mean in_place?"),
        (
            "source: {path: a, csv: {delimeter: x}}",
            "source.csv.delimeter: unknown key 'delimeter', did you mean delimiter?",
        ),
        ("zzz: 1", "unknown key 'zzz', expected one of source, target,"),
        (
            "release: {zzz: 1}",
            "unknown key 'zzz', expected one of order, suppressed, seed, ranges, verify; correct or remove it",
        ),
        ("'': 1", "unknown key ''"),
    ],
)
def test_unknown_keys_name_the_nearest_known_one(line: str, words: str) -> None:
    text = f"quasi_identifiers: [age]\nprivacy: {{k: 2}}\n{line}\n"
    text += "" if line.startswith("source") else "source: data.csv\n"
    problem = only(problems_of(text))
    assert problem.startswith("c.yaml:3: ")
    assert words in problem


def test_a_misspelt_key_is_not_said_to_be_missing_as_well() -> None:
    problems = problems_of("sorce: a.csv\nquasi_identifers: [a]\nprivcy: {k: 5}\n")
    assert len(problems) == 3
    assert all("did you mean" in problem for problem in problems)


def test_missing_keys_are_placed_at_the_mapping() -> None:
    problems = problems_of("# nothing\nsource: a.csv\n")
    assert [problem.split(": ")[:2] for problem in problems] == [
        ["c.yaml:2", "quasi_identifiers"],
        ["c.yaml:2", "privacy"],
    ]


def test_columns_have_one_role() -> None:
    problems = problems_of(
        """\
        source: a.csv
        privacy: {k: 2}
        identifiers:
          - name
          - name
        quasi_identifiers:
          age:
          name:
        sensitive:
          - income
          - age
        insensitive: [income]
        """
    )
    assert [problem.split(": ")[0] for problem in problems] == [
        "c.yaml:5",
        "c.yaml:8",
        "c.yaml:11",
        "c.yaml:12",
    ]
    assert "column 'name' is listed twice in identifiers; remove one" in problems[0]
    assert "in identifiers and in quasi_identifiers; give it one role" in problems[1]


def test_wrong_lists_of_quasi_identifiers() -> None:
    text = "source: a.csv\nprivacy: {k: 2}\nquasi_identifiers:\n  - age\n  - age\n  - {sex: h.csv}\n  - ''\n"
    problems = problems_of(text)
    assert [problem.split(": ")[0] for problem in problems] == ["c.yaml:5", "c.yaml:6", "c.yaml:7"]
    assert "listed twice" in problems[0]
    assert "write a mapping of columns" in problems[1]
    assert "not empty" in problems[2]


@pytest.mark.parametrize("empty", ["[]", "{}"])
def test_there_is_a_quasi_identifier(empty: str) -> None:
    problem = only(problems_of(f"source: a.csv\nprivacy: {{k: 2}}\nquasi_identifiers: {empty}\n"))
    assert "c.yaml:3: quasi_identifiers: expected 1 entry or more" in problem


def test_hostile_names_stay_on_one_line() -> None:
    text = '"a\\nb\\e[31m": 1\n"c\\u2028": 2\n' + SMALL
    problems = problems_of(text)
    assert len(problems) == 2
    assert all(problem.isprintable() for problem in problems)


@pytest.mark.parametrize("limit", ["-1", "1.5", "101%", "-1%", "many", "", "%", "1e2", "true", "[1]", "٣"])
def test_wrong_limits(limit: str) -> None:
    written = f"'{limit}'" if limit == "%" else limit
    problem = only(problems_of(f"{SMALL}suppression:\n  limit: {written}\n"))
    assert problem.startswith("c.yaml:5: suppression.limit: expected ")


def test_the_configuration_of_a_sqlmesh_project_is_told_from_ours(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("gateways: {local: {connection: {type: duckdb}}}\nmodel_defaults: {dialect: duckdb}\n")
    with pytest.raises(ConfigurationError, match=r"of a SQLMesh project, not of kanon-sql; .*kanon\.yaml"):
        load_config(path)
