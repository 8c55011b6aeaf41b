"""PostgreSQL as people have it: schemas, rights that lack, row-level security, parts of tables, limits, standbys."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pytest
from servers import missing_postgres, postgres, standby

import kanon_sql
from kanon_sql.errors import ConfigurationError, EngineError, WarnedError

MISSING = missing_postgres()
pytestmark = [pytest.mark.engine, pytest.mark.skipif(MISSING is not None, reason=MISSING or "")]

Json = dict[str, Any]
ROLE = f"kanon_sql_{uuid.uuid4().hex[:8]}"
ROWS = "SELECT 'a' || (i % 3) AS q, 's' || (i % 2) AS s, i % 5 AS n FROM generate_series(1, 60) AS i"


def execute(url: str, *statements: str) -> list[tuple[Any, ...]]:
    """Runs statements; the rows of the last."""
    import psycopg

    rows: list[tuple[Any, ...]] = []
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            cursor = connection.execute(statement.encode())
            rows = cursor.fetchall() if cursor.description else []
    return rows


def job(url: str, source: Json | str, target: Json | str, **more: Any) -> Json:
    """A configuration whose quasi-identifier is q."""
    return {
        "engine": {"postgres": url},
        "source": {"table": source} if isinstance(source, str) else source,
        "target": {"table": target} if isinstance(target, str) else target,
        "quasi_identifiers": {"q": {"builtin": "suppress"}},
        "unlisted": "insensitive",
        "privacy": {"k": 2},
        **more,
    }


def of_table(url: str, table: str) -> list[str]:
    """The rows of a table as texts, in order."""
    return [row[0] for row in execute(url, f"SELECT CAST(of_table AS TEXT) FROM {table} AS of_table ORDER BY 1")]


def leftovers(url: str) -> list[tuple[Any, ...]]:
    return execute(url, "SELECT relname FROM pg_class WHERE relname LIKE 'kanon%'")


@pytest.fixture(scope="module")
def owner() -> Iterator[str]:
    """The URL of a database that belongs to a superuser."""
    with postgres() as url:
        yield url


@pytest.fixture
def reader(owner: str) -> Iterator[str]:
    """The URL of a role that may do nothing yet; schemas held, rel are there, and the table held.t."""
    execute(
        owner,
        f"CREATE ROLE {ROLE} LOGIN",
        "CREATE SCHEMA held",
        "CREATE SCHEMA rel",
        f"CREATE TABLE held.t AS {ROWS}",
    )
    try:
        yield owner.replace("postgres@", f"{ROLE}@", 1)
    finally:
        execute(
            owner,
            f"DROP OWNED BY {ROLE} CASCADE",
            f"DROP ROLE {ROLE}",
            "DROP SCHEMA held CASCADE",
            "DROP SCHEMA rel CASCADE",
        )


GIVEN = (
    f"GRANT USAGE ON SCHEMA held, rel TO {ROLE}",
    f"GRANT SELECT ON held.t TO {ROLE}",
    f"GRANT CREATE ON SCHEMA rel TO {ROLE}",
)


def test_schemas_and_tables_of_any_name(owner: str, reader: str) -> None:
    execute(
        owner,
        'CREATE SCHEMA "My Sch.ema"',
        f'CREATE TABLE "My Sch.ema"."Pa""tients.x" AS {ROWS}',
        f"CREATE TABLE rel.t AS {ROWS} LIMIT 10",
    )
    try:
        kanon_sql.run(job(owner, '"My Sch.ema"."Pa""tients.x"', '"My Sch.ema"."Ä"""'))
        assert of_table(owner, '"My Sch.ema"."Ä"""') == of_table(owner, '"My Sch.ema"."Pa""tients.x"')
        before = of_table(owner, "held.t")
        with pytest.raises(ConfigurationError, match="exists already"):
            kanon_sql.run(job(owner, "held.t", "rel.t"))
        kanon_sql.run(job(owner, "held.t", {"table": "rel.t", "overwrite": True}))
        assert of_table(owner, "held.t") == of_table(owner, "rel.t") == before
        with pytest.raises(ConfigurationError, match="is the source"):
            kanon_sql.run(job(owner, "held.t", {"table": 'Held."t"', "overwrite": True}))
        with pytest.raises(ConfigurationError, match="no schema 'nowhere' in this database"):
            kanon_sql.run(job(owner, "held.t", "nowhere.t"))
        for source, target in (("elsewhere.held.t", "rel.x"), ("held.t", "elsewhere.rel.x")):
            with pytest.raises(ConfigurationError, match="and not 'elsewhere'"):
                kanon_sql.run(job(owner, source, target))
    finally:
        execute(owner, 'DROP SCHEMA "My Sch.ema" CASCADE')


