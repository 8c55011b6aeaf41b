"""Jobs of every command on one small table: what earlier versions wrote with them is kept in tests/house/version_*."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import kanon_sql
from kanon_sql.config.load import load_config
from kanon_sql.errors import KanonError

Json = dict[str, Any]

BASE: Json = {
    "source": "source.csv",
    "target": {"path": "out.csv", "overwrite": True},
    "identifiers": ["name"],
    "quasi_identifiers": {
        "sex": {"builtin": "suppress"},
        "age": {"builtin": "intervals", "widths": [10, 20]},
        "zip": "zip.csv",
    },
    "sensitive": ["diagnosis"],
    "insensitive": ["ward"],
    "privacy": {"k": 3},
    "suppression": {"limit": "10%"},
}
MONDRIAN: Json = {"unlisted": "drop", "algorithm": {"name": "mondrian", "seed": 1}}
MODELS = {"k": 3, "l_diversity": {"column": "diagnosis", "l": 2}, "t_closeness": {"column": "diagnosis", "t": 0.5}}
NUMBERS = {"age": {}, "sex": {"builtin": "suppress"}}
RECORDED = {**BASE, "target": {"path": "release.csv", "overwrite": True}, "releases": {"path": "ledger.duckdb"}}


def configured(**more: Any) -> Json:
    return {**BASE, **more}


def _run(**more: Any) -> Json:
    try:
        return kanon_sql.run(configured(**more)).report
    except KanonError as error:
        assert error.report
        return error.report


def _compile() -> Json:
    kanon_sql.compile(configured(privacy=MODELS), report="compile.json")
    report: Json = json.loads(Path("compile.json").read_text(encoding="utf-8"))
    return report


# Each gives what the command prints with --json, or writes as a report; the working folder holds the files.
JOBS: dict[str, Callable[[], Json]] = {
    "run": _run,
    "run, models": lambda: _run(privacy=MODELS),
    "run, minimal": lambda: _run(algorithm={"name": "minimal", "prefer": "suppression"}),
    "run, mondrian": lambda: _run(
        quasi_identifiers=NUMBERS, unlisted="drop", algorithm={"name": "mondrian", "seed": 1}
    ),
    # That version searched as `fast` does.
    "run, local": lambda: _run(algorithm={"name": "local", "seed": 1, "effort": "fast"}),
    "run, refused": lambda: _run(privacy={"k": 9999}),
    "check": lambda: kanon_sql.check(configured()),
    "lattice": lambda: kanon_sql.lattice(configured()),
    "sweep": lambda: kanon_sql.sweep(configured(), k=[2, 5], limits=[0, "10%"], algorithms=["optimal", "mondrian"]),
    "risk": lambda: kanon_sql.risk(configured(target="release.csv"), population="source.csv"),
    "link": lambda: kanon_sql.link("release.csv", "persons.csv", ["sex", "age"], release_config=configured()),
    "compile": _compile,
    "check_releases": lambda: kanon_sql.check_releases("release.csv", "release.csv", ["sex", "age", "zip"], k=3),
    "list_releases": lambda: kanon_sql.list_releases("ledger.duckdb"),
    "apply": lambda: kanon_sql.apply(1, "later.csv", output="applied.csv", overrides=[("suppression.limit", "50%")]),
}


def loaded(path: Path) -> Json:
    """A configuration as it was understood, with all that was left out.

    A path is what `report` was; it stands for a mapping now.
    """
    config = load_config(path).config
    settings: Json = json.loads(config.model_dump_json())
    if config.report is not None:
        settings["report"] = config.report.data
    return settings
