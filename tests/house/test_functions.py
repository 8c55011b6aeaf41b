"""Functions fit a screen and take few parameters."""

from __future__ import annotations

import ast
from functools import cache

import pytest
from places import ROOT

MOST_LINES, MOST_PARAMETERS = 50, 7
# What is longer or takes more, each with its reason.
LONGER: set[str] = {"api/running.py:anonymize"}  # its keywords, and what each means
WIDER: set[str] = {
    # The public API: each setting is a keyword of its own, as in 0.1.0.
    "api/running.py:anonymize",
    "api/compiling.py:compile",
    "api/compiling.py:dbt_model",
    "api/compiling.py:sqlmesh_model",
    "api/measuring.py:attack",
    "api/measuring.py:link",
    "api/measuring.py:risk",
    "api/measuring.py:utility",
    "api/measuring.py:sweep",
    "api/proposing.py:init",
    "api/releases.py:apply",
    "api/releases.py:check_releases",
    "api/releases.py:report_release",
    "api/running.py:run",
}

Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def functions() -> list[tuple[str, Function]]:
    """Every function of the package, with its file and name."""
    package = ROOT / "kanon_sql"
    return [
        (f"{path.relative_to(package)}:{node.name}", node)
        for path in sorted(package.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, Function)
    ]


def lines(function: Function) -> int:
    """From its name to its end."""
    assert function.end_lineno
    return function.end_lineno - function.lineno + 1


def parameters(function: Function) -> int:
    """Those that are named: of a method without itself, and without **options, which say their types elsewhere."""
    arguments = function.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return len([one for one in named if one.arg not in ("self", "cls")])


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("measured", "most", "exceptions"), [(lines, MOST_LINES, LONGER), (parameters, MOST_PARAMETERS, WIDER)]
)
def test_functions_are_small(measured: object, most: int, exceptions: set[str]) -> None:
    assert callable(measured)
    # An exception that is no longer needed is to be taken out.
    assert {name for name, function in functions() if measured(function) > most} == exceptions
