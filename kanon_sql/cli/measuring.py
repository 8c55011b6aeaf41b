"""kanon-sql check, lattice, sweep, risk, utility, link and attack"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from kanon_sql.cli.command import FILE, Common, Grouped, common_options, end_violated
from kanon_sql.cli.options import (
    column_options,
    column_options_of_many,
    loaded_from,
    mapping_of,
    refuse_columns,
    releasing_nothing,
)
from kanon_sql.settings.algorithms import ALGORITHMS, either

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kanon_sql.commands.sweep import Given
    from kanon_sql.errors import KanonError
    from kanon_sql.results.searched import LatticeReport


@click.command(cls=Grouped)
@click.argument("config", metavar="CONFIG|DATA")
@click.argument("data", required=False, type=FILE)
@click.option(
    "--reference",
    metavar="SOURCE",
    type=FILE,
    help="The table whose sensitive values are compared with for --t [default: the table itself].",
)
@click.option(
    "--manifest",
    metavar="REPORT",
    type=FILE,
    help="The JSON report of a run: the table must have the classes of its release.",
)
@click.option("--released", is_flag=True, help="The table is a release: it must have no column that is not released.")
@column_options
@common_options
def check(
    common: Common,
    config: str,
    data: Path | None,
    reference: Path | None,
    manifest: Path | None,
    released: bool,
    **options: Any,
) -> None:
    """Measures a table as it stands: does every combination of quasi-identifiers stand for at least k rows?

    \b
      kanon-sql check config.yaml              the configuration's source
      kanon-sql check config.yaml release.csv  another table, by the configuration's columns
      kanon-sql check release.csv --qi age --qi zip --k 5
      kanon-sql check release.csv --qi age --k 5 --sensitive disease --l 3 --t 0.2
      kanon-sql check config.yaml copy.parquet --manifest report.json    is it that release?

    Exit status 0 when it does, 1 when it does not.
    """
    if options["qi"] and data is not None:
        raise click.UsageError("with --qi there is one argument, the table to measure")
    from kanon_sql.config.database import is_database

    if not options["qi"] and is_database(config):
        _check_tables(common, config, data, {"manifest": manifest, "released": released, **options})
        return
    # Of a release every column counts: one that no option names is none of it.
    loaded = loaded_from(config, options, common, releases=released)
    from kanon_sql import api
    from kanon_sql.report.report import write_json
    from kanon_sql.report.views.jobs import summarize_check
    from kanon_sql.targets.outputs import refuse_outputs

    read = [("the table that is measured", data), ("the reference", reference), ("the manifest", manifest)]
    refuse_outputs([loaded], [("--report", common.report)], read)
    given: dict[str, Any] = {"reference": reference, "manifest": manifest, "released": released}
    report = api.check(loaded, data, **given, **common.arguments("time_limit", "report"))
    if common.report is not None:
        write_json(common.report, report)
    common.show(report, summarize_check)
    end_violated(report)


def _refuse_with_tables(options: dict[str, Any]) -> None:
    """Raises UsageError for options that go with a configuration of one table."""
    given = [name for name, value in options.items() if value not in (None, (), "", False)]
    if given:
        raise click.UsageError(f"--{given[0].replace('_', '-')} goes with a configuration of one table; leave it out")


def _check_tables(common: Common, config: str, data: Path | None, options: dict[str, Any]) -> None:
    """Measures a whole database of persons as it stands."""
    _refuse_with_tables(options)
    from kanon_sql import api
    from kanon_sql.report.report import write_json
    from kanon_sql.report.views.database import summarize_check

    report = api.check(config, data, overrides=common.overrides, **common.arguments("time_limit", "report"))
    if common.report is not None:
        write_json(common.report, report)
    common.show(report, summarize_check)
    end_violated(report)


def _risk_of_tables(common: Common, config: str, options: dict[str, Any]) -> None:
    """Measures how many persons of a whole database facts tell apart."""
    _refuse_with_tables(options)
    from kanon_sql import api
    from kanon_sql.report.views.database import summarize_risk

    common.show(api.risk(config, overrides=common.overrides, **common.arguments()), summarize_risk)


@click.command(cls=Grouped)
@click.argument("config", metavar="CONFIG|DATA")
@column_options
@click.option("--plot", metavar="FILE", type=FILE, help="Draw the lattice, .html, .svg or .dot.")
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
    from kanon_sql.report.charts.lattice import SUFFIXES, write_plot
    from kanon_sql.report.report import write_json
    from kanon_sql.report.views.jobs import summarize_lattice
    from kanon_sql.targets.outputs import refuse_outputs

    if plot is not None and plot.suffix.lower() not in SUFFIXES:
        raise click.UsageError(f"--plot {plot}: expected a file that ends in .html, .svg or .dot")
    refuse_outputs([loaded], [("--plot", plot), ("--report", common.report)])
    data = api.lattice(loaded, **common.arguments("report"))
    if plot is not None:
        write_plot(plot, cast("LatticeReport", data))
    if common.report is not None:
        write_json(common.report, data)
    common.show(data, summarize_lattice)


@click.command(cls=Grouped)
@click.argument("configs", metavar="CONFIG...|DATA", nargs=-1, required=True)
@column_options_of_many
@click.option("--k", "ks", metavar="K,K,...", multiple=True, help="The k to search for [default: 2,3,5,10,20,50,100].")
@click.option(
    "--limit",
    "limits",
    metavar="ROWS|SHARE%,...",
    multiple=True,
    help="Limits, in one list or repeated [default: the configuration's, else 0].",
)
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
    ks: tuple[str, ...],
    limits: tuple[str, ...],
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
    from kanon_sql.commands.sweep import DEFAULT_KS
    from kanon_sql.report.views.jobs import summarize_sweep

    data = api.sweep(
        _asked(configs, algorithms, options),
        k=_listed(ks) or DEFAULT_KS,
        limits=_listed(limits) or None,
        algorithms=algorithms,
        overrides=common.overrides,
        output=output,
        plot=plot,
        **common.arguments(),
    )
    common.show(data, summarize_sweep)
    if not any(point["status"] == "released" for point in data["points"]):
        raise _no_release(data["points"])


def _listed(given: tuple[str, ...]) -> list[str]:
    """The entries of an option that may be repeated, each with several between commas."""
    return [entry for text in given for entry in text.split(",")]


def _asked(configs: tuple[str, ...], algorithms: tuple[str, ...], options: dict[str, Any]) -> Sequence[Given]:
    """The configurations, or with --qi the one that the options stand for; each k is searched for in turn."""
    if not options["qi"]:
        refuse_columns(options)
        return configs
    if len(configs) > 1:
        raise click.UsageError("with --qi there is one argument, the data")
    algorithm = algorithms[0] if algorithms else None
    return [mapping_of(configs[0], {**releasing_nothing(options), "k": 1, "limit": None, "algorithm": algorithm})]


def _no_release(points: list[dict[str, Any]]) -> KanonError:
    """How a sweep without any release ends: like a run of its first point that says more than another."""
    from kanon_sql.errors import NoReleaseError, OutOfTimeError

    late = [point for point in points if point["status"] == "timed-out"]
    kind, first = (OutOfTimeError, late[0]) if late else (NoReleaseError, points[0])
    return kind(f"none of {len(points)} points has a release; at k = {first['k']}: {first['problem']}")


# The options of risk that the function of the same name takes as they are.
_RISK = (
    "population",
    "population_size",
    "sampling_fraction",
    "weights",
    "threshold",
    "subsets",
    "special_uniques",
    "scores",
    "plot",
)


@click.command(cls=Grouped)
@click.argument("config", metavar="CONFIG|DATA")
@column_options
@click.option(
    "--population",
    metavar="FILE",
    type=FILE,
    help="A table of all persons of whom the table is a sample: adds journalist risk.",
)
@click.option(
    "--population-size",
    metavar="N",
    type=int,
    help="Persons of whom the table is a random sample: estimates how many are unique among them.",
)
@click.option(
    "--sampling-fraction", metavar="SHARE", type=float, help="The same, by the share of them that the table is of."
)
@click.option(
    "--weights",
    metavar="COLUMN",
    help="A column that says for how many persons of the population each row of a survey stands.",
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
    "--special-uniques",
    metavar="N",
    type=click.IntRange(min=1),
    help="Find the minimal sample uniques of up to N columns, and score the rows that have them.",
)
@click.option(
    "--scores",
    metavar="FILE",
    type=FILE,
    help="With --show-values: write the values that have such a unique, with their scores.",
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
      kanon-sql risk config.yaml --sampling-fraction 0.01
      kanon-sql risk survey.csv --qi age --qi zip --weights weight

    Prosecutor risk is 1/f for a row in a class of f rows, journalist risk 1/F with F persons of the population;
    marketer risk is the share of rows that linking all of them names right. Exit status 0 when it was measured.
    """
    request_options = {name: options.pop(name) for name in _RISK}
    request_options["all_columns"] = options.pop("columns") == "all"
    from kanon_sql.config.database import is_database

    if not options["qi"] and is_database(config):
        _risk_of_tables(common, config, {**request_options, **options})
        return
    if options["qi"]:
        options["k"] = options["k"] or 1  # nothing is released, so k says nothing
    loaded = loaded_from(config, options, common, releases=False)
    from kanon_sql import api
    from kanon_sql.report.views.measures import summarize_risk

    if request_options["threshold"] is None:
        del request_options["threshold"]
    common.show(api.risk(loaded, **request_options, **common.arguments()), summarize_risk)


