"""The lattice as a drawing: what it shows, that it is well-formed, and that names cannot break it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Sequence
from itertools import combinations, pairwise, product
from pathlib import Path
from typing import Any

import pytest
from tables import configuration, write

import kanon_sql
from kanon_sql.cli.main import main
from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.report.charts.diagram import build_diagram
from kanon_sql.report.charts.lattice import draw_dot, draw_svg, write_plot
from kanon_sql.report.charts.order import crossings, ordered_rows
from kanon_sql.report.charts.svg import MINIMAL, SATISFYING, WINNER

SVG = "{http://www.w3.org/2000/svg}"
ADULT = ("sex", "race", "marital_status", "age")
DASH = "\N{EN DASH}"
HOSTILE = '<b>&"\'\\x" -- ]]> \u202eevil\x00\ud800\nsecond {|}'

Nodes = list[dict[str, Any]]
Box = tuple[float, float, float, float]


def lattice(tops: Sequence[int], names: Sequence[str] | None = None) -> Nodes:
    """All nodes; those satisfy whose height is at least half of the highest."""
    names = names or [f"q{i}" for i in range(len(tops))]
    border = -(-sum(tops) // 2)
    return [
        {
            "levels": dict(zip(names, levels, strict=True)),
            "height": sum(levels),
            "suppressed": 30162 >> sum(levels),
            "classes": 1000 + sum(levels),
            "lm": sum(levels) / 7,
            "satisfies": sum(levels) >= border,
            "minimal": sum(levels) == border,
        }
        for levels in product(*(range(top + 1) for top in tops))
    ]


def edge_count(tops: Sequence[int]) -> int:
    size = len(lattice(tops))
    return sum(size // (top + 1) * top for top in tops)


def parsed(drawing: str) -> ET.Element:
    assert "<script" not in drawing and "href" not in drawing
    return ET.fromstring(drawing.encode())


def of_class(root: ET.Element, tag: str, name: str) -> list[ET.Element]:
    return [element for element in root.iter(SVG + tag) if element.get("class") == name]


def lines(root: ET.Element) -> list[ET.Element]:
    return list(root.iter(SVG + "line"))


def tooltip(element: ET.Element) -> str:
    return element.findtext(SVG + "title") or ""


def texts(root: ET.Element) -> list[str]:
    return ["".join(element.itertext()) for element in root.iter(SVG + "text")]


def number(element: ET.Element, name: str) -> float:
    return float(element.attrib[name])


def rectangle(element: ET.Element) -> Box:
    return number(element, "x"), number(element, "y"), number(element, "width"), number(element, "height")


def apart(first: Box, second: Box) -> bool:
    beside = first[0] + first[2] <= second[0] or second[0] + second[2] <= first[0]
    return beside or first[1] + first[3] <= second[1] or second[1] + second[3] <= first[1]


def boxes(root: ET.Element) -> dict[str, ET.Element]:
    """The shape of each labelled node, by its label."""
    found: dict[str, ET.Element] = {}
    for node in of_class(root, "g", "node"):
        shape = node.find(SVG + "rect")
        assert shape is not None
        found[node.findtext(SVG + "text") or ""] = shape
    return found


def test_adult_has_a_box_for_each_node_and_a_line_for_each_step() -> None:
    root = parsed(draw_svg(lattice((1, 1, 2, 4), ADULT), "Adult, k = 10"))
    assert len(of_class(root, "g", "node")) == 60
    assert len(lines(root)) == edge_count((1, 1, 2, 4)) == 148
    assert "Adult, k = 10" in texts(root)
    assert f"Order of the levels: sex 0{DASH}1, race 0{DASH}1, marital_status 0{DASH}2, age 0{DASH}4" in texts(root)
    assert {str(height) for height in range(9)} <= set(texts(root))


@pytest.mark.parametrize("tops", [(1, 2), (1, 1, 2, 4), (1,) * 6, (3, 3, 3, 2), (12, 15)])
def test_boxes_do_not_overlap_and_stay_on_the_sheet(tops: Sequence[int]) -> None:
    root = parsed(draw_svg(lattice(tops)))
    width, height = number(root, "width"), number(root, "height")
    assert root.get("viewBox") == f"0 0 {width:.0f} {height:.0f}"
    found = [rectangle(shape) for shape in boxes(root).values()]
    assert len(found) == len(lattice(tops))
    assert all(apart(first, second) for first, second in combinations(found, 2))
    body = of_class(root, "g", "lattice")[0]
    moved = re.findall(r"[\d.]+", body.attrib["transform"])
    left, top = float(moved[0]), float(moved[1])
    assert all(x >= 0 and x + w + left <= width and y >= 0 and y + h + top <= height for x, y, w, h in found)


def test_heights_are_rows_with_the_least_at_the_bottom() -> None:
    found = boxes(parsed(draw_svg(lattice((1, 1, 2, 4)))))
    levels = {label: sum(map(int, label.split(","))) for label in found}
    rows = {(levels[label], number(shape, "y")) for label, shape in found.items()}
    assert len(rows) == 9
    tops = [y for _, y in sorted(rows)]
    assert all(lower > upper for lower, upper in pairwise(tops))


def test_a_line_joins_a_node_and_its_direct_successor() -> None:
    root = parsed(draw_svg(lattice((1, 2))))
    ends: dict[tuple[float, float], str] = {}
    for label, shape in boxes(root).items():
        x, y, width, height = rectangle(shape)
        ends |= {(round(x + width / 2, 1), y): label, (round(x + width / 2, 1), y + height): label}
    joined = {
        (ends[number(line, "x1"), number(line, "y1")], ends[number(line, "x2"), number(line, "y2")])
        for line in lines(root)
    }
    sideways = {("0,0", "1,0"), ("0,1", "1,1"), ("0,2", "1,2")}
    assert joined == sideways | {("0,0", "0,1"), ("0,1", "0,2"), ("1,0", "1,1"), ("1,1", "1,2")}


def test_standing_is_seen() -> None:
    nodes = lattice((1, 2), ("sex", "age"))
    root = parsed(draw_svg(nodes, winner={"age": 1, "sex": 1}))
    found = boxes(root)
    assert {label for label, box in found.items() if box.get("fill") == SATISFYING} == {"0,2", "1,2"}
    assert {label for label, box in found.items() if box.get("fill") == WINNER} == {"1,1"}
    thick = {label for label, box in found.items() if box.get("stroke-width") == "3"}
    assert thick == {"0,2", "1,1"} and {found[label].get("stroke") for label in thick} == {MINIMAL}
    marked = [node for node in of_class(root, "g", "node") if of_class(node, "polygon", "star")]
    assert [node.findtext(SVG + "text") for node in marked] == ["1,1"]
    assert {"satisfies (3)", "minimal (2)", "fails (3)", "the winner (1,1)"} <= set(texts(root))


def test_a_winner_that_is_not_among_the_nodes_is_not_marked() -> None:
    assert "polygon" not in draw_svg(lattice((1, 2)), winner={"q0": 7})


def test_tooltips_name_all_values() -> None:
    root = parsed(draw_svg(lattice((1, 2), ("sex", "age")), winner={"sex": 0, "age": 2}))
    levels = "sex: 0\nage: 2\nheight: 2\n"
    measures = "suppressed rows: 7,540\nclasses: 1,002\nlm: 0.285714\n"
    expected = f"{levels}{measures}satisfies, minimal, the winner"
    assert expected in [tooltip(node) for node in of_class(root, "g", "node")]


def test_measures_that_are_not_known_are_dashes() -> None:
    node = {"levels": {"a": 0}, "height": 0, "suppressed": None, "classes": None, "lm": None, "satisfies": True}
    root = parsed(draw_svg([node]))
    assert {f"{DASH} sup.", f"lm {DASH}"} <= set(texts(root))
    assert f"classes: {DASH}" in tooltip(of_class(root, "g", "node")[0])


def test_hostile_names_stay_text() -> None:
    root = parsed(draw_svg(lattice((1, 1), (HOSTILE, "age")), HOSTILE))
    tags = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert tags <= {"svg", "g", "title", "rect", "text", "line", "polygon"}
    shown = '<b>&"\'\\x" -- ]]> \ufffdevil\ufffd\ufffd second {|}'
    assert f"Order of the levels: {shown} 0{DASH}1, age 0{DASH}1" in texts(root)
    assert tooltip(of_class(root, "g", "node")[0]).startswith(f"{shown}: 0\nage: 0\n")


def test_a_very_long_name_is_cut_in_the_legend_only() -> None:
    root = parsed(draw_svg(lattice((1, 1), ("n" * 5000, "age"))))
    assert number(root, "width") < 1000
    assert "n" * 5000 + ": 0" in tooltip(of_class(root, "g", "node")[0])
    assert any(line.endswith("…") for line in texts(root))


def test_wide_lattices_are_squares_without_labels() -> None:
    tops = (4, 4, 4, 4)
    root = parsed(draw_svg(lattice(tops), winner=lattice(tops)[-1]["levels"]))
    squares = of_class(root, "rect", "node")
    assert len(squares) == 625 and len(lines(root)) == 2000 and "0,1,2,3" not in texts(root)
    assert all(tooltip(square).count("\n") == 9 for square in squares)
    assert len({tooltip(square) for square in squares}) == 625
    assert len(list(of_class(root, "g", "lattice")[0].iter(SVG + "polygon"))) == 1
    found = [rectangle(square) for square in squares]
    assert all(apart(first, second) for first, second in combinations(found, 2))


@pytest.mark.parametrize("tops", [(1,) * 12, (6, 6, 6, 6)])
def test_too_many_lines_are_left_out(tops: Sequence[int]) -> None:
    root = parsed(draw_svg(lattice(tops)))
    assert len(of_class(root, "rect", "node")) == len(lattice(tops))
    assert not lines(root)
    assert f"The {edge_count(tops):,} lines from node to successor are left out." in texts(root)
    assert number(root, "width") < 1400


def test_very_large_lattices_are_one_bar_a_height() -> None:
    tops = (4, 5, 5, 2, 2, 1, 1, 1)
    nodes = lattice(tops)
    assert len(nodes) == 12_960
    drawing = draw_svg(nodes, "Large", winner=nodes[-1]["levels"])
    assert len(drawing) < 40_000
    root = parsed(drawing)
    counted: Counter[str] = Counter()
    for bar in of_class(root, "rect", "bar"):
        _, count, word = tooltip(bar).replace(",", "").split(maxsplit=3)[1:]
        counted[word] += int(count)
    minimal = sum(node["minimal"] for node in nodes)
    satisfying = sum(node["satisfies"] for node in nodes)
    assert (counted["minimal"], counted["satisfying not minimal"]) == (minimal, satisfying - minimal)
    assert counted["failing"] == len(nodes) - satisfying
    assert len(list(of_class(root, "g", "lattice")[0].iter(SVG + "polygon"))) == 1


def test_one_node_and_none() -> None:
    assert len(of_class(parsed(draw_svg(lattice((0,)))), "g", "node")) == 1
    assert "There are no nodes." in texts(parsed(draw_svg([], "Nothing", {"a": 1})))
    assert draw_dot([], "", {"a": 1}).count("--") == 0


def test_drawings_do_not_depend_on_the_order_of_the_nodes() -> None:
    nodes = lattice((1, 1, 2, 4), ADULT)
    assert draw_svg(nodes) == draw_svg(nodes[::-1])
    assert draw_dot(nodes) == draw_dot(nodes[::-1])


def test_sweeps_lessen_the_crossings() -> None:
    diagram = build_diagram(lattice((1, 1, 2, 4)))
    above: dict[int, list[int]] = {}
    for lower, upper in diagram.edges:
        above.setdefault(lower, []).append(upper)
    listed, ordered = list(diagram.rows.values()), ordered_rows(diagram)
    assert [sorted(row) for row in ordered] == [sorted(row) for row in listed]
    assert crossings(ordered, above) <= 170 < 254 == crossings(listed, above)


def test_dot_holds_nodes_edges_and_ranks() -> None:
    dot = draw_dot(lattice((1, 1, 2, 4), ADULT), 'Adult "k"', winner=dict.fromkeys(ADULT, 1))
    assert len(re.findall(r"^  n\d+ \[", dot, re.MULTILINE)) == 60
    assert len(re.findall(r"^  n\d+ -- n\d+;$", dot, re.MULTILINE)) == 148
    ranks = [re.findall(r"n(\d+);", line) for line in dot.splitlines() if "rank=same" in line]
    assert [len(row) for row in ranks] == [1, 4, 8, 11, 12, 11, 8, 4, 1]
    assert dot.count("peripheries=2") == 1
    assert dot.startswith("graph lattice {\n") and dot.endswith("}\n")
    assert r'label="Adult \"k\"\l' in dot


def test_dot_quotes_hostile_names() -> None:
    dot = draw_dot(lattice((1, 1), (HOSTILE, "age\\")), HOSTILE)
    unquoted = re.sub(r'"(?:[^"\\\n]|\\.)*"', "TEXT", dot)
    assert '"' not in unquoted and "\\" not in unquoted and "evil" not in unquoted
    assert unquoted.count("{") == unquoted.count("}") == 1 + 3


@pytest.mark.tool
@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_graphviz_reads_it() -> None:
    dot = draw_dot(lattice((1, 2), (HOSTILE, "age\\")), HOSTILE, {HOSTILE: 1, "age\\": 0})
    done = subprocess.run(["dot", "-Tplain"], input=dot.encode(), capture_output=True, check=True)
    assert done.stderr == b""
    assert done.stdout.count(b"\nnode n") == 6


def test_write_plot_goes_by_the_suffix_and_overwrites(tmp_path: Path) -> None:
    nodes = lattice((1, 2))
    for name, start in (("a.svg", "<?xml"), ("b.SVG", "<?xml"), ("c.dot", "graph")):
        path = tmp_path / name
        path.write_text("old")
        write_plot(path, nodes, "T", {"q0": 1, "q1": 1})
        assert path.read_text(encoding="utf-8").startswith(start)


@pytest.mark.parametrize("name", ["plot.png", "plot", "svg"])
def test_write_plot_names_the_suffixes_it_knows(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigurationError, match=r"\.svg or \.dot"):
        write_plot(tmp_path / name, lattice((1,)))
    assert not list(tmp_path.iterdir())


def test_write_plot_says_why_it_cannot_write(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match=r"cannot be written \(No such file"):
        write_plot(tmp_path / "missing" / "a.svg", lattice((1,)))


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["loss", "entropy"])
def test_the_command_marks_the_node_that_a_run_releases(objective: str, tmp_path: Path) -> None:
    source = write(tmp_path / "people.parquet")
    algorithm = {"name": "optimal", "objective": objective}
    config = configuration(str(source), str(tmp_path / "out.csv"), algorithm=algorithm)
    chosen = [node["levels"] for node in kanon_sql.lattice(config)["nodes"] if node["winner"]]
    assert chosen == [kanon_sql.run(config).levels]
    (tmp_path / "config.yaml").write_text(json.dumps(config))
    for suffix, mark in (
        (".svg", "the winner"),
        (".dot", "peripheries=2"),
        (".html", "satisfies, minimal, the winner"),
    ):
        plot = tmp_path / f"lattice{suffix}"
        with pytest.raises(SystemExit) as ended:
            main(["lattice", str(tmp_path / "config.yaml"), "--plot", str(plot), "--quiet"])
        assert not ended.value.code
        assert mark in plot.read_text()
