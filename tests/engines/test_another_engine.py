"""What an engine is asked, in the dialect of one that there is not: the sketch of Trino in docs/engines.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
import sqlglot
from engine_places import MARKS, Start, starting
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


def test_what_postgres_is_asked_can_be_written_for_trino(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    place, trees = start("postgres"), []
    written = Remote.written

    def noting(remote: Remote, tree: exp.Expr, values: Mapping[str, Any] | None = None) -> str:
        text = written(remote, tree, values)  # with its parameters as literals
        trees.append(tree)
        return text

    monkeypatch.setattr(Remote, "written", noting)
    source = place.put(COLUMNS, ROWS)
    for more in JOBS.values():
        config = {"source": "in", "sensitive": ["s"], "unlisted": "drop", "privacy": {"k": 4}, **more}
        kanon_sql.run(place.configured(config, source))
    assert len(trees) > 5 * len(JOBS)
    for tree in trees:
        own = {node.name.lower() for node in tree.walk() if is_own(node) and isinstance(node, exp.Anonymous)}
        assert own <= {"date_trunc"}
        text = write(tree.copy(), find_dialect("trino"))
        again = sqlglot.parse_one(text, read="trino")
        assert not {node.name.lower() for node in again.find_all(exp.Anonymous)} - {"date_trunc"}
        assert isinstance(again, exp.Select), text
