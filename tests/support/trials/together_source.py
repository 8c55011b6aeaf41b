"""A source that another program changes while a run reads it: what is released is of one state of it, or nothing is.

Both states have the same rows by their numbers, in files of one length, so that no count tells them apart.
"""

from __future__ import annotations

import json
import os
import random
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import duckdb
from table_files import read_csv, read_parquet, write_csv

import kanon_sql
from kanon_sql.errors import KanonError
from kanon_sql.sql.connection import Engine, EngineOptions

HEAD = ["number", "state", "sex", "age", "zip", "diagnosis"]
QUASI = ("sex", "age", "zip")
K = 4
TOLD = re.compile(
    r"was changed by another program|did the source change|source give other rows|classes are not those of the source"
    r"|classes are not there, or not of the size"
)
Rows = list[tuple[str, ...]]


class LostError(Exception):
    """What must not be: a release of two states, one that does not hold, a change that is lost, files left behind."""


def rows(state: str, seed: int, count: int = 120, first: int = 0) -> Rows:
    """A state of the table; every value is as long as that of the other one."""
    draw = random.Random(f"{state} {seed} {first}")
    return [
        (
            f"{first + i:06}",
            state,
            draw.choice("fm"),
            str(draw.randint(20, 79)),
            f"021{draw.randint(30, 49)}",
            draw.choice(["flu", "gut", "eye"]),
        )
        for i in range(count)
    ]


def both(seed: int, count: int, *, near: bool) -> dict[str, Rows]:
    """The two states; `near` ones have the same quasi-identifiers, so that all classes stay as they are."""
    first, second = rows("a", seed, count), rows("b", seed, count)
    if near:
        second = [(*new[:2], *old[2:5], new[5]) for old, new in zip(first, second, strict=True)]
    return {"a": first, "b": second}


@dataclass
class Case:
    """A source in a folder, its two states, and how it comes from one to the other."""

    configuration: dict[str, Any] | Path
    states: dict[str, Rows]
    change: Callable[[], None]
    kept: set[str]  # names that stand in the folder beside the release
    handed: dict[str, Any] = field(default_factory=dict)
    read: Callable[[], Rows] | None = None  # the release, where it is no file release.csv
    judge: Callable[[list[Mapping[str, Any]]], None] | None = None  # instead of comparing with the states


def configuration(source: Any, **more: Any) -> dict[str, Any]:
    return {
        "source": source,
        "target": {"path": "release.csv", "overwrite": True},
        "quasi_identifiers": {
            "sex": {"builtin": "suppress"},
            "age": {"builtin": "intervals", "widths": [10, 30]},
            "zip": {"builtin": "prefix", "keep": [4, 3]},
        },
        "sensitive": ["diagnosis"],
        "insensitive": ["number", "state"],
        "privacy": {"k": K},
        "suppression": {"limit": "30%"},
        **more,
    }


def write_parquet(path: Path, table: Rows) -> None:
    with duckdb.connect() as connection:
        fill(connection, "t", table)
        connection.execute(f"COPY t TO '{path}' (FORMAT parquet)")


def fill(connection: duckdb.DuckDBPyConnection, name: str, table: Rows) -> None:
    connection.execute(f"CREATE OR REPLACE TABLE {name} ({', '.join(f'{column} VARCHAR' for column in HEAD)})")
    connection.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(HEAD))})", table)


def write_database(path: Path, table: Rows) -> None:
    with duckdb.connect(str(path)) as connection:
        fill(connection, "people", table)


def write(path: Path, table: Rows) -> None:
    """The table in the format that the name tells."""
    if path.suffix == ".csv":
        write_csv(path, [HEAD, *table])
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(dict(zip(HEAD, row, strict=True))) + "\n" for row in table))
    else:
        {".parquet": write_parquet, ".duckdb": write_database}[path.suffix](path, table)


