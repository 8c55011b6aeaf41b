"""Docstrings name each parameter, what comes back and what is raised, and show what runs.

Those of the public functions, and of the base classes that a stranger implements.
"""

from __future__ import annotations

import doctest
import inspect
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import kanon_sql
from kanon_sql.engines.job import ConfiguredJob, Job, RemoteJob
from kanon_sql.engines.remote import Remote
from kanon_sql.privacy.base import PrivacyModel
from kanon_sql.source.formats.base import FileFormat, Writer
from kanon_sql.source.treatments.treatment import Treatment

EXAMPLES = Path(__file__).parents[2] / "examples"
FUNCTIONS = [name for name in kanon_sql.__all__ if inspect.isfunction(getattr(kanon_sql, name))]
SECTIONS = ["Args", "Returns", "Raises", "Examples"]
BASES: list[type] = [PrivacyModel, Treatment, FileFormat, Remote]
IMPLEMENTED: list[type] = [*BASES, Writer, Job, ConfiguredJob, RemoteJob]


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


@pytest.mark.few(1)
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


def base_methods() -> Iterator[tuple[type, str, Callable[..., Any]]]:
    """The methods of the base classes that a subclass must implement, with their classes."""
    for base in IMPLEMENTED:
        for name in sorted(getattr(base, "__abstractmethods__", ())):
            yield base, name, inspect.getattr_static(base, name)


@pytest.mark.parametrize(
    ("base", "name", "method"), [pytest.param(*given, id=f"{given[0].__name__}.{given[1]}") for given in base_methods()]
)
def test_what_a_subclass_implements_is_described(base: type, name: str, method: Callable[..., Any]) -> None:
    if not inspect.isfunction(method):  # a property
        assert inspect.getdoc(method), f"{base.__name__}.{name}"
        return
    parameters = [parameter for parameter in inspect.signature(method).parameters if parameter != "self"]
    text = inspect.getdoc(method) or ""
    assert text, f"{base.__name__}.{name} says nothing"
    if len(parameters) > 1:
        assert [part for part in parameters if f"    {part}: " not in text] == []


@pytest.mark.parametrize("base", BASES)
def test_the_example_of_a_base_class_runs(base: type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines: list[str] = []
    test = doctest.DocTestParser().get_doctest(inspect.getdoc(base) or "", {}, base.__name__, None, None)
    result = doctest.DocTestRunner().run(test, out=lines.append)
    assert result.attempted and not result.failed, "".join(lines)
