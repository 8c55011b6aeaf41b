"""kanon-sql risk"""

from __future__ import annotations

from typing import Any

import click

from kanon_sql.cli.command import FILE, Common, common_options
from kanon_sql.cli.options import column_options, loaded_from


@click.command()
@click.argument("config", metavar="CONFIG|DATA")
@column_options
@click.option(
    "--population",
    metavar="FILE",
    type=FILE,
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
@click.option("--plot", metavar="FILE", type=FILE, help="Draw the class sizes, .html, .svg or .png.")
@common_options
def risk(common: Common, config: str, **options: Any) -> None:
    """Measures how likely persons are re-identified in a table as it stands, and which columns make it so.

    \b
      kanon-sql risk config.yaml               the configuration's source, and its target where that exists
      kanon-sql risk people.csv --qi age --qi zip --columns all
      kanon-sql risk people.csv --qi age=age --qi zip --population register.csv
      kanon-sql risk config.yaml --population register.csv --plot risk.html

    Prosecutor risk is 1/f for a row in a class of f rows, journalist risk 1/F with F persons of the population;
    marketer risk is the share of rows that linking all of them names right. Exit status 0 when it was measured.
    """
    asked = {name: options.pop(name) for name in ("population", "threshold", "subsets", "plot")}
    asked["all_columns"] = options.pop("columns") == "all"
    if options["qi"]:
        options["k"] = options["k"] or 1  # nothing is released, so k says nothing
    loaded = loaded_from(config, options, common, releases=False)
    from kanon_sql import api
    from kanon_sql.cli.risk_summary import summarize_risk

    if asked["threshold"] is None:
        del asked["threshold"]
    common.show(api.risk(loaded, **asked, **common.arguments()), summarize_risk)
