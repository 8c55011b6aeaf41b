"""A source that the ledger knows again: by the places that it reads, and by the columns that a copy still has."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import duckdb
import pytest
from ledger_jobs import HEAD, configuration, entries, table
from shared_engine import attached
from table_files import write_csv

import kanon_sql
from kanon_sql.errors import NoReleaseError

REFUSED = "holds release 1 of the same source"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    write_csv(tmp_path / "source.csv", [HEAD, *table()])
    kanon_sql.run(configuration(tmp_path), advice=False)
    return tmp_path


def origin(place: Path, **more: Any) -> int:
    """The first release of the source that a dry run finds, its own number where it finds none."""
    config = configuration(place, **more)
    config["releases"]["on_conflict"] = "warn"
    report = kanon_sql.run(config, dry_run=True, advice=False).report
    earlier: list[int] = report["ledger"]["earlier"]
    return earlier[0] if earlier else int(report["ledger"]["id"])


def copied(place: Path, head: list[str], rows: list[list[str]]) -> str:
    random.Random(3).shuffle(rows)
    write_csv(place / "copy.csv", [head, *rows])
    return str(place / "copy.csv")


@pytest.mark.slow
def test_a_copy_with_columns_less_more_and_renamed(place: Path) -> None:
    more = copied(place, [*HEAD, "age"], [[*row, str(i % 7)] for i, row in enumerate(table())])
    with pytest.raises(NoReleaseError, match=REFUSED):
        kanon_sql.run(configuration(place, source=more, privacy={"k": 150}), advice=False)
    less = copied(place, HEAD[1:4], [row[1:4] for row in table()])
    assert origin(place, source=less, identifiers=[]) == 1
    names = ["person", "gender", "postcode", "disease", "ward"]
    renamed = configuration(
        place,
        source=copied(place, names, table()),
        identifiers=["person"],
        quasi_identifiers={"postcode": {"builtin": "prefix", "keep": [3]}},
        sensitive=["disease"],
        insensitive=["gender"],
        privacy={"k": 200},
        suppression={"limit": "50%"},
    )
    with pytest.raises(NoReleaseError, match="joined by 'gender', 'postcode', 'disease'"):
        kanon_sql.run(renamed, advice=False)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("rows", "why"),
    [
        (table(seed=2), "other persons"),
        (table(401), "another number of rows, of which nobody can say that they are the same and one more"),
        ([["secret", "f", "02130", "flu", "A"]] * 400, "columns of one value say nothing"),
    ],
)
def test_other_tables_are_none(place: Path, rows: list[list[str]], why: str) -> None:
    rows = [[f"other{i}", *row[1:]] for i, row in enumerate(rows)]
    assert origin(place, source=copied(place, HEAD, rows), suppression={"limit": "50%"}) == 2, why


def test_numbers_of_rows_and_plans_say_nothing(tmp_path: Path) -> None:
    def planned(seed: int) -> list[list[str]]:
        draw = random.Random(seed)
        days = [f"20{20 + i // 300}-01-{1 + i % 28:02}" for i in range(400)]
        return [[str(i + 1), "fm"[i % 2], draw.choice("xy"), days[i], "only"] for i in range(400)]

    head = ["id", "sex", "answer", "day", "wave"]
    shared = {"identifiers": ["id"], "quasi_identifiers": {"sex": {"builtin": "suppress"}}, "sensitive": ["answer"]}
    write_csv(tmp_path / "source.csv", [head[:3], *(row[:3] for row in planned(1))])
    kanon_sql.run(configuration(tmp_path, **shared), advice=False)
    plan_of_others = copied(tmp_path, head[:3], [row[:3] for row in planned(2)])
    assert origin(tmp_path, source=plan_of_others, **shared) == 2


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "query",
    [
        "SELECT *, 1 AS age FROM 'source.csv'",
        'SELECT * FROM "source.csv"',
        'SELECT name, sex, zip, diagnosis AS "di""agnosis" FROM view_of',
        "SELECT * FROM read_csv(['source.csv'])",
        "SELECT * FROM read_csv('sour*.csv')",
        "WITH held AS (SELECT * FROM (FROM read_csv('source.csv'))) SELECT * FROM held",
    ],
)
def test_what_a_query_reads_is_a_place(place: Path, query: str) -> None:
    rows = [["x", "f", "02130", "flu", "A"], *table()[:300]]  # the rows have changed since
    write_csv(place / "source.csv", [HEAD, *rows])
    source: dict[str, Any] = {"query": query.replace("'sour", f"'{place}/sour").replace('"sour', f'"{place}/sour')}
    if "view_of" in query:
        source["database"] = str(place / "clinic.duckdb")
        with attached(source["database"]) as connection:
            connection.execute(f"CREATE VIEW inner_of AS FROM read_csv('{place}/source.csv')")
            connection.execute('CREATE VIEW view_of AS SELECT *, "di""agnosis" AS diagnosis FROM inner_of')
    source["allow"] = [str(place)]
    assert origin(place, source=source) == 1


@pytest.mark.slow
def test_a_table_that_a_query_reads(tmp_path: Path) -> None:
    database = tmp_path / "clinic.duckdb"
    with attached(database) as connection:
        write_csv(tmp_path / "source.csv", [HEAD, *table()])
        connection.execute(f"CREATE TABLE patients AS FROM read_csv('{tmp_path}/source.csv', all_varchar = true)")
    source: dict[str, Any] = {"database": str(database)}
    kanon_sql.run(configuration(tmp_path, source={**source, "table": "patients"}), advice=False)
    with attached(database) as connection:
        connection.execute("DELETE FROM patients WHERE ward = 'A' AND sex = 'f'")
    for query in ("FROM Main.Patients", "SELECT p.* FROM patients p", "SELECT * FROM patients ORDER BY ALL"):
        assert origin(tmp_path, source={**source, "query": query}) == 1


@pytest.mark.slow
def test_what_is_built_on_some_columns_of_a_release(place: Path) -> None:
    query = f'SELECT zip, "di""agnosis" AS diagnosis, sex FROM read_csv(\'{place}/release.csv\')'
    built = configuration(
        place,
        source={"query": query, "allow": [str(place)]},
        identifiers=[],
        quasi_identifiers={"zip": {"builtin": "suppress"}, "sex": {"builtin": "suppress"}},
        sensitive=["diagnosis"],
        target=str(place / "second.csv"),
        privacy={"k": 2},
    )
    assert kanon_sql.run(built, advice=False).report["ledger"]["earlier"] == [1]


@pytest.mark.slow
def test_what_is_kept_of_columns(place: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "other"
    elsewhere.mkdir()
    write_csv(elsewhere / "source.csv", [HEAD, *table()])
    kanon_sql.run(configuration(elsewhere), advice=False)
    kept = []
    for folder in (place, elsewhere):
        with duckdb.connect(str(folder / "ledger.duckdb"), read_only=True) as connection:
            ((details,),) = connection.execute("SELECT details FROM kanon_sql_releases").fetchall()
        kept.append(json.loads(details)["prints"])
        (entry,) = entries(folder)
        assert "prints" not in entry["details"] and "places" not in entry["details"]
    columns = kept[0]["source"]["columns"]
    assert set(columns) == {"sex", "zip", 'di"agnosis'} and "ward" not in json.dumps(kept[0])
    assert len(kept[0]["source"]["others"]) == 1  # of the names, which say enough alone; of the ward they are not kept
    texts = [{text for text, _ in kept_details["source"]["columns"].values()} for kept_details in kept]
    assert not texts[0] & texts[1]  # the same values under the keys of two ledgers
