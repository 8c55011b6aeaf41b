"""At which levels facts are released, and which facts of persons are suppressed there, so that least is lost.

The levels of the columns of facts are a lattice: a coarser fact has more persons, and so has a set of coarser facts. At
each node facts are suppressed (`KeptFacts`); a node whose bound is no better than what was found is passed over.

The bound of a node: facts of fewer than k persons go, and of two facts that fewer than k persons of the source have
together each person keeps one at most; pairs of these that share no fact (a matching) cost one fact each, whatever is
kept of the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from sqlglot import exp

from kanon_sql.hierarchy.mapping import MappingTable
from kanon_sql.search.facts.dependent import DependentFacts
from kanon_sql.search.facts.suppression import KEPT, RARE, FactsRequired, KeptFacts
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.deadline import Deadline
from kanon_sql.sql.tables import copy, drop, rows_of
from kanon_sql.sql.template import Fill, Item, fill, quoted, state

_ROOM = "search/facts"
WHOLE = 1_000_000  # the loss of a pair that is suppressed
# Tables of the program's own, by `state` where they are used.
PERSONS, PERSON_LEAVES, KEPT_LEAVES = "facts_persons", "facts_person_leaves", "facts_kept_leaves"
_GENERALIZED, _NUMBERED, _HELD, _PAIRS, _MATCHED, _NEXT, _BEST = (
    f"facts_{name}" for name in ("generalized", "numbered", "held", "rare_pairs", "matched", "unmatched", "best_node")
)
_MOST_NODES = 64  # of a lattice that is looked at whole; of a larger one the way down from its top

Node = tuple[int, ...]


@dataclass(frozen=True)
class FactColumn:
    """A column whose values are facts, or parts of facts: its name as TABLE.COLUMN, and its hierarchy in the engine."""

    name: str
    mapping: MappingTable


@dataclass(frozen=True)
class FactTable:
    """A table of facts: its columns, and the table `leaves` (leaf, code_0, code_1 ...) of its facts as they are. Other
    tables have `first` before.
    """

    name: str
    columns: tuple[FactColumn, ...]
    leaves: str
    first: int


@dataclass(frozen=True)
class FactsResult:
    """What was found: the level of each column, the pairs of a person and a fact that are kept, and the loss.

    `loss` and `bound` are the mean loss of a pair, 1 where it is suppressed, and a loss below which no release is.
    """

    levels: dict[str, int]
    pairs: int
    kept: int
    loss: float
    bound: float
    nodes: int
    evaluated: int


def search_facts(
    engine: Engine,
    tables: Sequence[FactTable],
    carriers: str | None,
    required: FactsRequired,
    most: int | None,
    deadline: Deadline,
) -> FactsResult | None:
    """The levels and facts that lose least with at most `most` pairs suppressed, and the table KEPT_LEAVES of it.

    Reads the tables PERSONS (person, class, is_released) and PERSON_LEAVES (person, leaf), and where rows with facts go
    through others with facts the table `carriers` (see `DependentFacts`). None where every node suppresses more. Raises
    EngineError and TimeUpError.
    """
    search = _Search(engine, tables, carriers, required)
    best: _Evaluated | None = None
    bounds: dict[Node, int] = {}
    evaluated = 0
    for node in search.nodes():
        deadline.check()
        bounds[node] = search.bound(node)
        if best is not None and best.allowed(most) and bounds[node] >= best.loss:
            continue
        evaluated += 1
        outcome = search.evaluate(node)
        if best is None or outcome.better_than(best, most):
            best = outcome
            engine.run(copy(state(_BEST), state(KEPT)))
    assert best is not None
    search.hold(best.node)
    search.kept.take(state(_BEST))
    search.kept.improve(state(_HELD), search.most_worth(bounds[best.node]), deadline)
    best = search.measured(best.node)
    if not best.allowed(most):
        return None
    whole = len(bounds) == search.size
    bound = min(bounds.values()) if whole else min(search.bound_of_suppressed, *bounds.values())
    return FactsResult(
        levels={c.name: level for c, level in zip(search.columns, best.node, strict=True)},
        pairs=search.pairs,
        kept=search.pairs - best.suppressed,
        loss=best.loss / (WHOLE * max(search.pairs, 1)),
        bound=bound / (WHOLE * max(search.pairs, 1)),
        nodes=search.size,
        evaluated=evaluated,
    )


@dataclass(frozen=True)
class _Evaluated:
    """A node with the pairs that are suppressed there, and the loss of all in millionths of a pair."""

    node: Node
    suppressed: int
    loss: int

    def allowed(self, most: int | None) -> bool:
        return most is None or self.suppressed <= most

    def better_than(self, other: _Evaluated, most: int | None) -> bool:
        """Whether it is allowed and loses less, or comes nearer to what is allowed."""
        if self.allowed(most) != other.allowed(most):
            return self.allowed(most)
        if not self.allowed(most):
            return self.suppressed < other.suppressed
        return (self.loss, self.node) < (other.loss, other.node)


class _Search:
    """The lattice of the levels of all columns of facts, and what is counted at its nodes."""

    def __init__(
        self, engine: Engine, tables: Sequence[FactTable], carriers: str | None, required: FactsRequired
    ) -> None:
        self.engine, self.tables, self.required = engine, tables, required
        self.dependent = DependentFacts(engine, carriers, state(PERSONS), state(_NUMBERED)) if carriers else None
        self.kept = KeptFacts(engine, required, self.dependent)
        self.columns = [c for table in tables for c in table.columns]
        self.levels = [range(c.mapping.min_level, c.mapping.max_level + 1) for c in self.columns]
        self.size = prod(map(len, self.levels))
        self.pairs = int(engine.query(f"{_ROOM}/pairs", names={"person_leaves": state(PERSON_LEAVES)})[0][0])
        released = int(
            engine.query(
                f"{_ROOM}/pairs_of_released", names={"person_leaves": state(PERSON_LEAVES), "persons": state(PERSONS)}
            )[0][0]
        )
        # Persons who are suppressed take their facts with them.
        self.bound_of_suppressed = (self.pairs - released) * WHOLE
        self._released = released

    def nodes(self) -> Iterator[Node]:
        """All nodes, low ones first; of many those on the way from the top down, a column at a time."""
        if self.size <= _MOST_NODES:
            yield from sorted(product(*self.levels), key=lambda node: (sum(node), node))
            return
        node = tuple(levels[-1] for levels in self.levels)
        yield node
        while any(level > levels[0] for level, levels in zip(node, self.levels, strict=True)):
            for i, levels in enumerate(self.levels):
                if node[i] > levels[0]:
                    node = (*node[:i], node[i] - 1, *node[i + 1 :])
                    yield node

    def hold(self, node: Node) -> None:
        """Makes the facts of persons at a node."""
        levels = iter(node)
        parts: list[exp.Expr] = []
        for table in self.tables:
            ancestors: list[Item] = []
            for i, c in enumerate(table.columns):
                ancestors.append({"ancestors": self._ancestors(c.mapping, next(levels)), "code": f"code_{i}"})
            names: dict[str, Fill] = {"leaves": table.leaves}
            values = {"first": table.first, "columns": len(table.columns)}
            statement = fill(f"{_ROOM}/generalized", names=names, lists={"fact": ancestors})
            for parameter in list(statement.find_all(exp.Parameter, exp.Placeholder)):
                parameter.replace(exp.Literal.number(values[parameter.name]))
            parts.append(statement)
        self.engine.run(copy(state(_GENERALIZED), rows_of(parts, "facts")))
        names = {"person_leaves": state(PERSON_LEAVES), "persons": state(PERSONS), "numbered": state(_NUMBERED)}
        self.engine.query(f"{_ROOM}/numbered", names={**names, "generalized": state(_GENERALIZED)})
        self.engine.query(f"{_ROOM}/held", names={**names, "held": state(_HELD)})

    def _ancestors(self, mapping: MappingTable, level: int) -> str:
        name = state(f"facts_ancestors_{mapping.index}")
        names: dict[str, Fill] = {
            "ancestors": name,
            "mapping": mapping.table,
            "weight": mapping.weight_table,
            "level_code": f"level_{level}",
        }
        self.engine.query(f"{_ROOM}/ancestors", names=names, values={"level": level, "values": mapping.leaves})
        return name

    def bound(self, node: Node) -> int:
        """A loss below which no choice of facts is at a node, in millionths of a pair; KEPT are its frequent facts."""
        self.hold(node)
        self.kept.take(state(_HELD))
        lost = self.bound_of_suppressed + self._released * WHOLE - self.kept.worth()
        if self.required.known == 1:
            return lost
        self.kept.rare_pairs()
        names = {"rare": state(RARE), "kept": state(KEPT), "rare_pairs": state(_PAIRS)}
        self.engine.query(f"{_ROOM}/rare_pairs_of_persons", names=names)
        while True:
            names = {"rare_pairs": state(_PAIRS), "matched": state(_MATCHED)}
            self.engine.query(f"{_ROOM}/matched", names=names)
            pairs, worth = self.engine.query(f"{_ROOM}/matched_worth", names={"matched": state(_MATCHED)})[0]
            if not pairs:
                return lost
            lost += int(worth)
            self.engine.query(f"{_ROOM}/unmatched", names={**names, "remaining": state(_NEXT)})
            self.engine.run(drop(state(_PAIRS)))
            self.engine.run(
                f"ALTER TABLE {quoted(state(_NEXT)).sql('duckdb')} RENAME TO {quoted(state(_PAIRS)).sql('duckdb')}"
            )

    def most_worth(self, bound: int) -> int:
        """What the facts that are kept at a node of this bound can be worth at most."""
        return self.bound_of_suppressed + self._released * WHOLE - bound

    def evaluate(self, node: Node) -> _Evaluated:
        """Suppresses facts at a node, whose bound was counted just before."""
        self.kept.suppress()
        return self.measured(node)

    def measured(self, node: Node) -> _Evaluated:
        """What KEPT is at a node, whose facts are held: makes KEPT_LEAVES."""
        names = {
            "person_leaves": state(PERSON_LEAVES),
            "persons": state(PERSONS),
            "numbered": state(_NUMBERED),
            "kept": state(KEPT),
        }
        self.engine.query(f"{_ROOM}/kept_leaves", names={**names, "kept_leaves": state(KEPT_LEAVES)})
        if self.dependent:
            self.dependent.leave_told(state(KEPT), state(KEPT_LEAVES), state(_NEXT))
        kept, loss = self.engine.query(f"{_ROOM}/losses", names={"kept_leaves": state(KEPT_LEAVES)})[0]
        suppressed = self.pairs - int(kept)
        return _Evaluated(node, suppressed, int(loss) + suppressed * WHOLE)
