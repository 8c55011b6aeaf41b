"""One anonymization from end to end: read, search, write beside, count again, put in place, report."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from kanon_sql.commands.run.advice import advise
from kanon_sql.commands.run.warnings import betraying_columns, guard, suppressed_or_ordered, unshifted_dates
from kanon_sql.config.load import LoadedConfig
from kanon_sql.engines.job import Job
from kanon_sql.engines.lockdown import allow_paths
from kanon_sql.engines.opening import open_released
from kanon_sql.errors import (
    EngineError,
    InterruptedRunError,
    NoReleaseError,
    OutOfTimeError,
    WarnedError,
)
from kanon_sql.ledger.earlier import telling_releases
from kanon_sql.ledger.recording import NewRelease, note_digests, put_in_place, refuse_early, rehearse
from kanon_sql.measures.release_pair import ReleasePair
from kanon_sql.release.families import release_of
from kanon_sql.release.release import Release, Writing
from kanon_sql.release.verify import reading_again, verify, verify_treatments
from kanon_sql.report.call import Call, reporting
from kanon_sql.report.lineage import telling_lineage
from kanon_sql.report.report import ReportDraft
from kanon_sql.search.prepare import load_hierarchies, prepare_search, request_of
from kanon_sql.search.problem import SearchProblem, SearchResult
from kanon_sql.source.model import Source
from kanon_sql.source.remote import is_remote
from kanon_sql.source.roles import assign_roles
from kanon_sql.source.treatments.applying import describe_treatments
from kanon_sql.source.treatments.ends import note_shown_ends
from kanon_sql.source.treatments.lookups import with_lookups
from kanon_sql.sql import signals
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.deadline import Deadline
from kanon_sql.targets.files import new_salt
from kanon_sql.targets.outputs import refuse_missing_folders, refuse_outputs, refuse_reports
from kanon_sql.targets.target import DryRunRelease, Sink

if TYPE_CHECKING:
    from kanon_sql.report.page.model import PageFacts
    from kanon_sql.results.utility import Utility

# A sensitive value may be rare; that most are is another matter.
_SHARES = {"insensitive": 0.05, "sensitive": 0.5, "quasi_identifier": 0.98}
_WORDS, _MEANT = {"quasi_identifier": "quasi-identifier"}, {"quasi_identifier": ""}


def unique_columns(prepared: SearchProblem, loaded: LoadedConfig) -> list[str]:
    """A warning for each insensitive column in which more than 5 % of the rows hold a value of their own, for each
    sensitive one in which half of them do, and for each quasi-identifier of texts without hierarchy in which 98 % do.
    """
    roles, source = prepared.roles, prepared.source
    plain = suppressed_or_ordered(loaded)
    most = {
        column: _SHARES[roles.of(column)]
        for column in roles.released
        if column.name not in loaded.config.accept
        and roles.of(column) in _SHARES
        and (roles.of(column) != "quasi_identifier" or (column.is_text and column.name in plain))
    }
    if not most:
        return []
    warnings = []
    for uniqueness in source.backend.alone(source, prepared.rows, prepared.n, most):
        role = roles.of(uniqueness.column)
        warnings.append(
            f"{_WORDS.get(role, role)} column {uniqueness.column.name!r} holds a value of its own in "
            f"{uniqueness.rows:,} of {uniqueness.looked_at:,} rows: is it {_MEANT.get(role, 'a quasi-identifier or ')}"
            "an identifier?"
        )
    return warnings


@dataclass(frozen=True)
class Run:
    """One run: what is asked for, and what is recorded on the way."""

    loaded: LoadedConfig
    call: Call
    draft: ReportDraft


def run_configuration(job: Job, call: Call) -> ReportDraft:
    """Anonymizes what a job asks for; writes the report however it ends.

    Raises the errors of kanon_sql.errors; the source and an existing target are then untouched, unless the error is a
    ReleasedError or says that the release is in its place.
    """
    loaded = job.loaded
    draft = ReportDraft.of(loaded)
    refuse_report(loaded, call)
    with telling_lineage(call.lineage, loaded, draft), reporting(call, loaded, draft, draft.to_dict):
        facts = _run(Run(loaded, call, draft), job)
        if call.page is not None and facts is not None:
            from kanon_sql.measures.evidence.provenance import with_report
            from kanon_sql.report.page.page import page_text, write_page

            draft.seconds = call.watch.report()
            write_page(call.page, page_text(with_report(facts, draft.to_dict()), loaded))
    return draft


def refuse_report(loaded: LoadedConfig, call: Call) -> None:
    """Report and page must not take the place of what the run reads, keeps or releases, and need one of their own.

    Raises ConfigurationError, and EngineError where there is no folder for one.
    """
    refuse_reports([loaded], call.report, call.page, [("the report of attacks", call.attack)])
    if call.lineage is not None and not is_remote(call.lineage):
        refuse_outputs([loaded], [("the lineage", Path(call.lineage))])
        refuse_missing_folders([("the lineage", Path(call.lineage))])


def _run(run: Run, job: Job) -> PageFacts | None:
    """Releases what a job asks for; what the page shows, where one was asked for."""
    loaded, call = run.loaded, run.call
    hierarchies = load_hierarchies(loaded, show_values=call.options.show_values)
    configured_warnings(loaded, run.draft)
    refuse_early(loaded, run.draft, call.options, open_released, dry_run=call.dry_run)
    with job.open(call.options) as opened:
        engine, sink, source = opened.engine, opened.sink, opened.open_source()
        with telling_releases(engine, loaded, source, hierarchies):
            roles = assign_roles(source, loaded)
        run.draft.source, run.draft.target, run.draft.roles = source.label, sink.describe(), roles
        run.draft.encoding, run.draft.snapshot = source.encoding, source.snapshot
        sink.refuse(roles.released, loaded.place("target"))
        sink.prepare(engine, source)
        allow_paths(engine, loaded, source, sink)
        with call.step("read", "making pseudonyms", engine.progress):
            source = with_lookups(engine, source)
        with call.step("read", "looking for identifiers", engine.progress):
            run.draft.warnings += guard(engine, loaded, source, roles)
        with call.watch.part("read"), telling_releases(engine, loaded, source, hierarchies):
            prepared = prepare_search(engine, loaded, source, roles, hierarchies, call.progress)
            _note(run, prepared)
        with call.step("read", "counting pseudonyms", engine.progress):
            run.draft.treatments = describe_treatments(source)
        result = search(run, engine, prepared)
        release = release_of(engine, result)
        with call.step("read", "looking at other columns", engine.progress):
            run.draft.warnings += betraying_columns(engine, prepared, release.finer(), loaded.config.missing)
        run.draft.warnings += unshifted_dates(engine, prepared, loaded.config, result.least_levels())
        refuse_warnings(call, run.draft, sink)
        written = _verified(run, engine, sink, release)
        paths, handed_in = sink.paths(), (job.source_handed_in, job.target_handed_in)
        new_release = NewRelease(engine, source, roles, hierarchies, written, run.draft, paths, handed_in=handed_in)
        facts = None if sink.in_transaction else _gather(run, new_release, result, sink)
        with call.watch.part("verify"):
            if call.dry_run or call.strict:
                rehearse(loaded, new_release)
                refuse_warnings(call, run.draft, sink)
            if call.dry_run:
                run.draft.status = "dry-run"
            else:
                put_in_place(loaded, new_release, sink)
        if sink.in_transaction:
            facts = _gather(run, new_release, result, sink)
        _advise(run, engine, result)
        run.draft.engine["statements"] = source.backend.statements
        run.draft.warnings += sink.warnings
        run.draft.forgotten = sink.forgotten
    return facts


def refuse_warnings(call: Call, draft: ReportDraft, sink: Sink) -> None:
    """Raises WarnedError with every warning that a strict call has come to so far."""
    warnings = [*draft.warnings, *sink.warnings]
    if call.strict and warnings:
        draft.warnings = warnings
        raise WarnedError([f"{warning}; strict: nothing was released" for warning in warnings])


def _note(run: Run, prepared: SearchProblem) -> None:
    """Notes what is known once the source was read."""
    run.draft.source_rows = prepared.source_rows
    run.draft.missing = prepared.source_rows - prepared.n
    run.draft.warnings += [*prepared.warnings, *unique_columns(prepared, run.loaded)]
    run.draft.engine = prepared.describe_engine()


def _gather(run: Run, new_release: NewRelease, result: SearchResult, sink: Sink) -> PageFacts | None:
    """What the page shows of both tables, while the source is there; nothing that fails on the way ends the run."""
    if run.call.page is None:
        return None
    from kanon_sql.measures.evidence.gathering import gather

    replaced = run.draft.status == "released" and run.loaded.config.replaces_source
    source = None if replaced else new_release.source
    written = new_release.written if run.call.dry_run else sink.whole(new_release.written)
    subject = ReleasePair(
        *(new_release.engine, run.loaded, run.call, new_release.hierarchies, new_release.roles, source, written),
        result=result,
    )
    with run.call.step("page", "measuring for the page", new_release.engine.progress):
        if not run.call.dry_run and not replaced:
            note_digests(new_release, sink)
        run.draft.source_salt = run.draft.source_salt or new_salt()
        report = replace(run.draft, status="dry-run" if run.call.dry_run else "released").to_dict()
        facts = gather(subject, report, run.call.recipe)
    run.draft.utility = cast("Utility | None", facts.utility)  # as it was measured: pages leave out later
    return facts


def configured_warnings(loaded: LoadedConfig, draft: ReportDraft) -> None:
    """Warns of what a configuration asks for and does not get, or should not."""
    config, warnings = loaded.config, draft.warnings
    weighted = any(spec.weight != 1.0 for spec in config.quasi_identifiers.values())
    if weighted and not config.algorithm.takes_weights():
        warnings.append(
            "weights only bear on the objectives loss and geometric-mean-loss, on local and on mondrian's "
            "dimension: loss; here they do nothing"
        )
    if not config.algorithm.declared.full_domain:
        warnings += [
            f"max_level of {name!r} is not kept: with {config.algorithm.name} each class finds its own level"
            for name, spec in config.quasi_identifiers.items()
            if spec.max_level is not None
        ]
    elif config.release.ranges != "text":
        ranges = config.release.ranges
        warnings.append(f"release.ranges: {ranges} bears on mondrian and local only; here it does nothing")
    if config.privacy.known_columns is not None and not config.algorithm.declared.full_domain:
        warnings.append(
            f"{config.algorithm.name} finds classes of k rows in all quasi-identifiers together: known_columns gains "
            "nothing there; a full-domain search, such as optimal, holds it for fewer"
        )
    if config.privacy.entity is not None:
        warnings.append(
            "k counts entities: each class holds k of them, but several rows of one may still be linked with each other"
        )
    pseudonyms = [repr(name) for name, treatment in config.transform.items() if treatment.pseudonym is not None]
    if pseudonyms and config.privacy.entity is None:
        warnings.append(
            f"rows of one person are linked by the pseudonyms of {', '.join(pseudonyms)}, which are not anonymous; "
            "name the column in privacy.entity, and k counts persons"
        )
    draft.order = config.release.order
    if config.release.order == "none":
        warnings.append("the rows keep the source's order, which may link them to it; release.order: random does not")
    elif config.release.seed is not None:
        warnings.append("release.seed makes the order repeatable: for tests only, never for data about persons")
    if config.release.verify == "counts":
        warnings.append("release.verify: counts reads only the classes again; full compares every row that was written")


def search(run: Run, engine: Engine, prepared: SearchProblem) -> SearchResult:
    """What the configuration's search finds. Raises NoReleaseError and OutOfTimeError."""
    call, request = run.call, request_of(run.loaded.config, prepared.n)
    run.draft.limit = request.limit
    came = signals.releasing() if call.releases else None
    with call.step("search", "searching; Ctrl-C releases the best found so far" if came else "searching"):
        deadline = Deadline(call.time_limit, came)
        result = prepared.solve(engine, run.loaded.config.algorithm, request, deadline, call.progress)
    effort = run.draft.search = result.describe_search()
    run.draft.warnings += result.notes
    if deadline.stopped and not effort["proven"]:
        effort["finished"], effort["interrupted"] = False, True
        if not any(deadline.why() in note for note in result.notes):
            run.draft.warnings.append(f"{deadline.why()}: one that goes on to its end could lose less")
    try:
        result.require()
    except NoReleaseError:
        signals.release_nothing()
        _advise(run, engine, result, released=False)
        raise
    except OutOfTimeError:
        signals.release_nothing()
        if deadline.stopped:
            raise InterruptedRunError(signals.NOTHING_CHANGED) from None
        raise
    return result


