"""PostgreSQL and Spark (by Sail) with what is rare or ill-meant: types, settings, names, queries, targets, errors."""

from __future__ import annotations

import fcntl
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from engine_places import ENGINES, MARKS, Place, Start, as_parquet, counted, spark_session, starting
from servers import missing_sail

import kanon_sql
from kanon_sql.engines.postgres.engine import describe as describe_postgres
from kanon_sql.engines.spark.connection import describe
from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.sql.disk import spill_folder

pytestmark = MARKS

Json = dict[str, Any]


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Start]:
    """Starts an engine when it is first asked for."""
    with starting(tmp_path_factory.mktemp) as start:
        yield start


def execute(place: Place, *statements: str) -> list[tuple[Any, ...]]:
    """Runs statements in PostgreSQL; the rows of the last."""
    import psycopg

    with psycopg.connect(place.url, autocommit=True) as connection:
        for statement in statements:
            cursor = connection.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []


def there(place: Place, source: Json, target: Any, **more: Any) -> Json:
    """A configuration for PostgreSQL that generalizes the column q."""
    return {
        "engine": {"postgres": place.url},
        "source": source,
        "target": target,
        "quasi_identifiers": {"q": {"builtin": "suppress"}},
        "unlisted": "insensitive",
        "privacy": {"k": 2},
        **more,
    }


PLAIN = {"q": "VARCHAR", "s": "VARCHAR"}
PLAIN_ROWS = [(f"a{i % 3}", f"secret{i % 2}") for i in range(30)]


@ENGINES
@pytest.mark.parametrize("algorithm", ["optimal", "mondrian", "local"])
def test_a_column_that_is_missing_everywhere(start: Start, engine: str, algorithm: str, tmp_path: Path) -> None:
    """Its table of values is empty: the types of its columns cannot be seen in its rows."""
    place = start(engine)
    columns = {"i": "INTEGER", "b": "BOOLEAN", "d": "DECIMAL(9,2)", "t": "TIMESTAMP", "v": "VARCHAR"}
    rows = [(None, None, None, None, None)] * 8
    spec: Json = {} if algorithm != "optimal" else {"builtin": "suppress", "max_level": 0}
    for name in columns:
        config = {
            "source": "in",
            "quasi_identifiers": {name: spec},
            "unlisted": "insensitive",
            "privacy": {"k": 2},
            "algorithm": algorithm,
        }
        remote = place.configured(config, place.put(columns, rows))
        kanon_sql.run(remote)
        assert counted(place.released(remote) or []) == counted(rows)


@ENGINES
def test_bounds_of_a_decimal_keep_its_type_beside_a_missing_one(start: Start, engine: str, tmp_path: Path) -> None:
    place = start(engine)
    columns = {"price": "DECIMAL(9,2)", "s": "VARCHAR"}
    rows = [(None if i < 4 else f"{i}.25", "x") for i in range(12)]
    config = {
        "source": "in",
        "quasi_identifiers": ["price"],
        "unlisted": "insensitive",
        "privacy": {"k": 4},
        "algorithm": "local",
        "release": {"ranges": "columns"},
    }
    remote = place.configured(config, place.put(columns, rows))
    kanon_sql.run(remote)
    here = {**config, "source": str(as_parquet(tmp_path / "in.parquet", columns, rows))}
    kanon_sql.run({**here, "target": str(tmp_path / "out.parquet")})
    with duckdb.connect() as connection:
        expected = connection.execute(f"FROM '{tmp_path / 'out.parquet'}'").fetchall()
    assert any(row[0] is None for row in expected)
    assert counted(place.released(remote) or []) == counted(expected)


