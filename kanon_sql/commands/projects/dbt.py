"""A finished search as a dbt model: SQL, seeds with the mapping tables, and a schema with the tests."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from kanon_sql.commands.projects.checks import Check, checks_of
from kanon_sql.commands.projects.files import MODEL_NAME, CompileWith, Found, Json, write_project
from kanon_sql.config.load import LoadedConfig
from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.sql.dialects.dialect import find_dialect

_RELATION = re.compile(r"ref\('\w+'\)|source\('\w+', ?'\w+'\)")
_TYPES = {"DOUBLE": "double", "VARCHAR": "varchar"}
# What dbt takes for a call in an argument of a test that is a text.
_CALL = re.compile(r"\s*(env_var|ref|var|source|doc)\s*\(")


@dataclass(frozen=True)
class DbtModel:
    """What is asked for: a model `name` in the dbt project `project` over `relation`, as ref('people')."""

    project: Path
    name: str
    relation: str
    dialect: str = "duckdb"
    overwrite: bool = False

    def refuse(self) -> None:
        """Raises ConfigurationError for what dbt would not take."""
        problems = []
        find_dialect(self.dialect)
        if not MODEL_NAME.fullmatch(self.name):
            problems.append(f"--name: {self.name!r} is no name of a model; expected lower-case letters, digits and _")
        if not _RELATION.fullmatch(self.relation):
            problems.append(f"--relation: {self.relation!r}; expected ref('model') or source('source', 'table')")
        if not (self.project / "dbt_project.yml").is_file():
            problems.append(f"--project: {self.project} holds no dbt_project.yml; expected the folder of a dbt project")
        if problems:
            raise ConfigurationError(problems)


def write_model(asked: DbtModel, loaded: LoadedConfig, compile_with: CompileWith) -> Json:
    """Writes models/NAME.sql, models/NAME.yml and a seed for each mapping table; the report, with the files.

    What the tests of the schema do not say of the configuration is among the warnings. Raises EngineError for a file
    that is there, unless it may be overwritten: seeds that only the old model had are then removed.
    """
    models = asked.project / "models"
    files = [models / f"{asked.name}.sql", models / f"{asked.name}.yml"]

    def texts(found: Found) -> tuple[list[str], list[str]]:
        checks, unsaid = checks_of(loaded, found.compiled, asked.relation)
        notes = [f"{files[1].name} has no test for {line}" for line in unsaid]
        return [_sql(asked, found), _schema(asked, found, checks, notes)], notes

    seeds = asked.project / "seeds"
    replaced = _seeds_of(files[1], seeds) if asked.overwrite else None
    return write_project(asked.name, seeds, files, compile_with, texts, replaced)


def _seeds_of(schema: Path, folder: Path) -> list[Path]:
    """The seeds that the schema of an earlier model names. Raises EngineError for another schema than ours."""
    if not schema.exists():
        return []
    try:
        names = [str(seed["name"]) for seed in yaml.safe_load(schema.read_text(encoding="utf-8"))["seeds"]]
    except (KeyError, TypeError, ValueError, yaml.YAMLError):
        raise EngineError(f"{schema}: is no schema that kanon-sql dbt compile wrote; remove it first") from None
    return [folder / f"{name}.csv" for name in names if MODEL_NAME.fullmatch(name)]


def _sql(asked: DbtModel, found: Found) -> str:
    """The statement as dbt reads it: tables by ref, and nothing else of it is Jinja."""
    statement = found.statement(
        f"{{{{ {asked.relation} }}}}", lambda seed: f"{{{{ ref('{seed}') }}}}", escape=without_jinja
    )
    config = "{{ config(materialized='table') }}\n{{ kanon_sql.refuse_incremental() }}\n"
    return f"{config}{without_jinja(found.head())}{statement}"


def without_jinja(text: str) -> str:
    """The text with every opening of Jinja in it written so that it stands for itself."""
    return re.sub(r"\{[{%#]", lambda found: "{{ '" + found[0] + "' }}", text)


def _schema(asked: DbtModel, found: Found, checks: Sequence[Check], notes: Sequence[str]) -> str:
    """The tests that dbt can count in the release, and the types of the seeds."""
    tests = [{f"kanon_sql.{check.name}": {"arguments": _arguments(check)}} for check in checks]
    schema = {
        "version": 2,
        "models": [{"name": asked.name, "description": "An anonymized release, by kanon-sql.", "data_tests": tests}],
        "seeds": [
            {"name": seed.stem, "config": {"column_types": {column: _type(kind) for column, kind in one.stored()[0]}}}
            for seed, one in zip(found.seeds, found.compiled.listings, strict=True)
        ],
    }
    # Written out in full each time: YAML's anchors are not for people.
    dumper = type("Dumper", (yaml.SafeDumper,), {"ignore_aliases": lambda *_: True})
    head = "".join(f"# NOT TESTED: {' '.join(without_jinja(line).split())}\n" for line in notes)
    return head + yaml.dump(schema, Dumper=dumper, sort_keys=False, allow_unicode=True)


def _arguments(check: Check) -> dict[str, Any]:
    return {
        name: value
        if name in check.tables
        else [_stands_for_itself(one) for one in value]
        if isinstance(value, list)
        else _stands_for_itself(value)
        for name, value in check.arguments.items()
    }


def _stands_for_itself(value: Any) -> Any:
    """An argument of a test that dbt takes for nothing but itself."""
    if not isinstance(value, str):
        return value
    call = _CALL.match(value)
    escaped = without_jinja(value) + ("{{ '' }}" if value.endswith("\n") else "")
    return f"{{{{ '{call[1]}' }}}}{escaped.partition(call[1])[2]}" if call else escaped


def _type(described: str) -> str:
    return "varchar" if described.startswith("ENUM") else _TYPES.get(described, described.lower())
