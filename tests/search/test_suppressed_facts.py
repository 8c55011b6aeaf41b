"""Facts of persons that are suppressed, counted again in plain Python after each step."""

from __future__ import annotations

import random
import runpy
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import pytest
from effort import tries
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kanon_sql.search.facts.confidence import Confidence
from kanon_sql.search.facts.suppression import KEPT, PAIR_COUNTS, FactsRequired, KeptFacts
from kanon_sql.sql.connection import Engine, EngineOptions, open_engine
from kanon_sql.sql.deadline import Deadline
from kanon_sql.sql.template import state

Facts = dict[int, set[int]]
_HELD = "kanon_sql_facts_held_for_a_test"
_BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "databases.py"


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with open_engine(EngineOptions()) as opened:
        yield opened


def hold(engine: Engine, facts: Facts) -> None:
    """The facts as the search holds them, each worth a whole pair."""
    rows = [(person, fact) for person, codes in facts.items() for fact in sorted(codes)]
    engine.run(f"CREATE OR REPLACE TEMP TABLE {_HELD} (person BIGINT, fact BIGINT, worth BIGINT)")
    if rows:
        engine.run(f"INSERT INTO {_HELD} VALUES {', '.join(f'({p}, {f}, 1000000)' for p, f in rows)}")


def kept(engine: Engine) -> Facts:
    facts: Facts = {}
    for person, fact in engine.run(f"SELECT person, fact FROM {state(KEPT)}"):
        facts.setdefault(person, set()).add(fact)
    return facts


def sets_of(facts: Facts, size: int) -> Counter[tuple[int, ...]]:
    """How many persons have each set of so many facts."""
    return Counter(chosen for codes in facts.values() for chosen in combinations(sorted(codes), size))


def require_right(engine: Engine, required: FactsRequired, held: Facts) -> Facts:
    """What is kept was held, nothing of it is rare, and the counts of pairs are those of what is kept."""
    facts = kept(engine)
    assert all(codes <= held[person] for person, codes in facts.items())
    for size in range(1, required.known + 1):
        assert all(persons >= required.k for persons in sets_of(facts, size).values()), (size, facts)
    if required.known > 1:
        counted = {
            (a, b): n for a, b, n in engine.run(f"SELECT first_fact, second_fact, persons FROM {state(PAIR_COUNTS)}")
        }
        assert counted == dict(sets_of(facts, 2))
    return facts


@pytest.mark.slow
@settings(max_examples=tries(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 1 << 30), k=st.integers(1, 5), known=st.integers(1, 3))
def test_nothing_rare_is_kept(engine: Engine, seed: int, k: int, known: int) -> None:
    draw = random.Random(seed)
    most = draw.choice([3, 6, 10])
    held = {person: {draw.randint(1, most) for _ in range(draw.randint(0, 6))} for person in range(draw.randint(1, 30))}
    hold(engine, held)
    required = FactsRequired(k, known)
    search = KeptFacts(engine, required)
    search.take(_HELD)
    search.suppress()
    before = require_right(engine, required, held)
    search.restore(_HELD)
    between = require_right(engine, required, held)
    filled = between
    if known == 2:
        search.refill(_HELD, seed)
        filled = require_right(engine, required, held)
        assert all(codes <= filled[person] for person, codes in between.items())
    search.improve(_HELD, sum(map(len, held.values())) * 1_000_000, Deadline())
    after = require_right(engine, required, held)
    sizes = [sum(map(len, facts.values())) for facts in (before, between, filled, after)]
    assert sizes == sorted(sizes)
    assert search.worth() == sizes[-1] * 1_000_000


@pytest.mark.slow
@settings(max_examples=tries(25), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 1 << 30), k=st.integers(2, 5))
def test_no_less_is_kept_than_by_plain_greedy_programs(engine: Engine, seed: int, k: int) -> None:
    draw = random.Random(seed)
    codes = draw.choice([4, 6, 10, 16])
    held = {
        person: {min(codes, int(draw.expovariate(3 / codes)) + 1) for _ in range(draw.randint(1, 7))}
        for person in range(draw.randint(5, 40))
    }
    hold(engine, held)
    required = FactsRequired(k, 2)
    search = KeptFacts(engine, required)
    search.take(_HELD)
    search.suppress()
    search.improve(_HELD, sum(map(len, held.values())) * 1_000_000, Deadline())
    pairs = sum(map(len, require_right(engine, required, held).values()))
    plain_programs = runpy.run_path(str(_BENCHMARK))
    assert pairs >= plain_programs["without_codes"](held, k)
    assert pairs >= plain_programs["without_single_facts"](held, k)


