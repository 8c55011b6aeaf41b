"""`--on-interrupt release`: a search that is interrupted ends as at its time limit, with the best found by then."""

from __future__ import annotations

import csv
import json
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from table_files import write_csv

import kanon_sql
from kanon_sql.cli.main import cli
from kanon_sql.errors import ConfigurationError, InterruptedRunError
from kanon_sql.report.page.proof import _effort
from kanon_sql.report.views.jobs import summarize_run
from kanon_sql.search.prepare import prepare_search
from kanon_sql.sql import signals
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.deadline import Deadline, TimeUpError
from kanon_sql.targets.files import FileSink

Json = Any
QI = {"sex": {"builtin": "suppress"}, "zip": {"builtin": "prefix", "keep": [4, 3]}}
AGE = {"age": {"builtin": "intervals", "widths": [5, 10, 20]}}
ALL = {"suppression": {"limit": 0}}
pytestmark = pytest.mark.usefixtures("handlers")
CASES: dict[str, Json] = {
    "optimal": {},
    "samarati": {"algorithm": "samarati"},
    "minimal": {"algorithm": "minimal"},
    "mondrian": {"algorithm": {"name": "mondrian", "seed": 0}, **ALL},
    "local": {"algorithm": {"name": "local", "effort": "fast", "seed": 0}, **ALL},
    "microaggregation": {
        "algorithm": "microaggregation",
        "quasi_identifiers": {"age": {"aggregate": "mean"}},
        "unlisted": "drop",
        **ALL,
    },
    "blind": {
        "algorithm": {"name": "optimal", "blind": True},
        "privacy": {"k": 5, "l_diversity": {"column": "diagnosis", "l": 2}},
        "suppression": {"limit": 40},
    },
    "thresholds": {"privacy": {"k": 2, "average_risk": {"at_most": 0.1}}},
    "known columns": {"privacy": {"k": 5, "known_columns": 2}},
}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    draw = random.Random(1)
    rows = [
        [f"n{i}", draw.choice("fm"), f"021{draw.randint(30, 49)}", str(draw.randint(20, 79)), draw.choice("abc")]
        for i in range(400)
    ]
    write_csv(tmp_path / "source.csv", [["name", "sex", "zip", "age", "diagnosis"], *rows])
    return tmp_path


def configuration(place: Path, case: str = "optimal", **more: Any) -> Json:
    return {
        "source": str(place / "source.csv"),
        "target": str(place / "release.csv"),
        "identifiers": ["name"],
        "quasi_identifiers": {**QI, **AGE},
        "sensitive": ["diagnosis"],
        "privacy": {"k": 5},
        "suppression": {"limit": 8},
        "release": {"order": "none"},
        **CASES[case],
        **more,
    }


def at_statement(patch: pytest.MonkeyPatch, number: int, act: Callable[[], object]) -> list[int]:
    """Something happens before a statement that a deadline ends runs; how many there were."""
    ran, real = [0], Engine.run

    def run(self: Engine, *words: Any, **named: Any) -> Any:
        if not self._deadline.endless:
            ran[0] += 1
            if ran[0] == number:
                act()
        return real(self, *words, **named)

    patch.setattr(Engine, "run", run)
    return ran


def interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.001)


def smallest(place: Path, keys: tuple[str, ...]) -> tuple[int, int]:
    """(rows of a release, those of its smallest class), counted here."""
    with (place / "release.csv").open(newline="") as file:
        counted = Counter(tuple(row[key] for key in keys) for row in csv.DictReader(file))
    return counted.total(), min(counted.values())


