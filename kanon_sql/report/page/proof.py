"""The evidence as tables: files, hierarchies, counts that anybody can repeat, versions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kanon_sql.report.page.model import Evidence, FileFacts, PageFacts
from kanon_sql.report.page.texts import UNKNOWN, Table, count, plain, size

SALTED = "salted SHA-256"


@dataclass(frozen=True)
class File:
    """A table that was read or written: what is known of it, and its digest as a line of `sha256sum`."""

    what: str
    facts: tuple[tuple[str, str], ...]
    note: str


@dataclass(frozen=True)
class Again:
    """A statement that counts again, and the row that it gives as DuckDB prints it, its columns apart by commas."""

    title: str
    sql: str
    expected: str


@dataclass(frozen=True)
class Proof:
    """What the section says."""

    files: tuple[File, ...]
    recounts: tuple[Again, ...]
    hierarchies: Table | None
    run: Table


def lay_out(facts: PageFacts) -> Proof | None:
    """The evidence of a page; None where none was gathered."""
    found = facts.evidence
    if found is None:
        return None
    return Proof(
        files=(_file("Source", found.source), _file("Release", found.release)),
        recounts=tuple(Again(one.title, one.sql, _row(one.expected)) for one in found.recounts),
        hierarchies=_hierarchies(found),
        run=_run(facts, found),
    )


def _file(what: str, one: FileFacts) -> File:
    listed = [
        ("name", one.label),
        ("rows", "" if one.rows is None else count(one.rows)),
        ("size", "" if one.size is None else size(one.size)),
        ("SHA-256", one.sha256 or ""),
        (SALTED, one.salted or ""),
    ]
    return File(what, tuple((name, text) for name, text in listed if text), one.note or "")


def _row(values: Sequence[Any]) -> str:
    plain = {None: "NULL", True: "true", False: "false"}
    return ", ".join(plain[one] if one is None or isinstance(one, bool) else str(one) for one in values)


def _hierarchies(found: Evidence) -> Table | None:
    rows = tuple((one.column, one.origin, count(one.levels), one.digest) for one in found.hierarchies)
    return (
        Table("What values were generalized by", ("column", "from", "levels", SALTED), rows, (0, 1, 3))
        if rows
        else None
    )


def _run(facts: PageFacts, found: Evidence) -> Table:
    seconds = facts.report.get("seconds") or {}
    took = ", ".join(f"{name} {value:.2f}" for name, value in seconds.items())
    listed: Sequence[tuple[str, str]] = (
        *found.versions,
        *found.machine,
        ("seconds", took or UNKNOWN),
        *((f"ledger: {what}", text) for what, text in found.ledger),
    )
    return Table(
        "Versions, machine, time", ("what", "which"), tuple((what, plain(text)) for what, text in listed), (0, 1)
    )
