"""The table and the jobs of which statements are compiled and executed by every engine."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

HOSTILE = 'a"b; --'
TEXTS = ["it's", 'q"q', "back\\slash", "line\nbreak", "é", " blank", "", "--", "{{ x }}", "NULL", "`", None]
COLUMNS = {
    HOSTILE: "VARCHAR",
    "age": "INTEGER",
    "born": "DATE",
    "score": "DOUBLE",
    "price": "DECIMAL(9,2)",
    "known": "BOOLEAN",
    "seen": "TIMESTAMP",
    "s": "VARCHAR",
    "note": "VARCHAR",
}
Rows = list[tuple[Any, ...]]


def source_rows(count: int = 240) -> Rows:
    draw = random.Random(7)
    return [
        (
            draw.choice(TEXTS),
            draw.choice([None, *range(20, 60)]),
            None if draw.random() < 0.05 else f"19{draw.randint(60, 79)}-{draw.randint(1, 12):02}-03",
            draw.choice([None, 0.1, 2.5, -0.0, 1e-7]),
            draw.choice([None, "1.00", "2.50"]),
            draw.choice([True, False, None]),
            draw.choice(["2020-01-01 12:00:00", "2021-05-06 07:08:09.123456"]),
            draw.choice(["flu", "cold", "none", None]),
            draw.choice(TEXTS),
        )
        for _ in range(count)
    ]


FULL: dict[str, Any] = {
    HOSTILE: {"builtin": "suppress"},
    "age": {"builtin": "intervals", "widths": [10, 20]},
    "born": {"builtin": "date", "levels": ["year", "decade"]},
}
NUMBERS: dict[str, Any] = {
    "age": {"builtin": "intervals", "widths": [20], "max_level": 1},
    "score": {"builtin": "suppress", "max_level": 0},
    "price": {"builtin": "suppress", "max_level": 0},
    "known": {"builtin": "suppress", "max_level": 0},
    "seen": {"builtin": "suppress", "max_level": 0},
}
ORDERED: dict[str, Any] = {HOSTILE: {"builtin": "suppress"}, "age": {}, "born": {}, "score": {}}
MODEL = {"k": 4, "l_diversity": {"column": "s", "l": 2}, "t_closeness": {"column": "s", "t": 0.4}}
CASES: dict[str, dict[str, Any]] = {
    "levels": {"quasi_identifiers": FULL},
    "values": {"quasi_identifiers": NUMBERS, "suppression": {"limit": "90%"}},
    "masked": {"quasi_identifiers": NUMBERS, "suppression": {"limit": "90%"}, "release": {"suppressed": "mask"}},
    "models": {"quasi_identifiers": FULL, "privacy": MODEL, "suppression": {"limit": "50%"}},
    "few": {
        "quasi_identifiers": NUMBERS,
        "privacy": {"k": 8, "known_columns": 2},
        "suppression": {"limit": "50%"},
    },
    "average": {
        "quasi_identifiers": FULL,
        "privacy": {"average_risk": {"at_most": "10%"}},
        "suppression": {"limit": "50%"},
    },
    "missing": {"quasi_identifiers": FULL, "missing": "drop-any"},
    "texts": {"quasi_identifiers": FULL, "source_missing": ["", "NULL"], "missing": "drop"},
    "boxes": {"quasi_identifiers": ORDERED, "algorithm": "mondrian"},
    "bounds": {"quasi_identifiers": ORDERED, "algorithm": "mondrian", "release": {"ranges": "columns"}},
    "widened": {"quasi_identifiers": ORDERED, "algorithm": "mondrian", "release": {"ranges": "widened"}},
    "shared": {"quasi_identifiers": ORDERED, "algorithm": {"name": "mondrian", "cut": "relaxed", "seed": 3}},
    "local": {"quasi_identifiers": FULL, "algorithm": {"name": "local", "seed": 3}},
}
DEALT = ("shared", "local")  # which of a tuple's rows a class takes is drawn anew


def configuration(folder: Path, case: str) -> dict[str, Any]:
    given = dict(CASES[case])
    source = {"path": str(folder / "people.parquet"), "missing": given.pop("source_missing", [])}
    return {
        "source": source,
        "target": {"path": str(folder / f"{case}.parquet"), "overwrite": True},
        "sensitive": ["s"],
        "insensitive": ["note"],
        "unlisted": "drop",
        "privacy": {"k": 4},
        "suppression": {"limit": "40%"},
        **given,
    }
