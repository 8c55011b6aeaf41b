"""Writes docs/one_run.md: the statements of one run on five rows, each with what it gives.

python scripts/one_run.py; a test compares the page with what this would write.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from textwrap import indent, wrap
from typing import Any
from unittest.mock import patch

from sqlglot import exp

import kanon_sql
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine, Row

PAGE = Path(__file__).parent.parent / "docs" / "one_run.md"
ROWS = """\
age,region,diagnosis
34,north,flu
36,north,asthma
45,south,flu
47,south,diabetes
81,south,gout
"""
CONFIG = """\
source: people.csv
target: release.csv
quasi_identifiers:
  age: {builtin: intervals, widths: [10, 20]}
  region: {builtin: suppress}
sensitive: [diagnosis]
privacy: {k: 2}
suppression: {limit: 20%}
release: {order: none}
"""
HEAD = """\
# One run, statement by statement

What `kanon-sql run` asks DuckDB, in its order, with what comes of it. Everything here was executed: the page is written
by `scripts/one_run.py`, and a test compares it. The rows, `people.csv`, and the configuration:

```text
{rows}```

```text
{config}```

Two rows each in their thirties and forties, and somebody of 81: with *k* = 2 and one row in five that may be left out,
ages go to intervals of ten years, regions stay, and the last row is suppressed.

Columns of the source have the keys `c0`, `c1` ...; each quasi-identifier has a number, 0 and 1. A text in front of a
statement is the head of its file in `queries/`. Where a file serves both quasi-identifiers, its first statement stands
here. `read_csv('people.csv')` is short for a call with the types and the format that were found. Before all that the
connection is given its bounds (`SET threads`, `SET memory_limit`) and locked: it reads and writes the two files, no
other, and loads no extension.
"""
# The sections: what stands before the first statement of each, and the folders or files whose statements are in it.
SECTIONS = {
    "1. Rows are counted": (
        "The only pass over the source before the release where that is a file; the rest reads distinct combinations.",
        ("frequency/raw_frequency",),
    ),
    "2. Mapping tables": (
        "What each value becomes at each level of its hierarchy. The top is `*`; a missing value has code 0.",
        ("hierarchy/builtin", "hierarchy/interval_whole", "hierarchy/sizes", "hierarchy/mapping", "type"),
    ),
    "3. The frequency table": (
        "Values become codes. From here on the search reads numbers, one row a distinct combination.",
        ("frequency/", "hierarchy/uncovered"),
    ),
    "4. The search": (
        "A node of the lattice is a level for each quasi-identifier; whether it satisfies is one GROUP BY. What is "
        "known of one node settles others, and bounds on the loss leave out most.",
        ("search/",),
    ),
    "5. The release": (
        "The classes that are suppressed, then the one statement that reads the source again and writes the file, at "
        "first beside its place.",
        ("release/suppressed_classes", "copy"),
    ),
    "6. What was written is verified": (
        "The file is read back and counted by statements that share nothing with the search; only then it is moved to "
        "its place.",
        ("recount", "release/verify"),
    ),
}


@dataclass(frozen=True)
class Statement:
    """A statement as it was executed, the file that it is from, and what it gave: its rows, or those of its table."""

    file: str
    sql: str
    columns: Sequence[str]
    rows: Sequence[Row]


@contextmanager
def recorded() -> Iterator[list[Statement]]:
    """The statements that engines run in the block."""
    statements: list[Statement] = []
    query, run = Engine.query, Engine.run
    files: list[str] = []

    def spoken(self: Engine, name: template.Statement, **holes: Any) -> list[Row]:
        files.append(name if isinstance(name, str) else name.name)
        return query(self, name, **holes)

    def run_recorded(self: Engine, statement: exp.Expr | str, values: Mapping[str, Any] | None = None) -> list[Row]:
        rows = shown = run(self, statement, values)
        sql = statement if isinstance(statement, str) else template.text(statement)
        created = re.match(r"CREATE OR REPLACE TEMPORARY TABLE (\S+)", sql)
        if created:
            shown = self.connection.execute(f"FROM {created[1]} ORDER BY ALL").fetchall()
        columns = [name for name, *_ in self.connection.description or []]
        for name, value in sorted((values or {}).items(), reverse=True):
            sql = sql.replace(f"${name}", exp.convert(value).sql(dialect="duckdb"))
        statements.append(Statement(files.pop() if files else _kind(sql), sql, columns, shown))
        return rows

    with patch.object(Engine, "query", spoken), patch.object(Engine, "run", run_recorded):
        yield statements


def _kind(sql: str) -> str:
    starts = {"COPY": "copy", "CREATE OR REPLACE TEMPORARY TYPE": "type", 'WITH "table_rows"': "recount"}
    return next((kind for start, kind in starts.items() if sql.startswith(start)), "")


def page() -> str:
    """The text of the page."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "people.csv").write_text(ROWS, encoding="utf-8")
        Path(folder, "config.yaml").write_text(CONFIG, encoding="utf-8")
        before = Path.cwd()
        os.chdir(folder)
        try:
            with recorded() as statements:
                kanon_sql.run("config.yaml", advice=False)
            release = Path("release.csv").read_text(encoding="utf-8")
        finally:
            os.chdir(before)
    left = [statement for statement in statements if statement.file]
    parts = [HEAD.format(rows=ROWS, config=CONFIG)]
    for title, (text, wanted) in SECTIONS.items():
        parts.append(f"\n## {title}\n\n{_wrapped(text)}\n")
        mine = [statement for statement in left if statement.file.startswith(wanted)]
        left = [statement for statement in left if statement not in mine]
        files = [statement.file for statement in mine]
        parts += [
            _shown(statement, files.count(statement.file))
            for i, statement in enumerate(mine)
            if statement.file not in files[:i]
        ]
    parts.append(f"\n`release.csv` holds:\n\n```text\n{release}```\n")
    return "".join(parts)


