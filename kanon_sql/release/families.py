"""The release of what a search found, by the family of its algorithm."""

from __future__ import annotations

from kanon_sql.release.full_domain import FullDomainRelease
from kanon_sql.release.release import Release
from kanon_sql.search.full_domain.problem import FullDomainResult
from kanon_sql.search.problem import SearchResult
from kanon_sql.sql.connection import Engine


def release_of(engine: Engine, result: SearchResult) -> Release:
    """The release of a result that `require` let pass."""
    if isinstance(result, FullDomainResult):
        return FullDomainRelease(engine, result)
    from kanon_sql.release.multidimensional import MultidimensionalRelease
    from kanon_sql.search.multidimensional import MultidimensionalResult

    assert isinstance(result, MultidimensionalResult)
    return MultidimensionalRelease(engine, result)
