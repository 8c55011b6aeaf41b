"""No name and no parameter of the released Python API goes, unless CHANGELOG.md names it."""

from __future__ import annotations

import re

import pytest
from places import ROOT, TESTS

griffe = pytest.importorskip("griffe")

# The public names and signatures of version 0.1.0, by module; a release adds what is new.
SNAPSHOT = TESTS / "house" / "public_api.txt"
MODULES = dict(re.findall(r"^# module ([\w.]+)\n(.*?)(?=^# module|\Z)", SNAPSHOT.read_text(), re.MULTILINE | re.DOTALL))
# Texts of types and of defaults that have a name change without a change of what is meant.
HARMLESS = {"ReturnChangedTypeBreakage", "ParameterChangedDefaultBreakage", "AttributeChangedValueBreakage"}


def breakages(module: str, before: str) -> list[tuple[str, str]]:
    """The names of what is gone or called in another way, each with what griffe says of it."""
    extensions = griffe.load_extensions(griffe.UnpackTypedDictExtension)
    now = griffe.load("kanon_sql", search_paths=[ROOT], extensions=extensions, resolve_aliases=True)
    then = griffe.visit(module, SNAPSHOT, before)
    place = now[module.partition(".")[2]] if "." in module else now
    for name in place.members.keys() & then.members.keys():
        if place.members[name].is_alias:  # griffe compares nothing behind the name of another module
            place.members[name] = place.members[name].final_target
    breaking = [change for change in griffe.find_breaking_changes(then, place) if type(change).__name__ not in HARMLESS]
    return [(change.obj.name, change.explain(griffe.ExplanationStyle.ONE_LINE)) for change in breaking]


@pytest.mark.slow
@pytest.mark.parametrize("module", MODULES)
def test_no_name_or_parameter_is_gone(module: str) -> None:
    newest = re.split(r"^## ", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)[1]
    untold = [said for name, said in breakages(module, MODULES[module]) if f"`{name}`" not in newest]
    assert untold == []


@pytest.mark.slow
def test_what_is_gone_is_found() -> None:
    added = "def run(config, *, connection=None, gone=None): ...\ndef anonymized(): ...\n"
    changes = breakages("kanon_sql", added)
    assert [name for name, _ in changes] == ["run", "anonymized"]
