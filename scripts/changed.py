"""Says which long trials a change asks for: `python scripts/changed.py [--base REV]`.

A trial is asked for where something it speaks of changed since REV: a file of its own, a module of its rooms or one
that these import, or what every trial stands on. REV is the last commit that is six hours older than HEAD, so that
commits which land together are looked at together. Prints a line each: `trial NAME`, and `test FILE::NAME` for tests
that changed themselves, in more than their imports and their place, or that name what changed beside them. `.ci/run`
reads it; `.ci/nightly` runs all trials whatever changed.
"""

from __future__ import annotations

import argparse
import ast
import copy
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import grimp

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "kanon_sql"
# What every trial stands on.
GROUND = (".ci/", "pyproject.toml", "tests/support/effort.py", "scripts/changed.py")
LANDING = 7 * 1800  # seconds
# The name under which statements stand that every test of a module rests on.
EVERYWHERE = "*"


@dataclass(frozen=True)
class Trial:
    """`modules` it speaks of, packages with all that they hold, and paths of files of its own."""

    modules: tuple[str, ...]
    paths: tuple[str, ...]


TRIALS = {
    "cluster": Trial(
        (f"{PACKAGE}.engines.spark", f"{PACKAGE}.engines.remote", f"{PACKAGE}.sql.dialects"),
        (
            "scripts/spark-cluster",
            "scripts/metastore.py",
            "scripts/engine_process.py",
            "tests/engines/test_engine_cluster.py",
            "tests/faults/test_clusters.py",
            "tests/support/trials/spark.py",
        ),
    ),
    "sqlmesh": Trial(
        (f"{PACKAGE}.commands.projects", f"{PACKAGE}.sql.dialects"),
        ("tests/commands/test_sqlmesh.py", "tests/support/dbt_projects.py", "docs/sqlmesh.md"),
    ),
    "lake": Trial(
        (
            f"{PACKAGE}.targets",
            f"{PACKAGE}.source.lake",
            f"{PACKAGE}.source.folder_tables",
            f"{PACKAGE}.source.sqlite",
            f"{PACKAGE}.source.opening",
            f"{PACKAGE}.sql.extensions",
        ),
        (
            "tests/targets/test_lake.py",
            "tests/targets/test_new_rows.py",
            "tests/faults/test_lakes_killed.py",
            "tests/support/trials/lake.py",
            "tests/targets/test_buckets.py",
            "tests/source/test_folder_tables.py",
            "tests/source/test_sqlite.py",
            "tests/targets/test_sqlite_target.py",
            "tests/dbt/test_dbt_plugin.py",
            "tests/support/lakes.py",
            "tests/support/lake_tables.py",
            "tests/support/buckets.py",
            "docs/howto/lake.md",
            f"{PACKAGE}/dbt/plugin.py",
        ),
    ),
    "jobs": Trial(
        (f"{PACKAGE}.commands.check", f"{PACKAGE}.cli.measuring"),
        ("tests/commands/test_jobs.py", "examples/jobs/", "docs/howto/jobs.md", ".pre-commit-hooks.yaml"),
    ),
    "browser": Trial(
        (f"{PACKAGE}.report.page", f"{PACKAGE}.report.charts"),
        ("scripts/chromium", "tests/report/test_browser.py", "tests/support/browsing.py", f"{PACKAGE}/report/page/"),
    ),
    "faults": Trial(
        (f"{PACKAGE}.targets", f"{PACKAGE}.ledger", f"{PACKAGE}.sql", f"{PACKAGE}.engines.job"),
        ("scripts/faults", "tests/faults/", "tests/support/trials/"),
    ),
}


def git(*words: str) -> str:
    """What git prints on standard output. Raises CalledProcessError."""
    return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout


def changed_since(base: str | None) -> dict[str, str | None]:
    """Paths that differ between `base` and HEAD, with their path at `base`; without a base every file that git tracks.

    A file that is new has none. Both paths of a moved file are there.
    """
    if base is None:
        return dict.fromkeys(git("ls-files").splitlines())
    paths: dict[str, str | None] = {}
    for line in git("diff", "--name-status", "--find-renames", base, "HEAD").splitlines():
        status, before, *after = line.split("\t")
        paths[before] = None if status == "A" else before
        if after:
            paths[after[0]] = before
    return paths


def changed_tests(path: str, before: str | None, base: str | None) -> list[str]:
    """The tests of a module that are others than at `base`, where it stood at `before`.

    A test is another where it says something else, its imports, the marks that say when it runs and the names that it
    gives to what it binds itself aside, or names something of its module that does, a fixture for instance.
    """
    now = _named_statements((ROOT / path).read_text(encoding="utf-8"))
    earlier = {} if base is None or before is None else _named_statements(git("show", f"{base}:{before}"))
    changed = {name for name, (text, _) in now.items() if name not in earlier or earlier[name][0] != text}
    while more := {name for name, (_, names) in now.items() if name not in changed and names & changed}:
        changed |= more
    return sorted(name for name in changed if name.startswith(("test", "Test")))


