"""The header of a compiled statement: what it does, for whom, and how far that is sure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kanon_sql.config.load import LoadedConfig
from kanon_sql.release.compiled_source import Statement, key_names
from kanon_sql.source.model import Source
from kanon_sql.source.roles import Roles
from kanon_sql.source.treatments.ends import found_ends
from kanon_sql.source.treatments.keys_outside import how_to_set
from kanon_sql.sql.dialects.dialect import Dialect
from kanon_sql.sql.dialects.inline_table import Listing


def header_lines(
    loaded: LoadedConfig, source: Source, roles: Roles, lines: Sequence[str], asked_for: Statement, dialect: Dialect
) -> list[str]:
    """What the statement does, for whom, and how far that is sure."""
    k, label = loaded.config.privacy.k, source.label
    stored = f"the table {asked_for.release_table}" if asked_for.release_table else "the release made of the source"
    what = (
        f"The classes that violate k = {k} or a model, in {stored}: one row each, counts only. No row: it holds."
        if asked_for.check
        else f"A {k}-anonymous release of {label}, found by kanon-sql."
    )
    header = [what, *lines]
    header.append(
        f"Dialect {dialect.name}: the project's tests execute its statements, by {dialect.executed}."
        if dialect.executed
        else f"Dialect {dialect.name}: NOT EXECUTED by any test of the project, only parsed. Check what it makes."
    )
    header += _reads(source, roles, asked_for, dialect)
    header.append("It holds for the rows that were searched: after the source changes, search again. Rows with values")
    header.append("of quasi-identifiers that were not there then are left out, below the top of a hierarchy.")
    hidden = sorted({name for name, _, end in found_ends(source) if not end.shown})
    if hidden:
        header.append(f"Ends that no released row shows are found in the rows: of {', '.join(hidden)}.")
    header += _keys(loaded, asked_for, dialect)
    if loaded.config.release.order == "random" and not asked_for.check:
        header.append("The rows come in a random order of the engine's own; a table that keeps them need not.")
    return header


def _keys(loaded: LoadedConfig, asked_for: Statement, dialect: Dialect) -> list[str]:
    """Where the secret keys are put that the statement needs and does not hold."""
    names = sorted(set(key_names(loaded).values()))
    if not names:
        return []
    where = "; ".join(how_to_set(name, dialect) for name in names)
    if asked_for.key_mark is not None:
        where = f"from {asked_for.keys_from}: {', '.join(names)}"
    return [
        "Columns are treated with secret keys, which are not in this text. It takes them",
        f"{'' if asked_for.key_mark else 'from the session, set before: '}{where}",
    ]


def _reads(source: Source, roles: Roles, asked_for: Statement, dialect: Dialect) -> list[str]:
    """What the statement reads, and from where."""
    if asked_for.source_table is None and dialect.name == "duckdb":
        if source.database is None:
            return []
        how = "attached" if source.table is not None else "the one in use"
        return [f"It reads {source.database}: run it where that database is {how}."]
    columns = ", ".join(f"{item.name} {item.type[:30]}" for item in roles.quasi_identifiers)
    lines = [f"It reads a table with the columns of {source.label}; those that it compares: {columns}."]
    if dialect.exact_case:
        lines.append(f"Names of columns stand in quotes as they were searched: {dialect.name} tells their case apart.")
    return lines


def named_tables(listings: Sequence[Listing], files: Sequence[Path], tables: Sequence[str]) -> list[str]:
    """Which tables are to be loaded first, from which files."""
    lines = ["It reads these tables too. Load them first; their files are as confidential as the source:"]
    for listing, file, table in zip(listings, files, tables, strict=True):
        columns = ", ".join(f"{name} {described}" for name, described in listing.stored()[0])
        lines.append(f"  {table} ({columns}) from {file}")
    return lines


def comment(lines: Sequence[str]) -> str:
    """The lines as comments of SQL; none can end one."""
    return "".join(f"-- {''.join(char if char.isprintable() else '?' for char in line)}\n" for line in lines)
