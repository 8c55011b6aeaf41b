"""--missing and --missing-only: what is read as missing of a file that a command line names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from shared_engine import shared

from kanon_sql.cli.main import main


def missing_rows(folder: Path, capsys: pytest.CaptureFixture[str], source: str, *options: str) -> int:
    """The rows that are dropped since x is missing in them."""
    if source == "in.csv":
        (folder / source).write_text("x,y\n,1\n?,1\n-,1\na,1\na,1\n")
    else:
        place = folder / source if source.endswith(".parquet") else folder / source / "a.parquet"
        place.parent.mkdir(exist_ok=True)
        with shared() as connection:
            connection.execute(f"COPY (SELECT unnest(['', '?', '-', 'a', 'a']) AS x, 1 AS y) TO '{place}'")
    target = str(folder / "out.csv")
    words = ["--qi", "x", "--k", "1", "--unlisted", "drop", "--missing-rows", "drop-any", "-o", target, "--json"]
    with pytest.raises(SystemExit) as ended:
        main(["run", str(folder / source), *words, *options])
    assert ended.value.code in (0, None)
    return int(json.loads(capsys.readouterr().out)["rows"]["missing"])


@pytest.mark.few(4)
@pytest.mark.parametrize(
    ("source", "options", "expected"),
    [
        ("in.csv", [], 1),
        ("in.csv", ["--missing", "?"], 2),
        ("in.csv", ["--missing", "?", "--missing", "-"], 3),
        ("in.csv", ["--missing-only", "?"], 1),
        ("in.csv", ["--missing-only", "?", "--missing-only", ""], 2),
        ("in.parquet", ["--missing", "?"], 1),
        ("in", ["--missing", "?"], 1),
    ],
)
def test_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], source: str, options: list[str], expected: int
) -> None:
    assert missing_rows(tmp_path, capsys, source, *options) == expected


def test_one_of_both(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["run", str(tmp_path / "in.csv"), "--qi", "x", "--k", "1", "--missing", "?", "--missing-only", "-"])
    assert ended.value.code == 2
    assert "--missing adds to what means missing, --missing-only replaces it; name one" in capsys.readouterr().err
