"""kanon-sql run"""

from __future__ import annotations

from typing import Any

import click

from kanon_sql.cli.options import after_release, column_options, common_options, loaded_from, take_common
from kanon_sql.cli.output import print_data, print_json, print_summary
from kanon_sql.errors import KanonError
from kanon_sql.settings.algorithms import ALGORITHMS


@click.command()
@click.argument("config", metavar="CONFIG|DATA")
@column_options
@click.option("-o", "--output", metavar="FILE", help="The release, CSV or Parquet by its suffix, or in-place.")
@click.option("--overwrite", is_flag=True, help="Replace an existing release.")
@click.option(
    "--algorithm",
    type=click.Choice(tuple(ALGORITHMS)),
    help="The search [default: optimal].",
)
@click.option("--order", type=click.Choice(["random", "none"]), help="Order of the released rows [default: random].")
@click.option(
    "--suppressed",
    type=click.Choice(["drop", "mask"]),
    help="What becomes of suppressed rows [default: drop].",
)
@click.option(
    "--missing-rows", type=click.Choice(["keep", "drop", "drop-any"]), help="Rows with missing values [default: keep]."
)
@click.option("--print-config", is_flag=True, help="Print the configuration that the options stand for, and stop.")
@common_options
def run(config: str, print_config: bool, **options: Any) -> None:
    """Anonymizes what CONFIG names: reads, searches, writes, verifies, and prints what was done.

    With --qi the argument is a data file instead, and options stand for a configuration:

    \b
      kanon-sql run patients.csv --qi age=intervals:5,10,20 --qi sex --sensitive diagnosis --k 5 -o release.csv
    """
    common = take_common(options)
    if print_config:
        from kanon_sql.config.arguments import to_yaml

        shown = loaded_from(config, options, common)
        print_data(shown.redact(to_yaml(shown.config.model_dump(exclude_unset=True))))
        return
    loaded = loaded_from(config, options, common)
    from kanon_sql import api

    try:
        result = api.run(
            loaded,
            options=common.engine(),
            time_limit=common.time_limit,
            report=common.report,
            progress=common.progress(),
        )
    except KanonError as error:
        common.tell_failed(error)
        raise
    with after_release():
        common.warn(list(result.warnings))
        if common.as_json:
            print_json(result.report)
        elif not common.quiet:
            from kanon_sql.cli.summary import summarize_run

            print_summary(summarize_run, result.report)
