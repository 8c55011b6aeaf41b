"""Makes the database of docs/databases.md: 600 invented patients in six tables, as a clinic keeps them.

    python examples/clinic/make.py [--persons 600] [--seed 1] [--folder examples/clinic/source]

It writes person.csv, visit.csv, diagnosis.csv, prescription.csv, drug.csv and note.csv. Few diagnoses and drugs are
frequent, many are rare, as in any clinic. Nobody in them is real. The same seed gives the same files.
"""

from __future__ import annotations

import argparse
import csv
import random
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from itertools import accumulate
from pathlib import Path

DIAGNOSES = [f"{letter}{number:02}" for letter in "IJKEFMN" for number in range(10, 16)]
DRUGS = {f"{letter}{number:02}A": f"drug {letter}{number:02}" for letter in "ACNR" for number in range(1, 9)}
Row = Sequence[object]


def drawn(draw: random.Random, values: Sequence[str], count: int) -> list[str]:
    """Values, the first ones most often: the n-th is drawn about 1/n as often as the first."""
    weights = list(accumulate(1 / (place + 1) for place in range(len(values))))
    return draw.choices(values, cum_weights=weights, k=count)


def write(path: Path, head: Sequence[str], rows: Iterable[Row]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(head)
        writer.writerows(rows)


def make(folder: Path, persons: int, seed: int) -> None:
    """Writes the six files."""
    draw = random.Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    people: list[Row] = []
    visits: list[Row] = []
    diagnoses: list[Row] = []
    prescriptions: list[Row] = []
    notes: list[Row] = []
    for number in range(persons):
        person = 40_000 + number
        people.append((person, f"Person {number}", draw.choice("fm"), draw.randint(1935, 2005), draw.randint(10, 14)))
        for _ in range(draw.choice((1, 1, 2, 3))):
            visit = 7_000 + len(visits)
            day = date(2023, 1, 1) + timedelta(draw.randrange(700))
            visits.append((visit, person, draw.choice(("ward", "ward", "emergency")), day.isoformat()))
            diagnoses += [(visit, code) for code in drawn(draw, DIAGNOSES, draw.choice((1, 2)))]
            prescriptions += [(person, visit, code) for code in drawn(draw, list(DRUGS), draw.choice((0, 1, 1)))]
        notes.append((person, f"Person {number} was seen again"))
    diagnoses.append((1, "I10"))  # of a visit that is not there
    write(folder / "person.csv", ("person_id", "name", "sex", "born", "district"), people)
    write(folder / "visit.csv", ("visit_id", "person_id", "kind", "day"), visits)
    write(folder / "diagnosis.csv", ("visit_id", "code"), diagnoses)
    write(folder / "prescription.csv", ("person_id", "visit_id", "drug"), prescriptions)
    write(folder / "drug.csv", ("drug", "label"), DRUGS.items())
    write(folder / "note.csv", ("person_id", "text"), notes)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--persons", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=Path(__file__).with_name("source"))
    options = parser.parse_args()
    make(options.folder, options.persons, options.seed)


if __name__ == "__main__":
    main()
