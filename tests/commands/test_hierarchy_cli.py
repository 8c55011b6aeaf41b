"""kanon-sql hierarchy: list, show, check, build."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from shared_engine import shared

from kanon_sql.cli.main import main
from kanon_sql.hierarchy.file import read_hierarchy, read_text
from kanon_sql.hierarchy.ready import ready_files


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "h.csv").write_text("1,odd\n2,even\n3,odd\n")
    (tmp_path / "bad.csv").write_text("secret,odd\nsecret,even\n")
    (tmp_path / "data.csv").write_text("id,n,zip\n1,1,02139\n2,3,02138\n3,,\n4,2,94110\n")
    with shared() as connection:
        connection.execute("COPY (SELECT i AS n FROM range(1, 5) AS t(i)) TO 'data.parquet'")
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, list[str]]:
    """(exit status, standard output, lines of standard error)"""
    with pytest.raises(SystemExit) as exited:
        main(["hierarchy", *words])
    captured = capsys.readouterr()
    assert isinstance(exited.value.code, int)
    return exited.value.code, captured.out, captured.err.splitlines()


def test_list_names_every_ready_one(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "list")
    assert (status, err) == (0, [])
    assert {line.split()[0] for line in out.splitlines()[1:]} == set(ready_files())


def test_show(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "show", "h.csv")
    assert (status, err) == (0, [])
    assert [line.split() for line in out.splitlines()] == [
        ["level", "labels", "values", "below", "one", "such", "as"],
        ["0", "3", "1", "1,", "2,", "3"],
        ["1", "2", "1", "to", "2", "odd,", "even"],
        ["2", "1", "3", "*"],
    ]
    assert "{builtin: prefix, keep: [4, 3, 2, 1]}" in run(capsys, "show", "us-zip")[1]


def test_show_tree(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "show", "h.csv", "--tree")
    assert out.splitlines() == ["* (3)", "├── odd (2)", "│   ├── 1", "│   └── 3", "└── even (1)", "    └── 2"]
    _, out, _ = run(capsys, "show", "h.csv", "--tree", "--limit", "1")
    assert out.splitlines() == ["* (3)", "├── odd (2)", "│   ├── 1", "│   └── ... 1 more", "└── ... 1 more"]


def test_show_tree_of_labels_that_look_like_markup(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("odd.csv").write_text('x,"[bold]","[40, 45)"\ny,"\x1b[31mred","[40, 45)"\n"",x,"[40, 45)"\n')
    status, out, _ = run(capsys, "show", "odd.csv", "--tree")
    assert status == 0
    assert "[bold]" in out
    assert "[40, 45) (3)" in out
    assert "\x1b" not in out
    assert "''" in out
    assert "\x1b" not in run(capsys, "show", "odd.csv")[1]


def test_show_tree_of_a_deep_one(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("deep.csv").write_text("".join(f"n{i},n{i + 1}\n" for i in range(60)) + "m,n60\n")
    status, out, _ = run(capsys, "show", "deep.csv", "--tree")
    assert status == 0
    assert len(out.splitlines()) == 62


def test_check(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "check", "h.csv") == (0, "h.csv is well formed: 3 values, 2 levels above them\n", [])
    status, out, err = run(capsys, "check", "bad.csv")
    assert (status, out, len(err)) == (2, "", 1)
    assert err[0].startswith("kanon-sql: error: bad.csv:2: 1 row repeats")
    assert "secret" not in err[0]
    assert "secret" in run(capsys, "check", "bad.csv", "--show-values")[2][0]
    Path("twice.csv").write_text("secret,odd\nsecret,odd\n")
    status, out, err = run(capsys, "check", "twice.csv")
    assert (status, out) == (0, "twice.csv is well formed: 1 values, 1 level above them\n")
    assert err == [
        "kanon-sql: warning: twice.csv:2: 1 row says what an earlier row says; each counts once, remove the others"
    ]
    status, _, err = run(capsys, "check", "hh.csv")
    assert status == 2
    assert "did you mean h.csv" in err[0]


def test_check_against_data(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "check", "h.csv", "data.csv", "--column", "n") == (
        0,
        "h.csv covers all 3 values of column 'n': 3 values, 2 levels above them\n",
        [],
    )
    status, _, err = run(capsys, "check", "h.csv", "data.parquet")
    assert status == 2
    assert "data.parquet: column 'n': 1 distinct value has no place in h.csv; expected a row for every value" in err[0]
    assert ": '4'; expected" in run(capsys, "check", "h.csv", "data.parquet", "--show-values")[2][0]
    status, _, err = run(capsys, "check", "h.csv", "data.csv", "--column", "id", "--missing", "4")
    assert status == 0
    assert run(capsys, "check", "date", "data.csv", "--column", "zip")[0] == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["check", "h.csv", "data.csv"], "it has 3 columns; name one with --column"),
        (["check", "h.csv", "data.csv", "--column", "x"], "no column 'x'; expected one of id, n, zip"),
        (["check", "h.csv", "--column", "n"], "--column goes with DATA"),
        (["build", "data.csv"], "expected one of --builtin and --hierarchy"),
        (["build", "data.csv", "--builtin", "suppress", "--hierarchy", "age"], "expected one of"),
        (["build", "--builtin", "suppress"], "name DATA and --column"),
        (["build", "--hierarchy", "us-zip"], "name DATA and --column"),
        (["build", "data.csv", "--column", "n", "--builtin", "age"], "expected suppress, prefix"),
        (["build", "data.csv", "--column", "n", "--builtin", "intervals:5,12"], "each width divides the next"),
        (["build", "data.csv", "--column", "n", "--builtin", "prefix:3,3"], "keep must fall"),
        (["build", "data.csv", "--column", "n", "--builtin", "date:year"], "3 distinct values have no place"),
    ],
)
def test_wrong_usage(folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str) -> None:
    status, out, err = run(capsys, *words)
    assert (status, out) == (2, "")
    assert said in err[0]


def test_build_to_standard_output(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "build", "data.csv", "--column", "zip", "--builtin", "prefix:3")
    assert (status, err) == (0, [])
    assert out == "02138,021**,*\n02139,021**,*\n94110,941**,*\n"


def test_build_a_file_that_can_be_read_again(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["build", "data.parquet", "--builtin", "intervals:0.5,2", "-o", "n.csv"]
    assert run(capsys, *words) == (0, "", [])
    assert read_hierarchy(Path("n.csv")).levels == (
        ("1", "2", "3", "4"),
        ("[1, 1.5)", "[2, 2.5)", "[3, 3.5)", "[4, 4.5)"),
        ("[0, 2)", "[2, 4)", "[2, 4)", "[4, 6)"),
        ("*",) * 4,
    )
    status, _, err = run(capsys, *words)
    assert status == 2
    assert "n.csv exists already; name another file, or add --overwrite" in err[0]
    assert run(capsys, *words, "--overwrite")[0] == 0


def test_build_of_hostile_values(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("odd.csv").write_text('v\n"a,b"\n"a;b"\n"q""q"\n"l\nm"\n*\n" "\n', encoding="utf-8")
    for how in ("suppress", "prefix:2,1"):
        _, out, _ = run(capsys, "build", "odd.csv", "--column", "v", "--builtin", how)
        assert set(read_text(out, "out").leaves) == {"a,b", "a;b", 'q"q', "l\nm", "*", " "}


def test_build_from_a_ready_one(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "build", "data.csv", "--column", "n", "--hierarchy", "age")[1] == "".join(
        f"{n},0-4,0-9,0-19,0-39,*\n" for n in (1, 2, 3)
    )
    _, out, _ = run(capsys, "build", "--hierarchy", "age")
    assert out == ready_files()["age"].read_text()


def test_help_loads_nothing_heavy() -> None:
    heavy = ["duckdb", "sqlglot", "pydantic", "rich", "yaml"]
    code = f"import sys, kanon_sql.cli.hierarchy; print([name for name in {heavy} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
