"""The JSON Schema of databases: accepts what the loader accepts, and refuses what it refuses, as far as it can."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from kanon_sql.config.database import load_database
from kanon_sql.config.schema import database_schema
from kanon_sql.errors import ConfigurationError

Json = dict[str, Any]
EXAMPLE = Path(__file__).parents[2] / "examples" / "clinic" / "database.yaml"


def example() -> Json:
    return copy.deepcopy(yaml.safe_load(EXAMPLE.read_text()))


def problems(config: Json) -> list[str]:
    jsonschema = pytest.importorskip("jsonschema")
    return [error.message for error in jsonschema.Draft202012Validator(database_schema()).iter_errors(config)]


def _changed(change: Callable[[Json], object]) -> Json:
    config = example()
    change(config)
    return config


@pytest.mark.parametrize(
    "change",
    [
        lambda config: None,
        lambda config: config.update(source={"database": "clinic.duckdb"}, target="in-place"),
        lambda config: config.update(
            engine={"postgres": "postgresql://db/clinic"}, source={"schema": "clinic"}, target={"schema": "released"}
        ),
        lambda config: config.update(engine={"postgres": "postgresql://db/clinic"}, target={"schema": "released"}),
        lambda config: config.update(target={"database": "out.duckdb", "overwrite": True}, report="report.json"),
        lambda config: config["keys"].update(person_id={"pseudonym": {"key": "${PSEUDONYM_KEY}", "length": 24}}),
        lambda config: config["tables"]["visit"].update(link={"column": "pid"}, facts={"kind": None}, insensitive=[]),
        lambda config: config["tables"].update(
            note={"via": "person_id", "quasi_identifiers": {"size": {"builtin": "suppress"}}, "unlisted": "drop"}
        ),
        lambda config: config["tables"].update(note={"via": {"home": "place"}, "quasi_identifiers": ["region"]}),
        lambda config: config.update(
            privacy={"k": 5, "facts": {"known": 2, "confidence": "50%"}},
            tables=config["tables"] | {"visit": {"link": "person_id", "sensitive": ["kind"], "unlisted": "drop"}},
        ),
        lambda config: config["tables"]["visit"].update(since={"day": "first"}, dates=[]),
        lambda config: config["privacy"].update(l_diversity={"column": "name", "l": 2}),
        lambda config: config.update(algorithm="mondrian", suppression={"persons": 3, "facts": "10%"}),
    ],
)
def test_what_the_loader_takes_is_accepted(change: Callable[[Json], object], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PSEUDONYM_KEY", "ab" * 32)
    config = _changed(change)
    assert problems(config) == []
    if "l_diversity" not in config["privacy"]:  # of a column that is not sensitive here
        load_database(config)


@pytest.mark.parametrize(
    "change",
    [
        lambda config: config.update(unknown=1),
        lambda config: config.pop("unit"),
        lambda config: config.pop("privacy"),
        lambda config: config["privacy"].pop("k"),
        lambda config: config["privacy"]["facts"].update(known=9),
        lambda config: config["tables"]["visit"].update(lnik="person_id"),
        lambda config: config["tables"]["visit"].update(via=["person_id"]),
        lambda config: config["privacy"]["facts"].update(confidence=1.5),
        lambda config: config["tables"]["visit"].update(since=["day"]),
        lambda config: config["tables"].update(drug="copy"),
        lambda config: config["keys"].update(person_id="random"),
        lambda config: config["target"].update(database="out.duckdb"),
    ],
)
def test_what_the_loader_refuses_is_refused(change: Callable[[Json], object], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PSEUDONYM_KEY", "ab" * 32)
    config = _changed(change)
    assert problems(config)
    with pytest.raises(ConfigurationError):
        load_database(config)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"source": {"schema": "clinic"}}, "source.schema: a schema is one of engine.postgres"),
        ({"target": {"schema": "clinic"}}, "target.schema: a schema is one of engine.postgres"),
        ({"engine": {"postgres": "postgresql://db/clinic"}}, "engine: neither source nor target is a schema"),
        ({"source": {"schema": "clinic", "path": "clinic"}}, "keep one of them"),
        ({"releases": {"path": "ledger.duckdb"}}, "releases: a whole database has no ledger yet"),
    ],
)
def test_places_and_ledgers_that_are_none_are_refused(more: Json, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PSEUDONYM_KEY", "ab" * 32)
    with pytest.raises(ConfigurationError, match=said):
        load_database({**example(), **more})
