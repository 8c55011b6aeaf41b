"""Columns in statements: read as the configuration says, normalized, as comparable texts, and counted.

`read_columns` changes how a source is read before anything else looks at it, `refuse_misfits` counts texts that do not
fit. Texts are compared between tables of different formats as a release writes them (`text_of`): numbers of a typed
column without zeros at the end of their decimals, zero without a sign, midnights as dates, timestamps with a time zone
in UTC; missing values are NULL.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from sqlglot import exp

from kanon_sql.errors import ConfigurationError, EngineError, UnfittingSourceError, bounded
from kanon_sql.settings.columns import BLANKS, ColumnConfig
from kanon_sql.source.formats.registry import find_place
from kanon_sql.source.model import Backend, Column, Source
from kanon_sql.source.reading import Reading, changed, fits, understood
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.dialects import Dialect, column_type, own
from kanon_sql.sql.tables import NUMERIC
from kanon_sql.sql.template import Item, column, state

_FRACTIONAL = ("DOUBLE", "FLOAT", "DECIMAL")
_ZEROS = r"([.][0-9]*?)0+$", r"\1"  # at the end of decimals, and what stays of these
_OF_TEXTS = ("format", "decimal", "thousands", "trim", "case", "recode", "missing", "invalid")


def read_columns(
    source: Source, columns: Mapping[str, ColumnConfig], place: Callable[[str], str], *, only_there: bool = False
) -> Source:
    """The source with `columns` read as configured; `place` says where the configuration names a column.

    With `only_there` columns that the source lacks are ignored. Raises UnfittingSourceError with every column that is
    not there or holds no texts.
    """
    present = {col.name: col for col in source.columns}
    named = {name: config for name, config in columns.items() if name in present or not only_there}
    hidden = source.only_texts and not named.keys() & present.keys()
    problems = [
        f"{place(name)}: {problem}"
        for name, config in named.items()
        if (problem := _problem(source, present.get(name), name, config, hidden=hidden)) is not None
    ]
    if problems:
        raise UnfittingSourceError(bounded(problems, source.label))
    read = {present[name].key: (config, place(name)) for name, config in named.items() if present[name].is_text}
    if not read:
        return source
    relation = source.relation.copy()
    for entry in relation.expressions:
        if entry.alias_or_name in read:
            value = read_value(
                entry.unalias().copy(), read[entry.alias_or_name][0], source.missing, source.backend.dialect
            )
            entry.replace(exp.alias_(value, entry.alias_or_name, quoted=True))
    cols = tuple(replace(col, reading=_reading(*read[col.key])) if col.key in read else col for col in source.columns)
    return replace(source, relation=relation, columns=cols, unread=source)


def read_value(value: exp.Expr, config: ColumnConfig, missing: tuple[str, ...], dialect: Dialect) -> exp.Expr:
    """A text read as the configuration says, in the SQL of a dialect; NULL where it does not fit and must."""
    text = changed(value, config, missing, dialect.name)
    reading = _reading(config, "")
    if not reading.is_typed or not reading.is_sure:
        return text
    is_kept = fits(text, reading)
    if missing:
        is_kept = exp.or_(_is_one_of(text, missing), is_kept)
    return exp.Case(ifs=[exp.If(this=is_kept, true=text.copy())])


def refuse_misfits(engine: Engine, source: Source) -> None:
    """Raises UnfittingSourceError, with their number and kind, where columns hold texts that do not fit their readings.

    The source is read once, unless none of its columns can hold such texts.
    """
    checks = [
        (col, col.reading, _misfit(column(col.key), col.reading, source.missing))
        for col in source.columns
        if col.reading is not None and col.reading.is_typed and not col.reading.is_sure
    ]
    if not checks:
        return
    holes: list[Item] = [{"misfit": condition, "key": col.key} for col, _, condition in checks]
    counted = source.backend.query("source/misfits", names={"source": source.relation}, lists={"read": holes})[0]
    misfits = [
        _Misfits(col, reading, condition, int(rows))
        for (col, reading, condition), rows in zip(checks, counted, strict=True)
        if rows
    ]
    if misfits:
        problems = [_misfit_problem(engine, source, misfit) for misfit in misfits]
        raise UnfittingSourceError(bounded(problems, source.label))


def normalized(col: Column, missing: Sequence[str]) -> exp.Expr:
    """The value that the privacy models read: texts that mean missing are NULL."""
    return null_for(column(col.key), missing if col.is_text else ())


def person(col: Column, missing: Sequence[str]) -> exp.Expr:
    """The value that identifies a person: two texts of one number are one person."""
    return understood(normalized(col, missing), col.reading)


def null_for(value: exp.Expr, texts: Sequence[str]) -> exp.Expr:
    """A text, NULL where it is one of `texts`."""
    if not texts:
        return value
    return exp.Case(ifs=[exp.If(this=_is_one_of(value, texts), true=exp.null())], default=value)


def present(source: Source, name: str, table: str | None = None) -> exp.Expr:
    """The value of a column of a source, or of a `table` with its rows, NULL where it is missing."""
    col = source.column(name)
    return null_for(column(col.key, table), source.missing if col.is_text else ())


def means_missing(value: exp.Expr, texts: Sequence[str]) -> exp.Expr:
    """The condition that a value is NULL or one of `texts`."""
    is_null = exp.Is(this=value.copy(), expression=exp.null())
    return exp.or_(is_null, _is_one_of(value, texts)) if texts else is_null


def text_of(col: Column, missing: Sequence[str]) -> exp.Expr:
    """The text by which a cell is compared between tables, NULL where it is missing."""
    value = normalized(col, missing)
    reading = col.reading
    if reading is not None and reading.is_typed:
        # Labels and texts of other tables may be among the values, and stay as they are.
        value = exp.Case(ifs=[exp.If(this=fits(value, reading), true=understood(value, reading))], default=value.copy())
    return as_written(value, col.type)


def as_written(value: exp.Expr, kind: str) -> exp.Expr:
    """A value of a type (as DuckDB describes it) as the text that a release writes."""
    if kind == "VARCHAR":
        return value
    if kind == "TIMESTAMP WITH TIME ZONE":
        value = exp.AtTimeZone(this=value, zone=exp.Literal.string("UTC"))
    text: exp.Expr = exp.cast(value, "VARCHAR")
    if kind.startswith(_FRACTIONAL):
        text = _replaced(text, *_ZEROS)
        text = _replaced(text, "[.]$", "")
        return text if kind.startswith("DECIMAL") else _replaced(text, "^-0$", "0")
    return _replaced(text, " 00:00:00$", "") if kind.startswith("TIMESTAMP") else text


def text_there(col: Column, dialect: Dialect) -> exp.Expr:
    """The text of a cell as `text_of` has it, in the SQL of another engine, which may write large and small floating
    numbers otherwise; an empty one where it is NULL.
    """
    value: exp.Expr = column(col.key)
    if col.type in ("BLOB", "BYTEA"):
        value = own("hex", value) if col.type == "BLOB" else value
    elif col.type == "TIMESTAMP WITH TIME ZONE":
        value = dialect.in_utc(value)
    text: exp.Expr = exp.cast(value, "VARCHAR")
    if col.type.startswith((*_FRACTIONAL, "NUMERIC")):
        for pattern, by in (_ZEROS, ("[.]$", ""), ("^-0$", "0")):
            text = dialect.replace_all(text, pattern, by)
    elif col.type.startswith("TIMESTAMP"):
        text = dialect.replace_all(text, " 00:00:00$", "")
    return exp.Coalesce(this=text, expressions=[exp.Literal.string("")])


def compared_by(source: Source, col: Column) -> exp.Expr:
    """The value by which rows of a source that are equal in a column are told from others where its rows are.

    In another engine it is a text where values of the type are not compared there, or not exactly.
    """
    value: exp.Expr = column(col.key)
    if not source.backend.weighted:
        return value
    try:
        column_type(source.backend.dialect, col.type, "")
    except ConfigurationError:
        return source.backend.dialect.by_bytes(exp.cast(value, "VARCHAR"))
    return value


def or_missing(key: exp.Expr, partner: exp.Expr, absent: exp.Expr | None) -> exp.Expr:
    """The `partner` that a value finds in a join; `absent` for a missing value, which finds none."""
    if absent is None:
        return partner
    is_missing = exp.Is(this=key, expression=exp.null())
    return exp.Case(ifs=[exp.If(this=is_missing, true=absent)], default=partner)


def distinct_values(rows: exp.Select, col: Column) -> exp.Select:
    """SELECT of the distinct raw values of one column as `value`.

    By GROUP BY: DuckDB leaves out joins below it that the column does not need, below DISTINCT it does not.
    """
    value = exp.alias_(column(col.key), "value", quoted=True)
    return exp.select(value).from_(rows.copy().subquery(state("rows"))).group_by(column(col.key))


def counted_values(rows: exp.Select, col: Column, *, weighted: bool) -> exp.Select:
    """SELECT of the distinct raw values of one column as `value` with their numbers of rows as `row_count`.

    `weighted` rows stand for as many rows as their own row_count says.
    """
    total: exp.Expr = exp.Sum(this=column("row_count")) if weighted else exp.Count(this=exp.Star())
    counted = exp.alias_(exp.cast(total, "BIGINT"), "row_count", quoted=True)
    value = exp.alias_(column(col.key), "value", quoted=True)
    return exp.select(value, counted).from_(rows.copy().subquery(state("rows"))).group_by(column(col.key))


def counted_statement(backend: Backend, rows: exp.Select, columns: Sequence[Column]) -> exp.Expr:
    """The statement of the distinct combinations of columns: their keys and row_count.

    Raises ConfigurationError for columns of types that engines do not compare alike.
    """
    holes: list[Item] = []
    for col in columns:
        column_type(backend.dialect, col.type, f"column {col.name!r}")
        value = column(col.key)
        # A text of bounded length is a text.
        holes.append({"key": col.key, "value": exp.cast(value, "VARCHAR") if col.is_text else value})
    return template.fill("source/counted", {"source": rows}, {"qi": holes})


def bring_counted(
    engine: Engine, backend: Backend, rows: exp.Select, columns: Sequence[Column], table: str
) -> exp.Select:
    """SELECT in DuckDB of the distinct combinations of columns in a backend, with the number of rows as row_count."""
    return backend.bring(engine, counted_statement(backend, rows, columns), counted_columns(columns), table)


def counted_columns(columns: Sequence[Column]) -> list[tuple[str, str]]:
    """(name, type) of each column of such combinations: the columns under their keys, and row_count."""
    return [*((col.key, col.type) for col in columns), ("row_count", "BIGINT")]


def _is_one_of(value: exp.Expr, texts: Sequence[str]) -> exp.Expr:
    return exp.In(this=value.copy(), expressions=[exp.Literal.string(text) for text in texts])


def _replaced(text: exp.Expr, pattern: str, by: str) -> exp.Expr:
    return exp.Anonymous(this="regexp_replace", expressions=[text, exp.Literal.string(pattern), exp.Literal.string(by)])


def _problem(source: Source, col: Column | None, name: str, config: ColumnConfig, *, hidden: bool) -> str | None:
    """What is wrong with a column that the configuration reads; None where nothing is.

    With `hidden` no names of the source are shown, as they may be a first row of data.
    """
    if col is None:
        expected = ", ".join(repr(other.name) for other in source.columns[:20])
        hint = "is its first row a header? Set source.csv.header and source.csv.delimiter"
        return f"there is no column {name!r} in {source.label}; {hint if hidden else f'expected one of {expected}'}"
    if col.is_text:
        return None
    type_read = "number" if col.type.startswith(NUMERIC) else None
    type_read = type_read or next((kind.lower() for kind in ("TIMESTAMP", "DATE") if col.type.startswith(kind)), None)
    options = [key for key in _OF_TEXTS if key in config.model_fields_set]
    if options:
        go, them = ("goes", "it") if len(options) == 1 else ("go", "them")
        return (
            f"column {name!r} is of type {col.type[:40]} and holds no texts; {', '.join(options)} {go} with texts: "
            f"remove {them}, or cast the column in source.query"
        )
    if config.type not in (None, type_read):
        return (
            f"column {name!r} is of type {col.type[:40]}, which is not read as {config.type}; remove type, or cast the "
            "column in source.query"
        )
    return None


def _reading(config: ColumnConfig, place: str) -> Reading:
    is_sure = config.invalid == "missing"
    kind = config.understood_as
    is_told = config.type is not None or kind != "text"
    makes_null = bool(config.missing) or (is_sure and kind != "text")
    return Reading(kind, config.format, config.decimal or ".", config.thousands, is_sure, makes_null, place, is_told)


@dataclass(frozen=True)
class _Misfits:
    """A column with texts that do not fit its reading: the condition of such texts, and in how many rows they are."""

    column: Column
    reading: Reading
    condition: exp.Expr
    rows: int


def _misfit(value: exp.Expr, reading: Reading, missing: tuple[str, ...]) -> exp.Expr:
    return exp.and_(exp.not_(means_missing(value, missing)), exp.not_(fits(value, reading)))


def _misfit_problem(engine: Engine, source: Source, misfit: _Misfits) -> str:
    """The problem of a column with texts that do not fit."""
    holes = {"source": source.relation, "misfit": misfit.condition, "text_value": column(misfit.column.key)}
    statement = template.fill("source/misfit_values", names=holes)
    columns = [("value", "VARCHAR"), ("row_count", "BIGINT")]
    rows_brought = source.backend.bring(engine, statement, columns, state("misfits"))
    trimmed = fits(exp.Trim(this=column("value"), expression=exp.Literal.string(BLANKS)), misfit.reading)
    kinds = engine.query("source/misfit_kinds", names={"misfits": rows_brought, "fits_trimmed": trimmed})
    kind, _, rows, examples = kinds[0]
    distinct = sum(int(row[1]) for row in kinds)
    most = f"all {kind}" if len(kinds) == 1 else f"{rows:,} of them {kind}"
    shown = f" ({', '.join(map(repr, examples))} ...)" if engine.show_values else ""
    advice = "set trim: true" if kind.startswith("texts that fit but") else "mend the type or format"
    values, are = ("value", "is") if misfit.rows == 1 else ("values", "are")
    return (
        f"{misfit.reading.place}: {misfit.rows} {values} ({distinct} distinct) of column {misfit.column.name!r} {are} "
        f"invalid, {most}{shown}{_standing(engine, source, misfit)}; expected {misfit.reading.words}: {advice}, or set "
        f"invalid: missing{'' if engine.show_values else '; --show-values shows some'}"
    )


def _standing(engine: Engine, source: Source, misfit: _Misfits) -> str:
    """Says where the first such text is; empty where that cannot be found out."""

    def first(located: exp.Select) -> tuple[str, int] | None:
        condition = _misfit(column("value", "located"), misfit.reading, source.missing)
        rows = engine.query("source/misfit_place", names={"located": located, "misfit": condition})
        return (str(rows[0][0]), int(rows[0][1])) if rows else None

    # That it cannot be read again says no more than the error.
    with suppress(EngineError):
        place = find_place(engine, source, misfit.column, first)
        return f", the first in {place}" if place else ""
    return ""
