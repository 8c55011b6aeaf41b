"""The columns beside the quasi-identifiers that are nearly unique in the release: k does not speak of these."""

from __future__ import annotations

from kanon_sql.errors import EngineError
from kanon_sql.measures.evidence.gathered import Gathered
from kanon_sql.report.page.model import PageFacts, UniqueColumn

_SHARE = 0.5  # of the released rows


def measure(gathered: Gathered, facts: PageFacts) -> tuple[UniqueColumn, ...]:
    """Those in which more than half of the released rows hold a value of their own, unless `accept` names them."""
    subject, release = gathered.subject, gathered.subject.release
    if release.weighted:
        raise EngineError("the rows of the release are in another engine")
    accepted = subject.loaded.config.accept
    roles = {column.name: subject.roles.of(column) for column in subject.roles.released if column.name not in accepted}
    looked_at = {column: _SHARE for column in release.columns if roles.get(column.name) in ("sensitive", "insensitive")}
    if not looked_at:
        return ()
    rows = facts.report["rows"]["released"] + (facts.report["rows"]["masked"] or 0)
    unique = release.backend.alone(release, release.relation, rows, looked_at)
    return tuple(
        UniqueColumn(
            unique_column.column.name, roles[unique_column.column.name], unique_column.rows, unique_column.looked_at
        )
        for unique_column in unique
    )
