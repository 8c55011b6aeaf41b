"""Engines beside DuckDB for tests, started here where they are installed and stopped again: PostgreSQL and Sail.

python tests/engines.py postgres        starts one and waits for the end of standard input
python tests/engines.py sail
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


def missing_postgres() -> str | None:
    """Why PostgreSQL cannot be started here, or None."""
    if importlib.util.find_spec("psycopg") is None:
        return "psycopg is not installed: pip install 'kanon-sql[engines]'"
    return None if _binaries() else "PostgreSQL is not installed: no initdb in PATH or /usr/lib/postgresql"


def missing_sail() -> str | None:
    """Why Sail cannot be started here, or None."""
    for name in ("pysail", "pyspark"):
        if importlib.util.find_spec(name) is None:
            return f"{name} is not installed: pip install 'kanon-sql[engines]'"
    return None


def _binaries() -> Path | None:
    found = shutil.which("initdb")
    folders = [Path(found).parent] if found else sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in folders if (folder / "initdb").exists()), None)


def free_port() -> int:
    """A port of the loopback interface that nobody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextmanager
def postgres() -> Iterator[str]:
    """A new PostgreSQL on loopback; its URL."""
    binaries = _binaries()
    assert binaries is not None
    as_owner = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    folder = Path(tempfile.mkdtemp(prefix="kanon-sql-postgres-"))
    port = free_port()
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder} -c fsync=off"
    try:
        if as_owner:
            shutil.chown(folder, "postgres")
        data = str(folder / "data")
        init = [str(binaries / "initdb"), "-D", data, "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C.UTF-8"]
        control = [*as_owner, str(binaries / "pg_ctl"), "-D", data, "-w"]
        subprocess.run([*as_owner, *init, "--no-sync"], check=True, capture_output=True, cwd=folder)
        start = [*control, "-l", str(folder / "log"), "-o", options, "start"]
        subprocess.run(start, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder)
        try:
            yield f"postgresql://postgres@127.0.0.1:{port}/postgres"
        finally:
            subprocess.run([*control, "-m", "immediate", "stop"], check=True, capture_output=True, cwd=folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def sail() -> Iterator[str]:
    """A new Sail server on loopback; its Spark Connect URL."""
    port = free_port()
    command = [sys.executable, "-m", "pysail", "spark", "server", "--ip", "127.0.0.1", "--port", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and server.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.1)
        yield f"sc://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(30)


ENGINES: dict[str, Any] = {"postgres": (missing_postgres, postgres), "sail": (missing_sail, sail)}

if __name__ == "__main__":
    missing, start = ENGINES[sys.argv[1]]
    reason = missing()
    if reason:
        sys.exit(reason)
    with start() as url:
        print(url, flush=True)
        sys.stdin.read()
