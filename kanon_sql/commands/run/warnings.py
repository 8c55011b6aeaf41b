"""What a run warns of in the columns that it releases beside the quasi-identifiers.

A column, or two together, betray a quasi-identifier where rows that are equal in them have the same finer value of it:
the value one level below the released one, or the value itself where classes have no common level. Small groups and
common values agree by chance; how often is known from the sizes of the groups and how common each value is.

A column that looks like a direct identifier or free text and that no list names would be released unawares: it is
refused. Of one that a list names, a warning says what it looks like; `accept` says that somebody has looked at it.

A date that is released as it is beside a shifted one of the same person undoes the shift: the days between both are
known.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import combinations

from sqlglot import exp

from kanon_sql.commands.run.drawing import Looking, draw_rows, drawn_values
from kanon_sql.config.load import LoadedConfig
from kanon_sql.config.model import Config
from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.frequency.table import count_rows, participants
from kanon_sql.release.release import Finer
from kanon_sql.search.problem import SearchProblem
from kanon_sql.source.columns import refuse_misfits, text_of
from kanon_sql.source.formats.registry import telling_faults
from kanon_sql.source.model import Column, Source
from kanon_sql.source.profile.kinds import Finding
from kanon_sql.source.profile.names import identifying
from kanon_sql.source.roles import Roles
from kanon_sql.source.treatments.applying import refuse_outside
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.tables import IN_BIGINT
from kanon_sql.sql.template import Fill, Item, state

_SAMPLE = 50_000  # rows that are looked at, about
_SHARE = 0.5  # of the rows: those in groups that tell, and how far beyond chance
_DEVIATIONS = 6.0  # beyond chance, so that small tables do not cry wolf
_PAIRED, _MOST_VALUES = 12, 2_000  # columns that are looked at two by two, and how many values they hold at most
_SHOWN = 10
_DAYS = ("hour", "day")  # levels of dates that tell the day
_TIMES = ("", " %H:%M", " %H:%M:%S")
_DAY_FORMATS = tuple(
    day + time for day in ("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d", "%d-%m-%Y", "%Y.%m.%d") for time in _TIMES
)
_SPEAKS_OF_TIME = re.compile(r"date|time|datum|zeit|epoch|stamp|(^|_)(ts|at|day|tag)($|_)", re.IGNORECASE)


@dataclass(frozen=True)
class _Sample:
    """The rows looked at, the columns by how many values they hold, and how common the finer values are."""

    rows: int
    values: dict[str, int]
    common: tuple[list[tuple[float, int]], ...]
    is_part: bool
    chances: dict[tuple[int, int], float] = field(default_factory=dict)

    def chance(self, i: int, size: int) -> float:
        """How likely rows drawn by chance have one finer value of a quasi-identifier."""
        if (i, size) not in self.chances:
            self.chances[i, size] = math.fsum(number * share**size for share, number in self.common[i])
        return self.chances[i, size]


def betraying_columns(engine: Engine, prepared: SearchProblem, finer: Sequence[Finer], policy: str) -> list[str]:
    """A warning for each column, or two, that tell quasi-identifiers below their released level.

    `policy` is that of missing values. They are measured in about 50,000 rows (see kanon_sql.commands.run.drawing).
    """
    roles = prepared.roles
    quasi = {qi.key for qi in roles.quasi_identifiers}
    # A pseudonym is known to nobody: that rows of one person agree is no news.
    columns = [col for col in roles.released if col.key not in quasi and roles.of(col) != "identifier"]
    if not finer or not columns:
        return []
    _list_finer(engine, finer)
    looked_at = _draw(engine, prepared, columns, finer, policy)
    alone = {col.key: _told_by(engine, looked_at, finer, [col]) for col in columns}
    pairs = _told_by_pairs(engine, looked_at, finer, columns, alone)
    rare = {}
    for col in columns:
        # What rows share a rare value only shows where all of its rows are looked at.
        if looked_at.is_part and not alone[col.key] and looked_at.values[col.key] > _MOST_VALUES:
            rare[col.key] = _told_by(engine, _draw(engine, prepared, [col], finer, policy, col), finer, [col])
    telling = [(col, figures) for part in (alone, rare) for col in columns if (figures := part.get(col.key))]
    return [_said(f"{roles.of(col)} column {col.name!r} tells", figures) for col, figures in telling] + pairs


def _told_by_pairs(
    engine: Engine,
    looked_at: _Sample,
    finer: Sequence[Finer],
    columns: Sequence[Column],
    alone: Mapping[str, Mapping[str, str]],
) -> list[str]:
    """A warning for each two columns that together tell what neither tells `alone`."""
    few = [col for col in columns if 1 < looked_at.values[col.key] <= _MOST_VALUES]
    few.sort(key=lambda col: -looked_at.values[col.key])
    pairs = []
    for first, other in combinations(few[:_PAIRED], 2):
        already = alone[first.key].keys() | alone[other.key].keys()
        if all(fine.column.name in already for fine in finer):
            continue
        together = _told_by(engine, looked_at, finer, [first, other])
        figures = {name: figure for name, figure in together.items() if name not in already}
        if figures:
            pairs.append(_said(f"columns {first.name!r} and {other.name!r} together tell", figures))
    if len(pairs) > _SHOWN:
        pairs[_SHOWN:] = [f"{len(pairs) - _SHOWN} more pairs of columns tell quasi-identifiers more exactly, too"]
    return pairs


def _list_finer(engine: Engine, finer: Sequence[Finer]) -> None:
    for i, fine in enumerate(finer):
        names: dict[str, Fill] = {
            "finer": _table(i),
            "domain": fine.table,
            "finer_code": fine.finer,
            "coarser_code": fine.coarser or 0,
        }
        engine.query("commands/run/finer", names=names)


def _draw(
    engine: Engine,
    prepared: SearchProblem,
    columns: Sequence[Column],
    finer: Sequence[Finer],
    policy: str,
    by: Column | None = None,
) -> _Sample:
    """Makes the table that everything is measured in, of some rows or of all rows of some values."""
    step = max(1, prepared.n // _SAMPLE)
    tables = {_table(i): fine.column for i, fine in enumerate(finer)}
    draw_rows(engine, prepared, Looking(columns, tables, step, policy, by))
    items: list[Item] = [{"code": source_column.key, "values": f"v{i}"} for i, source_column in enumerate(columns)]
    rows, *values = engine.query("commands/run/columns", lists={"seen": items})[0]
    common = []
    for i in range(len(finer)):
        counted = engine.query("commands/run/values", names={"finer_code": f"q{i}"})
        common.append([(count / rows, number) for count, number in counted])
    return _Sample(rows, {c.key: n for c, n in zip(columns, values, strict=True)}, tuple(common), step > 1)


def _told_by(engine: Engine, looked_at: _Sample, finer: Sequence[Finer], columns: Sequence[Column]) -> dict[str, str]:
    """What columns tell together: for each quasi-identifier that they do the figures."""
    items: list[Item] = [{"code": f"q{i}", "same": f"s{i}", "fixed": f"f{i}"} for i in range(len(finer))]
    lists = {"qi": items, "seen": [{"code": source_column.key} for source_column in columns]}
    groups = engine.query("commands/run/groups", lists=lists)
    rows = looked_at.rows
    covered = sum(size * count for size, count, *_ in groups) / rows if rows else 0.0
    figures = {}
    for i, fine in enumerate(finer):
        if covered <= _SHARE:
            break
        share = sum(size * fixed[i] for size, _, *fixed in groups) / rows
        chances = [(size, count, looked_at.chance(i, size)) for size, count, *_ in groups]
        chance = math.fsum(size * count * likelihood for size, count, likelihood in chances) / rows
        variance = math.fsum(
            size * size * count * max(0.0, likelihood * (1 - likelihood)) for size, count, likelihood in chances
        )
        beyond = share - chance
        if share > _SHARE and beyond > max(_SHARE * (covered - chance), _DEVIATIONS * math.sqrt(variance) / rows):
            figures[fine.column.name] = (
                f"{share:.0%} of {rows:,} rows{' looked at' * looked_at.is_part} (by chance {chance:.0%})"
            )
    return figures


def _said(what: str, measured: dict[str, str]) -> str:
    figures = ", ".join(f"{name!r} in {figure}" for name, figure in measured.items())
    return f"{what} more exactly than it is released: {figures}; make it a quasi-identifier, or do not release it"


def _table(i: int) -> str:
    return state(f"finer_{i}")


_DRAWN = 4_000  # rows of another engine, about
_WORDS = {"quasi_identifier": "quasi-identifier"}


def guard(engine: Engine, loaded: LoadedConfig, source: Source, roles: Roles) -> list[str]:
    """A warning for each named column that looks like an identifier or free text, in some of the rows that take part.

    It comes before anything else is asked of another engine, whose answers it would replace. Raises ConfigurationError
    with every column that looks so and is released though no list names it.
    """
    config = loaded.config
    generalized = {name for name in config.quasi_identifiers if name not in suppressed_or_ordered(loaded)}
    seen = {*generalized, *config.accept}
    columns = [
        source_column
        for source_column in roles.released
        if source_column.name not in seen and roles.of(source_column) != "identifier"
    ]
    if not columns:
        return []
    try:
        with telling_faults(engine, source):
            findings = identifying(engine, source, _some(source, roles, config.missing), columns)
    except EngineError:
        if source.untreated is not None:  # values that cannot be treated say more of it
            with suppress(EngineError):
                refuse_misfits(engine, source.untreated)
                refuse_outside(source)
        raise
    named = {*config.quasi_identifiers, *config.sensitive, *config.insensitive}
    refused = [
        _refusal(loaded, source_column.name, findings[source_column.name])
        for source_column in columns
        if source_column.name in findings
        and source_column.name not in named
        and not _numbers_rows(source, source_column, findings[source_column.name])
    ]
    if refused:
        raise ConfigurationError(refused)
    return [
        _warning(roles, source_column, findings[source_column.name])
        for source_column in columns
        if source_column.name in findings
    ]


def _numbers_rows(source: Source, source_column: Column, finding: Finding) -> bool:
    """Whether an id only numbers the rows of this table: it is known to nobody who has not seen the table itself."""
    if finding.name != "id" or not (source.only_texts or source_column.type in IN_BIGINT):
        return False
    value: exp.Expr = template.column(source_column.key)
    if source_column.is_text:
        value = exp.TryCast(this=value, to=exp.DataType.build("BIGINT"))
    holes: dict[str, exp.Expr] = {"source": source.relation, "number_value": value}
    return bool(source.backend.query("commands/run/numbering", names=holes)[0][0])


def _some(source: Source, roles: Roles, policy: str) -> exp.Select:
    """The rows that take part; of another engine's some, drawn at random."""
    rows = participants(source, roles, policy)
    if not source.backend.weighted:
        return rows
    _, n = count_rows(source, roles, policy)
    share = exp.Literal.number(min(1.0, _DRAWN / n))
    return rows.where(exp.LT(this=template.parse("random()"), expression=share)) if n > _DRAWN else rows


