"""Targets that are tables of a lake (DuckLake): rows in Parquet files, a catalog that is a database file.

A lake remembers: a replaced table stays in its old snapshots with all rows, and the pages of the catalog keep least
and greatest values of files that are gone. So the release is made in a copy of the catalog, with its files beside that
copy. In place, the copy then forgets all snapshots but the newest and is copied once more, which leaves its old pages
behind. Once the release is verified, its files are moved to those of the lake, and the copy takes the catalog's place,
which is the one step that decides; then the files that no snapshot needs any more are removed.
"""

from __future__ import annotations

import errno
import shutil
from collections.abc import Iterable, Sequence
from contextlib import suppress
from glob import escape
from pathlib import Path

from sqlglot import exp

from kanon_sql.config.model import TargetConfig
from kanon_sql.errors import ConfigurationError, EngineError, ReleasedError
from kanon_sql.source.duckdb import attach
from kanon_sql.source.lake import (
    attach_lake,
    catalog_of,
    files_of_lake,
    in_catalog,
    new_files,
)
from kanon_sql.source.model import Source
from kanon_sql.sql.connection import Engine, EngineOptions, naming, open_engine
from kanon_sql.sql.disk import why
from kanon_sql.sql.extensions import load_extension
from kanon_sql.sql.template import quoted, state
from kanon_sql.targets.database import CATALOG, StagedDatabase, empty_release
from kanon_sql.targets.database_copy import Name, folded, readable_views, table_of
from kanon_sql.targets.remains import HITS, count_remains, texts_of
from kanon_sql.targets.staging import Staged
from kanon_sql.targets.staging_permissions import finish, flush_folder, strictest

_WORK = "kanon_sql_catalog"
_SCHEDULED = "ducklake_files_scheduled_for_deletion"
_OTHER = "kanon_sql_catalog_copied"
_VALUES = "lake_values"  # by `state` where it is used
_PROPERTIES = {
    "lake_partitions": "ducklake_partition_info",
    "lake_sorts": "ducklake_sort_info",
    "lake_comments": "ducklake_tag",
    "lake_column_comments": "ducklake_column_tag",
    "lake_tables": "ducklake_table",
    "lake_schemas": "ducklake_schema",
}
# Bytes of files that are searched from end to end; of larger ones the statistics in the catalog are.
_READ_WHOLE = 32_000_000
_COMPARISONS = 500_000_000  # bytes times values of one search, about half a second


