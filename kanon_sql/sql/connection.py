"""The connection to DuckDB: opened with bounds, locked down, running one statement at a time."""

from __future__ import annotations

import os
import re
import threading
import weakref
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from glob import escape
from pathlib import Path
from typing import Any

import duckdb
from sqlglot import exp

from kanon_sql.errors import ConfigurationError, EngineError, InterruptedRunError, NoRoomError, UnplacedError
from kanon_sql.sql import disk, signals, template
from kanon_sql.sql.deadline import Deadline
from kanon_sql.sql.disk import spill_folder
from kanon_sql.sql.watching import Watch, report_changed_files

Row = tuple[Any, ...]
# Errors that are found before a row is read, or that name files: of all others the words may be values of the data.
_SPEAKING = (
    duckdb.BinderException,
    duckdb.CatalogException,
    duckdb.ConnectionException,
    duckdb.DependencyException,
    duckdb.IOException,
    duckdb.ParserException,
    duckdb.PermissionException,
    duckdb.SyntaxException,
)
_OF_VALUES = (
    duckdb.ConstraintException,
    duckdb.ConversionException,
    duckdb.InvalidInputException,
    duckdb.OutOfRangeException,
)
_OUT_OF_MEMORY = (
    "the engine ran out of memory or of space for temporary data; raise --memory-limit, "
    "lower --threads or name a larger --temp-directory"
)


@dataclass(frozen=True)
class EngineOptions:
    """Bounds on the engine's use of the machine; None leaves the engine's own default."""

    threads: int | None = None
    memory_limit: str | None = None
    temp_directory: Path | None = None
    show_values: bool = False


class Engine:
    """A DuckDB connection that runs statements given as syntax trees; `turn` serializes it with other users."""

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        *,
        owned: bool = True,
        show_values: bool = False,
        turn: AbstractContextManager[Any] | None = None,
    ) -> None:
        self.connection = connection
        self.owned = owned
        self.show_values = show_values
        self.statements = 0
        self.watch = Watch()
        # Copies of files that the engine cannot read as they are, in the folder of this connection; by what was copied.
        self.copies: dict[tuple[Any, ...], Path] = {}
        self.fetched: dict[str, str] = {}  # by its URL where what was fetched is in that folder, as a path or pattern
        self._folder: Path | None = None
        # Closed after the connection: the system forgets the engine's lock on a database when the process closes
        # the file once, whoever opened it.
        self.held = ExitStack()
        self._turn = turn or nullcontext()
        self._deadline = Deadline()
        signals.watch(connection)

    def query(self, name: template.Statement, *, values: Mapping[str, Any] | None = None, **holes: Any) -> list[Row]:
        """Runs a query file, or a composed statement, with its holes filled (see template.fill); gives its rows."""
        return self.run(template.render(name, **holes), values)

    def run(self, statement: exp.Expr | str, values: Mapping[str, Any] | None = None) -> list[Row]:
        """Runs one statement; gives its rows. Raises EngineError, or InterruptedRunError."""
        sql = statement if isinstance(statement, str) else template.text(statement)
        self.statements += 1
        try:
            with self._turn:
                cursor = self.connection.execute(sql, dict(values)) if values else self.connection.execute(sql)
                return cursor.fetchall()
        except (duckdb.Error, RuntimeError, MemoryError) as error:
            failure = self._failure(error)
        # Raised out here, the engine's own error is not in its chain, which loggers and notebooks show.
        raise failure

    def use_folder(self, folder: Path) -> None:
        """Makes this the folder of the connection; the copies in it are removed with `held`."""
        self._folder = folder
        self.held.callback(self._remove_copies)

    def _remove_copies(self) -> None:
        for copy in self.copies.values():
            copy.unlink(missing_ok=True)
        self.copies.clear()

    def own_folder(self) -> Path:
        """A folder for this connection alone, removed with it, also after errors. Raises EngineError."""
        if self._folder is None:
            self._folder = self.held.enter_context(spill_folder())
        return self._folder

    @contextmanager
    def registered(self, name: str, rows: Any) -> Iterator[None]:
        """In the block `rows`, an object of Python, can be read under a name. Raises EngineError."""
        try:
            with self._turn:
                self.connection.register(name, rows)
        except duckdb.Error as error:
            raise EngineError(self.say(error)) from None
        try:
            yield
        finally:
            with self._turn:
                self.connection.unregister(name)

    def _failure(self, error: duckdb.Error | RuntimeError | MemoryError) -> Exception:
        """The program's own error for one of the engine. Raises TimeUpError where the time was up."""
        if isinstance(error, MemoryError):
            return NoRoomError(_OUT_OF_MEMORY)
        if isinstance(error, duckdb.InterruptException):
            self._deadline.check()
            return InterruptedRunError(signals.NOTHING_CHANGED)
        if isinstance(error, duckdb.Error):
            if used_up(error):
                failure: EngineError = NoRoomError(self.say(error))
            else:
                failure = (EngineError if isinstance(error, _SPEAKING) else UnplacedError)(self.say(error))
            failure.__cause__ = error if self.show_values else None
            return failure
        # What a signal makes of a statement that runs.
        return InterruptedRunError(signals.NOTHING_CHANGED) if "interrupt" in str(error).lower() else error

    @contextmanager
    def until(self, deadline: Deadline) -> Iterator[None]:
        """Interrupts the running statement when a deadline passes; it then raises TimeUpError."""
        if deadline.endless:
            yield
            return
        before, self._deadline = self._deadline, deadline
        ended = threading.Event()
        watcher = threading.Thread(target=self._interrupt_late, args=(deadline, ended), daemon=True)
        try:
            watcher.start()
            yield
        finally:
            ended.set()
            if watcher.ident is not None:  # a signal may have come before its start
                watcher.join()
            self._deadline = before

    def _interrupt_late(self, deadline: Deadline, ended: threading.Event) -> None:
        """Interrupts repeatedly once the deadline has passed: between two statements an interrupt is forgotten."""
        while not ended.wait(deadline.pause()):
            if deadline.interrupts():
                self.connection.interrupt()

    def progress(self) -> float:
        """Percent of the running statement, below 0 when unknown; may be asked from another thread."""
        return float(self.connection.query_progress())

    def say(self, error: duckdb.Error) -> str:
        """The engine's message in one line, without values of the data unless they may be shown."""
        return describe(error, show_values=self.show_values)