@pytest.mark.few(1)
@pytest.mark.parametrize("statement", [2, 4])
@pytest.mark.parametrize("case", CASES)
def test_every_search_releases_what_it_has(
    case: str, statement: int, place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = at_statement(monkeypatch, statement, interrupt)
    config = configuration(place, case)
    try:
        report: Json = kanon_sql.run(config, on_interrupt="release", advice=False).report
    except InterruptedRunError as error:
        assert case == "minimal" and statement == 2 and not (place / "release.csv").exists()
        assert signals.NOTHING_CHANGED in str(error)
        return
    finally:
        monkeypatch.undo()
    assert capsys.readouterr().err == f"kanon-sql: {signals.RELEASING}\n" and ran[0] >= statement
    search = report["search"]
    assert report["status"] == "released" and (search["interrupted"], search["finished"]) == (True, False)
    assert not search["proven"] and any("was interrupted" in warning for warning in report["warnings"])
    assert "interrupted" in str(summarize_run(report)) and "interrupted" in _effort(report)
    rows, least = smallest(place, tuple(config["quasi_identifiers"]))
    assert rows == report["rows"]["released"] >= 400 - config["suppression"]["limit"]
    assert least >= {"known columns": 1, "thresholds": 2}.get(case, 5)
    assert kanon_sql.check(config, place / "release.csv")["status"] == "satisfied"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.slow
@pytest.mark.parametrize("statement", [1, 3, 5, 9, 21, 40])
@pytest.mark.parametrize("case", CASES)
def test_it_is_what_a_time_limit_leaves(
    case: str, statement: int, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A limit that ends at the same statement leads to the same release, or to none.

    Nothing looks whether the time is up while a statement runs: how far one comes by then is not the same twice.
    """
    monkeypatch.setattr("kanon_sql.sql.deadline._LOOK", 1e6)

    def ended(act: Callable[[], object], **options: Any) -> tuple[Any, ...]:
        with pytest.MonkeyPatch.context() as patch:
            at_statement(patch, statement, act)
            try:
                config = configuration(place, case, target={"path": str(place / "release.csv"), "overwrite": True})
                report = kanon_sql.run(config, advice=False, **options).report
            except (kanon_sql.errors.InterruptedRunError, kanon_sql.errors.OutOfTimeError):
                return ("nothing",)
        return (place / "release.csv").read_bytes(), report["solution"], round(report["loss"]["ncp"], 9)

    clock, late = time.monotonic, [0.0]
    monkeypatch.setattr("kanon_sql.sql.deadline.time.monotonic", lambda: clock() + late[0])
    limited = ended(lambda: late.__setitem__(0, 1e6), time_limit=1e5)
    late[0] = 0.0
    assert ended(interrupt, on_interrupt="release") == limited


def test_a_second_signal_gives_up(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def twice() -> None:
        interrupt()
        interrupt()

    at_statement(monkeypatch, 3, twice)
    with pytest.raises(InterruptedRunError, match="nothing was changed"):
        kanon_sql.run(configuration(place), on_interrupt="release")
    assert [path.name for path in place.iterdir()] == ["source.csv"]


def test_a_second_signal_while_it_is_written_gives_up(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = FileSink.write

    def write(self: FileSink, *words: Any) -> None:
        real(self, *words)
        interrupt()

    monkeypatch.setattr(FileSink, "write", write)
    at_statement(monkeypatch, 3, interrupt)
    with pytest.raises(InterruptedRunError, match="nothing was changed"):
        kanon_sql.run(configuration(place), on_interrupt="release")
    assert [path.name for path in place.iterdir()] == ["source.csv"]


@pytest.mark.few(1)
@pytest.mark.parametrize(("owner", "name"), [(FileSink, "write"), (FileSink, "commit")])
def test_a_signal_after_the_search_changes_nothing_of_the_release(
    owner: Any, name: str, place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = getattr(owner, name)

    def wrapped(*words: Any) -> None:
        interrupt()
        real(*words)

    monkeypatch.setattr(owner, name, wrapped)
    report = kanon_sql.run(configuration(place), on_interrupt="release").report
    assert report["status"] == "released" and "interrupted" not in report["search"] and report["search"]["proven"]
    message = signals.RELEASING if name == "write" else signals.PUTTING
    assert capsys.readouterr().err == f"kanon-sql: {message}\n"
    assert not report["advice"]  # what is beside the release is left out then


def test_before_the_search_there_is_nothing_to_release(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def prepared(*words: Any) -> Any:
        interrupt()
        return prepare_search(*words)

    monkeypatch.setattr("kanon_sql.commands.run.pipeline.prepare_search", prepared)
    with pytest.raises(InterruptedRunError, match="nothing was changed"):
        kanon_sql.run(configuration(place), on_interrupt="release")
    assert [path.name for path in place.iterdir()] == ["source.csv"]


def test_without_the_option_a_search_releases_nothing(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at_statement(monkeypatch, 3, interrupt)
    with pytest.raises(InterruptedRunError, match="nothing was changed"):
        kanon_sql.run(configuration(place), time_limit=100)
    assert [path.name for path in place.iterdir()] == ["source.csv"]


def test_where_no_release_is_possible_it_says_so(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also once the first signal has come: that nothing satisfies is known then."""
    at_statement(monkeypatch, 1, interrupt)
    config = configuration(place, privacy={"k": 401})
    with pytest.raises(kanon_sql.errors.NoReleaseError):
        kanon_sql.run(config, on_interrupt="release")


def test_the_option_of_the_command(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place / "config.yaml").write_text(json.dumps(configuration(place)))
    words = ["run", str(place / "config.yaml"), "--on-interrupt"]
    assert CliRunner().invoke(cli, [*words, "perhaps"]).exit_code == 2
    at_statement(monkeypatch, 2, interrupt)
    with signals.run_block():
        result = CliRunner().invoke(cli, [*words, "release"])
    assert result.exit_code == 0, result.output
    assert "NOT proven: interrupted" in result.output and signals.RELEASING in result.output


def test_other_words_are_refused(place: Path) -> None:
    with pytest.raises(ConfigurationError, match="on_interrupt='perhaps': expected 'nothing' or 'release'"):
        kanon_sql.run(configuration(place), on_interrupt="perhaps")


def test_a_deadline_that_is_stopped_has_passed() -> None:
    stopped = [False]
    plain, limited = Deadline(stop=lambda: stopped[0]), Deadline(100, lambda: stopped[0])
    part = limited.share(0.5)
    assert Deadline().endless and not plain.endless and plain.remaining() is None and plain.share(0.5) is plain
    assert 49 < (part.remaining() or 0) <= 50 and not (plain.passed() or limited.passed() or part.passed())
    stopped[0] = True
    for deadline in (plain, limited, part):
        assert deadline.passed() and deadline.remaining() == 0.0 and deadline.why() == "the search was interrupted"
        with pytest.raises(TimeUpError):
            deadline.check()
    assert Deadline(0).passed() and Deadline(0).why() == "time ran out"