@pytest.mark.parametrize(
    ("given", "source", "said"),
    [
        ((), "held.t", "may not make tables in schema 'rel'; expected GRANT USAGE, CREATE ON SCHEMA \"rel\" TO"),
        (GIVEN[:2], "held.t", "may not make tables in schema 'rel'; expected GRANT CREATE ON SCHEMA \"rel\" TO"),
        (
            ("GRANT USAGE, CREATE ON SCHEMA rel TO {role}",),
            "held.t",
            "may not look into schema 'held'; expected GRANT USAGE ON SCHEMA \"held\" TO",
        ),
        (
            (GIVEN[0], GIVEN[2]),
            "held.t",
            'may not read "held"."t"; expected GRANT SELECT ON "held"."t" TO',
        ),
        (
            (GIVEN[0], GIVEN[2], "GRANT SELECT (q, s) ON held.t TO {role}"),
            "held.t",
            'may not read columns \'n\' of "held"."t"; name the others in source.query; expected GRANT SELECT ("n")',
        ),
        (GIVEN, {"query": "SELECT * FROM pg_catalog.pg_authid"}, "permission denied for table pg_authid"),
    ],
    ids=["nothing", "create", "usage", "select", "columns", "query"],
)
def test_the_right_that_lacks_is_named(
    owner: str, reader: str, given: tuple[str, ...], source: Json | str, said: str
) -> None:
    execute(owner, "SELECT 1", *(right.format(role=ROLE) for right in given))
    for dry in (True, False):
        with pytest.raises((ConfigurationError, EngineError)) as raised:
            kanon_sql.run(job(reader, source, "rel.made"), dry_run=dry)
        assert said in str(raised.value)
    assert execute(owner, "SELECT to_regclass('rel.made')") == [(None,)]


def test_a_role_that_may_read_the_source_alone(owner: str, reader: str, tmp_path: Path) -> None:
    """It needs no right to make temporary tables but for a query."""
    database = owner.rpartition("/")[2]
    execute(owner, *GIVEN, f"REVOKE TEMP ON DATABASE {database} FROM PUBLIC")
    kanon_sql.run(job(reader, "held.t", "rel.made"))
    assert of_table(owner, "rel.made") == of_table(owner, "held.t")
    for more, source in (({}, {"query": "SELECT * FROM held.t"}), ({"search_in": "engine"}, {"table": "held.t"})):
        with pytest.raises(ConfigurationError, match=f'expected GRANT TEMP ON DATABASE "{database}" TO "{ROLE}"'):
            kanon_sql.run(job(reader, source, "rel.more", **more))
    execute(owner, f"GRANT TEMP ON DATABASE {database} TO {ROLE}")
    kanon_sql.run(job(reader, {"query": "SELECT * FROM held.t"}, "rel.more"))
    execute(owner, f"GRANT TEMP ON DATABASE {database} TO PUBLIC")
    assert leftovers(owner) == []


def test_a_table_of_another_role_is_not_replaced(owner: str, reader: str) -> None:
    execute(owner, *GIVEN, "CREATE TABLE rel.old AS SELECT 'kept' AS q", f"GRANT SELECT ON rel.old TO {ROLE}")
    with pytest.raises(ConfigurationError, match=r"does not own .*GRANT \"postgres\" TO"):
        kanon_sql.run(job(reader, "held.t", {"table": "rel.old", "overwrite": True}))
    assert of_table(owner, "rel.old") == ["(kept)"]


