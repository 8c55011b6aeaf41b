"""The release as SQL: a statement, or a model of dbt or SQLMesh."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kanon_sql.api.opening import Configuration, Overrides, hand, load, open_prepared, without_causes
from kanon_sql.commands.compile import Compiled, compile_configuration, describe_compiled
from kanon_sql.commands.projects import dbt
from kanon_sql.commands.projects.checks import ProjectModel
from kanon_sql.commands.projects.sqlmesh import model as sqlmesh
from kanon_sql.commands.run.pipeline import configured_warnings, refuse_report
from kanon_sql.config.load import LoadedConfig
from kanon_sql.engines.duckdb.connection import UserInput
from kanon_sql.errors import ConfigurationError
from kanon_sql.progress import Progress
from kanon_sql.release.compiled_source import Statement
from kanon_sql.report.call import Call, reporting
from kanon_sql.report.report import Json, ReportDraft
from kanon_sql.sql.connection import EngineOptions
from kanon_sql.sql.deadline import Deadline

if TYPE_CHECKING:
    from kanon_sql.engines.opening import Data, DuckDBConnection


@without_causes
def compile(
    config: Configuration,
    *,
    data: Data | None = None,
    connection: DuckDBConnection | None = None,
    dialect: str = "duckdb",
    source_table: str | None = None,
    mappings: str = "inline",
    mapping_folder: str | os.PathLike[str] | None = None,
    mapping_prefix: str = "kanon_sql_",
    check: bool = False,
    release_table: str | None = None,
    overrides: Overrides = (),
    options: EngineOptions | None = None,
    time_limit: float | None = None,
    report: str | os.PathLike[str] | None = None,
    progress: Progress | bool | None = None,
) -> str:
    """Compiles the release to one SELECT that needs nothing else, after the search: what `kanon-sql compile` prints.

    Args:
        config: Path of a configuration, or a mapping of its keys.
        data: Rows to search in the place of the configured source, as in `run`.
        connection: The DuckDB connection in which they are searched.
        dialect: duckdb, postgres, spark, databricks, snowflake, bigquery, trino or redshift.
        source_table: The table that the statement reads; default: the source itself (DuckDB), or a table of its name.
        mappings: "inline", or "table": mapping tables are written to `mapping_folder` as CSV.
        mapping_folder: Folder of these.
        mapping_prefix: How their names begin.
        check: Give the statement that returns the classes that violate what is asked for.
        release_table: The table that such a statement counts; default: the release as the statement would make it.
        overrides: Keys that replace those of the configuration, as pairs such as ("privacy.k", 5).
        options: Threads, memory limit and folder for temporary data of the engine.
        time_limit: Seconds after which the search ends with the best release that it has found.
        report: File of the JSON report of the search.
        progress: True for bars on standard error, or what shows them; default: bars in a notebook alone.

    Returns:
        The statement.

    Raises:
        KanonError: One of kanon_sql.errors.

    Examples:
        >>> import kanon_sql
        >>> statement = kanon_sql.compile("examples/adult/config.yaml", dialect="postgres", source_table="people")
        >>> "SELECT" in statement and "people" in statement
        True
    """
    loaded, handed = hand(config, overrides, data, connection)
    if handed.data is not None and not isinstance(handed.data, str) and source_table is None:
        raise ConfigurationError("data= has no name in SQL; expected source_table=, the table that the statement reads")
    folder = None if mapping_folder is None else Path(mapping_folder)
    statement = Statement(dialect, source_table, mappings, folder, mapping_prefix, check, release_table)
    call = Call.of(options, progress, time_limit, report)
    return str(_compiled(loaded, statement, call, handed)[0]["statement"]["sql"])


@without_causes
def compile_report(
    loaded: LoadedConfig,
    statement: Statement,
    options: EngineOptions | None = None,
    time_limit: float | None = None,
    report: Path | None = None,
    progress: Progress | bool | None = None,
) -> dict[str, Any]:
    """What `kanon-sql compile --json` prints; written to `report` however it ends. Raises as `compile` does."""
    return _compiled(loaded, statement, Call.of(options, progress, time_limit, report))[0]


@without_causes
def dbt_model(
    config: Configuration,
    project: str | os.PathLike[str],
    name: str,
    relation: str,
    *,
    dialect: str = "duckdb",
    overwrite: bool = False,
    overrides: Overrides = (),
    options: EngineOptions | None = None,
    time_limit: float | None = None,
    report: str | os.PathLike[str] | None = None,
    progress: Progress | bool | None = None,
) -> dict[str, Any]:
    """Searches and writes the release into a dbt project: what `kanon-sql dbt compile` does.

    The model `name` reads `relation`, as "ref('people')"; its mapping tables are seeds. The report of `compile`, with
    "files". Raises the errors of kanon_sql.errors; nothing is replaced but, with `overwrite`, an earlier model.
    """
    request = ProjectModel(Path(project), name, relation, dialect, overwrite)
    dbt.refuse(request)
    loaded, call = load(config, overrides), Call.of(options, progress, time_limit, report)

    def compile_with(table: str, prefix: str, folder: Path) -> tuple[Json, Compiled]:
        where = "the environment of dbt"
        return _compiled(
            loaded, Statement(dialect, table, "table", folder, prefix, key_mark=prefix, keys_from=where), call
        )

    return call.write(dbt.write_model(request, loaded, compile_with))


@without_causes
def sqlmesh_model(
    config: Configuration,
    project: str | os.PathLike[str],
    name: str,
    relation: str,
    *,
    dialect: str = "duckdb",
    overwrite: bool = False,
    overrides: Overrides = (),
    options: EngineOptions | None = None,
    time_limit: float | None = None,
    report: str | os.PathLike[str] | None = None,
    progress: Progress | bool | None = None,
) -> dict[str, Any]:
    """Searches and writes the release into a SQLMesh project: what `kanon-sql sqlmesh compile` does.

    The model `name` reads the model or table `relation`; its mapping tables are in its text. The report of `compile`,
    with "files". Raises the errors of kanon_sql.errors; nothing is replaced but, with `overwrite`, an earlier model.
    """
    request = ProjectModel(Path(project), name, relation, dialect, overwrite)
    sqlmesh.refuse(request)
    loaded, call = load(config, overrides), Call.of(options, progress, time_limit, report)
    where = "the variables of the SQLMesh project"
    statement = Statement(dialect, relation, for_sqlmesh=True, key_mark=sqlmesh.KEY_MARK, keys_from=where)
    return call.write(sqlmesh.write_model(request, loaded, lambda: _compiled(loaded, statement, call)))


def _compiled(
    loaded: LoadedConfig, statement: Statement, call: Call, handed: UserInput | None = None
) -> tuple[Json, Compiled]:
    """(the report, the statement)."""
    statement.refuse()
    draft = ReportDraft.of(loaded)
    configured_warnings(loaded, draft)
    refuse_report(loaded, call)
    compilations: list[Compiled] = []

    def describe() -> Json:
        return describe_compiled(draft, statement, compilations[0]) if compilations else {**draft.to_dict()}

    with (
        reporting(call, loaded, draft, describe),
        open_prepared(loaded, call.options, call.progress, handed) as (engine, prepared),
    ):
        deadline = Deadline(call.time_limit)
        compilations.append(compile_configuration(engine, loaded, prepared, statement, draft, call.progress, deadline))
    return describe(), compilations[0]
