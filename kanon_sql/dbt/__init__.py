"""kanon-sql in dbt: a package of generic tests, and a model that a finished search is written as."""

from __future__ import annotations

from pathlib import Path


def package_folder() -> Path:
    """The folder of the dbt package kanon_sql: its tests and macros, for `packages.yml`."""
    return Path(__file__).resolve().parent / "project"
