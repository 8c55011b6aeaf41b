"""A table that changes overnight: what `run` and `apply` say to it, as docs/howto/scheduled.md has it."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from ledger_jobs import HEAD, configuration, table
from table_files import read_csv, write_csv

import kanon_sql
from kanon_sql.errors import NoReleaseError


@pytest.mark.slow
def test_800_rows_more_and_150_less(tmp_path: Path) -> None:
    rows = table(10_800, seed=5)
    write_csv(tmp_path / "source.csv", [HEAD, *rows[:10_000]])
    config = configuration(tmp_path)
    assert kanon_sql.run(config, advice=False, strict=True).warnings == ()
    write_csv(tmp_path / "source.csv", [HEAD, *random.Random(6).sample(rows[:10_000], 9_850), *rows[10_000:]])
    with pytest.raises(NoReleaseError, match="same source"):
        kanon_sql.run({**config, "target": str(tmp_path / "again.csv"), "privacy": {"k": 2_000}}, advice=False)
    report = kanon_sql.apply(
        1,
        tmp_path / "source.csv",
        ledger=tmp_path / "ledger.duckdb",
        output=tmp_path / "nightly-2.csv",
        overrides=[("suppression.limit", "10%")],
    )
    assert report["status"] == "released"
    assert len(read_csv(tmp_path / "nightly-2.csv")) == report["rows"]["released"] > 9_500


@pytest.mark.parametrize(
    ("more", "named"),
    [
        ({"privacy": {"k": 5, "entity": "name"}, "identifiers": []}, "entity"),
        ({"algorithm": "local"}, "local"),
        ({"privacy": {"k": 5, "known_columns": 1}}, "known_columns"),
    ],
)
def test_the_first_run_warns_of_what_apply_refuses(tmp_path: Path, more: dict[str, Any], named: str) -> None:
    write_csv(tmp_path / "source.csv", [HEAD, *table()])
    warnings = kanon_sql.run(configuration(tmp_path, **more), advice=False, dry_run=True).warnings
    (said,) = [text for text in warnings if "kanon-sql apply will refuse" in text]
    assert named in said
