"""The tables whose risk is measured: the release beside the source, frequency tables and classes in the engine.

Every small subset of the columns: how far does it tell the rows apart?

R. Motwani, Y. Xu: Efficient algorithms for masking and finding quasi-identifiers. 2007. A subset of columns has
the distinct ratio d where the table holds d * n different combinations of it, and the separation ratio s where it
tells s * n (n - 1) / 2 of all pairs of rows apart; with 1 it is a key.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb
from pathlib import Path
from typing import TYPE_CHECKING

from sqlglot import exp

from kanon_sql.config.load import LoadedConfig
from kanon_sql.errors import ConfigurationError, NoReleaseError
from kanon_sql.progress import Progress
from kanon_sql.recount.statement import row_total
from kanon_sql.settings.formats import format_of
from kanon_sql.source.columns import normalized, person
from kanon_sql.source.duckdb import attach, open_table, split_name
from kanon_sql.source.formats.registry import FILE_FORMATS, telling_faults
from kanon_sql.source.model import Column, Source
from kanon_sql.source.opening import refuse_remote
from kanon_sql.source.remote import fetch, is_remote, is_there, shown_url
from kanon_sql.source.roles import Roles
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.deadline import Deadline, TimeUpError
from kanon_sql.sql.template import Fill, Item, state
from kanon_sql.targets.target import shown

if TYPE_CHECKING:
    from kanon_sql.results.risk import WeightedRisk

_BOUNDS = ("lower", "upper")


def open_release(engine: Engine, loaded: LoadedConfig, source: Source, roles: Roles) -> Source | None:
    """The configuration's target as a source; None where there is none yet, or it is the source itself (in place).

    Raises EngineError for one that cannot be read.
    """
    target, place = loaded.config.target, loaded.place("target")
    if target is None or target.in_place:
        return None
    if source.backend.holds(target):
        return source.backend.open_release(engine, loaded, source.missing)
    if target.path is not None:
        if is_remote(target.path):
            if not is_there(target.path, place):
                return None
            path = Path(fetch(engine, target.path, place))
        else:
            path = loaded.base / target.path
        if not path.is_file():
            return None
        released = [column.name for column in roles.released]
        file_format = FILE_FORMATS[target.format or format_of(path) or "csv"]
        opened = file_format.open_release(engine, path, target, source, released, place)
        label = shown_url(target.path) if is_remote(target.path) else shown(path.resolve())
        return replace(opened, label=label)
    assert target.database_file is not None
    assert target.table is not None
    refuse_remote(target.database_file, place)
    database = loaded.base / target.database_file
    schema, name = split_name(target.table, place)
    if not database.is_file():
        return None
    table_name = {"catalog": attach(engine, database), "schema": schema, "name": name}
    if not engine.query("source/table_exists", values=table_name)[0][0]:
        return None
    return open_table(engine, database, target.table, source.missing, place)


def released_columns(release: Source, names: list[str], place: str) -> list[Column]:
    """The columns of a release that stand for the quasi-identifiers: of the same name, or the two bounds of a range.

    Raises ConfigurationError with every quasi-identifier that is not there.
    """
    by_name = {column.name: column for column in release.columns}
    columns: list[Column] = []
    problems = []
    for name in names:
        bounds = [f"{name}_{end}" for end in _BOUNDS]
        if name in by_name:
            columns.append(by_name[name])
        elif all(bound in by_name for bound in bounds):
            columns += [by_name[bound] for bound in bounds]
        else:
            problems.append(
                f"{place}: there is no column {name!r} in {release.label}; expected a release of this configuration "
                "there: run it, or set another target"
            )
    if problems:
        raise ConfigurationError(problems)
    return columns


@dataclass(frozen=True)
class RiskTable:
    """A table that was counted: `n` of `source_rows` rows take part.

    `columns` are all that are looked at, the quasi-identifiers first; the values of column i stand under
    `value_name(i)` in the frequency table `tuples`, those of the quasi-identifiers alone in `classes`, both with
    row_count. Where they are asked for, `held` is the frequency table over the columns and, last, the entity that holds
    a row, and `members` that over the quasi-identifiers and the household; the classes then have a number (id).
    `weighted` is the report's part on the weights of its rows.
    """

    label: str
    source_rows: int
    n: int
    columns: tuple[Column, ...]
    quasi_identifiers: tuple[Column, ...]
    tuples: str
    classes: str
    held: str | None = None
    members: str | None = None
    weighted: WeightedRisk | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the quasi-identifiers."""
        return tuple(qi.name for qi in self.quasi_identifiers)


