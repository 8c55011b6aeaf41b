"""Whatever is written and may hold values is for its owner alone, and no output follows a symbolic link to nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tables import configuration, write

import kanon_sql
from kanon_sql.cli.main import main
from kanon_sql.errors import ConfigurationError
from kanon_sql.ledger.ledger import open_ledger, refuse_ledger
from kanon_sql.targets.outputs import refuse_outputs
from kanon_sql.targets.staging_permissions import write_output

# Of each command that writes a file beside its release: its words, the file last.
OUTPUTS = {
    "page": ["run", "config.yaml", "--overwrite", "--html", "made.html"],
    "report": ["run", "config.yaml", "--overwrite", "--report", "made.json"],
    "report of a check": ["check", "config.yaml", "--report", "made.json"],
    "page again": ["report", "config.yaml", "-o", "made.html"],
    "lattice": ["lattice", "config.yaml", "--plot", "made.svg"],
    "lattice page": ["lattice", "config.yaml", "--plot", "made.html"],
    "sweep": ["sweep", "config.yaml", "--k", "2", "--plot", "made.svg"],
    "sweep table": ["sweep", "config.yaml", "--k", "2", "-o", "made.csv"],
    "risk": ["risk", "config.yaml", "--plot", "made.svg"],
    "scores": ["risk", "config.yaml", "--special-uniques", "2", "--show-values", "--scores", "made.csv"],
    "attack": ["attack", "config.yaml", "--html", "made.html"],
    "init": ["init", "people.csv", "--yes", "-o", "made.yaml"],
    "hierarchy": ["hierarchy", "build", "people.csv", "--column", "sex", "--builtin", "suppress", "-o", "made.csv"],
    "ledger": ["run", "config.yaml", "--overwrite", "--set", "releases={path: made.duckdb}"],
}


def name_of(words: list[str]) -> str:
    return words[-1].removeprefix("releases={path: ").removesuffix("}")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write(Path("people.csv"))
    job = configuration("people.csv", "release.csv")
    kanon_sql.run(job)
    Path("config.yaml").write_text(str(job).replace("'", '"').replace("True", "true").replace("None", "null"))
    return tmp_path


def ended(words: list[str]) -> int | str | None:
    with pytest.raises(SystemExit) as caught:
        main(words)
    return caught.value.code


@pytest.mark.slow
@pytest.mark.parametrize("output", OUTPUTS)
def test_a_new_file_is_for_its_owner_alone(output: str, place: Path) -> None:
    before = os.umask(0o022)
    try:
        assert ended(OUTPUTS[output]) in (0, 1)  # a check may not hold
    finally:
        os.umask(before)
    assert Path(name_of(OUTPUTS[output])).stat().st_mode & 0o777 == 0o600


@pytest.mark.slow
@pytest.mark.parametrize("output", OUTPUTS)
def test_no_output_is_a_link_to_nothing(output: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output_link = Path(name_of(OUTPUTS[output]))
    output_link.symlink_to("elsewhere")
    assert ended(OUTPUTS[output]) == 2
    assert "symbolic link" in (said := capsys.readouterr().err) or "exists already" in said or "there already" in said
    assert output_link.is_symlink()
    assert not Path("elsewhere").exists()


def test_a_link_to_nothing_is_refused_before_and_while_it_is_written(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "nothing")
    with pytest.raises(ConfigurationError, match="symbolic link to a file that is not there"):
        refuse_outputs([], [("--plot", link)])
    with pytest.raises(ConfigurationError, match="symbolic link to a file that is not there"):
        write_output(link, "", "drawing")
    assert link.is_symlink()
    (tmp_path / "nothing").write_text("old")
    (tmp_path / "nothing").chmod(0o640)
    write_output(link, "new", "drawing")
    assert link.is_symlink()
    assert (tmp_path / "nothing").read_text() == "new"
    assert (tmp_path / "nothing").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("write", [False, True])
def test_a_ledger_is_no_pipe_and_no_device(write: bool, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path / "link", Path("/dev/null")):
        with pytest.raises(ConfigurationError, match="is a pipe, a socket or a device"):
            refuse_ledger(path, "config.yaml:3")
        with pytest.raises(ConfigurationError, match="is a pipe"), open_ledger(path, "LEDGER", write=write):
            pass


def test_no_output_waits_for_the_reader_of_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "report.json"
    os.mkfifo(pipe)
    config = {
        "source": str(tmp_path / "in.csv"),
        "quasi_identifiers": {"age": {"builtin": "suppress"}},
        "privacy": {"k": 2},
        "report": str(pipe),
    }
    (tmp_path / "in.csv").write_text("age\n1\n1\n", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="this is a pipe, whose reader it would wait for"):
        kanon_sql.run(config)
