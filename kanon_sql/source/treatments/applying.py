"""The columns of a source treated as the configuration says: after they are read, before anything is counted.

What is counted of a source that is treated: values that cannot be, and values that share a pseudonym.
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
from kanon_sql.source.treatments.keys import Keys, KeysBound
from kanon_sql.source.treatments.registry import treatments_of
from kanon_sql.source.treatments.treatment import Cell, Settling, Treatment
from kanon_sql.sql.dialects import Dialect
from kanon_sql.sql.tables import NUMERIC
from kanon_sql.sql.template import Fill, Item, column

_NEEDED = {"number": ("number",), "moment": ("date", "timestamp")}


def treat_columns(source: Source, loaded: LoadedConfig) -> Source:
    """The source with its columns treated; where the configuration asks for nothing, as it is.

    A statement that reads a column with a key has parameters in its place until the pseudonyms and days are in tables
    (see kanon_sql.source.treatments.lookups).

    Raises UnfittingSourceError with every column that is not there, or does not hold what a treatment needs.
    """
    transform = loaded.config.transform
    if not transform:
        return source
    _refuse(source, loaded)
    source = replace(source, columns=tuple(_understood(item, transform, loaded) for item in source.columns))
    settled = {
        item.name: _settled(source, item, transform[item.name], loaded)
        for item in source.columns
        if item.name in transform
    }
    relation = treated_rows(source, settled, source.relation, KeysBound(), source.backend.dialect)
    columns = tuple(_become(item, settled.get(item.name)) for item in source.columns)
    unread = source.unread or source
    return replace(source, relation=relation, columns=columns, unread=unread, untreated=source, treatments=settled)


def treated_rows(
    source: Source,
    settled: Mapping[str, TreatmentConfig],
    relation: exp.Select,
    keys: Keys,
    dialect: Dialect,
    sought: Mapping[str, Mapping[str, exp.Expr]] | None = None,
) -> exp.Select:
    """A SELECT of columns of the source under their keys, as they are read, with those of them that are `settled`
    treated in the words of a dialect. `sought` finds, by column, ends that it may not hold.
    """
    made = relation.copy()
    values = {entry.alias_or_name: entry.unalias().copy() for entry in relation.expressions}
    others = {item.name: (item, values[item.key]) for item in source.columns if item.key in values}
    for entry in made.expressions:
        item = next(item for item in source.columns if item.key == entry.alias_or_name)
        if item.name in settled:
            value = values[item.key]
            found = (sought or {}).get(item.name, {})
            cell = Cell(value, value, item, settled[item.name], dialect, keys, source.missing, others, found)
            entry.replace(exp.alias_(_treated(cell), item.key, quoted=True))
    return made


def _treated(cell: Cell) -> exp.Expr:
    """A value treated; a missing one, or a text that does not fit, stays as it is."""
    original, item = cell.written, cell.item
    made = cell
    for treatment in treatments_of(cell.one):
        made = replace(made, item=item)
        if treatment.needs is not None and item.is_text:
            made = replace(made, value=understood(made.written.copy(), item.reading))
        value = treatment.value(made)
        item = _after(treatment, item, cell.one)
        made = replace(made, value=value, written=value)
    cases = []
    if cell.item.is_text and cell.missing:
        cases.append(exp.If(this=means_missing(original.copy(), cell.missing), true=original.copy()))
    if cell.item.is_text and any(treatment.needs is not None for treatment in treatments_of(cell.one)):
        assert cell.item.reading is not None
        cases.append(exp.If(this=exp.not_(fits(original.copy(), cell.item.reading)), true=original.copy()))
    return exp.Case(ifs=cases, default=made.written) if cases else made.written


def _refuse(source: Source, loaded: LoadedConfig) -> None:
    """Raises UnfittingSourceError with every column that is not there, or does not hold what a treatment needs."""
    present = {item.name: item for item in source.columns}
    problems = []
    for name, one in loaded.config.transform.items():
        place = loaded.place("transform", name)
        if name not in present:
            hint = "" if source.only_texts else f"; expected one of {', '.join(map(repr, list(present)[:20]))}"
            problems.append(f"{place}: there is no column {name!r} in {source.label}{hint}")
            continue
        for treatment in treatments_of(one):
            problem = _problem(source, present[name], one, treatment)
            if problem is not None:
                problems.append(f"{loaded.place('transform', name, treatment.key)}: column {name!r}: {problem}")
    if problems:
        raise UnfittingSourceError(bounded(problems, source.label))


def _problem(source: Source, item: Column, one: TreatmentConfig, treatment: Treatment) -> str | None:
    dialect = source.backend.dialect
    if dialect.name not in treatment.dialects:
        return f"{treatment.key} is not written for {dialect.name}; expected {', '.join(treatment.dialects)}"
    if treatment.needs is not None:
        kind = _kind(item)
        if kind is not None and kind not in _NEEDED[treatment.needs]:
            said = item.reading.type if item.is_text and item.reading else f"type {item.type[:40]}"
            wanted = "numbers" if treatment.needs == "number" else "dates or timestamps"
            return f"{treatment.key} goes with {wanted}, its values are of {said}; remove it, or cast the column"
    return treatment.problem(source, item, one)


def _kind(item: Column) -> str | None:
    """What the values of a column are: number, date, timestamp or text; None for texts of which nothing is said."""
    if item.is_text:
        return None if item.reading is None or item.reading.type == "text" else item.reading.type
    if item.type.startswith(NUMERIC):
        return "number"
    return next((kind.lower() for kind in ("TIMESTAMP", "DATE") if item.type.startswith(kind)), "text")


def _understood(item: Column, transform: Mapping[str, TreatmentConfig], loaded: LoadedConfig) -> Column:
    """The column with what its texts are understood as where a treatment needs to know and nothing says it."""
    one = transform.get(item.name)
    if one is None or not item.is_text or _kind(item) is not None:
        return item
    for treatment in treatments_of(one):
        if treatment.needs is not None:
            place = loaded.place("transform", item.name, treatment.key)
            return replace(item, reading=Reading("number" if treatment.needs == "number" else "timestamp", place=place))
    return item


def least_behind(loaded: LoadedConfig) -> int:
    """How many rows, or persons, must be behind whatever is found in the data."""
    privacy = loaded.config.privacy
    return max([privacy.k, *(model.spec.k for model in models_of(privacy) if isinstance(model.spec, KMap))])


def settling(
    source: Source, item: Column, one: TreatmentConfig, loaded: LoadedConfig, treatment: Treatment
) -> Settling:
    """What a treatment of a column is given that looks at the data."""
    entity = next((other for other in source.columns if other.name == loaded.config.privacy.entity), None)
    place = loaded.place("transform", item.name, treatment.key)
    return Settling(source, item, one, least_behind(loaded), place, entity, source.backend.dialect)


def _settled(source: Source, item: Column, one: TreatmentConfig, loaded: LoadedConfig) -> TreatmentConfig:
    for treatment in treatments_of(one):
        one = treatment.settle(settling(source, item, one, loaded, treatment))
    return one


def _become(item: Column, one: TreatmentConfig | None) -> Column:
    if one is not None:
        for treatment in treatments_of(one):
            item = _after(treatment, item, one)
    return item


def _after(treatment: Treatment, item: Column, one: TreatmentConfig) -> Column:
    """The column behind a treatment: texts of numbers are plain numerals then."""
    if treatment.needs == "number" and item.reading is not None:
        item = replace(item, reading=Reading("number", place=item.reading.place))
    return treatment.becomes(item, one)


Json = dict[str, Any]


@dataclass(frozen=True)
class _Outside:
    """Values of a column that a treatment cannot treat."""

    item: Column
    one: TreatmentConfig
    treatment: Treatment
    condition: exp.Expr


def refuse_outside(source: Source) -> None:
    """Raises UnfittingSourceError where columns hold values that their treatments cannot treat: how many.

    Their texts fit already. The source is read once for it; where no treatment asks for that, it is not.
    """
    plain = source.untreated
    asked = [] if plain is None else list(_asked(plain, source))
    if plain is None or not asked:
        return
    items: list[Item] = [{"misfit": one.condition, "key": f"outside_{i}"} for i, one in enumerate(asked)]
    counted = plain.backend.query("source/misfits", names={"source": plain.relation}, lists={"read": items})[0]
    problems = [
        f"column {one.item.name!r}: {rows} values {one.treatment.told_outside(one.one)}"
        for one, rows in zip(asked, counted, strict=True)
        if rows
    ]
    if problems:
        raise UnfittingSourceError(bounded([f"{source.label}: {text}" for text in problems], source.label))


def _asked(plain: Source, source: Source) -> list[_Outside]:
    found = []
    for name, one in source.treatments.items():
        item = plain.column(name)
        for treatment in treatments_of(one):
            condition = treatment.outside(_cell(plain, item, one))
            if condition is not None:
                missing = means_missing(column(item.key), plain.missing if item.is_text else ())
                kept = exp.Case(ifs=[exp.If(this=exp.not_(missing), true=condition)])
                found.append(_Outside(item, one, treatment, kept))
    return found


def _cell(plain: Source, item: Column, one: TreatmentConfig) -> Cell:
    """A value of a column among the rows of the source as it is read."""
    written = column(item.key)
    value = understood(written.copy(), item.reading) if item.is_text else written
    others = {other.name: (other, column(other.key)) for other in plain.columns}
    return Cell(value, written, item, one, plain.backend.dialect, KeysBound(), plain.missing, others)


def describe_treatments(source: Source) -> Json:
    """The report's entry: of each column its treatments, with the values that have a pseudonym.

    Raises VerificationError where two values of a column would have the same one: two persons would be taken for one.
    """
    described: Json = {}
    problems = []
    for name, one in source.treatments.items():
        entry = described[name] = {treatment.key: treatment.describe(one) for treatment in treatments_of(one)}
        if one.pseudonym is not None and source.untreated is not None:
            different, colliding = _collisions(source, source.untreated, name)
            entry["pseudonym"] |= {"values": different, "collisions": colliding}
            if colliding:
                problems.append(
                    f"{colliding} of {different} values of column {name!r} would share their pseudonym with another "
                    f"one; expected none: raise transform.{name}.pseudonym.length from {one.pseudonym.length}"
                )
    if problems:
        raise VerificationError(problems)
    return described


def _collisions(source: Source, plain: Source, name: str) -> tuple[int, int]:
    """(distinct values of a column, how many of them are more than there are pseudonyms)."""
    item = plain.column(name)
    table, made = source.kept[name]
    names: dict[str, Fill] = {
        "kept": table,
        "kept_pseudonym": made,
        "kept_missing": means_missing(column("original"), plain.missing if item.is_text else ()),
    }
    different, colliding = plain.backend.query("source/collisions", names=names)[0]
    return int(different), int(colliding)
