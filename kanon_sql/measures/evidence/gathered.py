"""What the parts of a page share: it is read once, when the first of them asks for it.

What a page compares the release with: the rows that were released, as they are in the source.

A figure of the whole source beside one of the release would be an equation for the few rows between them, which were
suppressed. So these are left out of the source before anything of it is measured; how many they are is told.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from sqlglot import exp

from kanon_sql.errors import EngineError, InterruptedRunError, KanonError
from kanon_sql.hierarchy.hierarchy import Hierarchies
from kanon_sql.measures.link.matching import find_cells, meaning_of
from kanon_sql.measures.release_pair import ReleasePair
from kanon_sql.measures.risk.table import count_tuples
from kanon_sql.progress import Progress
from kanon_sql.release.full_domain import FullDomainRelease
from kanon_sql.report.page.withheld import left_out
from kanon_sql.report.report import levels_of
from kanon_sql.search.full_domain.measures import nothing
from kanon_sql.search.full_domain.problem import FullDomain, FullDomainResult
from kanon_sql.search.full_domain.thresholds import make_checker
from kanon_sql.search.prepare import prepare_search, request_of
from kanon_sql.search.problem import Request, SearchProblem
from kanon_sql.source.columns import bring_counted
from kanon_sql.source.model import Source
from kanon_sql.sql.template import scoped_apart, state

if TYPE_CHECKING:
    from kanon_sql.results.told import ToldLoss, ToldReport

GONE = "the source is not there any more: nothing of it is shown beside the release"


@dataclass(frozen=True)
class Gathered:
    """A subject and its JSON report, with what is counted of both tables.

    The source is without the rows that were suppressed (see as_released); `whole` is the subject with all of them.
    `alone` says why there is no source.
    """

    subject: ReleasePair
    report: ToldReport
    alone: str = GONE
    with_all: ReleasePair | None = None

    @property
    def whole(self) -> ReleasePair:
        """The subject with all rows of the source."""
        return self.with_all or self.subject

    @property
    def names(self) -> list[str]:
        """The quasi-identifiers in the configuration's order."""
        return list(self.subject.loaded.config.quasi_identifiers)

    @property
    def full_domain(self) -> bool:
        """Whether all rows of a column are released at one level."""
        return self.subject.loaded.config.algorithm.declared.full_domain

    @property
    def masked(self) -> int:
        """Rows of the release that are * in every quasi-identifier for being suppressed."""
        return self.report["rows"]["masked"] or 0

    @cached_property
    def problem(self) -> SearchProblem | None:
        """The source by its distinct tuples, in the tables of the search; None where it is gone."""
        subject = self.subject
        if subject.result is not None:
            return subject.result.problem
        if subject.source is None:
            return None
        hierarchies = dict(subject.hierarchies)
        args = (subject.engine, subject.loaded, subject.source, subject.roles, hierarchies)
        return prepare_search(*args, subject.call.progress)

    @cached_property
    def levels(self) -> dict[str, int] | None:
        """The level of each quasi-identifier; None where classes have levels of their own."""
        result = self.subject.result
        if isinstance(result, FullDomainResult) and result.choice.winner is not None:
            return result.levels()
        return levels_of(self.report["solution"])

    @cached_property
    def request(self) -> Request:
        """What was asked of the release; only where the source is there."""
        if self.subject.result is not None:
            return self.subject.result.request
        assert self.problem is not None
        return request_of(self.subject.loaded.config, self.problem.n)

    @cached_property
    def loss(self) -> ToldLoss | None:
        """What the release loses, as the report says it; None where nobody knows."""
        result = self.subject.result
        return result.describe_loss() if result is not None else self.report["loss"]

    def loss_of(self, name: str) -> float | None:
        """The loss of one quasi-identifier, 0 to 1."""
        return None if self.loss is None else self.loss["attributes"].get(name)

    @cached_property
    def missing(self) -> tuple[str, ...]:
        """The texts of the release that stand for a missing value."""
        source = self.subject.source
        return tuple(dict.fromkeys((*self.subject.release.missing, *(source.missing if source else ()))))

    @cached_property
    def tuples(self) -> str:
        """The table of the release's distinct tuples (v0, v1 ... as texts, NULL where missing, row_count)."""
        subject, table = self.subject, state("page_tuples")
        release, weighted = subject.release, subject.release.weighted
        hierarchies: Hierarchies = subject.hierarchies
        meanings = [meaning_of(*hierarchies[name], levels=self.full_domain) for name in self.names]
        cells, problems = find_cells(replace(release, missing=self.missing), self.names, meanings)
        if problems:
            raise EngineError(problems)
        rows = release.relation
        if release.backend.weighted:
            rows, weighted = self._brought(release), True
        count_tuples(subject.engine, rows, table, [cell.text for cell in cells], weighted=weighted)
        return table

    def _brought(self, release: Source) -> exp.Select:
        """The release's distinct tuples, where another engine holds its rows."""
        read = [column for column in release.columns if column.name in self._released_as()]
        return bring_counted(self.subject.engine, release.backend, release.relation, read, state("page_brought"))

    def _released_as(self) -> set[str]:
        return {name + end for name in self.names for end in ("", "_lower", "_upper")}


_ELSEWHERE = "rows were suppressed, and the other rows of the source cannot be told from them"


@contextmanager
def as_released(subject: ReleasePair, report: ToldReport) -> Iterator[Gathered]:
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
    if source.backend.weighted:
        raise EngineError("another engine holds them")
    result = _result(whole)
    if result.suppressed != hidden:
        raise EngineError("the source is not as it was")
    rows = FullDomainRelease(whole.subject.engine, result).released_rows()
    return replace(source, relation=rows, columnar=False)


def _result(whole: Gathered) -> FullDomainResult:
    """What the search came to; of a release that is there the node of its levels."""
    result, problem = whole.subject.result, whole.problem
    if isinstance(result, FullDomainResult):
        return result
    if not isinstance(problem, FullDomain) or whole.levels is None:
        raise EngineError("the levels of the release are not known")
    request = whole.request
    checker = make_checker(problem.nodes, problem.frequency, problem.models, request.k, request.limit, Progress())
    winner = checker.measures(tuple(whole.levels[name] for name in problem.names))
    return FullDomainResult(problem, request, replace(nothing(problem.lattice), winner=winner), checker=checker)
