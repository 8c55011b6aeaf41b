"""Parts of a run of a database by themselves: whose rows may go, who takes part, what a value is, who tells persons."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import duckdb
import pytest
from shared_engine import attached, shared
from sqlglot import exp

from kanon_sql.commands.database.distances import _day, with_distances
from kanon_sql.commands.database.held import held_value, key_of_persons
from kanon_sql.commands.database.held_counts import _taking_part, _with_values, with_counted
from kanon_sql.commands.database.joined import JoinedTables
from kanon_sql.commands.database.keys import _losses
from kanon_sql.commands.database.measure import _normalized
from kanon_sql.commands.database.own_models import _problems
from kanon_sql.commands.database.recount import _told_values
from kanon_sql.commands.database.run import _Job
from kanon_sql.commands.database.tables import (
    DAYS,
    OpenTable,
    _moved,
    _refuse_far_dates,
    _refuse_formats,
    find_days,
    tells_persons,
)
from kanon_sql.config.database import LoadedDatabase, load_database
from kanon_sql.config.database_held import HeldColumn
from kanon_sql.config.database_table import TableConfig
from kanon_sql.errors import ConfigurationError
from kanon_sql.source.duckdb import DuckDB
from kanon_sql.source.model import Column, Source
from kanon_sql.source.reading import Reading
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import quoted, state

Json = dict[str, Any]
TABLES: Json = {
    "person": {"quasi_identifiers": {"sex": {"builtin": "suppress"}}, "insensitive": ["job"]},
    "visit": {"link": "person_id", "facts": {"kind": {}}},
    "test": {"link": {"visit_id": "visit"}},
    "drug": {"link": "person_id"},
    "dose": {"link": {"drug_id": "drug"}},
    "place": "keep",
}


def loaded(**more: Any) -> LoadedDatabase:
    config: Json = {"source": "somewhere", "unit": {"table": "person", "key": "person_id"}, "tables": TABLES}
    return load_database({**config, "privacy": {"k": 2, "facts": {"known": 1}}, **more})


def a_table(connection: duckdb.DuckDBPyConnection, name: str, kind: str, columns: str, rows: list[Any]) -> Source:
    """A temporary table of the connection as a source; NA stands for no value."""
    connection.execute(f"CREATE TEMP TABLE {name} ({columns})")
    connection.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(rows[0]))})", rows)
    read = [(column.split()[0], f"c{i}", column.split()[1]) for i, column in enumerate(columns.split(", "))]
    relation = exp.select(*(exp.alias_(exp.column(column), key) for column, key, _ in read)).from_(name)
    held = tuple(Column(column, key, of) for column, key, of in read)
    return Source(kind, relation, held, ("NA",), True, name, cast("Any", None))


def opened(database: LoadedDatabase, **columns: list[str]) -> dict[str, OpenTable]:
    """The tables of a configuration, released with these columns."""
    return {
        name: OpenTable(
            table, cast("Any", None), tuple(Column(column, column, "VARCHAR") for column in columns.get(name, [])), {}
        )
        for name, table in database.tables.items()
    }


def test_rows_go_with_facts_with_rows_above_them_or_with_persons() -> None:
    tables = opened(loaded())
    losses = {name: _losses(tables, table) for name, table in tables.items()}
    assert losses == {"person": 1, "visit": 2, "test": 2, "drug": 1, "dose": 1, "place": 0}


def test_rows_tell_their_person_where_all_keys_on_the_way_are_released() -> None:
    whole = {"visit": ["visit_id", "person_id"], "test": ["visit_id"]}
    for lacking, tells in (
        ({}, True),
        ({"visit": ["person_id"]}, False),
        ({"visit": ["visit_id"]}, False),
        ({"test": []}, False),
    ):
        tables = opened(loaded(), **{**whole, **lacking})
        assert tells_persons(tables, tables["test"]) is tells, lacking
    assert not tells_persons(tables, tables["place"])


def test_a_value_is_missing_by_its_words_and_an_empty_one_where_files_do_not_tell() -> None:
    with shared() as connection:
        source = a_table(connection, "held", "parquet", "value VARCHAR", [("x",), ("",), ("NA",), (None,), ("1.0",)])
        number = replace(source.columns[0], reading=Reading("number"))
        for column, only_texts, wanted in (
            (source.columns[0], False, ["x", "", None, None, "1.0"]),
            (source.columns[0], True, ["x", None, None, None, "1.0"]),
            (number, True, ["x", None, None, None, "1"]),
        ):
            value = held_value(source, column, "rows", only_texts=only_texts)
            statement = exp.select(value).from_(source.relation.copy().subquery("rows"))
            assert [row[0] for row in connection.execute(statement.sql("duckdb")).fetchall()] == wanted


@pytest.mark.parametrize(
    ("missing", "persons"), [("keep", ["1", "2", "3", "4"]), ("drop", ["1", "3"]), ("drop-any", ["1"])]
)
def test_persons_take_part_of_whom_nothing_is_missing_that_must_be_there(missing: str, persons: list[str]) -> None:
    database = loaded(tables={**TABLES, "person": {**TABLES["person"], "missing": missing}})
    with shared() as connection:
        rows = [(1, "f", "nurse"), (2, None, "nurse"), (3, "m", "NA"), (4, "NA", "smith")]
        source = a_table(connection, "people", "parquet", "person_id INTEGER, sex VARCHAR, job VARCHAR", rows)
        statement = _taking_part(database, {"person": source})
        assert sorted(row[0] for row in connection.execute(statement.sql("duckdb")).fetchall()) == persons


@pytest.mark.parametrize("emptied", [False, True])
def test_persons_stand_beside_each_of_their_values_once_or_beside_none(emptied: bool) -> None:
    with shared() as connection:
        rows = [(1, "x"), (1, "x"), (1, ""), (2, "NA"), (9, "y")]
        visits = a_table(connection, "visits", "parquet", "person_id INTEGER, result VARCHAR", rows)
        tables = {**opened(loaded()), "visit": OpenTable(loaded().tables["visit"], visits, visits.columns, {})}
        persons = exp.select("person").from_(exp.values([("1",), ("2",), ("3",)], alias="p", columns=["person"]))
        statement = _with_values(persons, tables, {"visit": visits}, HeldColumn("visit", "result"), emptied=emptied)
        pairs = sorted(connection.execute(statement.sql("duckdb")).fetchall(), key=str)
    empty = None if emptied else ""
    assert pairs == sorted([("1", "x"), ("1", empty), ("2", None), ("3", None)], key=str)


def evaluated(connection: duckdb.DuckDBPyConnection, value: exp.Expr, relation: exp.Expr, name: str) -> list[Any]:
    """What an expression is for the rows of a relation, which goes by a name there."""
    statement = exp.select(value).from_(exp.Subquery(this=relation.copy(), alias=exp.TableAlias(this=quoted(name))))
    return [row[0] for row in connection.execute(statement.sql("duckdb")).fetchall()]


@pytest.mark.parametrize(
    ("kind", "reading", "written", "moved"),
    [
        ("VARCHAR", None, "2024-02-27", "2024-03-01"),
        ("VARCHAR", None, "2024-02-27 23:59:59.5", "2024-03-01 23:59:59.5"),
        ("VARCHAR", None, "2024-02-27T00:00Z", "2024-03-01T00:00Z"),
        ("VARCHAR", Reading("date", format="%d.%m.%Y"), "27.02.2024", "01.03.2024"),
        ("VARCHAR", Reading("timestamp", format="%Y-%m-%d %H:%M"), "2024-02-27 13:05", "2024-03-01 13:05"),
        ("DATE", None, "2024-02-27", "2024-03-01"),
        ("TIMESTAMP", None, "2024-02-27 13:05:09", "2024-03-01 13:05:09"),
        ("TIMESTAMP_MS", None, "2024-02-27 13:05:09.25", "2024-03-01 13:05:09.25"),
        # In Berlin the clocks were changed meanwhile.
        ("TIMESTAMP WITH TIME ZONE", None, "2024-03-30 12:00:00+00", "2024-04-02 14:00:00+02"),
    ],
)
def test_a_date_moves_by_days_and_keeps_all_else(kind: str, reading: Reading | None, written: str, moved: str) -> None:
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'Europe/Berlin'")
        days = exp.select(exp.alias_(exp.Literal.number(3), "moved_by"), exp.alias_(exp.Literal.string(written), "v"))
        value = exp.column("v") if kind == "VARCHAR" else exp.cast(exp.column("v"), kind, dialect="duckdb")
        text = exp.cast(_moved(value, Column("v", "v", kind, reading)), "VARCHAR")
        assert evaluated(connection, text, days, state(DAYS)) == [moved]


def test_dates_that_could_move_beyond_the_ends_of_time_are_refused() -> None:
    days = ["0001-01-05", "0001-01-06", "9999-12-26", "9999-12-27", "NA"]
    with shared() as connection:
        for kind, rows, far in (
            ("VARCHAR", days, 2),
            ("DATE", days[:4], 2),
            ("VARCHAR", [days[0]], 1),
            ("DATE", days[1:3], 0),
        ):
            source = a_table(
                connection, f"far_{kind}_{far}_{len(rows)}", "parquet", f"v {kind}", [(day,) for day in rows]
            )
            config = TableConfig("visit", None, dates=("v",))
            table = OpenTable(config, source, source.columns, {})
            with pytest.raises(ConfigurationError, match=f"holds {far} dates within 5 days") if far else nullcontext():
                _refuse_far_dates(Engine(connection), table, 5)


@pytest.mark.parametrize(
    ("written", "moves"),
    [("%d.%m.%Y", True), ("%d.%m.%y", False), ("%m.%Y", False), ("%Y%m%d", True), ("%Y-%m", False), (None, True)],
)
def test_dates_move_in_formats_with_a_day_and_a_year_of_four_digits(written: str | None, moves: bool) -> None:
    col = Column("v", "v", "VARCHAR", None if written is None else Reading("date", format=written))
    source = Source("csv", exp.select("*").from_("t"), (col,), (), True, "t", cast("Any", None))
    table = OpenTable(TableConfig("visit", None, dates=("v",)), source, (col,), {})
    with nullcontext() if moves else pytest.raises(ConfigurationError, match="cannot move; expected a format with a"):
        _refuse_formats(table)


@pytest.mark.parametrize(("weeks", "step"), [(True, 7), (False, 1)])
def test_all_dates_of_persons_move_by_days_or_by_weeks(weeks: bool, step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHIFT", "0f" * 32)
    tables = {**TABLES, "drug": {"link": "person_id", "dates": ["since"]}}
    database = loaded(tables=tables, shift={"days": 40, "key": "${SHIFT}", "weeks": weeks})
    with attached() as connection:
        connection.execute("CREATE TABLE persons AS SELECT i AS key, i AS person FROM range(60) r(i)")
        find_days(Engine(connection), database, "persons")
        (row,) = connection.execute(
            f"SELECT count(*), count(DISTINCT moved_by), max(abs(moved_by) % {step}), "
            f'max(moved_by) <= 40, min(moved_by) >= -40 FROM "{state(DAYS)}"'
        ).fetchall()
    assert row[0] == 60 and row[1] > (8 if weeks else 12) and row[2:] == (0, True, True)


def test_words_for_missing_are_values_nowhere() -> None:
    """Neither as what a person has, nor as a sensitive value, nor as a fact that is released, nor as a day."""
    with shared() as connection:
        columns, rows = "person_id INTEGER, kind VARCHAR", [(1, "x"), (2, "NA"), (3, None), (4, "")]
        source = a_table(connection, "words", "parquet", columns, rows)
        assert evaluated(connection, _normalized(source, "kind", "t"), source.relation, "t") == ["x", None, None, ""]
        database = loaded(tables={**TABLES, "visit": {"link": "person_id", "sensitive": ["kind", "seen"]}})
        more_rows = [*rows, (5, "y", "s")]
        more = a_table(
            connection, "sensitive", "parquet", f"{columns}, seen VARCHAR", [(*row, "NA")[:3] for row in more_rows]
        )
        tables = {**opened(database), "visit": OpenTable(database.tables["visit"], more, more.columns, {})}
        told = connection.execute(_told_values(database, tables, {"visit": more}).sql("duckdb")).fetchall()
        assert sorted(told) == [
            *(("1", ["visit.kind", "x"]), ("4", ["visit.kind", ""])),
            *(("5", ["visit.kind", "y"]), ("5", ["visit.seen", "s"])),
        ]
        days = a_table(connection, "some_days", "csv", "v VARCHAR", [("2024-01-02",), ("NA",)])
        dated = replace(days, missing=("2024-01-02", "NA"))
        col = replace(days.columns[0], reading=Reading("date"))
        assert [str(day) for day in evaluated(connection, _day(days, col), days.relation, "source")] == [
            *("2024-01-02", "None")
        ]
        assert evaluated(connection, _day(dated, col), days.relation, "source") == [None, None]


def test_the_key_of_a_person_is_read_as_the_configuration_says() -> None:
    tables = {
        **TABLES,
        "person": {**TABLES["person"], "source": {"columns": {"person_id": {"trim": True, "case": "lower"}}}},
    }
    with shared() as connection:
        source = a_table(connection, "keys", "csv", "person_id VARCHAR", [(" A1 ",), ("b2",)])
        source = replace(source, backend=DuckDB(Engine(connection)))
        for database, wanted in ((loaded(), [" A1 ", "b2"]), (loaded(tables=tables), ["a1", "b2"])):
            value = key_of_persons(database, source, "t")
            assert evaluated(connection, value, source.relation, "t") == wanted


def test_what_was_counted_takes_the_place_of_what_the_run_said_column_by_column() -> None:
    whole: Json = {"k": {"actual": 1}, "l_diversity": [{"column": name, "actual": 0} for name in ("a", "b", "a")]}
    counted: Json = {"l_diversity": [{"column": "a", "actual": 1}, {"column": "a", "actual": 2}], "beta": {"actual": 9}}
    assert with_counted(whole, counted) == {
        "k": {"actual": 1},
        "l_diversity": [{"column": "a", "actual": 1}, {"column": "b", "actual": 0}, {"column": "a", "actual": 2}],
        "beta": {"actual": 9},
    }
    assert whole["l_diversity"][0] == {"column": "a", "actual": 0}


@pytest.mark.parametrize(
    ("fewest", "violating", "holds", "said"),
    [
        (2, 0, True, []),
        (1, 0, True, ["a class holds 1, fewer than k = 2"]),
        (2, 1, True, ["1 classes of persons violate l_diversity of job"]),
        (2, 0, False, ["risk is beyond its bound"]),
        (
            1,
            3,
            False,
            ["a class holds 1", "3 classes of persons violate l_diversity of job", "risk is beyond its bound"],
        ),
    ],
)
def test_classes_models_and_thresholds_are_problems_each(
    fewest: int, violating: int, holds: bool, said: list[str]
) -> None:
    person = {**TABLES["person"], "insensitive": [], "sensitive": ["job"]}
    database = loaded(
        tables={**TABLES, "person": person},
        privacy={"k": 2, "facts": {"known": 1}, "l_diversity": {"column": "job", "l": 2}},
    )
    alone = database.unit.loaded
    assert alone is not None
    privacy = alone.config.privacy.model_copy(update={"k": 2})
    reached: Any = SimpleNamespace(
        rows=9,
        fewest=fewest,
        models=[SimpleNamespace(violating_classes=violating)],
        thresholds=[SimpleNamespace(key="risk", holds=holds)],
    )
    problems = _problems(replace(alone, config=alone.config.model_copy(update={"privacy": privacy})), reached)
    assert len(problems) == len(said) and all(text in problem for text, problem in zip(said, problems, strict=True))


@pytest.mark.parametrize("among", ["nothing", "quasi_identifiers"])
@pytest.mark.parametrize(
    ("held_after", "suppressing"),
    [
        (0, []),
        (1, [True]),
        (4, [True, True, True, False]),
        (6, [True] * 3 + [False] * 3),
        (9, [True] * 3 + [False] * 3),
    ],
)
def test_persons_are_searched_again_until_classes_hold_and_of_the_last_rounds_nobody_is_suppressed(
    held_after: int, suppressing: list[bool], among: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Facts are searched again where other persons are released, or others are in their class."""
    job = _Job.__new__(_Job)
    calls: list[Any] = []
    held = {"visit.result": HeldColumn("visit", "result"), "drug.name": HeldColumn("drug", "name")}
    job.loaded = cast(
        "Any",
        SimpleNamespace(unit=SimpleNamespace(held=held), config=SimpleNamespace(facts=SimpleNamespace(among=among))),
    )
    job.tables, job.result = opened(loaded()), cast("Any", "what was found")

    def again(folder: Path, lists: Any, kept: Any, *, suppresses: bool) -> None:
        calls.append((folder.name, lists, list(kept), suppresses))

    def persons() -> list[tuple[object, ...]]:
        return [(min(len([call for call in calls if call != "facts"]), 2),)]  # other ones after the first two rounds

    parts = {
        "_loses_rows": lambda table: table.name == "visit",
        "_values_left": lambda kept, number: dict.fromkeys(kept, f"list {number}"),
        "_hold": lambda lists: lists == {"visit.result": f"list {held_after}"},
        "_released": persons,
        "_release_again": again,
        "search": lambda: calls.append("facts"),
    }
    for name, part in parts.items():
        monkeypatch.setattr(job, name, part)
    job.hold_models(tmp_path)
    rounds = [call for call in calls if call != "facts"]
    assert [call[3] for call in rounds] == suppressing
    wanted = [(f"again_{i}", {"visit.result": f"list {i}"}, ["visit.result"]) for i in range(len(suppressing))]
    assert [call[:3] for call in rounds] == wanted
    searched = len(suppressing) if among == "quasi_identifiers" else min(len(suppressing), 2)
    assert calls.count("facts") == searched


