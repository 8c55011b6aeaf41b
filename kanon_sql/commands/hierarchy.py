"""The values of one column of a file, for commands that build and check hierarchies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlglot import exp

from kanon_sql.config.model import QuasiIdentifier
from kanon_sql.errors import ConfigurationError
from kanon_sql.hierarchy.hierarchy import GeneralizedColumn, Hierarchy
from kanon_sql.hierarchy.mapping import build_mapping, covered_rows, uncovered, uncovered_examples
from kanon_sql.settings.source import CsvOptions, SourceConfig
from kanon_sql.source.columns import counted_values, distinct_values
from kanon_sql.source.model import Column, Source
from kanon_sql.source.opening import open_described
from kanon_sql.sql.connection import Engine, EngineOptions, open_engine
from kanon_sql.sql.template import quoted, state


@dataclass(frozen=True)
class ColumnValues:
    """The distinct values of a column of an open source."""

    engine: Engine
    source: Source
    source_column: Column

    @property
    def column(self) -> str:
        """The column's name."""
        return self.source_column.name

    def rows(self, tree: Hierarchy | QuasiIdentifier, name: str) -> list[tuple[str, ...]]:
        """The rows of a hierarchy file, or of a built-in, for the values that are not missing.

        Raises ConfigurationError when some have no place in it; `name` is what it is called.
        """
        table = state("raw_values")
        self.engine.query(
            "commands/hierarchy/raw_values",
            names={"raw_values": table, "source_values": distinct_values(self.source.relation, self.source_column)},
        )
        distinct = exp.select("value").from_(exp.Table(this=quoted(table)))
        place = f"{self.source.label}: column {self.column!r}"
        spec, hierarchy = (QuasiIdentifier(), tree) if isinstance(tree, Hierarchy) else (tree, None)
        counted = counted_values(self.source.relation, self.source_column, weighted=self.source.backend.weighted)
        given = GeneralizedColumn(
            0, self.source_column, spec, distinct, hierarchy, self.source.missing, place=place, counted=counted
        )
        mapping = build_mapping(self.engine, given)
        count = uncovered(self.engine, mapping, distinct)
        if count:
            shown = ""
            if self.engine.show_values:
                shown = f": {', '.join(map(repr, uncovered_examples(self.engine, mapping, distinct)))}"
            raise ConfigurationError(
                f"{place}: {count:,} distinct {'value has' if count == 1 else 'values have'} no place in {name}{shown}"
                f"; {'expected values that fit' if mapping.builtin else 'expected a row for every value'}"
            )
        return covered_rows(self.engine, mapping, distinct)


@contextmanager
def open_values(
    data: str, column: str | None, options: EngineOptions, missing: Sequence[str], delimiter: str | None
) -> Iterator[ColumnValues]:
    """Opens a column of a file; `column` may be left out where there is only one.

    Raises ConfigurationError for columns that the file does not have, EngineError for files that cannot be read.
    """
    with open_engine(options) as engine:
        described = SourceConfig(path=data, csv=CsvOptions(delimiter=delimiter), missing=list(missing) or None)
        source = open_described(engine, described, Path(), [column] if column else [], "DATA")
        names = [column.name for column in source.columns]
        if column is None and len(names) > 1:
            raise ConfigurationError(f"{data}: it has {len(names)} columns; name one with --column")
        if column is not None and column not in names:
            raise ConfigurationError(f"{data}: no column {column!r}; expected one of {', '.join(names)}")
        yield ColumnValues(engine, source, source.column(column if column is not None else names[0]))
