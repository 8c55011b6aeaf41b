"""What all parts of a configuration have in common."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from types import UnionType
from typing import Annotated, Any, ClassVar, NamedTuple, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema, model_validator
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


@dataclass(frozen=True)
class ShortFor:
    """A plain text stands for the mapping {key: text}, one of `words` for a mapping of its own."""

    key: str
    words: tuple[tuple[str, Mapping[str, Any]], ...] = ()

    def expand(self, value: Any) -> Any:
        """The mapping that a text stands for."""
        return {**dict(self.words).get(value, {self.key: value})} if isinstance(value, str) else value

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> CoreSchema:
        return core_schema.no_info_before_validator_function(self.expand, handler(source))


@dataclass(frozen=True)
class OneOf:
    """A text that is one of those that `registered` gives when it is asked: what is registered by then."""

    registered: Callable[[], Sequence[str]]

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self._checked)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: Any) -> dict[str, Any]:
        return {"enum": list(self.registered()), "type": "string"}

    def _checked(self, value: Any) -> Any:
        names = self.registered()
        if value not in names:
            raise PydanticKnownError("literal_error", {"expected": either(map(repr, names))})
        return value


class Part(BaseModel):
    """Base of all parts of a configuration: unknown keys are errors, nothing changes after loading."""

    # The input may hold what ${NAME} stands for: no error of pydantic's own repeats it. A part is mostly validated
    # within a whole configuration; a validator of its own is built when it is asked for, not when the program starts.
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True, defer_build=True)

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
        message = "; ".join(text for _, text in self.faults(given))
        if message:
            raise PydanticCustomError("rule", "{found}", {"found": message})
        return self


class Each(Enum):
    """A step to every entry: of a mapping, or of a list, which one entry may stand for."""

    IN_MAPPING = "mapping"
    IN_LIST = "list"


class Short(NamedTuple):
    """A short form: the steps that lead to it, the part that has the last key, and the part that it stands for."""

    steps: tuple[str | Each, ...]
    holder: type[Part]
    form: ShortFor
    part: type[Part]


def short_forms(
    holder: type[Part], steps: tuple[str | Each, ...] = (), among: Container[str] | None = None
) -> Iterator[Short]:
    """The short forms of a part and of those within it; with `among` only those at or below such keys of the part."""
    for key, field in holder.model_fields.items():
        if among is not None and key not in among:
            continue
        yield from _forms(holder, (*steps, key), field.annotation, field.metadata)


def _forms(holder: type[Part], steps: tuple[str | Each, ...], kind: Any, metadata: Sequence[Any]) -> Iterator[Short]:
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        yield from _forms(holder, steps, arguments[0], arguments[1:])
    elif origin in (list, dict):
        step = Each.IN_LIST if origin is list else Each.IN_MAPPING
        yield from _forms(holder, (*steps, step), arguments[-1], ())
    elif origin in (Union, UnionType):
        for argument in arguments:
            yield from _forms(holder, steps, argument, metadata)
    elif isinstance(kind, type) and issubclass(kind, Part):
        yield from (Short(steps, holder, form, kind) for form in metadata if isinstance(form, ShortFor))
        yield from short_forms(kind, steps)
