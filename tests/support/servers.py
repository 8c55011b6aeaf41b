"""Engines beside DuckDB for tests: those that the environment names, else started by the project's scripts.

KANON_SQL_TEST_POSTGRES and KANON_SQL_TEST_SPARK hold the URL of an engine that runs, as `scripts/postgres run` and
`scripts/sail run` set them for their command; KANON_SQL_TEST_BROWSER that of a browser (`scripts/chromium run`).
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from places import SCRIPTS

BROWSER = "KANON_SQL_TEST_BROWSER"


def missing_postgres() -> str | None:
    """Why no test can use PostgreSQL here, or None."""
    return _missing("postgres", "KANON_SQL_TEST_POSTGRES", "engines", ("psycopg",))


def missing_sail() -> str | None:
    """Why no test can use Spark Connect here, or None."""
    return _missing("sail", "KANON_SQL_TEST_SPARK", "engines", ("pyspark",))


def missing_browser() -> str | None:
    """Why no test can look at a page here, or None."""
    return _missing("chromium", BROWSER, "browser", ("playwright", "axe_playwright_python"))


@cache
def _missing(script: str, variable: str, extra: str, clients: tuple[str, ...]) -> str | None:
    for name in clients:
        if importlib.util.find_spec(name) is None:
            return f"{name} is not installed: pip install 'kanon-sql[{extra}]'"
    if variable in os.environ:
        return None
    checked = subprocess.run([sys.executable, SCRIPTS / script, "check"], check=False, capture_output=True, text=True)
    return checked.stderr.strip() if checked.returncode else None


@contextmanager
def _engine(script: str, variable: str) -> Iterator[str]:
    """The URL of an engine; a new one ends when its standard input does, thus also when these tests are killed."""
    if variable in os.environ:
        yield os.environ[variable]
        return
    with _started(script) as url:
        yield url


@contextmanager
def _started(script: str, *options: str) -> Iterator[str]:
    command = [sys.executable, str(SCRIPTS / script), "run", *options]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        url = running.stdout.readline().strip()
        assert url, f"{script} did not start"
        yield url


@contextmanager
def postgres() -> Iterator[str]:
    """The URL of a new database, which is dropped in the end: several tests may share one PostgreSQL."""
    import psycopg

    name = f"kanon_sql_{uuid.uuid4().hex}"
    with _engine("postgres", "KANON_SQL_TEST_POSTGRES") as url:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        try:
            yield url.rpartition("/")[0] + f"/{name}"
        finally:
            with psycopg.connect(url, autocommit=True) as connection:
                connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@contextmanager
def standby(of: str) -> Iterator[str]:
    """The URL of a database on a hot standby of its server, with all that was committed before."""
    with _started("postgres", "--standby-of", of) as url:
        yield url.rpartition("/")[0] + "/" + of.rpartition("/")[2]


@contextmanager
def sail() -> Iterator[str]:
    """The URL of a Spark Connect server; each session has temporary views of its own."""
    with _engine("sail", "KANON_SQL_TEST_SPARK") as url:
        yield url


@contextmanager
def chromium() -> Iterator[str]:
    """The URL of a headless browser; several tests may share it, each with windows of its own."""
    with _engine("chromium", BROWSER) as url:
        yield url
