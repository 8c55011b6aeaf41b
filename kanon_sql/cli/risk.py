"""kanon-sql risk"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kanon_sql.cli.options import Common, column_options, common_options, loaded_from, releasing_nothing, take_common
from kanon_sql.cli.output import print_json, print_summary

if TYPE_CHECKING:
    from kanon_sql.config.load import LoadedConfig


@click.command()
@click.argument("config", metavar="CONFIG|DATA")
@column_options
@click.option(
    "--population",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="CSV or Parquet of all persons of whom the table is a sample: adds journalist risk.",
)
@click.option("--threshold", metavar="RISK", type=float, help="Count the rows whose risk is above this [default: 0.2].")
@click.option(
    "--subsets",
    metavar="N",
    type=click.IntRange(min=0),
    help="Count the subsets of up to N columns, 0 for none [default: 3, fewer for many columns].",
)
@click.option(
    "--columns",
    type=click.Choice(["quasi-identifiers", "all"]),
    default="quasi-identifiers",
    help="Whose subsets: all takes every column that is no identifier [default: quasi-identifiers].",
)
@click.option(
    "--plot", metavar="FILE", type=click.Path(path_type=Path), help="Draw the class sizes, .html, .svg or .png."
)
@common_options
def risk(
    config: str,
    population: Path | None,
    threshold: float | None,
    subsets: int | None,
    columns: str,
    plot: Path | None,
    **options: Any,
) -> None:
    """Measures how likely persons are re-identified in a table as it stands, and which columns make it so.

    \b
      kanon-sql risk config.yaml               the configuration's source, and its target where that exists
      kanon-sql risk people.csv --qi age --qi zip --columns all
      kanon-sql risk people.csv --qi age=age --qi zip --population register.csv
      kanon-sql risk config.yaml --population register.csv --plot risk.html

    Prosecutor risk is 1/f for a row in a class of f rows, journalist risk 1/F with F persons of the population;
    marketer risk is the share of rows that linking all of them names right. Exit status 0 when it was measured.
    """
    common = take_common(options)
    loaded = _loaded(config, options, common)
    from kanon_sql import api
    from kanon_sql.commands.risk.request import THRESHOLD

    data = api.risk(
        loaded,
        population=population,
        threshold=THRESHOLD if threshold is None else threshold,
        subsets=subsets,
        all_columns=columns == "all",
        options=common.engine(),
        time_limit=common.time_limit,
        plot=plot,
        report=common.report,
        progress=common.progress(),
    )
    common.warn(data["warnings"])
    if common.as_json:
        print_json(data)
    elif not common.quiet:
        from kanon_sql.cli.risk_summary import summarize_risk

        print_summary(summarize_risk, data)


def _loaded(first: str, options: dict[str, Any], common: Common) -> LoadedConfig:
    """The configuration, or with --qi the one that the options stand for: nothing is released, so k says nothing."""
    if options["qi"]:
        options |= {"k": options["k"] or 1}
    return loaded_from(first, releasing_nothing(options), common)
