"""Keyed hashes made once for each value, in tables of the engine that holds the rows, before any row is treated.

No statement that reads the source has a key in it: the texts that are hashed are kept first, by one that reads the
source and has none, and hashed by one that has the keys as parameters and reads nothing but these texts. So whatever a
view or a function of the source calls, it finds no key, in no statement that runs.

Values as they were read beside the treated ones: what a release is compared with where a treatment keeps the type.

Numbers and dates that are rounded, bounded or cut are still numbers and dates, so that a released one lies somewhere
among the values as they were. A pseudonym, a shifted date and a redacted text have nothing that they lie among.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace

from sqlglot import exp

from kanon_sql.errors import EngineError
from kanon_sql.settings.treatments import TreatmentConfig
from kanon_sql.source.columns import refuse_misfits
from kanon_sql.source.formats.registry import telling_faults
from kanon_sql.source.model import Column, Source
from kanon_sql.source.reading import understood
from kanon_sql.source.treatments.applying import refuse_outside, treated_rows
from kanon_sql.source.treatments.keys import Hashed, KeysBound, hashed
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import column

READ, _VALUE = "read_rows", "original"


@dataclass
class _Lookup:
    """The table of the distinct texts that some hashes are made of; `hashes` are its columns by their statements."""

    name: str
    text: exp.Expr
    hashes: dict[str, exp.Expr] = field(default_factory=dict)
    table: exp.Table = field(default_factory=exp.Table)  # once it is made

    def column_of(self, made: exp.Expr) -> str:
        """The column that holds a hash."""
        self.hashes.setdefault(made.sql("duckdb"), made)
        return f"made_{list(self.hashes).index(made.sql('duckdb'))}"

    def make(self, source: Source, keys: KeysBound) -> None:
        """Makes the table of the texts in a source as it is read with their hashes."""
        backend = source.backend
        text = exp.alias_(self.text.copy(), _VALUE, quoted=True)
        rows = source.relation.copy().subquery(READ)
        texts = backend.keep(exp.select(text).distinct().from_(rows), f"texts_of_{self.name}")
        named = [
            exp.alias_(_with(made, self.text, column(_VALUE)), f"made_{i}", quoted=True)
            for i, made in enumerate(self.hashes.values())
        ]
        used = {one.name for made in named for one in made.find_all(exp.Parameter)}
        bound = {name: value for name, value in keys.values.items() if name in used}
        statement = exp.select(column(_VALUE), *named).from_(texts.copy())
        self.table = backend.keep(statement, self.name, bound)
        backend.forget(texts)

    def joined(self) -> exp.Subquery:
        """The table as it is joined: what groups by the key is left out where nothing of it is asked for."""
        values = [exp.AnyValue(this=column(f"made_{i}")) for i in range(len(self.hashes))]
        named = [exp.alias_(value, f"made_{i}", quoted=True) for i, value in enumerate(values)]
        return exp.select(column(_VALUE), *named).from_(self.table.copy()).group_by(column(_VALUE)).subquery(self.name)

    def of_missing(self, made: str) -> exp.Expr:
        """What becomes of a missing text, which no join finds."""
        missing = exp.Is(this=column(_VALUE), expression=exp.null())
        return exp.select(exp.Max(this=column(made))).from_(self.table.copy()).where(missing).subquery()


def with_lookups(engine: Engine, source: Source) -> Source:
    """The source with its pseudonyms and days in tables where its rows are; without any, as it is.

    Its rows are read for it: the connection must be locked down before. Raises EngineError where they cannot be read.
    """
    if source.untreated is None or not any(one.pseudonym or one.shift for one in source.treatments.values()):
        return source
    try:
        with telling_faults(engine, source):
            return _with_tables(source, source.untreated)
    except EngineError:
        # Values that cannot be treated say more of it.
        with suppress(EngineError):
            refuse_misfits(engine, source.untreated)
            refuse_outside(source)
        raise


def _with_tables(source: Source, plain: Source) -> Source:
    keys = KeysBound()
    named = [exp.alias_(column(item.key), item.key, quoted=True) for item in plain.columns]
    rows = exp.select(*named).from_(plain.relation.copy().subquery(READ))
    made = treated_rows(plain, source.treatments, rows, keys, source.backend.dialect)
    lookups: dict[str, _Lookup] = {}
    holes: list[tuple[exp.Expr, _Lookup, str, bool]] = []
    pseudonyms: dict[str, tuple[_Lookup, str]] = {}
    for entry in made.expressions:
        for node, of in list(_hashes(entry)):
            one = lookups.setdefault(of.text.sql("duckdb"), _Lookup(f"keyed_{len(lookups)}", of.text))
            name = one.column_of(node.copy())
            holes.append((node, one, name, of.of_missing))
            pseudonyms[entry.alias_or_name] = (one, name)
    for one in lookups.values():
        one.make(plain, keys)
        condition = exp.EQ(this=column(_VALUE, one.name), expression=one.text.copy())
        made = made.join(one.joined(), on=condition, join_type="left", copy=False)
    for node, one, name, of_missing in holes:
        value: exp.Expr = column(name, one.name)
        node.replace(exp.Coalesce(this=value, expressions=[one.of_missing(name)]) if of_missing else value)
    kept = {item.name: pseudonyms[item.key] for item in plain.columns if item.key in pseudonyms}
    return replace(source, relation=made, kept=_of_pseudonyms(source, kept))


def _of_pseudonyms(source: Source, kept: Mapping[str, tuple[_Lookup, str]]) -> dict[str, tuple[exp.Table, str]]:
    return {name: (one.table, made) for name, (one, made) in kept.items() if source.treatments[name].pseudonym}


def _hashes(entry: exp.Expr) -> Iterator[tuple[exp.Expr, Hashed]]:
    """(what is made of a hash, what decides it) within a column."""
    for node in entry.walk():
        known = hashed(node)
        if known is not None:
            yield node, known


def _with(made: exp.Expr, text: exp.Expr, other: exp.Expr) -> exp.Expr:
    """What is made of a hash, with something else in the place of the text."""
    return made.copy().transform(lambda node: other.copy() if node == text else node)


def with_untreated(source: Source) -> Source:
    """The source whose relation holds, beside its columns, the untreated values of those that keep their type.

    They are no columns of the source, but in `before`, by the names of the columns.
    """
    plain = source.untreated
    if plain is None or source.before:
        return source
    joined = any(found.alias == READ for found in source.relation.find_all(exp.Subquery))
    values = {entry.alias_or_name: entry.unalias() for entry in plain.relation.expressions}
    relation, before = source.relation.copy(), dict[str, Column]()
    for name, one in source.treatments.items():
        item, was = source.column(name), plain.column(name)
        if not _keeps_type(one):
            continue
        value = column(item.key) if joined else values[item.key].copy()
        key = f"untreated_{item.key}"
        relation = relation.select(exp.alias_(_as_type(value, was, item), key, quoted=True), copy=False)
        before[name] = replace(item, key=key)
    return replace(source, relation=relation, before=before)


def _keeps_type(one: TreatmentConfig) -> bool:
    return one.pseudonym is None and one.shift is None and one.redact is None


def _as_type(value: exp.Expr, was: Column, item: Column) -> exp.Expr:
    """An untreated value as treated ones are written: texts of numbers as plain numerals, of dates as they stand."""
    if item.is_text:
        numbers = was.reading is not None and was.reading.type == "number"
        return understood(value, was.reading) if numbers else value
    return value if was.type == item.type else exp.cast(value, item.type, dialect="duckdb")
