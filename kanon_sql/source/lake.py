"""Lakes of DuckLake: tables whose rows are Parquet files, and a catalog that is a database file of DuckDB.

A configuration names one as ATTACH does: `ducklake:meta.ducklake`. DuckDB's extension is loaded before the connection
is locked down, from the package of the extra `lake` or where DuckDB has installed it; nothing is fetched here.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from sqlglot import exp

from kanon_sql.errors import ConfigurationError
from kanon_sql.source.model import LakeVersion, Source
from kanon_sql.sql.connection import Engine, literal
from kanon_sql.sql.extensions import load_extension
from kanon_sql.sql.template import quoted

_OF_CATALOG = "__ducklake_metadata_"  # the name of the database that is a lake's catalog, behind it that of the lake
_NEW_FILES = ".files"  # behind the name of a new catalog: the folder of its rows, as DuckLake itself names it


def is_catalog(engine: Engine, database: str) -> bool:
    """Whether an attached database file is the catalog of a lake."""
    return bool(engine.query("source/lake/is_catalog", values={"database": database})[0][0])


def is_lake(engine: Engine, database: str) -> bool:
    """Whether what is attached under a name is a lake."""
    return any(name == database for name, _, _ in _lakes(engine))


def catalog_of(lake: str) -> str:
    """The name of the database that is the catalog of an attached lake."""
    return _OF_CATALOG + lake


def in_catalog(database: str, table: str) -> exp.Table:
    """A table of the catalog that is attached as `database`."""
    return exp.Table(this=quoted(table), db=quoted("main"), catalog=quoted(database))


def attach_lake(engine: Engine, path: Path, lake: str, *, read_only: bool, files: Path | None = None) -> None:
    """Attaches the lake with the catalog `path`; its rows stand in `files` where the catalog itself does not say so.

    Raises EngineError.
    """
    options = ["READ_ONLY"] if read_only else []
    if files is not None:
        options += [f"DATA_PATH {literal(f'{files}/').sql('duckdb')}", "OVERRIDE_DATA_PATH true"]
    place = literal(f"ducklake:{path}").sql("duckdb")
    listed = f" ({', '.join(options)})" if options else ""
    engine.run(f"ATTACH {place} AS {quoted(lake).sql('duckdb')}{listed}")


def reopen_as_lake(engine: Engine, catalog: str, path: Path) -> None:
    """Opens for reading the lake whose catalog is attached under the name that the lake has from then on.

    Raises ConfigurationError where its rows are not on this machine, and without the extension.
    """
    text = _data_path(engine, catalog, path)
    engine.run(f"DETACH {quoted(catalog).sql('duckdb')}")
    load_extension(engine, "ducklake", "a lake")
    attach_lake(
        engine, path, catalog, read_only=True, files=None if Path(text).is_absolute() else _absolute(text, path)
    )


def files_of_lake(engine: Engine, lake: str) -> Path:
    """The folder of the rows of an attached lake. Raises ConfigurationError where it is not on this machine."""
    path = next(Path(file) for name, file, _ in _lakes(engine) if name == lake)
    return _absolute(_data_path(engine, catalog_of(lake), path), path)


def version_of(engine: Engine, lake: str, schema: str, table: str) -> LakeVersion | None:
    """Which table of an attached lake a name means, at the snapshot that is read; None for a view."""
    names = _tables_of_catalog(lake, "tables", "snapshots", "schemas")
    names["lake_stats"] = in_catalog(catalog_of(lake), "ducklake_table_stats")
    rows = engine.query("source/lake/version", names=names, values={"schema": schema, "name": table})
    return LakeVersion(str(rows[0][0]), *map(int, rows[0][1:])) if rows else None


def version_with_rows(engine: Engine, source: Source) -> LakeVersion | None:
    """The version of a table of a lake by all its rows, which are read; None for other sources.

    A transaction of several changes may give rows numbers that the catalog takes for free ones.
    """
    as_it_stands = source.unread or source
    table = next((table for table in as_it_stands.relation.find_all(exp.Table) if table.catalog), None)
    if source.version is None or table is None:
        return None
    beyond = int(engine.query("source/lake/beyond", names={"table_rows": table})[0][0])
    return replace(source.version, next_row=max(source.version.next_row, beyond))


def is_whole_since(engine: Engine, lake: str, version: LakeVersion, since: int) -> bool:
    """Whether no snapshot from `since` on to that of a version has expired."""
    names = _tables_of_catalog(lake, "snapshots")
    return int(engine.query("source/lake/history", names=names, values={"since": since})[0][0]) == (
        version.snapshot - since + 1
    )


def is_merged_since(engine: Engine, lake: str, version: LakeVersion, since: int) -> bool:
    """Whether files of a table were merged after a snapshot, where rows that were changed may get new numbers."""
    names = _tables_of_catalog(lake, "tables")
    names["lake_changes"] = in_catalog(catalog_of(lake), "ducklake_snapshot_changes")
    values = {"table": version.table, "since": since}
    return bool(engine.query("source/lake/merged", names=names, values=values)[0][0])


def _tables_of_catalog(lake: str, *names: str) -> dict[str, exp.Table]:
    """Tables of the catalog of an attached lake, which has their names in the singular."""
    return {f"lake_{name}": in_catalog(catalog_of(lake), f"ducklake_{name.removesuffix('s')}") for name in names}


def new_files(path: Path) -> Path:
    """The folder for the rows of a new lake with the catalog `path`."""
    return path.absolute().with_name(path.name + _NEW_FILES)


def _lakes(engine: Engine) -> list[tuple[str, str, bool]]:
    return [
        (name, file, readonly)
        for name, file, readonly, kind in engine.query("source/attached_databases")
        if kind == "ducklake"
    ]


def _data_path(engine: Engine, catalog: str, path: Path) -> str:
    """Where the rows stand, as the catalog of `path` says it. Raises ConfigurationError for no local folder."""
    text = str(
        engine.query("source/lake/data_path", names={"lake_metadata": in_catalog(catalog, "ducklake_metadata")})[0][0]
    )
    if "://" in text:
        raise ConfigurationError(
            f"{path}: the rows of the lake stand at {text.partition('://')[0]}://, which is not reachable from here; "
            "expected a folder on this machine"
        )
    return text


def _absolute(text: str, path: Path) -> Path:
    """A folder as a catalog names it: from the working folder, as DuckLake reads it, else from that of the catalog."""
    folder = Path(text).absolute()
    return folder if folder.is_dir() else (path.absolute().parent / text)
