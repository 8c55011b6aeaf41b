"""The earlier releases of a source, found by the ledger and read where they were put; open ones are settled.

A source that does not fit its configuration since it is an earlier release of it, as in place a second time.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from sqlglot import exp

from kanon_sql.config.load import LoadedConfig, config_from_text
from kanon_sql.config.model import QuasiIdentifier
from kanon_sql.errors import ConfigurationError, EngineError, KanonError, UnfittingSourceError
from kanon_sql.hierarchy.builtin import fixed_labels
from kanon_sql.hierarchy.hierarchy import Hierarchy
from kanon_sql.ledger.basis import Hierarchies, fingerprint
from kanon_sql.ledger.ledger import Entry, open_ledger
from kanon_sql.ledger.treated import treatments_in
from kanon_sql.settings.algorithms import ENGINES
from kanon_sql.settings.source import SourceConfig
from kanon_sql.source.columns import distinct_values
from kanon_sql.source.model import Backend, Column, Source
from kanon_sql.source.opening import find_files, open_described
from kanon_sql.sql.connection import Engine, EngineOptions, open_engine
from kanon_sql.targets.staging_names import PART
from kanon_sql.targets.staging_paths import same_file

_BEFORE_KEY = re.compile(r"""\bkey: (['"]?)\Z""")
_REFERENCE = re.compile(r"\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


@dataclass(frozen=True)
class Related:
    """The releases of the ledger that belong to the one that is applied, oldest first.

    `compared` are those with the same levels and columns, each different release of all rows once; `others` are those
    of which nobody can say what the new release adds to them. Releases that were built on another one say nothing more.
    """

    compared: tuple[Entry, ...]
    others: tuple[Entry, ...]


def find_related(entries: Sequence[Entry], base: Entry) -> Related:
    """The releases of the same source as `base`, itself among them."""
    compared: dict[str | int, Entry] = {}
    others = []
    for entry in entries:
        if entry.origin != base.origin:
            continue
        if _basis(entry) == _basis(base):
            # Of releases that hold the same rows the last is the one that is most surely there. Those of new rows hold
            # others, though they may be equal.
            compared[entry.id if entry.details.get("only_new") else entry.release_fingerprint] = entry
        elif entry.built_on is None or entry.details.get("applied"):
            others.append(entry)
    compared[base.release_fingerprint] = base
    return Related(tuple(sorted(compared.values(), key=lambda entry: entry.id)), tuple(others))


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


def open_earlier(engine: Engine, entry: Entry, ledger: Path, backend: Backend) -> Source:
    """A release where it was put, which is where the `backend` of the new data holds it.

    Raises EngineError where it is gone, or holds other rows now, ConfigurationError where it is elsewhere.
    """
    what = f"release {entry.id} ({entry.target})"
    loaded = configuration_of(entry, ledger)
    place = loaded.config.engine.chosen if in_another_engine(loaded) else "duckdb"
    if place != backend.abilities.name:
        stands = "a file or table of DuckDB" if place == "duckdb" else f"in {place}"
        raise ConfigurationError(
            f"{what} is {stands}, and releases are compared where the new data are, in {backend.abilities.name}; "
            "expected new data where the releases are"
        )
    try:
        opened = open_target(engine, entry, loaded) if place == "duckdb" else backend.open_release(engine, loaded, ())
    except EngineError as error:
        raise EngineError(f"{what} cannot be compared with: {error}") from error
    if opened is None:
        raise EngineError(f"{what} cannot be compared with: it is not there any more")
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
    names = sorted(column.name for column in opened.columns)
    return names == sorted(entry.released) and fingerprint(engine, opened) == entry.release_fingerprint


def refuse_place(path: Path, entry: Entry, ledger: Path) -> None:
    """A release must not take the place of an earlier one, with which later ones are compared. ConfigurationError."""
    source = _as_source(loaded := configuration_of(entry, ledger))
    named = source.path or source.database_file
    if source.database_file is None and named is not None and (loaded.base / named).exists():
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
    return replace(opened, columns=tuple(replace(column, name=name) for column, name in named))


def still_beside(paths: tuple[list[Path], list[Path]]) -> list[str]:
    """[path, inode] of a file that was written beside its target and leaves its name when it takes that place.

    Empty where a target is not written so.
    """
    files, folders = paths
    for path in (*files, *(file for folder in folders for file in sorted(folder.rglob("*")))):
        if any(name.endswith(PART) for name in path.parts) and path.is_file():
            return [str(path.absolute()), str(path.stat().st_ino)]
    return []


Opening = Callable[[LoadedConfig, EngineOptions], AbstractContextManager[tuple[Engine, Source | None]]]


def settle_open(path: Path, place: str, options: EngineOptions, opening: Opening) -> None:
    """Looks of each open release of a ledger whether it came to its place, and says so there.

    `opening` opens what is now at the target of a configuration where another engine holds that. One of which that
    cannot be told stays open, and counts as a release. No other run is alive that has made it: that
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
            came = _came_to_its_place(entry, path, options, opening) if entry.state == "open" else None
            if came is not None:
                ledger.close(entry, released=came)


def _came_to_its_place(entry: Entry, ledger: Path, options: EngineOptions, opening: Opening) -> bool | None:
    """None where it cannot be told: its target may also have been moved or replaced since."""
    with suppress(KanonError):
        loaded = recorded_configuration(entry, ledger)
        with suppress(KanonError), _opened_again(entry, loaded, options, opening) as (engine, opened):
            if opened is not None and holds(engine, opened, entry):
                return True
        return False if _is_still_beside(*restored(entry.details["open"], entry, ledger)) else None
    return None


@contextmanager
def _opened_again(
    entry: Entry, loaded: LoadedConfig, options: EngineOptions, opening: Opening
) -> Iterator[tuple[Engine, Source | None]]:
    """What is at the target of a release now, for the block."""
    if in_another_engine(loaded):
        with opening(loaded, options) as opened:
            yield opened
    else:
        with open_engine(options) as engine:
            yield engine, open_target(engine, entry, loaded)


def in_another_engine(loaded: LoadedConfig) -> bool:
    """Whether releases of a configuration are put where another engine than DuckDB reads them."""
    target, engine = loaded.config.target, loaded.config.engine.chosen
    return target is not None and engine != "duckdb" and (target.path is None or ENGINES[engine].files)


def _is_still_beside(path: str = "", inode: str = "") -> bool:
    """Whether the file has its first name, and no other: then it was not moved to its place."""
    with suppress(OSError):
        state = Path(path).lstat()
        return str(state.st_ino) == inode and state.st_nlink == 1
    return False


_FIRST = 1000  # rows that are looked at before all are: a misspelt name is no reason to read a large source


@contextmanager
def telling_releases(engine: Engine, loaded: LoadedConfig, source: Source, hierarchies: Hierarchies) -> Iterator[None]:
    """The block finds out whether a source fits; to the error where it does not, this adds that it is a release."""
    try:
        yield
    except UnfittingSourceError as error:
        finding = None
        # What cannot be read here is no news beside the error.
        with suppress(ConfigurationError, EngineError):
            finding = _told(engine, loaded, source, hierarchies)
        if finding is not None:
            error.add([f"{loaded.place('source')}: {source.label} {finding}; name the original as source"])
        raise


def _told(engine: Engine, loaded: LoadedConfig, source: Source, hierarchies: Hierarchies) -> str | None:
    """Which release a source is, or why it looks like one; None where it does not."""
    config = loaded.config
    names = {column.name for column in source.columns}
    identifiers = {*config.identifiers, *([config.privacy.entity] if config.privacy.entity else [])}
    if names & identifiers or not names >= set(config.quasi_identifiers):
        return None
    number = _recorded(engine, loaded, source)
    if number is not None:
        return f"is release {number} of the ledger"
    if not source.backend.weighted and _labels(engine, source, hierarchies, _FIRST) is None:
        return None
    counts = _labels(engine, source, hierarchies, None)
    if counts is None or not (counts[1] or (identifiers and counts[0])):
        return None
    gone = "its identifiers are gone and " if identifiers else ""
    return f"looks like an earlier release of this configuration: {gone}its values are labels of the hierarchies"


def _recorded(engine: Engine, loaded: LoadedConfig, source: Source) -> int | None:
    """The number of the release that a source is by the ledger of its configuration."""
    releases_config = loaded.config.releases
    if releases_config is None:
        return None
    with open_ledger(loaded.base / releases_config.path, loaded.place("releases"), write=False) as ledger:
        names = sorted(column.name for column in source.columns)
        alike = [entry for entry in ledger.entries() if sorted(entry.released) == names]
    if not alike:
        return None
    digest = fingerprint(engine, source)
    return next((entry.id for entry in reversed(alike) if entry.release_fingerprint == digest), None)


def _labels(engine: Engine, source: Source, hierarchies: Hierarchies, first: int | None) -> tuple[int, int] | None:
    """How many distinct labels stand among the values of the quasi-identifiers: (all, those but *).

    None where a value is neither a label nor a value of its hierarchy. It looks at the `first` rows, or at all; of the
    first ones only that None is a fact about the table, whatever the order of its rows. A * alone also stands in tables
    that were never generalized; it is a sign only where the identifiers are gone.
    """
    labels = telling = 0
    for name, (spec, hierarchy) in hierarchies.items():
        if hierarchy is None and spec.builtin is None:
            continue
        column = source.column(name)
        rows = source.backend.given(engine, source.relation, [column])
        rows = rows if first is None else rows.limit(first)
        counted = _counted(engine, source, rows, column, spec, hierarchy)
        if counted[2]:
            return None
        labels, telling = labels + counted[0], telling + counted[1]
    return labels, telling


def _counted(
    engine: Engine,
    source: Source,
    rows: exp.Select,
    column: Column,
    spec: QuasiIdentifier,
    hierarchy: Hierarchy | None,
) -> tuple[int, int, int]:
    """Distinct values of a column: (labels of its hierarchy, those but *, what is neither label nor value)."""
    names = {"raw_values": distinct_values(rows, column)}
    missing = list(source.missing)
    if hierarchy is not None:
        above = {label for level in hierarchy.levels[1:] for label in level} | {"*"}
        values = {"leaves": json.dumps(hierarchy.leaves), "labels": json.dumps(sorted(above)), "missing": missing}
        counts = engine.query("ledger/labels_of_file", names=names, values=values)[0]
    else:
        given = {
            "builtin": spec.builtin,
            "keep": spec.keep or [],
            "widths": [f"{width:f}" for width in spec.widths or []],
            "levels": spec.levels or [],
            "labels": fixed_labels(spec),
            "bottom": None if spec.bottom is None else f"{spec.bottom:f}",
            "top": None if spec.top is None else f"{spec.top:f}",
            "missing": missing,
        }
        counts = engine.query("ledger/labels_of_builtin", names=names, values=given)[0]
    return int(counts[0]), int(counts[1]), int(counts[2])
