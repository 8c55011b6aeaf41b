"""Texts of eight dialects, kept once: the one of PostgreSQL as a whole, of the others the lines that differ.

`CASE.postgres.sql` is a text; `CASE.dialects` says how the others are made from it, one from another. `== DIALECT`
begins one of them; `@ 13 15` says that lines 13 and 14 of the text before it, counted from 1, are those that follow.
Where names stand in backticks these and quotes are exchanged before lines are compared.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import SequenceMatcher
from pathlib import Path

WHOLE = "postgres"
# Each dialect with the one that it differs from in the fewest lines; those that others are made from stand first.
MADE_FROM = {
    "trino": "postgres",
    "snowflake": "trino",
    "spark": "trino",
    "databricks": "spark",
    "bigquery": "spark",
    "redshift": "postgres",
    "duckdb": "postgres",
}
BACKTICKS = {"spark", "databricks", "bigquery"}
_EXCHANGED = str.maketrans('`"', '"`')


def lines_of(dialect: str, text: str) -> list[str]:
    return (text.translate(_EXCHANGED) if dialect in BACKTICKS else text).split("\n")


def text_of(dialect: str, lines: list[str]) -> str:
    text = "\n".join(lines)
    return text.translate(_EXCHANGED) if dialect in BACKTICKS else text


def differences(before: list[str], after: list[str]) -> list[str]:
    """What makes `after` of `before`."""
    changes = []
    for kind, start, end, first, last in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind != "equal":
            changes += [f"@ {start + 1} {end + 1}", *after[first:last]]
    return changes


def applied(before: list[str], changes: list[str]) -> list[str]:
    lines: list[str] = []
    at = 0
    for line in changes:
        if line.startswith("@ "):
            start, end = (int(word) - 1 for word in line.split()[1:])
            lines += before[at:start]
            at = end
        else:
            lines.append(line)
    return lines + before[at:]


def read_golden(folder: Path, case: str) -> dict[str, str]:
    """The text of every dialect."""
    lines = {WHOLE: (folder / f"{case}.{WHOLE}.sql").read_text(encoding="utf-8").split("\n")}
    changes: dict[str, list[str]] = {}
    for line in (folder / f"{case}.dialects").read_text(encoding="utf-8").split("\n")[:-1]:
        if line.startswith("== "):
            changes[line.removeprefix("== ")] = []
        else:
            changes[list(changes)[-1]].append(line)
    assert list(changes) == list(MADE_FROM)
    for dialect, base in MADE_FROM.items():
        lines[dialect] = applied(lines[base], changes[dialect])
    return {dialect: text_of(dialect, lines_of_dialect) for dialect, lines_of_dialect in lines.items()}


def write_golden(folder: Path, case: str, texts: Mapping[str, str]) -> None:
    """Keeps the texts; what is read back is what was written."""
    lines = {dialect: lines_of(dialect, text) for dialect, text in texts.items()}
    kept = []
    for dialect, base in MADE_FROM.items():
        kept += [f"== {dialect}", *differences(lines[base], lines[dialect])]
    (folder / f"{case}.{WHOLE}.sql").write_text(texts[WHOLE], encoding="utf-8")
    (folder / f"{case}.dialects").write_text("\n".join(kept) + "\n", encoding="utf-8")
    assert read_golden(folder, case) == dict(texts)
