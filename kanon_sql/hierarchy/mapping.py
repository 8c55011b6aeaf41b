"""The mapping tables of a quasi-identifier in the engine, made from a hierarchy file or a built-in hierarchy.

Two tables for quasi-identifier i, whose names are in its MappingTable:

* mapping(value, level_0 ... level_H, label_0 ... label_H): one row for each raw value, for each text that is read as
  NULL, and for NULL. Codes are dense from 1 at every level. A missing value has code 0 below the top, where it is
  released as NULL or as the text that the source writes for it; at the top it is *, in one class with all others where
  the hierarchy's top is * too.
* weight(level, code, leaves, label): how many values of the hierarchy are below each released value. Code 0 has one
  leaf, so that it costs nothing, and no label.

Hierarchies are written out, too: as the CSV rows for the values of a column, and as a tree.
"""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from kanon_sql.config.model import QuasiIdentifier
from kanon_sql.errors import ConfigurationError
from kanon_sql.hierarchy.builtin import build_leaves, drop_leaves
from kanon_sql.hierarchy.hierarchy import GeneralizedColumn, Hierarchy
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.tables import MOST_LABELS, enum_type
from kanon_sql.sql.template import Item, column, quoted, state, type_of

STAR = "*"  # the label of a missing value at the top
_CODE_TYPES = ((0xFF, "UTINYINT"), (0xFFFF, "USMALLINT"), (0xFFFFFFFF, "UINTEGER"))


@dataclass(frozen=True)
class MappingTable:
    """A quasi-identifier whose mapping tables are in the engine.

    `leaves` is |A|: the number of values of the hierarchy file or, for the built-in `builtin`, of distinct values of
    the column, at least 1. `codes` is the greatest code of any level. `min_level` and `max_level` bound the search.
    `splits_top` says that the file's top has a label of its own, so that missing values (*) are apart from it.
    """

    index: int
    column: str
    column_type: str
    table: str
    weight_table: str
    height: int
    leaves: int
    codes: int
    min_level: int
    max_level: int
    weight: float
    builtin: str | None
    splits_top: bool = False


def build_mapping(engine: Engine, qi: GeneralizedColumn) -> MappingTable:
    """Builds the mapping tables of one quasi-identifier; the column is only read for a built-in.

    Raises ConfigurationError for options that do not fit, and where values of the hierarchy file that are generalized
    differently are one value of the column's type.
    """
    spec, hierarchy = qi.spec, qi.hierarchy
    if hierarchy is not None:
        leaves = _file_leaves(engine, qi, hierarchy)
    elif spec.builtin is not None:
        leaves = _builtin_leaves(engine, qi)
    else:
        raise ConfigurationError(
            f"{qi.where}: no hierarchy is given; expected a hierarchy file, a ready one or a builtin"
        )
    lowest, highest = _bounds(spec, leaves.height, qi.where)
    _make_mapping(engine, qi, leaves)
    if hierarchy is None:
        drop_leaves(engine)
    return MappingTable(
        index=qi.index,
        column=qi.column.name,
        column_type=qi.column.type,
        table=state(f"mapping_{qi.index}"),
        weight_table=_weight(qi),
        height=leaves.height,
        leaves=leaves.count,
        codes=max(leaves.sizes),
        min_level=lowest,
        max_level=highest,
        weight=spec.weight,
        builtin=None if hierarchy is not None else spec.builtin,
        splits_top=hierarchy is not None and set(hierarchy.levels[-1]) != {STAR},
    )


@dataclass(frozen=True)
class Leaf:
    """A value of a hierarchy file in its column's type.

    `text` is the text of the typed value, None where it is no value of that type; `first` is the position of the first
    value of the file that equals it.
    """

    text: str | None
    first: int


@dataclass(frozen=True)
class CodedHierarchy:
    """A hierarchy as columns of integers and labels.

    `levels`, `codes`, `leaves` and `labels` are parallel, with one entry for each released value; `values` are those
    that the column can hold, parallel to each `value_codes[level]`; `count` is |A|.
    """

    levels: list[int]
    codes: list[int]
    leaves: list[int]
    labels: list[str | None]
    values: list[str | None]
    value_codes: list[list[int]]
    count: int

    @property
    def sizes(self) -> tuple[int, ...]:
        """The largest code of every level."""
        largest: dict[int, int] = {}
        for level, code in zip(self.levels, self.codes, strict=True):
            largest[level] = max(largest.get(level, 0), code)
        return tuple(largest.values())


