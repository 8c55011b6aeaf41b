"""A full-domain release as one self-contained SELECT: the mapping tables inlined."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from kanon_sql.engine import template
from kanon_sql.engine.connection import Engine
from kanon_sql.engine.template import Item, column
from kanon_sql.hierarchy.mapping import Mapping
from kanon_sql.search.lattice import Node
from kanon_sql.source.roles import Roles

_STAR = exp.Literal.string("*")


def compiled_release(
    engine: Engine,
    rows: exp.Select,
    roles: Roles,
    mappings: Sequence[Mapping],
    node: Node,
    *,
    order: str,
    k: int,
    masks: bool,
) -> exp.Expr:
    """The release of a lattice node as one SELECT over the source, its mapping tables inlined."""
    levels = {
        item.key: (mapping, level) for item, mapping, level in zip(roles.quasi_identifiers, mappings, node, strict=True)
    }
    joined: list[Item] = []
    outputs: list[Item] = []
    classes: list[Item] = []
    size = exp.Window(this=exp.Count(this=exp.Star()), partition_by=[])
    for item in roles.released:
        value: exp.Expr = column(item.key, "source")
        if item.key in levels:
            mapping, level = levels[item.key]
            name = f"mapping_{mapping.index}"
            if level or item.is_text or not mapping.height:
                joined.append({"mapping": _values(engine, mapping, level, name), "key": item.key, "name": name})
                value = column("released", name)
            classes.append({"value": value.copy()})
        outputs.append({"value": value, "name": item.name})
    size.set("partition_by", [entry["value"] for entry in classes])
    if masks:
        outputs = [
            _mask(entry, item.key in levels, size, k) for entry, item in zip(outputs, roles.released, strict=True)
        ]
    drawn: list[Item] = [{"key": exp.Anonymous(this="random")}] if order == "random" else []
    return _assemble(rows, outputs, joined, classes, drawn, 0 if masks else k)


def _assemble(
    rows: exp.Select,
    outputs: list[Item],
    joined: list[Item],
    classes: list[Item],
    order: list[Item],
    smallest: int,
) -> exp.Expr:
    """The query file with the mapping tables, which are VALUES lists, put in its joins."""
    tree = template.fill(
        "compiled_release",
        names={"source": rows, "smallest_size": smallest, "class_size": template.state("class_size")},
        lists={
            "out": outputs,
            "class": classes,
            "sort": order,
            "qi": [{"mapping": str(entry["name"]), "key": entry["key"]} for entry in joined],
        },
    )
    for entry in joined:
        table = next(found for found in tree.find_all(exp.Table) if found.name == entry["name"])
        mapping = entry["mapping"]
        assert isinstance(mapping, exp.Expr)
        table.replace(mapping)
    return tree


def _values(engine: Engine, mapping: Mapping, level: int, name: str) -> exp.Expr:
    pairs = engine.query("mapping_pairs", names={"mapping": mapping.table, "label_here": f"label_{level}"})
    tuples = [
        exp.Tuple(expressions=[typed(value, mapping.column_type), typed(label, "VARCHAR")]) for value, label in pairs
    ]
    alias = exp.TableAlias(this=template.quoted(name), columns=[template.quoted("value"), template.quoted("released")])
    return exp.Values(expressions=tuples, alias=alias)


def typed(value: str | None, column_type: str) -> exp.Expr:
    """A value, given as text, as an expression of a type."""
    found: exp.Expr = exp.null() if value is None else exp.Literal.string(value)
    return found if column_type == "VARCHAR" and value is not None else exp.cast(found, column_type, dialect="duckdb")


def _mask(entry: Item, is_quasi_identifier: bool, size: exp.Window, k: int) -> Item:
    if not is_quasi_identifier:
        return entry
    value = entry["value"]
    assert isinstance(value, exp.Expr)
    small = exp.LT(this=size.copy(), expression=exp.Literal.number(k))
    masked = exp.Case(ifs=[exp.If(this=small, true=_STAR.copy())], default=exp.cast(value.copy(), "VARCHAR"))
    return {**entry, "value": masked}
