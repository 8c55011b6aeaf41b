"""A ledger that was damaged or changed by hand: it is refused by name, and stays as it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from ledger_jobs import HEAD, configuration, entries, table
from table_files import write_csv

import kanon_sql
from kanon_sql.errors import ConfigurationError, EngineError, KanonError

TABLE = "kanon_sql_releases"
CHANGES = {
    "ids missing": f"UPDATE {TABLE} SET id = NULL",
    "ids twice": f"INSERT INTO {TABLE} FROM {TABLE}",
    "ids are texts": f"ALTER TABLE {TABLE} ALTER id TYPE VARCHAR",
    "origin missing": f"UPDATE {TABLE} SET origin = NULL",
    "fingerprint missing": f"UPDATE {TABLE} SET source_fingerprint = NULL",
    "columns missing": f"UPDATE {TABLE} SET released = NULL",
    "a column missing": f"UPDATE {TABLE} SET released = ['sex', NULL]",
    "columns are a text": f"ALTER TABLE {TABLE} ALTER quasi_identifiers TYPE VARCHAR",
    "no details": f"UPDATE {TABLE} SET details = NULL",
    "details cut off": f"UPDATE {TABLE} SET details = left(details, 50)",
    "details are a list": f"UPDATE {TABLE} SET details = '[1]'",
    "details are empty": f"UPDATE {TABLE} SET details = '{{}}'",
    "rows are none": f"""UPDATE {TABLE} SET details = replace(details, '"rows": {{', '"rows": {{}}, "other": {{')""",
    "levels are texts": f"""UPDATE {TABLE} SET details = replace(details, '"sex": 0', '"sex": "0"')""",
    "open is a number": f"""UPDATE {TABLE} SET details = replace(details, '{{"conf', '{{"open": 17, "conf')""",
    "open are numbers": f"""UPDATE {TABLE} SET details = replace(details, '{{"conf', '{{"open": [1, 2], "conf')""",
    "a column of the table missing": f"ALTER TABLE {TABLE} DROP COLUMN details",
    "the table missing": f"ALTER TABLE {TABLE} RENAME TO others",
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("whole")
    released(folder)
    return (folder / "ledger.duckdb").read_bytes()


def released(folder: Path) -> None:
    write_csv(folder / "source.csv", [HEAD, *table()])
    kanon_sql.run(configuration(folder))


def change(path: Path, statement: str) -> None:
    with duckdb.connect(str(path)) as connection:
        before = connection.execute("SELECT details FROM kanon_sql_releases").fetchall()
        connection.execute(statement)
        if "replace(" in statement:
            assert connection.execute("SELECT details FROM kanon_sql_releases").fetchall() != before


@pytest.mark.few(8)
@pytest.mark.parametrize("name", CHANGES)
def test_what_cannot_be_a_release_is_refused(tmp_path: Path, whole: bytes, name: str) -> None:
    ledger = tmp_path / "ledger.duckdb"
    ledger.write_bytes(whole)
    change(ledger, CHANGES[name])
    before = ledger.read_bytes()
    write_csv(tmp_path / "source.csv", [HEAD, *table()])
    jobs: list[Callable[[], object]] = [
        lambda: kanon_sql.list_releases(ledger),
        lambda: kanon_sql.run(configuration(tmp_path)),
    ]
    for job in jobs:
        with pytest.raises((EngineError, ConfigurationError), match=r"ledger\.duckdb") as caught:
            job()
        assert len(caught.value.problems) == 1
    assert ledger.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ledger.duckdb", "source.csv"]


@pytest.mark.parametrize("place", [9, 4096, 12_288 + 100, -1])
def test_bytes_that_are_others_are_refused_or_mean_nothing(tmp_path: Path, whole: bytes, place: int) -> None:
    data = bytearray(whole)
    data[place] ^= 0xFF
    ledger = tmp_path / "ledger.duckdb"
    ledger.write_bytes(data)
    try:
        assert len(entries(tmp_path)) == 1
    except KanonError as error:
        assert "ledger.duckdb" in str(error)
    assert ledger.read_bytes() == data


@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_a_ledger_that_is_cut_off_is_refused(tmp_path: Path, whole: bytes, share: float) -> None:
    ledger = tmp_path / "ledger.duckdb"
    ledger.write_bytes(whole[: int(len(whole) * share)])
    before = ledger.read_bytes()
    write_csv(tmp_path / "source.csv", [HEAD, *table()])
    with pytest.raises(EngineError, match=r"ledger\.duckdb"):
        kanon_sql.run(configuration(tmp_path))
    assert ledger.read_bytes() == before
    assert not (tmp_path / "release.csv").exists()


@pytest.mark.slow
def test_columns_in_another_order_are_those_of_their_names(tmp_path: Path, whole: bytes) -> None:
    """The next entry was added by the places of columns."""
    ledger = tmp_path / "ledger.duckdb"
    ledger.write_bytes(whole)
    with duckdb.connect(str(ledger)) as connection:
        connection.execute(f"CREATE TABLE kept AS SELECT target, * EXCLUDE (target) FROM {TABLE}")
        connection.execute(f"DROP TABLE {TABLE}")
        connection.execute(f"ALTER TABLE kept RENAME TO {TABLE}")
    released(tmp_path)
    first, second = entries(tmp_path)
    assert second["target"] == str(tmp_path / "release.csv")
    assert (first["id"], second["id"]) == (1, 2)
    assert second["program"] == first["program"]


@pytest.mark.slow
def test_a_column_that_somebody_added_stays(tmp_path: Path, whole: bytes) -> None:
    ledger = tmp_path / "ledger.duckdb"
    ledger.write_bytes(whole)
    change(ledger, f"ALTER TABLE {TABLE} ADD COLUMN note VARCHAR")
    released(tmp_path)
    assert [entry["id"] for entry in entries(tmp_path)] == [1, 2]
