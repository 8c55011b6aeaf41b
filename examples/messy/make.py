"""Makes the messy table of docs/choosing.md, 20,000 invented hospital stays as a clinic exports them, and a register.

    python examples/messy/make.py [--rows 20000] [--seed 1] [--folder examples/messy] [--english]

It writes patients.csv, which nobody has cleaned (semicolons, a byte order mark, blanks, four spellings of what is
missing, dates in three ways, decimal commas), and register.csv, names that somebody else knows: 3,000 persons, half of
them patients. Nobody in them is real. The same seed gives the same files; --english names the columns in English.
"""

from __future__ import annotations

import argparse
import csv
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import accumulate
from pathlib import Path
from typing import Any, TypeVar

import yaml

WORDS: dict[str, Any] = yaml.safe_load(Path(__file__).with_name("words.yaml").read_text(encoding="utf-8"))
TODAY = date(2025, 1, 1)
MISSING = ("", "-", "k.A.", "n/a")
# How often a value is missing, and how often blanks stand around it, in percent.
LEFT_OUT = {
    "Geburtsland": 3, "Telefon": 8, "E-Mail": 25, "IBAN": 60, "Geschlecht": 1, "Familienstand": 5, "Beruf": 12,
    "letzte Kontrolle": 30, "Kosten (€)": 1, "Gewicht kg": 6, "Größe cm": 6, "Blutdruck": 9, "Raucher": 15,
    "Notiz": 35, "ICD-10": 0.5,
}  # fmt: skip
BLANKS = {
    "Nachname": 2, "Vorname": 2, "PLZ": 2, "Ort": 3, "Geschlecht": 4, "Alter": 2, "Familienstand": 3, "Beruf": 2,
    "ICD-10": 3, "Station": 1, "Gewicht kg": 2,
}  # fmt: skip
SEXES = {
    "m": (("m", 70), ("M", 15), ("männlich", 10), ("Mann", 1), ("male", 4)),
    "w": (("w", 65), ("W", 12), ("weiblich", 14), ("F", 5), ("f", 4)),
    "d": (("d", 60), ("divers", 40)),
}
Value = TypeVar("Value")


@dataclass(frozen=True)
class Person:
    number: int
    sex: str  # m, w or d
    first: str
    last: str
    born: date
    code: str
    city: str
    street: str
    country: str
    telephone: str
    mail: str
    insurance: str
    iban: str
    married: str
    occupation: str
    height: int
    weight: float
    smoker: bool


Weighted = tuple[Sequence[Value], Sequence[float]]  # values and the sums of their weights up to each


def weighted(pairs: Iterable[tuple[Value, float]]) -> Weighted[Value]:
    values, weights = zip(*pairs, strict=True)
    return values, list(accumulate(weights))


def drawn(draw: random.Random, values: Weighted[Value]) -> Value:
    return draw.choices(values[0], cum_weights=values[1])[0]


def falling(values: Sequence[str], start: int) -> Weighted[str]:
    """The values with falling weights, so that the last ones are rare."""
    return weighted((value, 1 / (start + i)) for i, value in enumerate(values))


SEX = weighted((("m", 48), ("w", 51.7), ("d", 0.3)))
WRITTEN_SEXES = {sex: weighted(writings) for sex, writings in SEXES.items()}
FAMILIES = falling(WORDS["family"], 8)
OCCUPATIONS = falling(WORDS["occupations"], 2)
COUNTRIES = weighted(WORDS["countries"])
CITIES = weighted(((city, lowest, codes), weight) for city, lowest, codes, weight in WORDS["cities"])


def insurance_number(letter: str, digits: str) -> str:
    """A German health insurance number: letter, eight digits, and the last digit of the sum of the digits of all their
    digits, every second one doubled, the letter being its place in the alphabet in two digits."""
    number = f"{ord(letter) - 64:02}{digits}"
    return f"{letter}{digits}{sum(sum(divmod(int(digit) * (1 + i % 2), 10)) for i, digit in enumerate(number)) % 10}"


def iban(bank: int, account: int) -> str:
    """A German IBAN with its two check digits (ISO 7064, MOD 97-10)."""
    rest = f"{bank:08}{account:010}"
    return f"DE{98 - int(rest + '131400') % 97:02}{rest}"


