"""The release as one self-contained statement, for people and tools that run SQL themselves."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlglot import exp

from kanon_sql.commands.projects.sqlmesh.text import standing_for_itself
from kanon_sql.commands.run.pipeline import unique_columns
from kanon_sql.commands.run.warnings import guard
from kanon_sql.config.load import LoadedConfig
from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.frequency.sensitive import Sensitive
from kanon_sql.privacy.registry import thresholds_of
from kanon_sql.progress import Progress
from kanon_sql.release.compiled import CompiledRelease, CompileRequest, set_with, with_of
from kanon_sql.release.compiled_check import compiled_check
from kanon_sql.release.compiled_source import (
    Statement,
    comment,
    header_lines,
    named_tables,
    release_table,
    rows_that_take_part,
)
from kanon_sql.release.families import release_of
from kanon_sql.release.release import Release, Writing
from kanon_sql.report.report import ReportDraft
from kanon_sql.search.prepare import request_of
from kanon_sql.search.problem import SearchProblem
from kanon_sql.source.duckdb import DuckDB
from kanon_sql.source.model import Column, Source, select_keys
from kanon_sql.source.treatments.ends import found_ends, note_shown_ends
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.deadline import Deadline
from kanon_sql.sql.dialects import Dialect, find_dialect, refuse_column_names
from kanon_sql.sql.disk import why
from kanon_sql.sql.writing import Cell, Listing, refuse_repeated, table_name, write
from kanon_sql.targets.target import refuse_names


def write_listings(folder: Path, tables: Sequence[tuple[str, Listing]]) -> list[Path]:
    """Writes each table as NAME.csv, for the owner's eyes only, as the tables hold values of the source.

    Raises EngineError for a folder that is not there and for files that are.
    """
    files = [folder / f"{name.replace('/', '_')}.csv" for name, _ in tables]
    problems = [] if folder.is_dir() else [f"{folder}: the folder of the mapping tables does not exist; make it"]
    problems += [
        f"{file}: a mapping table would replace this file; remove it, or name another --mapping-folder or "
        "--mapping-prefix"
        for file in files
        if os.path.lexists(file)
    ]
    if problems:
        raise EngineError(problems)
    written: list[Path] = []
    try:
        for file, (_, listing) in zip(files, tables, strict=True):
            handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            written.append(file)
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as stream:
                stream.writelines(csv_lines(listing))
    except BaseException as error:
        for file in written:
            file.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise EngineError(f"{folder}: the mapping tables cannot be written {why(error)}") from None
        raise
    return files


def csv_lines(listing: Listing) -> Iterator[str]:
    """The lines of the CSV file: a header, texts in quotes, no field that is NULL."""
    columns, rows = listing.stored()
    yield _line(name for name, _ in columns)
    for row in rows:
        yield _line(row)


def _line(cells: Iterable[Cell]) -> str:
    return ",".join(_field(cell) for cell in cells) + "\n"


def _field(cell: Cell) -> str:
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, int):
        return str(cell)
    text = (cell or "").replace('"', '""')
    return f'"{text}"'


@dataclass(frozen=True)
class Compiled:
    """A statement as `text` over `source`; `files` are the mapping tables that were written beside it.

    `sensitive` are the columns that privacy models speak of.
    """

    text: str
    body: CompiledRelease
    source: Source
    sensitive: Mapping[str, Sensitive]
    files: tuple[Path, ...] = ()
    warnings: tuple[str, ...] = ()
    listings: tuple[Listing, ...] = ()


def compile_configuration(
    engine: Engine,
    loaded: LoadedConfig,
    prepared: SearchProblem,
    statement: Statement,
    draft: ReportDraft,
    progress: Progress,
    deadline: Deadline,
) -> Compiled:
    """Searches and compiles; `draft` is filled in on the way. Raises the errors of kanon_sql.errors."""
    if loaded.config.group is not None:
        raise ConfigurationError(
            f"{loaded.place('group')}: a statement leaves out classes, and would have to name every group that is "
            "suppressed; remove group, or release it by kanon-sql run"
        )
    request = request_of(loaded.config, prepared.n)
    draft.source_rows, draft.missing = prepared.source_rows, prepared.source_rows - prepared.n
    draft.limit = request.limit
    draft.engine = prepared.describe_engine()
    if not prepared.weighted:  # what was brought of another engine would be replaced
        draft.warnings += guard(engine, loaded, prepared.source, prepared.roles)
    draft.warnings += [*prepared.warnings, *unique_columns(prepared, loaded)]
    with progress.step("searching"):
        result = prepared.solve(engine, loaded.config.algorithm, request, deadline, progress)
    draft.search = result.describe_search()
    draft.warnings += result.notes
    result.require()
    release = release_of(engine, result)
    compiled = compile_release(loaded, release, statement)
    draft.solution, draft.loss = result.describe(), release.describe_loss()
    draft.suppressed, draft.masked = result.suppressed, compiled.body.masked
    draft.released = prepared.n - result.suppressed
    draft.warnings += compiled.warnings
    draft.status = "compiled"
    return compiled


def describe_compiled(draft: ReportDraft, statement: Statement, compiled: Compiled) -> dict[str, Any]:
    """The report of `kanon-sql compile`: what a run would report, and the statement in place of a release."""
    data: dict[str, Any] = {**draft.to_dict()}
    executed = find_dialect(statement.dialect).executed
    del data["classes"], data["privacy"]
    data["release"] = {"order": draft.order}
    data["statement"] = {
        "dialect": statement.dialect,
        "executed_by_tests": executed is not None,
        "is_check": statement.check,
        "mappings": [str(file) for file in compiled.files],
        "sql": compiled.text,
    }
    return data


def compile_release(loaded: LoadedConfig, chosen: Release, asked_for: Statement) -> Compiled:
    """Writes the statement of a release, and with --mappings table the CSV files of its tables.

    Raises ConfigurationError for what the dialect cannot say.
    """
    dialect, prepared, release = find_dialect(asked_for.dialect), chosen.problem, loaded.config.release
    _note_ends(loaded, chosen)
    request = CompileRequest(
        rows=rows_that_take_part(loaded, prepared, asked_for, dialect),
        missing=prepared.source.missing,
        order=release.order,
        as_text=release.suppressed == "mask",
        masks=release.suppressed == "mask",
        carried=prepared.models.entity if asked_for.check else None,
        hashes=dialect.hashes_texts,
    )
    refuse_names(prepared.roles.released, loaded.place())
    body = chosen.compiled(request)
    refuse_column_names(dialect, [column.name for column in body.released], loaded.place())
    statement: exp.Query = body.statement
    listings, unchecked = body.listings, tuple[str, ...]()
    if asked_for.check:
        _refuse_moments(prepared, dialect)
        stored = release_table(asked_for, dialect, prepared.models)
        k = loaded.config.privacy.k
        statement, listings, unchecked = compiled_check(
            chosen.engine, request, prepared.roles, body, prepared.models, k, stored
        )
    used = {table.name for table in statement.find_all(exp.Table)}
    listings = tuple(listing for listing in listings if listing.name in used)
    lines = [*body.lines, *chosen.result.notes]
    header = header_lines(loaded, prepared.source, prepared.roles, lines, asked_for, dialect)
    header += [f"Not checked: {key}, which compares with a population." for key in unchecked]
    warnings = [
        f"{key} compares with a population, which is no part of the statement: not checked" for key in unchecked
    ]
    whole = [threshold.key for threshold in thresholds_of(loaded.config.privacy) if asked_for.check]
    header += [f"Not checked: {key}, which is of the whole table." for key in whole]
    warnings += [f"{key} is of the whole table, which the statement does not count: not checked" for key in whole]
    files = _put_in(statement, listings, asked_for, dialect, header)
    if asked_for.for_sqlmesh:
        statement = standing_for_itself(statement)
    text = comment(header) + write(statement, dialect) + ";\n"
    if dialect.longest_text is not None and len(text) > dialect.longest_text:
        warnings.append(
            f"the statement has {len(text)} characters, {dialect.name} takes about {dialect.longest_text}: "
            "--mappings table names the tables instead"
        )
    models = prepared.models.columns
    return Compiled(text, body, prepared.source, models, tuple(files), tuple(warnings), listings)


def _note_ends(loaded: LoadedConfig, chosen: Release) -> None:
    """Notes which ends that were found for shares of the rows the release shows; the statement finds the others."""
    problem = chosen.problem
    if problem.weighted or not any(found_ends(problem.source)):
        return
    masks = loaded.config.release.suppressed == "mask"
    select = chosen.select(Writing(order="none", seed=None, plain_text=True, as_text=masks))
    described = [(str(row[0]), str(row[1])) for row in chosen.engine.run(exp.Describe(this=select.copy()))]
    columns = tuple(Column(name, f"c{i}", kind) for i, (name, kind) in enumerate(described))
    assert isinstance(select, exp.Query)
    rows = select_keys(select.subquery("released"), [name for name, _ in described])
    source = problem.source
    note_shown_ends(source, Source("relation", rows, columns, (), False, source.label, DuckDB(chosen.engine)), loaded)


def _refuse_moments(prepared: SearchProblem, dialect: Dialect) -> None:
    """Which texts are one date only DuckDB is sure to say. Raises ConfigurationError."""
    spoken = [sensitive.column for sensitive in prepared.models.columns.values()]
    spoken += [] if prepared.models.entity is None else [prepared.models.entity]
    problems = [
        f"{column.reading.place}: --check --dialect {dialect.name} does not tell which texts of column {column.name!r} "
        f"are one {column.reading.type}; leave out its type and format, or check the release with kanon-sql check"
        for column in spoken
        if dialect.name != "duckdb" and column.reading is not None and column.reading.type in ("date", "timestamp")
    ]
    if problems:
        raise ConfigurationError(problems)


def _put_in(
    statement: exp.Query, listings: Sequence[Listing], asked_for: Statement, dialect: Dialect, header: list[str]
) -> list[Path]:
    """Puts the listings into the statement, or names their tables and writes their files; the header says which."""
    files: list[Path] = []
    for listing in listings:
        refuse_repeated(listing, dialect)
    if asked_for.mappings == "inline":
        ctes = [listing.inline(dialect) for listing in listings]
        if listings:
            header.append("It holds values of the source: this text is as confidential as the source.")
    else:
        tables = [_table_of(listing, asked_for, dialect) for listing in listings]
        ctes = [listing.named(dialect, table) for listing, table in zip(listings, tables, strict=True)]
        folder = asked_for.mapping_folder or Path()
        files = write_listings(folder, [(table.name, listing) for table, listing in zip(tables, listings, strict=True)])
        header += named_tables(listings, files, [table.sql(dialect.name) for table in tables])
    set_with(statement, [*ctes, *with_of(statement).expressions])
    return files


def _table_of(listing: Listing, asked_for: Statement, dialect: Dialect) -> exp.Table:
    """The table that a listing is to be loaded into."""
    return table_name(f"{asked_for.mapping_prefix}{listing.name}", dialect, "--mapping-prefix")
