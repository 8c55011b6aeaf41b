"""What every kind of target can do: be written beside, be read again for verification, take its place."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path

from sqlglot import exp

from kanon_sql.errors import ConfigurationError
from kanon_sql.source.model import Column, Source
from kanon_sql.sql.connection import Engine


class Sink(ABC):
    """One target of one run."""

    warnings: tuple[str, ...] = ()

    def refuse(self, released: Sequence[Column], place: str) -> None:
        """Refuses columns that the target cannot hold unchanged, before any row is read. ConfigurationError."""
        refuse_names(released, place)

    @abstractmethod
    def paths(self) -> tuple[list[Path], list[Path]]:
        """(files, folders) that the engine must be able to write and read."""

    def prepare(self, engine: Engine, source: Source) -> None:  # noqa: B027 - most need nothing
        """What must happen before the connection is locked down."""

    @abstractmethod
    def written(self, engine: Engine) -> Source:
        """What was written, opened anew as a source of its own."""

    @abstractmethod
    def commit(self, engine: Engine) -> None:
        """Puts what was written in the target's place. Raises EngineError, the target then untouched."""

    @abstractmethod
    def describe(self) -> str:
        """The target as users know it."""


class LocalSink(Sink):
    """A target that DuckDB writes."""

    plain_text = False  # whether generalized columns must be VARCHAR in the statement itself

    def as_held(self, release: exp.Expr) -> exp.Expr:
        """The release with its values as this kind of target holds them: what is written, and compared with it."""
        return release

    @abstractmethod
    def write(self, engine: Engine, release: exp.Expr, source: Source, columns: list[str]) -> None:
        """Writes the release beside the target; `columns` are its names in order. Raises EngineError."""


def shown(path: Path) -> str:
    """A path as users know it: relative to the working folder where it lies below that."""
    try:
        return str(path.relative_to(Path.cwd().resolve()))
    except ValueError:
        return str(path)


def refuse_names(released: Sequence[Column], place: str) -> None:
    """Refuses columns that the engine cannot write under their names. Raises ConfigurationError."""
    seen: dict[str, str] = {}
    problems = []
    for item in released:
        other = seen.setdefault(item.name.casefold(), item.name)
        if not item.name:
            problems.append(f"{place}: a column without a name cannot be released; name it, or drop it")
        elif other != item.name:
            problems.append(
                f"{place}: columns {other!r} and {item.name!r} differ in case only, which the engine cannot "
                "write side by side; rename or drop one of them"
            )
    if problems:
        raise ConfigurationError(problems)
