"""The configuration as typed data: what a file, a dictionary or command-line options come to.

Short forms (a text for a mapping, a list for a mapping of empty entries) are expanded before validation,
so the rest of the program sees one form only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from math import floor
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from kanon_sql.config import rules

Objective = Literal["loss", "geometric-mean-loss", "discernibility", "average-class-size", "precision", "entropy"]
Preference = Literal["loss", "first", "absolute-distance", "relative-distance", "distribution", "suppression"]
AlgorithmName = Literal["optimal", "samarati", "minimal", "mondrian", "local"]
Cut = Literal["strict", "strict-le", "relaxed"]
DimensionChoice = Literal["loss", "widest", "random"]
FileFormat = Literal["csv", "parquet"]

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


class Part(BaseModel):
    """Base of all parts of a configuration: unknown keys are errors, nothing changes after loading."""

    # The input may hold what ${NAME} stands for: no error of pydantic's own repeats it.
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    def _obey(self, rule: Callable[[Mapping[str, Any]], rules.Faults]) -> None:
        """Raises what `rule` finds between the keys that were given; its type "rule" tells it apart."""
        given = {key: getattr(self, key) for key in type(self).model_fields if key in self.model_fields_set}
        found = "; ".join(text for _, text in rule(given))
        if found:
            raise PydanticCustomError("rule", "{found}", {"found": found})


class CsvOptions(Part):
    """How a CSV file is written; what is left out is found out from the file."""

    delimiter: str | None = Field(None, min_length=1, max_length=4, description="between two fields")
    header: bool | None = Field(None, description="whether the first line names the columns")
    quote: str | None = Field(None, max_length=1, description="around fields that hold delimiters")
    escape: str | None = Field(None, max_length=1, description="before a quote inside a quoted field")
    encoding: Name | None = Field(None, description="utf-8, latin-1, utf-16 or another that the engine knows")

    @field_validator("delimiter")
    @classmethod
    def _reads_tab(cls, value: str | None) -> str | None:
        # A shell passes --set 'source.csv.delimiter=\\t' on as it is typed; unquoted YAML does too.
        return "\t" if value == "\\t" else value


class SourceConfig(Part):
    """Where the rows are: files, a table of a database, or a query."""

    path: Name | None = Field(None, description="a CSV or Parquet file, a glob or a folder")
    csv: CsvOptions = Field(CsvOptions(), description="how the CSV file is written")
    missing: list[DataText] | None = Field(None, description='texts read as NULL; default [""] for CSV')
    database: Name | None = Field(None, description="a DuckDB database file, with table or query")
    table: Name | None = Field(None, description="a table of the database, schema.table")
    query: Name | None = Field(None, description="one SELECT whose result is the source")
    allow: list[Name] = Field([], description="files and folders that a query may read besides")

    @model_validator(mode="after")
    def names_one_place(self) -> SourceConfig:
        self._obey(rules.source)
        return self


class TargetConfig(Part):
    """Where the release goes."""

    path: Name | None = Field(None, description="a CSV or Parquet file")
    in_place: bool = Field(False, description="replace the source, all or nothing")
    format: FileFormat | None = Field(None, description="default: by the suffix of the path")
    csv: CsvOptions = Field(CsvOptions(), description="how the CSV file is written")
    compression: Name | None = Field(
        None, description="Parquet: snappy, zstd, gzip, lz4_raw, uncompressed; CSV: gzip, zstd"
    )
    overwrite: bool = Field(False, description="replace an existing target")
    database: Name | None = Field(None, description="a DuckDB database file, with table")
    table: Name | None = Field(None, description="the table to make in the database")
    allow_remanence: bool = Field(False, description="write a second table into the source's own database")

    @model_validator(mode="after")
    def names_one_place(self) -> TargetConfig:
        self._obey(rules.target)
        return self


def _target(value: Any) -> Any:
    if isinstance(value, str):
        return {"in_place": True} if value == "in-place" else {"path": value}
    return value


class QuasiIdentifier(Part):
    """How one quasi-identifier is generalized, and within which levels."""

    hierarchy: Name | None = Field(None, description="a hierarchy file, or the name of a ready one")
    builtin: Literal["suppress", "prefix", "intervals", "date"] | None = Field(
        None, description="a hierarchy that needs no file"
    )
    keep: list[Annotated[int, Field(ge=0)]] | None = Field(
        None, description="prefix: how many characters each level keeps"
    )
    widths: list[Width] | None = Field(
        None, description="intervals: how wide each level's are; each width divides the next"
    )
    origin: Origin | None = Field(None, description="intervals: a bound of an interval, default 0")
    levels: list[Name] | None = Field(None, description="date: day, month, quarter, year, decade ...")
    min_level: Annotated[int, Field(ge=0)] | None = Field(None, description="lowest level of a release")
    max_level: Annotated[int, Field(ge=0)] | None = Field(None, description="highest level of a release")
    weight: float = Field(1.0, gt=0, allow_inf_nan=False, description="weight of its loss in the objective")
    type: Literal["number", "date", "text"] | None = Field(
        None, description="mondrian, local: how a column without hierarchy is ordered"
    )

    @model_validator(mode="after")
    def options_fit(self) -> QuasiIdentifier:
        self._obey(rules.quasi_identifier)
        return self


def _quasi_identifiers(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        if not all(isinstance(name, str) for name in value):
            raise ValueError("expected names of columns in the list")
        if len(set(value)) < len(value):
            raise ValueError("expected every column only once in the list")
        return {name: {} for name in value}
    if isinstance(value, dict):
        return {name: {} if entry is None else entry for name, entry in value.items()}
    return value


def _no_truth_value(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError("expected a whole number, got a truth value")
    return value


class PrivacyConfig(Part):
    """What every equivalence class of the release must satisfy."""

    k: Annotated[int, BeforeValidator(_no_truth_value)] = Field(
        ge=1, description="rows that each equivalence class holds at least"
    )


_PERCENT = re.compile(r"\s*([0-9]{1,30}(?:\.[0-9]{0,30})?|\.[0-9]{1,30})\s*%\s*")
_ROWS = re.compile(r"\s*([0-9]{1,18})\s*")

# The same for editors: up to 100 %, nothing above.
_LIMIT = r"^\s*(0*([0-9]{1,2}(\.[0-9]*)?|100(\.0*)?)|\.[0-9]+)\s*%\s*$"


def _limit(value: Any) -> Any:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    share = _PERCENT.fullmatch(value) if isinstance(value, str) else None
    if share:
        if Fraction(share[1]) > 100:
            raise ValueError("expected a share of the rows of at most 100%")
        return f"{share[1]}%"
    rows = _ROWS.fullmatch(value) if isinstance(value, str) else None
    if not rows:
        raise ValueError('expected a number of rows, 0 or more, or a share such as "1%"')
    return int(rows[1])


class SuppressionConfig(Part):
    """How many rows may be suppressed at most."""

    limit: Annotated[
        int | str,
        BeforeValidator(_limit),
        WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 0}, {"type": "string", "pattern": _LIMIT}]}),
    ] = Field(0, description='rows, or a share such as "1%" of the rows that take part')

    def rows(self, n: int) -> int:
        """The limit in rows of `n`: a share is the floor of the exact decimal product."""
        if isinstance(self.limit, int):
            return self.limit
        return floor(Fraction(self.limit.rstrip("%")) * n / 100)


class AlgorithmConfig(Part):
    """Which search finds the release."""

    name: AlgorithmName = Field("optimal", description="the search")
    prefer: Preference | None = Field(None, description="samarati, minimal: which of the minimal nodes")
    objective: Objective | None = Field(None, description="optimal: what the release has the least of")
    cut: Cut | None = Field(None, description="mondrian: where a partition may be cut")
    dimension: DimensionChoice | None = Field(None, description="mondrian: along which quasi-identifier it is cut")
    seed: int | None = Field(None, description="mondrian, local: makes what is drawn repeatable")

    @model_validator(mode="after")
    def options_fit(self) -> AlgorithmConfig:
        self._obey(rules.algorithm)
        return self


class ReleaseConfig(Part):
    """How the release is written."""

    order: Literal["random", "none"] = Field("random", description="order of the released rows")
    suppressed: Literal["drop", "mask"] = Field("drop", description="what becomes of suppressed rows")
    seed: int | None = Field(None, description="for tests only: makes the order repeatable")
    ranges: Literal["text", "columns"] = Field(
        "text",
        description="mondrian, local: ranges of numbers and dates as one text, or as columns x_lower and x_upper",
    )


class Config(Part):
    """One anonymization: source, roles of the columns, models, search and target."""

    source: Annotated[SourceConfig, short_for("path")] = Field(description="where the rows are: a path, or a mapping")
    target: Annotated[TargetConfig, BeforeValidator(_target)] | None = Field(
        None, description="where the release goes: a path, in-place, or a mapping"
    )
    identifiers: list[ColumnName] = Field([], description="columns that are never released")
    quasi_identifiers: Annotated[
        dict[ColumnName, Annotated[QuasiIdentifier, short_for("hierarchy")]],
        BeforeValidator(_quasi_identifiers),
    ] = Field(min_length=1, description="columns that together may identify a person, with their hierarchies")
    sensitive: list[ColumnName] = Field([], description="columns whose values nobody may learn of a person")
    insensitive: list[ColumnName] = Field([], description="columns released unchanged")
    unlisted: Literal["error", "drop", "insensitive"] = Field(
        "error", description="what becomes of columns that no list names"
    )
    privacy: PrivacyConfig = Field(description="the models that the release must satisfy, such as k: 10")
    suppression: SuppressionConfig = Field(
        SuppressionConfig(), description="how many rows may be suppressed, such as limit: 1%"
    )
    missing: Literal["keep", "drop", "drop-any"] = Field("keep", description="what becomes of rows with NULLs")
    algorithm: Annotated[AlgorithmConfig, short_for("name")] = Field(
        AlgorithmConfig(), description="which search finds the release: a name, or a mapping"
    )
    release: ReleaseConfig = Field(ReleaseConfig(), description="how the release is written")
    report: Name | None = Field(None, description="where the JSON report is written")

    @model_validator(mode="after")
    def roles_are_disjoint(self) -> Config:
        self._obey(rules.roles)
        return self
