"""`kanon-sql compile`: what it prints, reports, writes beside, warns of and refuses."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pytest
from effort import tries
from hypothesis import HealthCheck, given, settings
from model_cases import ModelTable, model_tables
from model_runs import check_compiled_check
from shared_engine import attached, shared
from tables import configuration, people, write

import kanon_sql
from kanon_sql.cli.main import main
from kanon_sql.errors import ConfigurationError, EngineError, KanonError
from kanon_sql.sql.dialects import find_dialect
from kanon_sql.sql.writing import Listing, refuse_repeated

slow = settings(max_examples=tries(40), suppress_health_check=list(HealthCheck))


def command(*words: Any) -> int:
    with pytest.raises(SystemExit) as ended:
        main([str(word) for word in words])
    return int(ended.value.code or 0)


def counted(rows: list[tuple[Any, ...]]) -> Counter[tuple[Any, ...]]:
    return Counter(rows)


def run_rows(config: dict[str, Any], folder: Path) -> Counter[tuple[Any, ...]]:
    kanon_sql.run({**config, "target": {"path": str(folder / "run.parquet"), "overwrite": True}})
    with shared() as connection:
        return counted(connection.read_parquet(str(folder / "run.parquet")).fetchall())


@pytest.fixture
def config_file(tmp_path: Path) -> Path:
    write(tmp_path / "people.parquet")
    path = tmp_path / "config.yaml"
    path.write_text(json.dumps(configuration("people.parquet", "out.parquet")))
    return path


@pytest.mark.slow
@pytest.mark.parametrize("dialect", ["duckdb", "postgres", "snowflake"])
def test_json_and_report_hold_what_the_search_found(
    dialect: str, config_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "report.json"
    assert command("compile", config_file, "--dialect", dialect, "--json", "--report", report) == 0
    printed = json.loads(capsys.readouterr().out)
    assert json.loads(report.read_text()) == printed
    assert printed["status"] == "compiled"
    assert printed["statement"]["dialect"] == dialect
    assert printed["statement"]["executed_by_tests"] is (dialect != "snowflake")
    ran = kanon_sql.run(config_file).report
    for key in ("rows", "solution", "suppression"):
        assert printed[key] == ran[key], key
    # Sums of fractions end in other digits where threads add them up in another order.
    assert printed["loss"].pop("attributes") == pytest.approx(ran["loss"].pop("attributes"))
    assert printed["loss"] == pytest.approx(ran["loss"])
    command("compile", config_file, "--dialect", dialect)
    assert capsys.readouterr().out == printed["statement"]["sql"]


def test_a_search_without_release_is_reported(
    config_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "report.json"
    assert command("compile", config_file, "--set", "privacy.k=9999", "--json", "--report", report) == 1
    assert json.loads(capsys.readouterr().out)["status"] == "no-release"
    assert json.loads(report.read_text())["errors"]


@pytest.mark.slow
def test_an_unproven_search_is_warned_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "people.parquet")
    path = tmp_path / "config.yaml"
    path.write_text(json.dumps({**configuration("people.parquet", "o.csv", algorithm="mondrian"), "suppression": {}}))
    assert command("compile", path, "--time-limit", 0) == 0
    ended = capsys.readouterr()
    assert "warning: time ran out" in ended.err
    assert "-- time ran out" in ended.out
    assert command("compile", path, "--time-limit", 0, "--quiet") == 0
    assert "warning" not in capsys.readouterr().err


def test_warnings_of_the_source_are_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "sex,id\n" + "".join(f"{'fm'[i % 2]}é,{i}\n" for i in range(40))
    (tmp_path / "s.csv").write_bytes(text.encode("latin-1"))
    config = {
        "source": "s.csv",
        "quasi_identifiers": {"sex": {"builtin": "suppress"}},
        "insensitive": ["id"],
        "privacy": {"k": 2},
    }
    (tmp_path / "config.yaml").write_text(json.dumps(config))
    assert command("compile", tmp_path / "config.yaml") == 0
    said = capsys.readouterr().err
    assert "read as windows-1252" in said
    assert "is it a quasi-identifier or an identifier?" in said


@pytest.mark.slow
def test_masked_rows_are_those_of_a_run(tmp_path: Path) -> None:
    """Three suppressed rows join the class that is * everywhere anyway."""
    rows = ["q"] + ["a"] * 5 + ["b"] * 5 + ["*"] * 5 + ["c"] * 2
    (tmp_path / "s.csv").write_text("\n".join(rows) + "\n")
    config = {
        "source": str(tmp_path / "s.csv"),
        "quasi_identifiers": {"q": {"builtin": "suppress", "max_level": 0}},
        "privacy": {"k": 5},
        "suppression": {"limit": 2},
        "release": {"suppressed": "mask"},
    }
    expected = run_rows(config, tmp_path)
    assert expected[("*",)] == 7
    with duckdb.connect() as connection:
        assert counted(connection.execute(kanon_sql.compile(config)).fetchall()) == expected


@pytest.mark.slow
def test_a_query_and_a_table_as_source(tmp_path: Path) -> None:
    with attached(tmp_path / "lab.duckdb") as connection:
        connection.execute("CREATE SCHEMA ward")
        connection.execute(
            'CREATE TABLE ward."all people" (sex VARCHAR, age INTEGER, zip VARCHAR, diagnosis VARCHAR, cost DOUBLE)'
        )
        connection.executemany('INSERT INTO ward."all people" VALUES (?, ?, ?, ?, ?)', people())
    write(tmp_path / "people.parquet")
    table = {"database": str(tmp_path / "lab.duckdb"), "table": 'ward."all people"'}
    query = {
        "query": f"SELECT * FROM read_parquet('{tmp_path / 'people.parquet'}') WHERE age > 20 -- few\n",
        "allow": [str(tmp_path)],
    }
    for source in (table, query):
        config = configuration(source, str(tmp_path / "o.parquet"))
        with duckdb.connect() as connection:
            connection.execute(f"ATTACH '{tmp_path / 'lab.duckdb'}' AS lab (READ_ONLY)")
            compiled_rows = counted(connection.execute(kanon_sql.compile(config)).fetchall())
        assert compiled_rows == run_rows(config, tmp_path)
    assert 'FROM "ward"."all people"' in kanon_sql.compile(configuration(table, "o.csv"), dialect="postgres")
    with pytest.raises(ConfigurationError, match="--source-table is not given"):
        kanon_sql.compile(configuration(query, "o.csv"), dialect="spark")


ALGORITHMS = ["optimal", "mondrian", {"name": "mondrian", "cut": "relaxed"}, {"name": "local", "seed": 1}]


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=str)
def test_mapping_tables_are_written_beside_and_read(algorithm: Any, tmp_path: Path) -> None:
    rows = [*people(200), *[(None, None, "", "flu", 1.0)] * 9]
    with attached() as connection:
        connection.execute("CREATE TABLE p (sex VARCHAR, age INTEGER, zip VARCHAR, diagnosis VARCHAR, cost DOUBLE)")
        connection.executemany("INSERT INTO p VALUES (?, ?, ?, ?, ?)", rows)
        connection.execute(f"COPY p TO '{tmp_path / 'people.parquet'}' (FORMAT parquet)")
    more: Any = {} if algorithm == "optimal" else {"quasi_identifiers": {"sex": {}, "age": {}, "zip": {}}}
    config = configuration(str(tmp_path / "people.parquet"), str(tmp_path / "o.csv"), algorithm=algorithm, **more)
    folder = tmp_path / "maps"
    with pytest.raises(EngineError, match="does not exist"):
        kanon_sql.compile(config, mappings="table", mapping_folder=folder)
    folder.mkdir()
    text = kanon_sql.compile(config, mappings="table", mapping_folder=folder, mapping_prefix="m_")
    assert "VALUES" not in text
    expected = run_rows(config, tmp_path)
    files = sorted(folder.iterdir())
    assert files
    with attached() as connection:
        for file in files:
            assert file.stat().st_mode & 0o777 == 0o600
            assert f"from {file}" in text
            connection.execute(f"CREATE TABLE {file.stem} AS FROM read_csv('{file}', all_varchar=false)")
        compiled_rows = counted(connection.execute(text).fetchall())
    labels = slice(0, 3)
    assert Counter(row[labels] for row in compiled_rows.elements()) == Counter(
        row[labels] for row in expected.elements()
    )
    with pytest.raises(EngineError, match="would replace this file"):
        kanon_sql.compile(config, mappings="table", mapping_folder=folder, mapping_prefix="m_")


@pytest.mark.slow
def test_rows_that_were_not_there_are_left_out(tmp_path: Path) -> None:
    """A table that has changed since: its new values have no label, so they are never released as they are."""
    write(tmp_path / "people.parquet", 200)
    for algorithm in ALGORITHMS:
        more: Any = {} if algorithm == "optimal" else {"quasi_identifiers": {"sex": {}, "age": {}, "zip": {}}}
        config = configuration(
            str(tmp_path / "people.parquet"), "o.csv", algorithm=algorithm, suppression={"limit": "50%"}, **more
        )
        text = kanon_sql.compile(config, source_table="p")
        with attached() as connection:
            connection.execute(f"CREATE TABLE p AS FROM read_parquet('{tmp_path / 'people.parquet'}')")
            before = len(connection.execute(text).fetchall())
            connection.execute("INSERT INTO p SELECT 'x', 19, 'secret', 'flu', 0.5 FROM range(50)")
            after = connection.execute(text).fetchall()
        assert "secret" not in str(after)
        assert "secret" not in text
        assert len(after) in (before, before + 50)  # the latter where sex and zip are * at the top


@pytest.mark.slow
@slow
@given(case=model_tables())
def test_the_check_lists_the_classes_that_violate(case: ModelTable, tmp_path: Path) -> None:
    check_compiled_check(case, tmp_path)


@pytest.mark.slow
def test_what_does_not_go_together_is_refused(config_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words, said in (
        (["--dialect", "oracle"], "expected duckdb, spark"),
        (["--release-table", "r"], "goes with --check"),
        (["--mapping-folder", "."], "goes with --mappings table"),
        (["--source-table", "a b"], "no table name"),
        (["--mapping-prefix", "; x", "--mappings", "table"], "no table name"),
    ):
        assert command("compile", config_file, *words) == 2
        ended = capsys.readouterr()
        assert said in ended.err
        assert ended.out == ""
    config = {
        **configuration(str(config_file.parent / "people.parquet"), "o.csv"),
        "privacy": {"k": 2, "entity": "zip"},
    }
    del config["quasi_identifiers"]["zip"]
    with pytest.raises(KanonError, match="k counts entities"):
        kanon_sql.compile(config, check=True, release_table="r")


@pytest.mark.slow
def test_a_statement_of_many_values(tmp_path: Path) -> None:
    """Twenty thousand values of their own go into every dialect's text, and a text too long is warned of."""
    with shared() as connection:
        connection.execute(
            f"COPY (SELECT CAST(range AS VARCHAR) || repeat('x', 40) AS q FROM range(20000)) "
            f"TO '{tmp_path / 's.parquet'}' (FORMAT parquet)"
        )
    config = {
        "source": str(tmp_path / "s.parquet"),
        "quasi_identifiers": {"q": {"builtin": "prefix", "keep": [1], "max_level": 1}},
        "privacy": {"k": 2},
        "suppression": {"limit": "1%"},
    }
    for dialect in ("duckdb", "redshift", "bigquery"):
        report = tmp_path / "r.json"
        assert kanon_sql.compile(config, dialect=dialect, report=report).count("x'") == 20000
        assert ("--mappings table" in str(json.loads(report.read_text())["warnings"])) is (dialect == "bigquery")


