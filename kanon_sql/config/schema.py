"""The JSON Schema of a configuration, of a table or of a database, for editors that check YAML while it is written.

It is made from the models, so that it cannot fall behind them; what holds between keys is added here. An
editor's YAML has numbers and truth values where kanon-sql keeps the text, so column names and texts of the
data may be any of these.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kanon_sql.settings.part import Part, short_forms
from kanon_sql.settings.rules import VARIABLE, Schema, together

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_ID = "urn:kanon-sql:configuration"


def json_schema() -> Schema:
    """The schema, JSON Schema 2020-12, as data for `json.dumps`."""
    from kanon_sql.config.model import Config

    generated = Config.model_json_schema(mode="validation")
    schema = {"$schema": _DIALECT, "$id": _ID, **_clean(generated), "title": "kanon-sql configuration"}
    schema["$defs"]["Variable"] = VARIABLE
    _add_rules(schema["$defs"])
    _add_short_forms(schema, Config)
    return schema


_PLACES_OF_A_TABLE = ("path", "database", "table", "query", "iceberg", "delta")
_OF_EVERY_TABLE = ("identifiers", "sensitive", "insensitive", "accept", "unlisted", "transform")
_OF_THE_UNIT = ("quasi_identifiers", "group", "missing")


def database_schema() -> Schema:
    """The schema of a configuration with `tables`; what is said of each table is that of a configuration of one."""
    from kanon_sql.config.database import DatabaseConfig

    of_table = json_schema()
    generated = _clean(DatabaseConfig.model_json_schema(mode="validation"))
    properties, parts = generated["properties"], {**of_table["$defs"], **generated["$defs"]}
    _add_rules(generated["$defs"])
    name = {"type": "string", "minLength": 1}
    names = {"type": "array", "items": of_table["properties"]["identifiers"]["items"]}
    columns = {"type": "object", "additionalProperties": {"anyOf": [_part("QuasiIdentifier"), name, {"type": "null"}]}}
    source = parts["SourceConfig"]["properties"]
    reading = {key: entry for key, entry in source.items() if key not in _PLACES_OF_A_TABLE}
    parts["Table"] = {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            **{key: of_table["properties"][key] for key in (*_OF_EVERY_TABLE, *_OF_THE_UNIT)},
            "source": {"type": "object", "additionalProperties": False, "properties": reading},
            "link": {
                "description": "how its rows find their person: a column, {column: NAME}, or {COLUMN: TABLE} to go "
                "through another table",
                "anyOf": [
                    name,
                    {"type": "object", "minProperties": 1, "maxProperties": 1, "additionalProperties": name},
                ],
            },
            "via": {
                "description": "how persons find their row of a table with quasi-identifiers of theirs: their column "
                "that holds its key, or {COLUMN: KEY}",
                "anyOf": [
                    name,
                    {"type": "object", "minProperties": 1, "maxProperties": 1, "additionalProperties": name},
                ],
            },
            "facts": {"description": "what others may know of a person: columns, each with a hierarchy", **columns},
            "since": {
                "description": "dates that become the days from the person's first in that column, or from a date of "
                "the unit's table",
                "type": "object",
                "additionalProperties": name,
            },
            "dates": {"description": "columns whose dates move with their person", **names},
        },
    }
    properties["tables"] = {
        "description": properties["tables"]["description"],
        "type": "object",
        "minProperties": 1,
        "additionalProperties": {"anyOf": [{"enum": ["keep", "drop"]}, _part("Table")]},
    }
    privacy = parts["PrivacyConfig"]
    facts = _part("FactsConfig")
    parts["PrivacyConfig"] = {**privacy, "properties": {**privacy["properties"], "facts": facts}}
    properties["privacy"] = _part("PrivacyConfig")
    properties["algorithm"] = of_table["properties"]["algorithm"]
    del properties["facts"]
    for key, kind, short in (
        ("source", "DatabaseSource", "path"),
        ("target", "DatabaseTarget", "path"),
        ("report", "ReportConfig", "json"),
    ):
        properties[key] = _either(properties[key], parts[kind]["properties"][short], _part(kind))
    pseudonym = {"type": "object", "additionalProperties": False, "properties": {"pseudonym": _part("PseudonymConfig")}}
    hows = {"enum": ["renumber", "keep"]}
    properties["keys"] = {**properties["keys"], "additionalProperties": {"anyOf": [hows, pseudonym]}}
    title = "kanon-sql configuration of a database"
    required = [*generated["required"], "privacy"]
    return {
        "$schema": _DIALECT,
        "$id": f"{_ID}:database",
        **generated,
        "$defs": parts,
        "title": title,
        "required": required,
    }


def _add_rules(definitions: Schema) -> None:
    """Adds what holds between the keys of each part."""
    for part in _kinds(Part):
        definitions.get(part.__name__, {}).update(together(part.between))


def _kinds(part: type[Part]) -> Iterator[type[Part]]:
    for below in part.__subclasses__():
        yield below
        yield from _kinds(below)


def _add_short_forms(schema: Schema, config: type[Part]) -> None:
    """Lets texts and lists stand for mappings, as the loader does before the models see them."""
    properties, parts = schema["properties"], schema["$defs"]
    text = {"type": "string", "minLength": 1}
    for short in short_forms(config):
        key, part = short.steps[-1], short.part.__name__
        # Quasi-identifiers have more short forms, see below; the schema knows none of engine.
        if isinstance(key, str) and key != "engine":
            there = properties if short.holder is config else parts[short.holder.__name__]["properties"]
            words = parts[part]["properties"][short.form.key].get("anyOf", [text])
            there[key] = _either(there[key], *words, _part(part))
    models = parts["PrivacyConfig"]["properties"]
    for key, entry in models.items():
        if entry.get("type") == "array":  # one entry need not stand in a list
            models[key] = _either(entry, entry["items"], {"type": "array", "items": entry["items"]})
    columns = {**properties["identifiers"], "minItems": 1}
    del columns["description"]
    entries = {
        "type": "object",
        "minProperties": 1,
        "propertyNames": {"minLength": 1},
        "additionalProperties": {"anyOf": [text, _part("QuasiIdentifier"), {"type": "null"}]},
    }
    properties["quasi_identifiers"] = _either(properties["quasi_identifiers"], columns, entries)
    for role in ("identifiers", "sensitive", "insensitive", "accept"):
        properties[role]["uniqueItems"] = True
    columns["uniqueItems"] = True
    for key in ("keep", "widths", "levels", "below"):
        parts["QuasiIdentifier"]["properties"][key]["minItems"] = 1


def _part(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def _either(schema: Schema, *forms: Schema) -> Schema:
    return {"description": schema["description"], "anyOf": list(forms)}


def _clean(json_schema: Any) -> Any:
    """Without pydantic's titles, defaults of whole parts, and null for keys that may be left out."""
    if isinstance(json_schema, list):
        return [_clean(entry) for entry in json_schema]
    if not isinstance(json_schema, dict):
        return json_schema
    schema = {}
    for key, entry in json_schema.items():
        if key == "properties":
            schema[key] = {name: _clean(_without_null(form)) for name, form in entry.items()}
        elif key != "title" and not (key == "default" and isinstance(entry, (dict, list, type(None)))):
            schema[key] = _clean(entry)
    return _or_variable(schema)


def _or_variable(schema: Schema) -> Schema:
    """Lets ${NAME}, a text in every editor, stand for a number, a truth value or one of several words."""
    if schema.get("type") not in ("integer", "number", "boolean") and "enum" not in schema:
        return schema
    outside: Schema = {key: schema.pop(key) for key in ("description", "default") if key in schema}
    return {"anyOf": [schema, {"$ref": "#/$defs/Variable"}], **outside}


def _without_null(schema: Schema) -> Schema:
    forms = schema.get("anyOf")
    if forms is None or {"type": "null"} not in forms:
        return schema
    kept = [form for form in forms if form != {"type": "null"}]
    rest = {key: entry for key, entry in schema.items() if key != "anyOf"}
    return {**kept[0], **rest} if len(kept) == 1 else {"anyOf": kept, **rest}
