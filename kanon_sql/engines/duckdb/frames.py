"""Tables that Python holds: DuckDB reads them once, with its own readers of Arrow and of pandas' arrays.

DataFrames of pandas are read through pyarrow where that is installed, else from their arrays.
"""

from __future__ import annotations

import datetime
import decimal
import os
import uuid
from collections import Counter
from dataclasses import dataclass
from itertools import count
from typing import Any

from sqlglot import exp

from kanon_sql.errors import ConfigurationError, EngineError, escape
from kanon_sql.source.duckdb import DuckDB, describe_relation
from kanon_sql.source.model import Column, Source
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import column, state

_PIP = "pip install pyarrow, or convert it"
# Names of the kinds of Python objects; the first type that fits counts, since a truth value is a whole number too.
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
# Kinds that DuckDB reads from objects without guessing from a sample how large or how exact they are.
_WITHOUT_ARROW = ("texts", "bytes", "truth values", "numbers", "timestamps", "dates", "times", "durations", "UUIDs")
TAKEN = (
    "a DataFrame of polars or pandas, a LazyFrame, an Arrow table, record batch, reader or dataset, a relation of "
    "DuckDB, anything with __arrow_c_stream__, or the path of a file"
)


def as_readable(frame: Any, subject: str) -> tuple[Any, list[Any], tuple[str, ...]]:
    """(what DuckDB reads of a DataFrame, the names of its columns, warnings). The frame itself is not changed.

    NaN and NaT are missing values, as in pandas. Raises ConfigurationError with every column that cannot be read, and
    for what is no DataFrame; `subject` names it in messages.
    """
    if not hasattr(frame, "columns"):
        kind = type(frame).__name__
        raise ConfigurationError(
            f"{subject} is a pandas {kind}; expected a DataFrame: .to_frame() makes one of a Series"
        )
    names = list(frame.columns)
    has_arrow = _has_arrow()
    readable = [_readable(frame.iloc[:, i], has_arrow) for i in range(len(names))]
    problems = [
        f"{subject}: column {escape(repr(name))} {problem}"
        for name, (_, problem) in zip(names, readable, strict=True)
        if problem is not None
    ]
    if problems:
        raise ConfigurationError(problems[:20])
    # The names are ours: those of the frame may repeat, or be no texts, which is refused by who reads this.
    columns = {f"c{i}": column for i, (column, _) in enumerate(readable)}
    index = [str(name) for name in frame.index.names if name is not None]
    warnings = (
        f"{subject}: the index {', '.join(map(escape, map(repr, index)))} is no column and was not read; reset_index() "
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
    """(a column as an Arrow array, or without Arrow as DuckDB reads it; the problem where it cannot be read)."""
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
    """Categories without Arrow: DuckDB would read whole numbers as floats where some are missing."""
    if str(series.cat.categories.dtype) in ("object", "str", "string"):
        return series.astype(object), _mixture(series.astype(object), False)
    return series, f"holds categories that are no texts; {_PIP}"


def _mixture(series: Any, has_arrow: bool) -> str | None:
    """The problem of a column of objects of several kinds, or of one that no table has; None where there is none."""
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
    if named == {"timestamps"} and len({stamp.tzinfo is None for stamp in present}) > 1:
        return (
            "holds timestamps with and without a time zone; expected one kind: convert it, as with pandas.to_datetime"
        )
    if not has_arrow and not named <= set(_WITHOUT_ARROW):
        return f"holds {' and '.join(named)} as objects of Python, which pyarrow reads; {_PIP}"
    return None


def _kind(kind: type) -> str | None:
    """The name of the kind of objects of a type; None for those that no table has."""
    if kind.__module__ == "numpy":
        import numpy

        by_kind = {"b": "truth values", "i": "whole numbers", "u": "whole numbers", "f": "numbers", "U": "texts"}
        if issubclass(kind, numpy.ndarray):
            return "lists"
        return by_kind.get(numpy.dtype(kind).kind) if issubclass(kind, numpy.generic) else None
    return next((named for python_type, named in _KINDS if issubclass(kind, python_type)), None)


@dataclass(frozen=True)
class Stream:
    """Rows that DuckDB reads once, the names of their columns where known, and warnings about them."""

    rows: Any
    names: list[Any] | None
    warnings: tuple[str, ...] = ()


def is_path(data: object) -> bool:
    return isinstance(data, (str, os.PathLike))


def is_frame(data: object) -> bool:
    """Whether data may be a table that Python holds."""
    package = type(data).__module__.partition(".")[0]
    return package in ("pandas", "polars", "pyarrow") or is_relation(data) or hasattr(data, "__arrow_c_stream__")


def is_relation(data: object) -> bool:
    return hasattr(data, "sql_query")


def rereadable(data: Any, subject: str = "data") -> Any:
    """Data that can be read more than once: a LazyFrame is collected, a stream put into an Arrow table.

    Raises ConfigurationError where that needs pyarrow, which is missing, EngineError where the rows cannot be had.
    """
    package = type(data).__module__.partition(".")[0]
    if package == "polars" and type(data).__name__ == "LazyFrame":
        return _collected(data, subject)
    if package in ("pandas", "polars") or is_path(data) or is_relation(data):
        return data
    if not hasattr(data, "__arrow_c_stream__") or hasattr(data, "slice"):  # tables and batches, but no streams
        return data
    try:
        import pyarrow
    except ImportError:
        raise ConfigurationError(
            f"{subject} is a stream that may be read once only; pip install pyarrow, or give a DataFrame"
        ) from None
    try:
        return pyarrow.table(data)
    except Exception as error:
        # Its words are those of who makes the stream, and may quote values.
        raise EngineError(
            f"{subject}: the stream ended with an error ({type(error).__name__}); mend its rows"
        ) from error


def read_frame(engine: Engine, data: object, missing: tuple[str, ...], subject: str = "data") -> Source:
    """The rows of a frame as a source: a temporary table, which they are copied into once.

    `subject` names them in messages. Raises ConfigurationError for what is no frame, and for columns that cannot be
    read.
    """
    source_stream = _stream(data, subject)
    _refuse_names(source_stream.names, subject)
    taken = {name for _, name in engine.query("engines/own_state", values={"prefix": state("frame")})}
    name = next(name for number in count() if (name := state(f"frame{number}")) not in taken)
    stream = exp.Table(this=template.quoted(f"{name}_stream"))
    try:
        with engine.registered(stream.name, source_stream.rows):
            described, names = describe_relation(engine, stream, subject)
            columns = tuple(
                Column(str(spelled), col.key, col.type)
                for spelled, col in zip(source_stream.names or names, described, strict=True)
            )
            _read(engine, stream, name, [(col.key, original) for col, original in zip(columns, names, strict=True)])
    except EngineError as error:
        raise ConfigurationError(f"{subject}: the rows cannot be read as a table: {error}; expected {TAKEN}") from error
    keys = (exp.alias_(column(col.key), col.key, quoted=True) for col in columns)
    rows = exp.select(*keys).from_(exp.Table(this=template.quoted(name)))
    return Source(
        "relation", rows, columns, missing, True, _label(data), DuckDB(engine), warnings=source_stream.warnings
    )


def _read(engine: Engine, stream: exp.Table, name: str, columns: list[tuple[str, str]]) -> None:
    read = exp.select(
        *(
            exp.alias_(exp.column(exp.to_identifier(original, quoted=True)), key, quoted=True)
            for key, original in columns
        )
    )
    table = exp.Table(this=template.quoted(name)).sql("duckdb")
    engine.run(f"CREATE TEMP TABLE {table} AS {template.text(read.from_(stream))}")


def _stream(data: object, subject: str) -> Stream:
    """The rows as something that DuckDB reads. Raises ConfigurationError."""
    kind, package = type(data).__name__, type(data).__module__.partition(".")[0]
    if package == "pandas":
        rows, names, warnings = as_readable(data, subject)
        return Stream(rows, names, warnings)
    if package == "polars" and kind == "LazyFrame":
        return _stream(_collected(data, subject), subject)
    if package == "polars" and kind == "DataFrame":
        data = _without_objects(data, subject)
    if package == "pyarrow" and hasattr(data, "scanner"):
        data = data.scanner().to_reader()
    exported = getattr(data, "__arrow_c_stream__", None)
    if exported is None:
        raise ConfigurationError(f"{subject} is of type {kind}; expected {TAKEN}")
    try:
        # Asked once: what is behind it may be a stream that can be read once only.
        return Stream(exported(), _names(data))
    except Exception as error:
        raise ConfigurationError(
            f"{subject}: the {kind} gives no Arrow stream ({type(error).__name__}); expected {TAKEN}"
        ) from error


def _without_objects(data: Any, subject: str) -> object:
    """A DataFrame of polars that DuckDB reads: the type of a column without values becomes text.

    Raises ConfigurationError for objects of Python, of which polars hands over addresses in memory, not values.
    """
    import polars

    problems = [
        f"{subject}: column {escape(repr(name))} holds objects of Python, which are not read; convert it, as with "
        ".map_elements(str, return_dtype=polars.String)"
        for name, kind in data.schema.items()
        if _holds(kind, polars.Object)
    ]
    if problems:
        raise ConfigurationError(problems[:20])
    empty = [name for name, kind in data.schema.items() if kind == polars.Null]
    filled: object = data.with_columns(polars.col(empty).cast(polars.String)) if empty else data
    return filled


def _holds(kind: Any, sought: Any) -> bool:
    """Whether a type of polars is another one, or contains it."""
    inner = [*([kind.inner] if hasattr(kind, "inner") else []), *(field.dtype for field in getattr(kind, "fields", []))]
    return bool(kind == sought) or any(_holds(field, sought) for field in inner)


def _collected(data: Any, subject: str) -> object:
    try:
        collected: object = data.collect()
    except Exception as error:
        raise EngineError(
            f"{subject}: the LazyFrame cannot be collected ({type(error).__name__}); collect it"
        ) from error
    return collected


def _names(data: Any) -> list[Any] | None:
    """The names of the columns as their holder spells them: DuckDB renames those that differ in case only."""
    named = getattr(getattr(data, "schema", None), "names", None)
    if named is None:
        named = getattr(data, "columns", None)
    if callable(named):
        named = named()
    return list(named) if isinstance(named, (list, tuple)) and all(isinstance(name, str) for name in named) else None


def _refuse_names(names: list[Any] | None, subject: str) -> None:
    """Refuses names that are no texts, and those that repeat. Raises ConfigurationError with all of them."""
    problems = [
        f"{subject}: the name of column {position} is of type {type(name).__name__}; expected texts: rename the columns"
        for position, name in enumerate(names or (), 1)
        if not isinstance(name, str)
    ]
    problems += [
        f"{subject}: {number} columns are called {escape(repr(name))}; expected every name only once: rename them"
        for name, number in Counter(name for name in names or () if isinstance(name, str)).items()
        if number > 1
    ]
    if problems:
        raise ConfigurationError(problems[:20])


def _label(data: object) -> str:
    if is_relation(data):
        return "the relation"
    package = type(data).__module__.partition(".")[0]
    return f"the {package} {type(data).__name__}" if package in ("pandas", "polars", "pyarrow") else "the data"
