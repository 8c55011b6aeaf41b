"""What a command ended with, in tests that run it in their own process."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest

from kanon_sql.cli.main import main


class Ended(NamedTuple):
    status: int
    out: str
    err: str


Call = Callable[..., Ended]


def calling(capsys: pytest.CaptureFixture[str]) -> Call:
    """Runs kanon-sql with the given words; what was written before is left out."""

    def run(*words: str) -> Ended:
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main(list(words))
        assert isinstance(ended.value.code, int)
        return Ended(ended.value.code, *capsys.readouterr())

    return run
