"""Versions of Python and of what the package takes: the tests with each, and files of one read by another.

Each combination is an environment of its own, made by pip; what is not named in it is the newest there is.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import requires
from pathlib import Path
from typing import Any

import click
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version
from places import ROOT

from trials.tally import record

# What touches the engine, the parser and the language most: a minute or two.
ROOMS = ("sql", "hierarchy", "source", "targets", "release", "ledger", "house")
SEARCHES = ("tests/search/test_brute_force.py", "tests/search/test_mondrian.py", "tests/search/test_local.py")
# What looks at the tree or at the newest tools, not at what a version may change.
NOT = ("tests/house/test_site.py", "tests/house/test_packaging.py")
ENDED = re.compile(r"(\d+) (passed|failed|errors?|skipped)")


@dataclass(frozen=True)
class Combination:
    """A Python and the versions that are pinned in its environment."""

    python: str
    pins: Mapping[str, str] = field(default_factory=dict)
    name: str = ""

    def __str__(self) -> str:
        return ", ".join([f"Python {version_of(self.python)}", self.name or self.pinned()])

    def pinned(self) -> str:
        return ", ".join(f"{name} {version}" for name, version in self.pins.items()) or "all newest"


def version_of(python: str) -> str:
    """As 3.12.1; empty where it does not run."""
    code = "import sys; print('.'.join(map(str, sys.version_info[:3])))"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    return done.stdout.strip()


def interpreters(given: Sequence[str]) -> list[str]:
    """Those given, else one of each version from 3.10 on that the PATH has; the oldest first."""
    named = given or [f"python3.{minor}" for minor in range(10, 30)]
    paths = {version_of(path): path for path in map(shutil.which, named) if path}
    return [paths[version] for version in sorted(filter(None, paths), key=Version)]


def admitted() -> dict[str, SpecifierSet]:
    """The versions of each dependency that the package takes."""
    requirements = map(Requirement, requires("kanon-sql") or [])
    return {
        requirement.name: requirement.specifier for requirement in requirements if requirement.marker is None
    }  # others are an extra's


def published(python: str, package: str, versions: SpecifierSet) -> list[str]:
    """Those versions of a package that pip finds for a Python, the oldest first."""
    command_line = [sys.executable, "-m", "pip", "index", "versions", package, "--disable-pip-version-check"]
    command_line += ["--python-version", version_of(python), "--only-binary", ":all:"]
    done = subprocess.run(command_line, capture_output=True, text=True, check=True)
    listed = re.search(r"Available versions: (.*)", done.stdout)
    return sorted(versions.filter(listed[1].split(", ") if listed else []), key=Version)


def combinations(pythons: Sequence[str]) -> Iterator[Combination]:
    """Each Python with the newest of all; each DuckDB that the oldest Python can have, there; sqlglot's oldest; the
    lowest of all on the oldest Python.
    """
    bounds = admitted()
    oldest, newest = pythons[0], pythons[-1]
    for python in pythons:
        yield Combination(python)
    for version in published(oldest, "duckdb", bounds["duckdb"])[:-1]:
        yield Combination(oldest, {"duckdb": version})
    yield Combination(newest, {"sqlglot": published(newest, "sqlglot", bounds["sqlglot"])[0]})
    lowest = {name: published(oldest, name, versions)[0] for name, versions in bounds.items()}
    yield Combination(oldest, lowest, "all lowest")


@dataclass(frozen=True)
class Environment:
    """An environment in a folder: its Python."""

    python: Path

    @classmethod
    def built(cls, folder: Path, combination: Combination) -> Environment:
        """With the package as it stands here and what its tests need. Raises CalledProcessError."""
        subprocess.run([combination.python, "-m", "venv", str(folder)], check=True)
        python = folder / "bin" / "python"
        pins = [f"{name}=={version}" for name, version in combination.pins.items()]
        install = [str(python), "-m", "pip", "install", "-qq", "--disable-pip-version-check", "-e", f"{ROOT}[test]"]
        subprocess.run([*install, *pins], check=True, stdout=subprocess.DEVNULL)
        return cls(python)

    def version(self, package: str) -> str:
        """Of an installed package."""
        code = f"from importlib.metadata import version; print(version({package!r}))"
        return self.output("-c", code).strip()

    def output(self, *words: str, where: Path = ROOT) -> str:
        """Standard output. Raises CalledProcessError."""
        done = subprocess.run([str(self.python), *words], cwd=where, capture_output=True, text=True, check=True)
        return done.stdout

    def tested(self, tests: Sequence[str]) -> dict[str, int]:
        """How many tests passed, failed, were skipped; what failed is printed."""
        left_out = [f"--ignore={name}" for name in NOT]
        words = ["-m", "pytest", "-p", "no:cacheprovider", "-rf", "--tb=line", *left_out, *tests]
        done = subprocess.run([str(self.python), *words], cwd=ROOT, capture_output=True, text=True, check=False)
        lines = done.stdout.splitlines() or [done.stderr]
        for line in lines:
            if line.startswith(("FAILED", "ERROR")):
                click.echo(f"  {line[:300]}")
        counts = {what: int(number) for number, what in ENDED.findall(lines[-1])}
        if not counts:
            click.echo("\n".join(lines[-20:]) + done.stderr[-2000:])
            counts = {"errors": 1}
        return counts


SOURCE = "age,region,disease\n" + "".join(
    f"{20 + 7 * number % 50},{'north' if number % 2 else 'south'},{'flu' if number % 3 else 'gout'}\n"
    for number in range(60)
)
CONFIG: dict[str, Any] = {
    "source": "people.csv",
    "target": {"path": "release.parquet", "overwrite": True},
    "quasi_identifiers": {
        "age": {"builtin": "intervals", "origin": 0, "widths": [10, 20, 40]},
        "region": {"builtin": "suppress"},
    },
    "sensitive": ["disease"],
    "privacy": {"k": 3},
    "suppression": {"limit": "10%"},
    "releases": {"path": "ledger.duckdb"},
}
COMMAND = ("-m", "kanon_sql")


def crossed(writer: Environment, reader: Environment, folder: Path) -> int:
    """Files that one wrote, gone on with by the other, then again by the first: the releases in the ledger at the end.

    The other lists and counts what was released, applies the release, and makes one of its own in the same ledger.
    Raises CalledProcessError where one of them cannot.
    """
    folder.mkdir()
    (folder / "people.csv").write_text(SOURCE, encoding="utf-8")
    (folder / "config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    result = json.loads(writer.output(*COMMAND, "run", "config.json", "--json", where=folder))
    for environment in (reader, writer):
        checked = json.loads(
            environment.output(*COMMAND, "check", "config.json", "release.parquet", "--json", where=folder)
        )
        assert checked["status"] == "satisfied" and checked["classes"].items() <= result["classes"].items(), checked
        environment.output(
            *COMMAND, "apply", "1", "people.csv", "--ledger", "ledger.duckdb", "-o", "new.parquet", where=folder
        )
        (folder / "new.parquet").unlink()
        again = json.loads(environment.output(*COMMAND, "run", "config.json", "--json", where=folder))
        assert {key: again[key] for key in ("rows", "classes")} == {key: result[key] for key in ("rows", "classes")}
    listed = json.loads(writer.output(*COMMAND, "releases", "list", "ledger.duckdb", "--json", where=folder))
    return len(listed["releases"])


@click.command(help=__doc__)
@click.option("--python", "pythons", multiple=True, help="an interpreter; repeatable; default: those on the PATH")
@click.option("--only", default="", help="combinations whose name holds this text")
@click.option("--quick", is_flag=True, help="the tests that touch the engine, the parser and the language most")
@click.option("--record", "keep", is_flag=True, help="keep the figures in docs/reliability.json")
def command(pythons: tuple[str, ...], only: str, quick: bool, keep: bool) -> None:
    """Exits with 1 where a test failed, or files of one were not read by another."""
    tests = (*(f"tests/{room}" for room in ROOMS), *SEARCHES) if quick else ("tests",)
    rows: list[list[str | int]] = []
    lost = 0
    with tempfile.TemporaryDirectory(prefix="versions") as work:
        ends: dict[str, Environment] = {}
        for number, combination in enumerate(combinations(interpreters(pythons))):
            if only not in str(combination):
                continue
            click.echo(f"{combination}")
            environment = Environment.built(Path(work, str(number)), combination)
            counts = environment.tested(tests)
            failed = counts.get("failed", 0) + counts.get("error", 0) + counts.get("errors", 0)
            lost += failed
            engine = environment.version("duckdb")
            row: list[str | int] = [version_of(combination.python), engine, environment.version("sqlglot")]
            row += [combination.name or "newest", counts.get("passed", 0), failed, counts.get("skipped", 0)]
            click.echo(f"  DuckDB {row[1]}, sqlglot {row[2]}: {row[4]:,} passed, {failed} failed, {row[6]} skipped")
            rows.append(row)
            ends.setdefault(engine, environment)
        oldest, newest = min(ends, key=Version), max(ends, key=Version)
        for writer, reader in ((oldest, newest), (newest, oldest)):
            releases = crossed(ends[writer], ends[reader], Path(work, f"{writer}-{reader}"))
            click.echo(f"written by DuckDB {writer}, gone on with by {reader}: {releases} releases in one ledger")
    if keep:
        head = ["Python", "DuckDB", "sqlglot", "the others", "tests passed", "failed", "skipped"]
        words = ["scripts/faults versions", *["--quick"] * quick, *([f"--only '{only}'"] if only else [])]
        record("versions", " ".join(words), head, rows)
    sys.exit(1 if lost else 0)
