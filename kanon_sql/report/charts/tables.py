"""The tables of a database of persons as a tree: persons on top, below each table those that lead to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kanon_sql.report.charts import svg
from kanon_sql.report.charts.figure import WIDTH, Figure, Panel, cut

Json = dict[str, Any]

_ROW, _INDENT, _BOX = 52, 18, 40  # pixels
_LONGEST_LINE = 50  # characters
_KINDS = {
    "unit": "persons",
    "persons": "about persons",
    "quasi-identifiers": "of quasi-identifiers of persons",
    "list": "about nobody, copied",
}


def draw_tables(tables: Mapping[str, Json], unit: str) -> Figure:
    """The drawing of `tables`, as the report of a run has them, with the numbers of each; `unit` is that of persons."""
    drawing = svg.Drawing(WIDTH, 0)
    ordered = list(_tree(tables, unit, unit, 0)) + [
        (name, 0) for name, entry in tables.items() if entry["is"] == "list"
    ]
    places: dict[str, tuple[float, float]] = {}
    for name, depth in ordered:
        x, y = depth * _INDENT + 1, drawing.height + 4
        places[name] = x, y
        parent = _parent(tables[name], unit)
        if parent is not None and parent in places:
            from_x, from_y = places[parent][0] + _INDENT / 2, places[parent][1] + _BOX
            path = f"M{from_x:.0f} {from_y:.0f}V{y + _BOX / 2:.0f}H{x:.0f}"
            drawing.marks.append(svg.tag("path", d=path, fill="none", stroke=svg.BORDER))
        drawing.marks.append(_box(name, tables[name], unit, x, y))
        drawing.height += _ROW
    rows = tuple(_numbers(name, tables[name]) for name, _ in ordered)
    return Figure(
        "tables",
        "The tables of the release",
        f"{len(ordered)} tables; the rows of {unit} are the persons, and lines lead from each table to those that find "
        "their person through it",
        (Panel("Tables and their keys", ", ".join(f"{name}: {_words(tables[name])}" for name, _ in ordered), drawing),),
        head=("table", "its rows", "find their person by", "facts", "columns", "rows released"),
        rows=rows,
    )


def _tree(tables: Mapping[str, Json], unit: str, name: str, depth: int) -> Iterator[tuple[str, int]]:
    """A table and those below it, each with its depth."""
    yield name, depth
    for other, entry in tables.items():
        if _parent(entry, unit) == name:
            yield from _tree(tables, unit, other, depth + 1)


def _parent(entry: Json, unit: str) -> str | None:
    if entry.get("via") is not None:
        return unit
    return None if entry["link"] is None else entry["link"]["through"] or unit


def _box(name: str, entry: Json, unit: str, x: float, y: float) -> str:
    width = WIDTH - x - 1
    fill = svg.SATISFYING if name == unit else svg.FAILING
    words = _words(entry)
    marks = [
        svg.tooltip(f"{name}\n{words}"),
        svg.tag("rect", x=x, y=y, width=width, height=_BOX, rx=4, fill=fill, stroke=svg.BORDER),
        svg.text(x + 8, y + 16, cut(name, 30), svg.TEXT, font_weight="bold", fill=svg.INK),
        svg.text(x + width - 8, y + 16, f"{entry['rows']['released']:,}", svg.SMALL, text_anchor="end", fill=svg.INK),
        svg.text(x + 8, y + 32, cut(words, _LONGEST_LINE), svg.SMALL, fill=svg.QUIET),
    ]
    return svg.tag("g", *marks)


def _words(entry: Json) -> str:
    """What a table is, in a few words."""
    if entry["is"] == "unit":
        return "one row is one person"
    if entry["is"] == "list":
        return "about nobody, copied"
    if entry.get("via") is not None:
        return f"quasi-identifiers of persons, by {entry['via']['column']}"
    facts = f"; facts: {', '.join(entry['facts'])}" if entry["facts"] else ""
    return f"by {entry['link']['column']}{facts}"


def _numbers(name: str, entry: Json) -> tuple[str, ...]:
    link = entry["link"]
    by = "" if link is None else link["column"] + (f", through {link['through']}" if link["through"] else "")
    if entry.get("via") is not None:
        by = f"{entry['via']['column']} of persons"
    kind = _KINDS[entry["is"]]
    columns = ", ".join(entry["columns"])
    return (cut(name), kind, by, ", ".join(entry["facts"]), cut(columns), f"{entry['rows']['released']:,}")
