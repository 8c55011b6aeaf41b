"""Linkability: two parts of what is known of somebody, from two places, are brought together by the release.

For each part the nearest released rows are looked up and one of them is taken at random; the parts are linked where
both times the same row is taken. The chance of that is summed, no row is drawn. Blindly the chance is one in as many
rows as were released.
"""

from __future__ import annotations

from kanon_sql.commands.attack.board import Attacked, Board, coded
from kanon_sql.commands.attack.nearest import Known, find_nearest
from kanon_sql.commands.attack.rates import Played, Tries
from kanon_sql.report.report import Json
from kanon_sql.sql.template import Fill, state


def play_linkability(board: Board) -> Json | None:
    """How often the two parts of a person are linked, None with fewer than two columns."""
    parts = divide(board.columns)
    if not all(parts):
        return None
    left, right = (Known.of(part, side) for part, side in zip(parts, ("left", "right"), strict=True))
    names: dict[str, Fill] = {"left_key": left.key, "right_key": right.key}
    names |= {"joint": state("attack_joint"), "release_rows": coded("release")}
    board.engine.query("commands/attack/joint", names=names)
    for known in (left, right):
        find_nearest(board, known)
    scope: dict[str, Fill] = {"targets": state("attack_targets"), "joint": state("attack_joint")}
    scope["both_near"] = state("attack_both_near")
    for known in (left, right):
        scope |= {f"{known.name}_{table}": known.table(table) for table in ("near", "classes")}
        scope[f"{known.name}_last"] = known.nodes[-1]
    board.engine.query("commands/attack/both", scope=scope)
    found = board.engine.query("commands/attack/linked", scope=scope)
    tries = {bool(is_control): Tries(float(linked), int(asked)) for is_control, asked, linked in found}
    blind = Tries(tries[False].guesses / board.rows["release"], tries[False].guesses)
    played = Played(tries[False], blind, tries.get(True))
    return {**played.entry(), "columns": [[one.name for one in part] for part in parts]}


def divide(columns: tuple[Attacked, ...]) -> tuple[list[Attacked], list[Attacked]]:
    """Two parts that tell about as much: columns of most labels are dealt out first."""
    by_labels = sorted(columns, key=lambda one: (-one.labels, one.one.index))
    parts: tuple[list[Attacked], list[Attacked]] = ([], [])
    for place, one in enumerate(by_labels):
        parts[(0, 1, 1, 0)[place % 4]].append(one)
    return parts
