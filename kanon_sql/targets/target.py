"""The base class of targets: written beside the target, read again for verification, then put in its place."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from sqlglot import exp

from kanon_sql.config.load import LoadedConfig
from kanon_sql.errors import ConfigurationError
from kanon_sql.release.release import Release, Writing
from kanon_sql.release.verify import compared_columns
from kanon_sql.settings.formats import only_texts
from kanon_sql.source.columns import counted_columns
from kanon_sql.source.duckdb import DuckDB
from kanon_sql.source.model import Column, Source, select_keys
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import column, state

if TYPE_CHECKING:
    from kanon_sql.results.run import Forgotten, Verification

Selecting = Callable[[LoadedConfig, Release, Writing], tuple[exp.Expr, list[str]]]


@dataclass(frozen=True)
class DryRunRelease:
    """A release of which nothing is written, as sources: `whole`, and `counted`, with one row for each class."""

    whole: Source
    counted: Source


def judged_columns(release: Release) -> list[str]:
    """The released columns that the recount reads: quasi-identifiers, and the sensitive columns of models."""
    models, roles = release.problem.models, release.problem.roles
    quasi = {col.name for col in roles.quasi_identifiers}
    others = {col.name for col in roles.released} - quasi - {model.column for model in models.models}
    return [name for name in release.columns() if name not in others]


class Sink(ABC):
    """One target of one run. A run calls refuse, paths, prepare, make, written, verification and commit, in this order.

    A dry run calls dry_run in place of make and written, and never commits.
    """

    warnings: tuple[str, ...] = ()
    in_transaction = False  # of the engine until it is committed: what fails before that takes the release with it
    forgotten: Forgotten | None = None  # what a lake holds no more, as the report says it
    stays = False  # whether the release stays in the connection that made it, for those who read it

    def refuse(self, released: Sequence[Column], place: str) -> None:
        """Refuses columns that the target cannot hold unchanged, before any row is read. ConfigurationError."""
        refuse_names(released, place)

    @abstractmethod
    def paths(self) -> tuple[list[Path], list[Path]]:
        """(files, folders) that the engine must be able to write and read."""

    def prepare(self, engine: Engine, source: Source) -> None:  # noqa: B027 - most need nothing
        """What must happen before the connection is locked down."""

    @abstractmethod
    def make(self, engine: Engine, loaded: LoadedConfig, release: Release, writing: Writing) -> None:
        """Makes the release beside the target. Raises ConfigurationError or EngineError."""

    @abstractmethod
    def dry_run(self, engine: Engine, loaded: LoadedConfig, release: Release, writing: Writing) -> DryRunRelease:
        """The release by the statement that would make it. Raises as `make` does."""

    @abstractmethod
    def written(self, engine: Engine) -> Source:
        """What was written, opened anew as a source of its own."""

    def whole(self, written: Source) -> Source:
        """The release with all of its columns, where `written` has only those that are counted."""
        return written

    def verification(self, engine: Engine, loaded: LoadedConfig, written: Source) -> Verification:
        """Compares the rows as release.verify asks; gives the report's entry. Raises VerificationError."""
        if loaded.config.release.verify == "counts":
            return {"compared": "counts"}
        return {"compared": "rows", "columns": self.compared(engine, written)}

    @abstractmethod
    def compared(self, engine: Engine, written: Source) -> int:
        """Compares the rows `written` with those that were to be released; gives in how many columns.

        Raises VerificationError where they differ or cannot be read.
        """

    def staged_file(self) -> Path | None:
        """The one file that was written and will be the target as it is; None where there is no such file."""
        return None

    @abstractmethod
    def commit(self, engine: Engine) -> None:
        """Puts what was written in the place of the target. Raises EngineError, with the target untouched."""

    def keep(self) -> None:  # noqa: B027 - most are gone with what failed
        """Leaves what was written beside the target, emptied: it tells the ledger that no release got there."""

    def again(self, engine: Engine) -> Source:
        """The release in its place, opened by another connection of DuckDB.

        Raises ConfigurationError where DuckDB cannot read it, EngineError where it is there no more.
        """
        raise ConfigurationError(f"the release is in {self.describe()}, which DuckDB does not read; read it there")

    @abstractmethod
    def describe(self) -> str:
        """The target as users know it."""


def _selected(_: LoadedConfig, release: Release, writing: Writing) -> tuple[exp.Expr, list[str]]:
    """(SELECT in DuckDB of the rows that are released, their columns)."""
    return release.select(writing), release.columns()


class LocalSink(Sink):
    """A target that DuckDB writes, by `selecting` the release."""

    plain_text = False  # whether generalized columns must be VARCHAR in the statement itself
    kind = "table"  # as of a source
    selecting: Selecting = staticmethod(_selected)
    statement: exp.Expr  # the SELECT of the release that was written

    def make(self, engine: Engine, loaded: LoadedConfig, release: Release, writing: Writing) -> None:
        select, columns = self.selecting(loaded, release, replace(writing, plain_text=self.plain_text))
        self.put(engine, select, release.problem.source, columns)

    def dry_run(self, engine: Engine, loaded: LoadedConfig, release: Release, writing: Writing) -> DryRunRelease:
        select, names = self.selecting(loaded, release, replace(writing, order="none", seed=None, plain_text=True))
        assert isinstance(select, exp.Select)
        described = [(str(row[0]), str(row[1])) for row in engine.run(exp.Describe(this=select.copy()))]
        if only_texts(self.kind):  # where an empty text is read as missing
            values = [(name, exp.cast(column(name), "VARCHAR")) for name in names]
            texts = [
                exp.alias_(exp.Nullif(this=value, expression=exp.Literal.string("")), name, quoted=True)
                for name, value in values
            ]
            select, described = exp.select(*texts).from_(select.subquery("made")), [(name, "VARCHAR") for name in names]
        columns = tuple(Column(name, f"c{i}", kind) for i, (name, kind) in enumerate(described))
        backend = DuckDB(engine)
        rows = select_keys(select.subquery("released"), names)
        whole = Source(self.kind, rows, columns, (), False, self.describe(), backend)
        judged = [whole.column(name) for name in judged_columns(release)]
        counted = template.fill(
            "source/counted", {"source": rows}, {"qi": [{"key": col.key, "value": column(col.key)} for col in judged]}
        )
        kept = backend.bring(engine, counted, counted_columns(judged), state("written_classes"))
        return DryRunRelease(whole, replace(whole, relation=kept, weighted=True))

    def put(self, engine: Engine, release: exp.Expr, source: Source, columns: list[str]) -> None:
        """Writes a release beside the target; `columns` are its names in order. Raises EngineError."""
        self.statement = release
        self.write(engine, release, source, columns)

    def compared(self, engine: Engine, written: Source) -> int:
        return compared_columns(engine, self.as_held(self.statement), written)

    def as_held(self, release: exp.Expr) -> exp.Expr:
        """The release with its values as this kind of target holds them, for writing and comparing."""
        return release

    @abstractmethod
    def write(self, engine: Engine, release: exp.Expr, source: Source, columns: list[str]) -> None:
        """Writes the release as its kind of target is written (see put)."""


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
    for col in released:
        other = seen.setdefault(col.name.casefold(), col.name)
        if not col.name:
            problems.append(f"{place}: a column without a name cannot be released; name it, or drop it")
        elif other != col.name:
            problems.append(
                f"{place}: columns {other!r} and {col.name!r} differ in case only, which the engine cannot "
                "write side by side; rename or drop one of them"
            )
    if problems:
        raise ConfigurationError(problems)
