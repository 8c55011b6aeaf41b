"""Random frames give the release of the same table as Parquet, in every search, and it is k-anonymous by hand."""

from __future__ import annotations

import datetime
import math
from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from effort import tries
from hypothesis import given, settings
from hypothesis import strategies as st

import kanon_sql
from kanon_sql.errors import NoReleaseError

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
pyarrow = pytest.importorskip("pyarrow")

pytestmark = [pytest.mark.tool, pytest.mark.slow]

ZONED = polars.Datetime("us", "Europe/Berlin")
NESTED = polars.Struct({"x": polars.Int32, "y": polars.List(polars.String)})
DAY = datetime.date(2024, 2, 28)
SUPPRESS = {"builtin": "suppress"}
# Of a column its type, its values, and how it is generalized by the searches that need a hierarchy.
COLUMNS: dict[str, tuple[Any, list[Any], dict[str, Any]]] = {
    "age": (polars.Int16, [20, 21, 27, 33], {"builtin": "intervals", "widths": [5, 10]}),
    "weight": (polars.Float64, [1.5, 2.0, -0.0, 1e300], SUPPRESS),
    "price": (polars.Decimal(12, 3), [Decimal("1.500"), Decimal("99.125")], SUPPRESS),
    "colour": (polars.Categorical, ["red", "blue", ""], SUPPRESS),
    "size": (polars.Enum(["S", "M", "é"]), ["S", "é"], SUPPRESS),
    "born": (polars.Date, [DAY, DAY + datetime.timedelta(2)], {"builtin": "date", "levels": ["month", "year"]}),
    "seen": (ZONED, [datetime.datetime(2024, 3, 31, 12), datetime.datetime(2024, 1, 1)], SUPPRESS),
    "well": (polars.Boolean, [True, False], SUPPRESS),
}
OTHERS: dict[str, tuple[Any, list[Any]]] = {
    "nested": (NESTED, [{"x": 1, "y": ["a", None]}, {"x": None, "y": []}, {"x": 2, "y": None}]),
    "measured": (polars.Float32, [0.5, math.nan, math.inf]),
    "illness": (polars.String, ["flu", "cold", "'; --", "\x00"[:0]]),
}
SEARCHES = ["optimal", "samarati", "minimal", "mondrian", {"name": "local", "seed": 1}]


@st.composite
def tables(draw: st.DrawFn) -> tuple[Any, dict[str, Any]]:
    """(a frame of polars, the configuration of its release)."""
    names = draw(st.lists(st.sampled_from(sorted(COLUMNS)), min_size=1, max_size=3, unique=True))
    rows = draw(st.integers(4, 14))
    kinds = {**{name: COLUMNS[name][:2] for name in names}, **OTHERS}
    frame = polars.DataFrame(
        [
            polars.Series(
                name, draw(st.lists(st.sampled_from([*values, None]), min_size=rows, max_size=rows)), polars.String
            ).cast(kind)
            if kind in (polars.Categorical,) or isinstance(kind, polars.Enum)
            else _series(name, draw(st.lists(st.sampled_from([*values, None]), min_size=rows, max_size=rows)), kind)
            for name, (kind, values) in kinds.items()
        ]
    )
    search = draw(st.sampled_from(SEARCHES))
    by_order = not isinstance(search, str) or search == "mondrian"
    entries = {name: {} if by_order and draw(st.booleans()) else COLUMNS[name][2] for name in names}
    if "seen" in entries or "well" in entries:  # not every type has an order
        entries = {name: COLUMNS[name][2] for name in names}
    return frame, {
        "quasi_identifiers": entries,
        "sensitive": ["illness"],
        "insensitive": ["nested", "measured"],
        "privacy": {"k": draw(st.integers(2, 4))},
        "suppression": {"limit": draw(st.sampled_from([0, 2, "30%"]))},
        "missing": draw(st.sampled_from(["keep", "drop"])),
        "algorithm": search,
    }


def _series(name: str, values: list[Any], kind: Any) -> Any:
    if kind == ZONED:
        return polars.Series(name, values, polars.Datetime("us")).dt.replace_time_zone("Europe/Berlin")
    return polars.Series(name, values, kind)


def plain(value: Any) -> Any:
    """A value that compares as it should: NaN is itself, a mapping has an order."""
    if isinstance(value, float) and math.isnan(value):
        return "NaN"
    if isinstance(value, Mapping):
        return tuple((key, plain(member)) for key, member in value.items())
    return tuple(map(plain, value)) if isinstance(value, list) else value


def outcome(config: dict[str, Any], **given: Any) -> tuple[Any, Counter[Any] | None]:
    """(levels and suppressed rows, the released rows), None where there is no release."""
    try:
        with kanon_sql.run(config, advice=False, **given) as result:
            rows = Counter(tuple(map(plain, row)) for row in result.relation.fetchall())
            return (result.levels, result.suppressed), rows
    except NoReleaseError:
        return None, None


@settings(deadline=None, max_examples=tries(30))
@given(tables())
def test_a_frame_gives_the_release_of_its_file(folder: Path, table: tuple[Any, dict[str, Any]]) -> None:
    frame, config = table
    before = frame.clone()
    frame.write_parquet(folder / "rows.parquet")
    expected = outcome({**config, "source": str(folder / "rows.parquet")})
    assert outcome(config, data=frame) == expected
    assert outcome(config, data=frame.lazy()) == expected
    assert outcome(config, data=frame.to_arrow()) == expected
    assert frame.equals(before, null_equal=True)
    result, rows = expected
    if rows is not None:
        k = config["privacy"]["k"]
        classes: Counter[Any] = Counter()
        for row, count in rows.items():
            classes[row[: len(config["quasi_identifiers"])]] += count
        assert min(classes.values()) >= k
        kept = frame.drop_nulls(list(config["quasi_identifiers"])) if config["missing"] == "drop" else frame
        assert sum(classes.values()) == kept.height - result[1]


@settings(deadline=None, max_examples=tries(20))
@given(tables())
def test_a_frame_of_pandas_gives_the_same(table: tuple[Any, dict[str, Any]]) -> None:
    frame, config = table
    # NaN is a missing value to pandas.
    frame = frame.with_columns(polars.col("measured").fill_nan(None))
    expected = outcome(config, data=frame)
    arrow_typed = frame.to_pandas(use_pyarrow_extension_array=True)
    before = arrow_typed.copy()
    assert outcome(config, data=arrow_typed) == expected
    pandas.testing.assert_frame_equal(arrow_typed, before)
    plain_typed = frame.with_columns(polars.col("age").cast(polars.Int64) if "age" in frame.columns else [])
    if not {"price", "born", "age"} & set(frame.columns):  # numbers with missing ones, dates, decimals become others
        assert outcome(config, data=plain_typed.to_pandas()) == expected