def telephone(draw: random.Random) -> str:
    area, first, digits = draw.choice(WORDS["telephones"])
    form = draw.choice(("+49 {} {}", "0{}/{}", "(0{}) {}", "0{} {}", "0049{}{}", "+49{}{}"))
    return form.format(area, f"{first}{draw.randrange(10**digits):0{digits}}")


def mail(draw: random.Random, first: str, last: str) -> str:
    plain = str.maketrans("äöüßłışçąéóøğíÖÜŁŞÇ", "aousliscaeoogiOULSC", "'-")
    name = f"{first}.{last}".translate(plain).lower().encode("ascii", "ignore").decode()
    return f"{name}{draw.randrange(1, 99)}@{draw.choice(('example.org', 'example.com', 'post.example'))}"


def occupation(draw: random.Random, age: int) -> str:
    if age < 17:
        return "Schüler/in"
    return "Rentner/in" if age > 66 else drawn(draw, OCCUPATIONS)


def person(draw: random.Random, number: int) -> Person:
    sex = drawn(draw, SEX)
    first = draw.choice(WORDS["male"] if sex == "m" or (sex == "d" and draw.random() < 0.5) else WORDS["female"])
    last = drawn(draw, FAMILIES)
    age = max(0, min(104, round(draw.gauss(54, 22))))
    city, lowest, codes = drawn(draw, CITIES)
    height = round(draw.gauss(178 if sex == "m" else 165, 7)) if age > 17 else 52 + 7 * age
    married = (("ledig", 30), ("verheiratet", 45), ("geschieden", 15), ("verwitwet", age / 6))
    return Person(
        number=number,
        sex=sex,
        first=first,
        last=last,
        born=TODAY - timedelta(days=age * 365 + age // 4 + draw.randrange(365)),
        code=f"{lowest + 2 * min(draw.randrange(codes), draw.randrange(codes)):05}",
        city=city,
        street=f"{draw.choice(WORDS['streets'])} {draw.randrange(1, 140)}{draw.choice(('', '', '', 'a'))}".replace(
            "_", " "
        ),
        country=drawn(draw, COUNTRIES),
        telephone=telephone(draw),
        mail=mail(draw, first, last),
        insurance=insurance_number(draw.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), f"{draw.randrange(10**8):08}"),
        iban=iban(draw.randrange(10**7, 9 * 10**7), draw.randrange(10**10)),
        married="ledig" if age < 20 else drawn(draw, weighted(married)),
        occupation=occupation(draw, age),
        height=height,
        weight=round(max(3.0, draw.gauss(25.5, 4) * (height / 100) ** 2 * min(1.0, 0.6 + age / 45)), 1),
        smoker=age > 15 and draw.random() < 0.24,
    )


def comma(number: float, decimals: int, draw: random.Random) -> str:
    """As Germans write it, 1.234,5; now and then without the point."""
    text = f"{number:,.{decimals}f}".translate(str.maketrans(",.", ".,"))
    return text.replace(".", "") if draw.random() < 0.03 else text


def note(draw: random.Random, patient: Person, visitor: Person) -> str:
    text: str = draw.choice(WORDS["notes"])
    return text.format(
        tel=patient.telephone,
        mail=patient.mail,
        name=f"{visitor.first} {visitor.last}",
        doctor=draw.choice(WORDS["doctors"]),
        city=draw.choice(WORDS["cities"])[0],
    )


