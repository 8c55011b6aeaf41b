"""Signals to runs on a table of PostgreSQL, runs at once on one target there, and readers while it is replaced.

A release is told by its k: what it holds is known from an undisturbed run before.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
from servers import missing_postgres, postgres

from trials import tally
from trials.interrupts import AFTER, SECONDS, SIGNALS, TOLD

Release = tuple[int, int, int]  # rows, the fewest of a class, a sum over the rows
KINDS = (3, 5, 7, 11)
_TABLE = """
    CREATE TABLE people AS
    SELECT
        'person ' || i AS name,
        CAST(17 + abs(hashint4(i)) % 74 AS integer) AS age,
        CASE abs(hashint4(i + 1)) % 2 WHEN 0 THEN 'f' ELSE 'm' END AS sex,
        CAST(10000 + abs(hashint4(i + 2)) % {zips} AS text) AS zip,
        'illness ' || abs(hashint4(i + 3)) % 9 AS diagnosis
    FROM generate_series(1, {rows}) AS row(i)
"""
_RELEASE = """
    WITH rows AS (SELECT count(*) OVER (PARTITION BY age, sex, zip) AS n, hashtext(r::text) AS h FROM released AS r)
    SELECT count(*), min(n), sum(h) FROM rows
"""
_RELATIONS = "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1"
_SESSIONS = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'kanon-sql'"
_AT_ITS_END = 6  # moments in the last fifth of a run


@dataclass
class Server:
    """A database with a table of persons, and what its releases hold, by k."""

    url: str
    folder: Path
    releases: dict[int, Release] = field(default_factory=dict)
    lasts: float = 0.0

    def rows_of(self, sql: str) -> list[tuple[Any, ...]]:
        """The rows of a query, on a connection of its own."""
        import psycopg

        with psycopg.connect(self.url, autocommit=True) as connection:
            fetched: list[tuple[Any, ...]] = connection.execute(sql.encode()).fetchall()
            return fetched

    def released(self) -> Release:
        """What the target holds."""
        rows, fewest, total = self.rows_of(_RELEASE)[0]
        return int(rows), int(fewest), int(total)

    def start(self, k: int) -> subprocess.Popen[str]:
        """A run that replaces the target."""
        (self.folder / "temporary").mkdir(exist_ok=True)
        config = self.folder / f"{k}.json"
        config.write_text(json.dumps(_configuration(k)), encoding="utf-8")
        words = [sys.executable, "-m", "kanon_sql", "run", str(config), "--quiet", "--no-advice"]
        words += ["--temp-directory", str(self.folder / "temporary")]
        environment = {**os.environ, "CLINIC": self.url}
        return subprocess.Popen(
            words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True
        )

    def left(self) -> list[str]:
        """What runs left: tables, folders, sessions that go on."""
        tables = [str(name) for (name,) in self.rows_of(_RELATIONS) if name not in ("people", "released")]
        files = [path.name for path in (self.folder / "temporary").iterdir()]
        end = time.monotonic() + 5
        while (sessions := self.rows_of(_SESSIONS)[0][0]) and time.monotonic() < end:
            time.sleep(0.1)
        return tables + files + ["a session"] * bool(sessions)


def _configuration(k: int) -> dict[str, Any]:
    return {
        "engine": {"postgres": "${CLINIC}"},
        "source": {"table": "people"},
        "target": {"table": "released", "overwrite": True},
        **wanted(k),
    }


def wanted(k: int) -> dict[str, Any]:
    """What is asked of a release of the people, wherever they are."""
    return {
        "identifiers": ["name"],
        "quasi_identifiers": {
            "age": {"builtin": "intervals", "widths": [5, 10, 20]},
            "sex": {"builtin": "suppress"},
            "zip": {"builtin": "prefix", "keep": [4, 3, 2]},
        },
        "sensitive": ["diagnosis"],
        "privacy": {"k": k},
        "suppression": {"limit": "2%"},
    }


@contextmanager
def server(rows: int, kinds: Sequence[int] = KINDS) -> Iterator[Server]:
    """A new database, with each release known."""
    import psycopg

    with postgres() as url, tempfile.TemporaryDirectory(prefix="servers-") as name:
        here = Server(url, Path(name))
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(_TABLE.format(rows=rows, zips=rows // 1100).encode())  # some rows of each
            connection.execute(b"ANALYZE people")
        for k in kinds:
            begin = time.perf_counter()
            with here.start(k) as process:
                _, said = process.communicate()
            assert process.returncode == 0, said
            here.releases[k], here.lasts = here.released(), time.perf_counter() - begin
            assert here.releases[k][1] >= k
        assert len(set(here.releases.values())) == len(kinds)
        yield here


def interrupted(here: Server, wait: float, number: int, k: int) -> tuple[str, float, list[str]]:
    """(how a run ended that got a signal, seconds from that to its end, what is wrong)."""
    before = here.released()
    with here.start(k) as process:
        time.sleep(wait)
        process.send_signal(number)
        begin = time.perf_counter()
        _, said = process.communicate()
    seconds, said, now = time.perf_counter() - begin, said.strip(), here.released()
    wrong = [f"left {name}" for name in here.left()]
    if process.returncode == 0 or said == AFTER:
        kind, expected = "ended before" if process.returncode == 0 else "after the release", here.releases[k]
    else:
        kind, expected = "nothing changed", before
        if said.startswith("kanon-sql:") and (process.returncode, said) != (130, TOLD):
            wrong.append(f"status {process.returncode}, said {said[:200]!r}")
    if now != expected:
        wrong.append(f"the table holds {now}, expected {expected}")
    if seconds > SECONDS and process.returncode != 0:
        wrong.append(f"took {seconds:.2f} seconds")
    return kind, seconds if process.returncode else 0.0, wrong


def at_once(here: Server, runs: int, draw: random.Random) -> tuple[Counter[str], list[str]]:
    """(how so many runs ended that began at once on one target, what is wrong)."""
    chosen = [draw.choice(sorted(here.releases)) for _ in range(runs)]
    ends: Counter[str] = Counter()
    wrong: list[str] = []
    allowed = {here.released()}
    with ExitStack() as stack:
        running = [(k, stack.enter_context(here.start(k))) for k in chosen]
        for k, process in running:
            _, said = process.communicate()
            lines = said.strip().splitlines()
            if process.returncode == 0:
                allowed.add(here.releases[k])
                ends["released"] += 1
            elif process.returncode == 3 and lines and lines[-1].startswith("kanon-sql: error: "):
                ends[f"refused: {_kind(lines[-1])}"] += 1
            else:
                wrong.append(f"status {process.returncode}: {said[:300]}")
    if here.released() not in allowed or (not ends["released"] and len(allowed) > 1):
        wrong.append(f"the table holds {here.released()}, which no run that ended well has made")
    return ends, [*wrong, *(f"left {name}" for name in here.left())]


def _kind(line: str) -> str:
    state = line.partition("(SQLSTATE ")[2].partition(")")[0]
    return f"SQLSTATE {state}" if state else line.removeprefix("kanon-sql: error: ")[:80]


def read(here: Server, releases: int) -> tuple[int, list[str]]:
    """(how often a reader looked while releases replaced each other, what it saw that is none of them)."""
    wrong: list[str] = []
    looked, ended = 0, threading.Event()

    def look() -> None:
        nonlocal looked
        try:
            while not ended.is_set():
                state = here.released()
                if state not in here.releases.values():
                    wrong.append(f"a reader saw {state}")
                looked += 1
        except Exception as error:
            wrong.append(f"a reader failed: {error}")

    reader = threading.Thread(target=look)
    reader.start()
    try:
        for number in range(releases):
            with here.start(sorted(here.releases)[number % len(here.releases)]) as process:
                _, said = process.communicate()
            if process.returncode:
                wrong.append(f"status {process.returncode}: {said[:300]}")
    finally:
        ended.set()
        reader.join()
    return looked, wrong


@click.command(help=__doc__)
@click.option("--rows", default=100_000, show_default=True, help="Of the table.")
@click.option("--signals", "number", default=60, show_default=True, help="Runs that get a signal.")
@click.option("--rounds", default=5, show_default=True, help="Of runs at once.")
@click.option("--runs", default=10, show_default=True, help="At once; releases while a reader looks.")
@click.option("--seed", default=1, show_default=True, help="Draws moments and releases.")
@click.option("--record", is_flag=True, help="Keep the figures in docs/reliability.json.")
def command(rows: int, number: int, rounds: int, runs: int, seed: int, record: bool) -> None:
    """Tries all, tells what came out, and exits with 1 where something was wrong."""
    if missing_postgres():
        raise click.ClickException(str(missing_postgres()))
    draw, counts, lost, slowest = random.Random(seed), Counter[tuple[str, str]](), list[str](), 0.0
    with server(rows) as here:
        for at in range(number):
            begin = 0.8 if at % 10 < _AT_ITS_END else 0.0
            wait, k = here.lasts * draw.uniform(begin, 1.0), draw.choice(KINDS)
            kind, seconds, wrong = interrupted(here, wait, SIGNALS[at % len(SIGNALS)], k)
            counts["signal", "lost" if wrong else kind] += 1
            slowest = max(slowest, seconds)
            sent = signal.Signals(SIGNALS[at % len(SIGNALS)]).name
            lost += [f"{sent} after {wait:.2f} s: {fault}" for fault in wrong]
        for _ in range(rounds):
            ended, wrong = at_once(here, runs, draw)
            counts.update({("runs at once", how): times for how, times in ended.items()})
            counts["runs at once", "lost"] += len(wrong)
            lost += wrong
        looked, wrong = read(here, runs)
        counts["reader", "saw one release"] += looked
        counts["reader", "lost"] += len(wrong)
        lost += wrong
    for fault in lost:
        click.echo(f"LOST {fault}")
    counts["signal", f"nothing changed, answered within {slowest:.2f} s"] = counts.pop(("signal", "nothing changed"), 0)
    table: list[list[str | int]] = [[*key, times] for key, times in sorted(counts.items()) if times]
    for row in table:
        click.echo("  ".join(map(str, row)))
    if record:
        words = f"scripts/faults servers --rows {rows} --signals {number} --rounds {rounds} --runs {runs} --seed {seed}"
        tally.record("servers", words, ["trial", "how it ended", "times"], table)
    raise SystemExit(1 if lost else 0)
