"""Makes a large table like the Adult sample: its rows drawn again by a hash, the same on every machine.

    python benchmarks/make_table.py --rows 10000000 --out big.parquet [--zip] [--first 10000000]

With --zip a skewed ZIP code out of 10,000 is added, so that almost every row is a combination of its own. With --first
the rows go on where those of another file ended, so that many files make one table.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import duckdb

SAMPLE = Path(__file__).resolve().parent.parent / "examples" / "adult" / "adult.parquet"

_ZIP = """CAST(80000 + CAST(floor(10000 * pow((hash(i + 11) % 1000003) / 1000003.0, 3)) AS INTEGER) * 7 % 10000
       AS VARCHAR) AS zip,"""

_TABLE = """
SELECT
    i AS id, sex,
    CAST(greatest(17, least(90, CAST(age AS INTEGER) + CAST(hash(i + 5) % 7 AS INTEGER) - 3)) AS VARCHAR) AS age,
    race, marital_status, education, native_country, work_class, occupation, class, {zip}
    ['asthma', 'cancer', 'cold', 'diabetes', 'flu', 'none'][1 + CAST(hash(i + 3) % 6 AS INTEGER)] AS diagnosis,
    CAST(hash(i + 7) % 100000 AS INTEGER) / 100.0 AS cost
FROM range({first}, {end}) AS drawn(i)
JOIN adult ON position = hash(i) % {persons}
"""


def make_table(rows: int, out: Path, *, zip_codes: bool = False, first: int = 0) -> None:
    """Writes the table, from its row `first` on, to a CSV or Parquet file."""
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE adult AS SELECT row_number() OVER () - 1 AS position, * FROM read_parquet($sample) "
            "WHERE native_country <> '?' AND work_class <> '?' AND occupation <> '?'",
            {"sample": str(SAMPLE)},
        )
        persons = connection.execute("SELECT count(*) FROM adult").fetchall()[0][0]
        holes = {"first": int(first), "end": int(first) + int(rows), "persons": persons}
        table = _TABLE.format(**holes, zip=_ZIP if zip_codes else "")
        form = "FORMAT parquet" if out.suffix == ".parquet" else "FORMAT csv, HEADER"
        connection.execute(f"COPY ({table}) TO '{str(out).replace(chr(39), chr(39) * 2)}' ({form})")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, required=True)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--zip", action="store_true")
    given = parser.parse_args()
    make_table(given.rows, given.out, zip_codes=given.zip, first=given.first)
