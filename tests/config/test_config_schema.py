"""The JSON Schema: accepts what the loader accepts, refuses what it refuses, as far as a schema can."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kanon_sql.config.load import from_mapping
from kanon_sql.config.model import Config
from kanon_sql.config.schema import json_schema
from kanon_sql.errors import ConfigurationError

SMALL: dict[str, Any] = {"source": "data.csv", "quasi_identifiers": ["age"], "privacy": {"k": 5}}
SHARES = ["0%", "1%", " 1 %", "0.5%", ".5%", "99.99%", "100%", "100.00%", "005%"]

ACCEPTED: list[dict[str, Any]] = [
    {},
    {"source": {"path": "a.csv", "csv": {"delimiter": ";", "header": True}, "missing": ["?", "", -9, False]}},
    {"source": {"database": "d.duckdb", "table": "main.t"}},
    {"source": {"path": "a.csv", "columns": {"born": {"type": "date", "format": "%d.%m.%Y"}}}},
    {"source": {"path": "a.csv", "columns": {"at": {"format": "%d. %B %y, %I:%M:%S.%f %p"}, "b": {}}}},
    {"source": {"path": "a.csv", "columns": {"w": {"type": "number", "decimal": ",", "thousands": "."}}}},
    {"source": {"path": "a.csv", "columns": {"w": {"thousands": " "}, "x": {"thousands": "'", "invalid": "missing"}}}},
    {"source": {"path": "a.csv", "columns": {"s": {"trim": True, "case": "lower", "recode": {"m": "male", "9": 1}}}}},
    {"source": {"path": "a.csv", "columns": {"s": {"type": "text", "missing": ["-", 9], "invalid": "error"}}}},
    {"source": {"query": "SELECT 1", "allow": ["x"]}},
    {"source": {"query": "SELECT 1", "database": "d.duckdb"}},
    {"target": "out.csv"},
    {"target": "in-place"},
    {"target": {"in_place": True, "overwrite": False}},
    {"target": {"path": "a", "format": "parquet", "compression": "zstd"}},
    {"target": {"path": "a", "in_place": False}},
    {"target": {"database": "d", "table": "t"}},
    {"quasi_identifiers": {"age": None, "sex": "sex.csv", "zip": {}}},
    {"quasi_identifiers": {"a": {"hierarchy": "h.csv", "min_level": 1, "max_level": 3, "weight": 2.0}}},
    {"quasi_identifiers": {"a": {"builtin": "suppress"}, "b": {"builtin": "prefix", "keep": [4, 3, 0]}}},
    {"quasi_identifiers": {"a": {"builtin": "intervals", "widths": [0.5, 10], "origin": -1.5}}},
    {"quasi_identifiers": {"a": {"builtin": "intervals", "widths": [5], "bottom": 18, "top": 89.5}}},
    {"quasi_identifiers": {"a": {"builtin": "date", "levels": ["month", "year"]}, "b": {"type": "date"}}},
    {"quasi_identifiers": {"a": {"builtin": "merge-rare", "below": [10, 100], "other": "rest"}}},
    {"quasi_identifiers": {"b": {"builtin": "merge-rare", "below": [2]}}},
    {"identifiers": ["name"], "sensitive": ["a"], "insensitive": ["b"], "unlisted": "drop"},
    {"suppression": {"limit": 20}},
    {
        "missing": "drop-any",
        "report": "r.json",
        "release": {"order": "none", "suppressed": "mask", "seed": 7},
    },
    {"algorithm": "optimal"},
    {"algorithm": {"name": "samarati", "prefer": "first"}},
    {"algorithm": {"name": "minimal", "prefer": "distribution"}},
    {"algorithm": {"objective": "average-class-size"}},
    {"algorithm": {"name": "optimal", "objective": "entropy"}},
    *({"suppression": {"limit": share}} for share in SHARES),
]

REFUSED: list[dict[str, Any]] = [
    {"unknown": 1},
    {"source": None},
    {"source": ""},
    {"source": {}},
    {"source": {"path": "a", "query": "b"}},
    {"source": {"table": "t"}},
    {"source": {"path": "a", "database": "d"}},
    {"source": {"path": "a", "allow": ["x"]}},
    {"source": {"query": "q", "csv": {}}},
    {"source": {"path": "a", "csv": {"delimeter": ";"}}},
    {"source": {"path": "a", "csv": {"quote": "''"}}},
    {"source": {"path": "a", "missing": "?"}},
    {"source": {"path": "a", "columns": ["born"]}},
    {"source": {"path": "a", "columns": {"b": {"typ": "date"}}}},
    {"source": {"path": "a", "columns": {"b": {"type": "datum"}}}},
    {"source": {"path": "a", "columns": {"b": {"type": "date", "format": "%j %Y"}}}},
    {"source": {"path": "a", "columns": {"b": {"type": "date", "format": "%d.%m."}}}},
    {"source": {"path": "a", "columns": {"b": {"decimal": ",,"}}}},
    {"source": {"path": "a", "columns": {"b": {"decimal": "5"}}}},
    {"source": {"path": "a", "columns": {"b": {"thousands": "-"}}}},
    {"source": {"path": "a", "columns": {"b": {"trim": "perhaps"}}}},
    {"source": {"path": "a", "columns": {"b": {"case": "title"}}}},
    {"source": {"path": "a", "columns": {"b": {"recode": ["a"]}}}},
    {"source": {"path": "a", "columns": {"b": {"missing": "-"}}}},
    {"source": {"path": "a", "columns": {"b": {"invalid": "drop"}}}},
    {"target": {}},
    {"target": {"in_place": False}},
    {"target": {"path": "a", "in_place": True}},
    {"target": {"database": "d"}},
    {"target": {"table": "t"}},
    {"target": {"database": "d", "table": "t", "format": "csv"}},
    {"target": {"path": "a", "format": "parquet", "csv": {}}},
    {"quasi_identifiers": []},
    {"quasi_identifiers": {}},
    {"quasi_identifiers": "age"},
    {"quasi_identifiers": ["age", "age"]},
    {"quasi_identifiers": ["age", None]},
    {"quasi_identifiers": ["age", {"sex": "h.csv"}]},
    {"quasi_identifiers": {"": {}}},
    {"quasi_identifiers": {"a": ""}},
    {"quasi_identifiers": {"a": ["h.csv"]}},
    {"quasi_identifiers": {"a": {"builtin": "other"}}},
    {"quasi_identifiers": {"a": {"builtin": "prefix"}}},
    {"quasi_identifiers": {"a": {"builtin": "prefix", "keep": []}}},
    {"quasi_identifiers": {"a": {"builtin": "prefix", "keep": [-1]}}},
    {"quasi_identifiers": {"a": {"keep": [1]}}},
    {"quasi_identifiers": {"a": {"builtin": "intervals"}}},
    {"quasi_identifiers": {"a": {"builtin": "intervals", "widths": [0]}}},
    {"quasi_identifiers": {"a": {"builtin": "date", "widths": [1], "levels": ["year"]}}},
    {"quasi_identifiers": {"a": {"builtin": "merge-rare"}}},
    {"quasi_identifiers": {"a": {"builtin": "merge-rare", "below": [1]}}},
    {"quasi_identifiers": {"a": {"builtin": "merge-rare", "below": []}}},
    {"quasi_identifiers": {"a": {"builtin": "suppress", "top": 90}}},
    {"quasi_identifiers": {"a": {"bottom": 18}}},
    {"quasi_identifiers": {"a": {"hierarchy": "h", "builtin": "suppress"}}},
    {"quasi_identifiers": {"a": {"weight": 0}}},
    {"quasi_identifiers": {"a": {"min_level": 1.5}}},
    {"sensitive": "income"},
    {"sensitive": [None]},
    {"sensitive": [""]},
    {"sensitive": ["a", "a"]},
    {"unlisted": "keep"},
    {"privacy": {}},
    {"privacy": {"k": 0}},
    {"privacy": {"k": "five"}},
    {"privacy": {"k": None}},
    {"privacy": {"k": 5, "l_divresity": 2}},
    {"suppression": {"limit": -1}},
    {"suppression": {"limit": 1.5}},
    {"suppression": {"limit": True}},
    *({"suppression": {"limit": share}} for share in ("101%", "100.01%", "1000%", "-1%", "%", "1%%", "a")),
    {"missing": "none"},
    {"algorithm": "fast"},
    {"algorithm": {"name": "samarati", "objective": "loss"}},
    {"algorithm": {"prefer": "loss"}},
    {"algorithm": {"name": "samarati", "prefer": "suppression"}},
    {"algorithm": {"name": "minimal", "prefer": "first"}},
    {"release": {"seed": "x"}},
    {"report": ["r.json"]},
]


def as_text(value: Any) -> Any:
    """What the strict reader has where an editor's YAML has numbers and truth values."""
    if isinstance(value, dict):
        return {key: as_text(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [as_text(entry) for entry in value]
    return value if value is None or isinstance(value, str) else json.dumps(value)


@pytest.fixture(scope="module")
def accepts() -> Any:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema).is_valid


@pytest.mark.parametrize("change", ACCEPTED, ids=json.dumps)
def test_accepted(change: dict[str, Any], accepts: Any) -> None:
    assert accepts({**SMALL, **change})
    from_mapping(as_text({**SMALL, **change}))


@pytest.mark.parametrize("change", REFUSED, ids=json.dumps)
def test_refused(change: dict[str, Any], accepts: Any) -> None:
    assert not accepts({**SMALL, **change})
    with pytest.raises(ConfigurationError):
        from_mapping(as_text({**SMALL, **change}))


@pytest.mark.parametrize("key", ["source", "quasi_identifiers", "privacy"])
def test_needed_keys(key: str, accepts: Any) -> None:
    assert not accepts({name: value for name, value in SMALL.items() if name != key})


def test_variables_stand_for_any_value(accepts: Any) -> None:
    variable = "${X}"
    assert accepts(
        {
            "source": {"path": variable, "csv": {"header": variable}, "missing": [variable]},
            "quasi_identifiers": {
                "a": {"builtin": "prefix", "keep": [variable], "weight": variable},
                "b": variable,
            },
            "privacy": {"k": variable},
            "suppression": {"limit": variable},
            "algorithm": variable,
            "missing": variable,
            "release": {"seed": variable, "order": variable},
        }
    )


def test_the_schema_names_itself_and_goes_into_json() -> None:
    schema = json_schema()
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"] == "urn:kanon-sql:configuration"
    assert schema["title"] == "kanon-sql configuration"
    assert json.loads(json.dumps(schema)) == schema
    assert json_schema() == schema


def test_every_key_is_described_and_no_mapping_takes_other_keys() -> None:
    schema = json_schema()
    assert set(schema["properties"]) == set(Config.model_fields)
    parts = [schema, *(part for part in schema["$defs"].values() if part["type"] == "object")]
    assert len(parts) > 5
    for part in parts:
        assert part["additionalProperties"] is False
        for key, described in part["properties"].items():
            assert described.get("description"), key
