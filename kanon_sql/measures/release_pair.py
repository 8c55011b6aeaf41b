"""A release beside the source that it was made of: what the page, its figures and its evidence are measured on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kanon_sql.config.load import LoadedConfig
from kanon_sql.config.model import QuasiIdentifier
from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.hierarchy.hierarchy import Hierarchy
from kanon_sql.measures.risk.table import open_release
from kanon_sql.report.call import Call
from kanon_sql.search.prepare import load_hierarchies
from kanon_sql.search.problem import SearchResult
from kanon_sql.source.model import Source
from kanon_sql.source.roles import Roles, assign_roles
from kanon_sql.sql.connection import Engine

if TYPE_CHECKING:
    from kanon_sql.results.attack import AttackReport


@dataclass(frozen=True)
class ReleasePair:
    """Both tables, open: the `release` as it was written, masked rows among it, and the source where it is still there.

    `hierarchies` are those of the configuration's quasi-identifiers, as `load_hierarchies` gives them. `result` is what
    the search came to, where it was part of the same job. `attacks` are what `kanon-sql attack` reported of the
    release, where a page is to tell it, and `control` their control group, where that is a file that is there.
    """

    engine: Engine
    loaded: LoadedConfig
    call: Call
    hierarchies: Mapping[str, tuple[QuasiIdentifier, Hierarchy | None]]
    roles: Roles
    source: Source | None
    release: Source
    result: SearchResult | None = None
    attacks: AttackReport | None = None
    control: Source | None = None


def open_subject(engine: Engine, loaded: LoadedConfig, source: Source, call: Call) -> ReleasePair:
    """The release that is there, opened beside its source.

    Raises ConfigurationError where the configuration names no target, or one in place of the source, EngineError where
    no release is there or it cannot be read.
    """
    target = loaded.config.target
    place = loaded.place("target")
    if target is None:
        raise ConfigurationError(f"{place}: no target is named; expected where the release is: add one")
    if target.in_place:
        raise ConfigurationError(
            f"{place}: a release in place has taken its source away; expected both: set another target"
        )
    roles = assign_roles(source, loaded)
    hierarchies = load_hierarchies(loaded, show_values=call.options.show_values)
    release = open_release(engine, loaded, source, roles)
    if release is None:
        raise EngineError(f"{place}: there is no release yet; expected one of this configuration there: run it first")
    return ReleasePair(engine, loaded, call, hierarchies, roles, source, release)
