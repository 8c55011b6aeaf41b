"""Ranges whose ends are no values of the data: checked against the source, row by row, without the program's SQL."""

from __future__ import annotations

import datetime as dt
import re
import tempfile
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest
from effort import tries
from hypothesis import given, settings
from hypothesis import strategies as st
from mondrian_jobs import parquet, people, read, run, write
from shared_engine import shared

import kanon_sql
from kanon_sql.errors import ConfigurationError

Json = dict[str, Any]
WIDENED = {"ranges": "widened"}


def number_range(label: str) -> tuple[Decimal, Decimal] | None:
    """The ends of a range of numbers, as they stand there; None for a single one."""
    match = re.fullmatch(r"(-?[0-9]+[.][0-9]+)-(-?[0-9]+[.][0-9]+)", label)
    return (Decimal(match[1]), Decimal(match[2])) if match else None


def period(text: str) -> tuple[dt.datetime, dt.datetime]:
    """The first moment of a period, and the first after it."""
    for form, length in (("%Y-%m-%dT%H", dt.timedelta(hours=1)), ("%Y-%m-%d", dt.timedelta(days=1))):
        try:
            start = dt.datetime.strptime(text, form)
        except ValueError:
            continue
        return start, start + length
    year, month = int(text[:4]), int(text[5:7] or 1)
    next_year = year + 1 if len(text) == 4 or month == 12 else year
    return dt.datetime(year, month, 1), dt.datetime(next_year, 1 if next_year > year else month + 1, 1)


def date_range(label: str) -> tuple[dt.datetime, dt.datetime]:
    """The first moment of a range of periods, and the first after it."""
    first, _, last = label.partition("/")
    return period(first)[0], period(last or first)[1]


def covers(label: str, value: str, values: set[str]) -> bool:
    """Whether a released text stands for a value, and has no end that is a value of the column."""
    bare = label.removesuffix(" or missing")
    if value == "":
        return label in ("", "*") or bare != label
    if bare == value:
        return bare == label  # what all share is no range; beside missing values it would name one row's value
    if label == "*":
        return True
    ends = number_range(bare)
    if ends is not None:
        assert all(Decimal(number) not in ends for number in values if number)
        return ends[0] < Decimal(value) < ends[1]
    assert not {*bare.split("/")} & values
    start, finish = date_range(bare)
    return start <= dt.datetime.fromisoformat(value) < finish


Row = tuple[str, ...]
ALGORITHMS = st.sampled_from(["mondrian", "local"])
NUMBERS = st.sampled_from(["-3", "0", "1", "2", "3", "4", "5", "10", "19", "20", "21", "39", "40", "100", "1000"])
DECIMALS = st.sampled_from(["-0.5", "0.05", "0.1", "0.15", "0.95", "1", "1.5", "2.25", "9.995", "10", "99.5", "250"])
DAYS = st.sampled_from(["1999-12-31", "2000-01-01", "2000-02-29", "2000-12-31", "2009-12-31", "2031-07-04"])
ROWS = st.tuples(NUMBERS, DECIMALS | st.just(""), DAYS | st.just(""))


@pytest.mark.slow
@settings(max_examples=tries(3))
@given(rows=st.lists(ROWS, min_size=12, max_size=40), k=st.integers(2, 4), algorithm=ALGORITHMS)
def test_no_end_is_a_value_and_every_value_lies_within(rows: list[Row], k: int, algorithm: str) -> None:
    require_widened(rows, k, algorithm)


@pytest.mark.slow
@settings(max_examples=tries(40))
@given(rows=st.lists(ROWS, min_size=4, max_size=14), k=st.integers(2, 4), algorithm=ALGORITHMS)
def test_of_many_small_tables(rows: list[Row], k: int, algorithm: str) -> None:
    require_widened(rows, k, algorithm)


