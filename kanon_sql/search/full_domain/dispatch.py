"""Runs the search that a configuration names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kanon_sql.config.model import AlgorithmConfig
from kanon_sql.search.full_domain.checker import NodeChecker
from kanon_sql.search.full_domain.choice import NodeChoice
from kanon_sql.search.full_domain.lattice import Lattice
from kanon_sql.search.full_domain.objectives import make_objective
from kanon_sql.search.full_domain.optimal import OptimalSearch
from kanon_sql.sql.deadline import Deadline

Options = Mapping[str, Any]
Search = Callable[[Options, Lattice, NodeChecker, tuple[float, ...], Deadline], NodeChoice]


_SMALL = 1_000_000  # nodes of a lattice that is gone through to the end without further ado


def search(
    algorithm: AlgorithmConfig, lattice: Lattice, checker: NodeChecker, weights: tuple[float, ...], deadline: Deadline
) -> NodeChoice:
    """The node to release, or none. Statements that run past the deadline are interrupted."""
    find = SEARCHES[algorithm.name]
    if algorithm.blind and checker.models.reads_values:
        from kanon_sql.search.full_domain.blind import search_blind

        return search_blind(find, algorithm, lattice, checker, weights, deadline)
    return find(algorithm.options(), lattice, checker, weights, deadline)


def _optimal(
    options: Options, lattice: Lattice, checker: NodeChecker, weights: tuple[float, ...], deadline: Deadline
) -> NodeChoice:
    checker.with_entropy = options["objective"] == "entropy"
    objective = make_objective(options["objective"], checker.costs, weights, checker.least_class, checker.limit)
    if lattice.size <= _SMALL:
        return OptimalSearch(lattice, checker, objective, deadline).run()
    from kanon_sql.search.full_domain.large import LargeSearch

    return LargeSearch(lattice, checker, objective, deadline).run()


def _samarati(
    options: Options, lattice: Lattice, checker: NodeChecker, _: tuple[float, ...], deadline: Deadline
) -> NodeChoice:
    from kanon_sql.search.full_domain.samarati import search_samarati

    return search_samarati(lattice, checker, options["prefer"], deadline)


def _minimal(
    options: Options, lattice: Lattice, checker: NodeChecker, _: tuple[float, ...], deadline: Deadline
) -> NodeChoice:
    from kanon_sql.search.full_domain.minimal import search_minimal

    return search_minimal(lattice, checker, options["prefer"], deadline)


# By the names of kanon_sql.settings.algorithms; each imports what the others need not.
SEARCHES: dict[str, Search] = {"optimal": _optimal, "samarati": _samarati, "minimal": _minimal}
