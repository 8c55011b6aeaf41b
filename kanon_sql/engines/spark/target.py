"""Targets that Spark writes: folders of Parquet or CSV files, and tables of its catalog."""

from __future__ import annotations

import itertools
import os
import secrets
import shutil
from pathlib import Path
from typing import Any

from sqlglot import exp

from kanon_sql.config.model import TargetConfig
from kanon_sql.engines.remote import RemoteRelease, RemoteSink, there_already
from kanon_sql.engines.spark.engine import Spark, local_path, quietly, written_csv
from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.settings.source import CsvOptions
from kanon_sql.source.model import Source
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import quoted
from kanon_sql.sql.writing import table_name
from kanon_sql.targets.staging_paths import exchange, move_new

_PATTERN = set("*?[{")


class SparkFolder(RemoteSink):
    """A folder of files, written beside its place and moved there once it verified."""

    def __init__(self, remote: Spark, target: TargetConfig, path: str, place: str) -> None:
        super().__init__(remote, target, place)
        self.spark = remote
        self.final = path
        self.kind = remote.format_of(path, target.format, place)
        if set(path) & _PATTERN:
            raise ConfigurationError(f"{place}: Spark reads {path} as a pattern; expected a path without * ? [ {{")
        # As files that DuckDB writes: tabs where the name says so, and compressed.
        self._csv = written_csv(target, path)
        zipped = self.kind == "csv" and path.lower().endswith(".gz")
        self._compression = target.compression or ("gzip" if zipped else None)
        local = local_path(path)
        self.files = _Local(local) if local is not None else _Hadoop(remote, path, place)
        if self.files.exists() and not target.overwrite:
            raise ConfigurationError(there_already(f"{place}: {path}"))
        self.beside = self.files.beside()

    def describe(self) -> str:
        return self.final

    def prepare(self, engine: Engine, source: Source) -> None:
        read = self.spark.source_path
        if read is not None and _overlap(read, self.final):
            raise ConfigurationError(
                f"{self.place}: {self.final} is the source, holds it or lies in it; name a folder beside it"
            )

    def _create(self, release: RemoteRelease) -> None:
        frame = self.spark.create(release.sql)
        with self.spark.speaking():
            writer = frame.write.mode("error")
            if self._compression is not None:
                writer = writer.option("compression", self._compression)
            if self.kind == "parquet":
                writer.parquet(self.beside)
            else:
                writer.options(**_csv_options(self._csv)).csv(self.beside)

    def _opened(self) -> Source:
        frame = self.spark.read(self.beside, self.kind, self._csv, self.place)
        missing = ("",) if self.kind == "csv" else ()
        return self.spark.opened(self.spark.view(frame, "written"), self.kind, self.final, missing, self.place)

    def commit(self, engine: Engine) -> None:
        self.files.put(self.beside)

    def withdraw(self) -> None:
        """Removes what was not put in place."""
        with quietly():
            self.files.remove(self.beside)


class SparkTable(RemoteSink):
    """A table of the catalog, made under another name and renamed once it verified."""

    def __init__(self, remote: Spark, target: TargetConfig, place: str) -> None:
        super().__init__(remote, target, place)
        self.spark = remote
        self.table = table_name(str(target.table), remote.dialect, place)
        self.beside = self.table.copy()
        self.beside.set("this", quoted(f"kanon_sql_{secrets.token_hex(4)}"))
        if self._there() and not target.overwrite:
            raise ConfigurationError(there_already(f"{place}: table {target.table}"))
        if self._there() and self._is_view():
            raise ConfigurationError(f"{place}: {target.table} is a view; only a table is replaced")

    def describe(self) -> str:
        return f"{self.target.table} in Spark"

    def prepare(self, engine: Engine, source: Source) -> None:
        read = source.relation.find(exp.Table)
        if source.kind == "table" and read is not None and self._whole(read) == self._whole(self.table):
            raise ConfigurationError(f"{self.place}: {self.target.table} is the source; name another table")

    def _whole(self, table: exp.Table) -> list[str]:
        """A name with its catalog and database, as the session completes it, in lower case."""
        catalog = self.spark.session.catalog
        with self.spark.speaking(self.place):
            parts = (table.catalog or catalog.currentCatalog(), table.db or catalog.currentDatabase(), table.name)
        return [part.casefold() for part in parts]

    def _there(self) -> bool:
        with self.spark.speaking(self.place):
            return bool(self.spark.session.catalog.tableExists(self.table.sql("spark")))

    def _is_view(self) -> bool:
        with self.spark.speaking(self.place):
            table = self.spark.session.catalog.getTable(self.table.sql("spark"))
        return bool(table.isTemporary or table.tableType == "VIEW")

    def _create(self, release: RemoteRelease) -> None:
        frame = self.spark.create(release.sql)
        with self.spark.speaking():
            frame.write.format("parquet").saveAsTable(self.beside.sql("spark"))

    def _opened(self) -> Source:
        return self.spark.opened(self.beside, "table", str(self.target.table), (), self.place)

    def commit(self, engine: Engine) -> None:
        old = self.table.copy()
        old.set("this", quoted(f"{self.beside.name}_old"))
        replaced = self._there()
        if replaced and not self.target.overwrite:
            raise EngineError(f"{self.place}: table {self.target.table} was made meanwhile; it was left as it is")
        if replaced:
            self._rename(self.table, old)
        try:
            self._rename(self.beside, self.table)
        except EngineError:
            if replaced:
                self._rename(old, self.table)
            raise
        if replaced:
            self._drop(old)

    def withdraw(self) -> None:
        """Removes what was not put in place."""
        with quietly():
            self._drop(self.beside)

    def _rename(self, table: exp.Table, to: exp.Table) -> None:
        to = to.copy()
        to.set("catalog", None)  # a table stays in its catalog
        with self.spark.speaking(self.place):
            self.spark.session.sql(f"ALTER TABLE {table.sql('spark')} RENAME TO {to.sql('spark')}").collect()

    def _drop(self, table: exp.Table) -> None:
        with self.spark.speaking(self.place):
            self.spark.session.sql(f"DROP TABLE IF EXISTS {table.sql('spark')}").collect()


