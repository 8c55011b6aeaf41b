"""What keeps a release from being gone on with when its source gets new rows, said when the first one is made.

A run with a ledger: what earlier releases of the same source forbid, and the record of the new one.

L. Sweeney: k-anonymity: a model for protecting privacy. IJUFKS 10(5), 2002, section 4: rows are released in random
order; of a second release of the same rows all columns of the first count as quasi-identifiers, unless it is built on
the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from kanon_sql.config.arguments import to_yaml
from kanon_sql.config.load import LoadedConfig
from kanon_sql.config.model import ReleasesConfig
from kanon_sql.errors import EngineError, KanonError, NoReleaseError, ReleasedError, UnsettledError
from kanon_sql.ledger.basis import Hierarchies, ambiguous_labels, basis_of, counted_anew, digest
from kanon_sql.ledger.earlier import Opening, settle_open, still_beside
from kanon_sql.ledger.known_sources import (
    SourceLook,
    kept_key,
    places_of_source,
    places_of_target,
    printed,
    source_place,
    target_place,
)
from kanon_sql.ledger.ledger import Entry, Ledger, open_ledger, refuse_ledger
from kanon_sql.ledger.treated import aggregated_again, kept_of, known_again, other_keys, pseudonyms_among, treated_twice
from kanon_sql.privacy.registry import models_of
from kanon_sql.report.report import ReportDraft, describe_configuration, levels_of
from kanon_sql.settings.algorithms import ENGINES
from kanon_sql.settings.treatments import share_of
from kanon_sql.settings.version import __version__
from kanon_sql.source.columns import compared_by
from kanon_sql.source.lake import version_with_rows
from kanon_sql.source.model import Source
from kanon_sql.source.roles import Roles
from kanon_sql.sql import signals
from kanon_sql.sql.connection import Engine, EngineOptions
from kanon_sql.sql.template import Item, column
from kanon_sql.targets.files import file_of, new_salt, sha256
from kanon_sql.targets.outputs import refuse_outputs
from kanon_sql.targets.target import Sink

if TYPE_CHECKING:
    from kanon_sql.results.run import LedgerEntry


def no_new_data(loaded: LoadedConfig, of_labels: Sequence[str] = ()) -> list[str]:
    """A warning where `apply` will refuse releases of this configuration; nothing where it takes them.

    `of_labels` are the reasons that the released labels give.
    """
    config = loaded.config
    reasons = []
    if not config.algorithm.declared.full_domain:
        reasons.append(f"{config.algorithm.name}, which has no levels (algorithm: optimal has)")
    if config.target is not None and config.target.path is not None and not ENGINES[config.engine.chosen].files:
        reasons.append(f"a file that {config.engine.chosen} copies to (a table is compared where the rows are)")
    if config.privacy.entity is not None:
        reasons.append("entity, which no release holds (without it k counts rows: one row a person)")
    if config.privacy.known_columns is not None:
        reasons.append("known_columns (k alone is held for all columns together)")
    if config.group is not None:
        reasons.append("group")
    reasons += dict.fromkeys(model.key for model in models_of(config.privacy) if model.population is not None)
    if any(spec.aggregate is not None for spec in config.quasi_identifiers.values()):
        reasons.append("aggregate (a hierarchy has labels instead)")
    reasons += [
        f"the {end} of {name!r}, a share of which each table has another end (a number is the same in all)"
        for name, treatment in config.transform.items()
        for end in ("bottom", "top")
        if share_of(getattr(treatment, end)) is not None
    ]
    reasons += of_labels
    if not reasons:
        return []
    return [
        f"{loaded.place('releases')}: kanon-sql apply will refuse new data beside it, for {'; '.join(reasons)}; "
        "change that before the first release where rows will be added or removed, for a later run from the same place "
        "counts as a second release of the same rows"
    ]


Json = dict[str, Any]


@dataclass(frozen=True)
class NewRelease:
    """A release that was written and verified, and is not in its place yet.

    `paths` are the (files, folders) that it was written to. `handed_in` says of source and target
    whether Python handed them in, so that no other run finds them again.
    `applied` is the release whose levels it was made at, compared with those of the `seen` releases that the ledger
    held then; `only_new` says that it holds new rows alone, and `released_before` how many rows of the source earlier
    releases of new rows hold.
    """

    engine: Engine
    source: Source
    roles: Roles
    hierarchies: Hierarchies
    written: Source
    draft: ReportDraft
    paths: tuple[list[Path], list[Path]]
    handed_in: tuple[bool, bool] = (False, False)
    applied: Entry | None = None
    seen: int = 0
    only_new: bool = False
    released_before: int = 0


def refuse_early(
    loaded: LoadedConfig, draft: ReportDraft, options: EngineOptions, opening: Opening, *, dry_run: bool = False
) -> None:
    """What can be told before any row is read: the ledger can be used, and the order of the rows will be random.

    Open releases of the ledger are settled first (see settle_open), but by a dry run. Two releases in one order are
    joined by their places. Raises NoReleaseError for such an order, or warns where the configuration says so;
    ConfigurationError and EngineError for the ledger.
    """
    releases_config = loaded.config.releases
    if releases_config is None:
        return
    path, place = loaded.base / releases_config.path, loaded.place("releases")
    refuse_ledger(path, place)
    refuse_outputs([loaded], [("the ledger", path)])
    if not dry_run:
        settle_open(path, place, options, opening)
    release = loaded.config.release
    if release.order == "none" or release.seed is not None:
        what = "the order is not random" if release.order == "none" else "release.seed makes the order repeatable"
        problem = f"{what}, and two releases in one order can be joined by the places of their rows"
        conflict(loaded, releases_config, draft, f"{problem}; set release.order: random, without a seed")


def put_in_place(loaded: LoadedConfig, new_release: NewRelease, sink: Sink) -> None:
    """Puts a verified release in its place, and records it, with digests, where a ledger is kept.

    Raises NoReleaseError for a conflict with earlier releases, EngineError for the ledger, the target, or a source that
    changed since the run began to read it.
    """
    if loaded.config.releases is not None and new_release.draft.release_sha256 is None:
        note_digests(new_release, sink)
    with _recorded(loaded, new_release, sink):
        # The last look at them is after the last reading: a source in place is replaced by what follows.
        new_release.engine.watch.require_unchanged()
        new_release.engine.watch.forget()
        signals.hold()
        sink.commit(new_release.engine)
        new_release.draft.status = "released"


def note_digests(new_release: NewRelease, sink: Sink) -> None:
    """Takes the digests of both files, where each is one: of the source as it was read, of the release as it is put."""
    read, staged = file_of(new_release.source), sink.staged_file()
    if read is not None and read == new_release.source.database and not new_release.engine.owned:
        read = None  # it is the user's to close, and what it holds may not be in the file yet
    new_release.draft.source_sha256 = None if read is None else sha256(read, new_release.engine.held)
    new_release.draft.source_salt = new_salt()
    new_release.draft.release_sha256 = None if staged is None else sha256(staged)


def rehearse(loaded: LoadedConfig, new_release: NewRelease) -> None:
    """What `put_in_place` would find in a ledger; neither the release nor a record of it is made.

    Raises NoReleaseError for a conflict with earlier releases, EngineError for the ledger or a source that changed.
    """
    new_release.engine.watch.require_unchanged()
    releases_config = loaded.config.releases
    if releases_config is None:
        return
    path = loaded.base / releases_config.path
    earlier: Sequence[Entry] = ()
    if path.is_file() and path.stat().st_size:
        with open_ledger(path, loaded.place("releases"), write=False) as ledger:
            earlier = ledger.entries()
    _refuse_complementary(loaded, releases_config, new_release, _entry(loaded, new_release, earlier), earlier)


@contextmanager
def _recorded(loaded: LoadedConfig, new_release: NewRelease, sink: Sink) -> Iterator[None]:
    """The block puts the release in its place: before it conflicts are looked for, and the release recorded as open.

    It is that until the block has ended well; a release of which nobody can say any more counts as one. Raises
    NoReleaseError for a conflict that is not only to be warned of, EngineError for the ledger.
    """
    releases_config = loaded.config.releases
    if releases_config is None:
        yield
        return
    place = loaded.place("releases")
    with open_ledger(loaded.base / releases_config.path, place, write=True) as ledger:
        earlier = ledger.entries()
        entry = _entry(loaded, new_release, earlier)
        if new_release.applied is None:
            _refuse_complementary(loaded, releases_config, new_release, entry, earlier)
        elif len(earlier) != new_release.seen:
            raise EngineError(f"{place}: another release was recorded meanwhile; run again")
        else:
            new_release.draft.ledger = _account(releases_config, entry, earlier)
        try:
            ledger.add(entry)
            yield
        except ReleasedError:
            _close(ledger, entry, new_release.draft, released=True)
            raise
        except UnsettledError:
            raise  # it stays open until the next run has completed the exchange
        except (KanonError, KeyboardInterrupt):
            if not _close(ledger, entry, new_release.draft, released=False):
                sink.keep()
            raise
        _close(ledger, entry, new_release.draft, released=True)


def _close(ledger: Ledger, entry: Entry, draft: ReportDraft, *, released: bool) -> bool:
    """Says of a release in the ledger what became of it; where that fails, the next run finds it open and looks."""
    signals.hold()
    try:
        ledger.close(entry, released=released)
    except EngineError as error:
        draft.warnings.append(
            f"release {entry.id} stays open in the ledger, where it counts as one; the next run settles that: {error}"
        )
        return False
    return True


def _entry(loaded: LoadedConfig, new_release: NewRelease, earlier: Sequence[Entry]) -> Entry:
    """The release as the ledger keeps it."""
    config = loaded.config
    source, target = (
        None if handed_in else place(loaded)
        for place, handed_in in zip((source_place, target_place), new_release.handed_in, strict=True)
    )
    look = _look(loaded, new_release, earlier)
    number = earlier[-1].id + 1 if earlier else 1
    built_on = new_release.applied or look.built_on(earlier)
    same = built_on or next((entry for entry in earlier if look.has_source_of(entry)), None)
    report = new_release.draft.to_dict()
    released, released_print = printed(new_release.engine, new_release.written, look.key)
    levels = levels_of(new_release.draft.solution)
    version = None if new_release.only_new else version_with_rows(new_release.engine, new_release.source)
    return Entry(
        id=number,
        made_at=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        program=__version__,
        origin=same.origin if same else number,
        built_on=built_on.id if built_on else None,
        source=None if source is None else loaded.redact(source),
        source_place=None if source is None else digest(source),
        source_fingerprint=look.fingerprint,
        target=None if target is None else loaded.redact(target),
        target_place=None if target is None else digest(target),
        release_fingerprint=released.fingerprint,
        quasi_identifiers=[qi.name for qi in new_release.roles.quasi_identifiers],
        released=[released_column.name for released_column in new_release.roles.released],
        details={
            "configuration": loaded.redact(to_yaml(_kept_configuration(loaded))),
            "solution": new_release.draft.solution,
            "order": config.release.order,
            "folder": loaded.redact(str(loaded.base.resolve())),
            **({} if levels is None else {"columns": basis_of(new_release.roles, new_release.hierarchies, levels)}),
            **({} if new_release.applied is None else {"applied": True}),
            **({} if not new_release.only_new else {"only_new": True}),
            **({} if version is None else {"lake": asdict(version)}),
            **kept_of(new_release.source, config),
            **look.kept([released_column.name for released_column in new_release.roles.released], released_print),
            "open": [loaded.redact(path) for path in still_beside(new_release.paths)],
            **{key: report[key] for key in ("algorithm", "rows", "classes", "privacy")},
        },
    )


def _kept_configuration(loaded: LoadedConfig) -> Json:
    """The configuration as it was given, without the password of a URL."""
    given = loaded.config.model_dump(exclude_unset=True)
    return {**given, "engine": describe_configuration(loaded)["engine"]} if "engine" in given else given


def _look(loaded: LoadedConfig, new_release: NewRelease, earlier: Sequence[Entry]) -> SourceLook:
    """By what the source of a release is known again."""
    key = kept_key(earlier)
    overview, columns = printed(new_release.engine, new_release.source, key)
    if new_release.draft.source_rows not in (None, overview.rows - new_release.released_before):
        raise EngineError(f"{new_release.source.label} has other rows than when it was counted; run again")
    reads = set() if new_release.handed_in[0] else places_of_source(new_release.engine, loaded, new_release.source)
    writes = set() if new_release.handed_in[1] else places_of_target(loaded)
    return SourceLook(overview.fingerprint, columns, key, reads, writes)


def _refuse_complementary(
    loaded: LoadedConfig,
    releases_config: ReleasesConfig,
    new_release: NewRelease,
    entry: Entry,
    earlier: Sequence[Entry],
) -> None:
    """Counts the classes in all columns that earlier releases of the same source published, sensitive ones too."""
    related = [other for other in earlier if other.origin == entry.origin]
    report = new_release.draft.ledger = _account(releases_config, entry, earlier)
    report["known"], report["violating"] = [], {"classes": 0, "rows": 0}
    same_again = any(other.release_fingerprint == entry.release_fingerprint for other in related)
    if not related:
        new_release.draft.warnings += no_new_data(loaded, _of_labels(new_release))
    if entry.built_on is not None:
        new_release.draft.warnings += treated_twice(
            entry, next(other for other in earlier if other.id == entry.built_on)
        )
    if not related or entry.built_on is not None or same_again:
        return
    refuse_parts(loaded, releases_config, new_release.draft, related)
    new_release.draft.warnings += other_keys(entry, related)
    _refuse_aggregates(loaded, releases_config, new_release, entry, related)
    again = known_again(entry, related)
    repeated = [name for name in entry.released if name in again or name in entry.quasi_identifiers]
    new = set(entry.released) - set(repeated)
    written = new_release.written
    keys: list[Item] = [
        {"key": compared_by(written, source_column)}
        for source_column in written.columns
        if source_column.name not in new
    ]
    k = loaded.config.privacy.k
    held, of = _held(loaded, new_release, entry)
    names = {"written": written.relation, "held_count": held}
    counts = written.backend.query("ledger/small_classes", names=names, lists={"known": keys}, values={"k": k})[0]
    classes, rows = int(counts[0]), int(counts[1])
    report["known"], report["violating"] = repeated, {"classes": classes, "rows": rows}
    if classes:
        joining = pseudonyms_among(entry, repeated)
        conflict(
            loaded,
            releases_config,
            new_release.draft,
            f"{releases_config.path} holds {_numbers(related)} of the same source; joined "
            f"by {', '.join(map(repr, repeated))}, {classes:,} {'class holds' if classes == 1 else 'classes hold'} "
            f"fewer than {k} {of} ({rows:,} {'in all' if of == 'rows' else 'rows in all'}); take the earlier release "
            "as the source, or make these columns quasi-identifiers"
            + "".join(f", and give the pseudonyms of {name!r} another context" for name in joining),
        )


def _of_labels(new_release: NewRelease) -> list[str]:
    """Why the labels of a release say nothing of other data."""
    levels = levels_of(new_release.draft.solution)
    if levels is None:
        return []
    ambiguous = ambiguous_labels(new_release.roles, new_release.hierarchies, levels, new_release.source.missing)
    return [
        *(
            f"merge-rare of {name!r}, which each table counts anew (a hierarchy file stays as it is)"
            for name in counted_anew(new_release.hierarchies, levels)
        ),
        *(f"a label of {name!r} that reads as a missing value" for name in ambiguous),
    ]


def _held(loaded: LoadedConfig, new_release: NewRelease, entry: Entry) -> tuple[exp.Expr, str]:
    """(how many a class of what was written holds, of what): persons where they are told apart there, else rows."""
    entity = loaded.config.privacy.entity
    if entity is None or entity not in pseudonyms_among(entry, entry.released):
        return exp.Count(this=exp.Star()), "rows"
    # Rows of no person are one's.
    person = exp.Coalesce(this=column(new_release.written.column(entity).key), expressions=[exp.Literal.string("")])
    return exp.Count(this=exp.Distinct(expressions=[person])), "persons"


def _refuse_aggregates(
    loaded: LoadedConfig,
    releases_config: ReleasesConfig,
    new_release: NewRelease,
    entry: Entry,
    related: Sequence[Entry],
) -> None:
    """Columns of which an earlier release shows aggregates as well: classes of five rows and of these and a sixth have
    two means that tell the value of the sixth, though each class holds k rows.
    """
    again = aggregated_again(entry, related)
    if again:
        conflict(
            loaded,
            releases_config,
            new_release.draft,
            f"{releases_config.path} holds {_numbers(related)} of the same source; aggregates of "
            f"{', '.join(map(repr, again))} in both tell the values of rows by which their classes differ; take the "
            "earlier release as the source, or release labels instead",
        )


def refuse_parts(
    loaded: LoadedConfig, releases_config: ReleasesConfig, draft: ReportDraft, related: Sequence[Entry]
) -> None:
    """Releases of new rows alone: a release of all rows beside them holds the few rows that still wait besides."""
    parts = [entry for entry in related if entry.details.get("only_new")]
    if parts:
        conflict(
            loaded,
            releases_config,
            draft,
            f"{releases_config.path} holds {_numbers(parts)} of new rows of the same source; a release of all rows "
            "tells, beside them, the few rows that wait; go on with kanon-sql apply --new-rows",
        )


def _numbers(related: Sequence[Entry]) -> str:
    return f"{'release' if len(related) == 1 else 'releases'} {', '.join(str(entry.id) for entry in related)}"


def _account(releases_config: ReleasesConfig, entry: Entry, earlier: Sequence[Entry]) -> LedgerEntry:
    """The report's entry `ledger`: where the release is recorded, and beside which others of its source."""
    return {
        "path": releases_config.path,
        "id": entry.id,
        "earlier": [other.id for other in earlier if other.origin == entry.origin],
        "built_on": entry.built_on,
    }


def conflict(loaded: LoadedConfig, releases_config: ReleasesConfig, draft: ReportDraft, problem: str) -> None:
    """Ends the run with NoReleaseError, or warns where the configuration says so."""
    if releases_config.on_conflict == "warn":
        draft.warnings.append(problem)
        return
    raise NoReleaseError(f"{loaded.place('releases')}: {problem}; releases.on_conflict: warn releases it all the same")
