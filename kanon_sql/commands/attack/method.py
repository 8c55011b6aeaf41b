"""`kanon-sql attack --method`: what the release tells to somebody who knows how it was made.

The source is searched again; what is measured is measured on the release that is there, if that is what the search
finds.
"""

from __future__ import annotations

from dataclasses import replace

from kanon_sql.commands.attack.downcoding import measure_downcoding
from kanon_sql.commands.attack.minimality import TOO_FEW, Asked, measure_minimality, unmeasured
from kanon_sql.commands.run.pipeline import request_of
from kanon_sql.commands.subject import Subject
from kanon_sql.errors import NoReleaseError, OutOfTimeError, VerificationError
from kanon_sql.ledger.again import telling_releases
from kanon_sql.release.families import release_of
from kanon_sql.release.full_domain import FullDomainRelease
from kanon_sql.release.verify import verify
from kanon_sql.report.report import Json
from kanon_sql.search.full_domain.problem import FullDomainResult
from kanon_sql.search.multidimensional import MultidimensionalResult
from kanon_sql.search.prepare import prepare_search
from kanon_sql.search.problem import SearchResult
from kanon_sql.source.model import Source
from kanon_sql.sql.deadline import Deadline

_SECONDS = 60.0  # that worlds are drawn for where nothing limits the time


def measure_method(subject: Subject, source: Source, seed: int, deadline: Deadline) -> tuple[Json, list[str]]:
    """`minimality` and `downcoding` of a release, None where they cannot be measured, and what is to be said of them.

    Raises what reading the source raises.
    """
    found = _searched_again(subject, source, deadline)
    if isinstance(found, str):
        return {"minimality": None, "downcoding": None}, [found]
    assert isinstance(found, (FullDomainResult, MultidimensionalResult))
    if found.problem.models.closes:
        why = "what the method tells is not measured with known_columns and group, which suppress rows and not classes"
        return {"minimality": None, "downcoding": None}, [why]
    narrowed = measure_downcoding(subject.engine, found)
    if not isinstance(found, FullDomainResult):
        name = subject.loaded.config.algorithm.name
        why = f"minimality is not measured of {name}: whether another release was refused, and why, takes a lattice"
        told = [why] if found.problem.models.reads_values else []
        return {"minimality": None, "downcoding": narrowed}, told
    refused = unmeasured(found)
    if refused is not None:
        return {"minimality": None, "downcoding": narrowed}, [refused]
    remaining = deadline.remaining()
    within = Deadline(_SECONDS if remaining is None else min(remaining, _SECONDS))
    algorithm = subject.loaded.config.algorithm
    worlds = measure_minimality(subject.engine, found, algorithm, Asked(seed=seed), within)
    few = f"of {worlds['worlds']} worlds {worlds['kept']} lead to this release, fewer than {TOO_FEW}: "
    told = [few + "what minimality tells is not measured, and may be much"] if worlds["columns"] is None else []
    return {"minimality": worlds, "downcoding": narrowed}, told


def _searched_again(subject: Subject, source: Source, deadline: Deadline) -> SearchResult | str:
    """What the search finds in the source; why it says nothing of the release, where it does not."""
    engine, loaded, call = subject.engine, subject.loaded, subject.call
    with telling_releases(engine, loaded, source, subject.hierarchies):
        prepared = prepare_search(engine, loaded, source, subject.roles, dict(subject.hierarchies), call.progress)
    found = prepared.solve(
        engine, loaded.config.algorithm, request_of(loaded.config, prepared.n), deadline, call.progress
    )
    try:
        found.require()
        made = release_of(engine, found)
        made.describe_loss()  # which labels the classes
        masked = found.suppressed if loaded.config.release.suppressed == "mask" and made.can_mask() else 0
        release = replace(subject.release, missing=("",) if subject.release.only_texts else ())
        verify(engine, release, made.expected(release, masked))
        if isinstance(made, FullDomainRelease):
            made.list_suppressed()
    except OutOfTimeError:
        return "time ran out: what the method tells was not measured"
    except (NoReleaseError, VerificationError):
        return (
            f"{subject.release.label} is not what {loaded.name} makes of {source.label} as it is now: what the method "
            f"tells was not measured; run it again"
        )
    return found
