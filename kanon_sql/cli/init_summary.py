"""What `kanon-sql init` found and what comes next, on standard error."""

from __future__ import annotations

from pathlib import Path
from shlex import quote

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from kanon_sql.commands.init.findings import Findings
from kanon_sql.commands.init.proposal import Proposal
from kanon_sql.commands.init.roles import ROLES, percent
from kanon_sql.config.arguments import in_line
from kanon_sql.errors import escape

_STYLES = {"identifier": "red", "quasi-identifier": "yellow", "sensitive": "magenta", "insensitive": "green"}
_WIDTH = 120  # where standard error is no terminal
_MEANINGS = {
    "identifier": "never released",
    "quasi-identifier": "others may know it: made coarser",
    "sensitive": "private: released as it is",
    "insensitive": "harmless: released as it is",
}


def print_findings(found: Findings, made: Proposal | None = None) -> None:
    """The table of columns: what each is, its role, how many rows are alone with their value, how it is generalized."""
    profile = found.profile
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for head in ("column", "what it is", "role", "alone", *(["made coarser by"] if made else [])):
        table.add_column(head, justify="right" if head == "alone" else "left", overflow="fold")
    for role in ROLES:
        for one in found.columns(role):
            what = one.finding.name if one.finding else one.kind
            cells = [Text(escape(one.name)), Text(what), Text(role, _STYLES[role]), Text(percent(one.alone))]
            if made:
                how = made.generalizations.get(one.name)
                left = found.left_out.get(one.name)
                first = made.treatments.get(one.name)
                shown = in_line(how.written(made.base)) if how else in_line(first.spec) if first else ""
                cells.append(Text(escape(shown if left is None else f"left out: {left}")))
            table.add_row(*cells)
    console = Console(stderr=True)
    if not console.is_terminal:
        console = Console(stderr=True, width=_WIDTH)
    click.echo(f"{profile.rows:,} rows, {len(profile.columns)} columns", err=True)
    for text in found.repeated():
        click.echo(escape(text), err=True)
    console.print(table)
    for role in ROLES:
        count = len(found.columns(role))
        if count:
            told = len(found.left_out) if role == "quasi-identifier" else 0
            more = f", but for {told} left out" if told else ""
            click.echo(f"  {role:<17} {count:>3}  {_MEANINGS[role]}{more}", err=True)


def print_next(proposal: Proposal, config: Path | None, *, shown: bool) -> None:
    """What was proposed, and the commands that come next."""
    if not shown:
        print_findings(proposal.findings, proposal)
    if not proposal.generalizations:
        return
    many = proposal.findings.too_many()
    if many is not None:
        click.echo(f"\n{escape(many)}", err=True)
    privacy, why = proposal.settings["privacy"]
    click.echo(f"\nk = {privacy['k']}: {why}", err=True)
    name, why = proposal.settings["algorithm"]
    click.echo(f"{name}: {why}", err=True)
    file = "config.yaml" if config is None else quote(str(config))
    if config is not None:
        click.echo(f"\nwritten to {escape(str(config))}, each line with its reason. Read it, then", err=True)
    else:
        click.echo("\nSave what was printed as config.yaml (or name it with -o), read it, then", err=True)
    click.echo(f"  kanon-sql run {escape(file)} --dry-run    what would come out", err=True)
    click.echo(f"  kanon-sql run {escape(file)}              the release", err=True)
