"""Whole runs whose calls go wrong: what each finds, what it is called with, and where its release goes."""

from __future__ import annotations

import errno
import json
import random
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb
from table_files import write_csv

Json = dict[str, Any]
K = 4
QUASI = ("sex", "zip")
HEAD = ["sex", "zip", "ill", "ward"]
ROWS = 90


def table(seed: int, rows: int = ROWS) -> list[list[str]]:
    """Rows of persons."""
    draw = random.Random(seed)
    return [
        [draw.choice("fm"), f"021{draw.randint(30, 33)}", draw.choice(["flu", "cold", "asthma"]), draw.choice("AB")]
        for _ in range(rows)
    ]


def _configuration(target: Any, **more: Any) -> Json:
    return {
        "source": "source.csv",
        "target": target,
        "quasi_identifiers": {"sex": {"builtin": "suppress"}, "zip": {"builtin": "prefix", "keep": [4, 3]}},
        "sensitive": ["ill"],
        "unlisted": "insensitive",
        "privacy": {"k": K},
        **more,
    }


@dataclass(frozen=True)
class Job:
    """A run in a folder that `make` has filled. Paths are relative to that folder.

    `target` is what is released, which is `replaced` where it is there before; `read` says how it is read. What is
    `kept` stands there before and behind it as it was. The next run is given `again` besides. Calls on paths with
    `leave_out` in them do not count; `no_exchange` is the error of every exchange of two names.
    """

    make: Callable[[Path], None]
    configuration: Json
    target: str
    read: str = "csv"  # parquet, folder, table
    words: Sequence[str] = ()
    command: str = "run"  # apply, api
    kept: Sequence[str] = ("source.csv",)
    report: str | None = None
    page: str | None = None
    ledger: str | None = None
    again: Sequence[str] = ()
    leave_out: str = "source."
    no_exchange: int = 0
    in_transaction: bool = False
    replaced: bool = True


def _source(folder: Path) -> None:
    write_csv(folder / "source.csv", [HEAD, *table(1)])


def _with(*names: str) -> Callable[[Path], None]:
    """The source, and old files."""

    def make(folder: Path) -> None:
        _source(folder)
        for name in names:
            (folder / name).write_text(f"old {name}\n" * 50)
            (folder / name).chmod(0o640)

    return make


def _old_parquet(folder: Path) -> None:
    _source(folder)
    _parquet(folder / "release.parquet", 7)


def _parquet(path: Path, seed: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with duckdb.connect() as connection:
        _fill(connection, "t", seed)
        connection.table("t").write_parquet(str(path))


def _fill(connection: duckdb.DuckDBPyConnection, name: str, seed: int, rows: int = ROWS) -> None:
    connection.execute(f"CREATE TABLE {name} ({', '.join(f'{column} VARCHAR' for column in HEAD)})")
    connection.execute(
        f"INSERT INTO {name} SELECT unnest(?), unnest(?), unnest(?), unnest(?)",
        [list(column) for column in zip(*table(seed, rows), strict=True)],
    )


def _partitioned(folder: Path) -> None:
    with duckdb.connect() as connection:
        _fill(connection, "t", 1)
        connection.execute(f"COPY t TO '{folder / 'parts'}' (FORMAT parquet, PARTITION_BY (ward))")


def _database(*tables: tuple[str, int]) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        _source(folder)
        with duckdb.connect(str(folder / "base.duckdb")) as connection:
            for name, seed in tables:
                _fill(connection, name, seed)
            connection.execute("CREATE VIEW seen AS SELECT ill, count(*) AS number FROM other GROUP BY ill")

    return make


def _ledger(folder: Path) -> None:
    """A ledger with a release that is in its place."""
    import kanon_sql

    _with("release.csv")(folder)
    first = _configuration("first.csv", releases={"path": "ledger.duckdb"})
    kanon_sql.run(write_configuration(folder, first), advice=False)
    (folder / "job.json").unlink()


def _new_data(folder: Path) -> None:
    _ledger(folder)
    write_csv(folder / "source.later.csv", [HEAD, *table(1), *table(2, 40)])


def write_configuration(folder: Path, configuration: Json) -> Path:
    """The configuration as a file, which is JSON and so YAML."""
    path = folder / "job.json"
    path.write_text(json.dumps(configuration))
    return path


_OVER = {"path": "release.csv", "overwrite": True}
_TABLE = {"database": "base.duckdb", "table": "released", "overwrite": True}
_NEW_CSV = Job(_source, _configuration("release.csv"), "release.csv", again=("--overwrite",), replaced=False)
_OVERWRITTEN = Job(_with("release.csv"), _configuration(_OVER), "release.csv")
_FOLDER = Job(_partitioned, _configuration("in-place", source="parts"), "parts", read="folder", kept=(), leave_out="")
_TABLES = Job(_database(("released", 7), ("other", 8)), _configuration(_TABLE), "base.duckdb", read="table")
_TOLD = replace(
    _OVERWRITTEN, make=_with("release.csv", "report.json", "page.html"), report="report.json", page="page.html"
)
_RECORDED = replace(
    _OVERWRITTEN, configuration=_configuration(_OVER, releases={"path": "ledger.duckdb"}), ledger="ledger.duckdb"
)

JOBS = {
    "new CSV": _NEW_CSV,
    "new CSV, linked": replace(_NEW_CSV, no_exchange=errno.EINVAL),
    "CSV replaced": _OVERWRITTEN,
    "Parquet replaced": Job(
        _old_parquet,
        _configuration({"path": "release.parquet", "overwrite": True}),
        "release.parquet",
        read="parquet",
    ),
    "file in place": Job(_source, _configuration("in-place"), "source.csv", kept=(), leave_out=""),
    "folder in place": _FOLDER,
    "folder in place, two renames": replace(_FOLDER, no_exchange=errno.ENOSYS),
    "table in a new database": Job(
        _source,
        _configuration({**_TABLE, "overwrite": False}),
        "base.duckdb",
        read="table",
        again=("--overwrite",),
        replaced=False,
    ),
    "table replaced": _TABLES,
    "table in place": replace(
        _TABLES,
        make=_database(("persons", 1), ("other", 8)),
        configuration=_configuration("in-place", source={"database": "base.duckdb", "table": "persons"}),
    ),
    "table in its database file": replace(
        _TABLES, configuration=_configuration({**_TABLE, "allow_remanence": True}), in_transaction=True
    ),
    "report and page": replace(_TOLD, words=("--report", "report.json", "--html", "page.html")),
    "new ledger": _RECORDED,
    "ledger": replace(_RECORDED, make=_ledger, kept=("source.csv", "first.csv")),
    "apply": Job(
        _new_data,
        _configuration("release.csv"),
        "second.csv",
        command="apply",
        ledger="ledger.duckdb",
        kept=("source.csv", "source.later.csv", "first.csv", "release.csv"),
        replaced=False,
    ),
    "Python": replace(_TOLD, command="api"),
}


def copied(template: Path, folder: Path) -> None:
    """The folder as the template is, with its rights."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(template, folder)
