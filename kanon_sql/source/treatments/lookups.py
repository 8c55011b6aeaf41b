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
from kanon_sql.sql.tables import WHOLE
from kanon_sql.sql.template import column

READ, _VALUE = "read_rows", "original"
_OWN_TEXTS = (*WHOLE, "DATE", "UUID")  # types of which two values that differ have texts that differ, in every engine


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
    """The table of the distinct values of one expression with what the hashes of their texts determine.

    `value` is the expression, `text` that of its text: one number, date or UUID has one text, and is joined faster.
    `hashes` are the expressions of the table's columns made_0, made_1 ... by their SQL; `is_missing` says that a row
    has no value.
    """

    name: str
    text: exp.Expr
    value: exp.Expr
    hashes: dict[str, exp.Expr] = field(default_factory=dict)
    table: exp.Table = field(default_factory=exp.Table)  # this and the next are set by `make`
    is_missing: bool = True

    def column_of(self, value: exp.Expr) -> str:
        """The column that holds a value determined by the hash; a new one where it is the first such value."""
        self.hashes.setdefault(value.sql("duckdb"), value)
        return f"made_{list(self.hashes).index(value.sql('duckdb'))}"

    def make(self, source: Source, keys: KeysBound) -> None:
        """Makes the table from a source as it is read."""
        backend = source.backend
        value = exp.alias_(self.value.copy(), _VALUE, quoted=True)
        rows = source.relation.copy().subquery(READ)
        values = backend.keep(exp.select(value).distinct().from_(rows), f"values_of_{self.name}")
        kept_text = column(_VALUE) if self.value == self.text else exp.cast(column(_VALUE), "VARCHAR")
        named = [
            exp.alias_(
                hashed_value.copy().transform(lambda node: kept_text.copy() if node == self.text else node),
                f"made_{i}",
                quoted=True,
            )
            for i, hashed_value in enumerate(self.hashes.values())
        ]
        used = {parameter.name for value in named for parameter in value.find_all(exp.Parameter)}
        bound = {name: value for name, value in keys.values.items() if name in used}
        statement = exp.select(column(_VALUE), *named).from_(values.copy())
        self.table = backend.keep(statement, self.name, bound)
        backend.forget(values)
        self.is_missing = bool(backend.query("source/missing_kept", names={"kept": self.table})[0][0])

    def joined(self) -> exp.Subquery:
        """The table for a join. Grouped by its key, which is compared with a plain column, the engine leaves the join
        out where no column of it is needed.
        """
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
    read_rows = plain.relation.copy().subquery(READ)
    rows = exp.select(*keys_read).from_(read_rows)
    statement = treated_rows(plain, source.treatments, rows, keys, source.backend.dialect)
    lookups: dict[str, _Lookup] = {}
    holes: list[tuple[exp.Expr, _Lookup, str, bool]] = []
    hashed_columns: dict[str, tuple[_Lookup, str]] = {}
    for entry in statement.expressions:
        for node, of in [(node, of) for node in entry.walk() if (of := hashed(node)) is not None]:
            number, value = len(lookups), _value_of(of.text, plain)
            lookup = lookups.setdefault(of.text.sql("duckdb"), _Lookup(f"keyed_{number}", of.text, value))
            name = lookup.column_of(node.copy())
            holes.append((node, lookup, name, of.of_missing))
            hashed_columns[entry.alias_or_name] = (lookup, name)
    computed: list[exp.Expr] = []
    for lookup in lookups.values():
        lookup.make(plain, keys)
        compared = lookup.value.copy()
        if not isinstance(compared, exp.Column):
            computed.append(exp.alias_(compared, f"value_of_{lookup.name}", quoted=True))
            compared = column(f"value_of_{lookup.name}", READ)
        condition = exp.EQ(this=column(_VALUE, lookup.name), expression=compared)
        statement = statement.join(lookup.joined(), on=condition, join_type="left", copy=False)
    if computed:
        read = statement.find(exp.From)
        assert read is not None
        entries = [entry.copy() for entry in keys_read]
        read.this.replace(exp.select(*entries, *computed).from_(read_rows.copy()).subquery(READ))
    for node, lookup, name, of_missing in holes:
        determined: exp.Expr = column(name, lookup.name)
        # A join finds nothing for a missing value; without any the engine can leave out joins that are not needed.
        reads_missing = of_missing and lookup.is_missing
        node.replace(
            exp.Coalesce(this=determined, expressions=[lookup.of_missing(name)]) if reads_missing else determined
        )
    kept = {}
    for col in plain.columns:
        if col.key in hashed_columns and source.treatments[col.name].pseudonym:
            lookup, name = hashed_columns[col.key]
            kept[col.name] = (lookup.table, name)
    return replace(source, relation=statement, kept=kept)


def _value_of(text: exp.Expr, source: Source) -> exp.Expr:
    """The column whose text this is, where each of its values has a text of its own; else the text."""
    if isinstance(text, exp.Cast) and isinstance(text.this, exp.Column) and text.is_type("VARCHAR"):
        types = {col.key: col.type for col in source.columns}
        if types.get(text.this.name) in _OWN_TEXTS:
            return text.this
    return text


def _as_type(value: exp.Expr, was: Column, col: Column) -> exp.Expr:
    """An untreated value, written as treated ones are: texts of numbers as plain numerals, of dates as they stand."""
    if col.is_text:
        numbers = was.reading is not None and was.reading.type == "number"
        return understood(value, was.reading) if numbers else value
    return value if was.type == col.type else exp.cast(value, col.type, dialect="duckdb")
