"""A release in place of a table of DuckLake, beside the `CREATE TABLE AS` that DuckLake does of the same rows.

    python benchmarks/lake.py [--rows 10000000] [--k 1658] [--limit 1%] [--runs 3] [--memory-limit 4GB] [--folder /ssd]

Each command gets the lake as it was laid out. DuckLake replaces the table by `CREATE OR REPLACE TABLE … AS SELECT` with
the columns of the release, in random order where the release is in random order. The release in place also forgets
the old snapshots, counts again what was written, and searches files and catalog for values that were removed. It needs
DuckLake's extension: `pip install 'kanon-sql[lake]'`, or `INSTALL ducklake` once.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

from make_table import make_table
from speed import configuration, effort, measure, options, show, take

_LAKE = """
import sys
from pathlib import Path
from kanon_sql.sql.connection import EngineOptions, open_engine
from kanon_sql.sql.extensions import load_extension
catalog, memory, temporary, statement = sys.argv[1:]
with open_engine(EngineOptions(memory_limit=memory or None, temp_directory=Path(temporary))) as engine:
    load_extension(engine, "ducklake", "a lake")
    engine.run(f"ATTACH 'ducklake:{catalog}' AS lake")
    engine.run(statement)
"""


def commands(folder: Path, arguments: argparse.Namespace) -> tuple[list[str], dict[str, list[str]]]:
    """The command that lays the lake out, and what is run in it by the name it is shown under."""
    table, config, catalog = folder / "table.parquet", folder / "config.json", folder / "lake" / "people.ducklake"
    make_table(arguments.rows, table, zip_codes=arguments.zip)
    in_place = configuration(table, folder, arguments)
    in_place |= {"source": {"database": f"ducklake:{catalog}", "table": "people"}, "target": "in-place"}
    config.write_text(json.dumps(in_place))
    lake = [sys.executable, "-c", _LAKE, str(catalog), arguments.memory_limit, str(folder)]
    bounds = ["--memory-limit", arguments.memory_limit] if arguments.memory_limit else []
    release = [sys.executable, "-m", "kanon_sql", "run", str(config), "--quiet", *bounds]
    release += ["--temp-directory", str(folder), "--report", str(folder / "report.json")]
    replace = "CREATE OR REPLACE TABLE lake.people AS SELECT * EXCLUDE id FROM lake.people"
    return [*lake, f"CREATE TABLE lake.people AS FROM '{table}'"], {
        "DuckLake": [*lake, replace],
        "kanon-sql, order none": [*release, "--set", "release.order=none"],
        "DuckLake, shuffled": [*lake, f"{replace} ORDER BY random()"],
        "kanon-sql, random order": release,
    }


def main() -> None:
    """Runs the rounds and prints the table."""
    arguments = options(__doc__).parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
        folder = Path(name)
        lay_out, every = commands(folder, arguments)

        def laid_out_anew() -> None:
            shutil.rmtree(folder / "lake", ignore_errors=True)
            (folder / "lake").mkdir()
            measure(lay_out)

        taken = take(every, arguments.runs, laid_out_anew)
        report = json.loads((folder / "report.json").read_text())
    print(f"{arguments.rows:,} rows, k = {arguments.k}, limit {arguments.limit}, {os.cpu_count()} cores")
    print(f"{effort(report['search'])}, forgotten: {json.dumps(report['forgotten'])}")
    show(taken, {"kanon-sql, order none": "DuckLake", "kanon-sql, random order": "DuckLake, shuffled"})


if __name__ == "__main__":
    main()
