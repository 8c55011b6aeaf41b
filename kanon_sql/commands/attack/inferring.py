"""Inference: the value of a column is guessed from the quasi-identifiers by the nearest released classes.

The guess is the most frequent value there, of several that are as frequent any; blindly it is the most frequent value
of the whole release. Of numbers and dates of more than 20 values the twentieth of the rows is guessed that a value lies
in.
"""

from __future__ import annotations

from kanon_sql.commands.attack.board import Attacked, Board, coded
from kanon_sql.commands.attack.nearest import Known, find_nearest
from kanon_sql.commands.attack.rates import Played, Tries
from kanon_sql.report.report import Json
from kanon_sql.sql.template import Fill, state

MOST_GUESSED = 20  # values that are guessed one by one


def play_inference(board: Board) -> dict[str, Json]:
    """How often each column beside the quasi-identifiers is guessed rightly, sensitive ones first."""
    if not board.others:
        return {}
    known = Known.of(board.quasi_identifiers, "known")
    find_nearest(board, known)
    scope: dict[str, Fill] = {
        name: state(f"attack_{name}") for name in ("groups", "told", "pools", "guesses", "targets")
    }
    scope |= {"near": known.table("near"), "release_rows": coded("release"), "class_key": known.key}
    board.engine.query("commands/attack/pools", scope=scope)
    return {one.name: _guess(board, one, scope) for one in board.others}


def _guess(board: Board, one: Attacked, scope: dict[str, Fill]) -> Json:
    engine = board.engine
    names = {
        **scope,
        **{name: one.table(name) for name in ("runs", "ranks")},
        "this_code": one.key,
        "this_rank": one.key,
    }
    engine.query("commands/attack/groups", scope=names, values={"most": MOST_GUESSED, "ordered": one.ordered})
    for query in ("told", "guesses"):
        engine.query(f"commands/attack/{query}", scope=names)
    found = engine.query("commands/attack/guessed", scope=names)
    main = {bool(is_control): Tries(float(guessed), int(asked)) for is_control, asked, guessed, _ in found}
    blind = next(Tries(float(common), int(asked)) for is_control, asked, _, common in found if not is_control)
    return Played(main[False], blind, main.get(True)).entry()
