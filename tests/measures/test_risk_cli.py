"""`kanon-sql risk` as people use it: its text, its streams, its exit statuses and its drawing."""

from __future__ import annotations

import json
import re
import signal
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import yaml
from ended import Call, Ended
from pages import leaves, rows, sections
from places import ROOT
from table_files import write_csv
from tables import configuration, people, write

import kanon_sql
from kanon_sql.cli.main import main
from kanon_sql.report.charts.risk import draw_html, draw_svg, size_text

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "<script>alert('1')</script> & \u202eevil"
VALUES = {value for row in people() for value in (row[2], row[3])} - {"none"}  # which style sheets say as well


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Call]:
    """Runs kanon-sql risk in a folder with config.yaml, people.csv, its release and a register."""
    write(tmp_path / "people.csv")
    persons = [*people(), *people(700, 2)]
    rows = [[sex, str(age), code] for sex, age, code, *_ in persons]
    write_csv(tmp_path / "register.csv", [["sex", "age", "zip"], *rows])
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(configuration("people.csv", "release.csv")))
    monkeypatch.chdir(tmp_path)
    kanon_sql.run("config.yaml")
    before = signal.getsignal(signal.SIGTERM)

    def run(*words: str) -> Ended:
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main(["risk", *words])
        assert isinstance(ended.value.code, int)
        return Ended(ended.value.code, *capsys.readouterr())

    yield run
    signal.signal(signal.SIGTERM, before)


def cells(out: str, name: str) -> list[str]:
    """The numbers in the line of the summary that begins with a name."""
    line = next(line for line in out.splitlines() if line.startswith(f"  {name}  "))
    return re.findall(r"[\d,.]+(?: \([^)]*\))?", line.removeprefix(f"  {name}"))


@pytest.mark.slow
def test_the_summary_says_what_the_report_says(call: Call) -> None:
    status, out, err = call("config.yaml", "--population", "register.csv")
    data = json.loads(call("config.yaml", "--population", "register.csv", "--json").out)
    assert (status, err) == (0, "")
    sides = [data["before"], data["after"]]
    assert cells(out, "classes") == [f"{side['classes']['count']:,}" for side in sides]
    assert cells(out, "rows of the smallest class") == [str(side["classes"]["min"]) for side in sides]
    for name in ("prosecutor", "journalist"):
        for key in ("highest", "average"):
            assert cells(out, f"{name} risk, {key}") == [f"{side[name][key]:.4f}" for side in sides]
        above = [side[name]["above"] for side in sides]
        assert cells(out, f"{name} risk, rows above 0.2") == [
            f"{threshold['rows']:,} ({100 * threshold['share']:.2f} %)" for threshold in above
        ]
    assert cells(out, "marketer risk") == [f"{side['marketer']['average']:.4f}" for side in sides]
    assert max(map(len, out.splitlines())) <= 80
    assert "(!)" not in out
    assert not [value for value in VALUES if value in out]


@pytest.mark.slow
def test_columns_that_are_no_quasi_identifiers_are_marked(call: Call) -> None:
    out = call("config.yaml", "--columns", "all").out
    assert "cost (!)" in out and "zip (!)" not in out and "(!) no quasi-identifier" in out
    assert "of 25 subsets of up to 3 columns" in out


@pytest.mark.slow
def test_subsets_that_hold_a_key_are_left_out(call: Call) -> None:
    write_csv(Path("t.csv"), [["id", "a"], ["1", "x"], ["2", "x"], ["3", "y"]])
    out = call("t.csv", "--qi", "a", "--columns", "all").out
    assert "the riskiest 2 of 3 subsets of up to 2 columns, without those that hold a smaller key" in out
    assert out.rstrip().endswith("(!) no quasi-identifier") and "id (!), a" not in out and "a, id" not in out


