"""Tables of Iceberg and Delta: folders whose log says which files, and which rows of them, a snapshot has.

The newest snapshot is found out from names and metadata, and copied whole before a row is read, by a connection that
does nothing else and may read the table's folder alone. So all of a run is about one snapshot, whatever is written to
the table meanwhile, and no view or query has an extension that opens files by itself.
"""

from __future__ import annotations

import gzip
import json
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlglot import exp

from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.settings.source import SourceConfig
from kanon_sql.source.remote import (
    AZURE,
    BUCKETS,
    copy_rows,
    fetch,
    folder_above,
    is_remote,
    names_in_bucket,
    refuse_unknown,
    shown_url,
)
from kanon_sql.sql.connection import Engine, EngineOptions, literal, lock_down, open_engine
from kanon_sql.sql.extensions import load_extension
from kanon_sql.sql.watching import Watch

TITLES = {"iceberg": "Iceberg", "delta": "Delta"}
_EXTENSIONS = {"iceberg": ("avro", "iceberg"), "delta": ("delta",)}
# As catalogs name metadata files, and as tables without a catalog do; the codec stands before or behind the ending.
_METADATA = re.compile(r"(?:v([0-9]+)|([0-9]+)-.*?)(?:\.gz)?\.metadata\.json(?:\.gz)?")
_HINT = "version-hint.text"
_FORMATS = (1, 2)  # versions of Iceberg whose deletes are known here
_COMMIT = re.compile(r"([0-9]{20})\.(?:json|checkpoint\..*parquet)")
_DELTA_LOG = "_delta_log"
_NO_ACCESS = re.compile(r'Cannot access (?:file|directory) "([^"]+)"')


@dataclass(frozen=True)
class Copied:
    """The copy of a snapshot: a Parquet file, which is called as the snapshot, and what the run warns of."""

    file: Path
    snapshot: str
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Snapshot:
    """A snapshot of a table in `folder`: how its rows and the names of its files are read, and its columns if known."""

    kind: str
    folder: Path
    called: str
    rows: exp.Table
    files: exp.Table
    location: str = ""
    names: tuple[str, ...] | None = None
    warnings: tuple[str, ...] = ()


def refuse_folder_tables(folders: Mapping[Path, str], place: str) -> None:
    """Raises ConfigurationError for files of such a table that are read as plain ones: some hold deleted rows.

    `folders` are those of the files, each with what it is called; they may lie below a table, also by a symbolic link.
    """
    places: dict[Path, None] = {}  # each once: folders of partitions have most of what is above them in common
    for folder in folders:
        places |= dict.fromkeys((folder, *folder.absolute().parents, folder.resolve(), *folder.resolve().parents))
    for above in places:
        kind = "delta" if (above / _DELTA_LOG).is_dir() else "iceberg" if any(_metadata_files(above)) else None
        if kind is not None:
            raise _is_table(kind, folders.get(above, str(above)), place)


def refuse_bucket_tables(url: str, place: str) -> None:
    """Raises ConfigurationError for files of such a table in a bucket, as `refuse_folder_tables` does.

    A bucket may give a file to somebody whom it does not tell its names: such a file is read.
    """
    if url.partition("://")[0].lower() not in BUCKETS:
        return
    rest = url[len(folder_above(url)) :]
    try:
        names = names_in_bucket(logs_around(url), place)
    except EngineError:
        if not rest or any(letter in rest for letter in "*?["):
            raise
        return
    for name in names:
        folder, _, file = name.rpartition("/")
        folder, _, kind = folder.rpartition("/")
        if kind == _DELTA_LOG or _METADATA.fullmatch(file):
            raise _is_table("delta" if kind == _DELTA_LOG else "iceberg", shown_url(folder), place)


