"""Measuring a table as it stands: is it k-anonymous, does it hold the models, has it the classes of a release?"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from sqlglot import exp

from kanon_sql.config.load import LoadedConfig
from kanon_sql.config.model import Config
from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.frequency.judged import Models, model_columns, read_models
from kanon_sql.frequency.population import open_populations, persons_by_values
from kanon_sql.frequency.table import count_rows, participants
from kanon_sql.recount.counting import ClassCounts, class_digest, comparable, count_classes
from kanon_sql.recount.statement import Question, Table
from kanon_sql.recount.treated import broken_treatments
from kanon_sql.report.call import Call
from kanon_sql.report.report import privacy_entries
from kanon_sql.settings.treatments import TreatmentConfig
from kanon_sql.source.columns import normalized, person, refuse_misfits
from kanon_sql.source.formats.registry import telling_faults
from kanon_sql.source.model import Source
from kanon_sql.source.roles import Roles, assign_roles
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import column

if TYPE_CHECKING:
    from kanon_sql.results.searched import CheckedTable, ClassDigest, ComparedManifest, Violations


@dataclass(frozen=True)
class Expected:
    """What a table must be beside private: columns that are no quasi-identifiers hold what `treatments` leave, classes
    are those of which `manifest` is the digest, and where it is `released` it has no column that no release has.
    """

    treatments: Mapping[str, TreatmentConfig] = field(default_factory=dict)
    manifest: str | None = None
    released: bool = False


def check_table(
    engine: Engine,
    loaded: LoadedConfig,
    source: Source,
    call: Call,
    reference: Source | None = None,
    expected: Expected | None = None,
) -> CheckedTable:
    """The report of a check: `status` is satisfied or violated. Texts that mean missing are read as NULL.

    Distributions are compared with those of `reference`, or of the table itself. The table must be what is `expected`
    too. Raises ConfigurationError for columns that are not there, EngineError for a table that cannot be read,
    NoReleaseError for one without rows.
    """
    config, expected = loaded.config, expected or Expected()
    manifest = expected.manifest
    roles = assign_roles(source, loaded, measured_only=True)
    with telling_faults(engine, source), call.step("check", "counting classes", engine.progress):
        refuse_misfits(engine, source)
        total, n = count_rows(source, roles, config.missing)
        counts = count_as_it_stands(engine, loaded, source, roles, reference)
        others = [col for col in source.columns if col not in roles.quasi_identifiers]
        broken = broken_treatments(source, expected.treatments, others, source.missing)
        digest = None if manifest is None else _digest(engine, source.unread or source, roles)
    satisfied = counts.violating_classes == 0 and not broken and all(threshold.holds for threshold in counts.thresholds)
    withheld = _withheld(source, roles, config, expected.treatments) if expected.released else []
    satisfied = satisfied and digest == manifest and not withheld
    told_digest: ClassDigest = {} if digest is None else {"digest": digest}
    compared: ComparedManifest = {}
    if manifest is not None:
        compared = {"manifest": {"digest": manifest, "same": digest == manifest}}
    violations: Violations = {
        "classes": counts.violating_classes,
        "rows": counts.violating_rows,
        "unique": counts.unique_rows,
        "treatments": broken,
    }
    if expected.released:
        violations["columns"] = withheld
    return {
        "status": "satisfied" if satisfied else "violated",
        "table": source.label,
        "source": {"encoding": source.encoding},
        "rows": {"source": total, "missing": total - n, "measured": n},
        "quasi_identifiers": [qi.name for qi in roles.quasi_identifiers],
        "classes": {
            "count": counts.classes,
            "min": counts.smallest,
            "max": counts.largest,
            "average": counts.average,
            **told_digest,
        },
        **compared,
        "privacy": privacy_entries(config.privacy, counts),
        "reference": reference.label if reference is not None else "the table itself",
        "violations": violations,
        "seconds": call.watch.report(),
    }


def read_manifest(path: Path) -> str:
    """The digest of the classes of a release, from the JSON report of its run.

    Raises EngineError for a file that cannot be read, ConfigurationError for another one.
    """
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise EngineError(f"{path}: cannot be read ({error.strerror})") from None
    except ValueError:
        report = None
    classes = report.get("classes") if isinstance(report, dict) else None
    digest = classes.get("digest") if isinstance(classes, dict) else None
    if not isinstance(digest, str):
        raise ConfigurationError(
            f"{path}: has no classes.digest; expected the JSON report of a run that made a release (--report)"
        )
    return digest


def _withheld(source: Source, roles: Roles, config: Config, treatments: Mapping[str, TreatmentConfig]) -> list[str]:
    """The names of columns that no release has: of a release that was made, an identifier is a pseudonym or nothing.

    A column that no list names is withheld too where its name is that of a withheld one but for upper and lower case:
    DuckDB takes both for the same.
    """
    pseudonyms = {name for name, treatment in treatments.items() if treatment.pseudonym is not None}
    withheld = {
        name for name, role in roles.by_name.items() if role in ("identifier", "dropped") and name not in pseudonyms
    }
    listed = {*config.identifiers, *config.quasi_identifiers, *config.sensitive, *config.insensitive}
    folded = {name.casefold() for name in withheld}
    return [
        col.name
        for col in source.columns
        if col.name in withheld or (col.name not in listed and col.name.casefold() in folded)
    ]


def _digest(engine: Engine, source: Source, roles: Roles) -> str:
    """The digest of the classes as the table has them (see class_digest), missing values too."""
    quasi = sorted((source.column(qi.name) for qi in roles.quasi_identifiers), key=lambda col: col.name)
    rows = source.backend.given(engine, source.relation, quasi)
    values = [column(col.key) for col in quasi]
    return class_digest(engine, Table(rows, values, weighted=source.backend.weighted))


def without_absent_entity(loaded: LoadedConfig, release: Source) -> tuple[LoadedConfig, list[str]]:
    """The configuration for a release that does not hold the column of privacy.entity, and what is to be said of it.

    Of such a release rows are counted: of persons no class holds more.
    """
    name = loaded.config.privacy.entity
    if name is None or name in {col.name for col in release.columns}:
        return loaded, []
    privacy = loaded.config.privacy.model_copy(update={"entity": None})
    note = (
        f"{release.label} has no column {name!r} (privacy.entity): rows are counted, not persons, of whom a class may "
        "hold fewer; the run that made it counted them, as its report says"
    )
    return replace(loaded, config=loaded.config.model_copy(update={"privacy": privacy})), [note]


def count_as_it_stands(
    engine: Engine, loaded: LoadedConfig, source: Source, roles: Roles, reference: Source | None = None
) -> ClassCounts:
    """The classes of a table as it stands, and what they hold of all that is asked for; distributions are compared with
    those of `reference`, or of the table itself. Raises ConfigurationError and EngineError.
    """
    config = loaded.config
    read = dict.fromkeys([*roles.quasi_identifiers, *model_columns(loaded, source)])
    rows = source.backend.given(engine, participants(source, roles, config.missing), list(read))
    judged = read_models(engine, loaded, source, rows, reference)
    populations = open_populations(engine, loaded)
    values = [normalized(qi, source.missing) for qi in roles.quasi_identifiers]
    if populations:
        values = [exp.cast(value, "VARCHAR") for value in values]
    compared = None
    if reference is not None:
        others = reference.relation
        if config.missing != "keep":
            others = participants(reference, assign_roles(reference, loaded, measured_only=True), config.missing)
        compared = _table(reference, others, (), judged)
    persons = [persons_by_values(population, roles, config.missing) for population in populations]
    question = Question(
        *(config.privacy.k, judged.models, judged.columns, compared, persons, source.missing),
        known_columns=config.privacy.known_columns,
        thresholds=judged.whole,
    )
    counts = count_classes(engine, _table(source, rows, values, judged), question)
    for model, measured in zip(judged.models, counts.models, strict=True):
        problem = model.spec.contradiction(measured.most) if counts.rows else None
        if problem is not None:
            raise EngineError(problem)
    return counts


def _table(source: Source, rows: exp.Select, values: Sequence[exp.Expr], judged: Models) -> Table:
    columns = {name: source.column(name) for name in judged.columns}
    sensitive = {name: comparable(col, col, source.missing) for name, col in columns.items()}
    entity = person(source.column(judged.entity.name), source.missing) if judged.entity is not None else None
    return Table(rows, values, sensitive, entity, weighted=source.backend.weighted)
