"""Checks of lattice nodes: each is a GROUP BY/HAVING query over the frequency table, run once and remembered."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import Any, Literal, Protocol

from kanon_sql.frequency.judged import Models, source_tables
from kanon_sql.frequency.table import Frequency, code_name
from kanon_sql.privacy.statement import absent
from kanon_sql.progress import Progress
from kanon_sql.search.full_domain.batches import Batches
from kanon_sql.search.full_domain.closure import Closure, judged_classes, judged_rows, judged_values
from kanon_sql.search.full_domain.lattice import Lattice, Node, Tags
from kanon_sql.search.full_domain.measures import CostModel, Counts, NodeMeasures, ReleasedClasses
from kanon_sql.sql.connection import Engine, Row
from kanon_sql.sql.deadline import Deadline
from kanon_sql.sql.template import Composed, Item, Statement, compose, state


class Counter(Protocol):
    """Counts the classes of nodes."""

    searched_in: Literal["duckdb", "engine"]  # the report's word: `duckdb`, or the `engine` that holds the rows
    packs: bool  # whether a statement may ask about many nodes

    def query(self, name: Statement, *, values: Mapping[str, Any] | None = None, **holes: Any) -> list[Row]:
        """Runs a statement over the tables of the search; its rows."""

    def list_suppressed(self, statement: Statement, values: Mapping[str, int], keys: Sequence[Item]) -> None:
        """Makes DuckDB's table suppressed_classes from the statement of a node's violating classes."""


class Nodes(Counter, Protocol):
    """Counts the classes of nodes until a deadline."""

    def until(self, deadline: Deadline) -> AbstractContextManager[None]:
        """Stops statements within it when the deadline passes."""


class DuckdbNodes:
    """Counts the classes of nodes in DuckDB."""

    searched_in: Literal["duckdb", "engine"] = "duckdb"
    packs = True

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._deadline = Deadline()

    def query(self, name: Statement, *, values: Mapping[str, Any] | None = None, **holes: Any) -> list[Row]:
        """Runs a statement over the tables of the search; its rows. Raises TimeUpError."""
        self._deadline.check()  # an interrupt between two statements stops none
        return self._engine.query(name, values=values, **holes)

    @contextmanager
    def until(self, deadline: Deadline) -> Iterator[None]:
        """Interrupts statements within it when the deadline passes."""
        self._deadline = deadline
        try:
            with self._engine.until(deadline):
                yield
        finally:
            self._deadline = Deadline()

    def list_suppressed(self, statement: Statement, values: Mapping[str, int], keys: Sequence[Item]) -> None:
        self._engine.query(statement, values=values, lists={"key": keys})


class NodeChecker:
    """Checks nodes in the engine, and tags the nodes that a check settles.

    Suppression of whole classes below k is monotone on the lattice: a class of a node is a union of classes of every
    node below, so that suppressed rows never increase upwards (Samarati, TKDE 2001). Not all models are monotone: then
    the tags are about rows that no node below can release (`prunes` is False; see Models.screen), which are no more
    than the suppressed ones, and a node that passes by these is judged by itself. Their count bounds a monotone number
    from below, and need not be monotone itself: a node may pass although it lies below one that fails; the tag of the
    latter counts.
    """

    def __init__(
        self, engine: Nodes, frequency: Frequency, models: Models, k: int, limit: int, progress: Progress
    ) -> None:
        self.engine = engine
        self.frequency = frequency
        self.models = models
        self.k = k
        # Not every row may be suppressed, and none if suppression does not help a model.
        self.limit = 0 if models.refusing_absent else min(limit, frequency.n - 1)
        self.prunes = models.prune(self.limit)
        self.costs = CostModel(frequency)
        self.tags = Tags(len(frequency.mappings))
        self.progress = progress
        self._values = judged_values(models, k)
        self.least_class = 1 if models.in_rounds else k  # the rows of the smallest class that may be released
        self.with_entropy = False  # whether losses include the entropy, at one more query each
        self.statements = models.once(NodeStatements, screening=not self.prunes)
        self._batches = Batches(frequency, models, screening=not self.prunes)
        splits = any(mapping.splits_top for mapping in frequency.mappings)
        self._closure = Closure(engine, frequency, models, k) if models.in_rounds else None
        self._one_class_node = None if splits or not models.only_k else frequency.heights
        self._checked: set[Node] = set()
        self._suppressed: dict[Node, int] = {}
        self._passing: dict[Node, bool] = {}
        self._counts: dict[Node, Counts] = {}
        self._measures: dict[Node, NodeMeasures] = {}

    def least(self, node: Node) -> int:
        """The rows of the smallest class that a release of the node may have."""
        return self.k

    def _values_at(self, node: Node) -> dict[str, int]:
        """The parameters of the statements about a node's released classes."""
        return self._values

    @property
    def checked(self) -> int:
        """How many nodes were checked in the data."""
        return len(self._checked)

    @property
    def measured(self) -> int:
        """How many nodes were judged by all models."""
        return len(self._suppressed)

    @property
    def counted(self) -> Collection[Node]:
        """The nodes whose suppressed rows, by all models, are known."""
        return self._suppressed.keys()

    def with_engine(self, engine: Nodes) -> NodeChecker:
        """A copy that keeps the results so far, and counts further nodes with another engine."""
        other = copy(self)
        other.engine, other.progress = engine, Progress()
        other._closure = self._closure and self._closure.with_engine(engine)
        return other

    def blind(self, reserve: int) -> NodeChecker:
        """A checker that reads no sensitive value, and leaves `reserve` rows of the limit to the models that do."""
        limit = max(self.limit - reserve, 0)
        return NodeChecker(self.engine, self.frequency, self.models.blind, self.k, limit, self.progress)

    def apart(self) -> NodeChecker:
        """A copy without results, for a search of nodes that these would not settle; `checked` counts for both."""
        other = copy(self)
        other.tags, other._suppressed, other._passing = Tags(len(self.frequency.mappings)), {}, {}
        return other

    def known_suppressed(self, node: Node) -> int | None:
        """The rows of the node's violating classes, if they were counted."""
        return self._suppressed.get(node)

    def known_measures(self, node: Node) -> NodeMeasures | None:
        """The node with its losses, if they were computed."""
        return self._measures.get(node)

    def known_to_satisfy(self, node: Node) -> bool | None:
        """Whether the node satisfies all models, as far as it is known."""
        if node in self._suppressed:
            return self._suppressed[node] <= self.limit
        passes = self.known(node)
        return passes if self.prunes or passes is False else None

    def known(self, node: Node) -> bool | None:
        """Whether the node passes, by the tags; None if they do not say."""
        if node in self._passing:
            return self._passing[node]
        if self.tags.fails(node) is not None:
            return False
        return True if self.tags.satisfies(node) else None

    def passes(self, node: Node) -> bool:
        """Whether the node passes the monotone conditions, by the tags or else by a check."""
        passes = self.known(node)
        if passes is not None:
            return passes
        if self._suppressed.get(node, self.limit + 1) <= self.limit:  # the monotone conditions suppress no more
            self._tag(node, passing=True)
            return True
        if self._closure is not None:
            self._checked.add(node)
            suppressed = self._closure.suppressed(node, self.limit)
            if suppressed > self.limit:
                self._tag(node, passing=False)
                self.tags.add(self._closure.failing(node, self.limit), satisfying=False)
            else:
                self._record(node, suppressed)
            return self._passing[node]
        screen = self.statements.screen
        if screen is not None and self._ask(screen, node) > self.limit:
            self._tag(node, passing=False)
        elif self.prunes:
            self.suppressed(node)
        else:
            self._tag(node, passing=True)
        return self._passing[node]

    def satisfies(self, node: Node) -> bool:
        """Whether the node satisfies all models, by the tags or else by a check."""
        return self.passes(node) and (self.prunes or self.suppressed(node) <= self.limit)

    def suppressed(self, node: Node) -> int:
        """The rows of the node's violating classes."""
        if node not in self._suppressed and node == self._one_class_node:
            self.counts(node)
        if node not in self._suppressed and self._closure is not None:
            self._checked.add(node)
            self._record(node, self._closure.suppressed(node))
        if node not in self._suppressed:
            self._record(node, self._ask(self.statements.check, node))
        return self._suppressed[node]

    @property
    def batch(self) -> int:
        """How many nodes one statement may check."""
        return max(self._batches.most, 1) if self.engine.packs else 1

    def learn(self, nodes: Iterable[Node], *, counted: bool = False) -> None:
        """Counts the rows of the violating classes of many nodes, and if `counted` their classes, in few statements.

        Tags are not used. Later calls about one of the nodes are answered from memory.
        """
        results: Collection[Node] = self._counts if counted else self._suppressed
        unknown = [node for node in dict.fromkeys(nodes) if node not in results]
        if self.batch == 1:
            for node in unknown:
                self.counts(node) if counted else self.suppressed(node)
            return
        for node, counts in self._ask_many("classes" if counted else "check", unknown):
            if counted:
                self._counts[node] = Counts(*counts)
            if node not in self._suppressed:
                self._record(node, counts[0] if counts else 0)

    def learn_passing(self, nodes: Iterable[Node]) -> None:
        """Determines in few statements whether nodes pass the monotone conditions."""
        unknown = [node for node in dict.fromkeys(nodes) if self.known(node) is None]
        if self._batches.statements.screen is None or self.batch == 1:
            self.learn(unknown)
            return
        for node, counts in self._ask_many("screen", unknown):
            self._tag(node, passing=not counts or counts[0] <= self.limit)

    def _ask_many(self, part: str, nodes: Sequence[Node]) -> Iterator[tuple[Node, list[int]]]:
        """Each node with the numbers that the statement `part` of Batches gives of it; none if it gives no row."""
        for batch, rows in self._batches.ask(self.engine.query, part, nodes, self.k):
            self._checked.update(batch)
            numbers = {int(row[0]): [int(value) for value in row[1:]] for row in rows}
            yield from ((node, numbers.get(position, [])) for position, node in enumerate(batch))

    @contextmanager
    def rolling(self, lattice: Lattice) -> Iterator[None]:
        """Within it nodes of this lattice are counted from tables at levels below them, where that pays."""
        rolls = self.engine.packs and self._batches.roll(lattice)
        yield
        if rolls:
            self._batches.unroll(self.engine.query)

    def counts(self, node: Node) -> Counts:
        """The node's classes."""
        if node not in self._counts and node == self._one_class_node:
            self._counts[node] = self._one_class()
            self._record(node, self._counts[node].suppressed)
        if node not in self._counts:
            self._close(node)
            rows = self.engine.query(
                self.statements.classes, values=self._values, lists={"key": grouping_codes(self.frequency, node)}
            )
            self._counts[node] = Counts(*(int(value) for value in rows[0]))
            if node not in self._suppressed:
                self._record(node, self._counts[node].suppressed)
        return self._counts[node]

    def measures(self, node: Node) -> NodeMeasures:
        """The node with all measures except the entropy, which a search requests if it needs it."""
        measures = self.losses(node)
        if measures.counts is None:
            measures = self._measures[node] = replace(measures, counts=self.counts(node))
        return measures

    def losses(self, node: Node) -> NodeMeasures:
        """The node with its losses, and with its classes if they were counted."""
        if node not in self._measures:
            self._measure(node, self._suppressed_units(node, self.suppressed(node)))
        return self._measures[node]

    def measure(self, nodes: Sequence[Node]) -> list[NodeMeasures]:
        """The nodes with their `measures`, in few statements."""
        unmeasured = [node for node in dict.fromkeys(nodes) if not self._is_measured(node)]
        if not self._gives_units:
            self.learn(unmeasured, counted=True)
            return [self.measures(node) for node in nodes]
        for node, numbers in self._ask_many("measured", unmeasured):
            counts = self._counts[node] = Counts(*numbers[: -len(node)])
            if node not in self._suppressed:
                self._record(node, counts.suppressed)
            self._take_losses(node, numbers[-len(node) :])
        return [self.measures(node) for node in nodes]

    def learn_losses(self, nodes: Iterable[Node]) -> None:
        """Computes the losses of many nodes, whose suppressed rows are known, in few statements."""
        if not self._gives_units:
            return
        unmeasured = [node for node in dict.fromkeys(nodes) if node not in self._measures]
        for node, sums in self._ask_many("units", [node for node in unmeasured if self._suppressed[node]]):
            self._take_losses(node, sums)

    @property
    def _gives_units(self) -> bool:
        """Whether a statement may give the units of loss of many nodes."""
        return self.batch > 1 and self._batches.units_size > 0

    def _take_losses(self, node: Node, sums: Sequence[int]) -> None:
        """Stores the node's losses; `sums` are those units, of no meaning at the leaves and the top."""
        units = self._units_outside(node, self._suppressed[node])
        for i in self._between(node):
            units[i] = sums[i]
        self._measure(node, units)

    def _is_measured(self, node: Node) -> bool:
        return node in self._measures and self._measures[node].counts is not None

    @property
    def rolls_up(self) -> bool:
        """Whether k, counted in rows, is all that is required, and a statement may be about many nodes."""
        return self.models.only_k and not self.models.by_entity and self.batch > 1

    def remember(
        self, lattice: Lattice, released_by_node: Mapping[Node, tuple[ReleasedClasses, Sequence[int]]]
    ) -> list[NodeMeasures]:
        """Takes the counts of all nodes that release a class, each with the units of loss of its released rows.

        Returns all nodes of the lattice with their measures; only for models of k alone.
        """
        nothing = ReleasedClasses(self.frequency.n, 0, 0, 0, 0), [0] * len(lattice.lows)
        for node in lattice.nodes():
            released, units = released_by_node.get(node, nothing)
            self._suppressed[node] = released.suppressed
            self._passing[node] = released.suppressed <= self.limit
            totals = [self.frequency.marginals[i][level].units for i, level in enumerate(node)]
            self._measure(node, [total - unit for total, unit in zip(totals, units, strict=True)], released)
            self._checked.add(node)
            self.progress.advance()
        for node in lattice.nodes():
            passing = self._passing[node]
            neighbours = lattice.predecessors(node) if passing else lattice.successors(node)
            if all(self._passing[other] is not passing for other in neighbours):  # on the border
                self.tags.add(node, satisfying=passing)
        return [self._measures[node] for node in lattice.nodes()]

    def _measure(self, node: Node, units: Sequence[int], counts: ReleasedClasses | None = None) -> None:
        """Stores the node's losses; `units` are the units of loss that its suppressed rows would have."""
        suppressed = self._suppressed[node]
        self._measures[node] = NodeMeasures(
            levels=node,
            suppressed=suppressed,
            losses=tuple(self.costs.loss(i, level, suppressed, units[i]) for i, level in enumerate(node)),
            precision_cost=self.costs.precision_cost(node, suppressed),
            entropy=self._entropy(node, suppressed) if self.with_entropy else None,
            counts=counts or self._counts.get(node),
        )

    def _ask(self, statement: Composed, node: Node) -> int:
        self._checked.add(node)
        keys = grouping_codes(self.frequency, node)
        return int(self.engine.query(statement, values={"k": self.k}, lists={"key": keys})[0][1])

    def _close(self, node: Node) -> None:
        """Makes the tables that the statements on the classes of a node read."""
        self._checked.add(node)
        if self._closure is not None:
            self._closure.close(node)

    def _record(self, node: Node, suppressed: int) -> None:
        if self._is_absent(node):
            suppressed = self.frequency.n
        self._suppressed[node] = suppressed
        if self.prunes:
            self._tag(node, passing=suppressed <= self.limit)

    def _tag(self, node: Node, *, passing: bool) -> None:
        self._passing[node] = passing
        self.tags.add(node, satisfying=passing)
        self.progress.advance()

    def _is_absent(self, node: Node) -> bool:
        """Whether a class of the population is absent from the table and a model forbids that."""
        lists = {"key": grouping_codes(self.frequency, node)}
        return any(self.engine.query(statement, lists=lists)[0][0] for statement in self.statements.absent)

    def _one_class(self) -> Counts:
        """The counts at the top of all hierarchies: one class of all rows."""
        n = self.frequency.n
        released = n if n >= self.k else 0
        return Counts(n - released, int(released > 0), released, n, released**2, 1, n**2)

    def with_entropy_of(self, node: Node) -> NodeMeasures:
        """The node with all measures."""
        measures = self.measures(node)
        if measures.entropy is None:
            measures = self._measures[node] = replace(measures, entropy=self._entropy(node, measures.suppressed))
        return measures

    def _suppressed_units(self, node: Node, suppressed: int) -> list[int]:
        """The units of loss that the suppressed rows would have in each quasi-identifier."""
        units, between = self._units_outside(node, suppressed), self._between(node)
        if suppressed and between:
            sums = self._suppressed_cost(self.statements.units, node, between)
            for attribute, value in zip(between, sums, strict=True):
                units[attribute] = int(value)
        return units

    def _units_outside(self, node: Node, suppressed: int) -> list[int]:
        """Those units that need no query: none at the leaves, the most there are of each row at the top."""
        return [
            suppressed * (mapping.leaves - 1) if level == mapping.height else 0
            for level, mapping in zip(node, self.frequency.mappings, strict=True)
        ]

    def _between(self, node: Node) -> list[int]:
        """The quasi-identifiers at a level between the leaves and the top."""
        return [i for i, (level, top) in enumerate(zip(node, self.frequency.heights, strict=True)) if 0 < level < top]

    def _entropy(self, node: Node, suppressed: int) -> float:
        spread = sum(self._suppressed_cost(self.statements.spread, node, list(range(len(node))))) if suppressed else 0.0
        return self.costs.entropy(node, suppressed, float(spread))

    def _suppressed_cost(self, statement: Composed, node: Node, attributes: list[int]) -> Row:
        """The sums over the suppressed classes of a node of the costs in some quasi-identifiers."""
        self._close(node)
        items: list[Item] = [
            {
                "code": code_name(i, node[i]),
                "costs": state(f"costs_{i}"),
                "level": node[i],
                "cost": f"cost_{i}",
            }
            for i in attributes
        ]
        lists = {"cost": items, "key": grouping_codes(self.frequency, node, attributes)}
        return self.engine.query(statement, values=self._values_at(node), lists=lists)[0]


