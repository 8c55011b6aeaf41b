"""Hierarchy files: what they may look like, and what is said of those that are wrong."""

from __future__ import annotations

import csv
import io
import time
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanon_sql.errors import ConfigurationError
from kanon_sql.hierarchy.file import Hierarchy, read_hierarchy, read_text

# Texts that CSV files, SQL and terminals stumble over. NUL is none of them before Python 3.11.
HOSTILE = [
    "'",
    '"',
    '""',
    ",",
    ";",
    "\t",
    "\n",
    "a\nb",
    "a\r\nb",
    "\\",
    "😀",
    "é",
    "e\u0301",
    " ",
    "*",
    "NULL",
    "--",
    "0",
    "00",
    "$a",
]


def problems(text: str, *, show_values: bool = False) -> list[str]:
    with pytest.raises(ConfigurationError) as raised:
        read_text(text, "h.csv", show_values=show_values)
    assert raised.value.exit_status == 2
    return raised.value.problems


def levels(text: str) -> list[tuple[str, ...]]:
    return list(read_text(text, "h.csv").levels)


def write(rows: list[list[str]], delimiter: str, newline: str = "\n", quote: bool = True) -> str:
    file = io.StringIO()
    quoting: Literal[0, 1] = csv.QUOTE_ALL if quote else csv.QUOTE_MINIMAL
    csv.writer(file, delimiter=delimiter, lineterminator=newline, quoting=quoting).writerows(rows)
    return file.getvalue()


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_columns_are_levels(delimiter: str, newline: str) -> None:
    rows = [["1", "odd", "n"], ["2", "even", "n"], ["3", "odd", "n"]]
    assert levels(write(rows, delimiter, newline, quote=False)) == [("1", "2", "3"), ("odd", "even", "odd"), ("n",) * 3]


def test_hierarchy_knows_its_parts() -> None:
    parsed = read_text("1,odd\n2,even\n", "h.csv")
    assert parsed == Hierarchy("h.csv", ("1", "2"), (("1", "2"), ("odd", "even"), ("*", "*")))
    assert parsed.height == 2


def test_top_is_added_only_where_the_last_level_has_several_labels() -> None:
    assert levels("a,x\nb,x\n")[-1] == ("x", "x")
    assert levels("a,x\nb,y\n")[-1] == ("*", "*")
    assert levels("a\nb\n") == [("a", "b"), ("*", "*")]
    assert levels("a\n") == [("a",)]


def test_byte_order_mark_crlf_and_blank_lines(tmp_path: Path) -> None:
    path = tmp_path / "h.csv"
    path.write_bytes(b"\xef\xbb\xbfa;x\r\n\r\nb;y\r\n   \r\n\r\n")
    assert read_hierarchy(path).levels == (("a", "b"), ("x", "y"), ("*", "*"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("43;[40, 45);[40, 60)\n50;[50, 55);[40, 60)\n", ("43", "[40, 45)", "[40, 60)")),
        ("43;[40, 45)\n50;[50, 55)\n", ("43", "[40, 45)", "*")),
        ('"a;b",x,y\n"c;d",x,y\n', ("a;b", "x", "y")),
        ('"a,b";x;y\n', ("a,b", "x", "y")),
        ("a\tb c, d;e\ti\n", ("a", "b c, d;e", "i")),
    ],
)
def test_delimiter_is_found_out(text: str, expected: tuple[str, ...]) -> None:
    assert tuple(level[0] for level in levels(text)) == expected


def test_a_line_for_excel_names_the_delimiter_and_is_no_row() -> None:
    assert levels("sep=|\r\na|x,1\r\nb|x,1\r\n") == [("a", "b"), ("x,1", "x,1")]
    assert problems("sep=;\na;x\na;y\n")[0].startswith("h.csv:3: ")


def test_an_empty_text_and_blanks_are_values() -> None:
    assert levels('"",none\n" a",x\na,x\n')[0] == ("", " a", "a")
    assert levels('""\na\n')[0] == ("", "a")


def test_labels_may_repeat_over_levels() -> None:
    assert levels("a,a,b\nb,b,b\n") == [("a", "b"), ("a", "b"), ("b", "b")]
    assert levels("Other,Other\nRare,Other\n") == [("Other", "Rare"), ("Other", "Other")]


