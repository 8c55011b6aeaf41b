"""Tables of SQLite: copied whole before a row is read, by a connection that does nothing else.

DuckDB's extension opens files by itself, whatever a connection may read, so the connection that runs views and queries
never has it. And SQLite holds a text in a column of integers: what each column holds is looked at first, and what the
engine would read as something else is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlglot import exp

from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.source.remote import copy_rows
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine, EngineOptions, literal, lock_down, open_engine
from kanon_sql.sql.extensions import load_extension
from kanon_sql.sql.template import Item, column, quoted
from kanon_sql.sql.watching import Watch

_HEAD = b"SQLite format 3\0"
_NAME = "kanon_sql_sqlite"  # under which the file is attached
_INTEGERS, _FRACTIONS, _TEXTS, _BYTES, _WIDE, _NO_DATE, _NO_TIMESTAMP = (1 << bit for bit in range(7))
# What a column of a type that the engine finds may hold, and what it must not.
_FITTING = {
    "BIGINT": (_INTEGERS, 0),
    "DOUBLE": (_INTEGERS | _FRACTIONS, _WIDE),
    "VARCHAR": (_TEXTS, 0),
    "BLOB": (_BYTES, 0),
    "DATE": (_TEXTS, _NO_DATE),
    "TIMESTAMP": (_TEXTS, _NO_TIMESTAMP),
}
_WORDS = {_INTEGERS: "integers", _FRACTIONS: "fractions", _TEXTS: "texts", _BYTES: "bytes"}
_KINDS = _INTEGERS | _FRACTIONS | _TEXTS | _BYTES


@dataclass(frozen=True)
class _Held:
    """A column: its type as the engine finds it, and what it holds."""

    name: str
    type: str
    holds: int

    @property
    def kinds(self) -> int:
        return self.holds & _KINDS

    def value(self) -> exp.Expr | None:
        """The value in the type of what the column holds; None where that may lose some of it."""
        plain = column(self.name)
        if self.type == "BLOB" and self.kinds in (_INTEGERS, _TEXTS):
            # A column without a type, which the engine reads as the bytes of texts.
            text = exp.Anonymous(this="decode", expressions=[plain])
            return text if self.kinds == _TEXTS else exp.cast(text, "BIGINT")
        fitting, faults = _FITTING.get(self.type, (0, 0))
        return None if self.kinds & ~fitting or self.holds & faults else plain

    def why(self) -> str:
        """What it holds besides what it should."""
        listed = [word for kind, word in _WORDS.items() if self.kinds & kind]
        if self.holds & _NO_DATE and self.type == "DATE" and self.kinds == _TEXTS:
            return "texts that are no dates as 2026-01-31"
        if self.holds & _NO_TIMESTAMP and self.type == "TIMESTAMP" and self.kinds == _TEXTS:
            return "texts that are no timestamps as 2026-01-31 12:30:00"
        if self.holds & _WIDE and self.type == "DOUBLE":
            listed = ["integers of more than 15 digits", "fractions"]
        return " and ".join(listed)


def is_sqlite(path: Path) -> bool:
    """Whether a file is a database of SQLite."""
    try:
        if not path.is_file():  # a pipe would wait for its writer
            return False
        with path.open("rb") as file:
            return file.read(len(_HEAD)) == _HEAD
    except OSError:
        return False


def refuse_sqlite(path: Path, place: str) -> None:
    """Raises ConfigurationError for a database of SQLite where a whole database is written."""
    if is_sqlite(path):
        raise ConfigurationError(
            f"{place}: {path} is an SQLite database, of which single tables are written; name a folder, or a file of "
            "DuckDB, as target"
        )


@contextmanager
def open_sqlite_engine(folders: Sequence[Path], place: str) -> Iterator[Engine]:
    """A connection that reaches databases of SQLite, and other files in folders alone. Raises ConfigurationError."""
    with open_engine(EngineOptions()) as reader:
        load_extension(reader, "sqlite_scanner", f"{place}: an SQLite database")
        lock_down(reader, (), folders)
        yield reader


def attach_sqlite(reader: Engine, path: Path, *, read_only: bool = True) -> exp.Identifier:
    """Attaches a database, by which `asked` answers; gives the name that it goes by. Raises EngineError."""
    attached = quoted(_NAME)
    words = "TYPE sqlite, READ_ONLY" if read_only else "TYPE sqlite"
    reader.run(f"ATTACH {literal(str(path)).sql('duckdb')} AS {attached.sql('duckdb')} ({words})")
    return attached


def copy_table(engine: Engine, path: Path, table: tuple[str, str], place: str) -> Path:
    """Copies a table or a view into the folder of a connection, once; gives the Parquet file.

    Raises ConfigurationError for values that the engine would read as others, EngineError.
    """
    key = f"sqlite:{path.absolute()}:{table[1]}"
    if key not in engine.fetched:
        if table[0].casefold() != "main":
            raise ConfigurationError(f"{place}: {path} has one schema, main; expected the name of a table alone")
        folder = engine.own_folder() / f"fetched-{len(engine.fetched)}"
        folder.mkdir()
        file = folder / "table.parquet"
        with open_sqlite_engine([folder], place) as reader:
            try:
                _copy(reader, path, table[1], file, place)
            except EngineError as error:
                raise EngineError(f"{place}: {path}: table {table[1]}: {error}") from None
        engine.fetched[key] = str(file)
    return Path(engine.fetched[key])


def _copy(reader: Engine, path: Path, name: str, file: Path, place: str) -> None:
    attach_sqlite(reader, path)
    # Not by its name in the attached database: the engine would run the text of a view itself, in its own dialect.
    table = exp.Table(this=exp.Anonymous(this="sqlite_scan", expressions=[literal(str(path)), literal(name)]))
    watch = Watch()
    watch.add(place, lambda: _written(path))
    described = [(str(row[0]), str(row[1])) for row in _described(reader, table)]
    columns = _held(reader, name, described, place)
    values = [(held, held.value()) for held in columns]
    faults = [held for held, value in values if value is None]
    if faults:
        raise ConfigurationError(
            f"{place}: column {held.name!r} of {name}, read as {held.type}, holds {held.why()}; expected one kind: "
            "name a view that casts it, as CREATE VIEW ... AS SELECT CAST(... AS TEXT)"
            for held in faults
        )
    rows = exp.select(*(exp.alias_(value, held.name, quoted=True) for held, value in values if value is not None))
    copy_rows(reader, rows.from_(table).subquery(), str(file))
    watch.require_unchanged()
    _refuse_lost(reader, name, file, place)


def _refuse_lost(reader: Engine, name: str, file: Path, place: str) -> None:
    """Raises ConfigurationError where rows are missing: the engine reads a table in parts by its numbers of rows."""
    counted = exp.select(exp.Count(this=exp.Star())).from_(exp.Table(this=quoted(name)))
    there = int(reader.run(exp.select("*").from_(asked(counted)))[0][0])
    copied = exp.Table(this=exp.Anonymous(this="read_parquet", expressions=[literal(str(file))]))
    read = int(reader.run(exp.select(exp.Count(this=exp.Star())).from_(copied))[0][0])
    if read != there:
        raise ConfigurationError(
            f"{place}: of the {there:,} rows of {name} the engine reads {read:,}; name a view of all its "
            "columns, which it reads whole"
        )


def _written(path: Path) -> list[Path]:
    """The files that a writer changes: the database, and its log, which is there and empty while somebody reads."""
    file = path.resolve()  # beside which SQLite keeps its log, wherever links to it are
    log = file.with_name(f"{file.name}-wal")
    return [path, *([log] if log.is_file() and log.stat().st_size else [])]


def _described(reader: Engine, rows: exp.Table) -> list[tuple[str, ...]]:
    return reader.run(exp.Describe(this=exp.select("*").from_(rows.copy())))


def _held(reader: Engine, name: str, described: Sequence[tuple[str, str]], place: str) -> list[_Held]:
    """What the columns hold. Raises ConfigurationError where the engine does not read all of them."""
    table = exp.Table(this=quoted(name))
    every = [str(row[0]) for row in _described(reader, asked(exp.select("*").from_(table)))]
    names = [column_name for column_name, _ in described]
    if every != names:
        missed = next((other for other in every if other not in names), every[0])
        raise ConfigurationError(
            f"{place}: column {missed!r} of {name} is a generated one, which is not read; name a view that selects it"
        )
    keys: list[Item] = [{"value": column(column_name), "key": f"c{index}"} for index, column_name in enumerate(names)]
    statement = template.fill("source/sqlite/contents", names={"sqlite_table": table}, lists={"held": keys})
    row = reader.run(exp.select("*").from_(asked(statement)))[0]
    return [
        _Held(column_name, kind, int(holds or 0)) for (column_name, kind), holds in zip(described, row, strict=True)
    ]


def asked(statement: exp.Expr) -> exp.Table:
    """What SQLite itself answers to a statement, as texts."""
    words = [literal(_NAME), literal(statement.sql("sqlite"))]
    return exp.Table(this=exp.Anonymous(this="sqlite_query", expressions=words))