@contextmanager
def naming(subject: object) -> Iterator[None]:
    """Adds its subject to an error that names neither file nor table. Raises EngineError."""
    try:
        yield
    except UnplacedError as error:
        raise EngineError(f"{subject}: {problem}" for problem in error.problems) from error.__cause__


def used_up(error: duckdb.Error) -> bool:
    """Whether an error says that memory or a disk is used up, which says nothing of the data."""
    full = not isinstance(error, _OF_VALUES) and disk.full(str(error)) is not None
    return full or isinstance(error, duckdb.OutOfMemoryException)


def describe(error: duckdb.Error, *, show_values: bool) -> str:  # noqa: C901
    """One line for an error of the engine: its own words only of kinds without values, unless `show_values`."""
    line = re.search(r"CSV Error on Line: (\d+)", str(error))
    if line and "Invalid unicode" in str(error):
        return f"line {line[1]} is not UTF-8; say source.encoding, or convert the file to UTF-8"
    if line:
        return f"line {line[1]} cannot be read as CSV; look at its quotes, delimiters and line ends"
    if "CSV Parser" in str(error):
        return "the file cannot be read as CSV; expected one kind of line end all through, and quotes in pairs"
    if "maximum_object_size" in str(error):
        return "a record is longer than 16 MB"
    if "Malformed JSON in file" in str(error):
        return "the file cannot be read as JSON"
    first = " ".join(str(error).split("\n\n")[0].split())
    kind = type(error).__name__.removesuffix("Exception")
    if isinstance(error, duckdb.OutOfMemoryException):
        return _OUT_OF_MEMORY
    if used_up(error):
        return disk.full(str(error)) or ""
    if "Unique file handle conflict" in str(error):
        return "another connection of this program has the database open; close that, or wait until it is closed"
    if isinstance(error, _OF_VALUES) and not show_values:
        return f"the engine refused a value ({kind}); --show-values shows which"
    message = first if show_values else _without_values(first) if isinstance(error, _SPEAKING) else ""
    if isinstance(error, duckdb.InternalException):
        more = f" ({message[:200]})" if message else ""
        return f"internal error of the engine: a file that it read is damaged, else please report it{more}"
    if not message:
        return f"the engine failed ({kind}); --show-values shows its words"
    return f"the engine failed ({kind}): {message[:500]}"


