"""Targets that Spark writes: folders of Parquet or CSV files, and tables of its catalog."""

from __future__ import annotations

import itertools
import os
import stat
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from sqlglot import exp

from kanon_sql.config.model import TargetConfig
from kanon_sql.engines.remote import RemoteRelease, RemoteSink, there_already
from kanon_sql.engines.spark.engine import Spark, local_path, quietly, written_csv
from kanon_sql.engines.spark.two_moves import OLD, TwoMoves, beginning
from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.settings.source import CsvOptions
from kanon_sql.source.model import Source
from kanon_sql.sql import signals
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.disk import why
from kanon_sql.sql.template import quoted
from kanon_sql.sql.writing import table_name
from kanon_sql.targets.staging_names import NoLocksError, clear, clear_part, new_part, remove, settle, target_lock
from kanon_sql.targets.staging_paths import exchange, move_new
from kanon_sql.targets.staging_permissions import finish, flush_folder, strictest

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
        overwrite = target.overwrite
        self.files: _Local | _Hadoop = (
            _Local(local, place, overwrite=overwrite)
            if local is not None
            else _Hadoop(remote, path, place, overwrite=overwrite)
        )
        if self.files.exists() and not overwrite:
            raise ConfigurationError(there_already(f"{place}: {path}"))
        self.beside = self.files.beside()
        self.warnings = self.files.warnings

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
        self.spark.ending(self.files.withdraw)


class SparkTable(RemoteSink):
    """A table of the catalog, made under another name and renamed once it verified."""

    def __init__(self, remote: Spark, target: TargetConfig, place: str) -> None:
        super().__init__(remote, target, place)
        self.spark = remote
        self.table = table_name(str(target.table), remote.dialect, place)
        self.moves = _Tables(remote, self.table, place, str(target.table))
        self.moves.recover()
        if self.moves.there() and not target.overwrite:
            raise ConfigurationError(there_already(f"{place}: table {target.table}"))
        if self.moves.there() and self._is_view():
            raise ConfigurationError(f"{place}: {target.table} is a view; only a table is replaced")
        self.beside = self.moves.named(self.moves.staged)
        self.warnings = self.moves.warnings

    def describe(self) -> str:
        return f"{self.target.table} in Spark"

    def prepare(self, engine: Engine, source: Source) -> None:
        read = source.relation.find(exp.Table)
        if source.kind == "table" and read is not None and _whole(self.spark, read, self.place) == self.moves.whole:
            raise ConfigurationError(f"{self.place}: {self.target.table} is the source; name another table")

    def _is_view(self) -> bool:
        with self.spark.speaking(self.place):
            table = self.spark.session.catalog.getTable(self.table.sql("spark"))
        return bool(table.isTemporary or table.tableType == "VIEW")

    def _create(self, release: RemoteRelease) -> None:
        frame, name = self.spark.create(release.sql), self.beside.sql("spark")
        with self.spark.speaking():
            # The catalogue knows of it before rows are written: what a killed run wrote goes with the table.
            self.spark.session.catalog.createTable(name, source="parquet", schema=frame.schema)
            frame.write.insertInto(name)

    def _opened(self) -> Source:
        return self.spark.opened(self.beside, "table", str(self.target.table), (), self.place)

    def commit(self, engine: Engine) -> None:
        self.moves.replace(overwrite=self.target.overwrite)

    def withdraw(self) -> None:
        """Removes what was not put in place."""
        self.spark.ending(self.moves.withdraw)


def _whole(spark: Spark, table: exp.Table, place: str) -> list[str]:
    """A name with its catalog and database, as the session completes it, in lower case."""
    catalog = spark.session.catalog
    with spark.speaking(place):
        parts = (table.catalog or catalog.currentCatalog(), table.db or catalog.currentDatabase(), table.name)
    return [part.casefold() for part in parts]


