"""What is applied to what: the configuration of a recorded release with new data and a new target."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kanon_sql.config.load import LoadedConfig
from kanon_sql.config.model import TargetConfig
from kanon_sql.errors import ConfigurationError, KanonError
from kanon_sql.ledger.earlier import configuration_of
from kanon_sql.ledger.ledger import Entry
from kanon_sql.privacy.registry import models_of
from kanon_sql.settings.algorithms import ENGINES
from kanon_sql.settings.columns import encoding_named, recognized
from kanon_sql.settings.formats import format_of, only_texts
from kanon_sql.settings.source import LAKE, SourceConfig, file_of_database, names_lake
from kanon_sql.source.formats.csv_bytes import chunks
from kanon_sql.source.opening import find_files
from kanon_sql.sql.dialects import find_dialect
from kanon_sql.sql.template import quoted
from kanon_sql.sql.writing import table_name

_MAY_BE_SET = ("target", "suppression", "releases.on_conflict")


@dataclass(frozen=True)
class ApplyRequest:
    """What is applied: release `number` of a ledger with these `entries` to the file `data`, released to `output`.

    Both are tables where an engine beside DuckDB holds them, or paths that it reads.

    With `new_rows` only rows are released that came into the table of a lake since the release.
    """

    number: int
    data: str
    ledger: Path
    entries: Sequence[Entry]
    output: str | None
    overrides: Sequence[tuple[str, Any]] = ()
    new_rows: bool = False


def configure(request: ApplyRequest, base: Entry) -> LoadedConfig:
    """The configuration of the release with the new data as source and a target of its own.

    Raises ConfigurationError with every reason why it cannot be applied.
    """
    other = [key for key, _ in request.overrides if not _may_be_set(key)]
    if other:
        raise ConfigurationError(
            f"--set {other[0]}: the levels of a release hold for its own columns, hierarchies and models; expected "
            f"one of {', '.join(_MAY_BE_SET)}"
        )
    loaded = configuration_of(base, request.ledger, request.overrides)
    config = loaded.config
    is_there = config.engine.chosen != "duckdb"
    problems = []
    if request.new_rows:
        problems += refuse_new_rows(loaded)
    if is_there:
        problems += _refuse_target(loaded, request)
    if not config.algorithm.declared.full_domain:
        problems.append(f"{loaded.place('algorithm')}: {config.algorithm.name} has no levels that could be applied")
    for key, value in (("known_columns", config.privacy.known_columns), ("group", config.group)):
        if value is not None:
            place = loaded.place(*(("privacy", key) if key == "known_columns" else (key,)))
            problems.append(
                f"{place}: with {key} rows fall until nothing changes, which a row more or less changes anywhere; "
                "make a new release: kanon-sql run"
            )
    if config.privacy.entity is not None:
        problems.append(
            f"{loaded.place('privacy', 'entity')}: a release holds no entities, so that what was removed cannot be "
            "counted by them, and a class may hold too few persons; make a new release of all rows: kanon-sql run"
        )
    problems += [
        f"{loaded.place('privacy', key)}: it speaks of a population, in which rows that were added or removed have no "
        "class of their own; expected a release without it"
        for key in dict.fromkeys(model.key for model in models_of(config.privacy) if model.population is not None)
    ]
    if problems:
        raise ConfigurationError(problems)
    release = config.release.model_copy(update={"order": "random", "seed": None})
    assert config.releases is not None
    changed = {
        "source": _source_there(loaded, request.data) if is_there else _source(config.source, Path(request.data)),
        "target": _target_there(request, loaded) if is_there else _target(request, loaded),
        "release": release,
        "releases": config.releases.model_copy(update={"path": str(request.ledger.absolute())}),
        "report": None,
        **({"search_in": "duckdb"} if is_there else {}),  # nothing is searched, and the levels are known
    }
    return replace(loaded, config=config.model_copy(update=changed))


def _may_be_set(key: str) -> bool:
    return any(key == settable or key.startswith(f"{settable}.") for settable in _MAY_BE_SET)


def _source(recorded: SourceConfig, data: Path) -> SourceConfig:
    """The new data, read as the source was: a file, or the same table or query of another database."""
    if names_lake(recorded.database):
        catalog = Path(file_of_database(str(data)) or "").absolute()
        return recorded.model_copy(update={"database": f"{LAKE}{catalog}"})
    path = str(data.absolute())
    if recorded.database is not None and data.suffix.lower() in (".duckdb", ".db", ".ddb"):
        return recorded.model_copy(update={"database": path})
    given = {"path": path, "missing": recorded.missing, "columns": recorded.columns}
    csv = recorded.csv.model_copy(update={"encoding": _encoding(recorded, data)})
    return SourceConfig(**given, **({"csv": csv} if recorded.path is not None else {}))


def _encoding(recorded: SourceConfig, data: Path) -> str | None:
    """The declared encoding, where the new files are in it; that of others is their own."""
    declared = encoding_named(recorded.csv_options.encoding or "")
    if declared is None:
        return None
    with suppress(KanonError):  # it is told where the files are opened
        files = find_files(str(data.absolute()), Path(), "NEW_DATA")
        if only_texts(files.format) and all(recognized(chunks(path)).fits(declared) for path in files.paths):
            return declared
    return None


def _target(request: ApplyRequest, loaded: LoadedConfig) -> TargetConfig:
    """Where the release goes: `output`, or a target that was set, or the file of the first with a number behind it."""
    target = loaded.config.target
    assert target is not None
    if request.output is None and _sets_target(request):
        return target
    if request.output is not None:
        path = Path(request.output).absolute()
    elif target.path is not None:
        path = Path(_numbered(str(loaded.base / target.path), request)).absolute()
    else:
        raise ConfigurationError("-o is not given; expected the file of the new release")
    kept: dict[str, Any] = {"path": str(path), "overwrite": target.overwrite}
    if target.path is not None and format_of(path) == (target.format or format_of(Path(target.path))):
        kept |= {"csv": target.csv, "compression": target.compression}
    return TargetConfig(**{name: value for name, value in kept.items() if value is not None})


def _numbered(path: str, request: ApplyRequest) -> str:
    """release.csv as release-2.csv; a number that is there already is replaced."""
    number = request.entries[-1].id + 1
    folder, slash, name = path.rpartition("/")
    stem, dot, suffix = name.partition(".")
    head, dash, last = stem.rpartition("-")
    if dash and last == str(request.number):
        stem = head
    return f"{folder}{slash}{stem}-{number}{dot}{suffix}"


def _source_there(loaded: LoadedConfig, data: str) -> SourceConfig:
    """The new data in the engine of the release: a table, or a path where it reads files."""
    recorded = loaded.config.source
    if _is_path(data, loaded, recorded.path):
        return recorded.model_copy(update={"path": _whole(data), "table": None, "query": None})
    return SourceConfig(table=data, missing=recorded.missing, columns=recorded.columns)


def _target_there(request: ApplyRequest, loaded: LoadedConfig) -> TargetConfig:
    """Where the release goes in that engine: as `_target`, of a table the name with a number behind it."""
    target = loaded.config.target
    assert target is not None
    if request.output is None and _sets_target(request):
        return target
    named = request.output
    if target.path is None and (named is None or not _is_path(named, loaded, None)):
        return TargetConfig(table=_numbered_table(str(target.table), request, loaded) if named is None else named)
    if named is None or _is_path(named, loaded, target.path):
        path = _whole(_numbered(str(target.path), request) if named is None else named, loaded.base, named)
        kept = {"csv": target.csv, "compression": target.compression, "format": target.format}
        return TargetConfig(path=path, **{key: value for key, value in kept.items() if value is not None})
    return TargetConfig(table=named)


def _sets_target(request: ApplyRequest) -> bool:
    return any(key.split(".")[0] == "target" for key, _ in request.overrides)


def _is_path(name: str, loaded: LoadedConfig, recorded: str | None) -> bool:
    """Whether a name means files of the engine: it reads some, and the release's own were, or it has a slash."""
    return ENGINES[loaded.config.engine.chosen].files and (recorded is not None or "/" in name)


