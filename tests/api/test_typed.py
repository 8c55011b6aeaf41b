"""Type checkers see the public functions from outside: what is right passes, what is wrong is found where it is."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from places import ROOT

CONSUMER = """
import pathlib

import duckdb
import kanon_sql
from kanon_sql.errors import KanonError

people = duckdb.connect().table("people")
result: kanon_sql.RunResult = kanon_sql.anonymize(people, ["age"], k=5, sensitive=["x"], limit="1%")
kanon_sql.anonymize("people.csv", {"age": "suppress", "b": None, "c": {"builtin": "suppress"}}, 5, progress=False)
kanon_sql.anonymize("people", ["age"], k=5, connection=duckdb.connect(), target="released")
kanon_sql.run({"privacy": {"k": 1}}, data=pathlib.Path("x.csv"), target=pathlib.Path("x.parquet"), progress=True)
relation: duckdb.DuckDBPyRelation = result.relation
with kanon_sql.run("c.yaml", data=people) as held:
    levels: dict[str, int] = held.levels
report: dict[str, object] = kanon_sql.check("c.yaml", people)
kanon_sql.anonymize(people, ["age"], k="5")  # wrong
kanon_sql.run("c.yaml", no_such_keyword=1)  # wrong
levels = held.released  # wrong
"""
WRONG = [number for number, line in enumerate(CONSUMER.splitlines(), 1) if line.endswith("# wrong")]


@pytest.mark.slow
@pytest.mark.tool
@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_a_consumer_is_checked(tmp_path: Path, checker: str) -> None:
    (tmp_path / "consumer.py").write_text(CONSUMER, encoding="utf-8")
    program = shutil.which(checker, path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")
    if program is None:
        pytest.skip(f"{checker} is not installed")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "MYPYPATH": str(ROOT)}
    if checker == "mypy":
        command = [program, "--strict", "--python-executable", sys.executable, "consumer.py"]
    else:
        command = [program, "--outputjson", "--pythonpath", sys.executable, "consumer.py"]
    done = subprocess.run(
        command, check=False, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300
    )
    if checker == "mypy":
        lines = [int(line) for line in re.findall(r"^consumer\.py:(\d+): error", done.stdout, re.MULTILINE)]
    else:
        diagnostics = json.loads(done.stdout)["generalDiagnostics"]
        lines = [
            diagnostic["range"]["start"]["line"] + 1 for diagnostic in diagnostics if diagnostic["severity"] == "error"
        ]
    assert sorted(set(lines)) == WRONG, done.stdout + done.stderr
