"""What `kanon-sql init` asks, what it found, and what comes next.

The questions of `kanon-sql init`: what only people know, each with its default.

What `kanon-sql init` found and what comes next, on standard error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import Any

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from kanon_sql.commands.init.database import DatabaseProposal
from kanon_sql.commands.init.findings import Answers, Findings
from kanon_sql.commands.init.proposal import RECIPIENTS, Proposal
from kanon_sql.commands.init.roles import ROLES, percent
from kanon_sql.config.arguments import in_line
from kanon_sql.errors import ConfigurationError, escape
from kanon_sql.source.profile.kinds import ColumnProfile

_RECIPIENTS = (
    ("public", "anybody: it is published or passed on"),
    ("partner", "a partner who signed what may be done with it"),
    ("internal", "colleagues in the same house"),
)
_PURPOSES = (
    ("research", "to look at single rows and models: as exact as possible, each group at its own levels"),
    ("statistics", "to count and compare: every column at one level, the same in all rows"),
)

_RUNS = ("run {} --dry-run    what would come out", "run {}              the release")
_ASKED = 2  # columns that may name the person


def answers_of(findings: Findings, given: Mapping[str, Any]) -> Answers:
    """What options say, and the defaults. Raises ConfigurationError for columns that are not there."""
    names = [column.name for column in findings.profile.columns]
    named = [("--known", column) for column in given["known"]] + [("--unknown", column) for column in given["unknown"]]
    named += [("--entity", given["entity"])] if given["entity"] else []
    problems = [
        f"{option} {name}: there is no such column; expected one of {', '.join(names[:20])}"
        for option, name in named
        if name not in names
    ]
    if problems:
        raise ConfigurationError(problems)
    said = answers_said(given)
    entity = findings.entity if said.entity is None else said.entity
    return replace(said, entity=entity or None, entity_said=said.entity is not None)


def answers_said(given: Mapping[str, Any]) -> Answers:
    """What options say, with the defaults of what needs no look at the data."""
    return Answers(
        given["recipient"] or "public",
        given["purpose"] or "research",
        tuple(given["known"]),
        tuple(given["unknown"]),
        given["entity"],
    )


def ask(findings: Findings, default: Answers, given: Mapping[str, Any]) -> Answers:
    """Asks on the terminal what no option says."""
    recipient, purpose = default.recipient, default.purpose
    if given["recipient"] is None:
        shown = [(f"{text} (groups of {RECIPIENTS[name][0]})", name) for name, text in _RECIPIENTS]
        recipient = _choose("Who will get the release?", shown)
    if given["purpose"] is None:
        purpose = _choose("What for?", [(text, name) for name, text in _PURPOSES])
    entity = default.entity if given["entity"] is not None else _person(findings)
    known, unknown = default.known, default.unknown
    if not known and not unknown:
        known, unknown = _known(findings)
    return Answers(recipient, purpose, known, unknown, entity, entity_said=True)


def _choose(question: str, options: Sequence[tuple[str, str]]) -> str:
    """One of the options, the first by default."""
    click.echo(f"\n{question}", err=True)
    for number, (text, _) in enumerate(options, 1):
        click.echo(f"  {number}  {text}", err=True)
    chosen = click.prompt("Number", type=click.IntRange(1, len(options)), default=1, err=True)
    return options[chosen - 1][1]


def _person(findings: Findings) -> str | None:
    """The column that tells persons apart; None where each row is a person."""
    click.echo("", err=True)
    if findings.entity is not None and click.confirm(_names_person(findings, findings.entity), default=True, err=True):
        return findings.entity
    for name in findings.maybe_persons[:_ASKED]:
        if click.confirm(_names_person(findings, name), default=False, err=True):
            return name
    if click.confirm("Is each row another person?", default=True, err=True):
        return None
    names = [column.name for column in findings.profile.columns]
    click.echo("Which column tells the persons apart?", err=True)
    _list(findings, findings.profile.columns)
    number = click.prompt("Number, 0 for none", type=click.IntRange(0, len(names)), default=0, err=True)
    return names[number - 1] if number else None


def _names_person(findings: Findings, name: str) -> str:
    each = f"{escape(name)} has {findings.rows_each(name):.1f} rows for a value."
    return f"{each} Does it name the person, who has several rows?"


def _known(findings: Findings) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(columns that others may know, columns that they do not) where that is not what was found."""
    columns = [column for column in findings.profile.columns if findings.roles[column.name].role != "identifier"]
    if not columns:
        return (), ()
    click.echo(
        "\nWhat may somebody outside know of a person: a neighbour, an employer, a register? x is assumed:", err=True
    )
    _list(findings, columns)
    while True:
        text = click.prompt("Numbers to change, with blanks between", default="", show_default=False, err=True)
        words = text.replace(",", " ").split()
        if all(word.isdecimal() and 1 <= int(word) <= len(columns) for word in words):
            break
        click.echo(f"Expected numbers from 1 to {len(columns)}, such as 2 5.", err=True)
    changed = [columns[int(word) - 1].name for word in dict.fromkeys(words)]
    quasi = {name for name in changed if findings.roles[name].role == "quasi-identifier"}
    return tuple(name for name in changed if name not in quasi), tuple(name for name in changed if name in quasi)


