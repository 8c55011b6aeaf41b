"""What is proposed for one table of a database of persons: its facts, its dates, what is left out.

Each table is looked at as one table is, once it is known what joins them. Of a table about persons one column is
proposed as their facts, the one that works most like a code; its other columns stay out, since a fact of two columns is
rarer.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from kanon_sql.commands.init.findings import Answers, Findings
from kanon_sql.commands.init.generalizing import ProposedGeneralization
from kanon_sql.commands.init.job import InitRequest, propose
from kanon_sql.commands.init.joins import Joins
from kanon_sql.commands.init.proposal import Proposal
from kanon_sql.commands.init.treating import has_key
from kanon_sql.errors import NoReleaseError
from kanon_sql.progress import Progress
from kanon_sql.source.model import Source
from kanon_sql.source.profile.kinds import DIRECT, ColumnProfile
from kanon_sql.sql.connection import EngineOptions

_DATES = ("date", "timestamp")
_NO_CODES = ("decimal", "free text", "empty")
# Words of columns that say how a fact was recorded, not what it is.
_RECORDED = ("type", "source", "unit", "status", "count", "quantity", "number", "operator", "modifier", "route")
_MOSTLY = 0.5  # of the rows, that have a value where a column tells facts
_ABOUT_PERSONS = (*(DIRECT - {"id"}), "postal code", "coordinates")


@dataclass(frozen=True)
class TableProposal:
    """What is proposed for a table: `how` is unit, persons, keep or drop; `why`, in words.

    `facts` are its columns that others may know, each with its hierarchy or none, `dates` those that move with their
    person; what is `left_out` is not released.
    """

    name: str
    how: str
    why: str
    rows: int = 0
    link: tuple[str, str | None] | None = None
    facts: Mapping[str, ProposedGeneralization | None] = field(default_factory=dict)
    dates: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    has_dates: bool = False
    proposal: Proposal | None = field(default=None, repr=False)


class TableLook:
    """One table, looked at as a table of its own, once it is known what joins it with others."""

    def __init__(
        self,
        name: str,
        source: Source,
        joins: Joins,
        answers: Answers,
        request: InitRequest,
        options: EngineOptions,
        progress: Progress,
    ) -> None:
        self.name, self.source, self.joins, self.answers = name, source, joins, answers
        self.request, self.options, self.progress = request, options, progress
        self.fact: str | None = None

    @property
    def is_linked(self) -> bool:
        """Whether its rows are persons or find theirs."""
        return self.name == self.joins.unit.table or self.name in self.joins.links

    def table(self, kept: Collection[str]) -> TableProposal:
        """What is proposed for it, where the tables `kept` are released as they are."""
        try:
            proposal = propose(self.request, self._answer, self.options, self.progress)
        except NoReleaseError:
            return TableProposal(self.name, "drop", "it has no rows")
        rows = proposal.profile.rows
        if self.name == self.joins.unit.table:
            return self._unit(proposal, rows, kept)
        if self.name in self.joins.links:
            return self._about_persons(proposal, rows)
        listed = sorted(
            {f"{table}.{name}" for (table, name), key in self.joins.lists.items() if key.table == self.name}
        )
        personal = [
            column.name
            for column in proposal.profile.columns
            if column.finding is not None and column.finding.name in _ABOUT_PERSONS
        ]
        if listed and not personal:
            return TableProposal(self.name, "keep", f"no person's rows: it says what {listed[0]} means", rows)
        why = f"no key leads from it to the persons{f', and {personal[0]} may tell of somebody' if personal else ''}"
        return TableProposal(self.name, "drop", f"{why}; keep it if it is about nobody", rows)

    def _keys(self) -> set[str]:
        """Its columns that join it with others: the key of persons, its link, keys that are released."""
        link = self.joins.links.get(self.name)
        names = {self.joins.unit.column, *(key.column for key in self.joins.keys), *(link[:1] if link else ())}
        return names & {col.name for col in self.source.columns}

    def _answer(self, findings: Findings) -> Answers:
        """What others may know of the persons here; of a table about them that is its fact."""
        names = {column.name for column in findings.profile.columns}
        known = tuple(name for name in self.answers.known if name in names)
        unknown = tuple(name for name in self.answers.unknown if name in names)
        if self.name in self.joins.links:
            self.fact = next((name for name in known), None) or self._code(findings)
            known = () if self.fact is None else (self.fact,)
        return replace(self.answers, known=known, unknown=unknown, entity=None, entity_said=True)

    def _code(self, findings: Findings) -> str | None:
        """The column that works most like a code of what happened to a person."""
        keys = self._keys()
        candidates = [
            column
            for column in findings.profile.columns
            if column.name
            and column.name not in keys
            and column.kind not in (*_NO_CODES, *_DATES)
            and column.distinct > 1
            and column.missing <= _MOSTLY * column.rows
            and column.alone < _MOSTLY
            and (column.finding is None or column.finding.name not in DIRECT or self._is_of_list(column.name))
        ]
        ranked = sorted(candidates, key=lambda column: (-self._worth(column, findings), -column.distinct))
        return ranked[0].name if ranked else None

    def _is_of_list(self, name: str) -> bool:
        return (self.name, name) in self.joins.lists

    def _worth(self, column: ColumnProfile, findings: Findings) -> int:
        words = column.name.lower().replace("_", " ").split()
        if any(word in words for word in _RECORDED):
            return 0
        stem = self.name.lower().rsplit(".", 1)[-1].split("_")[0].rstrip("s")
        is_code = (column.finding is not None and column.finding.name == "ICD-10 code") or column.kind == "code"
        return (
            1
            + 4 * (is_code or self._is_of_list(column.name))
            + 3 * (len(stem) > 2 and column.name.lower().startswith(stem))
            + 2 * (findings.roles[column.name].role in ("sensitive", "quasi-identifier"))
        )

    def _unit(self, proposal: Proposal, rows: int, kept: Collection[str]) -> TableProposal:
        dates = tuple(name for name, treatment in proposal.treatments.items() if "shift" in treatment.spec)
        # Without the tables that they lead to these numbers mean nothing to whom gets the release.
        out = [
            name
            for (table, name), key in self.joins.lists.items()
            if table == self.name and key.table not in kept and name not in dates
        ]
        why = f"one row is one person: {self.joins.unit.column} is another one in each, and other tables name it"
        return TableProposal(self.name, "unit", why, rows, dates=dates, left_out=tuple(out), proposal=proposal)

    def _about_persons(self, proposal: Proposal, rows: int) -> TableProposal:
        keys = self._keys()
        facts: dict[str, ProposedGeneralization | None] = {}
        if self.fact is not None:
            how = proposal.generalizations.get(self.fact)
            # Numbers of codes that stand beside each other have nothing in common.
            is_plain = proposal.profile.column(self.fact).kind in ("whole number", "boolean")
            facts[self.fact] = None if is_plain or how is None or how.spec == {"builtin": "suppress"} else how
        dates = tuple(
            column.name
            for column in proposal.profile.columns
            if column.kind in _DATES and column.name and column.name not in facts and not column.unfit
        )
        moved = dates if has_key() else ()
        out = tuple(
            column.name
            for column in proposal.profile.columns
            if column.name and column.name not in facts and column.name not in moved and column.name not in keys
        )
        link = self.joins.links[self.name]
        if not facts and not moved and not any(through == self.name for _, through in self.joins.links.values()):
            why = f"its rows find their person by {link[0]}, and no other column of it is proposed"
            why += "; its dates could move with their person" if dates else ""
            return TableProposal(self.name, "drop", why, rows, has_dates=bool(dates))
        to = link[1] or self.joins.unit.table
        why = f"its rows find their person by {link[0]}{'' if link[1] is None else f', through {to}'}"
        return TableProposal(self.name, "persons", why, rows, link, facts, moved, out, bool(dates), proposal)