@ENGINES
@pytest.mark.parametrize("algorithm", ["mondrian", "local", "optimal"])
def test_entities_are_counted_beside_columns_of_no_role(start: Start, engine: str, algorithm: str) -> None:
    place = start(engine)
    # Some rows of one person are the same in all that is counted.
    rows = [(f"p{i // 3 % 20}", i // 3 % 4, "abc"[i // 9 % 3], f"n{i}") for i in range(120)]
    config = {
        "source": "in",
        "quasi_identifiers": {"row_count": {"builtin": "suppress"} if algorithm == "optimal" else {}},
        "sensitive": ["s"],
        "insensitive": ["note"],
        "privacy": {"k": 4, "entity": "who", "l_diversity": {"column": "s", "l": 2}},
        "algorithm": algorithm,
    }
    columns = {"who": "VARCHAR", "row_count": "INTEGER", "s": "VARCHAR", "note": "VARCHAR"}
    remote = place.configured(config, place.put(columns, rows))
    assert kanon_sql.run(remote).report["privacy"]["k"]["actual"] >= 4
    assert sorted(row[2] for row in place.released(remote) or []) == sorted(row[3] for row in rows)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_types_that_duckdb_lacks_reach_files_unchanged(start: Start, suffix: str, tmp_path: Path) -> None:
    place = start("postgres")
    types = {
        "n": ("numeric", "1.23456789012345678901", "1.23456789012345678901"),
        "e": ("mood", "sad", "sad"),
        "m": ("money", "$12.30", "$12.30"),
        "ip": ("inet", "10.0.0.1/8", "10.0.0.1/8"),
        "a": ("int[]", "{1,NULL}", "{1,NULL}"),
        "vb": ("varbit", "0101", "0101"),
        "js": ("json", '{"a": 1}', '{"a": 1}'),
        "jb": ("jsonb", '{"a": 1}', '{"a": 1}'),
        "pt": ("point", "(1,2)", "(1,2)"),
        "bc": ("date", "0044-03-15 BC", "0044-03-15 (BC)"),
        "f4": ("real", "0.1", "0.1"),
        "u": ("uuid", "11111111-1111-1111-1111-111111111111", "11111111-1111-1111-1111-111111111111"),
        "ch": ("char(4)", "ab", "ab  "),
        "raw": ("bytea", "\\x00ff5c41", "\\x00\\xFF\\x5CA"),
    }
    execute(
        place,
        "DROP TABLE IF EXISTS odd",
        "DROP TYPE IF EXISTS mood",
        "CREATE TYPE mood AS ENUM ('sad')",
        f"CREATE TABLE odd (q text, {', '.join(f'{name} {kind}' for name, (kind, _, _) in types.items())})",
    )
    values = ", ".join(f"'{text}'" for _, text, _ in types.values())
    execute(
        place, f"INSERT INTO odd SELECT 'a', {values} FROM generate_series(1, 3)", "INSERT INTO odd (q) VALUES ('a')"
    )
    path = tmp_path / f"out.{suffix}"
    kanon_sql.run(there(place, {"table": "odd"}, str(path)))
    relation = f"read_csv('{path}', all_varchar=true, header=true)" if suffix == "csv" else f"'{path}'"
    names = ", ".join(f"CAST({name} AS VARCHAR)" for name in types)
    with duckdb.connect() as connection:
        cells = connection.execute(f"SELECT {names}, count(*) FROM {relation} GROUP BY ALL").fetchall()
    expected = tuple(text for _, _, text in types.values())
    assert sorted(cells, key=str) == sorted([(*expected, 3), (*(None for _ in expected), 1)], key=str)


def test_dates_before_christ_are_not_taken_for_those_after(start: Start) -> None:
    place = start("postgres")
    execute(
        place,
        "DROP TABLE IF EXISTS old",
        "CREATE TABLE old AS SELECT day FROM unnest(ARRAY['0044-03-15 BC', '0044-03-15']::date[]) AS day,"
        " generate_series(1, 3)",
    )
    target = {"table": "old_out", "overwrite": True}
    quasi = {"day": {"builtin": "date", "levels": ["year"], "min_level": 1, "max_level": 1}}
    report = kanon_sql.run(there(place, {"table": "old"}, target, quasi_identifiers=quasi)).report
    assert report["classes"]["count"] == 2


@pytest.mark.parametrize(
    "setting",
    ["datestyle=German", "datestyle=SQL,DMY", "extra_float_digits=-5", "bytea_output=escape", "client_encoding=latin1"],
)
def test_settings_of_the_role_change_nothing(start: Start, setting: str, tmp_path: Path) -> None:
    place = start("postgres")
    execute(
        place,
        "DROP TABLE IF EXISTS odd_settings",
        """CREATE TABLE odd_settings AS
        SELECT DATE '2020-02-03' AS q, 1e0::float8 / 3 AS f, 'é'::text AS "ü", '\\x01ff'::bytea AS b
        FROM generate_series(1, 5)""",
    )
    path = tmp_path / "out.parquet"
    config = there(place, {"table": "odd_settings"}, str(path))
    config["quasi_identifiers"] = {name: {"builtin": "suppress", "max_level": 0} for name in ("q", "f", "ü")}
    config["engine"] = {"postgres": f"{place.url}?options=-c{setting.replace('=', '%3D')}"}
    kanon_sql.run(config)
    with duckdb.connect() as connection:
        copied = connection.execute(f"SELECT q::VARCHAR, f, ü, b FROM '{path}'").fetchall()
    assert copied == [("2020-02-03", 1 / 3, "é", b"\x01\xff")] * 5


@pytest.mark.parametrize("more", ["; DROP TABLE victim", "; COMMIT; DROP TABLE victim; BEGIN"])
def test_a_query_is_one_statement(start: Start, more: str) -> None:
    place = start("postgres")
    execute(place, "DROP TABLE IF EXISTS victim", "CREATE TABLE victim AS SELECT 'a' AS q FROM generate_series(1, 9)")
    with pytest.raises(EngineError, match="SQLSTATE 42601, SyntaxError"):
        kanon_sql.run(there(place, {"query": f"SELECT * FROM victim{more}"}, {"table": "never"}))
    assert execute(place, "SELECT count(*) FROM victim") == [(9,)]
    assert execute(place, "SELECT to_regclass('never')") == [(None,)]


@ENGINES
@pytest.mark.parametrize("end", [";", "; -- it's all", " -- it's all", " /* all */ ;"])
def test_a_query_may_end_as_people_end_it(start: Start, engine: str, end: str) -> None:
    place = start(engine)
    source = place.put(PLAIN, PLAIN_ROWS)
    relation = source["table"] if engine == "postgres" else f"parquet.`{source['path']}`"
    config = {"source": "in", "quasi_identifiers": {"q": {"builtin": "suppress"}}, "unlisted": "insensitive"}
    remote = place.configured({**config, "privacy": {"k": 2}}, {"query": f"SELECT * FROM {relation}{end}"})
    assert kanon_sql.run(remote).released == 30


def test_spark_runs_no_command_in_place_of_a_query(start: Start) -> None:
    place = start("spark")
    path = place.put(PLAIN, PLAIN_ROWS)["path"]
    config = {"source": "in", "quasi_identifiers": {"q": {"builtin": "suppress"}}, "unlisted": "insensitive"}
    command = f"CREATE OR REPLACE TEMP VIEW made_by_it AS SELECT * FROM parquet.`{path}`"
    with pytest.raises(EngineError):
        kanon_sql.run(place.configured({**config, "privacy": {"k": 2}}, {"query": command}))


def test_a_table_that_is_replaced_stays_in_its_schema(start: Start) -> None:
    place = start("postgres")
    execute(
        place,
        "DROP SCHEMA IF EXISTS one CASCADE",
        "DROP SCHEMA IF EXISTS two CASCADE",
        "CREATE SCHEMA one",
        "CREATE SCHEMA two",
        "CREATE TABLE two.out AS SELECT 1 AS old",
        "CREATE TABLE two.kanon_sql_mapping_0 AS SELECT 'a' || (i % 3) AS q FROM generate_series(1, 30) AS i",
    )
    # The source has the name that a table of values has in statements.
    config = there(place, {"table": "kanon_sql_mapping_0"}, {"table": "out", "overwrite": True})
    config["engine"] = {"postgres": f"{place.url}?options=-csearch_path%3Done,two"}
    config["quasi_identifiers"] = {"q": {"builtin": "prefix", "keep": [1]}}
    config["privacy"] = {"k": 11}
    assert kanon_sql.run(config).released == 30
    schemas = execute(place, "SELECT schemaname FROM pg_tables WHERE tablename = 'out'")
    assert schemas == [("two",)]
    assert execute(place, "SELECT DISTINCT q FROM two.out") == [("a*",)]
    execute(place, "DROP SCHEMA two CASCADE")


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("seen", "only a table is replaced"),
        ("pg_temp.out", "a temporary table ends with the run"),
        ("base", "is the source; name another"),
        (f'"{"l" * 64}"', "would cut the name"),
    ],
)
def test_targets_that_are_refused_before_any_work(start: Start, target: str, said: str) -> None:
    place = start("postgres")
    execute(
        place,
        "DROP TABLE IF EXISTS base CASCADE",
        "CREATE TABLE base AS SELECT 'a' AS q FROM generate_series(1, 9)",
        "CREATE VIEW seen AS SELECT * FROM base",
    )
    with pytest.raises(ConfigurationError, match=said):
        kanon_sql.run(there(place, {"table": "base"}, {"table": target, "overwrite": True}))
    assert execute(place, "SELECT count(*) FROM seen") == [(9,)]


