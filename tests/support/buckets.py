"""A server of buckets, and a web server that may fail, on this machine."""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from threading import Thread
from urllib.error import URLError
from urllib.request import Request, urlopen

PACKAGES = ("duckdb_extension_httpfs", "moto", "flask", "boto3")
MISSING = [name for name in PACKAGES if find_spec(name) is None]
ACCESS = {
    "AWS_ACCESS_KEY_ID": "AKIDEXAMPLE",
    "AWS_SECRET_ACCESS_KEY": "a secret of the bucket",
    "AWS_REGION": "us-east-1",
}


@contextmanager
def bucket_server() -> Iterator[str]:
    """The address of a server of S3, ended with the block."""
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(words, stdout=quiet, stderr=quiet, env={**os.environ, **ACCESS}) as process:
        try:
            for _ in range(300):
                try:
                    urlopen(f"http://127.0.0.1:{port}/moto-api/", timeout=1).close()
                    break
                except (URLError, OSError):
                    time.sleep(0.1)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


AZURITE = os.environ.get("KANON_SQL_TEST_AZURITE") or shutil.which("azurite-blob")  # of npm, a server of Azure's blobs
_ACCOUNT = "devstoreaccount1"
_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="  # known to everybody


@contextmanager
def azure_server(container: str) -> Iterator[str]:
    """The connection string of a server with an empty container, ended with the block."""
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [str(AZURITE), "--silent", "--skipApiVersionCheck", "--inMemoryPersistence", "--blobPort", str(port)]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            endpoint = f"http://127.0.0.1:{port}/{_ACCOUNT}"
            for _ in range(300):
                try:
                    socket.create_connection(("127.0.0.1", port), 1).close()
                    break
                except OSError:
                    time.sleep(0.1)
            _make_container(endpoint, container)
            account = f"AccountName={_ACCOUNT};AccountKey={_KEY}"
            yield f"DefaultEndpointsProtocol=http;{account};BlobEndpoint={endpoint};"
        finally:
            process.terminate()


def _make_container(endpoint: str, name: str) -> None:
    """Makes a container by a request signed with the account's key."""
    now = datetime.now(timezone.utc).strftime("%a, %d %b %Y %H:%M:%S GMT")
    headers = {"Content-Type": "text/plain", "x-ms-date": now, "x-ms-version": "2021-08-06"}
    resource = f"/{_ACCOUNT}/{_ACCOUNT}/{name}\nrestype:container"
    listed = f"x-ms-date:{now}\nx-ms-version:2021-08-06\n"
    text = "\n".join(["PUT", "", "", "", "", "text/plain", "", "", "", "", "", "", f"{listed}{resource}"])
    signature = base64.b64encode(hmac.new(base64.b64decode(_KEY), text.encode(), hashlib.sha256).digest()).decode()
    headers["Authorization"] = f"SharedKey {_ACCOUNT}:{signature}"
    address = f"{endpoint}/{name}?restype=container"
    urlopen(Request(address, data=b"", method="PUT", headers=headers), timeout=30).close()


@contextmanager
def web_server(content: bytes, fault: str = "") -> Iterator[str]:
    """The address of a server of one file; with a `fault` it answers "503", or ends in the middle of it: "cut"."""

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self._answer(body=False)

        def do_GET(self) -> None:
            self._answer(body=True)

        def _answer(self, *, body: bool) -> None:
            self.send_response(503 if fault == "503" else 200)
            self.send_header("Content-Length", str(0 if fault == "503" else len(content)))
            self.end_headers()
            if body and fault != "503":
                self.wfile.write(content[: len(content) // 2] if fault == "cut" else content)
            self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
