"""Values as they were read beside the treated ones: what a release is compared with where a treatment keeps the type.

Numbers and dates that are rounded, bounded or cut are still numbers and dates, so that a released one lies somewhere
among the values as they were. A pseudonym, a shifted date and a redacted text have nothing that they lie among.
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from kanon_sql.settings.treatments import TreatmentConfig
from kanon_sql.source.model import Column, Source
from kanon_sql.source.reading import understood
from kanon_sql.source.treatments.lookups import READ
from kanon_sql.sql.template import column


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
