"""`kanon-sql apply` from end to end: the levels of a recorded release for new data of the same source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kanon_sql.commands.apply.deciding import Deciding, Outcome
from kanon_sql.commands.apply.new_rows import OnlyNewRows
from kanon_sql.commands.apply.places import Place, place_of
from kanon_sql.commands.apply.request import ApplyRequest, configure
from kanon_sql.commands.apply.rows import AllRows
from kanon_sql.commands.apply.same_levels import Texts
from kanon_sql.commands.run.pipeline import refuse_report, refuse_warnings, unique_columns
from kanon_sql.commands.run.warnings import guard, unshifted_dates
from kanon_sql.config.load import LoadedConfig
from kanon_sql.engines.lockdown import allow_paths
from kanon_sql.engines.opening import open_released
from kanon_sql.errors import ConfigurationError, OutOfTimeError
from kanon_sql.ledger.basis import Hierarchies, ambiguous_labels, changes, counted_anew
from kanon_sql.ledger.earlier import (
    Related,
    open_earlier,
    telling_releases,
)
from kanon_sql.ledger.ledger import Entry, find_entry
from kanon_sql.ledger.recording import NewRelease, conflict, put_in_place, refuse_early
from kanon_sql.ledger.treated import treatment_changes
from kanon_sql.privacy.registry import thresholds_of
from kanon_sql.privacy.thresholds import sufficient_k
from kanon_sql.release.statement import Generalization
from kanon_sql.release.verify import ExpectedLevels, question_of, reading_again, verify, verify_treatments
from kanon_sql.report.call import Call, reporting
from kanon_sql.report.report import ReportDraft
from kanon_sql.search.full_domain.lattice import Node
from kanon_sql.search.full_domain.problem import FullDomain
from kanon_sql.search.prepare import load_hierarchies, prepare_search
from kanon_sql.settings.formats import only_texts
from kanon_sql.source.model import Source
from kanon_sql.source.roles import Roles, assign_roles
from kanon_sql.source.treatments.applying import describe_treatments
from kanon_sql.source.treatments.ends import note_shown_ends
from kanon_sql.source.treatments.lookups import with_lookups
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.deadline import Deadline, TimeUpError

Json = dict[str, Any]


@dataclass
class _RecordedRun:
    """One run, and what is recorded on the way."""

    loaded: LoadedConfig
    base: Entry
    rows: AllRows
    place: Place
    request: ApplyRequest
    call: Call
    draft: ReportDraft
    outcome: Outcome | None = None
    differences: Sequence[Json] = ()

    @property
    def related(self) -> Related:
        """The releases of the same source, with which the new one is compared."""
        return self.rows.related

    @property
    def levels(self) -> dict[str, int]:
        """The level of each quasi-identifier."""
        levels: dict[str, int] = self.base.details["solution"]["levels"]
        return levels

    @property
    def node(self) -> Node:
        """The levels in the configuration's order."""
        return tuple(self.levels[name] for name in self.loaded.config.quasi_identifiers)

    def generalization(self, prepared: FullDomain) -> Generalization:
        """What the levels make of the new data."""
        return Generalization(prepared.roles, prepared.frequency.mappings, self.node)

    def report(self) -> Json:
        """The report as JSON data."""
        report: Json = {**self.draft.to_dict()}
        for name in ("search", "loss", "algorithm"):
            del report[name]
        outcome = self.outcome
        return {
            **report,
            "applied": self.base.id,
            "suppressed": None
            if outcome is None
            else {
                "waiting": outcome.waiting,
                "violating": {"rows": outcome.violating, "classes": outcome.violating_classes},
                "differing": {"rows": outcome.changed, "classes": outcome.changed_classes},
            },
            "earlier": list(self.differences),
            **({} if self.rows.account is None else {"new_rows": self.rows.account}),
        }


def apply_release(request: ApplyRequest, call: Call) -> Json:
    """Releases new data at the levels of an earlier release, and records that; the report.

    Raises the errors of kanon_sql.errors; an existing target and the ledger are then untouched.
    """
    base = find_entry(request.entries, request.number, request.ledger)
    loaded = configure(request, base)
    _refuse_aggregates(loaded)
    draft = ReportDraft.of(loaded)
    rows = (OnlyNewRows if request.new_rows else AllRows)(request, base)
    run = _RecordedRun(loaded, base, rows, place_of(loaded), request, call, draft)
    refuse_report(loaded, call)
    with reporting(call, loaded, draft, run.report):
        _run(run)
    return run.report()