def logs_around(url: str) -> list[str]:
    """Patterns of the logs that make a table of a folder of a bucket, of those above the files of a URL and below."""
    within = folder_above(url)
    root = url.index("/", url.index("://") + 3)
    if "." in url[:root] and url.partition("://")[0].lower() in AZURE:
        root = url.index("/", root + 1)  # az://ACCOUNT.blob.core.windows.net/CONTAINER/
    above = [within[: index + 1] for index in range(root, len(within)) if within[index] == "/"]
    rest = url[len(within) :]
    below = [f"{within}**/"] if not rest or "/" in rest or "**" in rest else []
    return [f"{folder}{log}" for folder in (*above, *below) for log in (f"{_DELTA_LOG}/*", "metadata/*.metadata.json*")]


def _is_table(kind: str, named: str, place: str) -> ConfigurationError:
    return ConfigurationError(
        f"{place}: {named} is a table of {TITLES[kind]}, whose files hold rows that were deleted, too; "
        f"expected {{{kind}: {named}}} instead of path"
    )


def folder_of(path: Path) -> Path:
    """The folder of a table that is named by its folder or, of Iceberg, by a metadata file."""
    if not path.is_file():
        return path
    return path.parent.parent if path.parent.name == "metadata" else path.parent


def copy_snapshot(engine: Engine, source: SourceConfig, base: Path, place: str) -> Copied:
    """Copies the newest snapshot of a table into the folder of a connection, once: later calls give the same one.

    Raises ConfigurationError for what is no such table, EngineError for one that cannot be read.
    """
    assert source.folder_table is not None
    kind, text = source.folder_table
    key = f"{kind}:{(base / text).absolute()}"
    if key in engine.fetched:
        file = Path(engine.fetched[key])
        return Copied(file, file.stem)
    folder = engine.own_folder() / f"snapshot-{len(engine.fetched)}"
    folder.mkdir()
    with _on_this_machine(engine, kind, text, base, place) as path:
        snapshot = (_iceberg if kind == "iceberg" else _delta)(path, text, place)
        file = folder / f"{snapshot.called}.parquet"
        _copy(snapshot, file, [base / allowed for allowed in source.allow], place)
    engine.fetched[key] = str(file)
    return Copied(file, snapshot.called, snapshot.warnings)


def folder_in_bucket(kind: str, text: str) -> str:
    """The folder of a table, of which a URL names the folder or a metadata file; without a slash at its end."""
    url = text.rstrip("/")
    above, _, name = url.rpartition("/")
    return above.removesuffix("/metadata") if kind == "iceberg" and _METADATA.fullmatch(name) else url


@contextmanager
def _on_this_machine(engine: Engine, kind: str, text: str, base: Path, place: str) -> Iterator[Path]:
    """Where the folder or the metadata file of a table is here; one of a bucket is fetched for as long as the block.

    Raises ConfigurationError and EngineError, which name the URL.
    """
    if not is_remote(text):
        yield base / text
        return
    refuse_unknown(text, place, BUCKETS)
    url = folder_in_bucket(kind, text)
    named = text[len(url) :].strip("/")
    folder = Path(fetch(engine, f"{url}/", place, as_it_is=True))
    try:
        yield folder / named
    except (ConfigurationError, EngineError) as error:
        raise type(error)(problem.replace(str(folder), shown_url(url)) for problem in error.problems) from None
    finally:
        del engine.fetched[f"{url}/"]
        shutil.rmtree(folder, ignore_errors=True)


def shown_table(text: str, base: Path) -> str:
    """A table as a report names it, by the path that the configuration names."""
    return shown_url(text) if is_remote(text) else str((base / text).absolute())


def _copy(snapshot: _Snapshot, file: Path, allowed: Iterable[Path], place: str) -> None:
    """Writes the rows of a snapshot into a Parquet file. Raises EngineError, ConfigurationError."""
    what = f"{place}: a table of {TITLES[snapshot.kind]}"
    with open_engine(EngineOptions()) as reader:
        for extension in _EXTENSIONS[snapshot.kind]:
            load_extension(reader, extension, what)
        folders = [path.absolute() for path in (snapshot.folder, snapshot.folder.resolve(), file.parent, *allowed)]
        where = _local(snapshot.location)
        if where.is_absolute() and where.resolve() == snapshot.folder.resolve():
            folders.append(where)
        lock_down(reader, (), dict.fromkeys(folders))
        try:
            files = [
                str(row[0]) for row in reader.query(_files_query(snapshot), names={"snapshot_files": snapshot.files})
            ]
            watch = Watch()
            paths = [_moved(_local(name), snapshot) for name in files]
            watch.add(place, lambda: paths)
            _refuse_renamed(reader, snapshot, place)
            copy_rows(reader, snapshot.rows, str(file))
        except EngineError as error:
            raise _explained(error, snapshot, place) from None
        watch.require_unchanged()


