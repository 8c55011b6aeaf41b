"""The rooms: what stands on the top level, who may import whom, and that queries and tests have the same rooms."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from places import ROOT, TESTS

PACKAGE = ROOT / "kanon_sql"
# Above all rooms, and below them.
LOOSE = {"__init__.py", "__main__.py", "errors.py", "progress.py"}
MOST_ROOMS = 20


def layers() -> list[str]:
    """The layers of pyproject.toml, top to bottom."""
    listed = re.search(r"^layers = \[\n(.*?)^\]", (ROOT / "pyproject.toml").read_text(), re.MULTILINE | re.DOTALL)
    assert listed
    return re.findall(r'"(\w+)"', listed[1])


def folders(path: Path) -> set[str]:
    return {subfolder.name for subfolder in path.iterdir() if subfolder.is_dir() and subfolder.name != "__pycache__"}


ROOMS = {name for name in layers() if f"{name}.py" not in LOOSE}


def test_the_package_holds_rooms_and_no_loose_modules() -> None:
    assert {path.name for path in PACKAGE.glob("*.py")} == LOOSE
    assert folders(PACKAGE) == ROOMS
    assert len(ROOMS) <= MOST_ROOMS
    for room in ROOMS:
        assert (PACKAGE / room / "__init__.py").is_file()


def test_every_import_goes_down(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The contracts of pyproject.toml, as `lint-imports` checks them."""
    linter = pytest.importorskip("importlinter.cli")
    monkeypatch.chdir(ROOT)
    monkeypatch.syspath_prepend(str(ROOT))
    status = linter.lint_imports(config_filename="pyproject.toml", no_cache=True, no_logo=True)
    assert status == 0, capsys.readouterr().out


def test_queries_and_tests_have_the_rooms_of_the_package() -> None:
    """A room without statements, or without tests of its own, has no folder."""
    assert folders(ROOT / "queries") <= ROOMS
    assert folders(TESTS) <= ROOMS | {"faults", "house", "support"}
    assert {path.name for path in TESTS.glob("*.py")} == {"conftest.py"}
    assert not list((ROOT / "queries").glob("*.sql"))


def test_a_query_is_read_in_its_room_or_in_one_above() -> None:
    above = layers()
    for path in sorted(PACKAGE.rglob("*.py")):
        room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        for name in re.findall(r'"(\w+)/[\w/]+"', path.read_text(encoding="utf-8")):
            if name in ROOMS and (ROOT / "queries" / name).is_dir() and room in above:
                assert above.index(room) <= above.index(name), f"{path.name} reads a query of {name}"


def test_no_test_imports_another() -> None:
    """What tests share stands in tests/support, which is all that they find beside the package."""
    support = {path.stem for path in (TESTS / "support").glob("*.py")}
    for path in sorted(TESTS.rglob("*.py")):
        for name in re.findall(r"^\s*(?:from|import) (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE):
            assert name != "conftest" and not name.startswith("test_"), path
    assert not {name for name in support if name.startswith("test_")}
