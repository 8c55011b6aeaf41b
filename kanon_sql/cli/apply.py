"""kanon-sql apply"""

from __future__ import annotations

from pathlib import Path

import click

from kanon_sql.cli.command import FILE, Common, after_release, common_options


@click.command()
@click.argument("number", metavar="RELEASE_ID", type=click.IntRange(min=1))
@click.argument("data", metavar="NEW_DATA", type=FILE)
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
    type=FILE,
    help="The new release, CSV or Parquet by its suffix [default: beside the release, with its number].",
)
@common_options
def apply(common: Common, number: int, data: Path, ledger: str, output: Path | None) -> None:
    """Applies the levels of release RELEASE_ID to new data of the same source: rows added, changed or removed since.

    \b
      kanon-sql apply 1 patients-july.csv --ledger config.yaml -o july.csv

    What the new release and an earlier one have in common, what was added and what was removed can be told apart by
    everybody who has both. In each of these, too, every class is empty or satisfies k and every model: rows that were
    added wait until enough others are, and a class that would lose too few rows is suppressed whole. Exit status 1
    when that are more rows than suppression.limit. --set changes target, suppression and releases.on_conflict only.
    """
    from kanon_sql import api
    from kanon_sql.cli.releases_summary import summarize_applied

    with common.telling():
        report = api.apply(number, data, ledger=ledger, output=output, overrides=common.overrides, **common.arguments())
    with after_release():
        common.show(report, summarize_applied)
