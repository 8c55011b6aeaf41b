"""Sessions of Spark, and their errors in words without values."""

from __future__ import annotations

import logging
import os
import re
import signal
import socket
import threading
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlparse

from kanon_sql.errors import ConfigurationError, EngineError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_OWN_SETTINGS = {
    "spark.app.name": "kanon-sql",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.parquet.inferTimestampNTZ.enabled": "true",
}
_ZONE = {"spark.sql.session.timeZone": "UTC"}  # else texts of moments are those of the machine's own zone
_PROXIES = ("grpc_proxy", "https_proxy", "http_proxy", "all_proxy")
# Conditions of Spark that are found before a row is read, by how their names begin.
_SPEAKING = (
    "AMBIGUOUS_",
    "CATALOG_",
    "COLUMN_",
    "DATATYPE_MISMATCH",
    "MISSING_",
    "PARSE_",
    "PATH_",
    "SCHEMA_",
    "TABLE_",
    "UNABLE_TO_INFER_SCHEMA",
    "UNRESOLVED_",
    "UNSUPPORTED_",
    "VIEW_",
)
_ANALYSIS = ("AnalysisException", "ParseException")


def open_session(url: str, config: Mapping[str, str]) -> tuple[SparkSession, bool]:
    """(a session of a master or of Spark Connect, whether it is new). Raises ConfigurationError or EngineError."""
    try:
        import pyspark
        from pyspark.sql import SparkSession
    except ImportError:
        raise ConfigurationError(
            "engine.spark needs pyspark; install kanon-sql[spark], or pyspark-client for sc:// alone"
        ) from None
    _require_answer(url)
    builder = SparkSession.builder
    if url.startswith("sc://"):
        # Without a Java of its own the client ends the process when it looks for one.
        os.environ.setdefault("SPARK_HOME", str(Path(pyspark.__file__).parent))
        builder = builder.remote(url)
    else:
        builder = builder.master(url)
        for key, value in _OWN_SETTINGS.items():
            builder = builder.config(key, value)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # A session of this process is what Spark gives again, and it keeps its zone.
            opened = SparkSession.getActiveSession() is not None
            for key, value in {**({} if opened else _ZONE), **config}.items():
                builder = builder.config(key, value)
            with _handler_kept():
                session: Any = builder.getOrCreate()
            # What breaks off in the middle of a call is reported by whoever called, in one line.
            logging.getLogger("py4j").setLevel(logging.CRITICAL)
            session.sql("SELECT 1").collect()
    except Exception as error:
        # What follows a semicolon may be a token.
        shown = url.partition(";")[0]
        message = describe(error, show_values=False).replace(url, shown)
        raise EngineError(f"engine.spark: no session at {shown}: {message}") from None
    return session, not opened


LOST = "Spark does not answer, or the connection was lost; look whether it runs"
_OF_LOST = ("Connection refused", "UNAVAILABLE", "Failed to connect", "Answer from Java side is empty")


@contextmanager
def _handler_kept() -> Iterator[None]:
    """A new context of Spark answers SIGINT itself, even where a release is being put in its place: not so here."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread() and before is not None:
            signal.signal(signal.SIGINT, before)


def describe(error: Exception, *, show_values: bool) -> str:
    """One line for an error of Spark: its own words only of conditions that hold no values, unless `show_values`."""
    text = " ".join(str(error).split("\n\n")[0].split("JVM stacktrace")[0].split())
    text = re.split(r" at [a-z]+\.[\w.$]+\(", text)[0]  # where in Java's code
    kind = type(error).__name__
    # What Java says comes as an error of its own kind, or with a trace: without one no answer came.
    is_unanswered = kind == "Py4JNetworkError" or (kind == "Py4JError" and "Trace:" not in text)
    if is_unanswered or any(words in text for words in _OF_LOST):
        return LOST
    names = re.findall(r"\[([A-Z][A-Z0-9_.]+)\]", text)
    if not show_values and not names:
        # A server that speaks as Spark does, but names no condition, puts values in quotes.
        text = re.sub(r"'[^']*'", "'...'", text) if kind in _ANALYSIS else ""
    elif not show_values and not all(name.startswith(_SPEAKING) for name in names):
        return f"Spark refused a value, or failed ({', '.join(names)}); --show-values shows its words"
    return f"Spark failed ({kind}): {text[:500]}" if text else f"Spark failed ({kind}); --show-values shows its words"


def _require_answer(url: str) -> None:
    """Raises EngineError where no Spark Connect server listens: its client would retry for many minutes."""
    if not url.startswith("sc://") or any(name.lower() in _PROXIES for name in os.environ):
        return
    shown = url.partition(";")[0]
    try:
        parsed = urlparse(shown)
        socket.create_connection((parsed.hostname or "", parsed.port or 15002), timeout=20).close()
    except ValueError:
        raise ConfigurationError("engine.spark: this is no URL of Spark Connect; expected sc://host:15002") from None
    except OSError:
        raise EngineError(f"engine.spark: nothing answers at {shown}; look whether the server runs") from None
