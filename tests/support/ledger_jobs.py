"""A job with a ledger, and the entries of the ledger."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import kanon_sql

HEAD = ["name", "sex", "zip", 'di"agnosis', "ward"]


def table(rows: int = 400, seed: int = 1) -> list[list[str]]:
    draw = random.Random(seed)
    return [
        [f"secret{i}", draw.choice("fm"), f"021{draw.randint(30, 49)}", draw.choice(["flu", "cold"]), draw.choice("AB")]
        for i in range(rows)
    ]


def configuration(folder: Path, **more: Any) -> dict[str, Any]:
    return {
        "source": str(folder / "source.csv"),
        "target": {"path": str(folder / "release.csv"), "overwrite": True},
        "identifiers": ["name"],
        "quasi_identifiers": {"sex": {"builtin": "suppress"}, "zip": {"builtin": "prefix", "keep": [4, 3]}},
        "sensitive": ['di"agnosis'],
        "unlisted": "drop",
        "privacy": {"k": 5},
        "releases": {"path": str(folder / "ledger.duckdb")},
        **more,
    }


def entries(folder: Path) -> list[dict[str, Any]]:
    releases: list[dict[str, Any]] = kanon_sql.list_releases(folder / "ledger.duckdb")["releases"]
    return releases