def encode(
    hierarchy: Hierarchy, typed: Sequence[Leaf] | None, absent: Sequence[str | None], where: str
) -> CodedHierarchy:
    """Numbers the labels of every level from 1 in the order of the file.

    `typed` has the values in the type of their column, None for texts. `absent` are the values that are read as missing
    (NULL among them): code 0 below the top, * at the top, with the code of all others where the file's top is *, too.

    Values that are equal in the type of the column count once. Raises ConfigurationError where they are generalized
    differently.
    """
    kept, names = _kept(hierarchy, typed, where)
    missing = set(absent)
    present = [
        position
        for position, leaf in enumerate(kept)
        if hierarchy.leaves[leaf] not in missing and (typed is None or typed[leaf].text is not None)
    ]
    encoded = CodedHierarchy(
        levels=[],
        codes=[],
        leaves=[],
        labels=[],
        value_codes=[],
        count=len(kept),
        values=[*(hierarchy.leaves[kept[position]] for position in present), *absent],
    )
    for level in range(hierarchy.height + 1):
        labels = names if level == 0 else [hierarchy.levels[level][leaf] for leaf in kept]
        is_top = level == hierarchy.height
        shared = is_top and set(labels) <= {STAR}
        codes = _add_level(encoded, level, labels)
        if not shared:
            encoded.levels.append(level)
            encoded.codes.append(0)
            encoded.leaves.append(encoded.count if is_top else 1)
            encoded.labels.append(STAR if is_top else None)
        encoded.value_codes.append([codes[position] for position in present] + [int(shared)] * len(absent))
    return encoded


def _kept(hierarchy: Hierarchy, typed: Sequence[Leaf] | None, where: str) -> tuple[list[int], list[str]]:
    """(positions of the values that differ in their column's type, texts of these values)."""
    if typed is None:
        return list(range(len(hierarchy.leaves))), list(hierarchy.leaves)
    kept, conflicts = [], 0
    above = hierarchy.levels[min(1, hierarchy.height)]
    for position, leaf in enumerate(typed):
        if leaf.text is None or leaf.first == position:
            kept.append(position)
        elif above[position] != above[leaf.first]:
            conflicts += 1
    if conflicts:
        raise ConfigurationError(
            f"{hierarchy.name}: {conflicts} {'value is' if conflicts == 1 else 'values are'} the same as an earlier "
            f"one in the type of the column but generalized differently ({where}); give equal values one row"
        )
    texts = [typed[position].text for position in kept]
    return kept, [
        hierarchy.leaves[position] if text is None else text for position, text in zip(kept, texts, strict=True)
    ]


def _add_level(encoded: CodedHierarchy, level: int, labels: Sequence[str]) -> list[int]:
    """Adds the released values of one level, and gives the code of every label. Those of level 0 all differ."""
    if level == 0:
        distinct = list(labels)
        codes = list(range(1, len(labels) + 1))
        leaves = [1] * len(labels)
    else:
        distinct = list(dict.fromkeys(labels))
        numbers = {label: code for code, label in enumerate(distinct, 1)}
        codes = [numbers[label] for label in labels]
        counted = Counter(codes)
        leaves = [counted[code] for code in range(1, len(distinct) + 1)]
    encoded.levels.extend([level] * len(distinct))
    encoded.codes.extend(range(1, len(distinct) + 1))
    encoded.leaves.extend(leaves)
    encoded.labels.extend(distinct)
    return codes


def uncovered(engine: Engine, mapping: MappingTable, values: exp.Select) -> int:
    """The number of distinct raw values, selected as `value`, without a row in the mapping table."""
    names = {"mapping": mapping.table, "raw_values": values}
    return int(engine.query("hierarchy/uncovered", names=names)[0][0])


def uncovered_examples(engine: Engine, mapping: MappingTable, values: exp.Select) -> list[str]:
    """The first five distinct raw values without a row in the mapping table; only for --show-values."""
    names = {"mapping": mapping.table, "raw_values": values}
    return [str(row[0]) for row in engine.query("hierarchy/uncovered_examples", names=names)]


def _bounds(spec: QuasiIdentifier, height: int, where: str) -> tuple[int, int]:
    """(lowest, highest) level of the search. Raises ConfigurationError for levels that the hierarchy lacks."""
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
    """The values of a hierarchy in the engine.

    `relation` has the value and, for each level, the key of its row in the weight table: its `key`, as code_0, code_1
    ... or label_0, label_1 ...; `values` are its parameters. `sizes` are the numbers of labels of the levels, `count`
    is that of the values.
    """

    relation: exp.Expr
    key: str
    sizes: tuple[int, ...]
    count: int
    values: dict[str, Any]

    @property
    def height(self) -> int:
        return len(self.sizes) - 1


def _weight(qi: GeneralizedColumn) -> str:
    return state(f"weight_{qi.index}")


def _file_leaves(engine: Engine, qi: GeneralizedColumn, hierarchy: Hierarchy) -> _Leaves:
    """Makes the weight table of a hierarchy file."""
    value: exp.Expr = exp.column("leaf")
    typed = None
    if not qi.column.is_text:
        value = exp.TryCast(this=value, to=qi.type)
        rows = engine.query(
            "hierarchy/cast_leaves",
            names={"typed_value": value},
            values={"leaves": json.dumps(hierarchy.leaves), "count": len(hierarchy.leaves)},
        )
        typed = [Leaf(text, first) for text, first in rows]
    encoded = encode(hierarchy, typed, qi.absent, qi.where)
    engine.query(
        "hierarchy/file_weight",
        names={"weight": _weight(qi)},
        values={name: json.dumps(getattr(encoded, name)) for name in ("levels", "codes", "leaves", "labels")},
    )
    levels: list[Item] = [{"number": level, "key": f"code_{level}"} for level in range(hierarchy.height + 1)]
    relation = template.fill("hierarchy/file_leaves", names={"typed_value": value}, lists={"level": levels})
    bound = {"leaves": json.dumps(encoded.values), "codes": json.dumps(encoded.value_codes)}
    return _Leaves(relation, "code", encoded.sizes, encoded.count, bound)


