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

    `entity` names the column that tells persons apart where one has several rows; None where each row is a person. It
    was `entity_said` by somebody, not assumed.
    """

    recipient: str = "public"
    purpose: str = "research"
    known: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    entity: str | None = None
    entity_said: bool = False


@dataclass(frozen=True)
class Findings:
    """What was found in a table before anything is asked: `roles` and `entity` are what is proposed by then.

    `sets` are small sets of columns by the rows that they single out, of `rows_looked_at`. Quasi-identifiers that are
    `left_out` are not released, since others say the same: the reason by column. `maybe_persons` are columns that
    perhaps name who has several rows, which nobody but people can tell.
    """

    profile: Profile
    roles: Mapping[str, Role]
    entity: str | None
    determined: tuple[Determined, ...]
    sets: tuple[SubsetMeasures, ...] = ()
    rows_looked_at: int = 0
    left_out: Mapping[str, str] = field(default_factory=dict)
    maybe_persons: tuple[str, ...] = ()

    def columns(self, role: str) -> list[ColumnProfile]:
        """The columns of a role, in the table's order."""
        return [one for one in self.profile.columns if self.roles[one.name].role == role]

    def generalized(self) -> list[ColumnProfile]:
        """The quasi-identifiers that are released."""
        return [one for one in self.columns("quasi-identifier") if one.name not in self.left_out]

    def rows_each(self, name: str) -> float:
        """How many rows a value of a column has on average."""
        column = self.profile.column(name)
        return (column.rows - column.missing) / max(column.distinct, 1)

    def repeated(self) -> list[str]:
        """What is said of rows, and of ids of rows, that are there twice."""
        found, lines = self.profile, []
        if found.duplicates:
            verb = "row repeats" if found.duplicates == 1 else "rows repeat"
            lines.append(
                f"{found.duplicates:,} {verb} another one in every column. Where they are copies of one record, k "
                "counts its person more than once: remove them first"
            )
        for one in found.columns:
            again = one.rows - one.missing - one.distinct
            is_id = one.finding is not None and one.finding.name in ("id", *_OF_ONE) and one.name != self.entity
            if is_id and one.exact and one.alone >= _NEARLY_ALL and again > 0:
                verb = "row repeats" if again == 1 else "rows repeat"
                lines.append(f"{again:,} {verb} a value of {one.name}, which nearly all others have for themselves")
        return lines

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
_NEARLY_ALL = 0.9
_OF_ONE = ("social security number", "insurance number", "passport number")
