"""The page of a release that is there: `kanon-sql report`.

What its run reported is taken where that report says that it is of this very file. Else the source is searched again,
and the release must have the classes that are found. In place the source is gone, and with it what only it tells.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from kanon_sql.commands.check import check_table, without_absent_entity
from kanon_sql.commands.run.pipeline import Run, configured_warnings, note_release, refuse_report, search
from kanon_sql.config.load import LoadedConfig
from kanon_sql.engines.lockdown import allow_paths
from kanon_sql.engines.opening import job_of
from kanon_sql.errors import ConfigurationError, EngineError, KanonError, NoReleaseError, VerificationError
from kanon_sql.ledger.basis import Hierarchies
from kanon_sql.ledger.earlier import telling_releases
from kanon_sql.measures.attack.board import open_control
from kanon_sql.measures.attack.played import control_of, read_attacks
from kanon_sql.measures.evidence.gathering import gather
from kanon_sql.measures.release_pair import ReleasePair
from kanon_sql.measures.risk.table import open_release
from kanon_sql.release.families import release_of
from kanon_sql.release.verify import verify
from kanon_sql.report.call import Call
from kanon_sql.report.page.model import PageFacts
from kanon_sql.report.report import ReportDraft
from kanon_sql.search.prepare import load_hierarchies, prepare_search
from kanon_sql.search.problem import SearchResult
from kanon_sql.source.columns import refuse_misfits
from kanon_sql.source.model import Source
from kanon_sql.source.roles import Roles, assign_roles
from kanon_sql.source.treatments.lookups import with_lookups
from kanon_sql.sql.connection import Engine
from kanon_sql.targets.files import file_of, new_salt, sha256

if TYPE_CHECKING:
    from kanon_sql.results.attack import AttackReport
    from kanon_sql.results.run import RunRows
    from kanon_sql.results.told import ToldReport

_GONE = (
    "the release took the source's place: what only the source tells is not known (how many rows were missing or "
    "suppressed, what was lost, which other releases there were); a run that writes its page, or its report with a "
    "ledger, keeps that"
)


def describe_release(loaded: LoadedConfig, call: Call) -> PageFacts:
    """The facts of the release that a configuration's target holds; its JSON report is among them.

    Raises ConfigurationError without a target, EngineError where there is no release, VerificationError for one that
    the configuration does not make of the source as it is now, NoReleaseError for a table in place that violates k or
    a model, and what reading and searching raise.
    """
    if loaded.config.target is None:
        place = loaded.place("target")
        raise ConfigurationError(f"{place}: there is no target; expected the file or the table of a release")
    refuse_report(loaded, call)
    attacks = None if call.attack is None else read_attacks(call.attack, loaded)
    hierarchies = load_hierarchies(loaded, show_values=call.options.show_values)
    if loaded.config.replaces_source:
        return _in_place(loaded, call, hierarchies)
    with job_of(loaded).read_rows(call.options) as (engine, source):
        with telling_releases(engine, loaded, source, hierarchies):
            roles = assign_roles(source, loaded)
        release = _opened(engine, loaded, source, roles)
        control = _control(engine, loaded, attacks, source)
        allow_paths(engine, loaded, source, None, [release, *([control] if control else [])])
        treated = with_lookups(engine, source)
        if control is not None:
            refuse_misfits(engine, control)
        subject = ReleasePair(
            engine, loaded, call, hierarchies, roles, treated, release, attacks=attacks, control=control
        )
        earlier = _earlier(loaded, release)
        if earlier is None:
            return _searched(subject)
        return _gathered(replace(subject, result=_found_again(subject, earlier)), earlier)


def _opened(engine: Engine, loaded: LoadedConfig, source: Source, roles: Roles) -> Source:
    """The release as it was written: a text file knows one missing value, the empty one, and others none."""
    like = source if not source.only_texts or "" in source.missing else replace(source, missing=(*source.missing, ""))
    release = open_release(engine, loaded, like, roles)
    if release is None:
        raise EngineError(f"{loaded.place('target')}: there is no release yet; make it: kanon-sql run {loaded.name}")
    return replace(release, missing=("",) if release.only_texts else ())


def _control(engine: Engine, loaded: LoadedConfig, attacks: AttackReport | None, source: Source) -> Source | None:
    """The control group of attacks that were played, where its file is there. Raises what opening it raises."""
    path = None if attacks is None else control_of(attacks)
    return None if path is None or not path.exists() else open_control(engine, loaded, path, source)


def _earlier(loaded: LoadedConfig, release: Source) -> ToldReport | None:
    """What the run reported that made this very file; None where nobody can say that it did."""
    report_config, file = loaded.config.report, file_of(release)
    path = None if report_config is None or report_config.data is None else loaded.base / report_config.data
    if path is None or file is None or not path.is_file():
        return None
    try:
        report: Any = json.loads(path.read_text(encoding="utf-8"))
        written = report["release"]["sha256"] if report["status"] == "released" and report["source"] else None
    except (OSError, ValueError, KeyError, TypeError):  # whatever it is, it is no report of this release
        return None
    if written is None or written != sha256(file):
        return None
    # A report of a version that knew no salt, or of a run without a page.
    return cast("ToldReport", {**report, "source": {"salt": new_salt(), **report["source"]}})


def _found_again(subject: ReleasePair, report: ToldReport) -> SearchResult | None:
    """What the search comes to, for the alternatives that it looked at; None where it is not the release's own."""
    if not subject.loaded.config.algorithm.declared.full_domain:
        return None
    try:
        _, result = _search(subject, Run(subject.loaded, subject.call, ReportDraft.of(subject.loaded)))
    except KanonError:
        return None
    return result if result.describe() == report["solution"] else None


