"""Texts of others, column names and file names first, as a terminal or JSON may be given them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from kanon_sql.errors import escape


def escaped(data: Any) -> Any:
    """JSON data with every text in it escaped, those that are keys too."""
    if isinstance(data, str):
        return escape(data)
    if isinstance(data, Mapping):
        return {escaped(key): escaped(value) for key, value in data.items()}
    return [escaped(entry) for entry in data] if isinstance(data, (list, tuple)) else data


def to_json(data: Any) -> str:
    """The text of JSON data; the bytes of a file's name that is no UTF-8 stand in it as escapes."""
    text = json.dumps(data, indent=1, ensure_ascii=False) + "\n"
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
