"""What models and thresholds ask of the table of persons itself, counted in a database as it stands.

The table is one with the quasi-identifiers of persons that stand in other tables, and is counted as `check` counts any
table; persons and values that they hold in other tables are counted by kanon_sql.commands.database.recount.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from kanon_sql.commands.check import count_as_it_stands, without_absent_entity
from kanon_sql.commands.database.standing import joined_persons
from kanon_sql.config.database import LoadedDatabase
from kanon_sql.config.load import LoadedConfig
from kanon_sql.errors import ConfigurationError
from kanon_sql.privacy.registry import MODELS, Model, models_of, thresholds_of
from kanon_sql.recount.counting import ClassCounts
from kanon_sql.report.report import Json, privacy_entries
from kanon_sql.source.model import Source
from kanon_sql.source.opening import read_source_columns
from kanon_sql.source.roles import assign_roles
from kanon_sql.sql.connection import Engine


@dataclass(frozen=True)
class OwnModels:
    """What was counted: the entries of a report's `privacy`, what does not hold, and what was not counted."""

    entries: Json = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def count_own(engine: Engine, loaded: LoadedDatabase, written: Mapping[str, Source]) -> OwnModels:
    """Counts what is asked of the table of persons beside k. Raises ConfigurationError and EngineError."""
    alone, warnings = _counted_here(loaded)
    privacy = alone.config.privacy
    if not (models_of(privacy) or thresholds_of(privacy) or privacy.entity or privacy.known_columns):
        return OwnModels(warnings=warnings)
    unit = joined_persons(loaded, written)
    alone, notes = without_absent_entity(alone, unit)
    read = {model.column for model in models_of(privacy)} | {alone.config.privacy.entity}
    present = {col.name for col in unit.columns}
    lacking = sorted(name for name in read if name is not None and name not in present)
    if lacking:
        raise ConfigurationError(
            f"{loaded.place('tables', loaded.config.unit.table)}: {unit.label} has no column {name!r}, which a model "
            "reads; correct the configuration"
            for name in lacking
        )
    alone = alone.as_it_stands(present)
    source = read_source_columns(unit, alone)
    counts = count_as_it_stands(engine, alone, source, assign_roles(source, alone, measured_only=True))
    entries: Json = dict(privacy_entries(alone.config.privacy, counts))
    if alone.config.privacy.entity is None and alone.config.privacy.known_columns is None:
        del entries["k"]  # which is counted of persons
    return OwnModels(entries, _problems(alone, counts), [*warnings, *notes])


def with_held(loaded: LoadedDatabase, own: Json, held: Json) -> Json:
    """The entries of the table's own models with those of columns of other tables, in the order that was asked."""
    merged = {**held, **own}
    privacy = loaded.unit.privacy
    assert privacy is not None
    for key in (own.keys() & held.keys()) - {"k"}:
        left = {"own": iter(own[key]), "held": iter(held[key])}
        merged[key] = [
            next(left["held" if model.column in loaded.unit.held else "own"])
            for model in models_of(privacy)
            if model.key == key
        ]
    return merged


def _counted_here(loaded: LoadedDatabase) -> tuple[LoadedConfig, list[str]]:
    """The configuration of the table of persons without models of a population in a file, and a word of these."""
    alone = loaded.unit.loaded
    assert alone is not None
    privacy = alone.config.privacy
    of_files = sorted({model.key for model in models_of(privacy) if model.population is not None})
    if not of_files:
        return alone, []
    without = privacy.model_copy(update={key: type(getattr(privacy, key))() for key in MODELS if key in of_files})
    warning = (
        f"not counted: {', '.join(of_files)}: a check of a whole database reads no population; a run counts it when it "
        "releases the table of persons"
    )
    return replace(alone, config=alone.config.model_copy(update={"privacy": without})), [warning]


def _problems(alone: LoadedConfig, counts: ClassCounts) -> list[str]:
    """What does not hold of the table of persons."""
    privacy = alone.config.privacy
    problems = []
    if counts.rows and counts.fewest < privacy.k:
        problems.append(f"a class holds {counts.fewest:,}, fewer than k = {privacy.k}")
    for model, reached in zip(models_of(privacy), counts.models, strict=True):
        if reached.violating_classes:
            problems.append(f"{reached.violating_classes:,} classes of persons violate {_named(model)}")
    return problems + [f"{threshold.key} is beyond its bound" for threshold in counts.thresholds if not threshold.holds]


def _named(model: Model) -> str:
    return model.key if model.column is None else f"{model.key} of {model.column}"
