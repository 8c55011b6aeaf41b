"""What a page compares the release with: the rows that were released, as they are in the source.

A figure of the whole source beside one of the release would be an equation for the few rows between them, which were
suppressed. So these are left out of the source before anything of it is measured; how many they are is told.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from kanon_sql.commands.page.gathered import Gathered
from kanon_sql.commands.subject import Subject
from kanon_sql.errors import EngineError, InterruptedRunError, KanonError
from kanon_sql.progress import Progress
from kanon_sql.release.full_domain import FullDomainRelease
from kanon_sql.report.page.model import Json
from kanon_sql.report.page.told import left_out
from kanon_sql.search.full_domain.choice import nothing
from kanon_sql.search.full_domain.problem import FullDomain, FullDomainResult
from kanon_sql.search.full_domain.thresholds import make_checker
from kanon_sql.source.model import Source
from kanon_sql.sql.template import scoped_apart

_ELSEWHERE = "rows were suppressed, and the other rows of the source cannot be told from them"


@contextmanager
def as_released(subject: Subject, report: Json) -> Iterator[Gathered]:
    """Both tables, where rows were suppressed without these in the source; without a source where that cannot be done.

    What the search came to is of the whole source, and is left out, too. Raises only InterruptedRunError.
    """
    whole = Gathered(subject, report)
    hidden = left_out(report)
    if not hidden or subject.source is None:
        yield whole
        return
    why = _ELSEWHERE
    try:
        source = _without_suppressed(whole, hidden)
    except InterruptedRunError:
        raise
    except KanonError as error:
        why, source = f"{_ELSEWHERE} ({subject.loaded.redact(error.problems[0])})", None
    except Exception as error:  # whatever it is, the release is as good as without a page
        why, source = f"{_ELSEWHERE} (unexpected {type(error).__name__})", None
    with scoped_apart("released"):
        yield Gathered(replace(subject, source=source, result=None), report, why, subject)


def _without_suppressed(whole: Gathered, hidden: int) -> Source:
    """The source without the rows that the release suppresses. Raises EngineError where these cannot be told apart."""
    source = whole.subject.source
    assert source is not None
    if not source.backend.abilities.rows:
        raise EngineError("another engine holds them")
    result = _result(whole)
    if result.suppressed != hidden:
        raise EngineError("the source is not as it was")
    rows = FullDomainRelease(whole.subject.engine, result).released_rows()
    return replace(source, relation=rows, columnar=False)


def _result(whole: Gathered) -> FullDomainResult:
    """What the search came to; of a release that is there the node of its levels."""
    found, problem = whole.subject.result, whole.problem
    if isinstance(found, FullDomainResult):
        return found
    if not isinstance(problem, FullDomain) or whole.levels is None:
        raise EngineError("the levels of the release are not known")
    request = whole.request
    checker = make_checker(problem.nodes, problem.frequency, problem.models, request.k, request.limit, Progress())
    winner = checker.measures(tuple(whole.levels[name] for name in problem.names))
    return FullDomainResult(problem, request, replace(nothing(problem.lattice), winner=winner), checker=checker)
