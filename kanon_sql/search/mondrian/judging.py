"""Mondrian with privacy models beyond k: of the cuts that k allows, each partition makes its best one of which both
sides satisfy all models.

Candidates are judged a few a partition at a time, best first, and more where all of these violate: most partitions that
can be cut can be cut by one of their first. Whether a side satisfies is no question of monotonicity here: a part of a
partition that cannot be cut may be cut along the same dimension, so that only k says which dimensions stay live.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from sqlglot import exp

from kanon_sql.frequency.judged import Models, source_tables
from kanon_sql.privacy.statement import Tables
from kanon_sql.sql import tables, template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.deadline import Deadline
from kanon_sql.sql.template import Composed, Fill, Item, compose, state

_FIRST_BATCH = 4
_GROWTH = 4
_MANY = 100_000  # tuples from which on only so many of a partition's candidates are tried
_MOST = 1_000
_TABLES = ("candidates", "accepted_cuts", "open_tuples", "allowable_cuts", "open_judged")
_KEYS: list[Item] = [{"code": "part"}, {"code": "place"}, {"code": "is_left"}]


def violates_as_a_whole(engine: Engine, models: Models, k: int) -> bool:
    """Whether all rows together, which is the most general release, violate a model."""
    source = source_tables(models, state("frequency"))
    statement = compose("search/full_domain/node_check", {"classes": models.classes(source)})
    lists: dict[str, Sequence[Item]] = {"key": []}
    return bool(engine.query(statement, values={"k": k}, lists=lists)[0][0])


class Judging:
    """Narrows the table allowable_cuts down, so that at most one cut of each partition is preferred, `ELIGIBLE`."""

    ELIGIBLE = "preference = 9"

    def __init__(
        self, engine: Engine, models: Models, k: int, tuples: int, items: Sequence[Item], choice: dict[str, exp.Expr]
    ) -> None:
        self.engine = engine
        self.models = models
        self.k = k
        self._most = _MOST if tuples > _MANY else 2**31
        self._names: dict[str, Fill] = {name: state(name) for name in _TABLES}
        self._items = items
        self._choice = choice
        self._source = source_tables(models, state("frequency"))

    def narrow(self, deadline: Deadline, seed: int) -> None:
        """Accepts a cut for each partition that has one of which both sides satisfy; scores may be drawn by `seed`."""
        drawn = {"seed": seed} if "$seed" in template.text(self._choice["cut_score"]) else {}
        self._run("candidates", {"most": self._most, **drawn}, scope=self._choice)
        columns = ("part", "dimension", "low", "high")
        self.engine.run(tables.empty_like(state("accepted_cuts"), state("candidates"), *columns))
        for table in self._judged:
            names = {"judged": table, "open_judged": _open(table)}
            self._run("open_judged", names=names, lists={"this": self._items})
        low, high = 0, _FIRST_BATCH
        while True:
            deadline.check()
            values = {"from_place": low, "to_place": high}
            self.engine.query(self._accepting, values={**values, "k": self.k}, lists={"key": _KEYS}, scope=self._names)
            if not self._run("untried", {"to_place": high})[0][0]:
                break
            low, high = high, _GROWTH * high
        self._run("only_accepted")

    @property
    def _judged(self) -> list[str]:
        """The tables that the models read."""
        holders = [self._source.holders] if self.models.by_entity else []
        return [str(table) for table in (self._source.tuples, *holders, *self._source.sensitive.values())]

    @cached_property
    def _accepting(self) -> Composed:
        def sides(table: str | Composed) -> Composed:
            names: dict[str, Fill] = {"open_rows": _open(str(table))}
            return Composed(template.fill("search/mondrian/sides", names, {"this": self._items}, self._names))

        judged = Tables(
            sides(self._source.tuples),
            sides(self._source.holders) if self.models.by_entity and self._source.holders else None,
            {name: sides(table) for name, table in self._source.sensitive.items()},
        )
        return compose("search/mondrian/accept_cuts", {"classes": self.models.classes(judged)})

    def _run(
        self, name: str, values: dict[str, int] | None = None, scope: Mapping[str, Fill] | None = None, **holes: Any
    ) -> list[tuple[int, ...]]:
        known = {**self._names, **(scope or {})}
        return self.engine.query(f"search/mondrian/{name}", values=values, scope=known, **holes)


def _open(table: str) -> str:
    return f"{table}_open"