def test_a_fact_is_put_back_with_enough_persons_at_once(engine: Engine) -> None:
    """Each of two persons alone would have a pair that nobody shares; a third person's fact stays suppressed."""
    held = {0: {1, 2}, 1: {1, 2}, 2: {2, 3}, 3: {3}}
    suppressed = {0: {1}, 1: {1}, 2: {3}, 3: {3}}
    hold(engine, suppressed)
    required = FactsRequired(2, 2)
    search = KeptFacts(engine, required)
    search.take(_HELD)
    hold(engine, held)
    search.restore(_HELD)
    assert require_right(engine, required, held) == suppressed
    search.refill(_HELD, 0)
    assert require_right(engine, required, held) == {**held, 2: {3}}


def test_three_facts_that_one_person_has_together_are_not_kept(engine: Engine) -> None:
    """Each two of them are had by three persons."""
    held = {
        1: {1, 2, 3},
        **{2 + i: {1, 2} for i in range(2)},
        **{4 + i: {1, 3} for i in range(2)},
        6: {2, 3},
        7: {2, 3},
    }
    hold(engine, held)
    for known, pairs in ((2, 15), (3, 14)):
        search = KeptFacts(engine, FactsRequired(2, known))
        search.take(_HELD)
        search.suppress()
        assert sum(map(len, require_right(engine, FactsRequired(2, known), held).values())) == pairs


def test_what_exactly_k_persons_have_is_kept(engine: Engine) -> None:
    held = {person: {1, 2} for person in range(3)} | {3: {3}, 4: {3}, 5: {3}}
    hold(engine, held)
    required = FactsRequired(3, 2)
    search = KeptFacts(engine, required)
    search.take(_HELD)
    search.suppress()
    assert require_right(engine, required, held) == held


def test_two_facts_that_go_together_are_taken_off_once(engine: Engine) -> None:
    """The first person alone has 1 beside 2 and 3; since many have 1, she loses both others."""
    held = {0: {1, 2, 3}, **{person: {2, 3} for person in range(1, 4)}, **{person: {1} for person in range(4, 404)}}
    hold(engine, held)
    required = FactsRequired(2, 2)
    search = KeptFacts(engine, required)
    search.take(_HELD)
    search.suppress()
    assert require_right(engine, required, held)[0] == {1}


def test_turns_of_nobody_change_nothing_and_cost_little(engine: Engine) -> None:
    """Persons take the same turns where their numbers are greater by so many turns, of which then none is left out."""
    few = {person: {1, 2, 3} if person % 2 else {1, 2, 4} if person < 4 else {2, 3, 4} for person in range(7)}
    found, statements = [], []
    for first in (0, 3200):
        held = {person + first: codes for person, codes in few.items()}
        hold(engine, held)
        facts = KeptFacts(engine, FactsRequired(3, 2))
        facts.take(_HELD)
        before = engine.statements
        facts.suppress()
        statements.append(engine.statements - before)
        right = require_right(engine, FactsRequired(3, 2), held)
        found.append({person - first: codes for person, codes in right.items()})
    assert found[0] == found[1]
    assert found[0] != few
    assert 0 <= statements[1] - statements[0] <= 2 * (32 - 7)  # one of each turn of nobody, each time round


def test_a_fact_that_others_leave_with_too_few_persons_goes_too(engine: Engine) -> None:
    """The last person alone has both facts: whichever she loses in the last turn, too few others have it."""
    held = {0: {1}, 1: {2}, 2: {1, 2}}
    hold(engine, held)
    required = FactsRequired(2, 2)
    search = KeptFacts(engine, required)
    search.take(_HELD)
    search.suppress()
    assert sum(map(len, require_right(engine, required, held).values())) == 2


@pytest.mark.parametrize(
    ("k", "held", "values"),
    [
        # Each fact alone tells half of its persons' values, both together those of both who have them.
        (2, {1: {1, 2}, 2: {1, 2}, 3: {1}, 4: {1}, 5: {2}, 6: {2}}, "xxyyzz"),
        # Of three persons one of the two alike must lose the fact, and two are too few.
        (3, {1: {1}, 2: {1}, 3: {1}}, "xxy"),
    ],
)
def test_no_set_of_facts_tells_a_value_and_none_is_rare_then(engine: Engine, k: int, held: Facts, values: str) -> None:
    value_of = dict(enumerate(values, 1))
    rows = ", ".join(f"({person}, '{value}')" for person, value in value_of.items())
    engine.run(f"CREATE OR REPLACE TEMP TABLE told_for_a_test AS SELECT * FROM (VALUES {rows}) v(person, value)")
    hold(engine, held)
    required = FactsRequired(k, 2, Confidence("told_for_a_test", Fraction(1, 2)))
    search = KeptFacts(engine, required)
    search.take(_HELD)
    search.suppress()
    facts = require_right(engine, required, held)
    for size in (1, 2):
        for chosen, persons in sets_of(facts, size).items():
            told = Counter(value_of[person] for person, codes in facts.items() if codes.issuperset(chosen))
            assert 2 * max(told.values()) <= persons, (chosen, facts)
