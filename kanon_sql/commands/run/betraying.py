"""Columns released beside the quasi-identifiers that tell these more exactly than they are released.

A column, or two together, betray a quasi-identifier where rows that are equal in them have the same finer value of it:
the value one level below the released one, or the value itself where classes have no common level. Small groups and
common values agree by chance; how often is known from the sizes of the groups and how common each value is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

from kanon_sql.release.release import Finer
from kanon_sql.search.problem import SearchProblem
from kanon_sql.source.model import Column
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Fill, Item, column, state

_SAMPLE = 50_000  # rows that are looked at, about
_SHARE = 0.5  # of the rows: those in groups that tell, and how far beyond chance
_DEVIATIONS = 6.0  # beyond chance, so that small tables do not cry wolf
_PAIRED, _MOST_VALUES = 12, 2_000  # columns that are looked at two by two, and how many values they hold at most
_SHOWN = 10


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


def betraying_columns(engine: Engine, prepared: SearchProblem, finer: Sequence[Finer]) -> list[str]:
    """A warning for each column, or two, that tell quasi-identifiers below their released level.

    They are measured in about 50,000 rows. Nothing is measured where another engine holds the rows.
    """
    quasi = {item.key for item in prepared.roles.quasi_identifiers}
    roles = prepared.roles
    # A pseudonym is known to nobody: that rows of one person agree is no news.
    columns = [item for item in roles.released if item.key not in quasi and roles.of(item) != "identifier"]
    if not prepared.source.backend.abilities.rows or not finer or not columns:
        return []
    _list_finer(engine, finer)
    looked_at = _draw(engine, prepared, columns, finer)
    told: dict[str, set[str]] = {}
    warnings = []
    for item in columns:
        found = _told_by(engine, looked_at, finer, [item])
        told[item.key] = set(found)
        if found:
            warnings.append(_said(f"{prepared.roles.of(item)} column {item.name!r} tells", found))
    few = [item for item in columns if 1 < looked_at.values[item.key] <= _MOST_VALUES]
    few.sort(key=lambda item: -looked_at.values[item.key])
    pairs = []
    for one, other in combinations(few[:_PAIRED], 2):
        known = told[one.key] | told[other.key]
        if all(fine.column.name in known for fine in finer):
            continue
        found = {
            name: said for name, said in _told_by(engine, looked_at, finer, [one, other]).items() if name not in known
        }
        if found:
            pairs.append(_said(f"columns {one.name!r} and {other.name!r} together tell", found))
    # What rows share a rare value only shows where all of its rows are looked at.
    for item in columns:
        if looked_at.is_part and not told[item.key] and looked_at.values[item.key] > _MOST_VALUES:
            found = _told_by(engine, _draw(engine, prepared, [item], finer, item), finer, [item])
            if found:
                warnings.append(_said(f"{prepared.roles.of(item)} column {item.name!r} tells", found))
    if len(pairs) > _SHOWN:
        pairs[_SHOWN:] = [f"{len(pairs) - _SHOWN} more pairs of columns tell quasi-identifiers more exactly, too"]
    return warnings + pairs


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
    engine: Engine, prepared: SearchProblem, columns: Sequence[Column], finer: Sequence[Finer], by: Column | None = None
) -> _Sample:
    """Makes the table that everything is measured in, of some rows or of all rows of some values."""
    qis: list[Item] = [{"finer": _table(i), "key": fine.column.key, "code": f"q{i}"} for i, fine in enumerate(finer)]
    step = max(1, prepared.n // _SAMPLE)
    names: dict[str, Fill] = {
        "sample": state("betraying"),
        "given_rows": prepared.rows,
        "drawn_by": column(by.key if by else "number", "source"),
        "step": step,
    }
    seen: list[Item] = [{"key": item.key, "code": item.key} for item in columns]
    engine.query("commands/run/sample", names=names, lists={"seen": seen, "qi": qis})
    sample: dict[str, Fill] = {"sample": state("betraying")}
    items: list[Item] = [{"code": item.key, "values": f"v{i}"} for i, item in enumerate(columns)]
    rows, *values = engine.query("commands/run/columns", names=sample, lists={"seen": items})[0]
    common = []
    for i in range(len(finer)):
        counted = engine.query("commands/run/values", names={**sample, "finer_code": f"q{i}"})
        common.append([(count / rows, number) for count, number in counted])
    return _Sample(rows, {c.key: n for c, n in zip(columns, values, strict=True)}, tuple(common), step > 1)


def _told_by(engine: Engine, looked_at: _Sample, finer: Sequence[Finer], columns: Sequence[Column]) -> dict[str, str]:
    """What columns tell together: for each quasi-identifier that they do the figures."""
    items: list[Item] = [{"code": f"q{i}", "same": f"s{i}", "fixed": f"f{i}"} for i in range(len(finer))]
    lists = {"qi": items, "seen": [{"code": item.key} for item in columns]}
    groups = engine.query("commands/run/groups", names={"sample": state("betraying")}, lists=lists)
    rows = looked_at.rows
    covered = sum(size * count for size, count, *_ in groups) / rows if rows else 0.0
    found = {}
    for i, fine in enumerate(finer):
        if covered <= _SHARE:
            break
        share = sum(size * fixed[i] for size, _, *fixed in groups) / rows
        chances = [(size, count, looked_at.chance(i, size)) for size, count, *_ in groups]
        chance = math.fsum(size * count * one for size, count, one in chances) / rows
        variance = math.fsum(size * size * count * max(0.0, one * (1 - one)) for size, count, one in chances)
        beyond = share - chance
        if share > _SHARE and beyond > max(_SHARE * (covered - chance), _DEVIATIONS * math.sqrt(variance) / rows):
            found[fine.column.name] = (
                f"{share:.0%} of {rows} rows{' looked at' * looked_at.is_part} (by chance {chance:.0%})"
            )
    return found


def _said(what: str, found: dict[str, str]) -> str:
    figures = ", ".join(f"{name!r} in {figure}" for name, figure in found.items())
    return f"{what} more exactly than it is released: {figures}; make it a quasi-identifier, or do not release it"


def _table(i: int) -> str:
    return state(f"finer_{i}")
