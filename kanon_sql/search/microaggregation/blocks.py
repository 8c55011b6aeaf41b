"""Points in blocks, so that none is compared with all others where there are many."""

from __future__ import annotations

from kanon_sql.search.microaggregation.queries import Queries


def cut_cells(queries: Queries, k: int, most: int) -> int:
    """Makes the table blocks(part, row_count, point, block) of cells, in which the same values are missing.

    Blocks are cut where they spread most until none has more than `most`. All are up to the number that is given back.
    """
    queries.run("pattern_blocks", {"k": k})
    return _cut(queries, most, 0.5)


def cut_centres(queries: Queries, most: int, share: float = 0.5) -> int:
    """The same of the centres of groups, cut at a share of their points."""
    queries.run("stratum_blocks")
    return _cut(queries, most, share)


def _cut(queries: Queries, most: int, share: float) -> int:
    while True:
        largest, last = queries.run("block_sizes")[0]
        if largest <= most:
            return int(last)
        queries.run("halved", {"most": most, "share": share})
