"""kanon-sql sqlmesh"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from kanon_sql.cli.options import common_options, loaded_from, take_common
from kanon_sql.cli.output import print_data, print_json, print_text
from kanon_sql.errors import escape


@click.group()
def sqlmesh() -> None:
    """kanon-sql in SQLMesh: audits of releases, and releases as models.

    \b
      kanon-sql sqlmesh path                 where the audits are, for the folder audits of a project
      kanon-sql sqlmesh compile config.yaml --project . --name clinic.release --relation clinic.patients
    """


@sqlmesh.command()
def path() -> None:
    """Prints the file of the audits k_anonymous, l_diverse, t_close, t_close_ordered and max_suppression.

    \b
    They are used by copying them into a project:
      cp "$(kanon-sql sqlmesh path)" audits/kanon_sql.sql
    """
    from kanon_sql.commands.projects.sqlmesh import audits_file

    print_data(f"{audits_file()}\n")


@sqlmesh.command(name="compile")
@click.argument("config", metavar="CONFIG")
@click.option(
    "--project",
    metavar="DIR",
    default=".",
    type=click.Path(path_type=Path),
    help="The folder of the SQLMesh project [default: the working folder].",
)
@click.option("--name", metavar="MODEL", required=True, help="The name of the model to write, as schema.model.")
@click.option("--relation", metavar="TABLE", required=True, help="The model or table that it reads.")
@click.option("--dialect", metavar="NAME", default="duckdb", show_default=True, help="The SQL of the project's engine.")
@click.option("--overwrite", is_flag=True, help="Replace an earlier model of that name.")
@common_options
def compile_model(
    config: str, project: Path, name: str, relation: str, dialect: str, overwrite: bool, **options: Any
) -> None:
    """Searches, and writes the release as a SQLMesh model with its audits.

    \b
      kanon-sql sqlmesh compile config.yaml --project . --name clinic.release --relation clinic.patients

    Nothing that is there is replaced without --overwrite. The model holds values of the source, and is as confidential;
    so is SQLMesh's state, which keeps the texts of models.
    """
    common = take_common(options)
    loaded = loaded_from(config, options, common)
    from kanon_sql import api

    data = api.sqlmesh_model(
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