@pytest.mark.parametrize(
    ("source", "target", "said"),
    [
        ("data/a.parquet", "data/a.parquet", "is the source"),
        ("data/a.parquet", "data", "is the source"),
        ("data/*.parquet", "data", "is the source"),
        ("data", "data/out.parquet", "is the source"),
        ("data/a.parquet", "out[1].parquet", "as a pattern"),
        ("data/a.parquet", "{x}.parquet", "as a pattern"),
    ],
)
def test_a_source_is_never_replaced_by_its_release(
    start: Start, source: str, target: str, said: str, tmp_path: Path
) -> None:
    place = start("spark")
    (tmp_path / "data").mkdir()
    people = Path(place.put(PLAIN, PLAIN_ROWS)["path"]).rename(tmp_path / "data" / "a.parquet")
    config = {
        "engine": {"spark": place.url},
        "source": str(tmp_path / source),
        "target": {"path": str(tmp_path / target), "overwrite": True, "format": "parquet"},
        "quasi_identifiers": {"q": {"builtin": "suppress"}},
        "unlisted": "insensitive",
        "privacy": {"k": 2},
    }
    with pytest.raises(ConfigurationError, match=said):
        kanon_sql.run(config)
    assert people.is_file()
    assert [path.name for path in tmp_path.iterdir()] == ["data"]
    beside = {**config, "source": str(tmp_path / "data/*.parquet"), "target": str(tmp_path / "data.out.parquet")}
    assert kanon_sql.run(beside).released == 30


