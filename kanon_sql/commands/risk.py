"""`kanon-sql risk` from end to end: what is asked, the source, the release beside it, the population."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from sqlglot import exp

from kanon_sql.config.load import LoadedConfig
from kanon_sql.engines.lockdown import allow_paths
from kanon_sql.errors import ConfigurationError, EngineError, UnfittingSourceError
from kanon_sql.frequency.table import participants
from kanon_sql.measures.risk.measure import (
    THRESHOLD,
    add_population,
    contradictions_of,
    describe_table,
    measure_households,
    pad_sizes,
    read_households,
    sum_classes,
)
from kanon_sql.measures.risk.population import OPTION as WEIGHTS
from kanon_sql.measures.risk.population import (
    CountedPopulation,
    Sampling,
    count_persons,
    describe_uniqueness,
    find_weights,
    measure_weights,
    open_population,
    read_population,
    unmatched,
)
from kanon_sql.measures.risk.special_uniques import OPTION, SpecialAsked, measure_special, open_scores
from kanon_sql.measures.risk.table import (
    LARGEST,
    RiskTable,
    count_holders,
    count_table,
    measure_subsets,
    open_release,
    released_columns,
    subset_size,
)
from kanon_sql.report.call import Call
from kanon_sql.report.charts.sweep import refuse_plot
from kanon_sql.source.columns import refuse_misfits
from kanon_sql.source.model import Source
from kanon_sql.source.roles import Roles, assign_roles
from kanon_sql.source.treatments.lookups import with_lookups
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.deadline import Deadline
from kanon_sql.targets.files import FileSink
from kanon_sql.targets.outputs import named_twice, refuse_missing_folders, refuse_outputs

if TYPE_CHECKING:
    from kanon_sql.results.risk import MeasuredRisk, Population, RiskReport, SpecialUniques, TableRisk


@dataclass(frozen=True)
class RiskRequest:
    """The risk above which a row counts, the subsets of columns, the population's file, the files to write, and what
    is known of a population without a file.

    `subsets` is the size of the largest, None for what is feasible; `all_columns` takes in every column that is no
    identifier; `special_uniques` is the size of the largest minimal uniques, None where they are not looked for.
    """

    threshold: float = THRESHOLD
    subsets: int | None = None
    all_columns: bool = False
    population: Path | None = None
    plot: Path | None = None
    report: Path | None = None
    special_uniques: int | None = None
    sampling: Sampling = field(default_factory=Sampling)
    scores: Path | None = None

    def refuse(self) -> None:
        """Raises ConfigurationError for what cannot be measured or drawn, EngineError where no file can be written."""
        problems = self.sampling.faults()
        if not 0 <= self.threshold <= 1:
            problems.append(f"--threshold {self.threshold}: expected a risk from 0 to 1, such as 0.2")
        if self.subsets is not None and self.subsets < 0:
            problems.append(f"--subsets {self.subsets}: expected a number of columns, 0 or more")
        if self.special_uniques is not None and self.special_uniques < 1:
            problems.append(f"--special-uniques {self.special_uniques}: expected a number of columns, 1 or more")
        if self.plot is not None:
            try:
                refuse_plot(self.plot)
            except ConfigurationError as error:
                problems += error.problems
        if self.scores is not None and self.special_uniques is None:
            problems.append(f"{OPTION} {self.scores}: expected --special-uniques beside it, which finds what is scored")
        problems += named_twice(self._outputs())
        if problems:
            raise ConfigurationError(problems)
        refuse_missing_folders(self._outputs())

    def refuse_replacing(self, loaded: LoadedConfig) -> None:
        """Raises ConfigurationError where a file to write would take the place of one that is read or kept."""
        refuse_outputs([loaded], self._outputs(), [("the population", self.population)])

    def _outputs(self) -> list[tuple[str, Path]]:
        named = (("--plot", self.plot), ("--report", self.report), (OPTION, self.scores))
        return [(option, path) for option, path in named if path is not None]


@dataclass
class _Risk:
    """One measurement, and what is found on the way."""

    engine: Engine
    loaded: LoadedConfig
    request: RiskRequest
    call: Call
    deadline: Deadline
    scores: FileSink | None = None
    scored: Source | None = None  # whose scores are yet to be written
    persons: float | None = None  # of the population, where its size is known
    warnings: list[str] = field(default_factory=list)
    contradictions: list[str] = field(default_factory=list)


def measure_risk(engine: Engine, loaded: LoadedConfig, source: Source, request: RiskRequest, call: Call) -> RiskReport:
    """The report of `kanon-sql risk`: the `source` as `before`, the configuration's target where there is
    one as `after`.

    Raises ConfigurationError for columns that are not there, EngineError for tables that cannot be read and where a
    table contradicts the population, NoReleaseError for a table without rows. After the time limit no further subset
    of columns is counted.
    """
    with open_scores(engine, request.scores) as scores:
        risk = _Risk(engine, loaded, request, call, Deadline(call.time_limit), scores)
        measured = _measure_tables(risk, source)
        if scores is not None:
            scores.commit(engine)
    return {**measured, "warnings": [*source.warnings, *risk.warnings], "seconds": call.watch.report()}


def _measure_tables(risk: _Risk, source: Source) -> MeasuredRisk:
    """The report but for what is known at the end."""
    engine, loaded, request, call = risk.engine, risk.loaded, risk.request, risk.call
    roles = assign_roles(source, loaded, measured_only=True)
    release = open_release(engine, loaded, source, roles)
    path = request.population
    population = None if path is None else open_population(engine, loaded, path, source)
    request.refuse_replacing(loaded)
    allow_paths(engine, loaded, source, risk.scores, [table for table in (release, population) if table is not None])
    source = with_lookups(engine, source)
    target = loaded.config.target
    raw = target is not None and not target.in_place
    with call.step("read", f"reading {source.label}", engine.progress):
        table = _count_source(risk, source, roles)
    risk.scored = source
    risk.persons = request.sampling.persons(table.n, table.label, table.weighted)
    persons = None
    if population is not None:
        with call.step("population", "reading the population", engine.progress):
            persons = read_population(
                engine, loaded, population, table, raw=raw, generalized=release is not None or not raw
            )
            risk.warnings += persons.warnings
    before = _measure(risk, table, persons, generalized=not raw)
    after = risk.scored = None
    if release is not None:
        with call.step("read", f"reading {release.label}", engine.progress):
            table = _count_release(risk, source, release)
        after = _measure(risk, table, persons, generalized=True)
        pad_sizes(before, after)
        pad_sizes(after, before)
    if risk.contradictions:
        raise EngineError(risk.contradictions)
    return {
        "status": "measured",
        "threshold": request.threshold,
        "population": None if persons is None else _describe(persons),
        "population_uniqueness": before["population_uniqueness"],
        "before": before,
        "after": after,
    }


def _count_source(risk: _Risk, source: Source, roles: Roles) -> RiskTable:
    others = [column for column in source.columns if column not in roles.quasi_identifiers]
    others = [other for other in others if roles.of(other) != "identifier"] if risk.request.all_columns else []
    refuse_misfits(risk.engine, source)
    config = risk.loaded.config
    rows = participants(source, roles, config.missing)
    table = count_table(risk.engine, "before", source, roles.quasi_identifiers, others, rows)
    group = config.group
    if group is not None and all(column.name != group for column in source.columns):
        risk.warnings.append(f"{table.label} has no column {group!r}: the risk of its groups is not measured")
    table = _with_weights(risk, _with_households(risk, table, source, rows), source, rows)
    if risk.request.special_uniques is None or config.privacy.entity is None:
        return table
    return count_holders(risk.engine, table, source, source.column(config.privacy.entity), rows)


def _count_release(risk: _Risk, source: Source, release: Source) -> RiskTable:
    names = list(risk.loaded.config.quasi_identifiers)
    columns = released_columns(release, names, risk.loaded.place("target"))
    others = [column for column in release.columns if column not in columns] if risk.request.all_columns else []
    table = count_table(risk.engine, "after", release, columns, others, release.relation)
    return _with_released_weights(risk, _with_households(risk, table, release, release.relation), source, release)


def _with_released_weights(risk: _Risk, table: RiskTable, source: Source, release: Source) -> RiskTable:
    """The released table with the risk by weights, or with a warning where it holds none; they are written as those of
    the source.
    """
    name = risk.request.sampling.weights
    if name is None:
        return table
    read = {column.name: column.reading for column in source.columns if column.name == name}
    alike = tuple(replace(column, reading=read[name]) if column.name in read else column for column in release.columns)
    if all(column.name != name for column in alike):
        risk.warnings.append(f"{table.label} has no column {name!r}: the risk by weights is not measured there")
        return table
    try:
        return _with_weights(risk, table, replace(release, columns=alike), release.relation)
    except UnfittingSourceError as error:
        risk.warnings += [f"{problem}: the risk by weights is not measured there" for problem in error.problems]
        return table


def _with_households(risk: _Risk, table: RiskTable, source: Source, rows: exp.Select) -> RiskTable:
    """The table with the households of its rows, where the configuration names a column of them that is there."""
    group_column = next((column for column in source.columns if column.name == risk.loaded.config.group), None)
    return table if group_column is None else read_households(risk.engine, table, source, group_column, rows)


def _with_weights(risk: _Risk, table: RiskTable, source: Source, rows: exp.Select) -> RiskTable:
    """The table with the risk by the weights of its rows, where a column of them is named."""
    name = risk.request.sampling.weights
    if name is None:
        return table
    weights = find_weights(source, name)
    limit = float(risk.request.threshold)
    weighted = measure_weights(risk.engine, source, table.quasi_identifiers, weights, rows, limit)
    if weighted["below_one"]:
        risk.warnings.append(
            f"{weighted['below_one']:,} rows of {table.label} have a weight below 1 in {name!r}; a class stands for "
            f"its rows at least. {WEIGHTS} expects the persons for whom a row stands, not weights scaled to a mean of 1"
        )
    return replace(table, weighted=weighted)


def _measure(risk: _Risk, table: RiskTable, persons: CountedPopulation | None, *, generalized: bool) -> TableRisk:
    """The report's part on one table."""
    engine, call = risk.engine, risk.call
    size = subset_size(len(table.columns), risk.request.subsets, table.label)
    if risk.request.subsets is None and size < min(LARGEST, len(table.columns)):
        risk.warnings.append(
            f"{table.label} has {len(table.columns)} columns: only subsets of up to {size} are counted; "
            "--subsets says otherwise"
        )
    ranges = unmatched(risk.loaded) if generalized and persons is not None else []
    sized = None
    if persons is not None and not ranges:
        with call.step("population", "matching the population", engine.progress):
            sized = count_persons(engine, persons, table, call.progress, generalized=generalized)
    with call.watch.part("read"):
        sums = sum_classes(engine, table, sized, risk.request.threshold)
    with call.step("subsets", f"counting subsets of {table.label}"):
        subsets = measure_subsets(engine, table, size, risk.deadline, call.progress)
    if len(subsets.measured) < subsets.count:
        risk.warnings.append(
            f"time ran out: {len(subsets.measured):,} of {subsets.count:,} subsets of {table.label} were counted"
        )
    part = describe_table(engine, table, sums, subsets)
    _add_asked(risk, table, sized, part)
    if sized is not None and persons is not None:
        problems = contradictions_of(sums, table, persons.label)
        risk.contradictions += problems
        if not problems:
            add_population(part, sums)
    elif ranges:
        part["marketer"] = None
        risk.warnings.append(
            f"{table.label}: journalist and marketer risk are not measured, ranges and sets of values "
            f"({', '.join(map(repr, ranges))} without hierarchy) are not matched with a population"
        )
    return part


