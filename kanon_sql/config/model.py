"""The configuration as typed data: what a file, a dictionary or command-line options come to.

Short forms (a text for a mapping, a list for a mapping of empty entries) are expanded before validation,
so the rest of the program sees one form only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from math import floor
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema

from kanon_sql.privacy.registry import PrivacyConfig
from kanon_sql.settings import rules
from kanon_sql.settings.algorithms import AGGREGATES, ALGORITHMS, ENGINES, Algorithm, either, values
from kanon_sql.settings.formats import typed_formats, written_formats
from kanon_sql.settings.part import ColumnName, DataText, Name, OneOf, Origin, Part, ShortFor, Width
from kanon_sql.settings.report import ReportConfig
from kanon_sql.settings.rules import ExactlyOne, Excludes, GoesWith, Needs, Odd
from kanon_sql.settings.source import CsvOptions, SourceConfig, file_of_database
from kanon_sql.settings.treatments import TreatmentConfig, treated_columns

_PLACE = ExactlyOne(
    ("path", "table"),
    none="expected one of path, database with table, or in-place; add one",
    several="expected one place to write to, got {key} besides {first}; keep one",
    true=("in_place",),
)


_TARGET = ShortFor("path", (("in-place", {"in_place": True}),))


class TargetConfig(Part):
    """Where the release goes."""

    between = (
        _PLACE,
        Odd(condition={"dependentRequired": {"table": ["database"]}}),  # another engine's tables need none
        GoesWith("database", "table", "database needs the table to make; add table, or remove database", of=_PLACE),
        Excludes("table", ("format", "csv", "compression"), "{key} goes with path; remove it", of=_PLACE, apart=True),
        Excludes("format", ("csv",), "csv does not go with format: {value}; remove one", typed_formats, apart=True),
    )

    path: Name | None = Field(None, description="a file, CSV, Parquet, JSON lines or JSON")
    in_place: bool = Field(False, description="replace the source, all or nothing")
    format: Annotated[str, OneOf(written_formats)] | None = Field(
        None, description="default: by the suffix of the path"
    )
    csv: CsvOptions = Field(CsvOptions(), description="how the CSV file is written")
    compression: Name | None = Field(
        None, description="Parquet: snappy, zstd, gzip, lz4_raw, uncompressed; CSV, JSON: gzip, zstd"
    )
    overwrite: bool = Field(False, description="replace an existing target")
    database: Name | None = Field(
        None, description="a database file of DuckDB or SQLite, or ducklake: and the catalog of a lake, with table"
    )
    table: Name | None = Field(None, description="the table to make in the database or by the engine")
    allow_remanence: bool = Field(
        False, description="earlier rows may remain: in an existing database file, a lake, or versions of a bucket"
    )
    allow_broken: bool = Field(False, description="replace a table although views or foreign keys need the old one")

    @property
    def database_file(self) -> str | None:
        """The file of the database, or of the lake's catalog."""
        return file_of_database(self.database)


# Each built-in hierarchy with its options, the one that it needs first.
BUILTINS: dict[str, tuple[str, ...]] = {
    "suppress": (),
    "prefix": ("keep",),
    "intervals": ("widths", "origin", "bottom", "top"),
    "date": ("levels",),
    "merge-rare": ("below", "other"),
    "icd10": (),
    "nace": (),
    "isco": (),
    "de-plz": (),
    "fr-postal": (),
    "uk-postcode": (),
}


class QuasiIdentifier(Part):
    """How one quasi-identifier is generalized, and within which levels."""

    between = (
        Excludes("hierarchy", ("builtin",), "hierarchy and builtin exclude each other; keep one"),
        Excludes(
            "type",
            ("hierarchy", "builtin"),
            "type orders a column without hierarchy; remove it, or the hierarchy",
            at_key=True,
        ),
        *(
            GoesWith(
                key,
                "builtin",
                f"{{key}} goes with builtin: {builtin}; remove it, or say builtin: {builtin}",
                (builtin,),
            )
            for builtin, keys in BUILTINS.items()
            for key in keys
        ),
        *(
            Needs(
                "builtin", builtin, key, f"builtin: {builtin} needs a list of at least one entry in {key}; add it", True
            )
            for builtin, keys in BUILTINS.items()
            for key in keys[:1]
        ),
        Odd(rules.levels_in_order),
    )

    hierarchy: Name | None = Field(None, description="a hierarchy file, or the name of a ready one")
    builtin: Annotated[str, OneOf(lambda: tuple(BUILTINS))] | None = Field(
        None, description="a hierarchy that needs no file"
    )
    keep: list[Annotated[int, Field(ge=0)]] | None = Field(
        None, description="prefix: how many characters each level keeps"
    )
    widths: list[Width] | None = Field(
        None, description="intervals: how wide each level's are; each width divides the next"
    )
    origin: Origin | None = Field(None, description="intervals: a bound of an interval, default 0")
    bottom: Origin | None = Field(None, description="intervals: values below it are one, <18, from level 1 on")
    top: Origin | None = Field(None, description="intervals: this value and those above it are one, >=90")
    levels: list[Name] | None = Field(None, description="date: day, month, quarter, year, decade ...")
    below: list[Annotated[int, Field(ge=2)]] | None = Field(
        None, description="merge-rare: values that fewer rows hold become one, a number for each level"
    )
    other: Annotated[DataText, Field(min_length=1)] | None = Field(
        None, description="merge-rare: what rare values become, default Other"
    )
    min_level: Annotated[int, Field(ge=0)] | None = Field(None, description="lowest level of a release")
    max_level: Annotated[int, Field(ge=0)] | None = Field(None, description="highest level of a release")
    weight: float = Field(1.0, gt=0, allow_inf_nan=False, description="weight of its loss in the objective")
    aggregate: Annotated[str, OneOf(lambda: tuple(AGGREGATES))] | None = Field(
        None, description="what a class shows in place of a label: one value made of those of its rows"
    )
    type: Literal["number", "date", "text"] | None = Field(
        None, description="mondrian, local: how a column without hierarchy is ordered"
    )


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


