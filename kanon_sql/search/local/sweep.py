"""The sweep of local recoding: labels by rising loss, accepted where the tuples that choose one satisfy all models.

A label is accepted when the tuples that choose it satisfy all models, and so are tuples that choose it later if these
and those before do together. What no label is accepted for is joined with whole classes, those first that lose least
by it, until all models are satisfied: at the latest by all rows together.

Beside it stands full-domain generalization, each dimension at one level for all rows. The sweep almost always loses
less, but not always: where k is near a third of the rows its first classes may leave the others a bad rest. What the
sweep loses bounds this search from the start, and the cheapest node is known from counts of single values; so on real
data often no node at all has to be checked.

Then the rows of a few classes that are near each other are classed anew, in many places at once, guided by prices: ruin
and recreate (G. Schrimpf et al.: Record breaking optimization results using the ruin and recreate principle. 2000) with
the prices of a Lagrangean relaxation. Zones of a few classes that share labels give up their rows, most classes stand.
The rows of a zone make classes anew of the labels that lose least a row beyond their prices, which chance raises or
lowers; or they join classes that stand, which only become larger by it, so that zones do not depend on each other. A
zone whose rows lose no more than before stays so. Every step is one grouped statement over all zones.

At the end classes are split where classes of one tuple can lend rows. Each class of several tuples is a zone. It gives
up its rows, which make classes anew: first the label that loses least a row, where k rows are lacking with rows lent by
classes of one tuple that have more. A zone whose rows lose less together than before stays so, the others as they were.
So all takes about as many statements as a zone makes classes, one after another.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlglot import exp

from kanon_sql.frequency.judged import Models, source_tables
from kanon_sql.privacy.statement import Tables
from kanon_sql.progress import Progress
from kanon_sql.search.full_domain.lattice import Lattice, Node
from kanon_sql.search.local.labels import Costs, LabelPacking, SearchTree
from kanon_sql.search.local.queries import Queries, own_tables, table
from kanon_sql.sql import tables
from kanon_sql.sql.template import Composed, Item, compose, render, state


class Judge:
    """Judges classes of tuples, which are numbered as in the table cells."""

    def __init__(self, queries: Queries, models: Models, k: int, positions: dict[str, list[Item]]) -> None:
        self.queries = queries
        self.models = models
        self.k = k
        source = source_tables(models, state("frequency"))
        self._by_cell: dict[str, str] = {}
        holders = [str(source.holders)] if models.by_entity else []
        for judged in (*holders, *map(str, source.sensitive.values())):
            self._by_cell[judged] = table(f"cells_of_{judged.removeprefix(state(''))}")
            queries.run("judged_cells", None, {"judged": judged, "judged_cells": self._by_cell[judged]}, positions)
        self._source = source
        classes = self._classes(own_tables()["choices_with_taken"], "label")
        self._takers = compose("search/local/judged_takers", {"classes": classes}, scope=own_tables())

    def find_takers(self) -> None:
        """Makes the table takers of the tuples on offer."""
        self.queries.run("takers", {"k": self.k}, {"takers": own_tables()["choices"]})
        self.queries.run("choices_with_taken")
        self.queries.run_text(render(self._takers, lists={"key": [{"code": "label"}]}), {"k": self.k})

    def rest_satisfies(self) -> bool:
        """Whether the tuples without a class are one that satisfies."""
        return self._satisfies(compose("search/local/rest_as_one", scope=own_tables()))

    def merge_rest(self, costs: Costs) -> None:
        """Joins the tuples without a class with classes of the table members."""
        self.queries.make("rest_class", "rest_as_one")
        self.queries.append("members", "rest_class", *_MEMBER)
        costs.total("members")
        classes = costs.run("merge_order")
        places = min(1, classes)  # the rest alone was judged
        while places < classes and not self._merged_satisfies(places):
            places = min(2 * places + 1, classes)
        self.queries.make("members", "merge", {"places": places, "all_classes": True})

    def _merged_satisfies(self, places: int) -> bool:
        values: dict[str, exp.Expr] = {"places": exp.Literal.number(places), "all_classes": exp.false()}
        return self._satisfies(compose("search/local/merge", values=values, scope=own_tables()))

    def _satisfies(self, classed: Composed) -> bool:
        """Whether tuples that are one class satisfy."""
        statement = compose("search/full_domain/node_check", {"classes": self._classes(classed, "part")})
        return not self.queries.run_text(render(statement, lists={"key": []}), {"k": self.k})[0][0]

    def _classes(self, classed: str | Composed, key: str) -> Composed:
        def judged(name: str) -> Composed:
            names = {"judged_cells": self._by_cell[name], "classed": classed, "class_key": key}
            return compose("search/local/judged_of", names)

        tables = Tables(
            classed,
            judged(str(self._source.holders)) if self.models.by_entity else None,
            {name: judged(str(cells)) for name, cells in self._source.sensitive.items()},
        )
        return self.models.classes(tables)


_MEMBER = ("part", "cell", "row_count")
_CHOICE = ("cell", "label", "row_count")
_PAIRS = 1_000_000  # of a label and a tuple below it, on offer at once
_FIRST_SHARE = 8  # the first windows are smaller by this
_SAMPLE = 100
_WIDER = 4  # times the last window: where the end of the next one is looked for first


@dataclass
class Sweep:
    """Offers labels by rising loss, in windows; tuples that take a label go from the table rest to the table taken.

    In a window, a tuple's choice is the cheapest label on offer. Labels that k rows choose are accepted, and so are
    later choices that fall on them; then labels that fewer than k rows are left for go off the offer, and the tuples
    left choose again, until no label is accepted any more. That is close to taking the labels one after another. With
    a judge labels are accepted for tuples that satisfy all models together.
    """

    queries: Queries
    keys: LabelPacking
    k: int
    progress: Progress
    judge: Judge | None = None
    rounds: int = 0
    accepted: int = 0

    def run(self, pairs_left: int | None = None) -> None:
        """Windows of rising loss while there are k rows, and pairs left where these are limited."""
        tuples, rows = self.queries.size()
        most = max(_PAIRS, 5 * tuples)
        low, width, pairs = 0, 0, most // _FIRST_SHARE
        while rows >= self.k and low < self.keys.end and (pairs_left is None or pairs_left > 0):
            pairs = min(2 * pairs, most)
            high = self._window_end(low, width, tuples, pairs)
            offered = self.queries.count("offers", {"low": low, "width": high - low, **self.keys.shifts})
            if pairs_left is not None:
                pairs_left -= offered
            if offered and self._settle():
                tuples, rows = self.queries.size()
            low, width = high, high - low

    def _window_end(self, low: int, width: int, tuples: int, pairs: int) -> int:
        sample = min(_SAMPLE, tuples)
        values = {"low": low, "sample": sample, "skipped": pairs * sample // tuples}
        for most in (low + _WIDER * width, self.keys.end) if width else (self.keys.end,):
            rows = self.queries.run("window_end", {**values, "most": most})
            if rows:
                return max(int(rows[0][0]), low + 1)
        return self.keys.end

    def _settle(self) -> bool:
        """Accepts labels on offer until no more have k takers; whether there was any."""
        self.queries.empty_like("accepted", "offers", "label")
        self.queries.empty_like("takers", "offers", *_CHOICE)
        live = self.queries.count("next_offers", {"k": self.k})
        before = self.accepted
        while live:
            if self.judge is not None:
                self.judge.find_takers()
            else:
                self.queries.run("takers", {"k": self.k})
            if not self.queries.append("taken", "takers", *_CHOICE):
                break
            accepted = self.queries.count("accept")
            self.rounds += 1
            self.accepted += accepted
            self.progress.advance(accepted, "classes")
            live = self.queries.count("next_offers", {"k": self.k})
        if self.accepted == before:
            return False
        self.queries.run("drop_taken")
        return True


SLACK = 1e-9  # of a loss: sums in another order differ by less


class _Level(NamedTuple):
    """A level of a tree: what all rows lose there, and the rows of its smallest node."""

    cost: float
    smallest: int


class WholeDomain:
    """The nodes of the lattice whose levels are those of the search's trees; the table cells has all tuples."""

    def __init__(self, queries: Queries, trees: Sequence[SearchTree], k: int) -> None:
        self.queries = queries
        self.trees = trees
        self.k = k
        by_tree = [_level_costs(queries, tree) for tree in trees]
        self._costs = [{level: figures.cost for level, figures in levels.items()} for levels in by_tree]
        tops = tuple(len(tree.shifts) - 1 for tree in trees)
        # A level with a smaller node fails alone already. The top has all rows in one.
        lows = [min(level for level, figures in levels.items() if figures.smallest >= k) for levels in by_tree]
        self._lattice = Lattice(tuple(lows), tops, tops)
        self._failing: list[Node] = []

    def cheaper_than(self, loss: float) -> Node | None:
        """The levels of the cheapest node whose classes all hold k rows, if it loses less in all than `loss`.

        What fails is widened to a greatest node that fails, and nothing below that is looked at again.
        """
        start = self._lattice.lows
        queue, queued = [(self.loss(start), start)], {start}
        while queue and queue[0][0] < loss * (1 - SLACK):
            _, node = heapq.heappop(queue)
            failing = self._failing_above(node)
            if failing is None:
                return node
            for higher in self._lattice.beyond(node, failing):
                if higher not in queued:
                    queued.add(higher)
                    heapq.heappush(queue, (self.loss(higher), higher))
        return None

    def classify(self, node: Node) -> None:
        """Makes the table members of the classes of a node."""
        self.queries.run("whole_domain_classes", lists={"this": self._items(node)})

    def loss(self, node: Node) -> float:
        """What all rows lose together at a node, weighted."""
        return sum(costs[level] for costs, level in zip(self._costs, node, strict=True))

    def _failing_above(self, node: Node) -> Node | None:
        """A node that fails at or above this one; None where this one satisfies."""
        for failing in self._failing:
            if all(level <= other for level, other in zip(node, failing, strict=True)):
                return failing
        if self._satisfies(node):
            return None
        for i, top in enumerate(self._lattice.highs):
            higher = (*node[:i], top, *node[i + 1 :])
            if higher != node and not self._satisfies(higher):
                node = higher
        self._failing.append(node)
        return node

    def _satisfies(self, node: Node) -> bool:
        return int(self.queries.run("smallest_class", lists={"this": self._items(node)})[0][0]) >= self.k

    def _items(self, node: Node) -> list[Item]:
        return [
            {"position": tree.dimension.position, "shift": tree.shifts[level]}
            for tree, level in zip(self.trees, node, strict=True)
        ]


