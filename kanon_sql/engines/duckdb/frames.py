"""Tables that Python holds: how DuckDB reads them, once, with its own readers of Arrow and of pandas' arrays."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from itertools import count
from typing import Any

from sqlglot import exp

from kanon_sql.engines.duckdb.pandas_frames import as_readable
from kanon_sql.errors import ConfigurationError, EngineError, escape
from kanon_sql.source.duckdb import DuckDB, describe_relation
from kanon_sql.source.model import Column, Source
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import column, state

TAKEN = (
    "a DataFrame of polars or pandas, a LazyFrame, an Arrow table, record batch, reader or dataset, a relation of "
    "DuckDB, anything with __arrow_c_stream__, or the path of a file"
)


@dataclass(frozen=True)
class Stream:
    """Rows that DuckDB reads once, the names of their columns where they are known, and what is to be said of them."""

    rows: Any
    names: list[Any] | None
    warnings: tuple[str, ...] = ()


def is_path(data: object) -> bool:
    """Whether data is the name of a file."""
    return isinstance(data, (str, os.PathLike))


def is_frame(data: object) -> bool:
    """Whether data may be a table that Python holds."""
    package = type(data).__module__.partition(".")[0]
    return package in ("pandas", "polars", "pyarrow") or is_relation(data) or hasattr(data, "__arrow_c_stream__")


def is_relation(data: object) -> bool:
    """Whether data is a relation of DuckDB."""
    return hasattr(data, "sql_query")


def rereadable(data: Any, what: str = "data") -> Any:
    """Data that can be read more than once: a LazyFrame is collected, a stream taken into a table of Arrow.

    Raises ConfigurationError where that needs pyarrow, which is not there, EngineError where the rows cannot be had.
    """
    package = type(data).__module__.partition(".")[0]
    if package == "polars" and type(data).__name__ == "LazyFrame":
        return _collected(data, what)
    if package in ("pandas", "polars") or is_path(data) or is_relation(data):
        return data
    if not hasattr(data, "__arrow_c_stream__") or hasattr(data, "slice"):  # tables and batches, but no streams
        return data
    try:
        import pyarrow
    except ImportError:
        raise ConfigurationError(
            f"{what} is a stream that may be read once only; pip install pyarrow, or give a DataFrame"
        ) from None
    try:
        return pyarrow.table(data)
    except Exception as error:
        # Its words are those of who makes the stream, and may quote values.
        raise EngineError(f"{what}: the stream ended with an error ({type(error).__name__}); mend its rows") from error


def read_frame(engine: Engine, data: object, missing: tuple[str, ...], what: str = "data") -> Source:
    """The rows of a frame as a source: a temporary table, into which they are read once; `what` names it in messages.

    The frame is not changed. Raises ConfigurationError for what is no frame, and for columns that cannot be read.
    """
    given = _stream(data, what)
    _refuse_names(given.names, what)
    taken = {name for _, name in engine.query("engines/own_state", values={"prefix": state("frame")})}
    name = next(name for number in count() if (name := state(f"frame{number}")) not in taken)
    stream = exp.Table(this=template.quoted(f"{name}_stream"))
    try:
        with engine.registered(stream.name, given.rows):
            described, found = describe_relation(engine, stream, what)
            columns = tuple(
                Column(str(one), item.key, item.type) for one, item in zip(given.names or found, described, strict=True)
            )
            _read(engine, stream, name, [(item.key, one) for item, one in zip(columns, found, strict=True)])
    except EngineError as error:
        raise ConfigurationError(f"{what}: the rows cannot be read as a table: {error}; expected {TAKEN}") from error
    keys = (exp.alias_(column(item.key), item.key, quoted=True) for item in columns)
    rows = exp.select(*keys).from_(exp.Table(this=template.quoted(name)))
    return Source("relation", rows, columns, missing, True, _label(data), DuckDB(engine), warnings=given.warnings)


def _read(engine: Engine, stream: exp.Table, name: str, columns: list[tuple[str, str]]) -> None:
    read = exp.select(
        *(exp.alias_(exp.column(exp.to_identifier(one, quoted=True)), key, quoted=True) for key, one in columns)
    )
    table = exp.Table(this=template.quoted(name)).sql("duckdb")
    engine.run(f"CREATE TEMP TABLE {table} AS {template.text(read.from_(stream))}")


def _stream(data: object, what: str) -> Stream:
    """The rows as something that DuckDB reads. Raises ConfigurationError."""
    kind, package = type(data).__name__, type(data).__module__.partition(".")[0]
    if package == "pandas":
        rows, names, warnings = as_readable(data, what)
        return Stream(rows, names, warnings)
    if package == "polars" and kind == "LazyFrame":
        return _stream(_collected(data, what), what)
    if package == "polars" and kind == "DataFrame":
        data = _without_objects(data, what)
    if package == "pyarrow" and hasattr(data, "scanner"):
        data = data.scanner().to_reader()
    exported = getattr(data, "__arrow_c_stream__", None)
    if exported is None:
        raise ConfigurationError(f"{what} is of type {kind}; expected {TAKEN}")
    try:
        # Asked once: what is behind it may be a stream that can be read once only.
        return Stream(exported(), _names(data))
    except Exception as error:
        raise ConfigurationError(
            f"{what}: the {kind} gives no Arrow stream ({type(error).__name__}); expected {TAKEN}"
        ) from error


def _without_objects(data: Any, what: str) -> object:
    """A DataFrame of polars that DuckDB reads: a column without values has a type that its stream does not tell well.

    Raises ConfigurationError for objects of Python: of those polars hands over addresses in memory, not values.
    """
    import polars

    problems = [
        f"{what}: column {escape(repr(name))} holds objects of Python, which are not read; convert it, as with "
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
    """Whether a type of polars is another one, or holds it."""
    inner = [*([kind.inner] if hasattr(kind, "inner") else []), *(one.dtype for one in getattr(kind, "fields", []))]
    return bool(kind == sought) or any(_holds(one, sought) for one in inner)


def _collected(data: Any, what: str) -> object:
    try:
        collected: object = data.collect()
    except Exception as error:
        raise EngineError(f"{what}: the LazyFrame cannot be collected ({type(error).__name__}); collect it") from error
    return collected


def _names(data: Any) -> list[Any] | None:
    """The names of the columns as whoever holds them spells them: DuckDB renames those that differ in case only."""
    named = getattr(getattr(data, "schema", None), "names", None)
    if named is None:
        named = getattr(data, "columns", None)
    if callable(named):
        named = named()
    return list(named) if isinstance(named, (list, tuple)) and all(isinstance(one, str) for one in named) else None


def _refuse_names(names: list[Any] | None, what: str) -> None:
    """Refuses names that are no texts, and those that repeat. Raises ConfigurationError with all of them."""
    problems = [
        f"{what}: the name of column {place} is of type {type(name).__name__}; expected texts: rename the columns"
        for place, name in enumerate(names or (), 1)
        if not isinstance(name, str)
    ]
    problems += [
        f"{what}: {number} columns are called {escape(repr(name))}; expected every name only once: rename them"
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