def _builtin_leaves(engine: Engine, qi: GeneralizedColumn) -> _Leaves:
    """Makes the weight table of a built-in hierarchy for the values of a column."""
    height = build_leaves(engine, qi)
    levels: list[Item] = [{"number": level, "key": f"label_{level}"} for level in range(height)]
    engine.query(
        "hierarchy/builtin_weight", names={"weight": _weight(qi)}, lists={"level": levels}, values={"height": height}
    )
    rows = engine.query("hierarchy/sizes", names={"weight": _weight(qi)})
    sizes = [(int(labels), int(leaves)) for labels, leaves in rows]
    return _Leaves(
        exp.Table(this=quoted(state("leaf"))), "label", tuple(labels for labels, _ in sizes), sizes[-1][1], {}
    )


def _make_mapping(engine: Engine, qi: GeneralizedColumn, leaves: _Leaves) -> None:
    """Makes the mapping table from values, codes and labels, these as an ENUM type where they are few."""
    missing, below_top = qi.released_missing, max(leaves.height, 1)
    label_type = None
    if sum(leaves.sizes[:below_top]) <= MOST_LABELS:
        labels = template.fill("hierarchy/labels", names={"weight": _weight(qi)})
        label_type = enum_type(engine, state(f"label_{qi.index}"), labels, {"height": below_top, "missing": missing})
    levels: list[Item] = []
    for level, size in enumerate(leaves.sizes):
        node = f"node_{level}"
        code_type = next(name for limit, name in _CODE_TYPES if size <= limit)
        label: exp.Expr = column("label", node)
        if level < below_top and missing is not None:
            label = exp.Coalesce(this=label, expressions=[exp.Parameter(this=exp.Var(this="missing"))])
        if level < below_top and label_type is not None:
            label = exp.Cast(this=label, to=label_type.copy())
        levels.append(
            {
                "number": level,
                "node": node,
                "name": f"level_{level}",
                "label": label,
                "label_name": f"label_{level}",
                "code": exp.Cast(this=column("code", node), to=type_of(code_type)),
                "key": f"{leaves.key}_{level}",
            }
        )
    mapping = state(f"mapping_{qi.index}")
    engine.query(
        "hierarchy/mapping",
        lists={"level": levels},
        names={"mapping": mapping, "weight": _weight(qi), "leaf": leaves.relation, "node_key": leaves.key},
        values=leaves.values if missing is None else {**leaves.values, "missing": missing},
    )


def covered_rows(engine: Engine, mapping: MappingTable, distinct: exp.Select) -> list[tuple[str, ...]]:
    """The rows of a hierarchy file for the values of a column, selected as `value`, if the mapping covers them."""
    levels = [{"label": f"label_{level}"} for level in range(mapping.height + 1)]
    names = {"mapping": mapping.table, "raw_values": distinct}
    return engine.query("hierarchy/covered_rows", names=names, lists={"step": levels})


def to_csv(rows: Sequence[Sequence[str]]) -> str:
    """Rows as the text of a hierarchy file, with quotes around labels that hold commas."""
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows(rows)
    return file.getvalue()


def file_rows(hierarchy: Hierarchy) -> list[tuple[str, ...]]:
    """The rows of the file of a hierarchy."""
    return list(zip(*hierarchy.levels, strict=True))


class Branches:
    """The tree of a hierarchy from its top down: for a label the labels below it."""

    def __init__(self, hierarchy: Hierarchy) -> None:
        self.height = hierarchy.height
        self.top = hierarchy.levels[-1][0]
        self._below: list[dict[str, dict[str, None]]] = [{}]
        self._leaves: list[dict[str, int]] = []
        for level, labels in enumerate(hierarchy.levels):
            counts: dict[str, int] = {}
            for label in labels:
                counts[label] = counts.get(label, 0) + 1
            self._leaves.append(counts)
            if level:
                below: dict[str, dict[str, None]] = {}
                for lower, upper in zip(hierarchy.levels[level - 1], labels, strict=True):
                    below.setdefault(upper, {})[lower] = None
                self._below.append(below)

    def below(self, level: int, label: str) -> Iterator[tuple[int, str]]:
        """(level, label) of each label below a label; one that has only itself below is skipped."""
        for lower in self._below[level].get(label, ()):
            yield self._deepest(level - 1, lower)

    def leaves(self, level: int, label: str) -> int:
        """The number of values below a label."""
        return self._leaves[level][label]

    def _deepest(self, level: int, label: str) -> tuple[int, str]:
        while level and list(self._below[level][label]) == [label]:
            level -= 1
        return level, label
