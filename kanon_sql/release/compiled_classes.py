"""A release of classes as one self-contained SELECT, over tables of values, of ranges or tuples, and of labels."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from kanon_sql.frequency.dimensions import Dimension
from kanon_sql.release.classes import Output, dealing_order, list_shares, tells_apart
from kanon_sql.release.compiled import (
    CompiledRelease,
    CompileRequest,
    ReleasedColumn,
    assembled,
    key_name,
    leave_out,
    other_name,
    set_with,
    split_missing,
    with_of,
)
from kanon_sql.search.mondrian import Partitioning
from kanon_sql.search.rounds import RemoteRounds
from kanon_sql.source.columns import or_missing
from kanon_sql.source.roles import Roles
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Item, column, quoted, state
from kanon_sql.sql.writing import Cell, Listing, cell_of

# How the rows of shared tuples are dealt out.
_DEAL: Item = {"turn": "turn", "before": "rows_before", "last": "last_row"}


def compiled_classes(
    engine: Engine,
    request: CompileRequest,
    roles: Roles,
    dimensions: Sequence[Dimension],
    outputs: Sequence[Output],
    *,
    division: Partitioning,
    rounds: RemoteRounds | None = None,
) -> CompiledRelease:
    """The release as one SELECT over the source.

    In a `division` into boxes every class is one range of positions along each dimension, and no two overlap: a table
    of ranges is enough. Otherwise the tuples of each class are listed, and where classes share tuples the rows that
    each takes. A statement that is executed where `rounds` have the tuples reads them there.
    """
    domains = [_domain(engine, d, request) for d in dimensions]
    labels = [output.label for output in outputs if output.label and not output.is_plain(as_text=request.as_text)]
    types = _label_types(engine, request)
    boxes = division.boxes and not request.executed
    there = rounds if request.executed else None
    if not boxes and rounds is not None and there is None:
        _bring_tuples(rounds, dimensions)
    dealt = not boxes and there is None and classes_share(engine, dimensions)
    positions = [d.position for d in dimensions]
    edges = [{"position": d.position, "low": f"low_{d.index}", "high": f"high_{d.index}"} for d in dimensions]
    placed = exp.select(*map(column, positions)).distinct().from_("placed")
    lists: dict[str, list[Item]] = {
        **({"part": [], "range": [*edges]} if boxes else {"part": [{"number": "part"}], "range": []}),
        **_dealing(request, outputs, division.seed if dealt else None),
        "label": [{"name": label} for label in labels],
        "qi": [
            {"domain": listing.name, "key": key_name(d.column), "place": position_of, "position": d.position}
            for d, (listing, position_of) in zip(dimensions, domains, strict=True)
        ],
        **_columns(request, outputs),
    }
    statement = assembled(request, roles, "release/compiled_classes", lists, {"tuples": placed} if boxes else None)
    if not dealt:
        leave_out(statement, "dealt")
    listings = [listing for listing, _ in domains]
    if boxes:
        numbers = [edge[end] for edge in edges for end in ("low", "high")]
        listings.append(_classes(engine, labels, types, numbers, state("classes")))
    else:
        if there is None:
            listings.append(_tuples(engine, positions, dealt=dealt))
        else:
            set_with(statement, [_tuples_there(there, positions), *with_of(statement).expressions])
        listings.append(_classes(engine, labels, types, ["part"], state("released_classes")))
    types |= {col.key: col.released_type for col in roles.released}
    released = []
    for position, output in enumerate(outputs):
        shown = output.key if output.is_plain(as_text=request.as_text) else output.label
        released.append(ReleasedColumn(f"r{position}", output.name, output.label is not None, types[str(shown)]))
    return CompiledRelease(statement, tuple(listings), tuple(released))


def _columns(request: CompileRequest, outputs: Sequence[Output]) -> dict[str, list[Item]]:
    """The columns taken along from each row as they are (`other`), and the released ones (`out`)."""
    others: list[Item] = []
    out: list[Item] = []
    for position, output in enumerate(outputs):
        value = column(str(output.label), "members")
        if output.is_plain(as_text=request.as_text):
            assert output.column is not None
            name = other_name(output.column)
            own: exp.Expr = column(name, "source_rows")
            if output.label is not None:
                own = output.column.released(column(key_name(output.column), "source_rows"))
            others.append({"value": own, "column": name})
            value = column(name, "dealt")
        out.append({"value": value, "column": f"r{position}", "name": output.name})
    if request.carried is not None:
        others.append({"value": column("entity", "source_rows"), "column": "entity"})
        out.append({"value": column("entity", "dealt"), "column": "entity", "name": "entity"})
    return {"other": others, "out": out}


def _dealing(request: CompileRequest, outputs: Sequence[Output], seed: int | None) -> dict[str, list[Item]]:
    """The order in which rows of a shared tuple are dealt out: by their values, or by chance without a hash."""
    if seed is None:
        return {"deal": [], "drawn": []}
    values = [
        (column(f"o{output.key[1:]}", "source_rows"), output.column.type)
        for output in outputs
        if output.key is not None and output.column is not None
    ]
    drawn = dealing_order(values, seed) if request.hashes else []
    if not request.hashes or not all(tells_apart(kind) for _, kind in values):
        drawn.append(exp.Rand())
    names: list[Item] = [{"value": value, "name": f"drawn_{index}"} for index, value in enumerate(drawn)]
    return {"deal": [_DEAL], "drawn": names}


def _domain(engine: Engine, d: Dimension, request: CompileRequest) -> tuple[Listing, exp.Expr]:
    """(the listing of values with their positions, the position of a row as an expression)."""
    values = engine.query("release/compiled_domain", names={"domain": d.domain})
    listed, absent = split_missing(values, d.column, request.missing)
    name = f"domain_{d.index}"
    rows = tuple((cell_of(value, d.column.type), int(position)) for value, position in listed)
    columns = (("value", d.column.type), ("position", "BIGINT"))
    literal = None if absent is None else exp.Literal.number(int(absent[0]))
    position = or_missing(column(key_name(d.column), "source_rows"), column("position", name), literal)
    return Listing(name, f"quasi-identifier {d.column.name!r}", columns, rows), position


def classes_share(engine: Engine, dimensions: Sequence[Dimension]) -> bool:
    """Whether classes share any tuple; makes the table of shares."""
    list_shares(engine, dimensions)
    return bool(engine.query("release/sharers")[0][0])


def _tuples(engine: Engine, positions: Sequence[str], *, dealt: bool) -> Listing:
    names = [*positions, "part", *(("rows_before", "last_row") if dealt else ())]
    ordered = [column(name) for name in names]
    tuples = engine.run(exp.select(*map(column, names)).from_(quoted(state("shares"))).order_by(*ordered))
    rows = tuple(tuple(map(int, row)) for row in tuples)
    columns = tuple((name, "BIGINT") for name in names)
    return Listing("tuples", "the tuples of the classes", columns, rows, keys=len(positions) + 1)


def _tuples_there(rounds: RemoteRounds, positions: Sequence[str]) -> exp.CTE:
    """The tuples of the classes as a table of the engine that holds the rows."""
    tuples = rounds.rows_of(state("assigned"), [*positions, "part"])
    return exp.CTE(this=tuples, alias=exp.TableAlias(this=quoted("tuples")))


def _bring_tuples(rounds: RemoteRounds, dimensions: Sequence[Dimension]) -> None:
    """Brings them to DuckDB, for a statement that lists them."""
    items: list[Item] = [{"position": d.position} for d in dimensions]
    rounds.bring(template.fill("release/brought_tuples", lists={"this": items}))


def _label_types(engine: Engine, request: CompileRequest) -> dict[str, str]:
    """The type of each label; a bound has the type of its column."""
    described = engine.run(exp.Describe(this=exp.to_table(state("released_classes"))))
    types = {str(row[0]): str(row[1]) for row in described}
    return {
        name: "VARCHAR" if kind.startswith("ENUM") or (request.as_text and name.startswith("label_")) else kind
        for name, kind in types.items()
    }


def _classes(
    engine: Engine, labels: Sequence[str], types: dict[str, str], numbers: Sequence[str], table: str
) -> Listing:
    """The listing of the classes: their numbers or positions, and their labels."""
    classes = engine.query(
        "release/compiled_labels",
        names={"other_classes": table},
        lists={"label": [{"name": label} for label in labels], "class": [{"number": number} for number in numbers]},
    )
    split = len(numbers)
    rows: list[tuple[Cell, ...]] = [
        (
            *map(int, row[:split]),
            *(cell_of(value, types[label]) for label, value in zip(labels, row[split:], strict=True)),
        )
        for row in classes
    ]
    columns = (*((number, "BIGINT") for number in numbers), *((label, types[label]) for label in labels))
    return Listing("classes", "the labels of the classes", columns, tuple(rows), keys=split)