def _run(run: _RecordedRun) -> None:
    loaded, related, call = run.loaded, run.related, run.call
    run.draft.order = loaded.config.release.order
    if loaded.config.release.suppressed == "mask":
        run.draft.warnings.append("suppressed rows are dropped, not masked: masked ones would tell what has changed")
    refuse_early(loaded, run.draft, call.options, open_released)
    _refuse_others(run)
    run.place.refuse((run.base, *related.compared), run.request.ledger)
    hierarchies = load_hierarchies(loaded, show_values=call.options.show_values)
    with run.place.open(call.options, run.rows) as opened:
        engine, sink, source = opened.engine, opened.sink, opened.open_source()
        with telling_releases(engine, loaded, source, hierarchies):
            roles = assign_roles(source, loaded)
        _refuse_changes(run, source, roles, hierarchies)
        run.draft.source, run.draft.target, run.draft.encoding = source.label, sink.describe(), source.encoding
        run.draft.snapshot = source.snapshot
        sink.refuse(roles.released, loaded.place("target"))
        with call.step("read", "reading earlier releases", engine.progress):
            ledger = run.request.ledger
            earlier = [open_earlier(engine, entry, ledger, source.backend) for entry in related.compared]
        texts = _texts(run, roles, earlier, source.missing, run.place.kind(source, sink))
        sink.prepare(engine, source)
        allow_paths(engine, loaded, source, sink, earlier)
        run.rows.read(engine, call)
        prepared = _prepared(run, engine, source, roles, hierarchies)
        source = prepared.source
        refuse_warnings(call, run.draft, sink)
        with call.step("decide", "comparing with earlier releases", engine.progress):
            applying = _decide(run, engine, prepared, texts, earlier, Deadline(call.time_limit))
        run.rows.require(loaded, run.draft, run.outcome, prepared.n)
        with call.step("release", "writing the release", engine.progress):
            run.place.put(engine, sink, applying, source)
        with call.step("verify", "verifying what was written", engine.progress):
            with reading_again():
                written = sink.written(engine)
            whole = sink.whole(written)
            _verify(run, engine, prepared, written)
            _recount(run, engine, prepared, whole, texts, earlier)
            run.rows.verify(applying, whole)
            verify_treatments(prepared, whole)
            _note_ends(run, source, whole)
            refuse_warnings(call, run.draft, sink)
            run.draft.verification = sink.verification(engine, loaded, written)
            seen = len(run.request.entries)
            paths = sink.paths()
            new_release = NewRelease(
                *(engine, source, roles, hierarchies, whole, run.draft, paths),
                applied=run.base,
                seen=seen,
                only_new=run.rows.only_new,
                released_before=run.rows.released_before,
            )
            put_in_place(loaded, new_release, sink)
        if source.backend.weighted:
            run.draft.engine["statements"] = source.backend.statements
        run.draft.warnings += sink.warnings
        run.draft.forgotten = sink.forgotten


def _prepared(run: _RecordedRun, engine: Engine, source: Source, roles: Roles, hierarchies: Hierarchies) -> FullDomain:
    """The new data, ready to be generalized; notes what is to be warned of, as a run does."""
    loaded, call, draft = run.loaded, run.call, run.draft
    with call.watch.part("read"), telling_releases(engine, loaded, source, hierarchies):
        source = with_lookups(engine, source)
        draft.warnings += guard(engine, loaded, source, roles)
        prepared = prepare_search(engine, loaded, source, roles, dict(hierarchies), call.progress)
        assert isinstance(prepared, FullDomain)
        draft.source_rows, draft.missing = prepared.source_rows, prepared.source_rows - prepared.n
        draft.warnings += [*prepared.warnings, *unique_columns(prepared, loaded)]
        draft.warnings += unshifted_dates(engine, prepared, loaded.config, run.levels)
        draft.treatments = describe_treatments(source)
        draft.engine["name"] = source.backend.abilities.name
    return prepared


def _note_ends(run: _RecordedRun, source: Source, released: Source) -> None:
    """Notes in the report which ends that were found for shares of the rows the release shows."""
    for name, ends in note_shown_ends(source, released, run.loaded).items():
        run.draft.treatments[name] = {**run.draft.treatments[name], **ends}


def _refuse_aggregates(loaded: LoadedConfig) -> None:
    """Refuses columns that are aggregated: whoever has the means of a class before and after a row was added knows the
    row's value. Raises ConfigurationError.
    """
    problems = [
        f"{loaded.place('quasi_identifiers', name)}: aggregate: {spec.aggregate} would tell, beside the earlier "
        "release, what rows that were added or removed hold; expected columns that are released by levels"
        for name, spec in loaded.config.quasi_identifiers.items()
        if spec.aggregate is not None
    ]
    if problems:
        raise ConfigurationError(problems)


