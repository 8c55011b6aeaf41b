"""python -m kanon_sql, and the command kanon-sql: signals are taken care of before anything else is imported."""

from __future__ import annotations

import sys

from kanon_sql.sql import signals


def main() -> None:
    """Runs the command and exits with its status."""
    try:
        signals.install()
        from kanon_sql.cli.main import main as command

        command()
    except KeyboardInterrupt:
        signals.ignore()
        print(f"kanon-sql: error: {signals.NOTHING_CHANGED}", file=sys.stderr)
        sys.exit(130)
    finally:
        # What happened is said; the end of the interpreter must not add to it.
        signals.ignore()


if __name__ == "__main__":
    main()
