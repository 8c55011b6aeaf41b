"""Facts of persons suppressed until every set of at most m of them that a person keeps is kept by at least k persons.

k^m-anonymity: M. Terrovitis, N. Mamoulis, P. Kalnis: Privacy-preserving anonymization of set-valued data. VLDB 2008.
Sets are counted level by level: those of two facts only once every single fact is frequent, and so on, so that only
frequent sets are joined. What is suppressed makes other sets rarer, so all of this goes on until nothing is rare. How
many persons keep each two facts is counted once; what is suppressed then is taken off, which is a small part of it.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from kanon_sql.search.facts.confidence import Confidence
from kanon_sql.search.facts.dependent import DependentFacts
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.deadline import Deadline
from kanon_sql.sql.tables import copy, empty
from kanon_sql.sql.template import Fill, Item, column, quoted, state

_ROOM = "search/facts"
# Tables of the program's own, by `state` where they are used.
KEPT, SUPPORT, PAIR_COUNTS, RARE = "facts_kept", "facts_support", "facts_pair_counts", "facts_rare"
_BEST, _VICTIMS, _ALL, _RESTORABLE, _TOUCHED, _NEXT = (
    f"facts_{name}" for name in ("best", "victims", "all_victims", "restorable", "touched", "next")
)
_SHORTAGES = ("facts_shortages", "facts_shortages_left")  # by turns
_GUARDED, _FACT_OF_PERSON = "facts_guarded", {"person": "BIGINT", "fact": "BIGINT"}
# Where there are no more facts than this, persons take turns, and what a choice costs others is weighed.
_TURNS, _MOST_IN_TURNS = 32, 1_000_000
_WORK = 8_000_000  # facts that are counted in all rounds
_FEW_ROUNDS, _FACTS_A_ROUND = 20, 20  # so many rounds, and one more for so many facts


@dataclass(frozen=True)
class _Rounds:
    """Rounds of restoring: at most how many, how much chance bears on the fact that is suppressed, how many of 1,000
    persons or facts a round restores by turns, how often a round counts all facts, and after how many rounds in a row
    that gained nothing they end.
    """

    most: int
    chance: float
    shares: tuple[int, ...]
    work: int
    idle: int


_ROUNDS = _Rounds(400, 0.1, (100, 50), 1, 400)
# Rounds that put back what they can. Of few facts each restores more, else none might be drawn and all be alike.
_REFILLED, _REFILLED_OF_FEW, _FEW = _Rounds(80, 0.3, (100, 50), 5, 20), _Rounds(80, 1.0, (500, 300), 3, 2), 2000
# Plain programs that few facts are begun with besides, and how many facts and rare pairs they are run on, multiplied.
_GREEDY = {"greedy_facts": {"kept": KEPT, "pair_counts": PAIR_COUNTS}, "greedy_persons": {"kept": KEPT}}
_GREEDY_WORK = 10_000_000


@dataclass(frozen=True)
class FactsRequired:
    """What is asked of the facts: every set of at most `known` of them is kept by no person or by `k` at least, and
    tells no sensitive value with more than a `confidence`.
    """

    k: int
    known: int
    confidence: Confidence | None = None


class KeptFacts:
    """The facts that are kept: the table KEPT (person, fact, worth), and what is counted of it.

    SUPPORT (fact, persons) says how many persons keep each fact, PAIR_COUNTS (first_fact, second_fact, persons) how
    many keep both of two, where sets of two are asked for. Both follow what is suppressed and restored. Facts that are
    `dependent` on others are suppressed with them.
    """

    def __init__(self, engine: Engine, required: FactsRequired, dependent: DependentFacts | None = None) -> None:
        self.engine, self.required, self.dependent = engine, required, dependent
        self._of_pairs = required.known > 1
        # Where shares are bounded nothing is put back: who keeps a set more may make it tell a value.
        self._may_restore = required.known == 2 and required.confidence is None
        self._weighs, self._chance = True, _ROUNDS.chance
        self.engine.run(empty(state(_GUARDED), _FACT_OF_PERSON))

    def take(self, held: str) -> None:
        """Takes the frequent ones of the facts in the table `held`: those that k persons or more have."""
        self._weighs = self._take(held) <= _MOST_IN_TURNS

    def _take(self, held: str) -> int:
        """As `take`, of a part of the facts, or of more than were taken; the number of facts in the table."""
        facts = _row_count(self.engine.run(copy(state(KEPT), held)))
        self._count_support()
        if self._rare_holders():
            self._drop(state(_VICTIMS))
            self._count_support()
        if self._of_pairs:
            names = {"pair_counts": state(PAIR_COUNTS), "kept": state(KEPT)}
            self.engine.query(f"{_ROOM}/pair_counts", names=names)
        return facts

    def suppress(self, draw: int | None = None) -> None:
        """Suppresses facts until nothing is rare and a row tells each that is kept, one of a person at a time.

        Persons take turns, so that what others suppressed before is counted. With a `draw` they take none, and chance
        bears on the choice.
        """
        self._suppress_risky(draw)
        while self.dependent and self.dependent.untold(state(KEPT), state(_VICTIMS)):
            self._remove(state(_VICTIMS))
            self._suppress_risky(draw)

    def _suppress_risky(self, draw: int | None) -> None:
        self._suppress_rare(draw)
        while self._suppress_telling(draw):
            self._suppress_rare(draw)

    def _suppress_telling(self, draw: int | None) -> bool:
        """Suppresses facts of sets of the least size that tell a sensitive value; whether there were any."""
        if self.required.confidence is None:
            return False
        for size in range(1, self.required.known + 1):
            tables, members = (state(KEPT), state(SUPPORT), state(_SHORTAGES[0])), self._members(size)
            left = _row_count(self.required.confidence.shortages(self.engine, tables, members, draw))
            if left:
                self._end_shortages(left, draw)
                return True
        return False

    def _suppress_rare(self, draw: int | None) -> None:
        turns = _TURNS if draw is None and self._weighs else 1
        size = 1
        while size <= self.required.known:
            rare = self._suppress_rare_facts() if size == 1 else self._suppress_rare_sets(size, turns, draw)
            # What was suppressed makes smaller sets rarer.
            size = 1 if rare and size > 1 else size + 1

    def improve(self, held: str, most: int, deadline: Deadline) -> None:
        """Keeps more of the facts in the table `held`, which can never be worth more than `most`.

        In as many rounds as the work allows, some of what was suppressed is restored, facts are suppressed anew and
        what can be is put back (`refill`); the best that was found is kept (ruin and recreate: G. Schrimpf et al.:
        Record breaking optimization results using the ruin and recreate principle. 2000). The work is counted in
        facts, so that the same table gives the same whatever the machine; only a time limit ends it by the clock.
        Raises EngineError.
        """
        self.restore(held)
        refills = self._weighs and self._may_restore
        if refills:
            self.refill(held, 0)
        facts = _row_count(self.engine.run(copy(state(_BEST), state(KEPT))))
        rounds = _ROUNDS
        if refills:
            rounds = _REFILLED if facts > _FEW else _REFILLED_OF_FEW
        self._chance = rounds.chance
        best = self.worth()
        if rounds is _REFILLED_OF_FEW and best < most:
            best = self._begin_greedily(held, best)
        work, gained = max(facts * rounds.work, 1), -1
        for number in range(min(rounds.most, _FEW_ROUNDS + facts // _FACTS_A_ROUND, _WORK // work)):
            if best >= most or number - gained > rounds.idle or deadline.passed():
                break
            share = rounds.shares[number // 2 % len(rounds.shares)]
            draw = {"of_persons": number % 2 == 1, "share": share, "draw": number}
            names = {"restored": state(_NEXT), "held": held, "best": state(_BEST)}
            self.engine.query(f"{_ROOM}/restored", names=names, values=draw)
            self._take(state(_NEXT))
            self.suppress(number)
            if refills:
                self.refill(held, number)
            worth = self.worth()
            gained = number if worth > best else gained
            if worth >= best:
                self.engine.run(copy(state(_BEST), state(KEPT)))
                best = worth
        self._take(state(_BEST))
        self.restore(held)

    def _begin_greedily(self, held: str, best: int) -> int:
        """Takes what a plain greedy program keeps where that is worth more than the `best` so far; what it is then."""
        for program, tables in _GREEDY.items():
            if self._take(held) * self.rare_pairs() > _GREEDY_WORK:
                break
            names = {**{hole: state(table) for hole, table in tables.items()}, "remaining": state(_NEXT)}
            self.engine.query(f"{_ROOM}/{program}", names=names, values={"k": self.required.k})
            self._take(state(_NEXT))
            self.suppress()
            self.refill(held, 0)
            worth = self.worth()
            if worth > best:
                self.engine.run(copy(state(_BEST), state(KEPT)))
                best = worth
        return best

    def refill(self, held: str, draw: int) -> None:
        """Puts facts back that one person alone could not keep, but enough persons together can.

        All are put back, and of what is rare then only facts go that were put back. What was kept before is frequent
        without them, so it stays. Of sets of two facts, without a bound of shares, where facts are weighed.
        """
        self.engine.run(copy(state(_GUARDED), state(KEPT)))
        self._take(held)
        self.suppress(draw)
        self.restore(held)
        self.engine.run(empty(state(_GUARDED), _FACT_OF_PERSON))

    def restore(self, held: str) -> None:
        """Restores suppressed facts that make no set rare, one of a person at a time."""
        if not self._may_restore:
            return
        while True:
            told_facts = self.dependent.told(held, state(KEPT)) if self.dependent else held
            names = {
                "held": told_facts,
                "kept": state(KEPT),
                "support": state(SUPPORT),
                "pair_counts": state(PAIR_COUNTS),
            }
            holes = {**names, "restorable": state(_RESTORABLE)}
            if not _row_count(self.engine.query(f"{_ROOM}/restorable", names=holes, values={"k": self.required.k})):
                return
            self.engine.query(f"{_ROOM}/with_restored", names={"kept": state(KEPT), "restorable": state(_RESTORABLE)})
            self._count_support()
            self._follow(state(_RESTORABLE), "pairs_more")

    def worth(self) -> int:
        """What the facts that are kept are worth together, in millionths of a pair of a person and a fact."""
        return int(self.engine.query(f"{_ROOM}/worth", names={"kept": state(KEPT)})[0][0])

    def _count_support(self) -> None:
        self.engine.query(f"{_ROOM}/support", names={"kept": state(KEPT), "support": state(SUPPORT)})

    def _view(self, name: str) -> str:
        """A further view of the facts that are kept, so that they can be joined with themselves."""
        view = state(name)
        self.engine.query(f"{_ROOM}/member", names={"member": view, "kept": state(KEPT)})
        return view

    def _rare_holders(self) -> int:
        """Makes the table of facts of persons that fewer than k persons keep; how many there are."""
        names = {"kept": state(KEPT), "support": state(SUPPORT), "victims": state(_VICTIMS)}
        return _row_count(self.engine.query(f"{_ROOM}/rare_holders", names=names, values={"k": self.required.k}))

    def _drop(self, victims: str) -> None:
        """Takes facts of persons out of KEPT."""
        self.engine.query(
            f"{_ROOM}/without_victims", names={"kept": state(KEPT), "victims": victims, "remaining": state(_NEXT)}
        )
        self.engine.run(copy(state(KEPT), state(_NEXT)))

    def _remove(self, victims: str) -> None:
        """Suppresses the facts in a table (person, fact), and counts what is left."""
        self._follow(victims, "pairs_less")
        self._drop(victims)
        self._count_support()

    def _follow(self, changed: str, file: str) -> None:
        """Brings PAIR_COUNTS up to date with facts that are about to be suppressed, or were restored."""
        if not self._of_pairs:
            return
        names = {"changed": changed, "kept": state(KEPT), "touched": state(_TOUCHED)}
        self.engine.query(f"{_ROOM}/pairs_touched", names=names)
        names = {"pair_counts": state(PAIR_COUNTS), "touched": state(_TOUCHED), "remaining": state(_NEXT)}
        self.engine.query(f"{_ROOM}/{file}", names=names)
        self.engine.run(copy(state(PAIR_COUNTS), state(_NEXT)))

    def _suppress_rare_facts(self) -> bool:
        """Suppresses the facts that fewer than k persons keep; whether there were any."""
        if not self._rare_holders():
            return False
        self._remove(state(_VICTIMS))
        return True

    def _suppress_rare_sets(self, size: int, turns: int, draw: int | None) -> bool:
        """Suppresses one fact or more of each rare set of `size` facts; whether there were any."""
        rare, changed = False, True
        members = self._members(size) if size > 2 else []
        for turn in range(turns if turns == 1 else min(turns, self._last_person() + 1)):
            if turn and changed:
                self._suppress_rare_facts()
            # A turn of nobody who keeps a rare set leaves them as they are.
            if changed and not self._rare_sets(size, members):
                break
            rare = True
            names: dict[str, Fill] = {
                "kept": state(KEPT),
                "rare": state(RARE),
                "shortages": state(_SHORTAGES[0]),
                "support": state(SUPPORT),
            }
            values: dict[str, object] = {"turn": turn, "turns": turns}
            if size == 2:
                left = self._shortages_of_pairs(names, values)
            else:
                left = self.engine.query(f"{_ROOM}/shortages", names=names, lists={"member": members}, values=values)
            changed = _row_count(left) > 0
            self._end_shortages(_row_count(left), draw)
        return rare

    def _last_person(self) -> int:
        """The greatest number of a person who keeps facts: of few persons nobody has a later turn."""
        last = exp.select(exp.Max(this=column("person"))).from_(exp.Table(this=quoted(state(KEPT))))
        return int(self.engine.run(last)[0][0] or 0)

    def _shortages_of_pairs(self, names: dict[str, Fill], values: dict[str, object]) -> list[tuple[object, ...]]:
        if not self._weighs:
            return self.engine.query(f"{_ROOM}/shortages_of_pairs", names=names, values=values)
        names = {**names, "pair_counts": state(PAIR_COUNTS), "guarded": state(_GUARDED)}
        return self.engine.query(f"{_ROOM}/shortages_weighed", names=names, values={**values, "k": self.required.k})

    def _rare_sets(self, size: int, members: list[Item]) -> int:
        """Makes the table RARE of the sets of `size` facts that fewer than k persons keep; how many there are."""
        if size == 2:
            return self.rare_pairs()
        names, lists = {"kept": state(KEPT), "rare": state(RARE)}, {"member": members}
        return _row_count(
            self.engine.query(f"{_ROOM}/rare_sets", names=names, lists=lists, values={"k": self.required.k})
        )

    def rare_pairs(self) -> int:
        """Makes the table RARE (number, pair) of two facts that fewer than k persons keep; how many there are."""
        names, values = {"pair_counts": state(PAIR_COUNTS), "rare": state(RARE)}, {"k": self.required.k}
        return _row_count(self.engine.query(f"{_ROOM}/rare_pairs", names=names, values=values))

    def _end_shortages(self, left: int, draw: int | None) -> None:
        """Suppresses a fact of a person at a time until none of the `left` rows of SHORTAGES is left."""
        chance = {"draw": draw or 0, "most_chance": 0 if draw is None else self._chance}
        now, then = map(state, _SHORTAGES)
        suppressed = False
        while left:
            names = {"victims": state(_VICTIMS), "shortages": now}
            self.engine.query(f"{_ROOM}/victims", names=names, values=chance)
            file = "more_victims" if suppressed else "first_victims"
            self.engine.query(f"{_ROOM}/{file}", names={"of_all": state(_ALL), "victims": state(_VICTIMS)})
            left = _row_count(self.engine.query(f"{_ROOM}/ended", names={**names, "remaining": then}))
            now, then, suppressed = then, now, True
        if suppressed:
            self._remove(state(_ALL))

    def _members(self, size: int) -> list[Item]:
        """The further facts of sets of `size`: each is looked for in a view of its own of the facts that are kept."""
        members: list[Item] = []
        previous = column("fact", state(KEPT))
        for i in range(1, size):
            view = self._view(f"facts_member_{i}")
            members.append({"kept": view, "previous": previous, "fact": f"fact_{i}"})
            previous = column("fact", view)
        return members


def _row_count(rows: list[tuple[object, ...]]) -> int:
    """The number of rows of the table that a statement has made, which the engine gives."""
    return int(str(rows[0][0]))
