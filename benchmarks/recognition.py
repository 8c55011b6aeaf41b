"""What columns of invented persons are recognized as: the table of docs/init.md.

    pip install faker
    python benchmarks/recognition.py [--rows 300] [--page docs/init.md]

Each locale gives one table, profiled twice: under names of columns that say nothing, and under their own. Printed is
in how many locales a column was recognized, and which columns were taken for something that identifies a person and
are nothing of the kind. With `--page` the rows of the page's table are replaced.
"""

from __future__ import annotations

import argparse
import csv
import importlib
import random
import re
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kanon_sql.progress import Progress
from kanon_sql.settings.source import SourceConfig
from kanon_sql.source.opening import open_described
from kanon_sql.source.profile.kinds import DIRECT
from kanon_sql.source.profile.profile import profile
from kanon_sql.sql.connection import EngineOptions, open_engine

LOCALES: tuple[str, ...] = ("en_US", "en_GB", "de_DE", "de_AT", "de_CH", "fr_FR", "es_ES", "it_IT")
LOCALES += ("nl_NL", "pl_PL", "pt_PT", "pt_BR", "tr_TR", "sv_SE")
SEXES = {"en": "male female", "de": "männlich weiblich", "fr": "homme femme", "es": "hombre mujer"}
SEXES |= {"it": "maschio femmina", "nl": "man vrouw", "pl": "mężczyzna kobieta", "pt": "masculino feminino"}
SEXES |= {"tr": "erkek kad\u0131n", "sv": "man kvinna"}
Made = Callable[[Any, random.Random], object]


@dataclass(frozen=True)
class Invented:
    """A column: its row in the table, its own name, what it may be recognized as, and a value of it."""

    row: str
    name: str
    right: frozenset[str]
    value: Made


def of_person(row: str, name: str, right: str, value: Made) -> Invented:
    return Invented(row, name, frozenset(right.split(" or ")), value)


def harmless(name: str, value: Made) -> Invented:
    return Invented("", name, frozenset(), value)


NUMBER = "social security number or insurance number or tax number"
COLUMNS = (
    of_person("e-mail", "email", "e-mail", lambda fake, _: fake.email()),
    of_person("IBAN", "iban", "IBAN", lambda fake, _: fake.iban()),
    of_person("credit card", "card", "credit card", lambda fake, _: fake.credit_card_number()),
    of_person("IP address", "ip", "IP address", lambda fake, _: fake.ipv4()),
    of_person("URL", "homepage", "URL", lambda fake, _: fake.url()),
    of_person("UUID", "uuid", "id", lambda fake, _: fake.uuid4()),
    of_person("free text", "notes", "free text", lambda fake, _: " ".join(fake.sentences(3))),
    of_person("sex", "sex", "sex", lambda fake, drawn: drawn.choice(SEXES[fake.locales[0][:2]].split())),
    of_person(
        "birth date", "birth_date", "birth date", lambda fake, _: fake.date_of_birth(minimum_age=0, maximum_age=95)
    ),
    of_person("date of a visit", "visit", "date", lambda fake, _: fake.date_between("-3y", "-1d")),
    of_person("full name", "name", "name", lambda fake, _: fake.name()),
    of_person("first name", "first_name", "name", lambda fake, _: fake.first_name()),
    of_person("surname", "last_name", "name", lambda fake, _: fake.last_name()),
    of_person("telephone", "phone", "telephone", lambda fake, _: fake.phone_number()),
    of_person("street", "street", "address", lambda fake, _: fake.street_address().replace("\n", ", ")),
    of_person("whole address", "address", "address", lambda fake, _: fake.address().replace("\n", ", ")),
    of_person("postal code", "postal_code", "postal code", lambda fake, _: fake.postcode()),
    of_person("country", "country", "country", lambda fake, _: fake.country()),
    of_person("city", "city", "city", lambda fake, _: fake.city()),
    of_person("national number of persons", "national_number", NUMBER, lambda fake, _: fake.ssn()),
    harmless("occupation", lambda fake, _: fake.job()),
    harmless("company", lambda fake, _: fake.company()),
    harmless("colour", lambda fake, _: fake.color_name()),
    harmless("word", lambda fake, _: fake.word()),
    harmless("price", lambda _, drawn: f"{drawn.uniform(1, 900):.2f}"),
    harmless("visits", lambda _, drawn: drawn.randint(0, 40)),
    harmless("steps", lambda _, drawn: drawn.randint(0, 20_000)),
    harmless("month", lambda fake, _: fake.month_name()),
    harmless("weekday", lambda fake, _: fake.day_of_week()),
    harmless("temperature", lambda _, drawn: f"{drawn.gauss(37, 0.7):.1f}"),
    harmless("year", lambda _, drawn: drawn.randint(1990, 2024)),
    harmless("insured", lambda _, drawn: drawn.choice(["yes", "no"])),
    harmless("time", lambda fake, _: fake.time("%H:%M")),
)
# The rows of the page: the columns that came out alike are said together.
ROWS = (
    ("e-mail", "IBAN", "credit card", "IP address", "URL", "UUID", "free text", "sex"),
    ("birth date", "date of a visit"),
    ("full name", "first name", "surname"),
    ("telephone",),
    ("street", "whole address"),
    ("postal code",),
    ("country", "city"),
    ("national number of persons",),
)


