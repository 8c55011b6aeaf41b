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
from typing import TYPE_CHECKING, Any, cast

import pytest
from tables import configuration, write

import kanon_sql
from kanon_sql.cli.main import main
from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.report.charts.diagram import build_diagram
from kanon_sql.report.charts.dot import draw_dot
from kanon_sql.report.charts.lattice import draw_svg, facts_of, write_plot
from kanon_sql.report.charts.order import crossings, ordered_rows
from kanon_sql.report.charts.svg import SATISFYING_SMALL, WINNER

if TYPE_CHECKING:
    from kanon_sql.results.searched import LatticeReport

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


def report(nodes: Nodes, winner: dict[str, int] | None = None, k: int = 10, limit: int = 301) -> LatticeReport:
    """What `kanon-sql lattice` prints of these nodes."""
    listed = [{**node, "winner": node["levels"] == winner} for node in nodes]
    names = list(nodes[0]["levels"]) if nodes else []
    return cast("LatticeReport", {"quasi_identifiers": names, "k": k, "limit": limit, "rows": 30162, "nodes": listed})


def edge_count(tops: Sequence[int]) -> int:
    size = len(lattice(tops))
    return sum(size // (top + 1) * top for top in tops)


def parsed(drawing: str) -> ET.Element:
    assert "<script" not in drawing and "href" not in drawing
    return ET.fromstring(drawing.encode())


def of_class(root: ET.Element, tag: str, name: str) -> list[ET.Element]:
    return [element for element in root.iter(SVG + tag) if element.get("class") == name]


def steps(root: ET.Element) -> int:
    """How many lines from node to successor are drawn."""
    return sum(path.attrib["d"].count("M") for name in ("edge", "edge above") for path in of_class(root, "path", name))


def tooltip(element: ET.Element) -> str:
    return element.findtext(SVG + "title") or ""


def texts(root: ET.Element) -> list[str]:
    return ["".join(element.itertext()) for element in root.iter(SVG + "text")]


def words(root: ET.Element) -> str:
    """All texts in one line, as they were before they were broken."""
    return " ".join(texts(root))


def number(element: ET.Element, name: str) -> float:
    return float(element.attrib[name])


def rectangle(element: ET.Element) -> Box:
    return number(element, "x"), number(element, "y"), number(element, "width"), number(element, "height")


def apart(first: Box, second: Box) -> bool:
    beside = first[0] + first[2] <= second[0] or second[0] + second[2] <= first[0]
    return beside or first[1] + first[3] <= second[1] or second[1] + second[3] <= first[1]


def boxes(root: ET.Element) -> dict[str, ET.Element]:
    """The shape of each labelled node, by its label."""
    shapes: dict[str, ET.Element] = {}
    for group in root.iter(SVG + "g"):
        shape = group.find(SVG + "rect")
        if shape is not None and (shape.get("class") or "").startswith("node") and group.get("text-anchor"):
            shapes[group.findtext(SVG + "text") or ""] = shape
    return shapes


def test_a_small_lattice_has_a_box_for_each_node_and_a_line_for_each_step() -> None:
    root = parsed(draw_svg(report(lattice((1, 1, 2, 4), ADULT))))
    assert len(boxes(root)) == len(of_class(root, "rect", "pointed")) == 60
    assert steps(root) == edge_count((1, 1, 2, 4)) == 148
    assert "Lattice of sex, race, marital_status, age: k = 10, at most 301 rows suppressed" in words(root)
    levels = f"sex 0{DASH}1, race 0{DASH}1, marital_status 0{DASH}2, age 0{DASH}4"
    assert f"In a box: the levels ({levels}), and the loss." in words(root)
    assert {str(height) for height in range(9)} <= set(texts(root))


@pytest.mark.parametrize("tops", [(1, 2), (1, 1, 2, 4), (1,) * 6, (4, 4, 4, 4), (12, 15)])
def test_nodes_do_not_overlap_and_stay_on_the_sheet(tops: Sequence[int]) -> None:
    root = parsed(draw_svg(report(lattice(tops))))
    width, height = number(root, "width"), number(root, "height")
    assert root.get("viewBox") == f"0 0 {width:.0f} {height:.0f}"
    areas = [rectangle(area) for area in of_class(root, "rect", "pointed")]
    assert len(areas) == len(lattice(tops))
    assert all(apart(first, second) for first, second in combinations(areas, 2))
    panel = of_class(root, "g", "panel")[0]
    left, top = map(float, re.findall(r"[\d.]+", panel.attrib["transform"]))
    assert all(
        x_of_area >= 0 and x_of_area + w + left <= width and y >= 0 and y + h + top <= height
        for x_of_area, y, w, h in areas
    )


def test_heights_are_rows_with_the_least_at_the_bottom() -> None:
    shapes = boxes(parsed(draw_svg(report(lattice((1, 1, 2, 4))))))
    levels = {label: sum(map(int, label.split(","))) for label in shapes}
    rows = {(levels[label], number(shape, "y")) for label, shape in shapes.items()}
    assert len(rows) == 9
    tops = [y for _, y in sorted(rows)]
    assert all(lower > upper for lower, upper in pairwise(tops))


def test_a_line_joins_a_node_and_its_direct_successor() -> None:
    root = parsed(draw_svg(report(lattice((1, 2)))))
    ends: dict[tuple[float, float], str] = {}
    for label, shape in boxes(root).items():
        x, y, width, height = rectangle(shape)
        ends |= {(round(x + width / 2, 1), y): label, (round(x + width / 2, 1), y + height): label}
    drawn = [path for name in ("edge", "edge above") for path in of_class(root, "path", name)]
    pairs = re.findall(r"M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)", "".join(path.attrib["d"] for path in drawn))
    joined = {(ends[float(x), float(y)], ends[float(to_x), float(to_y)]) for x, y, to_x, to_y in pairs}
    sideways = {("0,0", "1,0"), ("0,1", "1,1"), ("0,2", "1,2")}
    assert joined == sideways | {("0,0", "0,1"), ("0,1", "0,2"), ("1,0", "1,1"), ("1,1", "1,2")}


def test_standing_is_seen() -> None:
    nodes = lattice((1, 2), ("sex", "age"))
    root = parsed(draw_svg(report(nodes, {"age": 1, "sex": 1})))
    shapes = boxes(root)
    assert {label for label, box in shapes.items() if box.get("fill") == SATISFYING_SMALL} == {"0,2", "1,2"}
    assert {label for label, box in shapes.items() if box.get("fill") == WINNER} == {"1,1"}
    assert {label for label, box in shapes.items() if box.get("stroke-width") == "3"} == {"0,2", "1,1"}
    assert {"satisfies (1)", "minimal: no lower one satisfies (1)", "fails (3)", "the winner"} <= set(texts(root))
    assert "The winner, of height 2, suppresses 7,540 rows and loses 14.29 %: sex 1, age 1." in words(root)
    assert len(of_class(root, "polygon", "star")) == 2  # one of them in the legend


def test_a_lattice_without_a_winner_has_no_star() -> None:
    assert "polygon" not in draw_svg(report(lattice((1, 2))))


def test_tooltips_name_all_values() -> None:
    root = parsed(draw_svg(report(lattice((1, 2), ("sex", "age")), {"sex": 0, "age": 2})))
    levels = "sex: level 0\nage: level 2\nheight: 2\n"
    measures = "suppressed rows: 7,540\nclasses: 1,002\nloss: 14.29 %"
    expected = f"standing: satisfies, minimal, the winner\n{levels}{measures}"
    assert expected in [tooltip(area) for area in of_class(root, "rect", "pointed")]


def test_hostile_names_stay_text() -> None:
    root = parsed(draw_svg(report(lattice((1, 1), (HOSTILE, "age")))))
    tags = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert tags <= {"svg", "g", "title", "rect", "text", "path", "polygon"}
    shown = '<b>&"\'\\x" -- ]]> \ufffdevil\ufffd\ufffd second {|}'
    assert f"Lattice of {shown}, age" in words(root)
    assert f"\n{shown}: level 0\n" in tooltip(of_class(root, "rect", "pointed")[0])


def test_a_very_long_name_is_cut_on_the_sheet_only() -> None:
    root = parsed(draw_svg(report(lattice((1, 1), ("n" * 5000, "age")))))
    assert number(root, "width") < 1000
    assert "n" * 5000 + ": level 0" in tooltip(of_class(root, "rect", "pointed")[0])
    assert any(line.endswith("\N{HORIZONTAL ELLIPSIS}") for line in texts(root))


def test_wide_lattices_are_squares_without_labels() -> None:
    nodes = lattice((4, 4, 4, 4))
    root = parsed(draw_svg(report(nodes, nodes[-1]["levels"])))
    squares = of_class(root, "rect", "pointed")
    assert len(squares) == 625 and not steps(root) and "0,1,2,3" not in texts(root)
    assert len({tooltip(square) for square in squares}) == 625
    assert number(root, "width") < 1000


def test_very_large_lattices_are_cells_whose_counts_are_the_nodes() -> None:
    nodes = lattice((4, 5, 5, 2, 2, 1, 1, 1))
    assert len(nodes) == 12_960
    drawing = draw_svg(report(nodes, nodes[-1]["levels"]))
    assert len(drawing) < 120_000
    counted: Counter[str] = Counter()
    for cell in of_class(parsed(drawing), "rect", "pointed"):
        for count, word in re.findall(r"^([\d,]+) (satisfying|minimal|failing)$", tooltip(cell), re.MULTILINE):
            counted[word] += int(count.replace(",", ""))
    assert counted["minimal"] == sum(node["minimal"] for node in nodes)
    assert counted["satisfying"] == sum(node["satisfies"] for node in nodes)
    assert counted["failing"] == len(nodes) - counted["satisfying"]


def test_one_node() -> None:
    assert len(boxes(parsed(draw_svg(report(lattice((0,))))))) == 1


def test_drawings_do_not_depend_on_the_order_of_the_nodes() -> None:
    nodes = lattice((1, 1, 2, 4), ADULT)
    assert draw_svg(report(nodes)) == draw_svg(report(nodes[::-1]))
    assert dot_of(nodes) == dot_of(nodes[::-1])


def test_sweeps_lessen_the_crossings() -> None:
    facts = facts_of(report(lattice((1, 1, 2, 4))))
    diagram = build_diagram(facts.nodes, facts.names)
    above: dict[int, list[int]] = {}
    for lower, upper in diagram.edges:
        above.setdefault(lower, []).append(upper)
    listed, ordered = list(diagram.rows.values()), ordered_rows(diagram)
    assert [sorted(row) for row in ordered] == [sorted(row) for row in listed]
    assert crossings(ordered, above) <= 170 < 254 == crossings(listed, above)


def dot_of(nodes: Nodes, winner: dict[str, int] | None = None, title: str = "") -> str:
    return draw_dot(title, facts_of(report(nodes, winner)))


def test_dot_holds_nodes_edges_and_ranks() -> None:
    dot = dot_of(lattice((1, 1, 2, 4), ADULT), dict.fromkeys(ADULT, 1), 'Adult "k"')
    assert len(re.findall(r"^  n\d+ \[", dot, re.MULTILINE)) == 60
    assert len(re.findall(r"^  n\d+ -- n\d+;$", dot, re.MULTILINE)) == 148
    ranks = [re.findall(r"n(\d+);", line) for line in dot.splitlines() if "rank=same" in line]
    assert [len(row) for row in ranks] == [1, 4, 8, 11, 12, 11, 8, 4, 1]
    assert dot.count("peripheries=2") == 1
    assert dot.startswith("graph lattice {\n") and dot.endswith("}\n")
    assert r'label="Adult \"k\"\l' in dot


def test_dot_quotes_hostile_names() -> None:
    dot = dot_of(lattice((1, 1), (HOSTILE, "age\\")), title=HOSTILE)
    unquoted = re.sub(r'"(?:[^"\\\n]|\\.)*"', "TEXT", dot)
    assert '"' not in unquoted and "\\" not in unquoted and "evil" not in unquoted
    assert unquoted.count("{") == unquoted.count("}") == 1 + 3


@pytest.mark.tool
@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_graphviz_reads_it() -> None:
    dot = dot_of(lattice((1, 2), (HOSTILE, "age\\")), {HOSTILE: 1, "age\\": 0}, HOSTILE)
    done = subprocess.run(["dot", "-Tplain"], input=dot.encode(), capture_output=True, check=True)
    assert done.stderr == b""
    assert done.stdout.count(b"\nnode n") == 6


def test_write_plot_goes_by_the_suffix_and_overwrites(tmp_path: Path) -> None:
    data = report(lattice((1, 2)), {"q0": 1, "q1": 1})
    for name, start in (("a.svg", "<?xml"), ("b.SVG", "<?xml"), ("c.dot", "graph"), ("d.html", "<!DOCTYPE html>")):
        path = tmp_path / name
        path.write_text("old")
        write_plot(path, data)
        assert path.read_text(encoding="utf-8").startswith(start)


@pytest.mark.parametrize("name", ["plot.png", "plot", "svg"])
def test_write_plot_names_the_suffixes_it_knows(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigurationError, match=r"\.svg or \.dot"):
        write_plot(tmp_path / name, report(lattice((1,))))
    assert not list(tmp_path.iterdir())


def test_write_plot_says_why_it_cannot_write(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match=r"cannot be written \(No such file"):
        write_plot(tmp_path / "missing" / "a.svg", report(lattice((1,))))


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
