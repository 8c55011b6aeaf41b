"""Profiles a source: every column in one or two passes inside DuckDB."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from kanon_sql.progress import Progress
from kanon_sql.source.model import Column, Source
from kanon_sql.source.profile.model import Finding, Profile
from kanon_sql.sql.connection import Engine


def profile(engine: Engine, source: Source, progress: Progress) -> Profile:
    """Every column of a source. Raises EngineError where it cannot be read."""
    raise NotImplementedError


def identifying(engine: Engine, source: Source, rows: exp.Select, columns: Sequence[Column]) -> dict[str, Finding]:
    """Of these columns of `rows` those that look like a direct identifier or free text, by name.

    A bounded sample of their distinct values is looked at. Raises EngineError.
    """
    return {}
