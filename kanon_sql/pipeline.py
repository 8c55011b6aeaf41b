"""One anonymization from end to end: read, search, write beside, count again, put in place, report."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from kanon_sql.config.load import LoadedConfig
from kanon_sql.config.model import AlgorithmConfig
from kanon_sql.deadline import Deadline
from kanon_sql.engine.connection import Engine, EngineOptions, lock_down, open_engine
from kanon_sql.errors import (
    ConfigurationError,
    EngineError,
    InterruptedRunError,
    KanonError,
    NoReleaseError,
    OutOfTimeError,
)
from kanon_sql.handed_in import Job
from kanon_sql.preparation import Prepared, load_hierarchies, prepare_search
from kanon_sql.progress import Progress, Stopwatch
from kanon_sql.release.sink import Sink
from kanon_sql.release.staging import same_file
from kanon_sql.release.statement import Suppression, release_select, starred_rows, suppress_classes
from kanon_sql.release.target import open_sink, prepare
from kanon_sql.report import ReportDraft, write_json
from kanon_sql.search.checker import NodeChecker
from kanon_sql.search.dispatch import search
from kanon_sql.search.result import SearchResult
from kanon_sql.source.files import find_files
from kanon_sql.source.model import Source
from kanon_sql.source.opening import open_source
from kanon_sql.source.roles import assign_roles
from kanon_sql.uniqueness import unique_columns
from kanon_sql.verify import ClassCounts, verify_release


@dataclass
class Run:
    """One run: the configuration, the bounds, and what is recorded on the way."""

    loaded: LoadedConfig
    options: EngineOptions
    progress: Progress
    time_limit: float | None
    draft: ReportDraft
    watch: Stopwatch


def run_configuration(
    loaded: LoadedConfig,
    options: EngineOptions,
    progress: Progress,
    *,
    time_limit: float | None = None,
    report: Path | None = None,
    job: Job | None = None,
) -> ReportDraft:
    """Anonymizes what a configuration names, or what a job was handed in for; writes the report however it ends.

    Raises the errors of kanon_sql.errors; the source and an existing target are then untouched.
    """
    draft = ReportDraft(
        algorithm=describe_algorithm(loaded.config.algorithm),
        k=loaded.config.privacy.k,
        names=tuple(loaded.config.quasi_identifiers),
    )
    run = Run(loaded, options, progress, time_limit, draft, Stopwatch())
    if report is not None:
        _refuse_report(loaded, report)
    try:
        try:
            _run(run, job)
        except KeyboardInterrupt:
            raise InterruptedRunError("interrupted: nothing was changed") from None
    except KanonError as error:
        error.redact(loaded.redact)
        draft.fail(error)
        draft.seconds = {**run.watch.seconds, "total": run.watch.total()}
        if report is not None:
            write_json(report, draft.to_dict())
        error.report = draft.to_dict()
        raise
    draft.seconds = {**run.watch.seconds, "total": run.watch.total()}
    if report is not None:
        write_json(report, draft.to_dict())
    return draft


def _refuse_report(loaded: LoadedConfig, report: Path) -> None:
    """A report must not take the place of the source or the release, and must have a place of its own."""
    if not report.parent.is_dir():
        raise EngineError(f"{report}: the report cannot be written, its folder does not exist; make it")
    source, target = loaded.config.source, loaded.config.target
    others = [source.database, target.path if target else None, target.database if target else None]
    files = [loaded.base / other for other in others if other is not None]
    if source.path is not None and "://" not in source.path and (loaded.base / source.path).exists():
        files += find_files(source.path, loaded.base, loaded.place("source")).paths
    if any(same_file(report, file) for file in files):
        raise ConfigurationError(f"{report}: the report would replace the source or the release; name another file")


def describe_algorithm(algorithm: AlgorithmConfig) -> dict[str, str]:
    """The algorithm with its options, defaults filled in."""
    if algorithm.name == "optimal":
        return {"name": "optimal", "objective": algorithm.objective or "loss"}
    return {"name": algorithm.name, "prefer": algorithm.prefer or "loss"}


def _run(run: Run, job: Job | None) -> None:
    loaded = run.loaded
    hierarchies = load_hierarchies(loaded, show_values=run.options.show_values)
    _configured_warnings(run)
    with job.open() if job else _open(run) as (engine, sink, open_it):
        source = open_it(loaded)
        roles = assign_roles(source, loaded)
        run.draft.target = sink.describe()
        sink.refuse(roles.released, loaded.place("target"))
        sink.prepare(engine, source)
        allow_paths(engine, loaded, source, sink)
        with run.watch.part("read"):
            prepared = prepare_search(engine, loaded, source, roles, hierarchies, run.progress)
            run.draft.n = prepared.frequency.n
            run.draft.source_rows = prepared.source_rows
            run.draft.missing = prepared.source_rows - prepared.frequency.n
            run.draft.warnings += [*prepared.warnings, *unique_columns(engine, prepared)]
        found = _search(run, engine, prepared)
        with run.watch.part("release"):
            suppression = _write(run, engine, prepared, found, sink)
        with run.watch.part("verify"), run.progress.step("verifying what was written", engine.progress):
            _verify(run, engine, prepared, found, sink, suppression)
            sink.commit(engine)
        run.draft.warnings += sink.warnings
        run.draft.status = "released"


@contextmanager
def _open(run: Run) -> Iterator[tuple[Engine, Sink, Callable[[LoadedConfig], Source]]]:
    """An engine of our own, and the sink staged and locked before the source is looked at."""
    prepare(run.loaded)
    with open_engine(run.options) as engine, open_sink(engine, run.loaded) as sink:
        yield engine, sink, lambda loaded: open_source(engine, loaded)


def allow_paths(engine: Engine, loaded: LoadedConfig, source: Source, sink: Sink | None) -> None:
    """Locks the connection down to the source, the target and what `source.allow` adds."""
    files: list[Path] = [path.absolute() for path in source.files]
    folders: list[Path] = []
    if source.database is not None:
        files.append(source.database.absolute())
    if source.kind == "query":
        folders.append(loaded.base.absolute())
        for text in loaded.config.source.allow:
            path = (loaded.base / text).absolute()
            (folders if path.is_dir() else files).append(path)
    if sink is not None:
        more_files, more_folders = sink.paths()
        files += [path.absolute() for path in more_files]
        folders += [path.absolute() for path in more_folders]
    lock_down(engine, files, folders)


def _configured_warnings(run: Run) -> None:
    config, warnings = run.loaded.config, run.draft.warnings
    objective = config.algorithm.objective or "loss"
    weighted = any(spec.weight != 1.0 for spec in config.quasi_identifiers.values())
    if weighted and (config.algorithm.name != "optimal" or objective not in ("loss", "geometric-mean-loss")):
        warnings.append("weights only bear on the objectives loss and geometric-mean-loss; here they do nothing")
    run.draft.order = config.release.order
    if config.release.order == "none":
        warnings.append("the rows keep the source's order, which may link them to it; release.order: random does not")
    elif config.release.seed is not None:
        warnings.append("release.seed makes the order repeatable: for tests only, never for data about persons")


def _search(run: Run, engine: Engine, prepared: Prepared) -> SearchResult:
    config = run.loaded.config
    limit = config.suppression.rows(prepared.frequency.n)
    run.draft.limit = limit
    checker = NodeChecker(engine, prepared.frequency, config.privacy.k, limit, run.progress)
    deadline = Deadline(run.time_limit)
    with run.watch.part("search"), run.progress.step("searching the lattice"):
        found = search(config, prepared.lattice, checker, deadline)
    if found.winner is not None:
        found = replace(found, winner=checker.with_entropy_of(found.winner.levels))
    run.draft.search = found
    run.draft.warnings += found.notes if not found.proven else ()
    if found.winner is None:
        if deadline.passed() and checker.known(prepared.lattice.highs) is not False:
            raise OutOfTimeError(
                f"time ran out after {found.checked} of {found.lattice_nodes} nodes, before any that satisfies; "
                "raise --time-limit or max_level, or suppression.limit"
            )
        raise NoReleaseError(_why_none(prepared, checker, limit))
    return found


def _why_none(prepared: Prepared, checker: NodeChecker, limit: int) -> str:
    n = prepared.frequency.n
    if n < checker.k:
        return f"no release satisfies k = {checker.k}: only {n} row{'s' * (n != 1)} take part"
    left = checker.suppressed(prepared.lattice.highs)
    return (
        f"no node satisfies: even at the highest levels {left} of {n} rows lie in classes of fewer than "
        f"{checker.k}, the limit is {limit}; raise suppression.limit or max_level, or lower k"
    )


def _write(run: Run, engine: Engine, prepared: Prepared, found: SearchResult, sink: Sink) -> Suppression:
    config, winner = run.loaded.config, found.winner
    assert winner is not None
    mappings = prepared.frequency.mappings
    masked = config.release.suppressed == "mask" and winner.suppressed > 0
    k = config.privacy.k
    if masked and winner.suppressed + starred_rows(engine, mappings, winner.levels, k) < k:
        masked = False
        run.draft.warnings.append(
            f"{winner.suppressed} suppressed rows are too few to be masked as one class of {config.privacy.k}; "
            "they were dropped"
        )
    suppression = Suppression(winner.suppressed, masked)
    if winner.suppressed:
        suppress_classes(engine, mappings, winner.levels, config.privacy.k)
    statement = release_select(
        engine,
        prepared.rows,
        prepared.roles,
        mappings,
        winner.levels,
        suppression,
        order=config.release.order,
        seed=config.release.seed,
        plain_text=sink.plain_text,
        as_text=config.release.suppressed == "mask",
    )
    names = [item.name for item in prepared.roles.released]
    with run.progress.step("writing the release", engine.progress):
        sink.write(engine, statement, prepared.source, names)
    return suppression


def _verify(
    run: Run, engine: Engine, prepared: Prepared, found: SearchResult, sink: Sink, suppression: Suppression
) -> None:
    winner, n = found.winner, prepared.frequency.n
    assert winner is not None
    masked = suppression.rows if suppression.masked else 0
    released = n - suppression.rows
    counts: ClassCounts = verify_release(
        engine,
        sink.written(engine),
        [item.name for item in prepared.roles.released],
        prepared.names,
        prepared.frequency.mappings,
        winner.levels,
        run.loaded.config.privacy.k,
        rows=released + masked,
        masked=masked,
    )
    run.draft.suppressed, run.draft.masked, run.draft.released = suppression.rows, masked, released
    run.draft.counts = counts
