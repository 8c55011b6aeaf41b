"""kanon-sql check"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from kanon_sql.cli.command import FILE, Common, common_options, end_violated
from kanon_sql.cli.options import column_options, loaded_from


@click.command()
@click.argument("config", metavar="CONFIG|DATA")
@click.argument("data", required=False, type=FILE)
@click.option(
    "--reference",
    metavar="SOURCE",
    type=FILE,
    help="The table whose sensitive values are compared with for --t [default: the table itself].",
)
@column_options
@common_options
def check(common: Common, config: str, data: Path | None, reference: Path | None, **options: Any) -> None:
    """Measures a table as it stands: does every combination of quasi-identifiers stand for at least k rows?

    \b
      kanon-sql check config.yaml              the configuration's source
      kanon-sql check config.yaml release.csv  another table, by the configuration's columns
      kanon-sql check release.csv --qi age --qi zip --k 5
      kanon-sql check release.csv --qi age --k 5 --sensitive disease --l 3 --t 0.2

    Exit status 0 when it does, 1 when it does not.
    """
    if options["qi"] and data is not None:
        raise click.UsageError("with --qi there is one argument, the table to measure")
    loaded = loaded_from(config, options, common, releases=False)
    from kanon_sql import api
    from kanon_sql.cli.summary import summarize_check
    from kanon_sql.report.report import write_json
    from kanon_sql.targets.outputs import refuse_outputs

    read = [("the table that is measured", data), ("the reference", reference)]
    refuse_outputs([loaded], [("--report", common.report)], read)
    report = api.check(loaded, data, reference=reference, **common.arguments("time_limit", "report"))
    if common.report is not None:
        write_json(common.report, report)
    common.show(report, summarize_check)
    end_violated(report)
