"""Ends that are found for a share of the rows, and the bounds of the numbers that are treated, by hand."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction

import pytest
from sqlglot import exp

from kanon_sql.errors import UnfittingSourceError
from kanon_sql.settings.treatments import FoundEnd, TreatmentConfig
from kanon_sql.source.duckdb import DuckDB
from kanon_sql.source.model import Column, Source
from kanon_sql.source.reading import Reading
from kanon_sql.source.treatments.exact import bounds_of, decimals_of, exact, numeral
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
