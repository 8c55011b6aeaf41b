"""The files that a command reads or keeps, in one list, and the refusal of every output that would replace one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from kanon_sql.config.load import LoadedConfig
from kanon_sql.errors import ConfigurationError, EngineError, KanonError
from kanon_sql.frequency.population import population_configs
from kanon_sql.privacy.registry import models_of
from kanon_sql.settings.source import SourceConfig
from kanon_sql.source.folder_tables import folder_of
from kanon_sql.source.opening import find_files, other_files
from kanon_sql.source.remote import is_remote
from kanon_sql.targets.staging_paths import inside, link_to_nothing, same_file

_DATABASE = "the database of "
# An option, and the file of the configuration that it replaces.
_CONFIGURED = {"--report": "the report", "--html": "the page"}

Named = tuple[str, Path]  # what a file is, or the option that names it, and its path


def kept_files(loaded: LoadedConfig) -> list[Named]:
    """Every file and folder that a run with this configuration reads, keeps or writes. Raises nothing."""
    config, base = loaded.config, loaded.base
    files: list[Named] = [("the configuration", Path(loaded.name)), *_source_files(config.source, base, "the source")]
    for number, (population, _) in enumerate(population_configs(loaded), 1):
        files += _source_files(population, base, f"population {number}")
    hierarchies = [spec.hierarchy for spec in config.quasi_identifiers.values()]
    hierarchies += [model.spec.tree for model in models_of(config.privacy)]
    # A name that is no file is that of a ready hierarchy.
    files += [("a hierarchy file", base / name) for name in hierarchies if name and _is(Path.is_file, base / name)]
    if config.releases is not None:
        files.append(("the ledger", base / config.releases.path))
    if config.report is not None:
        outputs = (("the report", config.report.data), ("the page", config.report.page))
        files += [(name, base / path) for name, path in outputs if path is not None]
    target = config.target
    if target is not None and (path := target.path or target.database_file) is not None and not is_remote(path):
        files.append(("the target", base / path))
    return files


def refuse_outputs(
    loaded: Iterable[LoadedConfig],
    outputs: Sequence[tuple[str, Path | None]],
    read: Sequence[tuple[str, Path | None]] = (),
    *,
    beside: bool = False,
) -> None:
    """Refuses outputs that would replace a file of the configurations, or one that is `read` besides.

    An output is named by its option, or as the list names it, which then is no other file. With `beside` it is a table
    that is put into a database file beside those that are read. A symbolic link to nothing is refused, and a pipe.
    Raises ConfigurationError with all problems.
    """
    kept = [named for config in loaded for named in kept_files(config)]
    kept += [(name, path) for name, path in read if path is not None]
    problems: list[str] = []
    for name, path in outputs:
        to_nothing = None if path is None else link_to_nothing(path, name)
        problems += [to_nothing] if to_nothing is not None else []
        if path is not None and _is(Path.is_fifo, path) and not path.is_symlink():
            problems.append(f"{name} {path}: this is a pipe, whose reader it would wait for; name a regular file")
        own = {name, _CONFIGURED.get(name)}
        others = [
            label
            for label, file in kept
            if path is not None and label not in own and not (beside and label.startswith(_DATABASE))
            if same_file(path, file) or (_is(Path.is_dir, file) and inside(path, file))
        ]
        if others:
            problems.append(f"{name} {path}: it would replace {others[0]}; name another file")
    if problems:
        raise ConfigurationError(problems)


def refuse_reports(
    loaded: Iterable[LoadedConfig],
    report: Path | None,
    page: Path | None,
    read: Sequence[tuple[str, Path | None]] = (),
) -> None:
    """Report and page must not take the place of what a run reads, keeps or releases, and need one of their own.

    Raises ConfigurationError, and EngineError where there is no folder for one.
    """
    outputs = [(what, path) for what, path in (("the report", report), ("the page", page)) if path is not None]
    for what, path in outputs:
        if not path.parent.is_dir():
            raise EngineError(f"{path}: {what} cannot be written, its folder does not exist; make it")
        if what == "the page":
            refuse_pdf(path)
        if path.is_dir():
            raise EngineError(f"{path}: {what} cannot be written, this is a folder; name a file in it")
    refuse_outputs(loaded, outputs, read)
    problems = named_twice(outputs)
    if problems:
        raise ConfigurationError(problems)


def named_twice(outputs: Sequence[Named]) -> list[str]:
    """A problem for each output that is the same file as one before it."""
    return [
        f"{option} {path}: {other} names the same file; name another one"
        for index, (option, path) in enumerate(outputs)
        for other, before in outputs[:index]
        if same_file(path, before)
    ]


def refuse_missing_folders(outputs: Sequence[Named]) -> None:
    """Raises EngineError for an output whose folder is not there."""
    for option, path in outputs:
        if not path.parent.is_dir():
            raise EngineError(f"{option} {path}: the file cannot be written, its folder does not exist; make it")


def _source_files(source: SourceConfig, base: Path, label: str) -> list[Named]:
    """The files of a table, with those that a query names."""
    files: list[Named] = []
    if source.database_file is not None:
        files.append((_DATABASE + label, base / source.database_file))
    if source.folder_table is not None:
        files.append((label, folder_of(base / source.folder_table[1])))
    if source.path is not None and not is_remote(source.path):
        # The folder itself too: a file that is added to it is read as a part of it.
        files.append((label, base / source.path))
        # The run reports what is wrong with it.
        with suppress(KanonError):
            files += [(label, file) for file in find_files(source.path, base, label).paths]
    return files + [(label, path) for path in other_files(source, base)]


def _is(kind: Callable[[Path], bool], path: Path) -> bool:
    """Whether a path is of a kind; False for a name that no file can have."""
    try:
        return kind(path)
    except (OSError, ValueError):
        return False


def refuse_pdf(page: Path) -> None:
    """A page is HTML, whatever its name says. Raises ConfigurationError for the name of a PDF file."""
    if page.suffix.lower() == ".pdf":
        raise ConfigurationError(
            f"{page}: the page is written as HTML; expected a name such as {page.with_suffix('.html').name}, which a "
            "browser prints as PDF"
        )