def _refuse_others(run: _RecordedRun) -> None:
    """Releases of the same source at other levels: what the new one adds to them cannot be said class by class."""
    releases_config = run.loaded.config.releases
    assert releases_config is not None
    run.rows.refuse_beside(run.loaded, run.draft)
    if not run.related.others:
        return
    numbers = ", ".join(str(other.id) for other in run.related.others)
    conflict(
        run.loaded,
        releases_config,
        run.draft,
        f"{run.request.ledger} holds {'release' if len(run.related.others) == 1 else 'releases'} {numbers} of the same "
        "source at other levels or with other columns, with which the new one cannot be compared class by class",
    )


def _refuse_changes(run: _RecordedRun, source: Source, roles: Roles, hierarchies: Hierarchies) -> None:
    """Raises ConfigurationError where the levels do not mean what they meant."""
    problems = [
        f"release {entry.id}: {problem}"
        for entry in run.rows.of_same_levels
        for problem in changes(entry.details["columns"], roles, hierarchies, run.levels)
    ]
    problems += [f"release {run.base.id}: {problem}" for problem in treatment_changes(run.base, source)]
    problems += [
        f"the hierarchy of {name!r} has a label that reads as a missing value; both cannot be told apart"
        for name in ambiguous_labels(roles, hierarchies, run.levels, source.missing)
    ]
    problems += [
        f"which values of {name!r} are rare is counted in each table, and would be others in the new data; expected a "
        "hierarchy file, such as kanon-sql hierarchy build writes of the first data"
        for name in counted_anew(hierarchies, run.levels)
    ]
    if problems:
        raise ConfigurationError(problems)


def _texts(
    run: _RecordedRun, roles: Roles, earlier: Sequence[Source], missing: tuple[str, ...], kind: str | None
) -> Texts:
    """How the releases are compared, by the `kind` of the target. Raises ConfigurationError for CSV beside others."""
    as_csv = only_texts(kind)
    for entry, table in zip(run.related.compared, earlier, strict=True):
        if table.only_texts != as_csv:
            raise ConfigurationError(
                f"{run.loaded.place('target')}: release {entry.id} is {'' if table.only_texts else 'no '}CSV, which "
                "does not tell an empty text from a missing value; release all as CSV, or none"
            )
    names = tuple(qi.name for qi in roles.quasi_identifiers)
    others = tuple(column.name for column in roles.released if column.name not in names)
    return Texts(names, others, missing, as_csv)


def _decide(
    run: _RecordedRun,
    engine: Engine,
    prepared: FullDomain,
    texts: Texts,
    earlier: Sequence[Source],
    deadline: Deadline,
) -> Deciding:
    """Generalizes the new data, and decides what of it is released."""
    generalization = run.generalization(prepared)
    applying = run.place.deciding(engine, prepared, generalization, texts, _least(run), earlier)
    problems = [
        f"the intervals of {mapping.column!r} are written in another way than in release {entry.id}: one of both has "
        "only integers, the other not; expected numbers of one kind"
        for number, entry in enumerate(run.related.compared, 1)
        for position, (_, mapping, level) in enumerate(generalization.quasi_identifiers)
        if mapping.builtin == "intervals" and 0 < level < mapping.height and applying.mixes_styles(number, position)
    ]
    if problems:
        raise ConfigurationError(problems)
    applying = run.rows.candidates(applying)
    try:
        outcome = applying.decide(deadline)
    except TimeUpError:
        raise OutOfTimeError("time ran out while the releases were compared; raise --time-limit") from None
    run.outcome = run.rows.counted(outcome, prepared.n)
    run.draft.source_rows = prepared.source_rows - run.rows.released_before
    return applying


def _least(run: _RecordedRun) -> int:
    """Rows of a class that is released: with so many, thresholds of the whole table hold too."""
    privacy = run.loaded.config.privacy
    return sufficient_k(privacy.k, thresholds_of(privacy))


def _verify(run: _RecordedRun, engine: Engine, prepared: FullDomain, written: Source) -> None:
    """Counts again what was written. Raises VerificationError."""
    outcome = run.outcome
    assert outcome is not None
    expected = ExpectedLevels(
        columns=[column.name for column in prepared.roles.released],
        rows=outcome.released,
        masked=0,
        question=question_of(prepared, _least(run), written),
        recounted=None,
        again=None,
        levels=run.generalization(prepared).levels(),
    )
    run.draft.counts = verify(engine, written, expected)


def _recount(
    run: _RecordedRun, engine: Engine, prepared: FullDomain, written: Source, texts: Texts, earlier: Sequence[Source]
) -> None:
    """Counts again what the release and each earlier one tell apart. Raises VerificationError."""
    outcome, question = run.outcome, question_of(prepared, _least(run), written)
    assert outcome is not None
    numbered = run.rows.told_apart(earlier)
    run.differences = run.place.differences(engine, texts, written, numbered, question)
    run.draft.suppressed, run.draft.released = outcome.suppressed, outcome.released
    run.draft.solution = {"levels": run.levels, "height": sum(run.node)}
