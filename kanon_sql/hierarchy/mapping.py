"""The mapping table of a quasi-identifier in the engine: its values, their codes and labels at every level.

Two tables for quasi-identifier i, whose names are in its Mapping:

* mapping(value, level_0 ... level_H, label_0 ... label_H): one row for each raw value, for each text that is read as
  NULL, and for NULL. Codes are dense from 1 at every level; a missing value has code 0 below the top, where it is
  released as NULL or as the text that the source writes for it, and * at the top, with everyone where the
  hierarchy's top is * too.
* weight(level, code, leaves, label): how many values of the hierarchy lie below each released value. Code 0 has one,
  so that it costs nothing, and no label.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import duckdb
from sqlglot import exp

from kanon_sql.config.model import QuasiIdentifier
from kanon_sql.errors import ConfigurationError
from kanon_sql.hierarchy.builtin import build_leaves, drop_leaves
from kanon_sql.hierarchy.encode import STAR, Leaf, encode
from kanon_sql.hierarchy.hierarchy import Hierarchy
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Item, column, quoted, state

# More labels than this are kept as VARCHAR: beyond 16 bits an ENUM gains nothing. Before 2.0 the engine wrote every
# label of an ENUM into a Parquet file's dictionary and statistics, those of suppressed rows among them.
_ENUM_LABELS = 60_000 if int(duckdb.__version__.split(".")[0]) >= 2 else 0
_CODE_TYPES = ((0xFF, "UTINYINT"), (0xFFFF, "USMALLINT"), (0xFFFFFFFF, "UINTEGER"))


@dataclass(frozen=True)
class Mapping:
    """A quasi-identifier whose mapping tables are in the engine.

    `leaves` is |A|, the values of the hierarchy file or, for a built-in (named by `builtin`), the distinct values of
    the column, at least 1. `min_level` and `max_level` bound the search.
    `splits_top` says that the file's top has a name of its own, beside which missing values are * there.
    """

    index: int
    column: str
    column_type: str
    table: str
    weight_table: str
    height: int
    leaves: int
    min_level: int
    max_level: int
    weight: float
    builtin: str | None
    splits_top: bool = False


def build_mapping(
    engine: Engine,
    *,
    index: int,
    column: str,
    column_type: str,
    spec: QuasiIdentifier,
    hierarchy: Hierarchy | None,
    distinct: exp.Select,
    missing: tuple[str, ...] = (),
    released_missing: str | None = None,
    place: str | None = None,
) -> Mapping:
    """Builds the mapping tables of one quasi-identifier of the type `column_type` (as DuckDB names it).

    `distinct` selects the distinct raw values as `value`; it runs only for built-ins. `missing` are the texts of a
    text column that are read as NULL, `released_missing` the text under which missing values are released below the
    top, None for NULL. `place` is where the configuration names the column.

    Raises ConfigurationError for options that do not fit, and when values of the hierarchy file that are told apart
    become one value of the column's type.
    """
    where = place or f"quasi-identifier {column!r}"
    target = exp.DataType.build(column_type, dialect="duckdb")
    absent = [None, *dict.fromkeys(missing if _is_text(target) else ())]
    weight_table = state(f"weight_{index}")
    if hierarchy is not None:
        leaves = _file_leaves(engine, hierarchy, target, absent, weight_table, where)
    elif spec.builtin is not None:
        leaves = _builtin_leaves(engine, spec, target, distinct, absent, weight_table, where)
    else:
        raise ConfigurationError(f"{where}: no hierarchy is given; expected a hierarchy file, a ready one or a builtin")
    lowest, highest = _bounds(spec, leaves.height, where)
    _make_mapping(engine, index, leaves, released_missing)
    if hierarchy is None:
        drop_leaves(engine)
    return Mapping(
        index=index,
        column=column,
        column_type=column_type,
        table=state(f"mapping_{index}"),
        weight_table=weight_table,
        height=leaves.height,
        leaves=leaves.count,
        min_level=lowest,
        max_level=highest,
        weight=spec.weight,
        builtin=None if hierarchy is not None else spec.builtin,
        splits_top=hierarchy is not None and set(hierarchy.levels[-1]) != {STAR},
    )


def uncovered(engine: Engine, mapping: Mapping, values: exp.Select) -> int:
    """How many distinct raw values, selected as `value`, have no row in the mapping table."""
    names = {"mapping": mapping.table, "raw_values": values}
    return int(engine.query("hierarchy/uncovered", names=names)[0][0])


def uncovered_examples(engine: Engine, mapping: Mapping, values: exp.Select) -> list[str]:
    """The first five of the distinct raw values without a row: for users who asked to be shown values."""
    names = {"mapping": mapping.table, "raw_values": values}
    return [str(row[0]) for row in engine.query("hierarchy/uncovered_examples", names=names)]


def _bounds(spec: QuasiIdentifier, height: int, where: str) -> tuple[int, int]:
    """The levels that the search may use. Raises ConfigurationError for levels that the hierarchy does not have."""
    lowest = 0 if spec.min_level is None else spec.min_level
    highest = height if spec.max_level is None else spec.max_level
    problems = [
        f"{where}: {key} {level} is above the top of the hierarchy; expected at most {height}"
        for key, level in (("min_level", spec.min_level), ("max_level", spec.max_level))
        if level is not None and level > height
    ]
    if not problems and lowest > highest:
        problems = [f"{where}: min_level {lowest} is above max_level {highest}; exchange them"]
    if problems:
        raise ConfigurationError(problems)
    return lowest, highest


@dataclass(frozen=True)
class _Leaves:
    """The values of a hierarchy in the engine: `relation` has value and, for each level, what the weight table's
    column `key` holds of it (code_0, code_1 ... or label_0, label_1 ...); `values` are its bound parameters.
    `sizes` are the numbers of labels of the levels.
    """

    relation: exp.Expr
    key: str
    sizes: tuple[int, ...]
    count: int
    values: dict[str, Any]

    @property
    def height(self) -> int:
        return len(self.sizes) - 1


def _is_text(target: exp.DataType) -> bool:
    return target.is_type(exp.DataType.Type.TEXT, exp.DataType.Type.VARCHAR)


def _file_leaves(
    engine: Engine, hierarchy: Hierarchy, target: exp.DataType, absent: list[str | None], weight: str, where: str
) -> _Leaves:
    """Makes the weight table of a hierarchy file."""
    value: exp.Expr = exp.column("leaf")
    typed = None
    if not _is_text(target):
        value = exp.TryCast(this=value, to=target)
        rows = engine.query(
            "hierarchy/cast_leaves",
            names={"typed_value": value},
            values={"leaves": json.dumps(hierarchy.leaves), "count": len(hierarchy.leaves)},
        )
        typed = [Leaf(text, first) for text, first in rows]
    encoded = encode(hierarchy, typed, absent, where)
    engine.query(
        "hierarchy/file_weight",
        names={"weight": weight},
        values={
            "levels": json.dumps(encoded.levels),
            "codes": json.dumps(encoded.codes),
            "leaves": json.dumps(encoded.leaves),
            "labels": json.dumps(encoded.labels),
        },
    )
    items: list[Item] = [{"number": level, "key": f"code_{level}"} for level in range(hierarchy.height + 1)]
    relation = template.fill("hierarchy/file_leaves", names={"typed_value": value}, lists={"level": items})
    bound = {"leaves": json.dumps(encoded.values), "codes": json.dumps(encoded.value_codes)}
    return _Leaves(relation, "code", encoded.sizes, encoded.count, bound)


def _builtin_leaves(
    engine: Engine,
    spec: QuasiIdentifier,
    target: exp.DataType,
    distinct: exp.Select,
    absent: list[str | None],
    weight: str,
    where: str,
) -> _Leaves:
    """Makes the weight table of a built-in hierarchy for the values of a column."""
    height = build_leaves(engine, spec, target, distinct, absent, where)
    leaf = state("leaf")
    items: list[Item] = [{"number": level, "key": f"label_{level}"} for level in range(height)]
    engine.query(
        "hierarchy/builtin_weight",
        names={"weight": weight, "leaf": leaf},
        lists={"level": items},
        values={"height": height},
    )
    sizes = [(int(labels), int(leaves)) for labels, leaves in engine.query("hierarchy/sizes", names={"weight": weight})]
    return _Leaves(exp.Table(this=quoted(leaf)), "label", tuple(labels for labels, _ in sizes), sizes[-1][1], {})


def _make_mapping(engine: Engine, index: int, leaves: _Leaves, released_missing: str | None) -> None:
    """Joins values, codes and labels, labels as ENUM types where they are few."""
    weight = state(f"weight_{index}")
    below_top = max(leaves.height, 1)
    label_type = None
    if sum(leaves.sizes[:below_top]) <= _ENUM_LABELS:
        label_type = _label_type(engine, index, below_top, weight, released_missing)
    items: list[Item] = []
    for level, size in enumerate(leaves.sizes):
        node = f"node_{level}"
        code_type = next(name for limit, name in _CODE_TYPES if size <= limit)
        label: exp.Expr = column("label", node)
        if level < below_top and released_missing is not None:
            label = exp.Coalesce(this=label, expressions=[exp.Parameter(this=exp.Var(this="missing"))])
        if level < below_top and label_type is not None:
            label = exp.Cast(this=label, to=label_type.copy())
        items.append(
            {
                "number": level,
                "node": node,
                "name": f"level_{level}",
                "label": label,
                "label_name": f"label_{level}",
                "code": exp.cast(column("code", node), code_type, dialect="duckdb"),
                "key": f"{leaves.key}_{level}",
            }
        )
    engine.query(
        "hierarchy/mapping",
        lists={"level": items},
        names={"mapping": state(f"mapping_{index}"), "weight": weight, "leaf": leaves.relation, "node_key": leaves.key},
        values=leaves.values if released_missing is None else {**leaves.values, "missing": released_missing},
    )


def _label_type(engine: Engine, index: int, height: int, weight: str, released_missing: str | None) -> exp.DataType:
    """Makes the ENUM type of the labels below the top; a reference to it."""
    name = state(f"label_{index}")
    labels = template.fill("hierarchy/labels", names={"weight": weight})
    temporary = exp.Properties(expressions=[exp.TemporaryProperty()])
    created = exp.Create(
        this=exp.Table(this=quoted(name)),
        kind="TYPE",
        replace=True,
        properties=temporary,
        expression=exp.Anonymous(this="ENUM", expressions=[labels]),
    )
    engine.run(created, {"height": height, "missing": released_missing})
    return exp.DataType(this=exp.DataType.Type.USERDEFINED, kind=quoted(name))
