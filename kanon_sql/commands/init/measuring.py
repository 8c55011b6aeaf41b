"""What is measured beside the profile: sets of columns that single rows out, columns that tell others, ends of numbers.

All of it is counted in about 100,000 rows, drawn by what they hold: figures of larger tables are figures of those.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

from sqlglot import exp

from kanon_sql.commands.init.roles import Determined, Role
from kanon_sql.commands.risk.subsets import Subsets, encode, measure_subsets, subset_size
from kanon_sql.commands.risk.table import RiskTable, read_tuples
from kanon_sql.progress import Progress
from kanon_sql.source.formats.registry import telling_faults
from kanon_sql.source.model import Column, Source
from kanon_sql.source.profile.model import Profile
from kanon_sql.source.reading import understood
from kanon_sql.source.values import normalized
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.deadline import Deadline
from kanon_sql.sql.template import Item, column, state

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
    keys = [column(item.key) for item in source.columns]
    step = max(1, n // ROWS)
    items: list[Item] = [
        {"key": item.key, "value": understood(normalized(item, source.missing), item.reading)}
        for item in source.columns
    ]
    names = {
        "sample": state("init_sample"),
        "source": source.relation,
        "drawn_by": exp.Anonymous(this="hash", expressions=keys),
        "step": step,
    }
    with telling_faults(engine, source):
        engine.query("commands/init/sample", names=names, lists={"item": items})
    rows = engine.query("commands/init/total", names={"sample": state("init_sample")})[0][0]
    return Sample(source, int(rows), step > 1)


def dependencies(engine: Engine, sample: Sample, profile: Profile, roles: Mapping[str, Role]) -> list[Determined]:
    """The columns that tell others, of those that may be released; identifiers and what has one value tell nothing."""
    told = [
        one
        for one in profile.columns
        if roles[one.name].role != "identifier" and one.distinct + (one.missing > 0) > 1 and one.alone < 0.5
    ]
    told = sorted(told, key=lambda one: roles[one.name].role == "insensitive")[:_MOST_COLUMNS]
    if len(told) < 2 or not sample.rows:
        return []
    coded = state("init_coded")
    table = _table(engine, sample, [sample.source.column(one.name) for one in told])
    encode(engine, table, coded)
    common = {
        i: engine.query("commands/init/common", names={"coded": coded, "code": f"q{i}"})[0][0] for i in range(len(told))
    }
    found = []
    for this, other in permutations(range(len(told)), 2):
        if told[this].distinct * 1.02 + 1 < told[other].distinct or not _matters(
            roles, told[this].name, told[other].name
        ):
            continue
        names = {"coded": coded, "determining": f"q{this}", "determined": f"q{other}"}
        repeats, agreeing = engine.query("commands/init/determined", names=names)[0]
        chance = (common[other] - 1) / max(sample.rows - 1, 1)
        if repeats >= _REPEATS and chance < 1 and agreeing / repeats - chance >= _TOLD * (1 - chance):
            found.append(Determined(told[this].name, told[other].name, agreeing / repeats))
    return found


def _matters(roles: Mapping[str, Role], one: str, other: str) -> bool:
    """Whether it would change a role, or is worth a word: of two columns that are released as they are it is not."""
    return {roles[one].role, roles[other].role} != {"insensitive"}


def singling_out(
    engine: Engine, sample: Sample, profile: Profile, roles: Mapping[str, Role], progress: Progress
) -> Subsets:
    """The sets of up to three columns by how many rows they single out: of quasi-identifiers first, then of others."""
    order = ("quasi-identifier", "sensitive", "insensitive")
    known = [one for one in profile.columns if roles[one.name].role in order]
    known.sort(key=lambda one: (order.index(roles[one.name].role), -one.alone, -one.distinct))
    columns = [sample.source.column(one.name) for one in known[:_IN_SETS]]
    if not columns or not sample.rows:
        return Subsets(0, 0, ())
    table = _table(engine, sample, columns)
    size = subset_size(len(columns), None, sample.source.label)
    return measure_subsets(engine, table, size, Deadline(), progress)


def _table(engine: Engine, sample: Sample, columns: Sequence[Column]) -> RiskTable:
    tuples = state("init_tuples")
    drawn = exp.select("*").from_(exp.Table(this=exp.to_identifier(state("init_sample"), quoted=True)))
    read_tuples(engine, drawn, tuples, [column(item.key) for item in columns])
    return RiskTable(sample.source.label, sample.rows, sample.rows, tuple(columns), (), tuples, tuples)


def spreads(engine: Engine, sample: Sample, names: Iterable[str], share: float) -> dict[str, tuple[float, float]]:
    """Between which numbers the values of these columns lie, without a `share` of the rows at each end."""
    columns = [sample.source.column(name) for name in names]
    if not columns:
        return {}
    items: list[Item] = [{"key": item.key, "low": f"low_{i}", "high": f"high_{i}"} for i, item in enumerate(columns)]
    table = {"sample": state("init_sample")}
    found = engine.query("commands/init/spread", names=table, lists={"item": items}, values={"share": share})[0]
    lows, highs = found[: len(columns)], found[len(columns) :]
    pairs = {item.name: (low, high) for item, low, high in zip(columns, lows, highs, strict=True)}
    return {
        name: (float(low), float(high))
        for name, (low, high) in pairs.items()
        if low is not None and high is not None and math.isfinite(low) and math.isfinite(high)
    }