def _shown(statement: Statement, times: int) -> str:
    head = ""
    if "/" in statement.file:
        text = (template.queries_folder() / f"{statement.file}.sql").read_text(encoding="utf-8")
        answers = (
            " ".join(re.findall(r"^-- (.*)", text, re.MULTILINE)).partition("Answers: ")[2].partition(" Reads: ")[0]
        )
        often = f" Executed {times} times." if times > 1 else ""
        head = f"\n{_wrapped(f'[`{statement.file}`](../queries/{statement.file}.sql): {answers}{often}')}\n"
    return f"{head}\n```sql\n{_pretty(statement.sql)}\n```\n{_table(statement)}"


def _wrapped(text: str) -> str:
    return "\n".join(wrap(text, 120, break_long_words=False, break_on_hyphens=False))


def _pretty(sql: str) -> str:
    enum = re.fullmatch(r"(CREATE OR REPLACE TEMPORARY TYPE .* AS ENUM)\((.*)\)", sql)
    if enum:
        return f"{enum[1]} (\n{indent(_pretty(enum[2]), '  ')}\n)"
    tree = template.parse(sql)
    for call in list(tree.find_all(exp.ReadCSV)):
        path = str(call.find(exp.Literal))
        name = "people.csv" if "people" in path else "release.csv"
        call.replace(exp.Anonymous(this="read_csv", expressions=[exp.Literal.string(name)]))
    if isinstance(tree, exp.Copy):
        tree.set("files", [exp.Literal.string("release.csv")])
    return tree.sql(dialect="duckdb", pretty=True)


def _table(statement: Statement) -> str:
    if not statement.rows or statement.file == "copy":
        return ""
    lines = [statement.columns, ["---"] * len(statement.columns), *statement.rows]
    return "\n" + "".join(f"| {' | '.join(map(_cell, line))} |\n" for line in lines)


def _cell(value: object) -> str:
    return "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value).replace("*", "\\*")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
