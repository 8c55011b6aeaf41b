"""What the ledger keeps of a table that another engine holds: the same as of one of DuckDB, by its statements.

Rows stay where they are. What leaves the engine are sums of digests, and of columns of few distinct values these with
how often each is there. Digests are the same in all engines where the texts of values are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from kanon_sql.source.columns import text_there
from kanon_sql.source.model import Backend, Column, Source
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.dialects import Dialect, marked, own
from kanon_sql.sql.tables import NUMERIC
from kanon_sql.sql.template import Fill, Item, column, state

_SOME = 20_000  # rows in which columns of many values show as such
_TOGETHER = 50  # texts that one call puts together, or columns that one statement looks at
_HALF = 2**32
_NUMERAL = r"^-?[0-9]{1,15}([.][0-9]{1,15})?$"


def sums_of_rows(table: Source) -> tuple[int, str, str]:
    """How many rows a table has, and as texts the sum of their digests and the exclusive or of these."""
    backend, dialect = table.backend, table.backend.dialect
    texts = [text_there(col, dialect) for col in sorted(table.columns, key=lambda col: col.name)]
    upper, lower = dialect.last_halves(column("digest"))
    names: dict[str, Fill] = {
        "table_rows": table.relation,
        "row_digest": dialect.md5_digits(_as_row(texts)),
        "upper_half": upper,
        "lower_half": lower,
        "upper_parity": own("bit_xor", column("upper")),
        "lower_parity": own("bit_xor", column("lower")),
    }
    rows, first, last, *bits = backend.query("ledger/fingerprint_there", names=names)[0]
    return int(rows), str(_whole(first, last)), str(_whole(*bits))


def scan_columns(engine: Engine, table: Source, key: str, rows: int, few: int) -> None:
    """Makes the table of what a scan tells of each column (see queries/ledger/column_scan.sql).

    Of a column of at most `few` distinct values it is how often each is there.
    """
    backend, columns = table.backend, sorted(table.columns, key=lambda col: col.name)
    texts = [text_there(col, backend.dialect) for col in columns]
    values, many = list[exp.Expr](), list[int]()
    for position, is_many in enumerate(_have_many(table, texts, few)):
        counted = None if is_many else _values(engine, table, texts[position], position, few)
        if counted is None:
            many.append(position)
        else:
            values.append(counted)
    sums = _sums(backend, table, key, [_Cell(columns[position], texts[position]) for position in many])
    listed = values[0] if values else exp.select("*").from_(_no_values())
    for other in values[1:]:
        listed = exp.Union(this=listed, expression=other, distinct=False)
    given = {
        "row_count": rows,
        "positions": many,
        "totals": [total for total, _ in sums],
        "planned": [planned for _, planned in sums],
    }
    engine.query("ledger/column_scan_there", names={"few_values": exp.Subquery(this=listed)}, values=given)


@dataclass(frozen=True)
class _Cell:
    """A column, and the text of its values."""

    column: Column
    text: exp.Expr


def _as_row(texts: Sequence[exp.Expr]) -> exp.Expr:
    """The text of a row: each of its texts with its length before it."""
    parts = list[exp.Expr]()
    for text in texts:
        length = exp.cast(own("length", text.copy()), "VARCHAR")
        parts.append(own("concat", *([","] if parts else []), length, ":", text))
    while len(parts) > 1:
        parts = [own("concat", *parts[start : start + _TOGETHER]) for start in range(0, len(parts), _TOGETHER)]
    return parts[0]


def _whole(upper: object, lower: object) -> int:
    return int(str(upper)) * _HALF + int(str(lower))


def _some(rows: exp.Select, count: int) -> exp.Select:
    """A statement that gives as many of its rows at most, whichever: nothing may depend on which."""
    some = rows.limit(count)
    marked(some)
    marked(some.args["limit"])
    return some


def _have_many(table: Source, texts: Sequence[exp.Expr], few: int) -> list[bool]:
    """Whether each column has more distinct values in some rows already."""
    keys = [column(col.key) for col in table.columns]
    some = _some(exp.select(*keys).from_(table.relation.copy().subquery("all_rows")), _SOME)
    is_many = list[bool]()
    for start in range(0, len(texts), _TOGETHER):
        items: list[Item] = [{"text": text, "name": f"n{i}"} for i, text in enumerate(texts[start : start + _TOGETHER])]
        counts = table.backend.query("ledger/distinct_there", names={"table_rows": some.copy()}, lists={"cell": items})
        is_many += [int(count) > few for count in counts[0]]
    return is_many


def _values(engine: Engine, table: Source, text: exp.Expr, position: int, few: int) -> exp.Select | None:
    """SELECT in DuckDB of the distinct values of a column (position, text, held); None for more, or no row."""
    counted = template.fill("ledger/values_there", {"table_rows": table.relation, "cell_text": text})
    brought = state(f"ledger_values_{position}")
    names = [column("text"), column("held")]
    statement = _some(exp.select(*names).from_(exp.Subquery(this=counted, alias=_alias("counted"))), few + 1)
    rows = table.backend.bring(engine, statement, [("text", "VARCHAR"), ("held", "BIGINT")], brought)
    ((count,),) = engine.run(exp.select(exp.Count(this=exp.Star())).from_(rows.copy().subquery("brought")))
    if not 0 < count <= few:
        return None
    place = exp.alias_(exp.Literal.number(position), "position", quoted=True)
    return exp.select(place, *names).from_(rows.subquery("brought"))


def _sums(backend: Backend, table: Source, key: str, cells: Sequence[_Cell]) -> list[tuple[str | None, bool]]:
    """Of each column the sum of the digests of its values, and whether these are evenly spaced."""
    sums = list[tuple[str | None, bool]]()
    for start in range(0, len(cells), _TOGETHER):
        items = [_item(cell, key, backend.dialect, i) for i, cell in enumerate(cells[start : start + _TOGETHER])]
        names = {"table_rows": table.relation}
        row = backend.query("ledger/many_there", names=names, lists={"cell": items})[0]
        width = len(items)
        for first, last, planned in zip(row[:width], row[width : 2 * width], row[2 * width :], strict=True):
            sums.append((None if first is None else str(_whole(first, last)), bool(planned)))
    return sums


def _item(cell: _Cell, key: str, dialect: Dialect, position: int) -> Item:
    digest, place = f"d{position}", f"p{position}"
    upper, lower = dialect.last_halves(column(digest))
    return {
        "digits": dialect.md5_digits(own("concat", key, cell.text)),
        "upper_half": upper,
        "lower_half": lower,
        "number": _number(cell, dialect),
        "spread": own("var_pop", column(place)),
        "digest": digest,
        "place": place,
        **{name: f"{name}_{position}" for name in ("upper", "lower", "first", "last", "planned")},
    }


def _number(cell: _Cell, dialect: Dialect) -> exp.Expr:
    """The number or moment that a value is, NULL for neither."""
    kind, value = cell.column.type, column(cell.column.key)
    if kind.startswith(NUMERIC):
        return exp.cast(value, "DOUBLE")
    if kind in ("DATE", "TIMESTAMP"):
        return exp.cast(dialect.seconds(value), "DOUBLE")
    if cell.column.is_text:
        is_numeral = exp.RegexpLike(this=value.copy(), expression=exp.Literal.string(_NUMERAL))
        return exp.Case(ifs=[exp.If(this=is_numeral, true=exp.cast(value, "DOUBLE"))])
    return exp.cast(exp.null(), "DOUBLE")


def _no_values() -> exp.Expr:
    nothing = exp.select(
        *(
            exp.alias_(exp.cast(exp.null(), kind), name, quoted=True)
            for name, kind in (("position", "BIGINT"), ("text", "VARCHAR"), ("held", "BIGINT"))
        )
    ).where(exp.false())
    return nothing.subquery("nothing")


def _alias(name: str) -> exp.TableAlias:
    return exp.TableAlias(this=exp.to_identifier(name))
