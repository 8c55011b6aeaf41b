"""The adversaries, singling out, linkability and inference: how often each succeeds, and by how much more often than
against others, the risk.

The interval of a share is that of E. B. Wilson: Probable inference, the law of succession, and statistical inference,
JASA 22, 1927; that of a difference of two shares is made of theirs: R. G. Newcombe, Interval estimation for the
difference between independent proportions, Statistics in Medicine 17, 1998, method 10.

Singling out: predicates made of released rows that hold for exactly one row of the source.

A predicate says what labels one or several columns have. The rarest combinations of labels are tried: those of one
released row, or where there are none those of the fewest. Blindly labels are drawn column by column. The same
predicates are counted in the control group: what isolates a row there as well tells nothing of who was in the source.

Inference: the value of a column is guessed from the quasi-identifiers by the nearest released classes.

The guess is the most frequent value there, of several that are as frequent any; blindly it is the most frequent value
of the whole release. Of numbers and dates of more than 20 values the twentieth of the rows is guessed that a value lies
in.

Linkability: two parts of what is known of somebody, from two places, are brought together by the release.

For each part the nearest released rows are looked up and one of them is taken at random; the parts are linked where
both times the same row is taken. The chance of that is summed, no row is drawn. Blindly the chance is one in as many
rows as were released.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from math import sqrt
from random import Random
from statistics import NormalDist
from typing import TYPE_CHECKING

from sqlglot import exp

from kanon_sql.measures.attack.board import Attacked, Board, Known, coded, combinations_of, draw_targets, find_nearest
from kanon_sql.sql.template import Fill, Item, column, state

if TYPE_CHECKING:
    from kanon_sql.results.attack import (
        Attack,
        Linkability,
        PlayedAttacks,
        Predicates,
        SinglingOut,
        StrongestAttack,
    )

CONFIDENCE = 0.95
_Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


@dataclass(frozen=True)
class Tries:
    """So many guesses of which so many were right: a sum of chances where one of several was taken at random."""

    right: float
    guesses: int

    @property
    def share(self) -> float:
        """How often it succeeded."""
        return self.right / self.guesses

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's interval of the share."""
        n, square = self.guesses, _Z * _Z
        middle = (self.right + square / 2) / (n + square)
        half = _Z / (n + square) * sqrt(max(self.right * (n - self.right) / n, 0.0) + square / 4)
        return max(middle - half, 0.0), min(middle + half, 1.0)


@dataclass(frozen=True)
class Played:
    """One attack: on rows of the source, blindly, and on rows that were never released, where there are any."""

    main: Tries
    baseline: Tries
    control: Tries | None

    @property
    def difference(self) -> float:
        """By how much the share of success is above that of the control group, or without one of blind guessing."""
        return self.main.share - (self.control or self.baseline).share

    @property
    def interval(self) -> tuple[float, float]:
        """Newcombe's interval of the difference."""
        against = self.control or self.baseline
        share, (low, high) = self.main.share, self.main.interval
        other, (other_low, other_high) = against.share, against.interval
        lower = self.difference - sqrt((share - low) ** 2 + (other_high - other) ** 2)
        return lower, self.difference + sqrt((high - share) ** 2 + (other - other_low) ** 2)

    @property
    def strength(self) -> tuple[float, float, int]:
        """What the stronger of two attacks has more of: what it surely gains, what it gains, guesses."""
        return _clipped(self.interval[0]), _clipped(self.difference), self.main.guesses

    def entry(self) -> Attack:
        """The attack in the report: shares, the risk with its interval, intervals of the shares, numbers of guesses."""
        other, control = (self.control or self.baseline).share, self.control
        return {
            "main": self.main.share,
            "baseline": self.baseline.share,
            "control": None if control is None else control.share,
            "risk": _clipped(self.difference),
            "interval": [_clipped(end) for end in self.interval],
            "normalized_risk": _clipped(self.difference / (1 - other)) if other < 1 else 0.0,
            "intervals": {
                "main": list(self.main.interval),
                "baseline": list(self.baseline.interval),
                "control": None if control is None else list(control.interval),
            },
            "guesses": {
                "main": self.main.guesses,
                "baseline": self.baseline.guesses,
                "control": None if control is None else control.guesses,
            },
        }


def _clipped(value: float) -> float:
    return min(max(value, 0.0), 1.0)


MOST_SETS, MOST_OF_A_SET, LARGEST_SET = 8, 500, 4
BITS = 120  # of a word, a HUGEINT


def play_singling_out(board: Board) -> SinglingOut:
    """How many predicates over the quasi-identifiers isolate a row, and beside that how many over all columns.

    The predicates of the greater risk (its interval's lower end), of one column or of several, speak for both.
    """
    own = {attacked.key for attacked in board.quasi_identifiers}
    strongest = _strongest(board, board.quasi_identifiers, set())
    return {**strongest, "all_columns": _strongest(board, board.columns, own) if board.others else None}