class _Tables(TwoMoves):
    """A table of the catalog, and those beside it."""

    def __init__(self, spark: Spark, table: exp.Table, place: str, label: str) -> None:
        self.spark, self.table = spark, table
        self.whole = _whole(spark, table, place)
        super().__init__(place, f"table {label}", ".".join(self.whole))

    def named(self, name: str) -> exp.Table:
        """The table beside the target that has this name."""
        table = self.table.copy()
        table.set("this", quoted(name))
        return table

    def there(self) -> bool:
        with self.spark.speaking(self.place):
            return bool(self.spark.session.catalog.tableExists(self.table.sql("spark")))

    def names(self) -> list[str]:
        within = self.table.args.get("db")
        catalog = self.table.args.get("catalog")
        parts = ".".join(part.sql("spark") for part in (catalog, within) if part is not None)
        with quietly():
            rows = self.spark.session.sql(
                f"SHOW TABLES {f'IN {parts} ' if parts else ''}LIKE '{beginning(self.target)}*'"
            ).collect()
            return [str(row[1]) for row in rows]
        return []

    def move(self, name: str, to: str | None) -> None:
        table = self.named(name) if name else self.table
        renamed = (self.table if to is None else self.named(to)).copy()
        renamed.set("catalog", None)  # a table stays in its catalog
        with self.spark.speaking(self.place):
            self.spark.session.sql(f"ALTER TABLE {table.sql('spark')} RENAME TO {renamed.sql('spark')}").collect()

    def remove(self, name: str) -> None:
        with self.spark.speaking(self.place):
            self.spark.session.sql(f"DROP TABLE IF EXISTS {self.named(name).sql('spark')}").collect()


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
    """A folder of this machine, or of a mount that all machines have under this path.

    It is written in a hidden folder beside its place. As a target of DuckDB it has a lock, under which what killed runs
    left is removed.
    """

    def __init__(self, path: Path, place: str, *, overwrite: bool) -> None:
        self.path = Path(os.path.realpath(path))
        self.place = place
        self.overwrite = overwrite
        self.label = str(path)
        self.warnings: tuple[str, ...] = ()
        self._held = ExitStack()
        self._part: Path | None = None
        self._locked = False

    def exists(self) -> bool:
        return os.path.lexists(self.path)

    def beside(self) -> str:
        if not self.path.parent.is_dir():
            raise EngineError(f"{self.path}: its folder does not exist; make it")
        try:
            self._held.enter_context(target_lock(self.path, self.place))
            self._locked = True
        except NoLocksError:
            self.warnings = (
                f"{self.path.parent} takes no locks: of two runs at once on {self.label} the later one is seen, and "
                "what a killed run leaves stays",
            )
        try:
            if self._locked:
                settle(self.path, self.place)
                clear(self.path)
            self._part = new_part(self.path)
            self._make(self._part)
        except BaseException:
            self._held.close()
            raise
        return str(self._part / "written")

    def _make(self, part: Path) -> None:
        """The hidden folder, open to no more than the folder that it will replace."""
        try:
            part.mkdir()
            if self.path.is_dir():
                part.chmod(stat.S_IMODE(self.path.stat().st_mode) | stat.S_IRWXU)
        except OSError as error:
            raise EngineError(f"{self.place}: no folder can be made in {part.parent} {why(error)}") from None
        self._held.enter_context(signals.cleared(lambda: clear_part(part, self.path)))

    def put(self, beside: str) -> None:
        folder = Path(beside)
        try:
            if not self.exists():
                move_new(folder, self.path)
                return
            if not self.overwrite:
                raise EngineError(f"{self.place}: {self.label} was made meanwhile; it was left as it is")
            if self.path.is_dir():
                _take_permissions(folder, self.path)
            if not exchange(folder, self.path):
                raise EngineError(f"{self.path}: the file system cannot exchange folders; remove the old one first")
        except OSError as error:
            raise EngineError(f"{self.path}: the release cannot be put in place ({error.strerror})") from error
        finally:
            with suppress(OSError):
                flush_folder(self.path.parent)

    def withdraw(self) -> None:
        """Removes what is beside the target, the old one too once it was replaced, and the lock."""
        with signals.postponed():
            self._remove()
            self._held.close()

    def _remove(self) -> None:
        if self._part is not None:
            with suppress(OSError):
                remove(self._part)


def _take_permissions(new: Path, old: Path) -> None:
    """Gives a new folder and its files, where they are this user's, the permissions of the old ones. Raises OSError."""
    files = strictest([path for path in old.rglob("*") if path.is_file() and not path.is_symlink()])
    for path in (*new.rglob("*"), new):
        if os.geteuid() in (0, path.stat().st_uid):
            finish(path, old if path.is_dir() else files)


class _Hadoop(TwoMoves):
    """A folder of a file system that only the cluster reaches, through Hadoop's own classes."""

    def __init__(self, home: Spark, path: str, place: str, *, overwrite: bool) -> None:
        gateway: Any = getattr(home.session, "_jvm", None) if not home.label.startswith("sc://") else None
        if gateway is None:
            raise ConfigurationError(
                f"{place}: over Spark Connect a release at {path} cannot be moved into place; expected a table, or a "
                "path of this machine"
            )
        self.home = home
        self.overwrite = overwrite
        self.hadoop = gateway.org.apache.hadoop.fs.Path
        self.path = self.hadoop(path)
        with home.speaking(place):
            configuration = home.session._jsc.hadoopConfiguration()
            self.system = self.path.getFileSystem(configuration)
        super().__init__(place, path, str(self.path.toString()))
        self.recover()

    def exists(self) -> bool:
        return self.there()

    def beside(self) -> str:
        return f"{self._named(self.staged).toString()}/written"

    def put(self, beside: str) -> None:
        self.replace(overwrite=self.overwrite)

    def there(self) -> bool:
        with self.home.speaking(self.place):
            return bool(self.system.exists(self.path))

    def names(self) -> list[str]:
        begins = f".{beginning(self.target)}"
        with quietly():
            listed = self.system.listStatus(self.path.getParent())
            names = [str(entry.getPath().getName()) for entry in listed]
            return [name.removeprefix(".") for name in names if name.startswith(begins)]
        return []

    def move(self, name: str, to: str | None) -> None:
        source, target = (self.path if not of else self._holding(of) for of in (name, to))
        with self.home.speaking(self.place):
            if self.system.exists(target) or not self.system.rename(source, target):
                raise EngineError(f"{self.place}: a move within {self.path.getParent().toString()} failed")
            if name and not name.endswith(OLD):
                self.system.delete(self._named(name), True)

    def remove(self, name: str) -> None:
        with self.home.speaking(self.place):
            self.system.delete(self._named(name), True)

    def _named(self, name: str) -> Any:
        """The hidden folder beside the target that has a name."""
        return self.hadoop(self.path.getParent(), f".{name}")

    def _holding(self, name: str) -> Any:
        """The folder with the files: the old one itself, the new one within a hidden one."""
        return self._named(name) if name.endswith(OLD) else self.hadoop(self._named(name), "written")
