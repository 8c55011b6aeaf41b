"""A source read for multidimensional recoding."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from kanon_sql.config.model import AlgorithmConfig
from kanon_sql.frequency.dimensions.widened import Grid
from kanon_sql.frequency.tuples import Tuples
from kanon_sql.progress import Progress
from kanon_sql.search.impossible import impossible
from kanon_sql.search.local.search import LocalSearch
from kanon_sql.search.mondrian.judging import violates_as_a_whole
from kanon_sql.search.mondrian.mondrian import Mondrian
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
        if algorithm.name == "local":
            found = LocalSearch(engine, self.tuples, request.k, progress, self.models).run(deadline)
            found = replace(found, seed=secrets.randbits(62) if algorithm.seed is None else algorithm.seed)
        else:
            found = Mondrian(engine, self.tuples, algorithm, request.k, progress, self.models).run(deadline)
        return Partitions(engine, self, algorithm, request, found)
