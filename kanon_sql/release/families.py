"""The release of what a search found, by the family of its algorithm."""

from __future__ import annotations

from kanon_sql.release.full_domain import FullDomainRelease
from kanon_sql.release.multidimensional import MultidimensionalRelease
from kanon_sql.release.release import Release
from kanon_sql.search.full_domain.problem import FullDomainResult
from kanon_sql.search.multidimensional import MultidimensionalResult
from kanon_sql.search.problem import SearchResult
from kanon_sql.sql.connection import Engine

_FAMILIES: dict[type[SearchResult], type[Release]] = {
    FullDomainResult: FullDomainRelease,
    MultidimensionalResult: MultidimensionalRelease,
}


def release_of(engine: Engine, result: SearchResult) -> Release:
    """The release of a result that `require` let pass."""
    return _FAMILIES[type(result)](engine, result)
