"""A strict run: a warning, whenever it arises, is exit status 1, and nothing is written but the JSON report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ledger_jobs import HEAD, configuration, table
from shared_engine import attached
from table_files import write_csv

import kanon_sql
from kanon_sql.cli.main import main
from kanon_sql.errors import WarnedError

PHONES = [f"+49 30 {1000000 + 7919 * i}" for i in range(400)]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    write_csv(tmp_path / "source.csv", [[*HEAD, "phone"], *([*row, PHONES[i]] for i, row in enumerate(table()))])
    return tmp_path


def held(place: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in place.iterdir() if path.is_file()}


@pytest.mark.few(1)
@pytest.mark.parametrize("target", ["release.csv", "in-place", "clinic.duckdb"])
def test_a_warning_leaves_everything_as_it_was(place: Path, target: str) -> None:
    (place / "release.csv").write_text("yesterday's")
    (place / "page.html").write_text("yesterday's")
    targets: dict[str, Any] = {
        "release.csv": {"path": str(place / "release.csv"), "overwrite": True},
        "clinic.duckdb": {"database": str(place / "clinic.duckdb"), "table": "released", "overwrite": True},
    }
    with attached(place / "clinic.duckdb") as connection:
        connection.execute("CREATE TABLE released AS SELECT 1 AS yesterday")
    before = held(place)
    config = configuration(place, insensitive=["phone"], target=targets.get(target, "in-place"))
    with pytest.raises(WarnedError, match="telephone") as refused:
        kanon_sql.run(config, strict=True, html=place / "page.html", report=place / "report.json")
    report = json.loads((place / "report.json").read_text(encoding="utf-8"))
    assert report["status"] == "no-release" and len(report["warnings"]) == len(report["errors"]) >= 1
    assert refused.value.exit_status == 1 and refused.value.report["warnings"] == report["warnings"]  # type: ignore[index]
    assert {name: data for name, data in held(place).items() if name != "report.json"} == before


@pytest.mark.slow
def test_a_warning_that_comes_at_the_end(place: Path) -> None:
    config = configuration(place)
    kanon_sql.run(config, strict=True, advice=False)  # it warns of nothing, and releases
    before = held(place)
    config = {**config, "privacy": {"k": 150}, "releases": {**config["releases"], "on_conflict": "warn"}}
    with pytest.raises(WarnedError, match="holds release 1 of the same source"):
        kanon_sql.run(config, strict=True, advice=False)
    assert held(place) == before
    (place / "again.csv").hardlink_to(place / "release.csv")  # which the target tells
    with pytest.raises(WarnedError, match="other names"):
        kanon_sql.run(configuration(place), strict=True, advice=False)


@pytest.mark.slow
def test_the_command(place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(place)
    words = ["source.csv", "--qi", "sex", "--unlisted", "drop", "--insensitive", "phone", "--k", "5", "-o", "new.csv"]
    with pytest.raises(SystemExit) as ended:
        main(["run", *words, "--strict", "--quiet", "--no-advice"])
    assert ended.value.code == 1
    assert "telephone" in capsys.readouterr().err and not (place / "new.csv").exists()
    with pytest.raises(SystemExit) as ended:
        main(["run", *words, "--quiet", "--no-advice"])
    assert ended.value.code == 0


@pytest.mark.slow
def test_applied_to_new_data(place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(place)
    kanon_sql.run(configuration(place, insensitive=["ward"]), strict=True, advice=False)
    ward = HEAD.index("ward")
    write_csv(place / "source.csv", [HEAD, *([*row[:ward], PHONES[i]] for i, row in enumerate(table()))])
    before = held(place)
    with pytest.raises(WarnedError, match="telephone") as refused:
        kanon_sql.apply(1, place / "source.csv", strict=True)
    assert refused.value.exit_status == 1 and refused.value.report["status"] == "no-release"  # type: ignore[index]
    with pytest.raises(SystemExit) as ended:
        main(["apply", "1", "source.csv", "--strict", "--quiet", "--report", "report.json"])
    assert ended.value.code == 1 and "telephone" in capsys.readouterr().err
    report = json.loads((place / "report.json").read_text(encoding="utf-8"))
    assert len(report["warnings"]) == len(report["errors"]) >= 1
    assert {name: data for name, data in held(place).items() if name != "report.json"} == before
    assert any("telephone" in said for said in kanon_sql.apply(1, place / "source.csv")["warnings"])


@pytest.mark.slow
def test_applied_to_new_data_in_the_declared_encoding(place: Path) -> None:
    (place / "source.csv").write_bytes(
        (place / "source.csv").read_bytes().replace(b"flu", "Grippe \u20ac".encode("cp1252"))
    )
    config = configuration(place, source={"path": str(place / "source.csv"), "encoding": "windows-1252"})
    kanon_sql.run(config, strict=True, advice=False)
    report = kanon_sql.apply(1, place / "source.csv", ledger=place / "ledger.duckdb", strict=True)
    assert (report["warnings"], report["source"]["encoding"]) == ([], "windows-1252")
