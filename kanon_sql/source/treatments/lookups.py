"""Keyed hashes made once for each value instead of in each row, each time that rows are read: in DuckDB."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from sqlglot import exp

from kanon_sql.source.model import Source
from kanon_sql.source.treatments.applying import treated_rows
from kanon_sql.source.treatments.keys import KeysInside, hashed_text
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import column, state

_READ, _VALUE = "read_rows", "original"


@dataclass
class _Lookup:
    """The table of the distinct texts that some hashes are made of; `hashes` are its columns by their statements."""

    name: str
    text: exp.Expr
    hashes: dict[str, exp.Expr] = field(default_factory=dict)

    def column_of(self, made: exp.Expr) -> str:
        """The column that holds a hash."""
        self.hashes.setdefault(made.sql("duckdb"), made)
        return f"made_{list(self.hashes).index(made.sql('duckdb'))}"

    def select(self, rows: exp.Select) -> exp.Select:
        """SELECT of the distinct texts of rows with their hashes."""
        texts = exp.select(exp.alias_(self.text.copy(), _VALUE, quoted=True)).from_(rows.subquery(_READ)).distinct()
        named = [
            exp.alias_(_with(made, self.text, column(_VALUE)), f"made_{i}", quoted=True)
            for i, made in enumerate(self.hashes.values())
        ]
        return exp.select(column(_VALUE), *named).from_(texts.subquery("texts"))

    def joined(self) -> exp.Subquery:
        """The table as it is joined: what groups by the key is left out where nothing of it is asked for."""
        values = [exp.AnyValue(this=column(f"made_{i}")) for i in range(len(self.hashes))]
        named = [exp.alias_(value, f"made_{i}", quoted=True) for i, value in enumerate(values)]
        table = exp.Table(this=template.quoted(state(self.name)))
        return exp.select(column(_VALUE), *named).from_(table).group_by(column(_VALUE)).subquery(self.name)


def with_lookups(engine: Engine, source: Source) -> Source:
    """The source with its pseudonyms and days in tables of DuckDB; without any, or held by another engine, as it is."""
    plain = source.untreated
    if plain is None or source.backend.dialect.name != "duckdb":
        return source
    keys = [exp.alias_(column(item.key), item.key, quoted=True) for item in plain.columns]
    rows = exp.select(*keys).from_(plain.relation.copy().subquery(_READ))
    made = treated_rows(plain, source.treatments, rows, KeysInside(), source.backend.dialect)
    lookups: dict[str, _Lookup] = {}
    pseudonyms: dict[str, tuple[str, str]] = {}
    for entry in made.expressions:
        for node, text in list(_hashes(entry)):
            one = lookups.setdefault(text.sql("duckdb"), _Lookup(f"keyed_{len(lookups)}", text))
            place = (one.name, one.column_of(node))
            pseudonyms[entry.alias_or_name] = place
            # A missing value finds nothing; what becomes of it is one value for all rows.
            absent = _with(node, text, exp.cast(exp.null(), "VARCHAR"))
            node.replace(exp.Coalesce(this=column(place[1], one.name), expressions=[absent]))
    if not lookups:
        return source
    for one in lookups.values():
        table = exp.Table(this=template.quoted(state(one.name))).sql("duckdb")
        engine.run(f"CREATE OR REPLACE TEMP TABLE {table} AS {template.text(one.select(plain.relation.copy()))}")
        condition = exp.EQ(this=column(_VALUE, one.name), expression=one.text.copy())
        made = made.join(one.joined(), on=condition, join_type="left", copy=False)
    kept = {item.name: pseudonyms[item.key] for item in plain.columns if item.key in pseudonyms}
    return replace(source, relation=made, kept=_of_pseudonyms(source, kept))


def _of_pseudonyms(source: Source, kept: Mapping[str, tuple[str, str]]) -> dict[str, tuple[str, str]]:
    return {name: (state(table), made) for name, (table, made) in kept.items() if source.treatments[name].pseudonym}


def _hashes(entry: exp.Expr) -> Iterator[tuple[exp.Expr, exp.Expr]]:
    """(what is made of a hash, the text that is hashed) within a column."""
    for node in entry.walk():
        text = hashed_text(node)
        if text is not None:
            yield node, text


def _with(made: exp.Expr, text: exp.Expr, other: exp.Expr) -> exp.Expr:
    """What is made of a hash, with something else in the place of the text."""
    return made.copy().transform(lambda node: other.copy() if node == text else node)
