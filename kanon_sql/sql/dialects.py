"""Words that one dialect has and the portable core has not, where code says in which dialect they stand.

The portable core: the only constructs of SQL that mean the same in every dialect, written by one tree.

A statement for another engine is never translated on faith. It is put together of these, and of nothing else: what
differs between engines is replaced first, by kanon_sql.sql.writing.

The dialects that `kanon-sql compile` writes.

Types that columns have in every dialect, and the values that are written in statements.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp

from kanon_sql.errors import ConfigurationError
from kanon_sql.sql.tables import IN_BIGINT

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


@dataclass(frozen=True)
class Dialect:
    """What a dialect asks for beyond the portable core.

    `executed` says by what the project's tests execute its text, None where they can only parse it. `longest_name`
    and `refused` bound the names of columns, `longest_text` the characters of a statement, `exact_case` says that
    names in quotes are told apart by case, `null_safe` that it has IS NOT DISTINCT FROM in a join, `blanks_count` that
    blanks at the end of a text tell it apart, `nan_equals` that NaN is equal to itself, `backslash_is_sure` that all
    agree on what a backslash in a text means, `hashes_texts` that md5 of a text is one of hexadecimal digits.
    """

    name: str
    executed: str | None
    longest_name: int
    longest_text: int | None = None
    refused: str = ""
    exact_case: bool = False
    null_safe: bool = True
    blanks_count: bool = True
    nan_equals: bool = True
    backslash_is_sure: bool = True
    hashes_texts: bool = True


_ALL = (
    Dialect("duckdb", "DuckDB", 1 << 16),
    Dialect("spark", "Sail, which speaks Spark's SQL", 1 << 16),
    Dialect("databricks", None, 255),
    Dialect("postgres", "PostgreSQL", 63, exact_case=True),
    Dialect("snowflake", None, 255, longest_text=1_000_000, exact_case=True),
    Dialect(
        "bigquery",
        None,
        300,
        longest_text=1_000_000,
        refused='!"$()*,./;?@[\\]^`{}~\n\t',
        nan_equals=False,
        hashes_texts=False,
    ),
    Dialect("trino", None, 1 << 16, longest_text=1_000_000, nan_equals=False, hashes_texts=False),
    Dialect(
        "redshift", None, 127, longest_text=16_000_000, null_safe=False, blanks_count=False, backslash_is_sure=False
    ),
)
DIALECTS = {dialect.name: dialect for dialect in _ALL}


def find_dialect(name: str) -> Dialect:
    """The dialect of that name. Raises ConfigurationError."""
    if name not in DIALECTS:
        raise ConfigurationError(f"--dialect: {name!r} is not known; expected {', '.join(DIALECTS)}")
    return DIALECTS[name]


def refuse_column_names(dialect: Dialect, names: Sequence[str], place: str) -> None:
    """Refuses names that the dialect would change, cut or take for one another. Raises ConfigurationError."""
    problems = []
    seen: dict[str, str] = {}
    for name in names:
        size = len(name.encode())
        if size > dialect.longest_name:
            problems.append(
                f"{place}: the name {name[:20]!r} ... has {size} bytes, {dialect.name} takes {dialect.longest_name}; "
                "rename the column"
            )
        elif any(char in dialect.refused for char in name):
            problems.append(
                f"{place}: {dialect.name} takes no column named {name!r}; expected letters, digits, blanks and _: "
                "rename the column"
            )
        other = seen.setdefault(name if dialect.exact_case else name.casefold(), name)
        if other != name:
            problems.append(
                f"{place}: columns {other!r} and {name!r} differ in case only, which {dialect.name} does not tell "
                "apart; rename or drop one of them"
            )
    if problems:
        raise ConfigurationError(problems)


_SAME = {
    "VARCHAR": "VARCHAR",
    "BOOLEAN": "BOOLEAN",
    "FLOAT": "FLOAT",
    "DOUBLE": "DOUBLE",
    "DATE": "DATE",
    "UBIGINT": "DECIMAL(20, 0)",
    "HUGEINT": "DECIMAL(38, 0)",
    **dict.fromkeys(IN_BIGINT, "BIGINT"),
}
# Types of which `=` says the same in every dialect that has them; a TIMESTAMP has microseconds in DuckDB.
_DECIMAL = re.compile(r"DECIMAL\((\d+),\s*(\d+)\)")


def column_type(dialect: Dialect, described: str, what: str) -> exp.DataType:
    """The type of a column, described as DuckDB does, in a dialect. Raises ConfigurationError for one without."""
    if described.startswith("ENUM"):
        described = "VARCHAR"
    if dialect.name == "duckdb":
        return exp.DataType.build(described, dialect="duckdb")
    decimal = _DECIMAL.fullmatch(described)
    if described in _SAME:
        return exp.DataType.build(_SAME[described], dialect="duckdb")
    if described == "TIMESTAMP":
        return exp.DataType.build("TIMESTAMP(6)" if dialect.name == "trino" else "TIMESTAMP", dialect="duckdb")
    if decimal and (dialect.name != "bigquery" or (int(decimal[2]) <= 9 and int(decimal[1]) - int(decimal[2]) <= 29)):
        return exp.DataType.build(described, dialect="duckdb")
    raise ConfigurationError(
        f"{what} is of type {described[:40]}, which has no place in a statement for {dialect.name}; expected a text, "
        "number, date or timestamp without time zone: cast it in the source"
    )
