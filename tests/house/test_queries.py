"""SQL stands in queries/, and each of its files says what it answers, reads, takes and gives."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from places import ROOT

QUERIES = sorted((ROOT / "queries").rglob("*.sql"))
HEADER = ["Answers", "Reads", "Takes", "Gives"]
# Rooms whose queries have no header of that form yet.
WITHOUT_HEADER = {path.relative_to(ROOT / "queries").parts[0] for path in QUERIES} - {"privacy"}
# Statements that read rows and stand in Python: by their file and their beginning.
IN_PYTHON = {
    # What PostgreSQL knows of a column, a table, a transaction and a session; no rows of anybody.
    ("engines/postgres/engine.py", "SELECT attribute.attname"),
    ("engines/postgres/engine.py", "SELECT namespace.nspname"),
    ("engines/postgres/target.py", "SELECT CAST(pg_current_xact_id()"),
    ("engines/spark/connection.py", "SELECT 1"),
    # A number of rows and a sum of digests around a statement that is written already.
    ("engines/postgres/engine.py", "SELECT count(*), CAST(sum({"),
}


def test_a_query_says_what_it_answers_reads_takes_and_gives() -> None:
    for path in QUERIES:
        if path.relative_to(ROOT / "queries").parts[0] not in WITHOUT_HEADER:
            header = re.match(r"(?:--.*\n)+", path.read_text(encoding="utf-8"))
            assert header, path
            assert re.findall(r"^-- ([A-Z][a-z]+): ", header[0], re.MULTILINE) == HEADER, path
            assert max(len(line) for line in header[0].splitlines()) <= 120, path


def texts(tree: ast.Module) -> Iterator[str]:
    """The texts of a module that are values, no docstrings; {} for what is put into them."""
    silent = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            silent.update(id(part) for part in node.values)
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in silent:
            yield node.value


def test_statements_that_read_or_change_rows_stand_in_queries() -> None:
    """Python holds statements that make, copy, move or drop a table or a file as a whole, and those listed."""
    for path in sorted((ROOT / "kanon_sql").rglob("*.py")):
        for text in texts(ast.parse(path.read_text(encoding="utf-8"))):
            if re.match(r"\s*(SELECT|WITH|INSERT|UPDATE|DELETE|MERGE|FROM)\s", text):
                name = str(path.relative_to(ROOT / "kanon_sql"))
                assert any(name == file and text.strip().startswith(start) for file, start in IN_PYTHON), (name, text)
