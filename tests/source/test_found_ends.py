"""Ends that are found for a share of the rows, and the bounds of the numbers that are treated, by hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from sqlglot import exp

from kanon_sql.config.load import from_mapping
from kanon_sql.errors import UnfittingSourceError
from kanon_sql.settings.treatments import FoundEnd, TreatmentConfig
from kanon_sql.source.duckdb import DuckDB
from kanon_sql.source.model import Column, Source
from kanon_sql.source.reading import Reading
from kanon_sql.source.treatments.applying import treated_column, treated_rows
from kanon_sql.source.treatments.ends import note_shown_ends
from kanon_sql.source.treatments.exact import bounds_of, decimals_of, exact, numeral
from kanon_sql.source.treatments.keys import KeysBound
from kanon_sql.source.treatments.numbers import Bottom, Top
from kanon_sql.source.treatments.pseudonym import Pseudonym
from kanon_sql.source.treatments.treatment import TreatedColumn
from kanon_sql.sql.connection import Engine, EngineOptions, open_engine
from kanon_sql.sql.dialects import find_dialect

NUMBER, PERSON = Column("v", "v", "INTEGER"), Column("who", "w", "VARCHAR")


@pytest.fixture(name="engine", scope="module")
def an_engine() -> Iterator[Engine]:
    with open_engine(EngineOptions(threads=1)) as engine:
        yield engine


def ends_of(
    engine: Engine, rows: list[tuple[int | None, str]], k: int, *, persons: bool = False, **shares: str
) -> list[int]:
    """The ends of a column, bottom before top."""
    engine.run("CREATE OR REPLACE TEMP TABLE given (v INTEGER, w VARCHAR)")
    engine.connection.executemany("INSERT INTO given VALUES (?, ?)", rows)
    relation = exp.select("v", "w").from_("given")
    source = Source("duckdb", relation, (NUMBER, PERSON), (), True, "given", DuckDB(engine))
    config = TreatmentConfig.model_validate(shares)
    for treatment in (Bottom(), Top()):
        if treatment.key in shares:
            entity = PERSON if persons else None
            config = treatment.settle(TreatedColumn(source, NUMBER, config, k, "here", entity, find_dialect("duckdb")))
    return [int(end) for end in (config.bottom, config.top) if isinstance(end, Decimal)]


def test_a_share_is_of_rows_and_k_of_rows_and_persons(engine: Engine) -> None:
    rows: list[tuple[int | None, str]] = [*[(0, "a")] * 5, (10, "b"), (20, "c"), (30, "d"), (40, "e"), (50, "f")]
    assert ends_of(engine, rows, 2, bottom="45%") == [0]
    assert ends_of(engine, rows, 2, bottom="45%", persons=True) == [10]
    assert ends_of(engine, rows, 4, bottom="10%", persons=True) == [30]
    assert ends_of(engine, rows, 2, top="30%") == [30]
    assert ends_of(engine, rows, 6, top="30%", persons=True) == [0]


def test_ends_that_meet_are_refused(engine: Engine) -> None:
    assert ends_of(engine, [(1, "a"), (2, "b"), (3, "c"), (4, "d")], 2, bottom="1%", top="1%") == [2, 3]
    with pytest.raises(UnfittingSourceError, match="would not be below its top"):
        ends_of(engine, [(1, "a"), (2, "b"), (3, "c")], 2, bottom="1%", top="1%")
    with pytest.raises(UnfittingSourceError, match="fewer than 3 rows have a number"):
        ends_of(engine, [(1, "a"), (2, "b"), (None, "c")], 3, bottom="1%")


@pytest.mark.parametrize(
    ("kind", "held", "shown"),
    [
        ("INTEGER", ["50", "50", "50", "7"], True),
        ("INTEGER", ["50", "50", "7", "7"], False),
        ("INTEGER", ["50-59", "50-59", "50-59"], False),
        ("DOUBLE", ["50.0", "50", "5e1"], True),
        ("VARCHAR", ["50", "50", "50"], True),
        ("VARCHAR", ["50", "50", "50.0"], False),
    ],
)
def test_an_end_is_shown_where_k_rows_of_a_release_hold_it(
    engine: Engine, kind: str, held: list[str], shown: bool
) -> None:
    """As a number of the column's type, though files hold texts; of texts the treatment writes one numeral."""
    engine.run("CREATE OR REPLACE TEMP TABLE released (v VARCHAR)")
    engine.connection.executemany("INSERT INTO released VALUES (?)", [(text,) for text in held])
    end = FoundEnd(Decimal(50), Fraction(1, 20))
    relation, number, text = exp.select("v").from_("released"), Column("v", "v", kind), Column("v", "v", "VARCHAR")
    config = {"v": TreatmentConfig.model_construct(top=end)}
    source = Source("duckdb", relation, (number,), (), True, "given", DuckDB(engine), treatments=config)
    released = Source("csv", relation, (text,), (), True, "released", DuckDB(engine))
    loaded = from_mapping({"source": "in.csv", "quasi_identifiers": {"q": {}}, "privacy": {"k": 3}})
    assert note_shown_ends(source, released, loaded) == {
        "v": {"top": {"value": 50.0 if shown else None, "share": 0.05}}
    }
    assert end.shown == shown


