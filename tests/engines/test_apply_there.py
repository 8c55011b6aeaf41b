"""`kanon-sql apply` where another engine holds the rows: the releases that DuckDB gives of them, to the row."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import pytest
from elsewhere import ElsewhereJob
from engine_places import MARKS, Json, Place, Rows, Start, as_parquet, counted, marked, starting
from shared_engine import insert, shared

import kanon_sql
from kanon_sql.commands.apply.request import ApplyRequest, configure
from kanon_sql.commands.apply.there import ApplyingThere
from kanon_sql.config.arguments import to_yaml
from kanon_sql.config.load import from_mapping
from kanon_sql.engines import opening
from kanon_sql.engines.opening import job_of
from kanon_sql.errors import ConfigurationError, EngineError, VerificationError
from kanon_sql.ledger.earlier import open_earlier
from kanon_sql.ledger.ledger import read_ledger
from kanon_sql.ledger.recording import no_new_data
from kanon_sql.sql.connection import EngineOptions

COLUMNS = {"name": "VARCHAR", "sex": "VARCHAR", "age": "BIGINT", "cost": "DOUBLE", "problem": "VARCHAR"}
SET = [("suppression.limit", "100%")]


def draws(seed: int, nights: int) -> list[Rows]:
    """A table as it was in some nights: rows come anywhere, go and change at one age."""
    draw = random.Random(seed)
    ages, sexes = [20, 25, 30, 38], ["f", "m", "it's", None, ""]

    def person(number: int) -> tuple[Any, ...]:
        sex = draw.choices(sexes, [6, 6, 2, 2, 1])[0]
        cost, problem = draw.choice([0.5, None, 1e6]), draw.choice(["flu", "cold", None])
        return (f"secret{number}", sex, draw.choice(ages) + draw.randint(0, 1), cost, problem)

    rows: Rows = [person(number) for number in range(80)]
    tables = [rows]
    for night in range(1, nights):
        age = draw.choice(ages)
        kept = [row for row in rows if row[2] != age or draw.random() < 0.6]
        changed = [(*row[:4], "flu") if row[2] == age + 1 and draw.random() < 0.5 else row for row in kept]
        rows = [*changed, *(person(1000 * night + number) for number in range(draw.randint(4, 25)))]
        tables.append(rows)
    return tables


def configuration(folder: Path, **more: Any) -> Json:
    return {
        "source": "unnamed.parquet",
        "target": str(folder / "release.parquet"),
        "identifiers": ["name"],
        "quasi_identifiers": {
            "sex": {"builtin": "suppress", "max_level": 0},
            "age": {"builtin": "intervals", "widths": [5, 10], "min_level": 1, "max_level": 1},
        },
        "sensitive": ["problem"],
        "insensitive": ["cost"],
        "privacy": {"k": 3, "l_diversity": {"column": "problem", "l": 2}},
        "suppression": {"limit": "100%"},
        "releases": {"path": str(folder / "ledger.duckdb")},
        **more,
    }


def told(report: Json) -> Json:
    """What both reports must agree in."""
    return {
        key: report[key]
        for key in ("status", "rows", "suppressed", "earlier", "solution", "classes", "privacy", "applied")
    }


def released_here(path: Path) -> Any:
    with shared() as connection:
        return counted(connection.execute(f"FROM '{path}'").fetchall())


def in_duckdb(folder: Path, config: Json, tables: list[Rows]) -> list[tuple[Any, Json]]:
    """The rows and the report of each night by DuckDB; the first release is at level 1 whatever the search."""
    found = []
    for night, rows in enumerate(tables):
        source = as_parquet(folder / f"night{night}.parquet", COLUMNS, rows)
        if night == 0:
            report = kanon_sql.run({**config, "source": str(source)}, advice=False).report
            found.append((released_here(folder / "release.parquet"), report))
            continue
        target = folder / f"release-{night + 1}.parquet"
        report = kanon_sql.apply(1, source, ledger=folder / "ledger.duckdb", output=target, overrides=SET)
        found.append((released_here(target), told(report)))
    return found


def compared(folder: Path, config: Json, tables: list[Rows]) -> Iterator[tuple[Any, Json]]:
    """What DuckDB says of each night."""
    folder.mkdir()
    yield from in_duckdb(folder, {**config, **configured_in(folder)}, tables)


def configured_in(folder: Path) -> Json:
    return {"target": str(folder / "release.parquet"), "releases": {"path": str(folder / "ledger.duckdb")}}


class Elsewhere:
    """The engine without a server."""

    def __init__(self) -> None:
        self.server = duckdb.connect()

    def put(self, name: str, rows: Rows) -> str:
        self.server.execute(f"CREATE TABLE {name} ({', '.join(f'{n} {t}' for n, t in COLUMNS.items())})")
        insert(self.server, name, rows)
        return name

    def released(self, name: str) -> Any:
        return counted(self.server.execute(f'FROM "{name}"').fetchall())


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> Elsewhere:
    place = Elsewhere()
    monkeypatch.setattr(ElsewhereJob, "server", place.server, raising=False)
    monkeypatch.setitem(opening.JOBS, "postgres", ElsewhereJob)
    return place


@pytest.mark.slow
def test_each_night_elsewhere_is_that_of_duckdb(elsewhere: Elsewhere, tmp_path: Path) -> None:
    config, tables = configuration(tmp_path), draws(2, 3)
    parts = {"engine": {"postgres": "elsewhere"}, "target": {"table": "released"}}
    nights = compared(tmp_path / "here", config, tables)
    for night, (rows, (expected, report)) in enumerate(zip(tables, nights, strict=True)):
        source = elsewhere.put(f"night{night}", rows)
        if night == 0:
            kanon_sql.run({**config, **parts, "source": {"table": source}}, advice=False)
            assert elsewhere.released("released") == expected
            continue
        there = kanon_sql.apply(1, source, ledger=tmp_path / "ledger.duckdb", output=f"released{night}", overrides=SET)
        assert told(there) == report
        assert elsewhere.released(f"released{night}") == expected


FEW = [("a", "f", 20, 0.5, "flu"), ("b", "f", 20, 0.5, "cold"), ("c", "f", 21, 0.5, "none")]
ADA = ("Ada", "f", 21, 0.5, "cancer")


def released_elsewhere(elsewhere: Elsewhere, folder: Path, rows: Rows, **more: Any) -> Path:
    """The ledger of a first release of these rows, as the table released."""
    parts = {"engine": {"postgres": "elsewhere"}, "source": {"table": elsewhere.put("first", rows)}}
    config = configuration(folder, privacy={"k": 3}, **{"target": {"table": "released"}, **more})
    kanon_sql.run({**config, **parts}, advice=False)
    return folder / "ledger.duckdb"


@pytest.mark.slow
def test_the_recount_there_finds_what_the_decision_overlooks(
    elsewhere: Elsewhere, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = released_elsewhere(elsewhere, tmp_path, [*FEW, *FEW])
    real = ApplyingThere._attempt

    def overlook(self: ApplyingThere, attempt: int, held_by: int) -> None:
        earlier, self.k = self.k, 1
        real(self, attempt, held_by)
        self.k = earlier

    source = elsewhere.put("second", [*FEW, *FEW, ADA])
    with monkeypatch.context() as patch:
        patch.setattr(ApplyingThere, "_attempt", overlook)
        with pytest.raises(VerificationError, match=r"1 classes \(1 rows\) of what the release and release 1 add"):
            kanon_sql.apply(1, source, ledger=ledger, output="new")
    assert ("new",) not in elsewhere.server.execute("SHOW TABLES").fetchall()
    report = kanon_sql.apply(1, source, ledger=ledger, output="new", overrides=SET)
    assert report["suppressed"]["waiting"] == 1 and elsewhere.released("new") == elsewhere.released("released")
    assert report["verification"] == {"compared": "rows", "columns": 4}
    assert report["engine"]["name"] == "postgres" and report["engine"]["statements"] > 5


@pytest.mark.slow
def test_what_cannot_be_compared_there_is_refused(elsewhere: Elsewhere, tmp_path: Path) -> None:
    ledger = released_elsewhere(elsewhere, tmp_path, [*FEW, *FEW])
    source = elsewhere.put("second", [*FEW, *FEW, *FEW])

    def refused(said: str, error: type[Exception] = ConfigurationError, **more: Any) -> None:
        tables = elsewhere.server.execute("SHOW TABLES").fetchall()
        with pytest.raises(error, match=said):
            kanon_sql.apply(1, source, ledger=ledger, **more)
        left = {*tables, ("made_beside",)}  # which only this engine of the tests leaves
        assert {*elsewhere.server.execute("SHOW TABLES").fetchall()} <= left
        assert len(kanon_sql.list_releases(ledger)["releases"]) == 1

    refused("nobody tells which are new", new_rows=True)
    refused("releases of new data replace nothing", overrides=[("target.overwrite", True)])
    refused("is not compared with others where the rows are", overrides=[("target", {"path": "new.csv"})])
    elsewhere.server.execute("UPDATE released SET problem = 'cold' WHERE problem = 'flu'")
    refused(r"release 1 .* is not what was released", EngineError)
    elsewhere.server.execute("DROP TABLE released")
    refused(r"release 1 .* it is not there any more", EngineError)


@pytest.mark.slow
def test_a_release_to_a_file_says_that_nothing_is_compared_with_it(elsewhere: Elsewhere, tmp_path: Path) -> None:
    config = configuration(tmp_path, privacy={"k": 3}, target=str(tmp_path / "release.parquet"))
    engine = {"engine": {"postgres": "elsewhere"}}
    told_of = no_new_data(from_mapping({**config, **engine, "source": {"table": "first"}}))
    assert len(told_of) == 1 and "a file that postgres copies to" in told_of[0]
    assert no_new_data(from_mapping({**config, **engine, "source": {"table": "t"}, "target": {"table": "u"}})) == []
    # A release of DuckDB's is not where the rows are either.
    source = as_parquet(tmp_path / "first.parquet", COLUMNS, [*FEW, *FEW])
    kanon_sql.run({**config, "source": str(source)}, advice=False)
    (entry,) = read_ledger(str(tmp_path / "ledger.duckdb"), None)[1]
    elsewhere.put("second", FEW)
    with (
        job_of(from_mapping({**config, **engine, "source": {"table": "second"}})).read(EngineOptions()) as (
            duck,
            there,
        ),
        pytest.raises(ConfigurationError, match="is a file or table of DuckDB, and releases are compared where"),
    ):
        open_earlier(duck, entry, tmp_path / "ledger.duckdb", there.backend)


@pytest.mark.slow
def test_intervals_of_another_kind_are_found_there(elsewhere: Elsewhere, tmp_path: Path) -> None:
    qi = {"cost": {"builtin": "intervals", "widths": [10], "min_level": 1, "max_level": 1}}
    whole = [(*row[:3], float(number), row[4]) for number, row in enumerate(FEW)]
    ledger = released_elsewhere(
        elsewhere, tmp_path, whole, quasi_identifiers=qi, insensitive=[], unlisted="drop", suppression={"limit": 0}
    )
    source = elsewhere.put("second", [*whole, *((*row[:3], 3.5, row[4]) for row in FEW)])
    with pytest.raises(ConfigurationError, match="are written in another way than in release 1"):
        kanon_sql.apply(1, source, ledger=ledger, output="new")
    elsewhere.put("third", [*whole, *((*row[:3], 3.0, row[4]) for row in FEW)])
    assert kanon_sql.apply(1, "third", ledger=ledger, output="new")["rows"]["suppressed"] == 0


def test_names_of_sources_and_targets_there(tmp_path: Path) -> None:
    """A table or a path of the engine, and a number behind the name of the first release."""

    def configured(engine: str, source: Json, target: Json, data: str, output: str | None = None) -> tuple[Any, ...]:
        config = configuration(tmp_path, engine={engine: "url"}, source=source, target=target)
        loaded = from_mapping(config, tmp_path)
        details = {"configuration": to_yaml(config), "folder": str(tmp_path), "columns": {}}
        entry = SimpleNamespace(id=4, details=details, target="x")
        request = ApplyRequest(4, data, tmp_path / "ledger.duckdb", [entry], output)  # type: ignore[list-item]
        new = configure(request, entry).config  # type: ignore[arg-type]
        assert loaded.config.search_in == "auto" and new.search_in == "duckdb" and new.target is not None
        return new.source.table, new.source.path, new.target.table, new.target.path

    table, there = {"table": "a.people"}, {"table": "a.released"}
    assert configured("postgres", table, there, "a.july") == ("a.july", None, '"a"."released_5"', None)
    assert configured("postgres", {"query": "SELECT 1"}, there, "july", "b.new") == ("july", None, "b.new", None)
    assert configured("spark", table, {"table": "re_4"}, "hdfs://c/july.parquet") == (
        *(None, "hdfs://c/july.parquet", "`re_5`", None),
    )
    files = {"path": "hdfs://c/people.parquet"}, {"path": "hdfs://c/re.parquet"}
    assert configured("spark", *files, "july.parquet") == (
        *(None, str(Path("july.parquet").absolute()), None, "hdfs://c/re-5.parquet"),
    )
    assert configured("spark", *files, "/d/july.parquet", "new.parquet")[2:] == (
        *(None, str(Path("new.parquet").absolute())),
    )
    relative = {"path": "people.parquet"}, {"path": "re.parquet"}
    assert configured("spark", *relative, "s3a://b/july")[2:] == (None, str(tmp_path / "re-5.parquet"))


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Start]:
    with starting(tmp_path_factory.mktemp) as started:
        yield started


def name_of(source: Json) -> str:
    return str(source.get("table") or source["path"])


def numbered(target: Json, number: int) -> Json:
    """The target that apply chooses for the release with this number."""
    if "table" in target:
        return {"table": f'{target["table"][:-1]}_{number}"'}
    return {"path": target["path"].replace(".parquet", f"-{number}.parquet")}


def nights_there(place: Place, config: Json, tables: list[Rows]) -> Iterator[tuple[Any, Json]]:
    """The rows and the report of each night by an engine."""
    ledger, first = config["releases"]["path"], place.configured(config, place.put(COLUMNS, tables[0]))
    report = kanon_sql.run(first, advice=False).report
    yield counted(place.released(first) or []), report
    for night, rows in enumerate(tables[1:], 2):
        report = kanon_sql.apply(1, name_of(place.put(COLUMNS, rows)), ledger=ledger, overrides=SET)
        target = numbered(first["target"], night)
        yield counted(place.released({**first, "target": target}) or []), told(report)
    entries = kanon_sql.list_releases(ledger)["releases"]
    assert [(e["id"], e["origin"], e["built_on"]) for e in entries[1:]] == [
        (i, 1, 1) for i in range(2, len(tables) + 1)
    ]
    assert place.leftovers() == []


def recorded_in(ledger: Path) -> list[Any]:
    """What the entries of a ledger say, but for places and times."""
    entries = kanon_sql.list_releases(ledger)["releases"]
    keys = ("id", "origin", "built_on", "source_fingerprint", "release_fingerprint", "quasi_identifiers", "released")
    of_details = ("solution", "order", "columns", "rows", "classes", "privacy", "applied")
    return [[*(entry[key] for key in keys), *(entry["details"].get(key) for key in of_details)] for entry in entries]


MODELS: list[Json] = [
    {},
    {"privacy": {"k": 4, "t_closeness": {"column": "problem", "t": 0.45}}, "release": {"suppressed": "mask"}},
    {"privacy": {"k": 2, "l_diversity": {"column": "cost", "l": 2}}, "sensitive": ["cost"], "insensitive": ["problem"]},
]


@marked
@pytest.mark.parametrize("more", MODELS, ids=["l", "t", "numbers"])
def test_each_night_there_is_that_of_duckdb(start: Start, engine: str, more: Json, tmp_path: Path) -> None:
    config, tables = configuration(tmp_path, **more), draws(2, 4)
    expected = list(compared(tmp_path / "here", config, tables))
    there = list(nights_there(start(engine), config, tables))
    assert [rows for rows, _ in there] == [rows for rows, _ in expected]
    assert [report for _, report in there[1:]] == [report for _, report in expected[1:]]
    recorded = [recorded_in(folder / "ledger.duckdb") for folder in (tmp_path / "here", tmp_path)]
    assert recorded[0] == recorded[1]
    suppressed = [report["suppressed"] for _, report in expected[1:]]
    assert any(counts["waiting"] for counts in suppressed) and any(counts["differing"]["rows"] for counts in suppressed)


def csv_there(start: Start, folder: Path, **more: Any) -> tuple[Json, Path, str]:
    """A first release by Spark as a folder of CSV files, the ledger, and the path of the next night's table."""
    place, tables = start("spark"), draws(2, 2)
    target = {"target": {"path": str(folder / "release.csv")}}
    first = {**place.configured(configuration(folder, **more), place.put(COLUMNS, tables[0])), **target}
    kanon_sql.run(first, advice=False)
    return first, folder / "ledger.duckdb", name_of(place.put(COLUMNS, tables[1]))