def test_what_hangs_on_a_replaced_table_is_named_before_any_work(owner: str, reader: str) -> None:
    execute(owner, "CREATE TABLE rel.old AS SELECT 'kept' AS q", "CREATE VIEW rel.seen AS SELECT * FROM rel.old")
    config = job(owner, "held.t", {"table": "rel.old", "overwrite": True})
    with pytest.raises(ConfigurationError, match=r"depend on it: view rel\.seen"):
        kanon_sql.run(config, dry_run=True)
    union = "SELECT * FROM held.t UNION ALL SELECT *, '', 1 FROM rel.old"
    for source in ({"table": "rel.seen"}, {"query": union}):
        with pytest.raises(ConfigurationError, match=r"as the source reads it: both hold rows of rel\.old"):
            kanon_sql.run({**config, "source": source})
    assert of_table(owner, "rel.old") == ["(kept)"]


def test_computed_columns_are_read_and_what_a_replaced_table_had_is_named(owner: str, reader: str) -> None:
    execute(
        owner,
        "CREATE TABLE held.g (i BIGINT GENERATED ALWAYS AS IDENTITY, q TEXT, n INTEGER, "
        "twice INTEGER GENERATED ALWAYS AS (n * 2) STORED)",
        "INSERT INTO held.g (q, n) SELECT 'a' || i % 3, i % 4 FROM generate_series(1, 30) AS i",
        "CREATE TABLE rel.g (i BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, q TEXT DEFAULT 'x', "
        "n INTEGER GENERATED ALWAYS AS (1) STORED CHECK (n > 0))",
        "CREATE INDEX by_q ON rel.g (q)",
        "GRANT SELECT ON rel.g TO PUBLIC",
    )
    config = job(owner, "held.g", {"table": "rel.g", "overwrite": True}, identifiers=["i"])
    with pytest.raises(WarnedError, match="not kept of the replaced table"):
        kanon_sql.run(config, strict=True)
    report = kanon_sql.run(config).report
    rows = execute(owner, "SELECT q, n, twice FROM rel.g ORDER BY 1, 2")
    assert rows == execute(owner, "SELECT q, n, n * 2 FROM held.g ORDER BY 1, 2")
    (lost,) = [text for text in report["warnings"] if "not kept" in text]
    for part in ("rights of other roles", "column 'i' is computed", "column 'n' is computed", "index 'by_q'"):
        assert part in lost, lost
    for part in ("'g_pkey'", "'g_n_check'", "default of 'q'"):
        assert part in lost, lost


def partitioned(owner: str) -> None:
    execute(
        owner,
        "CREATE TABLE held.p (q TEXT, s TEXT, n INTEGER) PARTITION BY LIST (q)",
        *(f"CREATE TABLE held.p{i} PARTITION OF held.p FOR VALUES IN ('a{i}')" for i in range(3)),
        "CREATE TABLE held.rest PARTITION OF held.p DEFAULT",
        "INSERT INTO held.p SELECT * FROM held.t",
        "CREATE TABLE held.base (q TEXT, s TEXT, n INTEGER)",
        "CREATE TABLE held.child () INHERITS (held.base)",
        "INSERT INTO held.base SELECT * FROM held.t",
        "INSERT INTO held.child SELECT * FROM held.t",
    )