def test_a_report_tells_an_end_only_where_the_release_shows_it() -> None:
    for treatment in (Bottom(), Top()):
        end = FoundEnd(Decimal(77), Fraction(1, 20))
        config = TreatmentConfig.model_construct(top=end, bottom=end)
        assert treatment.describe(config) == {"value": None, "share": 0.05}
        end.shown = True
        assert treatment.describe(config) == {"value": 77.0, "share": 0.05}


@pytest.mark.parametrize(
    ("kind", "bounds"),
    [
        ("UTINYINT", (0, 255)),
        ("TINYINT", (-128, 127)),
        ("USMALLINT", (0, 65535)),
        ("DECIMAL(5, 2)", (Decimal("-999.99"), Decimal("999.99"))),
        ("DECIMAL(35, 0)", (-int("9" * 35), int("9" * 35))),
        ("DECIMAL(36, 0)", None),
        ("HUGEINT", None),
    ],
)
def test_bounds_of_a_type_are_its_least_and_greatest_numbers(kind: str, bounds: tuple[object, object] | None) -> None:
    assert bounds_of(Column("v", "v", kind)) == bounds


def test_numbers_of_more_digits_than_python_reckons_with_are_not_rounded() -> None:
    number = Decimal("123456789012345678901234567890.12345")
    assert (numeral(number), decimals_of(number)) == (str(number), 5)
    assert numeral(Decimal("1E+30")) == "1" + "0" * 30


def test_numbers_of_texts_have_eighteen_decimals_and_sixteen_more_than_a_unit() -> None:
    text = Column("v", "v", "VARCHAR", Reading("number"))
    units = ("1", "0.01", "0.001", "0.0000000000000000001")
    scales = [exact(text, find_dialect("duckdb"), Decimal(unit)).scale for unit in units]
    assert scales == [18, 18, 19, 34]


def test_the_ledger_keeps_no_word_of_a_pseudonym() -> None:
    def recorded(**words: str) -> dict[str, object]:
        return Pseudonym().recorded(TreatmentConfig.model_validate({"pseudonym": {"key": "0f" * 32, **words}}))

    kept = recorded(context="ward", prefix="P-")
    assert kept["context"] != recorded(context="wards", prefix="P-")["context"]
    assert not {"ward", "P-"} & set(map(str, kept.values()))
    assert (recorded()["context"], recorded()["prefix"]) == (None, None)
    alike = recorded(context="ward", prefix="ward")
    assert alike["context"] != alike["prefix"]


def test_behind_an_end_are_k_of_the_persons_that_k_counts(engine: Engine) -> None:
    relation = exp.select("v", "w").from_("given")
    source = Source("duckdb", relation, (NUMBER, PERSON), (), True, "given", DuckDB(engine))
    config = TreatmentConfig.model_validate({"top": "10%"})
    mapping: dict[str, object] = {
        "source": "in.csv",
        "quasi_identifiers": {"q": {}},
        "privacy": {"k": 3, "entity": "who"},
    }
    treated = treated_column(source, NUMBER, config, from_mapping(mapping), Top())
    assert (treated.entity, treated.k) == (PERSON, 3)
    mapping["privacy"] = {"k": 3}
    assert treated_column(source, NUMBER, config, from_mapping(mapping), Top()).entity is None


def test_texts_that_mean_missing_become_no_pseudonyms(engine: Engine) -> None:
    relation = exp.select("w").from_("(VALUES ('NA'), ('a'), (NULL)) AS given(w)")
    source = Source("csv", relation, (PERSON,), ("NA",), True, "given", DuckDB(engine))
    config = TreatmentConfig.model_validate({"pseudonym": {"key": "0f" * 32}})
    keys = KeysBound()
    rows = treated_rows(source, {"who": config}, relation, keys, find_dialect("duckdb"))
    texts = [row[0] for row in engine.run(rows, keys.values)]
    assert texts[0] == "NA" and texts[2] is None and len(texts[1]) == 32


@pytest.mark.parametrize(("reading", "alike"), [(None, {"NA", None, ""}), ("number", {"7", "7.0"})])
def test_rows_of_one_person_or_of_none_move_alike(engine: Engine, reading: Any, alike: set[str | None]) -> None:
    by = replace(PERSON, reading=None if reading is None else Reading(reading))
    texts = [*sorted(alike, key=str), "1", "2", "3"]
    listed = ", ".join(
        "(DATE '2024-01-01', NULL)" if text is None else f"(DATE '2024-01-01', '{text}')" for text in texts
    )
    relation = exp.select("d", "w").from_(f"(VALUES {listed}) AS given(d, w)")
    columns = (Column("day", "d", "DATE"), by)
    source = Source("csv", relation, columns, ("NA", ""), True, "given", DuckDB(engine))
    config = TreatmentConfig.model_validate({"shift": {"days": 36_525, "by": "who", "key": "0f" * 32}})
    keys = KeysBound()
    rows = engine.run(treated_rows(source, {"day": config}, relation, keys, find_dialect("duckdb")), keys.values)
    days = [row[0] for row in rows]
    assert len(set(days[: len(alike)])) == 1
    assert len(set(days)) == 4