def _files_query(snapshot: _Snapshot) -> str:
    return f"source/lake/{snapshot.kind}_files"


def _explained(error: EngineError, snapshot: _Snapshot, place: str) -> Exception:
    """The error in words of the table; ConfigurationError for a file that the table has from elsewhere."""
    outside = _NO_ACCESS.search(str(error))
    if outside is None:
        return EngineError(f"{place}: {snapshot.folder}, {snapshot.called}: {error}")
    file = _local(outside[1])
    remedy = (
        "add its folder to source.allow"
        if snapshot.kind == "iceberg" and file.is_absolute()
        else "copy the rows elsewhere"
    )
    return ConfigurationError(
        f"{place}: the table reads {outside[1]}, which is not in its folder {snapshot.folder}; {remedy}"
    )


def _refuse_renamed(reader: Engine, snapshot: _Snapshot, place: str) -> None:
    """Raises ConfigurationError where the engine would call columns otherwise than the table does."""
    if snapshot.names is None:
        return
    read = [str(row[0]) for row in reader.run(exp.Describe(this=exp.select("*").from_(snapshot.rows.copy())))]
    other = [name for name, as_read in zip(snapshot.names, read, strict=False) if name != as_read]
    if other or len(read) != len(snapshot.names):
        raise ConfigurationError(
            f"{place}: the columns of {snapshot.folder} cannot be told apart, first {(other or read)[0]!r}; expected "
            "names that differ not only in case"
        )


def _iceberg(path: Path, text: str, place: str) -> _Snapshot:
    """The snapshot of a metadata file, or the newest one of a folder. Raises ConfigurationError, EngineError."""
    metadata, warnings = (path, ()) if path.is_file() else _newest_metadata(path, text, place)
    content = _read_metadata(metadata, place)
    version = content.get("format-version")
    if version not in _FORMATS:
        raise ConfigurationError(
            f"{place}: {metadata} is of version {version} of Iceberg; expected 1 or 2: copy its rows into such a "
            "table, or into Parquet"
        )
    number = content.get("current-snapshot-id")
    called = f"snapshot {number}" if isinstance(number, int) and number >= 0 else "no snapshot yet"
    location, folder = str(content.get("location", "")), metadata.absolute().parent
    below = folder.name == "metadata"
    folder = folder.parent if below else folder
    named: str = str(metadata.absolute())
    options: dict[str, Any] = {}
    if below and _local(location).resolve() != folder.resolve():
        ending = ".metadata.json"
        stem, _, behind = metadata.name.rpartition(ending)
        named = str(folder)
        options = {"version": stem, "version_name_format": f"%s%s{ending}{behind}", "allow_moved_paths": True}
    if ".gz" in metadata.name:
        options["metadata_compression_codec"] = "gzip"
    rows, files = (_call(function, named, options) for function in ("iceberg_scan", "iceberg_metadata"))
    return _Snapshot("iceberg", folder, called, rows, files, location, _names_of(content, place), warnings)


