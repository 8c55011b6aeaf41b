"""How columns go together, in source and release: two triangles of one matrix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kanon_sql.report.charts import svg
from kanon_sql.report.charts.figure import WIDTH, Figure, Panel
from kanon_sql.report.charts.paired import AFTER, BEFORE

Json = Mapping[str, Any]


def draw_pairs(pairs: Sequence[Json], name: str = "pairs") -> Figure:
    """The entries of `utility.pairs`: association before below the diagonal, after above it."""
    names = list(dict.fromkeys(column for pair in pairs for column in pair["columns"]))
    drawing = svg.Drawing(WIDTH, WIDTH)
    side = WIDTH / max(len(names), 1)
    for pair in pairs:
        low, high = sorted(names.index(column) for column in pair["columns"])
        for key, row, column, colour in (("source", high, low, BEFORE), ("release", low, high, AFTER)):
            value = pair[key]
            box = {"x": column * side, "y": row * side, "width": side - 1, "height": side - 1}
            said = svg.tooltip(f"{' and '.join(pair['columns'])}: {value}")
            drawing.marks.append(
                svg.tag("rect", said, **box, fill=colour, fill_opacity=f"{abs(value or 0):.3f}", class_="cell")
            )
    title = "How strongly do columns go together?"
    rows = tuple((" and ".join(p["columns"]), str(p["source"]), str(p["release"])) for p in pairs)
    alt = f"{len(pairs)} pairs of {len(names)} columns"
    return Figure(name, title, alt, (Panel(title, alt, drawing),), (), ("columns", "source", "release"), rows)
