"""python -m kanon_sql, and the command kanon-sql: signals are taken care of before anything else is imported."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from contextlib import suppress

from kanon_sql.sql import signals


def main() -> None:
    """Runs the command and exits with its status."""
    try:
        signals.install()
        # Classes and trees of statements are made by the ten thousand and stay: to look among them for what can be
        # freed, as often as is usual, took a tenth of a short run.
        gc.set_threshold(50_000)
        from kanon_sql.cli.main import main as command

        command()
    except KeyboardInterrupt:
        signals.process_reports_itself()
        signals.ignore()
        print(f"kanon-sql: error: {signals.NOTHING_CHANGED}", file=sys.stderr)
        sys.exit(130)
    finally:
        # What happened is said; the end of the interpreter must not add to it.
        signals.ignore()


def process() -> None:
    """The command as a process of its own: `main`, then the end of the process.

    To take each object down took a tenth of a short run, so the process ends without, once what is registered for the
    end is done and what was written is flushed. The usual end is left to a process with a debugger, or with threads
    that nobody interrupted, and to what cannot be flushed: the interpreter says so, and exits with a status of its own.
    """
    signals.install()
    signals.start()
    try:
        main()
    except SystemExit as ending:
        ends = signals.alone() or signals.interrupted()
        if isinstance(ending.code, int) and ends and not _watched():
            atexit._run_exitfuncs()
            with suppress(OSError, ValueError, AttributeError):
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(ending.code)
        raise


def _watched() -> bool:
    """Whether a debugger, or what measures the process, waits for its end."""
    monitoring = getattr(sys, "monitoring", None)  # since Python 3.12
    tools = monitoring is not None and any(monitoring.get_tool(tool) for tool in range(6))
    return tools or sys.gettrace() is not None or sys.getprofile() is not None


if __name__ == "__main__":
    process()
