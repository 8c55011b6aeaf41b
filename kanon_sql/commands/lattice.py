"""All nodes of a lattice, measured: what `kanon-sql lattice` shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.config.load import LoadedConfig
from kanon_sql.errors import OutOfTimeError
from kanon_sql.report.call import Call
from kanon_sql.search.full_domain.dispatch import search
from kanon_sql.search.full_domain.lattice import Node
from kanon_sql.search.full_domain.problem import FullDomain, node_json
from kanon_sql.search.full_domain.rollup import measure_all
from kanon_sql.search.full_domain.thresholds import make_checker
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.deadline import Deadline, TimeUpError

if TYPE_CHECKING:
    from kanon_sql.results.searched import LatticeNode, LatticeReport


def list_lattice(engine: Engine, loaded: LoadedConfig, prepared: FullDomain, call: Call) -> LatticeReport:
    """Measures every node: what `lattice --json` prints, in order of height, then levels.

    Raises OutOfTimeError when the time limit passes first.
    """
    config, lattice = loaded.config, prepared.lattice
    limit = config.suppression.rows(prepared.frequency.n)
    checker = make_checker(prepared.nodes, prepared.frequency, prepared.models, config.privacy.k, limit, call.progress)
    deadline = Deadline(call.time_limit)
    weights = tuple(spec.weight for spec in config.quasi_identifiers.values())
    checker.with_entropy = config.algorithm.objective == "entropy"  # which the winner is found by
    try:
        with call.progress.step(f"measuring {lattice.size:,} nodes"), checker.engine.until(deadline):
            deadline.check()
            nodes = sorted(measure_all(lattice, checker, deadline), key=lambda node: (node.height, node.levels))
            best = search(config.algorithm, lattice, checker, weights, deadline).winner
    except TimeUpError:
        raise OutOfTimeError(
            f"time ran out after {checker.checked:,} of {lattice.size:,} nodes; raise --time-limit, or narrow the "
            "lattice by min_level and max_level"
        ) from None
    satisfying = {node.levels for node in nodes if node.suppressed <= checker.limit}
    shown: list[LatticeNode] = []
    above: set[Node] = set()  # nodes with a satisfying one below
    for node in nodes:
        satisfies = node.levels in satisfying
        if any(below in satisfying or below in above for below in lattice.predecessors(node.levels)):
            above.add(node.levels)
        minimal = satisfies and node.levels not in above
        chosen = best is not None and node.levels == best.levels
        shown.append({**node_json(node, prepared.names), "satisfies": satisfies, "minimal": minimal, "winner": chosen})
    return {
        "quasi_identifiers": list(prepared.names),
        "k": config.privacy.k,
        "limit": limit,
        "rows": prepared.frequency.n,
        "nodes": shown,
    }
