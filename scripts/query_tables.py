"""Writes docs/tables.md: the tables of searches and measures of many statements, and who writes and reads each.

python scripts/query_tables.py; a test compares the page with what this would write.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sqlglot import exp

from kanon_sql.sql import template

PAGE = Path(__file__).parent.parent / "docs" / "tables.md"
FOLDERS = {
    "search/local": "Local recoding",
    "search/microaggregation": "Microaggregation",
    "measures/link": "Linking two releases",
    "measures/utility": "Utility",
    "measures/attack": "Attacks",
}
HEAD = """\
# Tables of the long searches and measures

Who writes and who reads each table of the folders that work in many statements, taken from the statements and from the
heads of their files: `scripts/query_tables.py` writes this page, a test compares it. Names are those of the files.
Where one file serves several tables, the program puts another name there: `half_above` is `above_a` and `above_b` in
turn. What no file writes, the program copies or empties as a whole, or it comes from outside the folder.
"""


@dataclass
class Usage:
    """A table: its columns and what it is, as heads say, the files that write it and those that read it."""

    columns: str = ""  # as a file that writes it gives them
    columns_read: str = ""  # the most that a file reads
    meaning: str = ""
    answers: str = ""  # what a file that writes it answers
    writers: list[str] = field(default_factory=list)
    readers: list[str] = field(default_factory=list)


def usages(folder: str) -> dict[str, Usage]:
    """The tables of a folder of queries, by name."""
    tables: dict[str, Usage] = defaultdict(Usage)
    root = template.queries_folder()
    for path in sorted((root / folder).rglob("*.sql")):
        name = path.relative_to(root).with_suffix("").as_posix()
        file = path.relative_to(root / folder).with_suffix("").as_posix()
        head, tree = _head(path), template.load(name)
        written, read = _written(tree), _read(tree)
        if written:
            table = tables[written]
            table.writers.append(file)
            table.columns = max(table.columns, _columns(head["Gives"]), key=len)
            table.answers = table.answers or head["Answers"].partition(". ")[0].rstrip(".")
        for table_read in sorted(read):
            tables[table_read].readers.append(file)
        for names, meaning, columns in _entries(head["Reads"]):
            for table_read in names & read:
                tables[table_read].meaning = tables[table_read].meaning or meaning
                tables[table_read].columns_read = max(tables[table_read].columns_read, columns, key=len)
    return dict(sorted(tables.items()))


def _head(path: Path) -> dict[str, str]:
    """The parts of a file's head, by their names."""
    text = " ".join(re.findall(r"^-- (.*)", path.read_text(encoding="utf-8"), re.MULTILINE))
    parts = re.split(r"(?:^| )(Answers|Reads|Takes|Gives): ", text)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def _written(tree: exp.Expr) -> str | None:
    if not isinstance(tree, (exp.Create, exp.Insert)):
        return None
    target = tree.this.find(exp.Table)
    return target.name if target else None


def _read(tree: exp.Expr) -> set[str]:
    """The tables that a statement reads: all but its own and those that it names in WITH."""
    own = {subquery.alias for subquery in tree.find_all(exp.CTE)}
    body = tree.expression if isinstance(tree, (exp.Create, exp.Insert)) else tree
    return {source.name for source in body.find_all(exp.Table) if source.name} - own


def _columns(gives: str) -> str:
    """The columns in a text such as `the table members (part, cell)`."""
    match = re.search(r"\(([^)]*)\)", gives)
    return match[1] if match else ""


def _entries(reads: str) -> list[tuple[set[str], str, str]]:
    """Names, meaning and columns of tables in a text such as `cells, tuples (cell); a and b, each a half (label).`"""
    entries = []
    for entry in re.split(r"; (?![^(]*\))", reads.rstrip(".")):
        names, _, meaning = entry.partition(", ")
        entries.append((set(names.split(" and ")), re.sub(r" \([^)]*\)$", "", meaning), _columns(entry)))
    return entries


def page() -> str:
    """The text of the page."""
    parts = [HEAD]
    for folder, title in FOLDERS.items():
        tables = usages(folder)
        parts.append(f"\n## {title}\n\n[`queries/{folder}`](../queries/{folder})\n\n")
        parts.append("| table | what it is | columns | written by | read by |\n|---|---|---|---|---|\n")
        parts += [_line(name, usage) for name, usage in tables.items()]
    return "".join(parts)


def _line(name: str, usage: Usage) -> str:
    meaning, columns = usage.meaning or usage.answers, usage.columns or usage.columns_read
    cells = [f"`{name}`", meaning, columns, _files(usage.writers), _files(usage.readers)]
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n"


def _files(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "-"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