def value_name(index: int) -> str:
    """The column of the frequency table that holds the values of column `index`."""
    return f"v{index}"


def count_table(
    engine: Engine,
    side: str,
    source: Source,
    quasi_identifiers: Sequence[Column],
    others: Sequence[Column],
    rows: exp.Select,
) -> RiskTable:
    """Reads the rows of one table once, into its frequency table; `side` tells its tables from those of others.

    Texts that mean missing are read as NULL. Raises NoReleaseError when no row takes part, EngineError for a table
    that cannot be read.
    """
    columns = (*quasi_identifiers, *others)
    tuples, classes = state(f"risk_{side}_tuples"), state(f"risk_{side}_classes")
    with telling_faults(engine, source):
        read_tuples(engine, source, rows, tuples, [(column, normalized(column, source.missing)) for column in columns])
        n, _, _ = engine.query("measures/risk/rows", names={"tuples": tuples})[0]
        total = n if rows == source.relation else _count(source)
    if not n:
        why = "has no row" if not total else "has no row left without missing values"
        error = NoReleaseError(f"{source.label} {why}; there is no risk to measure")
        error.source_rows = int(total)
        raise error
    if others:
        items: list[Item] = [{"name": value_name(i)} for i in range(len(quasi_identifiers))]
        engine.query("measures/risk/classes", names={"tuples": tuples, "class_list": classes}, lists={"qi": items})
    else:
        classes = tuples
    return RiskTable(source.label, int(total), int(n), columns, tuple(quasi_identifiers), tuples, classes)


def count_holders(engine: Engine, table: RiskTable, source: Source, holder: Column, rows: exp.Select) -> RiskTable:
    """The table with the entities that hold its rows, as the source's column `holder` tells them apart."""
    held = state("risk_held")
    values = [(column, normalized(column, source.missing)) for column in table.columns]
    with telling_faults(engine, source):
        read_tuples(engine, source, rows, held, [*values, (holder, person(holder, source.missing))])
    return replace(table, held=held)


def read_tuples(
    engine: Engine, source: Source, rows: exp.Select, table: str, values: Sequence[tuple[Column, exp.Expr]]
) -> None:
    """Makes the frequency table of rows of a source over values of its columns, each under its `value_name`.

    Of a source that another engine holds only the distinct combinations of these columns leave it.
    """
    read = source.backend.given(engine, rows, list(dict.fromkeys(column for column, _ in values)))
    weighted = source.weighted or source.backend.weighted
    count_tuples(engine, read, table, [value for _, value in values], weighted=weighted)


def count_tuples(
    engine: Engine, rows: exp.Select, table: str, values: Sequence[exp.Expr], *, weighted: bool = False
) -> None:
    """Makes the frequency table of rows that DuckDB reads over values, each under its `value_name`.

    A `weighted` row stands for as many rows as its row_count says.
    """
    items: list[Item] = [{"value": value, "name": value_name(i)} for i, value in enumerate(values)]
    names: dict[str, Fill] = {"source": rows, "tuples": table, "row_total": row_total(weighted=weighted)}
    engine.query("measures/risk/tuples", names=names, lists={"item": items})


def _count(source: Source) -> int:
    counted = exp.select(exp.alias_(exp.true(), "takes_part")).from_(source.relation.copy().subquery(state("rows")))
    return int(source.backend.query("frequency/count_rows", names={"source": counted})[0][0])


MOST_SUBSETS = 5000
LARGEST = 3


