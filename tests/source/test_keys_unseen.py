"""Keys of pseudonyms and shifts: in the text of no statement, and in nothing that a run leaves; what tells of
statements, settings and the engine is refused where a source calls it.
"""

from __future__ import annotations

import hashlib
import hmac
import io
import json
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import duckdb
import pytest
from shared_engine import shared
from treated_jobs import KEY, VARIABLE, make_stays, treated, treating

import kanon_sql
from kanon_sql.cli.main import main
from kanon_sql.errors import ConfigurationError, KanonError
from kanon_sql.source import duckdb as duckdb_source
from kanon_sql.sql.connection import Engine

Json = dict[str, Any]


def secrets() -> set[str]:
    """What nobody may read, as digits: the key, that of days, and both with the pads of HMAC (RFC 2104)."""
    whole = bytes.fromhex(KEY)
    written_keys = set()
    for key in (whole, hmac.new(whole, b"kanon-sql shift", hashlib.sha256).digest()):
        block = key.ljust(64, b"\0")
        written_keys |= {key.hex(), *(bytes(byte ^ pad for byte in block[: len(key)]).hex() for pad in (0x36, 0x5C))}
    return written_keys


def refuse_secrets(text: str, where: str) -> None:
    said = text.lower()
    assert not [secret for secret in secrets() if secret in said], where