def require_widened(rows: list[Row], k: int, algorithm: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = write(folder / "s.csv", ["a", "b", "c", "id"], [[*row, str(i)] for i, row in enumerate(rows)])
        kinds = {"a": {"type": "number"}, "b": {"type": "number"}, "c": {"type": "date"}}
        report, released = run(folder, source, kinds, k, algorithm={"name": algorithm}, release=WIDENED)
    columns = [set(column) for column in zip(*rows, strict=True)]
    for row in released:
        for label, value, values in zip(row[:3], rows[int(row[3])], columns, strict=True):
            assert covers(label, value, values), (label, value)
    classes = Counter(tuple(row[:3]) for row in released)
    assert min(classes.values()) >= k
    assert (len(classes), sum(size**2 for size in classes.values()), len(rows)) == (
        report["classes"]["count"],
        report["loss"]["discernibility"],
        len(released),
    )
    for name, place in (("a", 0), ("b", 1)):
        assert report["loss"]["attributes"][name] == pytest.approx(loss(released, place, columns[place]))


def loss(released: list[list[str]], place: int, values: set[str]) -> float:
    """The mean over the rows of (upper - lower) / (greatest - least), 1 at most."""
    numbers = [Decimal(value) for value in values if value]
    width = max(numbers) - min(numbers) if numbers else Decimal(0)
    ranges = [number_range(row[place].removesuffix(" or missing")) for row in released]
    shares = [min((ends[1] - ends[0]) / width, Decimal(1)) if ends and width else Decimal(0) for ends in ranges]
    return float(sum(shares) / len(released))


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("values", "released"),
    [
        (["23", "41", "30"], "21.5-42.5"),
        (["23", "24", "23"], "21.5-24.5"),
        (["22", "22", ""], "21.5-24.5 or missing"),
        (["22", "22", "22"], "22"),
        (["0.5", "1.25", "0.75"], "0.495-1.305"),
        (["-41", "-23", "-30"], "-42.5--21.5"),
        (["12345678901234567890123", "12345678901234567890173", "12345678901234567890124"],
         "12345678901234567890119.5-12345678901234567890175.5"),
        (["2020-01-30", "2020-02-02", "2020-02-01"], "2020-01/2020-02"),
        (["2020-02-02", "2020-02-03", "2020-02-01"], "2020-02"),
        (["2020-02-02", "2020-02-02", ""], "2020-02 or missing"),
        (["2020-02-02", "2020-02-02", "2020-02-02"], "2020-02-02"),
        (["2019-02-02", "2023-02-03", "2020-02-01"], "2019/2023"),
        (["1966-02-02", "2003-02-03", "1977-02-01"], "1960/2009"),
        (["a", "b", "a"], "*"),
        (["a", "a", "a"], "a"),
    ],
)  # fmt: skip
def test_what_a_range_is_released_as(tmp_path: Path, values: list[str], released: str) -> None:
    source = write(tmp_path / "s.csv", ["q", "id"], [[value, str(i)] for i, value in enumerate(values)])
    _, rows = run(tmp_path, source, ["q"], 3, release=WIDENED)
    assert {row[0] for row in rows} == {released}


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("select", "released"),
    [
        ("SELECT unnest([0.1, 0.2, 0.30000000000000004]::DOUBLE[]) AS q", "0.09995-0.35005"),
        ("SELECT unnest([71.3::FLOAT, 80.25::FLOAT, 75::FLOAT]) AS q", "70.995-81.005"),
        ("SELECT unnest([1e12, 2e12 + 0.5, 1.5e12]) AS q", "999999999999.95-2200000000000.05"),
        ("SELECT unnest([1, 100]::UTINYINT[]) AS q", "-0.5-100.5"),
        ("SELECT unnest([TIMESTAMP '2020-01-05 10:20:00', '2020-01-05 12:30:00']) AS q", "2020-01-05T10/2020-01-05T12"),
        ("SELECT unnest([TIMESTAMP '2020-01-05 10:00:00', '2020-01-05 12:30:00']) AS q", "2020-01-05"),
        ("SELECT unnest([TIMESTAMP '2020-01-05 00:00:00', '2020-01-05 12:30:00']) AS q", "2020-01"),
        ("SELECT unnest([TIMESTAMPTZ '2020-01-31 23:30:00-05', '2020-02-01 12:30:00+00']) AS q",
         "2020-02-01T04/2020-02-01T12"),
    ],
)  # fmt: skip
def test_typed_columns(tmp_path: Path, select: str, released: str) -> None:
    source = parquet(tmp_path, select)
    with shared() as connection:
        rows = connection.execute(f"SELECT count(*) FROM '{source}'").fetchall()[0][0]
    _, written = run(tmp_path, source, ["q"], rows, release=WIDENED)
    assert {row[0] for row in written} == {released}