class NodeStatements:
    """The statements on the classes of a node, whose key is the list hole `key`.

    `screen` counts what `check` does for fewer models: for k alone, the fastest to count, if all models are monotone,
    else (`screening`) the rows that no node below can release (see Models.screen). None if that is as slow as `check`.
    """

    def __init__(self, models: Models, *, screening: bool) -> None:
        tables = source_tables(models)
        classes = judged_classes(models)
        self.check = compose("search/full_domain/node_check", {"classes": classes})
        self.screen: Composed | None = None
        if screening or models.models:
            screened = models.screen(tables) if screening else models.classes(tables, [])
            self.screen = compose("search/full_domain/node_check", {"classes": screened})
        self._judged, self._rows = classes, judged_rows(models)
        self.absent = [absent(model, tables) for model in models.refusing_absent]

    # Composed where they are asked for, as many a search needs none of them.

    @cached_property
    def classes(self) -> Composed:
        """The classes that are released, and those that violate."""
        return compose("search/full_domain/node_classes", {"classes": self._judged})

    @cached_property
    def units(self) -> Composed:
        """The units of loss that the suppressed rows would have had."""
        return compose("search/full_domain/node_suppressed_units", {"classes": self._rows})

    @cached_property
    def spread(self) -> Composed:
        """The logarithms of the rows that share the released values of the suppressed rows."""
        return compose("search/full_domain/node_suppressed_spread", {"classes": self._rows})


def grouping_codes(frequency: Frequency, node: Node, besides: Collection[int] = ()) -> list[Item]:
    """The key of a node's classes, without quasi-identifiers at the top of a hierarchy, where all values are one.

    The quasi-identifiers `besides` are in it in any case.
    """
    return [
        {"code": code_name(i, level)}
        for i, (level, mapping) in enumerate(zip(node, frequency.mappings, strict=True))
        if level < mapping.height or mapping.splits_top or i in besides
    ]
