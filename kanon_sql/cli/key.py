"""kanon-sql key"""

from __future__ import annotations

import secrets

import click

from kanon_sql.cli.output import print_data

_BYTES = 32


@click.group()
def key() -> None:
    """Makes secret keys, which pseudonyms and shifted dates are made with."""


@key.command()
def new() -> None:
    """Prints a new key of 256 random bits, in hexadecimal digits.

    Keep it where secrets are kept, and put it into the environment of a run: whoever has it can find a person by the
    pseudonym, and move dates back. The same key makes the same pseudonyms.

    \b
      export PSEUDONYM_KEY=$(kanon-sql key new)
    """
    print_data(f"{secrets.token_hex(_BYTES)}\n")
