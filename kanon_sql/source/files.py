"""Finding the files of a source: one file, a glob, or a folder with or without hive partitions."""

from __future__ import annotations

import glob
import os
import re
from dataclasses import dataclass
from pathlib import Path

from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.settings.formats import FORMATS, format_by_content, format_of, titles

_HIDDEN = (".", "_")
_REMOTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


@dataclass(frozen=True)
class Files:
    """The files of a source in order, their format, and the folder when one was named."""

    format: str
    paths: tuple[Path, ...]
    folder: Path | None


def refuse_remote(text: str, place: str) -> None:
    """Raises ConfigurationError for paths that the embedded engine cannot reach without an extension."""
    if _REMOTE.match(text):
        raise ConfigurationError(
            f"{place}: {text.partition('://')[0]}:// is not reachable from here; "
            "expected a path on this machine, copy the data to one"
        )


def find_files(text: str, base: Path, place: str) -> Files:
    """The files that a path of a configuration means. Raises ConfigurationError or EngineError."""
    refuse_remote(text, place)
    path = base / text
    try:
        if path.is_dir():
            return _in_folder(path, place)
        if path.exists():
            _refuse_streams((path,), place)
            return Files(_format_or_raise((path,), place), (path,), None)
    except OSError as error:
        raise EngineError(f"{place}: {text} cannot be read ({error.strerror})") from None
    if glob.has_magic(text):
        found = tuple(
            sorted(
                Path(name)
                for name in glob.glob(str(path), recursive=True)  # noqa: PTH207 - absolute patterns
                if Path(name).is_file() and not Path(name).name.startswith(_HIDDEN)
            )
        )
        if not found:
            raise EngineError(f"{place}: no file matches {text}; expected a {titles()} file")
        return Files(_format_or_raise(found, place), found, None)
    raise EngineError(f"{place}: {text} does not exist; expected a {titles()} file, a glob or a folder")


def _in_folder(folder: Path, place: str) -> Files:
    notes = tuple(suffix for one in FORMATS.values() for suffix in one.notes)
    found = tuple(sorted(path for path in _walk(folder) if format_of(path) and not path.name.endswith(notes)))
    if not found:
        raise EngineError(f"{place}: the folder {folder} holds no {titles()} file")
    _refuse_streams(found, place)
    return Files(_format_or_raise(found, place), found, folder)


def _refuse_streams(paths: tuple[Path, ...], place: str) -> None:
    """Refuses what can be read once only, or never ends: rows are read several times. Raises EngineError."""
    for path in paths:
        if not path.is_file() and path.exists():
            raise EngineError(
                f"{place}: {path} is a pipe, a socket or a device; write the rows into a file and name that"
            )


def _walk(folder: Path) -> list[Path]:
    """The files of a folder and its subfolders, but for those whose name begins with . or _.

    Raises EngineError for a folder that cannot be read: rows would be lost.
    """
    found = []

    def refuse(error: OSError) -> None:
        raise EngineError(f"{error.filename}: the folder cannot be read ({error.strerror})")

    for name, folders, files in os.walk(folder, onerror=refuse):
        folders[:] = [below for below in folders if not below.startswith(_HIDDEN)]
        here = Path(name)
        found += [here / file for file in files if not file.startswith(_HIDDEN)]
    return found


def _format_or_raise(paths: tuple[Path, ...], place: str) -> str:
    try:
        formats = {format_of(path) or format_by_content(path) for path in paths}
    except OSError as error:
        raise EngineError(f"{error.filename}: cannot be read ({error.strerror})") from None
    if len(formats) > 1:
        mixed = " and ".join(one.title for name, one in FORMATS.items() if name in formats)
        raise ConfigurationError(f"{place}: {mixed} files are mixed; name files of one format")
    return formats.pop()
