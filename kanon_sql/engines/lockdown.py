"""Locks DuckDB down once the tables of a job are open: a query or view reads nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kanon_sql.config.load import LoadedConfig
from kanon_sql.frequency.population import population_configs
from kanon_sql.source.model import Source
from kanon_sql.source.opening import allowed_places, find_files
from kanon_sql.source.remote import is_remote
from kanon_sql.sql.connection import Engine, lock_down
from kanon_sql.targets.target import Sink


def allow_paths(
    engine: Engine, loaded: LoadedConfig, source: Source, sink: Sink | None, others: Sequence[Source] = ()
) -> None:
    """Restricts the connection to the source, the target, populations, `others`, and what `source.allow` adds."""
    reading = [loaded.config.source] if source.kind in ("table", "query") else []
    described = population_configs(loaded)
    configs = [*reading, *(population for population, _ in described)]
    if sink is not None and sink.stays and all(config.path for config in configs):
        return  # it reads nothing that was not named, and whoever takes the release may write it anywhere
    files: list[Path] = [path.absolute() for path in source.files]
    folders = [folder.absolute() for folder in source.backend.folders]
    if source.database is not None:
        files.append(source.database.absolute())
    for population, place in described:
        if population.path is not None and not is_remote(population.path):
            files += [path.absolute() for path in find_files(population.path, loaded.base, place).paths]
    for config in configs:
        more_files, more_folders = allowed_places(engine, config, loaded.base)
        files += more_files
        folders += more_folders
    for other in others:
        files += [path.absolute() for path in [*other.files, *([other.database] if other.database else [])]]
    if sink is not None:
        more_files, more_folders = sink.paths()
        files += [path.absolute() for path in more_files]
        folders += [path.absolute() for path in more_folders]
    lock_down(engine, files, folders)
