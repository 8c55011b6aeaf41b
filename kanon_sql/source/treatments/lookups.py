"""Pseudonyms and days, computed once for each value, in tables of the engine that holds the rows.

No statement that reads the source has a key in it. One without keys reads the source and keeps the texts that are to be
hashed; another with the keys as parameters reads nothing but these texts and hashes them. So whatever a view or a
function of the source calls, it finds no key, in no statement that runs.

Utility compares a release with untreated values, where a treatment keeps the type: numbers and dates that are rounded,
bounded or cut are still numbers and dates, so that a released one lies somewhere among the values as they were. A
pseudonym, a shifted date and a redacted text have nothing that they lie among.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace

from sqlglot import exp

from kanon_sql.errors import EngineError
from kanon_sql.source.columns import refuse_misfits
from kanon_sql.source.formats.registry import telling_faults
from kanon_sql.source.model import Column, Source
from kanon_sql.source.reading import understood
from kanon_sql.source.treatments.applying import refuse_outside, treated_rows
from kanon_sql.source.treatments.keys import KeysBound, hashed
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import column

READ, _VALUE = "read_rows", "original"


def with_lookups(engine: Engine, source: Source) -> Source:
    """The source with its pseudonyms and days in tables where its rows are; unchanged without any.

    Its rows are read for it, so the connection must be locked down. Raises EngineError where they cannot be read.
    """
    if source.untreated is None or not any(config.pseudonym or config.shift for config in source.treatments.values()):
        return source
    try:
        with telling_faults(engine, source):
            return _with_tables(source, source.untreated)
    except EngineError:
        # An error about values that cannot be treated says more.
        with suppress(EngineError):
            refuse_misfits(engine, source.untreated)
            refuse_outside(source)
        raise


def with_untreated(source: Source) -> Source:
    """The source whose relation holds, beside its columns, the untreated values of columns that keep their type.

    These are no columns of the source; `before` has them, by the names of the columns.
    """
    plain = source.untreated
    if plain is None or source.before:
        return source
    joined = any(subquery.alias == READ for subquery in source.relation.find_all(exp.Subquery))
    values = {entry.alias_or_name: entry.unalias() for entry in plain.relation.expressions}
    relation, before = source.relation.copy(), dict[str, Column]()
    for name, config in source.treatments.items():
        col, was = source.column(name), plain.column(name)
        if config.pseudonym is not None or config.shift is not None or config.redact is not None:
            continue
        value = column(col.key) if joined else values[col.key].copy()
        key = f"untreated_{col.key}"
        relation = relation.select(exp.alias_(_as_type(value, was, col), key, quoted=True), copy=False)
        before[name] = replace(col, key=key)
    return replace(source, relation=relation, before=before)


@dataclass
class _Lookup:
    """The table of the distinct texts of one expression with what their hashes determine.

    `hashes` are the expressions of its columns made_0, made_1 ... by their SQL.
    """

    name: str
    text: exp.Expr
    hashes: dict[str, exp.Expr] = field(default_factory=dict)
    table: exp.Table = field(default_factory=exp.Table)  # set by `make`

    def column_of(self, value: exp.Expr) -> str:
        """The column that holds a value determined by the hash; a new one where it is the first such value."""
        self.hashes.setdefault(value.sql("duckdb"), value)
        return f"made_{list(self.hashes).index(value.sql('duckdb'))}"

    def make(self, source: Source, keys: KeysBound) -> None:
        """Makes the table from a source as it is read."""
        backend = source.backend
        text = exp.alias_(self.text.copy(), _VALUE, quoted=True)
        rows = source.relation.copy().subquery(READ)
        texts = backend.keep(exp.select(text).distinct().from_(rows), f"texts_of_{self.name}")
        named = [
            exp.alias_(
                value.copy().transform(lambda node: column(_VALUE) if node == self.text else node),
                f"made_{i}",
                quoted=True,
            )
            for i, value in enumerate(self.hashes.values())
        ]
        used = {parameter.name for value in named for parameter in value.find_all(exp.Parameter)}
        bound = {name: value for name, value in keys.values.items() if name in used}
        statement = exp.select(column(_VALUE), *named).from_(texts.copy())
        self.table = backend.keep(statement, self.name, bound)
        backend.forget(texts)

    def joined(self) -> exp.Subquery:
        """The table for a join. Grouped by its key, the engine leaves the join out where no column of it is needed."""
        values = [exp.AnyValue(this=column(f"made_{i}")) for i in range(len(self.hashes))]
        named = [exp.alias_(value, f"made_{i}", quoted=True) for i, value in enumerate(values)]
        return exp.select(column(_VALUE), *named).from_(self.table.copy()).group_by(column(_VALUE)).subquery(self.name)

    def of_missing(self, name: str) -> exp.Expr:
        """The value of a column for a missing text, which no join finds."""
        missing = exp.Is(this=column(_VALUE), expression=exp.null())
        return exp.select(exp.Max(this=column(name))).from_(self.table.copy()).where(missing).subquery()


def _with_tables(source: Source, plain: Source) -> Source:
    keys = KeysBound()
    keys_read = [exp.alias_(column(col.key), col.key, quoted=True) for col in plain.columns]
    rows = exp.select(*keys_read).from_(plain.relation.copy().subquery(READ))
    statement = treated_rows(plain, source.treatments, rows, keys, source.backend.dialect)
    lookups: dict[str, _Lookup] = {}
    holes: list[tuple[exp.Expr, _Lookup, str, bool]] = []
    hashed_columns: dict[str, tuple[_Lookup, str]] = {}
    for entry in statement.expressions:
        for node, of in [(node, of) for node in entry.walk() if (of := hashed(node)) is not None]:
            lookup = lookups.setdefault(of.text.sql("duckdb"), _Lookup(f"keyed_{len(lookups)}", of.text))
            name = lookup.column_of(node.copy())
            holes.append((node, lookup, name, of.of_missing))
            hashed_columns[entry.alias_or_name] = (lookup, name)
    for lookup in lookups.values():
        lookup.make(plain, keys)
        condition = exp.EQ(this=column(_VALUE, lookup.name), expression=lookup.text.copy())
        statement = statement.join(lookup.joined(), on=condition, join_type="left", copy=False)
    for node, lookup, name, of_missing in holes:
        value: exp.Expr = column(name, lookup.name)
        node.replace(exp.Coalesce(this=value, expressions=[lookup.of_missing(name)]) if of_missing else value)
    kept = {}
    for col in plain.columns:
        if col.key in hashed_columns and source.treatments[col.name].pseudonym:
            lookup, name = hashed_columns[col.key]
            kept[col.name] = (lookup.table, name)
    return replace(source, relation=statement, kept=kept)


def _as_type(value: exp.Expr, was: Column, col: Column) -> exp.Expr:
    """An untreated value, written as treated ones are: texts of numbers as plain numerals, of dates as they stand."""
    if col.is_text:
        numbers = was.reading is not None and was.reading.type == "number"
        return understood(value, was.reading) if numbers else value
    return value if was.type == col.type else exp.cast(value, col.type, dialect="duckdb")
