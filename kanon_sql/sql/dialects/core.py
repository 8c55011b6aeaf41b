"""The portable core: the only constructs of SQL that mean the same in every dialect, written by one tree.

A statement for another engine is never translated on faith. It is put together of these, and of nothing else: what
differs between engines is replaced first, by kanon_sql.sql.dialects.write.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from kanon_sql.sql.dialects.own import is_own

_NODES: tuple[type[exp.Expr], ...] = (
    *(exp.Select, exp.Union, exp.With, exp.CTE, exp.Subquery, exp.From, exp.Join, exp.Where, exp.Group, exp.Having),
    *(exp.Order, exp.Ordered, exp.Distinct, exp.Values, exp.Tuple, exp.Table, exp.TableAlias, exp.Column),
    *(exp.Identifier, exp.Alias, exp.Literal, exp.Null, exp.Boolean, exp.Star, exp.Cast, exp.DataType),
    *(exp.DataTypeParam, exp.Case, exp.If, exp.Paren, exp.And, exp.Or, exp.Not, exp.EQ, exp.NEQ, exp.LT, exp.LTE),
    *(exp.GT, exp.GTE, exp.Between, exp.In, exp.Is, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Neg, exp.Window),
    *(exp.WindowSpec, exp.RowNumber, exp.Rand, exp.Count, exp.Sum, exp.Min, exp.Max, exp.Coalesce, exp.Nullif),
    *(exp.Abs, exp.Ln, exp.Exp, exp.Floor, exp.Least, exp.Greatest, exp.Exists, exp.NullSafeEQ, exp.DPipe, exp.Chr),
    *(exp.Trim, exp.Translate, exp.Replace, exp.Like, exp.RegexpLike, exp.Mod),
)
_SELECT = {"expressions", "from", "from_", "joins", "where", "group", "having", "order", "with", "with_", "distinct"}
_TYPES = {"VARCHAR", "TEXT", "BIGINT", "DOUBLE", "FLOAT", "DECIMAL", "DATE", "TIMESTAMP", "TIMESTAMPNTZ", "BOOLEAN"}
_LARGEST = 2**63


def outside_core(tree: exp.Expr) -> list[str]:
    """What a statement holds that is not of the portable core, one line each; empty for one that is all of it."""
    return sorted({problem for node in tree.walk() for problem in _problems(node)})


def _problems(node: exp.Expr) -> Iterator[str]:
    name = type(node).__name__
    if is_own(node):
        return
    if type(node) not in _NODES:
        yield f"{name}: {node.sql('duckdb')[:60]}"
    elif isinstance(node, exp.Select):
        yield from (f"{name} with {key}" for key, value in node.args.items() if value and key not in _SELECT)
        if not node.args.get("from_") and not node.args.get("from"):
            yield "Select without FROM"
    elif isinstance(node, exp.Union) and (node.args.get("distinct") or node.args.get("by_name")):
        yield "Union that is not UNION ALL"
    elif isinstance(node, exp.Star) and not isinstance(node.parent, exp.Count):
        yield "Star outside count(*)"
    elif isinstance(node, exp.Group) and any(value for key, value in node.args.items() if key != "expressions"):
        yield "Group by sets or ALL"
    elif isinstance(node, exp.Window) and (node.args.get("alias") or node.args.get("first") is not None):
        yield "Window that is named"
    elif isinstance(node, exp.Join):
        yield from _join_problems(node)
    elif isinstance(node, exp.DataType) and node.this.name not in _TYPES:
        yield f"type {node.sql('duckdb')}"
    elif isinstance(node, exp.Div) and not node.this.is_type("DOUBLE"):
        yield "Div of something else than a DOUBLE"
    elif isinstance(node, exp.Literal) and not node.is_string and node.is_int and abs(int(node.this)) >= _LARGEST:
        yield "Literal beyond BIGINT"
    elif isinstance(node, exp.DPipe) and not isinstance(node.expression, (exp.Literal, exp.Chr, exp.Case)):
        yield "|| of something else than literals or cases"
    elif isinstance(node, exp.In) and not node.expressions:
        yield "In without a list"
    elif isinstance(node, exp.CTE) and node.args.get("materialized") is not None:
        yield "CTE that is materialized"
    elif isinstance(node, exp.Table) and not isinstance(node.this, exp.Identifier):
        yield f"Table that is a function: {node.sql('duckdb')[:60]}"


def _join_problems(join: exp.Join) -> Iterator[str]:
    if join.args.get("using") or join.args.get("method"):
        yield "Join with USING or a method"
    kinds = {str(join.args.get(key) or "").upper() for key in ("side", "kind")} - {""}
    if not kinds <= {"LEFT", "CROSS", "INNER"}:
        yield f"Join of kind {' '.join(sorted(kinds))}"
    if not join.args.get("on") and "CROSS" not in kinds:
        yield "Join without ON"