def test_the_name_of_a_folder_says_how_its_csv_files_are_written(start: Start, tmp_path: Path) -> None:
    place = start("spark")
    config = {"source": "in", "quasi_identifiers": {"q": {"builtin": "suppress"}}, "unlisted": "insensitive"}
    remote = place.configured({**config, "privacy": {"k": 2}}, place.put(PLAIN, PLAIN_ROWS))
    kanon_sql.run({**remote, "target": str(tmp_path / "out.tsv.gz")})
    with duckdb.connect() as connection:
        read = f"read_csv('{tmp_path}/out.tsv.gz/*.gz', all_varchar=true, header=true, delim='\t')"
        assert counted(connection.execute(f"FROM {read}").fetchall()) == counted(PLAIN_ROWS)


@ENGINES
def test_codes_that_repeat_are_no_identifiers_there_either(start: Start, engine: str) -> None:
    place = start(engine)
    columns = {"q": "VARCHAR", "ward": "VARCHAR", "number": "VARCHAR", "person": "VARCHAR"}
    rows = [(f"a{i % 3}", f"w{i % 4}", f"0000000{i % 5}-0000-4000-8000-000000000000", f"n{i:05}") for i in range(240)]
    config = {"source": "in", "quasi_identifiers": {"q": {"builtin": "suppress"}}, "unlisted": "insensitive"}
    remote = place.configured({**config, "privacy": {"k": 2}}, place.put(columns, rows))
    with pytest.raises(ConfigurationError) as ended:
        kanon_sql.run(remote)
    assert len(ended.value.problems) == 1 and "column 'person'" in str(ended.value)
    report = kanon_sql.run({**remote, "identifiers": ["person"]}).report
    assert report["rows"]["released"] == 240
    assert report["warnings"] == []


@ENGINES
def test_errors_show_no_value(start: Start, engine: str) -> None:
    place = start(engine)
    source = place.put(PLAIN, PLAIN_ROWS)
    relation = source["table"] if engine == "postgres" else f"parquet.`{source['path']}`"
    config = {"source": "in", "quasi_identifiers": {"q": {"builtin": "suppress"}}, "unlisted": "insensitive"}
    query = f"SELECT q, CAST(s AS INTEGER) AS s FROM {relation}"
    remote = place.configured({**config, "privacy": {"k": 2}}, {"query": query})
    with pytest.raises(EngineError) as ended:
        kanon_sql.run(remote)
    assert "secret" not in str(ended.value)
    assert place.leftovers() == []


