"""Wrong values, and values that do not go together, in plain words."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import pytest

from kanon_sql.config.load import LoadedConfig, load_config
from kanon_sql.errors import ConfigurationError

SMALL = "source: data.csv\nquasi_identifiers: [age, sex]\nprivacy: {k: 5}\n"


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def load(text: str, *overrides: tuple[str, Any]) -> LoadedConfig:
    Path("c.yaml").write_text(textwrap.dedent(text), encoding="utf-8")
    return load_config("c.yaml", overrides)


def problems_of(text: str, *overrides: tuple[str, Any]) -> list[str]:
    with pytest.raises(ConfigurationError) as caught:
        load(text, *overrides)
    assert all(problem.isprintable() for problem in caught.value.problems)
    return caught.value.problems


def only(problems: list[str]) -> str:
    assert len(problems) == 1, problems
    return problems[0]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("privacy: {k: five}", "privacy.k: expected a whole number, got text 'five'"),
        ("privacy: {k: 2.5}", "privacy.k: expected a whole number, got text '2.5'"),
        ("privacy: {k: }", "privacy.k: expected a whole number, got nothing; give a value or remove it"),
        ("privacy: {k: [5]}", "privacy.k: expected a whole number, got a list"),
        ("privacy: {k: 0}", "privacy.k: expected 1 or more, got text '0'"),
        ("privacy: 5", "privacy: expected a mapping, got text '5'"),
        ("privacy: {}", "privacy.k: k is missing, expected rows that each"),
        (
            "privacy: {k: 5}\nsensitive: income",
            "sensitive: expected a list, got text 'income'; write it in brackets",
        ),
        ("privacy: {k: 5}\nsensitive:", "sensitive: expected a list, got nothing"),
        ("privacy: {k: 5}\nsensitive: [null]", "sensitive.0: expected a text, got nothing"),
        (
            "privacy: {k: 5}\nsensitive: ['']",
            "sensitive.0: expected a text that is not empty, got an empty text",
        ),
        (
            "privacy: {k: 5}\nmissing: dorp",
            "missing: expected 'keep', 'drop' or 'drop-any', got text 'dorp'; did you mean 'drop'?",
        ),
        ("privacy: {k: 5}\ntarget: ''", "target.path: expected a text that is not empty"),
        (
            "privacy: {k: 5}\ntarget: {path: a.csv, overwrite: maybe}",
            "target.overwrite: expected true or false, got text 'maybe'",
        ),
        (
            "privacy: {k: 5}\ntarget: {path: a.csv, csv: {quote: '##'}}",
            "target.csv.quote: expected a text of 1 characters at most",
        ),
        ("privacy: {k: 5}\nrelease: [order]", "release: expected a mapping, got a list"),
        (f"privacy: {{k: 5}}\nmissing: {'x' * 500}", "got text of 500 characters"),
    ],
)
def test_wrong_values_in_plain_words(line: str, words: str) -> None:
    problem = only(problems_of(f"source: data.csv\nquasi_identifiers: [age]\n{line}\n"))
    assert words in problem
    for jargon in ("pydantic", "Input", "input", "valid ", "dict", "str", "http", "NoneType", "type="):
        assert jargon not in problem


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("{weight: heavy}", "age.weight: expected a number, got text 'heavy'"),
        ("{weight: 0}", "age.weight: expected a number above 0, got text '0'"),
        ("{weight: nan}", "age.weight: expected a "),
        ("{weight: inf}", "age.weight: expected a finite number"),
        ("{min_level: -1}", "age.min_level: expected 0 or more"),
        ("{min_level: 2, max_level: 1}", "age.min_level: min_level 2 is above max_level 1"),
        ("[h.csv]", "age: expected a mapping, got a list"),
        ("{hierarchy: h.csv, builtin: suppress}", "age.builtin: hierarchy and builtin exclude each other"),
        ("{builtin: sufix}", "age.builtin: expected 'suppress', 'prefix', 'intervals', 'date'"),
        ("{keep: [1]}", "age.keep: keep goes with builtin: prefix"),
        ("{builtin: prefix, widths: [5], keep: [1]}", "age.widths: widths goes with builtin: intervals"),
        ("{builtin: prefix}", "age.builtin: builtin: prefix needs a list of at least one entry in keep"),
        ("{builtin: prefix, keep: []}", "age.keep: builtin: prefix needs a list"),
        ("{builtin: prefix, keep: [2, 3]}", "age.keep.1: level 2 keeps more characters than level 1"),
        ("{builtin: prefix, keep: [-1]}", "age.keep.0: expected 0 or more"),
        ("{builtin: intervals}", "needs a list of at least one entry in widths"),
        (
            "{builtin: intervals, widths: [5, 12]}",
            "age.widths.1: expected a multiple of the width of level 1",
        ),
        (
            "{builtin: intervals, widths: [10, 5]}",
            "age.widths.1: expected a multiple of the width of level 1",
        ),
        ("{builtin: intervals, widths: [0]}", "age.widths.0: expected a number above 0"),
        (
            "{builtin: intervals, widths: [1e999999999]}",
            "age.widths.0: expected a number of 38 digits at most",
        ),
        ("{builtin: intervals, widths: [five]}", "age.widths.0: expected a number, got text 'five'"),
        ("{builtin: date}", "needs a list of at least one entry in levels"),
        ("{builtin: date, levels: [year], top: 90}", "age.top: top goes with builtin: intervals"),
        ("{builtin: intervals, widths: [5], bottom: 90, top: 18}", "age.top: expected a number above bottom, 90"),
        ("{builtin: intervals, widths: [5], bottom: 5, top: 5.0}", "age.top: expected a number above bottom, 5"),
        ("{builtin: intervals, widths: [5], top: many}", "age.top: expected a number, got text 'many'"),
        ("{builtin: merge-rare}", "needs a list of at least one entry in below"),
        ("{builtin: merge-rare, below: [10, 10]}", "age.below.1: level 2 merges no more values than level 1"),
        ("{builtin: merge-rare, below: [1]}", "age.below.0: expected 2 or more"),
        ("{builtin: merge-rare, below: [5], other: '*'}", "age.other: * is the label of all values"),
        ("{builtin: suppress, other: x}", "age.other: other goes with builtin: merge-rare"),
        ("{type: string}", "age.type: expected 'number', 'date' or 'text'"),
    ],
)
def test_wrong_quasi_identifiers(entry: str, words: str) -> None:
    text = f"source: data.csv\nprivacy: {{k: 5}}\nquasi_identifiers:\n  sex:\n  age: {entry}\n"
    problem = only(problems_of(text))
    assert problem.startswith("c.yaml:5: quasi_identifiers.")
    assert words in problem


@pytest.mark.parametrize(
    ("source", "place", "words"),
    [
        ("{csv: {header: true}}", "source", "expected one of path, table, query, iceberg or delta"),
        ("{path: a, query: SELECT 1}", "source.query", "got query besides path"),
        ("{query: SELECT 1, path: a}", "source.path", "got path besides query"),
        ("{table: t}", "source.table", "add database"),
        ("{path: a, database: d}", "source.database", "does not go with path"),
        ("{path: d, allow: [x]}", "source.allow", "allow does not go with path"),
        ("{database: d, table: t, csv: {header: true}}", "source.csv", "csv goes with path"),
        ("{path: ''}", "source.path", "a text that is not empty"),
    ],
)
def test_wrong_sources(source: str, place: str, words: str) -> None:
    problem = only(problems_of(SMALL.replace("data.csv", source)))
    assert problem.startswith(f"c.yaml:1: {place}: ")
    assert words in problem


@pytest.mark.parametrize(
    ("target", "place", "words"),
    [
        ("{overwrite: true}", "target", "expected one of path, database with table, or in-place"),
        ("{path: a, in_place: true}", "target.in_place", "got in_place besides path"),
        ("{table: t}", "target.table", "add database"),
        ("{path: p, database: d}", "target.database", "database needs the table"),
        ("{database: d, table: t, compression: gzip}", "target.compression", "compression goes with path"),
        ("{path: p, format: parquet, csv: {}}", "target.csv", "does not go with format: parquet"),
        ("{path: p, format: orc}", "target.format", "expected 'csv', 'parquet', 'jsonl' or 'json'"),
    ],
)
def test_wrong_targets(target: str, place: str, words: str) -> None:
    problem = only(problems_of(f"{SMALL}target: {target}\n"))
    assert problem.startswith(f"c.yaml:4: {place}: ")
    assert words in problem


@pytest.mark.parametrize(
    ("algorithm", "words"),
    [
        ("{name: samarati, objective: loss}", "algorithm.objective: objective goes with name: optimal"),
        ("{effort: fast}", "algorithm.effort: effort goes with name: local, not with optimal"),
        ("{name: local, effort: more}", "algorithm.effort: expected 'default', 'fast' or 'best'"),
        ("{name: optimal, prefer: loss}", "algorithm.prefer: prefer goes with name: samarati or minimal"),
        ("{prefer: loss}", "algorithm.prefer: prefer goes with name: samarati or minimal"),
        ("{name: samarati, prefer: suppression}", "algorithm.prefer: samarati prefers loss or first"),
        ("{name: minimal, prefer: first}", "algorithm.prefer: first goes with name: samarati"),
        ("{name: samarati, prefer: lost}", "algorithm.prefer: expected 'loss', 'first'"),
        (
            "fastest",
            "algorithm.name: expected 'optimal', 'samarati', 'minimal', 'mondrian', 'local' or 'microaggregation', "
            "got text 'fastest'",
        ),
    ],
)
def test_wrong_algorithms(algorithm: str, words: str) -> None:
    assert words in only(problems_of(f"{SMALL}algorithm: {algorithm}\n"))
