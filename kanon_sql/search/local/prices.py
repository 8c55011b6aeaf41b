"""What all rows lose at least, however classes of k rows are made.

Prices of tuples, and the bound that they prove.

The best classes of k rows are a facility location with lower bounds: labels are facilities, each opened one serves at
least k of the rows below it, and what a row loses there depends on the label alone. With a price u for each row, the
Lagrangean relaxation of "every row is in one class" is

    L(u) = sum of the prices + sum over the labels of min(0, the cheapest k rows or more at loss - price),

and no classes lose less in all than L(u), whatever the prices are (A. M. Geoffrion: Lagrangean relaxation for integer
programming. 1974). Rows of a tuple may be in several classes. Only labels that k rows fall under count, and only those
that lose less than the ceiling of some price can be worth taking; these are listed once. To price them all is a few
grouped statements. Between two pricings the prices are improved along subgradients by the labels that were worth most,
which proves nothing by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import fsum, prod

from kanon_sql.search.local.labels import HALVES, Costs, SearchTree, build_half, of_half, split
from kanon_sql.search.local.program import ROUNDS, Program, is_few, share
from kanon_sql.search.local.queries import Queries, own_tables, table


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


_MOST_CELLS = 250_000_000  # tuples times labels above one
_MOST_LABELS = 40_000  # above a tuple
_MOST_TUPLES = 20_000  # of which some hierarchies are priced, where not all can be: of more they prove next to nothing
_FEW_CELLS = 8_000_000  # up to which no price is capped
_PROVEN_CELLS = 2_000_000  # all of whose pairs are looked at once more to prove what was chosen
_ACTIVE_LABELS = 60_000  # of which prices are improved, added at once
_FIRST_SHARE = 0.5  # of the way from the cheapest labels to those of the release
_NEW_SHARE = 0.6  # of prices improved by active labels alone; the rest is of those that prove most
_NEAR = 0.03  # of k rows at the most that a row can lose: labels worth less are active
_MARGIN = 0.05  # of the most that a row can lose: by which labels are listed above prices
_FILLERS = 3  # times k: the rows of an active label that always matter
_FURTHER = 0.01
_SORTED_EVERY = 5
_STALLED, _SHORTER = 5, 0.7
_PROVABLE = 0.93  # of what the release loses: about where the bound ends
_HIGHER = 1.5  # than the best so far: what a step aims at, at most
_SLACK = 1e-9  # of the release's loss: sums of floats in another order
_STEPS = {"default": (20, 40, 40), "best": (20, 60, 90, 90, 90)}  # between two pricings
_STEPS_OF_FEW = {"default": (15, 25), "best": (20, 40, 60)}  # tuples
_FEW_TUPLES = 300


@dataclass
class Prices:
    """Improves the prices of the tuples; they are then in the table prices(cell, row_count, price ...).

    `bound` is what all rows lose together at least, weighted, and `upper` what the table members loses in the columns
    that are priced: hierarchies, as many as can be searched. Other columns bound the loss by themselves.
    """

    queries: Queries
    trees: Sequence[SearchTree]
    k: int
    tuples: int
    units: float  # of a loss of 1
    bound: float = 0.0
    upper: float = 0.0

    def __post_init__(self) -> None:
        hierarchies = [tree for tree in self.trees if tree.dimension.tree is not None]
        self._priced = self._chosen(hierarchies)
        others = [tree for tree in hierarchies if tree not in self._priced]
        self._others = column_bound(self.queries, others, self.k)
        self.bound = max(self.bound, column_bound(self.queries, self._priced, self.k) + self._others)
        self._is_begun = False
        self._program: Program | None = None
        self._shift = 0
        self._top = 0.0
        self._proven = 0.0  # by the table proving_prices

    @property
    def has_all(self) -> bool:
        """Whether all columns are priced, and labels are found for them."""
        return self._is_begun and len(self._priced) == len(self.trees)

    def run(self, effort: str) -> None:
        """Prices all labels, and improves the prices in between; `bound` rises as it goes.

        Raises TimeUpError once the deadline has passed.
        """
        if not self._priced:
            return
        self._begin(is_few(self._cells, effort))
        if self._relax(effort):
            return
        for count in (_STEPS if self.tuples > _FEW_TUPLES else _STEPS_OF_FEW)[effort]:
            self._price()
            if self.upper - (self.bound - self._others) <= _SLACK * self.upper:
                return
            self._improve(count)
            self._blend(_NEW_SHARE)
        self._price(0.0)  # labels that prove nothing would help only further steps
        self.queries.copy("prices", "proving_prices")

    def choose(self, upper: float) -> bool:
        """Makes the table members by the program of few columns, if classes that lose less than `upper` are found.

        `bound` rises by what that proves. Whether there are any.
        """
        if not self.has_all or self._program is None:
            return False
        loss = self._program.choose(upper)
        if self._cells <= _PROVEN_CELLS:
            self.queries.copy("prices", "proving_prices")
            self._list_pairs(2 * self._top)
            self.bound = max(self.bound, self._program.prove(loss, self._proven))
        return self._program.is_better

    def _relax(self, effort: str) -> bool:
        """Improves the prices by the program, where columns are few; whether its bound is better than any so far."""
        if not is_few(self._cells, effort):
            return False
        self._program = Program(self.queries, self.k, self._top, effort, self.units)
        self._program.begin()
        before = self.bound
        for number in range(ROUNDS):
            self._price()
            if not self._program.improve(self.bound - self._others):
                break
            self._blend(share(number))
        self.queries.copy("prices", "proving_prices")
        return self.bound > before

    def _blend(self, share: float) -> None:
        self.queries.run("blended_prices", {"share": share, "units": self.units})

    @property
    def _cells(self) -> int:
        return self.tuples * prod(tree.levels for tree in self._priced)

    def _chosen(self, hierarchies: Sequence[SearchTree]) -> list[SearchTree]:
        """The hierarchies that are priced together: those of most values, while there are not too many labels.

        None of a large table where it cannot be all of them.
        """
        chosen: list[SearchTree] = []
        most = min(_MOST_LABELS, _MOST_CELLS // max(self.tuples, 1))
        for tree in sorted(hierarchies, key=lambda tree: -tree.values):
            if prod(one.levels for one in (*chosen, tree)) <= most:
                chosen.append(tree)
        return chosen if len(chosen) == len(hierarchies) or self.tuples <= _MOST_TUPLES else []

    def _begin(self, is_few: bool) -> None:
        """Makes the first prices, and the table feasible of the labels that matter: all where they are few."""
        queries = self.queries
        distinct: list[SearchTree] = []
        for tree in self._priced:
            own = table(f"distinct_{tree.dimension.index}")
            made = queries.run("distinct_ancestors", names={"ancestors": tree.ancestors, "distinct_ancestors": own})
            if made[0][0]:
                distinct.append(replace(tree, ancestors=own))
        halves = split(distinct)
        for half, members in zip(HALVES, halves, strict=True):
            build_half(of_half(queries, half), members, self.k, most_shapes=None)
        one, other = ([{"position": tree.dimension.position} for tree in members] for members in halves)
        queries.run("rest", names={"rest": own_tables()["priced_cells"]}, lists={"one": one, "other": other})
        sizes = [of_half(queries, half).run("half_size")[0] for half in HALVES]
        for half in HALVES:
            of_half(queries, half).run("half_costed")
        self._shift = int(sizes[1][0]).bit_length()
        self._top = sum(float(cost) for _, cost in sizes)
        self.upper = Costs(queries, self._priced).total("members")[0]
        # With many rows of others to bring, a row can be worth as much as k rows lose.
        cap = self._top * (self.k if is_few else 1 if self._cells <= _FEW_CELLS else 0.4)
        least = cap if is_few else 0.05 * self._top
        queries.run("first_prices", {"cap": cap, "least": least, "units": self.units})
        queries.run("half_reach")
        queries.run("feasible", {"label_shift": self._shift, "k": self.k})
        self._list_pairs(0.0)
        queries.run("prices_between", {"share": _FIRST_SHARE, "units": self.units})

    def _list_pairs(self, margin: float) -> None:
        self.queries.run("priced_pairs", {"label_shift": self._shift, "margin": margin})

    def _price(self, near: float = _NEAR) -> None:
        """Prices all labels, which proves a bound, and adds those worth less than `near` to the active ones."""
        queries, margin, most = self.queries, _MARGIN * self._top, near * self._top * self.k
        self._list_pairs(margin)
        queries.run("near_labels", {"k": self.k, "margin": margin, "most": most, "label_shift": self._shift})
        queries.run("covers")
        queries.run("label_values", {"k": self.k, "most": most})
        bound = float(queries.run("price_bound")[0][0]) - _SLACK * self.upper + self._others
        first = not self._is_begun
        if first:
            queries.run("no_active")
            self._is_begun = True
        if first or bound > self._proven:
            queries.copy("proving_prices", "prices")
            self._proven = bound
        self.bound = max(self.bound, bound)
        values = {"labels": _ACTIVE_LABELS, "fillers": _FILLERS * self.k, "margin": _FURTHER * self._top}
        queries.run("more_active", values)

    def _improve(self, steps: int) -> None:
        """Steps along the subgradients of what the active labels prove, with a momentum; shorter where that stalls."""
        queries = self.queries
        best, stalled, length = 0.0, 0, 0.5
        for step in range(steps):
            if step % _SORTED_EVERY == 0:
                queries.run("filled", {"k": self.k})
            queries.run("wanted")
            queries.run("opened")
            bound = float(queries.run("active_bound")[0][0])
            if not step or bound > best + 2e-5 * abs(best):
                best, stalled = bound, 0
                queries.copy("best_prices", "prices")
            else:
                stalled += 1
                if stalled >= _STALLED:
                    stalled, length = 0, length * _SHORTER
                    queries.run("prices_at_rest")
                    continue
            level = min(_PROVABLE * self.upper, _HIGHER * best)
            step_length = length * max(level - bound, 0.01 * abs(bound))
            queries.run("next_prices", {"step": step_length, "units": self.units})
        queries.run("prices_at_rest")
