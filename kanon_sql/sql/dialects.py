"""The dialects that `kanon-sql compile` writes, and the portable core of SQL that all of them share.

A statement for another engine is never translated on faith: it is made of constructs that mean the same in every
dialect, written by one tree, and of nothing else; what differs is replaced before, by kanon_sql.sql.writing. Where code
knows the dialect, it marks what is of this dialect alone (`own`, `marked`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp

from kanon_sql.errors import ConfigurationError
from kanon_sql.sql.tables import IN_BIGINT
from kanon_sql.sql.template import type_of

_MARK = "own"
_TOGETHER = 50  # texts that a call puts together
_DIGITS = 15  # hexadecimal, that are a BIGINT


def own(name: str, *arguments: exp.Expr | str | int) -> exp.Expr:
    """A call of a function of one dialect; texts and whole numbers among the arguments become literals."""
    converted = [exp.convert(argument) if isinstance(argument, (str, int)) else argument for argument in arguments]
    return marked(exp.Anonymous(this=name, expressions=converted))


def own_cast(value: exp.Expr, kind: str, dialect: str) -> exp.Expr:
    """A cast to a type of one dialect."""
    own_type = marked(exp.DataType.build(kind, dialect=dialect))
    for part in own_type.find_all(exp.DataTypeParam):
        marked(part)
    return exp.Cast(this=value, to=own_type)


def marked(node: exp.Expr) -> exp.Expr:
    """Marks a node as one of a single dialect; what is below it is still of the portable core."""
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
    *(exp.Trim, exp.Translate, exp.Replace, exp.Like, exp.RegexpLike, exp.Mod, exp.Lead, exp.BitwiseAnd),
)
_SELECT = {"expressions", "from", "from_", "joins", "where", "group", "having", "order", "with", "with_", "distinct"}
_TYPES = {"VARCHAR", "TEXT", "BIGINT", "DOUBLE", "FLOAT", "DECIMAL", "DATE", "TIMESTAMP", "TIMESTAMPNTZ", "BOOLEAN"}
_LARGEST = 2**63


def outside_core(tree: exp.Expr) -> list[str]:
    """The constructs of a statement that are not of the portable core, one line each."""
    return sorted({problem for node in tree.walk() for problem in _problems(node)})


def _problems(node: exp.Expr) -> Iterator[str]:  # noqa: C901
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
    """The properties of a dialect beyond the portable core.

    `executed` says by what the project's tests execute its text, None where they can only parse it. `longest_name` and
    `refused` bound the names of columns, `longest_text` the characters of a statement. `exact_case` says that quoted
    names are told apart by case, `null_safe` that a join may use IS NOT DISTINCT FROM, `blanks_count` that blanks at
    the end of a text distinguish it, `nan_equals` that NaN equals itself, `backslash_is_sure` that all agree on a
    backslash in a text, `hashes_texts` that md5 of a text gives hexadecimal digits, `same_floats` that it
    writes floating point numbers as CSV has them, `casts_texts_back` that the text of a DECIMAL is one again, `shifts`
    that bits of a BIGINT can be shifted.

    The methods write what treatments are made of (kanon_sql.source.treatments). A dialect that lacks them is none of
    the `dialects` of a treatment; numbers of type `kind` are typed as DuckDB describes it.
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
    same_floats: bool = False
    casts_texts_back: bool = True
    shifts: bool = False

    def hmac_sha256(self, text: exp.Expr, inner: exp.Expr, outer: exp.Expr) -> exp.Expr:
        """The 64 hexadecimal digits of HMAC-SHA-256 of a text under a key, padded by the inner and the outer pad."""
        raise self._lacks("HMAC")

    def sha256(self, digits: exp.Expr) -> exp.Expr:
        """The SHA-256 of bytes, both as hexadecimal digits."""
        raise self._lacks("SHA-256")

    def whole_number(self, digits: exp.Expr) -> exp.Expr:
        """The BIGINT that at most 15 hexadecimal digits are."""
        raise self._lacks("hexadecimal digits")

    def md5_digits(self, text: exp.Expr) -> exp.Expr:
        """The 32 hexadecimal digits of MD5 of a text, whose letters are encoded in UTF-8."""
        if not self.hashes_texts:
            raise self._lacks("digits of MD5")
        return own("md5", text)

    def hashed(self, values: Sequence[exp.Expr], texts: Sequence[exp.Expr]) -> exp.Expr:
        """A BIGINT of at least 0 that hashes values, which `texts` tell: each engine has its own."""
        return self.whole_number(own("substr", self.md5_digits(joined(texts)), 1, _DIGITS))

    def last_halves(self, digits: exp.Expr) -> tuple[exp.Expr, exp.Expr]:
        """Two BIGINTs of 32 bits: the last eight of 16 bytes, given by their digits, read from the end to the middle.

        Together they are what DuckDB calls md5_number_lower.
        """
        pairs = [own("substr", digits.copy(), start, 2) for start in range(31, 15, -2)]
        upper, lower = (own("concat", "0" * 7, *half) for half in (pairs[:4], pairs[4:]))
        return self.whole_number(upper), self.whole_number(lower)

    def in_utc(self, moment: exp.Expr) -> exp.Expr:
        """A timestamp with a time zone as that of UTC without."""
        return marked(exp.AtTimeZone(this=moment, zone=exp.Literal.string("UTC")))

    def seconds(self, moment: exp.Expr) -> exp.Expr:
        """The seconds of a date or timestamp without time zone since 1970."""
        return own("date_part", "epoch", moment)

    def xor_each(self, digits: exp.Expr, length: int, byte: int) -> exp.Expr:
        """`length` hexadecimal digits with each of their bytes changed by an exclusive or with a byte.

        Where bytes have no exclusive or, the second digit of each becomes a letter of its own, so that one translation
        changes both digits, each in its own way.
        """
        changed = self.replace_all(digits, "(.)(.)", r"\1-\2")
        for digit, letter in zip(_HEX_DIGITS, _SECOND_DIGITS, strict=True):
            changed = own("replace", changed, f"-{digit}", letter)
        first, second = ("".join(f"{i ^ half:x}" for i in range(16)) for half in divmod(byte, 16))
        return self.once(own("translate", changed, _HEX_DIGITS + _SECOND_DIGITS, first + second))

    def once(self, value: exp.Expr) -> exp.Expr:
        """A value that depends on no row, so written that it is reckoned once and not for each row."""
        return value

    def session_variable(self, name: str) -> exp.Expr:
        """The text that a variable of the session holds."""
        raise self._lacks("variables of a session")

    def setting_variable(self, name: str) -> str:
        """The statement by which a user sets that variable."""
        raise self._lacks("variables of a session")

    def replace_all(self, text: exp.Expr, pattern: str, replacement: str) -> exp.Expr:
        r"""The text with all matches of a regular expression replaced; `\1` stands for its first group."""
        return own("regexp_replace", text, pattern, replacement, "g")

    def float_to_decimal(self, value: exp.Expr, kind: exp.DataType) -> exp.Expr:
        """The DECIMAL that is written for a floating point number: 2.675, and not the binary number next to it."""
        return exp.Cast(this=exp.cast(value.copy(), "VARCHAR"), to=kind)

    def add_days(self, value: exp.Expr, days: exp.Expr, kind: str) -> exp.Expr:
        """A date or timestamp so many days later; one with a time zone as many times 24 hours."""
        raise self._lacks("days to add")

    def days_between(self, begin: exp.Expr, end: exp.Expr) -> exp.Expr:
        """The days from one date to another."""
        return own("datediff", end, begin)

    def date_text(self, date: exp.Expr) -> exp.Expr:
        """A date as ISO 8601 has it: 2001-12-31."""
        return exp.cast(date, "VARCHAR")

    def by_bytes(self, text: exp.Expr) -> exp.Expr:
        """A text that is ordered by its bytes."""
        return text

    def _lacks(self, what: str) -> NotImplementedError:
        return NotImplementedError(f"no {what} in {self.name}")