def invented(locale: str, rows: int) -> list[list[object]]:
    """The rows of a table of persons of a locale, the same each time."""
    try:
        make = importlib.import_module("faker").Faker
    except ImportError:
        raise SystemExit("benchmarks/recognition.py needs Faker: pip install faker") from None
    fake, drawn = make(locale), random.Random(locale)
    fake.seed_instance(17)
    return [[column.value(fake, drawn) for column in COLUMNS] for _ in range(rows)]


def found_in(path: Path, names: list[str], rows: list[list[object]]) -> list[str | None]:
    """What the columns of a table are taken for."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([names, *rows])
    with open_engine(EngineOptions()) as engine:
        source = open_described(engine, SourceConfig(path=path.name), path.parent, [], "source")
        return [
            column.finding.name if column.finding else None for column in profile(engine, source, Progress()).columns
        ]


def measured(rows: int) -> tuple[dict[str, list[int]], list[str]]:
    """By row of the table in how many locales it was right, without and with names; and what was taken wrongly."""
    right = {column.row: [0, 0] for column in COLUMNS if column.row}
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for locale in LOCALES:
            people = invented(locale, rows)
            silent = [f"c{position}" for position in range(len(COLUMNS))]
            for named, names in enumerate((silent, [column.name for column in COLUMNS])):
                findings = found_in(Path(folder) / "table.csv", names, people)
                for column, what in zip(COLUMNS, findings, strict=True):
                    if column.row:
                        right[column.row][named] += what in column.right
                    elif what in DIRECT | {"free text"}:
                        wrong.append(f"{locale}: {column.name} ({'named' if named else 'values alone'}): {what}")
    return right, wrong


def table(right: Mapping[str, list[int]]) -> str:
    """The table of the page."""
    lines = ["| column | values alone | with its name |", "|---|---|---|"]
    for row in ROWS:
        cells = [", ".join(row)]
        for named in (0, 1):
            counts = [right[kind][named] for kind in row]
            alike = len(set(counts)) == 1
            cells.append(f"{counts[0] if alike else ', '.join(map(str, counts))} of {len(LOCALES)}")
            cells[-1] += " each" if alike and len(row) > 1 else ""
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=300, help="of each table [default: %(default)s]")
    parser.add_argument("--page", type=Path, help="the page whose table is replaced")
    given = parser.parse_args()
    right, wrong = measured(given.rows)
    lines = table(right)
    print(lines)
    print("\n".join(["", "taken for something that identifies a person:", *(wrong or ["none"])]))
    if given.page:
        text = given.page.read_text(encoding="utf-8")
        old = re.search(r"\| column \| values alone \|.*?(?=\n\n)", text, re.DOTALL)
        assert old, f"{given.page} has no such table"
        given.page.write_text(text[: old.start()] + lines + text[old.end() :], encoding="utf-8")


if __name__ == "__main__":
    main()
