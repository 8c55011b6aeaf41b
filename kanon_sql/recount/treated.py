"""What treatments must leave, counted in a written table by statements of their own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from sqlglot import exp

from kanon_sql.settings.treatments import ShiftConfig, TreatmentConfig
from kanon_sql.source.columns import means_missing, null_for
from kanon_sql.source.model import Column, Source
from kanon_sql.source.reading import Reading
from kanon_sql.source.treatments.registry import treatments_of
from kanon_sql.source.treatments.treatment import Treatment
from kanon_sql.sql.dialects import own
from kanon_sql.sql.template import Fill, Item, column


def broken_treatments(
    written: Source, treatments: Mapping[str, TreatmentConfig], items: Iterable[Column], missing: tuple[str, ...]
) -> list[str]:
    """What columns of a table hold that their treatments do not leave.

    `items` are those that are not generalized, as they are released; `missing` texts of them are of no treatment. It is
    counted where the table is, by SQL that shares nothing with what made it.
    """
    found: list[tuple[Column, TreatmentConfig, Treatment, exp.Expr]] = []
    for item in items:
        if item.name not in treatments:
            continue
        one = _countable(treatments[item.name])
        for treatment in treatments_of(one):
            condition = _not_left(written, item, one, treatment, missing)
            if condition is not None:
                found.append((item, one, treatment, condition))
    if not found:
        return []
    broken: list[Item] = [{"broken": condition, "key": f"broken_{i}"} for i, (*_, condition) in enumerate(found)]
    counted = written.backend.query("recount/broken", names={"written": written.relation}, lists={"treated": broken})
    return [
        f"column {item.name!r} holds {rows} values that {treatment.broken(one)}"
        for (item, one, treatment, _), rows in zip(found, counted[0], strict=True)
        if rows
    ]


def _countable(one: TreatmentConfig) -> TreatmentConfig:
    """The setting without ends that are shares of rows: only the run knows what they came to."""
    return one.model_copy(update={key: None for key in ("bottom", "top") if isinstance(getattr(one, key), str)})


def _not_left(
    written: Source, item: Column, one: TreatmentConfig, treatment: Treatment, missing: tuple[str, ...]
) -> exp.Expr | None:
    """Whether a written value, which is not missing, is none that a treatment leaves; None where any may be."""
    there, dialect = written.column(item.name), written.backend.dialect
    texts = (*missing, "") if there.is_text else ()
    # Some engines reckon with every branch of a CASE: a text that means missing is no number.
    value = null_for(column(there.key), texts)
    if there.is_text and not item.is_text:
        value = exp.cast(value, item.type)
    holds = treatment.holds(value, item, one, dialect)
    if holds is None:
        return None
    if dialect.name == "duckdb":  # a text that is no number is none that is left
        holds = holds.transform(lambda node: exp.TryCast(**node.args) if type(node) is exp.Cast else node)
        holds = exp.Coalesce(this=holds, expressions=[exp.false()])
    is_missing = means_missing(column(there.key), texts)
    return exp.Case(ifs=[exp.If(this=is_missing, true=exp.false())], default=exp.not_(exp.paren(holds)))


def other_intervals(written: Source, source: Source, items: Iterable[Column]) -> list[str]:
    """Columns of one shift between whose dates the release has other numbers of days than its treated source had.

    `items` are those that are not generalized: labels have no days between them, and dates cut to a month others.
    """
    plain, whole = source.untreated, {item.name for item in items}
    kept = {name: one for name, one in source.treatments.items() if name in whole and one.cut in (None, "day")}
    problems = []
    for one, other in _shifted_together(kept) if plain is not None else ():
        here = [item for name in (one, other) for item in written.columns if item.name == name]
        if plain is None or len(here) < 2:
            continue
        read = [plain.column(name) for name in (one, other)]
        # What is written is a text in CSV, whatever it was, and is written as it was read.
        here = [_as_read(item, like) for item, like in zip(here, read, strict=True)]
        names: dict[str, Fill] = {
            "written": written.relation,
            "source": plain.relation,
            "written_gap": _gap(here, _missing(written), written.backend.dialect.name),
            "source_gap": _gap(read, plain.missing, plain.backend.dialect.name),
        }
        foreign = int(plain.backend.query("recount/intervals", names=names)[0][0])
        if foreign:
            problems.append(f"{foreign} rows have other numbers of days between {one!r} and {other!r} than the source")
    return problems


def _shifted_together(treatments: Mapping[str, TreatmentConfig]) -> Iterator[tuple[str, str]]:
    """Pairs of columns that are shifted alike, each with the one before it."""
    groups: dict[ShiftConfig, list[str]] = {}
    for name, one in treatments.items():
        if one.shift is not None:
            groups.setdefault(one.shift, []).append(name)
    for names in groups.values():
        yield from ((names[0], other) for other in names[1:])


def _missing(written: Source) -> tuple[str, ...]:
    """Texts that mean missing in what was written; a text file has the empty one for NULL."""
    return (*written.missing, *(("",) if written.only_texts and "" not in written.missing else ()))


def _as_read(item: Column, like: Column) -> Column:
    reading = like.reading if like.is_text else Reading("timestamp")
    return replace(item, reading=reading) if item.is_text else item


def _gap(items: list[Column], missing: tuple[str, ...], dialect: str) -> exp.Expr:
    """The days between two dates of a row; NULL where one of them is missing."""
    begin, end = (_day(item, missing) for item in items)
    if dialect == "duckdb":
        return own("date_diff", "day", begin, end)
    return exp.Sub(this=end, expression=begin) if dialect == "postgres" else own("datediff", end, begin)


def _day(item: Column, missing: tuple[str, ...]) -> exp.Expr:
    value: exp.Expr = column(item.key)
    if not item.is_text:
        return exp.cast(value, "DATE")
    reading = item.reading
    if reading is not None and reading.format is not None:
        day = exp.cast(own("try_strptime", value, reading.format), "DATE")
    else:
        day = exp.cast(own("substr", value, 1, 10), "DATE")
    return exp.Case(ifs=[exp.If(this=exp.not_(means_missing(column(item.key), missing)), true=day)])
