"""The privacy models by their keys, and the part of a configuration that asks for them.

Each module of the folder `models` holds one; nothing names them all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules
from types import GenericAlias
from typing import Annotated, Any, TypeVar

from pydantic import Field, ValidatorFunctionWrapHandler, WrapValidator
from pydantic.fields import FieldInfo

from kanon_sql.privacy import models
from kanon_sql.privacy.base import Persons, PrivacyModel
from kanon_sql.privacy.thresholds import THRESHOLDS, AverageRisk, Threshold, UniquenessThreshold
from kanon_sql.settings import rules
from kanon_sql.settings.part import ColumnName, Part
from kanon_sql.settings.rules import Schema, needs
from kanon_sql.settings.source import SourceConfig
from kanon_sql.settings.yaml import KeyPath

T = TypeVar("T")

for _module in iter_modules(models.__path__):
    import_module(f"{models.__name__}.{_module.name}")
# The models by their keys, in the order of these.
MODELS = {model.key: model for model in sorted(PrivacyModel.__subclasses__(), key=lambda model: model.position)}


class SingleEntry(list[T]):
    """The entries of a model that was written as one mapping, not a list; the report repeats it that way."""


def _entries(value: Any, validated: ValidatorFunctionWrapHandler) -> Any:
    return SingleEntry(validated([value])) if isinstance(value, Mapping) else validated(value)


class _RequiresSomething:
    """At least one requirement is given: k, or a model or threshold in its place."""

    def faults(self, entries: Mapping[str, Any]) -> rules.Faults:
        keys = ["k"] if rules.given_of(entries, "known_columns") else self._keys()
        if not rules.given_of(entries, *keys):
            yield ("k",), "k is missing, expected rows that each equivalence class holds at least; add it"

    def schema(self) -> Schema:
        return {"anyOf": [needs(key) for key in self._keys()], "dependentRequired": {"known_columns": ["k"]}}

    def _keys(self) -> list[str]:
        return ["k", *(model.key for model in MODELS.values() if model.replaces_k), *THRESHOLDS]


class PrivacyConfig(Part):
    """What every equivalence class of the release must satisfy; each model takes a mapping or a list of them."""

    between = (_RequiresSomething(),)

    k: Persons = Field(1, ge=1, description="rows that each equivalence class holds at least")
    known_columns: Persons | None = Field(
        None, ge=1, description="k holds for every combination of so many quasi-identifiers at most, not for all"
    )
    population_uniqueness: UniquenessThreshold | None = Field(
        None, description="the share of the population's persons who are unique by the release, estimated"
    )
    average_risk: AverageRisk | None = Field(None, description="the mean of 1 / rows of the class, over released rows")
    entity: ColumnName | None = Field(
        None, description="a column that names persons: k counts these and not rows; never released"
    )


def entries_of(part: Mapping[str, Any]) -> Iterator[tuple[KeyPath, type[PrivacyModel], Mapping[str, Any]]]:
    """The raw entries of the models with their paths: one alone, or several in a list."""
    for key, model in MODELS.items():
        value = part.get(key)
        if isinstance(value, Mapping):
            yield (key,), model, value
        for index, entry in enumerate(value if isinstance(value, (list, tuple)) else ()):
            if isinstance(entry, Mapping):
                yield (key, index), model, entry


def faults(config: Mapping[str, Any], show: Callable[[KeyPath, str], str]) -> rules.Faults:
    """The errors between keys of the raw models, and in the roles of their columns; `show` gives a name's text."""
    part = config.get("privacy")
    if not isinstance(part, Mapping):
        return
    sensitive = config.get("sensitive", [])
    for path, model, entry in entries_of(part):
        base = ("privacy", *path)
        yield from (((*base, *below), text) for below, text in model.faults(entry))
        name, population = entry.get("column"), entry.get("population")
        is_sensitive = not isinstance(sensitive, (list, tuple)) or name in sensitive
        if "column" in model.model_fields and isinstance(name, str) and not is_sensitive:
            shown = show((*base, "column"), name)
            yield (*base, "column"), f"column {shown} is not among sensitive; add it there"
        if isinstance(population, Mapping):
            problems = (*SourceConfig.faults(population), *rules.in_duckdb(population))
            yield from (((*base, "population", *below), text) for below, text in problems)
    entity = part.get("entity")
    for role in ("quasi_identifiers", "sensitive", "insensitive"):
        names = config.get(role)
        if isinstance(entity, str) and isinstance(names, (Mapping, list, tuple)) and entity in names:
            yield ("privacy", "entity"), f"the entity is never released, but is listed in {role}; remove it there"


_FIRST, _LAST = ("k", "known_columns"), (*THRESHOLDS, "entity")


def _declare() -> None:
    """Gives the configuration a key for each model, between known_columns and the thresholds."""
    fields = PrivacyConfig.model_fields
    first, last = ({key: fields[key] for key in keys} for keys in (_FIRST, _LAST))
    fields.clear()
    fields.update(first)
    for model in MODELS.values():
        entries: Any = Annotated[GenericAlias(list, (model,)), WrapValidator(_entries)]
        fields[model.key] = FieldInfo.from_annotated_attribute(entries, Field([], description=model.summary))
    fields.update(last)
    PrivacyConfig.model_rebuild(force=True)


_declare()


@contextmanager
def registered(model: type[PrivacyModel]) -> Iterator[None]:
    """Registers one more model while it lasts, for tests.

    Classes that hold a PrivacyConfig are to be rebuilt (`model_rebuild(force=True)`), then and afterwards.
    """
    MODELS[model.key] = model
    _declare()
    try:
        yield
    finally:
        del MODELS[model.key]
        _declare()


@dataclass(frozen=True)
class Model:
    """One entry of `privacy` beside k; `population` is the number of its population table, or None."""

    spec: PrivacyModel
    population: int | None

    @property
    def key(self) -> str:
        return self.spec.key

    @property
    def column(self) -> str | None:
        """Its sensitive column, None for a model of a population."""
        return getattr(self.spec, "column", None)


def thresholds_of(config: PrivacyConfig) -> tuple[Threshold, ...]:
    """The thresholds on the released table as a whole."""
    thresholds: Iterator[Threshold | None] = (getattr(config, key) for key in THRESHOLDS)
    return tuple(threshold for threshold in thresholds if threshold is not None)


def models_of(config: PrivacyConfig) -> tuple[Model, ...]:
    """The models of a configuration beside k, in its order of keys."""
    listed: list[Model] = []
    populations = 0
    for key, model in MODELS.items():
        for spec in getattr(config, key):
            counted = "population" in model.model_fields
            listed.append(Model(spec, populations if counted else None))
            populations += counted
    return tuple(listed)
