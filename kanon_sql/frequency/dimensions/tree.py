"""Dimensions along a hierarchy: leaves in its order, every node a range of them."""

from __future__ import annotations

from itertools import accumulate

from kanon_sql.errors import ConfigurationError
from kanon_sql.frequency.dimensions.dimension import Dimension, Tree
from kanon_sql.frequency.dimensions.order import narrow
from kanon_sql.hierarchy.hierarchy import Input
from kanon_sql.hierarchy.mapping import Mapping
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Item, state

_MOST_BITS = 62


def tree_dimension(engine: Engine, one: Input, mapping: Mapping) -> Dimension:
    """Packs the hierarchy of a quasi-identifier, whose mapping tables are in the engine.

    Missing values stand beside the nodes below the top; a class of them and others is *, whatever the top is called.
    Raises ConfigurationError for a hierarchy whose ways do not fit into 62 bits.
    """
    shifts = _pack(engine, mapping, one.place)
    dimension = Dimension(
        index=mapping.index,
        column=one.column,
        kind="tree",
        values=mapping.leaves,
        has_missing=True,
        weight=mapping.weight,
        released_missing=one.released_missing,
        tree=Tree(shifts, mapping.min_level, sum(1 << shift for shift in shifts[:-1])),
    )
    packed: list[Item] = [{"ordinal": f"ordinal_{level}", "shift": shift} for level, shift in enumerate(shifts[:-1])]
    engine.query(
        "frequency/tree_domain",
        names={"domain": dimension.domain, "mapping": mapping.table, "paths": state("paths")},
        lists={"step": packed},
    )
    reached: list[Item] = [
        {"number": level, "code": f"level_{min(level, mapping.height)}", "shift": shift}
        for level, shift in enumerate(shifts)
    ]
    engine.query(
        "frequency/tree_nodes",
        names={
            "nodes": dimension.nodes,
            "domain": dimension.domain,
            "mapping": mapping.table,
            "weight": mapping.weight_table,
            "file_top": mapping.height,
        },
        lists={"step": reached},
        values={"leaves": mapping.leaves, "missing": one.released_missing},
    )
    narrow(engine, dimension, (1 << shifts[-1]) - 1)
    return dimension


def _pack(engine: Engine, mapping: Mapping, place: str) -> tuple[int, ...]:
    """Makes the table paths, of each leaf's way from the top; how far each level is shifted in the packed way."""
    levels = mapping.height + 1
    climbing = max(mapping.height, 1)
    steps: list[Item] = [{"code": f"level_{level}"} for level in range(levels)]
    codes, paths = state(f"codes_{mapping.index}"), state("paths")
    engine.query("frequency/tree_codes", names={"codes": codes, "mapping": mapping.table}, lists={"step": steps})
    ordinals: list[Item] = [
        {
            "code": f"level_{level}",
            "parent": f"level_{level + 1}" if level + 1 < climbing else "top",
            "ordinal": f"ordinal_{level}",
        }
        for level in range(climbing)
    ]
    engine.query("frequency/tree_paths", names={"codes": codes, "paths": paths}, lists={"step": ordinals})
    widest = engine.query("frequency/tree_widths", names={"paths": paths}, lists={"step": ordinals})[0]
    shifts = tuple(accumulate((int(most).bit_length() for most in widest), initial=0))
    if shifts[-1] > _MOST_BITS:
        raise ConfigurationError(
            f"{place}: the hierarchy needs {shifts[-1]} bits for the way to a value, expected at most {_MOST_BITS}; "
            "leave out a level"
        )
    return shifts
