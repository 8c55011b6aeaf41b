"""What is applied to what: the configuration of a recorded release with new data and a new target.

`kanon-sql apply` from end to end: the levels of a recorded release for new data of the same source.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kanon_sql.commands.run.pipeline import refuse_report, refuse_warnings, unique_columns
from kanon_sql.commands.run.warnings import guard, unshifted_dates
from kanon_sql.commands.same_levels import Applying, Outcome, Texts, generalized, recount_differences
from kanon_sql.config.load import LoadedConfig
from kanon_sql.config.model import TargetConfig
from kanon_sql.engines.lockdown import allow_paths
from kanon_sql.engines.opening import open_released, require_rows
from kanon_sql.errors import ConfigurationError, KanonError, NoReleaseError, OutOfTimeError, VerificationError
from kanon_sql.ledger.basis import Hierarchies, ambiguous_labels, changes, counted_anew
from kanon_sql.ledger.earlier import (
    Related,
    configuration_of,
    find_related,
    open_earlier,
    refuse_place,
    telling_releases,
)
from kanon_sql.ledger.ledger import Entry, find_entry
from kanon_sql.ledger.recording import NewRelease, conflict, put_in_place, refuse_early, refuse_parts
from kanon_sql.ledger.treated import treatment_changes
from kanon_sql.privacy.registry import models_of, thresholds_of
from kanon_sql.privacy.thresholds import sufficient_k
from kanon_sql.release.release import Writing
from kanon_sql.release.statement import Generalization, sort_items
from kanon_sql.release.verify import ExpectedLevels, question_of, reading_again, verify, verify_treatments
from kanon_sql.report.call import Call, reporting
from kanon_sql.report.report import ReportDraft
from kanon_sql.report.words import counted
from kanon_sql.search.full_domain.lattice import Node
from kanon_sql.search.full_domain.problem import FullDomain
from kanon_sql.search.prepare import load_hierarchies, prepare_search
from kanon_sql.settings.columns import encoding_named, recognized
from kanon_sql.settings.formats import format_of, only_texts
from kanon_sql.settings.source import LAKE, SourceConfig, file_of_database, names_lake
from kanon_sql.source.formats.csv_bytes import chunks
from kanon_sql.source.formats.registry import telling_source
from kanon_sql.source.model import LakeVersion, Source
from kanon_sql.source.new_rows import NewRows, open_new_rows
from kanon_sql.source.opening import find_files, open_source
from kanon_sql.source.roles import Roles, assign_roles
from kanon_sql.source.treatments.applying import describe_treatments
from kanon_sql.source.treatments.ends import note_shown_ends
from kanon_sql.source.treatments.lookups import with_lookups
from kanon_sql.sql.connection import Engine, open_engine
from kanon_sql.sql.deadline import Deadline, TimeUpError
from kanon_sql.targets.opening import open_sink, prepare

_MAY_BE_SET = ("target", "suppression", "releases.on_conflict")


@dataclass(frozen=True)
class ApplyRequest:
    """What is applied: release `number` of a ledger with these `entries` to the file `data`, released to `output`.

    With `new_rows` only rows are released that came into the table of a lake since the release.
    """

    number: int
    data: Path
    ledger: Path
    entries: Sequence[Entry]
    output: Path | None
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
    require_rows(loaded, "apply")
    config = loaded.config
    problems = []
    if request.new_rows and not names_lake(config.source.database):
        problems.append(
            f"{loaded.place('source')}: of its rows nobody tells which are new; expected a table of a lake "
            f"(database: {LAKE}CATALOG), or apply without --new-rows"
        )
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
        "source": _source(config.source, request.data),
        "target": _target(request, loaded),
        "release": release,
        "releases": config.releases.model_copy(update={"path": str(request.ledger.absolute())}),
        "report": None,
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
    if request.output is None and any(key.split(".")[0] == "target" for key, _ in request.overrides):
        return target
    if request.output is not None:
        path = request.output.absolute()
    elif target.path is not None:
        path = _numbered(loaded.base / target.path, request)
    else:
        raise ConfigurationError("-o is not given; expected the file of the new release")
    kept: dict[str, Any] = {"path": str(path), "overwrite": target.overwrite}
    if target.path is not None and format_of(path) == (target.format or format_of(Path(target.path))):
        kept |= {"csv": target.csv, "compression": target.compression}
    return TargetConfig(**{name: value for name, value in kept.items() if value is not None})


def _numbered(path: Path, request: ApplyRequest) -> Path:
    """release.csv as release-2.csv; a number that is there already is replaced."""
    number = request.entries[-1].id + 1
    stem, dot, suffix = path.name.partition(".")
    head, dash, last = stem.rpartition("-")
    if dash and last == str(request.number):
        stem = head
    return path.with_name(f"{stem}-{number}{dot}{suffix}").absolute()


Json = dict[str, Any]

_WRITING = Writing(order="random", seed=None, plain_text=True, as_text=False)


@dataclass
class _RecordedRun:
    """One run, and what is recorded on the way."""

    loaded: LoadedConfig
    base: Entry
    related: Related
    request: ApplyRequest
    call: Call
    draft: ReportDraft
    outcome: Outcome | None = None
    differences: Sequence[Json] = ()
    new: NewRows | None = None
    told: Json | None = None

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
            **({} if self.told is None else {"new_rows": self.told}),
        }


def apply_release(request: ApplyRequest, call: Call) -> Json:
    """Releases new data at the levels of an earlier release, and records that; the report.

    Raises the errors of kanon_sql.errors; an existing target and the ledger are then untouched.
    """
    base = find_entry(request.entries, request.number, request.ledger)
    loaded = configure(request, base)
    _refuse_aggregates(loaded)
    draft = ReportDraft.of(loaded)
    run = _RecordedRun(loaded, base, _related(request, base), request, call, draft)
    refuse_report(loaded, call)
    with reporting(call, loaded, draft, run.report):
        _run(run)
    return run.report()


def _related(request: ApplyRequest, base: Entry) -> Related:
    """The releases that the new one is compared with: of new rows alone those of new rows.

    Raises ConfigurationError for a release of new rows that is not of the last release of all rows.
    """
    related = find_related(request.entries, base)
    if base.details.get("only_new"):
        raise ConfigurationError(
            f"release {base.id} of {request.ledger.name} holds new rows alone; name the release of all rows before it: "
            f"{base.built_on}"
        )
    if not request.new_rows:
        return related
    newer = [entry.id for entry in related.compared if entry.id > base.id and not entry.details.get("only_new")]
    if newer:
        raise ConfigurationError(
            f"release {newer[-1]} of {request.ledger.name} holds all rows, too; name it, as what came since it is new"
        )
    parts = tuple(entry for entry in related.compared if entry.details.get("only_new"))
    return Related(parts, related.others)


def _run(run: _RecordedRun) -> None:
    loaded, related, call = run.loaded, run.related, run.call
    run.draft.order = loaded.config.release.order
    if loaded.config.release.suppressed == "mask":
        run.draft.warnings.append("suppressed rows are dropped, not masked: masked ones would tell what has changed")
    refuse_early(loaded, run.draft, call.options, open_released)
    _refuse_others(run)
    for entry in (run.base, *related.compared):
        if loaded.config.target is not None and loaded.config.target.path is not None:
            refuse_place(loaded.base / loaded.config.target.path, entry, run.request.ledger)
    hierarchies = load_hierarchies(loaded, show_values=call.options.show_values)
    prepare(loaded)
    with open_engine(call.options) as engine, open_sink(engine, loaded) as sink, telling_source(engine) as read:
        source = _opened(run, engine)
        read.append(source)
        with telling_releases(engine, loaded, source, hierarchies):
            roles = assign_roles(source, loaded)
        _refuse_changes(run, source, roles, hierarchies)
        run.draft.source, run.draft.target, run.draft.encoding = source.label, sink.describe(), source.encoding
        run.draft.snapshot = source.snapshot
        sink.refuse(roles.released, loaded.place("target"))
        with call.step("read", "reading earlier releases", engine.progress):
            earlier = [open_earlier(engine, entry, run.request.ledger) for entry in related.compared]
        texts = _texts(run, source, roles, earlier)
        sink.prepare(engine, source)
        allow_paths(engine, loaded, source, sink, earlier)
        if run.new is not None:
            _read_new(run, run.new, engine)
        prepared = _prepared(run, engine, source, roles, hierarchies)
        source = prepared.source
        refuse_warnings(call, run.draft, sink)
        with call.step("decide", "comparing with earlier releases", engine.progress):
            applying = _decide(run, engine, prepared, texts, earlier, Deadline(call.time_limit))
        _require(run, prepared.n)
        with call.step("release", "writing the release", engine.progress):
            select = applying.select(sort_items(_WRITING))
            sink.put(engine, select, source, [column.name for column in roles.released])
        with call.step("verify", "verifying what was written", engine.progress):
            with reading_again():
                written = sink.written(engine)
            _verify(run, engine, prepared, written, texts, earlier)
            if run.new is not None:
                _verify_new(applying, written)
            verify_treatments(prepared, sink.whole(written))
            _note_ends(run, source, sink.whole(written))
            refuse_warnings(call, run.draft, sink)
            run.draft.verification = sink.verification(engine, loaded, written)
            seen = len(run.request.entries)
            paths = sink.paths()
            new_release = NewRelease(
                *(engine, source, roles, hierarchies, written, run.draft, paths),
                applied=run.base,
                seen=seen,
                only_new=run.new is not None,
                released_before=0 if run.told is None else run.told["released_before"],
            )
            put_in_place(loaded, new_release, sink)
        run.draft.warnings += sink.warnings
        run.draft.forgotten = sink.forgotten


def _opened(run: _RecordedRun, engine: Engine) -> Source:
    """The new data; of new rows alone their columns, until `_read_new` reads them."""
    if not run.request.new_rows:
        return open_source(engine, run.loaded)
    since = run.base.details.get("lake")
    if since is None:
        raise ConfigurationError(
            f"release {run.base.id} of {run.request.ledger.name}: it was not made of a table of a lake, or the ledger "
            "does not hold of which snapshot; make a release of all rows"
        )
    run.new = open_new_rows(engine, run.loaded, LakeVersion(**since), f"release {run.base.id}")
    return run.new.source


def _read_new(run: _RecordedRun, new: NewRows, engine: Engine) -> None:
    """Reads the new rows, and notes how many others were changed or deleted."""
    with run.call.step("read", "reading new rows", engine.progress):
        count, changed = new.read(engine)
    if not count:
        raise NoReleaseError(f"{new.table.label}: no row is new since release {run.base.id}")
    assert new.table.version is not None
    ends = {"since": new.since.snapshot, "snapshot": new.table.version.snapshot}
    run.told = {**ends, "inserted": count, "changed": changed, "released_before": 0}


def _verify_new(applying: Applying, written: Source) -> None:
    """Counts rows of the release again that are none of the new ones. Raises VerificationError."""
    foreign = applying.foreign(written)
    if foreign:
        raise VerificationError(f"{foreign:,} rows of the release are none of the new rows")


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
    if not run.request.new_rows:
        refuse_parts(run.loaded, releases_config, run.draft, run.related.compared)
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
        for entry in (*([run.base] if run.new is not None else []), *run.related.compared)
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


def _texts(run: _RecordedRun, source: Source, roles: Roles, earlier: Sequence[Source]) -> Texts:
    """How the releases are compared. Raises ConfigurationError for CSV beside other kinds."""
    target = run.loaded.config.target
    assert target is not None
    named = (target.format or format_of(Path(target.path))) if target.path is not None else None
    if target.in_place:
        named = source.kind
    as_csv = only_texts(named)
    for entry, table in zip(run.related.compared, earlier, strict=True):
        if table.only_texts != as_csv:
            raise ConfigurationError(
                f"{run.loaded.place('target')}: release {entry.id} is {'' if table.only_texts else 'no '}CSV, which "
                "does not tell an empty text from a missing value; release all as CSV, or none"
            )
    names = tuple(qi.name for qi in roles.quasi_identifiers)
    others = tuple(column.name for column in roles.released if column.name not in names)
    return Texts(names, others, source.missing, as_csv)


def _decide(
    run: _RecordedRun,
    engine: Engine,
    prepared: FullDomain,
    texts: Texts,
    earlier: Sequence[Source],
    deadline: Deadline,
) -> Applying:
    """Generalizes the new data, and decides what of it is released."""
    as_text = run.loaded.config.release.suppressed == "mask"
    generalization = run.generalization(prepared)
    candidates = generalized(engine, prepared, generalization, replace(_WRITING, order="none", as_text=as_text))
    k = _least(run)
    applying = Applying(engine, texts, prepared.models, k, candidates, earlier)
    problems = [
        f"the intervals of {mapping.column!r} are written in another way than in release {entry.id}: one of both has "
        "only integers, the other not; expected numbers of one kind"
        for number, entry in enumerate(run.related.compared, 1)
        for position, (_, mapping, level) in enumerate(generalization.quasi_identifiers)
        if mapping.builtin == "intervals" and 0 < level < mapping.height and applying.mixes_styles(number, position)
    ]
    if problems:
        raise ConfigurationError(problems)
    if run.new is not None and earlier:
        applying = applying.of_rest()
    try:
        run.outcome = applying.decide(deadline)
    except TimeUpError:
        raise OutOfTimeError("time ran out while the releases were compared; raise --time-limit") from None
    if run.told is not None:
        # New rows of classes that violate by themselves wait for others of them.
        run.outcome = replace(run.outcome, waiting=run.outcome.suppressed, violating=0, violating_classes=0)
        before = prepared.n - run.outcome.released - run.outcome.suppressed
        run.told["released_before"] = before
        run.draft.source_rows = prepared.source_rows - before
    return applying


def _least(run: _RecordedRun) -> int:
    """Rows of a class that is released: with so many, thresholds of the whole table hold too."""
    privacy = run.loaded.config.privacy
    return sufficient_k(privacy.k, thresholds_of(privacy))


def _verify(
    run: _RecordedRun, engine: Engine, prepared: FullDomain, written: Source, texts: Texts, earlier: Sequence[Source]
) -> None:
    """Counts again what was written, and what it and each earlier release tell apart. Raises VerificationError."""
    outcome = run.outcome
    assert outcome is not None
    question = question_of(prepared, _least(run), written)
    expected = ExpectedLevels(
        columns=[column.name for column in prepared.roles.released],
        rows=outcome.released,
        masked=0,
        question=question,
        recounted=None,
        again=None,
        levels=run.generalization(prepared).levels(),
    )
    run.draft.counts = verify(engine, written, expected)
    compared = [] if run.new is not None else earlier
    numbered = [(entry.id, table) for entry, table in zip(run.related.compared, compared, strict=bool(compared))]
    run.differences = recount_differences(engine, texts, written, numbered, question)
    run.draft.suppressed, run.draft.released = outcome.suppressed, outcome.released
    run.draft.solution = {"levels": run.levels, "height": sum(run.node)}


def _require(run: _RecordedRun, n: int) -> None:
    """Raises NoReleaseError where too few rows may be released."""
    outcome = run.outcome
    assert outcome is not None
    if run.new is not None and outcome.released:
        return  # what is not released waits, and is not lost
    limit = run.draft.limit = run.loaded.config.suppression.rows(n)
    if outcome.suppressed <= limit and outcome.released:
        return
    reason = (
        f"{outcome.suppressed:,} of {n:,} rows would be suppressed, the limit is {limit:,}: {outcome.waiting:,} wait "
        f"until more are added to their classes, {outcome.violating:,} lie in {outcome.violating_classes:,} classes "
        f"that violate k or a model, {outcome.changed:,} in {outcome.changed_classes:,} classes of which too few rows "
        "have changed"
    )
    if run.new is not None:
        raise NoReleaseError(
            f"no row could be released: {counted(outcome.suppressed, 'new row')} wait until their classes satisfy k "
            "and every model by themselves"
        )
    if not outcome.released:
        raise NoReleaseError(f"no row could be released beside the earlier releases: {reason}")
    raise NoReleaseError(
        f"{reason}; raise it by --set suppression.limit={outcome.suppressed}, or wait for more changes"
    )
