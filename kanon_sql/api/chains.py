"""What an error of ours leaves the package with."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from kanon_sql.errors import KanonError
from kanon_sql.sql.connection import EngineOptions

P = ParamSpec("P")
R = TypeVar("R")


def without_causes(function: Callable[P, R]) -> Callable[P, R]:
    """The function, whose errors leave it without those that led to them, unless its options show values.

    Errors of engines, drivers and files quote data and URLs; tracebacks, notebooks and loggers show the whole chain.
    """

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except KanonError as error:
            failure = error
        given = [one for one in (*args, *kwargs.values()) if isinstance(one, EngineOptions)]
        if not any(options.show_values for options in given):
            failure.__cause__ = failure.__context__ = None
        try:
            raise failure
        finally:
            del failure

    return called
