"""What engines beside DuckDB share, on one that needs no server: what is sent, what comes back, what is compared."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import duckdb
import pytest
from elsewhere import Elsewhere, ElsewhereJob, ElsewhereTable, configured
from sqlglot import exp

import kanon_sql
from kanon_sql.config.load import LoadedConfig, from_mapping
from kanon_sql.config.model import TargetConfig
from kanon_sql.engines import opening
from kanon_sql.engines.job import unused_columns
from kanon_sql.engines.remote import Copied, RemoteRelease
from kanon_sql.errors import VerificationError
from kanon_sql.sql.connection import EngineOptions, open_engine
from kanon_sql.sql.dialects import find_dialect
from kanon_sql.sql.template import column

QI = {"age": {"builtin": "intervals", "widths": [5, 10]}, "sex": {"builtin": "suppress"}}
K5 = {"quasi_identifiers": QI, "sensitive": ["problem"], "identifiers": ["id"], "privacy": {"k": 5}}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> duckdb.DuckDBPyConnection:
    """The other engine, which jobs on PostgreSQL find; it has a table of 60 persons."""
    connection = duckdb.connect()
    connection.execute(
        "CREATE TABLE people AS SELECT range AS id, 20 + range % 7 AS age, ['f', 'm'][1 + range % 2] AS sex, "
        "['flu', 'cold'][1 + range % 3 % 2] AS problem FROM range(60)"
    )
    monkeypatch.setattr(ElsewhereJob, "server", connection, raising=False)
    monkeypatch.setitem(opening.JOBS, "postgres", ElsewhereJob)
    return connection


def loaded(**parts: object) -> LoadedConfig:
    return from_mapping(configured(**{**K5, **parts}))


@pytest.mark.slow
def test_a_release_there_holds_the_rows_at_its_levels(server: duckdb.DuckDBPyConnection) -> None:
    result = kanon_sql.run(configured(**K5))
    assert result.report["verification"] == {"compared": "rows", "columns": 3}
    people = server.execute("SELECT age, sex, problem FROM people").fetchall()
    wanted = Counter((f"{age // 5 * 5}-{age // 5 * 5 + 4}", sex, problem) for age, sex, problem in people)
    assert result.levels == {"age": 1, "sex": 0}
    assert Counter(server.execute("SELECT age, sex, problem FROM released").fetchall()) == wanted


def test_other_rows_than_were_to_be_released_are_not_put_in_place(
    server: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    create = ElsewhereTable._create

    def spoilt(sink: ElsewhereTable, release: RemoteRelease) -> None:
        create(sink, release)
        sink.remote.rows(
            "UPDATE made_beside SET age = CASE age WHEN '20-24' THEN '25-29' ELSE '20-24' END WHERE sex = 'm'"
        )

    monkeypatch.setattr(ElsewhereTable, "_create", spoilt)
    with pytest.raises(VerificationError, match="the rows written are not those to be released"):
        kanon_sql.run(configured(**K5))
    assert ("released",) not in server.execute("SHOW TABLES").fetchall()


def test_values_that_are_alone_in_a_sample_are_looked_for_in_all_rows(server: duckdb.DuckDBPyConnection) -> None:
    remote = Elsewhere(server)
    remote.rows("CREATE TABLE twice AS SELECT range // 2 AS twice, range AS single FROM range(2000)")
    source = remote.opened("twice")
    most = dict.fromkeys(source.columns, 0.0)
    # As if they were two millions: a twentieth is looked at first, in which most are alone, then a half, then all.
    unique = remote.alone(source, source.relation, 2_000_000, most)
    assert [(estimate.column.name, *list(vars(estimate).values())[1:]) for estimate in unique] == [
        ("single", 2000, 2000)
    ]
    assert remote.alone(source, source.relation, 2_000, dict.fromkeys(source.columns, 1.0)) == []


def test_what_a_statement_of_another_engine_cannot_name_is_read_there(server: duckdb.DuckDBPyConnection) -> None:
    remote = Elsewhere(server)
    source = remote.opened("people")
    assert remote.reads_itself(source, remote.dialect)
    assert not remote.reads_itself(source, find_dialect("spark"))
    assert not remote.reads_itself(replace(source, kind="query"), remote.dialect)


def test_secrets_stand_in_no_statement_and_in_no_table_that_stays(server: duckdb.DuckDBPyConnection) -> None:
    remote = Elsewhere(server)
    pad = exp.Parameter(this=exp.to_identifier("pad"))
    statement = exp.select(exp.alias_(exp.func("md5", exp.func("concat", column("id"), pad)), "made")).from_("people")
    kept = remote.keep(statement, "pseudonyms", {"pad": "a secret"})
    assert remote.rows(f"SELECT min(made) FROM {kept.name}")[0][0] is not None
    assert sorted(remote.rows("SHOW TABLES")) == [("people",), ("pseudonyms",)]
    assert not [text for text in remote.texts if "a secret" in text]
    assert len(remote.rows("FROM pseudonyms")) == 60


def test_rows_are_copied_without_columns_that_nothing_is_made_of(server: duckdb.DuckDBPyConnection) -> None:
    remote = Elsewhere(server)
    remote.rows(
        "CREATE TABLE types AS SELECT 'Ada' AS name, 7 AS age, 1.50::DECIMAL(9, 2) AS cost, INTERVAL 2 DAY AS stay"
    )
    with open_engine(EngineOptions()) as engine:
        source = Copied(engine, remote, None).copied(remote.opened("types"), "copied", {"name"})
        assert [(col.name, col.type) for col in source.columns] == [
            ("name", "VARCHAR"),
            ("age", "INTEGER"),
            ("cost", "DECIMAL(9,2)"),
            ("stay", "VARCHAR"),
        ]
        rows = engine.run(exp.select(*(column(col.key) for col in source.columns)).from_(source.relation.subquery("s")))
    assert [tuple(map(str, row)) for row in rows] == [("None", "7", "1.50", "2 days")]


class Written(Elsewhere):
    """It writes values of types that DuckDB lacks in one way where tables are compared."""

    def unified(self, value: exp.Expr, kind: str) -> exp.Expr:
        return exp.Literal.string("unified")


@pytest.mark.parametrize(
    ("target", "held"),
    [(None, "unified"), (TargetConfig(table="released"), "unified"), (TargetConfig(path="r.csv"), "2 days")],
)
def test_values_are_unified_unless_the_release_is_a_file(
    target: TargetConfig | None, held: str, server: duckdb.DuckDBPyConnection
) -> None:
    remote = Written(server)
    remote.rows("CREATE TABLE stays AS SELECT INTERVAL 2 DAY AS stay")
    with open_engine(EngineOptions()) as engine:
        source = Copied(engine, remote, target).copied(remote.opened("stays"), "copied")
        assert engine.run(source.relation) == [(held,)]


def test_columns_are_unused_that_nothing_is_made_of(
    server: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEY", "0123456789abcdef0123456789abcdef")
    remote = Elsewhere(server)
    remote.rows(
        "CREATE TABLE wide AS SELECT 1 AS id, 2 AS person, 3 AS age, DATE '2024-01-01' AS day, 4 AS case_id, 5 AS note"
    )
    source = remote.opened("wide")
    few = {"quasi_identifiers": {"age": {}}, "sensitive": [], "identifiers": ["id", "person"]}
    plain = loaded(**few, unlisted="drop")
    assert unused_columns(plain, source) == {"id", "person", "day", "case_id", "note"}
    by_person = loaded(**few, insensitive=["note", "day", "case_id"], privacy={"k": 2, "entity": "person"})
    assert unused_columns(by_person, source) == {"id"}
    shift = {"days": 5, "by": "case_id", "key": "${KEY}"}
    shifted = loaded(**few, unlisted="drop", insensitive=["day"], transform={"day": {"shift": shift}})
    assert unused_columns(shifted, source) == {"id", "person", "note"}
