"""A table of stays with a pseudonym, a shift and a rounding, and its rows as Python's hmac treats them."""

from __future__ import annotations

import hmac
import random
from collections import Counter
from datetime import date, timedelta
from typing import Any

import duckdb
from shared_engine import insert

KEY = "00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFF"
VARIABLE = "PSEUDONYM_KEY"
DAYS, LENGTH, PREFIX, CONTEXT, UNIT = 40, 24, "P", "it's", 50
Row = tuple[Any, ...]


def stays(rows: int = 120) -> list[Row]:
    """(patient, sex, day, cost), some without a patient or a cost."""
    draw = random.Random(4)
    return [
        (
            None if i % 17 == 0 else f"ä{draw.randrange(30)}",
            draw.choice("fm"),
            date(2024, 1, 1) + timedelta(draw.randrange(300)),
            None if i % 13 == 0 else draw.randrange(2000),
        )
        for i in range(rows)
    ]


def make_stays(connection: duckdb.DuckDBPyConnection, path: Any) -> None:
    """Makes the table stays, and a Parquet file of it."""
    connection.execute("CREATE TABLE stays (patient VARCHAR, sex VARCHAR, day DATE, cost INTEGER)")
    insert(connection, "stays", stays())
    connection.execute(f"COPY stays TO '{path}' (FORMAT parquet)")


def treating(source: Any, target: Any) -> dict[str, Any]:
    """The configuration; the key is that of the environment."""
    key = f"${{{VARIABLE}}}"
    return {
        "source": str(source),
        "target": str(target),
        "identifiers": ["patient"],
        "quasi_identifiers": {"sex": {"builtin": "suppress", "max_level": 0}},
        "insensitive": ["day", "cost"],
        "transform": {
            "patient": {"pseudonym": {"key": key, "length": LENGTH, "prefix": PREFIX, "context": CONTEXT}},
            "day": {"shift": {"days": DAYS, "by": "patient", "key": key}},
            "cost": {"round": UNIT},
        },
        "privacy": {"k": 5},
    }


def treated() -> Counter[Row]:
    """What is released of the stays."""
    return Counter(
        (_pseudonym(patient), sex, day + _moved(patient), _rounded(cost)) for patient, sex, day, cost in stays()
    )


def _digits(message: bytes, key: bytes) -> str:
    return hmac.new(key, message, "sha256").hexdigest()


def _pseudonym(patient: str | None) -> str | None:
    message = f"{CONTEXT}\0{patient}".encode()
    return None if patient is None else PREFIX + _digits(message, bytes.fromhex(KEY))[:LENGTH]


def _moved(patient: str | None) -> timedelta:
    own = bytes.fromhex(_digits(b"kanon-sql shift", bytes.fromhex(KEY)))
    return timedelta(int(_digits((patient or "").encode(), own)[:15], 16) % (2 * DAYS + 1) - DAYS)


def _rounded(cost: int | None) -> int | None:
    # round() is half to even.
    return None if cost is None else round(cost / UNIT) * UNIT