def suppressed_or_ordered(loaded: LoadedConfig) -> list[str]:
    """The quasi-identifiers without a hierarchy: released as they are, as ranges of values, or not at all."""
    return [
        name
        for name, spec in loaded.config.quasi_identifiers.items()
        if spec.hierarchy is None and spec.builtin in (None, "suppress")
    ]


def _refusal(loaded: LoadedConfig, name: str, finding: Finding) -> str:
    identifiers, accept = ("--identifier", "--accept") if loaded.draft.flags else ("identifiers", "accept")
    return (
        f"{loaded.place('unlisted')}: column {name!r} {_looks(finding)}, and would be released though no list names "
        f"it; name it in {identifiers}, which are never released, or in {accept} if it may be released as it is"
    )


def _warning(roles: Roles, source_column: Column, finding: Finding) -> str:
    role = roles.of(source_column)
    return (
        f"{_WORDS.get(role, role)} column {source_column.name!r} {_looks(finding)}; name it in identifiers, which are "
        "never released, or in accept if somebody has looked at it"
    )


def _looks(finding: Finding) -> str:
    return f"looks like {finding.name} ({finding.sure:.0%} sure: {finding.why})"


def unshifted_dates(engine: Engine, prepared: SearchProblem, config: Config, levels: Mapping[str, int]) -> list[str]:
    """Warnings of released dates that undo shifts: columns that are not shifted beside some that are, and two shifts.

    Of a quasi-identifier only where its lowest level in the release, as `levels` say, is that of days.
    """
    shifts = {name: treatment.shift for name, treatment in config.transform.items() if treatment.shift is not None}
    shows_days = [
        column
        for column in prepared.roles.released
        if not _is_cut(config, column.name) and _shows_days(config, column.name, levels)
    ]
    if not shifts:
        return []
    warnings = []
    digests = {name for name, treatment in config.transform.items() if treatment.pseudonym is not None}
    unshifted = [column for column in shows_days if column.name not in {*shifts, *digests}]
    dates = _dates(engine, prepared, unshifted, config.missing)
    if dates:
        warnings.append(
            f"released as they are beside shifted dates ({_quoted(shifts)}): {_quoted(dates)}; "
            "whoever knows how many days lie between both knows the shift, and with it all dates of the person; shift "
            "them by the same column, release months or years, or leave them out"
        )
    shifted = [column.name for column in shows_days if column.name in shifts]
    if any(shifts[name] != shifts[shifted[0]] for name in shifted):
        warnings.append(
            f"dates that are shifted differently stand beside each other: {_quoted(shifted)}; whoever knows how many "
            "days lie between two of them knows the difference of their shifts, and so much of both; shift them by the "
            "same column, with the same days and key, or release months or years"
        )
    return warnings


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names))