@pytest.mark.parametrize(
    ("select", "message"),
    [
        ("SELECT unnest([1e300, 2]) AS q", "the numbers of column 'q' have too many digits to be widened"),
        ("SELECT unnest([DATE '0044-03-15 (BC)', '2020-01-01']) AS q", "holds dates before the year 10 or after 9989"),
    ],
)
def test_what_no_grid_takes_is_refused(tmp_path: Path, select: str, message: str) -> None:
    source = parquet(tmp_path, select)
    with pytest.raises(ConfigurationError, match=re.escape(message)):
        run(tmp_path, source, ["q"], 2, release=WIDENED)
    run(tmp_path, source, ["q"], 2)


@pytest.mark.slow
def test_texts_are_a_value_or_a_star_and_a_warning_says_so(tmp_path: Path) -> None:
    report, rows = run(tmp_path, people(tmp_path), {"age": {}, "sex": {}, "zip": {}}, 5, release=WIDENED)
    source = {row[3]: row for row in read(tmp_path / "people.csv")}
    assert all(row[1] in ("*", source[row[3]][1]) for row in rows)
    assert [text.split(" is text without")[0] for text in report["warnings"] if "widened" in text] == ["'sex'", "'zip'"]


def test_full_domain_has_no_ranges_and_says_so(tmp_path: Path) -> None:
    source = write(tmp_path / "s.csv", ["q"], [["1"], ["1"]])
    algorithm = {"name": "optimal"}
    report, _ = run(tmp_path, source, {"q": {"builtin": "suppress"}}, algorithm=algorithm, release=WIDENED)
    assert any("ranges: widened bears on mondrian and local only" in text for text in report["warnings"])


def test_partitions_under_one_label_are_one_class(tmp_path: Path) -> None:
    """Cut between 2020-01-02 and 2020-01-03; both sides are the month."""
    source = write(tmp_path / "s.csv", ["q", "id"], [[f"2020-01-0{day}", str(day)] for day in range(1, 5)])
    report, rows = run(tmp_path, source, ["q"], 2, release=WIDENED)
    assert {row[0] for row in rows} == {"2020-01"}
    assert report["solution"]["partitions"] == 2
    digest = report["classes"].pop("digest")
    assert digest and report["classes"] == {"count": 1, "min": 4, "max": 4, "average": 4.0}
    assert (report["privacy"]["k"]["actual"], report["loss"]["discernibility"]) == (4, 16)


def table(folder: Path) -> tuple[Path, list[list[str]]]:
    """Forty persons: their ages, days of birth and numbers."""
    born = [f"{1950 + 7 * i % 60}-{i % 12 + 1:02d}-{i % 27 + 1:02d}" for i in range(40)]
    rows = [[str(18 + i % 50), day, str(i)] for i, day in enumerate(born)]
    return write(folder / "s.csv", ["age", "born", "id"], rows), rows


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["mondrian", "local"])
def test_compiled_statements_release_the_same(tmp_path: Path, algorithm: str) -> None:
    source, _ = table(tmp_path)
    more = {"algorithm": {"name": algorithm, "seed": 1}, "release": {"order": "none", **WIDENED}}
    _, rows = run(tmp_path, source, ["age", "born"], 4, **more)
    config: Json = {"source": str(source), "quasi_identifiers": ["age", "born"], "unlisted": "drop"}
    config |= {"privacy": {"k": 4}, **more}
    with duckdb.connect() as connection:
        compiled = connection.execute(kanon_sql.compile(config)).fetchall()
        assert Counter(compiled) == Counter((row[0], row[1]) for row in rows)
        assert connection.execute(kanon_sql.compile(config, check=True)).fetchall() == []


@pytest.mark.slow
def test_link_reads_widened_ranges(tmp_path: Path) -> None:
    """Every person matches at least the k rows of the class that is released of her."""
    source, persons = table(tmp_path)
    _, rows = run(tmp_path, source, {"age": {}, "born": {}}, 4, release=WIDENED)
    config = {
        "source": str(source),
        "target": str(tmp_path / "out.csv"),
        "quasi_identifiers": {"age": {}, "born": {}},
        "unlisted": "insensitive",
        "privacy": {"k": 4},
        "algorithm": "mondrian",
        "release": WIDENED,
    }
    linked = kanon_sql.link(tmp_path / "out.csv", source, ["age", "born"], release_config=config)
    assert all(len(row[1]) < 10 and number_range(row[0]) for row in rows)
    matching = [
        sum(covers(row[0], age, {age}) and covers(row[1], day, {day}) for row in rows) for age, day, _ in persons
    ]
    assert min(matching) >= 4
    assert linked["least_matches"]["of_a_person"] == min(matching)
    assert linked["expected_links"]["by_person"] == pytest.approx(sum(1 / count for count in matching))