@given(
    st.lists(st.sampled_from(HOSTILE), unique=True, min_size=1),
    st.lists(st.lists(st.sampled_from(HOSTILE), min_size=1, max_size=3), min_size=2, max_size=3),
    st.sampled_from([",", ";", "\t"]),
    st.data(),
)
def test_any_text_comes_back(leaves: list[str], words: list[list[str]], delimiter: str, data: st.DataObject) -> None:
    columns = [leaves]
    for some in words:
        to = {below: data.draw(st.sampled_from(some)) for below in dict.fromkeys(columns[-1])}
        columns.append([to[below] for below in columns[-1]])
    label_columns = levels(write([list(row) for row in zip(*columns, strict=True)], delimiter))
    assert [list(level) for level in label_columns[: len(columns)]] == columns
    assert len(label_columns) == len(columns) + (len(set(columns[-1])) > 1)


def test_every_problem_is_told_at_once_and_no_value() -> None:
    text = "secret1,x,p\nsecret2,x,q\n\nsecret1,y,p\nsecret3,z\nsecret4,,p\n"
    messages = problems(text)
    assert messages == [
        "h.csv:5: 1 of 5 rows has more or fewer columns than the other rows; expected 3 in every row",
        "h.csv:6: 1 row has an empty label; "
        "repeat the label of the level below where a value is not generalized further",
        "h.csv:4: 1 row repeats the value of an earlier row; give every value one row (lines 1 and 4)",
        "h.csv:2: level 2 is no function of level 1: 1 label of level 1 (column 2) has several labels in column 3; "
        "give equal labels one parent (lines 1 and 2)",
    ]
    assert "secret" not in " ".join(messages)
    assert any("secret1" in problem for problem in problems(text, show_values=True))


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ("a,x\nb,x\na,x\n", "h.csv:3: 1 row says what an earlier row says; each counts once, remove the others"),
        ("a,b\nb,r\n\na,b\nb,r\n", "h.csv:4: 2 rows say what an earlier row says; each counts once, remove the others"),
    ],
    ids=["levels", "pairs"],
)
def test_identical_rows_are_a_warning(text: str, warning: str) -> None:
    parsed = read_text(text, "h.csv")
    assert parsed.warnings == (warning,)
    once = "".join(f"{line}\n" for line in dict.fromkeys(text.split()))
    again = read_text(once, "h.csv")
    assert (again.leaves, again.levels, again.warnings) == (parsed.leaves, parsed.levels, ())


def test_many_lines_are_shortened() -> None:
    text = "".join(f"{i},x\n{i},y\n" for i in range(9))
    assert problems(text)[0].endswith("(lines 1 and 2; 3 and 4; 5 and 6; 7 and 8; 9 and 10; ...)")


def test_a_level_high_up_is_named() -> None:
    assert "level 3 is no function of level 2" in problems("a,b,c,d\ne,f,c,g\n")[0]


def test_lines_count_those_within_quotes() -> None:
    assert problems('"a\nb",x\nc,x\nc,y\n')[0].startswith("h.csv:4:")


@pytest.mark.parametrize("text", ["", "\n", "\r\n\r\n"])
def test_an_empty_file_is_a_problem(text: str) -> None:
    assert problems(text) == ["h.csv: the hierarchy holds no value; expected one row for each value"]


@pytest.mark.parametrize("text", ['"a,b\nc,d\n', '"a"b,c\n'])
def test_bad_quotes_are_a_problem(text: str) -> None:
    assert "h.csv:1: this is no CSV" in problems(text)[0]


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="cannot be read"):
        read_hierarchy(tmp_path)
    with pytest.raises(ConfigurationError, match="cannot be read"):
        read_hierarchy(tmp_path / "none.csv")
    latin = tmp_path / "latin.csv"
    latin.write_bytes("a,x\ncaf\u00e9,x\n".encode("latin-1"))
    assert read_hierarchy(latin).leaves == ("a", "caf\u00e9")
    latin.write_bytes(b"a,x\ncaf\x81,x\n")
    with pytest.raises(
        ConfigurationError, match=r"latin\.csv: this is in none of utf-8, latin-1, windows-1252, utf-16"
    ):
        read_hierarchy(latin)


@pytest.mark.slow
def test_a_hundred_thousand_rows_are_fast() -> None:
    text = "".join(f"{i:05d};{i // 10:04d}*;{i // 100:03d}**;{i // 1000:02d}***;*\n" for i in range(100_000))
    start = time.perf_counter()
    parsed = read_text(text, "h.csv")
    assert time.perf_counter() - start < 5
    assert len(parsed.leaves) == 100_000