def test_partitions_and_tables_that_inherit(owner: str, reader: str) -> None:
    partitioned(owner)
    for source, expected in (("held.p", "held.t"), ("held.p1", "held.p1"), ("held.child", "held.t")):
        kanon_sql.run(job(owner, source, {"table": "rel.parts", "overwrite": True}))
        assert of_table(owner, "rel.parts") == of_table(owner, expected)
    kanon_sql.run(job(owner, "held.base", {"table": "rel.parts", "overwrite": True}))
    assert of_table(owner, "rel.parts") == sorted(of_table(owner, "held.t") * 2)
    before = of_table(owner, "held.p"), of_table(owner, "held.base")
    refused = [
        # An empty partition is one too: it would leave its table.
        *(("held.t", part, r"is a part of table held\.p") for part in ("held.p1", "held.rest")),
        ("held.p", "held.p1", r"is a part of table held\.p"),
        ("held.base", "held.child", r"is a part of table held\.base"),
        ("held.p1", "held.p", r"both hold rows of held\.p1"),
        ("held.t", "held.base", r"depend on it: table held\.child"),
    ]
    for source, target, said in refused:
        with pytest.raises(ConfigurationError, match=said):
            kanon_sql.run(job(owner, source, {"table": target, "overwrite": True}))
    assert (of_table(owner, "held.p"), of_table(owner, "held.base")) == before
    report = kanon_sql.run(job(owner, "held.t", {"table": "held.p", "overwrite": True})).report
    assert [text for text in report["warnings"] if "not kept of the replaced table: partitions" in text]
    assert of_table(owner, "held.p") == of_table(owner, "held.t")
    assert execute(owner, "SELECT to_regclass('held.p1'), to_regclass('held.rest')") == [(None, None)]


SECURED = (
    *GIVEN,
    "ALTER TABLE held.t ENABLE ROW LEVEL SECURITY",
    "CREATE POLICY few ON held.t USING (n < 2)",
    "CREATE VIEW held.owned AS SELECT * FROM held.t",
    "CREATE VIEW held.invoked WITH (security_invoker = on) AS SELECT * FROM held.t",
    "CREATE VIEW held.nested WITH (security_invoker) AS SELECT * FROM held.invoked",
    "CREATE VIEW held.hidden AS SELECT * FROM held.invoked",
    # What a function reads nothing depends on.
    "CREATE FUNCTION held.told() RETURNS TABLE (q TEXT, s TEXT, n INT) LANGUAGE sql AS 'SELECT * FROM held.t'",
    "CREATE FUNCTION held.lifted() RETURNS TABLE (q TEXT, s TEXT, n INT) LANGUAGE sql SECURITY DEFINER "
    "AS 'SELECT * FROM held.t'",
    "CREATE FUNCTION held.greatest(shown TEXT) RETURNS INT STABLE LANGUAGE plpgsql "
    "AS 'BEGIN RETURN (SELECT max(n) FROM held.t WHERE q = shown); END'",
    "CREATE VIEW held.of_function AS SELECT * FROM held.told()",
    "CREATE VIEW held.of_lifted AS SELECT * FROM held.lifted()",
    f"GRANT SELECT ON ALL TABLES IN SCHEMA held TO {ROLE}",
)


@pytest.mark.parametrize(
    ("source", "hides"),
    [
        ({"table": "held.t"}, True),
        ({"query": "SELECT * FROM held.t"}, True),
        ({"table": "held.owned"}, False),
        ({"table": "held.invoked"}, True),
        ({"table": "held.nested"}, True),
        ({"table": "held.hidden"}, False),
        ({"query": "SELECT * FROM held.owned WHERE q IN (SELECT q FROM held.nested)"}, True),
        ({"table": "held.of_function"}, True),
        ({"query": "SELECT * FROM held.told()"}, True),
        ({"query": "SELECT q, held.greatest(q) AS n FROM held.owned"}, True),
        ({"table": "held.of_lifted"}, False),
    ],
    ids=lambda value: str(*value.values()) if isinstance(value, dict) else "",
)
def test_rows_that_policies_hide_are_said(owner: str, reader: str, source: Json, hides: bool) -> None:
    execute(owner, *SECURED)
    config = job(reader, source, "rel.made")
    (query,) = source.values() if "query" in source else [f"SELECT * FROM {source['table']}"]
    seen = execute(reader, f"SELECT count(*) FROM ({query}) AS of_reader")[0][0]
    check, risk = kanon_sql.check(config), kanon_sql.risk({**config, "target": "none.parquet"})
    report = kanon_sql.run(config).report
    assert report["rows"]["source"] == seen
    for result in (report, check, risk):
        said = [text for text in result["warnings"] if "row-level security is on" in text]
        assert len(said) == hides, result["warnings"]
        assert all(("held.t" in text or "functions" in text) and ROLE in text for text in said)
    if hides:
        with pytest.raises(WarnedError, match="row-level security is on"):
            kanon_sql.run({**config, "target": {"table": "rel.made", "overwrite": True}}, strict=True)
    assert not [text for text in kanon_sql.check(job(owner, source, "x"))["warnings"] if "row-level" in text]


