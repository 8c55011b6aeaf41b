"""The figures of a page: they are well-formed, every text of the data is escaped, boxes do not overlap."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from itertools import product
from typing import Any

import pytest

from kanon_sql.report.charts.bands import draw_bands
from kanon_sql.report.charts.before_after import draw_class_sizes, draw_risks
from kanon_sql.report.charts.columns import draw_labels, draw_steps
from kanon_sql.report.charts.figure import Figure, figure_html, panel_svg
from kanon_sql.report.charts.lattice_figure import draw_lattice
from kanon_sql.report.charts.pairs import draw_pairs
from kanon_sql.report.page.model import Bar, ClassBand, ColumnFacts, LatticeFacts, NodeFacts, Step

HOSTILE = '<script>alert("1")</script>&amp;\' ]]> --> \u202eevil\x00\ud800\nsecond'
SIZES = ((1, 1), (2, 2), (3, 4), (5, 9), (10, 19), (20, 49))


def side(rows: list[int | None]) -> dict[str, Any]:
    sizes = [
        {"from": low, "to": high, "rows": n, "share": None if n is None else n / 100, "classes": n and -(-n // high)}
        for (low, high), n in zip(SIZES, rows, strict=True)
    ]
    return {
        "table": HOSTILE,
        "rows": {"source": 100, "missing": 0, "measured": 100},
        "quasi_identifiers": ["age", HOSTILE],
        "classes": {"count": 12, "min": 1, "max": 40, "average": 8.3},
        "unique": {"rows": rows[0], "share": 0.04, "in_population": None},
        "prosecutor": {"highest": 1.0, "average": 0.12, "above": {"rows": 30, "share": 0.3}},
        "journalist": None,
        "marketer": {"average": 0.12, "rows": 12.0},
        "sizes": sizes,
    }


RISK = {"threshold": 0.2, "before": side([4, None, 12, 0, 40, 41]), "after": side([0, 0, 0, 20, 40, 40])}
COLUMN = ColumnFacts(
    name=HOSTILE,
    generalized_by="hierarchy age.csv",
    steps=(Step(0, 73), Step(1, 15), Step(2, 8, ("20-29", HOSTILE), 100), Step(3, 1, ("*",))),
    level=2,
    loss=0.11,
    labels=("20-29", HOSTILE),
    ordered=True,
    bars=(Bar("20-29", 31, 30), Bar(HOSTILE, None, 40), Bar(None, 12, 12)),
    others=Bar("", 20, 18),
)
PAIRS = [
    {"columns": ["age", HOSTILE], "source": 0.4, "release": 0.31},
    {"columns": ["age", "sex"], "source": -0.1, "release": None},
    {"columns": [HOSTILE, "sex"], "source": 0.0, "release": 0.0},
]
BANDS = (ClassBand(5, 9, 20, 130, 0.1), ClassBand(10, 19, 4, 60, None))


def lattice(highs: tuple[int, ...]) -> LatticeFacts:
    border = -(-sum(highs) // 2)
    nodes = tuple(
        NodeFacts(
            levels,
            sum(levels) * 3.0,
            50 >> sum(levels),
            40,
            sum(levels) >= border,
            sum(levels) == border,
            not any(levels),
        )
        for levels in product(*(range(high + 1) for high in highs))
    )
    names = (HOSTILE, *(f"q{place}" for place in range(1, len(highs))))
    labels = tuple(tuple(f"{HOSTILE} {level}" for level in range(high + 1)) for high in highs)
    return LatticeFacts(names, highs, labels, len(nodes), 5, 0, nodes)


FIGURES = {
    "class-sizes": draw_class_sizes(RISK, 5),
    "class-sizes of one table": draw_class_sizes({**RISK, "after": None}, 5),
    "risks": draw_risks(RISK, 5),
    "labels": draw_labels(COLUMN, 5, "labels-0"),
    "steps": draw_steps(COLUMN, "steps-0"),
    "pairs": draw_pairs(PAIRS),
    "bands": draw_bands(BANDS),
    "lattice": draw_lattice(lattice((1, 2, 2))),
}


@pytest.mark.parametrize("figure", FIGURES.values(), ids=FIGURES)
def test_a_figure_is_well_formed_and_named(figure: Figure) -> None:
    root = ET.fromstring(figure_html(figure).encode())
    assert root.tag == "figure" and root.findtext("figcaption")
    tags = {element.tag for element in root.iter()}
    assert "script" not in tags or figure.data
    names = [element.attrib["id"] for element in root.iter() if "id" in element.attrib]
    assert len(set(names)) == len(names)
    for panel in root.iter("svg"):
        if panel.get("role") == "img":
            assert set(panel.attrib["aria-labelledby"].split()) <= set(names) and panel.findtext("title")


@pytest.mark.parametrize("figure", FIGURES.values(), ids=FIGURES)
def test_panels_are_narrow(figure: Figure) -> None:
    for panel in figure.panels:
        assert panel.drawing.width <= 340
        ET.fromstring(panel_svg(panel, "a").encode())