def _level_costs(queries: Queries, tree: SearchTree) -> dict[int, _Level]:
    """What each level of a tree is as a whole."""
    names = {"ancestors": tree.ancestors, "this_position": tree.dimension.position}
    rows = queries.run("level_costs", names=names)
    return {int(level): _Level(float(cost), int(smallest)) for level, cost, smallest in rows}


_PLACED = ("zone", "label", "cell", "row_count", "cost")
_LABELLED = ("label", "cell", "row_count", "cost")
_WIDEST = 10  # classes of a zone beside its seed
_NOISE = 0.3  # the share by which a price changes at most


@dataclass(frozen=True)
class Guided:
    """Improves the table labelled(label, cell, row_count, cost): the classes of members, by their labels."""

    queries: Queries
    trees: Sequence[SearchTree]
    k: int
    units: float  # of a loss of 1

    def begin(self) -> None:
        """Makes the table labelled of the table members, whose classes are beside the labels that prices know."""
        Costs(self.queries, self.trees).total("members")
        self.queries.run("standing", names={"standing": own_tables()["labelled"]})
        self.queries.append("active", "labelled", *_LABELLED)

    def run(self, passes: int, bound: float) -> None:
        """So many passes, fewer where all rows together lose no more than `bound` allows.

        Raises TimeUpError once the deadline has passed; the table labelled is of the last whole pass then.
        """
        chance = random.Random(0)
        for _ in range(passes):
            if self._loss() <= bound * (1 + SLACK):
                return
            self._ruin(chance.getrandbits(30), _NOISE * chance.random())
            while self._recreate():
                pass
            self.queries.run("labelled_anew")

    def _loss(self) -> float:
        names = {"class_costs": own_tables()["labelled"], "size": "row_count"}
        return float(self.queries.run("total_cost", names=names)[0][0])

    def _ruin(self, seed: int, noise: float) -> None:
        queries = self.queries
        queries.run("ruined", {"seed": seed, "widest": _WIDEST})
        queries.run("label_offers", {"noise": noise, "seed": seed, "units": self.units, "k": self.k})
        queries.empty_like("label_made", "label_offers", *_PLACED)

    def _recreate(self) -> bool:
        """Places the rows that have no better label than theirs; whether there were any."""
        if not self.queries.count("label_takes", {"k": self.k}):
            return False
        self.queries.append("label_made", "label_takes", *_PLACED)
        names = {"zone_offers": own_tables()["label_offers"], "zone_made": own_tables()["label_takes"]}
        self.queries.run("offers_left", {"fewest": self.k}, names)
        return True