def of_spark(test: Any) -> Any:
    for mark in MARKS:
        test = mark(test)
    return test


@of_spark
def test_csv_of_spark_is_compared_by_its_texts(start: Start, tmp_path: Path) -> None:
    few = {"insensitive": [], "unlisted": "drop"}
    _, ledger, source = csv_there(start, tmp_path, **few)
    there = kanon_sql.apply(1, source, ledger=ledger, overrides=SET)
    here = tmp_path / "here"
    here.mkdir()
    parquet = [as_parquet(here / f"night{night}.parquet", COLUMNS, rows) for night, rows in enumerate(draws(2, 2))]
    config = configuration(here, **few, source=str(parquet[0]), target=str(here / "release.csv"))
    kanon_sql.run(config, advice=False)
    report = kanon_sql.apply(1, parquet[1], ledger=here / "ledger.duckdb", overrides=SET)
    assert told(there) == told(report) and report["suppressed"]["waiting"]
    reading = "FROM read_csv('{}', all_varchar = true, header = true)"
    with shared() as connection:
        rows, expected = (
            counted(connection.execute(reading.format(files)).fetchall())
            for files in (f"{tmp_path}/release-2.csv/*.csv", here / "release-2.csv")
        )
    assert rows == expected


@of_spark
def test_columns_that_csv_of_spark_writes_otherwise_are_refused(start: Start, tmp_path: Path) -> None:
    _, ledger, source = csv_there(start, tmp_path)
    with pytest.raises(ConfigurationError, match="has values of column 'cost', of type DOUBLE, in other words"):
        kanon_sql.apply(1, source, ledger=ledger, overrides=SET)
    assert not (tmp_path / "release-2.csv").exists()
