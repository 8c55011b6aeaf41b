"""Where the figures of long runs are kept: docs/reliability.json, and the tables of docs/reliability.md made of it."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from places import ROOT

KEPT = ROOT / "docs" / "reliability.json"
PAGE = ROOT / "docs" / "reliability.md"
PART = re.compile(r"<!-- (?!end)(\w+) -->\n.*?<!-- end -->", re.DOTALL)
NOTHING = "No long run is recorded yet.\n\n"
Json = dict[str, Any]


def recorded(part: str, kept: Path | None = None) -> Json:
    """What was recorded of a part before; empty at first."""
    entry: Json = _known(kept).get(part, {})
    return entry


def record(
    part: str,
    command: str,
    head: Sequence[str],
    rows: Sequence[Sequence[str | int]],
    state: Mapping[str, Any] | None = None,
    kept: Path | None = None,
) -> None:
    """Keeps the table of a part's long run, and writes it into the page.

    `command` repeats it. `state` is what a part that is run piece by piece needs to go on: seeds, counts. With another
    file than `KEPT` the page stays as it is.
    """
    entries = _known(kept)
    table = {"head": list(head), "rows": [list(row) for row in rows]}
    when = {"date": date.today().isoformat(), "commit": _commit(), "command": command}
    entries[part] = {**when, **table, **({"state": dict(state)} if state else {})}
    (kept or KEPT).write_text(json.dumps(entries, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    if kept is None and PAGE.exists():
        PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), entries), encoding="utf-8")


def page(text: str, entries: Mapping[str, Json]) -> str:
    """The page with the table of each part between `<!-- PART -->` and `<!-- end -->`."""

    def filled(place: re.Match[str]) -> str:
        entry = entries.get(place[1])
        return f"<!-- {place[1]} -->\n{_table(entry) if entry else NOTHING}<!-- end -->"

    return PART.sub(filled, text)


def _known(kept: Path | None) -> Json:
    path = kept or KEPT
    entries: Json = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return entries


def _table(entry: Json) -> str:
    ruled = ["---:" if _numeric(entry["rows"], index) else "---" for index in range(len(entry["head"]))]
    lines = [entry["head"], ruled, *entry["rows"]]
    said = f"`{entry['command']}`, {entry['date']}, of `{entry['commit']}`:\n\n"
    return said + "".join(f"| {' | '.join(_cell(cell) for cell in line)} |\n" for line in lines) + "\n"


def _numeric(rows: Sequence[Sequence[str | int]], index: int) -> bool:
    return all(isinstance(row[index], int) for row in rows)


def _cell(cell: str | int) -> str:
    return f"{cell:,}" if isinstance(cell, int) else cell


def _commit() -> str:
    command = ["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "an unknown commit"
