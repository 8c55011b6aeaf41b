"""A source read for multidimensional recoding."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from kanon_sql.config.model import AlgorithmConfig
from kanon_sql.frequency.dimensions.widened import Grid
from kanon_sql.frequency.tuples import Tuples
from kanon_sql.progress import Progress
from kanon_sql.search.impossible import impossible
from kanon_sql.search.local.search import LocalSearch
from kanon_sql.search.mondrian.judging import violates_as_a_whole
from kanon_sql.search.mondrian.mondrian import Mondrian, Partitioning
from kanon_sql.search.partitions import Partitions
from kanon_sql.search.problem import Prepared
from kanon_sql.search.solution import Request
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.deadline import Deadline


@dataclass(frozen=True)
class Multidimensional(Prepared):
    """A source whose distinct tuples are ready to be put into classes.

    Ranges are released as two columns (`bounds`), or with the ends that `grids`, by the numbers of dimensions, widen
    them to. The search knows nothing of that.
    """

    tuples: Tuples
    bounds: bool
    grids: Mapping[int, Grid] = field(default_factory=dict)

    def solve(
        self, engine: Engine, algorithm: AlgorithmConfig, request: Request, deadline: Deadline, progress: Progress
    ) -> Partitions:
        refused = impossible(engine, self.models, request.limit)
        if refused:
            return Partitions(engine, self, algorithm, request, None, refused)
        if self.n < request.k or (not self.models.only_k and violates_as_a_whole(engine, self.models, request.k)):
            return Partitions(engine, self, algorithm, request, None)
        found = SEARCHES[algorithm.name](engine, self, algorithm, request.k, progress, deadline)
        return Partitions(engine, self, algorithm, request, found)


def _mondrian(
    engine: Engine, given: Multidimensional, algorithm: AlgorithmConfig, k: int, progress: Progress, deadline: Deadline
) -> Partitioning:
    return Mondrian(engine, given.tuples, algorithm, k, progress, given.models).run(deadline)


def _local(
    engine: Engine, given: Multidimensional, algorithm: AlgorithmConfig, k: int, progress: Progress, deadline: Deadline
) -> Partitioning:
    found = LocalSearch(engine, given.tuples, k, progress, given.models).run(deadline)
    return replace(found, seed=secrets.randbits(62) if algorithm.seed is None else algorithm.seed)


Search = Callable[[Engine, Multidimensional, AlgorithmConfig, int, Progress, Deadline], Partitioning]

# By the names of kanon_sql.settings.algorithms.
SEARCHES: dict[str, Search] = {"mondrian": _mondrian, "local": _local}
