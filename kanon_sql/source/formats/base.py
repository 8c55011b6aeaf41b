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
    """Writes one release into files of a format."""

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
        """Refuses columns that the format cannot hold unchanged. Raises ConfigurationError."""

    def as_held(self, release: exp.Expr) -> exp.Expr:
        """The release with its values as the format holds them."""
        return release

    def begin(
        self, engine: Engine, release: exp.Expr, source: Source, columns: Sequence[str], partitions: Sequence[str]
    ) -> exp.Expr:
        """The statement of what is written of a release with these columns; `partitions` become names of folders."""
        del engine, source, columns, partitions
        return self.as_held(release)

    def mended(self, engine: Engine, statement: exp.Expr, file: Path) -> exp.Expr | None:
        """What to write instead of a statement of `begin`, where the engine wrote other values; None where it did not.

        Raises EngineError for a file that cannot be read.
        """
        del engine, statement, file
        return None

    def options(self) -> dict[str, Any]:
        """The options of COPY."""
        compression = self.target.compression or _COMPRESSIONS.get(self.final.suffix.lower())
        return {"FORMAT": self.name, **({} if compression is None else {"COMPRESSION": compression})}

    @abstractmethod
    def written(self, engine: Engine, files: tuple[Path, ...], partitions: tuple[str, ...]) -> Source:
        """What was written, opened anew."""


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
    """A format of files, by the name under which it is registered."""

    def __init__(self, name: str) -> None:
        self.name = name

    @abstractmethod
    def open(self, engine: Engine, request: OpenRequest) -> Source:
        """Opens files as one source.

        Raises EngineError for files that cannot be read, ConfigurationError for options that do not fit.
        """

    @abstractmethod
    def open_release(
        self, engine: Engine, path: Path, target: TargetConfig, like: Source, names: Sequence[str], place: str
    ) -> Source:
        """Opens a file that was released as `target` says from a source `like` this, with columns of these names."""

    def ragged(self, engine: Engine, source: Source) -> str | None:
        """What is wrong with records, or with one, of files that could not be read; None where nothing is known."""
        del engine, source
        return None

    @abstractmethod
    def place_of(self, engine: Engine, source: Source, column: Column, first: First) -> str | None:
        """The place of a value, as kanon_sql.source.formats.registry.find_place gives it."""

    @abstractmethod
    def writer(self, target: TargetConfig, final: Path) -> Writer:
        """Writes a release to `final`. Raises ConfigurationError for options that do not fit."""


def located(source: Source, column: Column, position: exp.Expr) -> exp.Select:
    """SELECT of a column of all files as `value`, with the `file` and a `position` in it."""
    value = next(entry for entry in source.relation.expressions if entry.alias_or_name == column.key)
    parts = {"value": value.unalias(), "file": exp.column("filename"), "position": position}
    return source.relation.select(*(exp.alias_(part.copy(), name) for name, part in parts.items()), append=False)


def named_file(source: Source, file: str) -> str:
    """The words that name the file of a place, where the source has several."""
    return f" of {Path(file).name}" if len(source.files) > 1 else ""