def _csv_options(csv: CsvOptions) -> dict[str, str]:
    quote = csv.quote or '"'
    return {
        "header": "true" if csv.header is not False else "false",
        "sep": csv.delimiter or ",",
        "quote": quote,
        "escape": csv.escape or quote,
        "emptyValue": "",
        "nullValue": "",
        "ignoreLeadingWhiteSpace": "false",
        "ignoreTrailingWhiteSpace": "false",
    }


def _overlap(source: str, target: str) -> bool:
    """Whether a source is the target or lies in it, or the target lies in a source that is no pattern of files."""
    fixed = "/".join(itertools.takewhile(lambda part: not set(part) & _PATTERN, source.split("/")))
    if local_path(fixed) and local_path(target):
        fixed, target = (os.path.realpath(path.removeprefix("file:")) for path in (fixed, target))
    read, written = f"{fixed.rstrip('/')}/", f"{target.rstrip('/')}/"
    return read.startswith(written) or (not set(source) & _PATTERN and written.startswith(read))


class _Local:
    """A folder of this machine, or of a mount that all machines have under this path."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def exists(self) -> bool:
        return os.path.lexists(self.path)

    def beside(self) -> str:
        if not self.path.parent.is_dir():
            raise EngineError(f"{self.path}: its folder does not exist; make it")
        return str(self.path.with_name(f"{self.path.name}.kanon-sql-{secrets.token_hex(4)}"))

    def put(self, beside: str) -> None:
        folder = Path(beside)
        try:
            if not self.exists():
                move_new(folder, self.path)
                return
            if not exchange(folder, self.path):
                raise EngineError(f"{self.path}: the file system cannot exchange folders; remove the old one first")
        except OSError as error:
            raise EngineError(f"{self.path}: the release cannot be put in place ({error.strerror})") from error
        self.remove(beside)

    def remove(self, beside: str) -> None:
        folder = Path(beside)
        if folder.is_dir() and not folder.is_symlink():
            shutil.rmtree(folder, ignore_errors=True)
        else:
            folder.unlink(missing_ok=True)


class _Hadoop:
    """A folder of a file system that only the cluster reaches, through Hadoop's own classes."""

    def __init__(self, home: Spark, path: str, place: str) -> None:
        gateway: Any = getattr(home.session, "_jvm", None) if not home.label.startswith("sc://") else None
        if gateway is None:
            raise ConfigurationError(
                f"{place}: over Spark Connect a release at {path} cannot be moved into place; expected a table, or a "
                "path of this machine"
            )
        self.place = place
        self.home = home
        self.hadoop = gateway.org.apache.hadoop.fs.Path
        self.path = self.hadoop(path)
        with home.speaking(place):
            configuration = home.session._jsc.hadoopConfiguration()
            self.system = self.path.getFileSystem(configuration)

    def exists(self) -> bool:
        with self.home.speaking(self.place):
            return bool(self.system.exists(self.path))

    def beside(self) -> str:
        parent, name = self.path.getParent().toString(), self.path.getName()
        return f"{parent}/{name}.kanon-sql-{secrets.token_hex(4)}"

    def put(self, beside: str) -> None:
        folder, old = self.hadoop(beside), self.hadoop(f"{beside}.old")
        with self.home.speaking(self.place):
            replaced = bool(self.system.exists(self.path))
            if replaced and not self.system.rename(self.path, old):
                raise EngineError(f"{self.place}: the old release cannot be moved away; it was left as it is")
            if not self.system.rename(folder, self.path):
                if replaced:
                    self.system.rename(old, self.path)
                raise EngineError(f"{self.place}: the release cannot be moved into place")
            if replaced:
                self.system.delete(old, True)

    def remove(self, beside: str) -> None:
        with self.home.speaking(self.place):
            self.system.delete(self.hadoop(beside), True)