def _strongest(board: Board, columns: Sequence[Attacked], own: set[str]) -> StrongestAttack:
    """The attacks by one and by several columns, of which some are not known already; the greater risk before both."""
    several = draw_sets(columns, Random(board.seed))
    tried: dict[Predicates, list[tuple[Attacked, ...]]] = {
        "one_column": [(attacked,) for attacked in columns],
        "several_columns": several,
    }
    played: dict[Predicates, Played] = {}
    for name, sets in tried.items():
        playable = [subset for subset in sets if not {column.key for column in subset} <= own]
        if playable:
            played[name] = _play(board, playable)
    best = max(played, key=lambda name: played[name].strength)
    one_column, several_columns = (played[name].entry() if name in played else None for name in tried)
    return {
        **played[best].entry(),
        "predicates": best,
        "one_column": one_column,
        "several_columns": several_columns,
    }


def draw_sets(columns: Sequence[Attacked], random: Random) -> list[tuple[Attacked, ...]]:
    """Sets of 2 to 4 columns, and the set of all."""
    largest = min(LARGEST_SET, len(columns))
    every = [combination for size in range(2, largest + 1) for combination in combinations(columns, size)]
    drawn = every if len(every) <= MOST_SETS else random.sample(every, MOST_SETS)
    return drawn + ([tuple(columns)] if len(columns) > LARGEST_SET else [])


@dataclass
class _Tries:
    """Predicates that were tried, and how many of them isolated a row: main, blindly, in the control group."""

    predicates: int = 0
    main: int = 0
    blind: int = 0
    control: int = 0

    def add(self, isolated: dict[tuple[str, bool], tuple[int, int]]) -> None:
        """Adds a set of columns; by side and whether labels were drawn, predicates and those that isolate."""
        self.predicates += isolated["source", False][0]
        self.main += isolated["source", False][1]
        self.blind += isolated["source", True][1]
        self.control += isolated.get(("control", False), (0, 0))[1]


