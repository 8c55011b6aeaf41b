"""Microaggregation: groups of at least k rows that lie near each other, for columns of numbers and dates.

What is lost is the squared distance of rows from the centres of their groups (SSE), in standardized columns. Groups are
made by MDAV (Domingo-Ferrer, Torra: Ordinal, continuous and heterogeneous k-anonymity through microaggregation. Data
Mining and Knowledge Discovery 11, 2005), each step of it a round of one recursive statement; then groups that lie near
each other exchange rows as long as that lowers SSE, so that it is never above that of MDAV. Rows of the same values
stay together. MDAV compares all points with all in every step: many points are cut into blocks first, which take their
steps side by side, and the exchanges go across the borders of blocks. Groups that are too small, or violate a privacy
model, join others.

Strata are searched side by side as well, and nothing crosses their borders. A stratum that is too small for a group is
left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from kanon_sql.frequency.dimensions import Dimension
from kanon_sql.frequency.judged import Models, source_tables
from kanon_sql.frequency.table import Tuples
from kanon_sql.privacy.statement import Tables
from kanon_sql.progress import Progress
from kanon_sql.search.mondrian import Partitioning
from kanon_sql.sql import tables, template
from kanon_sql.sql.connection import Engine, Row
from kanon_sql.sql.deadline import Deadline, TimeUpError
from kanon_sql.sql.template import Composed, Fill, Item, Statement, compose, state

_TABLES = (
    "scale",
    "cells",
    "points",
    "blocks",
    "grouped",
    "members",
    "centres",
    "near",
    "near_touched",
    "wishes",
    "exchanges",
    "chosen",
    "violating",
    "joins",
)

_EXCHANGES = {"part": "INTEGER", "other": "INTEGER", "cell": "INTEGER", "partner": "INTEGER", "gain": "DOUBLE"}
_STEPS = 2_000_000  # comparisons of points in all steps of MDAV, if all points are in one block
_BLOCK = 40  # points for each row of a group, where one block would be too large
_CHUNK = 100_000  # points of the blocks that one statement groups
_MISSING_DISTANCE = 4.0  # standard deviations between a missing value and any other
_GROUPS, _NEAR = 300, 15  # groups of a block, and how many of the nearest a group exchanges rows with
_MANY, _GROUPS_OF_MANY, _NEAR_OF_MANY = 20_000, 60, 5  # from so many groups on, these instead
_STALE = 4  # rounds for which the nearest groups are not determined again
_LEAST_GAIN = 1e-6 * 2.0**40  # of an exchange, in squared units of a point
_ROUNDS = 300
_COMPARISONS = 40_000_000  # of cells with near groups, in all rounds
_SHARES = (0.5, 0.4, 0.6)  # where blocks are cut, in turn
_JOINABLE = 1_000  # groups that a group which has to join one is compared with


def _tables() -> dict[str, str]:
    """The names of the search's tables, as the query files call them."""
    return {name: state(f"micro_{name}") for name in _TABLES}


@dataclass(frozen=True)
class GroupQueries:
    """Runs files of queries/search/microaggregation on the tables of the search.

    Points have `axes` coordinates, the last of which, `absent_axes`, are those of missing values. Raises TimeUpError
    once the deadline has passed.
    """

    engine: Engine
    axes: int
    absent_axes: int
    deadline: Deadline = field(default_factory=Deadline)

    def run(
        self,
        name: Statement,
        values: Mapping[str, Any] | None = None,
        names: Mapping[str, Fill] | None = None,
        lists: Mapping[str, Sequence[Item]] | None = None,
    ) -> list[Row]:
        """Runs one file, its holes filled, or a composed statement; its rows."""
        statement = f"search/microaggregation/{name}" if isinstance(name, str) else name
        items = list(map(_axis_names, range(1, self.axes + 1)))
        axes = {"axis": items, "absent": items[self.axes - self.absent_axes :]}
        mentioned = {prefix: axes[prefix] for prefix in axes if template.mentions(statement, prefix)}
        return self.run_text(template.render(statement, names, {**mentioned, **(lists or {})}, _tables()), values)

    def run_text(self, statement: str, values: Mapping[str, Any] | None = None) -> list[Row]:
        """Runs a filled statement; its rows."""
        self.deadline.check()
        return self.engine.run(statement, values)

    def drop(self, *names: str) -> None:
        """Removes tables of the search, which take room beside what comes after them."""
        for name in names:
            self.run_text(tables.drop(_tables()[name]))

    def count(self, name: str, values: Mapping[str, Any] | None = None) -> int:
        """Runs one file that inserts or changes rows; how many."""
        return int(self.run(name, values)[0][0])


