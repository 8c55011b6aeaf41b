"""What a compiled statement is made for (`Statement`), the rows that it reads, and its header."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlglot import exp
from sqlglot.errors import SqlglotError

from kanon_sql.config.load import LoadedConfig
from kanon_sql.errors import ConfigurationError
from kanon_sql.frequency.judged import Models
from kanon_sql.frequency.table import required_columns, takes_part
from kanon_sql.release.compiled import present
from kanon_sql.search.problem import SearchProblem
from kanon_sql.settings.algorithms import either
from kanon_sql.settings.treatments import KEYED, variable_of
from kanon_sql.source.columns import read_value
from kanon_sql.source.duckdb import with_absolute_paths
from kanon_sql.source.model import Column, Source
from kanon_sql.source.roles import Roles
from kanon_sql.source.treatments.applying import treated_rows
from kanon_sql.source.treatments.ends import found_ends, sought_ends
from kanon_sql.source.treatments.keys import KeysOutside
from kanon_sql.source.treatments.registry import treatments_of
from kanon_sql.sql import template
from kanon_sql.sql.dialects import Dialect, find_dialect, refuse_column_names
from kanon_sql.sql.template import column
from kanon_sql.sql.writing import Listing, table_name

MAPPINGS = ("inline", "table")
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True)
class Statement:
    """The options of a compiled statement: its `dialect`, the table to read (else the source's own), where mapping
    tables are.

    With `check` the statement returns violating classes, of the table `release_table` or of the release as the
    statement would make it. `for_sqlmesh` says who reads the text. A secret key is replaced by a text that begins with
    `key_mark`, which the caller replaces by something that finds it in `keys_from`; without a mark the session has the
    keys.
    """

    dialect: str = "duckdb"
    source_table: str | None = None
    mappings: str = "inline"
    mapping_folder: Path | None = None
    mapping_prefix: str = "kanon_sql_"
    check: bool = False
    release_table: str | None = None
    for_sqlmesh: bool = False
    key_mark: str | None = None
    keys_from: str = ""

    def refuse(self) -> None:
        """Raises ConfigurationError for options that do not go together."""
        problems = []
        find_dialect(self.dialect)
        if self.mappings not in MAPPINGS:
            problems.append(f"--mappings: {self.mappings!r} is not known; expected {' or '.join(MAPPINGS)}")
        if self.mapping_folder is not None and self.mappings == "inline":
            problems.append("--mapping-folder goes with --mappings table")
        if self.release_table is not None and not self.check:
            problems.append("--release-table goes with --check")
        if problems:
            raise ConfigurationError(problems)


def release_table(options: Statement, dialect: Dialect, models: Models) -> exp.Table | None:
    """The table that the release was stored in, or None. Raises ConfigurationError where its check needs the source."""
    if options.release_table is None:
        return None
    if models.by_entity:
        raise ConfigurationError(
            "--release-table: k counts entities, which a release does not hold; leave it out, and the release that the "
            "statement makes of the source is checked"
        )
    return table_name(options.release_table, dialect, "--release-table")


def rows_that_take_part(
    loaded: LoadedConfig, prepared: SearchProblem, options: Statement, dialect: Dialect
) -> exp.Select:
    """SELECT of the rows that take part, with the columns that are needed, from the source as outsiders name it."""
    carried = [prepared.models.entity] if prepared.models.entity is not None and options.check else []
    return participating(
        loaded, prepared, lambda needed: _relation(loaded, prepared.source, needed, options, dialect), carried
    )


def participating(
    loaded: LoadedConfig,
    prepared: SearchProblem,
    relation_of: Callable[[Sequence[Column]], exp.Select],
    carried: Sequence[Column] = (),
) -> exp.Select:
    """SELECT of the rows that take part: released columns, quasi-identifiers and those `carried` along.

    `relation_of` gives the SELECT of given columns of all rows.
    """
    source, roles, policy = prepared.source, prepared.roles, loaded.config.missing
    keys = {col.key for col in (*roles.released, *roles.quasi_identifiers, *carried)}
    checked = required_columns(source, roles, policy)
    needed = [col for col in source.columns if col.key in keys | {col.key for col in checked}]
    relation = relation_of(needed)
    if not checked:
        return relation
    kept = [column(col.key) for col in needed if col.key in keys]
    return exp.select(*kept).from_(relation.subquery("source")).where(takes_part(checked, source.missing, present))


def own_columns(source: Source, needed: Sequence[Column]) -> exp.Select:
    """SELECT of the needed columns under their keys, as the source's own engine reads them."""
    relation = source.relation.copy()
    keys = {col.key for col in needed}
    relation.set("expressions", [expression for expression in relation.expressions if expression.alias_or_name in keys])
    return relation


def _relation(
    loaded: LoadedConfig, source: Source, needed: Sequence[Column], options: Statement, dialect: Dialect
) -> exp.Select:
    """SELECT of the needed columns under their keys: from the named table, or from the source itself."""
    plain = source.untreated
    if plain is None:
        return _as_read(loaded, source, needed, options, dialect)
    keys = statement_keys(loaded, options, dialect)
    by = {treatments.shift.by for treatments in source.treatments.values() if treatments.shift is not None}
    named = {col.key for col in needed}
    read = [col for col in plain.columns if col.key in named or col.name in by]
    rows = treated_rows(
        plain,
        source.treatments,
        _as_read(loaded, plain, read, options, dialect),
        keys,
        dialect,
        sought_ends(source, loaded, dialect, lambda items: _as_read(loaded, plain, items, options, dialect)),
    )
    rows.set("expressions", [expression for expression in rows.expressions if expression.alias_or_name in named])
    return rows


def statement_keys(loaded: LoadedConfig, options: Statement, dialect: Dialect) -> KeysOutside:
    """How the statement gets its keys. Raises ConfigurationError where the dialect cannot treat a column."""
    config = loaded.config.transform
    problems = [
        f"{loaded.place('transform', name, treatment.key)}: {treatment.key} is not written for {dialect.name}; "
        f"expected --dialect {either(treatment.dialects)}"
        for name, entry in config.items()
        for treatment in treatments_of(entry)
        if dialect.name not in treatment.dialects
    ]
    if problems:
        raise ConfigurationError(problems)
    names = key_names(loaded)
    if options.key_mark is None:
        return KeysOutside(names, dialect.session_variable, dialect)
    mark = options.key_mark
    return KeysOutside(names, lambda name: exp.Literal.string(f"{mark}{name}"), dialect)


def key_names(loaded: LoadedConfig) -> dict[str, str]:
    """The environment variables that keys come from, by the keys."""
    variables = {}
    for name, entry in loaded.config.transform.items():
        for treatment in KEYED:
            part = getattr(entry, treatment)
            variable = variable_of(loaded.draft.source(("transform", name, treatment, "key")))
            if part is not None and variable is not None:
                variables[part.key] = variable
    return variables


def _as_read(
    loaded: LoadedConfig, source: Source, needed: Sequence[Column], options: Statement, dialect: Dialect
) -> exp.Select:
    """The needed columns as they are read, before any treatment."""
    if options.source_table is None and source.backend.reads_itself(source, dialect):
        relation = own_columns(source, needed)
        if source.kind == "query":
            view = relation.find(exp.Table)
            assert view is not None
            view.replace(_query(loaded).subquery("source_query"))
        return relation
    table = table_name(options.source_table or _own_name(source, dialect), dialect, "--source-table")
    refuse_column_names(dialect, [col.name for col in needed], "--source-table")
    columns, missing = loaded.config.source.columns, source.missing
    values = [exp.cast(column(col.name), "VARCHAR") if col.as_text else column(col.name) for col in needed]
    named = [
        exp.alias_(
            value
            if col.reading is None or col.name not in columns
            else read_value(value, columns[col.name], missing, dialect),
            col.key,
            quoted=True,
        )
        for value, col in zip(values, needed, strict=True)
    ]
    return exp.select(*named).from_(table)


def _own_name(source: Source, dialect: Dialect) -> str:
    """The source's own name as that of a table. Raises ConfigurationError where it has none."""
    if source.table is not None:
        schema, name = source.table
        parts = [name] if schema == "main" else [schema, name]
    elif source.folder is not None:
        parts = [source.folder.name]
    elif len(source.files) == 1:
        parts = [source.files[0].name.split(".")[0]]
    else:
        raise ConfigurationError(
            f"--source-table is not given; expected the name of the table in {dialect.name} that stands for "
            f"{source.label}"
        )
    return ".".join(
        part if _PLAIN.fullmatch(part) else exp.to_identifier(part, quoted=True).sql(dialect.name) for part in parts
    )


def _query(loaded: LoadedConfig) -> exp.Select:
    """The source's query as a tree. Raises ConfigurationError for one that cannot be put into another statement."""
    text = with_absolute_paths((loaded.config.source.query or "").strip().rstrip(";"), loaded.base)
    try:
        tree = template.parse(text)
    except SqlglotError:
        tree = exp.Null()
    if not isinstance(tree, exp.Query):
        raise ConfigurationError(
            f"{loaded.place('source')}: the query cannot be put into a statement; expected --source-table with a view "
            "of it"
        )
    return exp.select("*").from_(tree.subquery("asked"))


def header_lines(
    loaded: LoadedConfig, source: Source, roles: Roles, lines: Sequence[str], options: Statement, dialect: Dialect
) -> list[str]:
    """The comment above a statement: what it does, for whom, and how far that is tested."""
    k, label = loaded.config.privacy.k, source.label
    stored = f"the table {options.release_table}" if options.release_table else "the release made of the source"
    title = (
        f"The classes that violate k = {k} or a model, in {stored}: one row each, counts only. No row: it holds."
        if options.check
        else f"A {k}-anonymous release of {label}, found by kanon-sql."
    )
    header = [title, *lines]
    header.append(
        f"Dialect {dialect.name}: the project's tests execute its statements, by {dialect.executed}."
        if dialect.executed
        else f"Dialect {dialect.name}: NOT EXECUTED by any test of the project, only parsed. Check what it makes."
    )
    header += _reads(source, roles, options, dialect)
    header.append("It holds for the rows that were searched: after the source changes, search again. Rows with values")
    header.append("of quasi-identifiers that were not there then are left out, below the top of a hierarchy.")
    hidden = sorted({name for name, _, end in found_ends(source) if not end.shown})
    if hidden:
        header.append(f"Ends that no released row shows are found in the rows: of {', '.join(hidden)}.")
    header += _keys(loaded, options, dialect)
    if loaded.config.release.order == "random" and not options.check:
        header.append("The rows come in a random order of the engine's own; a table that keeps them need not.")
    return header


def _keys(loaded: LoadedConfig, options: Statement, dialect: Dialect) -> list[str]:
    """Where the secret keys are to be put, which the statement needs but does not hold."""
    names = sorted(set(key_names(loaded).values()))
    if not names:
        return []
    where = "; ".join(dialect.setting_variable(name) for name in names)
    if options.key_mark is not None:
        where = f"from {options.keys_from}: {', '.join(names)}"
    return [
        "Columns are treated with secret keys, which are not in this text. It takes them",
        f"{'' if options.key_mark else 'from the session, set before: '}{where}",
    ]


def _reads(source: Source, roles: Roles, options: Statement, dialect: Dialect) -> list[str]:
    """What the statement reads, and from where."""
    if options.source_table is None and dialect.name == "duckdb":
        if source.database is None:
            return []
        how = "attached" if source.table is not None else "the one in use"
        return [f"It reads {source.database}: run it where that database is {how}."]
    columns = ", ".join(f"{col.name} {col.type[:30]}" for col in roles.quasi_identifiers)
    lines = [f"It reads a table with the columns of {source.label}; those that it compares: {columns}."]
    if dialect.exact_case:
        lines.append(f"Names of columns stand in quotes as they were searched: {dialect.name} tells their case apart.")
    return lines


def named_tables(listings: Sequence[Listing], files: Sequence[Path], tables: Sequence[str]) -> list[str]:
    """The lines of the header about mapping tables, which are to be loaded from files first."""
    lines = ["It reads these tables too. Load them first; their files are as confidential as the source:"]
    for listing, file, table in zip(listings, files, tables, strict=True):
        columns = ", ".join(f"{name} {described}" for name, described in listing.stored()[0])
        lines.append(f"  {table} ({columns}) from {file}")
    return lines


def comment(lines: Sequence[str]) -> str:
    """The lines as comments of SQL; none can end one."""
    return "".join(f"-- {''.join(char if char.isprintable() else '?' for char in line)}\n" for line in lines)
