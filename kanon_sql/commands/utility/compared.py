"""The columns that source and release share, read into frequency tables: raw values of one, labels of the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from kanon_sql.commands.link.cells import EQUAL, Cell, Meaning, find_cells, meaning_of
from kanon_sql.commands.subject import Subject
from kanon_sql.errors import ConfigurationError
from kanon_sql.frequency.table import participants
from kanon_sql.hierarchy.quasi_identifiers import without_text
from kanon_sql.source.formats.registry import telling_faults
from kanon_sql.source.model import Column, Role, Source
from kanon_sql.source.values import bring_counted, normalized
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Item, column, state


@dataclass(frozen=True)
class Compared:
    """A column that both sides have; `item` is that of the source, `released` the label over the release's keys.

    `index` names its tables and its column in the frequency tables.
    """

    index: int
    item: Column
    role: Role
    released: exp.Expr
    released_type: str
    meaning: Meaning

    @property
    def name(self) -> str:
        """The column as the user knows it."""
        return self.item.name

    @property
    def value(self) -> str:
        """The column of the frequency tables."""
        return f"v{self.index}"

    @property
    def generalized(self) -> bool:
        """Whether a released * stands for every value."""
        return self.role == "quasi_identifier"

    def table(self, name: str) -> str:
        """One of the column's tables."""
        return state(f"utility_{name}_{self.index}")


def compared_columns(subject: Subject, source: Source) -> tuple[list[Compared], list[str]]:
    """The columns to compare, quasi-identifiers first, then sensitive ones, and what is left out.

    Raises ConfigurationError where the release lacks a quasi-identifier.
    """
    levels = subject.loaded.config.algorithm.declared.full_domain
    meanings = {name: meaning_of(spec, tree, levels=levels) for name, (spec, tree) in subject.hierarchies.items()}
    others = [item for item in subject.roles.released if item not in subject.roles.quasi_identifiers]
    others.sort(key=lambda item: subject.roles.of(item) != "sensitive")
    quasi = [item.name for item in subject.roles.quasi_identifiers]
    _, problems = find_cells(subject.release, quasi, [meanings[name] for name in quasi])
    if problems:
        raise ConfigurationError(problems)
    present = {item.name: item for item in subject.release.columns}
    found: list[Compared] = []
    left_out = []
    for item in [*subject.roles.quasi_identifiers, *others]:
        meaning = meanings.get(item.name, EQUAL)
        cells, absent = find_cells(subject.release, [item.name], [meaning])
        if absent or without_text(item.type):
            left_out.append(item.name)
            continue
        released, kind = _released(present.get(item.name), cells[0], subject.release)
        found.append(Compared(len(found), item, subject.roles.of(item), released, kind, meaning))
    what = "they are not in the release, or of a type that has no order"
    return found, [f"{', '.join(map(repr, left_out))}: not compared, {what}"] if left_out else []


def _released(item: Column | None, cell: Cell, release: Source) -> tuple[exp.Expr, str]:
    """A label over the keys of the release, and its type; two bounds are one text."""
    return (cell.text, "VARCHAR") if item is None else (normalized(item, release.missing), item.type)


def read_sides(subject: Subject, source: Source, columns: Sequence[Compared]) -> None:
    """Makes the frequency tables of both sides. Raises EngineError for tables that cannot be read."""
    rows = participants(source, subject.roles, subject.loaded.config.missing)
    values = [normalized(one.item, source.missing) for one in columns]
    _read(subject.engine, "source", source, rows, columns, values)
    values = [one.released for one in columns]
    _read(subject.engine, "release", subject.release, subject.release.relation, columns, values)


def tuples(side: str) -> str:
    """The frequency table of a side, source or release."""
    return state(f"utility_{side}")


def _read(
    engine: Engine, side: str, table: Source, rows: exp.Select, columns: Sequence[Compared], values: Sequence[exp.Expr]
) -> None:
    items: list[Item] = [{"name": one.value, "value": value} for one, value in zip(columns, values, strict=True)]
    weighted = table.weighted
    with telling_faults(engine, table):
        if table.backend.weighted:
            keys = {found.name for value in values for found in value.find_all(exp.Column)}
            read = [item for item in table.columns if item.key in keys]
            rows, weighted = bring_counted(engine, table.backend, rows, read, state(f"utility_given_{side}")), True
        total: exp.Expr = exp.Sum(this=column("row_count")) if weighted else exp.Count(this=exp.Star())
        names = {"source": rows, "tuples": tuples(side), "row_total": total}
        engine.query("commands/utility/tuples", names=names, lists={"item": items})
