"""Writes a statement in a dialect, and the small tables of values that it needs.

What engines understand differently is replaced first; then nothing may be left that is not of the portable core
(kanon_sql.sql.dialects). Tables of values are written into the statement, or named by it and written beside it as CSV.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import sqlglot
from sqlglot import ErrorLevel, exp
from sqlglot.dialects.dialect import Dialect as Grammar
from sqlglot.errors import SqlglotError
from sqlglot.generator import Generator
from sqlglot.optimizer.normalize_identifiers import normalize_identifiers

from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.sql import template
from kanon_sql.sql.connection import EngineOptions, open_engine
from kanon_sql.sql.dialects import Dialect, column_type, marked, outside_core, own_cast
from kanon_sql.sql.tables import IN_BIGINT
from kanon_sql.sql.template import column, quoted

Cell = str | int | bool | None
_LINE_ENDS = "\n\r\x85\u2028\u2029"


def cell_type(described: str) -> type[str] | type[int] | type[bool]:
    """The Python type of the cells of a listing, for a type of DuckDB."""
    return int if described in IN_BIGINT else bool if described == "BOOLEAN" else str


def cell_of(value: str | None, described: str) -> Cell:
    """A value, as text, as a cell of a listing."""
    if value is None:
        return None
    kind = cell_type(described)
    return value == "true" if kind is bool else kind(value)


@dataclass(frozen=True)
class Listing:
    """A table of values: `columns` are (name, type in DuckDB), the first `keys` of them tell its rows apart.

    `subject` names in messages what the values are of. Whole numbers are int, truth values bool; every other value is a
    text that its type can be read from.
    """

    name: str
    subject: str
    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple[Cell, ...], ...]
    keys: int = 1

    def stored(self) -> tuple[list[tuple[str, str]], Iterator[Sequence[Cell]]]:
        """(columns, rows) of the CSV file: a NULL is an empty text and a 1 in a column beside it.

        What is empty in a CSV file is NULL for one reader and a text for another.
        """
        absent = [i for i, _ in enumerate(self.columns) if any(row[i] is None for row in self.rows)]
        columns = [*self.columns, *((_absent(self.columns[i][0]), "INTEGER") for i in absent)]
        empty: dict[int, Cell] = {
            i: "" if self.columns[i][1] == "VARCHAR" else next((row[i] for row in self.rows if row[i] is not None), 0)
            for i in absent
        }
        rows = (
            (
                *(empty[i] if cell is None else cell for i, cell in enumerate(row)),
                *(int(row[i] is None) for i in absent),
            )
            for row in self.rows
        )
        return columns, rows

    def inline(self, dialect: Dialect) -> exp.CTE:
        """The table as a common table expression with all its values."""
        types = self._types(dialect)
        rows = self.rows or (tuple(None for _ in self.columns),)
        tuples = [
            exp.Tuple(expressions=[_literal(cell, *kind) for cell, kind in zip(row, types, strict=True)])
            for row in rows
        ]
        names = [name for name, _ in self.columns]
        alias = exp.TableAlias(this=quoted("listed"), columns=[quoted(name) for name in names])
        values = exp.Values(expressions=tuples, alias=alias)
        selected = [exp.alias_(_read(name, *kind), name, quoted=True) for name, kind in zip(names, types, strict=True)]
        return self._cte(exp.select(*selected).from_(values))

    def named(self, dialect: Dialect, table: exp.Table) -> exp.CTE:
        """The table as a common table expression over a table that its CSV file was loaded into."""
        types = self._types(dialect)
        stored, _ = self.stored()
        marks = {name for name, _ in stored[len(self.columns) :]}
        source = table.copy()
        source.set("alias", exp.TableAlias(this=quoted("listed")))
        selected: list[exp.Expr] = []
        for index, ((name, _), kind) in enumerate(zip(self.columns, types, strict=True)):
            value = _read(name, *kind)
            if any(row[index] == "" for row in self.rows):
                # The file holds no NULL: what a reader made one of was an empty text.
                value = exp.Coalesce(this=value, expressions=[exp.Literal.string("")])
            if _absent(name) in marks:
                is_absent = column(_absent(name), "listed").eq(exp.Literal.number(1))
                value = exp.Case(ifs=[exp.If(this=is_absent, true=exp.null())], default=value)
                # Beside a NULL a DECIMAL would lose its precision and scale.
                value = exp.Cast(this=value, to=kind[0].copy())
            selected.append(exp.alias_(value, name, quoted=True))
        return self._cte(exp.select(*selected).from_(source))

    def _cte(self, select: exp.Select) -> exp.CTE:
        return exp.CTE(this=select, alias=exp.TableAlias(this=quoted(self.name)))

    def _types(self, dialect: Dialect) -> list[tuple[exp.DataType, bool]]:
        """(type, whether its values are texts to be cast) of each column."""
        types = []
        for index, (_, described) in enumerate(self.columns):
            kind = column_type(dialect, described, self.subject)
            if not dialect.blanks_count and described == "VARCHAR":
                self._refuse_blanks(dialect, index)
            if not dialect.nan_equals and any(str(row[index]).lower() == "nan" for row in self.rows):
                raise ConfigurationError(
                    f"{self.subject} holds NaN, which {dialect.name} finds unequal to itself; replace it in the source"
                )
            native = all(isinstance(row[index], (int, bool)) for row in self.rows if row[index] is not None)
            types.append((kind, not native))
        return types

    def _refuse_blanks(self, dialect: Dialect, index: int) -> None:
        if self.columns[index][0] != "value":
            return
        texts = {str(row[index]) for row in self.rows if row[index] is not None}
        if len({text.rstrip(" ") for text in texts}) < len(texts):
            raise ConfigurationError(
                f"{self.subject} has values that differ in blanks at their end only, which {dialect.name} may take for "
                "one; trim them in the source"
            )


def _absent(name: str) -> str:
    return f"{name}_missing"


def _read(name: str, kind: exp.DataType, is_text: bool) -> exp.Expr:
    value = column(name, "listed")
    if is_text or not kind.is_type("BIGINT", "BOOLEAN"):
        return exp.Cast(this=value, to=kind.copy())
    return value


def _literal(cell: Cell, kind: exp.DataType, is_text: bool) -> exp.Expr:
    if cell is None:
        return exp.cast(exp.null(), "VARCHAR") if is_text else exp.Cast(this=exp.null(), to=kind.copy())
    if isinstance(cell, bool):
        return exp.true() if cell else exp.false()
    return exp.Literal.number(cell) if isinstance(cell, int) else exp.Literal.string(cell)


def write(tree: exp.Expr, dialect: Dialect) -> str:
    """The text of a statement of the portable core; for DuckDB it may also read files. Raises EngineError."""
    core = portable(tree, dialect)
    problems = outside_core(core) if dialect.name != "duckdb" else []
    if problems:
        raise EngineError(f"the statement has no sure meaning in {dialect.name}: {'; '.join(problems[:5])}")
    if not dialect.backslash_is_sure:
        _refuse_backslashes(core, dialect)
    mark = generator(dialect).SENTINEL_LINE_BREAK
    # A text or name with the mark that stands for line breaks while lines are indented would get one.
    is_marked = any(mark in node.name for node in core.find_all(exp.Literal, exp.Identifier))
    return generator(dialect, pretty=not is_marked).generate(core, copy=False)


def generator(dialect: Dialect, *, pretty: bool = False) -> Generator:
    """The writer of statements, or parts of them, in the dialect.

    Not a class of its own with another mark for line breaks: sqlglot's compiled build cannot be derived from.
    """
    return Grammar.get_or_raise(dialect.name).generator_class(
        dialect=_exact_redshift() if dialect.name == "redshift" else dialect.name,
        pretty=pretty,
        comments=False,
        identify=dialect.name != "duckdb",
        unsupported_level=ErrorLevel.RAISE,
    )


def refuse_repeated(listing: Listing, dialect: Dialect) -> None:
    """Raises ConfigurationError where two rows of a listing have the same key once it is written.

    A join would take both of them, and one person's rows would make a class of two.
    """
    writer = generator(dialect)
    keys = {
        tuple(
            writer.generate(exp.Literal.string(cell)) if isinstance(cell, str) else cell for cell in row[: listing.keys]
        )
        for row in listing.rows
    }
    if len(keys) < len(listing.rows):
        raise ConfigurationError(
            f"{listing.subject}: {len(listing.rows) - len(keys):,} of {len(listing.rows):,} values are written in "
            f"{dialect.name} like another one, which a statement would take for one; replace them in the source"
        )


@cache
def _exact_redshift() -> type[Grammar]:
    """Redshift's SQL with texts as the standard writes them: a quote is doubled, nothing else is an escape.

    Made on demand: its modules take a while to import.
    """
    redshift = Grammar.get_or_raise("redshift").__class__
    tokenizer = type("Tokenizer", (redshift.tokenizer_class,), {"STRING_ESCAPES": ["'"]})
    return type("ExactRedshift", (redshift,), {"Tokenizer": tokenizer})


def _refuse_backslashes(tree: exp.Expr, dialect: Dialect) -> None:
    if any(text.is_string and "\\" in text.name for text in tree.find_all(exp.Literal)):
        raise ConfigurationError(
            f"--dialect {dialect.name}: values hold backslashes, which it may read as they are or as escapes; "
            "expected --mappings table, which keeps values out of the statement"
        )


def portable(tree: exp.Expr, dialect: Dialect) -> exp.Expr:  # noqa: C901
    """A copy of the statement in which constructs that differ between engines are replaced by shared ones."""
    core = tree.copy()
    for select in list(core.find_all(exp.Select)):
        _inline_windows(select)
    for cte in core.find_all(exp.CTE):
        cte.set("materialized", None)
    for kind in list(core.find_all(exp.DataType)):
        if kind.is_type("VARCHAR") and not kind.expressions:
            kind.set("this", exp.DataType.Type.TEXT)  # in Redshift a VARCHAR without a length has 256 bytes
        elif kind.is_type("INT128"):
            kind.replace(exp.DataType.build("DECIMAL(38, 0)", dialect="duckdb"))
    for some in list(core.find_all(exp.AnyValue)):
        whole = some.parent if isinstance(some.parent, exp.IgnoreNulls) else some
        whole.replace(exp.Max(this=some.this.copy()))
    for number in list(core.find_all(exp.Literal)):
        # 0.5 is a DECIMAL in one engine and a DOUBLE in the next.
        if not number.is_string and not number.is_int and not isinstance(number.parent, exp.Cast):
            number.replace(exp.cast(number.copy(), "DOUBLE"))
    for ratio in list(core.find_all(exp.Div)):
        if not ratio.this.is_type("DOUBLE"):
            ratio.set("this", exp.cast(ratio.this.copy(), "DOUBLE"))
    if dialect.shifts:
        # By an INTEGER everywhere, which a whole number of a column is not in each.
        for shift in core.find_all(exp.BitwiseLeftShift, exp.BitwiseRightShift):
            shift.set("expression", own_cast(shift.expression, "INT", dialect.name))
            marked(shift)
    for extreme in core.find_all(exp.Least, exp.Greatest):
        extreme.set("ignore_nulls", None)  # no use of them here depends on NULLs
    if not Grammar.get_or_raise(dialect.name).STRINGS_SUPPORT_ESCAPED_SEQUENCES:
        # Who reads a file as text takes \r for \n: two values would be one.
        for text in list(core.find_all(exp.Literal)):
            if text.is_string and "\r" in text.name:
                text.replace(joined(text.name.split("\r"), [exp.Chr(expressions=[exp.Literal.number(13)])]))
    if dialect.name != "duckdb":
        _spell_out_texts(core)
    if not dialect.null_safe:
        for same in list(core.find_all(exp.NullSafeEQ)):
            same.replace(_same(same.this, same.expression))
    # No order here depends on where NULLs come; each dialect keeps its own place for them.
    nulls_first = Grammar.get_or_raise(dialect.name).NULL_ORDERING == "nulls_are_small"
    for ordered in core.find_all(exp.Ordered):
        ordered.set("nulls_first", nulls_first)
    return core


def _spell_out_texts(tree: exp.Expr) -> None:
    """Replaces what engines understand differently of texts: letter cases, and where a text ends."""
    for call in list(tree.find_all(exp.Lower, exp.Upper)):
        letters, others = _letters(type(call).__name__.upper())
        texts = {"from_": exp.Literal.string(letters), "to": exp.Literal.string(others)}
        call.replace(exp.Translate(this=call.this.copy(), **texts))
    for call in list(tree.find_all(exp.RegexpLike)):
        # For some $ is also before a line break at the end.
        ends = exp.Trim(this=call.this.copy(), expression=exp.Literal.string(_LINE_ENDS), position="BOTH")
        call.replace(exp.paren(exp.and_(call.copy(), ends.eq(call.this.copy())), copy=False))


@cache
def _letters(change: str) -> tuple[str, str]:
    """(the letters that LOWER or UPPER changes in DuckDB, the letters that they become)."""
    changed = exp.Anonymous(this=change, expressions=[template.column("letter")])
    with open_engine(EngineOptions()) as engine:
        letters, others = engine.query("sql/letters", names={"changed_letter": changed})[0]
    return str(letters), str(others)


def table_name(text: str, dialect: Dialect, option: str) -> exp.Table:
    """A table's name as written in the dialect: a part without quotes is folded as the engine folds it.

    Raises ConfigurationError for what is no name of one to three parts.
    """
    try:
        parsed = exp.to_table(text, dialect=dialect.name)
    except Exception:
        parsed = exp.Table()
    parts = list(parsed.parts) if isinstance(parsed.this, exp.Identifier) and parsed.name else []
    in_quotes = any(quote in text for quote in '"`')
    if not parts or len(parts) > 3 or not all(_is_name(part, in_quotes) for part in parts):
        raise ConfigurationError(
            f"{option}: {text!r} is no table name in {dialect.name}; expected table, schema.table or "
            "database.schema.table, each part in quotes where it is no plain word"
        )
    folded = normalize_identifiers(parsed, dialect=dialect.name)
    table = exp.Table()
    for key, part in zip(("this", "db", "catalog"), reversed(list(folded.parts)), strict=False):
        table.set(key, exp.to_identifier(part.name, quoted=True))
    return table


def named_tables(text: str, dialect: str) -> list[exp.Table]:
    """The tables that a statement names, but for those of its own WITH; none where it cannot be parsed."""
    try:
        tree = sqlglot.parse_one(text, read=dialect)
    except SqlglotError:
        return []
    shared = {cte.alias.casefold() for cte in tree.find_all(exp.CTE)}
    named = [table for table in tree.find_all(exp.Table) if isinstance(table.this, exp.Identifier)]
    return [table for table in named if table.db or table.name.casefold() not in shared]


def _is_name(part: exp.Expr, in_quotes: bool) -> bool:
    """Whether a part of a name is in quotes or a plain word (a project of BigQuery may hold dashes)."""
    if not isinstance(part, exp.Identifier) or not part.name:
        return False
    return bool(in_quotes and part.args.get("quoted")) or re.fullmatch(r"[\w$-]+", part.name) is not None


def _inline_windows(select: exp.Select) -> None:
    """Puts the definitions of WINDOW in place of their names."""
    windows = {window.name: window for window in select.args.get("windows") or []}
    for over in list(select.find_all(exp.Window)):
        named = windows.get(over.alias)
        if named is not None and over.parent_select is select:
            for key in ("partition_by", "order", "spec"):
                value = named.args.get(key)
                over.set(key, [entry.copy() for entry in value] if isinstance(value, list) else value and value.copy())
            over.set("alias", None)
    if windows:
        select.set("windows", None)


def joined(parts: Iterable[str], between: Sequence[exp.Expr] = ()) -> exp.Paren:
    """The concatenation of texts, with the expressions `between` put between each two."""
    first, *more = (exp.Literal.string(part) for part in parts)
    whole: exp.Expr = first
    for part in (piece for text in more for piece in (*between, text)):
        whole = exp.DPipe(this=whole, expression=part.copy(), safe=True)
    return exp.Paren(this=whole)


def _same(left: exp.Expr, right: exp.Expr) -> exp.Expr:
    both = exp.and_(exp.Is(this=left.copy(), expression=exp.null()), exp.Is(this=right.copy(), expression=exp.null()))
    return exp.Paren(
        this=exp.Or(this=exp.EQ(this=left.copy(), expression=right.copy()), expression=exp.Paren(this=both))
    )
