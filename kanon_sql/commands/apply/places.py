"""Where new data are released: in DuckDB, or in the engine that holds them and the earlier releases."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path

from kanon_sql.commands.apply.deciding import Deciding
from kanon_sql.commands.apply.rows import AllRows
from kanon_sql.commands.apply.same_levels import Applying, Texts, generalized, recount_differences
from kanon_sql.commands.apply.there import ApplyingThere, generalized_there, recount_there
from kanon_sql.config.load import LoadedConfig
from kanon_sql.engines.job import Opened
from kanon_sql.engines.opening import job_of
from kanon_sql.engines.remote import PLAIN_TEXTS, RemoteSink
from kanon_sql.errors import ConfigurationError
from kanon_sql.ledger.earlier import refuse_place
from kanon_sql.ledger.ledger import Entry
from kanon_sql.recount.statement import Question
from kanon_sql.release.release import Writing
from kanon_sql.release.statement import Generalization, sort_items
from kanon_sql.search.problem import SearchProblem
from kanon_sql.settings.formats import format_of
from kanon_sql.source.formats.registry import telling_source
from kanon_sql.source.model import Source, is_nested
from kanon_sql.sql.connection import Engine, EngineOptions, open_engine
from kanon_sql.targets.opening import open_sink, prepare
from kanon_sql.targets.target import LocalSink, Sink


class Place(ABC):
    """The engine of one run of apply, by its configuration."""

    def __init__(self, loaded: LoadedConfig) -> None:
        self.loaded = loaded

    @abstractmethod
    def refuse(self, entries: Sequence[Entry], ledger: Path) -> None:
        """Raises ConfigurationError where the new release would take the place of an earlier one."""

    @abstractmethod
    def open(self, options: EngineOptions, rows: AllRows) -> AbstractContextManager[Opened]:
        """Opens DuckDB, the target, and the new data (see kanon_sql.engines.job.Job.open)."""

    @abstractmethod
    def kind(self, source: Source, sink: Sink) -> str | None:
        """The format that the target has, as of a source."""

    @abstractmethod
    def deciding(
        self,
        engine: Engine,
        prepared: SearchProblem,
        generalization: Generalization,
        texts: Texts,
        k: int,
        earlier: Sequence[Source],
    ) -> Deciding:
        """Generalizes the new data, ready to be decided on. Raises ConfigurationError for what cannot be compared."""

    @abstractmethod
    def put(self, engine: Engine, sink: Sink, applying: Deciding, source: Source) -> None:
        """Writes what was decided on beside the target."""

    @abstractmethod
    def differences(
        self,
        engine: Engine,
        texts: Texts,
        written: Source,
        earlier: Sequence[tuple[int, Source]],
        question: Question,
    ) -> list[dict[str, int]]:
        """Counts again what the release and each earlier one tell apart (see recount_differences)."""


_WRITING = Writing(order="random", seed=None, plain_text=True, as_text=False)


class Here(Place):
    """DuckDB, in this process."""

    def refuse(self, entries: Sequence[Entry], ledger: Path) -> None:
        target = self.loaded.config.target
        for entry in entries:
            if target is not None and target.path is not None:
                refuse_place(self.loaded.base / target.path, entry, ledger)

    @contextmanager
    def open(self, options: EngineOptions, rows: AllRows) -> Iterator[Opened]:
        prepare(self.loaded)
        with (
            open_engine(options) as engine,
            open_sink(engine, self.loaded) as sink,
            telling_source(engine) as read,
        ):

            def opened() -> Source:
                source = rows.opened(engine, self.loaded)
                read.append(source)
                return source

            yield Opened(engine, sink, opened)

    def kind(self, source: Source, sink: Sink) -> str | None:
        target = self.loaded.config.target
        assert target is not None
        if target.in_place:
            return source.kind
        return (target.format or format_of(Path(target.path))) if target.path is not None else None

    def deciding(
        self,
        engine: Engine,
        prepared: SearchProblem,
        generalization: Generalization,
        texts: Texts,
        k: int,
        earlier: Sequence[Source],
    ) -> Applying:
        as_text = self.loaded.config.release.suppressed == "mask"
        writing = replace(_WRITING, order="none", as_text=as_text)
        candidates = generalized(engine, prepared, generalization, writing)
        return Applying(engine, texts, prepared.models, k, candidates, earlier)

    def put(self, engine: Engine, sink: Sink, applying: Deciding, source: Source) -> None:
        assert isinstance(sink, LocalSink) and isinstance(applying, Applying)
        select, names = applying.select(sort_items(_WRITING)), [col.name for col in applying.candidates.columns]
        sink.put(engine, select, source, names)

    def differences(
        self, engine: Engine, texts: Texts, written: Source, earlier: Sequence[tuple[int, Source]], question: Question
    ) -> list[dict[str, int]]:
        return recount_differences(engine, texts, written, earlier, question)


class There(Place):
    """Another engine, in which the earlier releases stand too."""

    def refuse(self, entries: Sequence[Entry], ledger: Path) -> None:
        """A target that is there is refused as in any run: it is never replaced (see configure)."""

    @contextmanager
    def open(self, options: EngineOptions, rows: AllRows) -> Iterator[Opened]:
        with job_of(self.loaded).open(options) as opened:
            yield opened

    def kind(self, source: Source, sink: Sink) -> str | None:
        assert isinstance(sink, RemoteSink)
        return sink.kind

    def deciding(
        self,
        engine: Engine,
        prepared: SearchProblem,
        generalization: Generalization,
        texts: Texts,
        k: int,
        earlier: Sequence[Source],
    ) -> ApplyingThere:
        candidates = generalized_there(engine, self.loaded, prepared, generalization)
        self._refuse_columns(candidates, texts)
        return ApplyingThere(engine, texts, prepared.models, k, candidates, earlier)

    def _refuse_columns(self, candidates: Source, texts: Texts) -> None:
        place, name = self.loaded.place("source"), self.loaded.config.engine.chosen
        problems = [
            f"{place}: CSV that {name} writes has values of column {col.name!r}, of type {col.type}, in other words "
            "than those that are compared; release Parquet or a table, or make it a text in a query"
            for col in candidates.columns
            if texts.as_csv and col.type not in PLAIN_TEXTS
        ]
        problems += [
            f"{place}: column {col.name!r} is of type {col.type[:40]}, whose texts do not tell all values apart in "
            f"{name}; make it a text in a query, as by to_json, or drop it"
            for col in candidates.columns
            if is_nested(col.type) and candidates.backend.dialect.name == "spark"
        ]
        if problems:
            raise ConfigurationError(problems)

    def put(self, engine: Engine, sink: Sink, applying: Deciding, source: Source) -> None:
        assert isinstance(sink, RemoteSink) and isinstance(applying, ApplyingThere)
        sink.put(applying.release())

    def differences(
        self, engine: Engine, texts: Texts, written: Source, earlier: Sequence[tuple[int, Source]], question: Question
    ) -> list[dict[str, int]]:
        return recount_there(engine, texts, written, earlier, question)


def place_of(loaded: LoadedConfig) -> Place:
    """Where a configuration releases."""
    return Here(loaded) if loaded.config.engine.chosen == "duckdb" else There(loaded)
