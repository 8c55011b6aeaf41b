"""Singling out: predicates made of released rows that hold for exactly one row of the source.

A predicate says what labels one or several columns have. The rarest combinations of labels are tried: those of one
released row, or where there are none those of the fewest. Blindly labels are drawn column by column. The same
predicates are counted in the control group: what isolates a row there as well tells nothing of who was in the source.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from random import Random

from sqlglot import exp

from kanon_sql.commands.attack.board import Attacked, Board, coded
from kanon_sql.commands.attack.rates import Played, Tries
from kanon_sql.report.report import Json
from kanon_sql.sql.template import Fill, Item, column, state

MOST_SETS, MOST_OF_A_SET, LARGEST_SET = 8, 500, 4
BITS = 120  # of a word, a HUGEINT


def play_singling_out(board: Board) -> Json:
    """How many predicates over the quasi-identifiers isolate a row, and beside that how many over all columns.

    The predicates of the greater risk (its interval's lower end), of one column or of several, speak for both.
    """
    own = {one.key for one in board.quasi_identifiers}
    found = _strongest(board, board.quasi_identifiers, set())
    return {**found, "all_columns": _strongest(board, board.columns, own) if board.others else None}


def _strongest(board: Board, columns: Sequence[Attacked], known: set[str]) -> Json:
    """The attacks by one and by several columns, of which some are not known already; the greater risk before both."""
    several = draw_sets(columns, Random(board.seed))
    tried: dict[str, list[tuple[Attacked, ...]]] = {
        "one_column": [(one,) for one in columns],
        "several_columns": several,
    }
    played: dict[str, Played] = {}
    for name, sets in tried.items():
        asked = [one for one in sets if not {column.key for column in one} <= known]
        if asked:
            played[name] = _play(board, asked)
    best = max(played, key=lambda name: played[name].strength)
    entries = {name: played[name].entry() if name in played else None for name in tried}
    return {**played[best].entry(), "predicates": best, **entries}


def draw_sets(columns: Sequence[Attacked], random: Random) -> list[tuple[Attacked, ...]]:
    """Sets of 2 to 4 columns, and the set of all."""
    largest = min(LARGEST_SET, len(columns))
    every = [one for size in range(2, largest + 1) for one in combinations(columns, size)]
    drawn = every if len(every) <= MOST_SETS else random.sample(every, MOST_SETS)
    return drawn + ([tuple(columns)] if len(columns) > LARGEST_SET else [])


@dataclass
class _Count:
    """Predicates that were tried, and how many of them isolated a row: main, blindly, in the control group."""

    asked: int = 0
    main: int = 0
    blind: int = 0
    control: int = 0

    def add(self, isolated: dict[tuple[str, bool], tuple[int, int]]) -> None:
        """Adds a set of columns; by side and whether labels were drawn, predicates and those that isolate."""
        self.asked += isolated["source", False][0]
        self.main += isolated["source", False][1]
        self.blind += isolated["source", True][1]
        self.control += isolated.get(("control", False), (0, 0))[1]


def _play(board: Board, sets: Sequence[tuple[Attacked, ...]]) -> Played:
    """Tries predicates over some sets of columns: those that one released row fulfils, or else the rarest."""
    counts = {True: _Count(), False: _Count()}
    most = min(-(-board.attacks // len(sets)), MOST_OF_A_SET)
    for columns in sets:
        for is_alone, isolated in _try(board, columns, most).items():
            counts[is_alone].add(isolated)
    found = counts[counts[True].asked > 0]
    control = Tries(found.control, found.asked) if board.controlled else None
    return Played(Tries(found.main, found.asked), Tries(found.blind, found.asked), control)


def _try(board: Board, columns: Sequence[Attacked], most: int) -> dict[bool, dict[tuple[str, bool], tuple[int, int]]]:
    """By whether one released row fulfils them: how many predicates there are, and how many isolate a row."""
    items: list[Item] = [
        {"code": one.key, "labels": one.labels, "number": one.one.index, "masks": one.table("masks")} for one in columns
    ]
    names = {"predicates": state("attack_predicates"), "release_rows": coded("release")}
    values = {"most": most, "bits": BITS, "seed": board.seed}
    board.engine.query("commands/attack/predicates", names=names, lists={"item": items}, values=values)
    words: list[Item] = [
        {"name": f"w{number}", "number": number, "value": _fulfilled(columns, f"w{number}")}
        for number in range(-(-2 * most // BITS))
    ]
    for one in columns:
        masks = {"predicates": names["predicates"], "this_code": one.key}
        masks |= {name: one.table(name) for name in ("masks", "runs", "ranks")}
        board.engine.query("commands/attack/masks", names=masks, lists={"word": words})
    found: dict[bool, dict[tuple[str, bool], tuple[int, int]]] = {}
    for side in ("source", "control") if board.controlled else ("source",):
        for is_alone, is_random, asked, isolated in _isolated(board, side, items, words):
            found.setdefault(bool(is_alone), {})[side, bool(is_random)] = int(asked), int(isolated)
    return found


def _isolated(board: Board, side: str, items: list[Item], words: list[Item]) -> Iterator[tuple[bool, int, int, int]]:
    """(of one released row, labels drawn, predicates, those that isolate) in the rows of a side."""
    hits: dict[str, Fill] = {"hits": state("attack_hits")}
    who: list[Item] = [{"name": "person", "least": "least", "most": "most"}] if board.by_person else []
    lists = {"item": items, "word": words, "person": who}
    board.engine.query("commands/attack/hits", names={**hits, "table_rows": coded(side)}, lists=lists)
    names = {**hits, "predicates": state("attack_predicates")}
    lists = {"word": words, "person": who}
    values = {"by_person": board.by_person}
    yield from board.engine.query("commands/attack/isolated", names=names, lists=lists, values=values)


def _fulfilled(columns: Sequence[Attacked], word: str) -> exp.Expr:
    """The predicates of a word that hold for a row: those that do in each of its columns."""
    words: list[exp.Expr] = [column(word, one.table("masks")) for one in columns]
    return reduce(lambda left, right: exp.BitwiseAnd(this=left, expression=right), words)
