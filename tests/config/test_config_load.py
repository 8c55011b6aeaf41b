"""Loading a configuration: what is accepted, where its keys stand, files that are none."""

from __future__ import annotations

import textwrap
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from kanon_sql.config.load import LoadedConfig, from_mapping, load_config
from kanon_sql.errors import ConfigurationError

SMALL = "source: data.csv\nquasi_identifiers: [age, sex]\nprivacy: {k: 5}\n"


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def load(text: str, *overrides: tuple[str, Any]) -> LoadedConfig:
    Path("c.yaml").write_text(textwrap.dedent(text), encoding="utf-8")
    return load_config("c.yaml", overrides)


def test_a_configuration_with_every_key() -> None:
    loaded = load(
        """
        source:
          path: data/part-*.parquet
          csv: {delimiter: ";", header: true}
          missing: ["?", "", NO, 02139]
        target: {path: out/x.csv, format: csv, csv: {delimiter: "\\t"}, compression: gzip, overwrite: true}
        identifiers: [name, ssn]
        quasi_identifiers:
          sex: hierarchies/sex.csv
          age: {hierarchy: hierarchies/age.csv, min_level: 1, max_level: 3, weight: 2.0}
          race: {builtin: suppress}
          zip: {builtin: prefix, keep: [4, 3, 2]}
          hours: {builtin: intervals, widths: [0.5, 10, 20], origin: 0}
          born: {builtin: date, levels: [month, year, decade]}
          other:
          02139: {type: text}
        sensitive: [occupation]
        insensitive: [hours_per_week]
        unlisted: drop
        privacy:
          k: 10
        suppression: {limit: "1%"}
        missing: drop-any
        algorithm: {name: optimal, objective: geometric-mean-loss}
        release: {order: none, suppressed: mask, seed: 7}
        report: out/report.json
        """
    )
    config = loaded.config
    assert config.source.path == "data/part-*.parquet"
    assert config.source.csv.header is True
    assert config.source.missing == ["?", "", "NO", "02139"]
    assert config.target is not None
    assert config.target.csv.delimiter == "\t"
    assert config.target.overwrite is True
    assert list(config.quasi_identifiers) == ["sex", "age", "race", "zip", "hours", "born", "other", "02139"]
    assert config.quasi_identifiers["sex"].hierarchy == "hierarchies/sex.csv"
    assert config.quasi_identifiers["age"].weight == 2.0
    assert config.quasi_identifiers["hours"].widths == [Decimal("0.5"), 10, 20]
    assert config.quasi_identifiers["other"].hierarchy is None
    assert config.privacy.k == 10
    assert config.suppression.limit == "1%"
    assert config.release.order == "none"
    assert (loaded.name, loaded.base) == ("c.yaml", Path())


def test_the_defaults() -> None:
    config = load(SMALL).config
    assert config.source.path == "data.csv"
    assert config.target is None
    assert config.source.missing is None
    assert (config.identifiers, config.sensitive, config.insensitive) == ([], [], [])
    assert config.unlisted == "error"
    assert config.missing == "keep"
    assert config.suppression.limit == 0
    assert (config.algorithm.name, config.algorithm.objective) == ("optimal", None)
    assert (config.release.order, config.release.suppressed, config.release.seed) == ("random", "drop", None)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("{database: w.duckdb, table: main.patients}", ("main.patients", None, "w.duckdb")),
        ("{query: SELECT 1, allow: [other/folder]}", (None, "SELECT 1", None)),
        ("{database: w.duckdb, query: SELECT 1}", (None, "SELECT 1", "w.duckdb")),
    ],
)
def test_other_sources(source: str, expected: tuple[str | None, ...]) -> None:
    read = load(SMALL.replace("data.csv", source)).config.source
    assert (read.table, read.query, read.database) == expected


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("out.parquet", ("out.parquet", False, None)),
        ("in-place", (None, True, None)),
        ("{in_place: true}", (None, True, None)),
        ("{path: in-place}", ("in-place", False, None)),
        ("{database: d.duckdb, table: t}", (None, False, "t")),
    ],
)
def test_targets(target: str, expected: tuple[Any, ...]) -> None:
    read = load(f"{SMALL}target: {target}\n").config.target
    assert read is not None
    assert (read.path, read.in_place, read.table) == expected


