"""PostgreSQL whose connection is lost at the commit: what is said then is true whichever way it went."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from engine_places import InPostgres
from servers import missing_postgres, postgres

import kanon_sql
from kanon_sql.errors import EngineError

pytestmark = pytest.mark.engine


@contextmanager
def _cut_at_commit(url: str, *, passed_on: bool) -> Iterator[str]:
    """The URL of a way to a server that ends when COMMIT comes by, which is passed on to the server before or not."""
    server = urlsplit(url)
    assert server.hostname is not None
    to = (server.hostname, server.port or 5432)
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            client, _ = listening.accept()
            with client, socket.create_connection(to) as upstream:
                answers = threading.Thread(target=_pump, args=(upstream, client), daemon=True)
                answers.start()
                while data := client.recv(65536):
                    if b"COMMIT" in data:
                        client.shutdown(socket.SHUT_RDWR)
                        if passed_on:
                            upstream.sendall(data)
                        break
                    upstream.sendall(data)
                upstream.shutdown(socket.SHUT_WR)
                answers.join(20)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        port = listening.getsockname()[1]
        yield server._replace(netloc=f"{server.username}:{server.password or ''}@127.0.0.1:{port}").geturl()
        thread.join(20)


def _pump(source: socket.socket, target: socket.socket) -> None:
    """Passes on what comes; once nobody listens it is still read, so that the server can end."""
    with suppress(OSError):
        while data := source.recv(65536):
            with suppress(OSError):
                target.sendall(data)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[InPostgres]:
    reason = missing_postgres()
    if reason:
        pytest.skip(reason)
    with postgres() as url:
        yield InPostgres(url, tmp_path_factory.mktemp("commit"))


@pytest.mark.parametrize("passed_on", [True, False])
def test_a_connection_that_is_lost_at_the_commit(place: InPostgres, passed_on: bool, tmp_path: Path) -> None:
    import psycopg

    source = place.put({"q": "VARCHAR", "s": "VARCHAR"}, [("a", str(i)) for i in range(20)])
    config = {"source": "in", "quasi_identifiers": {"q": {"builtin": "suppress"}}, "sensitive": ["s"]}
    kept = {"releases": {"path": str(tmp_path / "ledger.duckdb")}}
    remote = place.configured({**config, **kept, "privacy": {"k": 2}}, source)
    with _cut_at_commit(place.url, passed_on=passed_on) as url:
        through = {**remote, "engine": {**remote["engine"], "postgres": url}}
        with pytest.raises(EngineError, match="lost at the commit: the release may be in") as caught:
            kanon_sql.run(through, report=tmp_path / "report.json")
    message = str(caught.value)
    assert "connection to PostgreSQL was lost; nothing was changed" not in message
    released = place.released(remote)
    assert (len(released) if released is not None else None) == (20 if passed_on else None)
    asking = re.search(r"SELECT pg_xact_status\('\d+'\)", message)
    assert asking is not None
    with psycopg.connect(place.url, autocommit=True) as connection:
        row = connection.execute(asking[0].encode()).fetchone()
    assert row == ("committed" if passed_on else "aborted",)
    # Nobody could tell, so that it counts as a release.
    assert [entry["state"] for entry in kanon_sql.list_releases(tmp_path / "ledger.duckdb")["releases"]] == ["open"]
