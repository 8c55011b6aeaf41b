"""What holds between keys, as JSON Schema says it."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

VARIABLE: Schema = {
    "description": "read from the environment",
    "type": "string",
    "pattern": r"\$\{[A-Za-z_][A-Za-z0-9_]*\}",
}
WHOLE: Schema = {"anyOf": [{"type": "integer"}, VARIABLE]}


def needs(*keys: str) -> Schema:
    """All of the keys are there."""
    return {"required": list(keys)}


def only_with(key: str, *values: str) -> Schema:
    """The key is there with one of these values."""
    return {"properties": {key: {"enum": list(values)}}, "required": [key]}


def when(condition: Schema, then: Schema) -> Schema:
    """Under the condition the other holds."""
    return {"if": condition, "then": then}
