"""A dry run: the exit status, the report and the summary of a run, and nothing written but the report."""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import pytest
import yaml
from cases import Case, cases
from effort import tries
from hypothesis import given, settings
from hypothesis import strategies as st
from shared_engine import attached
from tables import configuration, fill_table, write

import kanon_sql
from kanon_sql.cli.main import main
from kanon_sql.errors import ConfigurationError, KanonError, NoReleaseError

Json = dict[str, Any]
OWN = ("status", "created", "seconds", "verification", "search", "advice", "engine")


def compared(report: Json) -> Json:
    """What a dry run and a run report alike."""
    loss = {key: value for key, value in report["loss"].items() if key != "entropy"}  # a sum in whatever order
    return {key: value for key, value in {**report, "loss": loss}.items() if key not in OWN}


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.slow
@settings(max_examples=tries(25))
@given(
    case=cases(),
    algorithm=st.sampled_from(["optimal", "optimal", "mondrian", "local"]),
    suppressed=st.sampled_from(["drop", "mask"]),
)
def test_it_reports_what_a_run_reports(case: Case, algorithm: str, suppressed: str) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        more: Json = {"release": {"suppressed": suppressed}} if algorithm == "optimal" else {}
        config = case.config(folder, algorithm=algorithm, **more)
        before = files(folder)
        ended: list[Json | str] = []
        for dry_run in (True, False):
            try:
                report = kanon_sql.run(config, dry_run=dry_run, advice=False).report
                assert report["status"] == ("dry-run" if dry_run else "released")
                ended.append(compared(report))
            except KanonError as error:
                ended.append(str(error))
            if dry_run:
                assert files(folder) == before
        assert ended[0] == ended[1]


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Json:
    """A configuration for 300 people; its file is config.yaml in the working folder."""
    monkeypatch.chdir(tmp_path)
    write(Path("people.csv"))
    config = configuration("people.csv", {"path": "release.csv"})
    Path("config.yaml").write_text(yaml.safe_dump(config, sort_keys=False))
    return config


