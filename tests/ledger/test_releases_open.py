"""Runs with a ledger that end at every step around the swap: what the ledger knows then, and what the next run does."""

from __future__ import annotations

import gzip
import os
import shutil
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from effort import some
from ledger_jobs import HEAD, configuration, entries, table
from places import TESTS
from table_files import write_csv

import kanon_sql
from kanon_sql.cli.main import cli
from kanon_sql.errors import EngineError, NoReleaseError, ReleasedError
from kanon_sql.ledger import ledger as ledgers
from kanon_sql.ledger.ledger import Ledger
from kanon_sql.sql.connection import Engine
from kanon_sql.targets import staging
from kanon_sql.targets.files import FileSink
from kanon_sql.targets.staging import Staged
from kanon_sql.targets.staging_permissions import flush_folder

OLD = TESTS / "ledger" / "ledger_0_1_0.duckdb.gz"
CONFLICTING = {"privacy": {"k": 150}}  # other classes of the same source: refused beside the first release
CHILD_DIED = 77


@pytest.fixture
def place(tmp_path: Path) -> Path:
    write_csv(tmp_path / "source.csv", [HEAD, *table()])
    return tmp_path


def dies_before(owner: Any, name: str, count: int = 1) -> Callable[[pytest.MonkeyPatch], None]:
    return lambda patch: patch.setattr(owner, name, _dying(getattr(owner, name), count, after=False))


def dies_after(owner: Any, name: str, count: int = 1) -> Callable[[pytest.MonkeyPatch], None]:
    return lambda patch: patch.setattr(owner, name, _dying(getattr(owner, name), count, after=True))


def _dying(real: Callable[..., Any], count: int, *, after: bool) -> Callable[..., Any]:
    called = []

    def wrapped(*words: Any, **named: Any) -> Any:
        called.append(1)
        if len(called) == count and not after:
            os._exit(CHILD_DIED)
        result = real(*words, **named)
        if len(called) == count:
            os._exit(CHILD_DIED)
        return result

    return wrapped


def killed(work: Callable[[], Any], how: Callable[[pytest.MonkeyPatch], None], patch: pytest.MonkeyPatch) -> None:
    """Does the work in a child that dies as kill -9 would, without cleaning up."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python 3.12 warns of threads, of which the child has none
        child = os.fork()
    if not child:
        try:
            how(patch)
            work()
        except BaseException as error:
            print(repr(error), file=sys.stderr)
        finally:
            os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == CHILD_DIED


# Each moment of a run from its verification to its end, and whether the release is in its place then.
MOMENTS: dict[str, tuple[Callable[[pytest.MonkeyPatch], None], bool]] = {
    "before the ledger is made": (dies_before(ledgers, "_make"), False),
    "while the ledger is made": (dies_before(ledgers, "_connected"), False),
    "before the ledger is moved": (dies_before(staging.Staged, "commit"), False),
    "before the intent": (dies_before(Ledger, "add"), False),
    "after the intent": (dies_after(Ledger, "add"), False),
    "before the swap": (dies_before(FileSink, "commit"), False),
    "in the swap": (dies_before(staging.Staged, "_move", 2), False),  # the first moves the ledger
    "after the move": (dies_after(staging.Staged, "_move", 2), True),
    "after the swap": (dies_after(FileSink, "commit"), True),
    "before the intent is closed": (dies_before(Ledger, "close"), True),
    "after the intent was closed": (dies_after(Ledger, "close"), True),
}


@pytest.mark.few(1)
@pytest.mark.parametrize("moment", some(list(MOMENTS), 4))
def test_a_first_run_that_is_killed(moment: str, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    how, in_place = MOMENTS[moment]
    first = configuration(place)
    conflicting = configuration(place, target=str(place / "other.csv"), **CONFLICTING)
    killed(lambda: kanon_sql.run(first), how, monkeypatch)
    assert (place / "release.csv").exists() == in_place
    if in_place:
        with pytest.raises(NoReleaseError, match="release 1 of the same source"):
            kanon_sql.run(conflicting)
        assert not (place / "other.csv").exists()
        assert [entry["state"] for entry in entries(place)] == ["released"]
    else:
        kanon_sql.run(conflicting)  # nothing was released, and nothing blocks
        assert [entry["target"] for entry in entries(place)] == [str(place / "other.csv")]
    leftovers = {path.name for path in place.iterdir()} - {"source.csv", "release.csv", "other.csv", "ledger.duckdb"}
    assert all("release.csv" in name for name in leftovers)  # those of the ledger are cleared
    assert (place / "ledger.duckdb").stat().st_mode & 0o777 == 0o600


@pytest.mark.slow
@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize("target", ["in-place", "released.parquet", "table"])
def test_a_later_run_that_is_killed(target: str, in_place: bool, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Targets of other kinds, and a ledger that has a release of another source."""
    write_csv(place / "else.csv", [HEAD, *table(300, seed=2)])
    kanon_sql.run(configuration(place, source=str(place / "else.csv"), target=str(place / "else-released.csv")))
    shutil.copy(place / "source.csv", place / "copy.csv")
    targets = {"in-place": "in-place", "table": {"database": str(place / "t.duckdb"), "table": "t"}}
    how = dies_before(Ledger, "close") if in_place else dies_after(Ledger, "add")
    killed(
        lambda: kanon_sql.run(configuration(place, target=targets.get(target, str(place / target)))), how, monkeypatch
    )
    assert [entry["state"] for entry in entries(place)] == ["released", "open"]
    conflicting = configuration(place, source=str(place / "copy.csv"), target=str(place / "other.csv"), **CONFLICTING)
    if in_place:
        with pytest.raises(NoReleaseError, match="release 2 of the same source"):
            kanon_sql.run(conflicting)
    else:
        kanon_sql.run(conflicting)
    assert [entry["state"] for entry in entries(place)] == ["released", "released"]
    assert (entries(place)[1]["target"] == str(place / "other.csv")) != in_place


