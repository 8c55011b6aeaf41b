"""The strict reading of YAML: texts stay texts, every value knows its line, all else is a problem."""

from __future__ import annotations

from typing import Any

import pytest

from kanon_sql.settings.yaml import Document, YamlError, decode, read_text, read_yaml


def read(text: str, **environment: str) -> Document:
    return read_yaml(text, environment)


def faults(text: str, **environment: str) -> list[tuple[int, str]]:
    return [(fault.line, fault.text) for fault in read(text, **environment).faults]


@pytest.mark.parametrize(
    "plain",
    ["NO", "yes", "02139", "1e3", "0x1F", "2024-01-01", "1_000", ".inf", "12:30:45", "NULL", "Null", "="],
)
def test_plain_scalars_stay_their_source_text(plain: str) -> None:
    assert read(f"a: {plain}\n").value == {"a": plain}


@pytest.mark.parametrize(("written", "value"), [("null", None), ("~", None), ("", None), ("'null'", "null")])
def test_only_plain_null_tilde_and_nothing_are_none(written: str, value: Any) -> None:
    assert read(f"a: {written}\n").value == {"a": value}


def test_quoted_and_block_texts_are_texts() -> None:
    text = 'a: ""\nb: "~"\nc: |\n  null\nd: >-\n  SELECT\n  1\n'
    assert read(text).value == {"a": "", "b": "~", "c": "null\n", "d": "SELECT 1"}


def test_keys_stay_their_source_text_too() -> None:
    assert read("2024: a\nNO: b\nnull: c\n~: d\n'': e\n").value == {
        "2024": "a",
        "NO": "b",
        "null": "c",
        "~": "d",
        "": "e",
    }


def test_every_key_and_list_entry_has_its_line() -> None:
    document = read("# comment\nsource:\n  path: x\nlist:\n  - a\n  - {b: 1,\n     c: 2}\n")
    assert document.lines == {
        (): 2,
        ("source",): 2,
        ("source", "path"): 3,
        ("list",): 4,
        ("list", 0): 5,
        ("list", 1): 6,
        ("list", 1, "b"): 6,
        ("list", 1, "c"): 7,
    }


def test_the_first_of_two_equal_keys_counts_and_the_second_is_a_fault() -> None:
    document = read("a: 1\nb: 2\na: 3\n")
    assert document.value == {"a": "1", "b": "2"}
    assert [(fault.path, fault.line) for fault in document.faults] == [(("a",), 3)]
    assert "given twice, first on line 1" in document.faults[0].text


def test_differently_written_equal_keys_are_duplicates() -> None:
    assert len(faults("a: 1\n'a': 2\n")) == 1
    assert len(faults('o: {k: 1, "k": 2}\n')) == 1


def test_aliases_are_read_and_lines_point_at_what_they_stand_for() -> None:
    document = read("a: &x [1, 2]\nb: *x\n")
    assert document.value == {"a": ["1", "2"], "b": ["1", "2"]}
    assert document.lines[("b",)] == 2
    assert document.lines[("b", 0)] == 1


def test_merge_keys_are_faults_unless_quoted() -> None:
    [(line, text)] = faults("a: &x {b: 1}\nc:\n  <<: *x\n")
    assert line == 3
    assert "merge keys" in text
    assert read("'<<': 1\n").value == {"<<": "1"}
    assert faults("'<<': 1\n") == []


@pytest.mark.parametrize("tag", ["!!int", "!custom", "!!python/object:os.system", "!!str", "!<tag:x,2000:y>"])
def test_tags_are_faults(tag: str) -> None:
    [(line, text)] = faults(f"b: 1\na: {tag} 5\n")
    assert line == 2
    assert "is not read" in text


def test_tags_on_lists_mappings_and_keys_are_faults() -> None:
    assert [line for line, _ in faults("a: !!set {b: }\nc: !x\n  - 1\n!y d: 1\n")] == [1, 2, 4]


def test_keys_that_are_no_scalars_are_faults() -> None:
    assert [line for line, _ in faults("a: 1\n[b, c]: 2\n")] == [2]


def test_an_alias_inside_its_own_anchor_is_a_fault() -> None:
    [(line, text)] = faults("b: 1\na: &x\n  - *x\n")
    assert line == 2
    assert "part of" in text


