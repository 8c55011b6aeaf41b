"""A finished search as a dbt model: SQL, seeds with the mapping tables, and a schema with the tests."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any

import yaml

from kanon_sql.commands.compile import Compiled
from kanon_sql.commands.projects.checks import Check, Json, ProjectModel, checks_of, refuse_existing, write_private
from kanon_sql.config.load import LoadedConfig
from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.sql.dialects import find_dialect

_NAME = re.compile(r"[a-z][a-z0-9_]*")
_RELATION = re.compile(r"ref\('\w+'\)|source\('\w+', ?'\w+'\)")
_TYPES = {"DOUBLE": "double", "VARCHAR": "varchar"}
# What dbt takes for a call in an argument of a test that is a text.
_CALL = re.compile(r"\s*(env_var|ref|var|source|doc)\s*\(")
# Compiles with (source table, prefix of the mapping tables' names, folder of their files).
CompileWith = Callable[[str, str, Path], tuple[Json, Compiled]]


def refuse(request: ProjectModel) -> None:
    """Raises ConfigurationError for what dbt would not take."""
    problems = []
    find_dialect(request.dialect)
    if not _NAME.fullmatch(request.name):
        problems.append(f"--name: {request.name!r} is no name of a model; expected lower-case letters, digits and _")
    if not _RELATION.fullmatch(request.relation):
        problems.append(f"--relation: {request.relation!r}; expected ref('model') or source('source', 'table')")
    if not (request.project / "dbt_project.yml").is_file():
        problems.append(f"--project: {request.project} holds no dbt_project.yml; expected the folder of a dbt project")
    if problems:
        raise ConfigurationError(problems)


def write_model(request: ProjectModel, loaded: LoadedConfig, compile_with: CompileWith) -> Json:
    """Writes models/NAME.sql, models/NAME.yml and a seed for each mapping table; the report, with the files.

    What the tests of the schema do not say of the configuration is among the warnings. Raises EngineError for a file
    that is there, unless it may be overwritten: seeds that only the old model had are then removed. Where it raises,
    nothing is written.
    """
    folder = request.project / "seeds"
    files = [request.project / "models" / f"{request.name}.{kind}" for kind in ("sql", "yml")]
    earlier = _seeds_of(files[1], folder) if request.overwrite else []
    if not request.overwrite:
        refuse_existing(files)
    for directory in (files[0].parent, folder):
        directory.mkdir(exist_ok=True)
    # The statement names tables by this and what they are: no text of the data can hold it.
    mark = f"k{secrets.token_hex(12)}_"
    report, compiled = compile_with(f"{mark}source", mark, folder)
    seeds = [
        folder / re.sub(mark, f"{request.name}_", file.name, flags=re.IGNORECASE).lower() for file in compiled.files
    ]
    try:
        refuse_existing([seed for seed in seeds if seed not in earlier])
        checks, unsaid = checks_of(loaded, compiled, request.relation)
        notes = [f"{files[1].name} has no test for {line}" for line in unsaid]
        texts = [_sql(request, compiled.text, mark), _schema(request, compiled, seeds, checks, notes)]
    except BaseException:
        for file in compiled.files:
            file.unlink(missing_ok=True)
        raise
    for file, path in zip(compiled.files, seeds, strict=True):
        file.replace(path)
    for path, text in zip(files, texts, strict=True):
        write_private(path, text)
    for seed in set(earlier) - set(seeds):
        seed.unlink(missing_ok=True)
    report["statement"] = {**report["statement"], "sql": texts[0], "mappings": [str(seed) for seed in seeds]}
    report["warnings"] = [*report["warnings"], *notes]
    return {**report, "files": [str(file) for file in (*files, *seeds)]}


def _seeds_of(schema: Path, folder: Path) -> list[Path]:
    """The seeds that the schema of an earlier model names. Raises EngineError for another schema than ours."""
    if not schema.exists():
        return []
    try:
        names = [str(seed["name"]) for seed in yaml.safe_load(schema.read_text(encoding="utf-8"))["seeds"]]
    except (KeyError, TypeError, ValueError, yaml.YAMLError):
        raise EngineError(f"{schema}: is no schema that kanon-sql dbt compile wrote; remove it first") from None
    return [folder / f"{name}.csv" for name in names if _NAME.fullmatch(name)]


def _sql(request: ProjectModel, compiled: str, mark: str) -> str:
    """The statement as dbt reads it: tables by ref, and nothing else of it is Jinja."""
    lines = compiled.splitlines(keepends=True)
    comments = list(takewhile(lambda line: line.startswith("--"), lines))
    # What the comment at the head says of tables is for people.
    head = re.sub(mark, f"{request.name}_", "".join(comments), flags=re.IGNORECASE)
    statement = without_jinja("".join(lines[len(comments) :])).rstrip().removesuffix(";")

    def called(match: re.Match[str]) -> str:
        what = match[1].lower()
        return f"{{{{ {request.relation} }}}}" if what == "source" else f"{{{{ ref('{request.name}_{what}') }}}}"

    statement = re.sub(rf'["`]{mark}(\w+)["`]', called, statement, flags=re.IGNORECASE)
    statement = re.sub(rf"'{mark}(\w+)'", r"""'{{ env_var("\1") }}'""", statement)
    config = "{{ config(materialized='table') }}\n{{ kanon_sql.refuse_incremental() }}\n"
    return f"{config}{without_jinja(head)}{statement}\n"


def without_jinja(text: str) -> str:
    """The text with every opening of Jinja in it written so that it stands for itself."""
    return re.sub(r"\{[{%#]", lambda match: "{{ '" + match[0] + "' }}", text)


def _schema(
    request: ProjectModel, compiled: Compiled, seeds: Sequence[Path], checks: Sequence[Check], notes: Sequence[str]
) -> str:
    """The tests that dbt can count in the release, and the types of the seeds."""
    tests = [{f"kanon_sql.{check.name}": {"arguments": _arguments(check)}} for check in checks]
    schema = {
        "version": 2,
        "models": [{"name": request.name, "description": "An anonymized release, by kanon-sql.", "data_tests": tests}],
        "seeds": [
            {
                "name": seed.stem,
                "config": {"column_types": {column: _type(kind) for column, kind in listing.stored()[0]}},
            }
            for seed, listing in zip(seeds, compiled.listings, strict=True)
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
        else [_stands_for_itself(entry) for entry in value]
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
