"""kanon-sql report"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kanon_sql.cli.command import FILE, Common, common_options
from kanon_sql.cli.output import complain, print_data, print_json


@click.command()
@click.argument("config", metavar="CONFIG", type=FILE)
@click.option("-o", "--output", metavar="FILE", type=FILE, help="The page [default: report.html, else the output].")
@common_options
def report(common: Common, config: Path, output: Path | None) -> None:
    """Writes the page of a release that is there: what it is, what it protects from, what it is still good for.

    \b
      kanon-sql report config.yaml -o release.html

    Where the configuration names no page, it goes to standard output; on a terminal into a file beside the
    configuration. The JSON report of the run is taken where it holds the SHA-256 of the release; else the source is
    searched again.
    """
    from kanon_sql import api

    loaded = api.load(config, common.overrides)
    configured = loaded.config.report is not None and loaded.config.report.page is not None
    chosen = output is None and not configured and not common.as_json and sys.stdout.isatty()
    if chosen:
        output = config.with_suffix(".html")
    with common.telling():
        page, data = api.report_release(loaded, html=output, **common.arguments())
    common.warn(data["warnings"])
    if common.as_json:
        print_json(data)
    elif output is None and not configured:
        print_data(page)
    elif chosen and not common.quiet:
        complain("note", f"the page is in {output}")
