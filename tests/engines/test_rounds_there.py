"""Mondrian where the rows are: the cuts are those that DuckDB makes, to the row."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import duckdb
import pytest
from compiled_cases import CASES, COLUMNS, source_rows
from compiled_cases import configuration as case_configuration
from engine_jobs import Json, same
from engine_places import ENGINES, MARKS, Place, Start, as_parquet, counted, starting
from hypothesis import given
from hypothesis import strategies as st
from mondrian_tables import Table, examples, tables
from sqlglot import exp

import kanon_sql
from kanon_sql.engines.postgres.engine import Postgres
from kanon_sql.engines.spark.engine import Spark
from kanon_sql.errors import EngineError
from kanon_sql.sql.template import column

pytestmark = MARKS
ORDERED: Json = CASES["boxes"]["quasi_identifiers"]
CUTS: list[Json] = [
    {},
    {"dimension": "widest"},
    {"cut": "strict-le"},
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("rounds")
    as_parquet(directory / "people.parquet", COLUMNS, source_rows())
    return directory


@pytest.fixture(scope="module")
def start(folder: Path) -> Iterator[Start]:
    with starting(lambda engine: folder) as start:
        yield start


def released_alike(place: Place, config: Json, source: Json) -> Json:
    """The report of the run in the engine, which is that of DuckDB; so are the rows."""
    here = kanon_sql.run(config).report
    remote = place.configured({**config, "search_in": "engine"}, source)
    there = kanon_sql.run(remote).report
    assert there["engine"]["search_in"] == "engine"
    same(there, here)
    rows = place.released(remote)
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


MODELS: dict[str, Json] = {
    "l": {"l_diversity": {"column": "s", "l": 2}},
    "entropy, alpha": {
        "l_diversity": {"column": "s", "l": 1.6, "variant": "entropy"},
        "alpha_k": {"column": "s", "alpha": 0.8},
    },
    "t": {"t_closeness": {"column": "s", "t": 0.5}},
    "beta, delta": {"beta": {"column": "s", "beta": 2}, "delta_disclosure": {"column": "note", "delta": 3}},
}


@ENGINES
@pytest.mark.parametrize("models", MODELS)
def test_both_sides_of_cuts_hold_the_models(folder: Path, start: Start, engine: str, models: str) -> None:
    place = start(engine)
    config = case_configuration(folder, "boxes")
    config |= {"privacy": {"k": 2, **MODELS[models]}, "sensitive": ["s", "note"], "insensitive": []}
    without = kanon_sql.run({**config, "privacy": {"k": 2}}).report["search"]["cuts"]
    report = released_alike(place, config, place.put(COLUMNS, source_rows()))
    assert 0 < report["search"]["cuts"] < without


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
    released_alike(place, config, place.put(types, rows[::-1]))


@ENGINES
@pytest.mark.parametrize("trees", [False, True])
def test_what_reads_the_classes_finds_them_there(folder: Path, start: Start, engine: str, trees: bool) -> None:
    place = start(engine)
    config = case_configuration(folder, "boxes")
    if trees:  # whose classes may lie within others
        config["quasi_identifiers"] = {**ORDERED, "age": {"builtin": "intervals", "widths": [5, 20]}}
    remote = place.configured(config, place.put(COLUMNS, source_rows()))
    there = {**remote, "search_in": "engine"}

    def points(config_of: Json) -> list[Json]:
        swept = kanon_sql.sweep(config_of, k=[3, 6, 30], limits=[0])["points"]
        return [{**point, "seconds": None} for point in swept]

    assert points(there) == points(remote)
    texts = [kanon_sql.compile(each, dialect="postgres", source_table="t") for each in (there, remote)]
    assert texts[0] == texts[1]
    dry = [kanon_sql.run(each, dry_run=True).report for each in (there, remote)]
    same(*dry)
    if engine == "postgres":
        file = folder / "copied.parquet"
        target = {"path": str(file), "overwrite": True}
        kanon_sql.run({**there, "target": target})
        with duckdb.connect() as connection:
            copied = connection.execute(f"FROM '{file}'").fetchall()
            kanon_sql.run({**remote, "target": target})
            assert counted(copied) == counted(connection.execute(f"FROM '{file}'").fetchall())


def test_many_rounds_need_no_more_tables_than_few(folder: Path, start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    """PostgreSQL keeps the locks and the space of each table that is dropped until the run's transaction ends."""
    place = start("postgres")
    names: list[str] = []
    make = Postgres.make

    def note(self: Postgres, statement: exp.Expr, name: str) -> exp.Table:
        names.append(name)
        return make(self, statement, name)

    monkeypatch.setattr(Postgres, "make", note)
    numbers = []
    for values in (3, 24):
        types = {"a": "VARCHAR"}
        rows = [(f"v{row % values}",) for row in range(values * 2)]
        config = {
            "source": str(as_parquet(folder / "flat.parquet", types, rows)),
            "target": {"path": str(folder / "flat_out.parquet"), "overwrite": True},
            "quasi_identifiers": {"a": {"builtin": "suppress"}},
            "privacy": {"k": 2},
            "algorithm": "mondrian",
        }
        names.clear()
        report = released_alike(place, config, place.put(types, rows))
        assert report["search"]["rounds"] == values - 1
        numbers.append(len(names))
    assert numbers[1] <= numbers[0] + 3


def test_a_server_without_checkpoints_is_told() -> None:
    class Frame:
        dtypes: ClassVar[list[tuple[str, str]]] = []

        def select(self) -> Frame:
            return self

        def localCheckpoint(self) -> None:  # noqa: N802
            raise RuntimeError("checkpoint object-store path is not configured; set execution.checkpoint.path")

    class Session:
        def sql(self, text: str) -> Frame:
            return Frame()

    there = Spark(Session(), "", owned=False, show_values=False)
    with pytest.raises(EngineError, match="needs local checkpoints, which this server does not make"):
        there.keep_settled(exp.select(column("a")).from_("t"), "t")
