"""What is proposed to be done to values first: dates of a stay are moved by person, amounts are rounded and capped."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import Any

from kanon_sql.commands.init.findings import Findings, Sample, spreads
from kanon_sql.commands.init.generalizing import ProposedGeneralization, nice_widths, number
from kanon_sql.commands.init.roles import Role, alone_text
from kanon_sql.source.profile.kinds import ColumnProfile
from kanon_sql.sql.connection import Engine

_VARIABLE = "PSEUDONYM_KEY"
KEY = f"${{{_VARIABLE}}}"
"""The key of shifts, as a configuration reads it from the environment."""

_DAYS = 60
NEARLY_UNIQUE = 0.5  # of the rows that are alone with their value
_FEW_ALONE = 0.05
_LEAST_ROWS = 50
_STEPS = (200, 100, 50, 20)  # that the usual amounts are rounded to, about: the first that leaves few rows alone
_ENDS = 0.01
_MOST_ABOVE = 0.25  # of the rows, or persons, for an end that the highest share
_NUMBERS = ("whole number", "decimal")
_DATES = ("date", "timestamp")


@dataclass(frozen=True)
class ProposedTreatment:
    """What stands in transform for a column, why, and the column that dates are moved by."""

    spec: dict[str, Any]
    why: str
    by: str | None = None


@dataclass(frozen=True)
class Stays:
    """What becomes of several dates of one person: treatments with their roles, or dates that are left out."""

    treatments: Mapping[str, ProposedTreatment] = field(default_factory=dict)
    roles: Mapping[str, Role] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)


def has_key() -> bool:
    """Whether the environment holds a key, without which a configuration with shifts would not run."""
    return bool(os.environ.get(_VARIABLE))


def stays_of(
    findings: Findings, left: Collection[str], kept: Collection[str], *, by: str | None, has_key: bool
) -> Stays:
    """Several dates beside the birth date: each alone would be a key, and all of them leave nothing but *.

    Where there is a key and a column `by` that says whose dates they are, they move together, so that the days between
    them stay true. Else the first of them is released, coarser.
    """
    dates = [
        column
        for column in findings.columns("quasi-identifier")
        if _is_of_stay(column) and column.name not in left and column.name not in kept
    ]
    if len(dates) < 2:
        return Stays()
    if by is not None and has_key:
        spec = {"shift": {"days": _DAYS, "by": by, "key": KEY}}
        why = f"all dates of one {by} move by as many days, up to {_DAYS}: lengths of stay stay true"
        role = Role("sensitive", "a date that is moved with the others of its person")
        return Stays(
            {date.name: ProposedTreatment(spec, why, by) for date in dates}, {date.name: role for date in dates}
        )
    first = dates[0].name
    how = (
        f"set {_VARIABLE} (kanon-sql key new) and run init again: the dates then move together by {by}, "
        "and the days between them stay true"
        if by is not None
        else "with a column that says whose dates they are, --entity, they can be moved together by a shift"
    )
    return Stays(left_out={column.name: f"beside {first!r} it makes all dates end as *; {how}" for column in dates[1:]})


def birth_years(findings: Findings) -> dict[str, ProposedGeneralization]:
    """Birth dates beside other dates become years."""
    dates = [column for column in findings.profile.columns if column.kind in _DATES and column.name]
    generalizations = {}
    for column in findings.columns("quasi-identifier"):
        is_birth = column.finding is not None and column.finding.name == "birth date" and column.kind in _DATES
        if is_birth and len(dates) > 1:
            spec = {"builtin": "date", "levels": ["year", "decade"], "min_level": 1}
            why = "beside other dates of a person the year of birth, at least, as an age is told"
            generalizations[column.name] = ProposedGeneralization(spec, 3, why)
    return generalizations


def amounts(engine: Engine, sample: Sample, findings: Findings, k: int) -> dict[str, ProposedTreatment]:
    """Amounts of which most rows have one of their own: a step that leaves few alone, an end for the highest.

    The end is a number, which is the same in every table, so that new data can be released beside old.
    """
    columns = findings.columns("sensitive")
    names = [column.name for column in columns if column.kind in _NUMBERS and _is_nearly_unique(column)]
    treatments = {}
    for name, (low, high) in spreads(engine, sample, names, _ENDS).items():
        column = findings.profile.column(name)
        step = _step(engine, sample, column, high - low)
        if step is None:
            continue
        end = _high_end(engine, sample, findings, name, step, k)
        spec, how = {"round": number(step)}, "Rounded"
        if end is not None and end[0] > low:
            spec["top"] = end[0]
            how += f", with one end for the highest, of which there are {end[1]:,} or more"
        reason = f"{alone_text(column)}: who knows one amount knows the row"
        treatments[name] = ProposedTreatment(spec, f"{reason}. {how}; take it out where exact amounts are needed")
    return treatments


def _high_end(
    engine: Engine, sample: Sample, findings: Findings, name: str, step: float, k: int
) -> tuple[float, int] | None:
    """(a multiple of the step, how many rows or persons are above it at least): a hundredth of them, and k.

    None where these are too many to share an end.
    """
    entity = findings.entity
    person = "rowid" if entity is None else sample.source.column(entity).key
    there = sample.rows if entity is None else min(sample.rows, findings.profile.column(entity).distinct)
    needed = max(k, ceil(_ENDS * there))
    if needed > _MOST_ABOVE * there:
        return None
    names = {"amount": sample.source.column(name).key, "person": person}
    counted, least = engine.query("commands/init/high_end", names=names, values={"needed": needed})[0]
    if counted < needed:
        return None
    return number((ceil(least / step) - 1) * step), needed


def _is_of_stay(column: ColumnProfile) -> bool:
    return column.kind in _DATES and (column.finding is None or column.finding.name != "birth date")


def _is_nearly_unique(column: ColumnProfile) -> bool:
    return column.alone >= NEARLY_UNIQUE and column.rows >= _LEAST_ROWS


def _step(engine: Engine, sample: Sample, column: ColumnProfile, span: float) -> float | None:
    """The first step that leaves few rows alone with what they are rounded to; the widest where none does."""
    step = None
    for steps in _STEPS:
        widths = nice_widths(span * 20 / steps, whole=column.kind == "whole number")
        if not widths or widths[0] == step:
            continue
        step = widths[0]
        names = {"amount": sample.source.column(column.name).key}
        alone = engine.query("commands/init/alone_rounded", names=names, values={"step": step})[0][0]
        if alone <= _FEW_ALONE * sample.rows:
            break
    return step
