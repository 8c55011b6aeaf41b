"""The configuration of the privacy models: what every equivalence class of a release must satisfy."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    BeforeValidator,
    Field,
    ValidatorFunctionWrapHandler,
    WithJsonSchema,
    WrapValidator,
    model_validator,
)

from kanon_sql.settings import rules
from kanon_sql.settings.part import ColumnName, Name, Part, short_for
from kanon_sql.settings.source import SourceConfig

Threshold = Annotated[Decimal, Field(max_digits=9), WithJsonSchema({"type": "number"})]
Population = Annotated[SourceConfig, short_for("path")]
T = TypeVar("T")


def _no_truth_value(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError("expected a number, got a truth value")
    return value


class Alone(list[T]):
    """The entries of a model that was written as one mapping; the report shows it so again."""


def _entries(value: Any, validated: ValidatorFunctionWrapHandler) -> Any:
    return Alone(validated([value])) if isinstance(value, Mapping) else validated(value)


class LDiversity(Part):
    """l-diversity of a sensitive column (Machanavajjhala et al., TKDD 2007)."""

    column: ColumnName = Field(description="a sensitive column")
    l: Annotated[Threshold, BeforeValidator(_no_truth_value)] = Field(  # noqa: E741
        ge=1, description="how many values a class holds at least, or as good as holds"
    )
    variant: Literal["distinct", "entropy", "recursive"] = Field("distinct", description="what counts as diverse")
    c: Threshold | None = Field(None, gt=0, description="recursive: how much the most frequent value may outweigh")

    @model_validator(mode="after")
    def options_fit(self) -> LDiversity:
        self._obey(rules.l_diversity)
        return self


class TCloseness(Part):
    """t-closeness of a sensitive column (Li, Li and Venkatasubramanian, ICDE 2007)."""

    column: ColumnName = Field(description="a sensitive column")
    t: Annotated[Threshold, BeforeValidator(_no_truth_value)] = Field(
        ge=0, le=1, description="how far the values of a class may be from those of all rows"
    )
    distance: Literal["equal", "ordered", "hierarchical"] = Field("equal", description="between two values")
    hierarchy: Name | None = Field(None, description="hierarchical: a hierarchy file, or the name of a ready one")

    @model_validator(mode="after")
    def options_fit(self) -> TCloseness:
        self._obey(rules.t_closeness)
        return self


class AlphaK(Part):
    """(alpha, k)-anonymity of a sensitive column (Wong, Li, Fu and Wang, KDD 2006)."""

    column: ColumnName = Field(description="a sensitive column")
    alpha: Annotated[Threshold, BeforeValidator(_no_truth_value)] = Field(
        gt=0, le=1, description="the greatest share of a class that one value may have"
    )


class Beta(Part):
    """beta-likeness of a sensitive column (Cao and Karras, PVLDB 2012)."""

    column: ColumnName = Field(description="a sensitive column")
    beta: Annotated[Threshold, BeforeValidator(_no_truth_value)] = Field(
        gt=0, description="how much more frequent than in all rows a value may be in a class, relatively"
    )
    variant: Literal["basic", "enhanced"] = Field("basic", description="enhanced bounds frequent values further")


class DeltaDisclosure(Part):
    """delta-disclosure privacy of a sensitive column (Brickell and Shmatikov, KDD 2008)."""

    column: ColumnName = Field(description="a sensitive column")
    delta: Annotated[Threshold, BeforeValidator(_no_truth_value)] = Field(
        gt=0, description="bound on the logarithm of a value's share of a class by its share of all rows"
    )


class KMap(Part):
    """k-map (Sweeney, PhD thesis 2001): classes counted in a population table."""

    k: Annotated[int, BeforeValidator(_no_truth_value)] = Field(
        ge=1, description="persons of the population that each class stands for at least"
    )
    population: Population = Field(description="the table of the population: a path, or a mapping as for source")


class DeltaPresence(Part):
    """delta-presence (Nergiz, Atzori and Clifton, SIGMOD 2007): how sure one may be that a person is in the table."""

    min: Annotated[Threshold, BeforeValidator(_no_truth_value)] = Field(
        Decimal(0), ge=0, le=1, description="the least share of a class of the population that is in the table"
    )
    max: Annotated[Threshold, BeforeValidator(_no_truth_value)] = Field(
        Decimal(1), ge=0, le=1, description="the greatest share"
    )
    population: Population = Field(description="the table of the population: a path, or a mapping as for source")

    @model_validator(mode="after")
    def bounds_are_in_order(self) -> DeltaPresence:
        self._obey(rules.delta_presence)
        return self


class PrivacyConfig(Part):
    """What every equivalence class of the release must satisfy; each model takes a mapping or a list of them."""

    k: Annotated[int, BeforeValidator(_no_truth_value)] = Field(
        1, ge=1, description="rows that each equivalence class holds at least"
    )
    l_diversity: Annotated[list[LDiversity], WrapValidator(_entries)] = Field(
        [], description="how many values of a sensitive column each class holds"
    )
    t_closeness: Annotated[list[TCloseness], WrapValidator(_entries)] = Field(
        [], description="how near each class is to all rows in a sensitive column"
    )
    alpha_k: Annotated[list[AlphaK], WrapValidator(_entries)] = Field(
        [], description="how frequent a sensitive value may be in a class"
    )
    beta: Annotated[list[Beta], WrapValidator(_entries)] = Field(
        [], description="how much a class may reveal of a sensitive value, relatively"
    )
    delta_disclosure: Annotated[list[DeltaDisclosure], WrapValidator(_entries)] = Field(
        [], description="how much a class may reveal of a sensitive value, as a logarithm"
    )
    k_map: Annotated[list[KMap], WrapValidator(_entries)] = Field(
        [], description="persons of a population that each class stands for"
    )
    delta_presence: Annotated[list[DeltaPresence], WrapValidator(_entries)] = Field(
        [], description="how sure one may be that a person is in the table"
    )
    entity: ColumnName | None = Field(
        None, description="a column that names persons: k counts these and not rows; never released"
    )

    @model_validator(mode="after")
    def asks_for_something(self) -> PrivacyConfig:
        self._obey(rules.privacy)
        return self
