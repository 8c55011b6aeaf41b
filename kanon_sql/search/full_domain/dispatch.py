"""Runs the search that a configuration names."""

from __future__ import annotations

from kanon_sql.config.model import AlgorithmConfig
from kanon_sql.search.full_domain.checker import NodeChecker
from kanon_sql.search.full_domain.lattice import Lattice
from kanon_sql.search.full_domain.minimal import search_minimal
from kanon_sql.search.full_domain.objectives import make_objective
from kanon_sql.search.full_domain.optimal import OptimalSearch
from kanon_sql.search.full_domain.result import SearchResult
from kanon_sql.search.full_domain.samarati import search_samarati
from kanon_sql.sql.deadline import Deadline


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
