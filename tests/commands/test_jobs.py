"""What runs jobs: Dagster, Airflow, cron and pre-commit, with the files of examples/jobs that the page shows."""

from __future__ import annotations

import importlib
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml
from places import ROOT
from shared_engine import attached
from tables import write

EXAMPLES = ROOT / "examples" / "jobs"
PAGE = ROOT / "docs" / "howto" / "jobs.md"
SEVERAL = "CREATE TABLE t AS SELECT *, 'n' || row_number() OVER () AS name FROM '{source}'"


def needing(package: str) -> Callable[[Callable[..., None]], Any]:
    """A test that needs a package, which may be absent."""
    missing = pytest.mark.skipif(find_spec(package) is None, reason=f"No module named {package}: .[jobs], .[airflow]")

    def marked(test: Callable[..., None]) -> Any:
        return pytest.mark.jobs(missing(test))

    return marked


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the examples and with patients, in which the job runs."""
    shutil.copytree(EXAMPLES, tmp_path, dirs_exist_ok=True)
    write(tmp_path / "people.parquet")
    with attached() as connection:
        connection.execute(SEVERAL.format(source=tmp_path / "people.parquet"))
        connection.execute(f"COPY (SELECT * EXCLUDE (cost) FROM t) TO '{tmp_path}/patients.parquet'")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    return tmp_path


def ask(**more: Any) -> None:
    """Changes the configuration."""
    config = yaml.safe_load(Path("people.yaml").read_text())
    Path("people.yaml").write_text(yaml.safe_dump({**config, **more}))


@pytest.mark.parametrize("name", ["assets.py", "release_dag.py", "nightly.sh"])
def test_the_page_shows_the_files(name: str) -> None:
    assert f"```text\n{(EXAMPLES / name).read_text()}```" in PAGE.read_text()


def stand_in(folder: Path, *statuses: int) -> None:
    """A command kanon-sql that ends with these exit statuses, one after the other, and counts its calls."""
    (folder / "bin").mkdir()
    command = folder / "bin" / "kanon-sql"
    cases = "".join(f"    {call}) exit {status} ;;\n" for call, status in enumerate(statuses, 1))
    command.write_text(
        f'#!/bin/sh\nn=$(($(cat calls 2>/dev/null || echo 0) + 1))\necho $n > calls\necho "why: $n" >&2\n'
        f"case $n in\n{cases}esac\nexit 99\n"
    )
    command.chmod(command.stat().st_mode | stat.S_IXUSR)


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("statuses", "calls", "ends"),
    [((0,), 1, 0), ((1,), 1, 1), ((4,), 1, 4), ((3, 0), 2, 0), ((3, 130, 2), 3, 2), ((3, 3, 3), 3, 3)],
)
def test_cron_tries_again_what_may_succeed_later(
    folder: Path, statuses: tuple[int, ...], calls: int, ends: int
) -> None:
    stand_in(folder, *statuses)
    path = os.pathsep.join([str(folder / "bin"), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "BETWEEN": "0"}
    ended = subprocess.run(["./nightly.sh"], env=environment, capture_output=True, text=True, check=False)
    assert (ended.returncode, int(Path("calls").read_text())) == (ends, calls)


@needing("dagster")
@pytest.mark.filterwarnings("default")
def test_a_dagster_asset_with_its_check(folder: Path) -> None:
    import dagster as dg

    sys.modules.pop("assets", None)
    assets = importlib.import_module("assets")
    both = [assets.release, assets.is_what_was_asked_for]
    materialization = dg.materialize(both)
    (evaluation,) = materialization.get_asset_check_evaluations()
    assert materialization.success and evaluation.passed and evaluation.metadata["k"].value >= 5
    (materialized,) = materialization.asset_materializations_for_node("release")
    assert materialized.metadata["rows"].value >= 285
    before = Path("release.parquet").read_bytes()
    # What no second try can mend is not tried again.
    ask(privacy={"k": 301})
    failed = dg.materialize([assets.release], raise_on_error=False)
    assert not failed.success and Path("release.parquet").read_bytes() == before
    assert not [event for event in failed.all_events if event.event_type_value == "STEP_UP_FOR_RETRY"]
    # A table that another hand put there fails the check.
    ask(privacy={"k": 5})
    shutil.copy("patients.parquet", "release.parquet")
    checks = dg.AssetSelection.checks(assets.is_what_was_asked_for)
    (evaluation,) = dg.materialize(both, selection=checks, raise_on_error=False).get_asset_check_evaluations()
    assert not evaluation.passed


@needing("airflow")
@pytest.mark.filterwarnings("default")
def test_an_airflow_task_is_tried_again_where_that_helps(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW_HOME", str(folder / "airflow"))
    monkeypatch.setenv("AIRFLOW__CORE__LOAD_EXAMPLES", "False")
    sys.modules.pop("release_dag", None)
    from airflow.sdk.exceptions import AirflowFailException

    task = importlib.import_module("release_dag").people().get_task("release")
    assert task.retries == 2
    task.python_callable()
    assert Path("release.parquet").exists()
    before = Path("release.parquet").read_bytes()
    ask(privacy={"k": 301})
    with pytest.raises(AirflowFailException, match="no release satisfies k = 301"):
        task.python_callable()
    assert Path("release.parquet").read_bytes() == before
    stand_in(folder, 3, 130, 4)
    monkeypatch.setenv("PATH", os.pathsep.join([str(folder / "bin"), os.environ["PATH"]]))
    for call in (1, 2):
        with pytest.raises(RuntimeError, match=f"why: {call}"):
            task.python_callable()
    with pytest.raises(AirflowFailException, match="why: 3"):
        task.python_callable()


def git(place: Path, *words: str, status: int = 0) -> str:
    """Runs git in a repository of its own; what it printed."""
    who = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.org", "-c", "core.hooksPath=.git/hooks"]
    ended = subprocess.run(["git", *who, *words], cwd=place, capture_output=True, text=True, check=False)
    assert (ended.returncode != 0) == bool(status), ended.stdout + ended.stderr
    return ended.stdout + ended.stderr


@needing("pre_commit")
def test_pre_commit_refuses_a_table_that_is_not_what_was_asked_for(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRE_COMMIT_HOME", str(folder / "cache"))
    hooks = folder / "hooks"
    hooks.mkdir()
    shutil.copy(ROOT / ".pre-commit-hooks.yaml", hooks)
    git(hooks, "init", "--quiet")
    git(hooks, "add", ".")
    git(hooks, "commit", "--quiet", "-m", "hooks")
    place = folder / "work"
    place.mkdir()
    subprocess.run(["kanon-sql", "run", "people.yaml", "--quiet", "--report", "work/release.json"], check=True)
    shutil.copy("release.parquet", place)
    shutil.copy("people.yaml", place)
    # As the page has it, but for where the hook is: without a network it cannot make an environment.
    (said,) = [text for text in PAGE.read_text().split("```text\n") if text.startswith("repos:")]
    config = yaml.safe_load(said.split("```")[0])
    config["repos"][0].update(repo=str(hooks), rev=git(hooks, "rev-parse", "HEAD").strip())
    config["repos"][0]["hooks"][0]["language"] = "system"
    (place / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
    git(place, "init", "--quiet")
    subprocess.run([sys.executable, "-m", "pre_commit", "install"], cwd=place, check=True, capture_output=True)
    git(place, "add", ".")
    assert "Passed" in git(place, "commit", "-m", "a release")
    # Raw rows, a name in the release, other rows: each is refused, and what is not about the release is not looked at.
    with attached() as connection:
        connection.execute("CREATE TABLE released AS FROM 'release.parquet'")
        for rows, why in (
            ("FROM 'patients.parquet'", "VIOLATES"),
            ("SELECT *, 'n' AS name FROM released", "not released"),
            ("FROM released LIMIT 280", "VIOLATES"),
        ):
            connection.execute(f"COPY ({rows}) TO '{place}/release.parquet'")
            git(place, "add", ".")
            assert why in git(place, "commit", "-m", "refused", status=1)
    git(place, "checkout", "--quiet", "HEAD", "--", "release.parquet")
    (place / "notes.txt").write_text("of something else\n")
    git(place, "add", ".")
    assert "Skipped" in git(place, "commit", "-m", "notes")
    (place / "people.yaml").write_text((place / "people.yaml").read_text().replace("{k: 5}", "{k: 100}"))
    git(place, "add", ".")
    assert "VIOLATES" in git(place, "commit", "-m", "stricter", status=1)