_PERCENT = re.compile(r"\s*([0-9]{1,30}(?:\.[0-9]{0,30})?|\.[0-9]{1,30})\s*%\s*")
_ROWS = re.compile(r"\s*([0-9]{1,18})\s*")
_FRACTION = re.compile(r"\s*([0-9]{0,18}\.[0-9]{1,18})\s*")

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
    fraction = _FRACTION.fullmatch(str(value)) if isinstance(value, (str, float, Decimal)) else None
    if fraction:
        percent = Decimal(fraction[1]) * (100 if Decimal(fraction[1]) < 1 else 1)
        raise ValueError(f"expected whole rows, or a share in percent: write {percent.normalize():f}% for a share")
    if not rows:
        raise ValueError('expected a number of rows, 0 or more, or a share such as "1%"')
    return int(rows[1])


RowsOrShare = Annotated[
    int | str,
    BeforeValidator(_limit),
    WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 0}, {"type": "string", "pattern": _LIMIT}]}),
]


def _rows_of(limit: int | str, n: int) -> int:
    return limit if isinstance(limit, int) else floor(Fraction(limit.rstrip("%")) * n / 100)


class SuppressionConfig(Part):
    """How many rows may be suppressed at most."""

    limit: RowsOrShare = Field(0, description='rows, or a share such as "1%" of the rows that take part')

    def rows(self, n: int) -> int:
        """The limit in rows of `n`: a share is the floor of the exact decimal product."""
        return _rows_of(self.limit, n)


class AlgorithmConfig(Part):
    """Which search finds the release."""

    between = (
        rules.OptionsOfAlgorithm(),
        rules.GoesWith("reserve", "blind", "reserve goes with blind: true; add it or remove reserve"),
    )

    name: Annotated[str, OneOf(lambda: tuple(ALGORITHMS))] = Field("optimal", description="the search")
    prefer: Annotated[str, OneOf(lambda: values("prefer"))] | None = Field(
        None, description="samarati, minimal: which of the minimal nodes"
    )
    objective: Annotated[str, OneOf(lambda: values("objective"))] | None = Field(
        None, description="optimal: what the release has the least of"
    )
    cut: Annotated[str, OneOf(lambda: values("cut"))] | None = Field(
        None, description="mondrian: where a partition may be cut"
    )
    dimension: Annotated[str, OneOf(lambda: values("dimension"))] | None = Field(
        None, description="mondrian: along which quasi-identifier it is cut"
    )
    effort: Annotated[str, OneOf(lambda: values("effort"))] | None = Field(
        None, description="local: how long it looks for less loss, and for a proof of how little it could be"
    )
    seed: int | None = Field(None, description="mondrian, local: draws what is drawn; default 0")
    strata: list[ColumnName] | None = Field(
        None, description="microaggregation: columns that are released as they are; groups never mix their values"
    )
    blind: bool | None = Field(
        None, description="optimal, samarati, minimal: the levels are chosen without a look at sensitive values"
    )
    reserve: RowsOrShare | None = Field(
        None, description="with blind: rows of the suppression limit, or a share, that are left to models beyond k"
    )

    @property
    def declared(self) -> Algorithm:
        """What the search is, and what bears on it."""
        return ALGORITHMS[self.name]

    def options(self) -> dict[str, Any]:
        """The options of the search, with those that are taken where none is given; None for a number without."""
        options = self.declared.options.items()
        given = {key: getattr(self, key, None) for key, _ in options}
        return {key: given[key] if given[key] is not None or not taken else taken[0] for key, taken in options}

    def describe(self) -> dict[str, Any]:
        """The search with its options, as reports show it."""
        return {"name": self.name, **{key: value for key, value in self.options().items() if value is not None}}

    def reserved(self, n: int) -> int:
        """The rows of `n` that a blind search leaves to models which read sensitive values."""
        return _rows_of(self.reserve or 0, n)

    def takes_weights(self) -> bool:
        """Whether weights of quasi-identifiers bear on what is found."""
        weighed = self.declared.weighed_by
        return weighed is not None and all(self.options()[key] in taken for key, taken in weighed.items())


