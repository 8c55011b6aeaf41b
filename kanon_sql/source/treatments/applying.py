"""The columns of a source treated as the configuration says: after they are read, before anything is counted.

Values that a treatment cannot treat, and values that would share a pseudonym, are counted and refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sqlglot import exp

from kanon_sql.config.load import LoadedConfig
from kanon_sql.errors import UnfittingSourceError, VerificationError, bounded
from kanon_sql.privacy.models.k_map import KMap
from kanon_sql.privacy.registry import models_of
from kanon_sql.settings.treatments import TreatmentConfig
from kanon_sql.source.columns import means_missing
from kanon_sql.source.model import Column, Source
from kanon_sql.source.reading import Reading, fits, understood
from kanon_sql.source.treatments.keys import KeysBound, KeySource
from kanon_sql.source.treatments.registry import treatments_of
from kanon_sql.source.treatments.treatment import TreatedColumn, TreatedValue, Treatment
from kanon_sql.sql.dialects import Dialect
from kanon_sql.sql.tables import NUMERIC
from kanon_sql.sql.template import Fill, Item, column

Json = dict[str, Any]
_NEEDED = {"number": ("number",), "moment": ("date", "timestamp")}


def treat_columns(source: Source, loaded: LoadedConfig) -> Source:
    """The source with its columns treated; unchanged where the configuration asks for no treatment.

    Statements that read a column with a key have parameters in the place of the key, until its pseudonyms and days are
    in tables (see kanon_sql.source.treatments.lookups).

    Raises UnfittingSourceError with every column that is not there, or does not hold what a treatment needs.
    """
    transform = loaded.config.transform
    if not transform:
        return source
    _refuse(source, loaded)
    source = replace(source, columns=tuple(_understood(col, transform, loaded) for col in source.columns))
    settled, columns = dict[str, TreatmentConfig](), list[Column]()
    for col in source.columns:
        config, after = transform.get(col.name), col
        if config is not None:
            for treatment in treatments_of(config):
                config = treatment.settle(treated_column(source, col, config, loaded, treatment))
            for treatment in treatments_of(config):
                after = _after(treatment, after, config)
            settled[col.name] = config
        columns.append(after)
    return replace(
        source,
        relation=treated_rows(source, settled, source.relation, KeysBound(), source.backend.dialect),
        columns=tuple(columns),
        unread=source.unread or source,
        untreated=source,
        treatments=settled,
    )


def treated_rows(
    source: Source,
    settled: Mapping[str, TreatmentConfig],
    relation: exp.Select,
    keys: KeySource,
    dialect: Dialect,
    sought: Mapping[str, Mapping[str, exp.Expr]] | None = None,
) -> exp.Select:
    """The `relation`, a SELECT of columns of the source under their keys as they are read, with these columns treated.

    `settled` are the settings by column, `dialect` is that of the statement, `sought` are by column and treatment the
    SELECTs of ends that the statement must not hold.
    """
    treated = relation.copy()
    values = {entry.alias_or_name: entry.unalias().copy() for entry in relation.expressions}
    others = {col.name: (col, values[col.key]) for col in source.columns if col.key in values}
    for entry in treated.expressions:
        col = next(col for col in source.columns if col.key == entry.alias_or_name)
        if col.name in settled:
            value = values[col.key]
            ends = (sought or {}).get(col.name, {})
            cell = TreatedValue(value, value, col, settled[col.name], dialect, keys, source.missing, others, ends)
            entry.replace(exp.alias_(_treated(cell), col.key, quoted=True))
    return treated


def _treated(cell: TreatedValue) -> exp.Expr:
    """The treated value; a missing one, or a text that does not fit its reading, stays as it is."""
    original, col = cell.written, cell.column
    current = cell
    for treatment in treatments_of(cell.config):
        current = replace(current, column=col)
        if treatment.needs is not None and col.is_text:
            current = replace(current, value=understood(current.written.copy(), col.reading))
        value = treatment.value(current)
        col = _after(treatment, col, cell.config)
        current = replace(current, value=value, written=value)
    cases = []
    if cell.column.is_text and cell.missing:
        cases.append(exp.If(this=means_missing(original.copy(), cell.missing), true=original.copy()))
    if cell.column.is_text and any(treatment.needs is not None for treatment in treatments_of(cell.config)):
        assert cell.column.reading is not None
        cases.append(exp.If(this=exp.not_(fits(original.copy(), cell.column.reading)), true=original.copy()))
    return exp.Case(ifs=cases, default=current.written) if cases else current.written


def _refuse(source: Source, loaded: LoadedConfig) -> None:
    """Raises UnfittingSourceError with every column that is not there, or does not hold what a treatment needs."""
    present = {col.name: col for col in source.columns}
    problems = []
    for name, config in loaded.config.transform.items():
        place = loaded.place("transform", name)
        if name not in present:
            hint = "" if source.only_texts else f"; expected one of {', '.join(map(repr, list(present)[:20]))}"
            problems.append(f"{place}: there is no column {name!r} in {source.label}{hint}")
            continue
        for treatment in treatments_of(config):
            problem = _problem(source, present[name], config, treatment)
            if problem is not None:
                problems.append(f"{loaded.place('transform', name, treatment.key)}: column {name!r}: {problem}")
    if problems:
        raise UnfittingSourceError(bounded(problems, source.label))


def _problem(source: Source, col: Column, config: TreatmentConfig, treatment: Treatment) -> str | None:
    dialect = source.backend.dialect
    if dialect.name not in treatment.dialects:
        return f"{treatment.key} is not written for {dialect.name}; expected {', '.join(treatment.dialects)}"
    if treatment.needs is not None:
        kind = _kind(col)
        if kind is not None and kind not in _NEEDED[treatment.needs]:
            type_name = col.reading.type if col.is_text and col.reading else f"type {col.type[:40]}"
            needed = "numbers" if treatment.needs == "number" else "dates or timestamps"
            return f"{treatment.key} goes with {needed}, its values are of {type_name}; remove it, or cast the column"
    return treatment.problem(source, col, config)


def _kind(col: Column) -> str | None:
    """What the values of a column are: number, date, timestamp or text; None for texts without a declared type."""
    if col.is_text:
        return None if col.reading is None or col.reading.type == "text" else col.reading.type
    if col.type.startswith(NUMERIC):
        return "number"
    return next((kind.lower() for kind in ("TIMESTAMP", "DATE") if col.type.startswith(kind)), "text")


def _understood(col: Column, transform: Mapping[str, TreatmentConfig], loaded: LoadedConfig) -> Column:
    """The column with a reading for its texts, where a treatment needs one and the configuration has none."""
    config = transform.get(col.name)
    if config is None or not col.is_text or _kind(col) is not None:
        return col
    for treatment in treatments_of(config):
        if treatment.needs is not None:
            place = loaded.place("transform", col.name, treatment.key)
            return replace(col, reading=Reading("number" if treatment.needs == "number" else "timestamp", place=place))
    return col


def _after(treatment: Treatment, col: Column, config: TreatmentConfig) -> Column:
    """The column after a treatment of numbers has made plain numerals of its texts, or another what it says."""
    if treatment.needs == "number" and col.reading is not None:
        col = replace(col, reading=Reading("number", place=col.reading.place))
    return treatment.becomes(col, config)


@dataclass(frozen=True)
class _Outside:
    """The condition that a value of a column is one that a treatment cannot treat."""

    column: Column
    config: TreatmentConfig
    treatment: Treatment
    condition: exp.Expr


def refuse_outside(source: Source) -> None:
    """Raises UnfittingSourceError, with their numbers, where columns hold values that their treatments cannot treat.

    Texts must fit their readings already. The source is read once, unless no treatment has such values.
    """
    plain = source.untreated
    checks = [] if plain is None else _outside_checks(plain, source)
    if plain is None or not checks:
        return
    conditions: list[Item] = [{"misfit": check.condition, "key": f"outside_{i}"} for i, check in enumerate(checks)]
    counted = plain.backend.query("source/misfits", names={"source": plain.relation}, lists={"read": conditions})[0]
    problems = [
        f"column {check.column.name!r}: {rows:,} values {check.treatment.outside_problem(check.config)}"
        for check, rows in zip(checks, counted, strict=True)
        if rows
    ]
    if problems:
        raise UnfittingSourceError(bounded([f"{source.label}: {text}" for text in problems], source.label))


def _outside_checks(plain: Source, source: Source) -> list[_Outside]:
    checks = []
    others = {other.name: (other, column(other.key)) for other in plain.columns}
    for name, config in source.treatments.items():
        col = plain.column(name)
        written = column(col.key)
        value = understood(written.copy(), col.reading) if col.is_text else written
        cell = TreatedValue(value, written, col, config, plain.backend.dialect, KeysBound(), plain.missing, others)
        for treatment in treatments_of(config):
            condition = treatment.outside(cell)
            if condition is not None:
                missing = means_missing(written, plain.missing if col.is_text else ())
                if_present = exp.Case(ifs=[exp.If(this=exp.not_(missing), true=condition)])
                checks.append(_Outside(col, config, treatment, if_present))
    return checks


def least_behind(loaded: LoadedConfig) -> int:
    """How many rows, or persons, must be behind whatever a treatment finds in the data."""
    privacy = loaded.config.privacy
    return max([privacy.k, *(model.spec.k for model in models_of(privacy) if isinstance(model.spec, KMap))])


def treated_column(
    source: Source, col: Column, config: TreatmentConfig, loaded: LoadedConfig, treatment: Treatment
) -> TreatedColumn:
    """The column of a source for a treatment that looks at the data."""
    entity = next((other for other in source.columns if other.name == loaded.config.privacy.entity), None)
    place = loaded.place("transform", col.name, treatment.key)
    return TreatedColumn(source, col, config, least_behind(loaded), place, entity, source.backend.dialect)


def describe_treatments(source: Source) -> Json:
    """The report's entry: the treatments of each column, with the number of values that have a pseudonym.

    Raises VerificationError where two values of a column share a pseudonym: two persons would be taken for one.
    """
    described: Json = {}
    problems = []
    for name, config in source.treatments.items():
        entry = described[name] = {treatment.key: treatment.describe(config) for treatment in treatments_of(config)}
        if config.pseudonym is not None and source.untreated is not None:
            different, colliding = _collisions(source, source.untreated, name)
            entry["pseudonym"] |= {"values": different, "collisions": colliding}
            if colliding:
                problems.append(
                    f"{colliding:,} of {different:,} values of column {name!r} would share their pseudonym with "
                    f"another one; expected none: raise transform.{name}.pseudonym.length from "
                    f"{config.pseudonym.length}"
                )
    if problems:
        raise VerificationError(problems)
    return described


def _collisions(source: Source, plain: Source, name: str) -> tuple[int, int]:
    """(distinct values of a column, how many more these are than their pseudonyms)."""
    col = plain.column(name)
    table, pseudonym = source.kept[name]
    names: dict[str, Fill] = {
        "kept": table,
        "kept_pseudonym": pseudonym,
        "kept_missing": means_missing(column("original"), plain.missing if col.is_text else ()),
    }
    different, colliding = plain.backend.query("source/collisions", names=names)[0]
    return int(different), int(colliding)
