"""kanon-sql init"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kanon_sql.cli.command import FILE, Common, common_options_but
from kanon_sql.cli.output import complain, print_data, print_json
from kanon_sql.errors import ConfigurationError

if TYPE_CHECKING:
    from kanon_sql.commands.init.database import DatabaseProposal
    from kanon_sql.commands.init.findings import Answers, Findings
    from kanon_sql.commands.init.proposal import Proposal


@click.command()
@click.argument("data", metavar="DATA")
@click.option(
    "-o", "--output", "config", metavar="CONFIG", type=FILE, help="The configuration [default: standard output]."
)
@click.option("--yes", is_flag=True, help="Ask nothing, take the default answers.")
@click.option("--overwrite", is_flag=True, help="Replace an existing configuration.")
@click.option("--table", metavar="TABLE", help="The table, where DATA is a DuckDB database file or a lake.")
@click.option("--schema", metavar="SCHEMA", help="The schema, where DATA is the address of a PostgreSQL server.")
@click.option("--hierarchies", metavar="FOLDER", type=FILE, help="Hierarchy files that are called like columns.")
@click.option(
    "--recipient",
    type=click.Choice(["public", "partner", "internal"]),
    help="Who will get the release [default: public].",
)
@click.option(
    "--purpose",
    type=click.Choice(["research", "statistics"]),
    help="What it is for: rows as exact as possible, or columns at one level [default: research].",
)
@click.option("--known", metavar="COLUMN", multiple=True, help="A column that others may know of a person.")
@click.option("--unknown", metavar="COLUMN", multiple=True, help="A column that nobody outside knows.")
@click.option("--header/--no-header", default=None, help="Whether the first row of DATA names the columns.")
@click.option("--entity", metavar="COLUMN", help="The column that tells persons apart, where one has several rows.")
@common_options_but("overrides", "time_limit", "report")
def init(
    common: Common,
    data: str,
    config: Path | None,
    yes: bool,
    overwrite: bool,
    table: str | None,
    hierarchies: Path | None,
    **given: Any,
) -> None:
    """Looks at DATA, a table that nobody has looked at, and proposes a configuration for it.

    \b
      kanon-sql init patients.csv -o config.yaml
      kanon-sql init patients.csv --yes -o config.yaml && kanon-sql run config.yaml
      kanon-sql init patients.csv --json
      kanon-sql init '${CLINIC}' --schema clinic -o config.yaml    CLINIC=postgresql://...

    It finds out what each column is, who could be found by it, and how it can be made coarser; the reasons stand in
    the configuration. On a terminal it asks who will get the release and what others may know. DATA is a file, a
    glob, a folder, or with --table a database or a lake (ducklake:CATALOG); it is only read. A folder of different
    tables, a database without --table, or a schema of a PostgreSQL server is a database of persons: init finds the
    table of persons, keys and links, and proposes facts.
    """
    asks = not yes and not common.as_json and sys.stdin.isatty() and sys.stderr.isatty()
    if config is not None:
        _refuse(config, data, overwrite=overwrite, asks=asks)
    from kanon_sql.api.proposing import Named, proposed, proposed_together, request_of
    from kanon_sql.cli.init_dialogue import answers_of, answers_said, ask, print_findings, print_next, print_tables
    from kanon_sql.commands.init.job import InitRequest

    def answer(findings: Findings) -> Answers:
        default = answers_of(findings, given)
        if not asks:
            return default
        print_findings(findings)
        return ask(findings, default, given)

    of_tables = InitRequest(None, config, hierarchies, header=given["header"])
    together = proposed_together(
        data, Named(table, given["schema"]), answers_said(given), of_tables, common.engine(), common.progress()
    )
    if together is not None:
        _print_proposal(common, together, config)
        if not common.quiet and not common.as_json:
            print_tables(together, config)
        return
    request = request_of(data, table, hierarchies, config, given["header"])
    proposal = proposed(request, answer, common.engine(), common.progress())
    _print_proposal(common, proposal, config)
    if not common.quiet and not common.as_json:
        print_next(proposal, config, shown=asks)


def _print_proposal(common: Common, proposal: Proposal | DatabaseProposal, config: Path | None) -> None:
    """Writes or prints what is proposed, and what could not be done."""
    if config is not None:
        proposal.write(config, overwrite=True)
    if common.as_json:
        print_json(proposal.to_dict())
    elif config is None:
        print_data(proposal.yaml)
    if not common.quiet:
        for note in proposal.notes:
            complain("warning", note)


def _refuse(config: Path, data: str, *, overwrite: bool, asks: bool) -> None:
    """Refuses, before anything is read, a configuration that would replace what is there. Raises ConfigurationError."""
    if not config.parent.is_dir():
        raise ConfigurationError(f"-o {config}: its folder does not exist; make it")
    if config.exists() and Path(data).exists() and config.samefile(data):
        raise ConfigurationError(f"-o {config}: this is DATA itself; name another file")
    if config.is_dir():
        raise ConfigurationError(f"-o {config}: this is a folder; name a file in it")
    if os.path.lexists(config) and not overwrite:
        if asks and click.confirm(f"{config} is there already. Replace it?", default=False, err=True):
            return
        raise ConfigurationError(f"-o {config}: is there already; replace it with --overwrite, or name another")