def _play(board: Board, sets: Sequence[tuple[Attacked, ...]]) -> Played:
    """Tries predicates over some sets of columns: those that one released row fulfils, or else the rarest."""
    counts = {True: _Tries(), False: _Tries()}
    most = min(-(-board.attacks // len(sets)), MOST_OF_A_SET)
    for columns in sets:
        for is_alone, isolated in _try(board, columns, most).items():
            counts[is_alone].add(isolated)
    counted = counts[counts[True].predicates > 0]
    control = Tries(counted.control, counted.predicates) if board.controlled else None
    return Played(Tries(counted.main, counted.predicates), Tries(counted.blind, counted.predicates), control)


def _try(board: Board, columns: Sequence[Attacked], most: int) -> dict[bool, dict[tuple[str, bool], tuple[int, int]]]:
    """By whether one released row fulfils them: how many predicates there are, and how many isolate a row."""
    items: list[Item] = [
        {"code": attacked.key, "labels": attacked.labels, "number": attacked.compared.index} for attacked in columns
    ]
    names: dict[str, Fill] = {"combinations": combinations_of(board, "release", columns)}
    values = {"most": most, "bits": BITS, "seed": board.seed}
    board.engine.query("measures/attack/predicates", names=names, lists={"item": items}, values=values)
    words: list[Item] = [{"name": f"w{number}", "number": number} for number in range(-(-2 * most // BITS))]
    for attacked in columns:
        masks: dict[str, Fill] = {"this_code": attacked.key}
        masks |= {name: attacked.table(name) for name in ("masks", "runs", "ranks")}
        board.engine.query("measures/attack/masks", names=masks, lists={"word": words})
    counts: dict[bool, dict[tuple[str, bool], tuple[int, int]]] = {}
    for side in ("source", "control") if board.controlled else ("source",):
        for is_alone, is_random, guesses, isolated in _isolated(board, side, columns, words):
            counts.setdefault(bool(is_alone), {})[side, bool(is_random)] = int(guesses), int(isolated)
    return counts


def _isolated(
    board: Board, side: str, columns: Sequence[Attacked], words: list[Item]
) -> Iterator[tuple[bool, int, int, int]]:
    """(of one released row, labels drawn, predicates, those that isolate) in the rows of a side."""
    who: list[Item] = [{"least": "least", "most": "most"}] if board.by_person else []
    items: list[Item] = [{"code": attacked.key, "masks": attacked.table("masks")} for attacked in columns]
    fulfilled: list[Item] = [{"name": word["name"], "value": _fulfilled(columns, str(word["name"]))} for word in words]
    lists = {"item": items, "word": fulfilled, "person": who}
    rows = {"combinations": combinations_of(board, side, columns)}
    board.engine.query("measures/attack/hits", names=rows, lists=lists)
    lists = {"word": words, "person": who}
    values = {"by_person": board.by_person}
    yield from board.engine.query("measures/attack/isolated", lists=lists, values=values)


def _fulfilled(columns: Sequence[Attacked], word: str) -> exp.Expr:
    """The predicates of a word that hold for a row: those that do in each of its columns."""
    words: list[exp.Expr] = [column(word, attacked.table("masks")) for attacked in columns]
    return reduce(lambda left, right: exp.BitwiseAnd(this=left, expression=right), words)


MOST_GUESSED = 20  # values that are guessed one by one


def play_inference(board: Board) -> dict[str, Attack]:
    """How often each column beside the quasi-identifiers is guessed rightly, sensitive ones first."""
    if not board.others:
        return {}
    knowledge = Known.of(board.quasi_identifiers, "known")
    find_nearest(board, knowledge)
    scope: dict[str, Fill] = {name: state(f"attack_{name}") for name in ("groups", "told", "pools", "guesses")}
    scope |= {"near": knowledge.table("near"), "release_rows": coded("release"), "class_key": knowledge.key}
    board.engine.query("measures/attack/pools", scope=scope)
    return {other.name: _guess(board, other, scope) for other in board.others}


def _guess(board: Board, attacked: Attacked, scope: dict[str, Fill]) -> Attack:
    engine = board.engine
    names = {
        **scope,
        **{name: attacked.table(name) for name in ("runs", "ranks")},
        "this_code": attacked.key,
        "this_rank": attacked.key,
    }
    engine.query("measures/attack/groups", scope=names, values={"most": MOST_GUESSED, "ordered": attacked.ordered})
    for query in ("told", "guesses"):
        engine.query(f"measures/attack/{query}", scope=names)
    rows = engine.query("measures/attack/guessed", scope=names)
    main = {bool(is_control): Tries(float(guessed), int(guesses)) for is_control, guesses, guessed, _ in rows}
    blind = next(Tries(float(common), int(guesses)) for is_control, guesses, _, common in rows if not is_control)
    return Played(main[False], blind, main.get(True)).entry()


def play_linkability(board: Board) -> Linkability | None:
    """How often the two parts of a person are linked, None with fewer than two columns."""
    parts = divide(board.columns)
    if not all(parts):
        return None
    left, right = (Known.of(part, side) for part, side in zip(parts, ("left", "right"), strict=True))
    names: dict[str, Fill] = {"left_key": left.key, "right_key": right.key}
    names |= {"joint": state("attack_joint"), "release_rows": coded("release")}
    board.engine.query("measures/attack/joint", names=names)
    for knowledge in (left, right):
        find_nearest(board, knowledge)
    scope: dict[str, Fill] = {"joint": state("attack_joint")}
    scope["both_near"] = state("attack_both_near")
    for knowledge in (left, right):
        scope |= {f"{knowledge.name}_{table}": knowledge.table(table) for table in ("near", "classes")}
        scope[f"{knowledge.name}_last"] = knowledge.nodes[-1]
    board.engine.query("measures/attack/both", scope=scope)
    rows = board.engine.query("measures/attack/linked", scope=scope)
    tries = {bool(is_control): Tries(float(linked), int(guesses)) for is_control, guesses, linked in rows}
    blind = Tries(tries[False].guesses / board.rows["release"], tries[False].guesses)
    played = Played(tries[False], blind, tries.get(True))
    return {**played.entry(), "columns": [[attacked.name for attacked in part] for part in parts]}


def divide(columns: tuple[Attacked, ...]) -> tuple[list[Attacked], list[Attacked]]:
    """Two parts that tell about as much: columns of most labels are dealt out first."""
    by_labels = sorted(columns, key=lambda attacked: (-attacked.labels, attacked.compared.index))
    parts: tuple[list[Attacked], list[Attacked]] = ([], [])
    for place, attacked in enumerate(by_labels):
        parts[(0, 1, 1, 0)[place % 4]].append(attacked)
    return parts


def play_all(board: Board, step: Callable[[str, str], AbstractContextManager[None]], played: PlayedAttacks) -> None:
    """The three attacks, each put into what was `played` and announced by a step. Raises TimeUpError."""
    with step("singling_out", "singling out"):
        played["singling_out"] = play_singling_out(board)
    with step("linkability", "linking"):
        draw_targets(board)
        played["linkability"] = play_linkability(board)
    with step("inference", "inferring"):
        played["inference"] = play_inference(board)


def none_played() -> PlayedAttacks:
    """What is there before `play_all`."""
    return {"singling_out": None, "linkability": None, "inference": {}}
