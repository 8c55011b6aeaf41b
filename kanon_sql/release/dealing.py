"""What the rows of a tuple that classes share are dealt out by: a hash of what is released of each row as it is.

Which row comes first tells nothing, and is the same in each run, in whatever order the rows come, on every engine.
Rows of the same values may stand for each other.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from kanon_sql.sql.dialects.own import own

# Types whose texts are the same on every engine.
_WHOLE_NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT")
_SAME_TEXT = ("VARCHAR", "ENUM", "UUID", "BOOLEAN", "DATE", "TIME", "DECIMAL", *_WHOLE_NUMBERS)
_FLOATS = ("DOUBLE", "FLOAT")
_WHOLE = 10**15  # floats from here on are told apart by their order alone
_PARTS = 1 << 20  # of one, by which the hash tells floats apart
_MISSING = "-"  # no hash


def dealing_order(released: Sequence[tuple[exp.Expr, str]], seed: int) -> list[exp.Expr]:
    """What rows are put in turn by, of their released values with the types of these; the first is a hash."""
    texts = [_text(value, kind) for value, kind in released]
    hashed = [
        exp.func("COALESCE", own("md5", text), exp.Literal.string(_MISSING)) for text in texts if text is not None
    ]
    ties = [value.copy() for value, kind in released if kind.startswith(_FLOATS) or _is_moment(kind)]
    return [own("md5", own("concat", str(seed), exp.Literal.string(_MISSING), *hashed)), *ties]


def tells_apart(kind: str) -> bool:
    """Whether rows that differ in values of a type, as DuckDB describes it, have an order by that."""
    return kind.startswith(_FLOATS) or _is_moment(kind) or _has_same_text(kind)


def _is_moment(kind: str) -> bool:
    """Whether the text of a value depends on a time zone."""
    return kind.endswith("TIME ZONE")


def _has_same_text(kind: str) -> bool:
    return kind.startswith(_SAME_TEXT) and not kind.endswith("[]") and not _is_moment(kind)


def _text(value: exp.Expr, kind: str) -> exp.Expr | None:
    if kind.startswith(_FLOATS) and not kind.endswith("[]"):
        return _float_text(value)
    return exp.cast(value.copy(), "VARCHAR") if _has_same_text(kind) else None


def _float_text(value: exp.Expr) -> exp.Expr:
    """A text of two whole numbers, since engines write floats in different ways."""

    def double() -> exp.Expr:
        return exp.cast(value.copy(), "DOUBLE")

    def whole(number: exp.Expr) -> exp.Expr:
        return exp.cast(exp.cast(exp.Floor(this=number), "BIGINT"), "VARCHAR")

    rest = exp.Paren(this=exp.Sub(this=double(), expression=exp.Floor(this=double())))
    parts = exp.Mul(this=rest, expression=exp.Literal.number(_PARTS))
    is_usual = exp.LT(this=exp.Abs(this=double()), expression=exp.Literal.number(_WHOLE))
    text = own("concat", whole(double()), exp.Literal.string(_MISSING), whole(parts))
    return exp.Case(ifs=[exp.If(this=is_usual, true=text)])
