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


CASES = ["case", "sex", "region", "zone", "year", "cost"]
COARSER = ("region", "zone", "year")


def cases(first: int, count: int, draw: random.Random) -> list[list[str]]:
    """Cases of a hospital: 4,000 of them lie in 120 classes."""
    values = ("fm", "us", "0123456789", "345")
    return [
        [f"secret{i}", *(draw.choice(letters) for letters in values), str(100 * draw.randrange(2_000))]
        for i in range(first, first + count)
    ]


def hospital(folder: Path, coarser: tuple[str, ...] = ()) -> dict[str, Any]:
    """A configuration whose release has a class for each combination, but for columns that are made coarser."""
    levels = {name: int(name in coarser) for name in CASES[1:5]}
    quasi = {name: {"builtin": "suppress", "min_level": level, "max_level": level} for name, level in levels.items()}
    more = {"identifiers": ["case"], "sensitive": ["cost"], "privacy": {"k": 12}}
    return configuration(folder, quasi_identifiers=quasi, **more)


def night(folder: Path, rows: list[list[str]], limit: str) -> dict[str, Any]:
    """What the job of docs/howto/scheduled.md does: the levels of release 1, to a file of the next number."""
    write_csv(folder / "source.csv", [CASES, *rows])
    overrides = [("suppression.limit", limit)]
    ledger = folder / "ledger.duckdb"
    return kanon_sql.apply(1, folder / "source.csv", ledger=ledger, overrides=overrides, strict=True)


@pytest.mark.slow
def test_a_table_that_only_grows_survives_every_night(tmp_path: Path) -> None:
    draw = random.Random(7)
    rows = cases(0, 4_000, draw)
    write_csv(tmp_path / "source.csv", [CASES, *rows])
    first = kanon_sql.run(hospital(tmp_path), advice=False, strict=True).report
    assert first["classes"]["count"] == 120
    for number in (2, 3):
        rows += cases(len(rows), 40, draw)
        report = night(tmp_path, rows, "33%")
        assert report["suppressed"]["waiting"] == report["rows"]["suppressed"] <= 11 * 120
        assert len(read_csv(tmp_path / f"release-{number}.csv")) == report["rows"]["released"] >= 4_000
        assert report["applied"] == 1


@pytest.mark.slow
@pytest.mark.parametrize(("coarser", "survives"), [((), False), (COARSER, True)])
def test_rows_that_go_take_classes_with_them_that_lose_fewer_than_k(
    tmp_path: Path, coarser: tuple[str, ...], survives: bool
) -> None:
    draw = random.Random(8)
    rows = cases(0, 4_000, draw)
    write_csv(tmp_path / "source.csv", [CASES, *rows])
    kanon_sql.run(hospital(tmp_path, coarser), advice=False, strict=True)
    for number in (2, 3):
        draw.shuffle(rows)
        rows = rows[60:] + cases(number * 10_000, 320, draw)
        if survives:
            assert night(tmp_path, rows, "0")["rows"]["suppressed"] == 0
            continue
        with pytest.raises(NoReleaseError) as refused:
            night(tmp_path, rows, "10%")
        suppressed = int(str(refused.value).split()[0].replace(",", ""))
        assert suppressed > 0.3 * len(rows) and f"suppression.limit={suppressed}" in str(refused.value)
        assert not (tmp_path / f"release-{number}.csv").exists()


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("more", "named"),
    [
        ({"privacy": {"k": 5, "entity": "name"}, "identifiers": []}, "entity"),
        ({"algorithm": "local"}, "local"),
        ({"privacy": {"k": 5, "known_columns": 1}}, "known_columns"),
        ({"insensitive": ["cost"], "transform": {"cost": {"round": 10, "top": "1%"}}}, "top of 'cost'"),
        (
            {"quasi_identifiers": {"zip": {"builtin": "merge-rare", "below": [19], "min_level": 1}}},
            "merge-rare of 'zip'",
        ),
    ],
)
def test_the_first_run_warns_of_what_apply_refuses(tmp_path: Path, more: dict[str, Any], named: str) -> None:
    write_csv(tmp_path / "source.csv", [[*HEAD, "cost"], *([*row, str(i % 90)] for i, row in enumerate(table()))])
    warnings = kanon_sql.run(configuration(tmp_path, **more), advice=False, dry_run=True).warnings
    (said,) = [text for text in warnings if "kanon-sql apply will refuse" in text]
    assert named in said