def call(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        main(["run", "config.yaml", *words])
    assert isinstance(ended.value.code, int)
    return ended.value.code, *capsys.readouterr()


@pytest.mark.slow
def test_the_summary_says_so(people: Json, capsys: pytest.CaptureFixture[str]) -> None:
    before = files(Path())
    status, out, _ = call(capsys, "--dry-run", "--no-advice")
    assert (status, files(Path())) == (0, before)
    first, *rest = out.splitlines()
    assert first.startswith("dry run, nothing was written: would release ")
    status, ran, _ = call(capsys, "--no-advice")
    assert status == 0
    assert first.endswith(ran.splitlines()[0].removeprefix("released "))

    def lines(text: list[str]) -> list[str]:
        return [line.replace("would be written", "was written") for line in text if "seconds" not in line]

    assert lines(rest) == lines(ran.splitlines()[1:])


@pytest.mark.slow
def test_the_report_is_written(people: Json, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(capsys, "--dry-run", "--report", "report.json")[0] == 0
    assert yaml.safe_load(Path("report.json").read_text())["status"] == "dry-run"
    assert sorted(files(Path())) == ["config.yaml", "people.csv", "report.json"]


@pytest.mark.slow
def test_what_a_run_refuses_is_refused(people: Json, capsys: pytest.CaptureFixture[str]) -> None:
    Path("release.csv").write_text("mine")
    status, _, err = call(capsys, "--dry-run")
    assert status == 2 and "exists already" in err
    assert call(capsys, "--dry-run", "--overwrite")[0] == 0
    assert Path("release.csv").read_text() == "mine"
    status, _, err = call(capsys, "--dry-run", "--overwrite", "--set", "privacy.k=301")
    assert status == 1
    assert call(capsys, "--dry-run", "--set", "target=elsewhere/release.csv")[0] == 3


@pytest.mark.few(1)
@pytest.mark.parametrize("source", ["people.csv", "people.parquet", "people"])
def test_in_place_the_source_stays(source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(Path(source), options="" if "." in source else "FORMAT PARQUET, PARTITION_BY (sex)")
    before = files(Path())
    config = configuration(source, "in-place")
    dry = kanon_sql.run(config, dry_run=True, advice=False).report
    assert files(Path()) == before
    assert compared(kanon_sql.run(config, advice=False).report) == compared(dry)
    assert files(Path()) != before


@pytest.mark.slow
def test_a_table_of_a_database_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with attached("clinic.duckdb") as connection:
        fill_table(connection, "people")
    before = files(Path())
    source = {"database": "clinic.duckdb", "table": "people"}
    for target in (
        "in-place",
        {"database": "clinic.duckdb", "table": "released"},
        {"database": "clinic.duckdb", "table": "released", "allow_remanence": True},
        {"database": "new.duckdb", "table": "released"},
    ):
        report = kanon_sql.run(configuration(source, target), dry_run=True).report
        assert report["status"] == "dry-run" and report["privacy"]["k"]["actual"] >= 5
        assert files(Path()) == before


@pytest.mark.slow
def test_models_are_counted(people: Json) -> None:
    privacy = {
        "k": 3,
        "l_diversity": [{"column": "diagnosis", "l": 2}],
        "t_closeness": [{"column": "diagnosis", "t": 0.6}],
    }
    changes = [("privacy", privacy), ("suppression.limit", "30%")]
    dry = kanon_sql.run(people, overrides=changes, dry_run=True).report
    assert compared(kanon_sql.run(people, overrides=changes).report) == compared(dry)
    assert dry["privacy"]["l_diversity"][0]["actual"] >= 2


@pytest.mark.slow
def test_a_connection_holds_nothing_new(people: Json) -> None:
    with duckdb.connect() as connection:
        fill_table(connection, "people")
        config = {key: value for key, value in people.items() if key not in ("source", "target")}
        result = kanon_sql.run(config, connection=connection, source="people", target="released", dry_run=True)
        assert result.status == "dry-run"
        assert connection.execute("SELECT table_name FROM duckdb_tables()").fetchall() == [("people",)]
        with pytest.raises(ConfigurationError, match="a dry run makes no release"):
            result.relation  # noqa: B018
        result.close()


@pytest.mark.slow
def test_the_ledger_gets_no_entry_and_conflicts_are_told(people: Json) -> None:
    first: Json = {**people, "releases": {"path": "ledger.duckdb"}}
    dry = kanon_sql.run(first, dry_run=True).report
    assert dry["ledger"]["id"] == 1 and not Path("ledger.duckdb").exists()
    kanon_sql.run(first)
    shutil.copy("ledger.duckdb", "before.duckdb")
    second: Json = {**first, "target": "second.csv", "sensitive": ["diagnosis", "cost"], "insensitive": []}
    second["quasi_identifiers"] = {**people["quasi_identifiers"], "age": {"builtin": "suppress", "min_level": 1}}
    for dry_run in (True, False):
        with pytest.raises(NoReleaseError, match="holds release 1 of the same source"):
            kanon_sql.run(second, dry_run=dry_run)
    assert len(kanon_sql.list_releases("ledger.duckdb")["releases"]) == 1
    assert Path("ledger.duckdb").read_bytes() == Path("before.duckdb").read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["optimal", "mondrian"])
def test_a_dry_run_counts_classes_that_show_aggregates(tmp_path: Path, algorithm: str) -> None:
    source = write(tmp_path / "s.parquet")
    config = configuration(str(source), str(tmp_path / "out.csv"), unlisted="drop", algorithm=algorithm)
    config["quasi_identifiers"]["age"]["aggregate"] = "mean"
    dry = kanon_sql.run(config, dry_run=True).report
    report = kanon_sql.run(config).report
    assert dry["status"] == "dry-run"
    assert (dry["rows"], dry["classes"]) == (report["rows"], report["classes"])
