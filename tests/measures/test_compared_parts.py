"""What populations and treated columns are compared by: which values are refused, left out or told, without a run."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from shared_engine import insert, shared
from sqlglot import exp

from kanon_sql.config.load import from_mapping
from kanon_sql.config.model import QuasiIdentifier
from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.measures.risk import population
from kanon_sql.measures.risk.population import _refuse_lost, _uncovered, open_population, unmatched
from kanon_sql.measures.utility import measure
from kanon_sql.measures.utility.compared import _before
from kanon_sql.source.model import Column, Source
from kanon_sql.sql.connection import Engine


@pytest.mark.parametrize(
    ("kind", "own", "values", "lost"),
    [
        ("DOUBLE", "INTEGER", [2.0, None, 3.0], 0),
        ("DOUBLE", "INTEGER", [2.0, 1.5, 1.5, None], 1),
        ("VARCHAR", "INTEGER", ["1", "NA", None, "02"], 0),
        ("VARCHAR", "INTEGER", ["1", "x", "x", "y"], 2),
        ("DOUBLE", "VARCHAR", [1.5], 0),
    ],
)
def test_values_of_a_population_are_refused_that_the_type_of_the_table_does_not_hold(
    kind: str, own: str, values: list[Any], lost: int
) -> None:
    """A number that is rounded to another would be the value of other persons."""
    with shared() as connection:
        connection.execute(f"CREATE TEMP TABLE everyone (a {kind})")
        insert(connection, "everyone", [(value,) for value in values])
        held = Column("a", "a", kind)
        source = Source("parquet", exp.select("a").from_("everyone"), (held,), ("NA",), True, "p", cast("Any", None))
        table = cast("Any", SimpleNamespace(quasi_identifiers=[Column("a", "a", own)], label="the table"))
        if not lost:
            _refuse_lost(Engine(connection), source, [held], table)
            return
        with pytest.raises(EngineError, match=f"holds {lost} distinct values that are no INTEGER"):
            _refuse_lost(Engine(connection), source, [held], table)


def test_every_person_beyond_a_hierarchy_is_told() -> None:
    table = cast("Any", SimpleNamespace(names=["a", "b", "c"]))
    mappings = cast("Any", [SimpleNamespace(height=1), SimpleNamespace(height=0), None])
    for persons in (0, 1, 4):
        engine = cast("Any", SimpleNamespace(query=lambda *_, persons=persons, **__: [(persons,)]))
        warnings = _uncovered(engine, table, mappings)
        assert [text.split(" values of ")[0] for text in warnings] == (
            [f"{persons} rows of the population hold"] if persons else []
        )


def test_ranges_and_sets_are_not_matched_with_a_population() -> None:
    columns = {"a": None, "b": {"builtin": "suppress"}, "c": {"hierarchy": "c.csv"}}
    config = {"source": "a.csv", "quasi_identifiers": columns, "privacy": {"k": 2}}
    assert unmatched(from_mapping({**config, "algorithm": "mondrian"})) == ["a"]
    levels = {**config, "quasi_identifiers": {name: spec for name, spec in columns.items() if spec}}
    assert unmatched(from_mapping({**levels, "algorithm": "optimal"})) == []


def test_treated_values_are_compared_with_those_before_where_their_hierarchy_knows_these() -> None:
    treated, before = Column("a", "a", "VARCHAR"), Column("a", "before", "VARCHAR")
    source = cast("Any", SimpleNamespace(before={"a": before}))
    for spec, hierarchy, compared in (
        (QuasiIdentifier(builtin="suppress"), None, before),
        (QuasiIdentifier(builtin="nace"), None, None),
        (QuasiIdentifier(hierarchy="a.csv"), "the hierarchy", None),
        (None, None, before),
    ):
        hierarchies = {"a": (spec, hierarchy)} if spec is not None else {}
        subject = cast("Any", SimpleNamespace(hierarchies=hierarchies))
        assert _before(subject, source, treated) == compared
    assert _before(subject, source, Column("b", "b", "VARCHAR")) is None


def test_it_is_told_which_values_a_column_with_treatments_was_compared_by(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("make_runs", "make_bins", "make_label_bins"):
        monkeypatch.setattr(measure, name, lambda *_, **__: None)
    monkeypatch.setattr(measure, "measure_column", lambda *_, **__: {})
    reader = SimpleNamespace(treated={"a", "b"})
    measuring = measure._Measuring(*cast("Any", (SimpleNamespace(engine=None), reader, None, [])))
    for index, (name, column) in enumerate((("a", None), ("b", "b"), ("c", None))):
        compared = SimpleNamespace(name=name, index=index, treated=column)
        measuring._measure_column(cast("Any", compared), "text", many=False)
    told = {name: distance.get("compared_with") for name, distance in measuring.distances.items()}
    assert told == {"a": "treated", "b": "untreated", "c": None}


def test_a_population_has_every_quasi_identifier_and_the_words_for_missing_of_the_source(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loaded = from_mapping(
        {"source": "a.csv", "quasi_identifiers": ["a", "b"], "privacy": {"k": 2}, "algorithm": "mondrian"}
    )
    there, asked = [Column(name, name, "VARCHAR") for name in "ab"], list[Any]()

    def opened(_: object, described: Any, *__: object) -> Source:
        asked.append(described.missing)
        return Source("csv", exp.select("1"), tuple(there), (), True, "p", cast("Any", None))

    monkeypatch.setattr(population, "open_described", opened)
    for missing in (("NA",), ()):
        source = cast("Any", SimpleNamespace(missing=missing))
        assert open_population(cast("Any", None), loaded, Path("p.csv"), source).label == "p.csv"
    assert asked == [["NA"], None]
    there.pop()
    with pytest.raises(ConfigurationError, match="there is no column 'b'"):
        open_population(cast("Any", None), loaded, Path("p.csv"), source)
