"""The drawing of a sweep: every series and value is in it, it is well-formed, and names cannot break it."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from functools import partial
from html.parser import HTMLParser
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from tables import configuration, write

import kanon_sql
from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.report.charts import sweep
from kanon_sql.report.charts.svg import tick_text, value_axis
from kanon_sql.report.charts.sweep import HEAD, cells, draw_html, draw_svg, lines_of, write_plot

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = '<script>alert("1")</script>&amp;\' ]]> --> \u202eevil\x00\ud800\nsecond'
SHOWN = '<script>alert("1")</script>&amp;\' ]]> --> \ufffdevil\ufffd\ufffd second'

Json = Any


def point(series: str, k: int, limit: int | str = 0, **more: Any) -> Json:
    return {
        "series": series,
        "configuration": f"{series}.yaml",
        "algorithm": "optimal",
        "k": k,
        "limit": limit,
        "limit_rows": 0,
        "status": "released",
        "suppressed": 0,
        "classes": 9000 // k,
        "c_avg": 1.5,
        "lm": k / 300,
        "ncp": k / 3,
        "seconds": 0.05 + k / 997,
        "problem": None,
        **more,
    }


def lacking(series: str, k: int, limit: int | str = 0, status: str = "no-release") -> Json:
    nothing = dict.fromkeys(("suppressed", "classes", "c_avg", "lm", "ncp"))
    return point(series, k, limit, status=status, problem="none", **nothing)


def swept(points: Sequence[Json]) -> Json:
    names = list(dict.fromkeys(point["series"] for point in points))
    series = [
        {"name": name, "configuration": f"{name}.yaml", "rows": 30162, "quasi_identifiers": ["age", name]}
        for name in names
    ]
    limits = list(dict.fromkeys(point["limit"] for point in points))
    return {"series": series, "points": list(points), "k": sorted({p["k"] for p in points}), "limits": limits}


def parsed(drawing: str) -> ET.Element:
    assert "href" not in drawing and "<script" not in drawing
    return ET.fromstring(drawing.encode())


def of_class(root: ET.Element, name: str) -> list[ET.Element]:
    return [element for element in root.iter() if name in element.get("class", "").split()]


def tooltips(root: ET.Element, name: str = "point") -> list[str]:
    return [element.findtext(SVG + "title") or "" for element in of_class(root, name)]


def texts(root: ET.Element) -> list[str]:
    return ["".join(element.itertext()) for element in root.iter(SVG + "text")]


class Page(HTMLParser):
    """The cells of the table, and every tag."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.rows: list[list[str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        assert not any(name in ("src", "href", "onload", "onclick") for name, _ in attrs)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        if self.rows and self.rows[-1] and self.tags[-1] in ("td", "th"):
            self.rows[-1][-1] += data

    def handle_endtag(self, tag: str) -> None:
        self.tags.append("/" + tag)


MANY = [
    point(f"s{number}", k, limit, suppressed=number, ncp=number + k / 7 + len(str(limit)))
    for number in range(5)
    for limit in (0, "1%", 200)
    for k in (2, 10, 100)
]


@pytest.mark.slow
def test_every_value_of_the_table_is_in_the_drawing(tmp_path: Path) -> None:
    write(tmp_path / "people.csv")
    config = configuration("people.csv", None, insensitive=[], unlisted="drop")
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(config))
    data: Any = kanon_sql.sweep(
        tmp_path / "config.yaml",
        k=[2, 5, 20, 301],
        limits=[0, 10],
        algorithms=["optimal", "minimal"],
        plot=tmp_path / "plot.html",
        output=tmp_path / "table.json",
    )
    drawing = draw_svg(data)
    said = tooltips(parsed(drawing))
    for point_of_sweep in data["points"]:
        by_head = dict(zip(HEAD, cells(point_of_sweep), strict=True))
        name = f"{point_of_sweep['series']}, limit {point_of_sweep['limit']}"
        for head in HEAD[3:]:
            shown = f"{name}\nk = {point_of_sweep['k']}\n{head}: {by_head[head]}"
            assert said.count(shown) == (point_of_sweep["status"] == "released"), shown
    page = Page((tmp_path / "plot.html").read_text(encoding="utf-8"))
    assert page.rows == [list(HEAD), *(cells(point_of_sweep) for point_of_sweep in data["points"])]
    shown = (tmp_path / "plot.html").read_text(encoding="utf-8")
    assert all(shown.count(f"<title>{text}</title>") == said.count(text) for text in said)


