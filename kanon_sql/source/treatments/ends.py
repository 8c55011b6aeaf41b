"""Ends that were found for shares of the rows: told where a release shows them, else found again by statements.

Such an end is the value of a row. Where that row, and those beyond it, are suppressed, whoever is told the end knows a
value of theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from sqlglot import exp

from kanon_sql.config.load import LoadedConfig
from kanon_sql.settings.treatments import FoundEnd
from kanon_sql.source.model import Column, Source
from kanon_sql.source.treatments.applying import least_behind, settling
from kanon_sql.source.treatments.exact import numeral
from kanon_sql.source.treatments.numbers import Bottom, Top
from kanon_sql.source.treatments.treatment import Json
from kanon_sql.sql.dialects import Dialect, column_type
from kanon_sql.sql.template import Item, column

_ENDS = (Bottom(), Top())
# In whose statements an end can be sought: Spark's have it as a number, as their texts do not cast it back.
_SEEKING = ("duckdb", "postgres")


def found_ends(source: Source) -> Iterator[tuple[str, Bottom | Top, FoundEnd]]:
    """(column, treatment, end) of each end that was found."""
    for name, one in source.treatments.items():
        for treatment in _ENDS:
            end = getattr(one, treatment.key)
            if isinstance(end, FoundEnd):
                yield name, treatment, end


def note_shown_ends(source: Source, released: Source, loaded: LoadedConfig) -> Json:
    """Notes which ends of a treated source at least k rows of a release hold; the report's entries of all ends."""
    written = {item.name: item for item in released.columns}
    ends = [(name, treatment, end) for name, treatment, end in found_ends(source)]
    there = [(name, end) for name, _, end in ends if name in written]
    items: list[Item] = [
        {"misfit": _is_end(written[name], source.column(name), end, released.backend.dialect), "key": f"end_{i}"}
        for i, (name, end) in enumerate(there)
    ]
    names = {"source": released.relation}
    counted = released.backend.query("source/misfits", names=names, lists={"read": items})[0] if items else ()
    for (_, end), rows in zip(there, counted, strict=True):
        end.shown = int(rows) >= least_behind(loaded)
    found: Json = {}
    for name, treatment, _ in ends:
        found.setdefault(name, {})[treatment.key] = treatment.describe(source.treatments[name])
    return found


def _is_end(there: Column, item: Column, end: FoundEnd, dialect: Dialect) -> exp.Expr:
    """Whether a row of a release shows an end; labels of ranges are none, and no numbers either."""
    cell, text = column(there.key), exp.Literal.string(numeral(end))
    if there.is_text and (item.is_text or dialect.name != "duckdb"):
        return exp.EQ(this=cell, expression=text)
    kind = item.type if there.is_text else there.type
    value = exp.TryCast(this=cell, to=exp.DataType.build(kind, dialect="duckdb")) if there.is_text else cell
    return exp.EQ(this=value, expression=exp.cast(text, column_type(dialect, kind, f"column {item.name!r}")))


def sought_ends(
    source: Source, loaded: LoadedConfig, dialect: Dialect, read: Callable[[Sequence[Column]], exp.Select]
) -> dict[str, dict[str, exp.Expr]]:
    """By column the statements that find the ends which no release shows; `read` selects columns of all rows."""
    plain, found = source.untreated, dict[str, dict[str, exp.Expr]]()
    if plain is None or dialect.name not in _SEEKING:
        return found
    for name, treatment, end in found_ends(source):
        if not end.shown:
            asked = settling(plain, plain.column(name), source.treatments[name], loaded, treatment)
            columns = [asked.item, *([asked.entity] if asked.entity is not None else [])]
            rows = replace(plain, relation=read(columns))
            found.setdefault(name, {})[treatment.key] = treatment.sought(replace(asked, source=rows, dialect=dialect))
    return found