_HEX_DIGITS = "0123456789abcdef"
_SECOND_DIGITS = "GHIJKLMNOPQRSTUV"  # stand for the second digits of bytes
_WHOLE_FROM = 2**53  # all floating point numbers from here on are whole


class _DuckDB(Dialect):
    def hmac_sha256(self, text: exp.Expr, inner: exp.Expr, outer: exp.Expr) -> exp.Expr:
        def beside(left: exp.Expr, right: exp.Expr) -> exp.Expr:
            return exp.DPipe(this=left, expression=right, safe=True)

        first = own("sha256", beside(own("unhex", inner), own("encode", text)))
        return own("sha256", beside(own("unhex", outer), own("unhex", first)))

    def sha256(self, digits: exp.Expr) -> exp.Expr:
        return own("sha256", own("unhex", digits))

    def whole_number(self, digits: exp.Expr) -> exp.Expr:
        return exp.cast(exp.DPipe(this=exp.Literal.string("0x"), expression=digits, safe=True), "BIGINT")

    def xor_each(self, digits: exp.Expr, length: int, byte: int) -> exp.Expr:
        # SQLMesh parses statements of DuckDB, which as many calls within calls as elsewhere would stop.
        filler = exp.Literal.string(f"{byte:02x}" * (length // 2))
        bits = [own_cast(own("unhex", operand), "BIT", "duckdb") for operand in (digits, filler)]
        return own("hex", own_cast(own("xor", *bits), "BLOB", "duckdb"))

    def session_variable(self, name: str) -> exp.Expr:
        return own("getvariable", name)

    def setting_variable(self, name: str) -> str:
        return f"SET VARIABLE {name} = '...'"

    def add_days(self, value: exp.Expr, days: exp.Expr, kind: str) -> exp.Expr:
        if kind == "DATE":
            return exp.Add(this=value, expression=exp.cast(days, "INTEGER"))
        if kind == "TIMESTAMP WITH TIME ZONE":
            return exp.Add(this=value, expression=own("to_hours", _hours(days)))
        moved = exp.Add(this=value, expression=own("to_days", exp.cast(days, "INTEGER")))
        return moved if kind == "TIMESTAMP" else exp.cast(moved, exp.DataType.build(kind, dialect="duckdb"))

    def days_between(self, begin: exp.Expr, end: exp.Expr) -> exp.Expr:
        return own("date_diff", "day", begin, end)


class _Postgres(Dialect):
    def hmac_sha256(self, text: exp.Expr, inner: exp.Expr, outer: exp.Expr) -> exp.Expr:
        message = own("convert_to", exp.cast(text, "VARCHAR"), "UTF8")
        first = own("sha256", own("byteacat", own("decode", inner, "hex"), message))
        return own("encode", own("sha256", own("byteacat", own("decode", outer, "hex"), first)), "hex")

    def sha256(self, digits: exp.Expr) -> exp.Expr:
        return own("encode", own("sha256", own("decode", digits, "hex")), "hex")

    def whole_number(self, digits: exp.Expr) -> exp.Expr:
        bits = own_cast(own("concat", "x", digits), "BIT(60)", "postgres")
        return own_cast(bits, "BIGINT", "postgres")

    def md5_digits(self, text: exp.Expr) -> exp.Expr:
        return own("md5", own("convert_to", exp.cast(text, "VARCHAR"), "UTF8"))

    def hashed(self, values: Sequence[exp.Expr], texts: Sequence[exp.Expr]) -> exp.Expr:
        return _positive(own("hashtextextended", joined(texts), 0))

    def once(self, value: exp.Expr) -> exp.Expr:
        return exp.Subquery(this=marked(exp.Select(expressions=[value])))

    def session_variable(self, name: str) -> exp.Expr:
        return own("current_setting", f"kanon_sql.{name}")

    def setting_variable(self, name: str) -> str:
        return f"SET kanon_sql.{name} = '...'"

    def add_days(self, value: exp.Expr, days: exp.Expr, kind: str) -> exp.Expr:
        whole = own_cast(days, "INT", "postgres")
        if kind == "DATE":
            return exp.Add(this=value, expression=whole)
        if kind == "TIMESTAMP WITH TIME ZONE":
            return exp.Add(this=value, expression=own("make_interval", 0, 0, 0, 0, _hours(whole)))
        return exp.Add(this=value, expression=own("make_interval", 0, 0, 0, whole))

    def days_between(self, begin: exp.Expr, end: exp.Expr) -> exp.Expr:
        return exp.Sub(this=end, expression=begin)

    def date_text(self, date: exp.Expr) -> exp.Expr:
        return own("to_char", date, "YYYY-MM-DD")

    def by_bytes(self, text: exp.Expr) -> exp.Expr:
        return marked(exp.Collate(this=text, expression=exp.to_identifier("C", quoted=True)))


class _Spark(Dialect):
    def hmac_sha256(self, text: exp.Expr, inner: exp.Expr, outer: exp.Expr) -> exp.Expr:
        message = own("encode", exp.cast(text, "VARCHAR"), "UTF-8")
        first = own("sha2", own("concat", own("unhex", inner), message), 256)
        return own("sha2", own("concat", own("unhex", outer), own("unhex", first)), 256)

    def sha256(self, digits: exp.Expr) -> exp.Expr:
        return own("sha2", own("unhex", digits), 256)

    def whole_number(self, digits: exp.Expr) -> exp.Expr:
        return exp.cast(own("conv", digits, 16, 10), "BIGINT")

    def hashed(self, values: Sequence[exp.Expr], texts: Sequence[exp.Expr]) -> exp.Expr:
        return _positive(own("xxhash64", *values))

    def in_utc(self, moment: exp.Expr) -> exp.Expr:
        return own("to_utc_timestamp", moment, own("current_timezone"))

    def seconds(self, moment: exp.Expr) -> exp.Expr:
        return own("unix_timestamp", moment)

    def session_variable(self, name: str) -> exp.Expr:
        return exp.column(name, "session", "system")

    def setting_variable(self, name: str) -> str:
        return f"DECLARE VARIABLE {name} STRING DEFAULT '...'"

    def replace_all(self, text: exp.Expr, pattern: str, replacement: str) -> exp.Expr:
        return own("regexp_replace", text, pattern, replacement.replace("\\", "$"))

    def float_to_decimal(self, value: exp.Expr, kind: exp.DataType) -> exp.Expr:
        # Sail reads no numeral with an exponent, Spark writes one from ten million on.
        limit = exp.cast(exp.Literal.number(_WHOLE_FROM), "DOUBLE")
        is_large = exp.GTE(this=exp.Abs(this=value.copy()), expression=limit)
        whole = exp.Cast(this=value.copy(), to=exp.DataType.build("DECIMAL(38, 0)", dialect="duckdb"))
        letters = [
            exp.Like(this=exp.cast(value.copy(), "VARCHAR"), expression=exp.Literal.string(f"%{letter}%"))
            for letter in "eE"
        ]
        cases = [
            exp.If(this=is_large, true=exp.Cast(this=whole, to=kind)),
            exp.If(this=exp.or_(*letters), true=exp.Cast(this=value.copy(), to=kind.copy())),
        ]
        return exp.Case(ifs=cases, default=super().float_to_decimal(value, kind.copy()))

    def add_days(self, value: exp.Expr, days: exp.Expr, kind: str) -> exp.Expr:
        whole = own_cast(days, "INT", "spark")
        if kind == "DATE":
            return own("date_add", value, whole)
        return exp.Add(this=value, expression=own("make_dt_interval", whole))


def joined(texts: Sequence[exp.Expr]) -> exp.Expr:
    """Texts one after the other as a text of the engine, however many they are."""
    pieces = list(texts)
    while len(pieces) > 1:
        pieces = [own("concat", *pieces[start : start + _TOGETHER]) for start in range(0, len(pieces), _TOGETHER)]
    return pieces[0]


def _positive(number: exp.Expr) -> exp.Expr:
    return exp.BitwiseAnd(this=number, expression=exp.Literal.number(_LARGEST - 1))


def _hours(days: exp.Expr) -> exp.Expr:
    return exp.Mul(this=exp.Literal.number(24), expression=days)


_ALL = (
    _DuckDB("duckdb", "DuckDB", 1 << 16, same_floats=True, shifts=True),
    _Spark("spark", "Sail, which speaks Spark's SQL", 1 << 16, casts_texts_back=False, shifts=True),
    _Spark("databricks", None, 255, casts_texts_back=False),
    _Postgres("postgres", "PostgreSQL", 63, exact_case=True, shifts=True),
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


# The type of each type of DuckDB in every dialect.
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
_DECIMAL = re.compile(r"DECIMAL\((\d+),\s*(\d+)\)")


def column_type(dialect: Dialect, described: str, subject: str) -> exp.DataType:
    """The type of a column, described as DuckDB does, in a dialect. Raises ConfigurationError for one without."""
    if described.startswith("ENUM"):
        described = "VARCHAR"
    if dialect.name == "duckdb":
        return type_of(described)
    decimal = _DECIMAL.fullmatch(described)
    if described in _SAME:
        return type_of(_SAME[described])
    if described == "TIMESTAMP":
        return type_of("TIMESTAMP(6)" if dialect.name == "trino" else "TIMESTAMP")
    if decimal and (dialect.name != "bigquery" or (int(decimal[2]) <= 9 and int(decimal[1]) - int(decimal[2]) <= 29)):
        return type_of(described)
    raise ConfigurationError(
        f"{subject} is of type {described[:40]}, which has no place in a statement for {dialect.name}; expected a "
        "text, number, date or timestamp without time zone: cast it in the source"
    )
