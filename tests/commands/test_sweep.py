"""The sweep: points that agree with runs, points without a release, what is read once, and what is refused."""

from __future__ import annotations

import csv
import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from places import ROOT
from tables import configuration, write

import kanon_sql
from kanon_sql.cli.main import main
from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.search import prepare as preparation
from kanon_sql.search.full_domain.problem import FullDomainResult

Json = dict[str, Any]
RELEASED = ("suppressed", "classes", "c_avg", "lm", "ncp", "discernibility", "proven")


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Json:
    """A configuration for 300 people; its file is config.yaml in the working folder."""
    monkeypatch.chdir(tmp_path)
    write(Path("people.csv"))
    config = configuration("people.csv", {"path": "release.csv", "overwrite": True})
    Path("config.yaml").write_text(yaml.safe_dump(config, sort_keys=False))
    return config


def call(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        main(["sweep", *words])
    assert isinstance(ended.value.code, int)
    return ended.value.code, *capsys.readouterr()


def places(data: Json) -> list[tuple[str, Any, int]]:
    return [(point["series"], point["limit"], point["k"]) for point in data["points"]]


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["optimal", "samarati", "minimal", "mondrian"])
def test_points_agree_with_runs(people: Json, algorithm: str) -> None:
    data = kanon_sql.sweep(people, k=[30, 4, 2, 4], limits=[0, "7%"], algorithms=[algorithm])
    assert places(data) == [(algorithm, limit, k) for limit in (0, "7%") for k in (2, 4, 30)]
    assert (data["k"], data["limits"], data["warnings"]) == ([2, 4, 30], [0, "7%"], [])
    for point in data["points"]:
        changes = [("privacy.k", point["k"]), ("suppression.limit", point["limit"]), ("algorithm", algorithm)]
        report = kanon_sql.run(people, overrides=changes).report
        assert point["status"] == "released" and point["problem"] is None and point["algorithm"] == algorithm
        assert point["limit_rows"] == report["suppression"]["limit"] == {0: 0, "7%": 21}[point["limit"]]
        assert point["suppressed"] == report["rows"]["suppressed"]
        assert point["classes"] == report["classes"]["count"]
        assert point["proven"] is report["search"]["proven"]
        for measure in ("c_avg", "lm", "ncp", "discernibility"):
            assert point[measure] == report["loss"][measure]


@pytest.mark.slow
def test_without_options_the_configurations_own_limit_holds(people: Json) -> None:
    data = kanon_sql.sweep("config.yaml")
    assert places(data) == [("optimal", "5%", k) for k in (2, 3, 5, 10, 20, 50, 100)]
    (series,) = data["series"]
    assert (series["configuration"], series["rows"]) == ("config.yaml", 300)
    assert series["algorithm"] == {"name": "optimal", "objective": "loss"}
    assert series["quasi_identifiers"] == ["sex", "age", "zip"]
    assert not Path("release.csv").exists()


@pytest.mark.slow
def test_points_without_a_release_are_points(people: Json) -> None:
    data = kanon_sql.sweep(people, k=[2, 301], limits=[0], algorithms=["optimal", "mondrian"])
    assert [point["status"] for point in data["points"]] == ["released", "no-release"] * 2
    for point in data["points"][1::2]:
        assert all(point[key] is None for key in RELEASED)
        assert point["problem"] == "no release satisfies k = 301: only 300 rows take part"
        assert point["seconds"] >= 0


@pytest.mark.slow
def test_a_source_without_rows_has_no_release_anywhere(people: Json) -> None:
    empty = {**people, "source": {"query": "SELECT * FROM read_csv('people.csv') WHERE age > 1000"}}
    data = kanon_sql.sweep([people, empty], k=[2, 3], limits=[0, 1])
    assert [series["rows"] for series in data["series"]] == [300, 0]
    assert [point["status"] for point in data["points"]] == ["released"] * 4 + ["no-release"] * 4
    assert all(point["problem"] for point in data["points"][4:])


