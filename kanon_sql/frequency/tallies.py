"""Tallies: the counts of a sensitive column's values, several in one number, each in bits of its own.

The sum of tallies tallies the sums, as no count outgrows its bits: none is above that of all rows. A combination of
quasi-identifiers is then one row, whatever values it holds, and so is a class, whose values are read from the sums.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from kanon_sql.frequency.sensitive import Totals
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Item

_BITS = 63  # of a number that is not negative
_MOST = 8  # so many numbers in a row still cost less than a row for each value


@dataclass(frozen=True)
class Tallies:
    """The tallies of a column's values: `expected` has for the code of each how many of all rows hold it."""

    expected: Mapping[int, int]

    @property
    def bits(self) -> int:
        """The bits of a count."""
        return sum(self.expected.values()).bit_length()

    @property
    def each(self) -> int:
        """How many values a number tallies, in the order of their codes."""
        return _BITS // self.bits

    @property
    def number(self) -> int:
        """How many numbers there are."""
        return max(self.expected) // self.each + 1

    @cached_property
    def columns(self) -> list[Item]:
        """The numbers, as the statements that sum them take them."""
        return [{"name": f"tally_{number}", "number": number} for number in range(self.number)]

    @cached_property
    def slots(self) -> list[Item]:
        """Where each value is counted, as the statements that read the counts take it."""
        return [
            {
                "value": value,
                "column": f"tally_{value // self.each}",
                "shift": value % self.each * self.bits,
                "mask": (1 << self.bits) - 1,
                "count": f"count_{value}",
                "expected": expected,
            }
            for value, expected in self.expected.items()
        ]


def read_tallies(engine: Engine, reference: str, totals: Totals) -> Tallies | None:
    """The tallies of the column that a reference table counts; None where its values, or its rows, are too many."""
    if not 0 < totals.values <= _MOST * _BITS // totals.total.bit_length():
        return None
    rows = engine.query("frequency/value_counts", names={"reference": reference})
    tallies = Tallies({int(value): int(row_count) for value, row_count in rows})
    return tallies if tallies.number <= _MOST else None
