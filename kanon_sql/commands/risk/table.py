"""The tables whose risk is measured: the release beside the source, frequency tables and classes in the engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlglot import exp

from kanon_sql.config.load import LoadedConfig
from kanon_sql.errors import ConfigurationError, NoReleaseError
from kanon_sql.recount.statement import row_total
from kanon_sql.settings.formats import format_of
from kanon_sql.source.duckdb import attach, open_table, split_name
from kanon_sql.source.formats.registry import FILE_FORMATS, telling_faults
from kanon_sql.source.model import Column, Source
from kanon_sql.source.opening import refuse_remote
from kanon_sql.source.roles import Roles
from kanon_sql.source.values import normalized, person
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Fill, Item, state
from kanon_sql.targets.target import shown

_BOUNDS = ("lower", "upper")


def open_release(engine: Engine, loaded: LoadedConfig, source: Source, roles: Roles) -> Source | None:
    """The configuration's target as a source; None where there is none yet, or it is the source itself (in place).

    Raises EngineError for one that cannot be read.
    """
    target, place = loaded.config.target, loaded.place("target")
    if target is None or target.in_place:
        return None
    if target.path is not None:
        refuse_remote(target.path, place)
        path = loaded.base / target.path
        if not path.is_file():
            return None
        released = [item.name for item in roles.released]
        file_format = FILE_FORMATS[target.format or format_of(path) or "csv"]
        opened = file_format.open_release(engine, path, target, source, released, place)
        return replace(opened, label=shown(path.resolve()))
    assert target.database is not None
    assert target.table is not None
    refuse_remote(target.database, place)
    database = loaded.base / target.database
    schema, name = split_name(target.table, place)
    if not database.is_file():
        return None
    known = {"catalog": attach(engine, database), "schema": schema, "name": name}
    if not engine.query("source/table_exists", values=known)[0][0]:
        return None
    return open_table(engine, database, target.table, source.missing, place)


def released_columns(release: Source, names: list[str], place: str) -> list[Column]:
    """The columns of a release that stand for the quasi-identifiers: of the same name, or the two bounds of a range.

    Raises ConfigurationError with every quasi-identifier that is not there.
    """
    by_name = {item.name: item for item in release.columns}
    found: list[Column] = []
    problems = []
    for name in names:
        bounds = [f"{name}_{end}" for end in _BOUNDS]
        if name in by_name:
            found.append(by_name[name])
        elif all(bound in by_name for bound in bounds):
            found += [by_name[bound] for bound in bounds]
        else:
            problems.append(
                f"{place}: there is no column {name!r} in {release.label}; expected a release of this configuration "
                "there: run it, or set another target"
            )
    if problems:
        raise ConfigurationError(problems)
    return found


@dataclass(frozen=True)
class RiskTable:
    """A table that was counted: `n` of `source_rows` rows take part.

    `columns` are all that are looked at, the quasi-identifiers first; the values of column i stand under
    `value_name(i)` in the frequency table `tuples`, those of the quasi-identifiers alone in `classes`, both with
    row_count. Where they are asked for, `held` is the frequency table over the columns and, last, the entity that holds
    a row, and `members` that over the quasi-identifiers and the household; the classes then have a number (id).
    `weighted` is the report's part on the weights of its rows.
    """

    label: str
    source_rows: int
    n: int
    columns: tuple[Column, ...]
    quasi_identifiers: tuple[Column, ...]
    tuples: str
    classes: str
    held: str | None = None
    members: str | None = None
    weighted: dict[str, Any] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the quasi-identifiers."""
        return tuple(item.name for item in self.quasi_identifiers)


def value_name(index: int) -> str:
    """The column of the frequency table that holds the values of column `index`."""
    return f"v{index}"


def count_table(
    engine: Engine,
    side: str,
    source: Source,
    quasi_identifiers: Sequence[Column],
    others: Sequence[Column],
    rows: exp.Select,
) -> RiskTable:
    """Reads the rows of one table once, into its frequency table; `side` tells its tables from those of others.

    Texts that mean missing are read as NULL. Raises NoReleaseError when no row takes part, EngineError for a table
    that cannot be read.
    """
    columns = (*quasi_identifiers, *others)
    tuples, classes = state(f"risk_{side}_tuples"), state(f"risk_{side}_classes")
    with telling_faults(engine, source):
        read_tuples(engine, rows, tuples, [normalized(item, source.missing) for item in columns])
        n, _, _ = engine.query("commands/risk/rows", names={"tuples": tuples})[0]
        total = n if rows == source.relation else _count(engine, source.relation)
    if not n:
        why = "has no row" if not total else "has no row left without missing values"
        error = NoReleaseError(f"{source.label} {why}; there is no risk to measure")
        error.source_rows = int(total)
        raise error
    if others:
        items: list[Item] = [{"name": value_name(i)} for i in range(len(quasi_identifiers))]
        engine.query("commands/risk/classes", names={"tuples": tuples, "class_list": classes}, lists={"qi": items})
    else:
        classes = tuples
    return RiskTable(source.label, int(total), int(n), columns, tuple(quasi_identifiers), tuples, classes)


def count_holders(engine: Engine, table: RiskTable, source: Source, holder: Column, rows: exp.Select) -> RiskTable:
    """The table with the entities that hold its rows, as the source's column `holder` tells them apart."""
    held = state("risk_held")
    values = [normalized(item, source.missing) for item in table.columns]
    with telling_faults(engine, source):
        read_tuples(engine, rows, held, [*values, person(holder, source.missing)])
    return replace(table, held=held)


def read_tuples(
    engine: Engine, rows: exp.Select, table: str, values: Sequence[exp.Expr], *, weighted: bool = False
) -> None:
    """Makes the frequency table of the rows over the values, each under its `value_name`.

    A `weighted` row stands for as many rows as its row_count says.
    """
    items: list[Item] = [{"value": value, "name": value_name(i)} for i, value in enumerate(values)]
    names: dict[str, Fill] = {"source": rows, "tuples": table, "row_total": row_total(weighted=weighted)}
    engine.query("commands/risk/tuples", names=names, lists={"item": items})


def _count(engine: Engine, relation: exp.Select) -> int:
    counted = exp.select(exp.Count(this=exp.Star())).from_(relation.copy().subquery(state("rows")))
    return int(engine.run(template.text(counted))[0][0])
