"""Jobs that every engine executes, and what their reports have in common."""

from __future__ import annotations

from typing import Any

import pytest
from compiled_cases import HOSTILE

Json = dict[str, Any]


def small(**more: Any) -> Json:
    """A configuration of the people's table that suppresses some rows."""
    return {
        "source": "in.parquet",
        "target": "out.parquet",
        "quasi_identifiers": {
            HOSTILE: {"builtin": "suppress"},
            "age": {"builtin": "intervals", "widths": [10, 20], "max_level": 2},
        },
        "sensitive": ["s"],
        "insensitive": ["note"],
        "unlisted": "drop",
        "privacy": {"k": 5},
        "suppression": {"limit": "20%"},
        **more,
    }


def same(report: Json, expected: Json) -> None:
    """The reports of two runs say the same; sums of floats may differ in their last digits."""
    for key in ("status", "rows", "algorithm", "solution", "classes", "privacy", "suppression", "release", "warnings"):
        if key != "release":
            assert report[key] == expected[key], key
    losses = [{**each["loss"], **each["loss"]["attributes"]} for each in (report, expected)]
    numbers = [{k: v for k, v in loss.items() if k != "attributes" and v is not None} for loss in losses]
    assert numbers[0] == pytest.approx(numbers[1], rel=1e-9)
    free = ["bound", "gap"]
    # DuckDB checks nodes in batches, other engines one by one.
    free += ["checked"] * (report["engine"]["search_in"] != expected["engine"]["search_in"])
    assert report["search"] == expected["search"] | {
        key: report["search"][key] for key in free if key in report["search"]
    }
