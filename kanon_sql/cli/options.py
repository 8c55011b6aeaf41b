"""Options that several commands share, and what they come to."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from kanon_sql.cli.output import complain, print_json
from kanon_sql.errors import KanonError, ReleasedError

if TYPE_CHECKING:
    from kanon_sql.config.arguments import CommandLine
    from kanon_sql.config.load import LoadedConfig
    from kanon_sql.progress import Progress
    from kanon_sql.sql.connection import EngineOptions

Command = TypeVar("Command", bound=Callable[..., Any])

_COMMON: list[Callable[[Any], Any]] = [
    click.option("--set", "overrides", metavar="KEY.PATH=VALUE", multiple=True, help="Override one configuration key."),
    click.option("--threads", type=click.IntRange(1, 256), help="Threads of the engine [default: all cores]."),
    click.option("--memory-limit", metavar="SIZE", help="Memory of the engine, such as 4GB [default: 80 % of it]."),
    click.option(
        "--temp-directory",
        metavar="DIR",
        type=click.Path(path_type=Path),
        help="Where the engine spills what does not fit into memory [default: the system's].",
    ),
    click.option(
        "--time-limit",
        metavar="SECONDS",
        type=click.FloatRange(min=0),
        help="End the search after this time.",
    ),
    click.option("--json", "as_json", is_flag=True, help="Print the report as JSON, and nothing else."),
    click.option("--report", metavar="FILE", type=click.Path(path_type=Path), help="Write the report as JSON."),
    click.option("--quiet", is_flag=True, help="Print errors only."),
    click.option("--show-values", is_flag=True, help="Let messages show values of the data."),
    click.option("--debug", is_flag=True, help="Show the traceback of an error."),
]

_K = click.option(
    "--k", type=click.IntRange(min=1), metavar="N", help="Rows that every combination stands for at least."
)
_LIMIT = click.option(
    "--limit", metavar="ROWS|SHARE%", help="Rows that may be suppressed, such as 20 or 1% [default: 0]."
)
_COLUMNS: list[Callable[[Any], Any]] = [
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


@dataclass(frozen=True)
class Common:
    """The shared options of one call."""

    overrides: tuple[tuple[str, str], ...]
    threads: int | None
    memory_limit: str | None
    temp_directory: Path | None
    time_limit: float | None
    as_json: bool
    report: Path | None
    quiet: bool
    show_values: bool

    def engine(self) -> EngineOptions:
        """Bounds for the engine."""
        from kanon_sql.sql.connection import EngineOptions

        return EngineOptions(self.threads, self.memory_limit, self.temp_directory, self.show_values)

    def progress(self) -> Progress:
        """Bars on a terminal, nothing elsewhere."""
        from kanon_sql.progress import Progress, TerminalProgress

        return TerminalProgress() if sys.stderr.isatty() and not self.quiet else Progress()

    def warn(self, warnings: list[str]) -> None:
        """Prints warnings to standard error."""
        if not self.quiet:
            for warning in warnings:
                complain("warning", warning)

    def tell_failed(self, error: KanonError) -> None:
        """Prints what there is of a run that failed, beside the error itself."""
        if error.report is not None:
            with suppress(OSError):  # the error is more than that this cannot be printed
                self.warn(error.report["warnings"])
                if self.as_json:
                    print_json(error.report)


def common_options(command: Command) -> Command:
    """Adds the shared options to a command."""
    for option in reversed(_COMMON):
        command = option(command)
    return command


def column_options(command: Command) -> Command:
    """Adds the options that stand for a configuration to a command."""
    for option in reversed(_COLUMNS):
        command = option(command)
    return command


def column_options_of_many(command: Command) -> Command:
    """Adds these options, but for --k and --limit, of which a sweep takes several, to a command."""
    for option in reversed([one for one in _COLUMNS if one not in (_K, _LIMIT)]):
        command = option(command)
    return command


def take_common(options: dict[str, Any]) -> Common:
    """Takes the shared options out of a command's arguments. Raises UsageError for --set without =."""
    options.pop("debug")
    limit = options["time_limit"]
    if limit is not None and limit != limit:
        raise click.UsageError("--time-limit nan: expected seconds, 0 or more")
    overrides = []
    for text in options.pop("overrides"):
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise click.UsageError(f"--set {text}: expected KEY.PATH=VALUE, such as privacy.k=5")
        overrides.append((key, value))
    names = (
        "threads",
        "memory_limit",
        "temp_directory",
        "time_limit",
        "as_json",
        "report",
        "quiet",
        "show_values",
    )
    return Common(tuple(overrides), **{name: options.pop(name) for name in names})


@contextmanager
def after_release() -> Iterator[None]:
    """What is printed once a release is in its place. Raises ReleasedError where it cannot be printed."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise ReleasedError(
            f"the release is in its place, but the output could not be written ({error.strerror})"
        ) from None


def _missing(data: str, added: Sequence[str], only: Sequence[str]) -> list[str]:
    """The texts that mean missing; none where it is left to the kind of the file. Raises UsageError."""
    from kanon_sql.source.files import format_of

    if added and only:
        raise click.UsageError("--missing adds to what means missing, --missing-only replaces it; name one")
    if not added:
        return list(only)
    path = Path(data)
    files = path.rglob("*") if path.is_dir() else [path]
    is_parquet = any(format_of(file) == "parquet" for file in files)
    return list(dict.fromkeys([*([] if is_parquet else [""]), *added]))


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
    return {**options, "unlisted": options["unlisted"] or "insensitive"} if options["qi"] else options


def loaded_from(first: str, options: dict[str, Any], common: Common) -> LoadedConfig:
    """The configuration: of the file `first`, or with column options the one that they stand for."""
    from kanon_sql.api.opening import load

    overrides = common.overrides
    if options.get("overwrite"):
        overrides = (*overrides, ("target.overwrite", "true"))
    if options.get("qi"):
        return load(mapping_of(first, options), overrides)
    refuse_columns(options)
    return load(first, overrides)


def refuse_columns(options: dict[str, Any]) -> None:
    """Raises UsageError for options that stand for a configuration where one is given."""
    given = [flag for name, flag in _FLAGS.items() if options.get(name) not in (None, (), "")]
    if given:
        raise click.UsageError(
            f"{', '.join(given)} go with --qi; with a configuration file use --set, such as --set privacy.k=5"
        )