def test_time_that_runs_out(people: Json, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["config.yaml", "--algorithm", "minimal", "--k", "2,301", "--limit", "0"]
    status, out, err = call(capsys, *words, "--time-limit", "0", "--json")
    assert [point["status"] for point in json.loads(out)["points"]] == ["timed-out", "no-release"]
    assert status == 3
    assert err.startswith(
        "kanon-sql: error: none of 2 points has a release; at k = 2: time ran out after 0 of 40 nodes"
    )


def test_what_is_not_proven_is_warned_about(
    people: Json, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FullDomainResult, "describe_search", lambda self: {"proven": False})
    _, _, err = call(capsys, "config.yaml", "--k", "2,3,5")
    place = "optimal, k = 2, limit 5%; and 2 more"
    assert err == f"kanon-sql: warning: time ran out: what was found is not proven to be the best ({place})\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("algorithms", "reads"), [((), 1), (("optimal", "minimal", "samarati"), 1), (("optimal", "mondrian", "minimal"), 2)]
)
def test_a_source_is_read_once(
    people: Json, algorithms: Sequence[str], reads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, calls = preparation.prepare_search, []

    def counted(*arguments: Any) -> Any:
        calls.append(1)
        return read(*arguments)

    monkeypatch.setattr("kanon_sql.api.opening.prepare_search", counted)
    data = kanon_sql.sweep(people, k=[2, 5, 9], limits=[0, 3], algorithms=algorithms)
    assert len(calls) == reads
    assert len(data["points"]) == 6 * max(len(algorithms), 1)
    assert [series["name"] for series in data["series"]] == list(algorithms or ["optimal"])


@pytest.mark.slow
def test_mondrian_needs_no_hierarchies_and_takes_no_notice_of_limits(people: Json) -> None:
    config = {**people, "quasi_identifiers": ["sex", "age", "zip"], "algorithm": {"name": "mondrian"}}
    data = kanon_sql.sweep(config, k=[2, 10], limits=[0, 5, "1%"])
    assert places(data) == [("mondrian", limit, k) for limit in (0, 5, "1%") for k in (2, 10)]
    without = [{key: point[key] for key in (*RELEASED, "seconds")} for point in data["points"]]
    assert without == without[:2] * 3
    assert all(point["suppressed"] == 0 and point["classes"] > 1 for point in data["points"])


def test_limits_that_come_to_the_same_are_searched_once(people: Json) -> None:
    data = kanon_sql.sweep(people, k=[5], limits=["3", "1%", 3, "1.0 %"])
    assert data["limits"] == [3, "1%", "1.0%"]
    assert {(point["limit_rows"], point["seconds"]) for point in data["points"]} == {(3, data["points"][0]["seconds"])}


@pytest.mark.slow
def test_series_have_names_of_their_own(people: Json, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    text = Path("config.yaml").read_text().replace("people.csv", str(tmp_path / "people.csv"))
    for name in ("other/config.yaml", "other/second.yaml"):
        Path(name).write_text(text)

    def names(configs: Any, *algorithms: Any) -> list[str]:
        return [series["name"] for series in kanon_sql.sweep(configs, k=[5], algorithms=algorithms)["series"]]

    relaxed = {"name": "minimal", "prefer": "suppression"}
    assert names(["config.yaml", "other/second.yaml"]) == ["config", "second"]
    assert names(["config.yaml", "other/config.yaml"]) == ["config.yaml", "other/config.yaml"]
    assert names([people, people]) == ["configuration", "configuration (2)"]
    assert names(Path("config.yaml"), "minimal", relaxed, "minimal") == ["minimal", "minimal (prefer suppression)"]
    several = names(["config.yaml", "other/second.yaml"], "optimal", "minimal")
    assert several == ["config optimal", "config minimal", "second optimal", "second minimal"]


@pytest.mark.slow
def test_a_file_name_that_is_no_text(people: Json, capsys: pytest.CaptureFixture[str]) -> None:
    name = os.fsdecode(b"\xff,\n.yaml")
    Path("config.yaml").rename(name)
    status, out, err = call(capsys, name, "config.yaml", "--k", "5")
    assert (status, out) == (2, "") and len(err.splitlines()) == 1
    Path("config.yaml").write_bytes(Path(name).read_bytes())
    files = ["-o", "table.csv", "--report", "report.json", "--plot", "plot.html"]
    status, out, err = call(capsys, name, "config.yaml", "--k", "5", *files)
    assert (status, err) == (0, "")
    shown = [point["configuration"] for point in json.loads(Path("report.json").read_text())["points"]]
    assert shown == ["\ufffd, .yaml", "config.yaml"]
    assert Path("table.csv").read_text().count("\ufffd") == 2


@pytest.mark.slow
def test_the_table_and_its_files(people: Json, capsys: pytest.CaptureFixture[str]) -> None:
    points = ["--k", "2, 10", "--k", "400", "--limit", "0", "--limit", "1%"]
    words = ["config.yaml", *points, "-o", "table.csv", "--report", "report.json"]
    Path("table.csv").write_text("old")
    status, out, err = call(capsys, *words)
    assert (status, err) == (0, "")
    head, names, *rows = out.splitlines()
    assert re.fullmatch(r"6 points: read in [\d.]+ s, searched in [\d.]+ s", head)
    assert names.split() == ["series", "k", "limit", "classes", "C_AVG", "loss", "%", "suppressed", "seconds"]
    data = json.loads(Path("report.json").read_text())
    with Path("table.csv").open(newline="") as file:
        table = list(csv.DictReader(file))
    assert len(rows) == len(table) == len(data["points"]) == 6
    for row, line, point in zip(rows, table, data["points"], strict=True):
        assert list(line) == list(point)
        texts = {key: "" if value is None else str(value) for key, value in point.items()}
        assert line == {**texts, "proven": texts["proven"].lower()}
        shown = ["optimal", str(point["k"]), str(point["limit"])]
        if point["status"] == "released":
            shown += [f"{point['classes']:,}", f"{point['c_avg']:.3f}", f"{point['ncp']:.2f}"]
            shown += [f"{point['suppressed']:,}", f"{point['seconds']:.3f}"]
        else:
            shown += ["no", "release", f"{point['seconds']:.3f}"]
        assert row.split() == shown


@pytest.mark.slow
def test_json_is_the_same_everywhere(people: Json, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = call(capsys, "config.yaml", "--k", "5", "--json", "-o", "table.json", "--set", "missing=drop")
    assert (status, err) == (0, "")
    assert json.loads(out) == json.loads(Path("table.json").read_text())
    assert call(capsys, "config.yaml", "--k", "5", "--quiet") == (0, "", "")


def test_every_key_is_described(people: Json) -> None:
    data = kanon_sql.sweep(people, k=[5])
    keys = set(data) - {"seconds"} | {f"seconds.{key}" for key in data["seconds"]}
    keys |= {f"{part}[].{key}" for part in ("series", "points") for key in data[part][0]}
    text = (ROOT / "docs" / "report.md").read_text(encoding="utf-8").partition("\n## sweep\n")[2].partition("\n## ")[0]
    assert set(re.findall(r"^\| `([^`]+)` \|", text, re.MULTILINE)) == keys


def test_without_any_release_it_ends_like_a_run(people: Json, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = call(capsys, "config.yaml", "--k", "301,302", "-o", "table.csv")
    assert status == 1
    assert out.count("no release") == 2
    assert err == (
        "kanon-sql: error: none of 2 points has a release; at k = 301: no release satisfies k = 301: only 300 rows "
        "take part\n"
    )
    assert len(Path("table.csv").read_text().splitlines()) == 3


def test_everything_that_is_wrong_is_said_at_once(people: Json, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["config.yaml", "nowhere.yaml", "--k", "0,2,x", "--limit", "1,-1,200%", "-o", "table.txt"]
    status, out, err = call(capsys, *words, "--plot", "plot.pdf", "--algorithm", "bogus", "--set", "privacy.k=0")
    assert (status, out) == (2, "")
    starts = ["--k 0: ", "--k x: ", "--limit -1: ", "--limit 200%: ", "--output table.txt: ", "--plot plot.pdf: "]
    starts += ["--set privacy.k: ", "--algorithm: ", "nowhere.yaml: "]
    lines = [line.removeprefix("kanon-sql: error: ") for line in err.splitlines()]
    assert len(lines) == len(starts)
    assert all(any(line.startswith(start) for line in lines) for start in starts), err
    assert all("expected" in line for line in lines)


@pytest.mark.few(9)
@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"k": []}, "--k: expected at least one"),
        ({"k": [True]}, "--k True: expected whole"),
        ({"k": ["1e3"]}, "--k 1e3: expected whole"),
        ({"limits": []}, "--limit: expected at least one"),
        ({"limits": [0.5]}, "--limit 0.5: expected whole rows, or a share in percent: write 50% for a share"),
        ({"algorithms": ["optimal", {"name": "minimal", "objective": "loss"}]}, "algorithm.objective: objective goes"),
        ({"output": "config.yaml", "plot": "a.svg"}, "--output config.yaml: expected a file that ends in"),
        ({"output": "same.json", "report": "same.json"}, "--report same.json: --output names the same file"),
        ({"report": "people.csv"}, "--report people.csv: it would replace the source"),
        ({"report": "./config.yaml"}, "--report config.yaml: it would replace the configuration"),
        ({"output": "release.csv"}, "--output release.csv: it would replace the target"),
    ],
)
def test_what_is_refused(people: Json, changes: Json, problem: str) -> None:
    before = {path: path.read_bytes() for path in Path().iterdir()}
    with pytest.raises(ConfigurationError) as refused:
        kanon_sql.sweep("config.yaml", **changes)
    assert any(problem in line for line in refused.value.problems), refused.value.problems
    assert {path: path.read_bytes() for path in Path().iterdir()} == before


def test_no_configuration_and_no_folder(people: Json, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(capsys)[0] == 2
    with pytest.raises(ConfigurationError, match="at least one configuration"):
        kanon_sql.sweep([])
    for option in ("--report", "--output", "--plot"):
        keys = {"report": "none/a.json", "output": "none/a.csv", "plot": "none/a.svg"}
        with pytest.raises(EngineError, match=f"{option} none/a.* folder does not exist"):
            kanon_sql.sweep(people, **{option[2:]: keys[option[2:]]})  # type: ignore[arg-type]