def refuse_in_files(folder: Path) -> None:
    for path in folder.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            refuse_secrets(content.decode("latin-1"), path.name)
            assert not [secret for secret in secrets() if bytes.fromhex(secret) in content], path.name


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, KEY)


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The text of whatever DuckDB is given."""
    texts: list[str] = []
    run = Engine.run

    def noted(engine: Engine, statement: Any, values: Any = None) -> Any:
        texts.append(statement if isinstance(statement, str) else statement.sql("duckdb"))
        return run(engine, statement, values)

    monkeypatch.setattr(Engine, "run", noted)
    yield texts
    assert any("sha256" in text.lower() for text in texts)  # they were listened to
    for text in texts:
        refuse_secrets(text, text[:200])


@pytest.fixture
def job(tmp_path: Path) -> Json:
    with duckdb.connect() as connection:
        make_stays(connection, tmp_path / "stays.parquet")
    return treating(tmp_path / "stays.parquet", tmp_path / "out.parquet")


def as_yaml(job: Json, path: Path) -> Path:
    path.write_text(json.dumps(job))  # JSON is YAML
    return path


SEARCHES: dict[str, Any] = {
    "optimal": "optimal",
    "samarati": "samarati",
    "minimal": "minimal",
    "mondrian": "mondrian",
    "local": "local",
}


@pytest.mark.slow
@pytest.mark.parametrize("search", SEARCHES)
def test_no_statement_of_a_run_holds_a_key(search: str, job: Json, tmp_path: Path, statements: list[str]) -> None:
    job = {**job, "algorithm": SEARCHES[search], "quasi_identifiers": {"sex": {"builtin": "suppress"}}}
    result = kanon_sql.run(
        {**job, "releases": {"path": str(tmp_path / "ledger.duckdb")}, "report": str(tmp_path / "r.json")}
    )
    assert result.report["status"] == "released"
    refuse_in_files(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ["run", "CONFIG", "--html", "page.html", "--debug", "--show-values"],
        ["run", "CONFIG", "--dry-run", "--json"],
        ["lattice", "CONFIG", "--json"],
        ["compile", "CONFIG", "--check"],
        ["risk", "CONFIG", "--json", "--set", "quasi_identifiers.day={}", "--set", "insensitive=[cost]"],
        ["utility", "CONFIG", "--json"],
        ["attack", "CONFIG", "--json"],
        ["report", "CONFIG", "-o", "page.html"],
        ["apply", "1", "stays.parquet", "--ledger", "ledger.duckdb", "-o", "again.parquet"],
    ],
    ids=lambda command: " ".join(command[:3:2]),
)
def test_no_statement_of_a_command_holds_a_key(
    command: list[str], job: Json, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, statements: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    kanon_sql.run({**job, "releases": {"path": "ledger.duckdb"}})
    job["target"] = {"path": job["target"], "overwrite": True}
    config = as_yaml(job, tmp_path / "config.yaml")
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as ended:
        main([str(config) if word == "CONFIG" else word for word in command])
    assert ended.value.code == 0, err.getvalue()
    refuse_secrets(out.getvalue() + err.getvalue(), "the output")
    refuse_in_files(tmp_path)


def in_database(tmp_path: Path, *statements_before: str) -> Path:
    path = tmp_path / "clinic.duckdb"
    with duckdb.connect(str(path)) as connection:
        make_stays(connection, tmp_path / "stays.parquet")
        for statement in statements_before:
            connection.execute(statement)
    return path


def reading(job: Json, database: Path, **source: str) -> Json:
    columns = [*job["insensitive"], "note"]
    return {**job, "source": {"database": str(database), **source}, "insensitive": columns, "accept": ["note"]}


# What it tells is the same in every statement, or the release would not be what is verified.
TELLS = "concat(contains(current_query(), 'SELECT'), regexp_extract_all(current_query(), '[0-9a-fA-F]{32,}')::VARCHAR)"
HOSTILE: dict[str, tuple[list[str], Json]] = {
    "view": ([f"CREATE VIEW v AS SELECT *, {TELLS} AS note FROM stays"], {"table": "v"}),
    "nested view": (
        [
            f"CREATE VIEW v AS SELECT *, upper(substr({TELLS}, 1)) AS note FROM stays",
            'CREATE SCHEMA "a b"',
            'CREATE VIEW "a b"."w ""x" AS SELECT * FROM clinic.main.v WHERE note IS NOT NULL',
        ],
        {"table": '"a b"."w ""x"'},
    ),
    "macro": (
        [
            f"CREATE MACRO m(x) AS concat(x, {TELLS})",
            "CREATE VIEW v AS SELECT *, coalesce(m(sex), '') AS note FROM stays",
        ],
        {"table": "v"},
    ),
    "table macro": (
        [
            "CREATE MACRO m() AS TABLE SELECT count(*)::VARCHAR AS note FROM duckdb_logs()",
            "CREATE VIEW v AS SELECT * FROM stays, m()",
        ],
        {"table": "v"},
    ),
    "generated column": (
        ["ALTER TABLE stays RENAME TO old", "CREATE TABLE stays (LIKE_OF_OLD)", "INSERT INTO stays SELECT * FROM old"],
        {"table": "stays"},
    ),
    "query": ([], {"query": TELLS.join(["SELECT *, ", " AS note FROM stays"])}),
    "comment": ([], {"query": 'SELECT *, /* " */ "Current_Query" /**/ () AS note FROM stays'}),
    "method": ([], {"query": "SELECT *, 'threads'.current_setting()::VARCHAR AS note FROM stays"}),
    "qualified": ([], {"query": "SELECT *, system.main.current_query() AS note FROM stays"}),
    "function of tables": ([], {"query": "SELECT s.*, name AS note FROM stays AS s, duckdb_settings() LIMIT 40"}),
    "view of the engine": ([], {"query": "SELECT s.*, sql AS note FROM stays AS s, sqlite_master"}),
    "query of a text": ([], {"query": "SELECT *, '' AS note FROM query('FROM stays')"}),
    "lambda": (
        [],
        {"query": "SELECT *, list_transform([1], lambda x: getvariable('a'))[1]::VARCHAR AS note FROM stays"},
    ),
    "logs": ([], {"query": "SELECT s.*, type AS note FROM stays AS s, duckdb_logs() LIMIT 40"}),
    "variables": ([], {"query": "SELECT s.*, name AS note FROM stays AS s, (SHOW ALL TABLES) LIMIT 40"}),
}
GENERATED = f"patient VARCHAR, sex VARCHAR, day DATE, cost INTEGER, note VARCHAR AS ({TELLS}) VIRTUAL"


def hostile(name: str, job: Json, tmp_path: Path) -> Json:
    statements_before, source = HOSTILE[name]
    return reading(
        job,
        in_database(tmp_path, *(statement.replace("LIKE_OF_OLD", GENERATED) for statement in statements_before)),
        **source,
    )


@pytest.mark.few(3)
@pytest.mark.parametrize("name", HOSTILE)
def test_what_tells_of_statements_is_refused(name: str, job: Json, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"calls [\w()]+, which tells of statements"):
        kanon_sql.run(hostile(name, job, tmp_path))
    assert not (tmp_path / "out.parquet").exists()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["view", "nested view", "macro", "generated column", "query"])
def test_what_is_not_refused_finds_no_key(
    name: str, job: Json, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The statement that reads the source has none, and no other runs while a row of it is read."""
    monkeypatch.setattr(duckdb_source, "_REFUSED", frozenset())
    config = hostile(name, job, tmp_path)
    kanon_sql.run(config)
    with shared() as connection:
        notes = connection.execute(f"SELECT DISTINCT note FROM '{tmp_path / 'out.parquet'}'").fetchall()
        rows = connection.execute(f"SELECT patient, sex, day, cost FROM '{tmp_path / 'out.parquet'}'").fetchall()
    assert {note.casefold() for (note,) in notes} <= {"true[]", "ftrue[]", "mtrue[]"}  # it did read a statement
    refuse_in_files(tmp_path)
    assert sorted(map(str, rows)) == sorted(map(str, treated().elements()))


@pytest.mark.slow
def test_names_and_defaults_that_run_nothing_are_read(job: Json, tmp_path: Path) -> None:
    """A default is of rows to come; a column may have any name; who calls it elsewhere is of no concern."""
    database = in_database(
        tmp_path,
        "ALTER TABLE stays ADD COLUMN note VARCHAR DEFAULT 'x'",
        "ALTER TABLE stays ALTER note SET DEFAULT current_query()",
        "ALTER TABLE stays ADD COLUMN \"current_query\" VARCHAR DEFAULT 'current_query()'",
        "CREATE VIEW other AS SELECT current_query() AS x",
        'CREATE VIEW v AS SELECT *, "current_query" AS "functions" FROM stays WHERE note <> \'duckdb_logs()\'',
    )
    config = {**reading(job, database, table="v"), "unlisted": "insensitive"}
    assert kanon_sql.run(config).report["rows"]["released"] == 120


