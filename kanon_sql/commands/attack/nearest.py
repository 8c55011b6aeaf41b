"""The released classes that are nearest to somebody of whom some columns are known.

A class whose labels stand for all that is known is at distance 0. Columns are looked at one after the other, and only
beginnings of classes that match so far go on. For whom no class stands, as perhaps for a row of the control group, all
classes are compared: a number or date is as far from a label as from the nearest value that it stands for, as a share
of the range of the column, everything else 1 (J. C. Gower: A general coefficient of similarity and some of its
properties, Biometrics 27, 1971). Of classes at one distance those whose labels stand for the fewest values are taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from kanon_sql.commands.attack.board import Attacked, Board, coded
from kanon_sql.sql.template import Fill, Item, column, state

MOST_PAIRS = 2_000_000  # of somebody for whom no class stands with a class
MOST_NEAREST = 999_999  # of one person: before version 2 the engine keeps no more by arg_min


@dataclass(frozen=True)
class Known:
    """Columns that an adversary knows, those of few labels first; `name` tells their tables from others."""

    columns: tuple[Attacked, ...]
    name: str

    @classmethod
    def of(cls, columns: Sequence[Attacked], name: str) -> Known:
        """The columns in the order in which classes are looked through."""
        return cls(tuple(sorted(columns, key=lambda one: (one.labels, one.one.index))), name)

    @property
    def nodes(self) -> list[str]:
        """The columns of the classes that name what they begin with."""
        return [f"n{place}" for place in range(len(self.columns))]

    @property
    def key(self) -> exp.Expr:
        """The name of a class, over the columns of codes."""
        return _named(self.columns)

    def table(self, name: str) -> str:
        """One of its tables: classes(codes, nodes, row_count), near(target, node)."""
        return state(f"attack_{self.name}_{name}")


def _named(columns: Sequence[Attacked]) -> exp.Expr:
    return exp.Anonymous(this="hash", expressions=[exp.Array(expressions=[column(one.key) for one in columns])])


def draw_targets(board: Board) -> None:
    """Makes the table targets(target, is_control, ranks), and for each column the labels that stand for these."""
    names = {"targets": state("attack_targets"), "source_rows": coded("source"), "control_rows": coded("control")}
    items: list[Item] = [{"code": one.key} for one in board.columns]
    values = {"attacks": board.attacks, "seed": board.seed}
    board.engine.query("commands/attack/targets", names=names, lists={"item": items}, values=values)
    for one in board.columns:
        board.engine.query("commands/attack/cover", scope=_names(one))


def _names(one: Attacked) -> dict[str, Fill]:
    own = {name: one.table(name) for name in ("runs", "ranks", "cover")}
    return {**own, "targets": state("attack_targets"), "this_code": one.key, "this_rank": one.key}


def find_nearest(board: Board, known: Known) -> int:
    """Makes the tables classes and near of the columns; for how many no class stands."""
    engine = board.engine
    scope: dict[str, Fill] = {
        name: state(f"attack_{name}") for name in ("targets", "pairs", "lonely", "candidates", "far")
    }
    scope |= {"classes": known.table("classes"), "near": known.table("near"), "last_node": known.nodes[-1]}
    items: list[Item] = [
        {
            "code": one.key,
            "rank": one.key,
            "node": known.nodes[place],
            "prefix": _named(known.columns[: place + 1]),
            "widths": one.table("widths"),
            "distances": one.table("distances"),
        }
        for place, one in enumerate(known.columns)
    ]
    lists = {"known": items}
    named: dict[str, Fill] = {"release_rows": coded("release"), "classes": known.table("classes")}
    engine.query("commands/attack/classes", names=named, lists=lists)
    _match(board, known)
    engine.query("commands/attack/lonely", scope=scope, lists=lists)
    lonely = _count(board, scope["lonely"])
    values = {"most": min(MOST_PAIRS // max(lonely, 1), MOST_NEAREST), "seed": board.seed}
    engine.query("commands/attack/candidates", scope=scope, lists=lists, values=values)
    for one in known.columns:
        own = {**_names(one), **scope, "column_distances": one.table("distances")}
        engine.query("commands/attack/column_distances", scope=own, values={"ordered": one.ordered})
    engine.query("commands/attack/distances", scope=scope, lists=lists)
    engine.query("commands/attack/nearest", scope=scope, lists=lists)
    return lonely


def _match(board: Board, known: Known) -> None:
    """Makes the table pairs(target, node) of the classes that stand for somebody."""
    pairs, following = (state(f"attack_{name}") for name in ("pairs", "next_pairs"))
    root = {"pairs": pairs, "targets": state("attack_targets")}
    board.engine.query("commands/attack/root", names=root)
    parent: Fill = 0
    for one, node in zip(known.columns, known.nodes, strict=True):
        names: dict[str, Fill] = {**_names(one), "classes": known.table("classes"), "pairs": pairs}
        names |= {"next_pairs": following, "this_node": node, "parent_node": parent}
        _descend(board, names)
        pairs, following, parent = following, pairs, node
    if pairs != state("attack_pairs"):
        board.engine.query("commands/attack/take_pairs", names={"pairs": following, "next_pairs": pairs})


def _descend(board: Board, names: dict[str, Fill]) -> None:
    """Makes next_pairs of pairs, by way of whatever is fewer: labels that stand for a value, or longer beginnings."""
    names["wanted"] = state("attack_wanted")
    by_labels, by_classes = board.engine.query("commands/attack/choices", scope=names)[0]
    ways = ("wanted", "descend_by_labels") if by_labels <= by_classes else ("longer", "descend_by_classes")
    for query in ways:
        board.engine.query(f"commands/attack/{query}", scope=names)


def _count(board: Board, table: Fill) -> int:
    return int(board.engine.query("commands/attack/total", names={"table_rows": table})[0][0])