def _rewrite(path: Path, successor: Path) -> None:
    """The same file with the bytes of the other, a piece at a time."""
    content = successor.read_bytes()
    with path.open("r+b") as file:
        file.truncate(0)
        for start in range(0, len(content), 4096):
            file.write(content[start : start + 4096])
            file.flush()


def _append(path: Path, table: Rows) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.writelines(",".join(row) + "\n" for row in table)


def one_file(folder: Path, seed: int, count: int, *, suffix: str, how: str, **more: Any) -> Case:
    path, successor = folder / f"people{suffix}", folder / f"other{suffix}"
    states = both(seed, count, near=more.pop("near", False))
    write(path, states["a"])
    kept = {path.name}
    if how == "appended":
        states["b"] = states["a"] + rows("b", seed, count // 3, count)
        change = partial(_append, path, states["b"][count:])
    else:
        write(successor, states["b"])
        change = partial(os.replace, successor, path) if how == "replaced" else partial(_rewrite, path, successor)
        kept.add(successor.name)
    source = {"database": path.name, "table": "people"} if suffix == ".duckdb" else path.name
    return Case(configuration(more.pop("source", source), **more), states, change, kept)


def in_folder(folder: Path, seed: int, count: int, *, how: str, source: Any = "many") -> Case:
    states = {"a": rows("a", seed, count)}
    many = folder / "many"
    many.mkdir()
    for part in range(3):
        write(many / f"part-{part}.csv", states["a"][part::3])
    if how == "added":
        more = rows("b", seed, count // 3, count)
        states["b"] = states["a"] + more
        return Case(configuration(source), states, partial(write, many / "part-3.csv", more), {"many"})
    new = [(row[0], *rows("b", seed, count)[int(row[0])][1:]) for row in states["a"][1::3]]
    states["b"] = states["a"][0::3] + new + states["a"][2::3]
    write(folder / "other.csv", new)
    change = partial(os.replace, folder / "other.csv", many / "part-1.csv")
    return Case(configuration(source), states, change, {"many", "other.csv"})


def shared(folder: Path, seed: int, count: int, *, how: str, to: str = "table", **more: Any) -> Case:
    """A table of a connection that was handed in, which its owner changes by another cursor of it."""
    connection = duckdb.connect(config={"threads": 2})
    states = both(seed, count, near=more.pop("near", False))
    fill(connection, "people", states["a"])
    fill(connection, "other", states["b"])
    statements = {
        "updated": "UPDATE people SET state = o.state, sex = o.sex, age = o.age, zip = o.zip, diagnosis = o.diagnosis "
        "FROM other AS o WHERE o.number = people.number",
        "appended": "INSERT INTO people SELECT * FROM other WHERE number >= $first",
        "replaced": "CREATE OR REPLACE TABLE people AS FROM other",
    }
    if how == "appended":
        states["b"] = states["a"] + rows("b", seed, count // 3, count)
        fill(connection, "other", states["b"])
    config = configuration("people", **more)
    handed: dict[str, Any] = {"connection": connection, "source": "people"}
    read = None
    if to == "table":
        del config["target"]
        handed["target"] = "released"

        def read() -> Rows:
            return connection.cursor().execute(f"SELECT {', '.join(HEAD)} FROM released").fetchall()

    del config["source"]

    def change() -> None:
        given = {"first": f"{count:06}"} if how == "appended" else None
        connection.cursor().execute(statements[how], given)

    return Case(config, states, change, set(), handed, read)


def in_place(folder: Path, seed: int, count: int, *, suffix: str, how: str) -> Case:
    """The change is never lost: it is there, or was read and released."""
    case = one_file(folder, seed, count, suffix=suffix, how=how, target="in-place")
    path, successor = folder / f"people{suffix}", folder / f"other{suffix}"
    changed, change, changes = successor.read_bytes(), case.change, []

    def noted() -> None:
        changes.append(True)
        change()

    def judge(_: list[Mapping[str, Any]]) -> None:
        if path.read_bytes() == changed:
            return
        read = read_csv if suffix == ".csv" else read_parquet
        state = "b" if changes else "a"
        judge_rows({state: case.states[state]}, read(path), count)

    case.judge, case.read, case.change = judge, list, noted
    return case


def hierarchy(folder: Path, seed: int, count: int) -> Case:
    """The labels are those of one version of the file."""
    case = one_file(folder, seed, count, suffix=".csv", how="replaced")
    assert isinstance(case.configuration, dict)
    for name, word in (("sex.csv", "A"), ("other-sex.csv", "B")):
        (folder / name).write_text(f"f,{word} one,*\nm,{word} two,*\n")
    case.configuration["quasi_identifiers"]["sex"] = {"hierarchy": "sex.csv", "min_level": 1}
    case.change = partial(os.replace, folder / "other-sex.csv", folder / "sex.csv")
    case.kept |= {"sex.csv", "other-sex.csv"}

    def judge(released: list[Mapping[str, Any]]) -> None:
        words = {str(row["sex"])[0] for row in released} - {"*"}
        if len(words) > 1:
            raise LostError("labels of two versions of a hierarchy")

    case.judge = judge
    return case


def configured(folder: Path, seed: int, count: int) -> Case:
    """The configuration is that of one moment: as many columns as k says."""
    case = one_file(folder, seed, count, suffix=".csv", how="replaced")
    assert isinstance(case.configuration, dict)
    stricter = {**case.configuration, "privacy": {"k": 9}, "insensitive": ["number"], "unlisted": "drop"}
    (folder / "run.yaml").write_text(json.dumps(case.configuration))
    (folder / "other.yaml").write_text(json.dumps(stricter))
    case.change = partial(os.replace, folder / "other.yaml", folder / "run.yaml")
    case.kept |= {"run.yaml", "other.yaml"}
    case.configuration = folder / "run.yaml"

    def judge(released: list[Mapping[str, Any]]) -> None:
        smallest = min(Counter(tuple(row[name] for name in QUASI) for row in released).values())
        if smallest < (K if "state" in released[0] else 9):
            raise LostError("columns of one configuration, k of another")

    case.judge = judge
    return case


def population(folder: Path, seed: int, count: int) -> Case:
    """Each class stands for k persons of one state of the population."""
    case = one_file(folder, seed, count, suffix=".csv", how="replaced")
    assert isinstance(case.configuration, dict)
    persons = {state: case.states["a"] + rows(state, seed + 1, 4 * count, count) for state in "ab"}
    write(folder / "everyone.csv", persons["a"])
    write(folder / "other-everyone.csv", persons["b"])
    case.configuration["privacy"] = {"k": 1, "k_map": {"k": 12, "population": "everyone.csv"}}
    case.change = partial(os.replace, folder / "other-everyone.csv", folder / "everyone.csv")
    case.kept |= {"everyone.csv", "other-everyone.csv"}

    def holds(released: list[Mapping[str, Any]], everyone: Rows) -> bool:
        labels = {tuple(row[name] for name in QUASI) for row in released}
        return all(sum(map(partial(_alike, label), everyone)) >= 12 for label in labels)

    def judge(released: list[Mapping[str, Any]]) -> None:
        if not any(holds(released, everyone) for everyone in persons.values()):
            raise LostError("no state of the population has 12 persons for each class")

    case.judge = judge
    return case


def _alike(labels: tuple[Any, ...], row: tuple[str, ...]) -> bool:
    return all(_fits(str(label), value) for label, value in zip(labels, row[2:5], strict=True))


MONDRIAN: dict[str, Any] = {"algorithm": "mondrian"}
LOCAL: dict[str, Any] = {"algorithm": {"name": "local", "effort": "fast", "seed": 3}}
DIVERSE: dict[str, Any] = {"privacy": {"k": K, "l_diversity": {"column": "diagnosis", "l": 2}}}
COUNTS: dict[str, Any] = {"release": {"verify": "counts"}}
MASKED: dict[str, Any] = {"release": {"suppressed": "mask"}}
LEDGER: dict[str, Any] = {"releases": {"path": "ledger.duckdb"}}

CASES: dict[str, Callable[[Path, int, int], Case]] = {
    "csv appended": partial(one_file, suffix=".csv", how="appended"),
    "csv replaced": partial(one_file, suffix=".csv", how="replaced"),
    "csv rewritten": partial(one_file, suffix=".csv", how="rewritten"),
    "csv replaced, counts": partial(one_file, suffix=".csv", how="replaced", **COUNTS),
    "csv rewritten, mondrian": partial(one_file, suffix=".csv", how="rewritten", **MONDRIAN),
    "csv replaced, local": partial(one_file, suffix=".csv", how="replaced", **LOCAL),
    "csv rewritten, diverse": partial(one_file, suffix=".csv", how="rewritten", **DIVERSE),
    "csv replaced, near, counts": partial(one_file, suffix=".csv", how="replaced", near=True, **COUNTS),
    "csv rewritten, near, diverse": partial(one_file, suffix=".csv", how="rewritten", near=True, **DIVERSE),
    "csv replaced, masked": partial(one_file, suffix=".csv", how="replaced", **MASKED),
    "csv replaced, ledger": partial(one_file, suffix=".csv", how="replaced", **LEDGER),
    "csv in place, replaced": partial(in_place, suffix=".csv", how="replaced"),
    "csv in place, rewritten": partial(in_place, suffix=".csv", how="rewritten"),
    "parquet in place, replaced": partial(in_place, suffix=".parquet", how="replaced"),
    "parquet replaced": partial(one_file, suffix=".parquet", how="replaced"),
    "parquet rewritten": partial(one_file, suffix=".parquet", how="rewritten"),
    "parquet rewritten, local": partial(one_file, suffix=".parquet", how="rewritten", **LOCAL),
    "parquet replaced, counts": partial(one_file, suffix=".parquet", how="replaced", **COUNTS),
    "jsonl rewritten": partial(one_file, suffix=".jsonl", how="rewritten"),
    "database replaced": partial(one_file, suffix=".duckdb", how="replaced"),
    "folder, file added": partial(in_folder, how="added"),
    "folder, file replaced": partial(in_folder, how="replaced"),
    "glob, file added": partial(in_folder, how="added", source="many/*.csv"),
    "query of a file, replaced": partial(
        one_file, suffix=".csv", how="replaced", source={"query": "SELECT * FROM 'people.csv'"}
    ),
    "query of a glob, file added": partial(in_folder, how="added", source={"query": "SELECT * FROM 'many/*.csv'"}),
    "shared table updated": partial(shared, how="updated"),
    "shared table appended": partial(shared, how="appended"),
    "shared table replaced": partial(shared, how="replaced"),
    "shared table updated, mondrian": partial(shared, how="updated", **MONDRIAN),
    "shared table updated, local": partial(shared, how="updated", **LOCAL),
    "shared table updated, near": partial(shared, how="updated", near=True),
    "shared table updated, near, diverse": partial(shared, how="updated", near=True, **DIVERSE),
    "shared table updated, near, counts, to a file": partial(shared, how="updated", to="file", near=True, **COUNTS),
    "shared table updated, to a file": partial(shared, how="updated", to="file"),
    "shared table updated, counts, to a file": partial(shared, how="updated", to="file", **COUNTS),
    "hierarchy replaced": hierarchy,
    "configuration replaced": configured,
    "population replaced": population,
}


def _fits(label: str, value: str) -> bool:
    """Whether a value may be released as this label: itself, *, its beginning, or a range that holds it."""
    if label in (value, "*"):
        return True
    if label.endswith("*"):
        return len(label) == len(value) and value.startswith(label.rstrip("*"))
    numbers = re.fullmatch(r"(\d+)-(\d+)", label)
    return numbers is not None and int(numbers[1]) <= int(value) <= int(numbers[2])


def judge_rows(states: Mapping[str, Rows], released: Sequence[Mapping[str, Any]], source_rows: int) -> str:
    """Of which state the release is. Raises LostError where of none, or where it does not hold."""
    own = [row for row in released if not all(row[name] == "*" for name in QUASI)]
    masked = len(released) - len(own)
    small = [n for n in Counter(tuple(row[name] for name in QUASI) for row in own).values() if n < K]
    if small or (masked and masked < K):
        raise LostError(f"{len(small)} classes of fewer than {K} rows")
    for name, table in states.items():
        by_number = {row[0]: row for row in table}
        distinct = len({row["number"] for row in released}) == len(released)
        if (source_rows == len(table) and distinct) and all(
            row["number"] in by_number
            and (row["state"], row["diagnosis"]) == (by_number[row["number"]][1], by_number[row["number"]][5])
            and _alike(tuple(row[name] for name in QUASI), by_number[row["number"]])
            for row in released
        ):
            return name
    raise LostError("the release is of no state of the source")


@contextmanager
def at_statement(moment: int, change: Callable[[], None]) -> Iterator[list[int]]:
    """In the block the change is made just before the engine is asked for the given time; how often it was."""
    original, seen = Engine.run, [0]

    def run(self: Engine, *given: Any) -> Any:
        seen[0] += 1
        if seen[0] == moment + 1:
            change()
        return original(self, *given)

    with mock.patch.object(Engine, "run", run):
        yield seen


@contextmanager
def after(seconds: float, change: Callable[[], None]) -> Iterator[list[int]]:
    """The change is made by another thread, after some time, unless the block ended before."""
    timer = threading.Timer(seconds, change)
    timer.start()
    try:
        yield [0]
    finally:
        timer.cancel()
        timer.join()


def trial(kind: str, folder: Path, seed: int, moment: int | float, count: int = 120) -> tuple[str, int]:
    """(what became of a run whose source is changed at a moment, how often the engine was asked).

    A moment is the number of a statement, or seconds. Raises LostError.
    """
    case = CASES[kind](folder, seed, count)
    given = case.configuration
    if isinstance(given, dict):
        given = folder / "given.yaml"
        given.write_text(json.dumps(case.configuration))
    meddling = at_statement(moment, case.change) if isinstance(moment, int) else after(moment, case.change)
    report: Mapping[str, Any] | None = None
    with meddling as seen:
        try:
            spill = EngineOptions(threads=2)
            report = kanon_sql.run(given, options=spill, advice=False, **case.handed).report
            ended = "released"
        except KanonError as error:
            explained = bool(TOLD.search(str(error)))
            ended = f"refused, {'told' if explained else 'for another reason'} ({error.exit_status})"
            if not explained and not kind.startswith("shared"):
                raise LostError(f"exit status {error.exit_status}: {error}") from None
            if case.judge is not None and case.read is not None:
                case.judge([])
    if report is not None:
        ended = _released(case, folder, report)
    left = {path.name for path in folder.iterdir()} - case.kept - {"given.yaml", "release.csv", "ledger.duckdb"}
    if left:
        raise LostError(f"left behind: {sorted(left)}")
    with suppress(KeyError):
        case.handed["connection"].close()
    return ended, seen[0]


def _released(case: Case, folder: Path, report: Mapping[str, Any]) -> str:
    if case.read is None:
        released: list[Mapping[str, Any]] = list(read_csv(folder / "release.csv"))
    else:
        released = [dict(zip(HEAD, row, strict=True)) for row in case.read()]
    if case.judge is not None:
        case.judge(released)
        return "released"
    numbers = report["rows"]
    if len(released) != numbers["released"] + numbers.get("masked", 0):
        raise LostError("the report counts other rows than were released")
    return f"released, state {judge_rows(case.states, released, numbers['source'])}"