def test_owners_and_those_who_bypass_policies_see_all_rows(owner: str, reader: str) -> None:
    execute(owner, *SECURED, f"ALTER TABLE held.t OWNER TO {ROLE}")
    assert kanon_sql.check(job(reader, "held.t", "x"))["warnings"] == []
    execute(owner, "ALTER TABLE held.t FORCE ROW LEVEL SECURITY")
    (said,) = kanon_sql.check(job(reader, "held.t", "x"))["warnings"]
    assert "row-level security" in said
    execute(owner, f"ALTER ROLE {ROLE} BYPASSRLS")
    assert kanon_sql.check(job(reader, "held.t", "x"))["warnings"] == []


def test_rows_that_are_not_seen_are_not_replaced(owner: str, reader: str) -> None:
    execute(
        owner,
        *SECURED,
        f"CREATE TABLE rel.old AS {ROWS}",
        f"ALTER TABLE rel.old OWNER TO {ROLE}",
        "ALTER TABLE rel.old ENABLE ROW LEVEL SECURITY",
        "CREATE POLICY few ON rel.old USING (n < 2)",
    )
    config = job(reader, "held.owned", {"table": "rel.old", "overwrite": True})
    (said,) = kanon_sql.run(config, dry_run=True).report["warnings"]
    assert "not kept of the replaced table: policies of row-level security" in said
    execute(owner, "ALTER TABLE rel.old FORCE ROW LEVEL SECURITY")
    before = of_table(owner, "rel.old")
    with pytest.raises(ConfigurationError, match="row-level security hides rows"):
        kanon_sql.run(config)
    assert of_table(owner, "rel.old") == before


@contextmanager
def set_for_role(owner: str, setting: str) -> Iterator[None]:
    execute(owner, f"ALTER ROLE {ROLE} SET {setting}")
    yield
    execute(owner, f"ALTER ROLE {ROLE} RESET ALL")


def test_limits_of_time_end_a_run_in_words(owner: str, reader: str) -> None:
    import psycopg

    execute(owner, *GIVEN, f"CREATE TABLE rel.old AS {ROWS}", f"ALTER TABLE rel.old OWNER TO {ROLE}")
    before = of_table(owner, "rel.old")
    slow = {"query": "SELECT q, s, n FROM held.t, pg_sleep(5)"}
    config = job(reader, "held.t", {"table": "rel.old", "overwrite": True})
    with (
        set_for_role(owner, "statement_timeout = 300"),
        pytest.raises(EngineError, match="statement_timeout%3D0 in the"),
    ):
        kanon_sql.run({**config, "source": slow})
    for locked in ("held.t", "rel.old"):
        with psycopg.connect(owner) as locker, set_for_role(owner, "lock_timeout = 200"):
            mode = "ACCESS EXCLUSIVE" if locked == "held.t" else "ACCESS SHARE"
            locker.execute(f"LOCK TABLE {locked} IN {mode} MODE".encode())
            with pytest.raises(EngineError, match="another session holds a lock"):
                kanon_sql.run(config)
    assert of_table(owner, "rel.old") == before
    with set_for_role(owner, "idle_in_transaction_session_timeout = 20"):
        kanon_sql.run(config)
    assert of_table(owner, "rel.old") == of_table(owner, "held.t")
    assert leftovers(owner) == []


