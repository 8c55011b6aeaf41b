"""The JSON Schemas of the reports, for programs that read them, made of their types in results.

Later versions add keys and take none away, so that what a schema does not name is allowed. What each key means says
docs/report.md.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from kanon_sql.privacy.registry import MODELS
from kanon_sql.privacy.thresholds import THRESHOLDS
from kanon_sql.results import REPORTS
from kanon_sql.settings.algorithms import ALGORITHMS, ENGINES, options, values
from kanon_sql.settings.columns import ENCODINGS

Schema = dict[str, Any]

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_NULL: Schema = {"type": "null"}
_OF_A_RELEASE = ("solution", "labels", "classes", "verification", "loss")  # None where there is none


class _Untitled(GenerateJsonSchema):
    """Properties without titles, which would say their keys again."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        """Of none."""
        return False


def result_schema(name: str) -> Schema:
    """The schema of one of REPORTS, JSON Schema 2020-12, as data for `json.dumps`."""
    module, type_name = REPORTS[name]
    described = getattr(import_module(f"kanon_sql.results.{module}"), type_name)
    schema = TypeAdapter(described).json_schema(schema_generator=_Untitled)
    definitions = schema.pop("$defs", {})
    for key, register in _REGISTERED.items():
        if key in definitions:
            register(definitions)
    return {"$schema": _DIALECT, "$id": f"urn:kanon-sql:{name}", **schema, "$defs": definitions}


def report_schema() -> Schema:
    """The schema of the report of a run."""
    schema = result_schema("report")
    schema["properties"]["status"]["enum"].remove("compiled")  # which no run is
    return {
        **schema,
        "title": "report of a run of kanon-sql",
        "if": {"properties": {"status": {"enum": ["released", "dry-run"]}}},
        "then": {"properties": {"classes": {"not": _NULL}}},
        "else": {"properties": dict.fromkeys(_OF_A_RELEASE, _NULL)},
    }


def _name_algorithms(definitions: Schema) -> None:
    """The algorithms, and the options that each of them may have."""
    used = definitions["AlgorithmUsed"]["properties"]
    used["name"]["enum"] = list(ALGORITHMS)
    for key in options():
        used.setdefault(key, {"enum": list(values(key))} if values(key) else {"type": "integer"})


def _name_engines(definitions: Schema) -> None:
    definitions["EngineUsed"]["properties"]["name"]["enum"] = list(ENGINES)


def _name_encodings(definitions: Schema) -> None:
    definitions["SourceTable"]["properties"]["encoding"] = {"anyOf": [{"enum": list(ENCODINGS)}, _NULL]}


def _name_models(definitions: Schema) -> None:
    """Models and thresholds, each in the form in which it was asked for: alone, or in a list."""
    # Imported here, as it is in `result_schema`: both types are made when a schema is.
    from kanon_sql.results.run import ModelReached, ThresholdReached

    for name, described in (("ModelReached", ModelReached), ("ThresholdReached", ThresholdReached)):
        definitions[name] = TypeAdapter(described).json_schema(schema_generator=_Untitled)
    reached = definitions["ModelReached"]["properties"]
    for model in MODELS.values():
        for option in model.options:
            reached.setdefault(option, {})
    entry = {"$ref": "#/$defs/ModelReached"}
    models = {key: {"anyOf": [entry, {"type": "array", "items": entry}]} for key in MODELS}
    definitions["Privacy"]["properties"] |= models
    definitions["Privacy"]["properties"] |= {key: {"$ref": "#/$defs/ThresholdReached"} for key in THRESHOLDS}


# What a type leaves to what is registered, by the type.
_REGISTERED = {
    "AlgorithmUsed": _name_algorithms,
    "EngineUsed": _name_engines,
    "SourceTable": _name_encodings,
    "Privacy": _name_models,
}
