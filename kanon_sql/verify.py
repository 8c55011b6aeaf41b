"""Counting again: the written release, read with SQL of its own that shares nothing with the search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from kanon_sql.engine.connection import Engine
from kanon_sql.engine.template import Item, column
from kanon_sql.errors import EngineError, VerificationError
from kanon_sql.hierarchy.mapping import Mapping
from kanon_sql.search.lattice import Node
from kanon_sql.source.model import Source


@dataclass(frozen=True)
class ClassCounts:
    """Equivalence classes of a table; `starred` rows, * in every quasi-identifier, where these are counted apart."""

    rows: int
    classes: int
    smallest: int
    largest: int
    starred: int
    violating_classes: int
    violating_rows: int
    unique_rows: int

    @property
    def average(self) -> float | None:
        """Rows for each class, None without one."""
        return (self.rows - self.starred) / self.classes if self.classes else None


def count_classes(
    engine: Engine, rows: exp.Select, values: Sequence[exp.Expr], k: int, *, apart: bool = False
) -> ClassCounts:
    """The equivalence classes of the rows under the given quasi-identifier values; NULL is a value.

    With `apart` rows that are * in every quasi-identifier are no class of these but counted as starred.
    """
    named = [exp.alias_(value.copy(), f"v{i}", quoted=True) for i, value in enumerate(values)]
    items: list[Item] = [{"value": f"v{i}"} for i in range(len(values))]
    selected = exp.select(*named).from_(rows.copy().subquery("table_rows"))
    found = engine.query(
        "verify_classes", values={"k": k, "apart": apart}, names={"written": selected}, lists={"qi": items}
    )
    return ClassCounts(*(int(value) for value in found[0]))


def require_columns(written: Source, names: Sequence[str]) -> None:
    """Raises VerificationError where other columns were written than those to be released."""
    if sorted(item.name for item in written.columns) != sorted(names):
        raise VerificationError(
            f"the columns written are not those to be released: expected {len(names)}, found {len(written.columns)}"
        )


def count_problems(counts: ClassCounts, rows: int, k: int) -> list[str]:
    """What is wrong with the rows and the sizes of the classes that were counted."""
    problems = []
    if counts.rows != rows:
        problems.append(f"{counts.rows} rows were written, expected {rows}: did the source change during the run?")
    if counts.violating_classes:
        problems.append(
            f"{counts.violating_classes} equivalence classes ({counts.violating_rows} rows) hold fewer than {k} rows"
        )
    return problems


def verify_levels(
    engine: Engine,
    written: Source,
    names: Sequence[str],
    quasi_identifiers: Sequence[str],
    mappings: Sequence[Mapping],
    node: Node,
    k: int,
    *,
    rows: int,
    masked: int,
) -> ClassCounts:
    """Checks what was written: columns, rows, every class at least k, every value one of the level chosen.

    Raises VerificationError with every point that does not hold.
    """
    try:
        return _verify(engine, written, names, quasi_identifiers, mappings, node, k, rows=rows, masked=masked)
    except EngineError as error:
        raise VerificationError(f"what was written cannot be read again: {error}") from error


def _verify(
    engine: Engine,
    written: Source,
    names: Sequence[str],
    quasi_identifiers: Sequence[str],
    mappings: Sequence[Mapping],
    node: Node,
    k: int,
    *,
    rows: int,
    masked: int,
) -> ClassCounts:
    require_columns(written, names)
    keys = [written.column(name).key for name in quasi_identifiers]
    # By their texts: whoever reads the release tells 0.0 from -0.0, though the engine does not.
    values = [
        exp.cast(column(key), "VARCHAR") if mapping.column_type in ("DOUBLE", "FLOAT", "INTERVAL") else column(key)
        for key, mapping in zip(keys, mappings, strict=True)
    ]
    counts = count_classes(engine, written.relation, values, k, apart=masked > 0)
    problems = count_problems(counts, rows, k)
    if masked and counts.starred < masked:
        problems.append(f"{counts.starred} masked rows were written, expected {masked}")
    for key, name, mapping, level in zip(keys, quasi_identifiers, mappings, node, strict=True):
        as_it_was = level == 0 < mapping.height and mapping.column_type != "VARCHAR"
        foreign = engine.query(
            "verify_typed_members" if as_it_was else "verify_members",
            values={"masked": masked > 0},
            names={
                "written": written.relation,
                "mapping": mapping.table,
                "label": f"label_{level}",
                "typed_value": exp.TryCast(this=column("value", "present"), to=_type(mapping)),
            },
            lists={"qi": [{"value": key}]},
        )[0][0]
        if foreign:
            problems.append(f"column {name!r} holds {foreign} distinct values that are none of level {level}")
    if problems:
        raise VerificationError(problems)
    return counts


def _type(mapping: Mapping) -> exp.DataType:
    return exp.DataType.build(mapping.column_type, dialect="duckdb")
