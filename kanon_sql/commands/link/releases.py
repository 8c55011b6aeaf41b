"""A check of two releases from end to end."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kanon_sql.commands.link.joining import JoinRequest, Json, check_pair
from kanon_sql.commands.link.run import lock_to, open_table, read_meanings
from kanon_sql.config.load import LoadedConfig
from kanon_sql.errors import ConfigurationError
from kanon_sql.progress import Progress, Stopwatch
from kanon_sql.sql.connection import EngineOptions, open_engine


def run_check(
    first: Path,
    second: Path,
    quasi_identifiers: Sequence[str],
    on: Sequence[str],
    k: int,
    source: Path | None,
    loaded: LoadedConfig | None,
    options: EngineOptions,
    progress: Progress,
) -> Json:
    """The report of `kanon-sql releases check`; see kanon_sql.api.check_releases."""
    watch = Stopwatch()
    named = quasi_identifiers or (list(loaded.config.quasi_identifiers) if loaded else [])
    problems = []
    if not named:
        problems.append("no quasi-identifier is named; expected --qi, or --config with some")
    twice = sorted(set(named) & set(on))
    if twice:
        problems.append(f"{', '.join(map(repr, twice))} cannot be joined on and a quasi-identifier; choose one")
    problems += [f"column {name!r} is named twice" for name in {*named, *on} if [*named, *on].count(name) > 1]
    if problems:
        raise ConfigurationError(problems)
    request = JoinRequest(tuple(named), tuple(on), k, read_meanings(loaded, show_values=options.show_values))
    missing = loaded.config.source.missing if loaded else None
    with open_engine(options) as engine:
        csv = loaded.release_csv() if loaded else None
        tables = [open_table(engine, path, missing, [*named, *on], "the release", csv) for path in (first, second)]
        original = None if source is None else open_table(engine, source, missing, [*named, *on], "--source")
        lock_to(engine, *tables, *([original] if original else []))
        return check_pair(engine, tables, original, request, progress, watch)
