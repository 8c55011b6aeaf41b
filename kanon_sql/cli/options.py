"""Options that stand for a configuration, and what they come to."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kanon_sql.cli.command import Common, Option, with_options

if TYPE_CHECKING:
    from kanon_sql.config.arguments import CommandLine
    from kanon_sql.config.load import LoadedConfig

_K = click.option(
    "--k", type=click.IntRange(min=1), metavar="N", help="Rows that every combination stands for at least."
)
_LIMIT = click.option(
    "--limit", metavar="ROWS|SHARE%", help="Rows that may be suppressed, such as 20 or 1% [default: 0]."
)
_COLUMNS: list[Option] = [
    click.option(
        "--qi",
        metavar="COLUMN[=HOW]",
        multiple=True,
        help="A quasi-identifier, may be repeated; HOW is a hierarchy file, a ready hierarchy, suppress, "
        "prefix:4,3,2, intervals:5,10,20 or date:month,year [default: suppress].",
    ),
    _K,
    click.option(
        "--l",
        "l_diversity",
        type=click.FloatRange(min=1),
        metavar="L",
        help="l-diversity: different values of each --sensitive column that a class holds at least.",
    ),
    click.option(
        "--t",
        "t_closeness",
        type=click.FloatRange(0, 1),
        metavar="T",
        help="t-closeness: how far those of a class may be from those of all rows, 0 to 1.",
    ),
    click.option("--entity", metavar="COLUMN", help="A column that names persons: k counts these, not rows."),
    click.option(
        "--sensitive",
        metavar="COLUMN",
        multiple=True,
        help="A column that nobody shall learn of a person, released unchanged; may be repeated.",
    ),
    click.option(
        "--insensitive",
        metavar="COLUMN",
        multiple=True,
        help="Another column to release unchanged; may be repeated.",
    ),
    click.option(
        "--identifier",
        "identifiers",
        metavar="COLUMN",
        multiple=True,
        help="A column never to release; may be repeated.",
    ),
    click.option(
        "--unlisted",
        type=click.Choice(["error", "drop", "insensitive"]),
        help="What becomes of columns that no option names [default: error; insensitive where nothing is released].",
    ),
    _LIMIT,
    click.option(
        "--missing",
        "missing_texts",
        metavar="TEXT",
        multiple=True,
        help="A text that means missing, besides the empty fields of a CSV.",
    ),
    click.option(
        "--missing-only",
        metavar="TEXT",
        multiple=True,
        help="A text that means missing, instead of empty fields.",
    ),
    click.option("--delimiter", metavar="CHARACTER", help="Between two fields of a CSV [default: found out]."),
]


# Options that stand for a configuration, and so do not go with one.
_FLAGS = {
    "k": "--k",
    "l_diversity": "--l",
    "t_closeness": "--t",
    "entity": "--entity",
    "sensitive": "--sensitive",
    "insensitive": "--insensitive",
    "identifiers": "--identifier",
    "unlisted": "--unlisted",
    "limit": "--limit",
    "missing_texts": "--missing",
    "missing_only": "--missing-only",
    "delimiter": "--delimiter",
    "output": "-o",
    "algorithm": "--algorithm",
    "order": "--order",
    "suppressed": "--suppressed",
    "missing_rows": "--missing-rows",
}


column_options = with_options(*_COLUMNS)
# A sweep takes several k and limits.
column_options_of_many = with_options(*(one for one in _COLUMNS if one not in (_K, _LIMIT)))


def _missing(data: str, added: Sequence[str], only: Sequence[str]) -> list[str]:
    """The texts that mean missing; none where it is left to the kind of the file. Raises UsageError."""
    from kanon_sql.settings.formats import format_of, only_texts

    if added and only:
        raise click.UsageError("--missing adds to what means missing, --missing-only replaces it; name one")
    if not added:
        return list(only)
    path = Path(data)
    files = path.rglob("*") if path.is_dir() else [path]
    typed = any(name is not None and not only_texts(name) for name in map(format_of, files))
    return list(dict.fromkeys([*([] if typed else [""]), *added]))


def mapping_of(data: str, options: dict[str, Any]) -> CommandLine:
    """The configuration that a command line with column options stands for."""
    from kanon_sql.config.arguments import CommandLine, config_from_arguments

    made = config_from_arguments(
        data,
        qi=options["qi"],
        k=options["k"],
        l_diversity=options.get("l_diversity"),
        t_closeness=options.get("t_closeness"),
        entity=options.get("entity"),
        output=options.get("output"),
        sensitive=options["sensitive"],
        insensitive=options["insensitive"],
        identifiers=options["identifiers"],
        unlisted=options["unlisted"],
        limit=options["limit"],
        missing=_missing(data, options["missing_texts"], options["missing_only"]),
        delimiter=options["delimiter"],
        algorithm=options.get("algorithm"),
        order=options.get("order"),
        suppressed=options.get("suppressed"),
        missing_rows=options.get("missing_rows"),
    )
    return CommandLine(made)


def releasing_nothing(options: dict[str, Any]) -> dict[str, Any]:
    """The options of a command that only measures: columns that none of them names are of no concern."""
    return {**options, "unlisted": options["unlisted"] or "insensitive"}


def loaded_from(first: str, options: dict[str, Any], common: Common, *, releases: bool = True) -> LoadedConfig:
    """The configuration: of the file `first`, or with column options the one that they stand for.

    `releases` is False for a command that only measures.
    """
    from kanon_sql.api.opening import load

    overrides = common.overrides
    if options.get("overwrite"):
        overrides = (*overrides, ("target.overwrite", "true"))
    if options.get("qi"):
        return load(mapping_of(first, options if releases else releasing_nothing(options)), overrides)
    refuse_columns(options)
    return load(first, overrides)


def refuse_columns(options: dict[str, Any]) -> None:
    """Raises UsageError for options that stand for a configuration where one is given."""
    given = [flag for name, flag in _FLAGS.items() if options.get(name) not in (None, (), "")]
    if given:
        raise click.UsageError(
            f"{', '.join(given)} go with --qi; with a configuration file use --set, such as --set privacy.k=5"
        )
