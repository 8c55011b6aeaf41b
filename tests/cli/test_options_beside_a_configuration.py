"""Options of one value beside a configuration file: they say what --set says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from kanon_sql.cli.main import cli

CONFIG = "source: s.csv\ntarget: out.csv\nquasi_identifiers: {a: {builtin: suppress}}\nprivacy: {k: 2}\n"


def called(folder: Path, *words: str) -> Any:
    (folder / "c.yaml").write_text(CONFIG, encoding="utf-8")
    return CliRunner().invoke(cli, ["run", str(folder / "c.yaml"), "--print-config", *words])


@pytest.mark.parametrize(
    ("words", "same"),
    [
        (("--k", "10"), ("--set", "privacy.k=10")),
        (("--limit", "5%"), ("--set", "suppression.limit=5%")),
        (("--algorithm", "local", "-o", "b.csv"), ("--set", "algorithm=local", "--set", "target=b.csv")),
        (("--suppressed", "mask"), ("--set", "release.suppressed=mask")),
    ],
)
def test_an_option_says_what_set_says(tmp_path: Path, words: tuple[str, ...], same: tuple[str, ...]) -> None:
    by_option, by_set = called(tmp_path, *words), called(tmp_path, *same)
    assert by_option.exit_code == by_set.exit_code == 0
    assert by_option.output == by_set.output != called(tmp_path).output


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        (("--sensitive", "a", "--sensitive", "b"), "--sensitive goes with --qi; with a configuration file use "),
        (("--sensitive", "a", "--sensitive", "b"), "--set 'sensitive=[a, b]'"),
        (("--l", "3"), "--l goes with --qi"),
        (("--l", "3"), "--set 'privacy.l_diversity={column: COLUMN, l: 3}'"),
        (("--l", "3", "--t", "0.5"), "--l, --t go with --qi"),
        (("--qi", "a"), "c.yaml is a configuration, and --qi goes with a data file"),
        (("--qi", "a", "--k", "3"), "c.yaml is a configuration, and --qi goes with a data file"),
    ],
)
def test_other_options_are_quoted_as_set_takes_them(tmp_path: Path, words: tuple[str, ...], advice: str) -> None:
    refused = called(tmp_path, *words)
    assert advice in str(refused.output) + str(refused.exception)


@pytest.mark.parametrize("command", ["check", "lattice", "sweep", "risk", "compile"])
def test_columns_beside_a_configuration_of_json(tmp_path: Path, command: str) -> None:
    (tmp_path / "c.json").write_text('{"source": "s.csv", "quasi_identifiers": {"a": {}}}', encoding="utf-8")
    refused = CliRunner().invoke(cli, [command, str(tmp_path / "c.json"), "--qi", "a"])
    assert "c.json is a configuration, and --qi goes with a data file" in str(refused.output) + str(refused.exception)