def test_aliases_that_multiply_without_end_are_refused() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 9)]
    with pytest.raises(YamlError, match="aliases stand for more than"):
        read("\n".join(lines))


@pytest.mark.slow
def test_deep_nesting_is_refused() -> None:
    with pytest.raises(YamlError, match="nested too deeply"):
        read("a: " + "[" * 20_000 + "]" * 20_000)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a: [1, 2\nb: 3\n", 2),
        ("a: 1\n\tb: 2\n", 2),
        ("a: 1\n b: 2\n", 2),
        ("a: *nothing\n", 1),
        ('a: "open\n', 2),
        ("a: b: c\n", 1),
        ("a: @x\n", 1),
        ("a: 1\nb: x\0y\n", 2),
    ],
)
def test_syntax_errors_name_the_line(text: str, line: int) -> None:
    with pytest.raises(YamlError) as caught:
        read(text)
    assert caught.value.line == line
    assert "\n" not in caught.value.text


@pytest.mark.parametrize("escape", ["\\UFFFFFFFF", "\\U00110000"])
def test_an_escape_that_is_no_character_is_a_syntax_error(escape: str) -> None:
    with pytest.raises(YamlError, match="not valid YAML"):
        read(f'a: "{escape}"\n')


def test_an_unquoted_variable_in_a_flow_mapping_gets_a_hint() -> None:
    with pytest.raises(YamlError, match="needs quotes"):
        read("a: {path: ${DATA}}\n", DATA="x")


def test_several_documents_are_refused() -> None:
    with pytest.raises(YamlError, match="second document") as caught:
        read("a: 1\n---\nb: 2\n")
    assert caught.value.line == 2
    assert read("---\na: 1\n...\n").value == {"a": "1"}


def test_an_empty_text_has_no_value() -> None:
    assert read("").value is None
    assert read("# only a comment\n").value is None


def test_files_are_utf8_with_or_without_a_mark() -> None:
    assert decode(b"\xef\xbb\xbfa: \xc3\xa4") == "a: ä"
    with pytest.raises(YamlError, match="not UTF-8") as caught:
        decode(b"a: 1\nb: \xe4\n")
    assert caught.value.line == 2


def test_variables_are_read_in_values_of_every_style() -> None:
    text = "a: ${X}\nb: pre-${X}-${Y}\nc: '${X}'\nd: [\"${X}\"]\ne: |\n  ${X}\n"
    value = read(text, X="x", Y="y").value
    assert value == {"a": "x", "b": "pre-x-y", "c": "x", "d": ["x"], "e": "x\n"}


@pytest.mark.parametrize("content", ["null", "~", "", "[1, 2]", "{a: 1}", "*x", "${Y}", "$${Y}", "a: b", "5"])
def test_the_value_of_a_variable_is_text_and_is_never_parsed_again(content: str) -> None:
    assert read("a: ${X}\n", X=content, Y="no").value == {"a": content}


def test_two_dollars_escape() -> None:
    document = read("a: $${X} and $$ and $X and {X}\n")
    assert document.value == {"a": "${X} and $$ and $X and {X}"}
    assert document.sources == {}
    assert document.faults == []


def test_keys_read_no_variables() -> None:
    assert read("${X}: 1\n", X="x").value == {"${X}": "1"}


def test_missing_and_misspelt_variables_are_faults() -> None:
    [first, second, third] = faults("a: ${X}\nb: ${}\nc: ['${Y']\n")
    assert first[0] == 1
    assert "no variable X" in first[1]
    assert second[0] == 2
    assert "${NAME}" in second[1]
    assert third[0] == 3


def test_what_came_from_the_environment_is_known() -> None:
    document = read("a: {b: 'p${X}'}\nc: ['${X}', y]\n", X="secret", Z="unused")
    assert document.sources == {("a", "b"): "p${X}", ("c", 0): "${X}"}
    assert document.variables == {"X": "secret"}


def test_a_text_stands_for_itself_but_for_variables() -> None:
    assert read_text("*.csv: [", {}).value == "*.csv: ["
    assert read_text("null", {}).value == "null"
    assert read_text("${X}/*.csv", {"X": "d"}).value == "d/*.csv"
