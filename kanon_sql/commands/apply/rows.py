"""Which rows of the new data are released: all of them, or (kanon_sql.commands.apply.new_rows) the new ones alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kanon_sql.commands.apply.deciding import Deciding, Outcome
from kanon_sql.commands.apply.request import ApplyRequest
from kanon_sql.config.load import LoadedConfig
from kanon_sql.errors import ConfigurationError, NoReleaseError
from kanon_sql.ledger.earlier import Related, find_related
from kanon_sql.ledger.ledger import Entry
from kanon_sql.ledger.recording import refuse_parts
from kanon_sql.report.call import Call
from kanon_sql.report.report import ReportDraft
from kanon_sql.source.model import Source
from kanon_sql.source.opening import open_source
from kanon_sql.sql.connection import Engine


class AllRows:
    """All rows of the new data, beside each earlier release of all rows.

    `related` are the releases of the same source as `base`, whose levels are applied. `account` is what the report says
    of the way, None where there is nothing to say.
    """

    only_new = False
    released_before = 0  # rows of the source that are left out, since earlier releases hold them
    account: dict[str, Any] | None = None

    def __init__(self, request: ApplyRequest, base: Entry) -> None:
        self.request = request
        self.base = base
        self.related = self._related()

    def _related(self) -> Related:
        if self.base.details.get("only_new"):
            raise ConfigurationError(
                f"release {self.base.id} of {self.request.ledger.name} holds new rows alone; name the release of all "
                f"rows before it: {self.base.built_on}"
            )
        return find_related(self.request.entries, self.base)

    def refuse_beside(self, loaded: LoadedConfig, draft: ReportDraft) -> None:
        """Raises NoReleaseError, or warns, for earlier releases beside which these rows would tell what waits."""
        assert loaded.config.releases is not None
        refuse_parts(loaded, loaded.config.releases, draft, self.related.compared)

    def opened(self, engine: Engine, loaded: LoadedConfig) -> Source:
        """The new data."""
        return open_source(engine, loaded)

    def read(self, engine: Engine, call: Call) -> None:
        """Reads the rows where that is not done by the statements that count them. Raises NoReleaseError."""

    @property
    def of_same_levels(self) -> Sequence[Entry]:
        """The releases whose levels must mean what they mean in the new data."""
        return self.related.compared

    def candidates(self, applying: Deciding) -> Deciding:
        """What decides on those rows that no earlier release has to hold any more."""
        return applying

    def counted(self, outcome: Outcome, rows: int) -> Outcome:
        """What was decided on of so many `rows`, in the words of this way."""
        return outcome

    def told_apart(self, earlier: Sequence[Source]) -> list[tuple[int, Source]]:
        """The earlier releases, by their numbers, from which the new one is told apart row by row."""
        return [(entry.id, table) for entry, table in zip(self.related.compared, earlier, strict=True)]

    def require(self, loaded: LoadedConfig, draft: ReportDraft, outcome: Outcome | None, rows: int) -> None:
        """Notes how many of so many `rows` may be suppressed. Raises NoReleaseError where more would be."""
        assert outcome is not None
        limit = draft.limit = loaded.config.suppression.rows(rows)
        if outcome.suppressed <= limit and outcome.released:
            return
        reason = (
            f"{outcome.suppressed:,} of {rows:,} rows would be suppressed, the limit is {limit:,}: "
            f"{outcome.waiting:,} wait until more are added to their classes, {outcome.violating:,} lie in "
            f"{outcome.violating_classes:,} classes that violate k or a model, {outcome.changed:,} in "
            f"{outcome.changed_classes:,} classes of which too few rows have changed"
        )
        if not outcome.released:
            raise NoReleaseError(f"no row could be released beside the earlier releases: {reason}")
        raise NoReleaseError(
            f"{reason}; raise it by --set suppression.limit={outcome.suppressed}, or wait for more changes"
        )

    def verify(self, applying: Deciding, written: Source) -> None:
        """Checks what only this way promises of the release. Raises VerificationError."""
