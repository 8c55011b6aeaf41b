"""The built-in merge-rare against counting in Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from builtin_labels import engine, few, labels, left_out
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp

from kanon_sql.config.model import QuasiIdentifier
from kanon_sql.errors import ConfigurationError
from kanon_sql.hierarchy.hierarchy import GeneralizedColumn
from kanon_sql.hierarchy.mapping import MappingTable, build_mapping
from kanon_sql.source.columns import counted_values, distinct_values
from kanon_sql.source.model import Column
from kanon_sql.sql.connection import Engine

__all__ = ["engine"]


def merge(
    engine: Engine,
    rows: Sequence[str | None],
    column_type: str = "VARCHAR",
    missing: tuple[str, ...] = (),
    weighted: bool = False,
    **options: Any,
) -> MappingTable:
    """The mapping of a column with these rows; weighted ones stand once each, with how many there are."""
    engine.connection.execute(f"CREATE OR REPLACE TEMP TABLE data (value {column_type}, row_count BIGINT)")
    counted = Counter(rows).items() if weighted else [(value, 1) for value in rows]
    for value, count in counted:
        engine.connection.execute("INSERT INTO data VALUES (?, ?)", [value, count])
    table, column = exp.select("*").from_("data"), Column("value", "value", column_type)
    spec = QuasiIdentifier(builtin="merge-rare", **options)
    counts = counted_values(table, column, weighted=weighted)
    given_values = distinct_values(table, column)
    return build_mapping(
        engine, GeneralizedColumn(7, column, spec, given_values, missing=missing, place="c.yaml:4", counted=counts)
    )


texts = st.sampled_from(["a", "b", "B", " b", "Other", "*", "", "'", "\x00", "é", "c\nd", "NaN"])


@few
@given(
    st.lists(texts | st.none(), max_size=60),
    st.sets(st.integers(2, 30), min_size=1, max_size=3),
    st.sampled_from([None, "Other", "rest", "a", "x'y\n"]),
    st.booleans(),
)
def test_rare_values_are_one(
    engine: Engine, rows: list[str | None], below: set[int], rest: str | None, weighted: bool
) -> None:
    thresholds, word = sorted(below), rest or "Other"
    mapping = merge(engine, rows, weighted=weighted, below=thresholds, other=rest)
    counted = Counter(value for value in rows if value is not None)
    assert labels(engine, mapping) == {
        value: tuple(word if count < least else value for least in thresholds) for value, count in counted.items()
    }
    assert (mapping.height, mapping.leaves) == (len(thresholds) + 1, max(len(counted), 1))
    assert left_out(engine, mapping) == 0
    # How many values lie below a label, which the loss is measured by.
    for level, least in enumerate(thresholds, 1):
        shown = {value for value, count in counted.items() if count >= least}
        merged = set(counted) - shown
        expected = {value: 1 + (len(merged) if value == word else 0) for value in shown}
        if merged:
            expected[word] = len(merged | ({word} & set(counted)))
        query = f"SELECT label, leaves FROM {mapping.weight_table} WHERE level = {level} AND code > 0"
        assert dict(engine.run(query)) == expected


@pytest.mark.parametrize("column_type", ["INTEGER", "DOUBLE", "DECIMAL(9, 2)", "DATE", "BOOLEAN"])
def test_typed_values(engine: Engine, column_type: str) -> None:
    often, rare = {"DATE": ("2024-01-31", "2024-02-01"), "BOOLEAN": ("true", "false")}.get(column_type, ("1", "2"))
    mapping = merge(engine, [often] * 3 + [rare] * 2 + [None], column_type, below=[3, 4])
    written = engine.run("SELECT CAST(value AS VARCHAR), count(*) FROM data WHERE value IS NOT NULL GROUP BY value")
    assert labels(engine, mapping) == {text: (text if rows == 3 else "Other", "Other") for text, rows in written}


def test_missing_values_are_not_counted(engine: Engine) -> None:
    mapping = merge(engine, ["?", "?", "?", "a", "a", None], missing=("?",), below=[3])
    assert labels(engine, mapping) == {"a": ("Other",)}
    absent = engine.run(f"SELECT value, label_1, label_2 FROM {mapping.table} WHERE level_0 = 0 ORDER BY ALL")
    assert absent == [("?", None, "*"), (None, None, "*")]


def test_a_word_that_means_missing(engine: Engine) -> None:
    with pytest.raises(
        ConfigurationError, match=r"c\.yaml:4: other: 'none' is a text that means missing; name another"
    ):
        merge(engine, ["a"], missing=("none",), below=[3], other="none")


def test_values_that_nobody_counted(engine: Engine) -> None:
    column = Column("value", "value", "VARCHAR")
    spec = QuasiIdentifier(builtin="merge-rare", below=[3])
    with pytest.raises(ConfigurationError, match="merge-rare counts the rows of the source, which are not read here"):
        build_mapping(engine, GeneralizedColumn(7, column, spec, exp.select("value").from_("data"), place="c.yaml:4"))
