"""What an engine is asked, in the dialects of some that there are not: the sketches in docs/engines.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import sqlglot
from engine_places import MARKS, Place, Start, starting
from sqlglot import exp

import kanon_sql
from kanon_sql.engines.remote import Remote
from kanon_sql.sql.dialects import find_dialect, is_own
from kanon_sql.sql.writing import write

pytestmark = MARKS

Json = dict[str, Any]
COLUMNS = {"q": "VARCHAR", "age": "INTEGER", "day": "DATE", "s": "VARCHAR", "who": "VARCHAR"}
ROWS = [("abc"[i % 3], i % 5, f"2020-01-0{1 + i % 7}", "uv"[i % 2], f"p{i % 20}") for i in range(120)]
LEVELS: Json = {"q": {"builtin": "suppress"}, "age": {"builtin": "intervals", "widths": [2, 4]}}
JOBS: dict[str, Json] = {
    "levels": {"quasi_identifiers": LEVELS},
    "in the engine": {"quasi_identifiers": LEVELS, "search_in": "engine"},
    "dates": {"quasi_identifiers": {"day": {"builtin": "date", "levels": ["month", "year"]}}},
    "mondrian": {"quasi_identifiers": {"q": {}, "age": {}, "day": {}}, "algorithm": "mondrian"},
    "local": {"quasi_identifiers": {"q": {}, "age": {}}, "algorithm": "local"},
    "masked": {"quasi_identifiers": LEVELS, "release": {"suppressed": "mask"}},
    "persons": {"quasi_identifiers": LEVELS, "privacy": {"k": 3, "entity": "who"}},
}


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Start]:
    """Starts an engine when it is first asked for."""
    with starting(tmp_path_factory.mktemp) as start:
        yield start


# Other engines, with functions of PostgreSQL that treatments choose: each has them under a name.
SKETCHED = ("trino", "snowflake", "bigquery")
# What digests are made of, which a dialect writes in its own words (md5_digits, hashed, last_halves, whole_number).
DIGESTS = {
    "md5",
    "hashtextextended",
    "convert_to",
    "concat",
    "substr",
    "length",
    "bit_xor",
    "var_pop",
    "regexp_replace",
    "date_part",
}


def asked(place: Place, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[exp.Expr]:
    """The different statements that PostgreSQL is given in these runs, with a ledger, their parameters as literals."""
    trees: list[exp.Expr] = []
    written = Remote.written

    def noting(remote: Remote, tree: exp.Expr, values: Mapping[str, Any] | None = None) -> str:
        text = written(remote, tree, values)
        trees.append(tree.copy())
        return text

    monkeypatch.setattr(Remote, "written", noting)
    source = place.put(COLUMNS, ROWS)
    for name, more in JOBS.items():
        kept = {"releases": {"path": str(folder / f"{name}.duckdb")}}
        config = {"source": "in", "sensitive": ["s"], "unlisted": "drop", "privacy": {"k": 4}, **kept, **more}
        kanon_sql.run(place.configured(config, source))
    return list({tree.sql("duckdb"): tree for tree in trees}.values())


def own_functions(tree: exp.Expr) -> set[str]:
    """The functions of a statement that are PostgreSQL's own."""
    return {node.name.lower() for node in tree.walk() if is_own(node) and isinstance(node, exp.Anonymous)}


def test_what_postgres_is_asked_can_be_written_for_other_engines(
    start: Start, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    trees = asked(start("postgres"), tmp_path, monkeypatch)
    digesting = [tree for tree in trees if own_functions(tree) & DIGESTS]
    shared = [tree for tree in trees if not own_functions(tree) & DIGESTS]
    assert len(shared) > 5 * len(JOBS)
    # Of the ledger two for source and release, and the samples of columns that betray.
    assert 10 * len(digesting) <= len(trees)
    for tree in digesting:
        assert own_functions(tree) <= DIGESTS
    for name in SKETCHED:
        for tree in shared:
            assert own_functions(tree) <= {"date_trunc"}
            text = write(tree.copy(), find_dialect(name))
            again = sqlglot.parse_one(text, read=name)
            assert not {node.name.lower() for node in again.find_all(exp.Anonymous)} - {"date_trunc"}
            assert isinstance(again, exp.Query), text