def test_errors_of_functions_show_no_value(start: Start) -> None:
    place = start("postgres")
    body = "BEGIN RAISE EXCEPTION ''secret %'', x; END"
    execute(
        place,
        "DROP TABLE IF EXISTS plain CASCADE",
        "CREATE TABLE plain AS SELECT 'a' AS q FROM generate_series(1, 9)",
        f"CREATE OR REPLACE FUNCTION fails(x text) RETURNS text LANGUAGE plpgsql AS '{body}'",
    )
    with pytest.raises(EngineError, match="SQLSTATE P0001") as ended:
        kanon_sql.run(there(place, {"query": "SELECT fails(q) AS q FROM plain"}, {"table": "never"}))
    assert "secret" not in str(ended.value)
    long = there(place, {"query": "SELECT q FROM plain, pg_sleep(9)"}, {"table": "never"})
    long["engine"] = {"postgres": f"{place.url}?options=-cstatement_timeout%3D200"}
    with pytest.raises(EngineError, match="statement timeout"):
        kanon_sql.run(long)


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("[CAST_INVALID_INPUT] The value 'secret' of the type", "(CAST_INVALID_INPUT); --show-values"),
        ("[TASK_FAILED] Task 0: [USER_RAISED_EXCEPTION] secret", "(TASK_FAILED, USER_RAISED_EXCEPTION); --show-values"),
        ("Cast error: Cannot cast string 'secret' to Int32", "(RuntimeError); --show-values"),
        ("[PARSE_SYNTAX_ERROR] Syntax error at or near 'FORM'.", "near 'FORM'"),
        ("[PARSE_X] failed.\n\tat org.apache.spark.Hidden.run(Hidden.scala:1)", "[PARSE_X] failed."),
    ],
)
def test_what_is_said_of_an_error_of_spark(said: str, shown: str) -> None:
    description = describe(RuntimeError(said), show_values=False)
    assert shown in description
    assert "secret" not in description and "Hidden" not in description


def test_a_server_that_is_not_there_is_found_out_at_once() -> None:
    reason = missing_sail()
    if reason:
        pytest.skip(reason)
    config = {
        "engine": {"spark": "sc://127.0.0.1:1/;token=very-secret"},
        "source": "a.parquet",
        "target": "o.parquet",
        "quasi_identifiers": {"q": {"builtin": "suppress"}},
        "privacy": {"k": 2},
    }
    with pytest.raises(EngineError, match=r"nothing answers at sc://127\.0\.0\.1:1/; look") as ended:
        kanon_sql.run(config)
    assert "secret" not in str(ended.value)


def test_a_session_that_was_open_stays_open(start: Start, tmp_path: Path) -> None:
    place = start("spark")
    config = {"source": "in", "quasi_identifiers": {"q": {"builtin": "suppress"}}, "unlisted": "insensitive"}
    with spark_session(place.url, {}) as session:
        remote = place.configured({**config, "privacy": {"k": 2}}, place.put(PLAIN, PLAIN_ROWS))
        assert kanon_sql.run(remote).released == 30
        assert session.sql("SELECT 1").collect()[0][0] == 1


def test_a_folder_that_another_run_cleared_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the making of a folder and its lock another run may take it for one that a killed run left."""
    lock = fcntl.flock
    calls: list[int] = []

    def late(file: int, how: int) -> None:
        if not calls:
            shutil.rmtree(next(tmp_path.iterdir()))
        calls.append(how)
        lock(file, how)

    monkeypatch.setattr(fcntl, "flock", late)
    with spill_folder(tmp_path) as folder:
        assert folder.is_dir()
    assert len(calls) == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.engine
def test_a_table_that_two_make_at_once_is_no_value_that_is_refused(start: Start) -> None:
    import psycopg

    place = start("postgres")
    errors: list[Exception] = []

    def make() -> None:
        with pytest.raises(psycopg.Error) as raised:
            second.execute("CREATE TABLE raced (x INTEGER)")
        errors.append(raised.value)

    with psycopg.connect(place.url) as first, psycopg.connect(place.url, autocommit=True) as second:
        first.execute("CREATE TABLE raced (x INTEGER)")
        making = threading.Thread(target=make)
        making.start()
        making.join(0.5)  # it waits for the first to end
        first.commit()
        making.join()
        second.execute("DROP TABLE raced")
    said = describe_postgres(errors[0], show_values=False)
    assert said == "somebody else made a table of that name meanwhile; run again"
