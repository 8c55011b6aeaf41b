"""What is given to others: the container's recipe, the completion of shells, wheel and source archive."""

from __future__ import annotations

import email
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from places import ROOT

RECIPE = ROOT / "packaging" / "Containerfile"
# The one file that the top level got beside those that were there; everything else stands in a folder.
TOP_LEVEL = {
    ".gitignore", ".pre-commit-hooks.yaml", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "README.md", "SECURITY.md",
    "pyproject.toml",
}  # fmt: skip


def instructions() -> list[tuple[str, str]]:
    """The instructions of the recipe, in order, each with its words."""
    text = re.sub(r"^\s*#.*\n", "", RECIPE.read_text(encoding="utf-8"), flags=re.MULTILINE).replace("\\\n", " ")
    lines = [line.split(maxsplit=1) for line in text.splitlines() if line.strip()]
    return [(name, " ".join(words.split())) for name, words in lines]


def copied() -> list[str]:
    """What the recipe takes from the project."""
    return [
        source
        for name, words in instructions()
        if name == "COPY" and not words.startswith("--from")
        for source in words.split()[:-1]
    ]


def built(folder: Path, *kinds: str) -> list[Path]:
    """Archives of the project as it stands in a folder, made without asking for anything."""
    words = [sys.executable, "-m", "build", "--no-isolation", *kinds, "--outdir", str(folder / "dist"), str(folder)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return sorted((folder / "dist").iterdir())


def tree(target: Path, names: list[str]) -> Path:
    """A copy of some files and folders of the project."""
    target.mkdir()
    for name in names:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, target / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copyfile(ROOT / name, target / name)
    return target


def test_the_top_level_holds_what_it_should() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("not a checkout")
    listing = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert {name for name in listing.splitlines() if "/" not in name} == TOP_LEVEL


def test_the_container_is_no_superuser_and_its_base_is_pinned() -> None:
    steps = instructions()
    keywords = {"ARG", "FROM", "WORKDIR", "COPY", "RUN", "ENV", "USER", "ENTRYPOINT", "CMD"}
    assert {name for name, _ in steps} <= keywords
    assert re.fullmatch(r"PYTHON=[\w./]+/python:\d+\.\d+\.\d+-slim-\w+", steps[0][1])
    stages = [words for name, words in steps if name == "FROM"]
    assert all(words.startswith("${PYTHON}") for words in stages)
    last = steps[[name for name, _ in steps].index("FROM", 2) + 1 :] if len(stages) == 2 else []
    assert [words for name, words in last if name == "USER"] == ["10001:10001"]
    assert not [name for name, _ in last if name == "RUN"]


@pytest.mark.slow
def test_the_container_holds_all_that_a_wheel_is_made_of(tmp_path: Path) -> None:
    (wheel,) = built(tree(tmp_path / "build", copied()), "--wheel")
    (whole,) = built(tree(tmp_path / "whole", [*copied(), "docs", "tests"]), "--wheel")
    assert zipfile.ZipFile(wheel).namelist() == zipfile.ZipFile(whole).namelist()


@pytest.mark.slow
def test_wheel_and_source_archive_hold_what_they_should(tmp_path: Path) -> None:
    names = sorted({*copied(), *TOP_LEVEL, "docs", "tests", "examples", "benchmarks", "scripts", "packaging"})
    wheel, archive = sorted(built(tree(tmp_path / "all", names)), key=lambda path: path.suffix != ".whl")
    inside = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in inside} == {"kanon_sql", "kanon_sql-0.2.0.dist-info"}
    for folder in ("queries", "hierarchies"):
        here = {str(path.relative_to(ROOT)) for path in (ROOT / folder).rglob("*.*") if path.is_file()}
        assert {f"kanon_sql/{name}" for name in here} <= set(inside)
    for kind in ("*.j2", "*.css", "*.js"):  # of pages
        assert {str(path.relative_to(ROOT)) for path in (ROOT / "kanon_sql").rglob(kind)} <= set(inside)
    metadata = email.message_from_bytes(zipfile.ZipFile(wheel).read("kanon_sql-0.2.0.dist-info/METADATA"))
    assert metadata["Description-Content-Type"] == "text/markdown" and metadata["License-Expression"] == "Apache-2.0"
    with tarfile.open(archive) as held:
        files = {name.partition("/")[2] for name in held.getnames()}
    for name in ("SECURITY.md", "packaging/Containerfile", "docs/mkdocs.yml", "tests/conftest.py", "pyproject.toml"):
        assert name in files
    assert not [name for name in files if "__pycache__" in name or name.endswith(".pyc")]


@pytest.mark.few(1)
@pytest.mark.parametrize(("shell", "start"), [("bash", "complete"), ("zsh", "#compdef"), ("fish", "function")])
def test_completion_is_printed_and_completes(shell: str, start: str) -> None:
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    assert f"_KANON_SQL_COMPLETE={shell}_source kanon-sql" in page

    def completion(**more: str) -> str:
        program = "import sys; sys.argv[0] = 'kanon-sql'; from kanon_sql.__main__ import main; main()"
        words = [sys.executable, "-c", program]
        environment = {**os.environ, **more}
        return subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stdout

    assert start in completion(_KANON_SQL_COMPLETE=f"{shell}_source")
    line = {"COMP_WORDS": "kanon-sql la", "COMP_CWORD": "la" if shell == "fish" else "1"}
    assert "lattice" in completion(_KANON_SQL_COMPLETE=f"{shell}_complete", **line)
