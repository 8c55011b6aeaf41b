"""Facts of persons suppressed until every set of at most m of them that a person keeps is kept by at least k persons.

k^m-anonymity: M. Terrovitis, N. Mamoulis, P. Kalnis: Privacy-preserving anonymization of set-valued data. VLDB 2008.
Sets are counted level by level: those of two facts only once every single fact is frequent, and so on, so that only
frequent sets are joined. What is suppressed makes other sets rarer; so all is counted again until nothing is rare.
"""

from __future__ import annotations

from dataclasses import dataclass

from kanon_sql.sql.connection import Engine
from kanon_sql.sql.deadline import Deadline
from kanon_sql.sql.tables import copy
from kanon_sql.sql.template import Item, column, state

_ROOM = "search/facts"
KEPT = state("facts_kept")
_BEST, _VICTIMS, _ALL, _SUPPORT, _RARE, _RESTORED = (
    state(f"facts_{name}") for name in ("best", "victims", "all_victims", "support", "rare", "restored")
)
_SHORTAGES = (state("facts_shortages"), state("facts_shortages_left"))  # by turns
_TURNS, _MOST_IN_TURNS = 8, 1_000_000  # persons take turns where there are no more facts than this
_MOST_ROUNDS, _WORK = 400, 8_000_000  # rounds of restoring, and facts that are counted in all of them
_FEW_ROUNDS, _FACTS_A_ROUND = 20, 20  # so many, and one more for so many facts
_CHANCE = 0.3  # how much chance bears on the fact that is suppressed in these rounds
_SHARES = (20,)  # of 1,000 persons or facts: how many a round restores


@dataclass(frozen=True)
class FactsRequired:
    """What is asked of the facts: every set of at most `known` of them is kept by no person or by `k` at least."""

    k: int
    known: int


def suppress_facts(engine: Engine, held: str, required: FactsRequired) -> None:
    """Makes the table KEPT (person, fact, worth): of the facts in the table `held` those that are kept.

    Facts are suppressed one of a person at a time, until nothing is rare. Raises EngineError.
    """
    facts = _made(engine.run(copy(KEPT, held)))
    _suppress(engine, required, _TURNS if facts <= _MOST_IN_TURNS else 1)


