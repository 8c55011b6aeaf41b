"""The reference results that are kept beside this repository, and jobs on Adult."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from places import SHARED

ORACLES = SHARED / "oracles"
DATA = SHARED / "data"
Json = dict[str, Any]


def oracle(name: str) -> Json:
    """The content of an oracle; nothing where it is absent and every test is skipped."""
    path = ORACLES / name
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else {}


SAMARATI = oracle("samarati.json")


def configurations(oracles: Sequence[Json]) -> list[Any]:
    return [pytest.param(c, id=f"k{c['k']}-limit{c.get('max_suppressed')}") for c in oracles]


def rows_of(path: Path, delimiter: str = ",") -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file, delimiter=delimiter))


def adult_config(expected: Json, folder: Path, algorithm: Json) -> Json:
    return {
        "source": {"path": str(DATA / "adult" / "adult.csv"), "missing": ["?", ""]},
        "target": str(folder / "out.parquet"),
        "quasi_identifiers": {c: str(DATA / "samarati" / f"{c}.csv") for c in SAMARATI["qi_order"]},
        "unlisted": "drop",
        "missing": "drop-any",
        "privacy": {"k": expected["k"]},
        "suppression": {"limit": expected["max_suppressed"]},
        "algorithm": algorithm,
    }
