"""A link, and a check of two releases, from end to end: configuration, tables, the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kanon_sql.config.load import LoadedConfig
from kanon_sql.engines.duckdb.connection import open_given
from kanon_sql.engines.opening import copy_release
from kanon_sql.errors import ConfigurationError
from kanon_sql.measures.link.attack import LinkColumn, link_tables
from kanon_sql.measures.link.joining import JoinRequest, check_pair
from kanon_sql.measures.link.matching import EQUAL, Meaning, meaning_of
from kanon_sql.report.call import Call
from kanon_sql.search.prepare import load_hierarchies
from kanon_sql.settings.source import SourceConfig
from kanon_sql.source.columns import read_columns
from kanon_sql.source.model import Source
from kanon_sql.source.opening import open_described
from kanon_sql.sql.connection import Engine, lock_down, open_engine

if TYPE_CHECKING:
    from kanon_sql.results.link import LinkReport, PairReport

Pair = str | tuple[str, str]


@dataclass(frozen=True)
class LinkRequest:
    """The columns to compare, and the texts of the external table that mean missing."""

    on: Sequence[Pair]
    missing: tuple[str, ...] = ()


def run_link(
    engine: Engine, tables: tuple[Any, Any], request: LinkRequest, loaded: LoadedConfig | None, call: Call
) -> LinkReport:
    """The report of `kanon-sql link`; see kanon_sql.api.link. `tables` are the release and the external table."""
    pairs = [(pair, pair) if isinstance(pair, str) else pair for pair in request.on]
    if not pairs:
        raise ConfigurationError("--on names no column; expected columns of both tables, such as sex,zip,born")
    meanings = _read_meanings(loaded, call, [ours for ours, _ in pairs])
    columns = [LinkColumn(ours, theirs, meanings.get(ours, EQUAL)) for ours, theirs in pairs]
    release, external = tables
    if isinstance(release, Path) and loaded is not None and _is_there(release, loaded):
        opened = copy_release(engine, loaded, str(release), call.options)
    elif isinstance(release, Path):
        opened = _open(engine, _release(release, loaded), [column.release for column in columns], "the release")
    else:
        missing = loaded.config.source.missing if loaded is not None else None
        opened = open_given(engine, release, tuple(missing or ()), "the release")
    if isinstance(external, Path):
        described = SourceConfig(path=str(external), missing=list(request.missing) or None)
        others = _open(engine, described, [column.external for column in columns], "--with")
    else:
        others = open_given(engine, external, request.missing, "the external table")
    if loaded is not None:
        opened = _read(opened, loaded, {column.release: column.release for column in columns}, as_it_stands=True)
        others = _read(others, loaded, {column.release: column.external for column in columns})
    _lock_to(engine, opened, others)
    return link_tables(engine, opened, others, columns, call)


@dataclass(frozen=True)
class PairRequest:
    """Two releases, what they are joined on, and the table that both were made from where it is known."""

    first: Path
    second: Path
    quasi_identifiers: Sequence[str]
    on: Sequence[str]
    k: int
    source: Path | None = None


def run_check(pair_request: PairRequest, loaded: LoadedConfig | None, call: Call) -> PairReport:
    """The report of `kanon-sql releases check`; see kanon_sql.api.check_releases."""
    named = pair_request.quasi_identifiers or (list(loaded.config.quasi_identifiers) if loaded else [])
    columns = [*named, *pair_request.on]
    problems = []
    if not named:
        problems.append("no quasi-identifier is named; expected --qi, or --config with some")
    twice = sorted(set(named) & set(pair_request.on))
    if twice:
        problems.append(f"{', '.join(map(repr, twice))} cannot be joined on and a quasi-identifier; choose one")
    problems += [f"column {name!r} is named twice" for name in set(columns) if columns.count(name) > 1]
    if problems:
        raise ConfigurationError(problems)
    request = JoinRequest(tuple(named), tuple(pair_request.on), pair_request.k, _read_meanings(loaded, call, columns))
    with open_engine(call.options) as engine:
        paths = (pair_request.first, pair_request.second)
        tables = [_open(engine, _release(path, loaded), columns, "the release") for path in paths]
        if loaded is not None:
            tables = [_read(table, loaded, {name: name for name in columns}, as_it_stands=True) for table in tables]
        original = None
        if pair_request.source is not None:
            described = SourceConfig(
                path=str(pair_request.source), missing=loaded.config.source.missing if loaded else None
            )
            original = _open(engine, described, columns, "--source")
            original = _read(original, loaded, {name: name for name in columns}) if loaded else original
        _lock_to(engine, *tables, *([original] if original else []))
        return check_pair(engine, tables, original, request, call)


def _read_meanings(loaded: LoadedConfig | None, call: Call, names: Sequence[str]) -> dict[str, Meaning]:
    """How the quasi-identifiers of a configuration were released, by name. Raises ConfigurationError, as where one that
    is `asked` for shows a value of its class, which tells nothing of the value of any row.
    """
    if loaded is None:
        return {}
    problems = [
        f"{loaded.place('quasi_identifiers', name)}: column {name!r} shows the {spec.aggregate} of each class, which "
        "no value of a person is compared with; leave it out"
        for name, spec in loaded.config.quasi_identifiers.items()
        if name in names and spec.aggregate not in (None, "interval")
    ]
    if problems:
        raise ConfigurationError(problems)
    hierarchies = load_hierarchies(loaded, show_values=call.options.show_values)
    levels = loaded.config.algorithm.declared.full_domain
    return {name: meaning_of(spec, hierarchy, levels=levels) for name, (spec, hierarchy) in hierarchies.items()}


def _release(path: Path, loaded: LoadedConfig | None) -> SourceConfig:
    """A release, read as its configuration says it was written; without one only empty fields of a CSV are missing."""
    if loaded is None:
        return SourceConfig(path=str(path))
    return SourceConfig(path=str(path), missing=loaded.config.source.missing, csv=loaded.release_csv())


def _read(table: Source, loaded: LoadedConfig, names: Mapping[str, str], *, as_it_stands: bool = False) -> Source:
    """A table with its columns read as those of the configuration's source; `names` says what each is called there."""
    declared = {theirs: loaded.config.source.columns.get(ours) for ours, theirs in names.items()}
    columns = {
        name: declared_column.as_it_stands() if as_it_stands else declared_column
        for name, declared_column in declared.items()
        if declared_column is not None
    }
    texts = {column.name for column in table.columns if column.is_text}
    # What does not fit is another way to write it, or a label: it is compared as it is.
    columns = {
        name: column.model_copy(update={"invalid": "error"}) for name, column in columns.items() if name in texts
    }
    return read_columns(table, columns, partial(loaded.place, "source", "columns"))


def _is_there(release: Path, loaded: LoadedConfig) -> bool:
    """Whether a release is one that the configuration's engine holds, and no file of this machine."""
    return loaded.config.engine.chosen != "duckdb" and not release.exists()


def _open(engine: Engine, described: SourceConfig, named: Sequence[str], what: str) -> Source:
    return open_described(engine, described, Path(), named, what)


def _lock_to(engine: Engine, *sources: Source) -> None:
    """From here on the connection reads nothing but these sources."""
    lock_down(engine, [path.absolute() for source in sources for path in source.files], [])
