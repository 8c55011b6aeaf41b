"""What a query, or a view of a database, may read: its database, the configuration's folder and `source.allow`."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb
from sqlglot import exp

from kanon_sql.errors import EngineError
from kanon_sql.settings.source import SourceConfig
from kanon_sql.source.database import attach, refuse_other_than_select, split_name, with_absolute_paths
from kanon_sql.sql import template
from kanon_sql.sql.connection import EngineOptions, lock_down, open_engine


def allowed_places(source: SourceConfig, base: Path) -> tuple[list[Path], list[Path]]:
    """(files, folders) that a source may read which is a query or a table; none for files."""
    if source.path is not None:
        return [], []
    files, folders = [], [base.absolute()]
    if source.database is not None:
        files.append((base / source.database).absolute())
    for text in source.allow:
        path = (base / text).absolute()
        (folders if path.is_dir() else files).append(path)
    return files, folders


def refuse_elsewhere(source: SourceConfig, base: Path, place: str) -> None:
    """Refuses a query or a view that would read other places: what binds it opens the files that it names.

    It is bound on a connection of its own that is locked down first. Raises EngineError; for a source that cannot be
    bound for another reason nothing is said here.
    """
    files, folders = allowed_places(source, base)
    with open_engine(EngineOptions()) as probe:
        if source.database is not None:
            catalog = attach(probe, base / source.database)
            probe.run(f"USE {template.quoted(catalog).sql('duckdb')}")
        if source.query is not None:
            refuse_other_than_select(probe, source.query, place)
        lock_down(probe, files, folders)
        try:
            probe.connection.execute(_bound(source, base, place)).fetchall()
        except duckdb.PermissionException as error:
            named = re.search(r'"([^"\n]+)"', str(error))
            what = f"the query or view reads {named[1] if named else 'another place'}"
            raise EngineError(
                f"{place}: {what}, which is not in the configuration's folder; add it to source.allow"
            ) from None
        except duckdb.Error:
            return


def _bound(source: SourceConfig, base: Path, place: str) -> str:
    """A statement that binds the source and reads no row of it."""
    if source.table is None:
        text = (source.query or "").strip().rstrip(";").rstrip()
        return f"CREATE TEMP VIEW bound AS\n{with_absolute_paths(text, base)}\n"
    schema, name = split_name(source.table, place)
    table = exp.Table(this=template.quoted(name), db=template.quoted(schema))
    return template.text(exp.Describe(this=exp.select("*").from_(table)))
