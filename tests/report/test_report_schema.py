"""The JSON Schema of the report of a run: what is a report, what is none, and every kind of run."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from earlier import BASE, MODELS, MONDRIAN
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from places import ROOT
from report_schema import faults

import kanon_sql
from kanon_sql.cli.main import main
from kanon_sql.errors import KanonError
from kanon_sql.report.schema import report_schema, result_schema
from kanon_sql.results import REPORTS

Json = dict[str, Any]


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The working folder, with a source and a hierarchy."""
    rows = "".join(f"p{i},{'fm'[i % 2]},{20 + i % 4 * 10},0{i % 3},{'xyz'[i % 3]},w\n" for i in range(60))
    (tmp_path / "source.csv").write_text("name,sex,age,zip,diagnosis,ward\n" + rows, encoding="utf-8")
    (tmp_path / "zip.csv").write_text("00,0,*\n01,0,*\n02,0,*\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def reported(**more: Any) -> Json:
    with suppress(KanonError):
        kanon_sql.run({**BASE, **more, "report": "r.json"})
    report: Json = json.loads(Path("r.json").read_text(encoding="utf-8"))
    return report


RUNS: dict[str, Json] = {
    "released": {},
    "models": {"privacy": {**MODELS, "beta": {"column": "diagnosis", "beta": 9}}},
    "no-release": {"privacy": {"k": 999}},
    "failed": {"source": "none.csv"},
    "minimal": {"algorithm": {"name": "minimal", "prefer": "suppression"}},
    "samarati": {"algorithm": "samarati"},
    "mondrian": MONDRIAN,
    "local": {"algorithm": {"name": "local", "seed": 1}},
    "ledger": {"releases": {"path": "ledger.duckdb"}},
    "memory": {"target": None},
}


@pytest.mark.few(1)
@pytest.mark.parametrize("name", RUNS)
def test_reports_keep_the_schema(name: str) -> None:
    report = reported(**RUNS[name])
    assert report["status"] == (name if name in ("no-release", "failed") else "released")
    assert faults(report) == []


def test_a_dry_run_keeps_the_schema() -> None:
    kanon_sql.run({**BASE, "report": "r.json"}, dry_run=True)
    report = json.loads(Path("r.json").read_text(encoding="utf-8"))
    assert report["status"] == "dry-run" and faults(report) == []


@pytest.mark.slow
def test_a_release_of_which_only_itself_is_there_keeps_the_schema() -> None:
    job = {**BASE, "target": "in-place"}
    kanon_sql.run(job)
    _, report = kanon_sql.report_release({**job, "identifiers": []})
    assert report["rows"]["suppressed"] is None and faults(report) == []


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("status", "done"),
        ("created", "yesterday"),
        ("rows.released", -1),
        ("rows.source", "60"),
        ("classes", None),
        ("source.sha256", "0123"),
        ("solution.levels.sex", 0.5),
        ("privacy.k.required", None),
        ("search.proven", 1),
        ("seconds.read", "1 s"),
        ("algorithm.name", "best"),
        ("errors", "none"),
    ],
)
def test_what_is_no_report_is_found(path: str, value: Any) -> None:
    report = reported()
    assert not list(Draft202012Validator(report_schema()).iter_errors(report))
    changed = deepcopy(report)
    *steps, key = path.split(".")
    holder = changed
    for step in steps:
        holder = holder[step]
    holder[key] = value
    assert list(Draft202012Validator(report_schema()).iter_errors(changed))


def test_a_later_version_may_add_keys_and_none_may_lack() -> None:
    report = reported()
    plain = Draft202012Validator(report_schema())
    assert not list(plain.iter_errors({**report, "more": 1})) and faults({**report, "more": 1})
    for key in report:
        assert list(plain.iter_errors({name: entry for name, entry in report.items() if name != key})), key


def test_the_schemas_are_printed(capfd: pytest.CaptureFixture[str]) -> None:
    for name in REPORTS:
        schema = report_schema() if name == "report" else result_schema(name)
        Draft202012Validator.check_schema(schema)
        with pytest.raises(SystemExit) as ended:
            main(["schema", name])
        assert ended.value.code == 0 and json.loads(capfd.readouterr().out) == schema


# Where the keys of each report are told, below the heading.
TOLD = {name: ("report.md", f"## {'run' if name == 'report' else name}") for name in REPORTS} | {
    "link": ("link.md", ""),
    "releases": ("releases.md", ""),
    **{name: (f"{name}.md", "## The JSON report") for name in ("risk", "utility", "attack")},
}


def told_keys(name: str) -> list[str]:
    """The keys in the tables of the documentation."""
    file, heading = TOLD[name]
    text = (ROOT / "docs" / file).read_text(encoding="utf-8")
    text = text[text.index(heading) :]
    table = re.split(r"^\| key .*\n", text, maxsplit=1, flags=re.MULTILINE)[1].partition("\n\n")[0]
    return re.findall(r"^\| `([^`]+)` \|", table, re.MULTILINE)


def below(schema: Json, root: Json, key: str) -> list[Json]:
    """What a schema has under a key, in each of its forms; names of columns and the like are keys, too."""
    schema = root["$defs"][schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
    if "anyOf" in schema:
        return [entry for form in schema["anyOf"] for entry in below(form, root, key)]
    if key == "[]":
        return [schema["items"]] if "items" in schema else []
    if key in schema.get("properties", {}):
        return [schema["properties"][key]]
    others = schema.get("additionalProperties")
    return [others] if isinstance(others, dict) else []


@pytest.mark.parametrize("name", REPORTS)
def test_the_schema_has_the_keys_that_are_told(name: str) -> None:
    root = report_schema() if name == "report" else result_schema(name)
    keys = told_keys(name)
    assert len(keys) > 5
    for key in keys:
        schemas = [root]
        for step in key.replace("[]", ".[]").split("."):
            schemas = [entry for schema in schemas for entry in below(schema, root, step)]
        assert schemas, key


@pytest.mark.parametrize("name", sorted(set(REPORTS) - {"report"}))
def test_every_key_of_a_schema_is_told(name: str) -> None:
    """Those at the top; what lies below is told where it needs to be."""
    told_at_top = {re.split(r"[.\[]", key)[0] for key in told_keys(name)}
    assert set(result_schema(name)["properties"]) <= told_at_top | {"examples"}  # in the text below
