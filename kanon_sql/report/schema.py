"""The JSON Schema of the report of a run, for programs that read it; what each key means says docs/report.md.

Later versions add keys and take none away, so that what it does not name is allowed.
"""

from __future__ import annotations

from typing import Any

from kanon_sql.privacy.registry import MODELS
from kanon_sql.privacy.thresholds import THRESHOLDS
from kanon_sql.settings.algorithms import ALGORITHMS, ENGINES, options, values
from kanon_sql.settings.columns import ENCODINGS

Schema = dict[str, Any]

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_ID = "urn:kanon-sql:report"

_NULL: Schema = {"type": "null"}
_TEXT: Schema = {"type": "string"}
_TRUTH: Schema = {"type": "boolean"}
_NUMBER: Schema = {"type": "number"}
_WHOLE: Schema = {"type": "integer"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1}
_DIGEST: Schema = {"type": ["string", "null"], "pattern": "^[0-9a-f]{64}$"}
_SALT: Schema = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
_UTC = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$"


def report_schema() -> Schema:
    """The schema, JSON Schema 2020-12, as data for `json.dumps`."""
    return {
        "$schema": _DIALECT,
        "$id": _ID,
        "title": "report of a run of kanon-sql",
        **_mapping(
            {
                "status": {"enum": ["released", "dry-run", "no-release", "timed-out", "failed"]},
                "created": {"type": "string", "pattern": _UTC},
                "version": _TEXT,
                "configuration": {"type": "object"},
                "source": _mapping(
                    {"table": _or_null(_TEXT), "sha256": _DIGEST},
                    {"salt": _SALT, "encoding": _or_null(_one_of(ENCODINGS)), "snapshot": _TEXT},
                ),
                "rows": _mapping(
                    _rows(), {"groups": _mapping(dict.fromkeys(("taking_part", "released", "split"), _COUNT))}
                ),
                "engine": _mapping({"name": _one_of(ENGINES)}, _engine()),
                "algorithm": _mapping({"name": _one_of(ALGORITHMS)}, _algorithm()),
                "solution": _or_null(_solution()),
                "labels": _or_null(_each(_or_null(_TEXT))),
                "given_up": _list(_TEXT),
                "treatments": _each({"type": "object"}),
                "classes": _or_null(_classes()),
                "verification": _or_null(_mapping({"compared": _one_of(("rows", "counts"))}, {"columns": _COUNT})),
                "privacy": _privacy(),
                "suppression": _mapping({"limit": _or_null(_COUNT)}),
                "loss": _or_null(_loss()),
                "search": _or_null(_search()),
                "advice": _list(_advice()),
                "utility": {"type": ["object", "null"]},
                "release": _mapping(
                    {"order": _or_null(_one_of(("random", "none"))), "target": _or_null(_TEXT), "sha256": _DIGEST}
                ),
                "warnings": _list(_TEXT),
                "errors": _list(_TEXT),
                "seconds": {**_mapping({"total": _NUMBER}), "additionalProperties": _NUMBER},
            },
            {
                "ledger": _ledger(),
                "forgotten": _mapping(dict.fromkeys(("snapshots", "files", "searched", "found"), _COUNT)),
            },
        ),
        "if": {"properties": {"status": {"enum": ["released", "dry-run"]}}},
        "then": {"properties": {"classes": {"type": "object"}}},
        "else": {"properties": dict.fromkeys(("solution", "labels", "classes", "verification", "loss"), _NULL)},
    }


def _mapping(required: dict[str, Schema], others: dict[str, Schema] | None = None) -> Schema:
    return {"type": "object", "required": list(required), "properties": {**required, **(others or {})}}


def _each(schema: Schema) -> Schema:
    """A mapping by names of columns and the like."""
    return {"type": "object", "additionalProperties": schema}


def _list(schema: Schema) -> Schema:
    return {"type": "array", "items": schema}


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, _NULL]}


def _one_of(words: Any) -> Schema:
    return {"enum": list(words)}