def _is_cut(config: Config, name: str) -> bool:
    """Whether the dates of a column become the first of their month or year."""
    return name in config.transform and config.transform[name].cut in ("month", "year")


def _shows_days(config: Config, name: str, levels: Mapping[str, int]) -> bool:
    """Whether the release may show days of a column; of a hierarchy file only its values are days."""
    spec = config.quasi_identifiers.get(name)
    if spec is None:
        return True
    level = levels[name]
    periods = (spec.levels or ()) if spec.builtin == "date" else ()
    return level == 0 or (level <= len(periods) and periods[level - 1] in _DAYS)


def _dates(engine: Engine, prepared: SearchProblem, columns: Sequence[Column], policy: str) -> list[str]:
    """The names of those columns that hold days, as their types, their readings or their values say.

    Of another engine the values of some rows are looked at.
    """
    source = prepared.source
    typed = {
        column.name
        for column in columns
        if column.type.startswith(("DATE", "TIMESTAMP"))
        or (column.reading is not None and column.reading.type in ("date", "timestamp"))
    }
    others = [column for column in columns if column.name not in typed and (column.is_text or column.type in IN_BIGINT)]
    if source.backend.weighted:
        for column in others:
            values = drawn_values(engine, prepared, column, _DRAWN, policy)
            drawn = replace(column, key=values.expressions[0].alias_or_name)
            typed |= set(_of_days(engine, values, [drawn], source.missing))
    elif others:
        typed |= set(_of_days(engine, source.relation, others, source.missing))
    return [column.name for column in columns if column.name in typed]


def _of_days(engine: Engine, rows: exp.Select, columns: Sequence[Column], missing: Sequence[str]) -> list[str]:
    """The names of columns that hold days, as the values of rows in DuckDB say."""
    cells: list[Item] = [
        {
            "value": text_of(column, missing),
            "speaks": exp.convert(bool(_SPEAKS_OF_TIME.search(column.name))),
        }
        for column in columns
    ]
    values = {"formats": list(_DAY_FORMATS)}
    ((days,),) = engine.query("commands/run/days", names={"table_rows": rows}, lists={"cell": cells}, values=values)
    return [column.name for column, is_date in zip(columns, days, strict=True) if is_date]