def _whole(path: str, base: Path | None = None, named: str | None = None) -> str:
    """A path as it stays when the configuration is read elsewhere; a URL is one already."""
    if "://" in path or path.startswith("file:"):
        return path
    return str((Path() if base is None or named is not None else base).joinpath(path).absolute())


def _numbered_table(table: str, request: ApplyRequest, loaded: LoadedConfig) -> str:
    """clinic.released as clinic.released_2: catalogs of Spark may take no other marks."""
    dialect = find_dialect(loaded.config.engine.chosen)
    named = table_name(table, dialect, loaded.place("target"))
    number, last = request.entries[-1].id + 1, f"_{request.number}"
    named.set("this", quoted(f"{named.name.removesuffix(last)}_{number}"))
    return named.sql(dialect.name)


def _refuse_target(loaded: LoadedConfig, request: ApplyRequest) -> list[str]:
    """Why a release of new data cannot be put where an engine beside DuckDB would put it; nothing where it can."""
    target, engine = loaded.config.target, loaded.config.engine.chosen
    assert target is not None
    place = loaded.place("target")
    if target.path is not None and not ENGINES[engine].files and (request.output is None or _sets_target(request)):
        return [
            f"{place}: a release that {engine} copies to a file of this machine is not compared with others where the "
            "rows are; expected a table, and releases that are tables"
        ]
    if _sets_target(request) and target.overwrite:
        return [f"{place}: releases of new data replace nothing in {engine}, as later ones are compared with them"]
    return []


def refuse_new_rows(loaded: LoadedConfig) -> list[str]:
    """Why a table tells of no new rows; nothing where it does."""
    if names_lake(loaded.config.source.database):
        return []
    return [
        f"{loaded.place('source')}: of its rows nobody tells which are new; expected a table of a lake "
        f"(database: {LAKE}CATALOG), or apply without --new-rows"
    ]