def _list(findings: Findings, columns: Sequence[ColumnProfile]) -> None:
    for number, column in enumerate(columns, 1):
        mark = "x" if findings.roles[column.name].role == "quasi-identifier" else " "
        click.echo(f"  {number:>3}  {mark}  {escape(column.name)}", err=True)


_STYLES = {"identifier": "red", "quasi-identifier": "yellow", "sensitive": "magenta", "insensitive": "green"}
_WIDTH = 120  # where standard error is no terminal
_MEANINGS = {
    "identifier": "never released",
    "quasi-identifier": "others may know it: made coarser",
    "sensitive": "private: released as it is",
    "insensitive": "harmless: released as it is",
}


def print_findings(findings: Findings, proposal: Proposal | None = None) -> None:
    """The table of columns: what each is, its role, how many rows are alone with their value, how it is generalized."""
    profile = findings.profile
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for head in ("column", "what it is", "role", "alone", *(["made coarser by"] if proposal else [])):
        table.add_column(head, justify="right" if head == "alone" else "left", overflow="fold")
    for role in ROLES:
        for column in findings.columns(role):
            what = column.finding.name if column.finding else column.kind
            cells = [Text(escape(column.name)), Text(what), Text(role, _STYLES[role]), Text(percent(column.alone))]
            if proposal:
                how = proposal.generalizations.get(column.name)
                left = findings.left_out.get(column.name)
                first = proposal.treatments.get(column.name)
                shown = in_line(how.written(proposal.base)) if how else in_line(first.spec) if first else ""
                cells.append(Text(escape(shown if left is None else f"left out: {left}")))
            table.add_row(*cells)
    console = Console(stderr=True)
    if not console.is_terminal:
        console = Console(stderr=True, width=_WIDTH)
    click.echo(f"{profile.rows:,} rows, {len(profile.columns)} columns", err=True)
    for text in findings.repeated():
        click.echo(escape(text), err=True)
    console.print(table)
    for role in ROLES:
        count = len(findings.columns(role))
        if count:
            left_out = len(findings.left_out) if role == "quasi-identifier" else 0
            more = f", but for {left_out} left out" if left_out else ""
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
    _print_commands(config, _RUNS)


def _print_commands(config: Path | None, commands: Sequence[str]) -> None:
    """Where the configuration is, and the commands that come next."""
    file = "config.yaml" if config is None else quote(str(config))
    if config is not None:
        click.echo(f"\nwritten to {escape(str(config))}, each line with its reason. Read it, then", err=True)
    else:
        click.echo("\nSave what was printed as config.yaml (or name it with -o), read it, then", err=True)
    for command in commands:
        click.echo(f"  kanon-sql {command.format(escape(file))}", err=True)


def print_tables(proposal: DatabaseProposal, config: Path | None) -> None:
    """What was found in a database of persons and what comes next, on standard error."""
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for name, justify in (("table", "left"), ("rows", "right"), ("what becomes of it", "left")):
        table.add_column(Text(name), justify=justify)  # type: ignore[arg-type]
    for entry in proposal.tables:
        facts = f"; facts: {', '.join(entry.facts)}" if entry.facts else ""
        dates = f"; dates move: {', '.join(entry.dates)}" if entry.dates else ""
        how = "released" if entry.how in ("unit", "persons") else entry.how
        table.add_row(Text(escape(entry.name)), f"{entry.rows:,}", Text(escape(f"{how}: {entry.why}{facts}{dates}")))
    Console(stderr=True).print(table)
    click.echo(f"\nk = {proposal.k[0]}: {proposal.k[1]}", err=True)
    commands = ("risk {}             who could be found", *_RUNS)
    _print_commands(config, commands)
