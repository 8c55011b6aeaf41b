"""Releases as models of dbt and SQLMesh projects."""

from __future__ import annotations

from pathlib import Path


def package_folder() -> Path:
    """The folder of the dbt package kanon_sql: its tests and macros, for `packages.yml`."""
    return Path(__file__).resolve().parents[2] / "dbt" / "project"