class ReleaseConfig(Part):
    """How the release is written."""

    order: Literal["random", "none"] = Field("random", description="order of the released rows")
    suppressed: Literal["drop", "mask"] = Field("drop", description="what becomes of suppressed rows")
    seed: int | None = Field(None, description="for tests only: makes the order repeatable")
    ranges: Literal["text", "columns", "widened"] = Field(
        "text",
        description="mondrian, local: ranges of numbers and dates as one text, as columns x_lower and x_upper, or with "
        "ends that are no values of the data",
    )
    verify: Literal["full", "counts"] = Field(
        "full", description="full: every row that was written is compared with the source; counts: its classes only"
    )


_ENGINE = ExactlyOne(
    ("name", *(name for name in ENGINES if name != "duckdb")),
    none="expected duckdb, spark: URL or postgres: URL; add one",
    several="expected one engine, got {key} besides {first}; keep one",
    in_schema=False,
)


def _settings(given: Mapping[str, Any]) -> rules.Faults:
    taking = [name for name, able in ENGINES.items() if able.settings]
    if rules.given_of(given, "config") and _ENGINE.given(given) and _ENGINE.given(given)[0] not in taking:
        yield ("config",), f"config goes with {either(taking)}; remove it"


class EngineConfig(Part):
    """The engine that holds the rows and does the work."""

    between = (_ENGINE, Odd(_settings))

    name: Literal["duckdb"] | None = Field(None, description="duckdb: inside this process, the default")
    spark: Name | None = Field(None, description="local[*], spark://host:7077 or sc://host:15002 (Spark Connect)")
    postgres: Name | None = Field(None, description="a connection URL, postgresql://user@host/database")
    config: dict[Name, DataText] = Field(
        {}, description="spark: settings of the session, such as spark.executor.memory"
    )

    @property
    def chosen(self) -> str:
        """The name of the engine."""
        return next((name for name in ENGINES if getattr(self, name, None) is not None), "duckdb")


class ReleasesConfig(Part):
    """The ledger of releases over time."""

    path: Name = Field(description="a DuckDB file of its own, made by the first run")
    on_conflict: Literal["refuse", "warn"] = Field(
        "refuse", description="what becomes of a release that earlier ones of the same source make unsafe"
    )


class Config(Part):
    """One anonymization: source, roles of the columns, models, search and target."""

    between = (
        Odd(rules.roles),
        Odd(rules.ends_of_intervals),
        Odd(rules.blind_and_masked),
        Odd(rules.strata),
        Odd(treated_columns),
    )

    source: Annotated[SourceConfig, ShortFor("path")] = Field(description="where the rows are: a path, or a mapping")
    target: Annotated[TargetConfig | None, _TARGET] = Field(
        None, description="where the release goes: a path, in-place, or a mapping"
    )
    identifiers: list[ColumnName] = Field([], description="columns that are never released")
    quasi_identifiers: Annotated[
        dict[ColumnName, Annotated[QuasiIdentifier, ShortFor("hierarchy")]],
        BeforeValidator(_quasi_identifiers),
    ] = Field(min_length=1, description="columns that together may identify a person, with their hierarchies")
    sensitive: list[ColumnName] = Field([], description="columns whose values nobody may learn of a person")
    insensitive: list[ColumnName] = Field([], description="columns released unchanged")
    unlisted: Literal["error", "drop", "insensitive"] = Field(
        "error", description="what becomes of columns that no list names"
    )
    accept: list[ColumnName] = Field(
        [], description="columns that are released although they look like an identifier or free text"
    )
    transform: dict[ColumnName, TreatmentConfig] = Field(
        {}, description="what is done to the values of columns before anything is generalized"
    )
    privacy: PrivacyConfig = Field(description="the models that the release must satisfy, such as k: 10")
    group: ColumnName | None = Field(
        None, description="a column that names households: the rows of each are released or suppressed together"
    )
    suppression: SuppressionConfig = Field(
        SuppressionConfig(), description="how many rows may be suppressed, such as limit: 1%"
    )
    missing: Literal["keep", "drop", "drop-any"] = Field("keep", description="what becomes of rows with NULLs")
    algorithm: Annotated[AlgorithmConfig, ShortFor("name")] = Field(
        AlgorithmConfig(), description="which search finds the release: a name, or a mapping"
    )
    strata: list[ColumnName] = Field([], description="short for strata of the algorithm microaggregation")
    release: ReleaseConfig = Field(ReleaseConfig(), description="how the release is written")
    engine: Annotated[EngineConfig, ShortFor("name")] = Field(
        EngineConfig(name="duckdb"), description="where the rows are and the work is done: duckdb, or a mapping"
    )
    search_in: Literal["auto", "duckdb", "engine"] = Field(
        "auto", description="with another engine: where distinct tuples are searched; auto decides by their number"
    )
    report: Annotated[ReportConfig | None, ShortFor("json")] = Field(
        None, description="where the JSON report is written: a path, or a mapping"
    )
    releases: ReleasesConfig | None = Field(None, description="the ledger that keeps what was released of which source")

    @property
    def replaces_source(self) -> bool:
        """Whether the release takes the source's place."""
        return self.target is not None and self.target.in_place
