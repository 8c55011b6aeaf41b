"""What is counted of a source that is treated: values that cannot be, and values that share a pseudonym."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from kanon_sql.errors import UnfittingSourceError, VerificationError, bounded
from kanon_sql.settings.treatments import TreatmentConfig
from kanon_sql.source.model import Column, Source
from kanon_sql.source.reading import understood
from kanon_sql.source.treatments.keys import KeysBound
from kanon_sql.source.treatments.registry import treatments_of
from kanon_sql.source.treatments.treatment import Cell, Treatment
from kanon_sql.source.values import means_missing
from kanon_sql.sql.template import Fill, Item, column

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