@pytest.mark.slow
def test_values_only_when_asked_for(call: Call) -> None:
    for words in (["--json"], ["--json", "--plot", "r.html", "--report", "r.json"]):
        ended = call("config.yaml", *words)
        texts = [ended.out, *(Path(name).read_text() for name in words if name in ("r.html", "r.json"))]
        assert not [value for value in VALUES for text in texts if value in text]
    shown = call("people.csv", "--qi", "zip", "--qi", "sex", "--show-values").out
    assert "the smallest classes\n" in shown and any(value in shown for value in VALUES)
    assert "the smallest classes after" in call("config.yaml", "--show-values").out


@pytest.mark.slow
def test_options_stand_for_a_configuration(call: Call) -> None:
    write_csv(Path("t.csv"), [["a;b"], ["1;?"], ["1;"], ["?;x"]])
    status, out, _ = call("t.csv", "--qi", "b", "--missing", "?", "--missing", "", "--delimiter", ";", "--json")
    assert status == 0
    assert json.loads(out)["before"]["classes"] == {"count": 2, "min": 1, "max": 2, "average": 1.5}
    assert call("config.yaml", "--quiet") == (0, "", "")
    report = call("config.yaml", "--quiet", "--report", "r.json", "--set", "target=other.csv")
    assert report == (0, "", "") and json.loads(Path("r.json").read_text())["after"] is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["config.yaml", "--missing", "x"], 2, "go with --qi"),
        (["people.csv", "--qi", "zap"], 2, "no column 'zap'"),
        (["config.yaml", "--threshold", "2"], 2, "expected a risk from 0 to 1"),
        (["config.yaml", "--plot", "r.pdf"], 2, "expected a file that ends in .html, .svg or .png"),
        (["config.yaml", "--plot", "release.svg", "--report", "release.csv"], 2, "would replace"),
        (["config.yaml", "--population", "nowhere.csv"], 3, "does not exist"),
        (["config.yaml", "--population", "release.csv"], 3, "are not in the population"),
        (["config.yaml", "--report", "nowhere/r.json"], 3, "its folder does not exist"),
    ],
)
def test_what_is_wrong(call: Call, words: list[str], status: int, said: str) -> None:
    ended = call(*words)
    assert ended.status == status and ended.out == ""
    assert said in ended.err and ended.err.startswith("kanon-sql: error: ")
    assert not [value for value in VALUES if value in ended.err]
    assert Path("release.csv").stat().st_size > 1000


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


@pytest.mark.slow
def test_the_drawing_has_every_count(call: Call) -> None:
    data: Any = json.loads(call("config.yaml", "--json").out)
    root = ET.fromstring(draw_svg(data).encode())
    shares, classes = [group for group in root.iter(SVG + "g") if group.get("class") == "panel"][:2]
    sides = [data[word]["sizes"] for word in ("before", "after")]
    said = {group.findtext(SVG + "title") for panel in (shares, classes) for group in panel.iter(SVG + "g")}
    widths, expected = [], []
    for pair in zip(*sides, strict=True):
        of = f"classes of {size_text(pair[0])} rows"
        counts = [f"{size_range['classes']:,}" for size_range in pair]
        assert f"{of}\nclasses before: {counts[0]}\nclasses after: {counts[1]}" in said
        assert any(
            (text or "").startswith(f"{of}\nbefore: {pair[0]['rows']:,} rows, ")
            and f"\nafter: {pair[1]['rows']:,} rows, " in (text or "")
            for text in said
        )
        expected += [size_range["share"] for size_range in pair if size_range["share"]]
    for bar in shares.iter(SVG + "rect"):
        widths.append(float(bar.attrib["width"]) + (1.2 if bar.get("class") == "before" else 0))
    assert len(widths) == len(expected)
    for width, share in zip(widths, expected, strict=True):
        assert width == pytest.approx(max(widths) * share / max(expected), abs=1.6)
    page = Page(draw_html(data))
    assert page.rows[0] == ["rows in the class", "rows before", "rows after", "% before", "% after", "classes before",
                            "classes after"]  # fmt: skip
    for row, before, after in zip(page.rows[1:], *sides, strict=False):
        figures = (
            before["rows"],
            after["rows"],
            100 * before["share"],
            100 * after["share"],
            before["classes"],
            after["classes"],
        )
        texts = [f"{value:,}" if isinstance(value, int) else f"{value:.2f}" for value in figures]
        assert row == [size_text(before), *texts]
    assert "above this line" in draw_svg(data)


