"""A format of files is declared once and registered under its name: a new one takes no more than that."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import kanon_sql
from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.settings.formats import FORMATS, Format, is_data
from kanon_sql.settings.source import CsvOptions
from kanon_sql.source.formats.csv import CsvFormat
from kanon_sql.source.formats.registry import FILE_FORMATS


class _Piped(CsvFormat):
    """CSV with a | between fields and no header to be found out."""

    def open(self, engine: Any, request: Any) -> Any:
        config = request.config.model_copy(update={"csv": CsvOptions(delimiter="|", header=True)})
        return super().open(engine, replace(request, config=config))

    def writer(self, target: Any, final: Path) -> Any:
        return super().writer(target.model_copy(update={"csv": CsvOptions(delimiter="|", header=True)}), final)


@pytest.fixture(autouse=True)
def piped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FORMATS, "piped", Format("Piped", (".psv",), ("gzip",), only_texts=True, begins=rb"\|\|\|"))
    monkeypatch.setitem(FILE_FORMATS, "piped", _Piped("piped"))


def configuration(folder: Path, source: str, target: Any) -> dict[str, Any]:
    """A file of which an empty field is missing."""
    (folder / "data.psv").write_text("age|name,first\n21|=a\n22|b,c\n|d\n23|\n", "utf-8")
    (folder / "data.csv").write_text("age,name\n21,a\n22,b\n", "utf-8")
    return {
        "source": str(folder / source),
        "target": target,
        "quasi_identifiers": {"age": {"builtin": "intervals", "widths": [10]}},
        "unlisted": "insensitive",
        "suppression": {"limit": "50%"},
        "privacy": {"k": 2},
    }


def test_what_is_declared_is_registered() -> None:
    assert set(FILE_FORMATS) == set(FORMATS)
    assert all(file_format.name == name for name, file_format in FILE_FORMATS.items())


def test_a_toy_format_is_read_and_written(tmp_path: Path) -> None:
    report = kanon_sql.run(configuration(tmp_path, "data.psv", str(tmp_path / "out.psv"))).report
    assert report["verification"] == {"compared": "rows", "columns": 2}
    lines = (tmp_path / "out.psv").read_text("utf-8").splitlines()
    assert lines[0] == "age|name,first"
    assert sorted(lines[1:]) == ["20-29|", "20-29|=a", "20-29|b,c"]


@pytest.mark.slow
def test_a_toy_format_in_place_and_from_csv(tmp_path: Path) -> None:
    kanon_sql.run(configuration(tmp_path, "data.psv", {"in_place": True}))
    assert (tmp_path / "data.psv").read_text("utf-8").startswith("age|name,first\n")
    kanon_sql.run(configuration(tmp_path, "data.csv", {"path": str(tmp_path / "named"), "format": "piped"}))
    assert (tmp_path / "named").read_text("utf-8").startswith("age|name\n")


def test_a_toy_format_is_known_and_refused_as_others_are(tmp_path: Path) -> None:
    config = configuration(tmp_path, "data.psv", str(tmp_path / "out.psv"))
    assert is_data(tmp_path / "data.psv")
    for target, problem in (
        ({"path": "x", "format": "pipe"}, "expected 'csv', 'parquet', 'jsonl', 'json' or 'piped', got text 'pipe'"),
        ({"path": "x.psv", "compression": "zstd"}, "'zstd' is none of piped; expected gzip"),
        ({"path": "x"}, "expected .csv, .parquet, .jsonl, .json or .psv, or set target.format"),
    ):
        with pytest.raises(ConfigurationError, match=problem):
            kanon_sql.run({**config, "target": target})
    with pytest.raises(ConfigurationError, match="CSV and Piped files are mixed"):
        kanon_sql.run({**config, "source": str(tmp_path / "data.*")})
    (tmp_path / "data.psv").write_text("age|name\n21|a|b\n22|b\n", "utf-8")
    with pytest.raises(EngineError, match=r"1 record does not fit \(line 2\); expected 2 fields"):
        kanon_sql.run(config)


def test_a_typed_format_refuses_options_of_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FORMATS, "piped", replace(FORMATS["piped"], only_texts=False))
    target = {"path": "x.psv", "format": "piped", "csv": {"header": True}}
    with pytest.raises(ConfigurationError, match="csv does not go with format: piped; remove one"):
        kanon_sql.run({**configuration(tmp_path, "data.psv", None), "target": target})
