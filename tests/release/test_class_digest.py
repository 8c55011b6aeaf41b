"""The digest of released classes: found again in Python, equal wherever and in whatever order they are written."""

from __future__ import annotations

import csv
import hashlib
import random
from collections import Counter
from pathlib import Path

import duckdb
import pytest
from sqlglot import exp

import kanon_sql
from kanon_sql.recount.counting import class_digest
from kanon_sql.recount.statement import Table
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import column, parse

NAMES = ("zip", "age", "sex")


def digest_of(rows: list[dict[str, str]]) -> str:
    classes = Counter(tuple(row[name] for name in sorted(NAMES)) for row in rows)
    written = (
        ",".join(f"{len(value.encode())}:{value}" for value in values) + f"={count}"
        for values, count in classes.items()
    )
    hashed = sorted(hashlib.sha256(text.encode()).hexdigest() for text in written)
    return hashlib.sha256("".join(hashed).encode()).hexdigest()


@pytest.mark.parametrize("algorithm", ["optimal", pytest.param("local", marks=pytest.mark.slow)])
def test_a_digest_is_that_of_the_written_classes(tmp_path: Path, algorithm: str) -> None:
    draw = random.Random(2)
    rows = [("123"[draw.randrange(3)] + "0é", draw.randrange(20, 40), draw.choice(["f", "m", ""])) for _ in range(60)]
    digests = []
    for turn, target in enumerate(["a.csv", "b.parquet", "c.csv"]):
        source = tmp_path / f"{turn}.csv"
        with source.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([NAMES, *rows])
        hierarchy = {"builtin": "intervals", "widths": [5, 10]}
        report = kanon_sql.run(
            {
                "source": str(source),
                "target": str(tmp_path / target),
                "quasi_identifiers": {"zip": {"builtin": "suppress"}, "age": hierarchy, "sex": {"builtin": "suppress"}},
                "privacy": {"k": 3 if turn < 2 else 12},
                "algorithm": {"name": algorithm, **({"seed": 1} if algorithm == "local" else {})},
            },
            advice=False,
        ).report
        digests.append(report["classes"]["digest"])
        released = duckdb.connect().execute(f"SELECT zip, age, sex FROM '{tmp_path / target}'").fetchall()
        texts = [dict(zip(NAMES, ("" if cell is None else str(cell) for cell in row), strict=True)) for row in released]
        assert digests[-1] == digest_of(texts)
        if algorithm == "optimal":
            draw.shuffle(rows)
    assert digests[0] == digests[1] != digests[2]


def test_a_zero_has_no_sign(tmp_path: Path) -> None:
    digests = set()
    for zero in ("-0.0", "0.0"):
        source = tmp_path / f"{zero}.parquet"
        duckdb.connect().execute(
            f"COPY (SELECT CAST('{zero}' AS DOUBLE) AS score, 'f' AS sex FROM range(4)) TO '{source}' (FORMAT parquet)"
        )
        report = kanon_sql.run(
            {
                "source": str(source),
                "target": {"path": str(tmp_path / "out.csv"), "overwrite": True},
                "quasi_identifiers": {"score": {"builtin": "suppress", "max_level": 0}, "sex": {"builtin": "suppress"}},
                "privacy": {"k": 2},
            },
            advice=False,
        ).report
        digests.add(report["classes"]["digest"])
    assert len(digests) == 1


def test_a_moment_is_that_in_utc() -> None:
    """Whatever the zone of a connection; what has no end has none in UTC either."""
    moments = "(VALUES ('2024-03-10 06:30:00+00'), ('infinity')) AS moments(moment)"
    rows = parse(f"SELECT CAST(moment AS TIMESTAMPTZ) AS seen FROM {moments}")
    assert isinstance(rows, exp.Select)
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'Asia/Kathmandu'")
        digest = class_digest(Engine(connection), Table(rows, [column("seen")]))
    classes = ("22:2024-03-10 06:30:00+00=1", "8:infinity=1")
    hashed = sorted(hashlib.sha256(written.encode()).hexdigest() for written in classes)
    assert digest == hashlib.sha256("".join(hashed).encode()).hexdigest()
