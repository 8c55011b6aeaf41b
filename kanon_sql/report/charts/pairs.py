"""How strongly columns go together, in source and release: two triangles of one matrix, and the pairs that changed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from kanon_sql.report.charts import svg
from kanon_sql.report.charts.figure import WIDTH, Figure, Panel, cut
from kanon_sql.report.charts.paired import AFTER, BEFORE, SMALL, Pair, Track, add_head, dot_legend, draw_dumbbells
from kanon_sql.report.words import UNKNOWN, fixed

if TYPE_CHECKING:
    from kanon_sql.results.told import ToldPair

MOST_COLUMNS = 20
_MOST_CHANGED = 10
_NAMES = 116
_LEAST_WITH_NUMBERS = 19
_DENSEST = 0.85
_MEASURES = {"cramers_v": "Cram\N{LATIN SMALL LETTER E WITH ACUTE}r's V", "correlation_ratio": "correlation ratio"}


def draw_pairs(pairs: Sequence[ToldPair], name: str = "pairs") -> Figure:
    """The entries of `utility.pairs`: association in the source below the diagonal, in the release above it."""
    columns = _columns(pairs)
    shown = [pair for pair in pairs if set(pair["columns"]) <= set(columns)]
    changed = sorted((pair for pair in pairs if _change(pair) is not None), key=lambda pair: -(_change(pair) or 0))
    alt = _words(pairs, changed)
    title = "How strongly do columns go together?"
    panels = [Panel("Association of each two columns", alt, _matrix(columns, shown))] if columns else []
    if changed:
        few = [_pair(pair) for pair in changed[:_MOST_CHANGED]]
        lowest = min(value for pair in few for value in (pair.before or 0.0, pair.after or 0.0))
        track = Track("The pairs that changed most", "association, 0 none to 1 full", -1.0 if lowest < 0 else 0.0, 1.0)
        description = "The pairs of columns whose association differs most between source and release."
        panels.append(Panel("Pairs that changed most", description, draw_dumbbells(track, few)))
    total = len({column for pair in pairs for column in pair["columns"]})
    note = "Below the diagonal: the source; above it: the release. The fuller the colour, the stronger." * bool(columns)
    if total > len(columns):
        note += f" Of {total:,} columns those {len(columns)} are drawn whose associations change most."
    table = tuple(
        (" and ".join(map(cut, p["columns"])), _measure(p), fixed(p["source"], 2), fixed(p["release"], 2))
        for p in pairs
    )
    head = ("columns", "measure", "source", "release")
    return Figure(name, title, alt, tuple(panels), dot_legend((True, False)) if changed else (), head, table, note)


def _columns(pairs: Sequence[ToldPair]) -> list[str]:
    """The columns in the order in which they come, those that change most where there are too many."""
    changes: dict[str, float] = defaultdict(float)
    for pair in pairs:
        for column in pair["columns"]:
            changes[column] += _change(pair) or 0.0
    if len(changes) <= MOST_COLUMNS:
        return list(changes)
    most = set(sorted(changes, key=lambda column: -changes[column])[:MOST_COLUMNS])
    return [column for column in changes if column in most]


def _change(pair: ToldPair) -> float | None:
    if pair["source"] is None or pair["release"] is None:
        return None
    return abs(float(pair["source"]) - float(pair["release"]))


def _pair(pair: ToldPair) -> Pair:
    texts = (fixed(pair["source"], 2), fixed(pair["release"], 2))
    return Pair(" \N{MULTIPLICATION SIGN} ".join(map(cut, pair["columns"])), pair["source"], pair["release"], texts)


def _measure(pair: ToldPair) -> str:
    measure = str(pair.get("measure") or "")
    return _MEASURES.get(measure, measure.capitalize()) or UNKNOWN


def _words(pairs: Sequence[ToldPair], changed: Sequence[ToldPair]) -> str:
    if not pairs:
        return "There are no two columns to compare."
    if not changed:
        return "No pair of columns could be compared in source and release."
    mean = sum(_change(pair) or 0 for pair in changed) / len(changed)
    most = changed[0]
    return (
        f"The association of {len(changed):,} pairs of columns differs by {mean:.2f} on average; most for "
        f"{' and '.join(map(cut, most['columns']))}: {fixed(most['source'], 2)} in the source, "
        f"{fixed(most['release'], 2)} in the release."
    )


def _matrix(columns: Sequence[str], pairs: Sequence[ToldPair]) -> svg.Drawing:
    drawing = svg.Drawing(WIDTH, 0)
    add_head(drawing, "Association of each two columns")
    side = min((WIDTH - _NAMES) / len(columns), 40)
    top = drawing.height + 18
    for place, column in enumerate(columns):
        middle = top + (place + 0.5) * side + 4
        words = svg.shortened(f"{place + 1} {column}", _NAMES - 6, min(SMALL, side))
        drawing.marks.append(svg.text(_NAMES - 6, middle, words, min(SMALL, side), text_anchor="end"))
        across = _NAMES + (place + 0.5) * side
        if side >= 14 or place % 2 == 0:
            drawing.marks.append(svg.text(across, top - 5, str(place + 1), SMALL, text_anchor="middle"))
        box = {"x": _NAMES + place * side, "y": top + place * side, "width": side - 1, "height": side - 1}
        drawing.marks.append(svg.tag("rect", **box, class_="diagonal", fill=svg.GRID))
    places = {column: place for place, column in enumerate(columns)}
    for pair in pairs:
        low, high = sorted(places[column] for column in pair["columns"])
        drawing.marks.append(_cell(pair, "source", high, low, side, top))
        drawing.marks.append(_cell(pair, "release", low, high, side, top))
    drawing.height = top + side * len(columns) + 4
    return drawing


def _cell(pair: ToldPair, key: Literal["source", "release"], row: int, column: int, side: float, top: float) -> str:
    """A square as dark as the association is strong, with its number where it has room; crossed out where unknown."""
    value = pair[key]
    x, y = _NAMES + column * side, top + row * side
    tip = svg.tooltip(f"{' and '.join(map(cut, pair['columns']))}\n{key}: {fixed(value, 2)} {_measure(pair)}")
    look: dict[str, str | float] = (
        {"class_": "cell before", "color": BEFORE} if key == "source" else {"class_": "cell after", "color": AFTER}
    )
    box = {"x": x, "y": y, "width": side - 1, "height": side - 1}
    if value is None:
        line = svg.tag("path", d=f"M{x:.1f} {y:.1f}l{side - 1:.1f} {side - 1:.1f}", class_="axis", stroke=svg.BORDER)
        return svg.tag("g", tip, svg.tag("rect", **box, fill="none", stroke=svg.BORDER, class_="axis"), line)
    dense = f"{_DENSEST * min(abs(value), 1.0):.3f}"
    square = svg.tag("rect", **box, fill="currentColor", fill_opacity=dense, stroke="currentColor", stroke_width=0.5)
    words = ""
    if side >= _LEAST_WITH_NUMBERS:
        short = f"{value:.2f}".replace("0.", ".")
        middle = x + (side - 1) / 2
        words = svg.text(middle, y + side / 2 + 3.5, short, 10 if side >= 26 else 9.2, text_anchor="middle")
    return svg.tag("g", tip, square, words, **look)
