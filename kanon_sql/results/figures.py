"""What the entries of all reports are made of: figures with their bounds, and counts that several of them have."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict

Count = Annotated[int, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]
Seconds = Annotated[dict[str, float], Field(json_schema_extra={"required": ["total"]})]  # of each part of a job


class Rows(TypedDict):
    """The rows of a table: those that take part are measured, those with missing values are left out."""

    source: Count
    missing: Count
    measured: Count


class RowShare(TypedDict):
    """Rows, and their share of all that take part."""

    rows: Count
    share: Share


class ClassSizes(TypedDict):
    """The equivalence classes of a table."""

    count: Count
    min: Count
    max: Count
    average: float
