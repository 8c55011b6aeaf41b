"""kanon-sql from Python: the same jobs as the commands, for notebooks and pipelines."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kanon_sql.compilation import compile_release
from kanon_sql.config.load import LoadedConfig, from_mapping, load_config
from kanon_sql.config.model import SourceConfig
from kanon_sql.engine.connection import Engine, EngineOptions, open_engine
from kanon_sql.handed_in import handed_in
from kanon_sql.listing import list_lattice
from kanon_sql.pipeline import allow_paths, run_configuration
from kanon_sql.preparation import Prepared, load_hierarchies, prepare_search
from kanon_sql.progress import Progress, Stopwatch
from kanon_sql.source.opening import open_source
from kanon_sql.source.roles import assign_roles
from kanon_sql.table_check import check_table

if TYPE_CHECKING:
    import duckdb

Configuration = str | os.PathLike[str] | Mapping[str, Any] | LoadedConfig
Overrides = Iterable[tuple[str, Any]]


@dataclass(frozen=True)
class RunResult:
    """What a run did. `report` is the whole JSON report; the rest is what most people look at."""

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


def load(config: Configuration, overrides: Overrides = ()) -> LoadedConfig:
    """A configuration from a file's path or a mapping. Raises ConfigurationError with every problem."""
    if isinstance(config, LoadedConfig):
        return config
    if isinstance(config, Mapping):
        return from_mapping(config, overrides=overrides)
    return load_config(config, overrides)


def run(
    config: Configuration,
    *,
    connection: duckdb.DuckDBPyConnection | None = None,
    source: str | duckdb.DuckDBPyRelation | None = None,
    target: str | None = None,
    overrides: Overrides = (),
    options: EngineOptions | None = None,
    time_limit: float | None = None,
    report: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> RunResult:
    """Anonymizes what a configuration names, and verifies what was written.

    With `connection`, `source` (a table or view of it, or a relation) and `target` (the table to make in it) stand
    for those of the configuration, which then needs neither; nothing else of the connection is changed.
    `overrides` are pairs such as ("privacy.k", 5). Raises the errors of kanon_sql.errors; the source and an existing
    target are then untouched.
    """
    options, progress = options or EngineOptions(), progress or Progress()
    if connection is not None:
        loaded, job = handed_in(config, connection, source, target, overrides)
    else:
        loaded, job = load(config, overrides), None
    path = _report_path(loaded, report)
    draft = run_configuration(loaded, options, progress, time_limit=time_limit, report=path, job=job)
    data = draft.to_dict()
    return RunResult(
        status=data["status"],
        levels=data["solution"]["levels"],
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


def check(
    config: Configuration,
    data: str | os.PathLike[str] | None = None,
    *,
    overrides: Overrides = (),
    options: EngineOptions | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Measures the configuration's source, or `data`, as it stands; the report of `kanon-sql check`.

    Its "status" is "satisfied" or "violated". Raises the errors of kanon_sql.errors when it cannot be measured.
    """
    loaded = load(config, overrides)
    if data is not None:
        loaded = with_source(loaded, Path(data))
    watch = Stopwatch()
    with open_engine(options or EngineOptions()) as engine:
        opened = open_source(engine, loaded)
        allow_paths(engine, loaded, opened, None)
        return check_table(engine, loaded, opened, progress or Progress(), watch)


def lattice(
    config: Configuration,
    *,
    overrides: Overrides = (),
    options: EngineOptions | None = None,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Every node of the full-domain lattice with its measures: what `kanon-sql lattice --json` prints.

    Raises the errors of kanon_sql.errors.
    """
    loaded = load(config, overrides)
    with _prepared(loaded, options, progress) as (engine, prepared):
        return list_lattice(engine, loaded, prepared, progress or Progress(), time_limit).data


def compile(
    config: Configuration,
    *,
    overrides: Overrides = (),
    options: EngineOptions | None = None,
    time_limit: float | None = None,
    progress: Progress | None = None,
    dialect: str = "duckdb",
) -> str:
    """The release as one self-contained SELECT, after the search has chosen the levels.

    Raises the errors of kanon_sql.errors.
    """
    loaded = load(config, overrides)
    with _prepared(loaded, options, progress) as (engine, prepared):
        return compile_release(engine, loaded, prepared, progress or Progress(), time_limit, dialect)


def with_source(loaded: LoadedConfig, data: Path) -> LoadedConfig:
    """The configuration with another file as source, read with the same texts for missing."""
    source = SourceConfig(path=str(data.absolute()), missing=loaded.config.source.missing)
    return replace(loaded, config=loaded.config.model_copy(update={"source": source}))


@contextmanager
def _prepared(
    loaded: LoadedConfig, options: EngineOptions | None, progress: Progress | None
) -> Iterator[tuple[Engine, Prepared]]:
    options = options or EngineOptions()
    hierarchies = load_hierarchies(loaded, show_values=options.show_values)
    with open_engine(options) as engine:
        source = open_source(engine, loaded)
        roles = assign_roles(source, loaded)
        allow_paths(engine, loaded, source, None)
        yield engine, prepare_search(engine, loaded, source, roles, hierarchies, progress or Progress())


def _report_path(loaded: LoadedConfig, given: str | os.PathLike[str] | None) -> Path | None:
    if given is not None:
        return Path(given)
    return loaded.base / loaded.config.report if loaded.config.report is not None else None
