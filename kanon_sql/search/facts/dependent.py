"""Facts told only by rows that go through other rows with facts: where those are suppressed, these go with them.

A suppressed visit takes the diagnoses of that visit with it, so that a diagnosis which the search keeps may be told by
no row of the release, and what was counted with it is rarer than the search thinks.
"""

from __future__ import annotations

from dataclasses import dataclass

from kanon_sql.sql.connection import Engine
from kanon_sql.sql.tables import copy
from kanon_sql.sql.template import Fill, state

_ROOM = "search/facts"
# Tables of the program's own, by `state` where they are used.
_LEAVES, _FACTS, _TOLD = "facts_untold_leaves", "facts_untold_facts", "facts_told"


@dataclass(frozen=True)
class DependentFacts:
    """The facts that rows tell only while others are kept, at a node of the lattice.

    Tables: `carriers` (person, leaf, needed), a row for the rows that tell a fact and need the same others; `persons`
    (person, class); `numbered` (class, leaf, fact), what facts are at the node.
    """

    engine: Engine
    carriers: str
    persons: str
    numbered: str

    def untold(self, kept: str, victims: str) -> int:
        """Makes the table `victims` (person, fact) of the facts in `kept` that no row would tell; how many they are."""
        self._find_facts(kept)
        names = {"kept": kept, "untold_facts": state(_FACTS), "victims": victims}
        return int(self.engine.query(f"{_ROOM}/untold_kept", names=names)[0][0])

    def told(self, held: str, kept: str) -> str:
        """The table of the facts in `held` (person, fact, worth) that rows would tell beside those in `kept`."""
        self._find_facts(kept)
        names = {"kept": held, "victims": state(_FACTS), "remaining": state(_TOLD)}
        self.engine.query(f"{_ROOM}/without_victims", names=names)
        return state(_TOLD)

    def leave_told(self, kept: str, kept_leaves: str, remaining: str) -> None:
        """Takes the facts, as they are, that no row would tell out of the table `kept_leaves` (person, leaf, loss)."""
        self._find_leaves(kept)
        names = {"kept_leaves": kept_leaves, "untold_leaves": state(_LEAVES), "remaining": remaining}
        self.engine.query(f"{_ROOM}/told_leaves", names=names)
        self.engine.run(copy(kept_leaves, remaining))

    def _find_facts(self, kept: str) -> None:
        self._find_leaves(kept)
        self.engine.query(f"{_ROOM}/untold_facts", names={**self._names(), "untold_facts": state(_FACTS)})

    def _find_leaves(self, kept: str) -> None:
        self.engine.query(f"{_ROOM}/untold_leaves", names={**self._names(), "kept": kept})

    def _names(self) -> dict[str, Fill]:
        return {
            "carriers": self.carriers,
            "persons": self.persons,
            "numbered": self.numbered,
            "untold_leaves": state(_LEAVES),
        }
