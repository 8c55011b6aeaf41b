"""The steps of a run of a database, each by itself: what must be before a target is replaced, and in what order."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import duckdb
import pytest
from shared_engine import shared
from sqlglot import exp

from kanon_sql.commands.database import held_counts
from kanon_sql.commands.database import run as steps
from kanon_sql.commands.database.held_counts import lists_hold
from kanon_sql.commands.database.run import _Job
from kanon_sql.commands.database.tables import OpenTable
from kanon_sql.config.database import LoadedDatabase, load_database
from kanon_sql.errors import EngineError, NoReleaseError, VerificationError, WarnedError
from kanon_sql.search.facts.levels import PERSONS
from kanon_sql.source.model import Column, Source
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import state

Json = dict[str, Any]


class Noted:
    """Does nothing but note what is called; what is in `fails` raises an EngineError there."""

    def __init__(self, calls: list[str], *fails: str, **held: Any) -> None:
        self.__dict__.update(held, calls=calls, fails=fails)

    def __getattr__(self, name: str) -> Any:
        def noted(*_: object, **__: object) -> Any:
            self.calls.append(name)
            if name in self.fails:
                raise EngineError(name)
            return f"the {name}"

        return noted


STEPS = ["open", "lock_down", "read", "search", "hold_models", "write"]


@pytest.mark.parametrize(
    ("call", "warnings", "fails", "ending"),
    [
        ({}, [], "", [*STEPS, "require_unchanged", "forget", "commit"]),
        ({}, ["look"], "", [*STEPS, "require_unchanged", "forget", "commit"]),
        ({"dry_run": True}, [], "", STEPS),
        ({"strict": True}, [], "", [*STEPS, "require_unchanged", "forget", "commit"]),
        ({"strict": True}, ["look"], "", STEPS),
        ({"strict": True, "dry_run": True}, ["look"], "", STEPS),
        ({}, [], "require_unchanged", [*STEPS, "require_unchanged"]),
        ({}, [], "hold_models", STEPS[:5]),
        ({}, [], "write", STEPS),
    ],
)
def test_a_target_is_replaced_when_all_was_counted_and_nothing_has_changed(
    call: Json, warnings: list[str], fails: str, ending: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    draft = SimpleNamespace(warnings=warnings, status="failed")
    asked = SimpleNamespace(**{"strict": False, "dry_run": False, **call})
    target, watch = Noted(calls, folder=lambda: Path("out")), Noted(calls, fails)
    sources = SimpleNamespace(places={"person": {"path": "person.csv"}})
    engine = SimpleNamespace(watch=watch)
    job = Noted(calls, fails, engine=engine, call=asked, draft=draft, target=target, source_tables=sources)
    monkeypatch.setattr(steps, "lock_down", Noted(calls).lock_down)
    refused: dict[bool, Any] = {True: pytest.raises((WarnedError, EngineError)), False: nullcontext()}
    with refused[bool(fails) or bool(call.get("strict") and warnings)]:
        steps._release(cast("Any", job), Path("folder"))
    assert calls == ending
    assert draft.status == ("released" if "commit" in ending else "dry-run" if call == {"dry_run": True} else "failed")


@pytest.mark.parametrize(
    ("problems", "violated", "fails", "raises"),
    [
        ([], {}, "", None),
        (["a class is too small"], {}, "", VerificationError),
        (["l of visit.result"], {"visit.result": "l of visit.result"}, "", NoReleaseError),
        (["l of visit.result", "a class"], {"visit.result": "l of visit.result"}, "", VerificationError),
        (["l of drug.name"], {"drug.name": "l of drug.name"}, "", VerificationError),
        ([], {}, "compare", EngineError),
    ],
)
def test_every_table_that_was_written_is_compared_and_counted(
    problems: list[str], violated: dict[str, str], fails: str, raises: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows that went with suppressed facts may take values with them: then there is no release that could be."""
    calls: list[str] = []
    columns = (Column("a", "a", "VARCHAR"),)
    tables = {name: SimpleNamespace(name=name, columns=columns, source=None) for name in ("person", "visit", "drug")}
    rows = Noted(calls, keys_at_home={})

    class Target(Noted):
        def written(self, _: object, names: list[str]) -> dict[str, str]:
            return {name: f"written {name}" for name in names}

        def compare(self, _: object, name: str, source: str) -> None:
            assert source == f"written {name}"
            calls.append(f"compare {name}")
            if self.fails == ("compare",) and name == "drug":
                raise EngineError("other rows")

    job = _Job.__new__(_Job)
    held = {name: SimpleNamespace(table=name.partition(".")[0]) for name in ("visit.result", "drug.name")}
    job.loaded = cast("Any", SimpleNamespace(unit=SimpleNamespace(held=held), name="c"))
    job.call = cast("Any", SimpleNamespace(step=lambda *_: nullcontext()))
    job.tables, job.facts, job.result, job.joined = cast("Any", (tables, {"visit": "facts"}, None, None))
    job.engine, job.unit_release = cast("Any", (SimpleNamespace(progress=None), "persons"))
    job.draft, job.target = cast("Any", (SimpleNamespace(warnings=[]), Target(calls, fails, warnings=["told"])))
    monkeypatch.setattr(job, "_note", lambda recount: calls.append("note"))
    monkeypatch.setattr(job, "_loses_rows", lambda table: table.name == "visit")
    monkeypatch.setattr(steps, "ReleasedRows", lambda *_: rows)
    monkeypatch.setattr(steps, "recount_tables", lambda *_: SimpleNamespace(problems=problems, violated=violated))
    with pytest.raises(raises) if raises else nullcontext():
        job.write()
    compared = [call for call in calls if call.startswith("compare")]
    assert compared == [f"compare {name}" for name in tables]
    assert calls[0] == "make_keys" and calls[1:7] == ["of", "write"] * 3
    assert ("note" in calls) is (raises is None) and job.draft.warnings == ["told"]


