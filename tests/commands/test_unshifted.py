"""Dates that are released as they are beside shifted ones are warned of."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import duckdb
import pytest
from table_files import write_csv

import kanon_sql

MONTHS = ["month", "year"]
SHIFT = {"days": 30, "by": "person", "key": "${SHIFT_KEY}"}


def warnings_of(folder: Path, transform: dict[str, Any], source: str = "in.csv", **changes: Any) -> str:
    config = {
        "source": str(folder / source),
        "target": str(folder / "out.csv"),
        "identifiers": ["person"],
        "quasi_identifiers": {"sex": {"builtin": "suppress"}},
        "privacy": {"k": 2},
        "transform": transform,
        **changes,
    }
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("SHIFT_KEY", "0f" * 32)
        environment.setenv("OTHER_KEY", "f0" * 32)
        result = kanon_sql.run(config, advice=False, dry_run=True)
    return "\n".join(result.warnings)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("shifted", "born", "algorithm", "warned"),
    [
        (["a"], {"levels": MONTHS, "max_level": 0}, "optimal", True),
        (["a", "b"], None, "optimal", False),
        (["a"], {"levels": MONTHS, "min_level": 1, "max_level": 1}, "optimal", False),
        (["a"], {"levels": ["day", *MONTHS], "min_level": 1, "max_level": 1}, "optimal", True),
        (["a"], {"levels": MONTHS}, "local", True),
        (["a"], {"levels": MONTHS, "min_level": 1}, "local", False),
        (["a"], {"levels": ["day", *MONTHS], "min_level": 1}, "local", True),
        (["a"], {"levels": MONTHS}, "mondrian", True),
        (["a"], {"levels": MONTHS, "min_level": 1}, "mondrian", False),
    ],
)
def test_unshifted_dates(
    tmp_path: Path,
    shifted: list[str],
    born: dict[str, Any] | None,
    algorithm: str,
    warned: bool,
) -> None:
    rows = [[f"p{i}", f"2024-01-{1 + i % 28:02}", f"2024-02-{1 + i % 2:02}", "fm"[i // 20]] for i in range(40)]
    write_csv(tmp_path / "in.csv", [["person", "a", "b", "sex"], *rows])
    quasi_identifiers = {"sex": {"builtin": "suppress"}}
    if born is not None:
        quasi_identifiers["b"] = {"builtin": "date", **born}
    transform = {name: {"shift": SHIFT} for name in shifted}
    settings = {"quasi_identifiers": quasi_identifiers, "insensitive": shifted, "algorithm": algorithm}
    assert ("beside shifted dates" in warnings_of(tmp_path, transform, "in.csv", **settings)) == warned


@pytest.mark.slow
def test_dates_that_are_cut_to_months(tmp_path: Path) -> None:
    rows = [[f"p{i}", f"2024-01-{1 + i % 28:02}", f"2024-02-{1 + i % 2:02}", "fm"[i // 20]] for i in range(40)]
    write_csv(tmp_path / "in.csv", [["person", "a", "b", "sex"], *rows])
    for cut, warned in (("month", False), ("day", True)):
        transform = {"a": {"shift": SHIFT}, "b": {"cut": cut}}
        assert ("beside shifted dates" in warnings_of(tmp_path, transform, insensitive=["a", "b"])) == warned


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("name", "written", "warned"),
    [
        ("b", "{0:%d.%m.%Y}", True),
        ("b", "{0:%d/%m/%Y}", True),
        ("b", "{0:%Y/%m/%d %H:%M}", True),
        ("b", "{0:%Y%m%d}", True),
        ("admitted_at", "{0:%s}", True),
        ("amount", "{0:%s}", False),
        ("admitted_at", "{1}", False),
        ("b", "12{1:06}", False),
        ("b", "{1}.{1}.{1}", False),
    ],
)
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_days_are_known_however_they_are_written(
    tmp_path: Path, name: str, written: str, warned: bool, kind: str
) -> None:
    start = datetime(2024, 2, 1, tzinfo=timezone.utc)
    rows = [
        [f"p{i}", f"2024-01-{1 + i % 28:02}", written.format(start + timedelta(i), 1000 + i), "fm"[i // 20]]
        for i in range(40)
    ]
    write_csv(tmp_path / "in.csv", [["person", "a", name, "sex"], *rows])
    if kind == "parquet":  # whole numbers have their type there
        duckdb.sql(f"COPY (FROM '{tmp_path}/in.csv') TO '{tmp_path}/in.parquet'")
    said = warnings_of(tmp_path, {"a": {"shift": SHIFT}}, f"in.{kind}", insensitive=["a", name])
    assert ("beside shifted dates" in said) == warned


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("second", "warned"), [({}, False), ({"days": 10}, True), ({"by": "stay"}, True), ({"key": "${OTHER_KEY}"}, True)]
)
def test_two_shifts_beside_each_other(tmp_path: Path, second: dict[str, Any], warned: bool) -> None:
    rows = [
        [f"p{i}", f"s{i}", f"2024-01-{1 + i % 28:02}", f"2024-02-{1 + i % 28:02}", "fm"[i // 20]] for i in range(40)
    ]
    write_csv(tmp_path / "in.csv", [["person", "stay", "a", "b", "sex"], *rows])
    transform = {"a": {"shift": SHIFT}, "b": {"shift": {**SHIFT, **second}}}
    settings = {"identifiers": ["person", "stay"], "insensitive": ["a", "b"]}
    assert ("shifted differently" in warnings_of(tmp_path, transform, "in.csv", **settings)) == warned