@dataclass(frozen=True)
class SubsetMeasures:
    """A subset of the columns: `alone` rows share their values on it with no other row.

    `separation` is None for a single row, which makes no pair; `holds_key` says that a smaller subset within tells all
    rows apart already.
    """

    columns: tuple[str, ...]
    combinations: int
    alone: int
    distinction: float
    separation: float | None
    holds_key: bool


@dataclass(frozen=True)
class Subsets:
    """The subsets of up to `largest` columns: `count` in all, those that were counted by falling risk."""

    largest: int
    count: int
    measured: tuple[SubsetMeasures, ...]


def subset_size(columns: int, requested: int | None, place: str) -> int:
    """The size up to which the subsets of so many columns are counted: what was asked for, else 3 or what is feasible.

    Raises ConfigurationError where more than 5,000 subsets were asked for.
    """
    if requested is None:
        feasible = [size for size in range(LARGEST + 1) if _subsets_of(columns, size) <= MOST_SUBSETS]
        return min(max(feasible), columns)
    size = min(requested, columns)
    if _subsets_of(columns, size) > MOST_SUBSETS:
        raise ConfigurationError(
            f"--subsets {requested}: {columns} columns of {place} have {_subsets_of(columns, size):,} subsets of up to "
            f"{size}; expected at most {MOST_SUBSETS:,}: ask for smaller ones, or name fewer columns"
        )
    return size


def measure_subsets(engine: Engine, table: RiskTable, size: int, deadline: Deadline, progress: Progress) -> Subsets:
    """Counts every subset of up to `size` of the table's columns, until the deadline."""
    width = len(table.columns)
    count = _subsets_of(width, size)
    measured: dict[tuple[int, ...], SubsetMeasures] = {}
    try:
        with engine.until(deadline):
            if count:
                encode(engine, table, state("risk_coded"))
            for subset in _subsets(width, size):
                deadline.check()
                measured[subset] = _measure(engine, table, subset, measured)
                progress.advance(1, f"of {count} subsets counted")
    except TimeUpError:
        pass
    listed = sorted(measured.values(), key=lambda subset: (-subset.alone, -subset.combinations, len(subset.columns)))
    return Subsets(size, count, tuple(listed))


def _subsets_of(columns: int, size: int) -> int:
    return sum(comb(columns, part) for part in range(1, size + 1))


def _subsets(width: int, size: int) -> Iterator[tuple[int, ...]]:
    """Smaller ones first."""
    for part in range(1, size + 1):
        yield from combinations(range(width), part)


def _measure(
    engine: Engine, table: RiskTable, subset: Sequence[int], measured: dict[tuple[int, ...], SubsetMeasures]
) -> SubsetMeasures:
    names, n = tuple(table.columns[i].name for i in subset), table.n
    below = [measured[part] for part in combinations(subset, len(subset) - 1) if part]
    if any(part.combinations == n for part in below):
        # What tells all rows apart does so with any further column; nothing need be counted.
        return SubsetMeasures(names, n, n, 1.0, 1.0 if n > 1 else None, holds_key=True)
    items: list[Item] = [{"code": f"q{i}"} for i in subset]
    count, alone, alike = engine.query(
        "measures/risk/subset", names={"coded": state("risk_coded")}, lists={"item": items}
    )[0]
    separation = 1 - int(alike) / (n * (n - 1)) if n > 1 else None
    return SubsetMeasures(names, int(count), int(alone), int(count) / n, separation, holds_key=False)


def encode(engine: Engine, table: RiskTable, coded: str) -> None:
    """Makes the table `coded`: the frequency table with whole numbers for values, those of column i as `q{i}`."""
    items: list[Item] = []
    for i in range(len(table.columns)):
        codes = state(f"risk_codes_{i}")
        names = {"codes": codes, "tuples": table.tuples, "item_name": value_name(i)}
        engine.query("measures/risk/codes", names=names)
        items.append({"codes": codes, "name": value_name(i), "code": f"q{i}"})
    engine.query("measures/risk/coded", names={"coded": coded, "tuples": table.tuples}, lists={"item": items})
