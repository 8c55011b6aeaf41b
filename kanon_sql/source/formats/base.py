"""The interface of a file format: opens files as a source, finds their faults, writes and reads a release."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlglot import exp

from kanon_sql.config.model import TargetConfig
from kanon_sql.errors import ConfigurationError
from kanon_sql.settings.formats import FORMATS
from kanon_sql.settings.source import SourceConfig
from kanon_sql.source.model import Column, Source
from kanon_sql.sql.connection import Engine

_COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}

First = Callable[[exp.Select], tuple[str, int] | None]


class Writer(ABC):
    """Writes one release into files of a format: DuckDB's COPY does, with the `options` of it.

    The release is written beside its place, opened again by `written`, counted, compared with the source, and moved to
    `final` then. An example stands at FileFormat.
    """

    def __init__(self, name: str, target: TargetConfig, final: Path) -> None:
        self.name = name
        self.target = target
        self.final = final
        compressions = FORMATS[name].compressions
        if target.compression is not None and target.compression.lower() not in compressions:
            raise ConfigurationError(
                f"target.compression: {target.compression!r} is none of {name}; expected {', '.join(compressions)}"
            )
        if target.csv.formulas == "escape" and not FORMATS[name].only_texts:
            raise ConfigurationError("target.csv.formulas: only a CSV file holds formulas; remove it, or write CSV")
        if target.csv.quote and target.csv.quote == target.csv.delimiter:
            raise ConfigurationError("target.csv: quote and delimiter are the same; choose two characters")

    def refuse(self, released: Sequence[Column], place: str) -> None:  # noqa: B027 - most hold all types
        """Refuses columns that the format cannot hold unchanged, before any row is read.

        Args:
            released: the columns of the release.
            place: where the configuration names the target, for the beginning of messages.

        Raises: ConfigurationError with the first such column, and what to do.
        """

    def as_held(self, release: exp.Expr) -> exp.Expr:
        """The release with its values as the format holds them, such as texts for what is no JSON number.

        It is what is compared with the files that were written.
        """
        return release

    def begin(
        self, engine: Engine, release: exp.Expr, source: Source, columns: Sequence[str], partitions: Sequence[str]
    ) -> exp.Expr:
        """What is written of a release.

        Args:
            engine: DuckDB.
            release: the SELECT of the release.
            source: what it is made of.
            columns: the names of its columns, in their order.
            partitions: those of them that become names of folders.

        Returns: the statement that COPY writes; by default the release `as_held`.
        """
        del engine, source, columns, partitions
        return self.as_held(release)

    def mended(self, engine: Engine, statement: exp.Expr, file: Path) -> exp.Expr | None:
        """What to write instead, where the engine wrote other values than it was given.

        Args:
            engine: DuckDB.
            statement: what `begin` returned.
            file: the file that was written.

        Returns: the statement to write in its place, or None where nothing was lost (as by default).

        Raises: EngineError for a file that cannot be read.
        """
        del engine, statement, file
        return None

    def options(self) -> dict[str, Any]:
        """The options of COPY: FORMAT is the name of this format, unless DuckDB knows it by another, and others."""
        compression = self.target.compression or _COMPRESSIONS.get(self.final.suffix.lower())
        return {"FORMAT": self.name, **({} if compression is None else {"COMPRESSION": compression})}

    @abstractmethod
    def written(self, engine: Engine, files: tuple[Path, ...], partitions: tuple[str, ...]) -> Source:
        """Opens what was written, so that it can be counted and compared.

        Args:
            engine: DuckDB.
            files: the files.
            partitions: the columns that are names of folders.

        Returns: a Source that shares nothing with the release but its files.

        Raises: EngineError for files that cannot be read.
        """


@dataclass(frozen=True)
class OpenRequest:
    """Files that are to be opened as one source, as `config` says at `place`.

    `named` are columns that it must have, by which a header is recognized, `partitions` the columns that are folders.
    """

    paths: tuple[Path, ...]
    config: SourceConfig
    named: Sequence[str]
    place: str
    partitions: tuple[str, ...] = ()


class FileFormat(ABC):
    """A format of files, by the name under which it is registered.

    A format is a row of settings.formats.FORMATS (how a file of it is known, and what its values mean) and, of the same
    name, an object of a subclass in `registry.FILE_FORMATS`. Sources, targets, in place, check and messages then take
    it. Files are read by DuckDB, by an expression that a statement can begin with: no row passes through Python.

    Examples:
        Texts between bars, with a header (`FORMATS["piped"] = Format("Piped", (".psv",), ("gzip",), only_texts=True)`):

        >>> from pathlib import Path
        >>> from sqlglot import exp
        >>> from kanon_sql.settings.source import SourceConfig
        >>> from kanon_sql.source.duckdb import DuckDB
        >>> from kanon_sql.source.formats.base import FileFormat, OpenRequest, Writer
        >>> from kanon_sql.source.model import Column, Source, select_keys
        >>> from kanon_sql.sql.connection import EngineOptions, literal, open_engine
        >>> class Piped(FileFormat):
        ...     def open(self, engine, request):
        ...         options = {"delim": "|", "header": True, "all_varchar": True}
        ...         words = [exp.EQ(this=exp.to_identifier(key), expression=literal(options[key])) for key in options]
        ...         files = literal([str(path) for path in request.paths])
        ...         reader = exp.Table(this=exp.Anonymous(this="read_csv", expressions=[files, *words]))
        ...         described = engine.run(exp.Describe(this=exp.select("*").from_(reader.copy())))
        ...         names = [row[0] for row in described]
        ...         return Source(
        ...             kind=self.name,
        ...             relation=select_keys(reader, names),  # every row, under the keys c0, c1 ...
        ...             columns=tuple(Column(name, f"c{i}", "VARCHAR") for i, name in enumerate(names)),
        ...             missing=tuple(request.config.missing or [""]),
        ...             columnar=False,  # reading one column costs as much as reading all
        ...             label=str(request.paths[0]),
        ...             backend=DuckDB(engine),
        ...             files=request.paths,
        ...         )
        ...
        ...     def open_release(self, engine, path, target, like, names, place):
        ...         config = SourceConfig(path=str(path), missing=list(like.missing))
        ...         return self.open(engine, OpenRequest((path,), config, names, place))
        ...
        ...     def place_of(self, engine, source, column, first):
        ...         return None
        ...
        ...     def writer(self, target, final):
        ...         return PipedWriter(self.name, target, final)
        >>> class PipedWriter(Writer):
        ...     def options(self):
        ...         return {**super().options(), "FORMAT": "csv", "DELIM": "|", "HEADER": True}
        ...
        ...     def written(self, engine, files, partitions):
        ...         config = SourceConfig(path=str(files[0]))
        ...         return Piped(self.name).open(engine, OpenRequest(files, config, (), "target", partitions))
        >>> path = Path("people.psv")
        >>> _ = path.write_text("age|name\\n21|Ada\\n22|Bob\\n")
        >>> with open_engine(EngineOptions()) as engine:
        ...     request = OpenRequest((path,), SourceConfig(path="people.psv"), (), "source")
        ...     source = Piped("piped").open(engine, request)
        ...     print([column.name for column in source.columns], engine.run(source.relation))
        ['age', 'name'] [('21', 'Ada'), ('22', 'Bob')]
    """

    def __init__(self, name: str) -> None:
        self.name = name

    @abstractmethod
    def open(self, engine: Engine, request: OpenRequest) -> Source:
        """Opens files as one source.

        Args:
            engine: DuckDB.
            request: the files, and what the configuration says of them.

        Returns: a Source whose relation gives every row, under the keys c0, c1 ... of its columns.

        Raises: EngineError for files that cannot be read, ConfigurationError for options that do not fit.
        """

    @abstractmethod
    def open_release(
        self, engine: Engine, path: Path, target: TargetConfig, like: Source, names: Sequence[str], place: str
    ) -> Source:
        """Opens a file that was released earlier, for `check` and all that compares a release with its source.

        Args:
            engine: DuckDB.
            path: the file.
            target: what the configuration says of it.
            like: the source that it was made of; what `target` leaves open is as there.
            names: the columns that the release has.
            place: where the configuration names the file, for the beginning of messages.

        Returns: as of `open`.

        Raises: as `open` does.
        """

    def ragged(self, engine: Engine, source: Source) -> str | None:
        """What is wrong with the records of files that could not be read; asked after an error only.

        Args:
            engine: DuckDB.
            source: the source that failed.

        Returns: the message, with the place of a record and without its values, or None where nothing is known.
        """
        del engine, source
        return None

    @abstractmethod
    def place_of(self, engine: Engine, source: Source, column: Column, first: First) -> str | None:
        """Where a value stands, so that messages can name the place and not the value.

        Args:
            engine: DuckDB.
            source: the source.
            column: the column that holds the value.
            first: called with a SELECT of value, file and position (see `located`), it gives the first (file, position)
                of the value, or None.

        Returns: words such as "line 17" or "row 3 of b.parquet", or None where it cannot be found out.

        Raises: EngineError for files that cannot be read again.
        """

    @abstractmethod
    def writer(self, target: TargetConfig, final: Path) -> Writer:
        """What writes a release in this format.

        Args:
            target: what the configuration says of the target.
            final: the file's place once it is verified.

        Returns: the writer of one release.

        Raises: ConfigurationError for options that do not fit.
        """


def located(source: Source, column: Column, position: exp.Expr) -> exp.Select:
    """SELECT of a column of all files as `value`, with the `file` and a `position` in it."""
    value = next(entry for entry in source.relation.expressions if entry.alias_or_name == column.key)
    parts = {"value": value.unalias(), "file": exp.column("filename"), "position": position}
    return source.relation.select(*(exp.alias_(part.copy(), name) for name, part in parts.items()), append=False)


def named_file(source: Source, file: str) -> str:
    """The words that name the file of a place, where the source has several."""
    return f" of {Path(file).name}" if len(source.files) > 1 else ""
