"""The questions of `kanon-sql init`: what only people know, each with its default."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from kanon_sql.commands.init.findings import Answers, Findings
from kanon_sql.commands.init.proposal import RECIPIENTS
from kanon_sql.errors import ConfigurationError, escape
from kanon_sql.source.profile.model import ColumnProfile

_RECIPIENTS = (
    ("public", "anybody: it is published or passed on"),
    ("partner", "a partner who signed what may be done with it"),
    ("internal", "colleagues in the same house"),
)
_PURPOSES = (
    ("research", "to look at single rows and models: as exact as possible, each group at its own levels"),
    ("statistics", "to count and compare: every column at one level, the same in all rows"),
)

_ASKED = 2  # columns that may name the person


def answers_of(found: Findings, given: Mapping[str, Any]) -> Answers:
    """What options say, and the defaults. Raises ConfigurationError for columns that are not there."""
    names = [one.name for one in found.profile.columns]
    asked = [("--known", one) for one in given["known"]] + [("--unknown", one) for one in given["unknown"]]
    asked += [("--entity", given["entity"])] if given["entity"] else []
    problems = [
        f"{option} {name}: there is no such column; expected one of {', '.join(names[:20])}"
        for option, name in asked
        if name not in names
    ]
    if problems:
        raise ConfigurationError(problems)
    entity = given["entity"] if given["entity"] is not None else found.entity
    known, unknown = tuple(given["known"]), tuple(given["unknown"])
    return Answers(
        given["recipient"] or "public",
        given["purpose"] or "research",
        *(known, unknown, entity or None, given["entity"] is not None),
    )


def ask(found: Findings, default: Answers, given: Mapping[str, Any]) -> Answers:
    """Asks on the terminal what no option says."""
    recipient, purpose = default.recipient, default.purpose
    if given["recipient"] is None:
        shown = [(f"{text} (groups of {RECIPIENTS[name][0]})", name) for name, text in _RECIPIENTS]
        recipient = _choose("Who will get the release?", shown)
    if given["purpose"] is None:
        purpose = _choose("What for?", [(text, name) for name, text in _PURPOSES])
    entity = default.entity if given["entity"] is not None else _person(found)
    known, unknown = default.known, default.unknown
    if not known and not unknown:
        known, unknown = _known(found)
    return Answers(recipient, purpose, known, unknown, entity, entity_said=True)


def _choose(question: str, options: Sequence[tuple[str, str]]) -> str:
    """One of the options, the first by default."""
    click.echo(f"\n{question}", err=True)
    for number, (text, _) in enumerate(options, 1):
        click.echo(f"  {number}  {text}", err=True)
    chosen = click.prompt("Number", type=click.IntRange(1, len(options)), default=1, err=True)
    return options[chosen - 1][1]


def _person(found: Findings) -> str | None:
    """The column that tells persons apart; None where each row is a person."""
    click.echo("", err=True)
    if found.entity is not None and click.confirm(_names_person(found, found.entity), default=True, err=True):
        return found.entity
    for name in found.maybe_persons[:_ASKED]:
        if click.confirm(_names_person(found, name), default=False, err=True):
            return name
    if click.confirm("Is each row another person?", default=True, err=True):
        return None
    names = [one.name for one in found.profile.columns]
    click.echo("Which column tells the persons apart?", err=True)
    _list(found, found.profile.columns)
    number = click.prompt("Number, 0 for none", type=click.IntRange(0, len(names)), default=0, err=True)
    return names[number - 1] if number else None


def _names_person(found: Findings, name: str) -> str:
    each = f"{escape(name)} has {found.rows_each(name):.1f} rows for a value."
    return f"{each} Does it name the person, who has several rows?"


def _known(found: Findings) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(columns that others may know, columns that they do not) where that is not what was found."""
    columns = [one for one in found.profile.columns if found.roles[one.name].role != "identifier"]
    if not columns:
        return (), ()
    click.echo(
        "\nWhat may somebody outside know of a person: a neighbour, an employer, a register? x is assumed:", err=True
    )
    _list(found, columns)
    while True:
        text = click.prompt("Numbers to change, with blanks between", default="", show_default=False, err=True)
        words = text.replace(",", " ").split()
        if all(word.isdecimal() and 1 <= int(word) <= len(columns) for word in words):
            break
        click.echo(f"Expected numbers from 1 to {len(columns)}, such as 2 5.", err=True)
    changed = [columns[int(word) - 1].name for word in dict.fromkeys(words)]
    quasi = {name for name in changed if found.roles[name].role == "quasi-identifier"}
    return tuple(name for name in changed if name not in quasi), tuple(name for name in changed if name in quasi)


def _list(found: Findings, columns: Sequence[ColumnProfile]) -> None:
    for number, one in enumerate(columns, 1):
        mark = "x" if found.roles[one.name].role == "quasi-identifier" else " "
        click.echo(f"  {number:>3}  {mark}  {escape(one.name)}", err=True)