@pytest.mark.parametrize(
    ("limit", "n", "rows"),
    [
        ("20", 5, 20),
        ("1%", 199, 1),
        ("0.1%", 3000, 3),
        ("29%", 100, 29),
        ("100%", 7, 7),
        ("33.333333333333333333333333333333%", 3, 0),
        (".5 %", 1000, 5),
        ("1.%", 100, 1),
    ],
)
def test_limits_are_exact(limit: str, n: int, rows: int) -> None:
    config = load(f"{SMALL}suppression: {{limit: '{limit}'}}\n").config
    assert config.suppression.rows(n) == rows


def test_exact_decimal_widths_divide() -> None:
    text = "source: d.csv\nprivacy: {k: 5}\nquasi_identifiers: {a: {builtin: intervals, widths: [0.1, 0.3]}}\n"
    assert load(text).config.quasi_identifiers["a"].widths == [Decimal("0.1"), Decimal("0.3")]


def test_columns_may_have_any_name() -> None:
    text = """\
    source: a.csv
    privacy: {k: 2}
    quasi_identifiers:
      a.b:
      "c\\nd":
      1:
      NO:
      ${x}:
      "[key]": {weight: 3}
      int: {weight: 2}
      "'\\"":
    sensitive: [2024-01-01, "null", x y]
    """
    config = load(text).config
    assert list(config.quasi_identifiers) == ["a.b", "c\nd", "1", "NO", "${x}", "[key]", "int", "'\""]
    assert config.sensitive == ["2024-01-01", "null", "x y"]


def test_places() -> None:
    text = "source:\n  path: a.csv\nquasi_identifiers:\n  - age\n  - sex\nprivacy:\n  k: 5\n"
    loaded = load(text, ("suppression.limit", "1%"), ("quasi_identifiers.sex.weight", "2"))
    assert loaded.place("source", "path") == "c.yaml:2"
    assert loaded.place("source", "csv", "delimiter") == "c.yaml:1"
    assert loaded.place("quasi_identifiers", "sex", "hierarchy") == "c.yaml:5"
    assert loaded.place("quasi_identifiers", "sex", "weight") == "--set quasi_identifiers.sex.weight"
    assert loaded.place("suppression", "limit") == "--set suppression.limit"
    assert loaded.place("report") == "c.yaml:1"
    assert from_mapping({"source": "a", "quasi_identifiers": ["b"], "privacy": {"k": 2}}).place("source") == (
        "<configuration>"
    )


def test_the_base_is_the_folder_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "c.yaml").write_text(SMALL)
    assert load_config("sub/c.yaml").base == Path("sub")
    assert load_config(tmp_path / "sub" / "c.yaml").base == tmp_path / "sub"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "c.yaml:1: the configuration is empty"),
        (b"null\n", "c.yaml:1: the configuration is empty"),
        (b"# x\n- a\n", "c.yaml:2: expected a mapping"),
        (b"text\n", "c.yaml:1: expected a mapping"),
        (b"a: 1\n---\nb: 1\n", "c.yaml:2: a second document"),
        (b"a: \xff\n", "c.yaml:1: the file is not UTF-8"),
        (b"a: 1\nb: [\n", "c.yaml:3: not valid YAML"),
        ("a: 1".encode("utf-16"), "c.yaml:1: the file is not UTF-8"),
    ],
)
def test_files_that_are_no_configuration(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "c.yaml").write_bytes(content)
    with pytest.raises(ConfigurationError) as caught:
        load_config("c.yaml")
    assert caught.value.problems[0].startswith(words)


def test_files_that_cannot_be_read() -> None:
    for name, words in (("none.yaml", "no such file"), (".", "a folder"), ("a\0b", "cannot be read")):
        with pytest.raises(ConfigurationError, match=words) as caught:
            load_config(name)
        assert "\0" not in caught.value.problems[0]
