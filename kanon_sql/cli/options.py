"""Options that stand for a configuration, and what they come to."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kanon_sql.cli.command import Common, Option, with_options
from kanon_sql.settings.arguments import ARGUMENTS, Argument

if TYPE_CHECKING:
    from kanon_sql.config.arguments import CommandLine
    from kanon_sql.config.load import LoadedConfig


def argument(name: str, **declared: Any) -> Option:
    """The option of click that stands for a key of a configuration."""
    return click.option(*ARGUMENTS[name].flags, name, **declared)


_K = argument("k", type=click.IntRange(min=1), metavar="N", help="Rows that every combination stands for at least.")
_LIMIT = argument("limit", metavar="ROWS|SHARE%", help="Rows that may be suppressed, such as 20 or 1% [default: 0].")
_COLUMNS: list[Option] = [
    argument(
        "qi",
        metavar="COLUMN[=HOW]",
        multiple=True,
        help="A quasi-identifier, may be repeated; HOW is a hierarchy file, a ready hierarchy, suppress, "
        "prefix:4,3,2, intervals:5,10,20 or date:month,year [default: suppress].",
    ),
    _K,
    argument(
        "known_columns",
        type=click.IntRange(min=1),
        metavar="M",
        help="k holds for every combination of M quasi-identifiers at most, not for all.",
    ),
    argument(
        "l_diversity",
        type=click.FloatRange(min=1),
        metavar="L",
        help="l-diversity: different values of each --sensitive column that a class holds at least.",
    ),
    argument(
        "t_closeness",
        type=click.FloatRange(0, 1),
        metavar="T",
        help="t-closeness: how far those of a class may be from those of all rows, 0 to 1.",
    ),
    argument("entity", metavar="COLUMN", help="A column that names persons: k counts these, not rows."),
    argument("group", metavar="COLUMN", help="A column that names households: its rows are released together."),
    argument(
        "sensitive",
        metavar="COLUMN",
        multiple=True,
        help="A column that nobody shall learn of a person, released unchanged; may be repeated.",
    ),
    argument(
        "insensitive",
        metavar="COLUMN",
        multiple=True,
        help="Another column to release unchanged; may be repeated.",
    ),
    argument(
        "identifiers",
        metavar="COLUMN",
        multiple=True,
        help="A column never to release; may be repeated.",
    ),
    argument(
        "unlisted",
        type=click.Choice(["error", "drop", "insensitive"]),
        help="What becomes of columns that no option names [default: error; insensitive where nothing is released].",
    ),
    argument(
        "accept",
        metavar="COLUMN",
        multiple=True,
        help="A column to release although it looks like an identifier; may be repeated.",
    ),
    _LIMIT,
    argument(
        "missing_texts",
        metavar="TEXT",
        multiple=True,
        help="A text that means missing, besides the empty fields of a CSV.",
    ),
    argument(
        "missing_only",
        metavar="TEXT",
        multiple=True,
        help="A text that means missing, instead of empty fields.",
    ),
    argument("delimiter", metavar="CHARACTER", help="Between two fields of a CSV [default: found out]."),
]


column_options = with_options(*_COLUMNS)
# A sweep takes several k and limits.
column_options_of_many = with_options(*(option for option in _COLUMNS if option not in (_K, _LIMIT)))


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
    """The configuration that a command line with column options stands for. Raises UsageError."""
    from kanon_sql.config.arguments import CommandLine, config_from_arguments

    if _is_configuration(data):
        raise click.UsageError(
            f"{data} is a configuration, and --qi goes with a data file; leave --qi out, or change a column with "
            "--set quasi_identifiers.COLUMN=..."
        )
    missing = _missing(data, options["missing_texts"], options["missing_only"])
    given: dict[str, Any] = {name: options.get(name) for name in ARGUMENTS}
    return CommandLine(config_from_arguments(data, **{**given, "missing_texts": None, "missing_only": missing}))


def _is_configuration(data: str) -> bool:
    """Whether a file is a configuration by its name; one of JSON by a key that each configuration has."""
    from kanon_sql.settings.formats import is_json_with

    path = Path(data)
    return path.suffix.lower() in (".yaml", ".yml") or (
        path.suffix.lower() == ".json" and is_json_with(path, "quasi_identifiers")
    )


def releasing_nothing(options: dict[str, Any]) -> dict[str, Any]:
    """The options of a command that only measures: columns that none of them names are of no concern."""
    return {**options, "unlisted": options["unlisted"] or "insensitive"}


# Options of one value, which stand for the same key beside a configuration file.
_OVERRIDING = (
    *("k", "known_columns", "entity", "group", "unlisted", "limit", "delimiter", "output", "algorithm", "order"),
    *("suppressed", "missing_rows"),
)


def loaded_from(first: str, options: dict[str, Any], common: Common, *, releases: bool = True) -> LoadedConfig:
    """The configuration: of the file `first`, or with column options the one that they stand for.

    `releases` is False for a command that only measures, and not that of a release.
    """
    from kanon_sql.api.opening import load

    if options.get("qi"):
        values = {name: options.get(name) for name in ("overwrite", "effort")}
        return load(
            mapping_of(first, options if releases else releasing_nothing(options)),
            with_options_of(values, common.overrides),
        )
    refuse_columns({name: value for name, value in options.items() if name not in _OVERRIDING})
    return load(first, with_options_of(options, common.overrides))


def with_options_of(options: dict[str, Any], overrides: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """The `overrides` of --set, and what options say beside a configuration file, in the words of --set."""
    flags = [
        *([("target.overwrite", "true")] if options.get("overwrite") else []),
        *([("algorithm.effort", options["effort"])] if options.get("effort") else []),
    ]
    given = [(ARGUMENTS[name].key, options.get(name)) for name in _OVERRIDING]
    values = [(".".join(map(str, key)), str(value)) for key, value in given if value not in (None, "")]
    return (*overrides, *flags, *values)


def _as_set(argument: Argument, value: Any) -> str:
    """An option that was given, as --set says it: of a model the number of the option, of a list its entries."""
    key, column = ".".join(map(str, argument.key)), {"--l": "l", "--t": "t"}.get(argument.flags[0])
    if column is not None:
        return f"--set '{key}={{column: COLUMN, {column}: {value:g}}}'"
    return f"--set '{key}=[{', '.join(value)}]'" if isinstance(value, tuple) else f"--set {key}={value}"


def refuse_columns(options: dict[str, Any]) -> None:
    """Raises UsageError for options that stand for a configuration where one is given."""
    given = [
        (parameter, options[name])
        for name, parameter in ARGUMENTS.items()
        if name != "qi" and options.get(name) not in (None, (), "")
    ]
    if given:
        flags = ", ".join(option.flags[0] for option, _ in given)
        verb = "goes" if len(given) == 1 else "go"
        raise click.UsageError(f"{flags} {verb} with --qi; with a configuration file use {_as_set(*given[0])}")
