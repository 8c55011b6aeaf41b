"""Whole databases of persons in schemas of PostgreSQL, compared with the releases of the same tables as files."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml
from click.testing import CliRunner
from servers import missing_postgres, postgres
from sqlglot import exp

import kanon_sql
from kanon_sql.cli.main import cli
from kanon_sql.commands.init.schema import ProposedSchema, open_schema
from kanon_sql.engines.postgres.tables import _as_text
from kanon_sql.errors import ConfigurationError, EngineError, NoReleaseError, VerificationError, WarnedError
from kanon_sql.sql.connection import EngineOptions

MISSING = missing_postgres()
pytestmark = [pytest.mark.engine, pytest.mark.skipif(MISSING is not None, reason=MISSING or "")]

Json = dict[str, Any]
Rows = list[tuple[Any, ...]]

DIAGNOSES = 'diag"nosis'
TABLES = {
    "person": "person_id INTEGER PRIMARY KEY, sex VARCHAR(1) NOT NULL, born INTEGER, name TEXT, seen TIMESTAMPTZ",
    "visit": "visit_id BIGINT PRIMARY KEY, person_id INTEGER REFERENCES {schema}.person, day DATE, note VARCHAR(40)",
    DIAGNOSES: 'visit_id BIGINT REFERENCES {schema}.visit, "co""de" VARCHAR(4) REFERENCES {schema}.codes',
    "codes": "code VARCHAR(4) PRIMARY KEY, label TEXT, price NUMERIC(8, 2), picture BYTEA, more JSONB",
    "log": "line TEXT",
}
MADE = ("codes", "person", "visit", DIAGNOSES, "log")


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def rows_of(persons: int = 60, seed: int = 1) -> dict[str, Rows]:
    """Invented rows; some visits have no person."""
    drawn = random.Random(seed)
    codes = [f"I{number}" for number in range(9)]
    visits = [
        (number, drawn.choice([*range(1, persons + 1), None]), f"2024-0{drawn.randint(1, 9)}-11", f"note {number % 3}")
        for number in range(persons * 2)
    ]
    return {
        "person": [
            (number, drawn.choice("fm"), 1940 + drawn.randint(0, 59), f"name {number}", "2024-01-01 10:00:00+00")
            for number in range(1, persons + 1)
        ],
        "visit": visits,
        DIAGNOSES: [(drawn.choice(visits)[0], drawn.choice(codes)) for _ in range(persons * 2)],
        "codes": [(code, "" if code == "I0" else None, "1.50", b"\x00\xff", '{"a": 1}') for code in codes],
        "log": [("line",)],
    }


def put(url: str, schema: str, rows: dict[str, Rows]) -> None:
    """Makes the tables in a schema."""
    import psycopg

    with psycopg.connect(url) as connection:
        connection.execute(f"CREATE SCHEMA {quoted(schema)}".encode())
        for name in MADE:
            definition = TABLES[name].format(schema=quoted(schema))
            connection.execute(f"CREATE TABLE {quoted(schema)}.{quoted(name)} ({definition})".encode())
            holes = ", ".join(["%s"] * len(rows[name][0]))
            with connection.cursor() as cursor:
                cursor.executemany(f"INSERT INTO {quoted(schema)}.{quoted(name)} VALUES ({holes})".encode(), rows[name])


def as_files(url: str, schema: str, folder: Path) -> Path:
    """The same tables as Parquet files."""
    import psycopg

    folder.mkdir()
    types = {"sex": "VARCHAR", "day": "DATE", "price": "DECIMAL(8, 2)", "picture": "BLOB", "born": "INTEGER"}
    types |= {"person_id": "INTEGER", "visit_id": "BIGINT", "seen": "TIMESTAMPTZ"}
    with psycopg.connect(url) as connection, duckdb.connect() as local:
        for name in MADE:
            cursor = connection.execute(f"SELECT * FROM {quoted(schema)}.{quoted(name)}".encode())
            names = [column.name for column in cursor.description or []]
            definition = ", ".join(f"{quoted(column)} {types.get(column, 'VARCHAR')}" for column in names)
            local.execute(f"CREATE TABLE {quoted(name)} ({definition})")
            local.executemany(
                f"INSERT INTO {quoted(name)} VALUES ({', '.join('?' * len(names))})",
                [[str(cell) if isinstance(cell, dict) else cell for cell in row] for row in cursor.fetchall()],
            )
            local.execute(f"COPY {quoted(name)} TO '{folder / name}.parquet'")
    return folder


def configuration(url: str, source: Json, target: Json | str, **more: Any) -> Json:
    return {
        "engine": {"postgres": url},
        "source": source,
        "target": target,
        "unit": {"table": "person", "key": "person_id"},
        "tables": {
            "person": {
                "quasi_identifiers": {"sex": {"builtin": "suppress"}, "born": {"builtin": "intervals", "widths": [20]}},
                "insensitive": ["seen"],
                "identifiers": ["name"],
            },
            "visit": {"link": "person_id", "insensitive": ["day", "note"]},
            DIAGNOSES: {"link": {"visit_id": "visit"}, "facts": {'co"de': {}}},
            "codes": "keep",
            "log": "drop",
        },
        "privacy": {"k": 3, "facts": {"known": 2}},
        "suppression": {"persons": "10%"},
        **more,
    }


def read(url: str, schema: str) -> dict[str, Rows]:
    """The tables of a schema, by name."""
    import psycopg

    with psycopg.connect(url) as connection:
        tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = %s", [schema]).fetchall()
        return {
            name: connection.execute(f"SELECT * FROM {quoted(schema)}.{quoted(name)}".encode()).fetchall()
            for (name,) in tables
        }


def run_sql(url: str, *statements: str) -> Rows:
    """Runs statements; the rows of the last."""
    import psycopg

    rows: Rows = []
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            cursor = connection.execute(statement.encode())
            rows = cursor.fetchall() if cursor.description else []
    return rows


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with postgres() as address:
        yield address


@pytest.fixture
def schema(url: str, request: pytest.FixtureRequest) -> Iterator[str]:
    """A schema with the tables, whose name needs quotes; it and that of releases are dropped in the end."""
    name = 'Cli"nic'
    put(url, name, rows_of())
    yield name
    run_sql(url, f"DROP SCHEMA {quoted(name)} CASCADE", "DROP SCHEMA IF EXISTS released CASCADE")


def test_a_schema_is_released_as_its_tables_in_files(url: str, schema: str, tmp_path: Path) -> None:
    before = read(url, schema)
    on_server = kanon_sql.run(configuration(url, {"schema": schema}, {"schema": "released"})).report
    config = configuration(url, {"path": str(as_files(url, schema, tmp_path / "source"))}, str(tmp_path / "out"))
    del config["engine"]
    of_files = kanon_sql.run(config).report
    for key in ("persons", "tables", "facts", "classes", "privacy", "loss", "solution", "verification"):
        assert on_server[key] == of_files[key], key
    assert read(url, schema) == before
    released = read(url, "released")
    assert set(released) == {"person", "visit", DIAGNOSES, "codes"}
    assert Counter(map(repr, released["codes"])) == Counter(map(repr, before["codes"]))
    with duckdb.connect() as local:
        persons = local.execute(f"SELECT sex, born FROM '{tmp_path}/out/person.parquet'").fetchall()
    assert Counter(persons) == Counter(row[1:3] for row in released["person"])
    types = run_sql(
        url,
        "SELECT column_name, data_type, character_maximum_length FROM information_schema.columns "
        "WHERE table_schema = 'released' AND table_name IN ('person', 'visit', 'codes')",
    )
    assert {("person_id", "bigint", None), ("sex", "text", None), ("note", "character varying", 40)} <= set(types)
    assert {("price", "numeric", None), ("picture", "bytea", None), ("more", "jsonb", None)} <= set(types)
    again = kanon_sql.check(configuration(url, {"schema": "released"}, {"schema": "x"}))
    assert again["status"] == "satisfied", again["violations"]
    assert again["facts"]["actual"] == on_server["facts"]["actual"]


def test_a_schema_is_replaced_with_what_its_tables_had(url: str, schema: str) -> None:
    named = quoted(schema)
    run_sql(
        url,
        f"CREATE INDEX by_day ON {named}.visit (day)",
        f"CREATE UNIQUE INDEX by_name ON {named}.person (name)",
        f"ALTER TABLE {named}.person ADD CHECK (length(name) < born)",
        f"ALTER TABLE {named}.visit ADD CHECK (visit_id <> person_id OR day IS NOT NULL) NOT VALID",
        f"ALTER TABLE {named}.visit ALTER COLUMN day SET DEFAULT CURRENT_DATE",
        f"GRANT SELECT ON {named}.visit TO PUBLIC",
    )
    report = kanon_sql.run(configuration(url, {"schema": schema}, "in-place")).report
    assert set(read(url, schema)) == {"person", "visit", DIAGNOSES, "codes"}
    kept = run_sql(
        url,
        "SELECT CAST(conrelid AS regclass)::text, contype::text FROM pg_constraint WHERE contype IN ('p', 'f', 'c') "
        f"AND connamespace = '{named}'::regnamespace",
    )
    primary = {table.rpartition(".")[2].strip('"') for table, kind in kept if kind == "p"}
    assert primary == {"person", "visit", "codes"}
    assert sorted(kind for _, kind in kept if kind != "p") == ["c", "f", "f", "f"]
    assert run_sql(url, "SELECT bool_and(convalidated) FROM pg_constraint WHERE contype = 'c'") == [(True,)]
    assert run_sql(url, f"SELECT to_regclass('{named}.by_day') IS NOT NULL, to_regclass('{named}.by_name')") == [
        (True, None)
    ]
    run_sql(url, f"INSERT INTO {named}.visit (visit_id) VALUES (100000)")
    assert run_sql(url, f"SELECT day = CURRENT_DATE FROM {named}.visit WHERE visit_id = 100000") == [(True,)]
    lost = [warning for warning in report["warnings"] if "not kept" in warning]
    assert any("'person'" in text and "index 'by_name'" in text and "person_check" in text for text in lost), lost
    assert any("'visit'" in text and "rights of other roles" in text for text in lost)
    assert not any(DIAGNOSES in text or "'codes'" in text for text in lost)


def test_in_place_the_catalog_tells_no_value(url: str, schema: str) -> None:
    named = quoted(schema)
    run_sql(
        url,
        f"CREATE TYPE {named}.kind AS ENUM ('ward', 'secretward')",
        f"ALTER TABLE {named}.visit ADD k {named}.kind DEFAULT 'secretward', ADD ks {named}.kind[]",
        f"UPDATE {named}.visit SET k = 'ward'",
        f"ALTER TABLE {named}.visit ADD CONSTRAINT inside CHECK (k <> 'secretward')",
        f"CREATE INDEX of_b20 ON {named}.visit (day) WHERE note <> 'B20'",
        f"CREATE INDEX as_b20 ON {named}.visit ((note || 'B20'))",
        f"CREATE INDEX by_note ON {named}.visit (note)",
        f"CREATE STATISTICS {named}.both ON day, note FROM {named}.visit",
        f"COMMENT ON TABLE {named}.visit IS 'B20 is of 17'",
        f"COMMENT ON COLUMN {named}.visit.day IS 'not B20'",
        f"COMMENT ON INDEX {named}.by_note IS 'as B20'",
        f"COMMENT ON CONSTRAINT inside ON {named}.visit IS 'no secretward'",
        f"GRANT SELECT (day) ON {named}.visit TO PUBLIC",
    )
    config = configuration(url, {"schema": schema}, "in-place")
    config["tables"]["visit"]["insensitive"] += ["k", "ks"]
    report = kanon_sql.run(config).report
    catalog = run_sql(
        url,
        "SELECT pg_get_indexdef(indexrelid) FROM pg_index UNION ALL "
        "SELECT pg_get_constraintdef(oid) FROM pg_constraint UNION ALL "
        "SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef UNION ALL SELECT description FROM pg_description",
    )
    assert "B20" not in str(catalog)
    assert "secretward" not in str(catalog)
    assert "by_note" in str(catalog)
    types = run_sql(
        url,
        "SELECT data_type FROM information_schema.columns WHERE table_name = 'visit' AND column_name IN ('k', 'ks')",
    )
    assert types == [("text",), ("text",)]
    (listing,) = [text for text in report["warnings"] if "list values" in text]
    assert "'k', 'ks'" in listing
    (lost,) = [text for text in report["warnings"] if "not kept" in text and "'visit'" in text]
    assert "B20" not in lost
    for name in (
        "index 'of_b20'",
        "index 'as_b20'",
        "its comment",
        "the comment of 'day'",
        "the default of 'k'",
        "constraint 'inside'",
        "statistics 'both'",
        "the comment of constraint 'inside'",
        "rights of other roles",
    ):
        assert name in lost, lost
    assert "by_note'" in lost.partition("the comment of index")[2]


def test_new_values_are_of_new_types(url: str, schema: str) -> None:
    named = quoted(schema)
    run_sql(
        url,
        f"CREATE TABLE {named}.address (address_id UUID, region TEXT)",
        f"ALTER TABLE {named}.person ADD home UUID",
        f"UPDATE {named}.person SET home = lpad((person_id % 2)::text, 32, '0')::uuid",
        f"INSERT INTO {named}.address SELECT DISTINCT home, left(home::text, 1) FROM {named}.person",
        f"CREATE TABLE {named}.survey (pid UUID, income INTEGER)",
    )
    config = configuration(url, {"schema": schema}, {"schema": "released"})
    config["tables"] |= {
        "address": {"via": {"home": "address_id"}, "quasi_identifiers": {"region": {"builtin": "suppress"}}},
        "visit": {"link": "person_id", "since": {"day": "first"}, "insensitive": ["note"]},
        "survey": "drop",
    }
    kanon_sql.run(config)
    types = run_sql(
        url,
        "SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = 'released' "
        "AND column_name IN ('home', 'day', 'address_id') ORDER BY 1",
    )
    assert types == [("address", "address_id", "bigint"), ("person", "home", "bigint"), ("visit", "day", "bigint")]
    # Persons by another name, of another type.
    run_sql(
        url,
        f"DROP TABLE {named}.address, {named}.survey, {named}.visit, {named}.{quoted(DIAGNOSES)}",
        f"ALTER TABLE {named}.person DROP CONSTRAINT person_pkey, DROP COLUMN person_id, DROP COLUMN home",
        f"ALTER TABLE {named}.person ADD person_id UUID DEFAULT gen_random_uuid()",
        f"CREATE TABLE {named}.survey AS SELECT person_id AS pid, 1 AS income FROM {named}.person",
        "DROP SCHEMA released CASCADE",
    )
    config = configuration(url, {"schema": schema}, {"schema": "released"})
    survey = {"via": {"person_id": "pid"}, "quasi_identifiers": {"income": {"builtin": "suppress"}}}
    tables = {name: config["tables"][name] for name in ("person", "codes", "log")}
    kanon_sql.run({**config, "tables": {**tables, "survey": survey}, "privacy": {"k": 3}})
    assert len(read(url, "released")["survey"]) > 0


@pytest.mark.parametrize("how", ["strict", "dry-run", "no-release", "unverified"])
def test_all_tables_or_none(url: str, schema: str, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = read(url, schema)
    config = configuration(url, {"schema": schema}, "in-place")
    if how == "strict":
        run_sql(url, f"GRANT SELECT ON {quoted(schema)}.visit TO PUBLIC")
        with pytest.raises(WarnedError, match="rights of other roles"):
            kanon_sql.run(config, strict=True)
    elif how == "dry-run":
        assert kanon_sql.run(config, dry_run=True).report["status"] == "dry-run"
    elif how == "no-release":
        with pytest.raises(NoReleaseError):
            kanon_sql.run({**config, "privacy": {"k": 1000, "facts": {"known": 1}}})
    else:
        monkeypatch.setattr("kanon_sql.engines.postgres.tables._as_text", _spoilt)
        with pytest.raises(VerificationError):
            kanon_sql.run(config)
    assert read(url, schema) == before
    assert run_sql(url, "SELECT count(*) FROM pg_class WHERE relname LIKE 'kanon%'") == [(0,)]


def _spoilt(value: Any, kind: str) -> Any:
    return exp.Literal.string("9.99") if kind.startswith("DECIMAL") else _as_text(value, kind)


def test_files_come_into_a_schema_and_a_schema_into_files(url: str, schema: str, tmp_path: Path) -> None:
    files = as_files(url, schema, tmp_path / "source")
    kanon_sql.run(configuration(url, {"path": str(files)}, {"schema": "released"}))
    assert set(read(url, "released")) == {"person", "visit", DIAGNOSES, "codes"}
    kanon_sql.run(configuration(url, {"schema": schema}, {"database": str(tmp_path / "out.duckdb")}))
    with pytest.raises(ConfigurationError, match="overwrite"):
        kanon_sql.run(configuration(url, {"schema": schema}, {"schema": "released"}))
    kanon_sql.run(configuration(url, {"schema": schema}, {"schema": "released", "overwrite": True}))
    run_sql(url, "CREATE TABLE released.mine (a INTEGER)")
    with pytest.raises(ConfigurationError, match="1 other tables"):
        kanon_sql.run(configuration(url, {"schema": schema}, {"schema": "released", "overwrite": True}))


def test_risk_counts_the_schema_before_and_after(url: str, schema: str) -> None:
    config = configuration(url, {"schema": schema}, {"schema": "released"})
    assert kanon_sql.risk(config)["release"] is None
    kanon_sql.run(config)
    report = kanon_sql.risk(config)
    assert report["source"]["facts"][1]["below_k"] > 0
    assert report["release"]["facts"][1]["below_k"] == 0


def test_a_release_in_a_schema_is_compared_and_attacked_as_one_in_files(url: str, schema: str, tmp_path: Path) -> None:
    on_server = configuration(url, {"schema": schema}, {"schema": "released"})
    for command in (kanon_sql.utility, kanon_sql.attack):
        with pytest.raises(EngineError, match="no release yet"):
            command(on_server)
    kanon_sql.run(on_server)
    of_files = configuration(url, {"path": str(as_files(url, schema, tmp_path / "source"))}, str(tmp_path / "out"))
    del of_files["engine"]
    kanon_sql.run(of_files)
    utility, expected = (kanon_sql.utility(config) for config in (on_server, of_files))
    assert utility["columns"]["born"]["total_variation"] > 0
    assert set(utility["tables"]) == {"visit", DIAGNOSES}
    for key in ("columns", "pairs", "queries", "pmse", "tables"):
        assert utility[key] == expected[key], key
    attacks, expected = (kanon_sql.attack(config, attacks=20, method=True) for config in (on_server, of_files))
    assert attacks["downcoding"] is not None  # so the search finds the release that is there
    for key in ("rows", "singling_out", "linkability", "inference", "minimality", "downcoding"):
        assert attacks[key] == expected[key], key
    for report in (utility, attacks):
        assert url not in json.dumps(report)


def test_a_schema_is_proposed_as_its_tables_in_files(
    url: str, schema: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLINIC", url)
    run_sql(url, f"CREATE VIEW {quoted(schema)}.seen AS SELECT name FROM {quoted(schema)}.person")
    file = tmp_path / "clinic.yaml"
    result = CliRunner().invoke(cli, ["init", "${CLINIC}", "--schema", schema, "-o", str(file), "--json"])
    assert result.exit_code == 0, result.output
    assert url not in result.output
    of_files = kanon_sql.init(as_files(url, schema, tmp_path / "source")).to_dict()
    notes = [*of_files["notes"], "views are not released: 'seen'"]
    assert json.loads(result.stdout) == json.loads(json.dumps({**of_files, "notes": notes}))
    config = yaml.safe_load(file.read_text())
    assert config["engine"] == {"postgres": "${CLINIC}"}
    assert (config["source"], config["target"]) == ({"schema": schema}, {"schema": f"{schema}_released"})
    assert kanon_sql.run(file, dry_run=True).report["status"] == "dry-run"


def test_an_address_with_a_password_is_not_written(url: str, schema: str) -> None:
    user, _, place = url.removeprefix("postgresql://").partition("@")
    with open_schema(url, schema, EngineOptions()) as (tables, named):
        assert set(tables.places) == set(MADE)
        assert named == ProposedSchema(schema, f"{schema}_released", None, url)
    run_sql(url, f"CREATE SCHEMA {quoted(schema + '_released')}")
    try:
        for secret in (f"postgresql://{user}:told%20nobody@{place}", f"{url}?password=told"):
            with open_schema(secret, schema, EngineOptions()) as (_, named):
                assert named == ProposedSchema(schema, f"{schema}_released_2", "POSTGRES_URL", None)
    finally:
        run_sql(url, f"DROP SCHEMA {quoted(schema + '_released')}")


def test_what_init_cannot_look_at_is_said(url: str, schema: str, tmp_path: Path) -> None:
    run_sql(url, f"DROP TABLE {quoted(schema)}.visit CASCADE", f"DROP TABLE {quoted(schema)}.{quoted(DIAGNOSES)}")
    wrong: list[tuple[Json, type[Exception], str]] = [
        ({}, ConfigurationError, f"expected --schema .*{schema}"),
        ({"schema": "nowhere"}, EngineError, "no schema 'nowhere'"),
        ({"table": "person"}, ConfigurationError, "without --table"),
        ({"schema": schema}, ConfigurationError, "none is a table of persons"),
    ]
    for given, error, text in wrong:
        with pytest.raises(error, match=text) as caught:
            kanon_sql.init(url, **given)
        assert url not in str(caught.value)
    with pytest.raises(ConfigurationError, match="no variable NOT_THERE"):
        kanon_sql.init("${NOT_THERE}", schema=schema)
    with pytest.raises(ConfigurationError, match="goes with the address"):
        kanon_sql.init(tmp_path, schema=schema)


def test_what_hangs_on_replaced_tables_is_named(url: str, schema: str) -> None:
    named = quoted(schema)
    run_sql(url, f"CREATE MATERIALIZED VIEW {named}.seen AS SELECT name FROM {named}.person")
    with pytest.raises(ConfigurationError, match=r"materialized view .*seen"):
        kanon_sql.run(configuration(url, {"schema": schema}, "in-place"))
    report = kanon_sql.run(configuration(url, {"schema": schema}, {"schema": "released"})).report
    assert any("views are not released: 'seen'" in warning for warning in report["warnings"])


@pytest.mark.parametrize(
    ("right", "target", "said"),
    [
        ("", {"schema": "released"}, "may not look into schema"),
        (
            "GRANT USAGE ON SCHEMA {schema} TO {role}; CREATE SCHEMA released AUTHORIZATION {role}",
            {"schema": "released"},
            "may not read all rows of table 'person'",
        ),
        (
            "GRANT USAGE ON SCHEMA {schema} TO {role}; GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {role}",
            "in-place",
            "table 'person' is not owned by this role",
        ),
        (
            "GRANT USAGE ON SCHEMA {schema} TO {role}; GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {role}; "
            "ALTER TABLE {schema}.person ENABLE ROW LEVEL SECURITY; CREATE SCHEMA released AUTHORIZATION {role}",
            {"schema": "released"},
            "row-level security",
        ),
        (
            "GRANT USAGE ON SCHEMA {schema} TO {role}; GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {role}; "
            "CREATE SCHEMA released",
            {"schema": "released"},
            "may not look into schema 'released'",
        ),
        (
            "GRANT USAGE ON SCHEMA {schema} TO {role}; GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {role}",
            {"schema": "released"},
            "may not make schema 'released'; expected GRANT CREATE ON DATABASE",
        ),
    ],
)
def test_a_role_without_rights_is_told_which(url: str, schema: str, right: str, target: Json | str, said: str) -> None:
    role = "kanon_sql_reader"
    run_sql(url, f"DROP ROLE IF EXISTS {role}", f"CREATE ROLE {role} LOGIN PASSWORD 'told nobody'")
    try:
        for statement in filter(None, right.format(schema=quoted(schema), role=role).split("; ")):
            run_sql(url, statement)
        mine = "postgresql://" + f"{role}:told%20nobody@" + url.rpartition("@")[2].removeprefix("postgresql://")
        with pytest.raises(ConfigurationError, match=said):
            kanon_sql.run(configuration(mine, {"schema": schema}, target))
    finally:
        run_sql(url, f"DROP OWNED BY {role}", f"DROP ROLE {role}")


def test_values_of_many_types_come_back_as_they_were(url: str, schema: str) -> None:
    named = quoted(schema)
    run_sql(
        url,
        f"CREATE TYPE {named}.mood AS ENUM ('so so', 'well')",
        f"CREATE DOMAIN {named}.share AS NUMERIC CHECK (VALUE <= 1)",
        f"CREATE TABLE {named}.many (d DATE, t TIMESTAMP, z TIMESTAMPTZ, c TIME, i INTERVAL, b BOOLEAN, r REAL, "
        f"f FLOAT8, u UUID, a INTEGER[], e {named}.mood, n NUMERIC, s {named}.share, l CHAR(4), j JSON, "
        "x INET, y BYTEA)",
        f"INSERT INTO {named}.many VALUES ('0044-03-15 BC', '0044-03-15 10:00:00 BC', '2024-01-01 00:00:00.5+02', "
        "'23:59:59', '1 mon 2 days', true, 0.1, 'NaN', '00000000-0000-0000-0000-000000000001', '{1,NULL}', 'so so', "
        "1.50, 0.5, 'ab', '{\"a\":  1}', '10.0.0.1/8', '\\x00ff')",
        f"INSERT INTO {named}.many (d, t, z) VALUES (NULL, NULL, NULL), ('infinity', 'infinity', '-infinity')",
    )
    as_texts = "SELECT CAST(many AS TEXT) FROM {}.many ORDER BY 1"
    types = (
        "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute "
        "WHERE attrelid = '{}.many'::regclass AND attnum > 0"
    )
    before = run_sql(url, as_texts.format(named)), run_sql(url, types.format(named))
    config = configuration(url, {"schema": schema}, {"schema": "released"})
    config["tables"]["many"] = "keep"
    kanon_sql.run(config)
    assert (run_sql(url, as_texts.format("released")), run_sql(url, types.format("released"))) == before


def test_a_schema_that_is_not_there(url: str) -> None:
    with pytest.raises(EngineError, match="no schema 'nowhere'"):
        kanon_sql.run(configuration(url, {"schema": "nowhere"}, "in-place"))


def test_the_commands(url: str, schema: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLINIC", url)
    file = tmp_path / "clinic.yaml"
    file.write_text(yaml.safe_dump(configuration("${CLINIC}", {"schema": schema}, {"schema": "released"})))
    page = tmp_path / "page.html"
    for arguments, status in (
        (["run", "--html", str(page)], 0),
        (["check"], 1),
        (["check", "--set", "source.schema=released"], 0),
    ):
        result = CliRunner().invoke(cli, [*arguments, str(file)])
        assert result.exit_code == status, result.output
        assert url not in result.output
    assert "diag" in page.read_text()
    assert url not in page.read_text()
