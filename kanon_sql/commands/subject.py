"""A release beside the source that it was made of: what the page, its figures and its evidence are measured on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kanon_sql.config.load import LoadedConfig
from kanon_sql.config.model import QuasiIdentifier
from kanon_sql.hierarchy.hierarchy import Hierarchy
from kanon_sql.report.call import Call
from kanon_sql.search.problem import SearchResult
from kanon_sql.source.model import Source
from kanon_sql.source.roles import Roles
from kanon_sql.sql.connection import Engine


@dataclass(frozen=True)
class Subject:
    """Both tables, open: the `release` as it was written, masked rows among it, and the source where it is still there.

    `hierarchies` are those of the configuration's quasi-identifiers, as `load_hierarchies` gives them. `result` is what
    the search came to, where it was part of the same job.
    """

    engine: Engine
    loaded: LoadedConfig
    call: Call
    hierarchies: Mapping[str, tuple[QuasiIdentifier, Hierarchy | None]]
    roles: Roles
    source: Source | None
    release: Source
    result: SearchResult | None = None
