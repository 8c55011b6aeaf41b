"""Local recoding: the cheapest labels that k rows fall under, taken by rising loss.

A label is what a class is released under: a node for each dimension. Its loss is known before its class is, so labels
can be taken greedily, the cheapest first, each by all the tuples below it that have no class yet, if these are k rows.
In the end each class gets the lowest label above its tuples, which never loses more than the one it took. Columns
without a hierarchy have a tree over their ranks, for the search only: they are released as ranges and sets.

On Adult with 8 quasi-identifiers that loses 4.84 % (NCP) at k = 5, 7.13 % at k = 10 and 14.26 % at k = 50. Orders of
the labels other than by loss (by loss and size, by loss and the next best loss of the tuples, at random) lost more;
repairs afterwards (dissolving dear classes, moving tuples) gained 0.02 % in twice the time. Full-domain generalization
and Mondrian are tried where they may lose less, and the best result is kept; with models beyond k Mondrian is always
tried.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import fsum

from kanon_sql.config.model import AlgorithmConfig
from kanon_sql.frequency.judged import Models
from kanon_sql.frequency.table import Tuples
from kanon_sql.progress import Progress
from kanon_sql.search.classes import Classes, build_classes
from kanon_sql.search.local.labels import Costs, LabelPacking, SearchTree, build_halves, build_trees, units_of
from kanon_sql.search.local.prices import Prices, column_bound
from kanon_sql.search.local.queries import Queries, own_tables
from kanon_sql.search.local.sweep import SLACK, Guided, Judge, Recreation, Sweep, WholeDomain
from kanon_sql.search.mondrian import Mondrian, Partitioning
from kanon_sql.settings.algorithms import EFFORTS
from kanon_sql.sql import tables
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.deadline import Deadline, TimeUpError
from kanon_sql.sql.template import Item

_PAIRS_IN_ALL = 20_000_000  # of labels and tuples on offer, before the rest is cut as in Mondrian
_MOST_SWEPT = 300_000  # tuples: a sweep of more takes three times as long as cuts, and loses 1 % less
_CUT_TOO = 5_000  # tuples up to which Mondrian is tried: with more it rarely loses less, and takes longer
_SWEEP_SHARE = 0.7  # of a time limit; the rest is for cutting tuples without a class
_PASSES = {"default": 40, "best": 200}  # guided by prices
_CHOSEN = 0.03  # of the loss: if chosen classes are so near to the bound, passes gain next to nothing
_FEW_TUPLES, _PASSES_OF_FEW = 300, 5
_MOST_KEPT = 3_000_000  # half labels above half tuples: with more there are too many labels to lend rows to
_HALVES = ("above_a", "above_b")


class LocalSearch:
    """Puts every row into a class; the classes are then in the table assigned(part, p0 ..., row_count).

    Classes may share a tuple, each with some of its rows.
    """

    def __init__(
        self,
        engine: Engine,
        tuples: Tuples,
        k: int,
        progress: Progress,
        models: Models | None = None,
        effort: str = EFFORTS[0],
    ) -> None:
        self.engine = engine
        self.tuples = tuples
        self.models = models or Models()
        self.k = k
        self.progress = progress
        self.effort = effort
        self._queries = Queries(engine)
        self._positions: dict[str, list[Item]] = {"this": [{"position": d.position} for d in tuples.dimensions]}
        self._units = units_of(tuples.dimensions, tuples.n)
        self._trees: list[SearchTree] = []
        self._sweep: Sweep | None = None
        self._judge: Judge | None = None
        # Of the steps that made the classes: the sweep, cuts, or both.
        self._rounds, self._cuts = 0, 0
        self._keys: LabelPacking | None = None  # of labels, if their halves were kept
        self._is_guided = False
        self._bound = 0.0  # of the loss of all rows

    def run(self, deadline: Deadline) -> Partitioning:
        """Sweeps, places the tuples that remain, and takes better classes if it finds any; there must be k rows in all.

        If time is short the sweep ends early.
        """
        finished = self._until(deadline.share(_SWEEP_SHARE), self._search)
        finished = self._place(deadline) and finished
        if finished and self.models.only_k:
            finished = self._until(deadline, self._improve) and self._until(deadline, self._compare_whole_domain)
        if finished and (self.tuples.count <= _CUT_TOO or not self.models.only_k):
            finished = self._compare_cuts(deadline)
        if self.effort != "fast" and self._sweep is not None:
            self._until(deadline, self._price)
            if self._is_guided:
                self._take_guided()
        bound = self._bound / self.tuples.n
        return Partitioning(self._rounds, self._cuts, finished, seed=0, boxes=False, bound=bound)

    def _until(self, deadline: Deadline, step: Callable[[Queries], None]) -> bool:
        """Whether a step ended before the deadline."""
        try:
            with self.engine.until(deadline):
                step(Queries(self.engine, deadline))
        except TimeUpError:
            return False
        return True

    def _search(self, queries: Queries) -> None:
        queries.run("cells", lists=self._positions)
        self._trees = build_trees(queries, self.tuples.dimensions, self._units)
        self._bound = column_bound(queries, self._trees, self.k)
        if self.tuples.count > _MOST_SWEPT:
            return
        keys = build_halves(queries, self._trees, self.k)
        if self.models.only_k:
            self._keys = keys if keys.pairs <= _MOST_KEPT else None
            queries.copy("cell_halves", "rest")
        else:
            self._judge = Judge(queries, self.models, self.k, self._positions)
        self._sweep = Sweep(queries, keys, self.k, self.progress, self._judge)
        self._sweep.run(_PAIRS_IN_ALL)

    def _place(self, deadline: Deadline) -> bool:
        """Makes the table assigned of the swept classes and the rest; whether there was time to cut the rest."""
        sweep = self._sweep
        if sweep is None:
            cut = self._mondrian(self.tuples).run(deadline)
            self._rounds, self._cuts = cut.rounds, cut.cuts
            return cut.finished
        self._rounds, self._cuts = sweep.rounds, sweep.accepted
        self._drop("offers", *(_HALVES if self._keys is None else ()))
        self._queries.run("drop_taken")
        self._queries.run("members")
        finished = True
        tuples, rows = self._queries.size()
        if self._judge is not None:
            self._judge.queries = self._queries  # without a deadline: the swept classes are released
        if rows and self._judge is not None and not self._judge.rest_satisfies():
            self._judge.merge_rest(Costs(self._queries, self._trees))
        elif rows >= self.k:
            self._queries.run("cut_tuples", lists=self._positions)
            cut = self._cut("cut_tuples", replace(self.tuples, n=rows, count=tuples), deadline)
            self._rounds, self._cuts, finished = sweep.rounds + cut.rounds, sweep.accepted + cut.cuts, cut.finished
            self._queries.run("add_cut_members", lists=self._positions)
        elif rows:
            Costs(self._queries, self._trees).place_leftovers(self.k)
        self._queries.run("assigned", lists=self._positions)
        return finished

    def _improve(self, queries: Queries) -> None:
        """Splits classes with rows that others can spare; kept if the released classes lose less."""
        if self._keys is None:
            return
        recreation = Recreation(queries, self._trees, self.k)
        loss = self._loss_of_members(queries)
        queries.copy("kept_members", "members")
        if recreation.lend(self._keys):
            queries.run("assigned", lists=self._positions)
            if self._loss_of_members(queries) > loss:
                queries.copy("members", "kept_members")
                queries.run("assigned", lists=self._positions)
        recreation.drop()
        self._drop(*_HALVES)

    def _drop(self, *names: str) -> None:
        """Frees the memory of tables that are needed no more."""
        for name in names:
            self._queries.run_text(tables.drop(own_tables()[name]))

    def _loss_of_members(self, queries: Queries) -> float:
        # Along hierarchies the losses of the search are those of the release, and faster to determine.
        is_known = self._sweep is not None and all(d.tree for d in self.tuples.dimensions)
        return Costs(queries, self._trees).total("members")[0] if is_known else self._loss()

    def _price(self, queries: Queries) -> None:
        """Proves a bound by prices."""
        prices = Prices(queries, self._trees, self.k, self.tuples.count, self.tuples.n, self._units)
        try:
            prices.run(self.effort)
            if prices.has_all and self.models.only_k:
                self._guide(queries, prices)
        finally:
            self._bound = max(self._bound, prices.bound)

    def _guide(self, queries: Queries, prices: Prices) -> None:
        """Searches better classes by the prices; they are then in the table labelled."""
        costs = Costs(queries, self._trees)
        queries.copy("kept_members", "members")
        loss, enough = costs.total("members")[0], SLACK
        if prices.choose(loss):
            chosen = costs.total("members")[0]
            if chosen < loss:
                loss, enough = chosen, _CHOSEN
            else:
                queries.copy("members", "kept_members")
        guided = Guided(queries, self._trees, self.k, self._units)
        guided.begin()
        self._is_guided = True
        if loss - prices.bound > enough * loss:
            passes = _PASSES[self.effort] if self.tuples.count > _FEW_TUPLES else _PASSES_OF_FEW
            guided.run(passes, prices.bound)

    def _take_guided(self) -> None:
        """Takes the classes of the prices, if they lose less as they are released."""
        loss = self._loss()
        self._queries.copy("kept_classes", "assigned")
        self._queries.run("members", names={"taken": own_tables()["labelled"]})
        self._queries.run("assigned", lists=self._positions)
        classes = build_classes(self.engine, self.tuples)
        if self._loss_of(classes) < loss * (1 - SLACK):
            self._cuts = classes.partitions
        else:
            self._queries.copy("assigned", "kept_classes")

    def _compare_whole_domain(self, queries: Queries) -> None:
        """Takes the full-domain optimum if it loses less."""
        loss = self._loss_of_members(queries)
        whole_domain = WholeDomain(queries, self._trees, self.k)
        node = whole_domain.cheaper_than(loss)
        if node is not None:
            whole_domain.classify(node)
            queries.run("assigned", lists=self._positions)
            self._cuts = 0

    def _compare_cuts(self, deadline: Deadline) -> bool:
        """Takes the classes of Mondrian if they lose less as they are released; whether there was time for it."""
        loss = self._loss()
        self._queries.copy("kept_classes", "assigned")
        cut = self._cut("frequency", self.tuples, deadline)
        self._queries.copy("assigned", "cut_classes")
        if self._loss() < loss * (1 - SLACK):
            self._rounds, self._cuts = cut.rounds, cut.cuts
        else:
            self._queries.copy("assigned", "kept_classes")
        return cut.finished

    def _cut(self, table: str, tuples: Tuples, deadline: Deadline) -> Partitioning:
        """Cuts the tuples of a table as Mondrian does, into the table cut_classes."""
        return self._mondrian(tuples).run(deadline, frequency=own_tables()[table], assigned=own_tables()["cut_classes"])

    def _mondrian(self, tuples: Tuples) -> Mondrian:
        algorithm = AlgorithmConfig(name="mondrian", seed=0)
        return Mondrian(self.engine, tuples, algorithm, self.k, self.progress, self.models)

    def _loss(self) -> float:
        """The weighted loss of all rows in the classes of the table assigned, as they are released."""
        return self._loss_of(build_classes(self.engine, self.tuples))

    def _loss_of(self, classes: Classes) -> float:
        return fsum(d.weight * unit for d, unit in zip(self.tuples.dimensions, classes.units, strict=True))
