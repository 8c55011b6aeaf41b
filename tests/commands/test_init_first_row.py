"""A file without a row of names: `init` takes no person's values for names of columns, and shows none of them."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml
from effort import tries
from ended import Call, calling
from hypothesis import given, settings
from hypothesis import strategies as st

import kanon_sql
from kanon_sql.errors import ConfigurationError
from kanon_sql.progress import Progress
from kanon_sql.settings.source import SourceConfig
from kanon_sql.source.opening import open_described
from kanon_sql.source.profile.profile import profile
from kanon_sql.sql.connection import EngineOptions, open_engine

HEADER = ["name", "e-mail", "sex", "born", "town", "diagnosis"]
FIRST = ["Zaphodia Weber", "zaphodia.weber@example.org", "f", "1967-03-12", "Ulm", "angina"]
SHOWN = ["zaphodia", "weber", "example.org", "1967", "Ulm", "angina"]


def persons(count: int, seed: int = 1) -> list[list[str]]:
    """Made-up persons in the columns of HEADER."""
    draw = random.Random(seed)
    first, last = ["Anna", "Otto", "Maria", "Peter", "Julia"], ["Weber", "Meyer", "Fischer", "Koch", "Wagner"]
    return [
        [
            f"{draw.choice(first)} {(surname := draw.choice(last))}",
            f"{surname.lower()}{i}@example.com",
            draw.choice("mf"),
            f"{draw.randint(1930, 2005)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}",
            draw.choice(["Ulm", "Hof", "Bonn", "Köln"]),
            draw.choice(["flu", "angina", "asthma"]),
        ]
        for i in range(count)
    ]


def written(path: Path, rows: list[list[str]], delimiter: str = ",") -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=delimiter).writerows(rows)
    return path


def named_like_values(path: Path) -> tuple[int, ...]:
    """What the profile of a file says of the names of its columns."""
    with open_engine(EngineOptions()) as engine:
        source = open_described(engine, SourceConfig(path=str(path)), path.parent, [], "source")
        return profile(engine, source, Progress()).named_like_values


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    """Runs kanon-sql in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return calling(capsys)


@pytest.mark.few(1)
@pytest.mark.parametrize("words", [["--yes"], ["--json"], ["--yes", "-o", "c.yaml"], ["--yes", "--debug"]])
def test_a_file_without_names_is_refused_and_shows_no_value(call: Call, tmp_path: Path, words: list[str]) -> None:
    written(tmp_path / "people.csv", [FIRST, *persons(60)])
    ended = call("init", "people.csv", *words)
    assert ended.status == 2 and ended.out == "" and not (tmp_path / "c.yaml").exists()
    assert "--no-header" in ended.err and "--header" in ended.err and "columns 1, 2, 3, 4, 5, 6" in ended.err
    assert not [text for text in SHOWN if text.lower() in ended.err.lower()]


@pytest.mark.slow
def test_without_header_columns_are_numbered_and_every_row_is_there(call: Call, tmp_path: Path) -> None:
    written(tmp_path / "people.csv", [FIRST, *persons(59)])
    assert call("init", "people.csv", "--yes", "--no-header", "-o", "c.yaml").status == 0
    text = (tmp_path / "c.yaml").read_text()
    assert not [value for value in SHOWN if value in text]
    config = yaml.safe_load(text)
    assert config["source"]["csv"] == {"header": False} and config["identifiers"] == ["column0", "column1"]
    report: Any = kanon_sql.run("c.yaml").report
    assert report["rows"]["source"] == report["rows"]["released"] == 60
    released = (tmp_path / "people_anonymous.csv").read_text(encoding="utf-8").splitlines()
    assert len(released) == 60  # as the source, the release has no row of names


@pytest.mark.slow
def test_what_is_said_to_be_a_header_is_one(call: Call, tmp_path: Path) -> None:
    written(tmp_path / "people.csv", [["angina", "f"], *(row[:1:-3] for row in persons(60))])
    assert call("init", "people.csv", "--yes").status == 2
    config = yaml.safe_load(call("init", "people.csv", "--yes", "--header").out)
    assert config["source"]["csv"] == {"header": True}
    assert [
        column["name"] for column in json.loads(call("init", "people.csv", "--json", "--header").out)["columns"]
    ] == [
        "angina",
        "f",
    ]


@pytest.mark.slow
def test_a_first_row_with_numbers_is_data_and_that_is_said(call: Call, tmp_path: Path) -> None:
    written(tmp_path / "people.csv", [[*row, str(i)] for i, row in enumerate([FIRST, *persons(40)])])
    ended = call("init", "people.csv", "--yes")
    assert ended.status == 0 and yaml.safe_load(ended.out)["source"]["csv"] == {"header": False}
    assert "the first row holds numbers" in ended.err and "--header" in ended.err
    assert not [text for text in SHOWN if text in ended.out + ended.err]
    assert "--header" not in call("init", "people.csv", "--yes", "--no-header").err


