"""Targets that are tables of an SQLite database: written in a copy of its file, which takes its place at the end.

The copy has the other tables and nothing of the replaced one. The rows are written there in one transaction, by a
connection that does nothing else, as DuckDB's extension opens files by itself; they are read again as those of a source
are. In place the new file is searched for values that the table had before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from sqlglot import exp

from kanon_sql.config.model import TargetConfig
from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.settings.source import SourceConfig
from kanon_sql.source.formats.base import OpenRequest
from kanon_sql.source.formats.registry import FILE_FORMATS
from kanon_sql.source.model import Column, Source
from kanon_sql.source.remote import copy_rows
from kanon_sql.source.sqlite import asked, attach_sqlite, copy_table, is_sqlite, open_sqlite_engine
from kanon_sql.sql.connection import Engine, literal
from kanon_sql.sql.template import quoted, state
from kanon_sql.targets.database import StagedDatabase
from kanon_sql.targets.database_copy import Name
from kanon_sql.targets.remains import HITS, count_remains, texts_of
from kanon_sql.targets.sqlite_file import (
    alone,
    bytes_of_texts,
    copy_without,
    held_type,
    kind_of,
    make_table,
    number_last,
    opened,
    refuse_unsettled,
    shown_columns,
    virtual_tables,
)
from kanon_sql.targets.staging import Staged, stage_file
from kanon_sql.targets.target import shown

SUFFIXES = (".sqlite", ".sqlite3")  # of files that are made as databases of SQLite
_ROW_NUMBERS = ("rowid", "_rowid_", "oid")
_PART, _OVERLAP = 32_000_000, 4_096  # bytes of a file that are searched at once, and those that are searched twice
_COMPARISONS = 500_000_000  # bytes times values of one search, about half a second
_VALUES = "before_values"  # by `state` where it is used


def becomes_sqlite(path: Path) -> bool:
    """Whether a target is a database of SQLite: it is one already, or is made by such a name."""
    new = not path.exists() or (path.is_file() and not path.stat().st_size)
    return is_sqlite(path) or (new and path.suffix.lower() in SUFFIXES)


@contextmanager
def open_sqlite(
    path: Path, name: Name, target: TargetConfig, place: str, *, shared: bool = False
) -> Iterator[StagedDatabase]:
    """The sink of a table of an SQLite database, in place or not, staged and locked.

    `shared`: the source's table is another one of it. Raises ConfigurationError and EngineError.
    """
    if name[0].casefold() != "main" or name[1].casefold().startswith("sqlite_"):
        raise ConfigurationError(
            f"{place}: {path} has one schema, main, and no names such as sqlite_...; expected the name of a table alone"
        )
    if target.allow_remanence and not target.in_place:
        raise ConfigurationError(f"{place}: allow_remanence goes with a database file of DuckDB; remove it")
    with stage_file(path, overwrite=True, place=place, in_folder=True) as staged:
        sink = SqliteSink(staged, name, target, place)
        if shared:
            sink.warnings += (f"the database file {path.name} still holds the source's table: do not share the file",)
        yield sink


class SqliteSink(StagedDatabase):
    """A table of an SQLite database. In place, `forgotten` says how many bytes were searched, and values found."""

    def __init__(self, staged: Staged, name: Name, target: TargetConfig, place: str) -> None:
        super().__init__(staged, name, target, place, None)
        staged.overwrite = staged.target.exists()
        self._holds = staged.overwrite and staged.target.stat().st_size > 0
        self._types: dict[str, str] = {}
        self._before: Path | None = None  # the rows of the source, in place
        refuse_unsettled(staged.target)
        if self._holds:
            self._refuse_existing()

    def describe(self) -> str:
        return f"{self.name[1]} in {shown(self.final)}"

    def paths(self) -> tuple[list[Path], list[Path]]:
        return [], [self.staged.path.parent]

    def staged_file(self) -> Path:
        return self.staged.path

    def refuse(self, released: Sequence[Column], place: str) -> None:
        super().refuse(released, place)
        numbers = [col.name for col in released if col.name.casefold() in _ROW_NUMBERS]
        if numbers:
            raise ConfigurationError(
                f"{place}: column {numbers[0]!r} is what SQLite calls the numbers of rows; rename it in the source, or "
                "name another target"
            )

    def prepare(self, engine: Engine, source: Source) -> None:
        # Early, so that what cannot be written is said before the search: the extension, and views that would break.
        with open_sqlite_engine([], self.place):
            pass
        if self.target.in_place:
            self._before = source.files[0]
        if self._holds:
            names = [col.name for col in self._released]
            without = copy_without(self.final, self.staged.path, self.name[1], names, self.place)
            self._refuse_broken(list(without.broken))
            if without.lost:
                self.warnings += (f"not kept of the replaced table: {', '.join(without.lost)}",)
            if without.broken:
                self.warnings += (f"no longer works with the released table: {', '.join(without.broken)}",)

    def as_held(self, release: exp.Expr) -> exp.Expr:
        held = release.copy()
        for entry in held.expressions:
            entry.set("this", exp.cast(entry.this.copy(), self._types[entry.alias], dialect="duckdb"))
        return held

    def write(self, engine: Engine, release: exp.Expr, source: Source, columns: list[str]) -> None:
        described = engine.run(exp.Describe(this=release.copy()))
        self._types = {str(row[0]): held_type(str(row[1])) for row in described}
        rows = engine.own_folder() / "released.parquet"
        copy_rows(engine, exp.Subquery(this=self.as_held(release)), str(rows))
        with opened(self.staged.path, self.place) as connection:
            make_table(connection, self.name[1], self._types)
        with open_sqlite_engine([self.staged.path.parent, rows.parent], self.place) as writer:
            attached = attach_sqlite(writer, self.staged.path, read_only=False)
            table = exp.Table(this=quoted(self.name[1]), db=quoted("main"), catalog=attached)
            read = exp.Table(this=exp.Anonymous(this="read_parquet", expressions=[literal(str(rows))]))
            writer.run(exp.Insert(this=table, expression=exp.select("*").from_(read)))
        rows.unlink()
        with opened(self.staged.path, self.place) as connection:
            number_last(connection, self.name[1])

    def written(self, engine: Engine) -> Source:
        if self._before is not None:
            self._search()
        return self._open(engine, self.staged.path)

    def again(self, engine: Engine) -> Source:
        return self._open(engine, self.final)

    def commit(self, engine: Engine) -> None:
        refuse_unsettled(self.staged.path)
        with alone(self.final, self.place):
            self.staged.commit(unchanged=True)

    def _open(self, engine: Engine, path: Path) -> Source:
        """What a database holds, copied as a source is."""
        source = SourceConfig(database=str(path), table=self.name[1])
        file = copy_table(engine, path, self.name, self.place)
        opened_copy = FILE_FORMATS["parquet"].open(engine, OpenRequest((file,), source, (), self.place))
        return replace(opened_copy, origin=self.describe(), label=self.describe())

    def _refuse_existing(self) -> None:
        """Raises ConfigurationError where no release may take the place of what is there."""
        with opened(self.final, self.place) as connection:
            kind, virtual = kind_of(connection, self.name[1]), virtual_tables(connection)
        if kind not in (None, "table"):
            raise ConfigurationError(
                f"{self.place}: {self.name[1]} is {'an' if kind == 'index' else 'a'} {kind}, which no release "
                "replaces; name a table"
            )
        if kind is not None and not (self.target.overwrite or self.target.in_place):
            raise ConfigurationError(
                f"{self.place}: table {self.name[1]} exists already; name another or set overwrite: true (--overwrite)"
            )
        if virtual and self.target.in_place and not self.target.allow_remanence:
            raise ConfigurationError(
                f"{self.place}: {virtual[0]!r} is a virtual table, such as an index of texts, which may keep words of "
                "the replaced rows; drop it, or set target.allow_remanence: true"
            )

    def _search(self) -> None:
        """Seeks values that the table had before in the new file, and says what came of it."""
        size = self.staged.path.stat().st_size
        part = self.staged.path.with_name("searched")
        assert self._before is not None
        with opened(self.staged.path, self.place) as connection:
            encoding = str(connection.execute("PRAGMA encoding").fetchone()[0])
        with open_sqlite_engine([part.parent, self._before.parent], self.place) as reader:
            attach_sqlite(reader, self.staged.path)
            held = {_VALUES: state(_VALUES), HITS: state(HITS)}
            before = exp.Table(this=exp.Anonymous(this="read_parquet", expressions=[literal(str(self._before))]))
            reader.query(
                "targets/sqlite/remembered",
                names={"source": before, _VALUES: held[_VALUES]},
                lists={"item": texts_of(reader, before)},
                values={"most": max(20, min(1_000, _COMPARISONS // size))},
            )
            for content in _parts(self.staged.path):
                for texts in bytes_of_texts(content, encoding):
                    part.write_bytes(texts)
                    reader.query("targets/sqlite/hits", names={_VALUES: held[_VALUES]}, values={"file": str(part)})
            part.unlink()
            reader.query("targets/sqlite/found", names=held)
            hits = self._unexplained(reader)
        self.forgotten = {"snapshots": 0, "files": 0, "searched": size, "found": hits}
        if hits:
            self.warnings += (
                f"{hits:,} of the values that the table held before were found in {self.final.name} again; look at it "
                "before it is shared",
            )

    def _unexplained(self, reader: Engine) -> int:
        """How many of the values that were found no row and no definition shows."""
        with opened(self.staged.path, self.place) as connection:
            tables = [asked(select) for select in shown_columns(connection)]
        return count_remains(
            reader,
            tables,
            lambda: int(reader.query("targets/remains/left", names={HITS: state(HITS)})[0][0]),
        )


def _parts(path: Path) -> Iterator[bytes]:
    """A file in parts that overlap, so that a value stands in one of them whole. Raises EngineError."""
    try:
        with path.open("rb") as file:
            while True:
                content = file.read(_PART)
                yield content
                if len(content) < _PART:
                    return
                file.seek(-_OVERLAP, 1)
    except OSError as error:
        raise EngineError(f"{path}: cannot be read ({error.strerror})") from None
