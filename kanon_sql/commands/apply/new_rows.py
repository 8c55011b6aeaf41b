"""`--new-rows`: of a table of a lake only rows that came since, each once; the others wait for more of their class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kanon_sql.commands.apply.deciding import Deciding, Outcome
from kanon_sql.commands.apply.rows import AllRows
from kanon_sql.commands.apply.same_levels import Applying
from kanon_sql.config.load import LoadedConfig
from kanon_sql.errors import ConfigurationError, NoReleaseError, VerificationError
from kanon_sql.ledger.earlier import Related
from kanon_sql.ledger.ledger import Entry
from kanon_sql.report.call import Call
from kanon_sql.report.report import ReportDraft
from kanon_sql.report.words import counted
from kanon_sql.source.model import LakeVersion, Source
from kanon_sql.source.new_rows import NewRows, open_new_rows
from kanon_sql.sql.connection import Engine


class OnlyNewRows(AllRows):
    """The rows that came since a release of all rows, beside the releases of new rows since."""

    only_new = True
    _new: NewRows

    def _related(self) -> Related:
        """Raises ConfigurationError for a release of new rows that is not of the last release of all rows."""
        related, ledger = super()._related(), self.request.ledger.name
        newer = [e.id for e in related.compared if e.id > self.base.id and not e.details.get("only_new")]
        if newer:
            raise ConfigurationError(
                f"release {newer[-1]} of {ledger} holds all rows, too; name it, as what came since it is new"
            )
        parts = tuple(entry for entry in related.compared if entry.details.get("only_new"))
        return Related(parts, related.others)

    def refuse_beside(self, loaded: LoadedConfig, draft: ReportDraft) -> None:
        """Nothing: what waits comes out by this way."""

    def opened(self, engine: Engine, loaded: LoadedConfig) -> Source:
        """The columns of the new rows, until `read` reads them."""
        since = self.base.details.get("lake")
        if since is None:
            raise ConfigurationError(
                f"release {self.base.id} of {self.request.ledger.name}: it was not made of a table of a lake, or the "
                "ledger does not hold of which snapshot; make a release of all rows"
            )
        self._new = open_new_rows(engine, loaded, LakeVersion(**since), f"release {self.base.id}")
        return self._new.source

    def read(self, engine: Engine, call: Call) -> None:
        """Reads the new rows, and notes how many others were changed or deleted."""
        new = self._new
        with call.step("read", "reading new rows", engine.progress):
            count, changed = new.read(engine)
        if not count:
            raise NoReleaseError(f"{new.table.label}: no row is new since release {self.base.id}")
        assert new.table.version is not None
        ends = {"since": new.since.snapshot, "snapshot": new.table.version.snapshot}
        self.account = {**ends, "inserted": count, "changed": changed, "released_before": 0}

    @property
    def of_same_levels(self) -> Sequence[Entry]:
        return (self.base, *self.related.compared)

    def candidates(self, applying: Deciding) -> Deciding:
        assert isinstance(applying, Applying)
        return applying.of_rest() if self.related.compared else applying

    def counted(self, outcome: Outcome, rows: int) -> Outcome:
        """New rows of classes that violate by themselves wait for others of them."""
        assert self.account is not None
        self.released_before = self.account["released_before"] = rows - outcome.released - outcome.suppressed
        return replace(outcome, waiting=outcome.suppressed, violating=0, violating_classes=0)

    def told_apart(self, earlier: Sequence[Source]) -> list[tuple[int, Source]]:
        return []

    def require(self, loaded: LoadedConfig, draft: ReportDraft, outcome: Outcome | None, rows: int) -> None:
        """What is not released waits, and is not lost: no limit bounds it."""
        assert outcome is not None
        if not outcome.released:
            draft.limit = loaded.config.suppression.rows(rows)
            raise NoReleaseError(
                f"no row could be released: {counted(outcome.suppressed, 'new row')} wait until their classes satisfy "
                "k and every model by themselves"
            )

    def verify(self, applying: Deciding, written: Source) -> None:
        """Counts rows of the release again that are none of the new ones."""
        assert isinstance(applying, Applying)
        foreign = applying.foreign(written)
        if foreign:
            raise VerificationError(f"{foreign:,} rows of the release are none of the new rows")
