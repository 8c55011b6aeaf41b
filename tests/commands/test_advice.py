"""What a run says of its release, and of other settings: their figures are those of runs with these settings."""

from __future__ import annotations

import math
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import yaml
from cases import Case, cases
from effort import tries
from hypothesis import given, settings
from hypothesis import strategies as st
from places import ROOT
from tables import configuration, write
from tables import people as table_of_people

import kanon_sql
import kanon_sql.api
from kanon_sql.api.opening import open_prepared
from kanon_sql.cli.main import main
from kanon_sql.commands.run import advice
from kanon_sql.errors import KanonError, NoReleaseError
from kanon_sql.progress import Progress
from kanon_sql.search.full_domain.problem import FullDomain
from kanon_sql.search.local import estimate
from kanon_sql.sql.connection import EngineOptions
from kanon_sql.sql.deadline import TimeUpError, Work

Json = dict[str, Any]


@pytest.fixture(autouse=True)
def ample(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time enough for every alternative, and all are told."""
    monkeypatch.setattr(advice, "_SHARE", 1e6)
    monkeypatch.setattr(advice, "_MOST", 10)
    monkeypatch.setattr(advice, "_PAYS", math.inf)
    monkeypatch.setattr(advice, "_POINTS", -math.inf)


def advised(config: Json, **more: Any) -> tuple[Json | None, list[Json], str]:
    """(the report of a run where it released, its advice, why it did not)."""
    try:
        report = kanon_sql.run(config, overrides=list(more.items()), progress=None).report
    except NoReleaseError as error:
        assert error.report is not None
        return None, error.report["advice"], str(error)
    return report, report["advice"], ""


def check_figures(config: Json, told_of: Json, columns: list[str]) -> None:
    """A run with the change has the figures."""
    report = kanon_sql.run(config, overrides=list(told_of["change"].items()), advice=False).report
    left = [name for name in columns if name != told_of.get("without")]
    assert list(report["loss"]["attributes"]) == left
    if told_of["exact"]:
        assert report["loss"]["ncp"] == told_of["loss"]["ncp"]
        assert report["rows"]["suppressed"] == told_of["suppressed"]
    elif told_of["change"] != {"algorithm": "local"}:
        assert report["loss"]["ncp"] <= told_of["loss"]["ncp"]


@pytest.mark.slow
@settings(max_examples=tries(30))
@given(case=cases(), algorithm=st.sampled_from(["optimal", "optimal", "samarati", "minimal"]))
def test_figures_are_those_of_runs(case: Case, algorithm: str) -> None:
    with TemporaryDirectory() as folder:
        config = case.config(Path(folder), algorithm=algorithm)
        try:
            report, alternatives, _ = advised(config)
        except KanonError:
            return
        names = case.problem.columns
        assert all(change["exact"] for change in alternatives if change["change"] != {"algorithm": "local"})
        for change in alternatives:
            check_figures(config, change, names)
            if report is not None:
                lost = report["loss"]["attributes"]
                left = [lost[name] for name in names if name != change.get("without")]
                assert change["instead_of"]["ncp"] == pytest.approx(100 * math.fsum(left) / len(left))
        if report is not None and case.problem.n // 100 > case.problem.allowed:
            assert {"suppression.limit": "1%"} in [alternative["change"] for alternative in alternatives]


@pytest.mark.slow
@settings(max_examples=tries(30))
@given(case=cases())
def test_what_is_enough_is_the_least_that_is(case: Case) -> None:
    with TemporaryDirectory() as folder:
        config = case.config(Path(folder))
        problem = case.problem
        try:
            report, alternatives, why = advised(config)
        except KanonError:
            return
        if report is not None or problem.n < problem.k:
            return
        least = min(node.suppressed for node in problem.nodes)
        said = {
            key: value
            for alternative in alternatives
            for key, value in alternative["change"].items()
            if key != "algorithm"
        }
        assert said.get("suppression.limit") == (least if least < problem.n else None)
        assert f"suppression.limit: {least}" in why or least == problem.n
        ks = [k for k in range(2, problem.k) if kanon_sql_satisfies(config, k)]
        assert said.get("privacy.k") == max(ks, default=None)


def kanon_sql_satisfies(config: Json, k: int) -> bool:
    try:
        kanon_sql.run(config, overrides=[("privacy.k", k)], advice=False)
    except NoReleaseError:
        return False
    return True


@pytest.mark.slow
@settings(max_examples=tries(30))
@given(case=cases(), algorithm=st.sampled_from(["optimal", "local", "mondrian"]))
def test_labels_are_labels_of_the_release(case: Case, algorithm: str) -> None:
    with TemporaryDirectory() as folder:
        try:
            report = kanon_sql.run(case.config(Path(folder), algorithm=algorithm), advice=False).report
        except KanonError:
            return
        released = case.released(Path(folder))
        plain = [{name: row[name] or "" for name in case.problem.columns} for row in released]
        labels = {name: report["labels"][name] or "" for name in case.problem.columns}
        assert labels in plain  # those of one class
        most = max(plain.count(row) for row in plain)
        if algorithm == "optimal":
            assert plain.count(labels) == most
        for name in case.problem.columns:
            lost = report["loss"]["attributes"][name]
            if name in report["given_up"]:
                assert len({row[name] for row in plain}) == 1
            elif algorithm == "optimal":
                assert (
                    report["solution"]["levels"][name] < case.problem.hierarchies[name].top
                    or not lost
                    or None in {row[name] for row in case.problem.participants}
                )


@pytest.mark.slow
@settings(max_examples=tries(30))
@given(case=cases(most=40))
def test_local_recoding_loses_no_more_than_is_estimated(case: Case) -> None:
    with TemporaryDirectory() as folder:
        config = case.config(Path(folder))
        try:
            _, alternatives, _ = advised(config)
        except KanonError:
            return
        for alternative in alternatives:
            if alternative["change"] == {"algorithm": "local"}:
                report = kanon_sql.run(config, overrides=[("algorithm", "local")], advice=False).report
                assert report["loss"]["ncp"] <= alternative["loss"]["ncp"] + 1e-9


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Json:
    """A configuration for 300 people; its file is config.yaml in the working folder."""
    monkeypatch.chdir(tmp_path)
    write(Path("people.csv"))
    config = configuration("people.csv", {"path": "release.csv", "overwrite": True}, suppression={"limit": 0})
    Path("config.yaml").write_text(yaml.safe_dump(config, sort_keys=False))
    return config


@pytest.mark.slow
def test_three_at_most_that_pay_the_best_first(people: Json, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(advice, "_MOST", 3)
    monkeypatch.setattr(advice, "_PAYS", 0.9)
    monkeypatch.setattr(advice, "_POINTS", 0.5)
    report = kanon_sql.run(people).report
    alternatives = report["advice"]
    assert 1 <= len(alternatives) <= 3
    gains = [alternative["loss"]["ncp"] / alternative["instead_of"]["ncp"] for alternative in alternatives]
    assert gains == sorted(gains) and gains[-1] <= 0.9
    for alternative in alternatives:
        check_figures(people, alternative, ["sex", "age", "zip"])


@pytest.mark.slow
def test_a_search_that_does_not_end_bounds_what_a_run_loses(people: Json, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each search gets a few statements: what it found by then is what a run loses at most."""
    checks = [0]

    class Counting(Work):
        def share(self, share: float) -> Work:
            return self

        def check(self) -> None:
            checks[0] += 1
            if checks[0] % 7 == 0:
                raise TimeUpError

    monkeypatch.setattr(advice, "Work", Counting)
    alternatives = [
        alternative
        for alternative in kanon_sql.run(people).report["advice"]
        if alternative["change"] != {"algorithm": "local"}
    ]
    assert any(not alternative["exact"] for alternative in alternatives)
    for alternative in alternatives:
        check_figures(people, alternative, ["sex", "age", "zip"])


def test_without_work_nothing_is_looked_for(people: Json, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(advice, "_SHARE", 0.0)
    assert kanon_sql.run(people).report["advice"] == []


@pytest.mark.slow
def test_no_advice(people: Json, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(capsys, "run", "config.yaml")[1].count("less would be lost:") == 1
    status, out, err = call(capsys, "run", "config.yaml", "--no-advice")
    assert status == 0 and "would be lost" not in out + err
    report = kanon_sql.run(people, advice=False).report
    assert report["advice"] == [] and "advice" not in report["seconds"]


@pytest.mark.slow
def test_the_summary_names_an_example_and_what_was_given_up(people: Json, capsys: pytest.CaptureFixture[str]) -> None:
    changes = ["--set", "quasi_identifiers.zip.min_level=3", "--set", "suppression.limit=50%"]
    status, out, _ = call(capsys, "run", "config.yaml", *changes)
    assert status == 0
    assert "  given up     zip: one label for all rows" in out.splitlines()
    assert "for example" in out and out.count("*") == 1


@pytest.mark.slow
def test_a_run_without_release_says_what_would_be_enough(people: Json, capsys: pytest.CaptureFixture[str]) -> None:
    changes = ["--set", "privacy.k=22", "--set", "quasi_identifiers.age.max_level=2"]
    changes += ["--set", "quasi_identifiers.zip.max_level=1"]
    status, out, err = call(capsys, "run", "config.yaml", *changes)
    assert (status, out) == (1, "")
    lines = err.splitlines()
    assert "would be enough; or raise max_level" in lines[-1]
    enough = [line.split()[5] for line in lines if "enough would be: --set" in line]
    assert len(enough) == 3
    for change in enough:
        assert call(capsys, "run", "config.yaml", *changes, "--set", change, "--no-advice")[0] == 0, change
    key, _, limit = next(text for text in enough if text.startswith("suppression.limit")).partition("=")
    assert call(capsys, "run", "config.yaml", *changes, "--set", f"{key}={int(limit) - 1}", "--no-advice")[0] == 1


def call(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        main([*words])
    assert isinstance(ended.value.code, int)
    return ended.value.code, *capsys.readouterr()


@pytest.mark.slow
def test_adult_takes_a_tenth_of_the_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(advice, "_SHARE", 0.1)
    config = yaml.safe_load((ROOT / "examples" / "adult" / "config.yaml").read_text())
    overrides = [("target", str(tmp_path / "release.parquet"))]
    assert config["privacy"] == {"k": 5}
    seconds = kanon_sql.run(ROOT / "examples" / "adult" / "config.yaml", overrides=overrides).report["seconds"]
    # One statement may still run when the time is up.
    assert seconds["advice"] <= 0.1 * seconds["total"] + 0.5


def test_the_estimate_of_single_rows_is_nothing(people: Json) -> None:
    """With k = 1 every tuple is a class of its own, and with k = n there is one, of the lowest labels all share."""
    with open_prepared(kanon_sql.api.load(people), EngineOptions(), Progress()) as (engine, problem):
        assert isinstance(problem, FullDomain)
        assert estimate.estimated_losses(engine, problem.frequency, 1) == (0.0, 0.0, 0.0)
        losses = estimate.estimated_losses(engine, problem.frequency, 300)
        assert losses is not None
        sex, age, zip_code = losses
        # The zips all begin with 021, the first level.
        values = {row[2] for row in table_of_people()}
        shared = sum(value.startswith("021") for value in values)
        assert (sex, age) == (1.0, 1.0) and zip_code == (shared - 1) / (len(values) - 1)


def test_a_hierarchy_without_a_level_ends_no_run(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("a,b,c\na,a,\n")
    (tmp_path / "h.csv").write_text("a\n")
    config = {
        "source": str(tmp_path / "in.csv"),
        "target": str(tmp_path / "out.csv"),
        "quasi_identifiers": {name: {"hierarchy": str(tmp_path / "h.csv")} for name in "abc"},
        "privacy": {"k": 1},
    }
    assert kanon_sql.run(config).report["advice"] == []
