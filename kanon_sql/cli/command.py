"""What every command shares: its options, how its result is printed, and what is said when it fails."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kanon_sql.cli.output import Json, complain, print_json, print_summary
from kanon_sql.errors import KanonError, ReleasedError
from kanon_sql.report.views.parts import Parts, plain

if TYPE_CHECKING:
    from kanon_sql.progress import Progress
    from kanon_sql.results.run import Advice
    from kanon_sql.sql.connection import EngineOptions

Command = Callable[..., None]
Option = Callable[[Command], Command]

FILE = click.Path(path_type=Path)

_COMMON: dict[str, Option] = {
    "overrides": click.option(
        "--set", "overrides", metavar="KEY.PATH=VALUE", multiple=True, help="Override one configuration key."
    ),
    "threads": click.option(
        "--threads", type=click.IntRange(1, 256), help="Threads of the engine [default: all cores]."
    ),
    "memory_limit": click.option(
        "--memory-limit", metavar="SIZE", help="Memory of the engine, such as 4GB [default: 80 % of it]."
    ),
    "temp_directory": click.option(
        "--temp-directory",
        metavar="DIR",
        type=FILE,
        help="Where the engine spills what does not fit into memory [default: the system's].",
    ),
    "time_limit": click.option(
        "--time-limit", metavar="SECONDS", type=click.FloatRange(min=0), help="End the search after this time."
    ),
    "as_json": click.option("--json", "as_json", is_flag=True, help="Print the report as JSON, and nothing else."),
    "report": click.option("--report", metavar="FILE", type=FILE, help="Write the report as JSON."),
    "quiet": click.option("--quiet", is_flag=True, help="Print errors only."),
    "show_values": click.option("--show-values", is_flag=True, help="Let messages show values of the data."),
    "debug": click.option("--debug", is_flag=True, expose_value=False, help="Show the traceback of an error."),
}


_HELP = "--help"
# Under which heading --help lists options, by the names of their parameters.
_HEADINGS = {
    "What to anonymize": (
        *("qi", "sensitive", "insensitive", "identifiers", "unlisted", "accept"),
        *("missing_texts", "missing_only", "missing_rows", "delimiter", "overrides"),
    ),
    "Privacy": (
        *("k", "ks", "known_columns", "l_diversity", "t_closeness", "reference", "entity", "group"),
        *("limit", "limits", "suppressed", "order"),
    ),
    "Release and report": (
        *("output", "overwrite", "algorithm", "algorithms", "effort", "strata", "no_advice", "plot", "report", "html"),
        *("lineage", "manifest", "released", "dry_run", "strict", "print_config"),
    ),
    "Engine and limits": ("threads", "memory_limit", "temp_directory", "time_limit", "on_interrupt"),
    "Output": ("as_json", "quiet", "show_values", "debug", _HELP),
}
_FEW_OPTIONS = 20  # which need no headings


class Grouped(click.Command):
    """A command whose help lists many options under headings; those that it has for itself come first."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the options, as click asks for them."""
        options = [option for option in self.get_params(ctx) if isinstance(option, click.Option)]
        named = ((_HELP if _HELP in option.opts else option.name, option.get_help_record(ctx)) for option in options)
        records = {name: record for name, record in named if record is not None}
        if len(records) <= _FEW_OPTIONS:
            super().format_options(ctx, formatter)
            return
        known = {name for names in _HEADINGS.values() for name in names}
        own = [name for name in records if name not in known]
        for heading, names in {"Options": own, **_HEADINGS}.items():
            listed = [records[name] for name in names if name in records]
            if listed:
                with formatter.section(heading):
                    formatter.write_dl(listed)


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

    def arguments(self, *without: str) -> dict[str, Any]:
        """What functions of the API take of the shared options, but those that are named."""
        shared: dict[str, Any] = {"time_limit": self.time_limit, "report": self.report}
        shared |= {"options": self.engine(), "progress": self.progress()}
        return {name: value for name, value in shared.items() if name not in without}

    def warn(self, warnings: Iterable[str]) -> None:
        """Prints warnings to standard error."""
        if not self.quiet:
            for warning in warnings:
                complain("warning", warning)

    def _advise(self, advice: Sequence[Advice]) -> None:
        """Prints what would be enough to standard error."""
        if advice and not self.quiet:
            from kanon_sql.report.views.jobs import advised

            for line in plain([advised(advice)]).splitlines():
                complain("enough would be", line)

    def show(self, data: Json, summarize: Callable[[Any], str | Parts]) -> None:
        """Prints what came out: as JSON where that was asked for, else for people, unless nothing shall be printed."""
        self.warn(data.get("warnings", ()))
        if self.as_json:
            print_json(data)
        elif not self.quiet:
            print_summary(summarize, data)

    @contextmanager
    def telling(self) -> Iterator[None]:
        """Prints what there is of a run that fails in the block, beside the error itself."""
        try:
            yield
        except KanonError as error:
            if error.report is not None:
                with suppress(OSError):  # the error is more than that this cannot be printed
                    self.warn(error.report["warnings"])
                    self._advise(error.report.get("advice", ()))
                    if self.as_json:
                        print_json(error.report)
            raise


def with_options(*options: Option) -> Option:
    """Adds options to a command, in this order."""

    def added(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return added


def common_options(command: Callable[..., None]) -> Command:
    """Adds the shared options to a command, which takes them as its first argument."""
    return common_options_but()(command)


def common_options_but(*without: str) -> Callable[[Callable[..., None]], Command]:
    """Adds the shared options but for some, which the command has no use for, as `common_options` does."""

    def added(command: Callable[..., None]) -> Command:
        @wraps(command)
        def called(**options: Any) -> None:
            given = {**dict.fromkeys(without), **options}
            common = _take_common(given)
            command(common, **given)

        return with_options(*(option for name, option in _COMMON.items() if name not in without))(called)

    return added


def _take_common(options: dict[str, Any]) -> Common:
    """Takes the shared options out of a command's arguments. Raises UsageError for --set without =."""
    limit = options["time_limit"]
    if limit is not None and limit != limit:
        raise click.UsageError("--time-limit nan: expected seconds, 0 or more")
    overrides = []
    for text in options.pop("overrides") or ():
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise click.UsageError(f"--set {text}: expected KEY.PATH=VALUE, such as privacy.k=5")
        overrides.append((key, value))
    names = [name for name in Common.__dataclass_fields__ if name != "overrides"]
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


def end_violated(data: Json) -> None:
    """Ends a check with the exit status of one that does not hold."""
    if data["status"] != "satisfied":
        click.get_current_context().exit(1)
