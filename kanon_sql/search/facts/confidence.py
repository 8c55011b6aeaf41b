"""Sets of facts that tell a sensitive value: too great a share of the persons who keep the set have the value.

LKC-privacy: N. Mohammed, B. Fung, P. Hung, C. Lee: Anonymizing healthcare data: a case study on the blood transfusion
service. KDD 2009. That k persons keep a set is monotone and prunes; shares are not, so they are counted of the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Item

_ROOM = "search/facts"


@dataclass(frozen=True)
class Confidence:
    """No value of the table `values` (person, value) is had by more than a `share` below 1 of those who keep a set."""

    values: str
    share: Fraction

    def shortages(
        self, engine: Engine, tables: tuple[str, str, str], members: Sequence[Item], draw: int | None
    ) -> list[tuple[object, ...]]:
        """Makes the table of facts of which persons must lose one in each set that tells a value; the engine's answer.

        Args:
            engine: the engine.
            tables: what is kept, its support, and the table of shortages that is made.
            members: the further facts of sets of one size.
            draw: the number of a draw, by which other persons are chosen.
        """
        kept, support, shortages = tables
        most, of = self.share.as_integer_ratio()
        names = {"kept": kept, "support": support, "told": self.values, "shortages": shortages}
        values = {"most": most, "of": of, "draw": draw or 0}
        return engine.query(f"{_ROOM}/telling", names=names, lists={"member": list(members)}, values=values)
