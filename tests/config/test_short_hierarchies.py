"""A hierarchy is written in one way: on a command line, in Python and in a configuration."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kanon_sql.config.arguments import config_from_arguments
from kanon_sql.config.load import config_from_text, from_mapping
from kanon_sql.errors import ConfigurationError


def loaded(how: str, key: str = "{k: 2}") -> Any:
    text = f"source: s.csv\nquasi_identifiers:\n  a: {how}\nprivacy: {key}\n"
    return config_from_text(text, Path(), name="c.yaml").config


@pytest.mark.parametrize("how", ["intervals:5,10", "prefix:4,2", "date:month,year", "merge-rare:10,100", "suppress"])
def test_a_short_text_is_what_it_is_on_a_command_line(how: str) -> None:
    by_option = from_mapping(config_from_arguments("s.csv", qi=[f"a={how}"], k=2)).config
    assert loaded(f'"{how}"').quasi_identifiers == by_option.quasi_identifiers
    assert by_option.quasi_identifiers["a"].hierarchy is None


@pytest.mark.parametrize("how", ["./suppress", "./intervals:5,10", "intervals", "age.csv"])
def test_other_texts_are_files(how: str) -> None:
    assert loaded(how).quasi_identifiers["a"].hierarchy == how


def test_a_text_that_is_wrong_is_told_with_its_line() -> None:
    with pytest.raises(ConfigurationError) as refused:
        loaded('"intervals:5,x"')
    assert refused.value.problems == [
        "c.yaml:3: quasi_identifiers.a.hierarchy: expected intervals with a list, such as intervals:5,10,20; correct it"
    ]


def test_a_key_of_the_top_level_is_pointed_there() -> None:
    with pytest.raises(ConfigurationError, match="unknown key 'group' here, it stands at the top level; move it"):
        loaded("suppress", "{k: 2, group: g}")
