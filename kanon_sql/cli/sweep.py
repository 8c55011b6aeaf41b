"""kanon-sql sweep"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kanon_sql.cli.command import FILE, Common, common_options
from kanon_sql.cli.options import column_options_of_many, mapping_of, refuse_columns, releasing_nothing
from kanon_sql.settings.algorithms import ALGORITHMS, either

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kanon_sql.commands.sweep.plan import Given
    from kanon_sql.errors import KanonError


@click.command()
@click.argument("configs", metavar="CONFIG...|DATA", nargs=-1, required=True)
@column_options_of_many
@click.option("--k", "ks", metavar="K,K,...", help="The k to search for [default: 2,3,5,10,20,50,100].")
@click.option("--limit", "limits", metavar="ROWS|SHARE%,...", help="Limits [default: the configuration's, else 0].")
@click.option(
    "--algorithm",
    "algorithms",
    metavar="NAME",
    multiple=True,
    help=f"{either(ALGORITHMS)}, in place of the configuration's; may be repeated: several are compared.",
)
@click.option("-o", "--output", metavar="FILE", type=FILE, help="Write the table, .csv or .json.")
@click.option("--plot", metavar="FILE", type=FILE, help="Draw the measures over k, .html, .svg or .png.")
@common_options
def sweep(
    common: Common,
    configs: tuple[str, ...],
    ks: str | None,
    limits: str | None,
    algorithms: tuple[str, ...],
    output: Path | None,
    plot: Path | None,
    **options: Any,
) -> None:
    """Searches for many k and suppression limits: what does privacy cost? Nothing is released.

    \b
      kanon-sql sweep config.yaml --k 2,10,20,40 --plot sweep.html
      kanon-sql sweep config.yaml --algorithm optimal --algorithm minimal --limit 0,1%
      kanon-sql sweep one.yaml another.yaml -o sweep.csv
      kanon-sql sweep patients.csv --qi age=intervals:5,10,20 --qi sex --k 2,5,10

    Each source is read once. Exit status 0 when at least one point has a release.
    """
    from kanon_sql import api
    from kanon_sql.commands.sweep.plan import DEFAULT_KS

    data = api.sweep(
        _asked(configs, algorithms, options),
        k=DEFAULT_KS if ks is None else ks.split(","),
        limits=None if limits is None else limits.split(","),
        algorithms=algorithms,
        overrides=common.overrides,
        output=output,
        plot=plot,
        **common.arguments(),
    )
    common.show(data, _summarize)
    if not any(point["status"] == "released" for point in data["points"]):
        raise _no_release(data["points"])


def _asked(configs: tuple[str, ...], algorithms: tuple[str, ...], options: dict[str, Any]) -> Sequence[Given]:
    """The configurations, or with --qi the one that the options stand for; each k is searched for in turn."""
    if not options["qi"]:
        refuse_columns(options)
        return configs
    if len(configs) > 1:
        raise click.UsageError("with --qi there is one argument, the data")
    algorithm = algorithms[0] if algorithms else None
    return [mapping_of(configs[0], {**releasing_nothing(options), "k": 1, "limit": None, "algorithm": algorithm})]


def _summarize(data: dict[str, Any]) -> str:
    """The table, below a line about time."""
    from kanon_sql.cli.summary import table
    from kanon_sql.report.charts.sweep_lines import HEAD, cells

    seconds, count = data["seconds"], len(data["points"])
    head = (
        f"{count:,} point{'s' * (count != 1)}: read in {seconds['read']:.2f} s, searched in {seconds['search']:.2f} s\n"
    )
    return head + table(HEAD, [cells(point) for point in data["points"]])


def _no_release(points: list[dict[str, Any]]) -> KanonError:
    """How a sweep without any release ends: like a run of its first point that says more than another."""
    from kanon_sql.errors import NoReleaseError, OutOfTimeError

    late = [point for point in points if point["status"] == "timed-out"]
    kind, first = (OutOfTimeError, late[0]) if late else (NoReleaseError, points[0])
    return kind(f"none of {len(points)} points has a release; at k = {first['k']}: {first['problem']}")
