"""What was found in a table, and what only people know of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

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

    `sets` are small sets of columns by the rows that they single out, of `rows_looked_at`. Quasi-identifiers that are
    `left_out` are not released, since others say the same: the reason by column.
    """

    profile: Profile
    roles: Mapping[str, Role]
    entity: str | None
    determined: tuple[Determined, ...]
    sets: tuple[SubsetMeasures, ...] = ()
    rows_looked_at: int = 0
    left_out: Mapping[str, str] = field(default_factory=dict)

    def columns(self, role: str) -> list[ColumnProfile]:
        """The columns of a role, in the table's order."""
        return [one for one in self.profile.columns if self.roles[one.name].role == role]

    def generalized(self) -> list[ColumnProfile]:
        """The quasi-identifiers that are released."""
        return [one for one in self.columns("quasi-identifier") if one.name not in self.left_out]

    def too_many(self) -> str | None:
        """What is said where there are so many quasi-identifiers that each makes the others much coarser."""
        quasi = self.generalized()
        if len(quasi) <= _MANY:
            return None
        costly = sorted(quasi, key=lambda one: -one.distinct)[:_COSTLY]
        return (
            f"{len(quasi)} quasi-identifiers are many: each makes all others coarser. Whatever the recipient does not "
            f"need is better left out, by moving it to identifiers; most values have "
            f"{', '.join(one.name for one in costly[:-1])} and {costly[-1].name}"
        )


_MANY, _COSTLY = 8, 3
