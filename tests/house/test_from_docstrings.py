"""What a stranger writes from a docstring alone works: the classes of the examples, registered and run."""

from __future__ import annotations

import doctest
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic.fields import FieldInfo

import kanon_sql
from kanon_sql.config.model import Config
from kanon_sql.privacy.base import PrivacyModel
from kanon_sql.privacy.registry import registered
from kanon_sql.settings.formats import FORMATS, Format
from kanon_sql.settings.treatments import TreatmentConfig
from kanon_sql.source.formats.base import FileFormat
from kanon_sql.source.formats.registry import FILE_FORMATS
from kanon_sql.source.treatments import registry
from kanon_sql.source.treatments.treatment import Treatment
from kanon_sql.sql import template

PEOPLE = [
    ("21", "Ada", "flu"),
    ("22", "Bob", "flu"),
    ("23", "Cem", "flu"),
    ("24", "Dua", "cold"),
    ("31", "Eva", "cold"),
]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with a table as CSV and between bars."""
    monkeypatch.chdir(tmp_path)
    for name, mark in (("people.csv", ","), ("people.psv", "|")):
        lines = [mark.join(row) for row in [("age", "name", "diagnosis"), *PEOPLE]]
        (tmp_path / name).write_text("\n".join([*lines, ""]), encoding="utf-8")
    return tmp_path


def classes_of(base: type) -> dict[str, Any]:
    """What the example in the docstring of a base class defines."""
    names: dict[str, Any] = {}
    test = doctest.DocTestParser().get_doctest(inspect.getdoc(base) or "", names, base.__name__, None, None)
    assert not doctest.DocTestRunner().run(test, clear_globs=False).failed
    return test.globs


def configuration(**parts: Any) -> dict[str, Any]:
    return {
        "source": "people.csv",
        "quasi_identifiers": {"age": {"builtin": "intervals", "widths": [10]}},
        "sensitive": ["diagnosis"],
        "insensitive": ["name"],
        "accept": ["name"],
        "suppression": {"limit": "50%"},
        "privacy": {"k": 2},
        **parts,
    }


def test_a_format(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    piped = classes_of(FileFormat)["Piped"]("piped")
    monkeypatch.setitem(FORMATS, "piped", Format("Piped", (".psv",), ("gzip",), only_texts=True))
    monkeypatch.setitem(FILE_FORMATS, "piped", piped)
    (place / "people.psv").write_text("age|name|diagnosis\n" + "".join(f"{'|'.join(row)}\n" for row in PEOPLE))
    result = kanon_sql.run(configuration(source="people.psv", target="out.psv"))
    assert result.report["verification"] == {"compared": "rows", "columns": 3}
    lines = (place / "out.psv").read_text(encoding="utf-8").splitlines()
    assert (lines[0], sorted(lines[1:])[0]) == ("age|name|diagnosis", "20-29|Ada|flu")
    assert kanon_sql.check(configuration(source="people.psv"), "out.psv")["status"] == "satisfied"


@pytest.fixture
def upper(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Treatment]]:
    """The treatment of the docstring, with its key in the configuration."""
    treatment = classes_of(Treatment)["Upper"]
    monkeypatch.setattr(registry, "TREATMENTS", (*registry.TREATMENTS, treatment()))
    monkeypatch.setitem(
        TreatmentConfig.__pydantic_fields__,
        "upper",
        FieldInfo(annotation=bool | None, default=None, description="capitals"),
    )
    TreatmentConfig.model_rebuild(force=True)
    Config.model_rebuild(force=True)
    yield treatment
    monkeypatch.undo()
    TreatmentConfig.model_rebuild(force=True)
    Config.model_rebuild(force=True)


def test_a_treatment(place: Path, upper: type[Treatment], monkeypatch: pytest.MonkeyPatch) -> None:
    result = kanon_sql.run(configuration(target="out.csv", transform={"name": {"upper": True}}))
    rows = sorted((place / "out.csv").read_text(encoding="utf-8").splitlines()[1:])
    assert rows == ["20-29,ADA,flu", "20-29,BOB,flu", "20-29,CEM,flu", "20-29,DUA,cold"]
    assert result.report["treatments"] == {"name": {"upper": {"upper": True}}}


def test_a_model(place: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    model = classes_of(PrivacyModel)["NotTooFrequent"]
    blocks = re.findall(r"(?:^ {8}.+\n?)+", inspect.getdoc(PrivacyModel) or "", re.MULTILINE)
    violates, measure = (text for text in blocks if text.lstrip().startswith("SELECT"))
    queries = tmp_path_factory.mktemp("queries")
    for path in template.queries_folder().iterdir():
        if path.name != "privacy":
            (queries / path.name).symlink_to(path)
    (queries / "privacy" / model.key).mkdir(parents=True)
    for path in (template.queries_folder() / "privacy").iterdir():
        (queries / "privacy" / path.name).symlink_to(path)
    for name, text in (("violates", violates), ("measure", measure)):
        (queries / "privacy" / model.key / f"{name}.sql").write_text(text, encoding="utf-8")
    monkeypatch.setattr(template, "queries_folder", lambda: queries)
    privacy = {"k": 2, model.key: {"column": "diagnosis", "share": 0.6}}
    try:
        with registered(model):
            Config.model_rebuild(force=True)
            result = kanon_sql.run(configuration(target="out.csv", privacy=privacy))
            checked = kanon_sql.check(configuration(privacy=privacy), "out.csv")
    finally:
        Config.model_rebuild(force=True)
    assert (result.levels, result.released) == ({"age": 2}, 5)  # 3 of 4 in their twenties have the flu
    assert checked["status"] == "satisfied"
