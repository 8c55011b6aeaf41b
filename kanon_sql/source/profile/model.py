"""What is known of a column, and of a table, once it was profiled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal[
    "whole number", "decimal", "date", "timestamp", "boolean", "code", "category", "text", "free text", "empty"
]

# The findings that identify a person directly; free text may hold them and is apart.
DIRECT = frozenset(
    {
        "e-mail",
        "telephone",
        "IBAN",
        "credit card",
        "social security number",
        "insurance number",
        "tax number",
        "passport number",
        "name",
        "address",
        "IP address",
        "URL",
        "id",
    }
)


@dataclass(frozen=True)
class Finding:
    """What a column is: `name`, one of `DIRECT` or of "postal code", "city", "country", "sex", "age", "birth date",
    "date", "ICD-10 code", "coordinates", "free text"; how `sure` that is (0 to 1) and `why`, without a value of the
    data.
    """

    name: str
    sure: float
    why: str


@dataclass(frozen=True)
class ColumnProfile:
    """A column of a table.

    `type` is the engine's, `kind` what the values are. `missing` counts rows, NULL and each of `missing_as`: texts of
    the program's own list of usual spellings. `distinct` values, missing ones left out, are counted where `exact`,
    else estimated. `alone` is the share of rows whose value no other row has. Texts are `shortest` to `longest`
    characters long. `lowest` and `highest` are numbers or dates, None for others; `unfit` rows are not of the kind, or
    of another format than most. `shape` is that of most values, letters as A and a, digits as 9; None where there is
    none. `reading` is what source.columns needs for the column, in the words of the configuration.
    """

    name: str
    type: str
    kind: Kind
    rows: int
    missing: int
    missing_as: tuple[str, ...]
    distinct: int
    exact: bool
    alone: float
    shortest: int
    longest: int
    lowest: Any = None
    highest: Any = None
    reading: Mapping[str, Any] = field(default_factory=dict)
    finding: Finding | None = None
    unfit: int = 0
    shape: str | None = None


@dataclass(frozen=True)
class Profile:
    """A table: its rows, columns in order, and how many rows repeat an earlier one (None where not counted).

    Where the names of the columns are perhaps the values of a first row, `named_like_values` are the positions of those
    that look so.
    """

    rows: int
    columns: tuple[ColumnProfile, ...]
    duplicates: int | None = None
    named_like_values: tuple[int, ...] = ()

    def column(self, name: str) -> ColumnProfile:
        """The column of that name."""
        return next(column for column in self.columns if column.name == name)
