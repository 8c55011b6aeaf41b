"""What the documentation shows is run, and what it lists is compared with the program."""

from __future__ import annotations

import io
import json
import random
import re
import shlex
import shutil
import subprocess
import sys
import typing
from collections.abc import Iterable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import click
import duckdb
import lakes
import pytest
import yaml
from pages import leaves, rows, sections
from places import ROOT
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from servers import missing_postgres, missing_sail, postgres, sail

from kanon_sql.cli.main import cli, main
from kanon_sql.config.arguments import to_yaml
from kanon_sql.config.load import load_config
from kanon_sql.config.model import Config
from kanon_sql.config.schema import database_schema, json_schema

PAGES = [
    ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md",
    *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs" / "howto").glob("*.md")),
]  # fmt: skip
# Parts of docs/engines.md whose commands need a server, which a test of their own starts: the configuration's name.
POSTGRES, SPARK = "A table in PostgreSQL, step by step", "A table in Spark, step by step"
SERVED = {POSTGRES: "clinic.yaml", SPARK: "lake.yaml"}
LAKE = "lake.md"  # a page whose commands need DuckLake
NEW_ROWS = "New rows every night"  # of it, between whose commands rows come in
# Commands in the documentation that are not run here, and why.
NOT_RUN = {
    "python -m": "makes the environment, or runs these tests: .ci/run does both",
    "python scripts/site.py": "builds the site: tests/house/test_site.py and .ci/run do",
    "pip": "installs the project: .ci/run does",
}
SLOW = dict.fromkeys(
    (
        "README.md",
        "choosing.md",
        "commands.md",
        "databases.md",
        "limits.md",
        "local.md",
        "page.md",
        "releases.md",
        "risk.md",
        "search.md",
        "start.md",
        "publish.md",
        "officer.md",
        "scheduled.md",
    ),
    pytest.mark.slow,
)
TIMED = ["timeout", "--preserve-status", "--signal=INT", "300"]  # before a command that ends earlier here
# What makes the tables of a page.
MAKERS = {
    "choosing.md": ["python", "examples/messy/make.py"],
    "databases.md": ["python", "examples/clinic/make.py"],
}
# What a part of a configuration is completed with, so that it can be run.
REST: dict[str, Any] = {
    "source": "patients.parquet",
    "target": {"path": "release-of-a-part.parquet", "overwrite": True},
    "quasi_identifiers": {"sex": {"builtin": "suppress"}, "age": {"builtin": "intervals", "widths": [5, 10, 20]}},
    "privacy": {"k": 5},
    "suppression": {"limit": "10%"},
    "unlisted": "drop",
}


