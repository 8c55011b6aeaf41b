"""Mondrian where the rows are: the cuts are those that DuckDB makes, to the row."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from compiled_cases import CASES, COLUMNS, source_rows
from compiled_cases import configuration as case_configuration
from engine_jobs import Json, same
from engine_places import ENGINES, MARKS, Place, Start, as_parquet, counted, starting
from hypothesis import given
from hypothesis import strategies as st
from mondrian_tables import Table, examples, tables

import kanon_sql

pytestmark = MARKS
ORDERED: Json = CASES["boxes"]["quasi_identifiers"]
CUTS: list[Json] = [
    {},
    {"dimension": "widest"},
    {"cut": "strict-le"},
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("rounds")
    as_parquet(made / "people.parquet", COLUMNS, source_rows())
    return made


@pytest.fixture(scope="module")
def start(folder: Path) -> Iterator[Start]:
    with starting(lambda engine: folder) as start:
        yield start


def released_alike(place: Place, config: Json, source: Json) -> Json:
    """The report of the run in the engine, which is that of DuckDB; so are the rows."""
    here = kanon_sql.run(config).report
    asked = place.asked({**config, "search_in": "engine"}, source)
    there = kanon_sql.run(asked).report
    assert there["engine"]["search_in"] == "engine"
    same(there, here)
    rows = place.released(asked)
    with duckdb.connect() as connection:
        mine = connection.execute(f"FROM '{config['target']['path']}'").fetchall()
    assert rows is not None and counted(rows) == counted(mine)
    return dict(there)


@ENGINES
@pytest.mark.parametrize("cuts", CUTS, ids=str)
@pytest.mark.parametrize("case", ["boxes", "bounds", "widened"])
def test_cuts_of_the_people_are_those_of_duckdb(folder: Path, start: Start, engine: str, case: str, cuts: Json) -> None:
    place = start(engine)
    config = case_configuration(folder, case) | {"algorithm": {"name": "mondrian", **cuts}}
    report = released_alike(place, config, place.put(COLUMNS, source_rows()))
    assert report["search"]["cuts"] > 3
    assert place.leftovers() == []


@ENGINES
@given(table=tables(ambiguous=False), cuts=st.sampled_from(CUTS))
@examples(8)
def test_cuts_are_those_of_duckdb(folder: Path, start: Start, engine: str, table: Table, cuts: Json) -> None:
    place = start(engine)
    types = {"id": "VARCHAR", **{name: table.types.get(name, "VARCHAR") for name in table.dimensions}}
    rows = [[row[name] for name in types] for row in table.rows]
    as_parquet(folder / "drawn.parquet", types, rows)
    config: Json = table.config(folder, **cuts)
    config |= {
        "source": str(folder / "drawn.parquet"),
        "target": {"path": str(folder / "o.parquet"), "overwrite": True},
    }
    if len(rows) < table.k:
        return
    released_alike(place, config, place.put(types, rows))
