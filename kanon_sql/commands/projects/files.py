"""What is asked for in a project of another tool, and its files."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kanon_sql.errors import EngineError
from kanon_sql.targets.staging_paths import refuse_link_to_nothing

Json = dict[str, Any]


@dataclass(frozen=True)
class ProjectModel:
    """A model `name` in the folder `project`, over `relation`: a table's name, or what dbt calls it by."""

    project: Path
    name: str
    relation: str
    dialect: str = "duckdb"
    overwrite: bool = False


def write_private(path: Path, text: str) -> None:
    """Writes a file for the owner's eyes only, in the place of one that is there.

    Raises ConfigurationError for a symbolic link to nothing.
    """
    refuse_link_to_nothing(path, "the model")
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def refuse_existing(files: Sequence[Path]) -> None:
    """Raises EngineError for files that are there."""
    problems = [
        f"{file}: is there already; give the model another --name, or replace it with --overwrite"
        for file in files
        if os.path.lexists(file)
    ]
    if problems:
        raise EngineError(problems)
