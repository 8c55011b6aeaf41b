"""Damaged files: what trials of them do, what they call a loss, and some trials of each kind."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from trials import files, files_cases, files_damage, files_judging
from trials.files_cases import BASE, KINDS, OLD, Case
from trials.files_pool import HEAD
from trials.files_server import Server
from trials.files_thrift import as_long, fields, zigzag

TEXT = b"id,sex\nr1,f\nr2,m\n" * 20
SEEDS = 6  # of each kind


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[files.Place]:
    with files.opened(tmp_path_factory.mktemp("files")) as opened:
        yield opened


@pytest.mark.parametrize("name", files_damage.TEXT)
def test_a_damage_changes_bytes_and_follows_from_its_seed(name: str) -> None:
    damage = files_damage.TEXT[name]
    damaged = [damage(TEXT, random.Random(seed)) for seed in range(20)]
    assert damaged == [damage(TEXT, random.Random(seed)) for seed in range(20)]
    assert sum(content != TEXT for content in damaged) >= 15


def parquet(folder: Path) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(
        pa.table({"x": ["a", "b", "c"] * 50, "n": list(range(150))}), folder / "in.parquet", row_group_size=50
    )
    return (folder / "in.parquet").read_bytes()


def test_the_fields_of_a_footer_are_found(tmp_path: Path) -> None:
    data = parquet(tmp_path)
    start = len(data) - 8 - struct.unpack("<I", data[-8:-4])[0]
    read = list(fields(data, start))
    assert [zigzag(data, field) for field in read if field.path == (3,)] == [150]
    assert [zigzag(data, field) for field in read if field.path == (4, 3)] == [50, 50, 50]
    (total,) = (field for field in read if field.path == (3,))
    assert as_long(150, total.end - total.start) == data[total.start : total.end]
    assert as_long(1 << 40, 2) is None


@pytest.mark.parametrize("name", [name for name in files_damage.PARQUET if name not in files_damage.ANY])
def test_a_damage_of_parquet_changes_bytes(tmp_path: Path, name: str) -> None:
    data = parquet(tmp_path)
    damaged = [files_damage.PARQUET[name](data, random.Random(seed)) for seed in range(20)]
    assert sum(content != data for content in damaged) >= 10  # parts that are exchanged may be equal


def case(**more: Any) -> Case:
    config = {"source": "in.csv", **BASE}
    given = {"in.csv": TEXT, "out.csv": OLD, "config.yaml": yaml.safe_dump(config).encode()}
    usual = Case(1, "CSV", "none", given, "in.csv", TEXT, ["run"], config, "in.csv", result="out.csv")
    return replace(usual, **more)


def judged(folder: Path, answer: dict[str, Any], changed: dict[str, bytes] | None = None) -> files_judging.Outcome:
    """What a trial is called that ended so and left these files."""
    trial = case()
    for name, data in {**trial.files, **(changed or {})}.items():
        (folder / name).write_bytes(data)
    usual = {"status": 3, "signal": None, "late": False, "wall": 0, "out": "", "err": "kanon-sql: error: in.csv: no"}
    return files_judging.judge(trial, folder, {**usual, **answer}, lambda *_, **__: [])


LOSSES: dict[str, tuple[dict[str, Any], dict[str, bytes]]] = {
    "traceback": ({"err": "Traceback (most recent call last):\n  x"}, {}),
    "no clear error": ({"err": "kanon-sql: error: unexpected KeyError; please report it"}, {}),
    "error names no file": ({"err": "kanon-sql: error: the engine failed (Error)"}, {}),
    "unknown status": ({"status": 70, "err": "kanon-sql: error: in.csv"}, {}),
    "files changed": ({}, {"out.csv": b"id\n"}),
    "files left behind": ({}, {".out.csv.part": b""}),
    "hung": ({"late": True}, {}),
    "engine crashed, files changed": ({"status": None, "signal": "SIGSEGV"}, {"in.csv": b""}),
}


@pytest.mark.parametrize("name", LOSSES)
def test_what_a_loss_is(tmp_path: Path, name: str) -> None:
    outcome = judged(tmp_path, *LOSSES[name])
    assert outcome.loss
    assert outcome.name == name or (name, outcome.name) == ("unknown status", "traceback")


def test_what_no_loss_is(tmp_path: Path) -> None:
    assert judged(tmp_path, {}) == files_judging.Outcome("refused")
    crashed = judged(tmp_path, {"status": None, "signal": "SIGSEGV"})
    assert (crashed.name, crashed.loss) == ("engine crashed, nothing lost", False)


def test_the_rows_of_a_release_are_worked_out_anew() -> None:
    rows = [[f"r{place}", "f", "41", "02139", "flu", "1.50", ""] for place in range(5)]
    table = {"columns": HEAD, "rows": [*rows, ["r9", "m", "", "03", "flu", "x", ""]]}
    rows_expected = files_judging.expected(table, BASE, {"sex": 0, "age": 2, "zip": 2}, {})
    assert rows_expected == {(f"r{place}", "f", "40-49", "021**", "flu", "1.5", ""): 1 for place in range(5)}
    assert (
        sum(files_judging.expected(table, {**BASE, "privacy": {"k": 1}}, {"sex": 1, "age": 4, "zip": 4}, {}).values())
        == 6
    )


@pytest.mark.slow
def test_a_process_that_dies_or_fails_is_an_answer(tmp_path: Path) -> None:
    server = Server(tmp_path / "server")
    try:
        assert server.run("os:_exit", 7, tmp_path)["status"] == 7
        assert server.run("os:abort_", {}, tmp_path)["status"] == 70
        died = server.run("signal:raise_signal", 11, tmp_path)
        assert (died["status"], died["signal"], died["late"]) == (None, "SIGSEGV", False)
        late = server.run("time:sleep", 30, tmp_path, seconds=0.1)
        assert (late["late"], late["signal"]) == (True, None)
    finally:
        server.close()


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_whole_files_of_each_kind_are_released(place: files.Place, kind: str) -> None:
    """What trials damage is read and judged right as it is."""
    tried = 0
    for seed in range(40):
        drawn = files_cases.make(seed, place.pool, kind)
        if drawn.command not in ("run", "apply"):
            continue
        whole = replace(drawn, files={**drawn.files, drawn.damaged: drawn.whole})
        trial = place.trial(whole)
        assert trial.outcome.name == "released, as others read it", (seed, trial)
        tried += 1
        if tried == 3:
            return


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_file_is_refused_or_released_as_it_reads(place: files.Place, kind: str, seed: int) -> None:
    trial = place.trial(files_cases.make(seed, place.pool, kind))
    assert not trial.outcome.loss, trial
