"""kanon-sql run"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from kanon_sql.cli.command import FILE, Common, Grouped, after_release, common_options
from kanon_sql.cli.options import argument, column_options, loaded_from, with_options_of
from kanon_sql.cli.output import print_data
from kanon_sql.errors import ConfigurationError
from kanon_sql.settings.algorithms import ALGORITHMS, EFFORTS


@click.command(cls=Grouped)
@click.argument("config", metavar="CONFIG|DATA")
@column_options
@argument("output", metavar="FILE", help="The release, its format by its suffix, or in-place.")
@click.option("--overwrite", is_flag=True, help="Replace an existing release.")
@argument(
    "algorithm",
    type=click.Choice(tuple(ALGORITHMS)),
    help="The search [default: optimal].",
)
@click.option("--effort", type=click.Choice(EFFORTS), help="How long local looks for less loss [default: default].")
@argument(
    "strata", metavar="COLUMN", multiple=True, help="microaggregation: groups never mix its values; may be repeated."
)
@argument("order", type=click.Choice(["random", "none"]), help="Order of the released rows [default: random].")
@argument(
    "suppressed",
    type=click.Choice(["drop", "mask"]),
    help="What becomes of suppressed rows [default: drop].",
)
@argument(
    "missing_rows", type=click.Choice(["keep", "drop", "drop-any"]), help="Rows with missing values [default: keep]."
)
@click.option("--html", metavar="FILE", type=FILE, help="Write the page for people, which needs nothing else.")
@click.option(
    "--lineage", metavar="FILE|URL", help="Append OpenLineage events of the run to a file, or send them to a server."
)
@click.option("--dry-run", is_flag=True, help="Do everything but writing the release.")
@click.option("--strict", is_flag=True, help="A warning is exit status 1, and nothing is released.")
@click.option("--no-advice", is_flag=True, help="Do not look for settings that would lose less.")
@click.option(
    "--on-interrupt",
    type=click.Choice(["nothing", "release"]),
    default="nothing",
    help="What is released of an interrupted search: the best found so far, or nothing [default: nothing].",
)
@click.option("--print-config", is_flag=True, help="Print the configuration that the options stand for, and stop.")
@common_options
def run(common: Common, config: str, print_config: bool, no_advice: bool, html: Path | None, **options: Any) -> None:
    """Anonymizes what CONFIG names: reads, searches, writes, verifies, and prints what was done.

    With --qi the argument is a data file instead, and options stand for a configuration:

    \b
      kanon-sql run patients.csv --qi age=intervals:5,10,20 --qi sex --sensitive diagnosis --k 5 -o release.csv
    """
    run_options = {name: options.pop(name) for name in ("dry_run", "on_interrupt", "strict")}
    lineage = options.pop("lineage")
    from kanon_sql.config.database import is_database

    if not options["qi"] and is_database(config):
        _run_tables(common, config, html, run_options, {**options, "lineage": lineage})
        return
    loaded = loaded_from(config, options, common)
    if print_config:
        from kanon_sql.config.arguments import to_yaml

        print_data(loaded.redact(to_yaml(loaded.config.model_dump(exclude_unset=True))))
        return
    from kanon_sql import api
    from kanon_sql.report.views.jobs import summarize_run

    if loaded.config.target is None and loaded.config.engine.chosen == "duckdb":
        place = loaded.place("target")
        raise ConfigurationError(f"{place}: there is no target; expected a file, a table or in-place")
    with common.telling():
        how = {"advice": not no_advice, "html": html, "lineage": lineage}
        report = api.run(loaded, **how, **run_options, **common.arguments()).report
    with after_release():
        common.show(report, summarize_run)


def _run_tables(
    common: Common, config: str, html: Path | None, run_options: dict[str, Any], options: dict[str, Any]
) -> None:
    """Anonymizes a whole database of persons."""
    from kanon_sql import api
    from kanon_sql.report.views.database import summarize_database

    of_tables = {name: options.pop(name) for name in ("overwrite", "effort", "k", "output", "algorithm")}
    given = [name for name, value in options.items() if value not in (None, (), "", False)]
    if given:
        raise click.UsageError(
            f"--{given[0].replace('_', '-')} goes with a configuration of one table; say it in {config}, or with --set"
        )
    output = of_tables.pop("output")
    overrides = with_options_of(of_tables, common.overrides)
    if output is not None:
        kind = "database" if Path(output).suffix in (".duckdb", ".db") else "path"
        overrides = (("target", "in-place" if output == "in-place" else json.dumps({kind: output})), *overrides)
    with common.telling():
        report = api.run(config, overrides=overrides, html=html, **run_options, **common.arguments()).report
    with after_release():
        common.show(report, summarize_database)
