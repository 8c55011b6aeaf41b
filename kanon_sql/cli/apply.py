"""kanon-sql apply"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from kanon_sql.cli.options import after_release, common_options, take_common
from kanon_sql.cli.output import print_json, print_summary
from kanon_sql.errors import KanonError


@click.command()
@click.argument("number", metavar="RELEASE_ID", type=click.IntRange(min=1))
@click.argument("data", metavar="NEW_DATA", type=click.Path(path_type=Path))
@click.option(
    "--ledger",
    metavar="LEDGER|CONFIG",
    default="ledger.duckdb",
    show_default=True,
    help="The ledger that holds the release, or a configuration that names it.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The new release, CSV or Parquet by its suffix [default: beside the release, with its number].",
)
@common_options
def apply(number: int, data: Path, ledger: str, output: Path | None, **options: Any) -> None:
    """Applies the levels of release RELEASE_ID to new data of the same source: rows added, changed or removed since.

    \b
      kanon-sql apply 1 patients-july.csv --ledger config.yaml -o july.csv

    What the new release and an earlier one have in common, what was added and what was removed can be told apart by
    everybody who has both. In each of these, too, every class is empty or satisfies k and every model: rows that were
    added wait until enough others are, and a class that would lose too few rows is suppressed whole. Exit status 1
    when that are more rows than suppression.limit. --set changes target, suppression and releases.on_conflict only.
    """
    common = take_common(options)
    from kanon_sql import api

    try:
        report = api.apply(
            number,
            data,
            ledger=ledger,
            output=output,
            overrides=common.overrides,
            options=common.engine(),
            time_limit=common.time_limit,
            report=common.report,
            progress=common.progress(),
        )
    except KanonError as error:
        common.tell_failed(error)
        raise
    with after_release():
        common.warn(report["warnings"])
        if common.as_json:
            print_json(report)
        elif not common.quiet:
            from kanon_sql.cli.releases_summary import summarize_applied

            print_summary(summarize_applied, report)