LOOK_ALIKES = {
    "terminal escapes": ("a\x1b[31mb", "ab"),
    "a mark of the writer": ("a__SQLGLOT__LB__b", "a\nb"),
    "line ends": ("a\r\nb", "a\nb"),
}


@pytest.mark.few(1)
@pytest.mark.parametrize("values", LOOK_ALIKES.values(), ids=LOOK_ALIKES)
def test_what_is_printed_tells_values_apart_as_the_source_does(
    values: tuple[str, str], tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """One person has a value that only looks like that of three others: it must not be in a class with them."""
    alone, others = values
    with attached() as connection:
        connection.execute("CREATE TABLE people (name VARCHAR, place VARCHAR)")
        connection.executemany("INSERT INTO people VALUES (?, ?)", [(alone, "x"), *[(others, "x")] * 3])
        connection.execute(f"COPY people TO '{tmp_path}/people.parquet' (FORMAT parquet)")
    config = {
        "source": str(tmp_path / "people.parquet"),
        "target": "release.csv",
        "quasi_identifiers": {"name": {"builtin": "suppress", "max_level": 0}, "place": {"builtin": "suppress"}},
        "privacy": {"k": 2},
        "suppression": {"limit": "50%"},
    }
    (tmp_path / "config.yaml").write_text(json.dumps(config))
    assert command("compile", tmp_path / "config.yaml") == 0
    printed = capfdbinary.readouterr().out
    assert printed.decode() == kanon_sql.compile(tmp_path / "config.yaml")
    # Also for whoever reads it as a file of text, where line ends are one.
    (tmp_path / "release.sql").write_bytes(printed)
    with attached() as connection:
        for text in (printed.decode(), (tmp_path / "release.sql").read_text()):
            assert Counter(connection.execute(text).fetchall()) == {(others, "x"): 3}


def test_a_list_that_repeats_a_key_is_refused() -> None:
    duckdb_, rows = find_dialect("duckdb"), (("a", "x", 1), ("b", "x", 2), ("a", "y", 2))
    columns = (("value", "VARCHAR"), ("label", "VARCHAR"), ("level", "BIGINT"))
    with pytest.raises(ConfigurationError, match=r"^quasi-identifier 'q': 1 of 3 values are written in duckdb like"):
        refuse_repeated(Listing("m", "quasi-identifier 'q'", columns, rows), duckdb_)
    refuse_repeated(Listing("m", "quasi-identifier 'q'", columns, rows, keys=2), duckdb_)
    refuse_repeated(Listing("m", "quasi-identifier 'q'", columns, rows[:2]), duckdb_)
