"""Values of a column as statements read them, as texts, and their distinct combinations.

Texts are compared between tables of different formats as a release writes them: numbers of a typed column without zeros
at the end of their decimals, zero without a sign, midnights as dates, timestamps with a time zone in UTC; missing
values are NULL.

Columns read as the configuration says, before anything else, and the texts that do not fit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from sqlglot import exp

from kanon_sql.errors import EngineError, UnfittingSourceError, bounded
from kanon_sql.settings.columns import BLANKS, ColumnConfig
from kanon_sql.source.formats.registry import find_place
from kanon_sql.source.model import Backend, Column, Source
from kanon_sql.source.reading import Reading, changed, fits, understood
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.dialects import Dialect, column_type
from kanon_sql.sql.tables import NUMERIC
from kanon_sql.sql.template import Item, column, state


def normalized(item: Column, missing: Sequence[str]) -> exp.Expr:
    """The value that the models read: texts that mean missing are NULL."""
    return null_for(column(item.key), missing if item.is_text else ())


def person(item: Column, missing: Sequence[str]) -> exp.Expr:
    """The value by which persons are told apart: two texts of one number are one person."""
    return understood(normalized(item, missing), item.reading)


def null_for(value: exp.Expr, texts: Sequence[str]) -> exp.Expr:
    """A text, NULL where it is one of these."""
    if not texts:
        return value
    return exp.Case(ifs=[exp.If(this=_is_one_of(value, texts), true=exp.null())], default=value)


def means_missing(value: exp.Expr, texts: Sequence[str]) -> exp.Expr:
    """Whether a value is NULL or one of the texts."""
    is_null = exp.Is(this=value.copy(), expression=exp.null())
    return exp.or_(is_null, _is_one_of(value, texts)) if texts else is_null


def _is_one_of(value: exp.Expr, texts: Sequence[str]) -> exp.Expr:
    return exp.In(this=value.copy(), expressions=[exp.Literal.string(text) for text in texts])


def distinct_values(rows: exp.Select, item: Column) -> exp.Select:
    """SELECT of the distinct raw values of one column as `value`.

    By GROUP BY, before which DuckDB leaves out joins that the column does not need; before DISTINCT it does not.
    """
    value = exp.alias_(column(item.key), "value", quoted=True)
    return exp.select(value).from_(rows.copy().subquery(state("rows"))).group_by(column(item.key))


def counted_values(rows: exp.Select, item: Column, *, weighted: bool) -> exp.Select:
    """SELECT of the distinct raw values of one column as `value` with their rows, which `weighted` ones count, as
    `row_count`.
    """
    total: exp.Expr = exp.Sum(this=column("row_count")) if weighted else exp.Count(this=exp.Star())
    counted = exp.alias_(exp.cast(total, "BIGINT"), "row_count", quoted=True)
    value = exp.alias_(column(item.key), "value", quoted=True)
    return exp.select(value, counted).from_(rows.copy().subquery(state("rows"))).group_by(column(item.key))


def or_missing(key: exp.Expr, found: exp.Expr, absent: exp.Expr | None) -> exp.Expr:
    """What a value becomes; a missing one finds no partner in a join and is given by itself."""
    if absent is None:
        return found
    is_missing = exp.Is(this=key, expression=exp.null())
    return exp.Case(ifs=[exp.If(this=is_missing, true=absent)], default=found)


_FRACTIONAL = ("DOUBLE", "FLOAT", "DECIMAL")


def text_of(item: Column, missing: Sequence[str]) -> exp.Expr:
    """The text that a cell is compared by, NULL where it is missing."""
    value = normalized(item, missing)
    reading = item.reading
    if reading is not None and reading.is_typed:
        # Beside values there are labels and texts of other tables, which stay as they are.
        value = exp.Case(ifs=[exp.If(this=fits(value, reading), true=understood(value, reading))], default=value.copy())
    return as_written(value, item.type)


def as_written(value: exp.Expr, kind: str) -> exp.Expr:
    """A value of a type (as DuckDB names it) as text."""
    if kind == "VARCHAR":
        return value
    if kind == "TIMESTAMP WITH TIME ZONE":
        value = exp.AtTimeZone(this=value, zone=exp.Literal.string("UTC"))
    text: exp.Expr = exp.cast(value, "VARCHAR")
    if kind.startswith(_FRACTIONAL):
        text = _replaced(text, r"([.][0-9]*?)0+$", r"\1")
        text = _replaced(text, "[.]$", "")
        return text if kind.startswith("DECIMAL") else _replaced(text, "^-0$", "0")
    return _replaced(text, " 00:00:00$", "") if kind.startswith("TIMESTAMP") else text


def _replaced(text: exp.Expr, pattern: str, by: str) -> exp.Expr:
    return exp.Anonymous(this="regexp_replace", expressions=[text, exp.Literal.string(pattern), exp.Literal.string(by)])


def counted_statement(backend: Backend, rows: exp.Select, columns: Sequence[Column]) -> exp.Expr:
    """The statement of the distinct combinations of columns and their rows, c0 ... and row_count.

    Raises ConfigurationError for columns of types that engines do not compare alike.
    """
    items: list[Item] = []
    for item in columns:
        column_type(backend.dialect, item.type, f"column {item.name!r}")
        value = column(item.key)
        # A text is one whatever its length is bounded by.
        items.append({"key": item.key, "value": exp.cast(value, "VARCHAR") if item.is_text else value})
    return template.fill("source/counted", {"source": rows}, {"qi": items})


def bring_counted(
    engine: Engine, backend: Backend, rows: exp.Select, columns: Sequence[Column], table: str
) -> exp.Select:
    """SELECT in DuckDB of the distinct combinations of columns, with the number of rows as row_count."""
    return backend.bring(engine, counted_statement(backend, rows, columns), counted_columns(columns), table)


def counted_columns(columns: Sequence[Column]) -> list[tuple[str, str]]:
    """(names, types) of combinations: the columns under their keys, and row_count."""
    return [*((item.key, item.type) for item in columns), ("row_count", "BIGINT")]


_OF_TEXTS = ("format", "decimal", "thousands", "trim", "case", "recode", "missing", "invalid")


def read_columns(
    source: Source, columns: Mapping[str, ColumnConfig], place: Callable[[str], str], *, only_there: bool = False
) -> Source:
    """The source with these columns read so; `place` says where the configuration names a column.

    With `only_there` columns that the source lacks are none of its business. Raises UnfittingSourceError with every
    column that is not there or holds no texts.
    """
    present = {item.name: item for item in source.columns}
    named = {name: one for name, one in columns.items() if name in present or not only_there}
    hidden = source.only_texts and not named.keys() & present.keys()
    problems = [
        f"{place(name)}: {problem}"
        for name, one in named.items()
        if (problem := _problem(source, present.get(name), name, one, hidden=hidden)) is not None
    ]
    if problems:
        raise UnfittingSourceError(bounded(problems, source.label))
    read = {present[name].key: (one, place(name)) for name, one in named.items() if present[name].is_text}
    if not read:
        return source
    relation = source.relation.copy()
    for entry in relation.expressions:
        if entry.alias_or_name in read:
            value = read_value(
                entry.unalias().copy(), read[entry.alias_or_name][0], source.missing, source.backend.dialect
            )
            entry.replace(exp.alias_(value, entry.alias_or_name, quoted=True))
    items = tuple(
        replace(item, reading=_reading(*read[item.key])) if item.key in read else item for item in source.columns
    )
    return replace(source, relation=relation, columns=items, unread=source)


def _problem(source: Source, item: Column | None, name: str, one: ColumnConfig, *, hidden: bool) -> str | None:
    """What is wrong with a column that the configuration reads; None where nothing is.

    Names of the source that are perhaps no header but data stay `hidden`.
    """
    if item is None:
        known = ", ".join(repr(other.name) for other in source.columns[:20])
        hint = "is its first row a header? Set source.csv.header and source.csv.delimiter"
        return f"there is no column {name!r} in {source.label}; {hint if hidden else f'expected one of {known}'}"
    if item.is_text:
        return None
    own = "number" if item.type.startswith(NUMERIC) else None
    own = own or next((kind.lower() for kind in ("TIMESTAMP", "DATE") if item.type.startswith(kind)), None)
    given = [key for key in _OF_TEXTS if key in one.model_fields_set]
    if given:
        return (
            f"column {name!r} is of type {item.type[:40]} and holds no texts; {', '.join(given)} "
            f"{'goes' if len(given) == 1 else 'go'} with texts: remove {'it' if len(given) == 1 else 'them'}, or cast "
            "the column in source.query"
        )
    if one.type not in (None, own):
        return (
            f"column {name!r} is of type {item.type[:40]}, which is not read as {one.type}; remove type, or cast the "
            "column in source.query"
        )
    return None


def _reading(one: ColumnConfig, place: str) -> Reading:
    is_sure = one.invalid == "missing"
    kind = one.understood_as
    is_told = one.type is not None or kind != "text"
    makes_null = bool(one.missing) or (is_sure and kind != "text")
    return Reading(kind, one.format, one.decimal or ".", one.thousands, is_sure, makes_null, place, is_told)


def read_value(value: exp.Expr, one: ColumnConfig, missing: tuple[str, ...], dialect: Dialect) -> exp.Expr:
    """A text as the configuration says that it is read, in the words of a dialect."""
    made = changed(value, one, missing, dialect.name)
    reading = _reading(one, "")
    if not reading.is_typed or not reading.is_sure:
        return made
    kept = fits(made, reading)
    if missing:
        kept = exp.or_(exp.In(this=made.copy(), expressions=[exp.Literal.string(text) for text in missing]), kept)
    return exp.Case(ifs=[exp.If(this=kept, true=made.copy())])


@dataclass(frozen=True)
class _Misfits:
    """A column with texts that its type does not fit, in so many rows."""

    item: Column
    reading: Reading
    condition: exp.Expr
    rows: int


def refuse_misfits(engine: Engine, source: Source) -> None:
    """Raises UnfittingSourceError where columns hold texts that their types do not fit: how many, and of what kind.

    The source is read once for it; where none of its columns asks for that, it is not.
    """
    asked = [
        (item, item.reading, _misfit(column(item.key), item.reading, source.missing))
        for item in source.columns
        if item.reading is not None and item.reading.is_typed and not item.reading.is_sure
    ]
    if not asked:
        return
    items: list[Item] = [{"misfit": condition, "key": item.key} for item, _, condition in asked]
    counted = source.backend.query("source/misfits", names={"source": source.relation}, lists={"read": items})[0]
    found = [
        _Misfits(item, reading, condition, int(rows))
        for (item, reading, condition), rows in zip(asked, counted, strict=True)
        if rows
    ]
    if found:
        raise UnfittingSourceError(bounded([_told(engine, source, one) for one in found], source.label))


def _misfit(value: exp.Expr, reading: Reading, missing: tuple[str, ...]) -> exp.Expr:
    return exp.and_(exp.not_(means_missing(value, missing)), exp.not_(fits(value, reading)))


def _told(engine: Engine, source: Source, one: _Misfits) -> str:
    """What is said of the texts of a column that do not fit."""
    holes = {"source": source.relation, "misfit": one.condition, "text_value": column(one.item.key)}
    statement = template.fill("source/misfit_values", names=holes)
    columns = [("value", "VARCHAR"), ("row_count", "BIGINT")]
    misfits = source.backend.bring(engine, statement, columns, state("misfits"))
    trimmed = fits(exp.Trim(this=column("value"), expression=exp.Literal.string(BLANKS)), one.reading)
    kinds = engine.query("source/misfit_kinds", names={"misfits": misfits, "fits_trimmed": trimmed})
    kind, _, rows, examples = kinds[0]
    distinct = sum(int(row[1]) for row in kinds)
    most = f"all {kind}" if len(kinds) == 1 else f"{rows} of them {kind}"
    shown = f" ({', '.join(map(repr, examples))} ...)" if engine.show_values else ""
    advice = "set trim: true" if kind.startswith("texts that fit but") else "mend the type or format"
    return (
        f"{one.reading.place}: {one.rows} {'value' if one.rows == 1 else 'values'} ({distinct} distinct) of column "
        f"{one.item.name!r} {'is' if one.rows == 1 else 'are'} invalid, {most}{shown}{_standing(engine, source, one)}; "
        f"expected {one.reading.words}: {advice}, or set invalid: missing"
        f"{'' if engine.show_values else '; --show-values shows some'}"
    )


def _standing(engine: Engine, source: Source, one: _Misfits) -> str:
    """Where the first of them stands; nothing where there is no telling."""

    def first(located: exp.Select) -> tuple[str, int] | None:
        condition = _misfit(column("value", "located"), one.reading, source.missing)
        found = engine.query("source/misfit_place", names={"located": located, "misfit": condition})
        return (str(found[0][0]), int(found[0][1])) if found else None

    # What cannot be read here is no news beside the error.
    with suppress(EngineError):
        place = find_place(engine, source, one.item, first)
        return f", the first in {place}" if place else ""
    return ""
