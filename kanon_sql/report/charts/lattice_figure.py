"""The lattice that was searched, as a figure: boxes or squares, or where it is large cells by height and loss.

The drawing says everything by itself; the script of the figures adds zoom, and the details of each node.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from math import prod

from kanon_sql.report.charts.diagram import clean
from kanon_sql.report.charts.figure import Figure, Panel
from kanon_sql.report.charts.lattice_boxes import draw_boxes
from kanon_sql.report.charts.lattice_cells import NOTE as CELLS_NOTE
from kanon_sql.report.charts.lattice_cells import LatticeCell, draw_cells, states_of
from kanon_sql.report.charts.lattice_marks import Layout, legend_of, state_of
from kanon_sql.report.charts.lattice_squares import NOTE as SQUARES_NOTE
from kanon_sql.report.charts.lattice_squares import draw_squares
from kanon_sql.report.page.model import LatticeFacts, NodeFacts
from kanon_sql.report.words import counted

MOST_SQUARES = 5_000

_MOST_LISTED = 200
_SATISFIES, _UNKNOWN, _MINIMAL, _WINNER, _BOUND = 1, 2, 4, 8, 16
# The widths of a page from which boxes of as many pixels are legible.
_WIDE = ((640, "small"), (860, "middle"), (1_200, "large"))


def draw_lattice(facts: LatticeFacts, name: str = "lattice") -> Figure:
    """Every choice of levels by its height: which satisfy, the minimal ones, the winner, and what is not known."""
    nodes = _completed(facts)
    title = f"The lattice: {facts.size:,} choices of levels" if facts.size != 1 else "The lattice: one choice of levels"
    alt = _words(facts, nodes)
    winner = next((node for node in nodes if node.winner), None)
    missing = facts.size - len(nodes)
    note = f" {missing:,} further nodes are not drawn: the search never came to them." if missing > 0 else ""
    base = Figure(name, title, alt, (), rows=_table(facts, nodes), kind="lattice")
    base = replace(base, head=("standing", "levels", "suppressed rows", "classes", "loss"))
    base = replace(base, details=() if winner is None else _details(facts, winner))
    if len(nodes) > MOST_SQUARES:
        layout, cells = draw_cells(nodes)
        return replace(
            base,
            panels=(Panel("Nodes by height and loss", alt, layout.drawing, "narrow"),),
            legend=legend_of(states_of(cells)),
            note=CELLS_NOTE + note,
            data=_data(facts, [_cell_item(cell) for cell in cells], [layout], "cells"),
        )
    squares, boxes = draw_squares(nodes), draw_boxes(nodes, facts.names) if nodes else None
    layouts = [squares] if boxes is None else [squares, boxes]
    titles = (("Nodes by height", "narrow"), ("Nodes, and the steps between them", "wide"))
    return replace(
        base,
        panels=tuple(
            Panel(title, alt, layout.drawing, kind) for layout, (title, kind) in zip(layouts, titles, strict=False)
        ),
        legend=legend_of(Counter(map(state_of, nodes))),
        note=_order(facts, boxes=boxes is not None) + note,
        data=_data(facts, [_node_item(node) for node in nodes], layouts, "nodes"),
        kind="lattice" if boxes is None else f"lattice two {_room(boxes)}",
    )


def draw_nodes(facts: LatticeFacts, width: int) -> tuple[Figure, Layout, list[str]]:
    """(the figure, the one drawing that a sheet of that width has room for, the details of each thing in it)."""
    figure, nodes = draw_lattice(facts), _completed(facts)
    if len(nodes) > MOST_SQUARES:
        layout, cells = draw_cells(nodes, width)
        return figure, layout, [_described_cell(cell) for cell in cells]
    boxes, details = draw_boxes(nodes, facts.names), [described(facts, node) for node in nodes]
    if boxes is None:
        return figure, draw_squares(nodes, width), details
    note = f"{_in_a_box(facts)} A line leads up to a node with one level more in one quasi-identifier."
    return replace(figure, note=note), boxes, details


def title_of(facts: LatticeFacts) -> str:
    """What the lattice is of, and what was asked for."""
    rows = "no row" if not facts.limit else f"at most {facts.limit:,} rows"
    return f"Lattice of {', '.join(facts.names)}: k = {facts.k:,}, {rows} suppressed"


def described(facts: LatticeFacts, node: NodeFacts) -> str:
    """All that is known of a node, a line each."""
    return "\n".join(f"{clean(what)}: {value}" for what, value in _details(facts, node))


def _described_cell(cell: LatticeCell) -> str:
    loss = "not known" if cell.low is None or cell.high is None else f"{cell.low:.2f} to {cell.high:.2f} %"
    counts = ((cell.satisfying, "satisfying"), (cell.minimal, "minimal"), (cell.failing, "failing"))
    counted = [f"{count:,} {words}" for count, words in (*counts, (cell.unknown, "not known")) if count]
    return "\n".join([f"height: {cell.height}", f"loss: {loss}", *counted, *["the winner"] * cell.winner])


def _room(boxes: Layout) -> str:
    """The class of a figure whose boxes need so much room."""
    return next(word for most, word in _WIDE if boxes.drawing.width <= most)


def _completed(facts: LatticeFacts) -> list[NodeFacts]:
    """The nodes, and those that nobody looked at where they are all known by name and few enough to be drawn."""
    nodes = list(facts.nodes)
    if len(nodes) < facts.size <= MOST_SQUARES and facts.size == prod(high + 1 for high in facts.highs):
        listed = {node.levels for node in nodes}
        every = product(*(range(high + 1) for high in facts.highs))
        nodes += [NodeFacts(levels, None, None, None, None) for levels in every if levels not in listed]
    return sorted(nodes, key=lambda node: (node.height, node.levels))


def _order(facts: LatticeFacts, *, boxes: bool) -> str:
    """What a drawing of nodes does not say by itself."""
    if not boxes:
        return SQUARES_NOTE
    return f"{SQUARES_NOTE} {_in_a_box(facts)}"


def _in_a_box(facts: LatticeFacts) -> str:
    return f"In a box: the levels ({level_ranges(facts)}), and the loss."


def level_ranges(facts: LatticeFacts) -> str:
    """The quasi-identifiers in the order of the levels, each with those that it has."""
    return ", ".join(f"{name} 0\N{EN DASH}{high}" for name, high in zip(facts.names, facts.highs, strict=True))


def _words(facts: LatticeFacts, nodes: Sequence[NodeFacts]) -> str:
    satisfying = sum(node.satisfies is True for node in nodes)
    minimal = sum(node.minimal for node in nodes)
    unknown = facts.size - sum(node.satisfies is not None for node in nodes)
    rows = "no row" if not facts.limit else f"at most {counted(facts.limit, 'row')}"
    description = (
        f"{satisfying:,} are known to satisfy k = {facts.k:,} with {rows} suppressed, {minimal:,} of them minimal."
    )
    if unknown > 0:
        description += f" {unknown:,} were not needed: whether they satisfy is not known."
    winner = next((node for node in nodes if node.winner), None)
    if winner is None:
        return description
    loss = "" if winner.loss is None else f" and loses {winner.loss:.2f} %"
    lost = "an unknown number of" if winner.suppressed is None else f"{winner.suppressed:,}"
    return (
        f"{description} The winner, of height {winner.height}, suppresses {lost} rows{loss}: {_levels(facts, winner)}."
    )


def _levels(facts: LatticeFacts, node: NodeFacts) -> str:
    return ", ".join(f"{name} {level}" for name, level in zip(facts.names, node.levels, strict=True))


def _standing(node: NodeFacts) -> str:
    """The same words as the script's."""
    if node.satisfies is None:
        return "not known: the search did not need it"
    words = ["satisfies" if node.satisfies else "fails", "minimal" * node.minimal, "the winner" * node.winner]
    return ", ".join(filter(None, words))


