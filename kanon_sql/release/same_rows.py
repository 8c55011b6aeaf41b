"""Whether what was written is what was to be released, row for row: every column is read again, in any order.

The statement that made the release is run once more, without its order, and a fingerprint of its rows compared with one
of the rows written. It ties the values of a row together and counts rows that are equal.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from kanon_sql.errors import VerificationError
from kanon_sql.release.verify import reading_again
from kanon_sql.source.duckdb import describe_relation
from kanon_sql.source.model import Source
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Item, column, put, state

# Not the fingerprint of the ledger, which later versions of the engine must find again: this one ends with the run, so
# that it can take the engine's own hash of values in their own types, which costs a tenth of digests of texts.


def compared_columns(engine: Engine, release: exp.Expr, written: Source) -> int:
    """Compares what was written with `release`, the statement by which DuckDB made it; in how many columns.

    Raises VerificationError where the rows differ or cannot be read.
    """
    assert isinstance(release, exp.Select)
    columns, names = describe_relation(engine, release.copy().subquery("made"), "the release")
    is_csv = written.only_texts
    held = [written.column(name) for name in names]
    cells = [
        _cell_hash(column(there.key), there.type, here.type, is_csv=is_csv)
        for here, there in zip(columns, held, strict=True)
    ]
    found = exp.select(*_named(cells)).from_(written.relation.copy().subquery("written"))
    made = _hashes_of(release, [(here.type, there.type) for here, there in zip(columns, held, strict=True)], is_csv)
    with reading_again():
        read = _ask(engine, "release/fingerprint", found)
    if read == _ask(engine, "release/fingerprint", made):
        return len(names)
    with reading_again():
        sums = _ask(engine, "release/columns", found)
    meant = _ask(engine, "release/columns", made)
    raise different_rows([name for name, one, other in zip(names, sums, meant, strict=True) if one != other])


def different_rows(columns: Sequence[str] = ()) -> VerificationError:
    """The error where other rows were written than were to be released; `columns` are known to hold other values."""
    where = f": column {', '.join(map(repr, columns[:20]))} holds other values" if columns else ""
    return VerificationError(
        f"the rows written are not those to be released{where}; does the disk fail, or does the source give other rows "
        "each time it is read? release.verify: counts does without this comparison"
    )


def _hashes_of(release: exp.Select, types: Sequence[tuple[str, str]], is_csv: bool) -> exp.Select:
    """The release with hashes in place of its values, and without its order.

    A label is hashed in the small table that it is joined from, not in each row: that halves the cost.
    """
    hashed = release.copy()
    hashed.set("order", None)
    joined = {join.this.name: join.this for join in hashed.args.get("joins") or [] if isinstance(join.this, exp.Table)}
    cells = [
        _cell_hash(one.this, own, other, is_csv=is_csv)
        for one, (own, other) in zip(hashed.expressions, types, strict=True)
    ]
    added: dict[str, list[exp.Expr]] = {}
    for i, (one, named) in enumerate(zip(hashed.expressions, _named(cells), strict=True)):
        label = one.this.this if isinstance(one.this, exp.Cast) else one.this
        if isinstance(label, exp.Column) and label.table in joined and label.table.startswith(state("")):
            added.setdefault(label.table, []).append(named)
            cells[i] = column(named.alias, label.table)
    hashed.set("expressions", _named(cells))
    for name, values in added.items():
        table = joined[name]
        put(table, exp.select("*", *values).from_(table.copy()).subquery(name))
    return hashed


def _named(cells: Sequence[exp.Expr]) -> list[exp.Expr]:
    return [exp.alias_(cell, state(f"hash_{i}"), quoted=True) for i, cell in enumerate(cells)]


def _cell_hash(value: exp.Expr, own: str, other: str, *, is_csv: bool) -> exp.Expr:
    """The hash of a value as both sides have it: in its type where they share it, else as text; CSV has '' for NULL."""
    value = value.copy()
    if own != "VARCHAR" and (own != other or is_csv):
        value = exp.cast(value, "VARCHAR")
    if is_csv:
        value = exp.Coalesce(this=value, expressions=[exp.Literal.string("")])
    return exp.Anonymous(this="hash", expressions=[value])


def _ask(engine: Engine, name: str, hashes: exp.Select) -> tuple[object, ...]:
    items: list[Item] = [{"hash": state(f"hash_{i}")} for i in range(len(hashes.expressions))]
    return tuple(engine.query(name, names={"table_rows": hashes}, lists={"cell": items})[0])