def _advise(run: Run, engine: Engine, result: SearchResult, *, released: bool = True) -> None:
    """Notes what other settings would lose; nothing that fails on the way ends the run."""
    came = signals.ending()
    if not run.call.advice or (came is not None and came()):
        return
    try:
        with run.call.step("advice", "looking at other settings"):
            run.draft.advice = advise(engine, run.loaded, result, released=released)
    except EngineError as error:
        run.draft.warnings.append(f"other settings could not be looked at: {error}")


def _verified(run: Run, engine: Engine, sink: Sink, release: Release) -> Source:
    """The release, written beside its target and verified; of a dry run what would be written.

    Raises VerificationError, and what writing raises.
    """
    call, draft, result = run.call, run.draft, release.result
    with call.watch.part("release"):
        masked = note_release(run, release)
        rehearsed = _write(run, engine, release, sink, masked)
    with call.step("verify", "verifying what was written", engine.progress):
        with reading_again():
            written = sink.written(engine) if rehearsed is None else rehearsed.counted
        draft.counts = verify(engine, written, release.expected(written, masked))
        whole = rehearsed.whole if rehearsed else sink.whole(written)
        verify_treatments(release.problem, whole)
        note_ends(run, release.problem.source, whole)
        draft.suppressed, draft.masked = result.suppressed, masked
        draft.released = release.problem.n - result.suppressed
        if rehearsed is not None:
            draft.verification = {"compared": "counts"}
            return rehearsed.whole
        draft.verification = sink.verification(engine, run.loaded, written)
        return whole


