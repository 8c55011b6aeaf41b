"""Prices of tuples, and the lower bound that they prove for the loss of all rows in any classes of k rows.

The best classes of k rows are a facility location with lower bounds: labels are facilities, each opened one serves at
least k of the rows below it, and what a row loses there depends on the label alone. With a price u for each row, the
Lagrangean relaxation of "every row is in one class" is

    L(u) = sum of the prices + sum over the labels of min(0, the cheapest k rows or more at loss - price),

and no classes lose less in all than L(u), whatever the prices are (A. M. Geoffrion: Lagrangean relaxation for integer
programming. 1974). Rows of a tuple may be in several classes. Only labels with k rows count, and only those that lose
less than the ceiling of some price can be worth opening; these are listed once. Pricing them all takes a few grouped
statements. Between two pricings the prices are improved along subgradients by the labels that were worth most, which
proves nothing by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import fsum, inf, prod

from kanon_sql.search.local.labels import HALVES, Costs, SearchTree, build_half, cost_half, of_half, split
from kanon_sql.search.local.program import ROUNDS, Program, is_few
from kanon_sql.search.local.queries import Queries, own_tables, table
from kanon_sql.sql.template import column

_MOST_CELLS = 250_000_000  # tuples times labels above one
_MOST_LABELS = 40_000  # above a tuple
_MOST_TUPLES = 20_000  # with more, all hierarchies are priced or none: some of them prove next to nothing
_CEILING, _OF_MEAN = 0.4, 4  # the highest price of many columns: of the greatest loss of a row, and of the mean
_FEW_CELLS = 8_000_000  # up to which no price is capped, and prices stay near those that prove most
_PROVEN_CELLS = 2_000_000  # up to which all pairs are listed once more to prove the chosen classes
_ACTIVE_LABELS = 60_000  # added by one pricing; prices are improved by the active labels
_FIRST_SHARE = 0.5  # of the way from the cheapest labels to those of the release
_NEW_SHARE = 0.6  # of the prices that active labels improved; the rest is of those that prove most
_NEAR = 0.03  # of the greatest loss of k rows: labels worth less become active
_MARGIN = 0.05  # of the greatest loss of a row: labels are listed up to so far above prices
_FILLERS = 3  # times k: the rows of an active label that are always kept
_FURTHER = 0.01  # of the greatest loss of a row: the margin of active labels
_ALMOST = 0.01  # of the greatest loss of k rows: labels worth more are left out until the next sorting
_UNTAKEN = 0.005  # of the greatest loss of a row: so far above its price a tuple is left out until then
_SORTED_EVERY = 5  # steps
_STALLED, _SHORTER = 5, 0.7  # after so many steps without a better bound, steps become shorter
_PROVABLE = 0.93  # of the release's loss: about where the bound ends
_HIGHER = 0.5  # of the best bound so far, or of what may be provable: the target of a step is above it by that at most
_LITTLE = 0.1  # of what may be provable: up to which a bound says little of how far a step may go
_MOMENTUM = 0.6  # of the last direction
_SLACK = 1e-9  # of the release's loss: sums of floats in another order differ by less
_STEPS = {"default": (15, 30, 40, 40, 40), "best": (15, 30, 40, 60, 90, 90, 90, 90)}  # between two pricings
_STEPS_OF_FEW = {"default": (15, 25), "best": (20, 40, 60)}  # tuples
_FEW_TUPLES = 300


def column_bound(queries: Queries, trees: Sequence[SearchTree], k: int) -> float:
    """A lower bound of the weighted loss of all rows, from each column alone.

    Each released value has k rows, and so has its node. Columns without hierarchy, which are released as any range or
    set, add nothing.
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


def target_of_step(best: float, upper: float) -> float:
    """The bound that a step aims at, where the best one so far is `best` and the release loses `upper`.

    It is clearly above `best` even where prices prove nothing or less, as the sweep's losses of many columns do: a
    target in proportion to `best` alone would be below it there, and prices would stay where they are.
    """
    provable = _PROVABLE * upper
    return min(provable, best + _HIGHER * (best if best > _LITTLE * provable else provable))


