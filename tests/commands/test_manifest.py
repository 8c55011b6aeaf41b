"""A table is compared with the classes of a release that its report tells."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from shared_engine import attached, shared
from tables import configuration, write

import kanon_sql
from kanon_sql.cli.main import main
from kanon_sql.errors import ConfigurationError, EngineError

QI = ("age", "sex", "zip")


@pytest.fixture
def released(tmp_path: Path) -> tuple[dict[str, Any], Path]:
    """A configuration whose release has missing values, and the report of its run."""
    source = write(tmp_path / "people.parquet")
    with shared() as connection:
        connection.execute(
            f"COPY (SELECT * REPLACE (CASE WHEN age < 40 THEN NULL ELSE sex END AS sex) FROM '{source}') "
            f"TO '{tmp_path}/some.parquet'"
        )
    config = configuration(str(tmp_path / "some.parquet"), str(tmp_path / "release.parquet"))
    kanon_sql.run(config, report=tmp_path / "report.json")
    return config, tmp_path / "report.json"


def digest_of(path: Path) -> str:
    """As docs/report.md describes it, counted in plain Python."""
    with shared() as connection:
        texts = ", ".join(f"coalesce(CAST({name} AS VARCHAR), '')" for name in QI)
        rows = Counter(connection.execute(f"SELECT {texts} FROM '{path}'").fetchall())
    classes = [
        ",".join(f"{len(text.encode())}:{text}" for text in values) + f"={count}" for values, count in rows.items()
    ]
    single = sorted(hashlib.sha256(text.encode()).hexdigest() for text in classes)
    return hashlib.sha256("".join(single).encode()).hexdigest()


@pytest.mark.few(1)
@pytest.mark.parametrize("suffix", ["parquet", "csv", "json"])
def test_the_same_classes_in_another_order_and_format(
    released: tuple[dict[str, Any], Path], tmp_path: Path, suffix: str
) -> None:
    config, report = released
    copied = tmp_path / f"copied.{suffix}"
    with shared() as connection:
        rows = f"SELECT zip, cost, diagnosis, age, sex FROM '{tmp_path}/release.parquet' ORDER BY random()"
        connection.execute(f"COPY ({rows}) TO '{copied}'")
    checked = kanon_sql.check(config, copied, manifest=report)
    assert checked["manifest"] == {"digest": digest_of(tmp_path / "release.parquet"), "same": True}
    assert checked["status"] == "satisfied" and checked["classes"]["digest"] == checked["manifest"]["digest"]


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "rows",
    [
        "SELECT * FROM released LIMIT (SELECT count(*) - 1 FROM released)",
        "SELECT * FROM released UNION ALL (SELECT * FROM released LIMIT 1)",
        "SELECT * REPLACE ('*' AS zip) FROM released",
        "SELECT * REPLACE (coalesce(sex, 'f') AS sex) FROM released",
    ],
)
def test_other_classes(released: tuple[dict[str, Any], Path], tmp_path: Path, rows: str) -> None:
    config, report = released
    with attached() as connection:
        connection.execute(f"CREATE VIEW released AS FROM '{tmp_path}/release.parquet'")
        connection.execute(f"COPY ({rows}) TO '{tmp_path}/other.parquet'")
    checked = kanon_sql.check(config, tmp_path / "other.parquet", manifest=report)
    assert (checked["status"], checked["manifest"]["same"]) == ("violated", False)
    assert checked["classes"]["digest"] == digest_of(tmp_path / "other.parquet")


@pytest.mark.slow
def test_the_command(released: tuple[dict[str, Any], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config, report = released
    (tmp_path / "config.json").write_text(json.dumps(config))
    words = ["check", str(tmp_path / "config.json"), str(tmp_path / "release.parquet"), "--manifest", str(report)]
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert not ended.value.code and "the classes of that release" in capsys.readouterr().out
    with pytest.raises(SystemExit) as ended:
        main([*words[:2], *words[3:]])
    assert ended.value.code == 1 and "NOT the classes of that release" in capsys.readouterr().out


@pytest.mark.slow
def test_what_is_no_report(released: tuple[dict[str, Any], Path], tmp_path: Path) -> None:
    config, report = released
    for text in ("{}", "[]", "no JSON", '{"classes": null}', '{"classes": {"digest": 1}}'):
        report.write_text(text)
        with pytest.raises(ConfigurationError, match=r"has no classes.digest; expected the JSON report of a run"):
            kanon_sql.check(config, tmp_path / "release.parquet", manifest=report)
    with pytest.raises(EngineError, match=r"cannot be read"):
        kanon_sql.check(config, tmp_path / "release.parquet", manifest=tmp_path / "none.json")
