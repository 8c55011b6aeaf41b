"""`init` on a hospital's table as a stranger has it: persons, households, stays, amounts and copies of rows."""

from __future__ import annotations

import csv
import json
import random
from collections import Counter
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml
from ended import Call, calling
from shared_engine import attached

import kanon_sql
from kanon_sql.commands.init.proposal import RECIPIENTS
from kanon_sql.errors import ConfigurationError

HEADER = ["case_id", "patient_id", "email", "household_no", "birth_date", "sex", "admission", "discharge"]
HEADER += ["zip", "diagnosis", "cost", "note"]
KEY = "00112233445566778899aabbccddeeff" * 2


def stays(count: int = 900, copies: int = 30) -> list[list[Any]]:
    """Stays of patients, some of whom share an e-mail address and a household; the last ones are copies."""
    draw = random.Random(7)
    houses = [(100_000 + 7 * i, draw.choice(["10115", "20095", "80331", "01067"])) for i in range(count // 4)]
    patients = []
    for i in range(count // 2):
        house, code = draw.choice(houses)
        born = date(1930, 1, 1) + timedelta(draw.randint(0, 28_000))
        patients.append((f"P{i:06}", f"anna{i // 2}@example.org", house, born, code, draw.choice("mf")))
    rows: list[list[Any]] = []
    for number in range(count - copies):
        patient, mail, house, born, code, sex = draw.choice(patients)
        came = date(2022, 1, 1) + timedelta(draw.randint(0, 700))
        went = came + timedelta(draw.randint(1, 20))
        illness, cost = draw.choice(["J20", "I10", "E11", "K35"]), round(draw.lognormvariate(8, 0.8), 2)
        note = f"came on ward {number % 9} with pain in the back and left again, number {number}"
        rows.append([f"C{number:07}", patient, mail, house, born, sex, came, went, code, illness, cost, note])
    return rows + [list(row) for row in draw.sample(rows, copies)]


def written(path: Path, rows: list[list[Any]], without: tuple[str, ...] = ()) -> Path:
    kept = [place for place, name in enumerate(HEADER) if name not in without]
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([[row[place] for place in kept] for row in [HEADER, *rows]])
    return path


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    """Runs kanon-sql in a folder of its own, without a key in the environment."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PSEUDONYM_KEY", raising=False)
    return calling(capsys)


@pytest.mark.slow
def test_a_strangers_day(call: Call, tmp_path: Path) -> None:
    rows = stays()
    written(tmp_path / "stays.csv", rows)
    proposed = call("init", "stays.csv", "--yes", "-o", "c.yaml")
    assert proposed.status == 0 and "warning" not in proposed.err
    assert "30 rows repeat another one in every column" in proposed.err
    text = (tmp_path / "c.yaml").read_text()
    config = yaml.safe_load(text)
    assert "30 rows repeat another one in every column" in text
    assert config["privacy"] == {"k": 12, "entity": "patient_id"}
    assert set(config["identifiers"]) == {"case_id", "patient_id", "email", "household_no", "note", "discharge"}
    assert config["quasi_identifiers"]["birth_date"] == {
        "builtin": "date",
        "levels": ["year", "decade"],
        "min_level": 1,
    }
    assert call("run", "c.yaml", "--quiet").status == 0
    released = list(csv.DictReader((tmp_path / "stays_anonymous.csv").read_text(encoding="utf-8").splitlines()))
    classes = Counter(tuple(row[name] for name in config["quasi_identifiers"]) for row in released)
    assert min(classes.values()) >= 12
    # Not all dates are given up, and amounts are no longer keys.
    assert len({row["admission"] for row in released}) > 1
    amounts = Counter(row["cost"] for row in released)
    assert sum(count == 1 for count in amounts.values()) <= 0.05 * len(released)
    step = config["transform"]["cost"]["round"]
    top = config["transform"]["cost"]["top"]
    assert top % step == 0 and all(float(cost) % step == 0 for cost in amounts)
    place = HEADER.index("cost")
    assert len({row[1] for row in rows if row[place] > top}) >= 12 and top not in {row[place] for row in rows}
    checked = call("check", "c.yaml", "stays_anonymous.csv")
    assert checked.status == 0 and "rows are counted" in checked.err
    assert call("utility", "c.yaml", "--quiet").status == 0


@pytest.mark.slow
def test_with_a_key_the_dates_of_a_stay_move_together(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = stays(copies=0)
    written(tmp_path / "stays.csv", rows)
    monkeypatch.setenv("PSEUDONYM_KEY", KEY)
    assert call("init", "stays.csv", "--yes", "-o", "c.yaml").status == 0
    text = (tmp_path / "c.yaml").read_text()
    config = yaml.safe_load(text)
    shift = {"shift": {"days": 60, "by": "patient_id", "key": "${PSEUDONYM_KEY}"}}
    assert config["transform"]["admission"] == config["transform"]["discharge"] == shift and KEY not in text
    assert {"admission", "discharge"} <= set(config["sensitive"])
    assert call("run", "c.yaml", "--quiet").status == 0
    released = list(csv.DictReader((tmp_path / "stays_anonymous.csv").read_text(encoding="utf-8").splitlines()))
    lengths = Counter((date.fromisoformat(r["discharge"]) - date.fromisoformat(r["admission"])).days for r in released)
    place = HEADER.index("admission")
    assert lengths == Counter((row[place + 1] - row[place]).days for row in rows)
    assert {row["admission"] for row in released} - {row[place].isoformat() for row in rows}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("without", "assumed", "maybe"),
    [
        ((), "patient_id", ["email"]),
        (("patient_id",), None, ["email"]),
        (("patient_id", "email"), None, []),
    ],
)
def test_who_is_a_person_is_assumed_only_beyond_doubt(
    tmp_path: Path, without: tuple[str, ...], assumed: str | None, maybe: list[str]
) -> None:
    proposal = kanon_sql.init(written(tmp_path / "stays.csv", stays(600), without))
    described = proposal.to_dict()
    assert (described["entity"], described["maybe_persons"]) == (assumed, maybe)
    assert proposal.roles["household_no"] == "identifier"
    assert next(column for column in described["columns"] if column["name"] == "household_no")["is"] == "id"
    assert ("--entity email" in " ".join(proposal.notes)) == (assumed is None and bool(maybe))


@pytest.mark.slow
def test_what_was_answered_is_not_asked_again(tmp_path: Path) -> None:
    path = written(tmp_path / "stays.csv", stays(400), ("patient_id",))
    assert kanon_sql.init(path, entity="").notes == ()
    assert kanon_sql.init(path, entity="email").settings["privacy"][0]["entity"] == "email"


def table_of(path: Path, columns: str, rows: int = 600) -> Path:
    duckdb.execute(f"COPY (SELECT {columns} FROM range({rows}) t(i)) TO '{path}'")
    return path


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("columns", "role"),
    [
        ("40000 + 13 * (i // 3) AS household, i // 3 % 17 AS town, i % 40 AS age", "identifier"),
        ("i // 3 AS x, 't' || (i // 3 % 17) AS town, 's' || (i // 3 % 11) AS street, i % 40 AS age", "identifier"),
        ("i // 3 AS x, 't' || (i % 17) AS town, 's' || (i % 11) AS street, i % 40 AS age", "insensitive"),
        ("i % 8 + 1 AS household, i % 8 % 3 AS town, i % 40 AS age", "quasi-identifier"),
        ("500 + (i * 7919) % 211 AS salary, i % 17 AS town, i % 40 AS age", "sensitive"),
    ],
    ids=["a household", "numbers that tell others", "numbers that tell nothing", "persons of one", "a salary"],
)
def test_numbers_of_households_are_ids_and_measurements_are_none(tmp_path: Path, columns: str, role: str) -> None:
    proposal = kanon_sql.init(table_of(tmp_path / "t.parquet", columns))
    name = columns.partition(" AS ")[2].partition(",")[0]
    assert proposal.roles[name] == role


def test_a_number_of_persons_that_tells_nothing_is_asked_about(tmp_path: Path) -> None:
    columns = "(i * 7919) % 300 AS patient_id, (i * 31) % 17 AS town, (i * 7) % 40 AS age"
    described = kanon_sql.init(table_of(tmp_path / "t.parquet", columns)).to_dict()
    assert (described["entity"], described["maybe_persons"]) == (None, ["patient_id"])


@pytest.mark.slow
def test_all_that_may_be_persons_are_named_first_what_most_columns_agree_in(tmp_path: Path) -> None:
    columns = (
        "'C' || printf('%06d', (i * 7919) % 530) AS case_id, 'a' || i // 2 || '@example.org' AS email, "
        "i // 2 % 17 AS town, i // 2 % 41 AS age, i // 2 % 7 AS ward"
    )
    proposal = kanon_sql.init(table_of(tmp_path / "t.parquet", columns))
    assert proposal.to_dict()["maybe_persons"] == ["email", "case_id"]
    (note,) = proposal.notes
    assert "'email' has 2.0 rows for a value, 'case_id' has 1.1" in note
    assert "--entity email or --entity case_id" in note


def test_an_id_that_is_repeated_with_other_amounts_is_said(tmp_path: Path) -> None:
    columns = "'C' || printf('%06d', i % 4000) AS case_id, i % 97 AS age, i % 7 AS town, 0.37 * i AS cost"
    (tmp_path / "c.yaml").write_text(kanon_sql.init(table_of(tmp_path / "t.parquet", columns, 4600), entity="").yaml)
    head = " ".join((tmp_path / "c.yaml").read_text().replace("# ", "").split())
    assert "600 rows repeat a value of case_id, of which 73.9 % of the rows have one for themselves" in head


def test_the_model_that_is_proposed_is_of_the_diagnosis(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PSEUDONYM_KEY", KEY)
    text = kanon_sql.init(written(tmp_path / "stays.csv", stays(400))).yaml
    assert "shift: {days" in text and "cost: {round" in text
    assert "# l_diversity: {column: diagnosis, l: 3}" in text


@pytest.mark.slow
def test_what_init_proposes_for_statistics_goes_on_with_new_data(call: Call, tmp_path: Path) -> None:
    rows = stays(700, 0)
    written(tmp_path / "stays.csv", rows, ("patient_id",))
    assert call("init", "stays.csv", "--yes", "--entity", "", "--purpose", "statistics", "-o", "c.yaml").status == 0
    with (tmp_path / "c.yaml").open("a") as file:
        file.write("releases: {path: ledger.duckdb}\n")
    first = call("run", "c.yaml", "--quiet", "--strict", "--no-advice")
    assert (first.status, first.err) == (0, "")
    assert call("apply", "1", "stays.csv", "--strict", "--quiet").status == 0


@pytest.mark.slow
def test_repeated_ids_are_said(call: Call, tmp_path: Path) -> None:
    table_of(tmp_path / "t.parquet", "'C' || printf('%06d', i % 590) AS case_id, i % 40 AS age, i % 7 AS town")
    assert "10 rows repeat a value of case_id" in call("init", "t.parquet", "--yes").err
    assert json.loads(call("init", "t.parquet", "--json").out)["duplicates"] == 0


def test_one_date_alone_stays_as_it_was(tmp_path: Path) -> None:
    path = table_of(tmp_path / "t.parquet", "DATE '2020-01-01' + CAST(i % 300 AS INTEGER) AS visit, i % 40 AS age")
    config = yaml.safe_load(kanon_sql.init(path).yaml)
    assert config["quasi_identifiers"]["visit"]["levels"] == ["month", "quarter", "year"]
    assert "transform" not in config


def test_the_least_k_for_the_public_is_within_the_risk_that_is_cited() -> None:
    k, why = RECIPIENTS["public"]
    assert "0.09" in why and 1 / k <= 0.09 < 1 / (k - 1)


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        (["a", "b"], r"2 tables and views: a, b; expected --table: kanon-sql init \S+house.duckdb --table TABLE, with"),
        (["a"], r"only table is a; .*--table a \(in Python"),
        ([], "without a table"),
    ],
)
def test_a_database_without_a_table_lists_those_that_it_has(tmp_path: Path, tables: list[str], said: str) -> None:
    with attached(tmp_path / "house.duckdb") as connection:
        for name in tables:
            connection.execute(f"CREATE TABLE {name} AS SELECT 'secret' AS word")
    with pytest.raises(ConfigurationError, match=said) as caught:
        kanon_sql.init(tmp_path / "house.duckdb")
    assert "secret" not in str(caught.value)


@pytest.mark.slow
def test_tables_of_other_schemas_are_listed_as_table_takes_them(tmp_path: Path) -> None:
    with attached(tmp_path / "house.duckdb") as connection:
        connection.execute("CREATE SCHEMA s; CREATE VIEW s.people AS SELECT 20 + i % 40 AS age FROM range(99) t(i)")
    with pytest.raises(ConfigurationError, match=r"--table s\.people"):
        kanon_sql.init(tmp_path / "house.duckdb")
    assert "age" in kanon_sql.init(tmp_path / "house.duckdb", table="s.people").roles
