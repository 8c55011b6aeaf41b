"""What the tables of a database contradict in each other, as the loader says it."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from kanon_sql.config.database import load_database
from kanon_sql.config.model import AlgorithmConfig
from kanon_sql.errors import ConfigurationError

Json = dict[str, Any]
CONFIG: Json = {
    "source": "somewhere",
    "unit": {"table": "person", "key": "person_id"},
    "privacy": {"k": 2, "facts": {"known": 1}},
    "tables": {
        "person": {"quasi_identifiers": ["sex"], "sensitive": ["illness"], "unlisted": "drop"},
        "visit": {"link": "person_id", "facts": {"kind": {}}, "unlisted": "drop"},
        "home": {"via": "home_id", "quasi_identifiers": ["size"], "unlisted": "drop"},
    },
}


def problem(**changes: Json) -> str:
    """What is said of the configuration with these changes of its parts; nothing where it is taken."""
    config = copy.deepcopy(CONFIG)
    for key, change in changes.items():
        place = config["tables"] if key in ("home", "home.b", "HOME") else config
        place[key] = {**place.get(key, {}), **change}
    try:
        load_database(config)
    except ConfigurationError as error:
        return str(error)
    return ""


def test_confidence_does_not_bound_what_is_told_of_tables_that_persons_lead_to() -> None:
    bounded = {"k": 2, "facts": {"known": 1, "confidence": "50%"}}
    assert problem() == problem(home={"sensitive": ["price"]}) == problem(privacy=bounded) == ""
    assert "tables.home.sensitive" in problem(home={"sensitive": ["price"]}, privacy=bounded)


@pytest.mark.parametrize("column", ["c", "C"])
def test_no_two_columns_of_other_tables_have_one_name(column: str) -> None:
    through = {"via": "other_id", "quasi_identifiers": [column], "unlisted": "drop"}
    named = problem(home={"quasi_identifiers": [f"b.{column}"]}, **{"home.b": through})
    assert "would be called" in named
    assert problem(home={"quasi_identifiers": ["b.d"]}, **{"home.b": through}) == ""


def test_a_column_that_holds_the_key_of_persons_is_no_key_of_its_own() -> None:
    alias = {"via": {"person_id": "pid"}}
    assert problem(home=alias) == problem(home=alias, keys={"person_id": "renumber"}) == ""
    assert "'pid' holds the key 'person_id' here" in problem(home=alias, keys={"pid": "renumber"})


def test_a_table_that_is_wrong_itself_is_no_wrong_link() -> None:
    tables: Json = {
        "visit": {"link": "person_id", "facts": {"kind": {}}, "colour": 1},
        "test": {"link": {"visit_id": "visit"}, "unlisted": "drop"},
    }
    told = problem(tables=tables)
    assert "unknown key 'colour'" in told
    assert "tables.test.link" not in told
    assert "'visits' is no table" in problem(tables={"test": {"link": {"visit_id": "visits"}}})


def test_what_is_wrong_with_known_facts_is_told_where_the_file_has_it(tmp_path: Path) -> None:
    path = tmp_path / "database.json"
    lines = [f'"{key}": {json.dumps(CONFIG[key])}' for key in ("source", "unit", "tables")]
    path.write_text("{" + ",\n".join([*lines, '"privacy": {"k": 2, "facts": {"known": 9}}']) + "}", encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r":4: privacy\.facts\.known: expected less than or equal to 4, got"):
        load_database(str(path))


@pytest.mark.parametrize(
    ("facts", "fault"),
    [
        ({"kind": {"builtin": "suppress"}}, "'kind' is a key, which gets new values and no coarser ones"),
        ({"kind": {"builtin": "suppress", "max_level": 0}}, ""),
        ({"person_id": {}}, "by 'person_id' rows find their person"),
    ],
)
def test_a_key_is_no_fact_with_levels(facts: Json, fault: str) -> None:
    visit = {"link": "person_id", "facts": facts, "unlisted": "drop"}
    told = problem(tables={"visit": visit}, keys={"kind": "renumber"})
    assert told == "" if not fault else fault in told
    if "kind" in facts:
        assert problem(tables={"visit": visit}) == ""


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (
            {"suppression": {"limit": "10%"}},
            "suppression.limit: unknown key 'limit' in the configuration of a database, expected one of persons, "
            "facts; correct or remove it",
        ),
        (
            {"suppression": {"person": 1}},
            "suppression.person: unknown key 'person' in the configuration of a database, did you mean persons?",
        ),
        (
            {"privacy": {"k": 2, "facts": {"known": 1, "wit": "nothing"}}},
            "privacy.facts.wit: unknown key 'wit' in the configuration of a database, did you mean with?",
        ),
        (
            {"zzz": {}},
            "zzz: unknown key 'zzz' in the configuration of a database, expected one of source, target, engine, unit, "
            "keys, shift, tables, suppression, report, privacy, algorithm;",
        ),
        (
            {"unit": {"key": "persn_id"}, "keys": {"person_id": "renumber"}},
            "or rename the column, or did you mean 'person_id' by unit.key?",
        ),
    ],
)
def test_a_key_that_is_not_known_is_told_with_those_that_are(changes: Json, told: str) -> None:
    assert told in problem(**changes)


def test_nothing_is_reserved_unless_asked_for() -> None:
    assert AlgorithmConfig.model_validate({"blind": True}).reserved(200) == 0
    assert AlgorithmConfig.model_validate({"blind": True, "reserve": "1.9%"}).reserved(200) == 3
