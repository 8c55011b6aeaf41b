"""A release as one self-contained SELECT: the parts that the compiled statements of all families share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from kanon_sql.source.columns import null_for
from kanon_sql.source.model import Column
from kanon_sql.source.reading import understood
from kanon_sql.source.roles import Roles
from kanon_sql.sql import template
from kanon_sql.sql.connection import Row
from kanon_sql.sql.template import Fill, Item, column, quoted
from kanon_sql.sql.writing import Listing


@dataclass(frozen=True)
class CompileRequest:
    """What a statement is compiled of and for.

    `rows` gives the rows that take part under their keys, `missing` are texts that mean missing, `order` that of the
    release. With `as_text` every quasi-identifier is VARCHAR, with `masks` suppressed rows stay as `*`. `carried` is a
    column that is not released but counted in a check, as `entity`; with `together` it names groups, whose rows are
    left out together. A statement that is `executed` at once reads from tables what is known already (which classes are
    left out, which class a tuple is in), instead of counting it again. `hashes` says that md5 of a text gives
    hexadecimal digits there.
    """

    rows: exp.Select
    missing: tuple[str, ...]
    order: str
    as_text: bool = False
    masks: bool = False
    carried: Column | None = None
    together: bool = False
    executed: bool = False
    hashes: bool = True


@dataclass(frozen=True)
class ReleasedColumn:
    """A column of the release: `code` inside the statement, `name` as the user knows it."""

    code: str
    name: str
    is_quasi_identifier: bool = False
    described: str = "VARCHAR"


@dataclass(frozen=True)
class CompiledRelease:
    """A release as a statement over source_rows and `listings`; `lines` are for the header, `masked` rows are `*`."""

    statement: exp.Select
    listings: tuple[Listing, ...]
    released: tuple[ReleasedColumn, ...]
    lines: tuple[str, ...] = ()
    masked: int = 0

    def parts(self) -> list[exp.CTE]:
        """The common table expressions; the last is `released`."""
        return [part for part in with_of(self.statement).expressions if isinstance(part, exp.CTE)]


def assembled(
    request: CompileRequest,
    roles: Roles,
    file: str,
    lists: Mapping[str, Sequence[Item]],
    names: Mapping[str, Fill] | None = None,
) -> exp.Select:
    """A query file filled in, after the rows that take part; a carried column is not released."""
    sort: list[Item] = [{"key": exp.Rand()}] if request.order == "random" else []
    statement = template.fill(file, names, {**lists, "sort": sort}, part=True)
    assert isinstance(statement, exp.Select)
    if request.carried is not None:
        statement.expressions[-1].pop()
    set_with(statement, [source_rows(request, roles), *with_of(statement).expressions])
    return statement


def leave_out(statement: exp.Select, name: str) -> None:
    """Takes a common table expression out: its readers read its own table, which has the same columns."""
    parts = with_of(statement)
    left = next(part for part in parts.expressions if part.alias == name)
    origin = left.this.find(exp.Table).name
    parts.set("expressions", [part for part in parts.expressions if part is not left])
    for table in statement.find_all(exp.Table):
        if table.name == name:
            table.this.set("this", origin)
    for reference in statement.find_all(exp.Column):
        if reference.table == name:
            reference.args["table"].set("this", origin)


def with_of(statement: exp.Query) -> exp.With:
    clause = statement.args.get("with_") or statement.args.get("with")
    assert isinstance(clause, exp.With)
    return clause


def set_with(statement: exp.Query, parts: Sequence[exp.Expr]) -> None:
    statement.set("with_" if "with_" in exp.Select.arg_types else "with", exp.With(expressions=list(parts)))


def key_name(col: Column) -> str:
    """The name in source_rows of a quasi-identifier's value, NULL where that is missing."""
    return f"k{col.key[1:]}"


def other_name(col: Column) -> str:
    """The name in source_rows of a column that is released as it is."""
    return f"o{col.key[1:]}"


def source_rows(request: CompileRequest, roles: Roles) -> exp.CTE:
    """The rows that take part: quasi-identifiers with texts that mean missing as NULL, the others as they are."""
    keys = {col.key for col in roles.quasi_identifiers}
    selected: list[exp.Expr] = [
        exp.alias_(present(col, request.missing), key_name(col), quoted=True) for col in roles.quasi_identifiers
    ]
    selected += [
        exp.alias_(col.released(column(col.key)), other_name(col), quoted=True)
        for col in roles.released
        if col.key not in keys
    ]
    if request.carried is not None:
        entity = understood(present(request.carried, request.missing), request.carried.reading)
        selected.append(exp.alias_(entity, "entity", quoted=True))
    select = exp.select(*selected).from_(request.rows.copy().subquery("participants"))
    return exp.CTE(this=select, alias=exp.TableAlias(this=quoted("source_rows")))


def present(col: Column, missing: Sequence[str], value: exp.Expr | None = None) -> exp.Expr:
    """A column's value, NULL where it is missing; a text is compared as text whatever the table's type is."""
    value = value or column(col.key)
    if not col.is_text:
        return value
    return null_for(exp.cast(value, "VARCHAR"), missing)


def split_missing(rows: Iterable[Row], col: Column, missing: Sequence[str]) -> tuple[list[Row], Row | None]:
    """(rows of values that are present, what follows a missing value or None); a row begins with its value as text."""
    texts = {None, *(missing if col.is_text else ())}
    listed: list[Row] = []
    absent: Row | None = None
    for row in rows:
        if row[0] in texts:
            absent = tuple(row[1:]) if absent is None or row[0] is None else absent
        else:
            listed.append(row)
    return listed, absent
