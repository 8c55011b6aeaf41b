"""Runs the search that a configuration names, also blindly: without reading sensitive values.

Who knows the program knows why a node was chosen: a search that checks l-diversity of the nodes reveals, by every
better node that it did not release, that some of its classes violate (R. Wong, A. Fu, K. Wang, J. Pei: Minimality
attack in privacy preserving data publishing. VLDB 2007). A blind search chooses the node by k and by what else reads no
sensitive value. Then its classes are judged by all models, and those that violate are suppressed. Of the values of
released rows this reveals what their classes show, and nothing more: permuted within each of these classes they lead to
the same release. Suppressed classes reveal that they violated, and that there is a release at all reveals that their
rows are within the limit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

from kanon_sql.config.model import AlgorithmConfig
from kanon_sql.search.full_domain.checker import NodeChecker
from kanon_sql.search.full_domain.lattice import Lattice
from kanon_sql.search.full_domain.measures import BlindChoice, NodeChoice, NodeMeasures
from kanon_sql.search.full_domain.objectives import CountedObjective, make_objective
from kanon_sql.search.full_domain.optimal import OptimalSearch
from kanon_sql.search.full_domain.samarati import preference_key
from kanon_sql.sql.deadline import Deadline

Options = Mapping[str, Any]
Search = Callable[[Options, Lattice, NodeChecker, tuple[float, ...], Deadline], NodeChoice]
_UNBOUNDED = "average-class-size"  # the objective that suppression can lower
_SMALL = 1_000_000  # nodes of a lattice that the plain optimal search takes


def search(
    algorithm: AlgorithmConfig, lattice: Lattice, checker: NodeChecker, weights: tuple[float, ...], deadline: Deadline
) -> NodeChoice:
    """The node to release, or none. Statements that run past the deadline are interrupted."""
    find = SEARCHES[algorithm.name]
    if algorithm.blind and checker.models.reads_values:
        return search_blind(find, algorithm, lattice, checker, weights, deadline)
    return find(algorithm.options(), lattice, checker, weights, deadline)


def _optimal(
    options: Options, lattice: Lattice, checker: NodeChecker, weights: tuple[float, ...], deadline: Deadline
) -> NodeChoice:
    checker.with_entropy = options["objective"] == "entropy"
    objective = make_objective(options["objective"], checker.costs, weights, checker.least_class, checker.limit)
    if lattice.size <= _SMALL:
        # Where nodes settle others, what bounds the loss leaves too few to check for tables of their own.
        many = isinstance(objective, CountedObjective) or not checker.prunes
        with checker.rolling(lattice) if many else nullcontext():
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
    from kanon_sql.search.full_domain.samarati import search_minimal

    return search_minimal(lattice, checker, options["prefer"], deadline)


# By the names of kanon_sql.settings.algorithms; each imports what only it needs.
SEARCHES: dict[str, Search] = {"optimal": _optimal, "samarati": _samarati, "minimal": _minimal}


def search_blind(
    find: Search,
    algorithm: AlgorithmConfig,
    lattice: Lattice,
    checker: NodeChecker,
    weights: tuple[float, ...],
    deadline: Deadline,
) -> NodeChoice:
    """The node that `find` chooses without sensitive values, if it satisfies all models within the limit.

    The models may suppress what the choice leaves of the limit, `algorithm.reserve` at least. In a choice without a
    winner, `blind` says that the models refused it.
    """
    options, reserve = algorithm.options(), algorithm.reserved(checker.frequency.n)
    blind_checker = checker.blind(reserve)
    choice = find(options, lattice, blind_checker, weights, deadline)
    if choice.winner is None:
        return replace(choice, blind=_at_the_top(lattice, checker, blind_checker, reserve))
    node, suppressed = choice.winner.levels, choice.winner.suppressed
    in_all = checker.suppressed(node)
    blind = BlindChoice(suppressed, in_all, reserve, choice.proven)
    judged = replace(choice, checked=choice.checked + checker.checked, minimal=(), ties=(), notes=(), blind=blind)
    if in_all > checker.limit:
        return replace(judged, winner=None, objective=None, proven=False, bound=None)
    unchanged = not reserve and in_all == suppressed
    bounded = not reserve and options.get("objective", _UNBOUNDED) != _UNBOUNDED
    measures = checker.with_entropy_of(node)
    return replace(
        judged,
        winner=measures,
        objective=_value(algorithm, lattice, checker, weights, measures),
        proven=choice.proven and unchanged,
        bound=choice.bound if unchanged or bounded else None,
    )


def _at_the_top(lattice: Lattice, checker: NodeChecker, blind_checker: NodeChecker, reserve: int) -> BlindChoice | None:
    """What the highest levels suppress, if it is the reserve that leaves too little of the limit for them."""
    if not reserve or blind_checker.known(lattice.highs) is not False or checker.frequency.n < checker.k:
        return None
    return BlindChoice(blind_checker.suppressed(lattice.highs), checker.suppressed(lattice.highs), reserve, proven=True)


def _value(
    algorithm: AlgorithmConfig,
    lattice: Lattice,
    checker: NodeChecker,
    weights: tuple[float, ...],
    measures: NodeMeasures,
) -> float:
    """What the search minimizes, of a node that suppresses more than the search knew of."""
    options = algorithm.options()
    if "objective" in options:
        objective = make_objective(options["objective"], checker.costs, weights, checker.k, checker.limit)
        return objective.value(measures)
    return measures.lm if algorithm.name == "samarati" else preference_key(options["prefer"], lattice.tops)(measures)