@pytest.mark.slow
def test_in_python_header_says_it(tmp_path: Path) -> None:
    path = written(tmp_path / "people.csv", [FIRST, *persons(40)])
    with pytest.raises(ConfigurationError, match="header="):
        kanon_sql.init(path)
    assert kanon_sql.init(path, header=False).profile.rows == 41
    duckdb.execute(f"COPY (SELECT 20 + i AS age FROM range(30) t(i)) TO '{tmp_path}/people.parquet'")
    with pytest.raises(ConfigurationError, match="only a CSV file"):
        kanon_sql.init(tmp_path / "people.parquet", header=False)


@pytest.mark.slow
def test_an_excel_sheet_without_names_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("python_calamine")
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in [
        ["Zaphodia Weber", 41, "Ulm"],
        *([person[0], 20 + i, person[4]] for i, person in enumerate(persons(40))),
    ]:
        book.active.append(row)
    book.save(tmp_path / "people.xlsx")
    with pytest.raises(ConfigurationError, match="write the names of the columns above it") as caught:
        kanon_sql.init(tmp_path / "people.xlsx")
    assert "Zaphodia" not in str(caught.value) and "41" not in str(caught.value)
    with pytest.raises(ConfigurationError, match="write names above it"):
        kanon_sql.init(tmp_path / "people.xlsx", header=False)
    assert "Ulm" in kanon_sql.init(tmp_path / "people.xlsx", header=True).roles


TABLES: dict[str, list[list[str]]] = {
    "full names alone": [[row[0]] for row in persons(30)],
    "e-mail addresses alone": [[row[1]] for row in persons(30)],
    "dates of days first": [[".".join(reversed(row[3].split("-"))), row[0].split()[0]] for row in persons(30)],
    "decimal commas": [[row[5], f"{20 + i},5", row[4]] for i, row in enumerate(persons(30))],
    "few rows": [row[:4] for row in persons(4)],
    "codes": [[f"P-{i:04}x", f"ward {i}"] for i in range(7, 50)],
    "telephones": [[f"030 {1234567 + 31 * i}", f"Weg {i}"] for i in range(30)],
    "categories": [[row[2], row[4]] for row in persons(60)],
    "a name and rare values": [
        ["Maria Garcia", "ES", "Grippe"],
        *([row[0], ("DE", "FR")[i % 2], ("flu", "cold")[i % 2]] for i, row in enumerate(persons(60))),
    ],
    "a rare diagnosis": [["F32.1", "C50"], *([("F20.0", "I10")[i % 2], ("C34", "E11")[i % 2]] for i in range(80))],
}


@pytest.mark.few(1)
@pytest.mark.parametrize("kind", TABLES)
def test_names_that_are_values_are_seen_with_and_without_a_header(tmp_path: Path, kind: str) -> None:
    rows = TABLES[kind]
    assert named_like_values(written(tmp_path / "without.csv", rows, ";"))
    names = ["what", "where", "who", "when"][: len(rows[0])]
    assert named_like_values(written(tmp_path / "with.csv", [names, *rows], ";")) == ()


HEADERS: dict[str, tuple[list[str], list[list[str]]]] = {
    "codes that begin otherwise": (["q1", "q2"], [[f"v{i % 5}", f"v{i % 7}"] for i in range(40)]),
    "one category is called like its column": (
        ["other", "age", "sex"],
        [[("other", "none", "some")[i % 3], str(20 + i), "mf"[i % 2]] for i in range(40)],
    ),
    "a header that is repeated below": (["town", "age"], [["town", "age"], *([["Ulm", str(i)] for i in range(40)])]),
    "columns of months": (["land", "Jan 2020", "Feb 2020"], [[f"land{i}", str(i), str(i * 7)] for i in range(30)]),
    "free words": (["remark", "place"], [[f"lorem ipsum {i}", f"dolor sit {i}"] for i in range(30)]),
}


@pytest.mark.few(1)
@pytest.mark.parametrize("kind", HEADERS)
def test_names_that_look_odd_are_names(tmp_path: Path, kind: str) -> None:
    header, rows = HEADERS[kind]
    assert named_like_values(written(tmp_path / "with.csv", [header, *rows])) == ()


@pytest.mark.slow
@settings(deadline=None, derandomize=True, max_examples=tries(12))
@given(st.permutations(range(6)), st.integers(2, 6), st.integers(25, 60), st.integers(0, 10**6), st.data())
def test_any_columns_of_persons_in_any_order(
    folder: Path, order: list[int], width: int, count: int, seed: int, data: Any
) -> None:
    """The same rows with a header are taken, without one refused, whichever person comes first."""
    kept = order[:width]
    rows = [[row[place] for place in kept] for row in persons(count, seed)]
    first = data.draw(st.integers(0, count - 1))
    rows.insert(0, rows.pop(first))
    path = folder / "people.csv"
    if len(set(rows[0])) == width:
        assert named_like_values(written(path, rows))
    assert named_like_values(written(path, [[HEADER[place] for place in kept], *rows])) == ()
