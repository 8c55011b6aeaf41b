"""What is measured of tables in PostgreSQL and Spark (by Sail) is what DuckDB measures of the same tables."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from compiled_cases import COLUMNS as PLAIN
from compiled_cases import HOSTILE
from compiled_cases import source_rows as plain_rows
from engine_jobs import Json, small
from engine_places import ENGINES, MARKS, Start, as_parquet, counted, starting, without_signs
from shared_engine import shared
from treated_jobs import KEY, VARIABLE

import kanon_sql
from kanon_sql.api import load
from kanon_sql.commands.report import describe_release
from kanon_sql.engines.opening import job_of
from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.report.call import Call
from kanon_sql.source.treatments.registry import TREATMENTS
from kanon_sql.source.treatments.treatment import Treatment
from kanon_sql.sql.connection import EngineOptions

pytestmark = MARKS
COLUMNS = {**PLAIN, "weight": "INTEGER"}
# Which tables these are, and how long it took.
NAMES = ("table", "source", "release", "control", "about", "seconds")


def source_rows() -> list[tuple[Any, ...]]:
    """The rows of the people's table, each with the persons for whom it stands."""
    return [(*row, 1 + i % 90) for i, row in enumerate(plain_rows())]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with people.parquet, the table of the tests here, and some of its rows."""
    directory = tmp_path_factory.mktemp("measured")
    as_parquet(directory / "people.parquet", COLUMNS, source_rows())
    as_parquet(directory / "some.parquet", COLUMNS, source_rows()[:150])
    return directory


@pytest.fixture(scope="module")
def start(folder: Path) -> Iterator[Start]:
    """Starts an engine when it is first asked for."""
    with starting(lambda engine: folder) as start:
        yield start


def same(measured: Any, expected: Any) -> None:
    """Two reports say the same; sums of floats may differ in their last digits."""
    numbers: list[list[float]] = [[], []]
    texts = [without_signs(_told(report, kept)) for report, kept in zip((measured, expected), numbers, strict=True)]
    assert texts[0] == texts[1]
    assert numbers[0] == pytest.approx(numbers[1], rel=1e-9)


def _told(report: Any, numbers: list[float]) -> Any:
    """A report without the names of its tables and its seconds, its floats apart."""
    if isinstance(report, float):
        numbers.append(report)
        return "a number"
    if isinstance(report, dict):
        return {key: _told(value, numbers) for key, value in report.items() if key not in NAMES or _whole(value)}
    if isinstance(report, str):  # a warning may name a table
        return report.split(" has no column")[-1]
    return [_told(value, numbers) for value in report] if isinstance(report, list) else report


def _whole(value: Any) -> bool:
    return isinstance(value, int)


def both(folder: Path, start: Start, engine: str, **more: Any) -> tuple[Json, Json]:
    """The same release made by DuckDB and there: the configurations of both."""
    place = start(engine)
    here = small(
        **{
            "source": str(folder / "people.parquet"),
            "target": {"path": str(folder / "here.parquet"), "overwrite": True},
        },
        **more,
    )
    there = place.configured(here, place.put(COLUMNS, source_rows()))
    for config in (here, there):
        kanon_sql.run(config, advice=False)
    return here, there


RISKS: dict[str, Json] = {
    "plain": {},
    "all columns": {"all_columns": True, "subsets": 2},
    "special uniques": {"special_uniques": 3, "population_size": 5000},
    "persons": {"population": "people.parquet"},
    "values": {"options": EngineOptions(show_values=True)},
    "weights": {"weights": "weight"},
}


@ENGINES
@pytest.mark.parametrize("measure", RISKS)
def test_the_risk_is_that_of_duckdb(folder: Path, start: Start, engine: str, measure: str) -> None:
    privacy = {"k": 5, **({"entity": "weight"} if measure == "special uniques" else {})}
    here, there = both(folder, start, engine, privacy=privacy)
    options = dict(RISKS[measure])
    if "population" in options:
        options["population"] = folder / options["population"]
    expected, measured = (kanon_sql.risk(config, **options) for config in (here, there))
    assert measured["after"] is not None
    same(measured, expected)


COMPARED: dict[str, Json] = {
    "levels": {},
    "masked": {"release": {"suppressed": "mask"}},
    "ranges": {"quasi_identifiers": {"age": {}, "born": {}}, "algorithm": "mondrian"},
    "treated": {
        "identifiers": ["note"],
        "transform": {
            "note": {"pseudonym": {"key": "${PSEUDONYM_KEY}", "length": 24}},
            "score": {"round": 0.5},
            "weight": {"bottom": 10, "top": 80},
            "seen": {"cut": "day"},
        },
        "insensitive": ["score", "weight", "seen"],
    },
}


@ENGINES
@pytest.mark.parametrize("case", COMPARED)
def test_utility_is_that_of_duckdb(
    folder: Path, start: Start, engine: str, case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, KEY)
    here, there = both(folder, start, engine, **COMPARED[case])
    expected, measured = (kanon_sql.utility(config) for config in (here, there))
    assert measured["pairs"] and measured["queries"]
    same(measured, expected)


@ENGINES
@pytest.mark.parametrize("options", [{}, {"control": "some.parquet"}, {"hold_out": "50%"}, {"method": True}], ids=str)
def test_attacks_are_those_on_duckdb(folder: Path, start: Start, engine: str, options: Json) -> None:
    here, there = both(folder, start, engine, insensitive=["weight"])
    options = {**options, "control": folder / "some.parquet"} if "control" in options else options
    expected, measured = (kanon_sql.attack(config, attacks=50, **options) for config in (here, there))
    same(measured, expected)


@ENGINES
def test_scores_are_written_as_of_a_table_of_duckdb(folder: Path, start: Start, engine: str) -> None:
    written = []
    for name, config in zip(("here", "there"), both(folder, start, engine), strict=True):
        scores = folder / f"{engine}-{name}.csv"
        kanon_sql.risk(config, special_uniques=2, scores=scores, options=EngineOptions(show_values=True))
        written.append(sorted(scores.read_text(encoding="utf-8").splitlines()))
    assert len(written[0]) > 1
    assert written[0] == written[1]


def _measures(config: Json) -> list[Any]:
    return [partial(measure, config) for measure in (kanon_sql.utility, kanon_sql.attack)]


@ENGINES
def test_where_there_is_no_release_only_the_source_is_measured(folder: Path, start: Start, engine: str) -> None:
    place = start(engine)
    config = place.configured(small(insensitive=["weight"]), place.put(COLUMNS, source_rows()))
    assert kanon_sql.risk(config)["after"] is None
    for measure in _measures(config):
        with pytest.raises(EngineError, match="there is no release yet"):
            measure()
    if engine == "spark":
        nowhere = {**config, "target": {"path": f"file://{folder}/nowhere.parquet"}}
        assert kanon_sql.risk(nowhere)["after"] is None
    assert place.leftovers() == []


def test_a_release_that_postgres_copied_to_a_file_is_measured(folder: Path, start: Start) -> None:
    here, there = both(folder, start, "postgres")
    for suffix in ("parquet", "csv"):
        config = {**there, "target": {"path": str(folder / f"copied.{suffix}"), "overwrite": True}}
        compared = {**here, "target": {"path": str(folder / f"local.{suffix}"), "overwrite": True}}
        for each in (config, compared):
            kanon_sql.run(each, advice=False)
        for measure in (kanon_sql.risk, kanon_sql.utility):
            same(measure(config), measure(compared))


def test_a_column_that_engines_compare_in_other_ways_is_refused(start: Start) -> None:
    place = start("postgres")
    source = place.put({"x": "NUMERIC", "s": "VARCHAR"}, [(1, "a"), (1, "b")])
    config = {"engine": {"postgres": place.url}, "source": source, "quasi_identifiers": ["x"], "sensitive": ["s"]}
    with pytest.raises(ConfigurationError, match="column 'x'"):
        kanon_sql.risk({**config, "algorithm": "mondrian", "privacy": {"k": 2}})


@ENGINES
def test_no_identifier_and_nothing_that_is_dropped_leaves_the_engine(start: Start, engine: str) -> None:
    place = start(engine)
    columns = {"name": "VARCHAR", "age": "INTEGER", "s": "VARCHAR", "note": "VARCHAR", "person": "INTEGER"}
    rows = [(f"secret-{i}", i % 4, "ab"[i % 2], f"of {i}", i // 2) for i in range(40)]
    config = place.configured(
        {
            "source": "in.parquet",
            "identifiers": ["name", "person"],
            "quasi_identifiers": {"age": {"builtin": "suppress"}},
            "sensitive": ["s"],
            "unlisted": "drop",
            "privacy": {"k": 2, "entity": "person"},
        },
        place.put(columns, rows),
    )
    kanon_sql.run(config)
    counts = ", ".join(f"count(c{i})" for i in range(len(columns)))
    for more, expected in (({}, (0, 40, 40, 0, 40)), ({"unlisted": "insensitive"}, (0, 40, 40, 40, 40))):
        with job_of(load({**config, **more})).read_rows(EngineOptions()) as (duckdb, source):
            assert duckdb.run(f"SELECT {counts} FROM ({source.relation.sql('duckdb')})") == [expected]
            assert [column.type for column in source.columns] == [*columns.values()]


def test_numbers_that_postgres_writes_in_several_ways_are_compared_as_numbers(folder: Path, start: Start) -> None:
    place = start("postgres")
    rows = [(i % 7, ["1.0", "1.00", "2", "2.50", None][i % 5], "ab"[i * i % 3 % 2]) for i in range(60)]
    as_parquet(folder / "numbers.parquet", {"age": "INTEGER", "x": "DECIMAL(9,2)", "s": "VARCHAR"}, rows)
    here = {
        "source": str(folder / "numbers.parquet"),
        "target": {"path": str(folder / "numbers_here.parquet")},
        "quasi_identifiers": {"age": {"builtin": "suppress"}},
        "sensitive": ["s"],
        "insensitive": ["x"],
        "privacy": {"k": 2},
    }
    there = place.configured(here, place.put({"age": "INTEGER", "x": "NUMERIC", "s": "VARCHAR"}, rows))
    for config in (here, there):
        kanon_sql.run(config, advice=False)
    same(kanon_sql.utility(there), kanon_sql.utility(here))
    same(kanon_sql.attack(there, attacks=50), kanon_sql.attack(here, attacks=50))
    with pytest.raises(ConfigurationError, match=r"column .x. is of type NUMERIC; .*: cast the column"):
        kanon_sql.risk(there, weights="x")


@ENGINES
def test_a_manifest_is_that_of_the_classes_whoever_made_them(folder: Path, start: Start, engine: str) -> None:
    here, there = both(folder, start, engine)
    reports = [kanon_sql.run(each, overrides=AGAIN).report for each in (here, there)]
    assert reports[0]["classes"]["digest"] == reports[1]["classes"]["digest"]
    manifest = folder / f"{engine}.json"
    manifest.write_text(json.dumps(reports[0]), encoding="utf-8")
    released = {"table": there["target"]["table"]} if "table" in there["target"] else there["target"]
    same_release = kanon_sql.check({**there, "source": released}, manifest=manifest)
    assert same_release["manifest"]["same"] and same_release["status"] == "satisfied"
    other_classes = kanon_sql.check(there, manifest=manifest)
    assert not other_classes["manifest"]["same"] and other_classes["status"] == "violated"


AGAIN = [("target.overwrite", True)]
TREATED: dict[str, Json] = {
    "shift": {"born": {"shift": {"days": 9, "by": "note", "key": "${PSEUDONYM_KEY}"}}},
    "cut": {"seen": {"cut": "month"}},
    "round": {"weight": {"round": 7}},
    "decimals": {"price": {"decimals": 1}},
    "bottom": {"weight": {"bottom": "5%"}},
    "top": {"weight": {"top": 60}},
    "redact": {"s": {"redact": ["email", "phone"]}},
    "pseudonym": {"note": {"pseudonym": {"key": "${PSEUDONYM_KEY}", "length": 20}}},
}


@ENGINES
@pytest.mark.parametrize("treatment", TREATMENTS, ids=lambda treatment: treatment.key)
def test_a_treatment_is_that_of_duckdb_or_refused(
    folder: Path, start: Start, engine: str, treatment: Treatment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, KEY)
    more: Json = {
        "identifiers": ["note"],
        "insensitive": ["born", "seen", "weight", "price"],
        "transform": TREATED[treatment.key],
        "accept": ["born", "seen"],
    }
    if engine not in treatment.dialects:
        with pytest.raises(ConfigurationError, match=treatment.key):
            both(folder, start, engine, **more)
        return
    here, there = both(folder, start, engine, **more)
    with shared() as connection:
        mine = connection.execute(f"FROM '{here['target']['path']}'").fetchall()
    released = start(engine).released(there)
    assert released is not None
    assert counted(released) == counted(mine)


@ENGINES
def test_a_sweep_and_a_lattice_are_those_of_duckdb(folder: Path, start: Start, engine: str) -> None:
    here, there = both(folder, start, engine)
    same(kanon_sql.lattice(there), kanon_sql.lattice(here))
    expected, swept = (kanon_sql.sweep(config, k=[2, 5])["points"] for config in (here, there))
    assert [point["suppressed"] for point in swept] == [point["suppressed"] for point in expected]
    assert [point["ncp"] for point in swept] == pytest.approx([point["ncp"] for point in expected])


@ENGINES
@pytest.mark.parametrize("compared", ["levels", "masked"])
def test_the_page_of_a_release_there_says_what_that_of_duckdb_says(
    folder: Path, start: Start, engine: str, compared: str
) -> None:
    here, there = both(folder, start, engine, **COMPARED[compared])
    expected, measured = (describe_release(load(config), Call.of(None, None)) for config in (here, there))
    assert measured.notes == expected.notes
    for part in ("loss", "risk", "columns", "unique", "lattice", "classes", "utility", "attacks"):
        same(_plain(getattr(measured, part)), _plain(getattr(expected, part)))
    for key in ("status", "rows", "solution", "classes", "privacy", "labels"):
        assert measured.report[key] == expected.report[key], key


def _plain(part: Any) -> Any:
    """A part of a page as JSON data."""
    return json.loads(json.dumps(part, default=lambda value: getattr(value, "__dict__", str(value))))


@ENGINES
def test_a_release_there_is_linked_as_one_of_duckdb(folder: Path, start: Start, engine: str) -> None:
    here, there = both(folder, start, engine)
    place = there["target"].get("table") or there["target"]["path"]
    on = [HOSTILE, "age"]
    expected = kanon_sql.link(here["target"]["path"], folder / "some.parquet", on, release_config=here)
    measured = kanon_sql.link(Path(place), folder / "some.parquet", on, release_config=there)
    assert expected["unique"]["persons"] is not None
    same({**measured, "report": ""}, {**expected, "report": ""})
    with pytest.raises((ConfigurationError, EngineError), match="nowhere"):
        kanon_sql.link(Path("nowhere"), folder / "some.parquet", on, release_config=there)
