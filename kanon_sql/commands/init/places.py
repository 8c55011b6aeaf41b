"""Where the configuration says that the rows are, and where the release goes: beside them, under a name of its own."""

from __future__ import annotations

import os
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from kanon_sql.settings.formats import FORMATS, format_of
from kanon_sql.settings.source import SourceConfig
from kanon_sql.source.model import Source

_SUFFIX = "_anonymous"
_NAMES = 1000


@dataclass(frozen=True)
class Places:
    """Where the rows are, and what a release is called like; paths are relative to the working folder."""

    described: SourceConfig
    name: str
    suffix: str
    table: str | None = None
    folder: Path | None = None

    @classmethod
    def of(cls, read: SourceConfig, source: Source) -> Places:
        """The places of an open source: files, a table or a query."""
        if read.path is None:
            place = Path(read.database or "query.duckdb")
            table = source.table[1] if source.table else "released"
            return cls(read, place.name.removesuffix(place.suffix), place.suffix or ".duckdb", table)
        path = Path(read.path)
        return cls(read, _name_of(path, source), _suffix_of(path, source), None, source.folder)

    def source(self, base: Path) -> dict[str, Any]:
        """The source as a configuration in the folder `base` describes it."""
        given: dict[str, Any] = self.described.model_dump(exclude_unset=True, exclude_defaults=True)
        for key in ("path", "database"):
            if given.get(key) is not None:
                given[key] = _relative(given[key], base)
        return given

    def target(self, base: Path) -> dict[str, Any] | str:
        """A target in the folder of the configuration that is not there yet: a file, or a table of a database.

        It lies neither in the source's folder nor where the source's pattern would take it in: beside that, then.
        """
        free = self._free(base)
        pattern = self.described.path
        if self.folder is not None and free.absolute().resolve().is_relative_to(self.folder.resolve()):
            free = self._free(self.folder / "..")
        elif pattern is not None and fnmatch(str(free.absolute()), str(Path(pattern).absolute())):
            free = self._free(base / "..")
        named = os.path.relpath(free.absolute(), base.absolute())
        return named if self.table is None else {"database": named, "table": self.table}

    def _free(self, folder: Path) -> Path:
        """A file that is not there yet."""
        names = (f"{self.name}{_SUFFIX}{f'_{number}' if number > 1 else ''}" for number in range(1, _NAMES))
        files = (folder / f"{name}{self.suffix}" for name in names)
        return next(
            (file for file in files if not os.path.lexists(file)), folder / f"{self.name}{_SUFFIX}{self.suffix}"
        )


def _name_of(path: Path, source: Source) -> str:
    """What the release is called like: the file, the folder, or that of the files of a pattern."""
    if path.exists():
        name = path.absolute().resolve().name if path.is_dir() else path.name
        return name if path.is_dir() else name.removesuffix(name[len(name) - len(_ending(path)) :])
    return source.files[0].absolute().parent.name or "data"


def _ending(path: Path) -> str:
    """The ending of a file's name that tells its format, else its suffix."""
    lower = path.name.lower()
    endings = sorted((end for one in FORMATS.values() for end in one.suffixes), key=len, reverse=True)
    return next((end for end in endings if lower.endswith(end)), path.suffix)


def _suffix_of(path: Path, source: Source) -> str:
    """The ending of the release's name: that of the file, where a release can be of its format."""
    known = FORMATS.get(source.kind)
    if known is None or not known.compressions:
        return ".csv"
    return _ending(path).lower() if path.is_file() and format_of(path) == source.kind else known.suffixes[0]


def _relative(text: str, base: Path) -> str:
    """A path as a configuration in `base` writes it: as it was given where that is absolute."""
    path = Path(text)
    if path.is_absolute():
        return text
    return os.path.relpath(path.absolute(), base.absolute())
