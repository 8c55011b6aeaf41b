"""`--set key.path=value`: one key of the configuration is replaced, whatever form the file has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanon_sql.config.draft import key_text, parse_key
from kanon_sql.config.load import LoadedConfig, from_mapping, load_config
from kanon_sql.config.model import Config
from kanon_sql.errors import ConfigurationError

SMALL: dict[str, Any] = {"source": "data.csv", "quasi_identifiers": ["age", "a.b"], "privacy": {"k": 5}}


def load(*overrides: tuple[str, Any], **more: Any) -> LoadedConfig:
    return from_mapping({**SMALL, **more}, overrides=overrides)


def config(*overrides: tuple[str, Any], **more: Any) -> Config:
    return load(*overrides, **more).config


def problem(*overrides: tuple[str, Any], **more: Any) -> str:
    with pytest.raises(ConfigurationError) as caught:
        load(*overrides, **more)
    assert len(caught.value.problems) == 1, caught.value.problems
    return caught.value.problems[0]


def test_scalars_lists_and_mappings() -> None:
    changed = config(
        ("privacy.k", "7"),
        ("suppression.limit", "1%"),
        ("algorithm", "samarati"),
        ("identifiers", "[name, 'a, b', NO, 02139]"),
        ("release", "{order: none, seed: 3}"),
        ("report", "out/report.json"),
        ("missing", "drop"),
    )
    assert changed.privacy.k == 7
    assert changed.suppression.limit == "1%"
    assert changed.algorithm.name == "samarati"
    assert changed.identifiers == ["name", "a, b", "NO", "02139"]
    assert (changed.release.order, changed.release.seed) == ("none", 3)
    assert changed.report is not None and changed.report.data == "out/report.json"
    assert changed.missing == "drop"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (";", ";"),
        ("|", "|"),
        (",", ","),
        ("\t", "\t"),
        (r"\t", "\t"),
        ("#", "#"),
        ("*", "*"),
        ("'", "'"),
        ('"', '"'),
        ("[", "["),
        ("';'", ";"),
        ('"\\t"', "\t"),
        ("%", "%"),
        (" ", " "),
        (":", ":"),
        ("- ", "- "),
    ],
)
def test_texts_stand_for_themselves_as_a_shell_passes_them(text: str, value: str) -> None:
    assert config(("source.csv.delimiter", text)).source.csv.delimiter == value


@pytest.mark.parametrize("path", ["*.csv", "a: b", "@x", "# x", "x # y", "- x", "1e3", "NO", "C:\\x", "%x"])
def test_paths_stand_for_themselves(path: str) -> None:
    assert config(("source", path)).source.path == path


def test_setting_below_a_short_form_expands_it() -> None:
    changed = config(
        ("source.csv.delimiter", ";"),
        ("target.overwrite", "true"),
        ("algorithm.objective", "precision"),
        ("quasi_identifiers.age.max_level", "2"),
        ('quasi_identifiers."a.b".weight', "3"),
        ("quasi_identifiers.zip", "zip.csv"),
        ("quasi_identifiers.zip.min_level", "1"),
        target="out.csv",
        algorithm="optimal",
    )
    assert (changed.source.path, changed.source.csv.delimiter) == ("data.csv", ";")
    assert changed.target is not None
    assert (changed.target.path, changed.target.overwrite) == ("out.csv", True)
    assert (changed.algorithm.name, changed.algorithm.objective) == ("optimal", "precision")
    assert changed.quasi_identifiers["age"].max_level == 2
    assert changed.quasi_identifiers["a.b"].weight == 3
    assert changed.quasi_identifiers["zip"].hierarchy == "zip.csv"
    assert changed.quasi_identifiers["zip"].min_level == 1


def test_an_in_place_target_is_expanded_too() -> None:
    target = config(("target.compression", "zstd"), target="in-place").target
    assert target is not None
    assert (target.in_place, target.compression) == (True, "zstd")


def test_the_last_of_several_wins() -> None:
    assert config(("privacy.k", "7"), ("privacy", "{k: 8}"), ("privacy.k", "9")).privacy.k == 9


@pytest.mark.parametrize("nothing", ["null", "~", "", None])
def test_nothing_gives_back_the_default(nothing: str | None) -> None:
    assert config(("algorithm", nothing), algorithm="samarati").algorithm.name == "optimal"
    assert config(("target", nothing), target="x.csv").target is None
    assert config(("release.seed", nothing), release={"seed": 7}).release.seed is None
    assert config(("report", nothing)).report is None
    assert "privacy.k: k is missing" in problem(("privacy.k", nothing))


def test_nothing_for_a_quasi_identifier_is_an_entry_without_options() -> None:
    changed = config(("quasi_identifiers.age", "null"), quasi_identifiers={"age": "age.csv"})
    assert changed.quasi_identifiers["age"].hierarchy is None


def test_entries_of_lists_are_set_by_number() -> None:
    assert config(("sensitive.1", "c"), sensitive=["a", "b"]).sensitive == ["a", "c"]
    assert "no such key" in problem(("sensitive.2", "c"), sensitive=["a", "b"])


def test_problems_are_placed_at_the_override() -> None:
    assert problem(("privacy.k", "many")).startswith("--set privacy.k: expected a whole number, got text 'many'")
    assert problem(("algorithm", "fast")).startswith("--set algorithm: algorithm.name: expected 'optimal'")
    assert problem(("privcy.k", "5")).startswith("--set privcy.k: privcy: unknown key 'privcy', did you mean privacy")
    assert problem(("quasi_identifiers.age.wight", "5")).startswith("--set quasi_identifiers.age.wight: unknown key")
    assert problem(("privacy.k.x", "5")) == (
        "--set privacy.k.x: privacy.k has no such key below it; set privacy.k itself"
    )
    assert problem(("sensitive", "[a")).startswith("--set sensitive: not valid YAML")
    assert problem(("source", "[ab]*.csv")).startswith("--set source: not valid YAML")
    assert "expected a text as key" in problem(("release", "{[a]: b}"))


@pytest.mark.parametrize("key", ["", ".", "a.", ".a", "a..b", '"a', '"a"b', "'a''"])
def test_wrong_keys(key: str) -> None:
    assert problem((key, "5")).startswith(f"--set {key}: expected a ")


def test_an_override_repairs_what_is_wrong_in_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KANON_NOT", raising=False)
    file = tmp_path / "c.yaml"
    file.write_text("source: ${KANON_NOT}\nquasi_identifiers: [{a: b}]\nprivacy:\n  k: five\n  k: 6\n")
    good = [("source.path", "x.csv"), ("quasi_identifiers", "[age]"), ("privacy.k", "5")]
    with pytest.raises(ConfigurationError) as caught:
        load_config(file, good)
    # The file still gives one key twice: which of them was meant, nobody knows.
    assert [text.removeprefix(str(tmp_path)) for text in caught.value.problems] == [
        "/c.yaml:5: privacy.k: key 'k' is given twice, first on line 4; keep one"
    ]
    file.write_text(file.read_text().replace("  k: 6\n", ""))
    assert load_config(file, good).config.privacy.k == 5


def test_variables_are_read_in_overrides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KANON_PW", "hunter2")
    monkeypatch.delenv("KANON_NOT", raising=False)
    assert config(("source.path", "${KANON_PW}/*.csv")).source.path == "hunter2/*.csv"
    assert config(("sensitive", '["${KANON_PW}"]')).sensitive == ["hunter2"]
    assert config(("source.path", "$${KANON_PW}")).source.path == "${KANON_PW}"
    assert problem(("privacy.k", "${KANON_NOT}")).startswith("--set privacy.k: the environment has no variable")
    assert "hunter2" not in problem(("privacy.k", "${KANON_PW}"))
    assert "hunter2" not in problem(("identifiers", '["${KANON_PW}", "${KANON_PW}"]'))
    assert load(("source.path", "${KANON_PW}")).redact("no hunter2") == "no ${KANON_PW}"


def test_typed_values_are_taken_as_they_are() -> None:
    changed = config(("privacy", {"k": 7}), ("sensitive", ("a", "b")), ("source", Path("x.csv")))
    assert (changed.privacy.k, changed.sensitive, changed.source.path) == (7, ["a", "b"], "x.csv")
    assert problem(("release", {1: 2})).startswith("--set release: expected texts as keys, got int")


@pytest.mark.parametrize(
    ("key", "path"),
    [
        ("privacy.k", ("privacy", "k")),
        ('q."a.b".weight', ("q", "a.b", "weight")),
        ("q.'a.b'", ("q", "a.b")),
        ('q."say ""x"""', ("q", 'say "x"')),
        ('q.""', ("q", "")),
        ('q.a"b c=d', ("q", 'a"b c=d')),
    ],
)
def test_keys(key: str, path: tuple[str, ...]) -> None:
    assert parse_key(key) == path


@given(st.lists(st.text(), min_size=1))
def test_keys_are_read_as_they_are_shown(path: list[str]) -> None:
    assert parse_key(key_text(tuple(path))) == tuple(path)
