"""How near estimates of population uniqueness come to a population that is known: samples of a table, drawn at random.

    python benchmarks/uniqueness.py adult.csv

The file is the Adult table as the examples of ARX have it. Medians of several samples are shown.
"""

from __future__ import annotations

import argparse
from statistics import median

import duckdb

from kanon_sql.privacy.uniqueness import ClassSizes, PopulationUniqueness, estimate_uniqueness

COLUMNS = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"]
COLUMNS += ["salary-class"]
FRACTIONS = (0.02, 0.05, 0.2, 0.5, 0.8)
SAMPLES = 5


def main() -> None:
    """Prints a table of the unique share and its estimates."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="adult.csv")
    connection = duckdb.connect()
    people = connection.read_csv(parser.parse_args().file, delimiter=";", all_varchar=True)
    print("| columns | fraction | unique | Pitman | Zayatz | SNB | Dankar |\n|---|---|---|---|---|---|---|")
    for width in (9, 5):
        whole = sizes(people, COLUMNS[:width], "true")
        for fraction in FRACTIONS:
            drawn = [f"hash(ROW({', '.join(quoted(COLUMNS))}), place, {seed})" for seed in range(SAMPLES)]
            samples = [
                sizes(people, COLUMNS[:width], f"{order} / 18446744073709551616.0 < {fraction}") for order in drawn
            ]
            estimates = [estimate_uniqueness(class_sizes, whole.rows) for class_sizes in samples]
            shares = [shown(estimates, model) for model in ("pitman", "zayatz", "snb", "dankar")]
            print(f"| {width} | {fraction} | {whole.alone / whole.rows:.3f} | {' | '.join(shares)} |")


def shown(estimates: list[PopulationUniqueness], model: str) -> str:
    """The median of the estimates; a dash where there is none."""
    shares = [share for estimate in estimates if (share := getattr(estimate, model)) is not None]
    return f"{median(shares):.3f}" if shares else "\N{EN DASH}"


def sizes(people: duckdb.DuckDBPyRelation, columns: list[str], condition: str) -> ClassSizes:
    """The classes of the rows that a condition holds for, by their size."""
    rows = people.project("*, row_number() OVER () AS place").filter(condition)
    classes = rows.aggregate("count(*) AS size", ", ".join(quoted(columns)))
    return ClassSizes.of(classes.aggregate("size, count(*)", "size").fetchall())


def quoted(columns: list[str]) -> list[str]:
    """The names as SQL has them."""
    return [f'"{column}"' for column in columns]


if __name__ == "__main__":
    main()
