"""A link from end to end: configuration, both tables, the report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kanon_sql.commands.link.attack import Json, LinkColumn, link_tables
from kanon_sql.commands.link.cells import EQUAL, Meaning, meaning_of
from kanon_sql.config.load import LoadedConfig
from kanon_sql.errors import ConfigurationError
from kanon_sql.progress import Progress, Stopwatch
from kanon_sql.search.prepare import load_hierarchies
from kanon_sql.settings.source import CsvOptions, SourceConfig
from kanon_sql.source.model import Source
from kanon_sql.source.opening import open_described
from kanon_sql.sql.connection import Engine, EngineOptions, lock_down, open_engine

Pair = str | tuple[str, str]


def run_link(
    release: Path,
    external: Path,
    on: Sequence[Pair],
    loaded: LoadedConfig | None,
    missing: Sequence[str],
    options: EngineOptions,
    progress: Progress,
) -> Json:
    """The report of `kanon-sql link`; see kanon_sql.api.link."""
    watch = Stopwatch()
    pairs = [(one, one) if isinstance(one, str) else one for one in on]
    if not pairs:
        raise ConfigurationError("--on names no column; expected columns of both tables, such as sex,zip,born")
    meanings = read_meanings(loaded, show_values=options.show_values)
    columns = [LinkColumn(ours, theirs, meanings.get(ours, EQUAL)) for ours, theirs in pairs]
    with open_engine(options) as engine:
        described, csv = (loaded.config.source.missing, loaded.release_csv()) if loaded else (None, None)
        opened = open_table(engine, release, described, [one.release for one in columns], "the release", csv)
        others = open_table(engine, external, missing or None, [one.external for one in columns], "--with")
        lock_to(engine, opened, others)
        return link_tables(engine, opened, others, columns, progress, watch)


def read_meanings(loaded: LoadedConfig | None, *, show_values: bool) -> dict[str, Meaning]:
    """How the quasi-identifiers of a configuration were released, by name. Raises ConfigurationError."""
    if loaded is None:
        return {}
    hierarchies = load_hierarchies(loaded, show_values=show_values)
    return {name: meaning_of(spec, hierarchy) for name, (spec, hierarchy) in hierarchies.items()}


def open_table(
    engine: Engine,
    path: Path,
    missing: Sequence[str] | None,
    named: Sequence[str],
    what: str,
    csv: CsvOptions | None = None,
) -> Source:
    """Opens a CSV or Parquet table; without `missing` nothing but empty fields of a CSV are missing."""
    absent = None if missing is None else list(missing)
    described = SourceConfig(path=str(path), missing=absent, csv=csv or CsvOptions())
    return open_described(engine, described, Path(), named, what)


def lock_to(engine: Engine, *sources: Source) -> None:
    """From here on the connection reads nothing but these sources."""
    lock_down(engine, [path.absolute() for source in sources for path in source.files], [])
