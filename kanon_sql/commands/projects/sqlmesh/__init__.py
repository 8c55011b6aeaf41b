"""kanon-sql in SQLMesh: audits of releases, and models that a finished search is written as."""

from __future__ import annotations

from pathlib import Path


def audits_file() -> Path:
    """The file with the audits, for the folder `audits` of a SQLMesh project."""
    return Path(__file__).resolve().parent / "audits.sql"