def of_files(url: str, folder: Path, **more: Any) -> tuple[Json, list[tuple[Any, ...]]]:
    """A search with levels and a model, released to a file: its report, and its rows in order."""
    path = folder / "out.parquet"
    quasi: Json = {"q": {"builtin": "merge-rare", "below": [30]}, "n": {"builtin": "intervals", "widths": [2, 4]}}
    config = job(url, "held.t", {"path": str(path), "overwrite": True}, quasi_identifiers=quasi, sensitive=["s"])
    report = kanon_sql.run({**config, "privacy": {"k": 5, "l_diversity": {"column": "s", "l": 2}}, **more}).report
    with duckdb.connect() as connection:
        return report, sorted(connection.execute(f"FROM '{path}'").fetchall())


def test_a_role_that_only_reads_releases_to_files(
    owner: str, reader: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEY_OF_RIGHTS", "ab" * 32)
    execute(owner, *GIVEN)
    cases: list[Json] = [{}, {"release": {"suppressed": "mask"}, "suppression": {"limit": "50%"}}]
    expected = [of_files(reader, tmp_path, **more) for more in cases]
    with set_for_role(owner, "default_transaction_read_only = on"):
        for more, (report, rows) in zip(cases, expected, strict=True):
            copied, released = of_files(reader, tmp_path, **more)
            assert released == rows
            for key in ("rows", "loss", "solution", "privacy", "classes", "verification"):
                assert copied[key] == report[key], key
        with pytest.raises(ConfigurationError, match="no table can be made there: transactions are read-only"):
            kanon_sql.run(job(reader, "held.t", "rel.made"))
        for more in ({"search_in": "engine"}, {"transform": {"s": {"pseudonym": {"key": "${KEY_OF_RIGHTS}"}}}}):
            with pytest.raises(ConfigurationError, match=r"temporary tables are made: .*read-only"):
                of_files(reader, tmp_path, **more)
        with pytest.raises(ConfigurationError, match="for a query a temporary view is made"):
            of_files(reader, tmp_path, source={"query": "SELECT * FROM held.t"})


def database(url: str, target: Json | str) -> Json:
    """A configuration of all tables of the schema held, of which t is about persons."""
    return {
        "engine": {"postgres": url},
        "source": {"schema": "held"},
        "target": target,
        "unit": {"table": "t", "key": "i"},
        "tables": {"t": {"quasi_identifiers": {"q": {"builtin": "suppress"}}, "unlisted": "insensitive"}},
        "privacy": {"k": 2},
    }


def test_a_schema_that_may_not_be_written(owner: str, reader: str, tmp_path: Path) -> None:
    execute(owner, *GIVEN, "ALTER TABLE held.t ADD i INTEGER GENERATED ALWAYS AS IDENTITY")
    with pytest.raises(ConfigurationError, match="may not make schema 'new'; expected GRANT CREATE ON DATABASE"):
        kanon_sql.run(database(reader, {"schema": "new"}))
    with set_for_role(owner, "default_transaction_read_only = on"):
        with pytest.raises(ConfigurationError, match="transactions are read-only"):
            kanon_sql.run(database(reader, {"schema": "rel"}))
        kanon_sql.run(database(reader, str(tmp_path / "files")))
    execute(
        owner,
        f"CREATE TABLE rel.t AS {ROWS}",
        f"ALTER TABLE rel.t OWNER TO {ROLE}",
        "ALTER TABLE rel.t ENABLE ROW LEVEL SECURITY",
        "ALTER TABLE rel.t FORCE ROW LEVEL SECURITY",
    )
    before = of_table(owner, "rel.t")
    with pytest.raises(ConfigurationError, match="row-level security hides rows of table 't'"):
        kanon_sql.run(database(reader, {"schema": "rel", "overwrite": True}))
    assert of_table(owner, "rel.t") == before


@pytest.mark.slow
def test_a_standby_is_a_source(owner: str, reader: str, tmp_path: Path) -> None:
    execute(owner, *GIVEN)
    report, rows = of_files(reader, tmp_path)
    with standby(owner) as url:
        mine = url.replace("postgres@", f"{ROLE}@", 1)
        copied, released = of_files(mine, tmp_path)
        assert released == rows
        assert copied["loss"] == report["loss"]
        with pytest.raises(ConfigurationError, match="the server is a standby"):
            kanon_sql.run(job(mine, "held.t", "rel.made"))
