"""A source that does not fit its configuration since it is an earlier release of it, as in place a second time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from sqlglot import exp

from kanon_sql.config.load import LoadedConfig
from kanon_sql.config.model import QuasiIdentifier
from kanon_sql.errors import ConfigurationError, EngineError, UnfittingSourceError
from kanon_sql.hierarchy.builtin import fixed_labels
from kanon_sql.hierarchy.hierarchy import Hierarchy
from kanon_sql.ledger.basis import Hierarchies, fingerprint
from kanon_sql.ledger.ledger import open_ledger
from kanon_sql.source.model import Column, Source
from kanon_sql.source.values import distinct_values
from kanon_sql.sql.connection import Engine

_FIRST = 1000  # rows that are looked at before all are: a misspelt name is no reason to read a large source


@contextmanager
def telling_releases(engine: Engine, loaded: LoadedConfig, source: Source, hierarchies: Hierarchies) -> Iterator[None]:
    """The block finds out whether a source fits; to the error where it does not, this adds that it is a release."""
    try:
        yield
    except UnfittingSourceError as error:
        told = None
        # What cannot be read here is no news beside the error.
        with suppress(ConfigurationError, EngineError):
            told = _told(engine, loaded, source, hierarchies)
        if told is not None:
            error.add([f"{loaded.place('source')}: {source.label} {told}; name the original as source"])
        raise


def _told(engine: Engine, loaded: LoadedConfig, source: Source, hierarchies: Hierarchies) -> str | None:
    """Which release a source is, or why it looks like one; None where it does not."""
    config = loaded.config
    names = {item.name for item in source.columns}
    identifiers = {*config.identifiers, *([config.privacy.entity] if config.privacy.entity else [])}
    if not source.backend.abilities.ledger or names & identifiers or not names >= set(config.quasi_identifiers):
        return None
    number = _recorded(engine, loaded, source)
    if number is not None:
        return f"is release {number} of the ledger"
    if not all(_labelled(engine, source, hierarchies, first, bool(identifiers)) for first in (_FIRST, None)):
        return None
    gone = "its identifiers are gone and " if identifiers else ""
    return f"looks like an earlier release of this configuration: {gone}its values are labels of the hierarchies"


def _recorded(engine: Engine, loaded: LoadedConfig, source: Source) -> int | None:
    """The number of the release that a source is by the ledger of its configuration."""
    asked = loaded.config.releases
    if asked is None:
        return None
    with open_ledger(loaded.base / asked.path, loaded.place("releases"), write=False) as ledger:
        names = sorted(item.name for item in source.columns)
        alike = [entry for entry in ledger.entries() if sorted(entry.released) == names]
    if not alike:
        return None
    found = fingerprint(engine, source)
    return next((entry.id for entry in reversed(alike) if entry.release_fingerprint == found), None)


def _labelled(engine: Engine, source: Source, hierarchies: Hierarchies, first: int | None, gone: bool) -> bool:
    """Whether there are labels among the values of the quasi-identifiers, and nothing that the hierarchies do not hold.

    It looks at the `first` rows, or at all. A * alone also stands in tables that were never generalized; it is a sign
    only where the identifiers are `gone`.
    """
    rows = source.relation if first is None else source.relation.limit(first)
    labels = telling = 0
    for name, (spec, hierarchy) in hierarchies.items():
        if hierarchy is None and spec.builtin is None:
            continue
        counted = _counted(engine, source, rows, source.column(name), spec, hierarchy)
        if counted[2]:
            return False
        labels, telling = labels + counted[0], telling + counted[1]
    return telling > 0 or (gone and labels > 0)


def _counted(
    engine: Engine,
    source: Source,
    rows: exp.Select,
    item: Column,
    spec: QuasiIdentifier,
    hierarchy: Hierarchy | None,
) -> tuple[int, int, int]:
    """Distinct values of a column: (labels of its hierarchy, those but *, what is neither label nor value)."""
    names = {"raw_values": distinct_values(rows, item)}
    missing = list(source.missing)
    if hierarchy is not None:
        above = {label for level in hierarchy.levels[1:] for label in level} | {"*"}
        values = {"leaves": json.dumps(hierarchy.leaves), "labels": json.dumps(sorted(above)), "missing": missing}
        found = engine.query("ledger/labels_of_file", names=names, values=values)[0]
    else:
        given = {
            "builtin": spec.builtin,
            "keep": spec.keep or [],
            "widths": [f"{width:f}" for width in spec.widths or []],
            "levels": spec.levels or [],
            "labels": fixed_labels(spec),
            "bottom": None if spec.bottom is None else f"{spec.bottom:f}",
            "top": None if spec.top is None else f"{spec.top:f}",
            "missing": missing,
        }
        found = engine.query("ledger/labels_of_builtin", names=names, values=given)[0]
    return int(found[0]), int(found[1]), int(found[2])
