"""The facts of a release's page, gathered part by part: one that cannot be had is a note, and the others are there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kanon_sql.errors import EngineError, InterruptedRunError, KanonError
from kanon_sql.measures.evidence import attacks, classes, columns, lattice, risk, unique
from kanon_sql.measures.evidence.gathered import Gathered, as_released
from kanon_sql.measures.evidence.provenance import evidence_of
from kanon_sql.measures.release_pair import ReleasePair
from kanon_sql.measures.utility.measure import measure_utility
from kanon_sql.report.page.model import Audience, Evidence, PageFacts
from kanon_sql.sql.deadline import Deadline, TimeUpError

if TYPE_CHECKING:
    from kanon_sql.results.told import ToldReport
    from kanon_sql.results.utility import Utility

_SECONDS = 60.0  # that utility has at least: a short run says little of the time it may take

# What is gathered for a field of PageFacts; it may read the fields before its own.
Part = Callable[[Gathered, PageFacts], Any]


def _utility(gathered: Gathered, _: PageFacts) -> Utility:
    """The `utility` entry, in as much time as the run took."""
    subject = gathered.subject
    if subject.source is None:
        raise EngineError(gathered.alone)
    if subject.source.backend.weighted:
        raise EngineError("utility is measured where DuckDB holds the rows, not in another engine")
    taken: float = subject.call.watch.report()["total"]
    return measure_utility(subject, Deadline(max(taken, _SECONDS)))


def _evidence(gathered: Gathered, facts: PageFacts) -> Evidence:
    return evidence_of(gathered.whole, facts.report)


PARTS: dict[str, Part] = {
    "loss": classes.measure_loss,
    "risk": risk.measure,
    "columns": columns.measure,
    "unique": unique.measure,
    "lattice": lattice.measure,
    "classes": classes.measure_classes,
    "utility": _utility,
    "attacks": attacks.measure,
    "evidence": _evidence,
}


def gather(subject: ReleasePair, report: ToldReport, recipe: str | None = None) -> PageFacts:
    """What the page of a release shows. `report` is its JSON report, `recipe` the preset that `report.for` names.

    Of a part that fails `notes` say why, by the name of its field. Raises only InterruptedRunError.
    """
    facts = PageFacts(_title(subject, report), report, removed=_removed(subject), recipe=recipe)
    facts = replace(facts, audience=_audience(subject))
    with as_released(subject, report) as gathered:
        for name, measure in PARTS.items():
            why = None
            with subject.call.progress.step(f"looking at the release: {name}", subject.engine.progress):
                try:
                    facts = replace(facts, **{name: measure(gathered, facts)})
                except InterruptedRunError:
                    raise
                except KanonError as error:
                    why = subject.loaded.redact(error.problems[0])
                except TimeUpError:
                    why = "time did not suffice"
                except Exception as error:  # whatever it is, the release is as good as without a page
                    why = f"unexpected {type(error).__name__}"
            if why is not None:
                facts.notes[name] = why
    return facts


def _audience(subject: ReleasePair) -> Audience:
    """For whom the release is, as far as the configuration says it."""
    report_config = subject.loaded.config.report
    return (
        Audience()
        if report_config is None
        else Audience(report_config.recipient, report_config.means, report_config.as_of, report_config.review)
    )


def _removed(subject: ReleasePair) -> tuple[str, ...]:
    """The columns of the source that are not released; of a source that is gone the identifiers."""
    released = {column.name for column in subject.roles.released}
    config = subject.loaded.config
    there = config.identifiers if subject.source is None else [column.name for column in subject.source.columns]
    return tuple(name for name in there if name not in released)


def _title(subject: ReleasePair, report: ToldReport) -> str:
    """What was released, by its name."""
    target = (report.get("release") or {}).get("target")
    return str(target or subject.release.label)
