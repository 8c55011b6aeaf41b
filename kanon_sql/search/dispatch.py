"""Runs the search that a configuration names."""

from __future__ import annotations

from kanon_sql.config.model import AlgorithmConfig
from kanon_sql.deadline import Deadline
from kanon_sql.search.checker import NodeChecker
from kanon_sql.search.lattice import Lattice
from kanon_sql.search.minimal import search_minimal
from kanon_sql.search.objectives import make_objective
from kanon_sql.search.optimal import OptimalSearch
from kanon_sql.search.result import SearchResult
from kanon_sql.search.samarati import search_samarati


def search(
    algorithm: AlgorithmConfig, lattice: Lattice, checker: NodeChecker, weights: tuple[float, ...], deadline: Deadline
) -> SearchResult:
    """The node to release, or none. Statements that run past the deadline are interrupted."""
    if algorithm.name == "samarati":
        return search_samarati(lattice, checker, algorithm.prefer or "loss", deadline)
    if algorithm.name == "minimal":
        return search_minimal(lattice, checker, algorithm.prefer or "loss", deadline)
    checker.with_entropy = algorithm.objective == "entropy"
    objective = make_objective(algorithm.objective or "loss", checker.costs, weights, checker.k, checker.limit)
    return OptimalSearch(lattice, checker, objective, deadline).run()
