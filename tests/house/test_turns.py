"""What continuous integration tries by turns: all turns together leave nothing out, and each draws cases of its own."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from effort import Turn
from places import SCRIPTS, TESTS

PROPERTY = """
import os, pytest
from hypothesis import given, strategies as st

@given(st.integers())
def test_property(number):
    with open(os.environ["DRAWN"], "a") as file:
        print(number, file=file)

@pytest.mark.slow
@pytest.mark.parametrize("case", range(12))
def test_case(case):
    with open(os.environ["TRIED"], "a") as file:
        print(case, file=file)
"""


@pytest.mark.slow
def test_turns_try_each_slow_test_once_and_draw_other_examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "tests"
    folder.mkdir()
    (tmp_path / "pyproject.toml").write_text('[tool.pytest.ini_options]\nmarkers = ["slow: long", "oracle: files"]\n')
    (folder / "test_some.py").write_text(PROPERTY)
    (folder / "conftest.py").write_text(
        "from effort import pytest_addoption, pytest_collection_modifyitems, pytest_configure\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(TESTS / "support"))
    monkeypatch.setenv("TRIED", str(tmp_path / "tried"))

    def drawn(turn: str, *more: str) -> list[str]:
        place = tmp_path / f"drawn {len(list(tmp_path.iterdir()))}"
        monkeypatch.setenv("DRAWN", str(place))
        words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "--rest", "--turn", turn, *more, str(folder)]
        subprocess.run([sys.executable, *words], cwd=tmp_path, check=True, capture_output=True)
        return place.read_text().split()

    by_turn = [drawn(f"{number}/3") for number in (1, 2, 3)]
    assert sorted(map(int, (tmp_path / "tried").read_text().split())) == list(range(12))
    assert [len(numbers) for numbers in by_turn] == [34, 34, 34]
    assert len({tuple(numbers) for numbers in by_turn}) == 3
    assert drawn("2/3") == by_turn[1]
    for place in ("tests", "tests/test_some.py::test_case"):
        (tmp_path / "tried").unlink(missing_ok=True)
        drawn("1/3", "--turn", f"1/1:{place}")
        assert sorted(map(int, (tmp_path / "tried").read_text().split())) == list(range(12))
    (tmp_path / "tried").unlink()
    drawn("1/3", "--turn", "1/1:tests/test_some.py::test_property")
    assert 0 < len((tmp_path / "tried").read_text().split()) < 12


@pytest.mark.parametrize("text", ["5/4", "0/4", "4", "a/b", "/", "1/"])
def test_a_turn_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(pytest.UsageError, match="expected a part of parts"):
        Turn.parse(text)


@pytest.fixture(scope="module")
def changed() -> ModuleType:
    spec = importlib.util.spec_from_file_location("changed_script", SCRIPTS / "changed.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("path", "trials"),
    [
        ("README.md", []),
        ("kanon_sql/report/words.py", ["browser"]),
        ("kanon_sql/report/page/page.css", ["browser"]),
        ("kanon_sql/engines/spark/engine.py", ["cluster"]),
        ("kanon_sql/commands/projects/dbt.py", ["sqlmesh"]),
        ("kanon_sql/targets/staging.py", ["lake", "faults"]),
        ("queries/ledger/any.sql", ["faults"]),
        ("tests/faults/test_calls.py", ["faults"]),
        (".ci/run", ["cluster", "sqlmesh", "lake", "jobs", "browser", "faults"]),
    ],
)
def test_a_change_asks_for_the_trials_that_speak_of_it(changed: ModuleType, path: str, trials: list[str]) -> None:
    graph = pytest.importorskip("grimp").build_graph("kanon_sql", cache_dir=None)
    assert list(changed.asked_for([path], graph)) == trials


def test_trials_speak_of_what_is_there(changed: ModuleType) -> None:
    for trial in changed.TRIALS.values():
        assert all((changed.ROOT / path).exists() for path in trial.paths)
        for module in trial.modules:
            place = changed.ROOT / module.replace(".", "/")
            assert place.is_dir() or place.with_suffix(".py").is_file()


@pytest.mark.parametrize("mark", ["cluster", "sqlmesh", "lake", "jobs"])
def test_each_file_of_tests_asks_for_the_trial_of_its_marks(changed: ModuleType, mark: str) -> None:
    """They run in environments of their own: a file of which the trial knew nothing would not be run at all."""
    files = [path for path in TESTS.rglob("test_*.py") if re.search(rf"mark\.{mark}\b", path.read_text())]
    named = {path.relative_to(changed.ROOT).as_posix() for path in files} - {"tests/house/test_docs.py"}
    assert named and named <= set(changed.TRIALS[mark].paths)
    trials = (changed.ROOT / ".ci" / "run").read_text()
    assert f"grep -l 'mark\\.{mark}' tests/*/test_*.py" in trials or all(name in trials for name in named)


BEFORE = """
from a import b

LIMIT = 3

@pytest.fixture
def number():
    return LIMIT

def test_b():
    assert b()

def test_number(number):
    assert number

def test_other():
    total = 0
    for value in [1, 2]:
        total += value
    assert total
"""


def test_of_a_changed_module_the_tests_that_are_others_run_whole(
    changed: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(changed, "ROOT", tmp_path)
    for words in (["init", "-q"], ["config", "user.email", "a@b.example"], ["config", "user.name", "a"]):
        changed.git(*words)
    (tmp_path / "tests").mkdir()
    every = ["test_b", "test_number", "test_other"]
    after = {
        "same": (BEFORE.replace("from a", "from c").replace("def test_o", "@pytest.mark.slow\ndef test_o"), []),
        "renamed": (BEFORE.replace("total", "amount"), []),
        "swapped": (BEFORE.replace("total += value", "value += total"), ["test_other"]),
        "itself": (BEFORE.replace("assert b()", "assert not b()"), ["test_b"]),
        "named": (BEFORE.replace("LIMIT = 3", "LIMIT = 4"), ["test_number"]),
        "unasked": (BEFORE.replace("fixture", "fixture(autouse=True)"), every),
        "unnamed": (BEFORE + "\nregister()\n", every),
        "marked": (BEFORE.replace("def test_o", "@pytest.mark.parametrize('a', [1])\ndef test_o"), ["test_other"]),
    }
    for name in after:
        (tmp_path / "tests" / f"test_{name}.py").write_text(BEFORE)
    changed.git("add", ".")
    changed.git("commit", "-qm", "before")
    (tmp_path / "tests" / "more").mkdir()
    changed.git("mv", "tests/test_same.py", "tests/more/test_same.py")
    for name, (source, _) in after.items():
        (tmp_path / "tests" / ("more" if name == "same" else "") / f"test_{name}.py").write_text(source)
    (tmp_path / "tests" / "test_new.py").write_text("def test_new() -> None:\n    assert [] == []\n")
    changed.git("add", ".")
    changed.git("commit", "-qm", "after")
    others = {
        Path(path).stem.removeprefix("test_"): changed.changed_tests(path, before, "HEAD^")
        for path, before in changed.changed_since("HEAD^").items()
        if (tmp_path / path).exists()
    }
    assert others == {"new": ["test_new"]} | {name: names for name, (_, names) in after.items()}