class Microaggregation:
    """Puts every tuple into a group; the groups are then in the table assigned(part, p0 ..., row_count)."""

    def __init__(self, engine: Engine, tuples: Tuples, k: int, progress: Progress, models: Models) -> None:
        self.tuples = tuples
        self.k = k
        self.progress = progress
        self.models = models
        self._positions: list[Item] = [{"position": d.position} for d in tuples.dimensions]
        self._space = [d for d in tuples.dimensions if not d.apart]
        absent_axes = sum(d.has_missing for d in self._space)
        self._queries = GroupQueries(engine, len(self._space) + absent_axes, absent_axes)

    def run(self, deadline: Deadline) -> Partitioning:
        """Groups, exchanges and joins; if time runs out, the groups are those that were reached."""
        queries = self._queries
        self._place()
        finished = self._until(deadline, self._group)
        if not finished:
            queries.run("blocks_as_groups")
        queries.run("members")
        queries.drop("points", "blocks", "grouped")
        join_small(queries, self.k)
        rounds = exchanges = 0
        if finished:
            rounds, exchanges, finished = self._improve(deadline)
        if not self.models.only_k:
            GroupJudge(queries, self.models, self.k, self._positions).join_violating()
        queries.run("assigned", lists={"this": self._positions})
        left_out, strata = map(int, queries.run("left_out")[0])
        queries.drop(*_TABLES)
        return Partitioning(rounds, exchanges, finished, seed=0, boxes=False, left_out=left_out, strata_left_out=strata)

    def _until(self, deadline: Deadline, step: Callable[[GroupQueries], None]) -> bool:
        """Whether a step ended before the deadline."""
        try:
            with self._queries.engine.until(deadline):
                step(replace(self._queries, deadline=deadline))
        except TimeUpError:
            return False
        return True

    def _place(self) -> None:
        """Makes the tuples points, in one block for each stratum and set of columns with missing values."""
        for d in self._space:
            names: dict[str, Fill] = {"places": d.places}
            self._queries.run("scale", names={**names, "this_position": d.position})
            values = {"weight": d.weight, "apart": _MISSING_DISTANCE}
            self._queries.run("coordinates", values, {**names, "coordinates": _coordinates(d)})
        stratum: list[Item] = [{"position": d.position} for d in self.tuples.dimensions if d.apart]
        self._queries.run("cells", lists={"this": self._positions, "stratum": stratum})
        absent = [d for d in self._space if d.has_missing]
        coordinates: dict[str, list[Item]] = {
            "near": [
                {"position": d.position, "coordinates": _coordinates(d), "axis": _axis(axis)}
                for axis, d in enumerate(self._space, start=1)
            ],
            "absent": [
                {"coordinates": _coordinates(d), "axis": _axis(axis)}
                for axis, d in enumerate(absent, start=len(self._space) + 1)
            ],
        }
        self._queries.run("points", lists=coordinates)
        cut_cells(self._queries, self.k, self.tuples.count)

    def _group(self, queries: GroupQueries) -> None:
        """Makes the table grouped by MDAV in every block."""
        points = self.tuples.count
        most = max(4 * self.k * _STEPS // points, _BLOCK * self.k)
        blocks = cut_cells(queries, self.k, most) + 1
        queries.run_text(tables.empty(_tables()["grouped"], {"cell": "INTEGER", "part": "INTEGER"}))
        chunk = max(_CHUNK * blocks // points, 1)
        for first in range(0, blocks, chunk):
            queries.run("grouped", {"k": self.k, "first": first, "last": first + chunk - 1})
            self.progress.advance(min(chunk, blocks - first), "blocks")

    def _improve(self, deadline: Deadline) -> tuple[int, int, bool]:
        """(rounds, exchanges, whether the deadline left time for all)."""
        rounds = exchanges = 0

        def exchange(queries: GroupQueries) -> None:
            nonlocal rounds, exchanges
            groups = queries.count("centres")
            if not groups:
                return
            many = groups > _MANY
            near = _NEAR_OF_MANY if many else _NEAR
            most = min(_ROUNDS, max(_COMPARISONS // (self.tuples.count * near), 1))
            searches = idle = age = 0
            while rounds < most and idle < (1 if groups <= _GROUPS else len(_SHARES)):
                if age == 0:
                    cut_centres(queries, _GROUPS_OF_MANY if many else _GROUPS, _SHARES[searches % len(_SHARES)])
                    queries.run("near", {"most": near})
                    searches += 1
                exchanged = self._exchange(queries, anew=age == 0)
                # Without an exchange the nearest groups are determined again; if these make none either, it ends.
                idle = 0 if exchanged else idle + (age == 0)
                age = (age + 1) % _STALE if exchanged else 0
                rounds, exchanges = rounds + 1, exchanges + exchanged
                self.progress.advance(exchanged, "exchanges")

        finished = self._until(deadline, exchange)
        return rounds, exchanges, finished

    def _exchange(self, queries: GroupQueries, *, anew: bool) -> int:
        """Makes the exchanges of one round; their number.

        What exchanges gain is found again only between groups that the last round touched, unless `anew`, for other
        near groups.
        """
        if anew:
            queries.run_text(tables.empty(_tables()["exchanges"], _EXCHANGES))
        else:
            queries.run("near_touched")
            queries.run("exchanges_left")
        queries.run("wishes", names={"compared": _tables()["near" if anew else "near_touched"]})
        queries.run("exchanges", {"k": self.k, "least": _LEAST_GAIN})
        chosen = queries.count("chosen")
        if chosen:
            queries.run("exchanged")
            queries.run("centres")
        return chosen


def _axis(number: int) -> str:
    """The column of an axis."""
    return f"axis_{number}"


def _axis_names(number: int) -> Item:
    """What query files call an axis, from 1: its column, and those of the centres beside a point."""
    column = _axis(number)
    return {"number": number, "coordinate": column, "centre": f"{column}_centre", "other_centre": f"{column}_other"}


def _coordinates(d: Dimension) -> str:
    return state(f"micro_coordinates_{d.index}")


def cut_cells(queries: GroupQueries, k: int, most: int) -> int:
    """Makes the table blocks(part, row_count, point, block) of the cells; the number of the last block.

    A block holds cells with the same values missing, and is cut where it spreads most until it has at most `most`
    cells.
    """
    queries.run("pattern_blocks", {"k": k})
    return _cut(queries, most, 0.5)


def cut_centres(queries: GroupQueries, most: int, share: float = 0.5) -> int:
    """Makes the table blocks of the centres of groups, cut at a share of their points; the number of the last block."""
    queries.run("stratum_blocks")
    return _cut(queries, most, share)


def _cut(queries: GroupQueries, most: int, share: float) -> int:
    while True:
        largest, last_block = queries.run("block_sizes")[0]
        if largest <= most:
            return int(last_block)
        queries.run("halved", {"most": most, "share": share})


def join_small(queries: GroupQueries, k: int) -> None:
    """Joins groups of fewer than k rows with the nearest others of their stratum, until none is too small.

    A stratum of one group that is too small is left out.
    """
    while True:
        queries.run("centres")
        if not queries.count("too_small", {"k": k}):
            return
        _join(queries)


class GroupJudge:
    """Judges the groups of the table members by privacy models."""

    def __init__(self, queries: GroupQueries, models: Models, k: int, positions: list[Item]) -> None:
        self.queries = queries
        self.k = k
        source = source_tables(models, state("frequency"))
        holders = [str(source.holders)] if models.by_entity else []
        for table in (*holders, *map(str, source.sensitive.values())):
            names = {"judged": table, "judged_cells": _by_cell(table), "cells": _tables()["cells"]}
            queries.engine.query("search/local/judged_cells", names=names, lists={"this": positions})
        grouped = Tables(
            compose("search/microaggregation/placed_rows", scope=_tables()),
            _judged(str(source.holders)) if models.by_entity else None,
            {name: _judged(str(table)) for name, table in source.sensitive.items()},
        )
        classes = models.classes(grouped)
        self._violating = compose("search/microaggregation/violating", {"classes": classes}, scope=_tables())

    def join_violating(self) -> None:
        """Joins groups that violate a model with the nearest others of their stratum, or leaves them out."""
        while True:
            self.queries.run("centres")
            key: dict[str, list[Item]] = {"key": [{"code": "part"}]}
            if not self.queries.engine.run(template.render(self._violating, lists=key), {"k": self.k})[0][0]:
                return
            _join(self.queries)


def _by_cell(table: str) -> str:
    """The name of the table with the rows of `table`, which models read, by cells."""
    return state(f"micro_cells_of_{table.removeprefix(state(''))}")


def _judged(table: str) -> Composed:
    """The rows of such a table by groups."""
    names = {"judged_cells": _by_cell(table), "classed": _tables()["members"], "class_key": "part"}
    return compose("search/local/judged_of", names)


def _join(queries: GroupQueries) -> None:
    queries.run("not_lonely")
    cut_centres(queries, _JOINABLE)
    queries.run("joins")
    queries.run("joined")