@click.command()
@click.argument("config", metavar="CONFIG")
@common_options
def utility(common: Common, config: str) -> None:
    """What are the data still good for? Compares a release that is there with its source.

    \b
      kanon-sql run config.yaml && kanon-sql utility config.yaml
      kanon-sql utility config.yaml --json

    How far the distributions of the columns are apart, how strongly columns are associated before and after, how well
    counting queries are answered, how well the rows of both are told apart; with scikit-learn, how well sensitive
    columns are predicted. Exit status 0 when it was measured.
    """
    from kanon_sql import api
    from kanon_sql.report.views import database, measures

    data = api.utility(config, overrides=common.overrides, **common.arguments())
    common.show(data, database.summarize_utility if "tables" in data else measures.summarize_utility)


@click.command()
@click.argument("release", metavar="RELEASE", type=FILE)
@click.option(
    "--with",
    "external",
    metavar="FILE",
    required=True,
    type=FILE,
    help="What the attacker has: a file with a table about persons, one row each.",
)
@click.option(
    "--on",
    metavar="COLUMN,...",
    multiple=True,
    required=True,
    help="The columns that both tables have; a=b where a of the release is called b in the other.",
)
@click.option(
    "--release-config",
    metavar="CONFIG",
    help="The configuration that made the release: its values then match all values below them.",
)
@click.option("--missing", metavar="TEXT", multiple=True, help="A text of the other table that means missing.")
@common_options
def link(
    common: Common,
    release: Path,
    external: Path,
    on: tuple[str, ...],
    release_config: str | None,
    missing: tuple[str, ...],
) -> None:
    """The linking attack: how many persons of another table match how many rows of a source, or of its release?

    \b
      kanon-sql link patients.csv --with voters.csv --on sex,zip,born
      kanon-sql link release.csv --with voters.csv --on sex,zip,born --release-config config.yaml

    A person who matches exactly one row is found in it. With the configuration of the release a generalized value
    matches every value below it; without it values match when they are equal, or *. Exit status 0 when measured.
    """
    if common.overrides and release_config is None:
        raise click.UsageError("--set goes with --release-config: it changes keys of that configuration")
    from kanon_sql import api
    from kanon_sql.report.views.releases import summarize_link

    data = api.link(
        release,
        external,
        pairs_of(on),
        release_config=release_config,
        missing=missing,
        overrides=common.overrides,
        **common.arguments("time_limit"),
    )
    common.show(data, summarize_link)


def names_of(texts: Iterable[str], option: str) -> list[str]:
    """The names in lists such as a,b; two commas stand for one in a name. Raises UsageError."""
    listed = []
    for text in texts:
        names = [name.replace(",,", ",") for name in re.split("(?<!,),(?!,)", text)]
        if not all(names):
            raise click.UsageError(
                f"{option} {text}: expected names of columns with commas between them, such as sex,zip"
            )
        listed += names
    return listed


def pairs_of(texts: Iterable[str]) -> list[tuple[str, str]]:
    """The pairs in lists such as a,b=c; == stands for = in a name. Raises UsageError."""
    pairs = []
    for text in texts:
        for name in names_of([text], "--on"):
            parts = [part.replace("==", "=") for part in re.split("(?<!=)=(?!=)", name)]
            if len(parts) > 2 or not all(parts):
                raise click.UsageError(f"--on {text}: expected COLUMN, or RELEASED=OTHER where the names differ")
            pairs.append((parts[0], parts[-1]))
    return pairs


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
    from kanon_sql.report.views.measures import summarize_attack

    data = api.attack(config, **options, overrides=common.overrides, **common.arguments())
    common.show(data, summarize_attack)