class Block(typing.NamedTuple):
    page: str
    heading: str  # the last one above it
    line: int
    language: str
    text: str


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page; one without a language that holds only commands counts as sh."""
    text = page.read_text(encoding="utf-8")
    code_blocks = []
    for match in re.finditer(r"^```(.*)\n((?:.*\n)*?)```$", text, re.MULTILINE):
        language, inside = match[1], match[2]
        if not language and all(line.startswith("kanon-sql ") for line in inside.splitlines()):
            language = "sh"
        heading = (re.findall(r"^#+ (.*)$", text[: match.start()], re.MULTILINE) or [""])[-1]
        code_blocks.append(Block(page.name, heading, text.count("\n", 0, match.start()) + 1, language, inside))
    return code_blocks


def blocks_in(language: str) -> list[Any]:
    return [
        pytest.param(block, id=f"{block.page}:{block.line}", marks=SLOW.get(block.page, ()))
        for page in PAGES
        for block in blocks(page)
        if block.language == language
    ]


def shell_commands(text: str) -> Iterator[tuple[list[str], set[int]]]:
    """The words of each command of a block, and the exit statuses that its comment allows."""
    for line in text.replace("\\\n", " ").splitlines():
        said = re.search(r"#.*exit status (\d+)(?:, or (\d+))?", line)
        statuses = {int(status) for status in said.groups() if status} if said else {0}
        words: list[str] = []
        for word in [*shlex.split(line, comments=True), "&&"]:
            if word != "&&":
                words.append(word)
            elif words:
                yield words[len(TIMED) :] if words[: len(TIMED)] == TIMED else words, statuses
                words = []


def run(words: list[str]) -> tuple[int, str, str]:
    """Runs a command of the documentation: its exit status, standard output, standard error."""
    if words[0] == "python":
        done = subprocess.run([sys.executable, *words[1:]], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr
    out, err = io.StringIO(), io.StringIO()
    arguments, target = words[1:], None
    if ">" in arguments:
        at = arguments.index(">")
        arguments, target = arguments[:at], Path(arguments[at + 1])
    with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as ended:
        main(arguments)
    if target is not None:
        target.write_text(out.getvalue(), encoding="utf-8")
    assert isinstance(ended.value.code, int)
    return ended.value.code, out.getvalue(), err.getvalue()


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with every file that the documentation speaks of."""
    folder = tmp_path_factory.mktemp("docs")
    shutil.copytree(ROOT / "examples", folder / "examples", ignore=shutil.ignore_patterns("release.*"))
    (folder / "out").mkdir()
    (folder / "hierarchies").mkdir()
    jobs = ["nurse,health", "doctor,health", "teacher,school", "cook,kitchen", "baker,kitchen"]
    for name in ("hierarchies/jobs.csv", "job.csv"):
        (folder / name).write_text("".join(f"{job},*\n" for job in jobs))
    (folder / "hierarchies" / "sex.csv").write_text("f,*\nm,*\n")
    draw = random.Random(7)
    patients = [
        (
            f"n{i}", f"s{i}", draw.choice("fm"), draw.randint(18, 89), f"0{draw.randint(2110, 2179)}",
            draw.choice(jobs).partition(",")[0], draw.choice(["flu", "cold", "none"]), draw.choice(["A", "B"]),
            draw.choice(["France", "Japan"]), 2023 + i % 2,
        )
        for i in range(2000)
    ]  # fmt: skip
    with duckdb.connect(str(folder / "warehouse.duckdb")) as connection:
        connection.execute(
            "CREATE TABLE everything (name TEXT, ssn TEXT, sex TEXT, age INTEGER, zip TEXT, job TEXT, diagnosis TEXT, "
            "ward TEXT, country TEXT, year INTEGER)"
        )
        connection.executemany("INSERT INTO everything VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", patients)
        connection.execute("CREATE TABLE patients AS SELECT * EXCLUDE (country, year) FROM everything")
        for statement in (
            "COPY patients TO '{}/patients.parquet'",
            "COPY (SELECT * EXCLUDE year FROM everything) TO '{}/patients.csv'",
            "COPY (SELECT * EXCLUDE country FROM everything) TO '{}/visits' (FORMAT parquet, PARTITION_BY year)",
            "COPY (SELECT DATE '1950-01-01' + age * 300 AS born, zip, age + 0.5 AS weight, country FROM everything) "
            "TO '{}/admissions.csv' (DELIMITER ';', NULLSTR '?')",
            "COPY (SELECT sex, age, job, 20 + age % 7 * 2.5 AS weight FROM everything) TO '{}/survey.csv'",
            "COPY (SELECT strftime(DATE '1950-01-01' + age * 300, '%d.%m.%Y') AS born, "
            "replace(CAST(age + 0.5 AS VARCHAR), '.', ',') AS weight, "
            "CASE age % 3 WHEN 0 THEN ' M' WHEN 1 THEN 'weiblich' ELSE sex END AS sex FROM everything) "
            "TO '{}/clinic.csv' (DELIMITER ';')",
            "COPY (SELECT 'n' || (i % 400) AS patient_id, 20 + i % 400 % 50 AS age, "
            "CASE i % 2 WHEN 0 THEN 'f' ELSE 'm' END AS sex, DATE '2024-01-01' + i % 300 AS admitted, "
            "DATE '2024-01-01' + i % 300 + i % 7 AS discharged "
            "FROM (SELECT CAST(unnest(range(2000)) AS INTEGER) AS i)) TO '{}/episodes.csv'",
            "DROP TABLE everything",
        ):
            connection.execute(statement.format(folder))
    for page, names in (("README.md", ("config.yaml",)), ("docs/choosing.md", ("stays.yaml", "final.yaml"))):
        shown = [block.text for block in blocks(ROOT / page) if block.language == "yaml"]
        for name, text in zip(names, shown, strict=False):
            (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def folder(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of that folder, as the working folder."""
    copy = tmp_path / "copy"
    shutil.copytree(data, copy)
    monkeypatch.chdir(copy)
    monkeypatch.setenv("DATA_FOLDER", str(copy))
    monkeypatch.setenv("PSEUDONYM_KEY", "0f" * 32)
    return copy


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "page",
    [pytest.param(page, id=page.name, marks=SLOW.get(page.name, ())) for page in PAGES if page.name != LAKE],
)
def test_commands_do_what_the_page_says(page: Path, folder: Path) -> None:
    carry_out(block for block in blocks(page) if block.heading not in SERVED)


@pytest.mark.engine
@pytest.mark.parametrize("heading", SERVED)
def test_commands_on_a_server_do_what_the_page_says(
    heading: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_postgres = heading == POSTGRES
    reason = missing_postgres() if on_postgres else missing_sail()
    if reason:
        pytest.skip(reason)
    shown = [block for block in blocks(ROOT / "docs" / "engines.md") if block.heading == heading]
    (folder / SERVED[heading]).write_text(next(block.text for block in shown if block.language == "yaml"))
    with postgres() if on_postgres else sail() as url:
        monkeypatch.setenv("CLINIC" if on_postgres else "SPARK", url)
        monkeypatch.setenv("LAKE", str(folder))
        if on_postgres:
            import psycopg

            patients = duckdb.connect().execute(
                "SELECT name, ssn, sex, age, zip, diagnosis, ward FROM 'patients.parquet'"
            )
            with psycopg.connect(url, autocommit=True) as connection:
                connection.execute("DROP TABLE IF EXISTS patients, patients_released")
                connection.execute(
                    "CREATE TABLE patients "
                    "(name text, ssn text, sex text, age integer, zip text, diagnosis text, ward text)"
                )
                connection.cursor().executemany(
                    "INSERT INTO patients VALUES (%s, %s, %s, %s, %s, %s, %s)", patients.fetchall()
                )
        carry_out(shown)


@pytest.mark.lake
@pytest.mark.skipif(find_spec(lakes.PACKAGE) is None, reason="No module named DuckLake: .[lake]")
def test_commands_on_a_lake_do_what_the_page_says(folder: Path) -> None:
    page = ROOT / "docs" / "howto" / LAKE
    Path("people.yaml").write_text(next(block.text for block in blocks(page) if block.language == "yaml"))
    with lakes.opened(Path("clinic.ducklake")) as connection:
        connection.execute("CREATE TABLE lake.patients AS FROM 'patients.parquet'")
    shown = list(blocks(page))
    first, *nights = [block for block in shown if block.heading == NEW_ROWS and block.language == "sh"]
    carry_out([first])
    with lakes.opened(Path("clinic.ducklake")) as connection:
        connection.execute("INSERT INTO lake.patients FROM lake.patients")
    carry_out(nights)
    carry_out(block for block in shown if block.heading != NEW_ROWS)
    with lakes.opened(Path("clinic.ducklake")) as connection:
        assert len(connection.execute("SELECT snapshot_id FROM ducklake_snapshots('lake')").fetchall()) == 1


def carry_out(shown: Iterable[Block]) -> None:
    """Runs the commands of a page in the working folder, and compares what the page says that they print."""
    last = ""
    for block in shown:
        for words, statuses in shell_commands(block.text) if block.language == "sh" else ():
            program = Path(words[0]).name
            if program not in NOT_RUN and f"{program} {words[1]}" not in NOT_RUN:
                assert program == "kanon-sql" or words[:2] in MAKERS.values(), f"{block.page}:{block.line}: {words}"
                status, out, err = run(words)
                assert status in statuses, f"{block.page}:{block.line}: {shlex.join(words)}: {status}\n{err}"
                last = out
        if block.language == "text output":
            assert without_times(block.text) == without_times(last), f"{block.page}:{block.line}"


def without_times(text: str) -> list[str]:
    """The lines of a summary without its seconds, and without what was found in a part of them."""
    lines = text.partition("\n\n  less would be lost:")[0].rstrip().splitlines()
    return [line for line in lines if not line.startswith("  seconds ")]


def test_parts_of_configurations_have_keys_of_configurations() -> None:
    keys = {*json_schema()["properties"], *database_schema()["properties"]}
    for parameter in blocks_in("yaml part"):
        (block,) = parameter.values
        assert set(yaml.safe_load(block.text)) <= keys, f"{block.page}:{block.line}"


@pytest.mark.few(1)
@pytest.mark.parametrize("block", blocks_in("yaml"))
def test_configurations_run(block: Block, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = yaml.safe_load(block.text)
    if isinstance(given.get("engine"), dict):  # which tests/engines/test_engines.py, and those of a server, start
        monkeypatch.setenv("CLINIC", "postgresql://nobody@localhost/clinic")
        monkeypatch.setenv("SPARK", "sc://localhost:15002")
        monkeypatch.setenv("LAKE", str(folder))
        rest = {} if "privacy" in given else {k: v for k, v in REST.items() if k not in given}
        (folder / "shown.yaml").write_text(block.text + (to_yaml(rest) if rest else ""))
        load_config(folder / "shown.yaml")
        return
    if block.page == LAKE:  # which another test runs
        (folder / "shown.yaml").write_text(block.text)
        load_config(folder / "shown.yaml")
        return
    if block.page in MAKERS:
        run(MAKERS[block.page])
    complete = {"source", "target", "quasi_identifiers", "privacy"} <= set(given) or "tables" in given
    rest = {} if complete else {key: value for key, value in REST.items() if key not in given}
    (folder / "shown.yaml").write_text(block.text + (to_yaml(rest) if rest else ""))
    status, _, err = run(["kanon-sql", "run", "shown.yaml"])
    assert status == 0, err


@pytest.mark.slow
@pytest.mark.parametrize("block", blocks_in("python"))
def test_python_runs(block: Block, folder: Path) -> None:
    exec(compile(block.text, f"{block.page}:{block.line}", "exec"), {})


@pytest.mark.slow
def test_the_messages_shown_are_real(folder: Path) -> None:
    page = ROOT / "docs" / "configuration.md"
    shown = next(block.text for block in blocks(page) if "kanon-sql: error:" in block.text)
    config = next(block.text for block in blocks(page) if block.language == "yaml")
    for right, wrong in (("quasi_identifiers:", "quasi_identifier:"), ("limit: 1%", "limit: 1.5"), (": keep", ": kep")):
        config = config.replace(right, wrong)
    Path("config.yaml").write_text(config)
    assert run(["kanon-sql", "run", "config.yaml"]) == (2, "", shown)


def models_in(annotation: Any) -> Iterator[tuple[str, type[BaseModel]]]:
    """The models in a type, each with what stands in its path for the keys of mappings between."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield "", annotation
    between = ".<column>" if typing.get_origin(annotation) is dict else ""
    for part in typing.get_args(annotation):
        yield from ((between + rest, model) for rest, model in models_in(part))


def words_in(annotation: Any) -> Iterator[str]:
    if typing.get_origin(annotation) is Literal:
        yield from typing.get_args(annotation)
    else:
        for part in typing.get_args(annotation):
            if not any(models_in(part)):
                yield from words_in(part)


def keys_of(model: type[BaseModel], path: str = "") -> Iterator[tuple[str, FieldInfo]]:
    for name, field in model.model_fields.items():
        yield path + name, field
        # A population is described like a source.
        for between, below in models_in(field.annotation) if name != "population" else ():
            yield from keys_of(below, f"{path}{name}{between}.")


def test_every_key_of_a_configuration_is_described() -> None:
    described = rows((ROOT / "docs" / "configuration.md").read_text(encoding="utf-8"))
    keys = dict(keys_of(Config))
    assert set(described) == set(keys)
    for key, field in keys.items():
        for word in words_in(field.annotation):
            assert f"`{word}`" in described[key], f"{key}: {word} is not described"
        if field.default is None or field.is_required() or isinstance(field.default, BaseModel):
            continue
        default = str(field.default).lower() if isinstance(field.default, bool) else str(field.default)
        said = (f"`{default}` (default)", f"default `{default}`")
        assert any(text in described[key] for text in said), f"{key}: the default {default} is not described"


def commands(group: click.Group, path: str = "kanon-sql") -> Iterator[tuple[str, click.Command]]:
    for name, command in group.commands.items():
        yield f"{path} {name}", command
        if isinstance(command, click.Group):
            yield from commands(command, f"{path} {name}")


@pytest.mark.parametrize(
    ("name", "command"), list(commands(cli)), ids=lambda value: value if isinstance(value, str) else ""
)
def test_every_command_and_option_is_described(name: str, command: click.Command) -> None:
    by_heading = sections(ROOT / "docs" / "commands.md")
    text = by_heading[name]
    for shared in ("Options of every command", "Columns on the command line"):
        if f"#{shared.lower().replace(' ', '-')})" in text:
            text += by_heading[shared]
    options = [param for param in command.params if isinstance(param, click.Option)]
    described = {
        option.split()[0].rstrip("`"): row
        for row in rows(text).values()
        for option in re.findall(r"`(--?\w[^`]*)`", row.split(" | ")[0])
    }
    assert set(described) == {flag for option in options for flag in option.opts}
    for option in options:
        for choice in option.type.choices if isinstance(option.type, click.Choice) else ():
            assert f"`{choice}`" in described[option.opts[0]]


def test_every_folder_is_listed() -> None:
    """CONTRIBUTING names every package of kanon_sql and every folder of the project, and nothing else."""
    packages = {f"kanon_sql/{path.parent.name}" for path in (ROOT / "kanon_sql").glob("*/__init__.py")}
    listed = set(rows(sections(ROOT / "CONTRIBUTING.md")["Where things are"]))
    assert {name for name in listed if "/" in name} == packages
    if (ROOT / ".git").exists():  # of what git knows: others make folders of their own there
        listing = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
        folders = {name.split("/")[0] for name in listing.splitlines() if "/" in name and not name.startswith(".")}
        assert {name for name in listed if "/" not in name} == folders


def test_every_decision_takes_half_a_page() -> None:
    text = (ROOT / "docs" / "decisions.md").read_text(encoding="utf-8")
    records = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    assert [record.split(".")[0] for record in records] == [str(number + 1) for number in range(len(records))]
    for record in records:
        assert len(record.split()) <= 300, record[:40]
        assert "**Decided.**" in record and "**Left aside.**" in record


def test_the_glossary_has_at_most_40_words() -> None:
    words = re.findall(r"^\| (.*?) \|", (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert 20 < len(words) - 2 <= 40


def test_every_command_is_listed_first() -> None:
    listed = blocks(ROOT / "docs" / "commands.md")[0].text
    assert re.findall(r"^kanon-sql (\w+)", listed, re.MULTILINE) == list(cli.commands)


MODELS = "privacy={k: 5, entity: ssn, l_diversity: {column: diagnosis, l: 2, variant: entropy}}"
BLIND = "algorithm={name: optimal, blind: true, reserve: 1%}"
WHOLE = "privacy={k: 5, average_risk: {at_most: 0.2}, population_uniqueness: {at_most: 1%, fraction: 1%}}"
ALGORITHMS = ("{name: minimal, prefer: suppression}", "{name: mondrian, seed: 1}", "{name: local, seed: 1}")
FEW = ("--set", "privacy={k: 2, known_columns: 2}")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("section", "calls"),
    [
        (
            "run",
            [
                ["run"],
                ["run", "--html", "page.html"],
                ["run", "--set", "privacy.k=9999"],
                ["run", "--set", MODELS, "--set", "suppression.limit=10%"],
                ["run", "--set", WHOLE],
                ["run", "--set", BLIND, "--set", MODELS.replace("entity: ssn, ", ""), "--set", "suppression.limit=10%"],
                ["run", "--set", "quasi_identifiers.age.aggregate=mean"],
                *(["run", "--set", f"algorithm={a}"] for a in ALGORITHMS),
                ["run", *FEW, "--set", "group=ssn"],
            ],
        ),
        ("check", [["run", "--report", "run.json"], ["check"], ["check", *FEW], ["check", "--manifest", "run.json"]]),
        ("lattice", [["lattice"]]),
    ],
)
def test_every_key_of_a_report_is_described(section: str, calls: list[list[str]], folder: Path) -> None:
    keys: set[str] = set()
    for words in calls:
        more = ["--set", "target={path: r.csv, overwrite: true}", "--set", "suppression.limit=0"]
        _, out, _ = run(["kanon-sql", words[0], "config.yaml", *more, *words[1:], "--json"])
        keys |= set(leaves(json.loads(out))) if words[0] == section else set()
    described = set(rows(sections(ROOT / "docs" / "report.md")[section]))
    around = {key[: match.start()] for key in keys for match in re.finditer(r"\.|\[]", key)}
    assert keys <= described
    # Which advice there is depends on the time that a run took; none of these is interrupted, or of a lake.
    elsewhere = {"search.interrupted", "source.snapshot", "forgotten"}
    assert {key for key in described if not key.startswith("advice[]")} - elsewhere <= keys | around


# Folders in which somebody works.
OF_ONE_MACHINE = re.compile(r"/(?:home|root|Users|work)/")


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CHANGELOG.md"], ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert str(ROOT) not in text and not OF_ONE_MACHINE.search(text) and "../shared" not in text
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not link.startswith("http"):
            assert target.exists(), link
            assert not anchor or anchor in {anchor_of(heading) for heading in sections(target)}, link


def anchor_of(heading: str) -> str:
    """How GitHub names a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
