"""kanon-sql compile"""

from __future__ import annotations

from typing import Any

import click

from kanon_sql.cli.command import FILE, Common, common_options
from kanon_sql.cli.options import column_options, loaded_from
from kanon_sql.cli.output import print_data, print_json


@click.command(name="compile")
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
    asked = {name: options.pop(name) for name in names}
    loaded = loaded_from(config, options, common)
    from kanon_sql import api
    from kanon_sql.release.compiled_source import Statement

    with common.telling():
        data = api.compile_report(loaded, Statement(**asked), **common.arguments())
    common.warn(data["warnings"])
    if common.as_json:
        print_json(data)
    else:
        print_data(data["statement"]["sql"])
