"""Whether a hierarchy has a place for every value of a column; files that are called like columns."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sqlglot import exp

from kanon_sql.commands.init.words import words_of
from kanon_sql.config.model import QuasiIdentifier
from kanon_sql.errors import ConfigurationError
from kanon_sql.hierarchy.hierarchy import Hierarchy, Input
from kanon_sql.hierarchy.mapping import build_mapping, uncovered
from kanon_sql.source.model import Source
from kanon_sql.source.values import distinct_values
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import quoted, state

_SUFFIXES = (".csv", ".txt", ".tsv")


def uncovered_by(engine: Engine, source: Source, name: str, spec: QuasiIdentifier, hierarchy: Hierarchy | None) -> int:
    """How many values of a column have no place in a hierarchy file, or in the built-in of `spec`.

    Raises ConfigurationError where the hierarchy cannot be one of the column's type.
    """
    item = source.column(name)
    table = state("raw_values")
    engine.query(
        "commands/hierarchy/raw_values",
        names={"raw_values": table, "source_values": distinct_values(source.relation, item)},
    )
    distinct = exp.select("value").from_(exp.Table(this=quoted(table)))
    place = f"{source.label}: column {name!r}"
    mapping = build_mapping(engine, Input(0, item, spec, distinct, hierarchy, source.missing, place=place))
    return uncovered(engine, mapping, distinct)


def files_for(folder: Path, columns: Sequence[str]) -> tuple[dict[str, Path], list[str]]:
    """The hierarchy files of a folder by column, and a line for each file that is called like none.

    A file belongs to the column with whose name its own ends, as adult_hierarchy_age.csv does; of several such columns
    to that of the longest name. Raises ConfigurationError for a folder that cannot be read.
    """
    try:
        files = sorted(path for path in folder.iterdir() if path.suffix.lower() in _SUFFIXES and path.is_file())
    except OSError as error:
        raise ConfigurationError(
            f"--hierarchies {folder}: the folder cannot be read ({error.strerror}); expected one with hierarchy files"
        ) from None
    found: dict[str, Path] = {}
    notes = []
    for path in files:
        name = path.name[: -len(path.suffix)]
        fitting = [one for one in columns if _ends_with(name, one)]
        if not fitting:
            if "hierarchy" in name.lower():
                notes.append(f"{path} belongs to no column: its name ends with none of theirs")
            continue
        column = max(fitting, key=len)
        # age_hierarchy.csv beside hierarchy_age_coarse.csv: the name that says least besides goes first.
        if column not in found or len(name) < len(found[column].name) - len(found[column].suffix):
            found[column] = path
    return found, notes


def _ends_with(name: str, column: str) -> bool:
    """Whether a file's name ends with a column's, as it stands or by its words."""
    lower = name.lower()
    if lower == column.lower() or lower.endswith(tuple(f"{mark}{column.lower()}" for mark in "_-. ")):
        return True
    words, asked = words_of(name), words_of(column)
    return bool(asked) and words[-len(asked) :] == asked
