"""The end of time interrupts the statement that runs; the end of counted work does not."""

from __future__ import annotations

import pytest

from kanon_sql.sql.connection import EngineOptions, open_engine
from kanon_sql.sql.deadline import Deadline, TimeUpError, Work

LONG = "SELECT count(*) FROM range(8000) AS a, range(8000) AS b WHERE (a.range * b.range) % 7 = 3"


@pytest.mark.slow
def test_work_that_is_done_interrupts_no_statement() -> None:
    with open_engine(EngineOptions(threads=1)) as engine:
        with pytest.raises(TimeUpError), engine.until(Deadline(0.05)):
            engine.run(LONG)
        with engine.until(Work(0.0)):
            assert engine.run(LONG)


def test_work_interrupts_where_it_is_stopped() -> None:
    assert not Work(0.0).interrupts()
    assert Work(0.0).passed()
    assert Work(1.0, lambda: True).interrupts()