def note_release(run: Run, release: Release) -> int:
    """Notes what was chosen, and what it is like; how many rows the release masks."""
    draft, result = run.draft, release.result
    draft.solution, draft.loss = result.describe(), release.describe_loss()
    labels = release.labels()
    draft.labels, draft.given_up = labels.largest, list(labels.given_up)
    return _masked(run, release)


def _masked(run: Run, release: Release) -> int:
    """How many rows the release masks."""
    config = run.loaded.config
    masked = release.result.suppressed if config.release.suppressed == "mask" else 0
    if masked and not config.algorithm.declared.full_domain:
        run.draft.warnings.append(
            f"with {config.algorithm.name} {masked:,} suppressed rows are dropped, none is masked"
        )
        masked = 0
    if masked and not release.can_mask():
        run.draft.warnings.append(
            f"{masked:,} suppressed rows are too few to be masked as one class of {config.privacy.k}"
            f"{'' if release.problem.models.only_k else ', or violate a model together'}; they were dropped"
        )
        masked = 0
    return masked


def note_ends(run: Run, source: Source, released: Source) -> None:
    """Notes in the report which ends that were found for shares of the rows the release shows."""
    for name, ends in note_shown_ends(source, released, run.loaded).items():
        run.draft.treatments[name] = {**run.draft.treatments.get(name, {}), **ends}


def _write(run: Run, engine: Engine, release: Release, sink: Sink, masked: int) -> DryRunRelease | None:
    """Writes the release beside the target; a dry run has only what it would write."""
    loaded = run.loaded
    release_config = loaded.config.release
    writing = Writing(release_config.order, release_config.seed, False, release_config.suppressed == "mask", masked > 0)
    if run.call.dry_run:
        with run.call.progress.step("counting the release", engine.progress):
            return sink.dry_run(engine, loaded, release, writing)
    with run.call.progress.step("writing the release", engine.progress):
        sink.make(engine, loaded, release, writing)
    return None