OTHER_PLACES: dict[str, Callable[[Json, Path, Path], Any]] = {
    "init": lambda job, database, folder: main(["init", str(database), "--table", "v"]),
    "check": lambda job, database, folder: kanon_sql.check(reading(job, database, table="v")),
    "lattice": lambda job, database, folder: kanon_sql.lattice(reading(job, database, table="v")),
    "population": lambda job, database, folder: kanon_sql.run(
        {**job, "privacy": {"k_map": {"k": 2, "population": {"database": str(database), "table": "v"}}}}
    ),
}


@pytest.mark.few(1)
@pytest.mark.parametrize("place", ["check", "lattice", "population"])
def test_other_places_that_are_read_are_looked_at_too(place: str, job: Json, tmp_path: Path) -> None:
    database = in_database(tmp_path, "CREATE VIEW v AS SELECT *, current_query() AS note FROM stays")
    with pytest.raises(KanonError, match="calls current_query") as raised:
        OTHER_PLACES[place](job, database, tmp_path)
    assert raised.value.exit_status == 2


def test_views_of_a_connection_are_looked_at_too(job: Json, tmp_path: Path) -> None:
    with duckdb.connect() as connection:
        make_stays(connection, tmp_path / "stays.parquet")
        connection.execute("CREATE VIEW v AS SELECT *, current_query() AS note FROM stays")
        for data in ("v", connection.sql("SELECT *, current_setting('threads') AS note FROM stays")):
            with pytest.raises(ConfigurationError, match=r"calls current_\w+\(\), which tells of statements"):
                kanon_sql.run({**job, "accept": ["note"]}, data=data, connection=connection, target="made")


ENVIRONMENT = [
    "read_text('/proc/self/environ')",
    "read_csv('//proc//self/environ')",
    "read_text('../../../../../../proc/1/environ')",
    "read_blob('/proc/*/environ')",
]


@pytest.mark.few(1)
@pytest.mark.parametrize("reader", ENVIRONMENT)
def test_a_view_does_not_read_what_the_system_tells_of_the_process(reader: str, job: Json, tmp_path: Path) -> None:
    """Its environment holds the keys."""
    with duckdb.connect() as connection:
        make_stays(connection, tmp_path / "stays.parquet")
        connection.execute(f"CREATE MACRO told() AS (SELECT count(*) FROM {reader})")
        connection.execute("CREATE VIEW v AS SELECT *, told() AS note FROM stays")
        with pytest.raises(ConfigurationError, match="calls a reader of /proc"):
            kanon_sql.run({**job, "accept": ["note"]}, data="v", connection=connection, target="made")


SHADOWS = {
    "sha256": "CREATE MACRO sha256(x) AS lower(hex(x))[1:60] || md5(x)[1:4]",
    "unhex": "CREATE MACRO unhex(x) AS encode(x)",
    "||": "CREATE MACRO \"||\"(a, b) AS 'x'",
    "DUCKDB_FUNCTIONS": "CREATE MACRO DUCKDB_FUNCTIONS() AS TABLE SELECT 1 AS a",
}


@pytest.mark.few(1)
@pytest.mark.parametrize("name", SHADOWS)
def test_macros_that_take_the_place_of_functions_are_refused(name: str, tmp_path: Path, job: Json) -> None:
    """Whatever calls the function would call the macro, and show it the keys."""
    query = reading(job, in_database(tmp_path, SHADOWS[name]), query="SELECT * FROM stays")
    with pytest.raises(ConfigurationError, match="takes the place of a function of the engine") as refused:
        kanon_sql.run(query)
    assert f"main.{name}" in str(refused.value) and not Path(job["target"]).exists()


@pytest.mark.parametrize("temporary", ["", "TEMP "])
def test_so_are_those_of_a_connection(temporary: str, job: Json) -> None:
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE stays AS SELECT 'p' || range % 9 AS patient, 20 AS age FROM range(40)")
        connection.execute(SHADOWS["sha256"].replace("CREATE ", f"CREATE {temporary}"))
        with pytest.raises(ConfigurationError, match=r"the connection: .*main\.sha256 takes the place"):
            kanon_sql.run(
                {"quasi_identifiers": {"age": {"builtin": "suppress"}}, "privacy": {"k": 2}},
                data="stays",
                connection=connection,
            )


def test_macros_under_names_of_their_own_are_taken(tmp_path: Path, job: Json) -> None:
    query = reading(
        job,
        in_database(tmp_path, "CREATE MACRO plus_one(x) AS x + 1"),
        query="SELECT *, plus_one(1) AS note FROM stays",
    )
    assert kanon_sql.run(query).released > 0
