"""The command `kanon-sql`: what goes to which stream, and which exit status an error has."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from typing import Any

import click

from kanon_sql import __version__
from kanon_sql.cli.apply import apply
from kanon_sql.cli.check import check
from kanon_sql.cli.compile import compile_command
from kanon_sql.cli.dbt import dbt
from kanon_sql.cli.hierarchy import hierarchy
from kanon_sql.cli.lattice import lattice
from kanon_sql.cli.link import link
from kanon_sql.cli.releases import releases
from kanon_sql.cli.risk import risk
from kanon_sql.cli.run import run
from kanon_sql.cli.schema import schema
from kanon_sql.cli.sqlmesh import sqlmesh
from kanon_sql.cli.sweep import sweep
from kanon_sql.errors import InterruptedRunError, KanonError

_EPILOG = """
\b
First steps:
  kanon-sql run patients.csv --qi age=intervals:5,10,20 --qi zip=prefix:4,3,2 \\
      --sensitive diagnosis --identifier name --k 5 -o release.csv
  kanon-sql run config.yaml
  kanon-sql check release.csv --qi age --qi zip --k 5

\b
Exit status: 0 done; 1 no release satisfies, or a check does not hold; 2 wrong usage, configuration or
hierarchy; 3 source, target or engine failed, or time ran out; 4 the release did not verify; 130 interrupted.
"""


@click.group(epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="kanon-sql")
def cli() -> None:
    """Anonymizes tables where they live: k-anonymous releases of Parquet, CSV and DuckDB tables, by SQL.

    Every combination of quasi-identifiers in a release stands for at least k rows; the release with the least loss
    is searched for, written beside its target, counted again, and only then put in place.
    """


for command in (
    run,
    check,
    lattice,
    compile_command,
    sweep,
    risk,
    link,
    releases,
    apply,
    dbt,
    sqlmesh,
    hierarchy,
    schema,
):
    cli.add_command(command)


def main(arguments: list[str] | None = None) -> None:
    """Runs a command and exits with its status."""
    words = sys.argv[1:] if arguments is None else arguments
    debug = "--debug" in words
    signal.signal(signal.SIGTERM, _terminate)
    output = sys.stdout
    try:
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
        interrupted = InterruptedRunError("interrupted: nothing was changed")
        status = _fail(interrupted.problems, interrupted.exit_status, debug)
    except (BrokenPipeError, SystemExit) as error:
        # The reader of standard output went away, which is its right; click then wraps the stream and exits with 1.
        if isinstance(error, SystemExit) and sys.stdout is output:
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno() if sys.__stdout__ else 1)
        status = 0
    except Exception as error:
        problem = f"unexpected {type(error).__name__}; please report it with the output of --debug"
        status = _fail([problem], 3, debug)
    sys.exit(status if isinstance(status, int) else 0)


def _fail(problems: list[str], status: int, debug: bool) -> int:
    if debug:
        traceback.print_exc()
    for problem in problems:
        click.echo(f"kanon-sql: error: {' '.join(problem.split())}", err=True)
    return status


def _terminate(*_: Any) -> None:
    raise KeyboardInterrupt
