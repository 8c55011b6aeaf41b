"""Numbers in the words of the page."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanon_sql.report import words


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (None, "\N{EN DASH}"),
        (0.0, "0 %"),
        (1.0, "100 %"),
        (0.0001, "< 0.1 %"),
        (0.9999, "> 99.9 %"),
        (0.1239, "12.4 %"),
        (0.2, "20.0 %"),
    ],
)
def test_shares(share: float | None, text: str) -> None:
    assert words.percent(share) == text


@given(st.floats(0, 1))
def test_a_share_is_none_or_all_only_where_it_is(share: float) -> None:
    said = words.percent(share)
    assert (said == "0 %") == (share == 0)
    assert (said == "100 %") == (share == 1)


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "\N{EN DASH}"), (0.0, "0"), (0.0001, "< 0.001"), (1234.5, "1,234.500"), (float("inf"), "no bound")],
)
def test_measures(value: float | None, text: str) -> None:
    assert words.decimal(value) == text


@pytest.mark.parametrize(
    ("value", "fewer_than", "text"),
    [(1234, None, "1,234"), (None, None, "\N{EN DASH}"), (None, 5, "< 5"), (0, 5, "0"), (7, 5, "7")],
)
def test_counts(value: int | None, fewer_than: int | None, text: str) -> None:
    assert words.count(value, fewer_than) == text


def test_what_is_counted() -> None:
    assert [words.counted(number, "row") for number in (0, 1, 2, 1000)] == ["0 rows", "1 row", "2 rows", "1,000 rows"]
    assert words.counted(2, "class", "classes") == "2 classes"
    assert words.counted(None, "row", fewer_than=5) == "< 5 rows"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "\N{EN DASH}"),
        (1, "1 byte"),
        (999, "999 bytes"),
        (1000, "1 kB (1,000 bytes)"),
        (3974305, "3.97 MB (3,974,305 bytes)"),
        (999_999_999, "1 GB (999,999,999 bytes)"),
    ],
)
def test_sizes(value: int | None, text: str) -> None:
    assert words.size(value) == text


@pytest.mark.parametrize(
    ("created", "text"),
    [
        ("2026-11-22T08:30:00Z", "22 November 2026, 08:30 UTC"),
        ("2026-11-02T08:05:59+00:00", "2 November 2026, 08:05 UTC"),
        ("2026-11-22T08:30:00+02:00", "22 November 2026, 08:30 UTC+02:00"),
        ("yesterday", "yesterday"),
        (None, "time not recorded"),
    ],
)
def test_moments(created: str | None, text: str) -> None:
    assert words.moment(created) == text


def test_thresholds() -> None:
    shown = [words.plain(threshold) for threshold in (10, 0.2, 12345.678, {"min": 0.1, "max": 1}, None, "x")]
    assert shown == ["10", "0.2", "12345.7", "0.1 to 1", "no bound", "x"]


def test_words_in_a_sentence() -> None:
    assert [words.joined(list(word)) for word in ("", "a", "ab", "abc")] == ["", "a", "a and b", "a, b and c"]


def test_a_highest_risk_is_said_in_words() -> None:
    for size in range(2, 3000):
        assert words.chance(1 / size).endswith(f" (at most 1 in {size:,})")
    assert words.chance(1 / 11) == "0.0909 (at most 1 in 11)"
    assert words.chance(0.09) == "0.0900 (at most 1 in 11)"  # 1 in 11.1
    assert [words.chance(value) for value in (1.0, 0.6, 0.0, None)] == ["1.0000", "0.6000", "0", words.UNKNOWN]
