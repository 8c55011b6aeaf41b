"""What is told of a run, where, and for whom."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from datetime import date
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema, create_model

from kanon_sql.settings import rules
from kanon_sql.settings.part import Name, OneOf, Part

_DAY = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")

RECIPES = ("hipaa-expert", "ema-0070", "ehds", "gdpr-wp216")

if TYPE_CHECKING:
    _ReportKeys = Part
else:
    # No class body can have a field `for`, and BaseModel has a deprecated method `json`, which would be warned of.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        _ReportKeys = create_model(
            "_ReportKeys",
            __base__=Part,
            **{
                "json": (Name | None, Field(None, description="where the JSON report is written")),
                "html": (Name | None, Field(None, description="where the page for people is written")),
                "for": (
                    Annotated[str, OneOf(lambda: RECIPES)] | None,
                    Field(None, description="along whose steps the page is laid out"),
                ),
            },
        )


def _day(value: Any) -> date | None:
    """A date as year, month and day; None for all else."""
    try:
        return date.fromisoformat(value) if isinstance(value, str) and _DAY.fullmatch(value) else None
    except ValueError:
        return None


def _dated(value: Any) -> Any:
    """The text of a date, which Python may hand in as one."""
    written = value.isoformat() if type(value) is date else value
    if written is not None and _day(written) is None:
        raise ValueError("expected a date such as 2026-01-31")
    return written


Day = Annotated[
    str,
    BeforeValidator(_dated),
    WithJsonSchema({"type": "string", "format": "date", "pattern": f"^{_DAY.pattern}$"}),
]


def _days_in_order(given: Mapping[str, Any]) -> rules.Faults:
    first, last = _day(given.get("as_of")), _day(given.get("review"))
    if first is not None and last is not None and last <= first:
        yield ("review",), f"expected a date after as_of ({first}); write a later one, or remove one of both"


class ReportConfig(_ReportKeys):
    """What is told of a run, where, and for whom."""

    between = (rules.Odd(_days_in_order),)

    recipient: Name | None = Field(None, description="who gets the release, as the page says it")
    means: Name | None = Field(None, description="what the recipient has and can do to find somebody, for the page")
    as_of: Day | None = Field(None, description="the date that the data are of, for the page")
    review: Day | None = Field(None, description="when the release is to be judged again, for the page; after as_of")

    @property
    def data(self) -> str | None:
        """Where the JSON report is written."""
        return self._given("json")

    @property
    def page(self) -> str | None:
        """Where the page is written."""
        return self._given("html")

    @property
    def recipe(self) -> str | None:
        """The preset that the page is laid out for."""
        return self._given("for")

    def _given(self, key: str) -> str | None:
        value: str | None = self.__dict__[key]
        return value
