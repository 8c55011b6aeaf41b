"""What all rows lose at least, however classes of k rows are made."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum

from kanon_sql.search.local.queries import Queries
from kanon_sql.search.local.trees import SearchTree


def column_bound(queries: Queries, trees: Sequence[SearchTree], k: int) -> float:
    """What all rows lose at least together, weighted, each column by itself.

    A released value stands for k rows in all, and so does the node that it is. Of columns without hierarchy, which are
    released as any range or set, nothing is asked.
    """
    return fsum(
        float(
            queries.named(ancestors=tree.ancestors, this_position=tree.dimension.position).run(
                "column_bound", {"k": k}
            )[0][0]
        )
        for tree in trees
        if tree.dimension.tree is not None
    )
