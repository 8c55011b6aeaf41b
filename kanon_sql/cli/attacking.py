"""kanon-sql attack"""

from __future__ import annotations

from typing import Any

import click

from kanon_sql.cli.command import FILE, Common, common_options


@click.command()
@click.argument("config", metavar="CONFIG")
@click.option(
    "--control",
    metavar="FILE",
    type=FILE,
    help="Rows of the same population that were never released: what works on them as well is no risk.",
)
@click.option(
    "--hold-out",
    metavar="SHARE%",
    help="Make a release anew, of a random part, and take the other rows for control; the target is left alone.",
)
@click.option("--attacks", metavar="N", type=int, default=2000, help="Guesses of each attack [default: 2000].")
@click.option(
    "--seed", metavar="N", type=int, default=1, help="Draws the rows and columns that are attacked [default: 1]."
)
@click.option("--html", metavar="FILE", type=FILE, help="Write a page with a chart.")
@click.option(
    "--method",
    is_flag=True,
    help="Also measure what the release tells to somebody who knows the program and its configuration.",
)
@common_options
def attack(common: Common, config: str, **options: Any) -> None:
    """Plays adversaries against a release that is there: singling out, linkability, inference.

    \b
      kanon-sql run config.yaml && kanon-sql attack config.yaml --control held_out.csv
      kanon-sql attack config.yaml --hold-out 50%

    Each attack is played on rows of the source, on rows of a control group and blindly; the risk is by how much more
    often it succeeds on the source than on the control group. Exit status 0 when it was measured.
    """
    from kanon_sql import api
    from kanon_sql.cli.attack_summary import summarize_attack

    data = api.attack(config, **options, overrides=common.overrides, **common.arguments())
    common.show(data, summarize_attack)
