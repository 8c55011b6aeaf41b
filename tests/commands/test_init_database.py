"""Configurations proposed for databases of persons: what joins tables is found, and what is proposed runs."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml
from click.testing import CliRunner
from shared_engine import insert

import kanon_sql
from kanon_sql.cli.main import cli
from kanon_sql.errors import ConfigurationError

Json = dict[str, Any]


def _clinic(connection: duckdb.DuckDBPyConnection) -> None:
    """A clinic: patients, their stays, diagnoses of stays, deaths of some, drugs, wards, and a list of drugs."""
    draw = random.Random(3)
    connection.execute(
        "CREATE TABLE patients (patient_id INTEGER, name VARCHAR, sex VARCHAR, born INTEGER, ward_id INTEGER);"
        "CREATE TABLE stays (stay_id BIGINT, patient_id INTEGER, kind VARCHAR, day DATE);"
        "CREATE TABLE diagnoses (diagnosis_id INTEGER, stay_id BIGINT, code VARCHAR, remark VARCHAR);"
        "CREATE TABLE deaths (patient_id INTEGER, cause VARCHAR);"
        "CREATE TABLE prescriptions (pid INTEGER, drug VARCHAR, amount DOUBLE);"
        "CREATE TABLE drugs (drug VARCHAR, label VARCHAR);"
        "CREATE TABLE wards (ward_id INTEGER, mail VARCHAR);"
        "CREATE TABLE empty (patient_id INTEGER, code VARCHAR)"
    )
    surnames = ["Miller", "Smith", "Jones", "Brown"]
    patients = [
        (1000 + i, f"{draw.choice(['Ann', 'Bob', 'Eve'])} {draw.choice(surnames)}", draw.choice("fm"), 1950 + i % 40, 1)
        for i in range(240)
    ]
    stays = [(50_000 + i, 1000 + i % 240, draw.choice(["in", "out"]), f"2024-01-{1 + i % 28:02}") for i in range(480)]
    codes = ["I10", "I11", "E11", "E10", "J45", "J44"]
    diagnoses = [(i, 50_000 + draw.randrange(480), draw.choice(codes), f"text {i}") for i in range(900)]
    drugs = [f"A{i:02}" for i in range(8)]
    prescriptions = [(1000 + draw.randrange(240), draw.choice(drugs), draw.random() * 100) for _ in range(500)]
    for table, rows in (
        ("patients", patients),
        ("stays", stays),
        ("diagnoses", diagnoses),
        ("deaths", [(1000 + i, draw.choice(["heart", "other"])) for i in range(60)]),
        ("prescriptions", prescriptions),
        ("drugs", [(drug, f"drug {drug}") for drug in drugs]),
        ("wards", [(i, f"ward{i}@example.org") for i in range(1, 40)]),
    ):
        insert(connection, table, rows)


def _written(folder: Path, kind: str) -> Path:
    """The clinic as a folder of files or a database."""
    path = folder / ("clinic.duckdb" if kind == "duckdb" else "clinic")
    with duckdb.connect(str(path) if kind == "duckdb" else ":memory:") as connection:
        _clinic(connection)
        if kind != "duckdb":
            path.mkdir()
            for (name,) in connection.execute("SHOW TABLES").fetchall():
                connection.execute(f"COPY {name} TO '{path / name}.{kind}' (FORMAT {kind})")
    return path


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["parquet", "csv", "duckdb"])
def test_what_joins_the_tables_is_found_and_runs(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PSEUDONYM_KEY", "ab" * 32)
    data = _written(tmp_path, kind)
    config = tmp_path / "config.yaml"
    init = CliRunner().invoke(cli, ["init", str(data), "-o", str(config), "--recipient", "partner"])
    assert init.exit_code == 0, init.output
    given: Json = yaml.safe_load(config.read_text())
    assert given["unit"] == {"table": "patients", "key": "patient_id"}
    assert given["keys"] == {"patient_id": "renumber", "stay_id": "renumber"}
    tables = given["tables"]
    links = {name: table["link"] for name, table in tables.items() if "link" in table}
    assert links == {
        "stays": "patient_id",
        "diagnoses": {"stay_id": "stays"},
        "deaths": "patient_id",
        "prescriptions": {"column": "pid"},
    }
    assert {name: how for name, how in tables.items() if isinstance(how, str)} == {
        "drugs": "keep",
        "wards": "drop",  # it holds addresses of somebody
        "empty": "drop",
    }
    facts = {name: list(table["facts"]) for name, table in tables.items() if "facts" in table}
    assert facts == {"stays": ["kind"], "diagnoses": ["code"], "deaths": ["cause"], "prescriptions": ["drug"]}
    assert tables["stays"]["dates"] == ["day"]
    assert set(tables["patients"]["quasi_identifiers"]) == {"sex", "born"}
    assert tables["patients"]["identifiers"] == ["name"]
    assert given["privacy"] == {"k": 5, "facts": {"known": 2, "with": "nothing"}}
    run = CliRunner().invoke(cli, ["run", str(config), "--json"])
    assert run.exit_code == 0, run.output
    report = json.loads(run.stdout)
    assert report["persons"] == {"source": 240, "suppressed": 0, "released": 240}
    assert report["facts"]["actual"] >= 5
    target = given["target"]["database"] if kind == "duckdb" else given["target"]
    checked = kanon_sql.check(config, tmp_path / target)
    assert checked["status"] == "satisfied"


@pytest.mark.slow
def test_the_key_may_be_said_and_a_shift_needs_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PSEUDONYM_KEY", raising=False)
    data = _written(tmp_path, "parquet")
    proposal = kanon_sql.init(data, entity="stay_id")
    given = yaml.safe_load(proposal.yaml)
    assert given["unit"] == {"table": "stays", "key": "stay_id"}
    assert given["tables"]["diagnoses"]["link"] == "stay_id"
    proposal = kanon_sql.init(data)
    assert "shift" not in yaml.safe_load(proposal.yaml)
    assert "dates are left out: set PSEUDONYM_KEY" in " ".join(proposal.yaml.replace("#", " ").split())
    assert proposal.to_dict()["tables"]["stays"]["facts"] == {"kind": {}}
    with pytest.raises(ConfigurationError, match="named 'nobody'"):
        kanon_sql.init(data, entity="nobody")
    with pytest.raises(ConfigurationError, match=r"each file of .* is a table"):
        proposal.write(data / "config.yaml")


def test_parts_of_one_table_are_one_table(tmp_path: Path) -> None:
    for part in range(2):
        rows = "".join(f"{part}{i},{20 + i % 30}\n" for i in range(50))
        (tmp_path / f"part{part}.csv").write_text(f"person_id,age\n{rows}")
    assert "quasi_identifiers" in yaml.safe_load(kanon_sql.init(tmp_path).yaml)


def test_tables_without_persons_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,y\n1,2\n1,3\n")
    (tmp_path / "b.csv").write_text("z,u\n1,2\n1,3\n")
    with pytest.raises(ConfigurationError, match="none is a table of persons"):
        kanon_sql.init(tmp_path)


@pytest.mark.slow
def test_hierarchy_files_of_facts_are_named_from_the_configuration(tmp_path: Path) -> None:
    data = _written(tmp_path, "parquet")
    (tmp_path / "files").mkdir()
    codes = ["I10", "I11", "E11", "E10", "J45", "J44"]
    (tmp_path / "files" / "code.csv").write_text("".join(f"{code},{code[0]},*\n" for code in codes))
    (tmp_path / "below").mkdir()
    config = kanon_sql.init(data, recipient="partner", hierarchies=tmp_path / "files").write(
        tmp_path / "below" / "c.yaml"
    )
    given = yaml.safe_load(config.read_text())["tables"]["diagnoses"]["facts"]["code"]
    assert (config.parent / (given if isinstance(given, str) else given["hierarchy"])).samefile(
        tmp_path / "files" / "code.csv"
    )
    assert kanon_sql.run(config, dry_run=True).report["status"] == "dry-run"