def test_panels_and_lines() -> None:
    root = parsed(draw_svg(swept(MANY)))
    panels = of_class(root, "panel")
    titles = ["Loss", "Class size", "Classes", "Suppressed rows", "Search time"]
    assert [panel.findtext(f"{SVG}text/{SVG}tspan") for panel in panels] == titles
    for panel in panels:
        lines = of_class(panel, "line")
        assert len(lines) == 15 and len({line.get("data-line") for line in lines}) == 15
        assert all(len(of_class(line, "point")) == 3 for line in lines)
    names = [f"s{number}, limit {limit}" for number in range(5) for limit in (0, "1%", 200)]
    assert tooltips(root, "entry") == names
    assert set(names) <= set(texts(root))
    title = (
        "k sweep of s0.yaml, s1.yaml, s2.yaml, s3.yaml and s4.yaml: k = 2, 10 and 100, suppression limit 0, 1% and 200"
    )
    assert root.findtext(SVG + "title") == title


def test_lines_look_different() -> None:
    points = [point(f"s{number}", k) for number in range(28) for k in (2, 10)]
    entries = of_class(parsed(draw_svg(swept(points))), "entry")
    looks = set()
    for entry in entries:
        stroke, mark = entry.iter(SVG + "path")
        (line,) = of_class(entry, "line")
        shape = re.sub(r"[\d.-]+", "", mark.attrib["d"]), len(mark.attrib["d"])
        looks.add((line.get("color"), stroke.get("stroke-dasharray"), shape))
    assert len(looks) == len(entries) == 28


def test_suppressed_rows_have_a_panel_only_where_there_are_any() -> None:
    assert "Suppressed rows" not in draw_svg(swept([point("a", 2), point("a", 5)]))
    assert "Suppressed rows" in draw_svg(swept([point("a", 2), point("a", 5, suppressed=1)]))


def test_limits_that_make_no_difference_are_one_line() -> None:
    points = [point("a", 2, 0), point("a", 2, 7), point("b", 2, 0), point("b", 2, 7, ncp=5.0)]
    assert [line.name for line in lines_of(swept(points))] == ["a", "b, limit 0", "b, limit 7"]
    merged = [*points, point("b", 2, "1%")]
    assert [line.name for line in lines_of(swept(merged))] == ["a", "b, limit 0 or 1%", "b, limit 7"]


def test_points_without_a_release_are_crosses_and_gaps() -> None:
    points = [point("a", 2), lacking("a", 5), point("a", 10), point("a", 20), lacking("a", 50, status="timed-out")]
    data = swept(points)
    root = parsed(draw_svg(data))
    assert tooltips(root, "lacking") == ["a\nk = 5\nno release", "a\nk = 50\ntimed out"]
    loss = of_class(root, "panel")[0]
    (line, crosses) = of_class(loss, "line")
    assert len(of_class(line, "point")) == 3 and len(line.findall(SVG + "path")) == 1
    assert len(of_class(crosses, "lacking")) == 2
    assert "no release" in draw_html(data) and "timed out" in draw_html(data)
    nothing = parsed(draw_svg(swept([lacking("a", 2), lacking("b", 2)])))
    assert len(of_class(nothing, "lacking")) == 2 and not of_class(nothing, "point")


def test_marks_stay_on_their_panel_and_k_goes_right() -> None:
    data = swept([*MANY, *(point("wide", k, ncp=100.0, classes=10**9, c_avg=0.001) for k in (1, 7, 10**6))])
    for panel in of_class(parsed(draw_svg(data)), "panel"):
        for line in of_class(panel, "line"):
            circles = list(line.iter(SVG + "circle"))
            places = [(float(circle.attrib["cx"]), float(circle.attrib["cy"])) for circle in circles]
            assert all(46 <= right <= 320 and 0 <= y <= 236 - 44 for right, y in places)
            assert all(left[0] < right[0] for left, right in pairwise(places))


def test_labels_of_k_do_not_touch() -> None:
    ks = (*range(1, 30), 100, 1000, 1010)
    panel = of_class(parsed(draw_svg(swept([point("a", k) for k in ks]))), "panel")[0]
    labels = [label for label in panel.iter(SVG + "text") if label.get("text-anchor") == "middle"][:-1]
    ends = [(float(label.attrib["x"]), 3.2 * len(label.text or "")) for label in labels]
    assert [label.text for label in labels][:: len(labels) - 1] == ["1", "1,010"]
    assert all(left[0] + left[1] < right[0] - right[1] for left, right in pairwise(ends))
    assert len(of_class(parsed(draw_svg(swept([point("a", 7)]))), "point")) == 4


