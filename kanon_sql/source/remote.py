"""Files in buckets and on web servers: fetched whole before a row is read, by a connection that does nothing else.

The connection that does the job knows no network, so that no view or query reaches another bucket or host. Credentials
are those of DuckDB's stored secrets or of the environment (AWS_ACCESS_KEY_ID and its like), which DuckDB reads itself;
AWS_ENDPOINT_URL names another server than Amazon's, AZURE_STORAGE_CONNECTION_STRING a storage account.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from glob import escape
from pathlib import Path
from urllib.parse import unquote, urlsplit

from sqlglot import exp

from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine, EngineOptions, literal, open_engine
from kanon_sql.sql.extensions import load_extension

AZURE = ("az", "azure")
BUCKETS = ("s3", "gs", "gcs", "r2", *AZURE)
WEB = ("https", "http")
_REMOTE = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")
_CONNECTION = "AZURE_STORAGE_CONNECTION_STRING"
_ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
WHOLE = 256_000_000  # bytes of a file that is moved as it is; a larger Parquet file is read and written anew
MOST = 2_000_000_000  # bytes of another file


def is_remote(text: str | None) -> bool:
    """Whether a path of a configuration is a URL."""
    return text is not None and _REMOTE.match(text) is not None


def refuse_unknown(text: str, place: str, schemes: tuple[str, ...] = (*BUCKETS, *WEB)) -> None:
    """Raises ConfigurationError for a URL that cannot be reached from here."""
    match = _REMOTE.match(text)
    if match is None or match[1].lower() not in schemes:
        scheme = text.partition("://")[0]
        raise ConfigurationError(
            f"{place}: {scheme}:// is not reachable from here; expected {', '.join(f'{name}://' for name in schemes)} "
            "or a path on this machine, copy the data to one"
        )


def shown_url(url: str) -> str:
    """A URL without what may be secret in it: user, password, and what stands behind a question mark."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


@contextmanager
def reaching(url: str, place: str) -> Iterator[Engine]:
    """A connection that reaches what a URL names, or its like. Raises ConfigurationError without the extension."""
    with open_engine(EngineOptions()) as engine:
        if url.partition("://")[0].lower() in AZURE:
            load_extension(engine, "azure", f"{place}: a container of Azure")
            if os.environ.get(_CONNECTION):
                engine.run(f"SET azure_storage_connection_string = {literal(os.environ[_CONNECTION]).sql('duckdb')}")
            yield engine
            return
        load_extension(engine, "httpfs", f"{place}: a bucket or a web server")
        endpoint = next((os.environ[name] for name in _ENDPOINTS if os.environ.get(name)), None)
        if endpoint is not None:
            parts = urlsplit(endpoint)
            engine.run(f"SET s3_endpoint = {literal(parts.netloc).sql('duckdb')}")
            engine.run(f"SET s3_use_ssl = {'true' if parts.scheme == 'https' else 'false'}")
            engine.run("SET s3_url_style = 'path'")
        yield engine


def is_there(url: str, place: str) -> bool:
    """Whether a bucket holds a file. Raises EngineError where it cannot be asked."""
    with reaching(url, place) as bucket:
        try:
            # Only for a pattern names are asked for.
            return bool(bucket.query("source/remote_exists", values={"pattern": f"{url[:-1]}[{url[-1]}]"})[0][0])
        except EngineError as error:
            raise EngineError(f"{place}: {shown_url(url)}: {error}") from None


def names_in_bucket(patterns: Sequence[str], place: str) -> list[str]:
    """The names that patterns mean. Raises EngineError where a bucket does not tell."""
    with reaching(patterns[0], place) as bucket:
        try:
            return [str(name) for (name,) in bucket.query("source/remote_names", values={"patterns": list(patterns)})]
        except EngineError as error:
            raise EngineError(f"{place}: {shown_url(patterns[0])}: {error}") from None


def fetch(engine: Engine, url: str, place: str, *, as_it_is: bool = False) -> str:
    """Fetches files into the folder of a connection, once; gives the path of a configuration that means them there.

    A URL that ends with a slash is a folder with all that it holds, one with `*` a pattern. Large Parquet files are
    written anew on their way, unless files count `as_it_is`. Raises ConfigurationError and EngineError.
    """
    refuse_unknown(url, place)
    if url not in engine.fetched:
        root = engine.own_folder() / f"fetched-{len(engine.fetched)}"
        with reaching(url, place) as reader:
            engine.fetched[url] = _fetched(reader, url, root, place, as_it_is=as_it_is)
    return engine.fetched[url]