def test_models_of_values_whose_rows_stay_and_tables_without_facts_need_no_other_round(tmp_path: Path) -> None:
    job = _Job.__new__(_Job)
    held = {"drug.name": HeldColumn("drug", "name")}
    job.loaded = cast("Any", SimpleNamespace(unit=SimpleNamespace(held=held)))
    job.tables, job.facts = opened(loaded()), cast("Any", {"visit": "facts"})
    assert [name for name, table in job.tables.items() if job._loses_rows(table)] == ["visit", "test"]
    for result in (None, "what was found"):
        job.result = cast("Any", result)
        job.hold_models(tmp_path)  # which would ask an engine that is not there


def test_distances_are_from_the_date_as_it_was_before_any_treatment() -> None:
    """A cut or moved date of the table of persons would shift what is counted from it, or tell by how much."""
    tables = {**TABLES, "visit": {"link": "person_id", "since": {"day": "born"}, "facts": {"day": {}}}}
    tables["person"] = {**TABLES["person"], "identifiers": ["born"]}
    database = loaded(tables=tables)
    with shared() as connection:
        rows = [(1, "2000-02-03"), (2, "2001-04-05"), (3, None)]
        read = a_table(connection, "as_read", "parquet", "person_id INTEGER, born DATE", rows)
        cut = a_table(connection, "as_cut", "parquet", "person_id INTEGER, born DATE", [(1, "2000-01-01")])
        days = a_table(connection, "visits", "parquet", "person_id INTEGER, day DATE", [(1, "2000-02-09")])
        connection.execute(
            "CREATE TEMP TABLE links AS SELECT CAST(i AS VARCHAR) AS key, i AS person FROM range(4) r(i)"
        )
        visit = OpenTable(database.tables["visit"], days, days.columns, {})
        for unit in (replace(cut, untreated=read), read):
            persons = OpenTable(database.tables["person"], unit, unit.columns, {})
            dated = with_distances(Engine(connection), database, visit, "links", persons, "links")
            origins, col = dated.origins["day"]
            found = connection.execute(f'SELECT person, CAST(origin AS VARCHAR) FROM "{origins}"').fetchall()
            assert sorted(found) == rows and col.type == "DATE"
            assert dated.source.column("day").type == "BIGINT"
        texts = a_table(connection, "no_days", "csv", "person_id INTEGER, born VARCHAR", [(1, "in May")])
        persons = OpenTable(database.tables["person"], replace(cut, untreated=texts), cut.columns, {})
        with pytest.raises(ConfigurationError, match="1 texts that do not begin with a date"):
            with_distances(Engine(connection), database, visit, "links", persons, "links")


