"""What dbt's tests and SQLMesh's audits count in a release, and what of a configuration they cannot.

What is asked for in a project of another tool, and its files.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations
from math import comb
from pathlib import Path
from typing import Any

from kanon_sql.commands.compile import Compiled
from kanon_sql.config.load import LoadedConfig
from kanon_sql.errors import EngineError
from kanon_sql.privacy.registry import MODELS, Model, models_of, thresholds_of
from kanon_sql.recount.statement import parts_of
from kanon_sql.targets.staging_paths import refuse_link_to_nothing

_MOST_SETS = 100  # of columns, with a check of each
_WHERE = "`kanon-sql check` measures it, `kanon-sql compile --check` writes the statement"


@dataclass(frozen=True)
class Check:
    """A test or audit by its `name`, with its arguments: numbers, texts, lists of texts, or the names of `tables`."""

    name: str
    arguments: dict[str, Any]
    tables: tuple[str, ...] = ("reference", "source_model")


def checks_of(loaded: LoadedConfig, compiled: Compiled, relation: str) -> tuple[list[Check], list[str]]:
    """(the checks of a release of the table `relation`; lines on what none of them says)."""
    request = _Asked(loaded, compiled, relation)
    return list(request.checks()), list(dict.fromkeys(request.unsaid))


class _Asked:
    def __init__(self, loaded: LoadedConfig, compiled: Compiled, relation: str) -> None:
        self.config = loaded.config
        self.compiled = compiled
        self.relation = relation
        self.unsaid: list[str] = []
        self.quasi_identifiers = [column.name for column in compiled.body.released if column.is_quasi_identifier]
        # Where few columns are known each set of so many is a check of its own.
        columns = len(self.quasi_identifiers)
        closed = self.config.algorithm.declared.full_domain
        self.known = min((self.config.privacy.known_columns if closed else None) or columns, columns)
        self.too_many = comb(columns, self.known) > _MOST_SETS

    def checks(self) -> Iterator[Check]:
        """The checks, in the order of the configuration's keys; fills in `unsaid`."""
        privacy = self.config.privacy
        if self.too_many:
            sets = f"{comb(len(self.quasi_identifiers), self.known):,} sets of {self.known} columns"
            self._not_said("k", f"there would be one for each of {sets}")
        elif privacy.entity is None:
            for columns in self._sets():
                yield Check("k_anonymous", {"quasi_identifiers": columns, "k": privacy.k})
        else:
            tested = ", ".join(["k", *(key for key, model in MODELS.items() if model.test)])
            self._not_said(tested, "entities are counted, and a release holds none")
        for model in models_of(privacy):
            if model.population is not None:
                self._not_said(model.key, "it compares with a population")
            elif model.spec.test is None:
                self._not_said(model.key, "there is no test of it")
            elif privacy.entity is None and not self.too_many:
                for columns in self._sets():
                    yield from self._of_column(model, model.spec.test, model.column or "", columns)
        for threshold in thresholds_of(privacy):
            self._not_said(threshold.key, "it is of the whole table, and there is no test of it")
        yield from self._suppression()

    def _sets(self) -> Iterator[list[str]]:
        """The quasi-identifiers of a class; where few columns are known, each set of so many of them."""
        yield from map(list, combinations(self.quasi_identifiers, self.known))

    def _of_column(self, model: Model, test: str, name: str, columns: list[str]) -> Iterator[Check]:
        """The test of a model of the sensitive column `name` in classes of these columns, where it can be asked."""
        read = parts_of(model)
        arguments = {
            "quasi_identifiers": columns,
            "sensitive": name,
            **_of(model, model.spec.thresholds),
        }
        taking_part = None
        if "steps" in read:
            return self._not_said(f"{model.key} of {name!r}", "its distances are those of a hierarchy")
        reading = self.compiled.source.column(name).reading
        if reading is not None and (reading.is_typed or "reference" in read):
            return self._not_said(f"{model.key} of {name!r}", "its texts are read by source.columns")
        if "reference" in read:
            taking_part = self._taking_part(name)
            if taking_part is None:
                why = "rows are left out for missing texts in some columns"
                return self._not_said(f"{model.key} of {name!r}", why)
            arguments["reference"] = self.relation
        arguments |= _of(model, model.spec.options)
        sensitive = self.compiled.sensitive[name]
        # Without an order the column's own type says how its values are put in order.
        if "ranks" in read and (sensitive.kind == "text" or sensitive.column.is_text):
            arguments["order"] = sensitive.kind
        yield Check(test, {**arguments, **(taking_part or {}), **self._missing(name)})

    def _missing(self, sensitive: str) -> dict[str, list[str]]:
        texts = self.compiled.source.missing
        return {"missing": list(texts)} if texts and self.compiled.source.column(sensitive).is_text else {}

    def _taking_part(self, *others: str) -> dict[str, list[str]] | None:
        """The arguments that leave out the rows which `missing` drops; None where they cannot.

        `others` are columns that the check reads besides.
        """
        source, policy = self.compiled.source, self.config.missing
        if policy == "keep":
            return {}
        names = (
            list(self.config.quasi_identifiers)
            if policy == "drop"
            else [source_column.name for source_column in source.columns]
        )
        if any(source.column(name).reading is not None for name in (*names, *others)):
            return None
        if not source.missing:
            return {"complete": names}
        # The texts hold for columns of texts alone, the checks know no types.
        all_texts = all(source.column(name).is_text for name in (*names, *others))
        return {"complete": names, "missing": list(source.missing)} if all_texts else None

    def _suppression(self) -> Iterator[Check]:
        taking_part = self._taking_part()
        if self.config.release.suppressed == "mask" or taking_part is None:
            return
        limit = self.config.suppression.limit
        yield Check("max_suppression", {"source_model": self.relation, "at_most": limit, **taking_part})

    def _not_said(self, what: str, why: str) -> None:
        line = f"{what}: {why}; {_WHERE}"
        if line not in self.unsaid:
            self.unsaid.append(line)


def _of(model: Model, names: Iterable[str]) -> dict[str, Any]:
    """Parameters of a model that were given."""
    given = {name: getattr(model.spec, name) for name in names}
    return {
        name: plain(value) if isinstance(value, Decimal) else value
        for name, value in given.items()
        if value is not None
    }


def plain(number: Decimal) -> int | float | str:
    """A number as YAML and SQL write it without an exponent."""
    if number == number.to_integral_value():
        return int(number)
    return float(number) if "e" not in repr(float(number)) else format(number, "f")


Json = dict[str, Any]


@dataclass(frozen=True)
class ProjectModel:
    """A model `name` in the folder `project`, over `relation`: a table's name, or what dbt calls it by."""

    project: Path
    name: str
    relation: str
    dialect: str = "duckdb"
    overwrite: bool = False


def write_private(path: Path, text: str) -> None:
    """Writes a file for the owner's eyes only, in the place of one that is there.

    Raises ConfigurationError for a symbolic link to nothing.
    """
    refuse_link_to_nothing(path, "the model")
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def refuse_existing(files: Sequence[Path]) -> None:
    """Raises EngineError for files that are there."""
    problems = [
        f"{file}: is there already; give the model another --name, or replace it with --overwrite"
        for file in files
        if os.path.lexists(file)
    ]
    if problems:
        raise EngineError(problems)