def _named_statements(source: str) -> dict[str, tuple[str, frozenset[str]]]:
    """Of each name that a module binds: the syntax trees that bind it, and the names that these read.

    What binds no name, and fixtures that every test uses unasked, count as part of every test.
    """
    trees: dict[str, list[ast.stmt]] = {}
    for statement in _without_imports(ast.parse(source)).body:
        for name in _bound(statement):
            trees.setdefault(name, []).append(statement)
    return {name: (" ".join(map(_dumped, parts)), _read(parts)) for name, parts in trees.items()}


def _dumped(statement: ast.stmt) -> str:
    """The syntax tree of a statement as text, in which the names that a function binds are numbers in their order."""
    if not isinstance(statement, ast.FunctionDef):
        return ast.dump(statement)
    given = {argument.arg for argument in ast.walk(statement.args) if isinstance(argument, ast.arg)}
    # Arguments of tests and fixtures are asked for by their names.
    kept = given if statement.decorator_list or statement.name.startswith("test") else set()
    bound = {
        *(node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)),
        *(node.arg for node in ast.walk(statement) if isinstance(node, ast.arg)),
    }
    renamed = copy.deepcopy(statement)
    numbers: dict[str, str] = {}
    for node in ast.walk(renamed):
        key = "id" if isinstance(node, ast.Name) else "arg" if isinstance(node, ast.arg) else None
        if key is not None and (name := getattr(node, key)) in bound - kept:
            setattr(node, key, numbers.setdefault(name, str(len(numbers))))
    return ast.dump(renamed)


def _bound(statement: ast.stmt) -> set[str]:
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return {
            EVERYWHERE if any("autouse" in ast.unparse(mark) for mark in statement.decorator_list) else statement.name
        }
    written = {
        node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    return written or {EVERYWHERE}


def _read(statements: Iterable[ast.stmt]) -> frozenset[str]:
    nodes = [node for statement in statements for node in ast.walk(statement)]
    return frozenset(
        {node.id for node in nodes if isinstance(node, ast.Name)}
        | {node.arg for node in nodes if isinstance(node, ast.arg)}
        | {text for node in nodes if isinstance(node, ast.Constant) and isinstance(text := node.value, str)}
        | {EVERYWHERE}
    )


def _without_imports(tree: ast.Module) -> ast.Module:
    """A module without its imports, and without the marks that say when a test runs."""
    for node in ast.walk(tree):
        if isinstance(body := getattr(node, "body", None), list):
            node.body = [part for part in body if not isinstance(part, ast.Import | ast.ImportFrom)]  # type: ignore[attr-defined]
        if isinstance(node, ast.FunctionDef):
            node.decorator_list = [mark for mark in node.decorator_list if not _says_when(mark)]
    return tree


def _says_when(decorator: ast.expr) -> bool:
    return ast.unparse(decorator).startswith(("pytest.mark.slow", "pytest.mark.few"))


def landed_before() -> str | None:
    """The last commit that is at least three and a half hours older than HEAD; None where there is none."""
    when = int(git("show", "-s", "--format=%ct", "HEAD"))
    return git("rev-list", "-1", f"--before={when - LANDING}", "HEAD").strip() or None


def modules_of(trial: Trial, graph: grimp.ImportGraph) -> set[str]:
    """The modules that a trial speaks of, those that they import, and their rooms, of which queries are."""
    named = {
        module
        for module in graph.modules
        if any(module == package or module.startswith(f"{package}.") for package in trial.modules)
    }
    rooms = {".".join(package.split(".")[:2]) for package in trial.modules}
    return named.union(rooms, *(graph.find_modules_directly_imported_by(module) for module in named))


def module_of(path: str) -> str | None:
    """The module that a file is, such as `kanon_sql.sql.disk`; of a query the room that reads it; None of others."""
    parts = PurePosixPath(path).parts
    if parts[0] == "queries" and len(parts) > 2:
        return f"{PACKAGE}.{parts[1]}"
    if parts[0] != PACKAGE or not path.endswith(".py"):
        return None
    return ".".join((*parts[:-1], parts[-1].removesuffix(".py"))).removesuffix(".__init__")


def asked_for(paths: Iterable[str], graph: grimp.ImportGraph) -> Iterator[str]:
    """The names of trials that a change of files at `paths` asks for."""
    changed = list(paths)
    modules = {module for path in changed if (module := module_of(path))}
    for name, trial in TRIALS.items():
        own = (*GROUND, *trial.paths)
        if any(path.startswith(own) for path in changed) or modules & modules_of(trial, graph):
            yield name


def main() -> None:
    """Prints what HEAD asks for."""
    parser = argparse.ArgumentParser(description="Says which long trials a change asks for.")
    parser.add_argument(
        "--base", metavar="REV", help="the commit to compare HEAD with (default: three and a half hours before HEAD)"
    )
    base = parser.parse_args().base or landed_before()
    paths = changed_since(base)
    for name in asked_for(paths, grimp.build_graph(PACKAGE, cache_dir=None)):
        print("trial", name)
    for path, before in paths.items():
        place = ROOT / path
        if place.match("tests/**/test_*.py") and place.exists():
            for name in changed_tests(path, before, base):
                print("test", f"{path}::{name}")


if __name__ == "__main__":
    main()
