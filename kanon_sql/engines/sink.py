"""Targets in an engine beside DuckDB: the release is made there, counted there, and put in place once it verified."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlglot import exp

from kanon_sql.config.load import LoadedConfig
from kanon_sql.config.model import TargetConfig
from kanon_sql.engines.remote import Remote
from kanon_sql.errors import ConfigurationError
from kanon_sql.release.compiled import CompiledRelease, CompileRequest, set_with, with_of
from kanon_sql.release.compiled_source import own_columns, participating
from kanon_sql.release.release import Release, Writing
from kanon_sql.release.same_rows import different_rows
from kanon_sql.release.verify import reading_again
from kanon_sql.source.model import Column, Source, select_keys
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.dialects.dialect import refuse_column_names
from kanon_sql.sql.template import column, state
from kanon_sql.targets.target import Rehearsed, Sink

_PLAIN_TEXTS = ("VARCHAR", "BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "DATE")


@dataclass(frozen=True)
class RemoteRelease:
    """A release as the statement of the engine that makes it; its classes are counted by the columns `judged`."""

    sql: str
    body: CompiledRelease
    judged: tuple[str, ...]


def remote_release(remote: Remote, loaded: LoadedConfig, release: Release) -> RemoteRelease:
    """Compiles a release for the engine that holds the rows, and loads the tables of values that it reads."""
    prepared = release.problem
    masks = loaded.config.release.suppressed == "mask"
    asked = CompileRequest(
        rows=participating(loaded, prepared, lambda needed: own_columns(prepared.source, needed)),
        missing=prepared.source.missing,
        order=loaded.config.release.order,
        as_text=masks,
        masks=masks,
        executed=True,
    )
    body = release.compiled(asked)
    refuse_column_names(remote.dialect, [one.name for one in body.released], loaded.place())
    statement = body.statement
    used = {table.name for table in statement.find_all(exp.Table)}
    listed = [remote.listed(one) for one in body.listings if one.name in used]
    set_with(statement, [*listed, *with_of(statement).expressions])
    judged = [one.name for one in body.released if one.is_quasi_identifier]
    spoken = [model.column for model in prepared.models.models if model.column is not None]
    return RemoteRelease(remote.written(statement), body, tuple(dict.fromkeys([*judged, *spoken])))


def target_of(loaded: LoadedConfig) -> tuple[TargetConfig, str]:
    """(the target of a configuration, its place there). Raises ConfigurationError where there is none."""
    place = loaded.place("target")
    if loaded.config.target is None:
        raise ConfigurationError(f"{place}: there is no target; expected a path or a table")
    return loaded.config.target, place


def there_already(what: str) -> str:
    """What is said of a target that is not to be replaced."""
    return f"{what} exists already; name another or set overwrite: true (--overwrite)"


class RemoteSink(Sink):
    """A table or a folder that the engine writes."""

    _release: RemoteRelease
    _source: Source

    def __init__(self, remote: Remote, target: TargetConfig, place: str) -> None:
        self.remote = remote
        self.target = target
        self.place = place

    def refuse(self, released: Sequence[Column], place: str) -> None:
        super().refuse(released, place)
        refuse_column_names(self.remote.dialect, [item.name for item in released], place)

    def paths(self) -> tuple[list[Path], list[Path]]:
        return [], []

    def make(self, engine: Engine, loaded: LoadedConfig, release: Release, writing: Writing) -> None:
        self._release = remote_release(self.remote, loaded, release)
        self._create(self._release)

    def rehearsed(self, engine: Engine, loaded: LoadedConfig, release: Release, writing: Writing) -> Rehearsed:
        made = remote_release(self.remote, loaded, release)
        statement = made.body.statement.copy()
        statement.set("order", None)
        names = [one.name for one in made.body.released]
        columns = tuple(Column(one.name, f"c{i}", one.described) for i, one in enumerate(made.body.released))
        rows = select_keys(statement.subquery("released"), names)
        whole = Source("query", rows, columns, (), False, self.describe(), self.remote)
        return Rehearsed(whole, self.remote.counted(engine, whole, made.judged, state("written_classes")))

    def written(self, engine: Engine) -> Source:
        self._source = self._opened()
        return self.remote.counted(engine, self._source, self._release.judged, state("written_classes"))

    def whole(self, written: Source) -> Source:
        return self._source

    def compared(self, engine: Engine, written: Source) -> int:
        body, source, remote = self._release.body, self._source, self.remote
        statement = body.statement.copy()
        statement.set("order", None)
        columns = [
            one
            for one in body.released
            # Where classes share tuples whose rows cannot be put in order these are dealt out anew each time.
            if not (one.is_quasi_identifier and statement.find(exp.Rand))
            # CSV has its own texts of other types.
            and (not source.only_texts or one.described in _PLAIN_TEXTS)
        ]
        if not columns:
            return 0
        missing = "" if source.only_texts else None
        found = exp.select(*(column(source.column(one.name).key) for one in columns))
        made = exp.select(*(column(one.name) for one in columns))
        with reading_again():
            read = remote.written(found.from_(source.relation.copy().subquery("written_rows")))
            fingerprint = remote.fingerprint(read, missing=missing)
        again = remote.written(made.from_(statement.subquery("made_rows")))
        if fingerprint != remote.fingerprint(again, missing=missing):
            raise different_rows()
        return len(columns)

    @abstractmethod
    def _create(self, release: RemoteRelease) -> None:
        """Runs the statement into a place beside the target."""

    @abstractmethod
    def _opened(self) -> Source:
        """What was made, opened anew."""
