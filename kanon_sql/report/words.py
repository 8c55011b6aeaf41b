"""Numbers and other facts in the words of pages, drawings and summaries."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime
from typing import Any

UNKNOWN = "\N{EN DASH}"
NOT_TOLD = "not told"  # for it would tell of few rows of the source
_UNITS = ("bytes", "kB", "MB", "GB", "TB")


def count(value: int | None, fewer_than: int | None = None) -> str:
    """A whole number with separators; None is one that is not told since it is small, where that is so, else unknown.

    `fewer_than` is the k below which counts are not told.
    """
    if value is None:
        return UNKNOWN if fewer_than is None else f"< {fewer_than}"
    return f"{value:,}"


def counted(value: int | None, singular: str, more: str | None = None, *, fewer_than: int | None = None) -> str:
    """A count and what is counted: "1 row", "5 rows"."""
    return f"{count(value, fewer_than)} {singular if value == 1 else more or singular + 's'}"


def percent(share: float | None, digits: int = 1) -> str:
    """A share in percent; never 0 or 100 % for what is not quite so."""
    if share is None:
        return UNKNOWN
    text, least = f"{100 * share:.{digits}f}", 10**-digits
    if share > 0 and float(text) == 0:
        return f"< {least:g} %"
    if share < 1 and float(text) == 100:
        return f"> {100 - least:g} %"
    return f"{text.rstrip('0').rstrip('.') if float(text) in (0, 100) else text} %"


def fixed(value: float | None, digits: int) -> str:
    """A measure with so many decimals."""
    return UNKNOWN if value is None else f"{value:,.{digits}f}"


def decimal(value: float | None, digits: int = 3) -> str:
    """A measure that is no share; 0 only for what is exactly so."""
    if value is None:
        return UNKNOWN
    if value == 0:
        return "0"
    if not math.isfinite(value):
        return "no bound"
    text, least = f"{value:,.{digits}f}", 10**-digits
    return f"< {least:g}" if value > 0 and float(text.replace(",", "")) == 0 else text


def chance(value: float | None) -> str:
    """A probability that is a highest one, in words behind it: "0.0833 (at most 1 in 12)"."""
    written = decimal(value, 4)
    # 1 / 49 * 49 is less than 1 for a computer.
    one_in = math.floor(1 / value + 1e-6) if value else 0
    return f"{written} (at most 1 in {one_in:,})" if one_in > 1 else written


def plain(value: Any) -> str:
    """A threshold, or what was reached, as the configuration writes it."""
    if value is None:
        return "no bound"
    if isinstance(value, dict):
        return f"{plain(value['min'])} to {plain(value['max'])}"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def size(value: int | None) -> str:
    """The size of a file in bytes, and in a unit that is read at a glance."""
    if value is None:
        return UNKNOWN
    scaled, unit = float(value), 0
    while scaled >= 999.5 and unit < len(_UNITS) - 1:
        scaled, unit = scaled / 1000, unit + 1
    exact = counted(value, "byte")
    return exact if unit == 0 else f"{scaled:.3g} {_UNITS[unit]} ({exact})"


def moment(created: str | None) -> str:
    """A time of ISO 8601 as people write it, to the minute, with its zone; as it stands where it is none."""
    if not created:
        return "time not recorded"
    try:
        moment = datetime.fromisoformat(created.replace("Z", "+00:00"))
    except ValueError:
        return created
    zone = moment.tzname() or ""
    return f"{moment.day} {moment:%B %Y, %H:%M} {zone}".rstrip()


def joined(words: Sequence[str]) -> str:
    """Words in a sentence: "a, b and c"."""
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)
