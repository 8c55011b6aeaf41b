"""Parts of a run of a database by themselves: whose rows may go, who takes part, what a value is, who tells persons."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import duckdb
import pytest
from shared_engine import shared
from sqlglot import exp

from kanon_sql.commands.database.held import held_value
from kanon_sql.commands.database.held_counts import _taking_part, _with_values
from kanon_sql.commands.database.keys import _losses
from kanon_sql.commands.database.tables import OpenTable, tells_persons
from kanon_sql.config.database import LoadedDatabase, load_database
from kanon_sql.config.database_held import HeldColumn
from kanon_sql.source.model import Column, Source
from kanon_sql.source.reading import Reading

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