def _search(subject: ReleasePair, run: Run) -> tuple[Source, SearchResult]:
    """(the source, what the search finds in it), noted in the draft. Raises what preparing and searching raise."""
    engine, loaded, draft, call = subject.engine, subject.loaded, run.draft, subject.call
    source = subject.source
    assert source is not None
    with call.watch.part("read"), telling_releases(engine, loaded, source, subject.hierarchies):
        prepared = prepare_search(engine, loaded, source, subject.roles, dict(subject.hierarchies), call.progress)
    draft.source_rows, draft.missing = prepared.source_rows, prepared.source_rows - prepared.n
    draft.warnings += prepared.warnings
    draft.engine = prepared.describe_engine()
    return source, search(run, engine, prepared)


def _searched(subject: ReleasePair) -> PageFacts:
    """The facts of a release of which no report is there: it must be what the search finds."""
    engine, loaded, release = subject.engine, subject.loaded, subject.release
    draft = ReportDraft.of(loaded)
    configured_warnings(loaded, draft)
    run = Run(loaded, subject.call, draft)
    source, result = _search(subject, run)
    new_release = release_of(engine, result)
    draft.masked, draft.suppressed = note_release(run, new_release), result.suppressed
    draft.released = new_release.problem.n - result.suppressed
    with subject.call.step("verify", "comparing the release", engine.progress):
        try:
            draft.counts = verify(engine, release, new_release.expected(release, draft.masked))
        except VerificationError as error:
            raise VerificationError(
                f"{release.label}: this is not the release that {loaded.name} makes of {source.label} as it is now "
                f"({problem}); run it again, or name the report of its own run in report.json"
                for problem in error.problems
            ) from error
    draft.verification = {"compared": "counts"}
    draft.status, draft.source, draft.target = "released", source.label, release.label
    draft.encoding = source.encoding
    draft.source_sha256, draft.release_sha256 = _digest(source), _digest(release)
    draft.source_salt = new_salt()
    draft.warnings.append(
        "there is no report of the run that made the release: what it says of the search is what a search finds now; "
        "the classes of the release are those, its other columns were not compared with the source"
    )
    return _undated(_gathered(replace(subject, result=result), _described(draft, subject.call)))


def _digest(table: Source) -> str | None:
    file = file_of(table)
    return None if file is None else sha256(file)


def _described(draft: ReportDraft, call: Call) -> ToldReport:
    draft.seconds = call.watch.report()
    return draft.to_dict()


def _gathered(subject: ReleasePair, report: ToldReport) -> PageFacts:
    with subject.call.step("page", "measuring for the page", subject.engine.progress):
        facts = gather(subject, report, subject.call.recipe)
    return replace(facts, report={**report, "utility": facts.utility or report.get("utility")})


def _in_place(loaded: LoadedConfig, call: Call, hierarchies: Hierarchies) -> PageFacts:
    """The facts of a release that took the source's place."""
    loaded = loaded.as_it_stands()
    with job_of(loaded).read(call.options) as (engine, source):
        loaded, _ = without_absent_entity(loaded, source)
        roles = assign_roles(source, loaded, measured_only=True)
        allow_paths(engine, loaded, source, None)
        plain = source.unread or source
        release = replace(plain, missing=("",) if plain.only_texts else ())
        subject = ReleasePair(engine, loaded, call, hierarchies, roles, None, release)
        report = _earlier(loaded, release)
        if report is None:
            return _undated(_gathered(subject, _counted(engine, loaded, call, source)))
        return _gathered(subject, report)


def _undated(facts: PageFacts) -> PageFacts:
    """The facts of a release whose report is not that of its run: `created` is the time of the page."""
    return replace(facts, notes={**facts.notes, "created": "When the release was made is not known."})


def _counted(engine: Engine, loaded: LoadedConfig, call: Call, source: Source) -> ToldReport:
    """A report of what can be counted in a release alone. Raises NoReleaseError for a table that violates something."""
    measured = check_table(engine, loaded, source, call)
    if measured["status"] != "satisfied":
        violations, classes = measured["violations"]["rows"], measured["violations"]["classes"]
        raise NoReleaseError(
            f"{loaded.place('target')}: {source.label} is no release of this configuration, {violations:,} rows in "
            f"{classes} classes violate it; make one: kanon-sql run {loaded.name}"
        )
    draft = ReportDraft.of(loaded)
    draft.source = draft.target = source.label
    draft.release_sha256, draft.source_salt = _digest(source), new_salt()
    draft.warnings.append(_GONE)
    rows: RunRows = {
        "source": None,
        "missing": None,
        "suppressed": None,
        "masked": None,
        "released": measured["rows"]["source"],
    }
    return {
        **_described(draft, call),
        "status": "released",
        "rows": rows,
        "classes": measured["classes"],
        "privacy": measured["privacy"],
    }
