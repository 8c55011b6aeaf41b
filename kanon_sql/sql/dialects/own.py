"""Words that one dialect has and the portable core has not, where code says in which dialect they stand."""

from __future__ import annotations

from sqlglot import exp

_MARK = "own"


def own(name: str, *arguments: exp.Expr | str | int) -> exp.Expr:
    """A call of a function of one dialect; texts and whole numbers stand for literals."""
    made = [exp.convert(one) if isinstance(one, (str, int)) else one for one in arguments]
    return marked(exp.Anonymous(this=name, expressions=made))


def own_cast(value: exp.Expr, kind: str, dialect: str) -> exp.Expr:
    """A cast to a type of one dialect."""
    made = marked(exp.DataType.build(kind, dialect=dialect))
    for part in made.find_all(exp.DataTypeParam):
        marked(part)
    return exp.Cast(this=value, to=made)


def marked(node: exp.Expr) -> exp.Expr:
    """The node as one of a single dialect; what is within it is still of the portable core."""
    node.meta[_MARK] = True
    return node


def is_own(node: exp.Expr) -> bool:
    """Whether a node was put there for one dialect."""
    return bool(node.meta.get(_MARK))
