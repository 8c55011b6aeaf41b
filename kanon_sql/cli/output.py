"""What is printed, and on which stream: data exactly as it is, all else without what a terminal would obey."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from typing import Any

import click

from kanon_sql.errors import escape
from kanon_sql.report.printable import escaped, to_json
from kanon_sql.report.views.parts import Parts, plain

Json = dict[str, Any]


def print_data(text: str) -> None:
    """Prints a text that programs read, to standard output, byte by byte: click takes escapes out of a file's texts."""
    if hasattr(sys.stdout, "buffer"):
        click.echo(text.encode("utf-8", "surrogateescape"), nl=False)
    elif sys.stdout is not None:  # a stream of texts that somebody put there
        sys.stdout.write(text)


def print_json(data: Any) -> None:
    """Prints JSON to standard output."""
    print_data(to_json(data))


def print_text(text: str) -> None:
    """Prints lines for people to standard output; what they hold of others was escaped before."""
    click.echo(text)


def print_summary(summarize: Callable[[Any], str | Parts], data: Json) -> None:
    """Prints a report for people to standard output: in colour, with tables that fit, where that is a terminal."""
    summary = summarize(escaped(data))
    if isinstance(summary, str):
        print_text(summary)
    elif sys.stdout is not None and sys.stdout.isatty():
        from kanon_sql.cli.terminal import print_parts

        print_parts(summary)
    else:
        print_text(plain(summary))


def complain(kind: str, problem: str) -> None:
    """Prints an error or a warning to standard error, as one line."""
    click.echo(f"kanon-sql: {kind}: {escape(' '.join(problem.split()))}", err=True)


def print_traceback() -> None:
    """Prints the traceback of the exception in hand to standard error."""
    click.echo("\n".join(map(escape, traceback.format_exc().splitlines())), err=True)
