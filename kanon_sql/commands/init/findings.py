"""What was found in a table, and what only people know of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kanon_sql.commands.init.roles import Determined, Role
from kanon_sql.commands.risk.subsets import SubsetMeasures
from kanon_sql.source.profile.model import ColumnProfile, Profile


@dataclass(frozen=True)
class Answers:
    """What only people know: for whom and what the release is, what others may know of a person, what a person is.

    `entity` names the column that tells persons apart where one has several rows; None where each row is a person.
    """

    recipient: str = "public"
    purpose: str = "research"
    known: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    entity: str | None = None


@dataclass(frozen=True)
class Findings:
    """What was found in a table before anything is asked: `roles` and `entity` are what is proposed by then.

    `sets` are small sets of columns by the rows that they single out, of `rows_looked_at`.
    """

    profile: Profile
    roles: Mapping[str, Role]
    entity: str | None
    determined: tuple[Determined, ...]
    sets: tuple[SubsetMeasures, ...] = ()
    rows_looked_at: int = 0

    def columns(self, role: str) -> list[ColumnProfile]:
        """The columns of a role, in the table's order."""
        return [one for one in self.profile.columns if self.roles[one.name].role == role]