def _newest_metadata(folder: Path, text: str, place: str) -> tuple[Path, tuple[str, ...]]:
    """(the metadata file of the newest snapshot, warnings) of a folder. Raises ConfigurationError, EngineError."""
    named = _metadata_files(folder)
    if not named:
        if not folder.exists():
            raise EngineError(f"{place}: {text} does not exist; expected the folder of a table of Iceberg")
        raise ConfigurationError(
            f"{place}: {text} is no table of Iceberg, it holds no metadata/*.metadata.json; expected the folder of "
            "one, or its metadata file"
        )
    hint = folder / "metadata" / _HINT
    if hint.is_file():
        said = hint.read_text(errors="replace").strip()
        hinted = [path for path in named if path.name.split(".", 1)[0] in (said, f"v{said}")]
        if len(hinted) != 1:
            raise EngineError(
                f"{place}: {hint} names {said!r}, of which there is no metadata file; name that file itself"
            )
        return hinted[0], ()
    newest = max(map(_number, named))
    last = sorted(path for path in named if _number(path) == newest)
    if len(last) > 1:
        raise ConfigurationError(
            f"{place}: which of {last[0].name} and {last[1].name} is committed, the catalog of the table knows alone; "
            "name the file that it names"
        )
    warning = (
        f"the newest metadata file of {text} was read, {last[0].name}; a catalog may name another one: name that file "
        "to be sure"
    )
    return last[0], (warning,)


def _metadata_files(folder: Path) -> list[Path]:
    return [path for path in (folder / "metadata").glob("*.metadata.json*") if _METADATA.fullmatch(path.name)]


def _number(metadata: Path) -> int:
    match = _METADATA.fullmatch(metadata.name)
    return int(match[1] or match[2]) if match is not None else -1


def _read_metadata(metadata: Path, place: str) -> Mapping[str, Any]:
    """What a metadata file says. Raises EngineError."""
    try:
        content = metadata.read_bytes()
        said = json.loads(gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content)
    except (OSError, EOFError, ValueError) as error:
        raise EngineError(
            f"{place}: {metadata} cannot be read as the metadata of a table ({type(error).__name__})"
        ) from None
    if not isinstance(said, dict) or "location" not in said:
        raise EngineError(f"{place}: {metadata} is no metadata of a table of Iceberg; name its *.metadata.json")
    return said


def _names_of(content: Mapping[str, Any], place: str) -> tuple[str, ...]:
    """The names of the columns as a metadata file has them. Raises EngineError where it has none."""
    try:
        current = content.get("current-schema-id")
        schemas = [schema for schema in content.get("schemas", ()) if schema.get("schema-id") == current]
        schema = schemas[0] if schemas else content.get("schema", {})
        return tuple(str(field["name"]) for field in schema.get("fields", ()))
    except (AttributeError, KeyError, TypeError):
        raise EngineError(f"{place}: the metadata of the table names no columns; it is damaged") from None


def _delta(folder: Path, text: str, place: str) -> _Snapshot:
    """The newest version of a table. Raises ConfigurationError, EngineError."""
    if not folder.exists():
        raise EngineError(f"{place}: {text} does not exist; expected the folder of a table of Delta")
    log = folder / _DELTA_LOG
    versions = [int(match[1]) for path in log.glob("*") if (match := _COMMIT.fullmatch(path.name)) is not None]
    if not versions:
        raise ConfigurationError(
            f"{place}: {text} is no table of Delta, it holds no {_DELTA_LOG}; expected the folder of one"
        )
    if "%" in str(folder.absolute()):
        # The library that reads the log would take what is behind it for the number of a letter, and look elsewhere.
        raise ConfigurationError(f"{place}: the path of {text} holds %, by which the engine looks elsewhere; rename it")
    newest = max(versions)
    rows, files = (
        _call(function, str(folder.absolute()), {"version": newest}) for function in ("delta_scan", "delta_list_files")
    )
    return _Snapshot("delta", folder.absolute(), f"version {newest}", rows, files)


def _call(function: str, path: str, options: Mapping[str, Any]) -> exp.Table:
    named = [exp.EQ(this=exp.to_identifier(name), expression=literal(value)) for name, value in options.items()]
    return exp.Table(this=exp.Anonymous(this=function, expressions=[literal(path), *named]))


def _local(name: str) -> Path:
    """A file of this machine as a table names it: as a path, or as a URL."""
    if not name.startswith("file:"):
        return Path(name)
    rest = name.removeprefix("file:")
    return Path(f"/{rest.lstrip('/')}")


def _moved(path: Path, snapshot: _Snapshot) -> Path:
    """Where a file is now of a table that was written elsewhere."""
    before = _local(snapshot.location)
    return snapshot.folder / path.relative_to(before) if snapshot.location and path.is_relative_to(before) else path
