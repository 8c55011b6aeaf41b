"""What a run gives back: what was done, and the release as frames of polars and pandas, Arrow tables and relations."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeVar

from sqlglot import exp

from kanon_sql.api.measured import Measured
from kanon_sql.config.load import LoadedConfig
from kanon_sql.engines.duckdb.connection import ConnectionSink, DuckDBJob
from kanon_sql.engines.duckdb.frames import read_frame
from kanon_sql.engines.job import Job, standing_in
from kanon_sql.errors import ConfigurationError
from kanon_sql.report.printable import escaped
from kanon_sql.source.columns import normalized
from kanon_sql.source.model import Source
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine, EngineOptions, open_engine, start_engine
from kanon_sql.targets.target import Sink

if TYPE_CHECKING:
    import duckdb
    import pandas
    import polars
    import pyarrow


R = TypeVar("R", bound="RunResult")


class _Release:
    """Where a release is: in its target, or in a table of a `connection` that is there for it."""

    def __init__(self, sink: Sink, options: EngineOptions, *, owned: bool) -> None:
        self._sink = sink
        self._options = options
        self._owned = owned
        self._connection: Any = sink.connection if isinstance(sink, ConnectionSink) else None
        self._closed = False

    @property
    def options(self) -> EngineOptions:
        """The bounds of the engine that made it."""
        return self._options

    @property
    def in_connection(self) -> bool:
        """Whether it is a table of a connection. Raises ConfigurationError when closed."""
        return self._in_connection() is not None

    @contextmanager
    def reading(self) -> Iterator[Any]:
        """A relation of the release, for the block."""
        if self._in_connection() is not None:
            yield self._table()
            return
        with open_engine(self._options) as engine:
            yield _relation(engine, self._sink.again(engine))

    def lasting(self) -> Any:
        """A relation of the release that keeps alive what it reads."""
        if self._in_connection() is not None:
            return self._table()
        engine = start_engine(self._options)
        relation = _relation(engine, self._sink.again(engine))
        weakref.finalize(relation, _nothing, engine.connection)
        return relation

    def close(self) -> None:
        """Frees what is in memory."""
        if not self._closed and isinstance(self._sink, ConnectionSink):
            if self._owned:
                self._connection.close()
            elif not self._sink.lasting:
                self._connection.execute(f"DROP TABLE IF EXISTS {self._sink.name.sql('duckdb')}")
        self._connection, self._closed = None, True

    def _in_connection(self) -> ConnectionSink | None:
        """The table in a connection, None where the release is in a file. Raises ConfigurationError when closed."""
        if self._closed:
            raise ConfigurationError("the result is closed; read the release before that, or write it to a target")
        return self._sink if isinstance(self._sink, ConnectionSink) else None

    def _table(self) -> Any:
        assert isinstance(self._sink, ConnectionSink)
        # Of a connection of ours each reader has one of its own: threads may read at the same time.
        connection = self._connection.cursor() if self._owned else self._connection
        relation = connection.table(self._sink.name.sql("duckdb"))
        weakref.finalize(relation, _nothing, self._connection)
        return relation


def _nothing(_: object) -> None:
    """Keeps what it is given alive until it is called."""


def _relation(engine: Engine, source: Source) -> Any:
    rows = source.relation.subquery("released")
    columns = [exp.alias_(normalized(column, source.missing), column.name, quoted=True) for column in source.columns]
    return engine.connection.sql(template.text(exp.select(*columns).from_(rows)))


def _require(package: str, what: str) -> None:
    """Raises ConfigurationError where a package is missing."""
    if not _has(package):
        raise ConfigurationError(f"{what} needs {package}; pip install {package}")


def _has(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ValueError:
        return False


@dataclass(frozen=True, repr=False)
class RunResult:
    """What a run did, and the release that it made. `report` is the whole JSON report.

    `df()`, `pl()`, `arrow()` and `relation` read the release where it is: in its target, or in memory where it has
    none; `risk()`, `utility()` and `attack()` measure it beside its source. `close()`, or the end of a `with` block,
    frees that memory; a result that is not used any more does so, too.
    """

    status: str
    levels: dict[str, int]
    released: int
    suppressed: int
    classes: int
    smallest_class: int
    lm: float
    proven: bool
    warnings: tuple[str, ...]
    target: str
    report: dict[str, Any]

    @classmethod
    def of(cls: type[R], data: dict[str, Any], job: Job, options: EngineOptions, *, owned: bool) -> R:
        """The result of a job that has ended well; `owned` says that its connection is not a user's."""
        result = cls(
            status=data["status"],
            levels=data["solution"].get("levels", {}),
            released=data["rows"]["released"],
            suppressed=data["rows"]["suppressed"],
            classes=data["classes"]["count"],
            smallest_class=data["classes"]["min"],
            lm=data["loss"]["lm"],
            proven=data["search"]["proven"],
            warnings=tuple(data["warnings"]),
            target=data["release"]["target"],
            report=data,
        )
        assert job.sink is not None
        # No fields: they are no part of what is compared, shown or turned into a mapping.
        object.__setattr__(result, "_job", job)
        if data["status"] == "released":
            object.__setattr__(result, "_release", _Release(job.sink, options, owned=owned))
        return result

    @classmethod
    def of_tables(cls: type[R], data: dict[str, Any]) -> R:
        """The result of a run of a whole database; its tables are read where they were written."""
        levels = {**(data["solution"] or {}).get("levels", {}), **((data["facts"] or {}).get("levels", {}))}
        return cls(
            status=data["status"],
            levels=levels,
            released=data["persons"]["released"],
            suppressed=data["persons"]["suppressed"],
            classes=data["classes"]["count"],
            smallest_class=data["classes"]["min"],
            lm=data["loss"]["lm"],
            proven=data["search"]["proven"],
            warnings=tuple(data["warnings"]),
            target=data["release"]["target"],
            report=data,
        )

    def df(self) -> pandas.DataFrame:
        """The release as a DataFrame of pandas. Raises ConfigurationError without pandas, EngineError."""
        _require("pandas", ".df()")
        with self._held().reading() as relation:
            return relation.df()

    def pl(self) -> polars.DataFrame:
        """The release as a DataFrame of polars. Raises ConfigurationError without polars, EngineError."""
        _require("polars", ".pl()")
        import polars

        with self._held().reading() as relation:
            return relation.pl() if _has("pyarrow") else polars.DataFrame(relation)

    def arrow(self) -> pyarrow.Table:
        """The release as a table of Arrow. Raises ConfigurationError without pyarrow, EngineError."""
        _require("pyarrow", ".arrow()")
        with self._held().reading() as relation:
            return relation.to_arrow_table()

    @property
    def relation(self) -> duckdb.DuckDBPyRelation:
        """The release as a relation of DuckDB, which lives as long as it is used. Raises EngineError."""
        relation: duckdb.DuckDBPyRelation = self._held().lasting()
        return relation

    def risk(self, **options: Any) -> dict[str, Any]:
        """The risk in the source and in this release, as `kanon_sql.risk` measures and returns it, with its `options`.

        The source is read again: a stream that can be read only once has no rows any more. Raises the errors of
        kanon_sql.errors.
        """
        from kanon_sql.api.measuring import risk

        with self._measurable() as (loaded, handed):
            report = risk(loaded, **handed, **options)
        after = report["after"]
        return Measured("risk", {**report, "after": after if after is None else {**after, "table": self.target}})

    def utility(self, **options: Any) -> dict[str, Any]:
        """This release compared with its source, as `kanon_sql.utility` measures and returns it, with its `options`.

        The source is read again (see `risk`). Raises the errors of kanon_sql.errors.
        """
        from kanon_sql.api.measuring import utility

        with self._measurable() as (loaded, handed):
            return utility(loaded, **handed, **options)

    def attack(self, **options: Any) -> dict[str, Any]:
        """Adversaries against this release, as `kanon_sql.attack` plays and returns them, with its `options`.

        The source is read again (see `risk`). Raises the errors of kanon_sql.errors.
        """
        from kanon_sql.api.measuring import attack

        with self._measurable() as (loaded, handed):
            report = attack(loaded, **handed, **options)
        return report if options.get("hold_out") is not None else Measured("attack", {**report, "release": self.target})

    @contextmanager
    def _measurable(self) -> Iterator[tuple[LoadedConfig, dict[str, Any]]]:
        """The configuration with the release as its target, for the block, and what was handed in for the source.

        A release in a connection is copied into a file of this machine's temporary folder, which only its owner reads.
        """
        held, job = self._held(), self._job_done()
        handed = {"data": job.handed.data, "connection": job.handed.connection} if isinstance(job, DuckDBJob) else {}
        if not held.in_connection:
            yield job.loaded, handed
            return
        with TemporaryDirectory(prefix="kanon-sql-", dir=held.options.temp_directory) as folder:
            path = Path(folder) / "release.parquet"
            with held.reading() as relation, open_engine(held.options) as engine:
                _relation(engine, read_frame(engine, relation, (), "release")).write_parquet(str(path))
            yield standing_in(job.loaded, {"target": {"path": str(path)}}), handed

    def _job_done(self) -> Job:
        job: Job | None = getattr(self, "_job", None)
        if job is None:
            raise ConfigurationError(
                "this result does not know its source; measure the target that its run wrote, as kanon_sql.risk does"
            )
        return job

    def close(self) -> None:
        """Frees a release in memory, which can be read no more; one that has a target stays there."""
        if self.status == "released":
            self._held().close()

    def __enter__(self: R) -> R:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        from kanon_sql.report.views.database import summarize_database
        from kanon_sql.report.views.parts import plain
        from kanon_sql.report.views.result import in_lines

        if "persons" in self.report:
            return plain(summarize_database(escaped(self.report)))
        return in_lines(escaped(self.report))

    def _repr_html_(self) -> str:
        from kanon_sql.report.views.database import summarize_database
        from kanon_sql.report.views.html import in_html
        from kanon_sql.report.views.result import summarize_result

        summarize = summarize_database if "persons" in self.report else summarize_result
        return in_html(summarize(escaped(self.report)))

    def _held(self) -> _Release:
        held: _Release | None = getattr(self, "_release", None)
        if held is None and self.status == "dry-run":
            raise ConfigurationError("a dry run makes no release; run again without dry_run")
        if held is None:
            raise ConfigurationError("this result holds no release; read the target that its run wrote")
        return held