def _count(value: int | None) -> str:
    return "not counted" if value is None else f"{value:,}"


def loss_of(node: NodeFacts) -> str:
    """The loss in words."""
    if node.loss is None:
        return "not measured"
    return f"{node.loss:.2f} %" if node.exact else f"at least {node.loss:.2f} %"


def _details(facts: LatticeFacts, node: NodeFacts) -> tuple[tuple[str, str], ...]:
    """What the page says of a node: that of the winner where no script runs."""
    levels = [
        (name, words[level] if words[level] == f"level {level}" else f"level {level}, such as {words[level]}")
        for name, level, words in zip(facts.names, node.levels, facts.labels, strict=True)
    ]
    return (
        ("standing", _standing(node)),
        *levels,
        ("height", str(node.height)),
        ("suppressed rows", _count(node.suppressed)),
        ("classes", _count(node.classes)),
        ("loss", loss_of(node)),
    )


def _table(facts: LatticeFacts, nodes: Sequence[NodeFacts]) -> tuple[tuple[str, ...], ...]:
    """The winner and the minimal nodes, those of least loss first."""
    shown = [node for node in nodes if node.winner or node.minimal]
    shown.sort(key=lambda node: (not node.winner, node.loss is None, node.loss or 0.0, node.levels))
    return tuple(
        (_standing(node), _levels(facts, node), _count(node.suppressed), _count(node.classes), loss_of(node))
        for node in shown[:_MOST_LISTED]
    )


def _node_item(node: NodeFacts) -> list[object]:
    flags = (
        _SATISFIES * (node.satisfies is True)
        + _UNKNOWN * (node.satisfies is None)
        + _MINIMAL * node.minimal
        + _WINNER * node.winner
        + _BOUND * (not node.exact)
    )
    loss = None if node.loss is None else round(node.loss, 4)
    return [node.levels, node.suppressed, node.classes, loss, flags]


def _cell_item(cell: LatticeCell) -> list[object]:
    bounds = [None if bound is None else round(bound, 2) for bound in (cell.low, cell.high)]
    return [cell.height, *bounds, cell.satisfying, cell.failing, cell.unknown, cell.minimal, int(cell.winner)]


def _data(facts: LatticeFacts, items: Sequence[list[object]], layouts: Sequence[Layout], kind: str) -> str:
    """What the script reads: the things that are drawn, and where each drawing shows them."""
    places = [
        {
            "size": [round(side, 1) for side in layout.size],
            "at": [round(value, 1) for corner in layout.corners for value in corner],
        }
        for layout in layouts
    ]
    payload = {
        "kind": kind,
        "names": [clean(name) for name in facts.names],
        "words": [[clean(word) for word in words] for words in facts.labels],
        "items": items,
        "layouts": places,
    }
    return json.dumps(payload, separators=(",", ":"))
