"""kanon-sql compile, and kanon-sql dbt and kanon-sql sqlmesh that write it into a project"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from kanon_sql.cli.command import FILE, Common, Grouped, Option, common_options, with_options
from kanon_sql.cli.options import column_options, loaded_from
from kanon_sql.cli.output import Json, print_data, print_json


@click.command(name="compile", cls=Grouped)
@click.argument("config", metavar="CONFIG|DATA")
@column_options
@click.option(
    "--dialect",
    default="duckdb",
    show_default=True,
    metavar="NAME",
    help="The SQL to write: duckdb, spark, databricks, postgres, snowflake, bigquery, trino or redshift.",
)
@click.option(
    "--source-table",
    metavar="NAME",
    help="The table that the statement reads, as the dialect writes it [default: the source itself in DuckDB, "
    "elsewhere a table of its name].",
)
@click.option(
    "--mappings",
    type=click.Choice(["inline", "table"]),
    default="inline",
    show_default=True,
    help="Write mapping tables into the statement, or name them and write them beside it as CSV files.",
)
@click.option(
    "--mapping-folder",
    metavar="DIR",
    type=FILE,
    help="Where --mappings table puts the files [default: the working folder].",
)
@click.option(
    "--mapping-prefix",
    metavar="TEXT",
    default="kanon_sql_",
    show_default=True,
    help="What the names of mapping tables begin with, such as analytics.adult_.",
)
@click.option("--check", is_flag=True, help="Write the statement that returns the classes which violate, counts only.")
@click.option(
    "--release-table",
    metavar="NAME",
    help="With --check, the table that the release was stored in [default: the release that would be made].",
)
@common_options
def compile_command(common: Common, config: str, **options: Any) -> None:
    """Searches, and prints the release as one self-contained SELECT for a database to execute.

    \b
      kanon-sql compile config.yaml > release.sql
      kanon-sql compile patients.csv --qi age=intervals:5,10,20 --qi sex --k 5 --unlisted drop > release.sql
      kanon-sql compile config.yaml --dialect postgres --source-table public.patients
      kanon-sql compile config.yaml --dialect snowflake --mappings table --mapping-folder seeds
      kanon-sql compile config.yaml --dialect postgres --check --release-table public.release

    The text holds the mapping tables, and so values of the source: it is as confidential as the source. So are the
    files that --mappings table writes.
    """
    names = ("dialect", "source_table", "mappings", "mapping_folder", "mapping_prefix", "check", "release_table")
    statement_options = {name: options.pop(name) for name in names}
    loaded = loaded_from(config, options, common)
    from kanon_sql import api
    from kanon_sql.release.compiled_source import Statement

    with common.telling():
        data = api.compile_report(loaded, Statement(**statement_options), **common.arguments())
    common.warn(data["warnings"])
    if common.as_json:
        print_json(data)
    else:
        print_data(data["statement"]["sql"])


@click.group()
def dbt() -> None:
    """kanon-sql in dbt: a package of generic tests, and releases as models.

    \b
      kanon-sql dbt path                     where the package is, for packages.yml
      kanon-sql dbt compile config.yaml --project . --name people_release --relation "ref('people')"
    """


@click.group()
def sqlmesh() -> None:
    """kanon-sql in SQLMesh: audits of releases, and releases as models.

    \b
      kanon-sql sqlmesh path                 where the audits are, for the folder audits of a project
      kanon-sql sqlmesh compile kanon.yaml --project . --name clinic.release --relation clinic.patients
    """


@dbt.command("path")
def dbt_path() -> None:
    """Prints the folder of the dbt package kanon_sql: tests k_anonymous, l_diverse, t_close and max_suppression.

    \b
    In packages.yml:
      packages:
        - local: "{{ env_var('KANON_SQL_DBT') }}"
    and then
      KANON_SQL_DBT=$(kanon-sql dbt path) dbt deps
    """
    from kanon_sql.commands.projects import package_folder

    print_data(f"{package_folder()}\n")


@sqlmesh.command("path")
def sqlmesh_path() -> None:
    """Prints the file of the audits k_anonymous, l_diverse, t_close, t_close_ordered and max_suppression.

    \b
    They are used by copying them into a project:
      cp "$(kanon-sql sqlmesh path)" audits/kanon_sql.sql
    """
    from kanon_sql.commands.projects.sqlmesh import audits_file

    print_data(f"{audits_file()}\n")


def _model_options(kind: str, name: str, relation: Option, engine: str) -> Option:
    """The options of a command that writes a model into a project."""
    return with_options(
        click.argument("config", metavar="CONFIG"),
        click.option(
            "--project",
            metavar="DIR",
            default=".",
            type=FILE,
            help=f"The folder of the {kind} project [default: the working folder].",
        ),
        click.option("--name", metavar="MODEL", required=True, help=f"The name of the model to write{name}."),
        relation,
        click.option("--dialect", metavar="NAME", default="duckdb", show_default=True, help=f"The SQL of {engine}."),
        click.option("--overwrite", is_flag=True, help="Replace an earlier model of that name."),
        common_options,
    )


@dbt.command("compile")
@_model_options(
    "dbt",
    "",
    click.option(
        "--relation",
        metavar="REF",
        required=True,
        help="What the model reads: ref('model') or source('source', 'table').",
    ),
    "the dbt adapter",
)
def compile_for_dbt(common: Common, **options: Any) -> None:
    """Searches, and writes the release as a dbt model, its mapping tables as seeds, and a schema with tests.

    \b
      kanon-sql dbt compile config.yaml --project . --name people_release --relation "ref('people')"

    Nothing that is there is replaced without --overwrite. The seeds hold values of the source, and are as confidential.
    """
    from kanon_sql import api

    _write(common, api.dbt_model, **options)


@sqlmesh.command("compile")
@_model_options(
    "SQLMesh",
    ", as schema.model",
    click.option("--relation", metavar="TABLE", required=True, help="The model or table that it reads."),
    "the project's engine",
)
def compile_for_sqlmesh(common: Common, **options: Any) -> None:
    """Searches, and writes the release as a SQLMesh model with its audits.

    \b
      kanon-sql sqlmesh compile kanon.yaml --project . --name clinic.release --relation clinic.patients

    Nothing that is there is replaced without --overwrite. The model holds values of the source, and is as confidential;
    so is SQLMesh's state, which keeps the texts of models.
    """
    from kanon_sql import api

    _write(common, api.sqlmesh_model, **options)


def _write(common: Common, write: Callable[..., Json], config: str, **options: Any) -> None:
    report = write(loaded_from(config, {}, common), **options, **common.arguments())
    common.show(report, lambda shown: "\n".join(shown["files"]))
