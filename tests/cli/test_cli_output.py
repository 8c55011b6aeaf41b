"""Output that cannot be written: a release that is in its place is said to be there, whatever else fails."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from tables import configuration, write

import kanon_sql
from kanon_sql.cli.main import cli
from kanon_sql.errors import NoReleaseError, ReleasedError
from kanon_sql.report.report import write_json

FULL = Path("/dev/full")
NO_SPACE = "the release is in its place, but the output could not be written (No space left on device)"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write(tmp_path / "people.csv")
    config = configuration("people.csv", "release.csv", insensitive=[], identifiers=["cost"])
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(config))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full")
def test_a_report_that_cannot_be_written(place: Path) -> None:
    report = place / "report.json"
    report.symlink_to(FULL)  # a mistake would replace the link, not the device
    with pytest.raises(ReleasedError) as ended:
        kanon_sql.run("config.yaml", report=report)
    assert (
        str(ended.value) == f"the release is in its place, but {report}: the report cannot be written "
        "(No space left on device); free some space there, or name another place"
    )
    assert ended.value.exit_status == 3 and (place / "release.csv").exists() and report.is_symlink()
    assert ended.value.report and ended.value.report["status"] == "released" and ended.value.report["errors"]
    with pytest.raises(NoReleaseError) as refused:
        kanon_sql.run("config.yaml", report=report, overrides=[("privacy.k", 301), ("target", "other.csv")])
    assert "the report cannot be written" in refused.value.problems[-1] and not (place / "other.csv").exists()


@pytest.mark.slow
@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_stream_that_is_full(stream: str, place: Path) -> None:
    words = [
        "run",
        "config.yaml",
        "--set",
        "release.order=none",
        "--set",
        "target={path: release.csv, overwrite: true}",
    ]
    with FULL.open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "kanon_sql", *words],
            stdout=full if stream == "stdout" else subprocess.PIPE,
            stderr=full if stream == "stderr" else subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 3 and (place / "release.csv").exists()
    if stream == "stdout":
        assert done.stderr.splitlines()[-1] == f"kanon-sql: error: {NO_SPACE}" and "Traceback" not in done.stderr


@pytest.mark.slow
def test_streams_that_are_closed(place: Path) -> None:
    """Nobody asked for output; and no file of the run takes the number of a stream."""
    script = 'exec "$@" <&- >&- 2>&-'
    words = ["sh", "-c", script, "sh", sys.executable, "-m", "kanon_sql", "run", "config.yaml"]
    assert subprocess.run([*words, "--report", "report.json"], check=False).returncode == 0
    assert len((place / "release.csv").read_text().splitlines()) > 100
    assert '"status": "released"' in (place / "report.json").read_text()


@pytest.mark.slow
def test_what_a_command_prints_that_cannot_be_written(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("kanon_sql.cli.run.click.echo", fail)
    ended = CliRunner().invoke(cli, ["run", "config.yaml"])
    assert isinstance(ended.exception, ReleasedError) and str(ended.exception) == NO_SPACE
    refused = CliRunner().invoke(cli, ["run", "config.yaml", "--set", "privacy.k=301", "--json"])
    assert isinstance(refused.exception, kanon_sql.errors.ConfigurationError)  # the target is there


def test_the_rights_of_reports(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        write_json(tmp_path / "new.json", {})
        (tmp_path / "old.json").touch()
        (tmp_path / "old.json").chmod(0o640)
        write_json(tmp_path / "old.json", {"a": 1})
    finally:
        os.umask(before)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert modes == {"new.json": 0o600, "old.json": 0o640}
    assert (tmp_path / "old.json").read_text() == '{\n "a": 1\n}\n'
