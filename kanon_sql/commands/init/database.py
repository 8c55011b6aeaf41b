"""A configuration proposed for a whole database of persons: what `kanon-sql init FOLDER|DATABASE` does.

Its tables are files of a folder, tables of a database file, or those of a schema of PostgreSQL, copied to one.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kanon_sql.commands.init.database_lines import KNOWN, configuration_lines, link_of
from kanon_sql.commands.init.findings import Answers
from kanon_sql.commands.init.job import InitRequest
from kanon_sql.commands.init.joins import Joins, find_joins
from kanon_sql.commands.init.proposal import (
    Proposal,
    refuse_existing,
    smallest_class,
)
from kanon_sql.commands.init.schema import ProposedSchema
from kanon_sql.commands.init.table_look import TableLook, TableProposal
from kanon_sql.config.database import DatabaseSource
from kanon_sql.errors import ConfigurationError, KanonError
from kanon_sql.progress import Progress
from kanon_sql.settings.source import SourceConfig
from kanon_sql.source.opening import open_described
from kanon_sql.source.profile.kinds import Profile
from kanon_sql.source.tables import SourceTables, find_tables
from kanon_sql.sql.connection import EngineOptions, lock_down, open_engine
from kanon_sql.targets.staging_permissions import write_output

Json = dict[str, Any]

_PLACE = "DATA"


@dataclass(frozen=True)
class DatabaseProposal:
    """What `kanon_sql.init` returns for a database: its `tables`, what `joins` them, a configuration as `yaml`."""

    source: Mapping[str, str]
    joins: Joins
    tables: tuple[TableProposal, ...]
    k: tuple[int, str]
    answers: Answers
    base: Path
    notes: tuple[str, ...] = ()
    schema: ProposedSchema | None = None

    @property
    def unit(self) -> TableProposal:
        """The table of persons."""
        return next(table for table in self.tables if table.how == "unit")

    @property
    def profile(self) -> Profile:
        """What is known of the table of persons and of each of its columns."""
        return self._of_persons.profile

    @property
    def roles(self) -> dict[str, str]:
        """The role of each column of the table of persons."""
        return self._of_persons.roles

    @property
    def settings(self) -> Mapping[str, tuple[Any, str]]:
        """The plain keys of the configuration, each with its reason."""
        k, why = self.k
        return {**self._of_persons.settings, "privacy": ({"k": k, "facts": {"known": KNOWN}}, why)}

    @property
    def _of_persons(self) -> Proposal:
        proposal = self.unit.proposal
        assert proposal is not None
        return proposal

    @property
    def yaml(self) -> str:
        """The commented configuration."""
        return "\n".join(configuration_lines(self, self.base)).rstrip("\n") + "\n"

    def write(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
        """Writes the configuration, whose paths are then relative to its folder; the file.

        Raises ConfigurationError for a file that is there and shall not be overwritten, or in the folder of the tables;
        EngineError where it cannot be written.
        """
        file, folder = Path(path), self.source.get("path")
        if folder is not None and file.absolute().parent.resolve() == Path(folder).resolve():
            raise ConfigurationError(f"{file}: each file of {folder} is a table; write the configuration beside it")
        if not overwrite:
            refuse_existing(file)
        write_output(file, "\n".join(configuration_lines(self, file.parent)).rstrip("\n") + "\n", "configuration")
        return file

    def to_dict(self) -> Json:
        """What `kanon-sql init --json` prints."""
        return {
            "unit": {"table": self.joins.unit.table, "key": self.joins.unit.column},
            "keys": [{"table": key.table, "column": key.column} for key in self.joins.keys],
            "tables": {
                table.name: {
                    "rows": table.rows,
                    "is": table.how,
                    "why": table.why,
                    "link": None if table.link is None else link_of(table.link, self.joins),
                    "facts": {name: {} if how is None else how.spec for name, how in table.facts.items()},
                    "dates": list(table.dates),
                    "left_out": list(table.left_out),
                    "columns": [] if table.proposal is None else table.proposal.to_dict()["columns"],
                }
                for table in self.tables
            },
            "recipient": self.answers.recipient,
            **{key: {"is": value, "why": why} for key, (value, why) in self.settings.items()},
            "notes": list(self.notes),
        }


def tables_of(path: Path) -> SourceTables | None:
    """The tables of a folder with files of different columns, or of a DuckDB database of several; None for others."""
    if path.is_dir():
        try:
            tables = find_tables(DatabaseSource(path=str(path)), Path(), _PLACE)
        except KanonError:
            return None
        return tables if len(tables.places) > 1 and _differ(tables) else None
    tables = find_tables(DatabaseSource(database=str(path)), Path(), _PLACE)
    return tables if len(tables.places) > 1 else None


def _differ(tables: SourceTables) -> bool:
    """Whether files have different columns; parts of one table have the same."""
    first: list[str] | None = None
    with open_engine(EngineOptions()) as engine:
        for place in tables.places.values():
            try:
                source = open_described(engine, SourceConfig.model_validate(dict(place)), Path(), [], _PLACE)
            except KanonError:
                return False
            names = [col.name for col in source.columns]
            first = first or names
            if names != first:
                return True
    return False


def propose_database(
    tables: SourceTables,
    request: InitRequest,
    answers: Answers,
    options: EngineOptions,
    progress: Progress,
    schema: ProposedSchema | None = None,
) -> DatabaseProposal | None:
    """Looks at all tables and proposes a configuration; None where none of them is a table of persons.

    The tables may be copies of those of a `schema`, which the configuration then names. Raises the errors of
    kanon_sql.errors.
    """
    described = {name: SourceConfig.model_validate(dict(place)) for name, place in tables.places.items()}
    with open_engine(options) as engine:
        sources = {name: open_described(engine, place, Path(), [], _PLACE) for name, place in described.items()}
        files = [file.absolute() for source in sources.values() for file in source.files]
        files += [] if tables.database is None else [tables.database.absolute()]
        lock_down(engine, files, [])
        with progress.step("looking for what joins the tables"):
            joins = find_joins(engine, sources, answers.entity)
    if joins is None:
        return None
    looked_at = [
        TableLook(name, sources[name], joins, answers, replace(request, source=place), options, progress)
        for name, place in described.items()
    ]
    unlinked = [look for look in looked_at if not look.is_linked]
    others = [look.table(frozenset()) for look in unlinked]
    kept = frozenset(table.name for table in others if table.how == "keep")
    order = ("unit", "persons", "keep", "drop")
    linked = [look.table(kept) for look in looked_at if look.is_linked]
    proposals = tuple(sorted([*linked, *others], key=lambda table: order.index(table.how)))
    unit = next(table for table in proposals if table.how == "unit")
    place = {"schema": schema.name} if schema is not None else _place(tables)
    notes = [f"table {table.name!r}: {note}" for table in proposals if table.proposal for note in table.proposal.notes]
    if tables.views:
        notes.append(f"views are not released: {', '.join(map(repr, tables.views))}")
    k = smallest_class(answers.recipient, unit.rows)
    return DatabaseProposal(place, joins, proposals, k, answers, request.base, tuple(notes), schema)


def _place(tables: SourceTables) -> dict[str, str]:
    """Where the tables are, as a configuration says it."""
    return {"database": str(tables.database)} if tables.database is not None else {"path": str(tables.folder)}
