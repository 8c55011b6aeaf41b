"""Mondrian: partitions are cut again and again, all open ones in each round, until no cut is allowable.

LeFevre, DeWitt, Ramakrishnan: Mondrian multidimensional k-anonymity. ICDE 2006. Python only sees how many cuts a round
makes.

With privacy models beyond k each partition makes, of the cuts that k allows, the best one of which both sides satisfy
all models. Candidates are judged in batches, a few of each partition, best first, and larger ones where all of these
violate: most partitions that can be cut can be cut by one of their first. Monotonicity does not matter: a part of a
partition that cannot be cut may be cut along the same dimension, so that only k says which dimensions stay live.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sqlglot import exp

from kanon_sql.config.model import AlgorithmConfig
from kanon_sql.frequency.dimensions import Dimension
from kanon_sql.frequency.judged import Models, source_tables
from kanon_sql.frequency.table import Tuples, position_items
from kanon_sql.privacy.statement import Tables
from kanon_sql.progress import Progress
from kanon_sql.search.rounds import DuckdbRounds, Rounds
from kanon_sql.sql import tables, template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.deadline import Deadline, TimeUpError
from kanon_sql.sql.tables import rows_of
from kanon_sql.sql.template import Composed, Fill, Item, compose, state

_FIRST_BATCH = 4  # candidates of a partition
_GROWTH = 4  # of a batch
_MANY_JUDGED = 100_000  # tuples from which on a partition tries only _MOST_CANDIDATES
_MOST_CANDIDATES = 1_000
_JUDGED_TABLES = ("candidates", "accepted_cuts", "open_tuples", "allowable_cuts", "open_judged")
_KEYS: list[Item] = [{"code": "part"}, {"code": "place"}, {"code": "is_left"}]
_TABLES = (
    "open_tuples",
    "next_tuples",
    "histogram",
    "spans",
    "allowable_cuts",
    "cuts",
    "assigned",
    "ordered_places",
    "trees",
    "ancestors",
    "frequency",
    "halves",
)
_MANY = 200_000  # tuples from which on those of finished partitions are set apart in every round
_NO_LEVEL = 62  # a shift by which every position becomes 0


@dataclass(frozen=True)
class Partitioning:
    """How the search of classes went: rounds with cuts, cuts in all, whether it `finished` in time, and its seed.

    With `boxes` every partition is one range of positions along each dimension, and no two overlap. No partition into
    classes has a weighted loss a row below `bound`; None if no bound is known. `left_out` rows are in no class: all
    those of `strata_left_out` strata.
    """

    rounds: int
    cuts: int
    finished: bool
    seed: int
    boxes: bool
    bound: float | None = None
    left_out: int = 0
    strata_left_out: int = 0


class Mondrian:
    """Cuts the tuples into partitions; they are then in the table assigned(part, p0 ..., row_count) of the `rounds`."""

    def __init__(
        self,
        engine: Engine,
        tuples: Tuples,
        algorithm: AlgorithmConfig,
        k: int,
        progress: Progress,
        models: Models | None = None,
        rounds: Rounds | None = None,
    ) -> None:
        self.engine = engine
        self.rounds = rounds or DuckdbRounds(engine)
        self.dimensions = tuples.dimensions
        self.cut = algorithm.cut or "strict"
        self.dimension = algorithm.dimension or "loss"
        self.seed = algorithm.seed or 0
        self.k = k
        self._many = tuples.count > _MANY
        self.progress = progress
        self._names = {name: state(name) for name in _TABLES}
        self._items = position_items(tuples.dimensions)
        self._trees = [d for d in tuples.dimensions if d.tree is not None]
        self._ordered = [d for d in tuples.dimensions if d.tree is None]
        self._next_part = 1
        self._cuts = 0
        self._judge: CutJudge | None = None
        if models is not None and not models.only_k:
            self._judge = CutJudge(self.rounds, models, k, tuples.count, self._items, self._choice())

    def run(self, deadline: Deadline, **tables_instead: str) -> Partitioning:
        """Cuts in rounds until no cut is allowable, or until the deadline: the partitions reached by then are a
        release, too.

        `tables_instead` replace the tables `frequency`, which is cut, and `assigned`.
        """
        self._names |= tables_instead
        self._begin()
        find, split = self._finding(), self._splitting()
        rounds = 0
        try:
            while True:
                with self.rounds.until(deadline):
                    deadline.check()
                    cuts = self._find(find, deadline)
                if not cuts:
                    break
                self._split(split, cuts)
                rounds += 1
            finished = True
        except TimeUpError:
            finished = False
        self.rounds.run(self._prepared("finish_all", {"this": self._items}), {})
        return Partitioning(rounds, self._cuts, finished, self.seed, self._makes_boxes())

    def _find(self, statements: Sequence[Any], deadline: Deadline) -> int:
        """Runs the statements that find the cuts of a round; the last makes the table of cuts and counts them."""
        values = {"k": self.k, "seed": self.seed}
        *before, last = statements
        for statement in before:
            self.rounds.run(statement, values)
        if self._judge is not None:
            self._judge.narrow(deadline, self.seed)
        return self.rounds.count(last, values)

    def _split(self, statements: Sequence[Any], cuts: int) -> None:
        for statement in statements:
            self.rounds.run(statement, {"first": self._next_part, "k": self.k})
        self._next_part += 2 * cuts
        self._cuts += cuts
        self.progress.advance(cuts, "cuts")

    def _begin(self) -> None:
        all_dimensions = (1 << len(self.dimensions)) - 1
        first = self._prepared("first_tuples", {"this": self._items})
        self.rounds.run(first, {"all_dimensions": all_dimensions})
        columns = ("part", *(d.position for d in self.dimensions), "row_count")
        self.rounds.empty(self._names["assigned"], state("open_tuples"), columns)
        types = {"dimension": "INTEGER", "position": "BIGINT", "measure": "DOUBLE", "step": "DOUBLE"}
        self.engine.run(tables.empty(state("ordered_places"), types))
        for name, selects in (
            ("ordered_places", [self._places(d) for d in self._ordered]),
            ("trees", [self._shifts(d) for d in self._trees]),
            ("ancestors", [self._ancestors(d) for d in self._trees]),
        ):
            if selects:
                self.engine.run(tables.copy(state(name), rows_of(selects)))
            if selects or name == "ordered_places":
                self.rounds.carry(state(name))

    def _places(self, d: Dimension) -> exp.Expr:
        ranks = d.values + d.has_missing
        step: exp.Expr = template.parse(f"1.0 / {max(ranks - 1, 1)}") if d.kind == "text" else exp.null()
        rank = template.parse(f"(position - {0 if d.has_missing else 1}) / {max(ranks - 1, 1)}")
        measure: exp.Expr = rank if d.kind == "text" else exp.column("measure")
        return template.fill(
            "search/mondrian/ordered_places",
            names={
                "places": d.places,
                "this_dimension": d.index,
                "this_weight": exp.Literal.number(d.weight),
                "this_measure": measure,
                "this_step": step,
            },
        )

    def _shifts(self, d: Dimension) -> exp.Expr:
        assert d.tree is not None
        shifts = [*d.tree.shifts, *[_NO_LEVEL] * (len(self._level_items()) - len(d.tree.shifts))]
        items: list[Item] = [{"shift": shift, "name": f"shift_{level}"} for level, shift in enumerate(shifts)]
        names = {"this_dimension": d.index, "this_lowest": d.tree.min_level}
        return template.fill("search/mondrian/trees", names=names, lists={"level": items})

    def _ancestors(self, d: Dimension) -> exp.Expr:
        assert d.tree is not None
        items: list[Item] = [{"number": level, "shift": shift} for level, shift in enumerate(d.tree.shifts)]
        return template.fill(
            "search/mondrian/ancestors_of",
            names={
                "domain": d.domain,
                "nodes": d.nodes,
                "this_dimension": d.index,
                "this_weight": exp.Literal.number(d.weight),
                "this_lowest": d.tree.min_level,
            },
            lists={"level": items},
        )

    def _finding(self) -> list[Any]:
        """The statements that find the cuts of a round."""
        histograms = rows_of([self._histogram(fills) for fills in self._items])
        names: dict[str, Fill] = {"histograms": histograms, "sorted_apart": self.rounds.sorted_apart}
        statements = [self._prepared("histogram", names=names), self._prepared("spans")]
        items = self._level_items()
        if self.cut == "relaxed":
            statements.append(self._prepared("no_halves"))
            statements += [self._prepared("ordered_halves")] if self._ordered else []
            statements += [self._prepared("tree_halves", {"level": items})] if self._trees else []
            return [*statements, self._prepared_choice("half_cuts")]
        statements.append(self._prepared("no_cuts"))
        statements += [self._prepared("ordered_cuts")] if self._ordered else []
        statements += [self._prepared("tree_cuts", {"level": items})] if self._trees else []
        if self._sets_apart():
            statements.append(self._prepared("subtree_cuts", {"level": items}))
        return [*statements, self._prepared_choice("cuts")]

    def _sets_apart(self) -> bool:
        """Whether cuts may take a subtree out of the middle of a partition."""
        return bool(self._trees) and self.cut == "strict" and self.dimension == "loss"

    def _makes_boxes(self) -> bool:
        return self.cut != "relaxed" and not self._sets_apart()

    def _level_items(self) -> list[Item]:
        """The levels of the highest hierarchy, as columns of the table trees."""
        levels = max((d.tree.top for d in self._trees if d.tree), default=0) + 1
        return [{"shift": f"shift_{level}"} for level in range(levels)]

    def _prepared_choice(self, name: str) -> Any:
        choice: dict[str, Fill] = {**self._choice()}
        if self._judge is not None:
            choice["eligible"] = template.parse(CutJudge.ELIGIBLE)
        return self.rounds.prepare(f"search/mondrian/{name}", scope={**self._names, **choice})

    def _histogram(self, fills: Item) -> exp.Expr:
        names = {f"this_{key}": fill for key, fill in fills.items()}
        return template.fill("search/mondrian/histogram_of", names, scope=self._names)

    def _choice(self) -> dict[str, exp.Expr]:
        """The condition on allowable cuts that may be made, and what makes one better than another."""
        by_loss = self.dimension == "loss"
        eligible = "preference = 2" if self.cut == "strict-le" else "TRUE" if by_loss else "preference > 0"
        score = {
            "loss": "floor(gain * 1e6 + 0.5)",  # to six places, which round has in some engines only
            "widest": "floor(width * 1e12 + 0.5)",
            "random": "CAST(hash(part, dimension, $seed) >> 12 AS DOUBLE)",
        }[self.dimension]
        return {
            "eligible": template.parse(eligible),
            "cut_score": template.parse(score),
            "cut_evenness": template.parse("-abs(2 * left_rows - row_count)" if by_loss else "0"),
        }

    def _splitting(self) -> list[Any]:
        """The statements that make the cuts of a round."""
        lists = {"this": self._items}
        split = "halve" if self.cut == "relaxed" else "split"
        if self._many:
            return [self._prepared(name, lists) for name in (split, "finish", "still_open")]
        # Few finished tuples cost less than the statements that set them apart.
        names = {**self._names, "next_tuples": state("open_tuples")}
        return [self.rounds.prepare(f"search/mondrian/{split}", lists=lists, scope=names)]

    def _prepared(
        self, name: str, lists: dict[str, list[Item]] | None = None, names: dict[str, Fill] | None = None
    ) -> Any:
        return self.rounds.prepare(f"search/mondrian/{name}", names, lists, self._names)


class CutJudge:
    """Narrows the table allowable_cuts so that at most one cut of each partition is `ELIGIBLE`, preferred."""

    ELIGIBLE = "preference = 9"

    def __init__(
        self, rounds: Rounds, models: Models, k: int, tuples: int, items: Sequence[Item], choice: dict[str, exp.Expr]
    ) -> None:
        self.rounds = rounds
        self.models = models
        self._most = _MOST_CANDIDATES if tuples > _MANY_JUDGED else 2**31
        self._names: dict[str, Fill] = {name: state(name) for name in _JUDGED_TABLES}
        self._items = items
        self._choice = choice
        self._source = source_tables(models, state("frequency"))
        self._values = {"k": k, "most": self._most}
        self._statements: dict[str, Any] = {}

    def narrow(self, deadline: Deadline, seed: int) -> None:
        """Accepts the best cut of each partition of which both sides satisfy the models.

        `seed` is that of random scores.
        """
        values = {**self._values, "seed": seed}
        self.rounds.run(self._prepared("candidates", scope=self._choice), values)
        columns = ("part", "dimension", "low", "high")
        self.rounds.empty(state("accepted_cuts"), state("candidates"), columns)
        for table, counted in self._judged.items():
            names: dict[str, Fill] = {"judged": table, "open_judged": _of_open(table)}
            self.rounds.run(self._prepared("open_judged", names, self._lists(counted)), values)
        low, high = 0, _FIRST_BATCH
        while True:
            deadline.check()
            batch = {**values, "from_place": low, "to_place": high}
            self.rounds.run(self._accepting, batch)
            if not self.rounds.rows(self._prepared("untried"), batch)[0][0]:
                break
            low, high = high, _GROWTH * high
        self.rounds.run(self._prepared("only_accepted"), values)

    @property
    def _judged(self) -> dict[str, tuple[str, ...]]:
        """The tables that the models read, and what is counted in each."""
        owner = ("entity",) if self.models.by_entity else ()
        tables: dict[str, tuple[str, ...]] = {str(self._source.tuples): ("row_count",)}
        if self.models.by_entity:
            tables[str(self._source.holders)] = ("row_count", *owner)
        return tables | {str(table): ("value", "row_count", *owner) for table in self._source.sensitive.values()}

    def _lists(self, counted: Sequence[str]) -> dict[str, Sequence[Item]]:
        return {"this": self._items, "counted": [{"name": name} for name in counted]}

    @cached_property
    def _accepting(self) -> Any:
        judged = self._judged

        def sides(table: str | Composed) -> Composed:
            names: dict[str, Fill] = {"open_rows": _of_open(str(table))}
            return Composed(template.fill("search/mondrian/sides", names, self._lists(judged[str(table)]), self._names))

        both_sides = Tables(
            sides(self._source.tuples),
            sides(self._source.holders) if self.models.by_entity and self._source.holders else None,
            {name: sides(table) for name, table in self._source.sensitive.items()},
        )
        statement = compose("search/mondrian/accept_cuts", {"classes": self.models.classes(both_sides)})
        return self.rounds.prepare(statement, None, {"key": _KEYS}, self._names)

    def _prepared(
        self,
        name: str,
        names: dict[str, Fill] | None = None,
        lists: dict[str, Sequence[Item]] | None = None,
        scope: Mapping[str, Fill] | None = None,
    ) -> Any:
        key = f"{name} {(names or {}).get('judged')}"
        if key not in self._statements:
            fills = {**self._names, **(scope or {})}
            self._statements[key] = self.rounds.prepare(f"search/mondrian/{name}", names, lists, fills)
        return self._statements[key]


def _of_open(table: str) -> str:
    """The name of the table with the rows of such a table in open partitions."""
    return f"{table}_open"


def violates_as_a_whole(engine: Engine, models: Models, k: int, rounds: Rounds | None = None) -> bool:
    """Whether all rows as one class, the most general release, violate a model."""
    rounds = rounds or DuckdbRounds(engine)
    source = source_tables(models, state("frequency"))
    statement = compose("search/full_domain/node_check", {"classes": models.classes(source)})
    return bool(rounds.rows(rounds.prepare(statement, None, {"key": []}), {"k": k})[0][0])