def test_names_cannot_break_the_drawing(tmp_path: Path) -> None:
    write_csv(tmp_path / "t.csv", [[HOSTILE, "b"], ["1", "x"], ["2", "x"]], quote=True)
    config = {"source": str(tmp_path / "t.csv"), "quasi_identifiers": [HOSTILE], "privacy": {"k": 1}}
    data: Any = kanon_sql.risk(config, plot=tmp_path / "r.svg")
    drawing = (tmp_path / "r.svg").read_text()
    ET.fromstring(drawing.encode())
    assert "<script" not in drawing and "\u202e" not in drawing
    assert Page(draw_html(data)).tags.count("script") == 1


@pytest.mark.slow
def test_the_summary_shows_the_estimates_of_uniqueness(call: Call) -> None:
    status, out, err = call("config.yaml", "--sampling-fraction", "0.5", "--subsets", "0")
    data = json.loads(call("config.yaml", "--sampling-fraction", "0.5", "--subsets", "0", "--json").out)
    assert (status, err) == (0, "")
    for model, named in (("pitman", "Pitman"), ("zayatz", "Zayatz"), ("snb", "SNB"), ("dankar", "Dankar")):
        for word in ("before", "after"):
            uniqueness = data[word]["population_uniqueness"]
            said = "\u2013" if model in uniqueness["without_estimate"] else f"{100 * uniqueness[model]:.2f} %"
            line = next(line for line in out.splitlines() if f"unique in the population, {named}" in line)
            assert said in line
    for words in (["--population-size", "3"], ["--sampling-fraction", "2"]):
        assert call("config.yaml", *words).status == 2


@pytest.mark.slow
def test_every_key_of_the_report_is_described(call: Call) -> None:
    keys: set[str] = set()
    population = ["--population", "register.csv"]
    for words in (
        population,
        [*population, "--show-values", "--special-uniques", "2"],
        ["--sampling-fraction", "0.05", "--special-uniques", "2", "--show-values"],
        [*population, "--set", "group=cost"],
        ["--weights", "cost", "--set", "source={query: \"SELECT * REPLACE (cost + 1 AS cost) FROM 'people.csv'\"}"],
        [],
    ):
        data = json.loads(call("config.yaml", *words, "--json").out)
        assert data["population_uniqueness"] == data["before"]["population_uniqueness"]
        data["population_uniqueness"] = None
        for word in ("before", "after"):
            for person in data[word]["exposed"] or []:
                assert set(person["values"]) == {"sex", "age", "zip"}
                person["values"] = None
            special = data[word]["special_uniques"]
            if special is not None:
                assert special["values"].keys() == special["columns"].keys() == {"sex", "age", "zip"}
                assert special["msus"].keys() == {"1", "2"}
                special["columns"], special["msus"] = {"NAME": 0.5}, {"SIZE": 1}
                special["values"] = {"NAME": [{"value": "30", "share": 1.0}]}
                for key in ("scores", "dis"):
                    special[key] = special[key] or data["before"]["special_uniques"][key]
        data["after"]["weighted"] = data["before"]["weighted"]  # the release holds weights of 0
        data["after"], data["before"] = None, data["after"]
        keys |= set(leaves(data))
    described = set(rows(sections(ROOT / "docs" / "risk.md")["The JSON report"]))
    around = {key[: match.start()] for key in keys for match in re.finditer(r"\.|\[]", key)}
    assert keys <= described
    assert described <= keys | around


@pytest.mark.slow
def test_as_pixels(call: Call) -> None:
    assert call("config.yaml", "--plot", "r.png", "--quiet") == (0, "", "")
    assert Path("r.png").read_bytes().startswith(b"\x89PNG")
