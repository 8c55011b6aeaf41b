"""A release of classes as one self-contained SELECT: tables of values, of ranges and of labels."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from kanon_sql.frequency.dimensions import Dimension
from kanon_sql.release.classes import Output, dealing_order, list_shares, tells_apart
from kanon_sql.release.compiled import (
    CompiledRelease,
    CompileRequest,
    Released,
    assembled,
    key_name,
    leave_out,
    other_name,
    split_missing,
)
from kanon_sql.source.columns import or_missing
from kanon_sql.source.roles import Roles
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Item, column, quoted, state
from kanon_sql.sql.writing import Cell, Listing, cell_of

# How the rows of shared tuples are dealt out.
_DEAL: Item = {
    "turn": "turn",
    "before": "rows_before",
    "last": "last_row",
}


def compiled_classes(
    engine: Engine,
    asked: CompileRequest,
    roles: Roles,
    dimensions: Sequence[Dimension],
    outputs: Sequence[Output],
    *,
    boxes: bool,
    seed: int,
) -> CompiledRelease:
    """The release as one SELECT over the source.

    With `boxes` every class is one range of positions along each dimension, and no two overlap: a table of ranges says
    it all. Otherwise the tuples of each class are listed, and where classes share tuples the rows that each takes.
    """
    domains = [_domain(engine, d, asked) for d in dimensions]
    labels = [output.label for output in outputs if output.label and not output.is_plain(as_text=asked.as_text)]
    types = _label_types(engine, asked)
    boxes = boxes and not asked.executed
    dealt = not boxes and classes_share(engine, dimensions)
    positions = [d.position for d in dimensions]
    edges = [{"position": d.position, "low": f"low_{d.index}", "high": f"high_{d.index}"} for d in dimensions]
    placed = exp.select(*map(column, positions)).distinct().from_("placed")
    lists: dict[str, list[Item]] = {
        **({"part": [], "range": [*edges]} if boxes else {"part": [{"number": "part"}], "range": []}),
        **_dealing(asked, outputs, seed if dealt else None),
        "label": [{"name": label} for label in labels],
        "qi": [
            {"domain": listing.name, "key": key_name(d.column), "place": place, "position": d.position}
            for d, (listing, place) in zip(dimensions, domains, strict=True)
        ],
        **_columns(asked, outputs),
    }
    statement = assembled(asked, roles, "release/compiled_classes", lists, {"tuples": placed} if boxes else None)
    if not dealt:
        leave_out(statement, "dealt")
    listings = [listing for listing, _ in domains]
    if boxes:
        numbers = [edge[end] for edge in edges for end in ("low", "high")]
        listings.append(_classes(engine, labels, types, numbers, state("classes")))
    else:
        listings.append(_tuples(engine, positions, dealt=dealt))
        listings.append(_classes(engine, labels, types, ["part"], state("released_classes")))
    types |= {item.key: item.released_type for item in roles.released}
    released = tuple(
        Released(f"r{position}", output.name, output.label is not None, types[_shown(output, asked)])
        for position, output in enumerate(outputs)
    )
    return CompiledRelease(statement, tuple(listings), released)


def _shown(output: Output, asked: CompileRequest) -> str:
    """The column of a row, or of its class, that is released."""
    return str(output.key if output.is_plain(as_text=asked.as_text) else output.label)


def _columns(asked: CompileRequest, outputs: Sequence[Output]) -> dict[str, list[Item]]:
    """What is taken along of each row as it is, and what is released."""
    others: list[Item] = []
    out: list[Item] = []
    for position, output in enumerate(outputs):
        value = column(str(output.label), "members")
        if output.is_plain(as_text=asked.as_text):
            assert output.column is not None
            name = other_name(output.column)
            given: exp.Expr = column(name, "source_rows")
            if output.label is not None:
                given = output.column.released(column(key_name(output.column), "source_rows"))
            others.append({"value": given, "column": name})
            value = column(name, "dealt")
        out.append({"value": value, "column": f"r{position}", "name": output.name})
    if asked.carried is not None:
        others.append({"value": column("entity", "source_rows"), "column": "entity"})
        out.append({"value": column("entity", "dealt"), "column": "entity", "name": "entity"})
    return {"other": others, "out": out}


def _dealing(asked: CompileRequest, outputs: Sequence[Output], seed: int | None) -> dict[str, list[Item]]:
    """What the rows of a shared tuple are put in turn by: their values, or chance where no hash is at hand."""
    if seed is None:
        return {"deal": [], "drawn": []}
    values = [
        (column(f"o{output.key[1:]}", "source_rows"), output.column.type)
        for output in outputs
        if output.key is not None and output.column is not None
    ]
    drawn = dealing_order(values, seed) if asked.hashes else []
    if not asked.hashes or not all(tells_apart(kind) for _, kind in values):
        drawn.append(exp.Rand())
    names: list[Item] = [{"value": value, "name": f"drawn_{place}"} for place, value in enumerate(drawn)]
    return {"deal": [_DEAL], "drawn": names}


def _domain(engine: Engine, d: Dimension, asked: CompileRequest) -> tuple[Listing, exp.Expr]:
    """(the values with their positions, the position of a row's value)."""
    found = engine.query("release/compiled_domain", names={"domain": d.domain})
    listed, absent = split_missing(found, d.column, asked.missing)
    name = f"domain_{d.index}"
    rows = tuple((cell_of(value, d.column.type), int(position)) for value, position in listed)
    columns = (("value", d.column.type), ("position", "BIGINT"))
    literal = None if absent is None else exp.Literal.number(int(absent[0]))
    place = or_missing(column(key_name(d.column), "source_rows"), column("position", name), literal)
    return Listing(name, f"quasi-identifier {d.column.name!r}", columns, rows), place


def classes_share(engine: Engine, dimensions: Sequence[Dimension]) -> bool:
    """Makes the table of shares; whether classes share any tuple."""
    list_shares(engine, dimensions)
    return bool(engine.query("release/sharers", names={"shares": state("shares")})[0][0])


def _tuples(engine: Engine, positions: Sequence[str], *, dealt: bool) -> Listing:
    names = [*positions, "part", *(("rows_before", "last_row") if dealt else ())]
    ordered = [column(name) for name in names]
    found = engine.run(exp.select(*map(column, names)).from_(quoted(state("shares"))).order_by(*ordered))
    rows = tuple(tuple(map(int, row)) for row in found)
    columns = tuple((name, "BIGINT") for name in names)
    return Listing("tuples", "the tuples of the classes", columns, rows, keys=len(positions) + 1)


def _label_types(engine: Engine, asked: CompileRequest) -> dict[str, str]:
    """The type of each label; a bound is of its column's type."""
    described = engine.run(exp.Describe(this=exp.to_table(state("released_classes"))))
    types = {str(row[0]): str(row[1]) for row in described}
    return {
        name: "VARCHAR" if kind.startswith("ENUM") or (asked.as_text and name.startswith("label_")) else kind
        for name, kind in types.items()
    }


def _classes(
    engine: Engine, labels: Sequence[str], types: dict[str, str], numbers: Sequence[str], table: str
) -> Listing:
    """Positions and labels of the classes."""
    found = engine.query(
        "release/compiled_labels",
        names={"released_classes": state("released_classes"), "other_classes": table},
        lists={"label": [{"name": label} for label in labels], "class": [{"number": number} for number in numbers]},
    )
    split = len(numbers)
    rows: list[tuple[Cell, ...]] = [
        (
            *map(int, row[:split]),
            *(cell_of(value, types[label]) for label, value in zip(labels, row[split:], strict=True)),
        )
        for row in found
    ]
    columns = (*((number, "BIGINT") for number in numbers), *((label, types[label]) for label in labels))
    return Listing("classes", "the labels of the classes", columns, tuple(rows), keys=split)
