"""The mapping tables: every value has its row, codes and labels tell the same classes, weights count the file."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from effort import tries
from hypothesis import given, settings
from hypothesis import strategies as st
from shared_engine import attached
from sqlglot import exp

from kanon_sql.config.model import QuasiIdentifier
from kanon_sql.errors import ConfigurationError
from kanon_sql.hierarchy.hierarchy import GeneralizedColumn, Hierarchy
from kanon_sql.hierarchy.mapping import MappingTable, build_mapping, uncovered
from kanon_sql.source.model import Column
from kanon_sql.sql.connection import Engine

HOSTILE = [
    "",
    " ",
    "'",
    '"',
    "\\",
    "\0",
    "a\0b",
    "\n",
    "😀",
    "e\u0301",
    "é",
    "NULL",
    "null",
    "*",
    "?",
    ";--",
    "$v",
    "[1]",
    "{}",
    "\u2028",
]
NOTHING = exp.select(exp.null().as_("value"))


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with attached() as connection:
        yield Engine(connection)


def hierarchy(*rows: tuple[str, ...]) -> Hierarchy:
    """A hierarchy of the rows of a file, its top among them."""
    levels = tuple(zip(*rows, strict=True))
    return Hierarchy("h.csv", levels[0], levels)


def build(
    engine: Engine, of: Hierarchy, column_type: str = "VARCHAR", spec: dict[str, Any] | None = None, **more: Any
) -> MappingTable:
    identifier = QuasiIdentifier(hierarchy="h.csv", **(spec or {}))
    return build_mapping(engine, GeneralizedColumn(3, Column("c", "c", column_type), identifier, NOTHING, of, **more))


def table(engine: Engine, mapping: MappingTable) -> dict[Any, tuple[tuple[Any, ...], tuple[Any, ...]]]:
    """(codes, labels) of every value."""
    levels = range(mapping.height + 1)
    names = ", ".join([f"level_{i}" for i in levels] + [f"CAST(label_{i} AS VARCHAR)" for i in levels])
    rows = engine.run(f"SELECT value, {names} FROM {mapping.table}")
    assert len({repr(row[0]) for row in rows}) == len(rows)
    return {row[0]: (row[1 : mapping.height + 2], row[mapping.height + 2 :]) for row in rows}


def weights(engine: Engine, mapping: MappingTable) -> dict[tuple[int, int], int]:
    rows = engine.run(f"SELECT level, code, leaves FROM {mapping.weight_table}")
    assert len({row[:2] for row in rows}) == len(rows)
    return {(level, code): leaves for level, code, leaves in rows}


ODD = hierarchy(("1", "odd", "*"), ("2", "even", "*"), ("3", "odd", "*"))


def test_texts(engine: Engine) -> None:
    mapping = build(engine, ODD, missing=("",))
    assert mapping == MappingTable(
        index=3,
        column="c",
        column_type="VARCHAR",
        table="kanon_sql_mapping_3",
        weight_table="kanon_sql_weight_3",
        height=2,
        leaves=3,
        codes=3,
        min_level=0,
        max_level=2,
        weight=1.0,
        builtin=None,
    )
    assert table(engine, mapping) == {
        "1": ((1, 1, 1), ("1", "odd", "*")),
        "2": ((2, 2, 1), ("2", "even", "*")),
        "3": ((3, 1, 1), ("3", "odd", "*")),
        "": ((0, 0, 1), (None, None, "*")),
        None: ((0, 0, 1), (None, None, "*")),
    }
    assert weights(engine, mapping) == {
        (0, 0): 1,
        (0, 1): 1,
        (0, 2): 1,
        (0, 3): 1,
        (1, 0): 1,
        (1, 1): 2,
        (1, 2): 1,
        (2, 1): 3,
    }


def test_missing_text_wins_over_a_value_of_the_file_that_still_counts(engine: Engine) -> None:
    of = hierarchy(("a", "x", "*"), ("?", "x", "*"))
    mapping = build(engine, of, missing=("?", "-", "?"), released_missing="?")
    assert mapping.leaves == 2
    missing = ((0, 0, 1), ("?", "?", "*"))
    assert table(engine, mapping) == {"a": ((1, 1, 1), ("a", "x", "*")), "?": missing, "-": missing, None: missing}
    assert weights(engine, mapping)[1, 1] == 2


def test_missing_text_that_is_also_a_label(engine: Engine) -> None:
    mapping = build(engine, hierarchy(("a", "?", "top"), ("b", "y", "top")), missing=("?",), released_missing="?")
    assert table(engine, mapping)["a"] == ((1, 1, 1), ("a", "?", "top"))
    assert table(engine, mapping)["?"] == ((0, 0, 0), ("?", "?", "*")), (
        "missing at the top is *, beside a top of another name"
    )


def test_one_level_of_one_value_tells_missing_ones_apart(engine: Engine) -> None:
    mapping = build(engine, hierarchy(("x",)))
    assert table(engine, mapping) == {"x": ((1,), ("x",)), None: ((0,), ("*",))}
    assert weights(engine, mapping) == {(0, 0): 1, (0, 1): 1}


@settings(max_examples=tries(40))
@given(st.lists(st.sampled_from(HOSTILE), unique=True, min_size=1), st.data())
def test_hostile_texts(engine: Engine, leaves: list[str], data: st.DataObject) -> None:
    to = {leaf: data.draw(st.sampled_from(HOSTILE)) for leaf in leaves}
    missing = tuple(data.draw(st.lists(st.sampled_from(HOSTILE), unique=True, max_size=3)))
    released = data.draw(st.sampled_from([None, *missing]))
    mapping = build(
        engine, hierarchy(*((leaf, to[leaf], "*") for leaf in leaves)), missing=missing, released_missing=released
    )
    rows = table(engine, mapping)
    assert set(rows) == {*leaves, *missing, None}
    for value, (codes, labels) in rows.items():
        if value is None or value in missing:
            assert (codes, labels) == ((0, 0, 1), (released, released, "*"))
        else:
            assert labels == (value, to[value], "*")
            assert 0 not in codes
    kept = [(codes, labels) for value, (codes, labels) in rows.items() if codes[0]]
    for level in range(3):
        assert len({(c[level], lab[level]) for c, lab in kept}) == len({lab[level] for _, lab in kept})


def test_the_source_finds_every_row(engine: Engine) -> None:
    mapping = build(engine, ODD, missing=("n/a",))
    engine.connection.execute(
        "CREATE OR REPLACE TEMP TABLE data AS SELECT unnest(['1', '4', ' 1', NULL, 'n/a', '4']) AS value"
    )
    assert uncovered(engine, mapping, exp.select("value").from_("data")) == 2


# typed columns


def test_values_are_cast_to_the_column(engine: Engine) -> None:
    of = hierarchy(("1", "odd", "*"), ("02", "even", "*"), ("x", "no", "*"), ("300", "even", "*"))
    mapping = build(engine, of, "TINYINT", missing=("1",))
    assert mapping.leaves == 4
    assert table(engine, mapping) == {
        1: ((1, 1, 1), ("1", "odd", "*")),
        2: ((2, 2, 1), ("2", "even", "*")),
        None: ((0, 0, 1), (None, None, "*")),
    }
    assert weights(engine, mapping)[1, 2] == 2
    assert weights(engine, mapping)[2, 1] == 4


def test_equal_values_with_equal_labels_are_one(engine: Engine) -> None:
    of = hierarchy(("1", "odd", "*"), ("01", "odd", "*"), ("2", "even", "*"))
    mapping = build(engine, of, "INTEGER")
    assert mapping.leaves == 2
    assert set(table(engine, mapping)) == {1, 2, None}
    assert weights(engine, mapping)[1, 1] == 1


def test_equal_values_with_other_labels_are_a_problem(engine: Engine) -> None:
    of = hierarchy(("secret1", "a", "*"), ("0.0", "odd", "*"), ("-0", "even", "*"), ("0", "none", "*"))
    with pytest.raises(ConfigurationError) as raised:
        build(engine, of, "DOUBLE", place="c.yaml:4")
    assert raised.value.problems == [
        "h.csv: 2 values are the same as an earlier one in the type of the column but generalized differently "
        "(c.yaml:4); give equal values one row"
    ]


@pytest.mark.parametrize(
    ("column_type", "leaf", "text"),
    [
        ("DOUBLE", "nan", "nan"),
        ("DOUBLE", "1e1", "10.0"),
        ("DATE", "2024-03-05", "2024-03-05"),
        ("BOOLEAN", "t", "true"),
        ("DECIMAL(10,2)", "1.5", "1.50"),
        ("TIMESTAMP", "2024-03-05", "2024-03-05 00:00:00"),
        ("HUGEINT", "9" * 38, "9" * 38),
        ("UUID", "F47AC10B-58CC-4372-A567-0E02B2C3D479", "f47ac10b-58cc-4372-a567-0e02b2c3d479"),
        ("ENUM('a', 'b''c')", "b'c", "b'c"),
        ("TIMESTAMP_NS", "2024-03-05 01:02:03.123456789", "2024-03-05 01:02:03.123456789"),
    ],
)
def test_types(engine: Engine, column_type: str, leaf: str, text: str) -> None:
    mapping = build(engine, hierarchy((leaf, "x", "*"), ("no value of any type", "x", "*")), column_type)
    label_rows = engine.run(f"SELECT CAST(label_0 AS VARCHAR) FROM {mapping.table} WHERE level_0 > 0")
    assert label_rows == [(text,)]
    engine.connection.execute(
        f"CREATE OR REPLACE TEMP TABLE data AS SELECT CAST($v AS {column_type}) AS value", {"v": leaf}
    )
    assert uncovered(engine, mapping, exp.select("value").from_("data")) == 0


# bounds


def test_bounds(engine: Engine) -> None:
    mapping = build(engine, ODD, spec={"min_level": 1, "max_level": 2, "weight": 2.5})
    assert (mapping.min_level, mapping.max_level, mapping.weight) == (1, 2, 2.5)
    assert build(engine, ODD, spec={"max_level": 0}).max_level == 0


@pytest.mark.parametrize("spec", [{"max_level": 3}, {"min_level": 3}, {"min_level": 3, "max_level": 4}])
def test_bounds_above_the_top(engine: Engine, spec: dict[str, int]) -> None:
    with pytest.raises(ConfigurationError) as raised:
        build(engine, ODD, spec=spec, place="c.yaml:4")
    assert [p.split(" is above")[0] for p in raised.value.problems] == [f"c.yaml:4: {k} {v}" for k, v in spec.items()]


# size


@pytest.mark.parametrize(("values", "code_type"), [(255, "UTINYINT"), (256, "USMALLINT"), (65_536, "UINTEGER")])
def test_codes_are_small(engine: Engine, values: int, code_type: str) -> None:
    mapping = build(engine, hierarchy(*((f"v{i}", "*") for i in range(values))))
    described = {row[0]: row[1] for row in engine.run(f"DESCRIBE {mapping.table}")}
    assert (described["level_0"], described["level_1"]) == (code_type, "UTINYINT")
    assert engine.run(f"SELECT count(*), max(level_0) FROM {mapping.table}") == [(values + 1, values)]


def test_labels_are_an_enum_where_that_is_safe(engine: Engine) -> None:
    described = {row[0]: row[1] for row in engine.run(f"DESCRIBE {build(engine, ODD).table}")}
    newer = int(duckdb.__version__.split(".")[0]) >= 2
    assert described["label_1"].startswith("ENUM") == newer
    assert described["label_2"] == "VARCHAR"


@pytest.mark.parametrize("rows", [1, 3000, 300_000])
@pytest.mark.parametrize("options", ["COMPRESSION uncompressed", "COMPRESSION uncompressed, PARQUET_VERSION v2"])
def test_a_file_holds_no_label_of_other_rows(engine: Engine, tmp_path: Path, rows: int, options: str) -> None:
    """Engines before 2.0 wrote every label of an ENUM type into the file, released or not."""
    mapping = build(engine, hierarchy(*((f"SECRET{i}", f"SECRETGROUP{i % 50}", "*") for i in range(2000))))
    target = tmp_path / "out.parquet"
    some = f"SELECT label_1 AS x FROM {mapping.table} JOIN range({rows}) ON level_0 IN (1, 2)"
    engine.connection.execute(f"COPY ({some}) TO '{target}' ({options})")
    assert set(re.findall(rb"SECRET\w+?\d+", target.read_bytes())) <= {b"SECRETGROUP0", b"SECRETGROUP1"}


@pytest.mark.slow
def test_many_levels(engine: Engine) -> None:
    of = hierarchy(*((f"v{i}", *(f"w{i}" for _ in range(60)), "*") for i in range(3)))
    assert build(engine, of).height == 61


def test_ten_thousand_values_are_fast(engine: Engine) -> None:
    of = hierarchy(
        *((f"{i:04d}", f"{i // 10:03d}*", f"{i // 100:02d}**", f"{i // 1000}***", "*") for i in range(10_000))
    )
    start = time.perf_counter()
    build(engine, of)
    assert time.perf_counter() - start < 3
