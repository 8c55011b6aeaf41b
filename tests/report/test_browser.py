"""Every page that the project makes, in a real browser: three widths, light and dark, by keyboard, on paper."""

from __future__ import annotations

import itertools
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from browsing import PAPER, WIDTHS, Browser, browser, dumped
from page_facts import released, without_release
from places import EXAMPLES, ROOT, SCRIPTS
from servers import BROWSER, missing_browser
from tables import configuration, write

import kanon_sql
from kanon_sql.report.charts import lattice as lattice_plot
from kanon_sql.report.charts.sweep import draw_html
from kanon_sql.report.page.model import PageFacts
from kanon_sql.report.page.page import render

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(missing_browser() is not None, reason=missing_browser() or ""),
]

HOSTILE = '</script><script>alert("1")</script><img src=x onerror=alert(2)>&amp;\' ]]> --> \u202eevil "quoted"'

Json = Any


@pytest.fixture(scope="module")
def one_browser() -> Iterator[Browser]:
    with browser() as chromium:
        yield chromium


def people(folder: Path, **more: Any) -> Path:
    write(folder / "people.csv")
    path = folder / "config.yaml"
    path.write_text(yaml.safe_dump(configuration("people.csv", "release.csv", **more)))
    return path


def risk_of_a_table(path: Path) -> None:
    config = people(path.parent)
    kanon_sql.risk(config, plot=path)


def risk_before_and_after(path: Path) -> None:
    config = EXAMPLES / "adult" / "config.yaml"
    target = [("target.path", str(path.with_suffix(".parquet"))), ("target.overwrite", "true")]
    kanon_sql.run(config, overrides=target, advice=False)
    kanon_sql.risk(config, overrides=target, plot=path)


