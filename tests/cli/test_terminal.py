"""Summaries in a terminal: they fit, say what the plain text says, and no pipe ever gets a colour."""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from tables import configuration, write

from kanon_sql.cli.terminal import bar, print_parts
from kanon_sql.report.views.parts import FactList, Grid, Line, Part, plain

ESCAPE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def printed(parts: list[Part], width: int, encoding: str = "utf-8") -> list[str]:
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    console = Console(file=file, width=width, force_terminal=True, color_system=None, highlight=False, markup=False)
    print_parts(parts, console)
    file.flush()
    assert isinstance(file.buffer, io.BytesIO)
    return file.buffer.getvalue().decode(encoding).splitlines()


WORDS = st.text("abc_é漢", min_size=1, max_size=9)
NUMBERS = st.integers(0, 10**7).map("{:,}".format)


@st.composite
def grids(draw: st.DrawFn) -> Grid:
    numbers = draw(st.integers(0, 4))
    heads = [" ".join(draw(st.lists(WORDS, min_size=1, max_size=3))) for _ in range(numbers + 1)]
    rows = draw(st.lists(st.tuples(WORDS, *[NUMBERS] * numbers).map(list), min_size=1, max_size=4))
    return Grid(heads, rows, 0)


@given(grids(), st.integers(20, 120))
def test_a_grid_fits_and_holds_every_cell(grid: Grid, width: int) -> None:
    lines = printed([grid], width)
    fits = all(cell_len(line) <= width for line in lines)
    assert fits or lines == plain([grid]).splitlines()
    text = "\n".join(lines)
    for row in grid.rows:
        for number in row[1:]:  # never broken
            assert re.search(rf"(?<![\d,]){number}(?![\d,])", text)
    letters = re.compile(r"[\s─]")
    assert sorted(letters.sub("", text)) == sorted(letters.sub("", plain([grid])))


@given(st.lists(st.tuples(WORDS, st.text("ab é", max_size=90)), min_size=1), st.integers(20, 120))
def test_facts_fit_beside_their_names(entries: list[tuple[str, str]], width: int) -> None:
    lines = printed([FactList([(name, text, "") for name, text in entries], 19)], width)
    assert all(cell_len(line) <= max(width, 22) for line in lines)
    assert sum(line[2:3] != " " for line in lines if line) <= len(entries)


def test_a_terminal_of_sixty_columns() -> None:
    shown: list[Part] = [
        Line("released 9 of 9 rows", "good"),
        FactList([("search", "optimal loss: 33 of 768 nodes checked, proven optimal", "")], 13),
        Grid(
            ["column", "loss %", "such as"],
            [["age", "50.00", "20-39"], ["sex", "0.00", "*"]],
            (0, 2),
            bars={1: ([0.5, 0], "")},
        ),
    ]
    assert printed(shown, 60) == [
        "released 9 of 9 rows",
        "  search       optimal loss: 33 of 768 nodes checked, proven",
        "               optimal",
        "  column  loss %                    such as",
        "  ─────────────────────────────────────────",
        "  age      50.00  ████████          20-39",
        "  sex       0.00                    *",
    ]
    assert "█" not in "".join(printed(shown, 30)) + "".join(printed(shown, 60, "latin-1"))


def test_a_bar_is_seen_where_there_is_anything() -> None:
    assert [bar(share, 4) for share in (None, 0, 1e-9, 0.5, 1, 2)] == ["", "", "▏", "██", "████", "████"]


@pytest.mark.slow
@pytest.mark.parametrize(("setting", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_colours_are_for_terminals(setting: dict[str, str], coloured: bool, tmp_path: Path) -> None:
    write(tmp_path / "people.csv")
    config = configuration("people.csv", "out.csv")
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    command = [sys.executable, "-m", "kanon_sql", "check", "config.yaml"]
    environment = {name: text for name, text in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    environment |= {"TERM": "xterm-256color", "COLUMNS": "80", **setting}
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, stdout=theirs, stderr=subprocess.PIPE, env=environment, cwd=tmp_path):
        os.close(theirs)
        said = b""
        while True:
            try:
                some = os.read(ours, 4096)
            except OSError:  # the other end is closed
                break
            if not some:
                break
            said += some
    os.close(ours)
    piped = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path, check=False)
    text = said.decode()
    assert bool(re.search(r"\x1b\[[\d;]*3[0-9]m", text)) is coloured
    assert "\x1b" not in piped.stdout
    assert ESCAPE.sub("", text).split() == piped.stdout.split()
