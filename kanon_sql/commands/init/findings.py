"""What is known of a table beside its profile: sets of columns that single rows out, columns that tell others, the ends
of numbers, and what only people know.

All of it is counted in about 100,000 rows, drawn by what they hold: figures of larger tables are figures of those. Of
two quasi-identifiers that say the same one is left out, as generalizing both loses twice as much.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations

from sqlglot import exp

from kanon_sql.commands.init.roles import Determined, Role, percent
from kanon_sql.measures.risk.table import (
    RiskTable,
    SubsetMeasures,
    Subsets,
    count_tuples,
    encode,
    measure_subsets,
    subset_size,
)
from kanon_sql.progress import Progress
from kanon_sql.source.columns import normalized
from kanon_sql.source.formats.registry import telling_faults
from kanon_sql.source.model import Column, Source
from kanon_sql.source.profile.kinds import ColumnProfile, Profile
from kanon_sql.source.reading import understood
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.deadline import Deadline
from kanon_sql.sql.template import Item, column, state


@dataclass(frozen=True)
class Answers:
    """What only people know: for whom and what the release is, what others may know of a person, what a person is.

    `entity` names the column that tells persons apart where one has several rows; None where each row is a person. It
    was `entity_said` by somebody, not assumed.
    """

    recipient: str = "public"
    purpose: str = "research"
    known: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    entity: str | None = None
    entity_said: bool = False


@dataclass(frozen=True)
class Findings:
    """What was found in a table before anything is asked: `roles` and `entity` are what is proposed by then.

    `sets` are small sets of columns by the rows that they single out, of `rows_looked_at`. Quasi-identifiers that are
    `left_out` are not released, since others say the same: the reason by column. `maybe_persons` are columns that
    perhaps name who has several rows, which nobody but people can tell.
    """

    profile: Profile
    roles: Mapping[str, Role]
    entity: str | None
    determined: tuple[Determined, ...]
    sets: tuple[SubsetMeasures, ...] = ()
    rows_looked_at: int = 0
    left_out: Mapping[str, str] = field(default_factory=dict)
    maybe_persons: tuple[str, ...] = ()

    def columns(self, role: str) -> list[ColumnProfile]:
        """The columns of a role, in the table's order."""
        return [source_column for source_column in self.profile.columns if self.roles[source_column.name].role == role]

    def generalized(self) -> list[ColumnProfile]:
        """The quasi-identifiers that are released."""
        return [
            source_column
            for source_column in self.columns("quasi-identifier")
            if source_column.name not in self.left_out
        ]

    def rows_each(self, name: str) -> float:
        """How many rows a value of a column has on average."""
        column = self.profile.column(name)
        return (column.rows - column.missing) / max(column.distinct, 1)

    def repeated(self) -> list[str]:
        """What is said of rows, and of ids of rows, that are there twice."""
        profile, lines = self.profile, []
        if profile.duplicates:
            verb = "row repeats" if profile.duplicates == 1 else "rows repeat"
            lines.append(
                f"{profile.duplicates:,} {verb} another one in every column. Where they are copies of one record, k "
                "counts its person more than once: remove them first"
            )
        for profiled in profile.columns:
            again = profiled.rows - profiled.missing - profiled.distinct
            is_id = (
                profiled.finding is not None
                and profiled.finding.name in ("id", *_OF_ONE)
                and profiled.name != self.entity
            )
            if is_id and profiled.exact and profiled.alone >= _MOST and again > 0:
                verb = "row repeats" if again == 1 else "rows repeat"
                lines.append(
                    f"{again:,} {verb} a value of {profiled.name}, of which {percent(profiled.alone)} of the rows have "
                    "one for themselves"
                )
        return lines

    def too_many(self) -> str | None:
        """What is said where there are so many quasi-identifiers that each makes the others much coarser."""
        quasi = self.generalized()
        if len(quasi) <= _MANY:
            return None
        costly = sorted(quasi, key=lambda column: -column.distinct)[:_COSTLY]
        return (
            f"{len(quasi)} quasi-identifiers are many: each makes all others coarser. Whatever the recipient does not "
            f"need is better left out, by moving it to identifiers; most values have "
            f"{', '.join(column.name for column in costly[:-1])} and {costly[-1].name}"
        )