def stay(draw: random.Random, patient: Person, visitor: Person) -> dict[str, str]:
    """One row, clean but for what depends on the writing of numbers, dates and words."""
    admitted = max(patient.born, date(2023, 1, 1) + timedelta(days=draw.randrange(730)))
    age = admitted.year - patient.born.year - ((admitted.month, admitted.day) < (patient.born.month, patient.born.day))
    days = min(60, int(draw.expovariate(1 / 5)))
    fitting = [
        ((code, says, ward), weight)
        for code, says, weight, low, high, sex, ward in WORDS["diagnoses"]
        if low <= age <= high and sex in ("", patient.sex)
    ]
    code, says, ward = drawn(draw, weighted(fitting))
    checked = admitted + timedelta(days=days + draw.randrange(20, 90))
    return {
        "Patienten-ID": f"P{patient.number:06}",
        "Nachname": patient.last,
        "Vorname": patient.first,
        "Straße": patient.street,
        "PLZ": patient.code,
        "Ort": patient.city,
        "Geburtsland": patient.country,
        "Telefon": patient.telephone,
        "E-Mail": patient.mail,
        "Versichertennr.": patient.insurance,
        "IBAN": patient.iban,
        "Geschlecht": drawn(draw, WRITTEN_SEXES[patient.sex]),
        "Geburtsdatum": f"{patient.born:%d.%m.%Y}",
        "Alter": str(age),
        "Familienstand": patient.married.capitalize() if draw.random() < 0.1 else patient.married,
        "Beruf": patient.occupation,
        "Aufnahme": f"{admitted:%Y-%m-%d}",
        "Entlassung": f"{admitted + timedelta(days=days):%m/%d/%Y}",
        "letzte Kontrolle": f"{checked:%Y-%m-%d}" if draw.random() < 0.08 else f"{checked:%d.%m.%Y}",
        "Station": "Kinder" if age < 15 else ward,
        "behandelnder Arzt": draw.choice(WORDS["doctors"]),
        "ICD-10": code,
        "Diagnose": says,
        "Kosten (€)": comma(draw.lognormvariate(7.9, 0.8), 2, draw),
        "Gewicht kg": comma(patient.weight, 1, draw),
        "Größe cm": str(patient.height),
        "Blutdruck": f"{draw.randrange(95, 180)}/{draw.randrange(55, 110)}",
        "Raucher": draw.choice(("ja", "Ja", "J", "yes") if patient.smoker else ("nein", "Nein", "N", "no")),
        "Notiz": note(draw, patient, visitor),
        "Mandant": "KH-01",
        "Bemerkung 2": "",
    }


def mess(draw: random.Random, row: dict[str, str]) -> dict[str, str]:
    """The same row with values left out, and with blanks around others."""
    for column, percent in LEFT_OUT.items():
        if draw.random() * 100 < percent:
            row[column] = draw.choice(MISSING)
    for column, percent in BLANKS.items():
        if draw.random() * 100 < percent:
            row[column] = draw.choice((" {}", "{} ", "  {} ")).format(row[column])
    return row


def stays(draw: random.Random, persons: Sequence[Person], rows: int) -> Iterator[dict[str, str]]:
    """Rows: every person once, some again and again, and a few rows that were exported twice."""
    again = rows - len(persons)
    chosen = [*persons, *draw.choices(persons[: len(persons) // 2], k=again)]
    draw.shuffle(chosen)
    last: dict[str, str] = {}
    for i, patient in enumerate(chosen):
        if not last or draw.random() >= 0.003:
            last = {"Fall-Nr.": f"2025-{i + 1:06}", **mess(draw, stay(draw, patient, draw.choice(persons)))}
        yield last


def facts(someone: Person) -> list[str]:
    """What others know of a person; the age is that of New Year's Day 2024."""
    age = max(0, 2024 - someone.born.year - 1)
    return [
        f"{someone.first} {someone.last}",
        someone.sex,
        f"{someone.born:%d.%m.%Y}",
        str(age),
        someone.code,
        someone.city,
    ]


def write(path: Path, names: Sequence[str], rows: Iterator[Sequence[str]], *, messy: bool) -> None:
    with path.open("w", newline="", encoding="utf-8-sig" if messy else "utf-8") as file:
        writer = csv.writer(file, delimiter=";" if messy else ",", lineterminator="\r\n" if messy else "\n")
        writer.writerow(names)
        writer.writerows(rows)


def make(folder: Path, *, rows: int = 20_000, seed: int = 1, english: bool = False) -> tuple[Path, Path]:
    """Writes patients.csv and register.csv into a folder: their paths."""
    draw = random.Random(seed)
    persons = [person(draw, number) for number in range(1, rows * 4 // 5 + 1)]
    names = list(WORDS["columns"].values() if english else WORDS["columns"])
    patients, register = folder / "patients.csv", folder / "register.csv"
    table = (list(row.values()) for row in stays(draw, persons, rows))
    write(patients, names, table, messy=True)
    size = rows * 3 // 20
    listed = [*draw.sample(persons, size // 2), *(person(draw, rows + i) for i in range(size - size // 2))]
    draw.shuffle(listed)
    write(register, ["name", "sex", "born", "age", "postcode", "city"], map(facts, listed), messy=False)
    return patients, register


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=Path(__file__).resolve().parent)
    parser.add_argument("--english", action="store_true")
    given = parser.parse_args()
    for path in make(given.folder, rows=given.rows, seed=given.seed, english=given.english):
        print(path)


if __name__ == "__main__":
    main()
