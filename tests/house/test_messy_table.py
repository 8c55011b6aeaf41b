"""The messy table is as messy as docs/choosing.md says, and the list of right roles names every column of it."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import pytest
from messy import MAKER, make, scoring
from places import SHARED

Rows = list[dict[str, str]]
MISSING = {"", "-", "k.A.", "n/a"}


def rows_of(path: Path, delimiter: str = ";") -> Rows:
    with path.open(newline="", encoding="utf-8-sig") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


@pytest.fixture(scope="module")
def rows(folder: Path) -> Rows:
    return rows_of(make(folder, rows=3000)[0])


def values(rows: Rows, column: str) -> list[str]:
    """Those that are not missing, without the blanks around them."""
    return [row[column].strip() for row in rows if row[column].strip() not in MISSING]


def determines(rows: Rows, column: str, determined: str) -> bool:
    pairs = {(row[column].strip(), row[determined].strip()) for row in rows if row[column].strip() not in MISSING}
    return len(pairs) == len({value for value, _ in pairs})


def test_the_same_seed_gives_the_same_files(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / name).mkdir()
    first, again, of_other_seed = (
        make(tmp_path / name, rows=200, seed=seed) for name, seed in zip("abc", (1, 1, 2), strict=True)
    )
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in again]
    assert first[0].read_bytes() != of_other_seed[0].read_bytes()


@pytest.mark.slow
def test_it_is_written_as_spreadsheets_write(folder: Path, rows: Rows) -> None:
    text = make(folder, rows=3000)[0].read_bytes()
    assert text.startswith(b"\xef\xbb\xbfFall-Nr.;") and text.count(b"\r\n") == 3001
    assert len(rows) == 3000
    assert any(";" in row["Notiz"] for row in rows) and any('"' in row["Notiz"] for row in rows)
    assert any("\n" in row["Notiz"] for row in rows)


def test_what_is_missing_is_written_in_four_ways(rows: Rows) -> None:
    for column in MAKER["LEFT_OUT"]:
        marks = {row[column].strip() for row in rows} & MISSING
        assert marks == MISSING or column in ("ICD-10", "Kosten (€)", "Geschlecht"), column


def test_codes_have_their_check_digits(rows: Rows) -> None:
    # Published samples: gematik's for insurance numbers, ISO 13616's registry for IBAN.
    assert MAKER["insurance_number"]("A", "12345678") == "A123456780"
    assert MAKER["iban"](37040044, 532013000) == "DE89370400440532013000"
    for number in values(rows, "IBAN"):
        assert int("".join(str(int(c, 36)) for c in number[4:] + number[:4])) % 97 == 1
    for number in values(rows, "Versichertennr."):
        assert MAKER["insurance_number"](number[0], number[1:9]) == number


@pytest.mark.parametrize(
    ("column", "shape"),
    [
        ("PLZ", r"\d{5}"),
        ("Kosten (€)", r"\d{1,3}(\.\d{3})*,\d\d|\d{4,},\d\d"),
        ("Gewicht kg", r"\d{1,3},\d"),
        ("Alter", r"\d{1,3}"),
        ("ICD-10", r"[A-Z]\d\d(\.\d{1,2})?"),
        ("E-Mail", r"[a-z.]+\d+@[a-z]+\.[a-z]+"),
        ("Telefon", r"[+0(][\d /()]{9,}"),
    ],
)
def test_values_have_their_shape(rows: Rows, column: str, shape: str) -> None:
    assert all(re.fullmatch(shape, value) for value in values(rows, column))
    assert any(row[column] != row[column].strip() for row in rows) or column not in MAKER["BLANKS"]


def test_dates_are_written_in_three_ways_and_one_column_mixes_two(rows: Rows) -> None:
    for column, form in (("Geburtsdatum", "%d.%m.%Y"), ("Aufnahme", "%Y-%m-%d"), ("Entlassung", "%m/%d/%Y")):
        assert all(datetime.strptime(value, form) for value in values(rows, column))
    checks = values(rows, "letzte Kontrolle")
    assert 0 < sum("-" in value for value in checks) < sum("." in value for value in checks)


def test_columns_depend_on_each_other_as_in_life(rows: Rows) -> None:
    assert determines(rows, "PLZ", "Ort") and not determines(rows, "Ort", "PLZ")
    assert determines(rows, "ICD-10", "Diagnose") and determines(rows, "Patienten-ID", "Geburtsdatum")
    assert any(code.startswith("0") for code in values(rows, "PLZ"))
    for row in rows:
        born, admitted = (
            datetime.strptime(row[c], f) for c, f in (("Geburtsdatum", "%d.%m.%Y"), ("Aufnahme", "%Y-%m-%d"))
        )
        assert (admitted - born).days // 366 <= int(row["Alter"]) <= (admitted - born).days // 365


def test_sexes_are_mixed_and_rows_repeat(rows: Rows) -> None:
    assert {"m", "M", "w", "W", "weiblich", "männlich", "F"} <= set(values(rows, "Geschlecht"))
    assert len(set(values(rows, "Patienten-ID"))) < len(rows)
    assert len({tuple(row.values()) for row in rows}) < len(rows)
    assert any(re.search(r"\d{6}", note) for note in values(rows, "Notiz"))


def test_half_of_the_register_are_patients(folder: Path, rows: Rows) -> None:
    register = rows_of(make(folder, rows=3000)[1], ",")
    patients = {(f"{row['Vorname'].strip()} {row['Nachname'].strip()}", row["PLZ"].strip()) for row in rows}
    patients_listed = sum((row["name"], row["postcode"]) in patients for row in register)
    assert len(register) == 450 and 220 <= patients_listed <= 260


def names(path: Path) -> Sequence[str]:
    with path.open(newline="", encoding="utf-8-sig") as file:
        return next(csv.reader(file, delimiter=";" if ";" in file.readline() + str(file.seek(0)) else ","))


def test_the_list_names_every_column(tmp_path: Path) -> None:
    score = scoring()
    listed = score.expected_roles()
    for english, table in ((False, "messy"), (True, "messy-english")):
        assert list(names(make(tmp_path, rows=200, english=english)[0])) == list(listed[table])
    assert list(names(tmp_path / "register.csv")) == list(listed["register"])
    assert {role for columns in listed.values() for entry in columns.values() for role in entry.roles} == {
        "identifier", "quasi-identifier", "sensitive", "insensitive",
    }  # fmt: skip


@pytest.mark.skipif(not (SHARED / "data").is_dir(), reason="the tables beside this repository are absent")
def test_the_list_names_every_column_of_the_tables_beside_the_repository() -> None:
    score = scoring()
    listed = score.expected_roles()
    tables = {f"reference/{path.relative_to(SHARED / 'data').as_posix()}" for path in (SHARED / "data").glob("*/*.csv")}
    hierarchies = {name for name in tables if "hierarchy" in name or "/samarati/" in name}
    assert tables - hierarchies == {name for name in listed if name.startswith("reference/")}
    for table in tables - hierarchies:
        assert list(names(SHARED / "data" / table.removeprefix("reference/"))) == list(listed[table])
