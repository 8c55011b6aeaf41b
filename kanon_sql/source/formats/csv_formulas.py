"""Cells of a CSV file that a spreadsheet would take for formulas: an apostrophe before them, and taken away again.

A text that only looks like an escaped one gets an apostrophe, too, so that no two texts become one and what was written
is read back as it was.
"""

from __future__ import annotations

import re

from sqlglot import exp

# Both as Python and the engine read them. A plain number is none, whatever apostrophes are before it.
_BEGINNING = r"'*[=+\-@\t\r\n]"
_NUMBER = r"'*-?([0-9]+([.,][0-9]*)?|[.,][0-9]+)([eE][+-]?[0-9]+)?"


def escaped(text: exp.Expr) -> exp.Expr:
    """A text with an apostrophe where it needs one."""
    with_apostrophe = exp.Concat(expressions=[exp.Literal.string("'"), text.copy()], safe=True)
    return exp.Case(ifs=[exp.If(this=_is_formula(text), true=with_apostrophe)], default=text.copy())


def unescaped(text: exp.Expr) -> exp.Expr:
    """The text that was escaped."""
    rest = exp.Substring(this=text.copy(), start=exp.Literal.number(2))
    begins = exp.StartsWith(this=text.copy(), expression=exp.Literal.string("'"))
    return exp.Case(ifs=[exp.If(this=exp.and_(begins, _is_formula(rest)), true=rest)], default=text.copy())


def escaped_name(name: str) -> str:
    """A column's name as it stands in the header."""
    return f"'{name}" if _is_formula_name(name) else name


def unescaped_name(name: str) -> str:
    """The name that was escaped."""
    return name[1:] if name.startswith("'") and _is_formula_name(name[1:]) else name


def _is_formula(text: exp.Expr) -> exp.Expr:
    begins = exp.Anonymous(this="regexp_matches", expressions=[text.copy(), exp.Literal.string(f"^{_BEGINNING}")])
    number = exp.Anonymous(this="regexp_full_match", expressions=[text.copy(), exp.Literal.string(_NUMBER)])
    return exp.and_(begins, exp.Not(this=number))


def _is_formula_name(name: str) -> bool:
    return re.match(_BEGINNING, name) is not None and re.fullmatch(_NUMBER, name) is None
