"""What version 0.1.0 wrote: its ledger is gone on with, its configurations mean the same, its reports lack no key.

The files of `version_0_1_0` were written by that version: the reports by the jobs of tests/support/earlier.py, the
ledger and the release by a run of RECORDED there.
"""

from __future__ import annotations

import gzip
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from earlier import JOBS, Json, configured, loaded
from places import TESTS

import kanon_sql

WRITTEN = TESTS / "house" / "version_0_1_0"
REPORTS: Json = json.loads((WRITTEN / "reports.json").read_text(encoding="utf-8"))
LOADED: Json = json.loads((WRITTEN / "loaded.json").read_text(encoding="utf-8"))
# What says when, where and by how many steps something was done, under whatever key it stands.
OF_ONE_RUN = {"seconds", "made_at", "source", "target", "folder", "path", "statements", "checked", "notes", "sql"}
# What said that nothing is known of it, and has a value now.
UNKNOWN_THEN = {".search.bound"}
# The others take long.
QUICK = {"run", "run, refused", "list_releases", "apply"}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with the files of that version, without the extra that local recoding may have now."""
    if int(duckdb.__version__.split(".")[0]) < 2:
        pytest.skip("the ledger of version 0.1.0 was written by DuckDB 2.0, in a form that older ones do not read")
    monkeypatch.setattr("kanon_sql.search.local.highs.is_installed", lambda: False)
    for path in WRITTEN.glob("*.csv"):
        shutil.copy(path, tmp_path)
    ledger = tmp_path / "ledger.duckdb"
    ledger.write_bytes(gzip.decompress((WRITTEN / "ledger.duckdb.gz").read_bytes()))
    with duckdb.connect(str(ledger)) as connection:  # the files were moved since, all of them together
        ((table,),) = connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
        moved = ", ".join(f"{column} = replace({column}, '/tmp/clinic', $place)" for column in ("target", "details"))
        connection.execute(f"UPDATE {table} SET {moved}", {"place": str(tmp_path)})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def lacking(then: Any, now: Any, path: str = "") -> Iterator[str]:
    """What stood in a report and does not stand there now, or of another type, or with another value."""
    if isinstance(then, dict):
        if not isinstance(now, dict):
            yield f"{path}: was a mapping"
            return
        for key, value in then.items():
            if key not in now:
                yield f"{path}.{key}: is gone"
            else:
                yield from lacking(value, now[key], f"{path}.{key}")
    elif isinstance(then, list) and isinstance(now, list):
        if len(then) != len(now):
            yield f"{path}: {len(then)} entries were {len(now)}"
        for number, (before, after) in enumerate(zip(then, now, strict=False)):
            yield from lacking(before, after, f"{path}[{number}]")
    else:
        if then is None and path in UNKNOWN_THEN:
            return
        steady = not OF_ONE_RUN & set(re.split(r"[.\[]", path))
        if type(then) is not type(now) or (steady and then != pytest.approx(now)):
            yield f"{path}: {then!r} is now {now!r}"


@pytest.mark.few(1)
@pytest.mark.parametrize("job", [pytest.param(job, marks=[] if job in QUICK else pytest.mark.slow) for job in JOBS])
def test_reports_hold_what_they_held(job: str, place: Path) -> None:
    now = json.loads(json.dumps(JOBS[job](), default=str))
    assert list(lacking(REPORTS[job], now)) == []


@pytest.mark.parametrize("name", LOADED)
def test_configurations_mean_what_they_meant(name: str) -> None:
    assert list(lacking(LOADED[name], loaded(WRITTEN / "configurations" / f"{name}.yaml"))) == []


def test_every_configuration_and_job_is_compared() -> None:
    assert set(LOADED) == {path.stem for path in WRITTEN.glob("configurations/*.yaml")}
    assert set(REPORTS) == set(JOBS)


def test_a_release_is_counted_as_it_was(place: Path) -> None:
    run = REPORTS["run"]
    report = kanon_sql.check(configured(), "release.csv")
    assert report["status"] == "satisfied"
    assert report["rows"]["source"] == run["rows"]["released"] and report["classes"] == run["classes"]
