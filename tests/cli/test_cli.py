"""The command: streams, exit statuses, what the shared options do, and what messages do not say."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from effort import some
from ended import Call, Ended, calling
from places import EXAMPLES
from shared_engine import shared
from tables import configuration, write

import kanon_sql
from kanon_sql import __version__, api
from kanon_sql.cli.main import cli
from kanon_sql.config.load import from_mapping, load_config
from kanon_sql.errors import ConfigurationError
from kanon_sql.targets.files import FileSink

EXAMPLE = EXAMPLES / "adult"


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Call]:
    """Runs kanon-sql with the given words in a folder with config.yaml and people.csv."""
    write(tmp_path / "people.csv")
    config = configuration("people.csv", "release.csv", insensitive=[], identifiers=["cost"])
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(config))
    monkeypatch.chdir(tmp_path)
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.getsignal(number) for number in numbers]

    yield calling(capsys)
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)


def problems(ended: Ended) -> list[str]:
    """The errors on standard error, which holds nothing else."""
    lines = ended.err.splitlines()
    assert lines and all(line.startswith("kanon-sql: error: ") for line in lines), ended.err
    assert "Traceback" not in ended.err
    return [line.removeprefix("kanon-sql: error: ") for line in lines]


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    yield path
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name)


@pytest.mark.few(9)
@pytest.mark.parametrize("command", list(commands(cli)), ids=" ".join)
def test_every_command_explains_itself(call: Call, command: tuple[str, ...]) -> None:
    for flag in ("--help", "-h"):
        status, out, err = call(*command, flag)
        assert (status, err) == (0, "")
        assert out.startswith(f"Usage: {' '.join(['kanon-sql', *command])}")


HEADINGS = ["What to anonymize", "Privacy", "Release and report", "Engine and limits", "Output"]


@pytest.mark.parametrize(
    ("command", "headings"),
    [
        *((name, HEADINGS) for name in ("run", "check", "lattice", "sweep")),
        *((name, ["Options", *HEADINGS]) for name in ("risk", "compile")),
        *((name, ["Options"]) for name in ("apply", "init", "link")),
    ],
)
def test_many_options_stand_under_headings(call: Call, command: str, headings: list[str]) -> None:
    _, out, _ = call(command, "--help")
    lines = out.splitlines()
    assert [line[:-1] for line in lines if line.endswith(":") and line[0] != " "] == headings
    listed = [line.split()[0].rstrip(",") for line in lines if line.startswith("  -")]
    options = [parameter for parameter in cli.commands[command].params if isinstance(parameter, click.Option)]
    assert sorted(listed) == sorted(["-h", *(min(option.opts, key=len) for option in options)])


def test_help_answers_without_the_engine() -> None:
    code = (
        "import sys\nfrom kanon_sql.cli.main import main\n"
        "for words in (['--help'], ['run', '--help'], ['hierarchy', 'build', '--help'], ['--version']):\n"
        "    try: main(words)\n    except SystemExit as ended: assert ended.code == 0\n"
        "print('loaded:', sorted({'duckdb', 'sqlglot', 'pydantic', 'rich.progress'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "loaded: []"


@pytest.mark.slow
def test_a_run_imports_neither_the_other_searches_nor_the_other_engines() -> None:
    room = "kanon_sql."
    others = {
        "search.local.search",
        "search.mondrian",
        "engines.spark.engine",
        "engines.postgres.engine",
        "results.run",
    }
    unused = {room + module for module in others}
    code = f"import sys, kanon_sql.api.running; print(sorted({unused!r} & set(sys.modules)))"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "[]\n"


@pytest.mark.parametrize(("status", "watched"), [(0, False), (3, False), (3, True)])
def test_the_command_ends_with_its_status_and_what_was_registered_for_the_end(status: int, watched: bool) -> None:
    code = (
        "import atexit, sys\nfrom kanon_sql import __main__\nfrom kanon_sql.cli import main\n"
        "atexit.register(lambda: print('registered'))\n"
        f"main.main = lambda: (print('said'), sys.exit({status}))\n"
        f"if {watched}: sys.setprofile(lambda *_: None)\n"
        "try: __main__.process()\nfinally: print('came back')"
    )
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True, env=buffered)
    came_back = "came back\n" if watched else ""
    assert (done.returncode, done.stdout, done.stderr) == (status, f"said\n{came_back}registered\n", "")


def test_version_and_module(call: Call) -> None:
    assert call("--version") == (0, f"kanon-sql, version {__version__}\n", "")
    assert (
        subprocess.check_output([sys.executable, "-m", "kanon_sql", "--version"])
        == f"kanon-sql, version {__version__}\n".encode()
    )


@pytest.mark.few(9)
@pytest.mark.parametrize(
    "words",
    [
        ["bogus"],
        ["run"],
        ["run", "config.yaml", "--sensitive", "zip"],
        ["run", "config.yaml", "--set", "privacy.k"],
        ["run", "config.yaml", "--threads", "0"],
        ["run", "config.yaml", "--threads", "100000"],
        ["run", "config.yaml", "--memory-limit", "lots"],
        ["run", "config.yaml", "--time-limit", "-1"],
        ["run", "nowhere.yaml"],
        ["run", "config.yaml", "--set", "target=s3://bucket/release.csv"],
        ["run", "people.csv", "--qi", "age=intervals:5,7", "--unlisted", "drop", "--k", "2", "-o", "x.csv"],
        ["check", "config.yaml", "people.csv", "--qi", "age"],
        ["lattice", "config.yaml", "--plot", "lattice.png"],
        ["compile", "config.yaml", "--dialect", "oracle"],
    ],
    ids=" ".join,
)
def test_wrong_usage_and_configurations(call: Call, words: list[str]) -> None:
    ended = call(*words)
    assert (ended.status, ended.out) == (2, "")
    assert len(problems(ended)) == 1
    assert not Path("release.csv").exists()


def test_without_a_command_it_shows_the_help(call: Call) -> None:
    assert "kanon-sql: error: Usage" not in call().err


@pytest.mark.parametrize(
    "option", [["--missing", "?"], ["--qi", "age"], ["--identifier", "zip"], ["--l", "3"]], ids=" ".join
)
def test_options_that_stand_for_a_configuration_do_not_go_with_one(call: Call, option: list[str]) -> None:
    assert call("run", "config.yaml", *option).status == 2


@pytest.mark.slow
def test_an_existing_release_is_replaced_on_request(call: Call) -> None:
    Path("release.csv").write_text("mine")
    given = ["people.csv", "--qi", "age=age", "--unlisted", "drop", "--k", "2", "-o", "release.csv"]
    for words in (["config.yaml"], given):
        refused = call("run", *words)
        assert refused.status == 2
        assert "release.csv exists already; name another target or set overwrite: true (--overwrite)" in refused.err
        assert Path("release.csv").read_text() == "mine"
        assert call("run", *words, "--overwrite").status == 0
        assert Path("release.csv").read_text() != "mine"
        Path("release.csv").write_text("mine")


FIRST = ["people.csv", "--unlisted", "drop", "-o", "out.csv"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["--qi", "age"],
            "--k: the option is missing, expected rows that each equivalence class holds at least; add it",
        ),
        (
            ["--qi", "age", "--k", "2", "--limit", "0.01"],
            "--limit: expected whole rows, or a share in percent: write 1% for a share, got text '0.01'; correct it",
        ),
        (["--qi", "Age", "--k", "2"], "--qi: there is no column 'Age' in people.csv; did you mean 'age'?"),
        (["--qi", "agee", "--k", "2"], "--qi: there is no column 'agee' in people.csv; did you mean 'age'?"),
        (
            ["--qi", "age", "--k", "2", "--sensitive", "diagnose"],
            "--sensitive: there is no column 'diagnose' in people.csv; did you mean 'diagnosis'?",
        ),
        (
            ["--qi", "wealth", "--k", "2"],
            "--qi: there is no column 'wealth' in people.csv; is its first row a header? Set source.csv.header and "
            "source.csv.delimiter",
        ),
        (
            ["--qi", "age=aeg", "--k", "2"],
            "--qi: no hierarchy file 'aeg' in ., and no ready hierarchy of that name; did",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_is_wrong_on_a_command_line_names_its_option(call: Call, words: list[str], said: str) -> None:
    ended = call("run", *FIRST, *words)
    assert (ended.status, ended.out) == (2, "")
    assert problems(ended)[0].startswith(said)


def test_a_limit_in_a_file_is_no_fraction_either(call: Call) -> None:
    for value, meant in ((0.015, "1.5%"), ("0.5", "50%"), ("2.5", "2.5%")):
        with pytest.raises(ConfigurationError, match=f"write {meant} for a share"):
            from_mapping({"source": "a", "privacy": {"k": 2}, "suppression": {"limit": value}})


QI = ["--qi", "age=age", "--qi", "sex"]
BASE: dict[str, Any] = {
    "source": "people.csv",
    "quasi_identifiers": {"age": {"hierarchy": "age"}, "sex": {"builtin": "suppress"}},
    "unlisted": "insensitive",
    "privacy": {"k": 5},
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "options", "others", "config"),
    [
        ("lattice", [*QI, "--k", "5", "--limit", "5%"], [], {**BASE, "suppression": {"limit": "5%"}}),
        (
            "compile",
            [*QI, "--k", "5", "--unlisted", "drop", "--sensitive", "diagnosis", "--l", "2"],
            [],
            {
                **BASE,
                "unlisted": "drop",
                "sensitive": ["diagnosis"],
                "privacy": {"k": 5, "l_diversity": [{"column": "diagnosis", "l": 2}]},
            },
        ),
        ("sweep", QI, ["--k", "2,5", "--limit", "0,5%", "--algorithm", "optimal", "--algorithm", "mondrian"], BASE),
        ("sweep", ["--qi", "age"], ["--k", "2", "--algorithm", "mondrian"], {**BASE, "quasi_identifiers": ["age"]}),
        ("risk", [*QI, "--identifier", "zip"], ["--subsets", "1"], {**BASE, "identifiers": ["zip"]}),
    ],
)
def test_options_stand_for_a_configuration_in_every_command(
    call: Call, command: str, options: list[str], others: list[str], config: dict[str, Any]
) -> None:
    Path("made.yaml").write_text(json.dumps(config))
    by_options = call(command, "people.csv", *options, *others, "--json")
    by_file = call(command, "made.yaml", *others, "--json")
    assert (by_options.status, by_file.status) == (0, 0), by_options
    assert without_time(json.loads(by_options.out)) == without_time(json.loads(by_file.out))


def without_time(data: Any) -> Any:
    """A report without what differs between two runs, and without the name of the configuration."""
    if isinstance(data, dict):
        differing = ("seconds", "created", "configuration", "sql", "statements")
        left = {key: value for key, value in data.items() if key not in differing}
        return {key: without_time(value) for key, value in left.items()}
    return [without_time(entry) for entry in data] if isinstance(data, list) else data


def test_a_sweep_takes_one_table(call: Call) -> None:
    ended = call("sweep", "people.csv", "people.csv", *QI)
    assert (ended.status, problems(ended)[0]) == (
        2,
        "with --qi there is one argument, the data (see kanon-sql sweep --help)",
    )
    assert call("sweep", "config.yaml", "--sensitive", "x").status == 2


@pytest.mark.slow
def test_a_run_reports_in_json_and_warns_on_standard_error(call: Call) -> None:
    ended = call("run", "config.yaml", "--json", "--set", "release.order=none", "--report", "report.json")
    report = json.loads(ended.out)
    assert (ended.status, report["status"]) == (0, "released")
    assert report == json.loads(Path("report.json").read_text())
    assert ended.err == "".join(f"kanon-sql: warning: {warning}\n" for warning in report["warnings"])
    assert "source's order" in ended.err


@pytest.mark.slow
@pytest.mark.parametrize(("words", "status"), [(["check", "config.yaml"], 1), (["lattice", "config.yaml"], 0)])
def test_other_commands_report_in_json_as_well(call: Call, words: list[str], status: int) -> None:
    ended = call(*words, "--json", "--report", "report.json")
    assert (ended.status, ended.err) == (status, "")
    assert json.loads(ended.out) == json.loads(Path("report.json").read_text())


@pytest.mark.slow
def test_quiet_prints_errors_only(call: Call) -> None:
    order = ("--set", "release.order=none")
    assert call("run", "config.yaml", "--quiet", *order) == (0, "", "")
    assert problems(call("run", "config.yaml", "--quiet", *order)) == [
        "config.yaml:25: release.csv exists already; name another target or set overwrite: true (--overwrite)"
    ]
    assert call("check", "config.yaml", "release.csv", "--quiet") == (0, "", "")
    assert call("check", "config.yaml", "--quiet") == (1, "", "")
    assert call("lattice", "config.yaml", "--quiet") == (0, "", "")


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("override", "status", "said"),
    [
        ("privacy.k=301", 1, "no-release"),
        ("quasi_identifiers.age.max_level=9", 2, "failed"),
        ("source=nowhere.csv", 3, "failed"),
        ("quasi_identifiers.zip={builtin: date, levels: [year]}", 2, "failed"),
    ],
)
def test_a_report_is_written_without_a_release(call: Call, override: str, status: int, said: str) -> None:
    ended = call("run", "config.yaml", "--report", "report.json", "--set", override)
    assert (ended.status, ended.out) == (status, "")
    report = json.loads(Path("report.json").read_text())
    assert (report["status"], report["solution"], report["rows"]["released"]) == (said, None, 0)
    assert report["errors"] == problems(ended)
    assert not Path("release.csv").exists()


@pytest.mark.slow
def test_time_runs_out(call: Call) -> None:
    bounded = ("--time-limit", "0", "--report", "report.json")
    highest = ("--set", "quasi_identifiers.sex.max_level=0", "--set", "suppression.limit=0")
    ended = call("run", "config.yaml", *bounded, *highest, "--set", "algorithm=minimal")
    assert (ended.status, ended.out) == (3, "")
    assert json.loads(Path("report.json").read_text())["status"] == "timed-out"
    assert call("lattice", "config.yaml", *bounded).status == 3
    assert call("run", "config.yaml", *bounded).status == 0
    assert json.loads(Path("report.json").read_text())["search"]["proven"] is False


def test_a_folder_for_temporary_data_that_is_none(call: Call) -> None:
    ended = call("run", "config.yaml", "--temp-directory", "people.csv")
    assert ended.status == 3
    assert "--temp-directory" in problems(ended)[0]


def test_a_wrong_row_is_noticed_and_withdrawn(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    write_release = FileSink.write

    def write_with_a_wrong_row(self: FileSink, *arguments: Any) -> None:
        write_release(self, *arguments)
        with self.staged.path.open("a") as file:
            file.write("f,geheim,02139,flu\n")

    monkeypatch.setattr(FileSink, "write", write_with_a_wrong_row)
    ended = call("run", "config.yaml", "--report", "report.json")
    assert (ended.status, ended.out) == (4, "")
    assert any("hold fewer than 5 rows" in problem for problem in problems(ended))
    assert json.loads(Path("report.json").read_text())["status"] == "failed"
    assert sorted(path.name for path in Path().iterdir()) == ["config.yaml", "people.csv", "report.json"]


@pytest.mark.slow
def test_overrides_win_over_the_file(call: Call) -> None:
    ended = call("run", "config.yaml", "--json", "--set", "privacy.k=20", "--set", "target=other.csv")
    assert json.loads(ended.out)["privacy"]["k"]["required"] == 20
    assert Path("other.csv").exists() and not Path("release.csv").exists()
    wrong = ("--set", "privacy.kk=2", "--set", "missing=x", "--set", "a..b=1")
    assert set(problems(call("run", "config.yaml", *wrong))) == {
        "--set privacy.kk: unknown key 'kk', did you mean k?",
        "--set missing: expected 'keep', 'drop' or 'drop-any', got text 'x'; write one of these",
        '--set a..b: expected a key such as privacy.k or quasi_identifiers."a.b".weight',
    }


COLUMNS = (
    "run", "people.csv", "--qi", "sex", "--qi", "age=intervals:5,10,20", "--qi", "zip=prefix:3,1", "--k", "5",
    "--sensitive", "diagnosis", "--unlisted", "drop", "--limit", "5%", "--order", "none", "--missing-rows", "drop",
    "--missing", "?", "-o", "release.csv",
)  # fmt: skip


@pytest.mark.slow
def test_the_printed_configuration_is_the_one_that_runs(call: Call) -> None:
    printed = call(*COLUMNS, "--print-config")
    assert (printed.status, printed.err) == (0, "")
    Path("printed.yaml").write_text(printed.out)
    assert not Path("release.csv").exists()
    assert call(*COLUMNS, "--quiet").status == 0
    assert call("run", "printed.yaml", "--set", "target=again.csv", "--quiet").status == 0
    assert sorted(Path("again.csv").read_text().split()) == sorted(Path("release.csv").read_text().split())
    assert load_config("printed.yaml").config == from_mapping(yaml.safe_load(printed.out)).config


@pytest.mark.parametrize("words", [COLUMNS, ("run", "config.yaml")], ids=["options", "file"])
def test_the_printed_configuration_has_the_overrides(call: Call, words: tuple[str, ...]) -> None:
    printed = call(*words, "--print-config", "--set", "privacy.k=7")
    assert yaml.safe_load(printed.out)["privacy"]["k"] == 7


@pytest.mark.slow
def test_values_are_shown_on_request_only(call: Call) -> None:
    Path("sex.csv").write_text("x,*\n")
    words = ("run", "config.yaml", "--set", "quasi_identifiers.sex=sex.csv")
    assert "'f'" not in problems(call(*words))[0]
    assert "'f'" in problems(call(*words, "--show-values"))[0]


def test_tracebacks_are_shown_on_request_only(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Traceback" in call("run", "nowhere.yaml", "--debug").err

    def fail(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError("geheim")

    monkeypatch.setattr(api, "run", fail)
    ended = call("run", "config.yaml")
    assert ended.status == 3
    assert "--debug" in problems(ended)[0] and "geheim" not in ended.err
    assert "ZeroDivisionError: geheim" in call("run", "config.yaml", "--debug").err


QUERY = "SELECT * REPLACE ({} AS age) FROM read_csv('secrets.csv', all_varchar = true)"
FAILURES = [
    ["quasi_identifiers.zip={builtin: date, levels: [year]}"],
    ["quasi_identifiers.zip=hierarchy.csv"],
    ["quasi_identifiers.zip=broken.csv"],
    ["source=ragged.csv"],
    *(
        [f'source={{query: "{QUERY.format(age)}"}}']
        for age in ("CAST(zip AS INT)", "error(zip)", "strptime(zip, '%Y')")
    ),
    ["privacy.k=1000"],
    ["sensitive=[nothing]", "insensitive=[]"],
]


@pytest.mark.few(2)
@pytest.mark.parametrize("command", ["run", "check", "lattice", "compile"])
@pytest.mark.parametrize("overrides", some(FAILURES, 4), ids=lambda overrides: " ".join(overrides)[:60])
def test_no_message_names_a_value(call: Call, command: str, overrides: list[str]) -> None:
    secret = "SELECT sex, age, 'geheim' || zip AS zip, 'geheim ' || diagnosis AS diagnosis, cost FROM 'people.csv'"
    with shared() as connection:
        connection.execute(f"COPY ({secret}) TO 'secrets.csv'")
    text = Path("secrets.csv").read_text()
    Path("ragged.csv").write_text(text + "geheim,1,2\ngeheim,1,geheim,2,3,4,5\n")
    Path("hierarchy.csv").write_text("geheim1,geheim2,*\n")
    Path("broken.csv").write_text("geheim1,geheim2,*\ngeheim1,geheim3,*\n,,\n")
    words = [word for override in ("source=secrets.csv", *overrides) for word in ("--set", override)]
    more = ["--report", "report.json"] if command != "compile" else []
    ended = call(command, "config.yaml", *words, *more)
    report = Path("report.json").read_text() if Path("report.json").exists() else ""
    assert "geheim" not in ended.err + report + ("" if command == "compile" else ended.out)
    assert ended.status or command != "run"


@pytest.mark.slow
def test_progress_is_for_terminals(call: Call) -> None:
    for quiet, shown in (([], True), (["--quiet"], False)):
        ours, theirs = pty.openpty()
        words = [sys.executable, "-m", "kanon_sql", "lattice", "config.yaml", *quiet]
        subprocess.run(words, stdout=subprocess.DEVNULL, stderr=theirs, check=True, env={**os.environ, "TERM": "xterm"})
        os.write(theirs, b"end")
        os.close(theirs)
        assert (b"nodes" in os.read(ours, 1 << 16)) is shown
        os.close(ours)


@pytest.mark.slow
@pytest.mark.parametrize("words", [["run", "config.yaml"], ["schema"], ["run", "--help"]], ids=" ".join)
def test_a_reader_that_goes_away_is_no_error(call: Call, words: list[str]) -> None:
    gone, ours = os.pipe()
    os.close(gone)
    with os.fdopen(ours, "wb") as out:
        command = [sys.executable, "-m", "kanon_sql", *words]
        done = subprocess.run(command, stdout=out, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_changes_nothing(tmp_path: Path, number: signal.Signals) -> None:
    overrides = ["quasi_identifiers.education=education-adult", "insensitive=[hours_per_week]", "algorithm=minimal"]
    overrides += ["quasi_identifiers.occupation=hierarchies/occupation.csv", "sensitive=[class]"]
    overrides += [f"target={tmp_path}/release.csv"]
    words = [sys.executable, "-m", "kanon_sql", "run", str(EXAMPLE / "config.yaml"), "--report", "report.json"]
    words += ["--temp-directory", ".", *(word for override in overrides for word in ("--set", override))]
    with subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while process.poll() is None and not list(tmp_path.glob("kanon-sql-spill-*")):
            time.sleep(0.01)
        time.sleep(0.7)
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err.strip()) == (130, "", "kanon-sql: error: interrupted: nothing was changed")
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]
    assert json.loads((tmp_path / "report.json").read_text())["status"] == "failed"


def test_the_package_lists_what_there_is() -> None:
    assert set(kanon_sql.__all__) <= set(dir(kanon_sql))
    code = "import kanon_sql, sys; print(sorted(set(kanon_sql.__all__) - set(dir(kanon_sql))), 'duckdb' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "[] False\n"
    # Type checkers only read the types of a package that says so; the wheel holds the package's folder as it is.
    assert Path(kanon_sql.__file__).with_name("py.typed").is_file()
