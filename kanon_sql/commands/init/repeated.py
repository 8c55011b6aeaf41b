"""Quasi-identifiers that say the same as another: one of them is left out, as generalizing both loses twice as much."""

from __future__ import annotations

from collections.abc import Collection

from kanon_sql.commands.init.findings import Findings
from kanon_sql.commands.init.measuring import Sample
from kanon_sql.commands.init.roles import percent
from kanon_sql.source.profile.model import ColumnProfile, Profile
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import state

_NUMBERS = ("whole number", "decimal")
_DATES = ("date", "timestamp")
_YEARS = 5  # between which birth date and age add up in 90 % of the rows, where one tells the other nearly
_LEAST_ROWS = 20


def left_out(engine: Engine, sample: Sample, findings: Findings, kept: Collection[str]) -> dict[str, str]:
    """The quasi-identifiers that need not be released since another tells them, each with the reason.

    None of those is that shall be `kept`.
    """
    found, roles, told = findings.profile, findings.roles, findings.determined
    quasi = {one.name: one for one in found.columns if roles[one.name].role == "quasi-identifier"}
    pairs = {(one.by, one.column): one.share for one in told if one.by in quasi and one.column in quasi}
    left = {name: why for name, why in _birth_dates(engine, sample, quasi.values()).items() if name not in kept}
    for by, column in sorted(pairs, key=lambda pair: -quasi[pair[0]].distinct):
        if by in left or column in left or _is_of_a_day(quasi[by], quasi[column]):
            continue
        this, other = quasi[by], quasi[column]
        mutual = (column, by) in pairs
        if mutual and (_worth(other), -_place(found, other)) > (_worth(this), -_place(found, this)):
            this, other = other, this
        if other.name in kept:
            continue
        share = pairs[this.name, other.name]
        left[other.name] = f"{this.name!r} tells it in {percent(share)} of the rows that repeat"
    return left


def _is_of_a_day(by: ColumnProfile, column: ColumnProfile) -> bool:
    """Whether a date tells what is no part of it: a birth date does where a person has several rows, and no further."""
    return by.kind in _DATES and column.kind not in (*_DATES, *_NUMBERS)


def _worth(column: ColumnProfile) -> int:
    """Which of two that tell each other is kept: postal codes before towns, words before their numbers."""
    if column.finding is not None and column.finding.name == "postal code":
        return 2
    return int(column.kind not in _NUMBERS)


def _place(found: Profile, column: ColumnProfile) -> int:
    return found.columns.index(column)


def _birth_dates(engine: Engine, sample: Sample, quasi: Collection[ColumnProfile]) -> dict[str, str]:
    """The birth date where the age is there: it is what the age says, to the day."""

    def of(name: str) -> list[ColumnProfile]:
        return [one for one in quasi if one.finding is not None and one.finding.name == name]

    ages, dates = of("age"), [one for one in of("birth date") if one.kind in ("date", "timestamp")]
    if len(ages) != 1 or len(dates) != 1:
        return {}
    keys = {"born": sample.source.column(dates[0].name).key, "aged": sample.source.column(ages[0].name).key}
    names = {"sample": state("init_sample"), **keys}
    rows, low, high = engine.query("commands/init/born", names=names)[0]
    if rows < _LEAST_ROWS or high - low > _YEARS:
        return {}
    return {dates[0].name: f"{ages[0].name!r} says the same, less exactly"}
