"""Functions take few parameters; how branched they may be is in the rules of ruff (C901)."""

from __future__ import annotations

import ast
import re

import pytest
from places import ROOT

MOST_PARAMETERS = 7
# What takes more, each with its reason.
WIDER: set[str] = {
    # The public API: each setting is a keyword of its own, as in 0.1.0.
    "api/running.py:anonymize",
    "api/compiling.py:compile",
    "api/compiling.py:dbt_model",
    "api/compiling.py:sqlmesh_model",
    "api/measuring.py:attack",
    "api/measuring.py:check",
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


def may_be_wide(text: str) -> bool:
    """Whether some function of a module has as many commas: the others need not be parsed."""
    return any(
        head[1].count(",") >= MOST_PARAMETERS
        for head in re.finditer(r"\bdef \w+\((.*?)\) *(?:->|:\n)", text, re.DOTALL)
    )


def functions() -> list[tuple[str, Function]]:
    """The functions of modules where one may take more, with file and name."""
    package = ROOT / "kanon_sql"
    return [
        (f"{path.relative_to(package)}:{node.name}", node)
        for path in sorted(package.rglob("*.py"))
        if may_be_wide(text := path.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, Function)
    ]


def parameters(function: Function) -> int:
    """Those that are named: of a method without itself, and without **options, which say their types elsewhere."""
    arguments = function.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return len([argument for argument in named if argument.arg not in ("self", "cls")])


@pytest.mark.few(1)
def test_functions_take_few_parameters() -> None:
    # An exception that is no longer needed is to be taken out.
    assert {name for name, function in functions() if parameters(function) > MOST_PARAMETERS} == WIDER
