"""A configuration proposed for a table that nobody has looked at: what `kanon-sql init` does."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from kanon_sql.api.opening import without_causes
from kanon_sql.commands.init.database import DatabaseProposal, propose_database, tables_of
from kanon_sql.commands.init.findings import Answers, Findings
from kanon_sql.commands.init.job import Ask, InitRequest, propose, unnamed_table
from kanon_sql.commands.init.proposal import PURPOSES, RECIPIENTS, Proposal
from kanon_sql.commands.init.schema import names_server, open_schema
from kanon_sql.engines.duckdb.connection import UserInput
from kanon_sql.engines.opening import refuse_kinds
from kanon_sql.errors import ConfigurationError
from kanon_sql.progress import Progress, chosen
from kanon_sql.settings.formats import head_of
from kanon_sql.settings.source import CsvOptions, SourceConfig, names_lake
from kanon_sql.sql.connection import EngineOptions

if TYPE_CHECKING:
    from kanon_sql.engines.opening import Data, DuckDBConnection


@without_causes
def init(
    data: Data,
    *,
    table: str | None = None,
    schema: str | None = None,
    connection: DuckDBConnection | None = None,
    recipient: str = "public",
    purpose: str = "research",
    known: Sequence[str] = (),
    unknown: Sequence[str] = (),
    entity: str | None = None,
    hierarchies: str | os.PathLike[str] | None = None,
    header: bool | None = None,
    options: EngineOptions | None = None,
    progress: Progress | bool | None = None,
) -> Proposal | DatabaseProposal:
    """Looks at a table, or at a whole database, that nobody has looked at, and proposes a configuration.

    Args:
        data: A file, a glob, a folder, a DuckDB database file, `ducklake:` and the catalog of a lake, or a frame;
            with a `connection` a table, view or relation of it. A folder of files with different columns, and a
            database file without `table`, are a database of persons: it is looked for what joins its tables, and a
            configuration with `tables` is proposed. So is a schema of a PostgreSQL server, of which DATA is the
            address, or "${NAME}", the variable of the environment that holds it.
        table: The table of a database file or a lake.
        schema: The schema of a PostgreSQL server.
        connection: The DuckDB connection that `data` is of. The configuration of what Python holds names no source:
            `kanon_sql.run(config, data=frame)`.
        recipient: Who will get the release: "public", "partner" or "internal".
        purpose: "research", rows as exact as possible, or "statistics", each column at one level.
        known: Columns that others may know of a person.
        unknown: Columns of which that seems so but is not.
        entity: The column that tells persons apart who have several rows, "" for none, of a database the key of
            persons; default: an id that is called like a person and whose values repeat.
        hierarchies: Folder of hierarchy files that are called like columns.
        header: Whether the first row of a CSV or Excel file names the columns; default: one that looks like values is
            refused.
        options: Threads, memory limit and folder for temporary data of the engine.
        progress: True for bars on standard error, or what shows them; default: bars in a notebook alone.

    Returns:
        `.profile` is what was found, `.roles` the role of each column, `.yaml` the commented configuration,
        `.to_dict()` what `kanon-sql init --json` prints; `.write(path)` writes the configuration.

    Raises:
        KanonError: One of kanon_sql.errors: ConfigurationError for what cannot be meant, EngineError for what cannot
            be read, NoReleaseError for a table without rows.

    Examples:
        >>> import kanon_sql
        >>> proposal = kanon_sql.init("examples/adult/adult.parquet", recipient="partner")
        >>> proposal.roles["age"], proposal.settings["privacy"][0]
        ('quasi-identifier', {'k': 5})
    """
    _refuse_others(recipient, purpose)

    def answer(findings: Findings) -> Answers:
        _refuse_unknown([*known, *unknown, *([entity] if entity else [])], findings)
        person = findings.entity if entity is None else entity or None
        return Answers(recipient, purpose, tuple(known), tuple(unknown), person, entity is not None)

    if connection is None and isinstance(data, (str, os.PathLike)):
        answers = Answers(recipient, purpose, tuple(known), tuple(unknown), entity)
        of_tables = InitRequest(None, None, None if hierarchies is None else Path(hierarchies), header=header)
        together = proposed_together(data, Named(table, schema), answers, of_tables, options, progress)
        if together is not None:
            return together
        request = request_of(data, table, hierarchies, header=header)
    else:
        if schema is not None:
            raise _no_server()
        handed = UserInput(data, connection)
        refuse_kinds(handed)
        request = InitRequest(None, None, None if hierarchies is None else Path(hierarchies), handed)
    return proposed(request, answer, options, progress)


def request_of(
    data: str | os.PathLike[str],
    table: str | None,
    hierarchies: str | os.PathLike[str] | None,
    config: Path | None = None,
    header: bool | None = None,
) -> InitRequest:
    """What is asked for: a source whose paths are relative to the working folder. Raises ConfigurationError."""
    path = os.fspath(data)
    if table is None and (names_lake(path) or _is_database(Path(path))):
        raise unnamed_table(path)
    if table is None and path.lower().endswith((".yaml", ".yml")):
        raise ConfigurationError(f"{path}: is called like a configuration; expected the table itself, DATA")
    csv = CsvOptions() if header is None else CsvOptions(header=header)
    source = SourceConfig(path=path, csv=csv) if table is None else SourceConfig(database=path, table=table)
    return InitRequest(source, config, None if hierarchies is None else Path(hierarchies), header=header)


@dataclass(frozen=True)
class Named:
    """What is named of a place of several tables: a table of a database file, or a schema of a server."""

    table: str | None = None
    schema: str | None = None


@without_causes
def proposed_together(
    data: str | os.PathLike[str],
    named: Named,
    answers: Answers,
    request: InitRequest,
    options: EngineOptions | None,
    progress: Progress | bool | None,
) -> DatabaseProposal | None:
    """The proposal for the tables of DATA where these are looked at together; None for others, and where a header is
    spoken of: a folder of files with different columns, a DuckDB file of which no table is named, a schema.

    Raises ConfigurationError where none of the tables is one of persons, and for what does not go with DATA.
    """
    options = options or EngineOptions()
    if names_server(data):
        if named.table is not None or request.header is not None:
            raise ConfigurationError(
                "DATA: of a PostgreSQL server the tables of a schema are looked at together; expected --schema (in "
                "Python schema=), without --table and --header"
            )
        with open_schema(os.fspath(data), named.schema, options) as (tables, schema):
            proposal = propose_database(tables, request, answers, options, chosen(progress), schema)
        return proposal or _without_persons(f"schema {schema.name!r}: of its tables", answers)
    if named.schema is not None:
        raise _no_server()
    path = Path(data)
    if named.table is not None or request.header is not None or not (path.is_dir() or _is_database(path)):
        return None
    listed = tables_of(path)
    if listed is None:
        return None
    proposal = propose_database(listed, request, answers, options, chosen(progress))
    if proposal is None and not path.is_dir():
        raise unnamed_table(os.fspath(data))
    return proposal or _without_persons(
        f"{path}: its files have different columns, and", answers, "one file as DATA, or "
    )


def _without_persons(where: str, answers: Answers, expected: str = "") -> NoReturn:
    """Raises that no table is one of persons."""
    key = f" named {answers.entity!r}" if answers.entity else ""
    raise ConfigurationError(
        f"{where} none is a table of persons: no column{key} has another value in each row and is named by other "
        f"tables; expected {expected}--entity KEY (in Python entity=)"
    )


def _no_server() -> ConfigurationError:
    return ConfigurationError(
        "--schema goes with the address of a PostgreSQL server as DATA (in Python schema=); leave it out"
    )


def _is_database(path: Path) -> bool:
    """Whether a file is a DuckDB database; one that cannot be read is told of when it is opened."""
    try:
        return path.is_file() and head_of(path)[8:12] == b"DUCK"
    except OSError:
        return False


@without_causes
def proposed(
    request: InitRequest, ask: Ask, options: EngineOptions | None, progress: Progress | bool | None
) -> Proposal:
    """The proposal for a request, `ask` being called with what was found. Raises the errors of kanon_sql.errors."""
    return propose(request, ask, options or EngineOptions(), chosen(progress))


def _refuse_others(recipient: str, purpose: str) -> None:
    """Raises ConfigurationError for a recipient or a purpose that there is not."""
    problems = [
        f"{key}={given!r}: expected one of {', '.join(taken)}"
        for key, given, taken in (("recipient", recipient, RECIPIENTS), ("purpose", purpose, PURPOSES))
        if given not in taken
    ]
    if problems:
        raise ConfigurationError(problems)


def _refuse_unknown(names: Sequence[str], findings: Findings) -> None:
    """Raises ConfigurationError for columns that the table does not have."""
    columns = [column.name for column in findings.profile.columns]
    problems = [
        f"there is no column {name!r}; expected one of {', '.join(columns[:20])}"
        for name in names
        if name not in columns
    ]
    if problems:
        raise ConfigurationError(problems)