@pytest.mark.slow
def test_what_cannot_be_told_counts_as_a_release(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = configuration(place)
    killed(lambda: kanon_sql.run(first), dies_before(Ledger, "close"), monkeypatch)
    (place / "release.csv").rename(place / "published.csv")  # or it was never there, as far as anybody can see
    conflicting = configuration(place, target=str(place / "other.csv"), **CONFLICTING)
    with pytest.raises(NoReleaseError, match="release 1 of the same source"):
        kanon_sql.run(conflicting)
    listed = CliRunner().invoke(cli, ["releases", "list", str(place / "ledger.duckdb")])
    assert "1 (open)" in listed.output and "it counts as one" in listed.output
    assert "  open  " in CliRunner().invoke(cli, ["releases", "show", str(place / "ledger.duckdb"), "1"]).output
    assert [entry["state"] for entry in entries(place)] == ["open"]
    (place / "published.csv").rename(place / "release.csv")
    with pytest.raises(NoReleaseError):
        kanon_sql.run(conflicting)
    assert [entry["state"] for entry in entries(place)] == ["released"]
    assert "(open)" not in CliRunner().invoke(cli, ["releases", "list", str(place / "ledger.duckdb")]).output


@pytest.mark.slow
def test_applied_levels_that_are_killed(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kanon_sql.run(configuration(place))
    write_csv(place / "more.csv", [HEAD, *table(400), *table(200, seed=3)])
    given: dict[str, Any] = {"ledger": place / "ledger.duckdb", "overrides": [("suppression.limit", "100%")]}
    for how, in_place in ((dies_after(Ledger, "add"), False), (dies_before(Ledger, "close", 2), True)):
        work = lambda: kanon_sql.apply(1, place / "more.csv", output=place / "two.csv", **given)  # noqa: E731
        killed(work, how, monkeypatch)
        assert (place / "two.csv").exists() == in_place
        assert [entry["state"] for entry in entries(place)] == ["released", "open"]
    result = kanon_sql.apply(1, place / "more.csv", output=place / "three.csv", **given)
    assert [earlier["release"] for earlier in result["earlier"]] == [1, 2]  # the second is there, and was looked at
    assert [entry["state"] for entry in entries(place)] == ["released"] * 3


@pytest.mark.slow
@pytest.mark.parametrize("step", ["add", "close"])
def test_a_disk_that_is_full(step: str, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Ledger._change

    def full(self: Ledger, name: str, values: Any) -> None:
        if name == step:
            raise EngineError("no space left")
        real(self, name, values)

    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "_change", full)
        if step == "add":
            with pytest.raises(EngineError, match="no space left"):
                kanon_sql.run(configuration(place))
            assert not (place / "release.csv").exists() and entries(place) == []
            return
        assert any("stays open in the ledger" in text for text in kanon_sql.run(configuration(place)).warnings)
    assert [entry["state"] for entry in entries(place)] == ["open"]
    with pytest.raises(NoReleaseError, match="release 1 of the same source"):
        kanon_sql.run(configuration(place, target=str(place / "other.csv"), **CONFLICTING))


@pytest.mark.slow
@pytest.mark.parametrize("target", ["released.csv", "in-place", "table"])
def test_a_disk_that_stays_full_blocks_no_later_release(
    target: str, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the target nor the ledger can be written any more: the next run finds that nothing was released."""
    targets = {"in-place": "in-place", "table": {"database": str(place / "t.duckdb"), "table": "t"}}
    config = configuration(place, target=targets.get(target, str(place / target)))
    change, move = Ledger._change, Staged._move

    def full(self: Ledger, name: str, values: Any) -> None:
        if name == "remove":
            raise EngineError("no space left")
        change(self, name, values)

    def full_too(self: Staged) -> None:
        if self.target.name != "ledger.duckdb":
            raise OSError(28, "No space left on device")
        move(self)

    before = (place / "source.csv").read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "_change", full)
        patch.setattr(Staged, "_move", full_too)
        with pytest.raises(EngineError, match="was not written"):
            kanon_sql.run(config)
    assert [entry["state"] for entry in entries(place)] == ["open"]
    assert (place / "source.csv").read_bytes() == before
    left = [file for part in place.glob(".*.part") for file in (part, *part.rglob("*")) if file.is_file()]
    assert len(left) == 1 and left[0].stat().st_size == 0
    kanon_sql.run(configuration(place, target=str(place / "other.csv"), **CONFLICTING))
    assert [entry["target"] for entry in entries(place)] == [str(place / "other.csv")]
    assert kanon_sql.run({**config, "releases": None}).report["status"] == "released"
    assert not list(place.glob(".*kanon-sql*"))


def test_a_disk_that_does_not_confirm_the_swap(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = flush_folder

    def fail(folder: Path) -> None:
        if (place / "release.csv").exists():
            raise OSError(5, "Input/output error")
        real(folder)

    monkeypatch.setattr("kanon_sql.targets.staging.flush_folder", fail)
    with pytest.raises(ReleasedError, match="was replaced, but the disk did not confirm") as ended:
        kanon_sql.run(configuration(place))
    assert ended.value.report and ended.value.report["status"] == "released" and ended.value.exit_status == 3
    assert [entry["state"] for entry in entries(place)] == ["released"]


def test_ledgers_of_version_0_1_0(place: Path) -> None:
    """One that the program wrote before releases could be open, with two releases of a source."""
    with gzip.open(OLD) as packed:
        (place / "ledger.duckdb").write_bytes(packed.read())
    (place / "ledger.duckdb").chmod(0o640)
    old = entries(place)
    assert [(entry["id"], entry["origin"], entry["built_on"], entry["state"]) for entry in old] == [
        (1, 1, None, "released"),
        (2, 1, 1, "released"),
    ]
    kanon_sql.run(configuration(place))
    assert entries(place)[:2] == old and entries(place)[2]["state"] == "released"
    assert (place / "ledger.duckdb").stat().st_mode & 0o777 == 0o640


def test_what_a_killed_first_run_of_version_0_1_0_left(place: Path) -> None:
    (place / "ledger.duckdb").touch(0o660)
    (place / "ledger.duckdb").chmod(0o660)
    (place / "ledger.duckdb.wal").write_bytes(b"torn")
    kanon_sql.run(configuration(place))
    assert len(entries(place)) == 1 and not (place / "ledger.duckdb.wal").exists()
    assert (place / "ledger.duckdb").stat().st_mode & 0o777 == 0o660


def test_a_ledger_is_private_from_the_first_byte(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, int] = {}

    real = Engine.run

    def looked(self: Engine, *words: Any) -> Any:
        result = real(self, *words)
        for path in place.iterdir():
            if "ledger" in path.name and not path.name.endswith(".lock"):
                seen[path.name] = seen.get(path.name, 0) | path.stat().st_mode & 0o777
        return result

    monkeypatch.setattr(Engine, "run", looked)
    before = os.umask(0o022)
    try:
        kanon_sql.run(configuration(place))
    finally:
        os.umask(before)
    assert any(name.endswith(".wal") for name in seen) and set(seen.values()) == {0o600}
    assert (place / "release.csv").stat().st_mode & 0o777 == 0o644
