"""What columns are recognized as, by small tables written by hand; and what is taken for none of it."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from kanon_sql.progress import Progress
from kanon_sql.settings.source import SourceConfig
from kanon_sql.source.opening import open_described
from kanon_sql.source.profile.kinds import DIRECT, Finding
from kanon_sql.source.profile.profile import identifying, profile
from kanon_sql.source.profile.recognition import named
from kanon_sql.sql.connection import EngineOptions, open_engine


def findings(path: Path, columns: dict[str, list[str]]) -> tuple[dict[str, Finding | None], dict[str, Finding]]:
    """What the profile finds in a table of columns, and what a guard would find in it; columns are repeated to be as
    long as the longest."""
    longest = max(map(len, columns.values()))
    with (path / "table.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*columns, "beside"])
        for position in range(longest):
            writer.writerow([*(values[position % len(values)] for values in columns.values()), "x"])
    with open_engine(EngineOptions(show_values=True)) as engine:
        source = open_described(engine, SourceConfig(path="table.csv"), path, [], "source")
        of_table = profile(engine, source, Progress())
        alarms = identifying(engine, source, source.relation, source.columns)
    return {column.name: column.finding for column in of_table.columns if column.name != "beside"}, alarms


# By names of columns that say nothing: the values alone tell.
PEOPLE = {
    "c1": ["anna.schmidt@example.org", "j.doe@example.com", "k@uni.example.edu", "o'neil@example.ie", "x.y+z@a.de"],
    "c2": ["+49 30 901820", "+33 1 42 68 53 00", "(212) 555-0123", "0171-1234567", "+44 20 7946 0958"],
    "c3": ["DE89370400440532013000", "GB82WEST12345698765432", "FR1420041010050500013M02606", "NO9386011117947"],
    "c4": ["Anna Schmidt", "John Miller", "Maria Garcia", "Dr. Hans Weber", "Jean Dupont", "Paul van Dijk",
           "Giulia Rossi", "Piotr Nowak", "Mehmet Öztürk", "Ana Silva", "Lars Nilsson", "Mary Johnson"],
    "c5": ["Schmidt, Anna", "Miller, John", "Garcia, Maria", "Weber, Hans", "Dupont, Jean", "Rossi, Giulia",
           "Nowak, Piotr", "Silva, Ana", "Nilsson, Lars", "Johnson, Mary"],
    "c6": ["12 Main Street", "Hauptstraße 5", "8 rue de la Paix", "Calle Mayor 4, 2", "Via Roma 1", "ul. Długa 3"],
    "c7": ["219-09-9999", "078-05-1120", "457-55-5462", "212-09-7694"],
    "c8": ["44051401359", "02070803628", "85061212340", "90010112349"],
    "c9": ["192.0.2.1", "198.51.100.7", "203.0.113.255"],
    "c10": ["https://example.org/a", "http://example.com/?q=1", "www.example.net/x"],
    "c11": [f"7b0b1e4e-9b1f-4a43-8d3b-0b1b9d0c5a{i:02x}" for i in range(12)],
    "c12": ["SW1A 1AA", "M1 1AE", "EC1A 1BB", "B33 8TH", "CR2 6XH", "DN55 1PT"],
    "c13": ["Germany", "France", "Polska", "Italia", "Deutschland", "United States"],
    "c14": ["weiblich", "männlich", "divers"],
    "c15": ["J45.9", "E11.9", "I10.0", "F32.1", "C50.4", "S72.0"],
    "c16": [f"The patient was seen {i} days after the fall and called from 030 90182{i}." for i in range(10, 40)],
    "c17": ["12345678Z", "X1234567L", "Y1234567X", "Z1234567R"],
    "c18": ["4111 1111 1111 1111", "378282246310005", "5555555555554444", "6011-1111-1111-1117"],
}  # fmt: skip
EXPECTED = {
    "c1": "e-mail", "c2": "telephone", "c3": "IBAN", "c4": "name", "c5": "name", "c6": "address",
    "c7": "social security number", "c9": "IP address", "c10": "URL", "c11": "id", "c12": "postal code",
    "c13": "country", "c14": "sex", "c15": "ICD-10 code", "c16": "free text", "c17": "social security number",
    "c18": "credit card",
}  # fmt: skip


@pytest.mark.slow
def test_values_alone_tell_what_a_column_is(tmp_path: Path) -> None:
    by_column, alarms = findings(tmp_path, PEOPLE)
    assert {
        name: finding.name for name, finding in by_column.items() if finding is not None and name in EXPECTED
    } == EXPECTED
    wanted = DIRECT | {"free text"}
    assert {name: finding.name for name, finding in alarms.items() if name in EXPECTED} == {
        name: what for name, what in EXPECTED.items() if what in wanted
    }
    values = {value for listed in PEOPLE.values() for value in listed}
    for finding in by_column.values():
        assert finding is None or (
            0.5 <= finding.sure < 1 and not any(value in finding.why for value in values if len(value) > 3)
        )


# Columns that look like something and are not, under names that say nothing.
HARMLESS = {
    "race": ["White", "Black", "Brown", "Other", "Asian-Pac-Islander"],
    "marital": ["Married-civ-spouse", "Divorced", "Never-married", "Separated", "Widowed"],
    "education": ["Masters", "Bachelors", "11th", "HS-grad", "Some-college", "Doctorate", "Assoc-voc"],
    "occupation": ["Tech-support", "Craft-repair", "Sales", "Farming-fishing", "Priv-house-serv", "Armed-Forces"],
    "region": ["Georgia", "Virginia", "Texas", "Florida", "Washington", "Montana", "Carolina", "Dakota", "Nevada",
               "California", "Arizona", "Indiana", "Delaware", "Alabama", "Maryland", "Louisiana", "Kansas", "Utah"],
    "month": ["January", "February", "March", "April", "May", "June", "July", "August"],
    "colour": ["Green", "Gray", "Black", "White", "Brown", "Olive", "Rose", "Violet", "Amber", "Gold", "Silver",
               "Red", "Blue", "Pink", "Teal", "Navy"],
    "town": ["Berlin", "London", "Paris", "Madrid", "Houston", "Austin", "Jackson", "Dallas", "Lyon", "Charlotte",
             "Madison", "Lincoln", "Hamburg", "Rome", "Vienna", "Lisbon"],
    "price": [f"{i * 7 % 97}.{i % 100:02d}" for i in range(300)],
    "year": [str(1990 + i % 30) for i in range(300)],
    "steps": [str(i * 977 % 10007) for i in range(300)],
    "grade": ["A1", "A2", "B1", "B2", "C1", "C2"],
    "answer": ["strongly agree", "agree", "neither", "disagree", "strongly disagree"],
    "taken": [f"2020-{1 + i % 12:02d}-{1 + i % 28:02d}" for i in range(300)],
    "clock": [f"{i % 24:02d}:{i % 60:02d}" for i in range(300)],
    "icd": [f"{'ABCJ'[i % 4]}{i % 30:02d}.{i % 5}" for i in range(300)],
    "flag": ["yes", "no"],
    "size": ["1,234", "2,500", "12,000"],
    "version": [f"{i % 3}.{i % 10}.{i % 7}" for i in range(300)],
}  # fmt: skip


@pytest.mark.slow
def test_categories_numbers_and_dates_raise_no_alarm(tmp_path: Path) -> None:
    by_column, alarms = findings(tmp_path, HARMLESS)
    assert alarms == {}
    assert {
        name: finding.name for name, finding in by_column.items() if finding and finding.name in DIRECT | {"free text"}
    } == {}


NAMES = {
    "email": "e-mail", "E-Mail-Adresse": "e-mail", "courriel": "e-mail", "correo_electronico": "e-mail",
    "phoneNumber": "telephone", "Telefonnummer": "telephone", "numer_telefonu": "telephone", "telefoon": "telephone",
    "Vorname": "name", "last_name": "name", "apellidos": "name", "cognome": "name", "achternaam": "name",
    "imię": "name", "sobrenome": "name", "soyadi": "name", "prénom": "name", "Straße": "address", "adres": "address",
    "PLZ": "postal code", "code postal": "postal code", "código_postal": "postal code", "cap": "postal code",
    "kod_pocztowy": "postal code", "posta kodu": "postal code", "zip": "postal code", "Geburtsdatum": "birth date",
    "date_de_naissance": "birth date", "fecha_nacimiento": "birth date", "data di nascita": "birth date",
    "geboortedatum": "birth date", "data urodzenia": "birth date", "doğum tarihi": "birth date", "DOB": "birth date",
    "data de nascimento": "birth date", "Geschlecht": "sex", "sexe": "sex", "sexo": "sex", "sesso": "sex",
    "geslacht": "sex", "płeć": "sex", "cinsiyet": "sex", "Alter": "age", "âge": "age", "edad": "age", "età": "age",
    "leeftijd": "age", "wiek": "age", "idade": "age", "yaş": "age", "Land": "country", "pays": "country",
    "país": "country", "ülke": "country", "kraj": "country",
    "patient_id": "id", "Kundennummer": "id", "SSN": "social security number",
    "notes": "free text", "Bemerkungen": "free text",
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_names_of_columns_tell_in_many_languages(name: str) -> None:
    assert NAMES[name] in named(name)


@pytest.mark.parametrize("name", ["c1", "value", "education", "wage", "amount", "page", "image", "engagement", "x"])
def test_names_that_say_nothing(name: str) -> None:
    assert named(name) == {}


def test_a_name_makes_surer_and_values_speak_against_it(tmp_path: Path) -> None:
    mails = PEOPLE["c1"]
    by_column, _ = findings(
        tmp_path, {"email": mails, "c1": mails, "age": mails, "sex": [str(i % 50) for i in range(300)]}
    )
    sure = {
        name: finding.sure for name, finding in by_column.items() if finding is not None and finding.name == "e-mail"
    }
    assert sure["email"] > sure["c1"] > sure["age"]
    assert by_column["sex"] is None


def test_typed_columns_that_are_called_as_identifiers_are_looked_at() -> None:
    with open_engine(EngineOptions(show_values=True)) as engine:
        query = (
            "SELECT i AS patient_id, CAST(i % 9 AS DOUBLE) AS phone, [i] AS name, i % 7 AS n FROM range(300) AS r(i)"
        )
        source = open_described(engine, SourceConfig(query=query), Path.cwd(), [], "source")
        alarms = identifying(engine, source, source.relation, source.columns)
    assert {name: finding.name for name, finding in alarms.items()} == {"patient_id": "id"}