@dataclass
class Prices:
    """Improves the prices of the tuples; they are then in the table prices(cell, row_count, price ...).

    `bound` is a lower bound of the weighted loss of all rows, `upper` the loss of the table members in the columns that
    are priced: the hierarchies, as many as can be searched. Other columns bound the loss by themselves.
    """

    queries: Queries
    trees: Sequence[SearchTree]
    k: int
    tuples: int
    rows: int
    units: float  # of a loss of 1
    bound: float = 0.0
    upper: float = 0.0

    def __post_init__(self) -> None:
        hierarchies = [tree for tree in self.trees if tree.dimension.tree is not None]
        self._priced = self._hierarchies_to_price(hierarchies)
        others = [tree for tree in hierarchies if tree not in self._priced]
        self._others = column_bound(self.queries, others, self.k)
        self.bound = max(self.bound, column_bound(self.queries, self._priced, self.k) + self._others)
        self._is_begun = False
        self._program: Program | None = None
        self._shift = 0
        self._top = 0.0
        self._length = 0.5  # of a step
        self._proven = -inf  # the bound that the table proving_prices proves

    @property
    def has_all(self) -> bool:
        """Whether all columns are priced, and their labels are listed."""
        return self._is_begun and len(self._priced) == len(self.trees)

    def run(self, effort: str) -> None:
        """Prices all labels, and improves the prices in between, which raises `bound`. Raises TimeUpError."""
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
            if self._cells <= _FEW_CELLS and self._proven > 0:
                self.queries.run("blended_prices", {"share": _NEW_SHARE, "units": self.units})
        self._price(0.0)  # no further step needs active labels
        self.queries.copy("prices", "proving_prices")

    def choose(self, upper: float) -> bool:
        """Makes the table members by the program of few columns, if its classes lose less than `upper`; whether it
        does.

        `bound` rises to what the program proves.
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
        """Improves the prices by the program, for few columns; whether its bound is the best so far."""
        if not is_few(self._cells, effort):
            return False
        self._program = Program(self.queries, self.k, self._top, effort, self.units)
        self._program.begin()
        before = self.bound
        for _ in range(ROUNDS):
            self._price()
            if not self._program.improve(self.bound - self._others):
                break
        self.queries.copy("prices", "proving_prices")
        return self.bound > before

    @property
    def _cells(self) -> int:
        return self.tuples * prod(tree.levels for tree in self._priced)

    def _hierarchies_to_price(self, hierarchies: Sequence[SearchTree]) -> list[SearchTree]:
        """The hierarchies that are priced together: those of most values, as long as there are not too many labels.

        None in a large table, unless it can be all of them.
        """
        chosen: list[SearchTree] = []
        most = min(_MOST_LABELS, _MOST_CELLS // max(self.tuples, 1))
        for tree in sorted(hierarchies, key=lambda tree: -tree.values):
            if prod(earlier.levels for earlier in (*chosen, tree)) <= most:
                chosen.append(tree)
        return chosen if len(chosen) == len(hierarchies) or self.tuples <= _MOST_TUPLES else []

    def _begin(self, is_few: bool) -> None:
        """Makes the first prices, and the table feasible of the labels that matter: all of them if `is_few`."""
        queries = self.queries
        distinct: list[SearchTree] = []
        for tree in self._priced:
            distinct_table = table(f"distinct_{tree.dimension.index}")
            counts = queries.run(
                "distinct_ancestors", names={"ancestors": tree.ancestors, "distinct_ancestors": distinct_table}
            )
            if counts[0][0]:
                distinct.append(replace(tree, ancestors=distinct_table))
        halves = split(distinct)
        for half, members in zip(HALVES, halves, strict=True):
            build_half(of_half(queries, half), members, self.k, most_shapes=None)
        first, second = ([{"position": tree.dimension.position} for tree in members] for members in halves)
        queries.run("rest", names={"rest": own_tables()["priced_cells"]}, lists={"one": first, "other": second})
        sizes = [of_half(queries, half).run("half_size")[0] for half in HALVES]
        for half in HALVES:
            cost_half(of_half(queries, half), column("label"), column("cost"))
        self._shift = int(sizes[1][0]).bit_length()
        self._top = sum(float(cost) for _, cost in sizes)
        self.upper = Costs(queries, self._priced).total("members")[0]
        # A row whose label needs k - 1 others can be worth as much as k rows lose.
        cap = self._top * (self.k if is_few else 1 if self._cells <= _FEW_CELLS else self._ceiling())
        least = cap if is_few else 0.05 * self._top
        queries.run("first_prices", {"cap": cap, "least": least, "units": self.units})
        queries.run("feasible", {"label_shift": self._shift, "k": self.k})
        self._list_pairs(0.0)
        queries.empty_like("active", "priced_pairs", "label", "cell", "row_count", "cost")
        if self._cells <= _FEW_CELLS and not is_few:
            queries.run("prices_between", {"share": _FIRST_SHARE, "units": self.units})
        self._is_begun = True

    def _ceiling(self) -> float:
        """The highest price of many columns, of the greatest loss of a row: the lower, the fewer labels are listed."""
        return max(_CEILING, min(1.0, _OF_MEAN * self.upper / max(self.rows * self._top, 1e-9)))

    def _list_pairs(self, margin: float) -> None:
        self.queries.run("priced_pairs", {"label_shift": self._shift, "margin": margin})

    def _price(self, near: float = _NEAR) -> None:
        """Prices all labels, which proves a bound, and adds those worth less than `near` to the active ones."""
        queries, margin, most = self.queries, _MARGIN * self._top, near * self._top * self.k
        self._list_pairs(margin)
        queries.run("near_labels", {"k": self.k, "margin": margin, "most": most, "label_shift": self._shift})
        # The program of few columns takes further tuples of labels that are active already.
        queries.run("covers", {"labels": _ACTIVE_LABELS if near else 0, "all_labels": self._program is not None})
        queries.run("label_values", {"k": self.k, "most": most})
        bound = self._proven_by("label_values") - _SLACK * self.upper + self._others
        if bound > self._proven:
            queries.copy("proving_prices", "prices")
            self._proven = bound
        self.bound = max(self.bound, bound)
        values = {"labels": _ACTIVE_LABELS, "most": most, "known_too": False}
        queries.run("more_active", {**values, "fillers": _FILLERS * self.k, "margin": _FURTHER * self._top})

    def _proven_by(self, values: str) -> float:
        """What the prices prove if no labels are worth anything but those of a table."""
        return float(self.queries.run("price_bound", names={"label_values": own_tables()[values]})[0][0])

    def _improve(self, steps: int) -> None:
        """Steps along the subgradients of the active labels, with a momentum; shorter ones after a stall, for good."""
        queries = self.queries
        values = {"k": self.k, "near": _ALMOST * self._top * self.k, "margin": _UNTAKEN * self._top}
        best, stalled, momentum = 0.0, 0, 0.0
        for step in range(steps):
            if step % _SORTED_EVERY == 0:
                queries.run("filled", values)
            queries.run("opened")
            bound = self._proven_by("opened")
            if not step or bound > best + 2e-5 * abs(best):
                best, stalled = bound, 0
                queries.copy("best_prices", "prices")
            else:
                stalled += 1
                if stalled >= _STALLED:
                    stalled, momentum, self._length = 0, 0.0, self._length * _SHORTER
                    queries.copy("prices", "best_prices")
                    continue
            step_length = self._length * max(target_of_step(best, self.upper) - bound, 0.01 * abs(bound))
            queries.run("next_prices", {"step": step_length, "momentum": momentum, "units": self.units})
            momentum = _MOMENTUM
        queries.copy("prices", "best_prices")
