"""What the pages of the documentation list, and the keys of a report to compare them with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def rows(text: str) -> dict[str, str]:
    """The lines of the tables in a text by the first code in them."""
    return {match[1]: match[0] for match in re.finditer(r"^\| `([^`]+)`.*\|$", text, re.MULTILINE)}


def sections(page: Path) -> dict[str, str]:
    """The text under each heading, blocks left out."""
    text = re.sub(r"^```.*\n(?:.*\n)*?```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    parts = re.split(r"^#+ (.*)$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


_BY_COLUMN = (
    "levels.",
    "rows_by_level.",
    "attributes.",
    "labels.",
    "change.",
    "configuration.",
    "utility.",
    "treatments.",
)


def leaves(data: Any, path: str = "") -> Iterator[str]:
    """The keys of a report; what is listed by column is one key."""
    if isinstance(data, dict) and not path.endswith(_BY_COLUMN):
        for key, value in data.items():
            yield from leaves(value, f"{path}{key}.")
    elif isinstance(data, list) and data and isinstance(data[0], dict) and not path.endswith("ties."):
        yield from leaves(data[0], f"{path[:-1]}[].")
    else:
        yield path[:-1]
