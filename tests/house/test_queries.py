"""SQL stands in queries/, and each of its files says what it answers, reads, takes and gives."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from places import ROOT
from sqlglot import exp

from kanon_sql.sql import template

QUERIES = sorted((ROOT / "queries").rglob("*.sql"))
HEADER = ["Answers", "Reads", "Takes", "Gives"]
# Statements that read rows and stand in Python: by their file and their beginning.
IN_PYTHON = {
    ("engines/spark/connection.py", "SELECT 1"),
    # The types, the rows, and a number of rows and a sum of digests, of a statement that is written already.
    ("engines/postgres/engine.py", "WITH given_rows AS ("),
    ("engines/postgres/engine.py", "WITH settled_rows AS ("),
    ("engines/postgres/engine.py", "INSERT INTO {}"),
    ("engines/postgres/rights.py", "SELECT ({})"),  # a right, as GRANT names it
    ("engines/postgres/engine.py", "SELECT count(*), CAST(sum({"),
}


def header_of(path: Path) -> str:
    """The comment at the head of a query."""
    match = re.match(r"(?:--.*\n)+", path.read_text(encoding="utf-8"))
    assert match, path
    return match[0]


def test_a_query_says_what_it_answers_reads_takes_and_gives() -> None:
    for path in QUERIES:
        header = header_of(path)
        assert re.findall(r"^-- ([A-Z][a-z]+): ", header, re.MULTILINE) == HEADER, path
        assert max(len(line) for line in header.splitlines()) <= 120, path


def test_a_query_names_the_tables_that_it_reads_and_its_parameters() -> None:
    for path in QUERIES:
        name = str(path.relative_to(ROOT / "queries").with_suffix(""))
        tree = template.load(name)
        words = set(re.findall(r"\$?\w+", header_of(path)))
        parameters = {
            f"${parameter.name}" for parameter in tree.find_all(exp.Parameter, exp.Placeholder) if parameter.name
        }
        assert parameters == {word for word in words if word.startswith("$")}, path
        assert template.holes(name).tables <= words, path


def test_names_that_stand_in_a_header_stand_in_the_statement() -> None:
    for path in QUERIES:
        said = header_of(path).replace("\n-- ", " ").partition("Reads:")[2]
        tree = template.load(path.relative_to(ROOT / "queries").with_suffix("").as_posix())
        identifiers = {node.name for node in tree.find_all(exp.Identifier, exp.Placeholder, exp.Anonymous)}
        names = set(re.findall(r"\b[a-z]+(?:_[a-z0-9]+)+\b", said))
        assert names <= identifiers, path


def texts(tree: ast.Module) -> Iterator[str]:
    """The texts of a module that are values, no docstrings; {} for what is put into them."""
    silent = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            silent.update(id(part) for part in node.values)
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in silent:
            yield node.value


def at_import(statements: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that run when a module is imported: not those of functions."""
    for statement in statements:
        if isinstance(statement, ast.ClassDef):
            yield from at_import(statement.body)
        elif not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            yield statement


def test_no_module_keeps_the_name_of_a_table_of_the_programs_own() -> None:
    # Such a name has no scope, so that two jobs on one connection would share the table.
    kept = []
    for path in sorted((ROOT / "kanon_sql").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        for statement in at_import(ast.parse(text).body) if "state(" in text else ():
            calls = [node.func for node in ast.walk(statement) if isinstance(node, ast.Call)]
            if any(ast.unparse(call) in ("state", "template.state") for call in calls):
                kept.append(f"{path.relative_to(ROOT)}:{statement.lineno}")
    assert not kept, f"call `state` where the name is used, not in the module: {kept}"


@pytest.mark.slow
def test_statements_that_read_or_change_rows_stand_in_queries() -> None:
    """Python holds statements that make, copy, move or drop a table or a file as a whole, and those listed."""
    for path in sorted((ROOT / "kanon_sql").rglob("*.py")):
        for text in texts(ast.parse(path.read_text(encoding="utf-8"))):
            if re.match(r"\s*(SELECT|WITH|INSERT|UPDATE|DELETE|MERGE|FROM)\s", text):
                name = str(path.relative_to(ROOT / "kanon_sql"))
                assert any(name == file and text.strip().startswith(start) for file, start in IN_PYTHON), (name, text)
