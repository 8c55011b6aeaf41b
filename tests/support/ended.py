"""What a command ended with, in tests that run it in their own process."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Ended(NamedTuple):
    status: int
    out: str
    err: str


Call = Callable[..., Ended]
