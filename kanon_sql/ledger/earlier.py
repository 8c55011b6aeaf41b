"""The earlier releases of a source, found by the ledger and read where they were put; open ones are settled."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from kanon_sql.config.load import LoadedConfig, config_from_text
from kanon_sql.errors import ConfigurationError, EngineError, KanonError
from kanon_sql.ledger.basis import fingerprint
from kanon_sql.ledger.entry import Entry
from kanon_sql.ledger.ledger import open_ledger
from kanon_sql.ledger.treated import treatments_in
from kanon_sql.settings.source import SourceConfig
from kanon_sql.source.model import Source
from kanon_sql.source.opening import find_files, open_described
from kanon_sql.sql.connection import Engine, EngineOptions, open_engine
from kanon_sql.targets.staging_names import PART
from kanon_sql.targets.staging_paths import same_file

_BEFORE_KEY = re.compile(r"""\bkey: (['"]?)\Z""")
_REFERENCE = re.compile(r"\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


@dataclass(frozen=True)
class Related:
    """The releases of the ledger that belong to the one that is applied, oldest first.

    `compared` are those with the same levels and columns, each different release once; `others` are those of which
    nobody can say what the new release adds to them. Releases that were built on another one say nothing more.
    """

    compared: tuple[Entry, ...]
    others: tuple[Entry, ...]


def find_related(entries: Sequence[Entry], base: Entry) -> Related:
    """The releases of the same source as `base`, itself among them."""
    compared: dict[str, Entry] = {}
    others = []
    for entry in entries:
        if entry.origin != base.origin:
            continue
        if _basis(entry) == _basis(base):
            # Of releases that hold the same rows the last is the one that is most surely there.
            compared[entry.release_fingerprint] = entry
        elif entry.built_on is None or entry.details.get("applied"):
            others.append(entry)
    compared[base.release_fingerprint] = base
    return Related(tuple(sorted(compared.values(), key=lambda one: one.id)), tuple(others))


def _basis(entry: Entry) -> tuple[object, ...]:
    """What two releases must share so that their classes are those of the same labels."""
    levels = (entry.details["solution"] or {}).get("levels")
    columns = {name: {**kept, "values": 0, "digest": ""} for name, kept in entry.details.get("columns", {}).items()}
    treated = treatments_in(entry)
    return (levels, sorted(entry.quasi_identifiers), sorted(entry.released), columns, treated)


def configuration_of(entry: Entry, ledger: Path, overrides: Sequence[tuple[str, str]] = ()) -> LoadedConfig:
    """The configuration of a release. Raises ConfigurationError for releases of which that says too little."""
    name = f"release {entry.id} of {ledger.name}"
    if "columns" not in entry.details:
        raise ConfigurationError(f"{name}: it has no levels that could be applied; expected a full-domain release")
    return recorded_configuration(entry, ledger, overrides)


def recorded_configuration(entry: Entry, ledger: Path, overrides: Sequence[tuple[str, str]] = ()) -> LoadedConfig:
    """The configuration of a release of files. Raises ConfigurationError for one that was handed in."""
    name = f"release {entry.id} of {ledger.name}"
    if entry.target is None:
        raise ConfigurationError(f"{name}: it was made on a connection that was handed in; expected one of files")
    variables: dict[str, str] = {}
    text, folder = (_restored(entry.details[key], variables, name) for key in ("configuration", "folder"))
    loaded = config_from_text(text, Path(folder), overrides, name=name)
    loaded.draft.variables.update(variables)
    return loaded


def restored(texts: Sequence[str], entry: Entry, ledger: Path) -> list[str]:
    """Texts that the ledger keeps of a release, with what was read from the environment. ConfigurationError."""
    return [_restored(text, {}, f"release {entry.id} of {ledger.name}") for text in texts]


def _restored(text: str, variables: dict[str, str], name: str) -> str:
    """A text of the ledger with what was read from the environment, which goes into `variables`.

    The ledger keeps `${NAME}` for it, wherever in the text it stood. Raises ConfigurationError where it is not there.
    """

    def value(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0]
        if match[1] not in os.environ:
            raise ConfigurationError(f"{name}: the environment has no variable {match[1]}; set it as it was then")
        before = _BEFORE_KEY.search(match.string, 0, match.start())
        if before is not None:  # of a treatment: a configuration never holds it itself
            return match[0] if before[1] else f'"{match[0]}"'
        variables[match[1]] = os.environ[match[1]]
        return os.environ[match[1]]

    return _REFERENCE.sub(value, text)


def open_earlier(engine: Engine, entry: Entry, ledger: Path) -> Source:
    """A release where it was put. Raises EngineError where it is gone, or holds other rows now."""
    what = f"release {entry.id} ({entry.target})"
    try:
        opened = open_target(engine, entry, configuration_of(entry, ledger))
    except EngineError as error:
        raise EngineError(f"{what} cannot be compared with: {error}") from error
    if not holds(engine, opened, entry):
        raise EngineError(
            f"{what} is not what was released: its columns or rows have changed; put it back, and keep each release "
            "in a place of its own"
        )
    return opened


def open_target(engine: Engine, entry: Entry, loaded: LoadedConfig) -> Source:
    """What is now where a release of this configuration was put. Raises EngineError where that cannot be read."""
    what = f"release {entry.id} ({entry.target})"
    return _named(open_described(engine, _as_source(loaded), loaded.base, entry.released, what), entry)


def holds(engine: Engine, opened: Source, entry: Entry) -> bool:
    """Whether a table has the columns and the rows of a release."""
    names = sorted(item.name for item in opened.columns)
    return names == sorted(entry.released) and fingerprint(engine, opened) == entry.release_fingerprint


def refuse_place(path: Path, entry: Entry, ledger: Path) -> None:
    """A release must not take the place of an earlier one, with which later ones are compared. ConfigurationError."""
    source = _as_source(loaded := configuration_of(entry, ledger))
    named = source.path or source.database
    if source.database is None and named is not None and (loaded.base / named).exists():
        files = find_files(named, loaded.base, "target").paths
    else:
        files = (loaded.base / (named or ""),)
    if any(same_file(path, file) for file in files):
        raise ConfigurationError(
            f"-o {path}: release {entry.id} is there, with which later ones are compared; name another place"
        )


def _as_source(loaded: LoadedConfig) -> SourceConfig:
    """The target of a configuration as a source."""
    target, source = loaded.config.target, loaded.config.source
    assert target is not None
    if target.in_place:
        csv = source.csv.model_copy(update={"encoding": None, "formulas": target.csv.formulas})
        return source.model_copy(update={"missing": None, "encoding": None, "csv": csv})
    if target.path is not None:
        given = {name: getattr(target.csv, name) for name in target.csv.model_fields_set}
        like = source.csv.model_copy(update={"encoding": None, "formulas": "keep"})
        return SourceConfig(path=target.path, csv=like.model_copy(update=given))
    return SourceConfig(database=target.database, table=target.table)


def _named(opened: Source, entry: Entry) -> Source:
    """The release with its names: a CSV file without header does not hold them."""
    if opened.dialect is None or opened.dialect.header or len(opened.columns) != len(entry.released):
        return opened
    named = zip(opened.columns, entry.released, strict=True)
    return replace(opened, columns=tuple(replace(item, name=name) for item, name in named))


def still_beside(paths: tuple[list[Path], list[Path]]) -> list[str]:
    """[path, inode] of a file that was written beside its target and leaves its name when it takes that place.

    Empty where a target is not written so.
    """
    files, folders = paths
    for path in (*files, *(file for folder in folders for file in sorted(folder.rglob("*")))):
        if any(name.endswith(PART) for name in path.parts) and path.is_file():
            return [str(path.absolute()), str(path.stat().st_ino)]
    return []


def settle_open(path: Path, place: str, options: EngineOptions) -> None:
    """Looks of each open release of a ledger whether it came to its place, and says so there.

    One of which that cannot be told stays open, and counts as a release. No other run is alive that has made it: that
    would hold the ledger. Raises ConfigurationError and EngineError for a ledger that cannot be used.
    """
    if not path.exists() or not path.stat().st_size:
        return
    with open_ledger(path, place, write=False) as ledger:
        still_open = [entry for entry in ledger.entries() if entry.state == "open"]
    if not still_open:
        return
    with open_ledger(path, place, write=True) as ledger:
        for entry in ledger.entries():
            came = _came_to_its_place(entry, path, options) if entry.state == "open" else None
            if came is not None:
                ledger.close(entry, released=came)


def _came_to_its_place(entry: Entry, ledger: Path, options: EngineOptions) -> bool | None:
    """None where it cannot be told: its target may also have been moved or replaced since."""
    with suppress(KanonError):
        loaded = recorded_configuration(entry, ledger)
        with suppress(KanonError), open_engine(options) as engine:
            if holds(engine, open_target(engine, entry, loaded), entry):
                return True
        return False if _is_still_beside(*restored(entry.details["open"], entry, ledger)) else None
    return None


def _is_still_beside(path: str = "", inode: str = "") -> bool:
    """Whether the file has its first name, and no other: then it was not moved to its place."""
    with suppress(OSError):
        state = Path(path).lstat()
        return str(state.st_ino) == inode and state.st_nlink == 1
    return False