def point(series: str, k: int, limit: int | str) -> Json:
    lost = k / 3 + len(series) % 7 + len(str(limit))
    figures = {"suppressed": k % 5, "classes": 9000 // k, "c_avg": 1.5, "lm": lost / 100, "ncp": lost}
    return {
        **{"series": series, "configuration": f"{series}.yaml", "algorithm": "optimal", "k": k, "limit": limit},
        **{"limit_rows": 0, "status": "released", "seconds": 0.05 + k / 997, "problem": None},
        **(figures if k < 100 else {**dict.fromkeys(figures), "status": "no-release"}),
    }


def sweep_of_eighteen(path: Path) -> None:
    names = [*(f"configuration {'of a long name ' * (number % 3)}{number}" for number in range(5)), HOSTILE]
    limits = (0, "1%", 200)
    ks = (2, 5, 10, 20, 50, 100)
    series = [
        {"name": name, "configuration": f"{name}.yaml", "rows": 30162, "quasi_identifiers": ["age", name]}
        for name in names
    ]
    points = [point(name, k, limit) for name in names for limit in limits for k in ks]
    swept: Json = {"series": series, "points": points, "k": list(ks), "limits": list(limits)}
    path.write_text(draw_html(swept), "utf-8")


def lattice_of_boxes(path: Path) -> None:
    lattice: Json = kanon_sql.lattice(people(path.parent))
    path.write_text(lattice_plot.draw_html(lattice), "utf-8")


def lattice_of(highs: tuple[int, ...]) -> Callable[[Path], None]:
    """A lattice of which every third node is not known."""

    def write_lattice(path: Path) -> None:
        border = sum(highs) // 2
        nodes: list[Json] = []
        for place, levels in enumerate(itertools.product(*(range(high + 1) for high in highs))):
            height = sum(levels)
            satisfies = height >= border if place % 3 else None
            nodes.append(
                {
                    **{
                        "levels": dict(zip("abcdefgh", levels, strict=False)),
                        "lm": height / 20,
                        "satisfies": satisfies,
                    },
                    **{
                        "suppressed": satisfies and 7,
                        "classes": satisfies and 20,
                        "minimal": bool(satisfies) and height == border,
                    },
                    "winner": bool(satisfies) and height == border and not any(node["winner"] for node in nodes),
                }
            )
        names = list("abcdefgh"[: len(highs)])
        lattice: Json = {"quasi_identifiers": names, "k": 5, "limit": 2, "nodes": nodes}
        path.write_text(lattice_plot.draw_html(lattice), "utf-8")

    return write_lattice


def drawn(facts: PageFacts) -> Callable[[Path], None]:
    """The page of a release, of facts that were made by hand."""

    def make(path: Path) -> None:
        path.write_text(render(facts), "utf-8")

    return make


def hostile() -> PageFacts:
    """Names and labels that would be markup, if they were not texts."""
    facts = released(title=HOSTILE)
    columns = tuple(
        replace(
            column, name=HOSTILE, labels=(HOSTILE,), bars=tuple(replace(bar, label=HOSTILE * 3) for bar in column.bars)
        )
        for column in facts.columns
    )
    return replace(facts, columns=columns)


def wide() -> PageFacts:
    """Thirty quasi-identifiers."""
    facts = released()
    some = len(facts.columns)
    return replace(
        facts,
        columns=tuple(replace(facts.columns[place % some], name=f"quasi_identifier_{place}") for place in range(30)),
    )


def run_of_adult(algorithm: str, *more: tuple[str, str]) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        changes = [
            *(("target.path", str(path.with_suffix(".parquet"))), ("target.overwrite", "true")),
            *(("algorithm", algorithm), ("report.html", str(path)), *more),
        ]
        kanon_sql.run(EXAMPLES / "adult" / "config.yaml", overrides=changes, advice=False)

    return make


PAGES: dict[str, Callable[[Path], None]] = {
    "risk": risk_of_a_table,
    "risk-before-and-after": risk_before_and_after,
    "sweep-of-eighteen": sweep_of_eighteen,
    "lattice": lattice_of_boxes,
    "lattice-of-squares": lattice_of((4, 4, 4, 4)),
    "lattice-of-cells": lattice_of((9, 9, 9, 9)),
    "no-release": drawn(without_release()),
    "hostile-names": drawn(hostile()),
    "thirty-columns": drawn(wide()),
    "run-optimal": run_of_adult("optimal"),
    "run-local": run_of_adult("local"),
    "run-mondrian": run_of_adult("mondrian"),
}


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The pages by name, each made once."""
    paths: dict[str, Path] = {}

    def page(name: str) -> Path:
        if name not in paths:
            path = tmp_path_factory.mktemp("page") / f"{name}.html"
            PAGES[name](path)
            paths[name] = path
        return paths[name]

    return page


on_each_page = pytest.mark.parametrize("name", PAGES)


@on_each_page
def test_it_is_shown_well(name: str, pages: Callable[[str], Path], one_browser: Browser) -> None:
    """It fits in every window, is read and used by everybody, prints on white paper, and asks nobody for anything."""
    faults = []
    with one_browser.window(pages(name)) as window:
        for width in WIDTHS:
            window.resize(width, "light")
            faults += [f"{width}: {fault}" for fault in window.layout()]
            if width == min(WIDTHS):
                faults += [f"{width}: {fault}" for fault in window.violations()]
        window.resize(max(WIDTHS), "dark")
        faults += [f"dark: {fault}" for fault in window.violations("color-contrast")]
        faults += window.keyboard()
        window.resize(PAPER, "dark", medium="print")
        faults += [f"on paper: {fault}" for fault in window.layout()]
        faults += [f"on paper: {fault}" for fault in window.violations("color-contrast")]
        paper, printed = window.background(), window.page.pdf(format="A4", print_background=True)
        faults += window.noise()
    assert not faults, dumped(faults)
    assert paper in ("rgb(255, 255, 255)", "rgba(0, 0, 0, 0)")
    assert printed.startswith(b"%PDF") and 0 < len(re.findall(rb"/Type /Page\b", printed)) < 60


def five_columns(path: Path) -> None:
    """The page of a release of five quasi-identifiers, with everything that can be unfolded."""
    config = EXAMPLES / "adult" / "config.yaml"
    kept = ["sex", "age", "race", "marital_status", "work_class"]
    loaded = yaml.safe_load(config.read_text(encoding="utf-8"))
    chosen = {name: loaded["quasi_identifiers"][name] for name in kept}
    kanon_sql.run(
        config,
        overrides=[
            ("quasi_identifiers", yaml.safe_dump(chosen, default_flow_style=True)),
            ("unlisted", "drop"),
            ("target", str(path.with_suffix(".csv"))),
        ],
        advice=False,
        html=path,
    )


def test_five_columns_are_ten_sheets(tmp_path: Path, one_browser: Browser) -> None:
    five_columns(tmp_path / "page.html")
    with one_browser.window(tmp_path / "page.html") as window:
        window.resize(PAPER, "light", medium="print")
        printed = window.page.pdf(format="A4", print_background=True)
    assert 5 < len(re.findall(rb"/Type /Page\b", printed)) <= 11


@on_each_page
def test_it_tells_the_same_without_scripts(name: str, pages: Callable[[str], Path], one_browser: Browser) -> None:
    with one_browser.window(pages(name)) as window, one_browser.window(pages(name), scripts=False) as still:
        assert not set(window.texts().split()) - set(still.texts().split())
        assert not (faults := still.layout() + still.noise()), dumped(faults)


def test_a_fault_is_found(tmp_path: Path, one_browser: Browser) -> None:
    """What the other tests look for, in a page that has it all."""
    page = tmp_path / "bad.html"
    page.write_text(
        "<!DOCTYPE html><html><body><style>button { outline: none } a { outline: none }</style>"
        "<div style='width: 2000px; height: 9px'></div><p style='color: #ccc'>hardly to be read</p>"
        "<button>no ring</button><span style='cursor: pointer'>for mice</span>"
        "<a href='#x' onfocus='this.blur()'>never</a>"
        "<svg viewBox='0 0 1000 100' width='300'>"
        "<text x='980' y='50' font-size='10' fill='#ddd'>far too long a text</text></svg>"
        "<div style='overflow-x: auto'><svg width='3000' height='9'></svg></div>"
        "<img src='http://127.0.0.1:9/x.png'><script>console.log('heard'); nothing.there</script></body></html>",
        encoding="utf-8",
    )
    with one_browser.window(page, 360) as window:
        layout, noise = "\n".join(window.layout()), "\n".join(window.noise())
        keyboard, axe = "\n".join(window.keyboard()), "\n".join(window.violations())
    assert "wide in a window of 360" in layout and "pixels high" in layout and "ends outside" in layout
    assert "that scrolls" in layout
    assert "log: heard" in noise and "nothing is not defined" in noise and "127.0.0.1:9" in noise
    assert "the focus is unseen" in keyboard and "the mouse alone: <span" in keyboard
    assert "color-contrast" in axe and "image-alt" in axe and 'contrast 1.4: "far too' in axe


@pytest.mark.parametrize("name", ["lattice", "lattice-of-squares", "lattice-of-cells"])
def test_a_lattice_is_explored(name: str, pages: Callable[[str], Path], one_browser: Browser) -> None:
    """By mouse, keys and buttons: the details are those of the node, and the drawing is seen as large as asked."""
    with one_browser.window(pages(name), 800) as window:
        stage, details = window.page.locator(".stage:visible"), window.page.locator(".details")
        drawing = stage.locator("svg")
        first, whole = details.inner_text(), drawing.get_attribute("viewBox")
        box = stage.bounding_box()
        stage.focus()
        window.page.keyboard.press("ArrowUp")
        assert (higher := details.inner_text()) != first
        window.page.keyboard.press("ArrowDown")
        assert details.inner_text() != higher
        window.page.keyboard.press("Home")
        window.page.keyboard.press("+")
        closer = [float(number) for number in (drawing.get_attribute("viewBox") or "").split()]
        assert whole is not None and closer[2] == pytest.approx(float(whole.split()[2]) / 1.5)
        window.page.keyboard.press("Shift+ArrowRight")
        assert drawing.get_attribute("viewBox") != " ".join(map(str, closer))
        window.page.get_by_label("show the whole lattice").click()
        assert drawing.get_attribute("viewBox") == whole
        window.page.get_by_label("zoom in").click()
        window.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        window.page.mouse.down()
        window.page.mouse.move(box["x"] + box["width"] / 2 - 40, box["y"] + box["height"] / 2 - 30, steps=3)
        window.page.mouse.up()
        assert drawing.get_attribute("viewBox") != whole
        window.page.get_by_label("go to the winner").click()
        if name != "lattice-of-cells":
            assert details.inner_text() == first
        assert not window.noise()


def test_the_pictures_of_the_docs_are_drawn(tmp_path: Path, one_browser: Browser) -> None:
    environment = {**os.environ, BROWSER: one_browser.url}
    subprocess.run([sys.executable, str(SCRIPTS / "pictures.py"), str(tmp_path)], env=environment, check=True)
    kept = ROOT / "docs" / "pictures"
    shown = {
        *re.findall(r"\]\(docs/pictures/(.+?)\)", (ROOT / "README.md").read_text("utf-8")),
        *re.findall(r"\]\(pictures/(.+?)\)", (ROOT / "docs" / "page.md").read_text("utf-8")),
    }
    assert shown == {path.name for path in kept.iterdir()}
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in kept.iterdir()}
    for path in kept.iterdir():
        assert path.read_bytes()[:4] == b"\x89PNG" and path.stat().st_size < 150_000
