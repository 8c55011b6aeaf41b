"""The ledger: what it keeps, what a run with it refuses, and that a release and its record come together."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pytest
from ledger_jobs import HEAD, configuration, entries, table
from shared_engine import attached
from table_files import read_csv, write_csv

import kanon_sql
from kanon_sql.cli.main import main
from kanon_sql.errors import ConfigurationError, EngineError, NoReleaseError


@pytest.fixture
def place(tmp_path: Path) -> Path:
    write_csv(tmp_path / "source.csv", [HEAD, *table()])
    return tmp_path


@pytest.mark.slow
def test_what_is_kept_and_that_it_holds_no_rows(place: Path) -> None:
    result = kanon_sql.run(configuration(place))
    (kept_entry,) = entries(place)
    assert kept_entry == kanon_sql.show_release(place / "ledger.duckdb", 1)
    assert (kept_entry["id"], kept_entry["origin"], kept_entry["built_on"]) == (1, 1, None)
    assert kept_entry["quasi_identifiers"] == ["sex", "zip"] and kept_entry["released"] == ["sex", "zip", 'di"agnosis']
    assert kept_entry["details"]["solution"]["levels"] == result.levels
    assert kept_entry["details"]["rows"] == result.report["rows"]
    assert kept_entry["details"]["order"] == "random" and "seed" not in json.dumps(kept_entry)
    assert result.report["ledger"]["id"] == 1 and result.report["ledger"]["earlier"] == []
    with duckdb.connect(str(place / "ledger.duckdb"), read_only=True) as connection:
        ((table,),) = connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
        kept = json.dumps(kept_entry) + str(connection.table(table).fetchall())
        query = "SELECT tags['storage_version'] FROM duckdb_databases() WHERE database_name = 'ledger'"
        assert connection.execute(query).fetchall() == [("v1.5.0+",)]  # DuckDB 1.5 goes on with it
    assert "secret1" not in kept and "02133" not in kept and "flu" not in kept
    stored = (place / "ledger.duckdb").read_bytes()  # no short texts: three letters stand in compressed pages by chance
    assert b"secret1" not in stored and b"02133" not in stored


def small_classes(rows: list[dict[str, Any]], names: list[str], k: int) -> dict[str, int]:
    counted = Counter(tuple(row[name] for name in names) for row in rows)
    small = [count for count in counted.values() if count < k]
    return {"classes": len(small), "rows": sum(small)}


@pytest.mark.slow
def test_a_second_release_of_the_same_source(place: Path) -> None:
    kanon_sql.run(configuration(place))
    before = (place / "release.csv").read_bytes()
    coarser = {
        "sex": {"builtin": "suppress", "min_level": 1},
        "zip": {"builtin": "prefix", "keep": [4], "max_level": 0},
    }
    second = configuration(place, quasi_identifiers=coarser, privacy={"k": 7}, suppression={"limit": "99%"})
    with pytest.raises(NoReleaseError, match="holds release 1 of the same source") as refused:
        kanon_sql.run(second)
    assert (place / "release.csv").read_bytes() == before and len(entries(place)) == 1
    report = refused.value.report
    assert report and report["status"] == "no-release" and report["solution"] is None
    warned = kanon_sql.run({**second, "releases": {**second["releases"], "on_conflict": "warn"}})
    columns = ["sex", "zip", 'di"agnosis']
    expected = {"known": columns, "violating": small_classes(read_csv(place / "release.csv"), columns, 7)}
    assert expected["violating"]["classes"] > 0  # type: ignore[index]
    assert {key: warned.report["ledger"][key] for key in expected} == expected
    assert {key: report["ledger"][key] for key in expected} == expected
    assert any("of the same source" in text for text in warned.warnings)
    assert [(listed["id"], listed["origin"]) for listed in entries(place)] == [(1, 1), (2, 1)]


@pytest.mark.slow
def test_columns_that_were_not_published_do_not_count(place: Path) -> None:
    kanon_sql.run(configuration(place, sensitive=[], insensitive=["ward"]))
    again = configuration(place, quasi_identifiers={"sex": {"builtin": "suppress"}}, privacy={"k": 150})
    result = kanon_sql.run(again)  # 400 rows in 2 classes; with the diagnosis there would be 4, each below 150
    assert result.report["ledger"]["known"] == ["sex"]
    assert small_classes(read_csv(place / "release.csv"), ["sex", 'di"agnosis'], 150)["classes"] > 0
    with pytest.raises(NoReleaseError, match="holds releases 1, 2 of the same source"):
        kanon_sql.run({**again, "insensitive": ["ward"], "privacy": {"k": 151}})


@pytest.mark.slow
def test_a_release_built_on_the_first(place: Path) -> None:
    kanon_sql.run(configuration(place, target=str(place / "first.parquet")))
    built = configuration(
        place, source=str(place / "first.parquet"), quasi_identifiers={"zip": {"builtin": "suppress"}},
        unlisted="error", identifiers=["sex"], target=str(place / "second.csv"),
    )  # fmt: skip
    assert kanon_sql.run(built).report["ledger"]["built_on"] == 1
    # The same rows in another format and order are the same source.
    rows = [[row[name] for name in HEAD] for row in read_csv(place / "source.csv")]
    random.Random(2).shuffle(rows)
    write_csv(place / "copy.csv", [HEAD, *rows])
    copy = configuration(place, source=str(place / "copy.csv"), privacy={"k": 150})
    with pytest.raises(NoReleaseError, match="releases 1, 2 of the same source"):
        kanon_sql.run(copy)
    rows[0][3] = "other"  # one cell: every other column says that it is the same table
    write_csv(place / "copy.csv", [HEAD, *rows])
    with pytest.raises(NoReleaseError, match="releases 1, 2 of the same source"):
        kanon_sql.run(copy)
    write_csv(place / "copy.csv", [HEAD, *table(seed=2)[:399], table(401)[-1]])
    assert kanon_sql.run(copy).report["ledger"]["earlier"] == []
    assert [(listed["id"], listed["origin"], listed["built_on"]) for listed in entries(place)] == [
        (1, 1, None),
        (2, 1, 1),
        (3, 3, None),
    ]


@pytest.mark.few(1)
@pytest.mark.parametrize("columns", [{"ward": {"case": "lower"}}, {"zip": {"type": "number"}}])
def test_a_source_is_the_same_however_its_columns_are_read(place: Path, columns: dict[str, Any]) -> None:
    (place / "copy.csv").write_bytes((place / "source.csv").read_bytes())
    kanon_sql.run(configuration(place, target=str(place / "first.csv")))
    read = {"path": str(place / "copy.csv"), "columns": columns}
    with pytest.raises(NoReleaseError, match="holds release 1 of the same source"):
        kanon_sql.run(configuration(place, source=read, privacy={"k": 150}))
    read = {"path": str(place / "first.csv"), "columns": {'di"agnosis': {"case": "upper"}}}
    built = configuration(place, source=read, identifiers=[], target=str(place / "second.csv"))
    built["quasi_identifiers"] = {name: {"builtin": "suppress"} for name in built["quasi_identifiers"]}
    assert kanon_sql.run(built).report["ledger"]["built_on"] == 1


@pytest.mark.slow
def test_the_same_release_again_and_a_source_that_changed(place: Path) -> None:
    kanon_sql.run(configuration(place))
    again = kanon_sql.run(configuration(place))  # the same rows in another order say nothing new
    assert again.report["ledger"]["earlier"] == [1] and again.report["ledger"]["violating"]["classes"] == 0
    write_csv(place / "source.csv", [HEAD, *table(401)])
    with pytest.raises(NoReleaseError, match="releases 1, 2 of the same source"):
        kanon_sql.run(configuration(place, privacy={"k": 150}))


@pytest.mark.slow
def test_in_place(place: Path) -> None:
    kanon_sql.run(configuration(place, target="in-place"))
    then = configuration(place, target="in-place", identifiers=[])
    result = kanon_sql.run(
        {**then, "quasi_identifiers": {"zip": {"builtin": "suppress"}, "sex": {"builtin": "suppress"}}}
    )
    assert result.report["ledger"]["built_on"] == 1


@pytest.mark.few(1)
@pytest.mark.parametrize("release", [{"order": "none"}, {"seed": 7}])
def test_an_order_that_is_not_random(release: dict[str, Any], place: Path) -> None:
    config = configuration(place, release=release)
    with pytest.raises(NoReleaseError, match="places of their rows"):
        kanon_sql.run(config)
    assert not (place / "release.csv").exists() and not (place / "ledger.duckdb").exists()
    config["releases"]["on_conflict"] = "warn"
    assert any("places of their rows" in text for text in kanon_sql.run(config).warnings)


def test_a_run_that_fails_is_not_recorded(place: Path) -> None:
    with pytest.raises(NoReleaseError):
        kanon_sql.run(configuration(place, privacy={"k": 1000}))
    assert not (place / "ledger.duckdb").exists()


@pytest.mark.slow
def test_a_release_that_does_not_come_to_its_place_is_not_recorded(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kanon_sql.targets.files import FileSink

    def fail(*_: Any) -> None:
        raise EngineError("no room")

    monkeypatch.setattr(FileSink, "commit", fail)
    with pytest.raises(EngineError, match=r"^no room$"):
        kanon_sql.run(configuration(place))
    assert entries(place) == [] and not (place / "release.csv").exists()


@pytest.mark.slow
def test_a_connection_that_is_handed_in(place: Path) -> None:
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE people AS FROM read_csv('{place}/source.csv', all_varchar = true)")
        config = {key: value for key, value in configuration(place).items() if key not in ("source", "target")}
        kanon_sql.run(config, connection=connection, source="people", target="one")
        harder = {**config, "privacy": {"k": 150}}
        with pytest.raises(NoReleaseError, match="of the same source"):
            kanon_sql.run(harder, connection=connection, source="people", target="two")
        assert connection.execute("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'two'").fetchone() == (0,)
    assert [listed["source"] for listed in entries(place)] == [None]


@pytest.mark.slow
def test_runs_wait_for_one_another(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kanon_sql.run(configuration(place))
    holds = "import duckdb, sys, time; c = duckdb.connect(sys.argv[1]); print('held', flush=True); time.sleep({})"

    def hold(seconds: float) -> subprocess.Popen[str]:
        words = [sys.executable, "-c", holds.format(seconds), str(place / "ledger.duckdb")]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        assert process.stdout and process.stdout.readline() == "held\n"
        return process

    with hold(1.0):
        assert len(entries(place)) == 1
    monkeypatch.setattr("kanon_sql.ledger.ledger._PATIENCE", 0.3)
    with hold(60) as holding:
        with pytest.raises(EngineError, match="another program uses it"):
            kanon_sql.run(configuration(place))
        holding.kill()
    assert len(entries(place)) == 1


def test_ledgers_that_are_none(place: Path) -> None:
    (place / "ledger.duckdb").write_text("no database")
    with pytest.raises(EngineError, match="cannot be opened"):
        kanon_sql.run(configuration(place))
    (place / "ledger.duckdb").unlink()
    with attached(place / "ledger.duckdb") as connection:
        connection.execute("CREATE TABLE other (x INTEGER)")
    with pytest.raises(ConfigurationError, match="is a database but no ledger"):
        kanon_sql.run(configuration(place))
    with pytest.raises(ConfigurationError, match="is a database but no ledger"):
        kanon_sql.list_releases(place / "ledger.duckdb")
    with pytest.raises(EngineError, match="there is no ledger"):
        kanon_sql.list_releases(place / "none.duckdb")
    with pytest.raises(EngineError, match="folder of the ledger"):
        kanon_sql.run(configuration(place, releases={"path": str(place / "none" / "ledger.duckdb")}))
    for file in ("source.csv", "release.csv"):
        with pytest.raises(ConfigurationError, match="name another file"):
            kanon_sql.run(configuration(place, releases={"path": str(place / file)}))
    with pytest.raises(ConfigurationError, match=r"releases\.on_conflict"):
        kanon_sql.run(configuration(place, releases={"path": "x", "on_conflict": "ignore"}))
    assert not (place / "release.csv").exists()


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main([str(word) for word in words])
    out, err = capsys.readouterr()
    assert isinstance(ended.value.code, int)
    return ended.value.code, out, err


@pytest.mark.slow
def test_the_commands(place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLACE_OF_DATA", str(place))
    config = json.dumps(configuration(place)).replace(f'"{place}/source.csv"', '"${PLACE_OF_DATA}/source.csv"')
    (place / "config.json").write_text(config)
    assert run(capsys, "run", place / "config.json", "--quiet")[0] == 0
    status, out, _ = run(capsys, "releases", "list", place / "ledger.duckdb")
    assert status == 0 and "sex, zip" in out
    assert run(capsys, "releases", "list", place / "config.json")[1] == out
    status, out, _ = run(capsys, "releases", "show", place / "ledger.duckdb", "1")
    assert status == 0 and "release 1, made" in out and "levels" in out
    assert "${PLACE_OF_DATA}/source.csv" in out and str(place) not in out  # what the environment holds is not kept
    status, out, _ = run(capsys, "releases", "show", place / "ledger.duckdb", "1", "--json")
    assert status == 0 and json.loads(out) == entries(place)[0]
    assert json.loads(run(capsys, "releases", "list", place / "ledger.duckdb", "--json")[1])["releases"] == entries(
        place
    )
    status, _, err = run(capsys, "releases", "show", place / "ledger.duckdb", "2")
    assert status == 2 and "expected one of the ledger: 1 to 1" in err
    assert run(capsys, "releases", "list", place / "none.duckdb")[0] == 3
    (place / "config.json").write_text(json.dumps({**configuration(place), "releases": None}))
    status, _, err = run(capsys, "releases", "list", place / "config.json")
    assert status == 2 and "there is no ledger" in err
