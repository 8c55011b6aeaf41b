"""The release as one self-contained SELECT, for people and tools that run SQL themselves."""

from __future__ import annotations

from kanon_sql.config.load import LoadedConfig
from kanon_sql.errors import ConfigurationError
from kanon_sql.prepared import Prepared
from kanon_sql.release.sink import refuse_names
from kanon_sql.solution import Solution

DIALECTS = ("duckdb",)


def compile_solution(loaded: LoadedConfig, prepared: Prepared, solution: Solution, dialect: str) -> str:
    """The release as text: the statement with a header that says what it does.

    Raises NoReleaseError when nothing satisfies, ConfigurationError for a dialect that is not there.
    """
    if dialect not in DIALECTS:
        raise ConfigurationError(f"--dialect: {dialect!r} is not known; expected {', '.join(DIALECTS)}")
    refuse_names(prepared.roles.released, loaded.place())
    solution.require()
    config = loaded.config
    lines, statement = solution.compiled(config.release.order, config.release.suppressed == "mask")
    header = (
        f"A {config.privacy.k}-anonymous release of {prepared.source.label}, found by kanon-sql.",
        *lines,
        *solution.notes,
        "It holds for the rows that were searched: after the source changes, search again.",
        "The tables of values are of the source: this text is as confidential as the source.",
    )
    commented = "".join(f"-- {_one_line(line)}\n" for line in header)
    return commented + statement.sql(dialect=dialect, pretty=True, comments=False) + ";\n"


def _one_line(text: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in text)