@pytest.mark.parametrize("only_texts", [False, True])
def test_rows_of_joined_tables_are_made_anew_of_released_values(only_texts: bool) -> None:
    """Shared ones are those of the same values, others those of released persons with their keys; none is as it was."""
    region = {"quasi_identifiers": {"region": {"builtin": "suppress"}}}
    tables = {
        "person": {"quasi_identifiers": {"sex": {"builtin": "suppress"}}},
        "place": {"via": "place_id", **region},
        "origin": {"via": "person_id", "quasi_identifiers": {"town": {"builtin": "suppress"}}, "insensitive": ["note"]},
    }
    database = loaded(tables=tables, privacy={"k": 2})
    with shared() as connection:
        persons = [(1, 7, "f"), (2, 7, "f"), (3, 8, "m"), (4, 8, "m")]
        person = a_table(connection, "p", "parquet", "person_id INTEGER, place_id INTEGER, sex VARCHAR", persons)
        place = a_table(connection, "l", "parquet", "place_id INTEGER, region VARCHAR", [(7, "north"), (8, "south")])
        rows = [(1, "x", "n1"), (4, "y", "n4")]
        origin = a_table(connection, "o", "parquet", "person_id INTEGER, town VARCHAR, note VARCHAR", rows)
        columns = "person_id VARCHAR, sex VARCHAR, region VARCHAR, town VARCHAR"
        labels = [("1", "f", "", "*"), ("2", "f", None, "*"), ("3", "f", "", "*")]
        release = a_table(connection, "r", "parquet", columns, labels)
        names = ("person_id", "sex", "place.region", "origin.town")
        held = (replace(col, name=name) for col, name in zip(release.columns, names, strict=True))
        release = replace(release, columns=tuple(held))
        sources = {"person": person, "place": place, "origin": origin}
        opened_tables = {
            name: OpenTable(database.tables[name], source, source.columns, {}) for name, source in sources.items()
        }
        joined = JoinedTables(Engine(connection), database, opened_tables, only_texts=only_texts)
        connection.execute(
            "CREATE TEMP TABLE who AS SELECT i::VARCHAR AS key, i < 4 AS is_released FROM range(1, 5) r(i)"
        )
        counts = joined.released(release, "who")
        assert counts == {
            "place": {"source": 2, "orphans": 0, "suppressed": 0},
            "origin": {"source": 2, "orphans": 0, "suppressed": 1},
        }
        made = {name: connection.execute(joined.tables[name].linked().sql("duckdb")).fetchall() for name in counts}
        regions = [None] if only_texts else ["", None]
        assert sorted((row[1] for row in made["place"]), key=str) == regions
        assert sorted(made["origin"], key=str) == [("1", "*", "n1"), ("2", "*", None), ("3", "*", None)]
        connection.execute("INSERT INTO l VALUES (7, 'north')")
        with pytest.raises(ConfigurationError, match="2 persons have several rows in 'place' by 'place_id'"):
            joined._read(joined.tables["place"], person)
        connection.execute("DELETE FROM p WHERE person_id = 1")
        with pytest.raises(ConfigurationError, match="1 person has several rows in 'place' by 'place_id'"):
            joined._read(joined.tables["place"], person)
