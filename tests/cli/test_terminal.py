"""What goes to a terminal: no name of a column, a file or a value does anything there; data comes out as it is."""

from __future__ import annotations

import io
import json
import os
import time
from pathlib import Path
from typing import Any

import duckdb
import pytest
from ended import Call, Ended
from rich.console import Console

from kanon_sql.cli.main import main
from kanon_sql.config.load import config_from_text
from kanon_sql.errors import ConfigurationError, escape
from kanon_sql.progress import TerminalProgress
from kanon_sql.report.printable import escaped, to_json

# A title of the window, a bell, a line break, an escape of one character, the order of writing turned, and markup.
HOSTILE = "a\x1b]0;owned\x07\n\x9b31m\u202e\r[bold]b"
SHOWN = r"a\x1b]0;owned\x07\n\x9b31m\u202e\r[bold]b"


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    """Runs kanon-sql in a folder with a table whose columns, values and file are hostile, and a configuration."""
    monkeypatch.chdir(tmp_path)
    columns = ", ".join(f'"{name}" VARCHAR' for name in (HOSTILE, "zip", "s"))
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE t ({columns})")
        rows = [(HOSTILE + str(i % 3), str(i % 2), HOSTILE + "s" * (i % 4)) for i in range(24)]
        connection.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
        connection.execute("COPY t TO 'plain.parquet' (FORMAT parquet)")
        connection.execute("COPY (SELECT DISTINCT * FROM t) TO 'persons.parquet' (FORMAT parquet)")
    Path("plain.parquet").rename(f"{HOSTILE}.parquet")
    config = {
        "source": f"{HOSTILE}.parquet",
        "target": {"path": f"{HOSTILE}.csv", "overwrite": True},
        "quasi_identifiers": {HOSTILE: {"builtin": "prefix", "keep": [1]}, "zip": {"builtin": "suppress"}},
        "sensitive": ["s"],
        "privacy": {"k": 2, "l_diversity": {"column": "s", "l": 2}},
    }
    Path("config.yaml").write_text(json.dumps(config))

    def run(*words: str) -> Ended:
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main(list(words))
        assert isinstance(ended.value.code, int)
        return Ended(ended.value.code, *capsys.readouterr())

    return run


def harmless(text: str) -> bool:
    return all(line.isprintable() for line in text.split("\n"))


SOURCE = f"{HOSTILE}.parquet"
LEDGER = ["--set", "releases.path=ledger.duckdb"]
COMMANDS: dict[str, tuple[list[str], int]] = {
    "run": (["run", "config.yaml"], 0),
    "check": (["check", "config.yaml"], 0),
    "lattice": (["lattice", "config.yaml"], 0),
    "sweep": (["sweep", "config.yaml", "--k", "2", "--set", f"engine={HOSTILE}"], 2),
    "no file": (["run", f"{HOSTILE}.yaml"], 2),
    "no command": ([HOSTILE], 2),
    "no hierarchy": (["hierarchy", "show", HOSTILE], 2),
}


@pytest.mark.parametrize(("words", "status"), COMMANDS.values(), ids=COMMANDS)
def test_nothing_printed_does_anything_to_a_terminal(call: Call, words: list[str], status: int) -> None:
    ended = call(*words)
    assert ended.status == status, ended
    assert SHOWN[:12] in ended.out + ended.err
    assert harmless(ended.out) and harmless(ended.err), ended
    assert all(line.startswith("kanon-sql: ") for line in ended.err.splitlines())


def test_a_ledger_is_shown_without_what_a_terminal_obeys(call: Call) -> None:
    assert call("run", "config.yaml", *LEDGER).status == 0
    for words in (["list", "ledger.duckdb"], ["show", "ledger.duckdb", "1"]):
        ended = call("releases", *words)
        assert ended.status == 0, ended
        assert SHOWN in ended.out
        assert harmless(ended.out)
    # The configuration in it keeps its lines.
    assert "\n    source:" in ended.out


def test_a_hierarchy_is_shown_without_what_a_terminal_obeys(call: Call) -> None:
    built = call("hierarchy", "build", SOURCE, "--column", HOSTILE, "--builtin", "prefix:1")
    assert HOSTILE in built.out.replace('"', "")  # a file is as it is
    Path(f"{HOSTILE}.csv").write_text(built.out, newline="")
    for words in (["show"], ["show", "--tree"], ["check"]):
        ended = call("hierarchy", words[0], f"{HOSTILE}.csv", *words[1:])
        assert ended.status == 0, ended
        assert harmless(ended.out), ended


def test_a_traceback_does_nothing_to_a_terminal(call: Call) -> None:
    ended = call("run", f"{HOSTILE}.yaml", "--debug")
    assert ended.err.startswith("Traceback")
    assert harmless(ended.err)


def test_json_holds_names_as_they_are(call: Call) -> None:
    assert json.loads(call("check", "config.yaml", "--json").out)["quasi_identifiers"] == [HOSTILE, "zip"]


def test_a_file_whose_name_is_no_text(call: Call) -> None:
    ended = call("run", os.fsdecode(b"caf\xe9.yaml"))
    assert (ended.status, r"caf\udce9.yaml: no such file" in ended.err) == (2, True), ended
    assert json.loads(to_json({"path": "caf\udce9"})) == {"path": "caf\udce9"}
    to_json({"path": "caf\udce9"}).encode()


def test_progress_takes_no_markup_from_names(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(
        "rich.console.Console", lambda **_: Console(file=screen, force_terminal=True, width=200, color_system=None)
    )
    shown = TerminalProgress()
    with shown.step(f"reading {HOSTILE}"):
        time.sleep(0.15)
    assert SHOWN in screen.getvalue()
    assert HOSTILE[:8] not in screen.getvalue()


@pytest.mark.parametrize("text", ["", "plain", "é 日本", "a\tb", "\udce9", HOSTILE])
def test_an_escaped_text_can_be_told_from_others(text: str) -> None:
    assert escape(text).isprintable()
    assert escape(text) == text or not text.isprintable()
    assert escape(escape(text)) == escape(text)
    data: Any = {text: [text, {"k": text}, 1, None]}
    assert escaped(data) == {escape(text): [escape(text), {"k": escape(text)}, 1, None]}


def test_thousands_of_unknown_keys_are_answered_at_once() -> None:
    """Suggestions are for few unknown keys, and not every one of thousands of problems is a line."""
    lines = [f"a_key_that_nobody_knows_and_that_is_long_{i}: 1" for i in range(4000)]
    text = "\n".join(["source: a.csv", "privacy: {k: 2}", "quasi_identifiers: [age]", *lines])
    start = time.process_time()
    with pytest.raises(ConfigurationError) as refused:
        config_from_text(text, Path(), name="c.yaml")
    assert time.process_time() - start < 3
    problems = refused.value.problems
    assert len(problems) == 201
    assert problems[0].startswith("c.yaml:4: a_key_that_nobody_knows_and_that_is_long_0: unknown key")
    assert problems[-1] == "c.yaml: ... and 3,800 more problems; correct these first"


def test_few_unknown_keys_get_suggestions() -> None:
    with pytest.raises(ConfigurationError) as refused:
        config_from_text("sourc: a.csv\nprivacy: {k: 2}\nquasi_identifers: [age]", Path(), name="c.yaml")
    assert [problem.rpartition(", ")[2] for problem in refused.value.problems] == [
        "did you mean source?",
        "did you mean quasi_identifiers?",
    ]
