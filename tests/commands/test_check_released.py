"""`kanon-sql check --released`: a table that has a column which no release has is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from shared_engine import shared
from tables import configuration, write

import kanon_sql
from kanon_sql.cli.main import main
from kanon_sql.errors import ConfigurationError, UnfittingSourceError


def released_people(folder: Path, **more: Any) -> dict[str, Any]:
    """A release that was made of people with names, and its configuration."""
    write(folder / "people.parquet")
    source = folder / "named.parquet"
    with shared() as connection:
        rows = f"SELECT *, 'n' || row_number() OVER () AS name, 'x' AS note FROM '{folder}/people.parquet'"
        connection.execute(f"COPY ({rows}) TO '{source}'")
    target = {"path": str(folder / "release.parquet"), "overwrite": True}
    config = configuration(str(source), target, identifiers=["name"], unlisted="drop", **more)
    kanon_sql.run(config)
    return config


def with_column(folder: Path, column: str) -> Path:
    """A copy of the release with another column."""
    with shared() as connection:
        rows = f"SELECT *, row_number() OVER () AS {column} FROM '{folder}/release.parquet'"
        connection.execute(f"COPY ({rows}) TO '{folder}/other.parquet'")
    return folder / "other.parquet"


@pytest.mark.slow
@pytest.mark.parametrize("column", ["name", "note", "of_nobody"])
def test_columns_that_are_not_released(tmp_path: Path, column: str) -> None:
    config = released_people(tmp_path)
    checked = kanon_sql.check(config, tmp_path / "release.parquet", released=True)
    assert (checked["status"], checked["violations"]["columns"]) == ("satisfied", [])
    beside = with_column(tmp_path, column)
    assert kanon_sql.check(config, beside)["status"] == "satisfied"
    for unlisted in ("drop", "error"):
        checked = kanon_sql.check(config, beside, released=True, overrides=[("unlisted", unlisted)])
        assert (checked["status"], checked["violations"]["columns"]) == ("violated", [column])
    insensitive = kanon_sql.check(config, beside, released=True, overrides=[("unlisted", "insensitive")])
    assert insensitive["violations"]["columns"] == (["name"] if column == "name" else [])


def test_pseudonyms_are_released(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PSEUDONYM_KEY", "00112233445566778899aabbccddeeff" * 2)
    config = released_people(tmp_path, transform={"name": {"pseudonym": {"key": "${PSEUDONYM_KEY}"}}})
    checked = kanon_sql.check(config, tmp_path / "release.parquet", released=True)
    assert (checked["status"], checked["violations"]["columns"]) == ("satisfied", [])


@pytest.mark.slow
def test_the_command_says_which(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "config.json").write_text(json.dumps(released_people(tmp_path)))
    with pytest.raises(SystemExit) as ended:
        main(["check", str(tmp_path / "config.json"), str(with_column(tmp_path, "name")), "--released"])
    said = capsys.readouterr().out
    assert ended.value.code == 1 and "VIOLATES k = 5 and its columns" in said
    assert [line.split() for line in said.splitlines() if "not released" in line] == [["not", "released", "name"]]


@pytest.mark.slow
def test_names_differ_in_more_than_case(tmp_path: Path) -> None:
    config = released_people(tmp_path)
    beside, unlisted = with_column(tmp_path, "Name"), [("unlisted", "insensitive")]
    checked = kanon_sql.check(config, beside, released=True, overrides=unlisted)
    assert (checked["status"], checked["violations"]["columns"]) == ("violated", ["Name"])
    # What a list names is as that list says.
    listed = [*unlisted, ("insensitive", ["Name"])]
    assert kanon_sql.check(config, beside, released=True, overrides=listed)["status"] == "satisfied"


@pytest.mark.slow
def test_a_source_that_is_a_release_lacks_the_column_of_persons(tmp_path: Path) -> None:
    config = released_people(tmp_path, privacy={"k": 5, "entity": "name"})
    config["source"] = str(tmp_path / "release.parquet")
    with pytest.raises(UnfittingSourceError, match="name"):
        kanon_sql.check(config)
    checked = kanon_sql.check(config, released=True)
    assert checked["status"] == "satisfied"
    assert "privacy.entity" in checked["warnings"][0]


@pytest.mark.parametrize(
    ("options", "status"), [((), 1), (("--unlisted", "drop"), 1), (("--unlisted", "insensitive"), 0)]
)
def test_columns_that_no_option_names_are_not_released(tmp_path: Path, options: tuple[str, ...], status: int) -> None:
    table = tmp_path / "people.csv"
    table.write_text("pid,name,note,age\n1,a,x,30\n2,b,y,30\n")
    words = ["check", str(table), "--qi", "age", "--k", "2"]
    with pytest.raises(SystemExit) as ended:
        main([*words, "--released", *options])
    assert (ended.value.code or 0) == status
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert not ended.value.code


def test_a_database_of_persons_has_no_such_option(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="released"):
        kanon_sql.check({"unit": "a", "tables": {}}, tmp_path, released=True)
