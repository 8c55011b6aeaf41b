"""Checks in a written table what treatments must leave, by statements of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from sqlglot import exp

from kanon_sql.settings.treatments import ShiftConfig, TreatmentConfig
from kanon_sql.source.columns import means_missing, null_for
from kanon_sql.source.model import Column, Source
from kanon_sql.source.reading import Reading
from kanon_sql.source.treatments.formatted import Formatted
from kanon_sql.source.treatments.registry import treatments_of
from kanon_sql.source.treatments.treatment import Treatment
from kanon_sql.sql.dialects import Dialect, own
from kanon_sql.sql.template import Fill, Item, column


def broken_treatments(
    written: Source, treatments: Mapping[str, TreatmentConfig], columns: Iterable[Column], missing: tuple[str, ...]
) -> list[str]:
    """The problems of columns of a written table that hold what their treatments do not leave.

    `columns` are those that are not generalized, as they are released; their texts that are `missing` are not treated.
    It is counted where the table is, by SQL that shares nothing with what made it.
    """
    checks: list[tuple[Column, TreatmentConfig, Treatment, exp.Expr]] = []
    for col in columns:
        if col.name not in treatments:
            continue
        config = treatments[col.name]
        # Ends that are shares of rows are left out: only the run knows their values.
        shares = [key for key in ("bottom", "top") if isinstance(getattr(config, key), str)]
        config = config.model_copy(update=dict.fromkeys(shares))
        for treatment in treatments_of(config):
            condition = _not_left(written, col, config, treatment, missing)
            if condition is not None:
                checks.append((col, config, treatment, condition))
    if not checks:
        return []
    broken: list[Item] = [{"broken": condition, "key": f"broken_{i}"} for i, (*_, condition) in enumerate(checks)]
    counted = written.backend.query("recount/broken", names={"written": written.relation}, lists={"treated": broken})
    return [
        f"column {col.name!r} holds {rows:,} values that {treatment.broken(config)}"
        for (col, config, treatment, _), rows in zip(checks, counted[0], strict=True)
        if rows
    ]


def _not_left(
    written: Source, col: Column, config: TreatmentConfig, treatment: Treatment, missing: tuple[str, ...]
) -> exp.Expr | None:
    """The condition that a written value, not missing, is none that the treatment leaves; None where any may be."""
    held, dialect = written.column(col.name), written.backend.dialect
    texts = (*missing, "") if held.is_text else ()
    # Some engines reckon with every branch of a CASE: a text that means missing is no number.
    value = null_for(column(held.key), texts)
    if held.is_text and not col.is_text:
        value = exp.cast(value, col.type)
    holds = treatment.holds(value, col, config, dialect)
    if holds is None:
        return None
    if dialect.name == "duckdb":  # a text that is no number is none that is left
        holds = holds.transform(lambda node: exp.TryCast(**node.args) if type(node) is exp.Cast else node)
        holds = exp.Coalesce(this=holds, expressions=[exp.false()])
    is_missing = means_missing(column(held.key), texts)
    return exp.Case(ifs=[exp.If(this=is_missing, true=exp.false())], default=exp.not_(exp.paren(holds)))


def other_intervals(written: Source, source: Source, columns: Iterable[Column]) -> list[str]:
    """The problems of columns shifted together whose dates have other distances in days than in the treated source.

    `columns` are those that are not generalized: labels have no days between them, and dates cut to a month others.
    """
    plain, whole = source.untreated, {col.name for col in columns}
    kept = {
        name: treatment
        for name, treatment in source.treatments.items()
        if name in whole and treatment.cut in (None, "day")
    }
    problems = []
    for first, second in _shifted_together(kept) if plain is not None else ():
        held = [col for name in (first, second) for col in written.columns if col.name == name]
        if plain is None or len(held) < 2:
            continue
        read = [plain.column(name) for name in (first, second)]
        # What is written is a text in CSV, whatever it was, and is written as it was read.
        held = [_as_read(col, like) for col, like in zip(held, read, strict=True)]
        names: dict[str, Fill] = {
            "written": written.relation,
            "source": plain.relation,
            "written_gap": _gap(held, _missing(written), written.backend.dialect),
            "source_gap": _gap(read, plain.missing, plain.backend.dialect),
        }
        foreign = int(plain.backend.query("recount/intervals", names=names)[0][0])
        if foreign:
            problems.append(
                f"{foreign:,} rows have other numbers of days between {first!r} and {second!r} than the source"
            )
    return problems


def _shifted_together(treatments: Mapping[str, TreatmentConfig]) -> Iterator[tuple[str, str]]:
    """Pairs of columns with one shift: the first of them with each of the others."""
    groups: dict[ShiftConfig, list[str]] = {}
    for name, treatment in treatments.items():
        if treatment.shift is not None:
            groups.setdefault(treatment.shift, []).append(name)
    for names in groups.values():
        yield from ((names[0], other) for other in names[1:])


def _missing(written: Source) -> tuple[str, ...]:
    """The texts that mean missing in what was written; a text file has the empty one for NULL."""
    return (*written.missing, *(("",) if written.only_texts and "" not in written.missing else ()))


def _as_read(col: Column, like: Column) -> Column:
    reading = like.reading if like.is_text else Reading("timestamp")
    return replace(col, reading=reading) if col.is_text else col


def _gap(ends: list[Column], missing: tuple[str, ...], dialect: Dialect) -> exp.Expr:
    """The days between two dates of a row; NULL where one of them is missing."""
    begin, end = (_day(col, missing, dialect) for col in ends)
    return dialect.days_between(begin, end)


def _day(col: Column, missing: tuple[str, ...], dialect: Dialect) -> exp.Expr:
    value: exp.Expr = column(col.key)
    if not col.is_text:
        return exp.cast(value, "DATE")
    reading = col.reading
    if reading is not None and reading.format is not None and dialect.name != "duckdb":
        day = Formatted(value, reading, dialect).day()
    elif reading is not None and reading.format is not None:
        day = exp.cast(own("try_strptime", value, reading.format), "DATE")
    else:
        day = exp.cast(own("substr", value, 1, 10), "DATE")
    return exp.Case(ifs=[exp.If(this=exp.not_(means_missing(column(col.key), missing)), true=day)])
