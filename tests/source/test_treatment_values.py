"""What each treatment makes of a value, and what it takes for one that it left: against plain Python, without a run."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_EVEN, Decimal
from functools import cache
from itertools import combinations
from typing import Any, cast

import duckdb
import pytest
from pydantic import ValidationError
from sqlglot import ErrorLevel, exp

from kanon_sql.settings.treatments import TreatmentConfig
from kanon_sql.source.model import Column, Source
from kanon_sql.source.reading import Reading
from kanon_sql.source.treatments.keys import KeysBound, KeySource, KeysOutside, keyed_digits
from kanon_sql.source.treatments.registry import TREATMENTS, treatments_of
from kanon_sql.source.treatments.treatment import TreatedValue, Treatment
from kanon_sql.sql.dialects import DIALECTS, find_dialect

DUCKDB = find_dialect("duckdb")
KEY = "0f" * 32
ENTITY = Column("who", "w", "VARCHAR")


def column_of(kind: str, reading: Any = None) -> Column:
    return Column("v", "v", kind, None if reading is None else Reading(reading))


@cache
def engine() -> duckdb.DuckDBPyConnection:
    """An engine for all tests of this module, in a place whose clocks are changed twice a year."""
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'Europe/Berlin'")
    return connection


def evaluated(
    expression: exp.Expr, kind: str, values: Sequence[Any], keys: KeysBound | None = None, who: Sequence[str] = ("",)
) -> list[Any]:
    """What an expression is for each value of the column `v` of a type, and for each of `who` in the column `w`."""
    given = "SELECT v, w FROM (SELECT unnest($1) AS w), (SELECT unnest($2)::VARCHAR::{} AS v)"
    texts = [None if value is None else str(value) for value in values]
    engine().execute(f"CREATE OR REPLACE TEMP TABLE t AS {given.format(kind)}", [list(who), texts])
    statement = exp.select(expression).from_("t").sql("duckdb")
    return [row[0] for row in engine().execute(statement, keys.values if keys else {}).fetchall()]


def cell(column: Column, config: TreatmentConfig, keys: KeySource | None = None) -> TreatedValue:
    value = exp.column("v")
    others = {"who": (ENTITY, exp.column("w"))}
    return TreatedValue(value, value, column, config, DUCKDB, keys or KeysBound(), (), others)


def treated(column: Column, config: dict[str, Any], values: Sequence[Any], who: Sequence[str] = ("",)) -> list[Any]:
    """The values of a column after the only treatment of a configuration; those of each of `who` after another."""
    settings, keys = TreatmentConfig.model_validate(config), KeysBound()
    (treatment,) = treatments_of(settings)
    value = treatment.value(cell(column, settings, keys))
    return evaluated(value, column.type, values, keys, who)


def left(column: Column, config: dict[str, Any], values: Sequence[Any]) -> list[bool]:
    """Whether the treatment takes values for such as it leaves."""
    settings = TreatmentConfig.model_validate(config)
    (treatment,) = treatments_of(settings)
    holds = treatment.holds(exp.column("v"), column, settings, DUCKDB)
    assert holds is not None
    return evaluated(holds, column.type, values)


def refused(column: Column, config: dict[str, Any], values: Sequence[Any]) -> list[bool]:
    """Whether the treatment cannot treat values."""
    settings = TreatmentConfig.model_validate(config)
    (treatment,) = treatments_of(settings)
    outside = treatment.outside(cell(column, settings))
    return evaluated(outside or exp.false(), column.type, values)


def nearest(value: Decimal, unit: Decimal) -> Decimal:
    """The nearest multiple of a unit; of two as near the even one."""
    return (value / unit).to_integral_value(ROUND_HALF_EVEN) * unit


EIGHTHS = [Decimal(i) / 8 for i in range(-41, 42)]


@pytest.mark.parametrize(
    ("kind", "reading", "values", "units"),
    [
        ("INTEGER", None, [Decimal(i) for i in range(-31, 32)], ["1", "2", "3", "5", "10"]),
        ("DECIMAL(9, 3)", None, EIGHTHS, ["1", "0.5", "0.25", "2", "0.001"]),
        ("DOUBLE", None, EIGHTHS, ["1", "0.5", "0.25", "2", "0.1"]),
        ("VARCHAR", "number", EIGHTHS, ["1", "0.5", "0.25", "2", "0.1"]),
    ],
)
def test_numbers_become_the_nearest_multiple_and_of_two_the_even_one(
    kind: str, reading: str | None, values: list[Decimal], units: list[str]
) -> None:
    column = column_of(kind, reading)
    given = [f"{value:f}" if kind == "VARCHAR" else value for value in values]
    for unit in units:
        rounded = treated(column, {"round": unit}, given)
        wanted = [nearest(value, Decimal(unit)) for value in values]
        assert [Decimal(str(value)) for value in rounded] == wanted, unit
        multiples = [value % Decimal(unit) == 0 for value in values]
        assert left(column, {"round": unit}, given) == multiples, unit


def test_a_text_is_rounded_to_a_plain_numeral() -> None:
    texts = ["-0.4", "-0.05", "0.25", "100", "1.96", "-12.5", "0.0"]
    rounded = ["-0.4", "0", "0.2", "100", "2", "-12.5", "0"]
    assert treated(column_of("VARCHAR", "number"), {"decimals": 1}, texts) == rounded


def test_decimals_are_counted_without_zeros_at_their_end() -> None:
    column, given = column_of("DECIMAL(9, 3)"), ["1.25", "1.2", "1.200", "1", "0.05", "-0.1"]
    assert left(column, {"decimals": 1}, given) == [False, True, True, True, False, True]
    assert left(column, {"decimals": 2}, [*given, "0.125"]) == [True] * 6 + [False]


@pytest.mark.parametrize(("kind", "reading"), [("INTEGER", None), ("DOUBLE", None), ("VARCHAR", "number")])
def test_numbers_beyond_an_end_become_it_and_those_at_it_stay(kind: str, reading: str | None) -> None:
    column, given = column_of(kind, reading), ["17", "18", "19", "-20"]
    assert [float(value) for value in treated(column, {"bottom": 18}, given)] == [18, 18, 19, 18]
    assert [float(value) for value in treated(column, {"top": 18}, given)] == [17, 18, 18, -20]
    assert left(column, {"bottom": 18}, given) == [False, True, True, False]
    assert left(column, {"top": 18}, given) == [True, True, False, True]


def test_numbers_that_would_leave_their_type_are_refused() -> None:
    tiny = column_of("TINYINT")
    assert refused(tiny, {"round": 10}, [124, 125, 126, -124, -126, 127]) == [False, False, True, False, True, True]
    assert refused(column_of("DECIMAL(4, 1)"), {"round": 10}, ["994.9", "995", "995.1", "-995.1"]) == [
        *(False, True, True, True)
    ]
    assert refused(column_of("DOUBLE"), {"round": 1}, ["1e14", "1e15", "inf", "nan", "-1e15"]) == [False] + [True] * 4
    # Python alone would take the bounds of such a type for rounder numbers, which it does not hold.
    wide = column_of("DECIMAL(30, 0)")
    assert refused(wide, {"round": "10"}, ["9" * 30, "9" * 29 + "4", "-" + "9" * 30]) == [True, False, True]


@pytest.mark.parametrize(
    ("kind", "least", "greatest", "step"),
    [
        ("TINYINT", "-128", "127", "1"),
        ("UTINYINT", "0", "255", "1"),
        ("INTEGER", "-2147483648", "2147483647", "1"),
        ("UINTEGER", "0", "4294967295", "1"),
        ("DECIMAL(4, 1)", "-999.9", "999.9", "0.1"),
        # Such numbers are compared with no more digits than 36.
        ("DECIMAL(38, 30)", "-999999", "999999", "1"),
    ],
)
def test_an_end_may_be_any_number_that_the_type_holds_and_no_other(
    kind: str, least: str, greatest: str, step: str
) -> None:
    column, source = column_of(kind), cast(Source, None)
    for treatment in (end for end in TREATMENTS if end.key in ("bottom", "top")):
        for number, is_held in (
            *((Decimal(least), True), (Decimal(greatest), True), (Decimal(0), True)),
            *((Decimal(least) - Decimal(step), False), (Decimal(greatest) + Decimal(step), False)),
            (Decimal("1e-12") if kind == "DECIMAL(38, 30)" else Decimal(step) / 10, kind == "DECIMAL(38, 30)"),
        ):
            config = TreatmentConfig.model_validate({treatment.key: number})
            assert (treatment.problem(source, column, config) is None) is is_held, number
            if is_held:
                ((value, at_end),) = evaluated(
                    exp.Tuple(expressions=[treatment.value(cell(column, config)), exp.column("v")]), kind, [number]
                )
                assert value == at_end


def test_a_column_of_float_is_rounded_to_seven_digits_in_double() -> None:
    column, config = column_of("FLOAT"), {"round": "0.1"}
    rounded = treated(column, config, ["0.25", "0.35", "16777.2", "-1234.56", None])
    assert rounded == [0.2, 0.4, 16777.2, -1234.6, None]  # as a FLOAT 16777.2 would be 16777.19921875
    (treatment,) = treatments_of(TreatmentConfig.model_validate(config))
    assert treatment.becomes(column, TreatmentConfig.model_validate(config)).type == "DOUBLE"
    assert refused(column, config, ["9999999", "-9999999", "10000000", "-10000000", "inf", "nan"]) == [
        *(False, False, True, True, True, True)
    ]
    assert refused(column_of("DOUBLE"), config, ["99999999999999", "100000000000000"]) == [False, True]


def test_a_number_of_double_that_may_become_an_end_that_is_found_has_as_many_digits_as_are_compared() -> None:
    column, given = column_of("DOUBLE"), ["1e17", "1e18", "-1e18", "1e300"]
    assert refused(column, {"top": "10%"}, given) == [False, True, True, True]
    assert refused(column, {"top": 10}, given) == [False, False, False, True]


@pytest.mark.parametrize(
    ("decimal", "thousands", "texts"),
    [
        (",", None, ["17,5", "18,25", "18,5"]),
        (".", ",", ["1,7.5", "1,8.25", "1,8.5"]),
        (",", ".", ["17,5", "1.8,25", "18,5"]),
    ],
)
def test_numbers_with_other_marks_are_compared_with_an_end_and_are_what_they_are_read_as(
    decimal: str, thousands: str | None, texts: list[str]
) -> None:
    """What is not beyond the end is no text as it was written, whose marks the release does not have."""
    column = replace(column_of("VARCHAR"), reading=Reading("number", decimal=decimal, thousands=thousands))
    for key, wanted in (("top", ["read", "read", "18.25"]), ("bottom", ["18.25", "read", "read"])):
        settings = TreatmentConfig.model_validate({key: "18.25"})
        (treatment,) = treatments_of(settings)
        read = replace(cell(column, settings), value=exp.Literal.string("read"))
        assert evaluated(treatment.value(read), "VARCHAR", texts) == wanted
        plain = replace(read, column=column_of("VARCHAR", "number"))
        assert evaluated(treatment.value(plain), "VARCHAR", ["18.25"]) == ["18.25"]


@pytest.mark.parametrize("kind", ["DATE", "TIMESTAMP", "VARCHAR"])
def test_dates_are_cut_to_the_first_moment(kind: str) -> None:
    column = column_of(kind, "timestamp" if kind == "VARCHAR" else None)
    given = ["2024-05-17", "2024-05-01", "2024-01-01", "2023-12-31"]
    for unit, wanted in (
        ("day", given),
        ("month", ["2024-05-01", "2024-05-01", "2024-01-01", "2023-12-01"]),
        ("year", ["2024-01-01", "2024-01-01", "2024-01-01", "2023-01-01"]),
    ):
        assert [str(value)[:10] for value in treated(column, {"cut": unit}, given)] == wanted
        assert left(column, {"cut": unit}, given) == [day == first for day, first in zip(given, wanted, strict=True)]
    if kind != "DATE":
        assert left(column, {"cut": "day"}, ["2024-05-17 00:00:01", "2024-05-17 12:00:00"]) == [False, False]
        assert str(treated(column, {"cut": "day"}, ["2024-05-17 12:30:00"])[0]).removesuffix(" 00:00:00") == given[0]


def moved_by(who: str, days: int, *, weeks: bool = False) -> timedelta:
    """By how much the dates of an entity move (docs/treatments.md), without SQL."""
    days_key = hmac.new(bytes.fromhex(KEY), b"kanon-sql shift", "sha256").digest()
    most = days // 7 if weeks else days
    drawn = int(hmac.new(days_key, who.encode(), "sha256").hexdigest()[:15], 16) % (2 * most + 1) - most
    return timedelta(drawn * (7 if weeks else 1))


WHO = [*"abcdefgh", ""]


@pytest.mark.parametrize("weeks", [False, True])
@pytest.mark.parametrize("kind", ["DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "VARCHAR"])
def test_a_moment_of_every_type_moves_by_as_many_days(kind: str, weeks: bool) -> None:
    column = column_of(kind, "timestamp" if kind == "VARCHAR" else None)
    config = {"shift": {"days": 200, "by": "who", "key": KEY, "weeks": weeks}}
    moments = treated(column, config, ["2024-02-28" if kind == "DATE" else "2024-02-28 13:05:09"], WHO)
    wanted = [datetime(2024, 2, 28, 13, 5, 9) + moved_by(who, 200, weeks=weeks) for who in WHO]
    assert [str(moment) for moment in moments] == [str(moment)[: 10 if kind == "DATE" else 19] for moment in wanted]


def test_a_moment_with_a_zone_moves_by_as_many_times_24_hours() -> None:
    column, settings = column_of("TIMESTAMP WITH TIME ZONE"), {"shift": {"days": 200, "by": "who", "key": KEY}}
    moments = treated(column, settings, ["2024-03-01 12:00:00+00"], WHO)  # some go across the change of the clocks
    start = datetime.fromisoformat("2024-03-01T12:00:00+00:00")
    assert [moment.timestamp() for moment in moments] == [(start + moved_by(who, 200)).timestamp() for who in WHO]
    assert len({moment.utcoffset() for moment in moments}) == 2


def test_days_are_drawn_from_both_ends_with_both_of_them() -> None:
    names = [str(number) for number in range(40)]
    for days, weeks, wanted in (
        (1, False, {"2024-01-07", "2024-01-08", "2024-01-09"}),
        (13, True, {"2024-01-01", "2024-01-08", "2024-01-15"}),
    ):
        config = {"shift": {"days": days, "by": "who", "key": KEY, "weeks": weeks}}
        assert {str(day) for day in treated(column_of("DATE"), config, ["2024-01-08"], names)} == wanted


def test_dates_that_could_move_beyond_the_ends_of_time_are_refused() -> None:
    config = {"shift": {"days": 5, "by": "who", "key": KEY}}
    given = ["0001-01-05", "0001-01-06", "9999-12-26", "9999-12-27"]
    for column in (column_of("DATE"), column_of("VARCHAR", "timestamp")):
        assert refused(column, config, given) == [True, False, False, True]


def test_a_pseudonym_is_as_long_as_asked_for_and_behind_its_prefix() -> None:
    for length in (8, 63, 64):
        config = {"pseudonym": {"key": KEY, "length": length, "prefix": "P.", "context": "c"}}
        wanted = hmac.new(bytes.fromhex(KEY), b"c\0x", "sha256").hexdigest()[:length]
        assert treated(column_of("VARCHAR"), config, ["x", None]) == [f"P.{wanted}", None]
        good = f"P.{wanted}"
        bad = [good + "0", "0" + good, good[:-1], "Q." + wanted, "Px" + wanted, good.upper(), good[:-1] + "g"]
        assert left(column_of("VARCHAR"), config, [good, *bad]) == [True] + [False] * 7


@pytest.mark.parametrize("size", [32, 63, 64, 65, 128])
def test_keys_around_the_length_of_a_block_are_those_of_hmac(size: int) -> None:
    key = bytes(range(1, size + 1))
    outside = KeysOutside({key.hex(): key.hex().upper()}, exp.Literal.string, DUCKDB)
    text = exp.Literal.string("ä")
    for shift in (False, True):
        used = hmac.new(key, b"kanon-sql shift", "sha256").digest() if shift else key
        bound = KeysBound()
        digits = [keyed_digits(text, b"c\0", keys.pads(key.hex(), shift=shift), DUCKDB) for keys in (bound, outside)]
        answer = engine().execute(exp.select(*digits).sql("duckdb"), bound.values).fetchall()
        assert answer == [(hmac.new(used, b"c\0\xc3\xa4", "sha256").hexdigest(),) * 2]


@pytest.mark.parametrize(
    ("shape", "text", "redacted"),
    [
        ("email", "to a.b+c@x-y.org, now", "to [email], now"),
        ("url", "see https://a.b/c?d and www.x.org", "see [url] and [url]"),
        ("phone", "call +49 30 1234567 or 0301234567", "call [phone] or [phone]"),
        ("date", "on 3.4.2021, 2021-4-3 and 5 May 2020", "on [date], [date] and [date]"),
        ("iban", "DE02 1203 0000 0000 2020 51", "[iban]"),
        ("ip", "from 10.0.0.1 and fe80::1", "from [ip] and [ip]"),
        ("card", "4111 1111 1111 1111", "[card]"),
        ("name", "met Anna Maria Berg today", "met [name] today"),
        ("name", "met Anna  Maria   Berg today", "met [name] today"),
        ("id", "file 12345 of A-99999x", "file [id] of [id]"),
    ],
)
def test_every_place_of_a_shape_is_replaced(shape: str, text: str, redacted: str) -> None:
    column, config = column_of("VARCHAR"), {"redact": [shape]}
    assert treated(column, config, [f"{text} | {text}"]) == [f"{redacted} | {redacted}"]
    assert left(column, config, [text, redacted, f"{redacted}\n"]) == [False, True, True]


@pytest.mark.parametrize(("top", "is_taken"), [("49%", True), ("50%", False), ("51%", False)])
def test_an_end_may_change_fewer_than_half_of_the_rows(top: str, is_taken: bool) -> None:
    with nullcontext() if is_taken else pytest.raises(ValidationError):
        TreatmentConfig.model_validate({"top": top})


# Of each treatment values of a column, a configuration, and what plain Python makes of a value: none is without.
ORACLES: dict[str, tuple[Column, list[Any], dict[str, Any], Callable[[Any], Any]]] = {
    "round": (column_of("DECIMAL(9,3)"), EIGHTHS, {"round": "0.5"}, lambda value: nearest(value, Decimal("0.5"))),
    "decimals": (column_of("DECIMAL(9,3)"), EIGHTHS, {"decimals": 1}, lambda value: nearest(value, Decimal("0.1"))),
    "bottom": (column_of("DECIMAL(9,3)"), EIGHTHS, {"bottom": -2}, lambda value: max(value, Decimal(-2))),
    "top": (column_of("DECIMAL(9,3)"), EIGHTHS, {"top": 2}, lambda value: min(value, Decimal(2))),
    "cut": (
        *(column_of("DATE"), [date(2020, 2, 29), date(1999, 12, 31)], {"cut": "month"}),
        lambda value: value.replace(day=1),
    ),
    "shift": (
        *(column_of("DATE"), [date(2020, 2, 29), date(1999, 12, 31)]),
        *({"shift": {"days": 9, "by": "who", "key": KEY}}, lambda value: value + moved_by("", 9)),
    ),
    "redact": (
        *(column_of("VARCHAR"), ["to a.b@x.org", "12 @ 3"], {"redact": ["email"]}),
        lambda value: " ".join("[email]" if "@x" in word else word for word in value.split(" ")),
    ),
    "pseudonym": (
        *(column_of("VARCHAR"), ["x", "\u00e4"], {"pseudonym": {"key": KEY, "length": 9}}),
        lambda value: hmac.new(bytes.fromhex(KEY), b"\0" + value.encode(), "sha256").hexdigest()[:9],
    ),
}

# The treatments that a column may have together; every other pair is refused.
TOGETHER = {
    frozenset(pair)
    for pair in (
        *(("round", "bottom"), ("round", "top"), ("decimals", "bottom"), ("decimals", "top"), ("bottom", "top")),
        ("cut", "shift"),
    )
}


def test_every_treatment_has_an_independent_oracle() -> None:
    assert set(ORACLES) == {treatment.key for treatment in TREATMENTS} == set(TreatmentConfig.model_fields)


@pytest.mark.parametrize("key", ORACLES)
def test_a_treatment_is_what_its_oracle_says(key: str) -> None:
    column, values, config, oracle = ORACLES[key]
    assert treated(column, config, [*values, None]) == [*map(oracle, values), None]
    if key != "shift":  # which may leave any date
        assert all(left(column, config, list(map(oracle, values))))


@pytest.mark.parametrize("pair", [*combinations(ORACLES, 2)], ids=" and ".join)
def test_two_treatments_of_a_column_go_together_or_are_refused(pair: tuple[str, str]) -> None:
    config = {**ORACLES[pair[0]][2], **ORACLES[pair[1]][2]}
    with nullcontext() if frozenset(pair) in TOGETHER else pytest.raises(ValidationError, match="keep one of the two"):
        assert len(list(treatments_of(TreatmentConfig.model_validate(config)))) == 2


@pytest.mark.parametrize("treatment", TREATMENTS, ids=lambda treatment: treatment.key)
def test_a_treatment_is_sql_of_every_dialect_that_it_declares(treatment: Treatment) -> None:
    column, _, config, _ = ORACLES[treatment.key]
    settings = TreatmentConfig.model_validate(config)
    assert {"duckdb"} <= set(treatment.dialects) <= set(DIALECTS)
    for name in treatment.dialects:
        keys = KeysOutside({KEY: KEY}, exp.Literal.string, DIALECTS[name])
        value = treatment.value(replace(cell(column, settings, keys), dialect=DIALECTS[name]))
        holds = treatment.holds(exp.column("v"), column, settings, DIALECTS[name])
        assert all(
            expression.sql(name, unsupported_level=ErrorLevel.RAISE) for expression in (value, holds) if expression
        )
