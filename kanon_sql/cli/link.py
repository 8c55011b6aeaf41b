"""kanon-sql link"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import click

from kanon_sql.cli.command import FILE, Common, common_options


@click.command()
@click.argument("release", metavar="RELEASE", type=FILE)
@click.option(
    "--with",
    "external",
    metavar="FILE",
    required=True,
    type=FILE,
    help="What the attacker has: a table about persons, one row each, CSV or Parquet.",
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
    from kanon_sql.cli.link_summary import summarize_link

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
    found = []
    for text in texts:
        names = [name.replace(",,", ",") for name in re.split("(?<!,),(?!,)", text)]
        if not all(names):
            raise click.UsageError(
                f"{option} {text}: expected names of columns with commas between them, such as sex,zip"
            )
        found += names
    return found


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
