"""The command `kanon-sql`: what goes to which stream, and which exit status an error has."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Any

import click

from kanon_sql.cli.compile import compile_command, dbt, sqlmesh
from kanon_sql.cli.hierarchy import hierarchy
from kanon_sql.cli.init import init
from kanon_sql.cli.key import key
from kanon_sql.cli.measuring import attack, check, lattice, link, risk, sweep, utility
from kanon_sql.cli.output import complain, print_json, print_traceback
from kanon_sql.cli.releases import apply, releases, report
from kanon_sql.cli.run import run
from kanon_sql.errors import InterruptedRunError, KanonError
from kanon_sql.results import REPORTS
from kanon_sql.settings.version import __version__
from kanon_sql.sql import signals

_EPILOG = """
\b
First steps:
  kanon-sql init patients.csv -o config.yaml      # from a table that nobody has looked at
  kanon-sql run patients.csv --qi age=intervals:5,10,20 --qi zip=prefix:4,3,2 \\
      --sensitive diagnosis --identifier name --k 5 -o release.csv
  kanon-sql run config.yaml
  kanon-sql check release.csv --qi age --qi zip --k 5

\b
Exit status: 0 done; 1 no release satisfies, or a check does not hold; 2 wrong usage, configuration or
hierarchy; 3 source, target or engine failed, or time ran out; 4 the release did not verify; 130 interrupted.
"""


class _Commands(click.Group):
    def invoke(self, ctx: click.Context) -> Any:
        """Here, as click would print an empty line before it says that a command was interrupted."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise InterruptedRunError(signals.NOTHING_CHANGED) from None


@click.group(
    cls=_Commands, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110}
)
@click.version_option(__version__, prog_name="kanon-sql")
def cli() -> None:
    """Anonymizes tables where they live: k-anonymous releases of Parquet, CSV and DuckDB tables, by SQL.

    Every combination of quasi-identifiers in a release stands for at least k rows; the release with the least loss
    is searched for, written beside its target, counted again, and only then put in place.
    """


for command in (
    init,
    run,
    report,
    check,
    lattice,
    compile_command,
    sweep,
    risk,
    utility,
    attack,
    link,
    releases,
    apply,
    dbt,
    sqlmesh,
    hierarchy,
    key,
):
    cli.add_command(command)


@cli.command()
@click.argument("what", type=click.Choice(["configuration", "database", *REPORTS]), default="configuration")
def schema(what: str) -> None:
    """Prints the JSON Schema of the configuration of a table or a database, for editors, or of a report.

    That is the report of a run, or what another command prints with --json.

    \b
      kanon-sql schema > kanon-sql.schema.json
      # first line of a configuration:  # yaml-language-server: $schema=kanon-sql.schema.json
      kanon-sql schema database
      kanon-sql schema report
      kanon-sql schema risk
    """
    from kanon_sql.config.schema import database_schema, json_schema
    from kanon_sql.report.schema import report_schema, result_schema

    schemas = {"configuration": json_schema, "database": database_schema, "report": report_schema}
    print_json(schemas[what]() if what in schemas else result_schema(what))


def main(arguments: list[str] | None = None) -> None:  # noqa: C901
    """Runs a command and exits with its status."""
    words = sys.argv[1:] if arguments is None else arguments
    debug = "--debug" in words
    signals.install()
    _open_streams()
    output = sys.stdout
    try:
        with signals.run_block():
            status = cli.main(words, prog_name="kanon-sql", standalone_mode=False)
            sys.stdout.flush()
    except KanonError as error:
        status = _fail(error.problems, error.exit_status, debug)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        status = 2
    except click.UsageError as error:
        hint = f" (see {error.ctx.command_path} --help)" if error.ctx else ""
        status = _fail([error.format_message() + hint], 2, debug)
    except click.ClickException as error:
        status = _fail([error.format_message()], 2, debug)
    except (KeyboardInterrupt, click.Abort):
        status = _fail([signals.NOTHING_CHANGED], InterruptedRunError.exit_status, debug)
    except (BrokenPipeError, SystemExit) as error:
        # The reader of standard output went away, which is its right; click then wraps the stream and exits with 1.
        if isinstance(error, SystemExit) and sys.stdout is output:
            raise
        sys.stdout = output
        status = 0
    except Exception as error:
        if signals.interrupted():
            status = _fail([signals.NOTHING_CHANGED], InterruptedRunError.exit_status, debug)
        elif isinstance(error, OSError) and error.filename is None:
            status = _fail([f"the output cannot be written ({error.strerror})"], 3, debug)
        else:
            problem = f"unexpected {type(error).__name__}; please report it with the output of --debug"
            status = _fail([problem], 3, debug)
    _give_up_broken_streams()
    sys.exit(status if isinstance(status, int) else 0)


def _fail(problems: list[str], status: int, debug: bool) -> int:
    signals.process_reports_itself()
    with suppress(OSError):  # the status says it where standard error cannot be written
        if debug:
            print_traceback()
        for problem in problems:
            complain("error", problem)
    return status


def _open_streams() -> None:
    """Standard streams that are closed lead nowhere: else the next file that is opened takes their number."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, "r" if name == "stdin" else "w", closefd=False))


def _give_up_broken_streams() -> None:
    """What cannot be written is not tried again at the end of the interpreter, which would change the status."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
