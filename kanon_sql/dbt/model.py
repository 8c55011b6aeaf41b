"""A finished search as a dbt model: SQL, seeds with the mapping tables, and a schema with the tests."""

from __future__ import annotations

import os
import re
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from kanon_sql.config.load import LoadedConfig
from kanon_sql.dialects.model import find_dialect
from kanon_sql.errors import ConfigurationError, EngineError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kanon_sql.compilation import Compiled

_NAME = re.compile(r"[a-z][a-z0-9_]*")
_RELATION = re.compile(r"ref\('\w+'\)|source\('\w+', ?'\w+'\)")
_TYPES = {"DOUBLE": "double", "VARCHAR": "varchar"}


@dataclass(frozen=True)
class DbtModel:
    """What is asked for: a model `name` in the dbt project `project` over `relation`, as ref('people')."""

    project: Path
    name: str
    relation: str
    dialect: str = "duckdb"

    def refuse(self) -> None:
        """Raises ConfigurationError for what dbt would not take, EngineError for files that are there."""
        problems = []
        find_dialect(self.dialect)
        if not _NAME.fullmatch(self.name):
            problems.append(f"--name: {self.name!r} is no name of a model; expected lower-case letters, digits and _")
        if not _RELATION.fullmatch(self.relation):
            problems.append(f"--relation: {self.relation!r}; expected ref('model') or source('source', 'table')")
        if not (self.project / "dbt_project.yml").is_file():
            problems.append(f"--project: {self.project} holds no dbt_project.yml; expected the folder of a dbt project")
        if problems:
            raise ConfigurationError(problems)


def write_model(
    asked: DbtModel,
    loaded: LoadedConfig,
    compile_with: Callable[[str, str, Path], tuple[dict[str, Any], Compiled]],
) -> dict[str, Any]:
    """Writes models/NAME.sql, models/NAME.yml and a seed for each mapping table; the report, with the files.

    `compile_with(source table, mapping prefix, folder)` compiles. Raises EngineError for a file that is there.
    """
    # The names of tables that dbt is to fill in: no text of the data can hold this.
    mark = f"k{secrets.token_hex(12)}_"
    models, seeds = asked.project / "models", asked.project / "seeds"
    texts = {models / f"{asked.name}.sql": "", models / f"{asked.name}.yml": ""}
    _refuse_existing(list(texts))
    for folder in (models, seeds):
        folder.mkdir(exist_ok=True)
    report, compiled = compile_with(f"{mark}source", mark, seeds)
    made = list(compiled.files)
    named = [seeds / f"{asked.name}_{_tail(file.name, mark)}" for file in made]
    try:
        _refuse_existing(named)
        texts[models / f"{asked.name}.sql"] = _filled(compiled.text, mark, asked)
        texts[models / f"{asked.name}.yml"] = yaml.safe_dump(
            _schema(asked, loaded, compiled, [file.stem for file in named]),
            sort_keys=False,
            allow_unicode=True,
        )
    except BaseException:
        for file in made:
            file.unlink(missing_ok=True)
        raise
    for file, seed in zip(made, named, strict=True):
        file.rename(seed)
    for path, text in texts.items():
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
    report["statement"] = {**report["statement"], "sql": texts[models / f"{asked.name}.sql"]}
    report["statement"]["mappings"] = [str(file) for file in named]
    return {**report, "files": [str(file) for file in (*texts, *named)]}


def _tail(name: str, mark: str) -> str:
    return re.sub(re.escape(mark), "", name, flags=re.IGNORECASE).lower()


def _refuse_existing(files: Sequence[Path]) -> None:
    problems = [
        f"{file}: is there already; remove it, or give the model another --name" for file in files if file.exists()
    ]
    if problems:
        raise EngineError(problems)


def _filled(text: str, mark: str, asked: DbtModel) -> str:
    """The statement as dbt reads it: tables by ref, and nothing else of it is Jinja."""
    escaped = without_jinja(text).rstrip().removesuffix(";")
    source = re.compile(rf'["`]{mark}source["`]', re.IGNORECASE)
    table = re.compile(rf'["`]{mark}(\w+)["`]', re.IGNORECASE)
    filled = source.sub(lambda _: f"{{{{ {asked.relation} }}}}", escaped)
    filled = table.sub(lambda found: f"{{{{ ref('{asked.name}_{found[1].lower()}') }}}}", filled)
    comments, _, rest = filled.partition("WITH ")
    # What a comment says of tables is for people: dbt would take a ref in it for one.
    comments = re.sub(r"\{\{ ref\('(\w+)'\) \}\}", r"\1", comments)
    comments = re.sub(re.escape(mark), f"{asked.name}_", comments, flags=re.IGNORECASE)
    return f"{{{{ config(materialized='table') }}}}\n{comments}WITH {rest}\n"


def without_jinja(text: str) -> str:
    """The text with every opening of Jinja in it written so that it stands for itself."""
    return re.sub(r"\{[{%#]", lambda found: "{{ '" + found[0] + "' }}", text)


def _schema(asked: DbtModel, loaded: LoadedConfig, compiled: Compiled, seeds: Sequence[str]) -> dict[str, Any]:
    """The tests that dbt can count in the release, and the types of the seeds."""
    config = loaded.config
    quasi = [without_jinja(one.name) for one in compiled.body.released if one.is_quasi_identifier]
    tests: list[dict[str, Any]] = []
    if config.privacy.entity is None:
        tests.append(
            {"kanon_sql.k_anonymous": {"arguments": {"quasi_identifiers": list(quasi), "k": config.privacy.k}}}
        )
    for one in config.privacy.l_diversity or ():
        if one.variant != "recursive":
            arguments = {
                "quasi_identifiers": list(quasi),
                "sensitive": without_jinja(one.column),
                "l": float(one.l),
                "variant": one.variant,
            }
            tests.append({"kanon_sql.l_diverse": {"arguments": arguments}})
    return {
        "version": 2,
        "models": [{"name": asked.name, "description": "An anonymized release, by kanon-sql.", "data_tests": tests}],
        "seeds": [
            {"name": name, "config": {"column_types": {column: _type(kind) for column, kind in one.stored()[0]}}}
            for name, one in zip(seeds, compiled.listings, strict=True)
        ],
    }


def _type(described: str) -> str:
    return "varchar" if described.startswith("ENUM") else _TYPES.get(described, described.lower())
