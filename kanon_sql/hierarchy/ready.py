"""Ready hierarchies, which come with the program and are found by name: files, and built-ins with options."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from kanon_sql.config.model import QuasiIdentifier
from kanon_sql.errors import ConfigurationError

_INDEX = "index.yaml"


def hierarchies_folder() -> Path:
    """The folder of the ready hierarchies: inside the installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parent.parent
    inside = package / "hierarchies"
    return inside if inside.is_dir() else package.parent / "hierarchies"


@cache
def ready_files() -> dict[str, Path]:
    """The files of the ready hierarchies by name, in the order of the names."""
    files = sorted(hierarchies_folder().iterdir(), key=lambda path: path.stem)
    return {path.stem: path for path in files if path.suffix in (".csv", ".yaml") and path.name != _INDEX}


@dataclass(frozen=True)
class Ready:
    """A ready hierarchy: its name, a line of description, and examples of values that it covers."""

    name: str
    what: str
    values: str


@cache
def ready_hierarchies() -> tuple[Ready, ...]:
    """The ready hierarchies, in the order of their names."""
    index: dict[str, dict[str, str]] = _load_yaml(hierarchies_folder() / _INDEX)
    return tuple(Ready(name, **entry) for name, entry in sorted(index.items()))


def find_hierarchy(text: str, base: Path, *, place: str | None = None) -> Path | QuasiIdentifier:
    """The hierarchy that a configuration names: a file, or a built-in with its options.

    A file in the configuration's folder `base` takes precedence over a ready hierarchy of that name. Raises
    ConfigurationError where there is neither; it names `place` and similar names.
    """
    file = base / text
    if _is(file, Path.is_file):
        return file
    ready = ready_files().get(text)
    if ready is None:
        raise ConfigurationError(_unknown(text, file, place))
    if ready.suffix == ".csv":
        return ready
    return QuasiIdentifier.model_validate(_load_yaml(ready))


def _is(path: Path, kind: Callable[[Path], bool]) -> bool:
    """Whether a path is of a kind; False for a name that no file can have, such as 300 characters or a NUL."""
    try:
        return kind(path)
    except (OSError, ValueError):
        return False


def _unknown(text: str, file: Path, place: str | None) -> str:
    """The problem of a hierarchy that is not there, with similar names."""
    where = f"{place}: " if place else ""
    if _is(file, Path.is_dir):
        return f"{where}{file} is a folder; expected a hierarchy file, or the name of a ready hierarchy"
    near = _near(text, file)
    hint = f"did you mean {' or '.join(near)}?" if near else f"ready ones are {', '.join(ready_files())}"
    return f"{where}no hierarchy file {text!r} in {file.parent}, and no ready hierarchy of that name; {hint}"


def _near(text: str, file: Path) -> list[str]:
    """Names of ready hierarchies, and of files in the folder of `file`, that are similar to `text`."""
    names = difflib.get_close_matches(text, ready_files(), n=3, cutoff=0.6)
    try:
        beside = [path.name for path in file.parent.iterdir() if path.is_file()]
    except (OSError, ValueError):
        beside = []
    folder = text[: len(text) - len(file.name)]
    names += [folder + name for name in difflib.get_close_matches(file.name, beside, n=3, cutoff=0.8)]
    return names[:4]


def _load_yaml(path: Path) -> Any:
    with path.open(encoding="utf-8") as file:
        return yaml.safe_load(file)