def _without_values(text: str) -> str:
    """The text without literals (as those of an ENUM) and folders of partitions, which may be values too."""
    text = re.sub(r"'(?:[^']|'')*'", "'...'", text)
    return re.sub(r"=[^/\"]*(?=/)", "=...", text)


@contextmanager
def open_engine(options: EngineOptions, database: str = ":memory:") -> Iterator[Engine]:
    """A new connection with the given bounds and a private spill folder, closed at the end.

    Raises ConfigurationError for bounds that the engine does not take.
    """
    with spill_folder(options.temp_directory) as folder:
        connection = duckdb.connect(database)
        engine = Engine(connection, show_values=options.show_values)
        try:
            _set_bounds(engine, options, folder)
            engine.use_folder(folder)
            with report_changed_files(engine.watch):
                yield engine
        finally:
            connection.close()
            engine.held.close()


def start_engine(options: EngineOptions) -> Engine:
    """A new connection as `open_engine` makes it, that lives as long as somebody reads from it.

    Its spill folder goes with the connection. Raises as `open_engine` does.
    """
    stack = ExitStack()
    folder = stack.enter_context(spill_folder(options.temp_directory))
    connection = duckdb.connect(":memory:")
    weakref.finalize(connection, stack.close)
    engine = Engine(connection, show_values=options.show_values)
    _set_bounds(engine, options, folder)
    engine.use_folder(folder)
    return engine


def _set_bounds(engine: Engine, options: EngineOptions, folder: Path) -> None:
    settings: dict[str, Any] = {
        "temp_directory": str(folder),
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "allow_community_extensions": False,
        # What is written of a moment, and made of it as text, is the same on every machine.
        "TimeZone": "UTC",
        # Joins are written with the small table on the right; exchanging the sides would lose the source's order.
        "disabled_optimizers": "build_side_probe_side",
    }
    for name, value in settings.items():
        _set(engine, name, value)
    # In a notebook without ipywidgets the engine refuses these: steps then tell no percentage.
    with suppress(EngineError):
        _set(engine, "enable_progress_bar", True)
        _set(engine, "enable_progress_bar_print", False)
    for option, name, bound in (
        ("--threads", "threads", options.threads),
        ("--memory-limit", "memory_limit", options.memory_limit),
    ):
        if bound is not None:
            try:
                _set(engine, name, bound)
            except EngineError:
                raise ConfigurationError(
                    f"{option}: the engine does not take {bound!r}; expected for example "
                    f"{'4' if name == 'threads' else '4GB'}"
                ) from None


def _set(engine: Engine, name: str, value: Any) -> None:
    """SET name = value, the value as a literal of the syntax tree."""
    engine.run(f"SET {name} = {literal(value).sql(dialect='duckdb')}")


def literal(value: Any) -> exp.Expr:
    """A Python value as a literal; lists become list literals."""
    if isinstance(value, (list, tuple)):
        return exp.Array(expressions=[literal(entry) for entry in value])
    converted: exp.Expr = exp.convert(value)
    return converted


def lock_down(engine: Engine, files: Iterable[Path], folders: Iterable[Path]) -> None:
    """Restricts the connection to these files and folders from here on, for good.

    Only connections that we opened ourselves: one that a caller passed stays as it is.
    """
    if not engine.owned:
        return
    folders = [*folders, engine.own_folder().absolute()]
    paths = [str(path) for path in (*files, *folders)]
    # A name that reads as a glob is escaped where it is read; the engine looks at both spellings.
    _set(engine, "allowed_paths", sorted({*paths, *(escape(path) for path in paths)}))
    _set(engine, "allowed_directories", [f"{folder}{os.sep}" for folder in folders])
    _set(engine, "enable_external_access", False)
    _set(engine, "lock_configuration", True)
