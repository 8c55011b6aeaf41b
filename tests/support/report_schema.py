"""The schemas of the reports, as a fixture of all tests: every report that one makes has to keep its own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from typing import Any

import pytest

from kanon_sql.api.measured import Measured
from kanon_sql.privacy.registry import MODELS
from kanon_sql.report.report import ReportDraft
from kanon_sql.report.schema import report_schema, result_schema
from kanon_sql.settings.algorithms import ALGORITHMS

Json = Any


def closed(schema: Json) -> Json:
    """The schema without keys that it does not name: what a report has, and nobody wrote down, is found."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    properties = {key: entry if key in ("enum", "required") else closed(entry) for key, entry in schema.items()}
    return (
        {**properties, "additionalProperties": False}
        if "required" in properties and "additionalProperties" not in properties
        else properties
    )


@cache
def validator(name: str, *registered: str) -> Any:
    """What validates a report, and finds keys that the schema does not name; the schema names what is registered."""
    from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

    return Draft202012Validator(closed(report_schema() if name == "report" else result_schema(name)))


def faults(report: Json, name: str = "report") -> list[str]:
    """Where a report, as JSON writes it, does not keep the schema of that name."""
    written = json.loads(json.dumps(report))
    return [
        f"{fault.json_path}: {fault.message}" for fault in validator(name, *ALGORITHMS, *MODELS).iter_errors(written)
    ]


def shape(report: Json) -> Json:
    """The keys of a report and the types of its values: what is validated once."""
    if isinstance(report, dict):
        return tuple((str(key), shape(value)) for key, value in report.items())
    return frozenset(map(shape, report)) if isinstance(report, (list, tuple)) else type(report)


_seen: set[Json] = set()


@pytest.fixture(autouse=True, scope="session")
def reports_keep_their_schema() -> Iterator[None]:
    """Every report of a run, and of what is measured, that a test makes keeps its schema, or that test fails."""
    if find_spec("jsonschema") is None:  # as where only SQLMesh is tested
        yield
        return
    to_dict, measured_of = ReportDraft.to_dict, Measured.__init__

    def measured(result: Measured, command: str, report: Json) -> None:
        seen_shape = (command, shape(report))
        if seen_shape not in _seen:
            assert faults(report, command) == []
            _seen.add(seen_shape)
        measured_of(result, command, report)

    def checked(draft: ReportDraft) -> Json:
        report = to_dict(draft)
        seen_shape = (report["status"], shape({**report, "configuration": None}))
        if seen_shape not in _seen and draft.status != "compiled" and "total" in report["seconds"]:  # it is at its end
            assert faults(report) == []
            _seen.add(seen_shape)
        return report

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ReportDraft, "to_dict", checked)
        patch.setattr(Measured, "__init__", measured)
        yield
