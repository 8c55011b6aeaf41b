"""Where the configuration says that the rows are, and where the release goes: beside them, under a name of its own."""

from __future__ import annotations

import os
from dataclasses import dataclass
from fnmatch import fnmatch
from glob import has_magic
from pathlib import Path
from typing import Any

from kanon_sql.settings.formats import FORMATS, format_of
from kanon_sql.settings.source import SourceConfig
from kanon_sql.source.model import Source

_SUFFIX = "_anonymous"
_NAMES = 1000


@dataclass(frozen=True)
class Places:
    """Where the rows are, and whereto a release goes; paths are relative to the working folder."""

    described: SourceConfig
    released: dict[str, Any] | str

    def source(self, base: Path) -> dict[str, Any]:
        """The source as a configuration in the folder `base` describes it."""
        return described_source(self.described, base)

    def target(self, base: Path) -> dict[str, Any] | str:
        """The target as a configuration in the folder `base` names it."""
        if isinstance(self.released, str):
            return _relative(self.released, base)
        return {**self.released, "database": _relative(self.released["database"], base)}


def described_source(read: SourceConfig, base: Path) -> dict[str, Any]:
    """The source as a configuration in `base` describes it."""
    given: dict[str, Any] = read.model_dump(exclude_unset=True, exclude_defaults=True)
    for key in ("path", "database"):
        if given.get(key) is not None:
            given[key] = _relative(given[key], base)
    return given


def free_target(source: Source, read: SourceConfig) -> dict[str, Any] | str:
    """A target that is not there yet: a file of the same format, or a database of its own."""
    if read.path is None:
        place = Path(read.database) if read.database is not None else Path("query.duckdb")
        name = place.name[: -len(place.suffix)] if place.suffix else place.name
        free = _free(place.parent, name, place.suffix or ".duckdb", "")
        return {"database": str(free), "table": source.table[1] if source.table else "released"}
    path = Path(read.path)
    suffix = _suffix_of(path, source)
    if has_magic(read.path) and not path.exists():
        folder = Path(*_before_magic(path))
        return str(_free(folder, folder.absolute().name or "data", suffix, str(path)))
    name = path.absolute().name if path.is_dir() else path.name
    if not path.is_dir() and name.lower().endswith(_suffix_of(path, source, whole=True)):
        name = name[: -len(_suffix_of(path, source, whole=True))]
    folder = path.parent if path.name and path.name != ".." else path / ".."  # beside a folder, never in it
    return str(_free(folder, name, suffix, ""))


def _before_magic(path: Path) -> list[str]:
    """The folders before the first that is a pattern."""
    parts: list[str] = []
    for part in path.parts[:-1]:
        if has_magic(part):
            break
        parts.append(part)
    return parts


def _suffix_of(path: Path, source: Source, *, whole: bool = False) -> str:
    """The ending of the release's name, that of the file where a release can be of its format; `whole`: the file's."""
    lower = path.name.lower()
    endings = sorted((end for one in FORMATS.values() for end in one.suffixes), key=len, reverse=True)
    own = next((end for end in endings if lower.endswith(end)), path.suffix.lower() if path.is_file() else "")
    if whole:
        return own
    known = FORMATS.get(source.kind)
    if known is None or not known.compressions:
        return ".csv"
    return own if own and format_of(path) == source.kind else known.suffixes[0]


def _free(folder: Path, name: str, suffix: str, pattern: str) -> Path:
    """A file that is not there yet and that the source's pattern would not take in."""
    for number in range(1, _NAMES):
        path = folder / f"{name}{_SUFFIX}{f'_{number}' if number > 1 else ''}{suffix}"
        if pattern and fnmatch(str(path), pattern):
            folder, pattern = Path(folder.absolute().parent), ""
            path = folder / path.name
        if not os.path.lexists(path):
            return path
    return folder / f"{name}{_SUFFIX}_{_NAMES}{suffix}"


def _relative(text: str, base: Path) -> str:
    """A path as a configuration in `base` writes it: as it was given where that is absolute."""
    path = Path(text)
    if path.is_absolute():
        return text
    return os.path.relpath(path.absolute(), base.absolute())
