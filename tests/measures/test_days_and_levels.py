"""Days between dates, and the levels at which facts are released, of small tables that are no files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import pytest
from sqlglot import exp

from kanon_sql.commands.database.fact_utility import _SourceFacts, compare_facts
from kanon_sql.errors import ConfigurationError
from kanon_sql.measures.utility.days import measure_days
from kanon_sql.source.duckdb import DuckDB
from kanon_sql.source.model import Column, Source
from kanon_sql.sql.connection import Engine, EngineOptions, open_engine
from kanon_sql.sql.deadline import Deadline


@pytest.fixture(name="engine", scope="module")
def an_engine() -> Iterator[Engine]:
    with open_engine(EngineOptions(threads=1)) as engine:
        yield engine


def held(engine: Engine, name: str, columns: list[str], rows: list[tuple[str | None, ...]]) -> Source:
    """A table of texts as a source, where 2000-01-01 and - stand for no value."""
    engine.run(f"CREATE OR REPLACE TEMP TABLE {name} ({', '.join(f'{column} VARCHAR' for column in columns)})")
    engine.connection.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(columns))})", rows)
    read = tuple(Column(column, f"c{i}", "VARCHAR") for i, column in enumerate(columns))
    relation = exp.select(*(exp.alias_(exp.column(column.name), column.key, quoted=True) for column in read)).from_(
        name
    )
    return Source("duckdb", relation, read, ("2000-01-01", "-"), True, name, DuckDB(engine))


def test_a_date_that_means_none_is_no_date(engine: Engine) -> None:
    names = ["begin", "mid", "until"]
    source = held(engine, "before", names, [("2000-01-01", "2024-05-03", "x"), ("2024-05-01", "2024-05-03", None)])
    release = held(engine, "after", names, [("2024-05-01", "2024-05-06", "2024-05-07")])
    first, second = measure_days(engine, source, release, names)
    assert first == {"columns": ["begin", "mid"], "mean": {"source": 2.0, "release": 5.0}, "total_variation": 1.0}
    assert second == {"columns": ["mid", "until"], "mean": {"source": None, "release": 1.0}, "total_variation": None}


@pytest.mark.parametrize(
    ("values", "level"),
    [
        (["a1", None], 0),
        (["a1", "-"], None),
        (["a*"], 1),
        (["a*", None], 1),
        (["a*", "*"], None),
        (["*", "*"], 2),
        ([], 0),
    ],
)
def test_facts_are_of_the_lowest_level_that_has_all_their_values(
    engine: Engine, values: list[str | None], level: int | None
) -> None:
    columns = "value VARCHAR, label_1 VARCHAR, label_2 VARCHAR"
    engine.run(f"CREATE OR REPLACE TEMP TABLE mapping ({columns})")
    engine.run("INSERT INTO mapping VALUES ('a1', 'a*', '*'), ('-', NULL, '*')")
    mapping = cast("Any", type("Mapping", (), {"table": "mapping", "height": 2}))
    released = held(engine, "released", ["code"], [(value,) for value in values] or [("a1",)])
    loaded = type("Loaded", (), {"place": lambda *_: "here"})
    table = cast("Any", type("Table", (), {"name": "t", "loaded": loaded, "source": released}))
    facts = _SourceFacts(engine, {}, {"t": released})
    if level is None:
        with pytest.raises(ConfigurationError, match="column 'code' of table 't' that are those of no level"):
            facts._level(table, "code", mapping)
    else:
        assert facts._level(table, "code", mapping) == level


def test_facts_that_are_counted_from_a_day_are_not_compared() -> None:
    table = type("Table", (), {"name": "t", "facts": ("days",), "since": {"days": "day"}, "link": None})
    loaded = type("Loaded", (), {"tables": {"t": table}})
    assert compare_facts(cast("Any", type("Database", (), {"loaded": loaded})), Deadline()) is None
