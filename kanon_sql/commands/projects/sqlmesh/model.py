"""A finished search as a SQLMesh model: one SQL file with its mapping tables inside, and the audits for it."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Sequence
from typing import Any

from sqlglot import exp

from kanon_sql.commands.compile import Compiled
from kanon_sql.commands.projects.checks import Check, Json, ProjectModel, checks_of, refuse_existing, write_private
from kanon_sql.commands.projects.sqlmesh import audits_file
from kanon_sql.config.load import LoadedConfig
from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.sql.dialects import Dialect, find_dialect
from kanon_sql.sql.template import quoted
from kanon_sql.sql.writing import table_name

_NAME = re.compile(r"([a-z][a-z0-9_]*\.){0,2}[a-z][a-z0-9_]*")
_NUMBER = re.compile(r"[\d.]+")
KEY_MARK = f"k{secrets.token_hex(12)}_"
_SETTINGS = ("config.yaml", "config.yml", "config.py")


def refuse(request: ProjectModel) -> None:
    """Raises ConfigurationError for what SQLMesh would not take."""
    problems = []
    dialect = find_dialect(request.dialect)
    if not _NAME.fullmatch(request.name):
        problems.append(
            f"--name: {request.name!r} is no name of a model; expected schema.model in lower-case letters, digits, _"
        )
    try:
        table_name(request.relation, dialect, "--relation")
    except ConfigurationError as error:
        problems += error.problems
    if not any((request.project / name).is_file() for name in _SETTINGS):
        problems.append(
            f"--project: {request.project} holds no {_SETTINGS[0]} and no {_SETTINGS[-1]} of SQLMesh; expected the "
            "folder of a SQLMesh project"
        )
    if problems:
        raise ConfigurationError(problems)


def write_model(request: ProjectModel, loaded: LoadedConfig, compile_with: Callable[[], tuple[Json, Compiled]]) -> Json:
    """Writes models/NAME.sql, and audits/kanon_sql.sql where it is not there yet; the report, with the files.

    What the audits do not say of the configuration is among the warnings. Raises EngineError for a model that is there
    and may not be overwritten, and for other audits.
    """
    model = request.project / "models" / f"{request.name.rpartition('.')[2]}.sql"
    audits = request.project / "audits" / "kanon_sql.sql"
    if not request.overwrite:
        refuse_existing([model])
    known = audits_file().read_text(encoding="utf-8")
    if audits.exists() and audits.read_text(encoding="utf-8") != known:
        raise EngineError(f"{audits}: holds other audits than this kanon-sql has; remove it, and it is written anew")
    report, compiled = compile_with()
    dialect = find_dialect(request.dialect)
    relation = table_name(request.relation, dialect, "--relation").sql(dialect.name)
    checks, unsaid = checks_of(loaded, compiled, relation)
    notes = [f"{model.name} has no audit for {line}" for line in unsaid]
    statement = re.sub(rf"'{KEY_MARK}(\w+)'", lambda match: f"@VAR('{match[1].lower()}')", compiled.text)
    text = _definition(request, dialect, checks, notes) + statement
    for folder in (model.parent, audits.parent):
        folder.mkdir(exist_ok=True)
    write_private(model, text)
    files = [model]
    if not audits.exists():
        write_private(audits, known)
        files.append(audits)
    report["statement"] = {**report["statement"], "sql": text}
    report["warnings"] = [*report["warnings"], *notes]
    return {**report, "files": [str(file) for file in files]}


def _definition(request: ProjectModel, dialect: Dialect, checks: Sequence[Check], notes: Sequence[str]) -> str:
    """The head of the model. It is made anew as a whole each time: rows that are added to a release undo it."""
    head = "".join(f"-- NOT AUDITED: {' '.join(line.split())}\n" for line in notes)
    audits = ",\n    ".join(_call(check, dialect) for check in checks)
    return (
        f"{head}MODEL (\n  name {request.name},\n  kind FULL,\n  dialect {dialect.name},\n"
        f"  description 'An anonymized release, by kanon-sql.',\n  audits (\n    {audits}\n  )\n);\n\n"
    )


def _call(check: Check, dialect: Dialect) -> str:
    """An audit with its arguments, as the head of a model names it."""
    given = dict(check.arguments)
    missing, order, distance = (given.pop(key, None) for key in ("missing", "order", "distance"))
    name = "t_close_ordered" if distance == "ordered" else check.name
    arguments: dict[str, str] = {}
    if check.name == "max_suppression" and isinstance(given["at_most"], str):
        given["percent"] = given.pop("at_most").rstrip("% ")
    for key, value in given.items():
        if key == "quasi_identifiers":
            arguments[key] = f"[{', '.join(quoted(name).sql(dialect.name) for name in value)}]"
        elif key == "sensitive":
            arguments[key] = _ordered(_present(value, missing), order, dialect).sql(dialect.name)
        elif key == "complete":
            conditions = [exp.Is(this=_present(name, missing), expression=exp.null()).not_() for name in value]
            arguments[key] = f"({exp.and_(*conditions).sql(dialect.name)})"
        elif key in check.tables or _NUMBER.fullmatch(str(value)):
            arguments[key] = str(value)
        else:
            arguments[key] = exp.Literal.string(value).sql(dialect.name)
    return f"{name}({', '.join(f'{key} := {value}' for key, value in arguments.items())})"


def _present(name: str, missing: Sequence[str] | None) -> exp.Expr:
    """A column, NULL where it holds one of the texts that mean missing."""
    value = exp.Column(this=quoted(name))
    if not missing:
        return value
    texts: list[Any] = [exp.Literal.string(text) for text in missing]
    absent = exp.In(this=exp.cast(value.copy(), "VARCHAR"), expressions=texts)
    return exp.Case(ifs=[exp.If(this=absent, true=exp.null())], default=value)


def _ordered(value: exp.Expr, order: str | None, dialect: Dialect) -> exp.Expr:
    """A value as what it is ordered by. Texts are ordered by their bytes."""
    if order in ("number", "date"):
        return exp.cast(value, "DOUBLE" if order == "number" else "DATE")
    if order == "text":
        return dialect.by_bytes(exp.cast(value, "VARCHAR"))
    return value
