"""What goes with known_columns and group."""

from __future__ import annotations

from typing import Any

import pytest

from kanon_sql.config.load import from_mapping
from kanon_sql.errors import ConfigurationError

_ENTROPY = {"column": "s", "l": 2, "variant": "entropy"}
_REFUSED = [
    ({"privacy": {"known_columns": 2}}, ["privacy.k: k is missing"]),
    ({"privacy": {"k": 2, "known_columns": 0}}, ["privacy.known_columns: expected 1 or more"]),
    ({"group": "a"}, ["group: column 'a' is a quasi-identifier"]),
    ({"group": "h", "algorithm": "mondrian"}, ["group: mondrian finds classes of its own"]),
    (
        {"group": "h", "privacy": {"k": 2, "t_closeness": {"column": "s", "t": "0.2"}}},
        ["privacy.t_closeness: with group"],
    ),
    (
        {
            "privacy": {"k": 2, "known_columns": 1, "l_diversity": [{"column": "s", "l": 2}, _ENTROPY]},
            "search_in": "engine",
            "engine": {"spark": "local[*]"},
            "source": {"table": "t"},
            "quasi_identifiers": {"a": {"builtin": "suppress", "aggregate": "mean"}},
        },
        ["privacy.l_diversity.1: with known_columns", "aggregate: an aggregate", "search_in: with known_columns"],
    ),
    (
        {"privacy": {"k": 2, "known_columns": 1, "k_map": {"k": 2, "population": "p.csv"}}},
        ["privacy.k_map: k_map counts classes of a population"],
    ),
]


@pytest.mark.parametrize(("changes", "reasons"), _REFUSED)
def test_what_does_not_go_together_is_refused_at_once(changes: dict[str, Any], reasons: list[str]) -> None:
    with pytest.raises(ConfigurationError) as refused:
        _loaded(changes)
    problems = refused.value.problems
    assert [[problem for problem in problems if text in problem] != [] for text in reasons] == [True] * len(reasons), (
        problems
    )
    assert len(problems) == len(reasons)


@pytest.mark.parametrize(
    "changes",
    [
        {"privacy": {"k": 2, "known_columns": 1, "l_diversity": {"column": "s", "l": 2}, "entity": "p"}, "group": "p"},
        {"privacy": {"k": 2, "known_columns": 1}, "algorithm": "local"},
        {"group": "s"},
    ],
)
def test_what_goes_together_is_taken(changes: dict[str, Any]) -> None:
    config = _loaded(changes)
    assert config.privacy.k == 2
    assert (config.privacy.known_columns, config.group) == (
        changes.get("privacy", {}).get("known_columns"),
        changes.get("group"),
    )


def _loaded(changes: dict[str, Any]) -> Any:
    config = {
        "source": "t.csv",
        "quasi_identifiers": {"a": {"builtin": "suppress"}},
        "sensitive": ["s"],
        "privacy": {"k": 2},
    }
    return from_mapping({**config, **changes}).config
