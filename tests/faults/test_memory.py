"""Little memory, and runs that the system kills for theirs: see `scripts/faults memory`."""

from __future__ import annotations

import pytest
from effort import some
from trials import memory
from trials.memory import SEARCHES, Bounds, Place, Trial

from kanon_sql.errors import EngineError, LostEngineError, NoRoomError, VerificationError
from kanon_sql.release.verify import reading_again
from kanon_sql.sql.connection import EngineOptions, open_engine

ROWS, LIMIT = 100_000, "64MB"
BOUNDS = Bounds(LIMIT, time_limit=60)


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    folder = tmp_path_factory.mktemp("memory")
    memory.make_table(folder / "people.parquet", ROWS)
    return Place(folder, folder / "people.parquet")


@pytest.mark.slow
@pytest.mark.parametrize("entity", some([False, True], few=2))
@pytest.mark.parametrize("search", SEARCHES)
def test_searches_end_within_their_memory(place: Place, search: str, entity: bool) -> None:
    """Of a table whose rows are nearly all combinations of their own; or they say what they lack."""
    outcome = memory.tried(place, Trial(search, LIMIT, entity), BOUNDS)
    assert not outcome.lost


@pytest.mark.slow
@pytest.mark.parametrize("command", memory.COMMANDS)
def test_measures_end_within_their_memory(place: Place, command: str) -> None:
    outcome = memory.tried(place, Trial("optimal", LIMIT, command=command), BOUNDS)
    assert not outcome.lost


@pytest.mark.slow
@pytest.mark.parametrize("most", [90, 110, 130, 150])
def test_a_run_that_is_killed_for_its_memory_leaves_nothing_to_the_next(place: Place, most: int) -> None:
    outcome = memory.tried(place, Trial("optimal", LIMIT, share=0.5), BOUNDS, most=most * memory.MEGABYTE)
    assert outcome.run.killed
    assert not outcome.lost


def test_too_little_memory_is_no_wrong_release() -> None:
    with open_engine(EngineOptions(threads=1, memory_limit="1MB")) as engine:
        many = "SELECT count(*) FROM (SELECT DISTINCT hash(i) FROM range(1000000) AS row(i))"
        engine.run("SET temp_directory = ''")
        with pytest.raises(NoRoomError, match="raise --memory-limit"), reading_again():
            engine.run(many)
        with pytest.raises(VerificationError, match="cannot be read again"), reading_again():
            engine.run("SELECT * FROM nowhere")


def test_an_engine_that_was_lost_is_no_wrong_release() -> None:
    with pytest.raises(LostEngineError, match="the connection was lost"), reading_again():
        raise LostEngineError("Spark does not answer, or the connection was lost")


def test_memory_that_the_system_refuses_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    class Refusing:
        def execute(self, sql: str) -> None:
            raise MemoryError

    with open_engine(EngineOptions()) as engine, monkeypatch.context() as patch:
        patch.setattr(engine, "connection", Refusing())
        with pytest.raises(EngineError, match="raise --memory-limit"):
            engine.run("SELECT 1")
