"""What all parts of a configuration have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator
from pydantic_core import CoreSchema, PydanticCustomError, PydanticKnownError, core_schema

from kanon_sql.settings import rules
from kanon_sql.settings.algorithms import either

# YAML gives editors numbers and truth values where the strict reader keeps the text.
_AS_WRITTEN = ["string", "number", "boolean"]
ColumnName = Annotated[str, Field(min_length=1), WithJsonSchema({"type": _AS_WRITTEN, "minLength": 1})]
DataText = Annotated[str, WithJsonSchema({"type": _AS_WRITTEN})]
Width = Annotated[Decimal, Field(gt=0, max_digits=38), WithJsonSchema({"type": "number", "exclusiveMinimum": 0})]
Origin = Annotated[Decimal, Field(max_digits=38), WithJsonSchema({"type": "number"})]
Name = Annotated[str, Field(min_length=1)]


def short_for(key: str) -> BeforeValidator:
    """Lets a plain text stand for the mapping {key: text}."""

    def expand(value: Any) -> Any:
        return {key: value} if isinstance(value, str) else value

    return BeforeValidator(expand)


@dataclass(frozen=True)
class OneOf:
    """A text that is one of those that `known` gives when it is asked: what is registered by then."""

    known: Callable[[], Sequence[str]]

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self._checked)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: Any) -> dict[str, Any]:
        return {"enum": list(self.known()), "type": "string"}

    def _checked(self, value: Any) -> Any:
        known = self.known()
        if value not in known:
            raise PydanticKnownError("literal_error", {"expected": either(map(repr, known))})
        return value


class Part(BaseModel):
    """Base of all parts of a configuration: unknown keys are errors, nothing changes after loading."""

    # The input may hold what ${NAME} stands for: no error of pydantic's own repeats it.
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    # What holds between its keys.
    between: ClassVar[tuple[rules.Rule, ...]] = ()

    @classmethod
    def faults(cls, given: Mapping[str, Any]) -> rules.Faults:
        """What is wrong between the keys that were given, validated or as raw text."""
        for rule in cls.between:
            yield from rule.faults(given)

    @model_validator(mode="after")
    def _obeys(self) -> Part:
        """Raises what is wrong between the keys that were given; its type "rule" tells it apart."""
        given = {key: getattr(self, key) for key in type(self).model_fields if key in self.model_fields_set}
        found = "; ".join(text for _, text in self.faults(given))
        if found:
            raise PydanticCustomError("rule", "{found}", {"found": found})
        return self
