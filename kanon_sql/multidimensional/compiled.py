"""A release of classes as one self-contained SELECT: tables of values, of ranges and of labels inlined."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlglot import exp

from kanon_sql.dimensions.model import Dimension
from kanon_sql.engine import template
from kanon_sql.engine.connection import Engine, Row
from kanon_sql.engine.template import Item, column, quoted, state
from kanon_sql.multidimensional.release import Output, list_shares
from kanon_sql.release.compiled import typed


def compiled_partitions(
    engine: Engine,
    rows: exp.Select,
    dimensions: Sequence[Dimension],
    released: Sequence[Output],
    order: str,
    *,
    boxes: bool,
) -> exp.Expr:
    """The release as one SELECT over the source.

    With `boxes` every class is one range of positions along each dimension, and no two overlap: a table of ranges says
    it all. Otherwise the tuples of each class are listed, with the rows that it takes of them.
    """
    labels = [output.label for output in released if output.label]
    source = "source" if boxes else "placed"
    outputs: list[Item] = [
        {
            "value": column(output.key, source)
            if output.key
            else column(output.label or "", "members" if boxes else "classes"),
            "name": output.name,
        }
        for output in released
    ]
    holes: list[Item] = [
        {
            "domain": f"domain_{d.index}",
            "key": d.column.key,
            "position": d.position,
            "low": f"low_{d.index}",
            "high": f"high_{d.index}",
        }
        for d in dimensions
    ]
    drawn: list[Item] = [{"key": exp.Anonymous(this="random")}] if order == "random" else []
    if order != "random" and not boxes:
        drawn = [{"key": column("number", "placed")}]
    statement = template.fill(
        "classes/compiled_boxes" if boxes else "classes/compiled_tuples",
        names={"source": rows},
        lists={"out": outputs, "qi": holes, "sort": drawn, "label": [{"name": label} for label in labels]},
    )
    assert isinstance(statement, exp.Select)
    tables = [_domain(engine, d) for d in dimensions]
    if boxes:
        edges = [str(hole[end]) for hole in holes for end in ("low", "high")]
        tables.append(_classes(engine, labels, ["classes", "released_classes"], edges))
    else:
        tables += [_tuples(engine, dimensions), _classes(engine, labels, ["released_classes"], ["part"])]
    inner = statement.args.get("with_") or statement.args.get("with")
    made = [*tables, *(inner.expressions if isinstance(inner, exp.With) else [])]
    statement.set("with_" if "with_" in statement.arg_types else "with", exp.With(expressions=made))
    return statement


def _domain(engine: Engine, d: Dimension) -> exp.CTE:
    found = engine.run(
        exp.select(exp.cast(column("value"), "VARCHAR"), column("position"))
        .from_(quoted(d.domain))
        .order_by(column("position"), exp.cast(column("value"), "VARCHAR"))
    )
    tuples = [[typed(value, d.column.type), exp.Literal.number(position)] for value, position in found]
    return _values(f"domain_{d.index}", ["value", "position"], tuples)


def _tuples(engine: Engine, dimensions: Sequence[Dimension]) -> exp.CTE:
    list_shares(engine, dimensions)
    names = [*(d.position for d in dimensions), "part", "rows_before", "last_row"]
    found = engine.run(exp.select(*map(column, names)).from_(quoted(state("shares"))))
    return _values("tuples", names, [[exp.Literal.number(one) for one in row] for row in found])


def _classes(engine: Engine, labels: Sequence[str], tables: Sequence[str], numbers: Sequence[str]) -> exp.CTE:
    """Positions and labels of the classes; a label is a text, a bound is of its column's type."""
    selected = exp.select(*(exp.column(name) for name in numbers), *(_as_text(label) for label in labels))
    joined = selected.from_(quoted(state(tables[0])))
    for table in tables[1:]:
        joined = joined.join(quoted(state(table)), using="part")
    found: list[Row] = engine.run(joined)
    types = {str(row[0]): str(row[1]) for row in engine.run(exp.Describe(this=exp.to_table(state("released_classes"))))}
    rows = [
        [exp.Literal.number(one) for one in row[: len(numbers)]]
        + [typed(value, _type(types[label])) for label, value in zip(labels, row[len(numbers) :], strict=True)]
        for row in found
    ]
    return _values("classes", [*numbers, *labels], rows)


def _as_text(label: str) -> exp.Expr:
    return exp.cast(exp.column(label), "VARCHAR")


def _type(described: str) -> str:
    return "VARCHAR" if described.startswith("ENUM") else described


def _values(name: str, columns: Sequence[str], rows: Iterable[Sequence[exp.Expr]]) -> exp.CTE:
    alias = exp.TableAlias(this=quoted("listed"), columns=[quoted(one) for one in columns])
    values = exp.Values(expressions=[exp.Tuple(expressions=list(row)) for row in rows], alias=alias)
    return exp.CTE(this=exp.select("*").from_(values), alias=exp.TableAlias(this=quoted(name)))
