"""Whole runs of random cases, each judged by the bytes that it leaves; a judge that finds nothing would be none."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from trials import tally
from trials.judging import Ended, files, judge
from trials.making import Case, Column, make
from trials.making_files import csv_bytes
from trials.making_trees import Tree
from trials.runs import keep, merged, run, trial, trials

RUNS, PIECE = 300, 10
Tamper = Callable[[Path, Ended], Ended]


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, RUNS, PIECE))
def test_runs_of_random_cases_leave_what_they_must(first: int, tmp_path: Path) -> None:
    losses = []
    for seed in range(first, first + PIECE):
        place = tmp_path / str(seed)
        place.mkdir()
        losses += [f"seed {seed}: {loss}" for loss in trial(seed, place).losses]
    assert not losses, "\n".join(losses)


@pytest.mark.slow
def test_a_seed_makes_one_case() -> None:
    for seed in range(20):
        first, second = make(seed), make(seed)
        assert first.config == second.config and first.words == second.words and first.expected == second.expected
        assert repr(first.columns) == repr(second.columns)
        same = [name for name, content in first.files.items() if content == second.files[name]]
        assert set(first.files) - set(same) <= {"s.duckdb", "out.duckdb"}


def case(algorithm: str) -> Case:
    """Eight rows, two of which no class of two can hold."""
    sex = ["f", "f", "f", "m", "m", "m", "f", "m"]
    age = ["11", "12", "12", "21", "22", "29", "55", "77"]
    words = {value: (value, f"{value[0]}0-{value[0]}9", "*") for value in age}
    columns = [
        Column("id", "text", "identifier", [f"zqsecretword{i}" for i in range(8)]),
        Column("sex", "text", "quasi", sex, Tree({}, {value: (value, "*") for value in sex}, 1)),
        Column("age", "text", "quasi", age, Tree({}, words, 2)),
        Column("ill", "text", "sensitive", ["a", "b", "a", "b", "a", "b", "a", "b"]),
    ]
    built = Case(
        -1, 8, "csv", columns, missing=("",), dialect={"delimiter": ","}, words=["--threads", "1", "--no-advice"]
    )
    built.secrets = list(columns[0].values)
    rows = list(zip(*(column.values for column in columns), strict=True))
    built.files["s.csv"] = csv_bytes([column.name for column in columns], rows, built.dialect)
    built.config = {
        "source": "s.csv",
        "target": "out.csv",
        "identifiers": ["id"],
        "quasi_identifiers": {"sex": {"builtin": "suppress"}, "age": {"builtin": "intervals", "widths": [10]}},
        "sensitive": ["ill"],
        "privacy": {"k": 2, "l_diversity": {"column": "ill", "l": 2}},
        "suppression": {"limit": "25%" if algorithm == "optimal" else 0},
        "algorithm": algorithm,
        "report": "report.json",
    }
    return built


@pytest.fixture(scope="module", params=["optimal", "mondrian"])
def left(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Case, Path, Ended]:
    """A case, what its run left, and how it ended."""
    built = case(request.param)
    folder = tmp_path_factory.mktemp("left")
    built.put(folder)
    return built, folder, run(built, folder)


def lines(change: Callable[[list[str]], list[str]]) -> Tamper:
    def tamper(folder: Path, ended: Ended) -> Ended:
        path = folder / "out.csv"
        path.write_text("\n".join(change(path.read_text().splitlines())) + "\n")
        return ended

    return tamper


def reported(key: str, value: int) -> Tamper:
    def tamper(folder: Path, ended: Ended) -> Ended:
        path = folder / "report.json"
        report = json.loads(path.read_text())
        report["rows"][key] += value
        path.write_text(json.dumps(report))
        return ended

    return tamper


def writing(name: str) -> Tamper:
    def tamper(folder: Path, ended: Ended) -> Ended:
        (folder / name).write_bytes(b"x")
        return ended

    return tamper


OTHER = {"a": "b", "b": "b"}
TAMPERED: dict[str, Tamper] = {
    "a row is gone": lines(lambda rows: rows[:-1]),
    "a row is there twice": lines(lambda rows: [*rows, rows[-1]]),
    "a label is another": lines(lambda rows: [*rows[:-1], "f,50-59," + rows[-1][-1]]),
    "a value is another": lines(
        lambda rows: [row[:-1] + "ba"[row[-1] == "b"] if row[-1] in "ab" else row for row in rows]
    ),
    "an identifier is released": lines(lambda rows: [f"id,{rows[0]}", *(f"zqsecretword1,{row}" for row in rows[1:])]),
    "no class is told from another": lines(lambda rows: [rows[0], *("x,y," + row[-1] for row in rows[1:])]),
    "the report counts another number of rows": reported("released", 1),
    "the report counts others as suppressed": reported("suppressed", 3),
    "something is left behind": writing(".out.csv.kanon-sql-1"),
    "the source is another": writing("s.csv"),
    "a value is told": lambda _, ended: replace(ended, err="kanon-sql: warning: zqsecretword3\n"),
    "a traceback is shown": lambda _, ended: replace(ended, err="Traceback (most recent call last):\n"),
    "the status is none": lambda _, ended: replace(ended, status=7),
    "an error without its status": lambda _, ended: replace(ended, err="kanon-sql: error: x\n"),
    "nobody foresaw it": lambda _, ended: replace(
        ended, status=3, err="kanon-sql: error: unexpected KeyError; please report it with the output of --debug\n"
    ),
    "no release, though there is one": lambda _, ended: replace(ended, status=1, err="kanon-sql: error: x\n"),
}


@pytest.mark.parametrize("what", list(TAMPERED))
def test_what_is_not_as_it_must_be_is_found(what: str, left: tuple[Case, Path, Ended], tmp_path: Path) -> None:
    tried, folder, ended = left
    before = {name: content for name, content in files(folder).items() if name not in ("out.csv", "report.json")}
    assert judge(tried, folder, before, ended) == []
    shutil.copytree(folder, tmp_path / "left")
    assert judge(tried, tmp_path / "left", before, TAMPERED[what](tmp_path / "left", ended))


def test_seeds_and_outcomes_add_up(tmp_path: Path) -> None:
    kept = tmp_path / "kept.json"
    keep(0, 10, Counter(released=8, refused=2), 0, kept)
    keep(10, 5, Counter(released=5), 1, kept)
    keep(100, 1, Counter(refused=1), 0, kept)
    recorded = tally.recorded("runs", kept)
    assert recorded["state"]["ranges"] == [[0, 14], [100, 100]]
    assert recorded["rows"] == [["refused", 3], ["released", 13], ["all", 16], ["losses", 1]]
    state = {**recorded["state"], "version": -1}
    kept.write_text(json.dumps({"runs": {**recorded, "state": state}}))
    keep(7, 2, Counter(released=2), 0, kept)
    recorded = tally.recorded("runs", kept)
    assert recorded["rows"][-3:] == [["all", 18], ["of an earlier generator", 16], ["losses", 1]]
    assert (recorded["command"], recorded["state"]["ranges"]) == ("scripts/faults runs --first 7 --count 2", [[7, 8]])
    assert merged([[5, 9], [0, 6], [20, 30]]) == [[0, 9], [20, 30]]


@pytest.mark.slow
def test_workers_give_each_seed_back() -> None:
    assert sorted(done.seed for done in trials(iter(range(5)), 2)) == list(range(5))