def _add_asked(risk: _Risk, table: RiskTable, sized: str | None, part: TableRisk) -> None:
    """Adds to the report's part on one table what it says where it was asked for."""
    part["special_uniques"] = _special(risk, table)
    if risk.persons is not None:
        part["population_uniqueness"] = describe_uniqueness(risk.engine, risk.persons)
    if table.members is not None:
        part["households"] = measure_households(risk.engine, table, sized, risk.request.threshold)


def _special(risk: _Risk, table: RiskTable) -> SpecialUniques | None:
    """The report's part on the special uniques of one table, where they were asked for."""
    size = risk.request.special_uniques
    if size is None:
        return None
    fraction = None if risk.persons is None else min(1.0, table.n / risk.persons)
    request = SpecialAsked(size, fraction, risk.request.threshold, risk.scores, risk.scored)
    with risk.call.step("special_uniques", f"looking for special uniques of {table.label}"):
        measured = measure_special(risk.engine, table, request, risk.deadline, risk.call.progress)
    sets = measured["sets"]
    if sets["counted"] < sets["count"]:
        risk.warnings.append(
            f"time ran out: special uniques of {table.label} were looked for in {sets['counted']:,} of "
            f"{sets['count']:,} subsets; scores count what was found there"
        )
    return measured


def _describe(persons: CountedPopulation) -> Population:
    return {
        "table": persons.label,
        "rows": persons.rows,
        "combinations": persons.combinations,
        "unique": persons.alone,
    }