class LakeSink(StagedDatabase):
    """A table of a lake, which is written in a copy of the catalog.

    In place (`forgets`) the lake keeps no snapshot that held the table as it was, and `forgotten` says what was removed
    and searched: snapshots, files, bytes searched, values found. Values are sought of which the catalog told least and
    greatest ones, and texts of the table's first rows; one that rows, names or definitions of the lake hold is none.
    """

    def __init__(
        self,
        engine: Engine,
        staged: Staged,
        name: Name,
        target: TargetConfig,
        place: str,
        *,
        old: str | None,
        forgets: bool = False,
    ) -> None:
        super().__init__(staged, name, target, place, old)
        self.forgets = forgets
        self.files = new_files(staged.target) if old is None else files_of_lake(engine, old)
        self._staged_files = staged.path.with_name("files")
        self._scheduled: list[Path] = []
        if old is None:
            load_extension(engine, "ducklake", "a lake")
            attach_lake(engine, staged.path, CATALOG, read_only=False, files=self.files)
            engine.run(f"DETACH {CATALOG}")
        else:
            self._refuse_elsewhere(engine, old)
            _copy_catalog(engine, catalog_of(old), staged.path)
        self._staged_files.mkdir(mode=0o700)
        attach_lake(engine, staged.path, CATALOG, read_only=False, files=self._staged_files)

    def paths(self) -> tuple[list[Path], list[Path]]:
        return [], [self.staged.path.parent, self.files]

    def prepare(self, engine: Engine, source: Source) -> None:
        schema = exp.Table(db=quoted(self.name[0]), catalog=quoted(CATALOG))
        engine.run(exp.Create(this=schema, kind="SCHEMA", exists=True))
        if self.old is None or self.target.allow_broken:
            return
        # Columns that are not released may be missed by views: an empty table tells early.
        engine.run("BEGIN")
        try:
            self._create(engine, empty_release(source, self._released), replace=True)
            kept = readable_views(engine, CATALOG)
        finally:
            engine.run("ROLLBACK")
        views = [f"view {'.'.join(view)}" for view in readable_views(engine, self.old) if view not in kept]
        self._refuse_broken(views)

    def write(self, engine: Engine, release: exp.Expr, source: Source, columns: list[str]) -> None:
        self._create(engine, release, replace=True)
        if self.old is not None:
            tables = {hole: _of(self.old, table) for hole, table in _PROPERTIES.items()}
            table = {"schema": self.name[0], "name": self.name[1]}
            lost = [kind for (kind,) in engine.query("targets/lake/lost", names=tables, values=table)]
            if lost:
                self.warnings += (f"not kept of the replaced table: {', '.join(lost)}",)

    def written(self, engine: Engine) -> Source:
        snapshots = 0
        if self.forgets:
            snapshots = int(engine.query("targets/lake/expired", values={"lake": CATALOG})[0][0])
            rows = engine.query("targets/lake/scheduled_files", names={"lake_scheduled": _of(CATALOG, _SCHEDULED)})
            self._scheduled = list(_resolved(rows, self.files))
        engine.run(f"DETACH {CATALOG}")
        if self.forgets:
            before = self.staged.path.with_name("before")
            self.staged.path.rename(before)
            attach(engine, before, name=_OTHER, lake=False)
            _copy_catalog(engine, _OTHER, self.staged.path)
            engine.run(f"DETACH {_OTHER}")
            before.unlink()
        attach_lake(engine, self.staged.path, CATALOG, read_only=True, files=self._staged_files)
        if self.forgets:
            searched, hits = self._search(engine)
            files = sum(file.exists() for file in self._scheduled)
            self.forgotten = {"snapshots": snapshots, "files": files, "searched": searched, "found": hits}
            if hits:
                self.warnings += (
                    f"{hits:,} of the values that the lake held before were found in it again; look at its catalog "
                    "before it is shared",
                )
        return super().written(engine)

    def commit(self, engine: Engine) -> None:
        engine.run(f"DETACH {CATALOG}")
        moved = self._move_files()
        try:
            self.staged.commit(unchanged=True)
        except BaseException:
            if not self.staged.committed:
                _remove(moved)
            raise
        failed = _remove(self._scheduled)
        if failed:
            raise ReleasedError(
                f"{self.place}: the table was replaced, but {len(failed):,} files with its earlier rows could not be "
                f"removed; remove them: {', '.join(map(str, failed[:3]))}"
            )

    def _refuse_elsewhere(self, engine: Engine, old: str) -> None:
        """Refuses to forget rows in files that the lake has from elsewhere. Raises ConfigurationError."""
        if not self.forgets or self.target.allow_remanence:
            return
        names = {
            "lake_data_files": _of(old, "ducklake_data_file"),
            "lake_delete_files": _of(old, "ducklake_delete_file"),
            "lake_tables": _of(old, "ducklake_table"),
            "lake_schemas": _of(old, "ducklake_schema"),
        }
        paths = [Path(path) for path, within in engine.query("targets/lake/files", names=names) if not within]
        outside = [path for path in paths if not path.resolve().is_relative_to(self.files.resolve())]
        if outside:
            raise ConfigurationError(
                f"{self.place}: the lake reads {len(outside):,} files outside of its folder, first {outside[0]}, which "
                "stay when it forgets a table; move them away yourself and set target.allow_remanence: true"
            )

    def _move_files(self) -> list[Path]:
        """Moves what was written to the lake's files; gives where it is now. Raises EngineError, with nothing moved."""
        moved: list[Path] = []
        try:
            like = strictest([file for file in self.files.rglob("*.parquet") if file.is_file()])
            for file in sorted(self._staged_files.rglob("*.parquet")):
                place = self.files / file.relative_to(self._staged_files)
                place.parent.mkdir(parents=True, exist_ok=True)
                moved.append(place)
                _move(file, place)
                finish(place, like)
                flush_folder(place.parent)
        except OSError as error:
            _remove(moved)
            raise EngineError(f"{self.place}: no file can be made in {self.files} {why(error)}") from None
        return moved

    def _search(self, engine: Engine) -> tuple[int, int]:
        """(bytes, values): what was searched for values that the table had before, and how many were found."""
        assert self.old is not None
        table = table_of(self.old, self.name)
        written = sorted(self._staged_files.rglob("*.parquet"))
        whole = [self.staged.path]
        for file in written:
            if sum(read.stat().st_size for read in [*whole, file]) <= _READ_WHOLE:
                whole.append(file)
        size = sum(file.stat().st_size for file in whole)
        remembered = {
            "lake_file_statistics": _of(self.old, "ducklake_file_column_stats"),
            "lake_tables": _of(self.old, "ducklake_table"),
            "source": table,
            _VALUES: state(_VALUES),
        }
        most = max(20, min(1_000, _COMPARISONS // size))
        engine.query(
            "targets/lake/remembered",
            names=remembered,
            lists={"item": texts_of(engine, table)},
            values={"name": self.name[1], "most": most},
        )
        # To read it here ends the engine's lock on the new catalog, of which nobody else knows.
        engine.query(
            "targets/lake/hits",
            names={_VALUES: state(_VALUES), HITS: state(HITS)},
            values={"files": [escape(str(file)) for file in whole]},
        )
        hits = count_remains(engine, self._live(engine), lambda: _unnamed(engine))
        left_over = {
            "lake_file_statistics": _of(CATALOG, "ducklake_file_column_stats"),
            "lake_column_statistics": _of(CATALOG, "ducklake_table_column_stats"),
            "lake_tables": _of(CATALOG, "ducklake_table"),
        }
        return size, hits + int(engine.query("targets/lake/statistics", names=left_over)[0][0])

    def _live(self, engine: Engine) -> list[exp.Table]:
        """The tables that the lake has from now on."""
        assert self.old is not None
        return [
            table_of(CATALOG if folded((schema, name)) == folded(self.name) else self.old, (schema, name))
            for schema, name, is_view in engine.query("source/tables", values={"catalog": CATALOG})
            if not is_view
        ]


def _unnamed(engine: Engine) -> int:
    """How many of the values that were found no name and no definition shows."""
    return int(engine.query("targets/lake/unnamed", names={HITS: state(HITS)}, values={"lake": CATALOG})[0][0])


def remove_replaced(path: Path) -> None:
    """Removes the files that a run killed after the exchange left of the lake with the catalog `path`.

    Raises EngineError where the lake cannot be opened or a file cannot be removed.
    """
    with open_engine(EngineOptions()) as engine:
        lake = attach(engine, path)
        rows = engine.query("targets/lake/scheduled_files", names={"lake_scheduled": _of(lake, _SCHEDULED)})
        failed = _remove(_resolved(rows, files_of_lake(engine, lake)))
    if failed:
        raise EngineError(f"{failed[0]}: holds rows of a replaced table and could not be removed; remove it")


def _of(lake: str, table: str) -> exp.Table:
    """A table of the catalog of an attached lake."""
    return in_catalog(catalog_of(lake), table)


def _copy_catalog(engine: Engine, catalog: str, path: Path) -> None:
    """Writes a catalog into a new file, page by page: nothing comes along that is not in its tables."""
    with naming(path):
        attach(engine, path, read_only=False, name=_WORK)
        engine.run(f"COPY FROM DATABASE {quoted(catalog).sql('duckdb')} TO {_WORK}")
        engine.run(f"DETACH {_WORK}")


def _resolved(rows: Iterable[Sequence[object]], files: Path) -> Iterable[Path]:
    """The files that a catalog names, those alone that lie in the folder of the lake's rows."""
    for path, within in rows:
        file = files / str(path) if within else Path(str(path))
        if file.resolve().is_relative_to(files.resolve()):
            yield file


def _move(file: Path, place: Path) -> None:
    """Moves a file, also to another disk. Raises OSError."""
    try:
        file.rename(place)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        shutil.copyfile(file, place)


def _remove(files: Iterable[Path]) -> list[Path]:
    """Removes files; gives those that are still there."""
    failed = []
    for file in files:
        with suppress(OSError):
            file.unlink(missing_ok=True)
        if file.exists():
            failed.append(file)
    return failed