def test_hostile_names_stay_text() -> None:
    data = swept([point(HOSTILE, k, limit, suppressed=1, ncp=len(str(limit))) for k in (2, 5) for limit in (0, "1%")])
    root = ET.fromstring(draw_svg(data).encode())
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
        "svg", "g", "title", "rect", "text", "tspan", "path", "circle",
    }  # fmt: skip
    assert f"{SHOWN}, limit 0" in tooltips(root, "entry")
    html = draw_html(data)
    assert Page(html).tags.count("script") == 1 and Page(html).rows[1][0] == SHOWN
    assert "https://" not in html and html.replace("http://www.w3.org/2000/svg", "").count("http:") == 0


def test_a_very_long_name_is_cut_in_the_legend_only() -> None:
    root = parsed(draw_svg(swept([point("n" * 3000, 2)])))
    assert float(root.attrib["width"]) < 1100
    assert any(text.endswith("…") for text in texts(root))
    assert tooltips(root, "entry") == ["n" * 3000]


@pytest.mark.parametrize(
    ("values", "log", "ticks"),
    [
        ([0.0], False, (0, 1)),
        ([3, 5], False, (0, 1, 2, 3, 4, 5)),
        ([1], False, (0, 1)),
        ([99.9], False, (0, 20, 40, 60, 80, 100)),
        ([2, 700], True, (2, 10, 100, 1000)),
        ([1, 1000], True, (1, 10, 100, 1000)),
        ([0.03, 4], True, (0.02, 0.1, 1, 5)),
        ([0, 4000], False, (0, 1000, 2000, 3000, 4000)),
    ],
)
def test_axes(values: list[float], log: bool, ticks: tuple[float, ...]) -> None:
    axis = value_axis(values, 100, 0, may_be_log=True, whole=True)
    assert (axis.log, axis.ticks) == (log, ticks)
    assert (axis.at(axis.low), axis.at(axis.high)) == (100, 0)
    assert all(0 <= axis.at(value) <= 100 for value in values)
    shown = [tick_text(value) for value in (0.0, 0.02, 2.5, 1000, 2_500_000, 1e10)]
    assert shown == ["0", "0.02", "2.5", "1,000", "2.5M", "10G"]


def test_write_plot_goes_by_the_suffix_and_overwrites(tmp_path: Path) -> None:
    data = swept([point("a", 2)])
    for name, start in (("a.svg", "<?xml"), ("b.HTML", "<!DOCTYPE html>")):
        (tmp_path / name).write_text("old")
        write_plot(tmp_path / name, data)
        assert (tmp_path / name).read_text(encoding="utf-8").startswith(start)
    with pytest.raises(ConfigurationError, match=r"\.html, \.svg or \.png"):
        write_plot(tmp_path / "a.pdf", data)
    with pytest.raises(EngineError, match="cannot be written"):
        write_plot(tmp_path / "missing" / "a.svg", data)


def test_png_without_the_extra_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweep, "find_spec", lambda name: None)
    with pytest.raises(ConfigurationError, match=r"pip install 'kanon-sql\[plot\]'"):
        write_plot(tmp_path / "a.png", swept([point("a", 2)]))


@pytest.mark.slow
def test_png(tmp_path: Path) -> None:
    data = swept(MANY)
    write_plot(tmp_path / "a.png", data)
    content = (tmp_path / "a.png").read_bytes()
    width = int.from_bytes(content[16:20], "big")
    assert content.startswith(b"\x89PNG") and width == 2 * int(parsed(draw_svg(data)).attrib["width"])


def test_png_has_texts_where_the_machine_has_no_font(monkeypatch: pytest.MonkeyPatch) -> None:
    renderer = import_module("resvg_py")
    bare = SimpleNamespace(svg_to_bytes=partial(renderer.svg_to_bytes, skip_system_fonts=True))
    monkeypatch.setattr(sweep, "import_module", lambda name: bare if name == "resvg_py" else import_module(name))
    letter = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="12">{}</svg>'
    assert sweep.pixels(letter.format('<text y="9" font-family="sans-serif">k</text>')) != sweep.pixels(
        letter.format("")
    )


def test_the_table_has_the_columns_of_the_measures() -> None:
    assert HEAD == ("series", "k", "limit", "classes", "C_AVG", "loss %", "suppressed", "seconds")
    assert cells(point("a", 2000, 4500, suppressed=1234))[:3] == ["a", "2,000", "4,500"]