_MANY, _COSTLY = 8, 3
_MOST = 0.5  # of the rows, which have an id for themselves where that is one of rows
_OF_ONE = ("social security number", "insurance number", "passport number")


ROWS = 100_000  # that are drawn, about
_MOST_COLUMNS = 40  # that are looked at two by two
_IN_SETS = 10  # columns of which the small sets are counted
_TOLD = 0.95  # of what guessing the most frequent value gets wrong
_REPEATS = 10  # rows that must have repeated for a word on it


@dataclass(frozen=True)
class Sample:
    """The rows that were drawn, `rows` of them; all there are unless `is_part`."""

    source: Source
    rows: int
    is_part: bool


def draw(engine: Engine, source: Source, n: int) -> Sample:
    """Makes the table of about 100,000 rows in which everything else is counted."""
    keys = [column(source_column.key) for source_column in source.columns]
    step = max(1, n // ROWS)
    items: list[Item] = [
        {
            "key": source_column.key,
            "value": understood(normalized(source_column, source.missing), source_column.reading),
        }
        for source_column in source.columns
    ]
    names = {
        "source": source.relation,
        "drawn_by": exp.Anonymous(this="hash", expressions=keys),
        "step": step,
    }
    with telling_faults(engine, source):
        engine.query("commands/init/sample", names=names, lists={"item": items})
    rows = engine.query("commands/init/total")[0][0]
    return Sample(source, int(rows), step > 1)


def dependencies(engine: Engine, sample: Sample, profile: Profile, roles: Mapping[str, Role]) -> list[Determined]:
    """The columns that tell others, of those that may be released; identifiers and what has one value tell nothing."""
    candidates = [
        source_column
        for source_column in profile.columns
        if roles[source_column.name].role != "identifier"
        and source_column.distinct + (source_column.missing > 0) > 1
        and source_column.alone < 0.5
    ]
    candidates = sorted(candidates, key=lambda candidate: roles[candidate.name].role == "insensitive")[:_MOST_COLUMNS]
    if len(candidates) < 2 or not sample.rows:
        return []
    coded = state("init_coded")
    table = _table(engine, sample, [sample.source.column(candidate.name) for candidate in candidates])
    encode(engine, table, coded)
    common = {
        i: engine.query("commands/init/common", names={"coded": coded, "code": f"q{i}"})[0][0]
        for i in range(len(candidates))
    }
    determined = []
    for this, other in permutations(range(len(candidates)), 2):
        if candidates[this].distinct * 1.02 + 1 < candidates[other].distinct or not _matters(
            roles, candidates[this].name, candidates[other].name
        ):
            continue
        names = {"coded": coded, "determining": f"q{this}", "determined": f"q{other}"}
        repeats, agreeing = engine.query("commands/init/determined", names=names)[0]
        chance = (common[other] - 1) / max(sample.rows - 1, 1)
        if repeats >= _REPEATS and chance < 1 and agreeing / repeats - chance >= _TOLD * (1 - chance):
            determined.append(Determined(candidates[this].name, candidates[other].name, agreeing / repeats))
    return determined


def _matters(roles: Mapping[str, Role], name: str, other: str) -> bool:
    """Whether it would change a role, or is worth a word: of two columns that are released as they are it is not."""
    return {roles[name].role, roles[other].role} != {"insensitive"}


def singling_out(
    engine: Engine, sample: Sample, profile: Profile, roles: Mapping[str, Role], progress: Progress
) -> Subsets:
    """The sets of up to three columns by how many rows they single out: of quasi-identifiers first, then of others."""
    order = ("quasi-identifier", "sensitive", "insensitive")
    ranked = [source_column for source_column in profile.columns if roles[source_column.name].role in order]
    ranked.sort(key=lambda candidate: (order.index(roles[candidate.name].role), -candidate.alone, -candidate.distinct))
    columns = [sample.source.column(candidate.name) for candidate in ranked[:_IN_SETS]]
    if not columns or not sample.rows:
        return Subsets(0, 0, ())
    table = _table(engine, sample, columns)
    size = subset_size(len(columns), None, sample.source.label)
    return measure_subsets(engine, table, size, Deadline(), progress)


def _table(engine: Engine, sample: Sample, columns: Sequence[Column]) -> RiskTable:
    tuples = state("init_tuples")
    drawn = exp.select("*").from_(exp.Table(this=exp.to_identifier(state("init_sample"), quoted=True)))
    count_tuples(engine, drawn, tuples, [column(source_column.key) for source_column in columns])
    return RiskTable(sample.source.label, sample.rows, sample.rows, tuple(columns), (), tuples, tuples)


def spreads(engine: Engine, sample: Sample, names: Iterable[str], share: float) -> dict[str, tuple[float, float]]:
    """Between which numbers the values of these columns lie, without a `share` of the rows at each end."""
    columns = [sample.source.column(name) for name in names]
    if not columns:
        return {}
    items: list[Item] = [
        {"key": source_column.key, "low": f"low_{i}", "high": f"high_{i}"} for i, source_column in enumerate(columns)
    ]
    rows = engine.query("commands/init/spread", lists={"item": items}, values={"share": share})[0]
    lows, highs = rows[: len(columns)], rows[len(columns) :]
    pairs = {source_column.name: (low, high) for source_column, low, high in zip(columns, lows, highs, strict=True)}
    return {
        name: (float(low), float(high))
        for name, (low, high) in pairs.items()
        if low is not None and high is not None and math.isfinite(low) and math.isfinite(high)
    }


_NUMBERS = ("whole number", "decimal")
_DATES = ("date", "timestamp")
_YEARS = 5  # between which birth date and age add up in 90 % of the rows, where one tells the other nearly
_LEAST_ROWS = 20


def left_out(engine: Engine, sample: Sample, findings: Findings, kept: Collection[str]) -> dict[str, str]:
    """The quasi-identifiers that need not be released since another tells them, each with the reason.

    None of those is that shall be `kept`.
    """
    profile, roles, determined = findings.profile, findings.roles, findings.determined
    quasi = {
        source_column.name: source_column
        for source_column in profile.columns
        if roles[source_column.name].role == "quasi-identifier"
    }
    pairs = {
        (dependency.by, dependency.column): dependency.share
        for dependency in determined
        if dependency.by in quasi and dependency.column in quasi
    }
    left = {name: why for name, why in _birth_dates(engine, sample, quasi.values()).items() if name not in kept}
    for by, name in sorted(pairs, key=lambda pair: -quasi[pair[0]].distinct):
        if by in left or name in left or _is_of_a_day(quasi[by], quasi[name]):
            continue
        this, other = quasi[by], quasi[name]
        mutual = (name, by) in pairs
        if mutual and (_worth(other), -_place(profile, other)) > (_worth(this), -_place(profile, this)):
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


def _place(profile: Profile, column: ColumnProfile) -> int:
    return profile.columns.index(column)


def _birth_dates(engine: Engine, sample: Sample, quasi: Collection[ColumnProfile]) -> dict[str, str]:
    """The birth date where the age is there: it is what the age says, to the day."""

    def of(name: str) -> list[ColumnProfile]:
        return [qi for qi in quasi if qi.finding is not None and qi.finding.name == name]

    ages, dates = of("age"), [qi for qi in of("birth date") if qi.kind in ("date", "timestamp")]
    if len(ages) != 1 or len(dates) != 1:
        return {}
    keys = {"born": sample.source.column(dates[0].name).key, "aged": sample.source.column(ages[0].name).key}
    rows, low, high = engine.query("commands/init/born", names=keys)[0]
    if rows < _LEAST_ROWS or high - low > _YEARS:
        return {}
    return {dates[0].name: f"{ages[0].name!r} says the same, less exactly"}
