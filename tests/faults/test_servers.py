"""Signals, runs at once and readers on a table of PostgreSQL: see `scripts/faults servers`."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest
from servers import missing_postgres
from trials import servers
from trials.interrupts import SIGNALS
from trials.servers import Server

pytestmark = [pytest.mark.engine, pytest.mark.slow]
KINDS = (3, 9)


@pytest.fixture(scope="module")
def here() -> Iterator[Server]:
    if missing_postgres():
        pytest.skip(str(missing_postgres()))
    with servers.server(20_000, KINDS) as started:
        yield started


@pytest.mark.parametrize(("part", "number"), list(zip((0.6, 0.8, 0.9, 0.95), [*SIGNALS, SIGNALS[0]], strict=True)))
def test_a_signal_leaves_the_old_table_or_the_new_one(here: Server, part: float, number: int) -> None:
    kind, _, wrong = servers.interrupted(here, here.lasts * part, number, KINDS[0])
    assert not [fault for fault in wrong if not fault.startswith("took")]
    assert kind in ("nothing changed", "after the release", "ended before")


def test_runs_at_once_leave_the_table_of_one(here: Server) -> None:
    ends, wrong = servers.at_once(here, 4, random.Random(1))
    assert not wrong
    assert ends["released"]


def test_a_reader_sees_one_release(here: Server) -> None:
    looked, wrong = servers.read(here, 3)
    assert not wrong
    assert looked


def test_a_table_that_no_run_has_made_is_told(here: Server) -> None:
    without = replace(here, releases={KINDS[1]: (0, 0, 0)})
    assert any("a reader saw" in fault for fault in servers.read(without, 1)[1])
    assert any(
        "the table holds" in fault for fault in servers.interrupted(without, 3 * here.lasts, SIGNALS[0], KINDS[1])[2]
    )
