"""A real dbt for tests, and empty projects for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from places import ROOT

from kanon_sql.dbt import package_folder

DBT = shutil.which("dbt", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]))


def real_dbt(test: Callable[..., None]) -> Any:
    """A test that runs dbt, where it is installed."""
    missing = pytest.mark.skipif(DBT is None, reason="dbt is not installed: pip install 'kanon-sql[dbt]'")
    return pytest.mark.dbt(missing(test))


def environment() -> dict[str, str]:
    """The environment of a project of these tests."""
    return {
        **os.environ,
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]),
        "KANON_SQL_DBT": str(package_folder()),
        "DBT_PROFILES_DIR": ".",
        "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
        "DO_NOT_TRACK": "1",
    }


def dbt(folder: Path, *words: str, status: int = 0, quiet: bool = True) -> str:
    """Runs dbt in a project, and expects this exit status; its standard output."""
    assert DBT is not None
    options = ["--quiet"] if quiet else []
    ended = subprocess.run(
        [DBT, *words, *options, "--no-use-colors"] if words[0] != "deps" else [DBT, "deps", "--quiet"],
        cwd=folder,
        check=False,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ended.returncode == status, ended.stdout + ended.stderr
    return ended.stdout


def project(folder: Path) -> Path:
    """An empty dbt project over a database of its own."""
    folder.mkdir()
    for name in ("dbt_project.yml", "profiles.yml", "packages.yml"):
        shutil.copy(ROOT / "examples" / "dbt" / name, folder)
    (folder / "models").mkdir()
    return folder
