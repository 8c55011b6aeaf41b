"""The configuration that a command line stands for, and YAML that loads back as the same."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml
from effort import tries
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_sql.config.arguments import config_from_arguments, to_yaml
from kanon_sql.config.load import from_mapping, load_config
from kanon_sql.errors import ConfigurationError


def test_the_shortest_command_line() -> None:
    mapping = config_from_arguments("d.csv", qi=["a", "b"], k=5, output="o.csv")
    assert mapping == {
        "source": "d.csv",
        "target": "o.csv",
        "quasi_identifiers": {"a": {"builtin": "suppress"}, "b": {"builtin": "suppress"}},
        "privacy": {"k": 5},
    }


def test_every_option() -> None:
    mapping = config_from_arguments(
        "d.csv",
        qi=["a=h.csv"],
        k=5,
        output="o.csv",
        sensitive=["s"],
        insensitive=["i"],
        identifiers=["n"],
        unlisted="drop",
        limit="20",
        algorithm="minimal",
        missing_texts=["?", ""],
        missing_rows="drop-any",
        delimiter=";",
        order="none",
        suppressed="mask",
    )
    config = from_mapping(mapping).config
    assert config.source.missing == ["?", ""]
    assert config.source.csv.delimiter == ";"
    assert (config.sensitive, config.insensitive, config.identifiers) == (["s"], ["i"], ["n"])
    assert (config.unlisted, config.missing) == ("drop", "drop-any")
    assert config.quasi_identifiers["a"].hierarchy == "h.csv"
    assert config.suppression.limit == 20
    assert config.algorithm.name == "minimal"
    assert (config.release.order, config.release.suppressed) == ("none", "mask")


@pytest.mark.parametrize(
    ("text", "name", "entry"),
    [
        ("a", "a", {"builtin": "suppress"}),
        ("a=suppress", "a", {"builtin": "suppress"}),
        ("a=./suppress", "a", {"hierarchy": "./suppress"}),
        ("a=h.csv", "a", {"hierarchy": "h.csv"}),
        ("a=x=y.csv", "a", {"hierarchy": "x=y.csv"}),
        ("zip=prefix:4, 3,2", "zip", {"builtin": "prefix", "keep": [4, 3, 2]}),
        ("h=intervals:5,10,20", "h", {"builtin": "intervals", "widths": [5, 10, 20]}),
        ("h=intervals:0.5", "h", {"builtin": "intervals", "widths": [Decimal("0.5")]}),
        ("born=date:month,year", "born", {"builtin": "date", "levels": ["month", "year"]}),
        ("a==b", "a=b", {"builtin": "suppress"}),
        ("a==b=h.csv", "a=b", {"hierarchy": "h.csv"}),
        ("a===h==.csv", "a=", {"hierarchy": "h==.csv"}),
        ("==", "=", {"builtin": "suppress"}),
        ("C:=D:/h.csv", "C:", {"hierarchy": "D:/h.csv"}),
    ],
)
def test_quasi_identifiers(text: str, name: str, entry: dict[str, Any]) -> None:
    assert config_from_arguments("d", qi=[text])["quasi_identifiers"] == {name: entry}


def test_every_wrong_entry_is_named() -> None:
    with pytest.raises(ConfigurationError) as caught:
        config_from_arguments(
            "d",
            qi=[
                "a",
                "a=x",
                "",
                "=x",
                "b=",
                "c=prefix",
                "d=prefix:4,x",
                "e=date:",
                "f=intervals:5,,6",
                "g=intervals:1e3x",
                "h=intervals:inf",
                "i=h.csv",
            ],
        )
    places = [problem.split(": ")[0] for problem in caught.value.problems]
    assert places == [
        "--qi a=x",
        "--qi ",
        "--qi =x",
        "--qi b=",
        "--qi c=prefix",
        "--qi d=prefix:4,x",
        "--qi e=date:",
        "--qi f=intervals:5,,6",
        "--qi g=intervals:1e3x",
        "--qi h=intervals:inf",
    ]
    assert "such as prefix:4,3,2" in caught.value.problems[4]
    assert caught.value.exit_status == 2


def test_without_k_the_configuration_says_what_is_missing() -> None:
    with pytest.raises(ConfigurationError, match="command line: privacy: privacy is missing"):
        from_mapping(config_from_arguments("d", qi=["a"]), name="command line")


def test_the_yaml_is_clean() -> None:
    mapping = config_from_arguments(
        "data/${x}.csv",
        qi=["age=intervals:5,10", "zip=prefix:4,3", "sex=sex.csv", "NO"],
        k=5,
        limit="1%",
        output="in-place",
        sensitive=["02139", "1e3", "~", "<<", "x y"],
        missing_texts=["?", ""],
        delimiter="\t",
    )
    assert to_yaml(mapping) == (
        "source:\n"
        "  path: data/$${x}.csv\n"
        "  csv:\n"
        '    delimiter: "\\t"\n'
        "  missing: ['?', '']\n"
        "target: in-place\n"
        "quasi_identifiers:\n"
        "  age:\n"
        "    builtin: intervals\n"
        "    widths: [5, 10]\n"
        "  zip:\n"
        "    builtin: prefix\n"
        "    keep: [4, 3]\n"
        "  sex: {hierarchy: sex.csv}\n"
        "  'NO': {builtin: suppress}\n"
        "sensitive: ['02139', '1e3', '~', '<<', x y]\n"
        "privacy: {k: 5}\n"
        "suppression: {limit: 1%}\n"
    )


def test_repeated_lists_are_written_out() -> None:
    shared = ["a", "b"]
    assert "&" not in to_yaml({"x": shared, "y": shared})


def test_values_that_no_configuration_holds() -> None:
    with pytest.raises(TypeError, match="object"):
        to_yaml({"source": object()})


# Names that YAML, the strict reader or an editor could misread.
NAMES = st.one_of(
    st.text(min_size=1, max_size=12),
    st.text(
        alphabet=st.sampled_from("${}ab:-?[]&*!|>'\"%@`#,\\ \n\t\r0~=<é\0\x85\u2028\ufeff"),
        min_size=1,
        max_size=12,
    ),
    st.sampled_from(
        [
            "null",
            "~",
            "NO",
            "02139",
            "1e3",
            "<<",
            "=",
            "${HOME}",
            "$${HOME}",
            "$$${",
            "---",
            "...",
            "2024-01-01",
            "- a",
            "a: b",
            "a #b",
            " a ",
            "!x",
            "&x",
            "*x",
            "|",
            ">",
            "%x",
            "in-place",
        ]
    ),
)


@st.composite
def command_lines(draw: st.DrawFn) -> dict[str, Any]:
    columns = draw(st.lists(NAMES, min_size=1, max_size=8, unique=True))
    cut = draw(st.integers(1, len(columns)))
    hows = st.sampled_from(["", "=suppress", "=prefix:4,3", "=intervals:0.1,1", "=date:year"]) | NAMES.map(
        lambda name: f"=./{name}"
    )
    return config_from_arguments(
        draw(NAMES),
        qi=[column.replace("=", "==") + draw(hows) for column in columns[:cut]],
        k=draw(st.integers(1)),
        output=draw(st.none() | NAMES),
        sensitive=columns[cut:],
        limit=draw(st.none() | st.sampled_from(["0", "007", "1%", ".5 %"])),
        missing_texts=draw(st.lists(NAMES | st.just(""), max_size=3)),
        delimiter=draw(st.none() | st.sampled_from([";", "\t", "|", ",", "'", '"', "#", " "])),
    )


@pytest.mark.slow
@given(command_lines())
def test_the_yaml_loads_back_as_the_same(tmp_path_factory: pytest.TempPathFactory, mapping: dict[str, Any]) -> None:
    file = tmp_path_factory.getbasetemp() / "round.yaml"
    file.write_text(to_yaml(mapping), encoding="utf-8", newline="")
    assert load_config(file).config == from_mapping(mapping).config


@settings(max_examples=tries(100, fewer=20))
@given(command_lines())
def test_dumped_models_load_back_as_well(tmp_path_factory: pytest.TempPathFactory, mapping: dict[str, Any]) -> None:
    config = from_mapping(mapping).config
    file = tmp_path_factory.getbasetemp() / "dumped.yaml"
    file.write_text(to_yaml(config.model_dump(exclude_unset=True)), encoding="utf-8", newline="")
    assert load_config(file).config == config


@pytest.mark.parametrize("text", ["02139", "1e3", "NO", "2024-01-01", "0.5", "-1", "1_000"])
def test_other_readers_of_the_yaml_see_texts_too(text: str) -> None:
    assert yaml.safe_load(to_yaml({"sensitive": [text]})) == {"sensitive": [text]}


def test_paths_are_written_as_texts() -> None:
    assert to_yaml({"source": Path("a/b.csv")}) == "source: a/b.csv\n"