TABLES: Json = {
    "person": {"quasi_identifiers": {"sex": {"builtin": "suppress"}}},
    "visit": {"link": "person_id", "facts": {"kind": {}}, "sensitive": ["result", "place"]},
}


def loaded(known: str, **privacy: Any) -> LoadedDatabase:
    config: Json = {"source": "somewhere", "unit": {"table": "person", "key": "person_id"}, "tables": TABLES}
    return load_database({**config, "privacy": {"k": 2, "facts": {"known": 1, "with": known}, **privacy}})


@contextmanager
def persons(columns: str, rows: list[Any]) -> Iterator[tuple[duckdb.DuckDBPyConnection, Source]]:
    """A temporary table of persons as a source, on a connection of its own."""
    with shared() as connection:
        connection.execute(f"CREATE OR REPLACE TEMP TABLE people ({columns})")
        connection.executemany(f"INSERT INTO people VALUES ({', '.join('?' * len(rows[0]))})", rows)
        names = [column.split() for column in columns.split(", ")]
        held = tuple(Column(name, name, kind) for name, kind in names)
        relation = exp.select(*(exp.column(name) for name, _ in names)).from_("people")
        yield connection, Source("parquet", relation, held, (), True, "people", cast("Any", None))


@pytest.mark.parametrize(("known", "classes"), [("nothing", 1), ("quasi_identifiers", 2)])
def test_facts_are_known_with_quasi_identifiers_or_alone(known: str, classes: int) -> None:
    rows = [(1, "f"), (2, "m"), (3, "f"), (4, "f")]
    with persons("person_id INTEGER, sex VARCHAR", rows) as (connection, source):
        job = _Job.__new__(_Job)
        job.loaded, job.engine = loaded(known), Engine(connection)
        job.tables = {"person": OpenTable(job.loaded.tables["person"], source, source.columns, {})}
        job.unit_release = replace(source, relation=source.relation.copy().where("person_id < 4"))
        job.draft = cast("Any", SimpleNamespace())
        job._read_persons()
        assert job.draft.persons == {"source": 4, "suppressed": 1, "released": 3}
        table = f'"{state(PERSONS)}"'
        counted = f"SELECT count(DISTINCT class), bool_and(is_released = (key <> '4')), count(class) FROM {table}"
        assert connection.execute(counted).fetchall() == [(classes, True, 3)]
        job.unit_release = replace(source, relation=source.relation.copy().where("person_id < 2"))
        with pytest.raises(NoReleaseError, match="there are fewer than k = 2 persons to release"):
            job._read_persons()


@pytest.mark.parametrize(
    ("violating", "holds"), [([0, 0, 0], True), ([1, 0, 0], False), ([0, 1, 0], False), ([0, 0, 1], False)]
)
def test_lists_hold_where_every_model_of_every_column_does(
    violating: list[int], holds: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two models of one column and one of another none may be violated."""
    models = [
        {"column": name, "l": 2, **more}
        for name, more in (("visit.result", {}), ("visit.result", {"variant": "entropy"}), ("visit.place", {}))
    ]
    database = loaded("nothing", l_diversity=models)
    counts = iter([violating[:2], violating[2:]])

    def counted(*_: object) -> Any:
        return SimpleNamespace(models=[SimpleNamespace(violating_classes=number) for number in next(counts)])

    monkeypatch.setattr(held_counts, "count_classes", counted)
    with persons("person_id INTEGER, sex VARCHAR", [(1, "f")]) as (_, source):
        table = OpenTable(database.tables["person"], source, source.columns, {})
        lists = {"visit.result": "list_0", "visit.place": "list_1"}
        assert lists_hold(cast("Any", None), database, {"person": table}, source, lists) is holds
