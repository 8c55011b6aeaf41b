"""Frames of pandas as DuckDB reads them: through pyarrow where it is there, else from their arrays."""

from __future__ import annotations

import datetime
import decimal
import uuid
from typing import Any

from kanon_sql.errors import ConfigurationError, escape

_PIP = "pip install pyarrow, or convert it"
# Objects of Python by what a column of them is; the first that fits counts, as a truth value is a whole number, too.
_KINDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (str, "texts"),
    (bytes, "bytes"),
    (bool, "truth values"),
    (int, "whole numbers"),
    (float, "numbers"),
    (decimal.Decimal, "decimals"),
    (datetime.datetime, "timestamps"),
    (datetime.date, "dates"),
    (datetime.time, "times"),
    (datetime.timedelta, "durations"),
    (uuid.UUID, "UUIDs"),
    ((list, tuple), "lists"),
    (dict, "mappings"),
)
# What DuckDB reads from objects without guessing by a sample of them how large or how exact they are.
_WITHOUT_ARROW = ("texts", "bytes", "truth values", "numbers", "timestamps", "dates", "times", "durations", "UUIDs")


def as_readable(frame: Any, what: str) -> tuple[Any, list[Any], tuple[str, ...]]:
    """(what DuckDB reads of a DataFrame, the names of its columns, warnings). The frame itself is not changed.

    NaN and NaT are missing values, as pandas takes them. Raises ConfigurationError with every column that cannot be
    read, and for what is no DataFrame.
    """
    if not hasattr(frame, "columns"):
        kind = type(frame).__name__
        raise ConfigurationError(f"{what} is a pandas {kind}; expected a DataFrame: .to_frame() makes one of a Series")
    names = list(frame.columns)
    has_arrow = _has_arrow()
    found = [_readable(frame.iloc[:, i], has_arrow) for i in range(len(names))]
    problems = [
        f"{what}: column {escape(repr(name))} {problem}"
        for name, (_, problem) in zip(names, found, strict=True)
        if problem is not None
    ]
    if problems:
        raise ConfigurationError(problems[:20])
    # The names are ours: those of the frame may repeat, or be no texts, which is refused by who reads this.
    columns = {f"c{i}": column for i, (column, _) in enumerate(found)}
    index = [str(name) for name in frame.index.names if name is not None]
    warnings = (
        f"{what}: the index {', '.join(map(escape, map(repr, index)))} is no column and was not read; reset_index() "
        "makes it one",
    )
    return _assembled(columns, has_arrow, len(frame)), names, warnings if index else ()


def _has_arrow() -> bool:
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        return False
    return True


def _assembled(columns: dict[str, Any], has_arrow: bool, rows: int) -> Any:
    if has_arrow:
        import pyarrow

        return pyarrow.table(columns).__arrow_c_stream__()
    import pandas

    return pandas.DataFrame(columns, index=range(rows))


def _readable(series: Any, has_arrow: bool) -> tuple[Any, str | None]:
    """(a column as an array of Arrow, or as DuckDB reads it without Arrow; why it cannot be read)."""
    name = str(series.dtype)
    if name == "float16":
        series = series.astype("float32")
    elif name.startswith(("period", "interval", "Sparse", "complex")):
        return None, f"is of type {name.partition('[')[0]}, which is not read; convert it, as with .astype(str)"
    problem = _mixture(series, has_arrow) if name == "object" else None
    if problem is None and name == "category" and not has_arrow:
        series, problem = _of_categories(series)
    if problem is not None or not has_arrow:
        return series.reset_index(drop=True), problem
    import pyarrow

    try:
        return pyarrow.array(series, from_pandas=True), None
    except (pyarrow.ArrowException, ArithmeticError, TypeError, ValueError) as error:
        # Its words quote values.
        return None, f"({name}) is not read by Arrow ({type(error).__name__}); convert it, as with .astype(str)"


def _of_categories(series: Any) -> tuple[Any, str | None]:
    """Categories without Arrow: DuckDB would read whole numbers as floating point ones where some are missing."""
    if str(series.cat.categories.dtype) in ("object", "str", "string"):
        return series.astype(object), _mixture(series.astype(object), False)
    return series, f"holds categories that are no texts; {_PIP}"


def _mixture(series: Any, has_arrow: bool) -> str | None:
    """Why a column of objects cannot be read: they are of several kinds, or of one that no table has."""
    present = series[series.notna()].array
    types = set(map(type, present))
    kinds = {kind: _kind(kind) for kind in types}
    if unknown := sorted(kind.__name__ for kind, named in kinds.items() if named is None):
        return f"holds objects of type {', '.join(unknown)}, which are not read; convert it, as with .astype(str)"
    named = {kind for kind in kinds.values() if kind is not None}
    if has_arrow and named in ({"whole numbers", "numbers"}, {"whole numbers", "decimals"}):
        return None
    if len(named) > 1:
        return f"holds {' and '.join(sorted(named))}; expected one kind of values: convert it, as with .astype(str)"
    if named == {"timestamps"} and len({one.tzinfo is None for one in present}) > 1:
        return (
            "holds timestamps with and without a time zone; expected one kind: convert it, as with pandas.to_datetime"
        )
    if not has_arrow and not named <= set(_WITHOUT_ARROW):
        return f"holds {' and '.join(named)} as objects of Python, which pyarrow reads; {_PIP}"
    return None


def _kind(kind: type) -> str | None:
    """What objects of a type are; None for those that no table has."""
    if kind.__module__ == "numpy":
        import numpy

        by_kind = {"b": "truth values", "i": "whole numbers", "u": "whole numbers", "f": "numbers", "U": "texts"}
        if issubclass(kind, numpy.ndarray):
            return "lists"
        return by_kind.get(numpy.dtype(kind).kind) if issubclass(kind, numpy.generic) else None
    return next((named for known, named in _KINDS if issubclass(kind, known)), None)
