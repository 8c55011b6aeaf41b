"""What `source.columns` says of texts, read in plain Python: nothing here is shared with the program."""

from __future__ import annotations

import re
from datetime import datetime
from decimal import Decimal
from typing import Any

Json = dict[str, Any]
INVALID = object()
ISO = "%Y-%m-%d"  # without a format, with both zeros
# Formats whose directives Python reads as the program does, but for zeros and signs that it lets pass.
SHAPES = {
    "%d.%m.%Y": r"\d{1,2}\.\d{1,2}\.\d{4}",
    "%Y%m%d": r"\d{8}",
    "%m/%d/%y": r"\d{1,2}/\d{1,2}/\d{2}",
    "%d %b %Y": r"\d{1,2} [A-Za-z]{3} \d{4}",
    "%d.%m.%Y %H:%M": r"\d{1,2}\.\d{1,2}\.\d{4} \d{1,2}:\d{1,2}",
    "%d.%m.%Y %I:%M:%S.%f %p": r"\d{1,2}\.\d{1,2}\.\d{4} \d{1,2}:\d{1,2}:\d{1,2}\.\d{1,6} [AaPp][Mm]",
    ISO: r"\d{4}-\d{2}-\d{2}",
}


def read(text: str | None, column: Json, missing: tuple[str, ...] = ("",)) -> Any:
    """The value of a text, None where it is missing by the column's own list, INVALID where it must be an error."""
    if text is None:
        return None

    def listed(text_missing: str) -> str:
        trimmed = text_missing.strip() if column.get("trim") else text_missing
        return str(getattr(trimmed, column.get("case") or "__str__")())

    recode, own = column.get("recode", {}), column.get("missing", [])
    value: Any = listed(text)
    if value in recode:
        value = None if recode[value] in own else recode[value]
    elif value in [listed(text_missing) for text_missing in own]:
        value = None
    elif column.get("case"):
        value = next((text_missing for text_missing in missing if listed(text_missing) == value), value)
    if value is None or value in missing or meant(value, column) is not None:
        return value
    return None if column.get("invalid") == "missing" else INVALID


def meant(value: str, column: Json) -> Any:
    """The number, moment or text that a value stands for, None where it is of another type."""
    kind = column.get("type", "text")
    if kind == "number":
        return number(value, column.get("decimal", "."), column.get("thousands"))
    if kind in ("date", "timestamp"):
        return moment(value, column.get("format", ISO))
    return value


def number(text: str, decimal: str, thousands: str | None) -> Decimal | None:
    whole, point, fraction = text.lstrip("+-").partition(decimal)
    if len(text) - len(text.lstrip("+-")) > 1 or not all(part == "" or ascii_digits(part) for part in (fraction,)):
        return None
    groups = whole.split(thousands) if thousands else [whole]
    if len(groups) > 1 and (not 1 <= len(groups[0]) <= 3 or any(len(group) != 3 for group in groups[1:])):
        return None
    digits = "".join(groups)
    if not (digits or (point and fraction)) or (digits and not ascii_digits(digits)):
        return None
    return Decimal(("-" if text.startswith("-") else "") + (digits or "0") + "." + (fraction or "0"))


def ascii_digits(text: str) -> bool:
    return re.fullmatch("[0-9]+", text) is not None


def moment(text: str, written: str) -> datetime | None:
    if not re.fullmatch(SHAPES[written], text, re.ASCII):
        return None
    try:
        return datetime.strptime(text, written)
    except ValueError:
        return None
