"""Types of PostgreSQL: passed on as they are; as quasi-identifier or sensitive what DuckDB gives, or refused."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from engine_jobs import same
from engine_places import as_parquet
from servers import missing_postgres, postgres

import kanon_sql
from kanon_sql.errors import ConfigurationError

MISSING = missing_postgres()
pytestmark = [pytest.mark.engine, pytest.mark.skipif(MISSING is not None, reason=MISSING or "")]

Json = dict[str, Any]
Rows = list[tuple[Any, ...]]

UUIDS = [f"0000000{i}-0000-4000-8000-000000000000" for i in range(5)]
# Three values each, of which the first two are written alike by the type's own output where it takes them for equal.
KEPT = {
    "plain": ("numeric", "1.0", "1.00", "NaN"),
    "scaled": ("numeric(6, 2)", "1", "1.5", "-2.50"),
    "tens": ("numeric(2, -1)", "10", "20", "30"),
    "long": ("numeric(50, 10)", "1", "1.5", "2"),
    "whole": ("int[]", "{1,2}", "{1,NULL}", "{}"),
    "mood": ("mood", "sad", "so so", "sad"),
    "moods": ("mood[]", "{sad}", '{"so so"}', "{}"),
    "folded": ("citext", "A", "a", "b"),
    "zip": ("zip", "01234", "01234", "99999"),
    "document": ("jsonb", '{"a":1}', '{"a": 1}', "null"),
    "number": ("uuid", *UUIDS[:3]),
    "address": ("inet", "10.0.0.1", "10.0.0.1/32", "10.0.0.0/8"),
    "span": ("interval", "1 mon", "30 days", "-1 day 00:00:01"),
    "moment": ("timestamptz", "2024-01-01 00:00:00+00", "2024-01-01 01:00:00+01", "infinity"),
    "padded": ("char(4)", "ab", "ab  ", "abc"),
    "pair": ("pair", "(1,x)", '(,"a b")', "(2,)"),
    "period": ("int4range", "[1,3)", "[1,2]", "empty"),
    "raw": ("bytea", "\\x00ff", "\\x", "\\x27"),
}
WORDS = ["sad", "so so", "well"]


def execute(url: str, *statements: str) -> Rows:
    """Runs statements; the rows of the last."""
    import psycopg

    rows: Rows = []
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            cursor = connection.execute(statement.encode())
            rows = cursor.fetchall() if cursor.description else []
    return rows


def literals(position: int) -> str:
    """One value of each type that is kept, as a list of SQL."""
    return ", ".join("'" + values[1 + position] + "'" for values in KEPT.values())


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with postgres() as address:
        execute(
            address,
            "CREATE EXTENSION citext",
            "CREATE SCHEMA other",
            "CREATE TYPE mood AS ENUM ('well', 'so so', 'sad')",
            # Named as one of PostgreSQL's own types is in DuckDB.
            "CREATE TYPE other.\"DATE\" AS ENUM ('sad', 'so so', 'well')",
            "CREATE TYPE pair AS (number INTEGER, word TEXT)",
            "CREATE DOMAIN zip AS VARCHAR(5) CHECK (VALUE ~ '^[0-9]{5}$')",
            "CREATE DOMAIN feeling AS mood",
            f"CREATE TABLE kept (q TEXT, {', '.join(f'{name} {kind[0]}' for name, kind in KEPT.items())})",
            *(f"INSERT INTO kept VALUES ('a', {literals(i % 3)})" for i in range(9)),
            "INSERT INTO kept (q) VALUES ('a')",
        )
        yield address


def job(url: str, source: Json, target: Json | str, quasi: Json, **more: Any) -> Json:
    return {
        "engine": {"postgres": url},
        "source": source,
        "target": target,
        "quasi_identifiers": quasi,
        "unlisted": "drop",
        "privacy": {"k": 2},
        **more,
    }


def test_every_type_is_passed_on_as_it_is(url: str) -> None:
    config = job(url, {"table": "kept"}, {"table": "passed"}, {"q": {"builtin": "suppress"}})
    kanon_sql.run({**config, "unlisted": "insensitive"})
    types = (
        "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute "
        "WHERE attrelid = '{}'::regclass AND attnum > 0"
    )
    for statement in (types, "SELECT CAST(of_table AS TEXT) FROM {} AS of_table ORDER BY 1"):
        assert execute(url, statement.format("passed")) == execute(url, statement.format("kept"))


@pytest.mark.parametrize("name", sorted({*KEPT} - {"scaled", "mood", "zip", "number", "padded"}))
def test_what_engines_compare_in_other_ways_is_refused_by_the_name_of_its_type(url: str, name: str) -> None:
    kind = KEPT[name][0].partition("(")[0]
    shown = {"timestamptz": "TIMESTAMP WITH TIME ZONE", "int[]": "INT4[]"}.get(kind, kind)
    quasi, sensitive = {name: {"builtin": "suppress"}}, {"q": {"builtin": "suppress"}}
    model = {"k": 2, "l_diversity": {"column": name, "l": 2}}
    for more in ({}, {"sensitive": [name], "privacy": model}):
        with pytest.raises(ConfigurationError) as raised:
            kanon_sql.run(job(url, {"table": "kept"}, {"table": "never"}, sensitive if more else quasi, **more))
        assert (
            f"column {name!r} is of type {shown.upper() if shown not in ('mood[]', 'citext', 'pair') else shown}"
            in str(raised.value)
        )
        assert "cast it in" in str(raised.value)


def rows_of_texts() -> Rows:
    """Texts of an ENUM, a UUID and a padded CHAR, some missing."""
    moods, numbers = itertools.cycle([*WORDS, None, "sad"]), itertools.cycle([*UUIDS, UUIDS[0], None])
    codes = itertools.cycle(["ab1", "ab2", "a", "  x", "b123", "b123", None, "b"])
    return [(next(moods), next(numbers), next(codes), f"p{i // 2}") for i in range(240)]


SEARCHES: dict[str, Json] = {
    "levels": {
        "quasi_identifiers": {
            "mood": {"builtin": "merge-rare", "below": [60]},
            "code": {"builtin": "prefix", "keep": [2, 1]},
        },
        "sensitive": ["number"],
        "privacy": {"k": 4, "l_diversity": {"column": "number", "l": 2}},
    },
    "in the engine": {
        "quasi_identifiers": {"mood": {"builtin": "suppress"}, "code": {"builtin": "prefix", "keep": [1]}},
        "sensitive": ["number"],
        "privacy": {"k": 4, "l_diversity": {"column": "number", "l": 2}},
        "search_in": "engine",
    },
    "mondrian": {
        "quasi_identifiers": {"mood": {}, "number": {}},
        "sensitive": ["code"],
        "privacy": {"k": 9, "l_diversity": {"column": "code", "l": 2}},
        "algorithm": "mondrian",
    },
    "local": {"quasi_identifiers": {"mood": {}, "code": {}}, "privacy": {"k": 9}, "algorithm": "local"},
    "persons": {
        "quasi_identifiers": {"code": {"builtin": "prefix", "keep": [1]}},
        "sensitive": ["mood"],
        "privacy": {"k": 2, "entity": "number", "l_diversity": {"column": "mood", "l": 2}},
    },
    "read": {
        "quasi_identifiers": {"mood": {"builtin": "suppress"}},
        "columns": {"mood": {"recode": {"so so": "well"}, "missing": ["sad"]}},
        "privacy": {"k": 4},
    },
}


@pytest.mark.parametrize(
    ("search", "kind"),
    [*((search, "mood") for search in SEARCHES), ("persons", 'other."DATE"'), ("persons", "feeling")],
)
def test_enums_uuids_and_padded_texts_are_what_their_texts_are_in_duckdb(
    url: str, search: str, kind: str, tmp_path: Path
) -> None:
    config = {**SEARCHES[search], "suppression": {"limit": "30%"}}
    columns, searched = config.pop("columns", {}), config.pop("search_in", "auto")
    names = ("mood", "number", "code", "who")
    as_parquet(tmp_path / "in.parquet", dict.fromkeys(names, "VARCHAR"), rows_of_texts())
    execute(url, "DROP TABLE IF EXISTS texts", f"CREATE TABLE texts (mood {kind}, number UUID, code CHAR(6), who TEXT)")
    put(url, rows_of_texts())
    source = {"columns": columns, "missing": ["a"]}
    here = job(url, {"path": str(tmp_path / "in.parquet"), **source}, str(tmp_path / "out.parquet"), {}, **config)
    del here["engine"]
    report = kanon_sql.run({**here, "target": {"path": here["target"], "overwrite": True}}).report
    remote = job(url, {"table": "texts", **source}, {"table": "told", "overwrite": True}, {}, **config)
    same(kanon_sql.run({**remote, "search_in": searched}).report, report)
    with duckdb.connect() as connection:
        expected = connection.execute(f"FROM '{tmp_path / 'out.parquet'}'").fetchall()
    # A CHAR is padded with blanks where it is released as it is.
    texts = execute(url, "SELECT * FROM told")
    assert Counter(map(repr, map(trimmed, texts))) == Counter(map(repr, map(trimmed, expected)))
    for table in (None, "texts"):
        compiled = kanon_sql.compile(remote, dialect="postgres", check=True, source_table=table).rstrip().rstrip(";")
        assert execute(url, compiled) == []


def trimmed(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(value.rstrip(" ") if isinstance(value, str) else value for value in row)


def put(url: str, rows: Rows) -> None:
    import psycopg

    statement = b"COPY texts FROM STDIN"
    with psycopg.connect(url) as connection, connection.cursor() as cursor, cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row(row)
