"""Values that a hierarchy does not cover: what is said of them, without one of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_sources import simple

import kanon_sql
from kanon_sql.engine.connection import EngineOptions
from kanon_sql.errors import ConfigurationError


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (["berlin", "BONN"], "2 .* are not covered (all: values of the hierarchy but for upper and lower case)"),
        ([" Berlin"], "1 .* is not covered (values of the hierarchy but for spaces around them)"),
        (["007", "05", "x"], "3 .* are not covered (2 of them: numbers with leading zeros)"),
        (["1,5", "-2,75"], "(all: numbers with a decimal comma)"),
        (["1.75", "-2.5"], "(all: numbers with a decimal point)"),
        (["01.02.2020", "1.12.99"], "(all: dates written as dd.mm.yyyy)"),
        (["2020-01-01", "2020-12-31"], "(all: dates written as yyyy-mm-dd)"),
        (["2020-01-01 12:30"], "(dates with a time of day)"),
        (["1/2/2020"], "(dates written with slashes)"),
        (["  "], "(blanks)"),
        ([" new york "], "(texts with spaces around them)"),
        (["-4", "17"], "(all: whole numbers)"),
        (["foo", "bar", "5 km"], "(all: other texts)"),
    ],
)
def test_what_values_look_like_that_are_not_covered(tmp_path: Path, values: list[str], said: str) -> None:
    (tmp_path / "h.csv").write_text("Berlin,*\nBonn,*\n5,*\n1.5,*\n")
    (tmp_path / "in.csv").write_text("x,y\n" + "".join(f'"{value}",1\n' for value in ["Berlin", *values]))
    config = simple(tmp_path / "in.csv", tmp_path / "out.csv", "x", k=1)
    config["quasi_identifiers"] = {"x": {"hierarchy": str(tmp_path / "h.csv")}}
    pattern = said.replace("(", r"\(").replace(")", r"\)")
    with pytest.raises(ConfigurationError, match=pattern) as caught:
        kanon_sql.run(config)
    message = str(caught.value).partition("column 'x'")[2]
    assert "; --show-values shows some" in message
    assert not [value for value in values if value.strip() and f" {value.strip()} " in message]
    with pytest.raises(ConfigurationError, match=pattern) as caught:
        kanon_sql.run(config, options=EngineOptions(show_values=True))
    assert repr(values[0]) in str(caught.value)
