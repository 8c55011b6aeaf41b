"""Which statements of a catalog hold literals, in the words of PostgreSQL and DuckDB."""

from __future__ import annotations

import pytest

from kanon_sql.sql.literals import holds_literal

BARE = [
    "now()",
    "CURRENT_TIMESTAMP",
    "nextval('s.numbers'::regclass)",
    "NULL::character varying",
    "true",
    "CHECK ((begun < ended))",
    "CHECK ((code IS NOT NULL))",
    'CREATE UNIQUE INDEX by_day ON "Cli""nic".visit USING btree (day DESC, lower(code))',
    "CREATE INDEX by_day ON s.visit USING btree (day) WHERE (code IS NOT NULL)",
]
TELLING = [
    "'secretward'::text",
    "17",
    "'{secretward}'::text[]",
    "E'secretward'",
    "$$secretward$$",
    "X'1f'",
    "B'1'",
    "CHECK ((k <> 'secretward'::s.kind))",
    "CHECK ((born > 1900))",
    "CHECK (((more ->> 'B20'::text) IS NULL))",
    "s.nextval('B20')",
    "CREATE INDEX by_day ON s.visit USING btree (day) WHERE (code = 'B20'::text)",
    "CREATE INDEX by_code ON s.visit USING btree (((code || 'B20'::text)))",
    "now() /* B20 */",
    "what (is this",
    "VACUUM visit",
]


@pytest.mark.parametrize("dialect", ["postgres", "duckdb"])
@pytest.mark.parametrize("text", BARE)
def test_nothing_is_told(text: str, dialect: str) -> None:
    assert not holds_literal(text, dialect)


@pytest.mark.parametrize("dialect", ["postgres", "duckdb"])
@pytest.mark.parametrize("text", TELLING)
def test_literals_are_seen(text: str, dialect: str) -> None:
    assert holds_literal(text, dialect)
