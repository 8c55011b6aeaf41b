"""The public functions: docstrings name each parameter, what comes back and what is raised, and show what runs."""

from __future__ import annotations

import doctest
import inspect
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

import kanon_sql

EXAMPLES = Path(__file__).parents[2] / "examples"
FUNCTIONS = [name for name in kanon_sql.__all__ if inspect.isfunction(getattr(kanon_sql, name))]
SECTIONS = ["Args", "Returns", "Raises", "Examples"]


def sections(text: str) -> dict[str, str]:
    """The sections of a docstring by their headings."""
    parts = re.split(r"^(Args|Returns|Raises|Examples):$", inspect.cleandoc(text), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_parameter_is_described(name: str) -> None:
    function = getattr(kanon_sql, name)
    described = sections(function.__doc__)
    assert list(described) == SECTIONS
    assert re.findall(r"^    (\w+): ", described["Args"], re.MULTILINE) == list(inspect.signature(function).parameters)
    assert ">>> kanon_sql." in described["Examples"] or "= kanon_sql." in described["Examples"]


@pytest.mark.few(2)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_example_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(EXAMPLES / "adult", tmp_path / "examples" / "adult", ignore=shutil.ignore_patterns("release*"))
    shutil.copytree(EXAMPLES / "linking", tmp_path / "examples" / "linking")
    monkeypatch.chdir(tmp_path)
    globs: dict[str, Any] = {}
    lines: list[str] = []
    example = sections(getattr(kanon_sql, name).__doc__)["Examples"]
    test = doctest.DocTestParser().get_doctest(inspect.cleandoc(example) + "\n", globs, name, None, None)
    result = doctest.DocTestRunner().run(test, out=lines.append)
    assert result.attempted and not result.failed, "".join(lines)
