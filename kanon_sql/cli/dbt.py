"""kanon-sql dbt"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from kanon_sql.cli.options import common_options, loaded_from, take_common
from kanon_sql.cli.output import print_data, print_json, print_text
from kanon_sql.errors import escape


@click.group()
def dbt() -> None:
    """kanon-sql in dbt: a package of generic tests, and releases as models.

    \b
      kanon-sql dbt path                     where the package is, for packages.yml
      kanon-sql dbt compile config.yaml --project . --name people_release --relation "ref('people')"
    """


@dbt.command()
def path() -> None:
    """Prints the folder of the dbt package kanon_sql: tests k_anonymous, l_diverse, t_close and max_suppression.

    \b
    In packages.yml:
      packages:
        - local: "{{ env_var('KANON_SQL_DBT') }}"
    and then
      KANON_SQL_DBT=$(kanon-sql dbt path) dbt deps
    """
    from kanon_sql.dbt import package_folder

    print_data(f"{package_folder()}\n")


@dbt.command(name="compile")
@click.argument("config", metavar="CONFIG")
@click.option(
    "--project",
    metavar="DIR",
    default=".",
    type=click.Path(path_type=Path),
    help="The folder of the dbt project [default: the working folder].",
)
@click.option("--name", metavar="MODEL", required=True, help="The name of the model to write.")
@click.option(
    "--relation",
    metavar="REF",
    required=True,
    help="What the model reads: ref('model') or source('source', 'table').",
)
@click.option("--dialect", metavar="NAME", default="duckdb", show_default=True, help="The SQL of the dbt adapter.")
@click.option("--overwrite", is_flag=True, help="Replace an earlier model of that name.")
@common_options
def compile_model(
    config: str, project: Path, name: str, relation: str, dialect: str, overwrite: bool, **options: Any
) -> None:
    """Searches, and writes the release as a dbt model, its mapping tables as seeds, and a schema with tests.

    \b
      kanon-sql dbt compile config.yaml --project . --name people_release --relation "ref('people')"

    Nothing that is there is replaced without --overwrite. The seeds hold values of the source, and are as confidential.
    """
    common = take_common(options)
    loaded = loaded_from(config, options, common)
    from kanon_sql import api

    data = api.dbt_model(
        loaded,
        project,
        name,
        relation,
        dialect=dialect,
        overwrite=overwrite,
        options=common.engine(),
        time_limit=common.time_limit,
        report=common.report,
        progress=common.progress(),
    )
    common.warn(data["warnings"])
    if common.as_json:
        print_json(data)
    elif not common.quiet:
        for file in data["files"]:
            print_text(escape(file))
