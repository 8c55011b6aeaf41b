"""Ends that were found for shares of the rows: shown where a release shows them, else found by statements each time.

Such an end is the value of a row. Where this row, and those beyond it, are suppressed, whoever is told the end learns a
value of theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from sqlglot import exp

from kanon_sql.config.load import LoadedConfig
from kanon_sql.settings.treatments import FoundEnd
from kanon_sql.source.model import Column, Source
from kanon_sql.source.treatments.applying import least_behind, treated_column
from kanon_sql.source.treatments.exact import numeral
from kanon_sql.source.treatments.numbers import Bottom, Top
from kanon_sql.source.treatments.treatment import Json
from kanon_sql.sql.dialects import Dialect, column_type
from kanon_sql.sql.template import Item, column

_ENDS = (Bottom(), Top())


def found_ends(source: Source) -> Iterator[tuple[str, Bottom | Top, FoundEnd]]:
    """(column, treatment, end) for each end that was found in the data."""
    for name, config in source.treatments.items():
        for treatment in _ENDS:
            end = getattr(config, treatment.key)
            if isinstance(end, FoundEnd):
                yield name, treatment, end


def note_shown_ends(source: Source, released: Source, loaded: LoadedConfig) -> Json:
    """Marks the ends of a treated source that at least k rows of a release hold as shown; the report's entries."""
    written = {col.name: col for col in released.columns}
    ends = [(name, treatment, end) for name, treatment, end in found_ends(source)]
    written_ends = [(name, end) for name, _, end in ends if name in written]
    items: list[Item] = [
        {"misfit": _is_end(written[name], source.column(name), end, released.backend.dialect), "key": f"end_{i}"}
        for i, (name, end) in enumerate(written_ends)
    ]
    names = {"source": released.relation}
    counted = released.backend.query("source/misfits", names=names, lists={"read": items})[0] if items else ()
    for (_, end), rows in zip(written_ends, counted, strict=True):
        end.shown = int(rows) >= least_behind(loaded)
    described: Json = {}
    for name, treatment, _ in ends:
        described.setdefault(name, {})[treatment.key] = treatment.describe(source.treatments[name])
    return described


def _is_end(held: Column, col: Column, end: FoundEnd, dialect: Dialect) -> exp.Expr:
    """The condition that a row of a release shows an end; labels of ranges are no numbers, and show none."""
    cell, text = column(held.key), exp.Literal.string(numeral(end))
    if held.is_text and (col.is_text or dialect.name != "duckdb"):
        return exp.EQ(this=cell, expression=text)
    kind = col.type if held.is_text else held.type
    value = exp.TryCast(this=cell, to=exp.DataType.build(kind, dialect="duckdb")) if held.is_text else cell
    return exp.EQ(this=value, expression=exp.cast(text, column_type(dialect, kind, f"column {col.name!r}")))


def sought_ends(
    source: Source, loaded: LoadedConfig, dialect: Dialect, read: Callable[[Sequence[Column]], exp.Select]
) -> dict[str, dict[str, exp.Expr]]:
    """By column and treatment the SELECTs of the ends that no release shows; `read` selects columns of all rows.

    Empty for dialects in which the text of a number does not become that number again: their statements hold it.
    """
    plain, statements = source.untreated, dict[str, dict[str, exp.Expr]]()
    if plain is None or not dialect.casts_texts_back:
        return statements
    for name, treatment, end in found_ends(source):
        if not end.shown:
            treated = treated_column(plain, plain.column(name), source.treatments[name], loaded, treatment)
            columns = [treated.column, *([treated.entity] if treated.entity is not None else [])]
            rows = replace(plain, relation=read(columns))
            statements.setdefault(name, {})[treatment.key] = treatment.sought(
                replace(treated, source=rows, dialect=dialect)
            )
    return statements
