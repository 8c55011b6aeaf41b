"""kanon-sql lattice"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from kanon_sql.cli.command import FILE, Common, common_options
from kanon_sql.cli.options import column_options, loaded_from


@click.command()
@click.argument("config", metavar="CONFIG|DATA")
@column_options
@click.option("--plot", metavar="FILE", type=FILE, help="Draw the lattice, .svg or .dot.")
@common_options
def lattice(common: Common, config: str, plot: Path | None, **options: Any) -> None:
    """Evaluates every node of the generalization lattice: levels, suppressed rows, classes, loss.

    \b
      kanon-sql lattice config.yaml --plot lattice.svg
      kanon-sql lattice patients.csv --qi age=intervals:5,10,20 --qi sex --k 5

    A node satisfies when the rows of its classes below k are within the suppression limit; it is minimal when no
    node below it satisfies.
    """
    loaded = loaded_from(config, options, common, releases=False)
    from kanon_sql import api
    from kanon_sql.cli.summary import summarize_lattice
    from kanon_sql.report.charts.lattice import write_plot
    from kanon_sql.report.report import write_json
    from kanon_sql.targets.outputs import refuse_outputs

    if plot is not None and plot.suffix.lower() not in (".svg", ".dot"):
        raise click.UsageError(f"--plot {plot}: expected a file that ends in .svg or .dot")
    refuse_outputs([loaded], [("--plot", plot), ("--report", common.report)])
    data = api.lattice(loaded, **common.arguments("report"))
    if plot is not None:
        winner = next((node["levels"] for node in data["nodes"] if node["winner"]), None)
        title = f"k = {data['k']}, at most {data['limit']} rows suppressed"
        write_plot(plot, data["nodes"], title, winner)
    if common.report is not None:
        write_json(common.report, data)
    common.show(data, summarize_lattice)