_FEWEST_SPARE = 2  # rows of classes of several for a row that can be lent; Adult at k = 5 has 12 and gains 0.1 %
# The table recreated: the tuples of new classes. Labels may be of a wider type than the half of them.
_RECREATED = {
    "zone": "BIGINT",
    "label": "HUGEINT",
    "cell": "INTEGER",
    "row_count": "BIGINT",
    "loss": "DOUBLE",
    "is_lent": "BOOLEAN",
}
_KEPT = ("near_pairs", "zone_offers", "zone_fillers", "zone_made", "recreated")


@dataclass
class Recreation:
    """Improves the classes of the table members. Each of them loses what its lowest common ancestors lose."""

    queries: Queries
    trees: Sequence[SearchTree]
    k: int

    def lend(self, keys: LabelPacking) -> bool:
        """Splits classes with rows that others can spare, if they are many; whether it lost less by it."""
        self._measure()
        spare, dear = self.queries.run("spare_rows")[0]
        if not spare * _FEWEST_SPARE >= dear > 0:
            return False
        values = {"k": self.k, "label_shift": keys.bits[1], "scale": keys.scale}
        self.queries.run("near_pairs", values)
        self.queries.run("fillers", values)
        return self._run() > 0

    def drop(self) -> None:
        """Frees the memory of what was looked up."""
        for name in _KEPT:
            self.queries.run_text(tables.drop(own_tables()[name]))

    def _measure(self) -> None:
        Costs(self.queries, self.trees).total("members")
        self.queries.run("standing")
        self.queries.run("spare", {"k": self.k})

    def _run(self) -> int:
        """Makes the classes of all zones anew; how many of them have other classes then."""
        queries = self.queries
        queries.run_text(tables.empty(own_tables()["recreated"], _RECREATED))
        queries.run("zone_offers", {"k": self.k})
        queries.run("zone_fillers")
        while self._settle():
            pass
        queries.copy("gaining", "recreated")
        before = -1
        while (gaining := queries.count("gaining")) != before:
            before = gaining
        if gaining:
            queries.run("members_recreated")
        return gaining

    def _settle(self) -> bool:
        """Makes the classes that no tuple has a better label for; whether there was one."""
        self.queries.run("lendable")
        if not self.queries.count("zone_made", {"k": self.k}):
            return False
        self.queries.append("recreated", "zone_made", *_RECREATED)
        self.queries.run("offers_left", {"fewest": 0})
        return True
