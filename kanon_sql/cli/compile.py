"""kanon-sql compile"""

from __future__ import annotations

from typing import Any

import click

from kanon_sql.cli.options import common_options, loaded_from, take_common


@click.command(name="compile")
@click.argument("config", metavar="CONFIG")
@click.option("--dialect", default="duckdb", show_default=True, help="The SQL to write.")
@common_options
def compile_command(config: str, dialect: str, **options: Any) -> None:
    """Searches, and prints the release as one self-contained SELECT instead of writing it.

    The text holds the mapping tables, and so values of the source: it is as confidential as the source.
    """
    common = take_common(options)
    loaded = loaded_from(config, options, common)
    from kanon_sql import api

    text = api.compile(
        loaded,
        options=common.engine(),
        time_limit=common.time_limit,
        progress=common.progress(),
        dialect=dialect,
    )
    click.echo(text, nl=False)