def improve(engine: Engine, held: str, required: FactsRequired, most: int, deadline: Deadline) -> None:
    """Changes KEPT so that more is kept of the facts in the table `held`, which can never be worth more than `most`.

    In as many rounds as the work allows, some of what was suppressed is restored and facts are suppressed anew; the
    best that was found is kept (ruin and recreate: G. Schrimpf et al.: Record breaking optimization results using the
    ruin and recreate principle. 2000). The work is counted in facts, so that the same table gives the same whatever the
    machine; only a time limit ends it by the clock. Raises EngineError.
    """
    restore_facts(engine, held, required)
    facts = _made(engine.run(copy(_BEST, KEPT)))
    best = worth_of(engine, KEPT)
    for number in range(min(_MOST_ROUNDS, _FEW_ROUNDS + facts // _FACTS_A_ROUND, _WORK // max(facts, 1))):
        if best >= most or deadline.passed():
            break
        draw = {"of_persons": number % 2 == 1, "share": _SHARES[number // 2 % len(_SHARES)], "draw": number}
        engine.query(f"{_ROOM}/restored", names={"kept": KEPT, "held": held, "best": _BEST}, values=draw)
        _suppress(engine, required, 1, number)
        worth = worth_of(engine, KEPT)
        if worth >= best:
            engine.run(copy(_BEST, KEPT))
            best = worth
    engine.run(copy(KEPT, _BEST))
    restore_facts(engine, held, required)


def restore_facts(engine: Engine, held: str, required: FactsRequired) -> None:
    """Restores suppressed facts in KEPT that make no set rare, one of a person at a time; of sets of at most two facts.

    Raises EngineError.
    """
    if required.known != 2:
        return
    other = state("facts_other_kept")
    engine.query(f"{_ROOM}/member", names={"member": other, "kept": KEPT})
    while True:
        engine.query(f"{_ROOM}/support", names={"kept": KEPT, "support": _SUPPORT})
        names = {"held": held, "kept": KEPT, "other_kept": other, "support": _SUPPORT, "restorable": _RESTORED}
        if not _made(engine.query(f"{_ROOM}/restorable", names=names, values={"k": required.k})):
            return
        engine.query(f"{_ROOM}/with_restored", names={"kept": KEPT, "restorable": _RESTORED})


def worth_of(engine: Engine, table: str) -> int:
    """What the facts of persons in a table are worth together, in millionths of a pair."""
    return int(engine.query(f"{_ROOM}/worth", names={"kept": table})[0][0])


def _suppress(engine: Engine, required: FactsRequired, turns: int, draw: int | None = None) -> None:
    """Suppresses facts in KEPT until nothing is rare."""
    size = 1
    while size <= required.known:
        rare = (
            _suppress_rare_facts(engine, required.k)
            if size == 1
            else _suppress_rare_sets(engine, required.k, size, turns, draw)
        )
        # What was suppressed makes smaller sets rarer.
        size = 1 if rare and size > 1 else size + 1


def _suppress_rare_facts(engine: Engine, k: int) -> bool:
    """Suppresses the facts that fewer than `k` persons keep; whether there were any."""
    engine.query(f"{_ROOM}/support", names={"kept": KEPT, "support": _SUPPORT})
    if not engine.query(f"{_ROOM}/rare_facts", names={"support": _SUPPORT}, values={"k": k})[0][0]:
        return False
    names = {"kept": KEPT, "support": _SUPPORT, "frequent": _RESTORED}
    engine.query(f"{_ROOM}/without_rare", names=names, values={"k": k})
    engine.run(copy(KEPT, _RESTORED))
    return True


def _suppress_rare_sets(engine: Engine, k: int, size: int, turns: int, draw: int | None) -> bool:
    """Suppresses one fact or more of each rare set of `size` facts; whether there were any."""
    rare = False
    names, lists = {"kept": KEPT, "rare": _RARE}, {"member": _members(engine, size)}
    for turn in range(turns):
        if turn:
            _suppress_rare_facts(engine, k)
        if not _made(engine.query(f"{_ROOM}/rare_sets", names=names, lists=lists, values={"k": k})):
            break
        rare = True
        values = {"turn": turn, "turns": turns}
        holes = {**names, "shortages": _SHORTAGES[0], "support": _SUPPORT}
        left = _made(engine.query(f"{_ROOM}/shortages", names=holes, lists=lists, values=values))
        _end_shortages(engine, left, draw)
    return rare


def _end_shortages(engine: Engine, left: int, draw: int | None) -> None:
    """Suppresses a fact of a person at a time until nobody has a rare set of SHORTAGES, of which rows are `left`."""
    chance = {"draw": draw or 0, "most_chance": 0 if draw is None else _CHANCE}
    now, then = _SHORTAGES
    suppressed = False
    while left:
        names = {"victims": _VICTIMS, "shortages": now}
        engine.query(f"{_ROOM}/victims", names=names, values=chance)
        engine.query(
            f"{_ROOM}/{'more_victims' if suppressed else 'first_victims'}", names={"of_all": _ALL, "victims": _VICTIMS}
        )
        left = _made(engine.query(f"{_ROOM}/ended", names={**names, "remaining": then}))
        now, then, suppressed = then, now, True
    if suppressed:
        engine.query(f"{_ROOM}/without_victims", names={"kept": KEPT, "victims": _ALL, "remaining": _RESTORED})
        engine.run(copy(KEPT, _RESTORED))


def _members(engine: Engine, size: int) -> list[Item]:
    """The further facts of sets of `size`: each is looked for in a view of its own of the facts that are kept."""
    members: list[Item] = []
    previous = column("fact", KEPT)
    for i in range(1, size):
        view = state(f"facts_member_{i}")
        engine.query(f"{_ROOM}/member", names={"member": view, "kept": KEPT})
        members.append({"kept": view, "previous": previous, "fact": f"fact_{i}"})
        previous = column("fact", view)
    return members


def _made(rows: list[tuple[object, ...]]) -> int:
    """The number of rows of the table that a statement has made, which the engine gives."""
    return int(str(rows[0][0]))