def _rows() -> dict[str, Schema]:
    """Of a release in place of which no run tells, all but those released are unknown."""
    return {key: _or_null(_COUNT) for key in ("source", "missing", "suppressed", "masked")} | {"released": _COUNT}


def _engine() -> dict[str, Schema]:
    return {"search_in": _one_of(("duckdb", "engine")), "statements": _COUNT}


def _algorithm() -> dict[str, Schema]:
    options_schema = {key: _one_of(values(key)) if values(key) else _WHOLE for key in options()}
    return {
        **options_schema,
        "blind": _TRUTH,
        "reserve": {"anyOf": [_WHOLE, _TEXT]},
        "strata": {"type": "array", "items": _TEXT},
    }


def _solution() -> Schema:
    by_level = _each({"type": "object", "additionalProperties": _COUNT})
    return {
        "anyOf": [
            _mapping({"levels": _each(_COUNT), "height": _COUNT}),
            _mapping({"partitions": _COUNT}, {"depth": _COUNT}),
            _mapping({"rows_by_level": by_level}),
        ]
    }


def _classes() -> Schema:
    return _mapping({"count": _COUNT, "min": _COUNT, "max": _COUNT, "average": _or_null(_NUMBER)}, {"digest": _TEXT})


def _privacy() -> Schema:
    reached = _or_null({"anyOf": [_NUMBER, _each(_or_null(_NUMBER))]})
    threshold = {"anyOf": [_NUMBER, _each(_or_null(_NUMBER))]}
    options_schema: dict[str, Schema] = {name: {} for model in MODELS.values() for name in model.options}
    entry = _mapping({"required": threshold, "actual": reached}, {"column": _TEXT, **options_schema})
    k = _mapping({"required": _COUNT, "actual": _or_null(_COUNT)}, {"counts": _one_of(("entities",))})
    few = _mapping({"required": _COUNT, "actual": _or_null(_COUNT)})
    whole = _mapping({"required": _NUMBER, "actual": _or_null(_NUMBER)}, {"fraction": _NUMBER})
    models = {key: {"anyOf": [entry, _list(entry)]} for key in MODELS}
    return _mapping({"k": k}, {"known_columns": few, **models, **dict.fromkeys(THRESHOLDS, whole)})


def _loss() -> Schema:
    measured = ("lm", "ncp", "geometric_mean", "objective", "c_avg", "average_class_size", "discernibility")
    unknown = ("precision", "entropy")
    return _mapping(
        {
            **dict.fromkeys(measured, _NUMBER),
            **dict.fromkeys(unknown, _or_null(_NUMBER)),
            "attributes": _each(_SHARE),
        },
        {"sse": _SHARE},
    )


def _search() -> Schema:
    node = _mapping({"levels": _each(_COUNT), "height": _COUNT, "suppressed": _COUNT, "classes": _COUNT, "lm": _NUMBER})
    counts = ("lattice_nodes", "checked", "left_by_bound", "tuples", "rounds", "cuts")
    return _mapping(
        {"proven": _TRUTH, "bound": _or_null(_NUMBER), "notes": _list(_TEXT)},
        {
            "gap": _or_null(_NUMBER),
            **dict.fromkeys(counts, _COUNT),
            "finished": _TRUTH,
            "interrupted": _TRUTH,
            "blind": _mapping({**dict.fromkeys(("suppressed", "in_all", "reserve"), _COUNT), "proven": _TRUTH}),
            "minimal": _list(node),
            "ties": _list(_each(_COUNT)),
        },
    )


def _advice() -> Schema:
    ncp = _mapping({"ncp": _NUMBER})
    properties = {"change": {"type": "object"}, "loss": ncp, "suppressed": _COUNT, "exact": _TRUTH}
    return _mapping({**properties, "instead_of": _or_null(ncp)}, {"without": _TEXT})


def _ledger() -> Schema:
    numbers = {"path": _TEXT, "id": _COUNT, "earlier": _list(_COUNT), "built_on": _or_null(_COUNT)}
    violating = _mapping({"classes": _COUNT, "rows": _COUNT})
    return _mapping(numbers, {"known": _list(_TEXT), "violating": violating})
