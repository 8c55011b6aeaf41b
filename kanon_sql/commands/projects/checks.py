"""What dbt's tests and SQLMesh's audits count in a release, and what of a configuration they cannot."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from kanon_sql.commands.compile.compilation import Compiled
from kanon_sql.config.load import LoadedConfig
from kanon_sql.privacy.models.l_diversity import LDiversity
from kanon_sql.privacy.models.t_closeness import TCloseness
from kanon_sql.privacy.registry import PrivacyConfig

_WHERE = "`kanon-sql check` measures it, `kanon-sql compile --check` writes the statement"


@dataclass(frozen=True)
class Check:
    """A test or audit by its `name`, with its arguments: numbers, texts, or lists of texts.

    `columns` names those arguments that are columns, `tables` those that are tables.
    """

    name: str
    arguments: dict[str, Any]
    columns: tuple[str, ...] = ("quasi_identifiers", "sensitive", "complete")
    tables: tuple[str, ...] = ("reference", "source_model")


def checks_of(loaded: LoadedConfig, compiled: Compiled, relation: str) -> tuple[list[Check], list[str]]:
    """(the checks of a release of the table `relation`; lines on what none of them says)."""
    asked = _Asked(loaded, compiled, relation)
    return list(asked.checks()), asked.unsaid


class _Asked:
    def __init__(self, loaded: LoadedConfig, compiled: Compiled, relation: str) -> None:
        self.config = loaded.config
        self.compiled = compiled
        self.relation = relation
        self.unsaid: list[str] = []
        self.quasi_identifiers = [one.name for one in compiled.body.released if one.is_quasi_identifier]

    def checks(self) -> Iterator[Check]:
        """The checks, in the order of the configuration's keys; fills in `unsaid`."""
        privacy = self.config.privacy
        if privacy.entity is not None:
            self._not_said("k, l_diversity, t_closeness", "entities are counted, and a release holds none")
        else:
            yield Check("k_anonymous", {"quasi_identifiers": self.quasi_identifiers, "k": privacy.k})
            yield from self._diversity(privacy)
            yield from self._closeness(privacy)
        for key in ("alpha_k", "beta", "delta_disclosure"):
            if getattr(privacy, key):
                self._not_said(key, "there is no test of it")
        for key in ("k_map", "delta_presence"):
            if getattr(privacy, key):
                self._not_said(key, "it compares with a population")
        yield from self._suppression()

    def _diversity(self, privacy: PrivacyConfig) -> Iterator[Check]:
        for one in privacy.of(LDiversity):
            c = {} if one.c is None else {"c": plain(one.c)}
            how = {"l": plain(one.l), "variant": one.variant, **c, **self._missing(one.column)}
            yield Check("l_diverse", {**self._about(one.column), **how})

    def _closeness(self, privacy: PrivacyConfig) -> Iterator[Check]:
        for one in privacy.of(TCloseness):
            if one.distance == "hierarchical":
                self._not_said(f"t_closeness of {one.column!r}", "its distances are those of a hierarchy")
                continue
            taking_part = self._taking_part(one.column)
            if taking_part is None:
                self._not_said(f"t_closeness of {one.column!r}", "rows are left out for missing texts in some columns")
                continue
            how = {"t": plain(one.t), "reference": self.relation, "distance": one.distance}
            missing = {**taking_part, **self._missing(one.column)}
            yield Check("t_close", {**self._about(one.column), **how, **self._order(one), **missing})

    def _about(self, sensitive: str) -> dict[str, Any]:
        return {"quasi_identifiers": self.quasi_identifiers, "sensitive": sensitive}

    def _order(self, one: TCloseness) -> dict[str, str]:
        """How the values are read to be put in order; without it the column's own type says so."""
        sensitive = self.compiled.sensitive[one.column]
        if one.distance != "ordered" or (sensitive.kind != "text" and not sensitive.column.is_text):
            return {}
        return {"order": sensitive.kind}

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
        names = list(self.config.quasi_identifiers) if policy == "drop" else [item.name for item in source.columns]
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
        self.unsaid.append(f"{what}: {why}; {_WHERE}")


def plain(number: Decimal) -> int | float | str:
    """A number as YAML and SQL write it without an exponent."""
    if number == number.to_integral_value():
        return int(number)
    return float(number) if "e" not in repr(float(number)) else format(number, "f")
