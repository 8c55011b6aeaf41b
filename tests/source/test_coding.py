"""`transform`: numbers rounded and coded, dates cut and texts redacted, against plain Python."""

from __future__ import annotations

import csv
import random
import re
from collections.abc import Iterable
from datetime import date, timedelta
from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest
from effort import tries
from hypothesis import given, settings
from hypothesis import strategies as st
from shared_engine import attached, insert
from sqlglot import exp
from table_files import write_csv

import kanon_sql
from kanon_sql.errors import ConfigurationError, VerificationError
from kanon_sql.settings.treatments import TreatmentConfig
from kanon_sql.source.model import Column
from kanon_sql.source.reading import Reading
from kanon_sql.source.treatments.keys import KeysBound
from kanon_sql.source.treatments.numbers import Bottom, Decimals, Round, Top
from kanon_sql.source.treatments.redact import Redact
from kanon_sql.source.treatments.treatment import TreatedValue, Treatment
from kanon_sql.sql.dialects import find_dialect
from kanon_sql.sql.template import column
from kanon_sql.sql.writing import write

Json = dict[str, Any]
DUCKDB = find_dialect("duckdb")
UNITS = [Decimal(text) for text in ("100", "3", "1", "0.5", "0.25", "0.1", "7.5", "0.001")]
TYPES = ["VARCHAR", "DOUBLE", "FLOAT", "DECIMAL(12,3)", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"]


def treated(treatment: Treatment, config: TreatmentConfig, kind: str, values: Iterable[Any]) -> list[tuple[Any, bool]]:
    """What becomes of values of a type, and whether that is what the treatment says that it leaves."""
    given_column = Column("a", "a", kind, Reading("number") if kind == "VARCHAR" and treatment.needs else None)
    cell = TreatedValue(column("a"), column("a"), given_column, config, DUCKDB, KeysBound(), (), {})
    left = treatment.holds(column("a"), treatment.becomes(given_column, config), config, DUCKDB)
    assert left is not None
    becomes = exp.select(column("i"), exp.alias_(treatment.value(cell), "a", quoted=True)).from_("given")
    judged = exp.select(column("a"), left).from_(becomes.subquery("made")).order_by(column("i"))
    rows = f"WITH given AS (SELECT unnest(range(len($1))) AS i, unnest(CAST($1 AS {kind}[])) AS a) "
    return duckdb.execute(rows + write(judged, DUCKDB), [list(values)]).fetchall()


def nearest(number: Decimal, unit: Decimal) -> Decimal:
    return (number / unit).quantize(Decimal(1), rounding=ROUND_HALF_EVEN) * unit


def as_value(number: Decimal, kind: str) -> Any:
    if kind == "VARCHAR":
        return format(number, "f")
    return float(number) if kind in ("DOUBLE", "FLOAT") else number if "DEC" in kind else int(number)


@st.composite
def numbers(draw: st.DrawFn) -> tuple[str, Decimal, list[Decimal]]:
    """A type, a unit that it can hold multiples of, and numbers of it, many of them in the middle of two."""
    kind, unit = draw(st.sampled_from(TYPES)), draw(st.sampled_from(UNITS))
    decimals = 0 if kind.endswith("INT") or kind == "INTEGER" else 2 if kind == "FLOAT" else 3
    most = 30_000 if kind == "SMALLINT" else 10_000
    if decimals == 0 and unit not in (100, 3, 1, Decimal("0.5"), Decimal("0.25")):
        unit = Decimal(10)
    any_number = st.integers(-most, most).map(Decimal)
    with_decimals = st.integers(-(10**6), 10**6).map(lambda whole: Decimal(whole) / 10**decimals)
    middles = st.integers(-60, 60).map(lambda whole: (2 * whole + 1) * unit / 2)
    drawn_numbers = draw(st.lists(st.one_of(any_number, with_decimals, middles), min_size=1, max_size=30))
    return (
        kind,
        unit,
        [number.quantize(Decimal(1).scaleb(-decimals)) for number in drawn_numbers if abs(number) <= most],
    )


@pytest.mark.slow
@settings(max_examples=tries(40), deadline=None)
@given(numbers())
def test_numbers_are_rounded_half_to_even(drawn: tuple[str, Decimal, list[Decimal]]) -> None:
    kind, unit, given_numbers = drawn
    roundings: list[tuple[Treatment, TreatmentConfig]] = [(Round(), TreatmentConfig(round=unit))]
    exponent = unit.as_tuple().exponent
    if unit.as_tuple().digits == (1,) and isinstance(exponent, int):
        roundings.append((Decimals(), TreatmentConfig(decimals=-exponent)))
    for treatment, config in roundings:
        results = treated(treatment, config, kind, [as_value(number, kind) for number in given_numbers])
        expected = [nearest(number, unit) for number in given_numbers]
        assert [Decimal(str(value)) for value, _ in results] == expected
        assert all(holds for _, holds in results)
        if kind == "VARCHAR":
            assert [value for value, _ in results] == [
                format(number.normalize(), "f") if number else "0" for number in expected
            ]


@pytest.mark.slow
@settings(max_examples=tries(25), deadline=None)
@given(numbers(), st.integers(-50, 50))
def test_numbers_beyond_an_end_become_it(drawn: tuple[str, Decimal, list[Decimal]], times: int) -> None:
    kind, unit, given_numbers = drawn
    end = Decimal(times) * (unit if unit % 1 == 0 or kind in ("VARCHAR", "DOUBLE", "FLOAT", "DECIMAL(12,3)") else 1)
    values = [as_value(number, kind) for number in given_numbers]
    single = {"FLOAT": "FLOAT"}.get(kind, "DOUBLE")
    for treatment, config, ended in (
        (Bottom(), TreatmentConfig(bottom=end), max),
        (Top(), TreatmentConfig(top=end), min),
    ):
        results = treated(treatment, config, kind, values)
        assert all(holds for _, holds in results)
        for (value, _), before in zip(results, given_numbers, strict=True):
            expected: Any = ended(before, end)
            if kind in ("DOUBLE", "FLOAT"):
                row = duckdb.execute(f"SELECT CAST('{expected}' AS {single})").fetchall()[0]
                assert row is not None and value == row[0]
            else:
                assert Decimal(str(value)) == expected


def test_what_a_treatment_leaves_is_told_from_what_it_does_not() -> None:
    """A condition that holds for everything would count nothing."""
    cases: list[tuple[Treatment, TreatmentConfig, str, list[Any], list[bool]]] = [
        (Round(), TreatmentConfig(round=3), "INTEGER", [3, 4, -6, -7, 0], [True, False, True, False, True]),
        (Round(), TreatmentConfig(round=Decimal("0.5")), "VARCHAR", ["1.5", "1.25", "-2"], [True, False, True]),
        (Decimals(), TreatmentConfig(decimals=1), "DOUBLE", [1.5, 1.25, 1e-3], [True, False, False]),
        (Top(), TreatmentConfig(top=90), "VARCHAR", ["90", "90.1"], [True, False]),
        (Bottom(), TreatmentConfig(bottom=18), "DECIMAL(4,1)", [Decimal("17.9"), 18], [False, True]),
        (Redact(), TreatmentConfig(redact=["email", "phone"]), "VARCHAR", ["a@b.de", "a at b"], [False, True]),
    ]
    for treatment, config, kind, values, expected in cases:
        given_column = Column("a", "a", kind, Reading("number") if kind == "VARCHAR" and treatment.needs else None)
        left = treatment.holds(column("a"), given_column, config, DUCKDB)
        assert left is not None
        with attached() as connection:
            connection.execute(f"CREATE TABLE t (a {kind})")
            insert(connection, "t", [[value] for value in values])
            assert connection.execute(write(exp.select(left).from_("t"), DUCKDB)).fetchall() == [(e,) for e in expected]


PLAIN: Json = {
    "quasi_identifiers": {"sex": {"builtin": "suppress"}},
    "unlisted": "insensitive",
    "privacy": {"k": 5},
    "release": {"order": "none"},
}


def run(path: Path, transform: Json, **more: Any) -> tuple[list[Json], Json]:
    """(the released rows, the report)."""
    out = path.parent / "out.csv"
    config = {**PLAIN, "source": str(path), "target": {"path": str(out), "overwrite": True}, "transform": transform}
    report = kanon_sql.run({**config, **more}).report
    with out.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file)), report


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Costs as people write them, ages, births and notes."""
    draw = random.Random(7)
    costs = ["1.234,50", "7,25", "-0,05", "+3", "012,5", "-", "999"]
    rows = [
        [
            draw.choice("mf"),
            draw.choice(costs),
            draw.randrange(100),
            date(1950, 1, 1) + timedelta(draw.randrange(20_000)),
            draw.choice(["call 030 1234567", "mail a.b@c.de or Anna Berg", "", "nothing"]),
        ]
        for _ in range(200)
    ]
    return as_csv(tmp_path / "t.csv", ["sex", "cost", "age", "born", "note"], rows)


def as_csv(path: Path, names: list[str], rows: list[list[Any]]) -> Path:
    write_csv(path, [names, *rows])
    return path


def rows_of(path: Path) -> list[Json]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.slow
def test_columns_of_texts_are_treated_as_the_configuration_reads_them(table: Path) -> None:
    described = {
        "path": str(table),
        "missing": ["", "-", "999"],
        "columns": {"cost": {"decimal": ",", "thousands": "."}, "born": {"type": "date"}},
    }
    transform = {
        "cost": {"round": "0.1", "top": 100},
        "born": {"cut": "month"},
        "note": {"redact": ["email", "phone", "name"]},
    }
    rows, report = run(table, transform, source=described)
    became = {"1.234,50": "100", "7,25": "7.2", "-0,05": "0", "+3": "3", "012,5": "12.5", "-": "-", "999": "999"}
    notes = {"call 030 1234567": "call [phone]", "mail a.b@c.de or Anna Berg": "mail [email] or [name]"}
    for row, before in zip(rows, rows_of(table), strict=True):
        assert row["cost"] == became[before["cost"]]
        assert row["born"] == f"{before['born'][:7]}-01"
        assert row["note"] == notes.get(before["note"], before["note"])
        assert row["age"] == before["age"]
    assert report["treatments"]["cost"]["top"] == {"value": 100.0, "share": None}


def expected_ends(ages: list[int], share: Decimal, k: int, persons: list[str] | None = None) -> tuple[int, int]:
    """The ends that so many rows reach, and k rows or persons, by trying every number."""

    def enough(behind: list[int]) -> bool:
        who = {persons[i] for i in behind} if persons else behind
        return len(behind) >= share * len(ages) and len(who) >= k

    tops = [end for end in ages if enough([i for i, age in enumerate(ages) if age >= end])]
    bottoms = [end for end in ages if enough([i for i, age in enumerate(ages) if age <= end])]
    return min(bottoms), max(tops)


@pytest.mark.few(2)
@pytest.mark.parametrize(("share", "k"), [("10%", 5), ("3.5%", 2), ("0.1%", 20)])
@pytest.mark.parametrize("by_persons", [False, True])
def test_ends_that_are_shares_have_k_rows_or_persons_behind_them(
    tmp_path: Path, share: str, k: int, by_persons: bool
) -> None:
    draw = random.Random(k)
    ages = [min(119, int(draw.expovariate(1 / 30))) for _ in range(300)]
    persons = [f"p{draw.randrange(90)}" if age < 60 else f"p{age % 25}" for age in ages]
    lines = [["m" if i % 2 else "f", age, persons[i]] for i, age in enumerate(ages)]
    path = as_csv(tmp_path / "t.csv", ["sex", "age", "person"], lines)
    privacy = {"k": k, **({"entity": "person"} if by_persons else {})}
    more: Json = {"privacy": privacy, **({} if by_persons else {"identifiers": ["person"]})}
    rows, report = run(path, {"age": {"bottom": share, "top": share}}, **more)
    bottom, top = expected_ends(ages, Decimal(share[:-1]) / 100, k, persons if by_persons else None)
    assert [int(row["age"]) for row in rows] == [min(max(age, bottom), top) for age in ages]
    said = report["treatments"]["age"]
    assert (said["bottom"]["value"], said["top"]["value"]) == (bottom, top)
    assert abs(said["top"]["share"] - float(share[:-1]) / 100) < 1e-12


def test_a_share_is_taken_of_rounded_numbers(tmp_path: Path) -> None:
    path = as_csv(tmp_path / "t.csv", ["sex", "cost"], [["f", i] for i in range(100)])
    rows, report = run(path, {"cost": {"round": 10, "top": "1%"}})
    assert report["treatments"]["cost"]["top"]["value"] == 100
    assert {row["cost"] for row in rows} == {str(10 * i) for i in range(11)}


def test_persons_behind_an_end_are_as_many_as_a_model_asks_for_in_the_place_of_k(tmp_path: Path) -> None:
    path = as_csv(tmp_path / "t.csv", ["sex", "age"], [["f", age] for age in range(100)])
    people = as_csv(tmp_path / "people.csv", ["sex"], [["f"]] * 200)
    privacy = {"k_map": {"k": 5, "population": str(people)}}
    _, report = run(path, {"age": {"top": "0.1%"}}, privacy=privacy)
    assert report["treatments"]["age"]["top"]["value"] == 95


REFUSED: list[tuple[Json, Json, str]] = [
    ({"note": {"round": 10}}, {}, "of column 'note' are invalid"),
    ({"cost": {"top": 90, "bottom": 90}}, {}, "top 90 is not above bottom 90"),
    ({"cost": {"round": 10, "top": 95}}, {}, "top 95 is no number that round: 10 leaves"),
    ({"cost": {"round": 10, "decimals": 1}}, {}, "decimals does not go with round"),
    ({"cost": {"round": 0}}, {}, "transform.cost.round"),
    ({"cost": {"bottom": "60%"}}, {}, "expected a share above 0% and below 50%"),
    ({"cost": {"bottom": "much"}}, {}, "expected a number, or a share of the rows"),
    ({"born": {"cut": "month", "top": 3}}, {}, "top does not go with cut"),
    ({"born": {"cut": "week"}}, {}, "'day', 'month' or 'year'"),
    ({"note": {"redact": ["faces"]}}, {}, "faces"),
    ({"age": {"redact": ["phone"]}}, {"columns": {"age": {"type": "number"}}}, "no free texts"),
    ({"note": {"top": "1%"}}, {}, "fewer than 5 rows have a number"),
]


@pytest.mark.parametrize(("transform", "described", "said"), REFUSED)
def test_what_cannot_be_is_refused(transform: Json, described: Json, said: str, table: Path) -> None:
    with pytest.raises(ConfigurationError) as raised:
        run(table, transform, source={"path": str(table), "missing": ["", "-"], **described})
    assert said in str(raised.value)
    assert not (table.parent / "out.csv").exists()


@pytest.mark.parametrize(
    ("kind", "value", "transform", "said"),
    [
        ("VARCHAR", "1234567890123456789012", {"round": 10}, "1 values have more digits"),
        ("DOUBLE", "inf", {"round": 10}, "1 values have more digits"),
        ("DOUBLE", "nan", {"top": 10}, "1 values have more digits"),
        ("TINYINT", "126", {"round": 10}, "1 values have more digits"),
        ("DECIMAL(3,1)", "99.9", {"round": 10}, "1 values have more digits"),
        ("TINYINT", "1", {"top": 200}, "200 has no place in its type"),
        ("INTEGER", "1", {"top": "1.5"}, "expected a whole number"),
        ("INTEGER", "1", {"round": "2.5"}, "multiples of 2.5 have no place in its type"),
        ("BOOLEAN", "true", {"round": 1}, "round goes with numbers"),
        ("DATE", "2024-01-01", {"top": 1}, "top goes with numbers"),
        ("TIMESTAMP WITH TIME ZONE", "2024-01-01", {"cut": "day"}, "are not cut"),
    ],
)
def test_values_and_types_that_cannot_be_treated_are_refused(
    tmp_path: Path, kind: str, value: str, transform: Json, said: str
) -> None:
    path = tmp_path / "t.parquet"
    duckdb.execute(f"COPY (SELECT 'f' AS sex, CAST('{value}' AS {kind}) AS a) TO '{path}'")
    with pytest.raises(ConfigurationError) as raised:
        run(path, {"a": transform}, privacy={"k": 1})
    assert said in str(raised.value)


@pytest.mark.few(1)
@pytest.mark.parametrize("unit", ["day", "month", "year"])
def test_dates_of_every_writing_are_cut(tmp_path: Path, unit: str) -> None:
    path = tmp_path / "t.parquet"
    when = "TIMESTAMP '1999-11-29 13:14:15' + to_days(i * 17)"
    columns = f"'f' AS sex, CAST({when} AS DATE) AS d, {when} AS t, strftime({when}, '%d.%m.%y') AS w, i"
    duckdb.execute(f"COPY (SELECT {columns} FROM range(300) AS r(i)) TO '{path}'")
    transform = {name: {"cut": unit} for name in ("d", "t", "w")}
    out = tmp_path / "out.parquet"
    config = {**PLAIN, "source": {"path": str(path), "columns": {"w": {"format": "%d.%m.%y"}}}, "target": str(out)}
    kanon_sql.run({**config, "transform": transform})
    rows = duckdb.execute(f"SELECT d, t, w, i FROM '{out}'").fetchall()
    for day, moment, written, i in rows:
        expected = date(1999, 11, 29) + timedelta(i * 17)
        expected = expected.replace(**{"day": {}, "month": {"day": 1}, "year": {"day": 1, "month": 1}}[unit])
        assert (day, written) == (expected, expected.strftime("%d.%m.%y"))
        assert str(moment) == f"{expected} 00:00:00"


def test_a_release_that_is_not_what_its_treatments_leave_is_withdrawn(
    table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Top, "value", lambda self, cell: cell.written.copy())
    with pytest.raises(VerificationError, match=r"column 'age' holds \d+ values that are above 30"):
        run(table, {"age": {"top": 30}})
    assert not (table.parent / "out.csv").exists()


SHAPED = {
    "email": ["a.b@c.de", "jürgen+x@müller.example"],
    "url": ["http://x.y/z?q=1", "www.example.org/a"],
    "iban": ["DE89 3704 0044 0532 0130 00", "GB33BUKB20201555555555"],
    "card": ["4111 1111 1111 1111", "3782-822463-10005"],
    "ip": ["10.0.0.1", "00:1A:2B:3C:4D:5E", "fe80::1"],
    "date": ["2024-05-03", "3.4.2020", "12 Mar 2020", "May 3, 2024"],
    "phone": ["+49 (30) 123-456", "030 1234567", "01 42 34 56 78", "(212) 555-1234"],
    "id": ["123-45-6789", "AB123456", "550e8400-e29b-41d4-a716-446655440000"],
    "name": ["Mr. Smith", "Anna Berg", "Frau Dr. Ölz", "Ольга Петрова"],
}
OTHERS = ["nothing of it", "12 pills", "a - b", "O'Neil", "x: 3.5", "\n", "ok."]


def test_each_shape_is_found_and_nothing_else() -> None:
    shapes: list[Any] = list(SHAPED)
    texts = [f"say {text} so" for listed in SHAPED.values() for text in listed]
    marks = [f"say [{shape}] so" for shape, listed in SHAPED.items() for _ in listed]
    every = TreatmentConfig(redact=shapes)
    assert treated(Redact(), every, "VARCHAR", texts) == [(mark, True) for mark in marks]
    assert treated(Redact(), every, "VARCHAR", OTHERS) == [(text, True) for text in OTHERS]


@pytest.mark.slow
@settings(max_examples=tries(15), deadline=None)
@given(
    st.lists(st.sampled_from(list(SHAPED)), min_size=1, unique=True),
    st.lists(
        st.lists(st.sampled_from([*OTHERS, *(text for listed in SHAPED.values() for text in listed), " "]), max_size=6),
        min_size=1,
        max_size=20,
    ),
)
def test_nothing_is_left_of_the_shapes_asked_for(shapes: Any, parts: list[list[str]]) -> None:
    results = treated(
        Redact(), TreatmentConfig(redact=shapes), "VARCHAR", ["".join(parts_of_text) for parts_of_text in parts]
    )
    assert all(holds for _, holds in results)
    if "email" in shapes:
        assert not any(re.search(r"\w@\w+\.\w", text) for text, _ in results)
