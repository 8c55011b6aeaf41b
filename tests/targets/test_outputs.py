"""No output of any command takes the place of what a run reads or keeps."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from shared_engine import attached
from tables import configuration, fill_table, write

import kanon_sql
from kanon_sql.cli.main import main
from kanon_sql.errors import ConfigurationError

KEPT = ("config.yaml", "people.csv", "sex.csv", "diagnosis.csv", "register.csv", "ledger.duckdb", "report.json")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with all that a configuration can name; the report and the release of an earlier run are there."""
    monkeypatch.chdir(tmp_path)
    write(Path("people.csv"))
    shutil.copy("people.csv", "register.csv")
    Path("sex.csv").write_text("f,*\nm,*\n")
    Path("diagnosis.csv").write_text('flu,ill\n"cold, bad",ill\n"so-called ""x""",ill\nnone,well\n')
    for name in ("report.json", "release.csv"):
        Path(name).write_text("of an earlier run\n")
    kanon_sql.run(configuration("people.csv", "first.csv", releases={"path": "ledger.duckdb"}, report="report.json"))
    config = configuration("people.csv", {"path": "release.csv", "overwrite": True})
    config["quasi_identifiers"]["sex"] = {"hierarchy": "sex.csv"}
    config["privacy"] = {
        "k": 2,
        "t_closeness": {"column": "diagnosis", "t": 1, "distance": "hierarchical", "hierarchy": "diagnosis.csv"},
        "k_map": {"k": 2, "population": "register.csv"},
    }
    config |= {"releases": {"path": "ledger.duckdb"}, "report": "report.json"}
    Path("config.yaml").write_text(yaml.safe_dump(config))
    return tmp_path


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def refused(place: Path, *words: str) -> None:
    before = contents(place)
    with pytest.raises(SystemExit) as ended:
        main(list(words))
    assert ended.value.code == 2, words
    after = contents(place)
    if words[0] == "run":
        # A run that fails reports that, in its report's own place.
        for state in (before, after):
            state.pop(place / "report.json")
    assert after == before


COMMANDS: dict[str, Callable[[str], list[str]]] = {
    "run": lambda name: ["run", "config.yaml", "--report", name],
    "target": lambda name: ["run", "config.yaml", "--set", f"target={{path: {name}, format: csv, overwrite: true}}"],
    "sweep": lambda name: ["sweep", "config.yaml", "--k", "2", "--report", name],
    "check": lambda name: ["check", "config.yaml", "--report", name],
    "lattice": lambda name: ["lattice", "config.yaml", "--report", name],
    "compile": lambda name: ["compile", "config.yaml", "--report", name],
    "risk": lambda name: ["risk", "config.yaml", "--report", name],
}


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_what_a_configuration_names_is_no_output(command: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in KEPT:
        if name == "report.json" and command != "target":
            continue
        refused(place, *COMMANDS[command](name))
        said = capsys.readouterr().err
        assert f"{name}: it would replace" in said or "the target is the source itself" in said, (name, said)


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ["sweep", "config.yaml", "--k", "2", "-o", "sex.csv"],
        ["sweep", "config.yaml", "--k", "2", "-o", "report.json"],
        ["lattice", "config.yaml", "--plot", "linked.svg"],
        ["risk", "config.yaml", "--plot", "linked.svg"],
        ["risk", "config.yaml", "--population", "other.csv", "--report", "other.csv"],
        ["check", "config.yaml", "first.csv", "--report", "first.csv"],
        ["check", "config.yaml", "--reference", "first.csv", "--report", "first.csv"],
        ["link", "first.csv", "register.csv", "--on", "sex", "--report", "register.csv"],
        ["link", "first.csv", "register.csv", "--on", "sex", "--report", "first.csv"],
        ["releases", "check", "first.csv", "release.csv", "--qi", "sex", "--k", "2", "--report", "first.csv"],
        [
            "hierarchy",
            "build",
            "people.csv",
            "--column",
            "sex",
            "--builtin",
            "suppress",
            "-o",
            "people.csv",
            "--overwrite",
        ],
    ],
)
def test_the_other_outputs_take_nothing_s_place_either(words: list[str], place: Path) -> None:
    Path("linked.svg").symlink_to("sex.csv")
    shutil.copy("register.csv", "other.csv")
    refused(place, *words)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["people.duckdb", "config.yaml", "ledger.duckdb"])
def test_a_database_as_target_takes_nothing_s_place_but_a_table_s(name: str, place: Path) -> None:
    with attached("people.duckdb") as connection:
        fill_table(connection, "people")
    config: dict[str, Any] = yaml.safe_load(Path("config.yaml").read_text())
    config["source"] = {"database": "people.duckdb", "table": "people"}
    config["target"] = {"database": name, "table": "released"}
    config.pop("releases" if name == "people.duckdb" else "report")
    Path("config.yaml").write_text(yaml.safe_dump(config))
    if name == "people.duckdb":
        assert kanon_sql.run("config.yaml").status == "released"
        return
    before = contents(place)
    with pytest.raises(ConfigurationError, match="it would replace"):
        kanon_sql.run("config.yaml")
    assert contents(place) == before


@pytest.mark.slow
def test_in_place_does_not_take_the_place_of_a_population(place: Path) -> None:
    config: dict[str, Any] = yaml.safe_load(Path("config.yaml").read_text())
    config |= {"source": "register.csv", "target": "in-place"}
    Path("config.yaml").write_text(yaml.safe_dump(config))
    refused(place, "run", "config.yaml")


@pytest.mark.slow
def test_files_that_a_query_names_are_kept(place: Path) -> None:
    config = configuration({"query": "SELECT * FROM 'peo*.csv'"}, {"path": "people.csv", "overwrite": True})
    before = contents(place)
    with pytest.raises(ConfigurationError, match=r"the target .*people\.csv: it would replace the source"):
        kanon_sql.run(config)
    with pytest.raises(ConfigurationError, match=r"the report .*people\.csv: it would replace the source"):
        kanon_sql.run(config | {"target": "out.csv"}, report="people.csv")
    assert contents(place) == before


@pytest.mark.slow
def test_a_dangling_link_is_no_target(place: Path) -> None:
    Path("link.csv").symlink_to("nowhere.csv")
    with pytest.raises(ConfigurationError, match="symbolic link to a file that is not there"):
        kanon_sql.run(configuration("people.csv", "link.csv"))
    assert not Path("nowhere.csv").exists()