def _fetched(reader: Engine, url: str, root: Path, place: str, *, as_it_is: bool) -> str:
    pattern = f"{url}**" if url.endswith("/") else url
    try:
        listed = reader.query("source/remote_files", values={"pattern": pattern})
    except EngineError as error:
        raise EngineError(f"{place}: {shown_url(url)}: {error}") from None
    above = folder_above(url)
    for name, size in listed:
        rest = _relative(str(name), above, place)
        local = root / rest
        local.parent.mkdir(parents=True, exist_ok=True)
        _copy(reader, str(name), int(size), local, place, as_it_is=as_it_is)
    if not listed:
        raise EngineError(f"{place}: no file matches {shown_url(url)}")
    if url.endswith("/"):
        return str(root)
    return (
        str(Path(escape(str(root))) / url[len(above) :])
        if _is_pattern(url)
        else str(root / _relative(url, above, place))
    )


def _copy(reader: Engine, name: str, size: int, local: Path, place: str, *, as_it_is: bool) -> None:
    """Fetches one file. Raises ConfigurationError for one that is too large, EngineError."""
    as_it_is = as_it_is or size <= WHOLE or not local.name.lower().endswith((".parquet", ".pq"))
    if as_it_is and size > MOST:
        raise ConfigurationError(
            f"{place}: {shown_url(name)} has {size:,} bytes; expected Parquet, or at most {MOST:,}: copy it to this "
            "machine"
        )
    try:
        copy_file(reader, name, str(local), as_it_is=as_it_is)
    except EngineError as error:
        raise EngineError(f"{place}: {shown_url(name)}: {error}") from None


def copy_file(engine: Engine, file: str, place: str, *, as_it_is: bool, options: str = "FORMAT parquet") -> None:
    """Writes a file elsewhere, byte by byte, or the rows of a Parquet file anew. Raises EngineError."""
    name = literal(file)
    if as_it_is:
        read = exp.Anonymous(this="read_blob", expressions=[name])
        statement = template.fill("source/remote_content", {"file_as_bytes": exp.Table(this=read)})
        engine.run(f"COPY ({template.text(statement)}) TO {literal(place).sql('duckdb')} (FORMAT BLOB)")
        return
    # A partition in the name of a folder is no column of the file.
    plain = exp.EQ(this=exp.column("hive_partitioning"), expression=exp.false())
    copy_rows(
        engine, exp.Table(this=exp.Anonymous(this="read_parquet", expressions=[name, plain])), place, options=options
    )


def copy_rows(engine: Engine, rows: exp.Expr, place: str, *, options: str = "FORMAT parquet") -> None:
    """Writes all rows of what the engine can read into a Parquet file. Raises EngineError."""
    text = template.text(template.fill("source/remote_rows", {"file_as_rows": rows}))
    engine.run(f"COPY ({text}) TO {literal(place).sql('duckdb')} ({options})")


def folder_above(url: str) -> str:
    """The folder of a URL, with a slash at its end; of a pattern the last one that it names in full."""
    return url[: url.rindex("/", 0, _first_magic(url)) + 1] if _is_pattern(url) else url[: len(url) - len(_name(url))]


def _name(url: str) -> str:
    """What a URL is called behind its last slash, with what stands behind a question mark."""
    return url[url.rindex("/") + 1 :] if not urlsplit(url).query else url[url.rindex("/", 0, url.index("?")) + 1 :]


def _is_pattern(url: str) -> bool:
    """Whether a URL may mean several files; that of a web server means one."""
    return urlsplit(url).scheme.lower() in BUCKETS and _first_magic(url) < len(url)


def _first_magic(url: str) -> int:
    return next((i for i, letter in enumerate(url) if letter in "*?["), len(url))


def _relative(name: str, above: str, place: str) -> Path:
    """Where a file is put below the folder of what was fetched: a bucket may hold names that lead out of it."""
    rest = name[len(above) :]
    if urlsplit(name).scheme.lower() in WEB:
        rest = unquote(urlsplit(rest).path)
    parts = rest.split("/")
    if not name.startswith(above) or any(part in ("", ".", "..") or "\0" in part or "\\" in part for part in parts):
        raise EngineError(f"{place}: the name of {shown_url(name)} is none of a file; rename it")
    return Path(*parts)
