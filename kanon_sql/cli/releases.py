"""kanon-sql releases, apply and report

kanon-sql releases and kanon-sql apply

kanon-sql report
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from kanon_sql.cli.command import FILE, Common, after_release, common_options, end_violated, with_options
from kanon_sql.cli.measuring import names_of
from kanon_sql.cli.output import complain, print_data, print_json, print_summary


@click.group()
def releases() -> None:
    """Releases over time: what do two of them say together, and which ones were made?"""


# What only shows what a ledger holds needs no more.
_shown_options = with_options(
    click.option("--json", "as_json", is_flag=True, help="Print it as JSON, and nothing else."),
    click.option("--debug", is_flag=True, expose_value=False, help="Show the traceback of an error."),
)


_ledger_option = click.option(
    "--ledger", "named", metavar="LEDGER|CONFIG", help="The ledger, in the place of the argument."
)


def _ledger(argument: str | None, named: str | None) -> str:
    """The ledger that is named, once. Raises UsageError."""
    if (argument is None) == (named is None):
        raise click.UsageError("expected one ledger: LEDGER|CONFIG or --ledger")
    return argument or named or ""


@releases.command("list")
@click.argument("ledger", metavar="LEDGER|CONFIG", required=False)
@_ledger_option
@_shown_options
def list_command(ledger: str | None, named: str | None, as_json: bool) -> None:
    """Lists the releases of a ledger: when, of which source, in which columns, how many rows.

    \b
      kanon-sql releases list ledger.duckdb
      kanon-sql releases list config.yaml      the ledger that the configuration names
    """
    from kanon_sql import api
    from kanon_sql.report.views.releases import summarize_ledger

    data = api.list_releases(_ledger(ledger, named))
    print_json(data) if as_json else print_summary(summarize_ledger, data)


@releases.command()
@click.argument("ledger_and_id", metavar="[LEDGER|CONFIG] ID", nargs=-1, required=True)
@_ledger_option
@_shown_options
def show(ledger_and_id: tuple[str, ...], named: str | None, as_json: bool) -> None:
    """Shows one release of a ledger: its configuration, the solution, the columns, fingerprints and counts."""
    from kanon_sql import api
    from kanon_sql.report.views.releases import summarize_entry

    *ledgers, last = ledger_and_id
    if len(ledgers) > 1:
        raise click.UsageError("expected one ledger and one ID")
    if not last.isdecimal() or int(last) < 1:
        raise click.UsageError(f"ID: expected the number of a release, got {last!r}")
    number = int(last)
    data = api.show_release(_ledger(ledgers[0] if ledgers else None, named), number)
    if as_json:
        print_json(data)
    else:
        data["details"]["configuration"] = data["details"]["configuration"].splitlines()
        print_summary(summarize_entry, data)


@releases.command()
@click.argument("first", metavar="A", type=FILE)
@click.argument("second", metavar="B", type=FILE)
@click.option("--qi", metavar="COLUMN,...", multiple=True, help="The quasi-identifiers [default: the configuration's].")
@click.option("--on", metavar="COLUMN,...", multiple=True, help="Columns of both releases that must be equal.")
@click.option("--k", type=click.IntRange(min=1), help="Rows that each combined tuple stands for at least.")
@click.option("--source", metavar="FILE", type=FILE, help="The table that both were made from.")
@click.option("--config", metavar="CONFIG", help="A configuration with the hierarchies of both, its k and missing.")
@common_options
def check(common: Common, first: Path, second: Path, qi: tuple[str, ...], on: tuple[str, ...], **options: Any) -> None:
    """Joins two releases of the same rows: does every combined tuple still stand for at least k rows?

    \b
      kanon-sql releases check A.csv B.csv --qi race,born,sex,zip --on problem --k 2 --config config.yaml

    Rows are compatible when they are equal in --on and their generalized values overlap. Without --source a tuple is
    said to stand for as many rows as both releases allow at most; with it the rows are counted. Whether both releases
    stand in the same order is looked at as well. Exit status 0 when it holds, 1 when it does not.
    """
    if common.overrides and options["config"] is None:
        raise click.UsageError("--set goes with --config: it changes keys of that configuration")
    if options["k"] is None and options["config"] is None:
        raise click.UsageError("Missing option '--k', or '--config' with privacy.k")
    from kanon_sql import api
    from kanon_sql.report.views.releases import summarize_pair

    names, equal = names_of(qi, "--qi"), names_of(on, "--on")
    options |= common.arguments("time_limit")
    data = api.check_releases(first, second, names, on=equal, overrides=common.overrides, **options)
    common.show(data, summarize_pair)
    end_violated(data)


@click.command()
@click.argument("number", metavar="RELEASE_ID", type=click.IntRange(min=1))
@click.argument("data", metavar="NEW_DATA")
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
    metavar="FILE|TABLE",
    help="The new release, its format by its suffix [default: beside the release, with its number].",
)
@click.option(
    "--new-rows",
    is_flag=True,
    help="Only rows that came into the table of a lake since, as its change feed tells them.",
)
@click.option("--strict", is_flag=True, help="A warning is exit status 1, and nothing is released.")
@common_options
def apply(common: Common, number: int, data: str, ledger: str, **given: Any) -> None:
    """Applies the levels of release RELEASE_ID to new data of the same source: rows added, changed or removed since.

    \b
      kanon-sql apply 1 patients-july.csv --ledger config.yaml -o july.csv
      kanon-sql apply 1 ducklake:clinic.ducklake --new-rows -o new-in-july.parquet
      kanon-sql apply 1 clinic.patients          of a release by PostgreSQL or Spark: a table there, or a path of Spark

    What the new release and an earlier one have in common, what was added and what was removed can be told apart by
    everybody who has both. In each of these, too, every class is empty or satisfies k and every model: rows that were
    added wait until enough others are, and a class that would lose too few rows is suppressed whole. Exit status 1
    when that are more rows than suppression.limit. --set changes target, suppression and releases.on_conflict only.
    With --new-rows the release holds only rows that no earlier one holds, in classes that satisfy by themselves; the
    others wait.
    """
    from kanon_sql import api
    from kanon_sql.report.views.releases import summarize_applied

    with common.telling():
        report = api.apply(number, data, ledger=ledger, overrides=common.overrides, **given, **common.arguments())
    with after_release():
        common.show(report, summarize_applied)


@click.command()
@click.argument("config", metavar="CONFIG", type=FILE)
@click.option("-o", "--output", metavar="FILE", type=FILE, help="The page [default: report.html, else the output].")
@click.option(
    "--attack",
    metavar="FILE",
    type=FILE,
    help="What kanon-sql attack --report wrote of this release: the page says what adversaries came to.",
)
@common_options
def report(common: Common, config: Path, output: Path | None, attack: Path | None) -> None:
    """Writes the page of a release that is there: what it is, what it protects from, what it is still good for.

    \b
      kanon-sql report config.yaml -o release.html
      kanon-sql attack config.yaml --report attack.json && kanon-sql report config.yaml --attack attack.json

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
        page, data = api.report_release(loaded, html=output, attack=attack, **common.arguments())
    common.warn(data["warnings"])
    if common.as_json:
        print_json(data)
    elif output is None and not configured:
        print_data(page)
    elif chosen and not common.quiet:
        complain("note", f"the page is in {output}")
