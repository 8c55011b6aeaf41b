"""Names and values that break programs, for cases of trials.making."""

from __future__ import annotations

import math
import random
import string
from datetime import date, timedelta
from typing import Any

NAMES = [
    'a"b', "a'b", "a.b", "a b", " blank ", "a;b", "a,b", "a[b]", "a(b)", "x]", '"', "'", ";", "--", "/* x */", "a\\b",
    "select", "from", "order", "group", "table", "null", "NULL", "rowid", "c0", "c1", "n", "code", "value", "label",
    "rows", "size", "key", "position", "*", "?", "%s", "$1", "{x}", "a\tb", "é", "e\u0301", "ß", "名前", "نام", "😀",
    "a\u202eb", "column0", "x_lower", "x_upper", "id", "1", "1e3", "true", "~", "- a", "#a", "a: b", "a|b", "!x", "a`b",
    "kanon_sql", "source", "target", "l0", "level0", "q0", "s0", "count(*)", "a\u00a0b", "$$", "@a", "a\u2028b", "=1+1",
    "x" * 200, "ä" * 120, "filename", "file_row_number", "excluded", "rank", "row", "struct", "left", "weight", "tuple",
]  # fmt: skip
TEXTS = [
    "", " ", "  ", "\t", "a b", " a", "a ", "\"", "\"\"", "'", "''", "a,b", "a;b", "a|b", "a\tb", "a\nb", "a\r\nb",
    "\r", "NULL", "null", "\\N", "None", "nan", "NaN", "inf", "-inf", "Infinity", "*", "**", "?", "-", "0", "-0",
    "-0.0", "007", "7", "1e3", "1000", "1000.0", "+5", ".5", "5.", "0x10", "true", "false", "TRUE", "2020-02-29",
    "2021-02-29", "0001-01-01", "9999-12-31", "=1+1", "+1", "@x", "-x", "=HYPERLINK(\"x\")", "\u00e9", "e\u0301",
    "\u00df", "ss", "SS", "\u0130", "\u0131", "A", "a", "\u200b", "\u202e", "\ufeff", "\u00a0", "\U0001f600",
    "\U0001f469\U0000200d\U0001f469\U0000200d\U0001f467", "\u05e9\u05dc\u05d5\u05dd",
    "\u0645\u0631\u062d\u0628\u0627", "\u540d", "\x01", "\x1b[31m", "\\", "\\\\", "\\0", "%00", "{}", "[]", "{a, b}",
    "a}b", "1-2", "2020-01-01/2020-02-01", " or missing", "<b>", "&", "x" * 300, "$1", "${HOME}", "Other", "#", "--",
    "/*", "a\u0300\u0301", "\x7f", "\u0085", "\u2028", "DROP TABLE x",
]  # fmt: skip
TAME = ["alpha", "beta", "gamma", "delta", "eps", "zeta", "eta", "theta"]
FIRST, LAST = date(1, 1, 1), date(9999, 12, 31)


def names(draw: random.Random, count: int, hostile: float, *, taken: tuple[str, ...] = ()) -> list[str]:
    """So many names that differ by more than case."""
    chosen: list[str] = []
    folded = {name.casefold() for name in taken}
    while len(chosen) < count:
        candidate = draw.choice(NAMES) if draw.random() < hostile else f"col_{len(chosen)}"
        if candidate.casefold() not in folded and candidate.lower() not in {name.lower() for name in folded}:
            folded.add(candidate.casefold())
            chosen.append(candidate)
    return chosen


def word(draw: random.Random) -> str:
    """A text that stands nowhere by chance."""
    return "zq" + "".join(draw.choice(string.ascii_lowercase) for _ in range(10))


def pool(draw: random.Random, kind: str, size: int, hostile: float) -> list[Any]:
    """So many values of a kind, all different."""
    makers = {"text": _text, "integer": _integer, "double": _double, "date": _date, "boolean": _boolean}
    values: dict[str, Any] = {}
    for _ in range(size * 20):
        value = makers[kind](draw, hostile)
        values.setdefault(str(value), value)
        if len(values) >= size:
            break
    return list(values.values())


def _text(draw: random.Random, hostile: float) -> str:
    if draw.random() < hostile:
        return draw.choice(TEXTS)
    return draw.choice(TAME) if draw.random() < 0.7 else word(draw)


def _integer(draw: random.Random, hostile: float) -> int:
    if draw.random() < hostile / 2:
        return draw.choice([0, -1, 2**31, -(2**31), 10**12, -5, 120])
    return draw.randint(0, 99)


def _double(draw: random.Random, hostile: float) -> float:
    if draw.random() < hostile / 2:
        return draw.choice([-0.0, 0.1, 1e-7, 1e15, -3.25, 1e300, 5e-324, math.inf, math.nan])
    return draw.randint(0, 400) / 4


def _date(draw: random.Random, hostile: float) -> date:
    if draw.random() < hostile / 3:
        return draw.choice([FIRST, LAST, date(1970, 1, 1), date(2000, 2, 29), date(1582, 10, 10), date(999, 1, 1)])
    return date(2015, 1, 1) + timedelta(days=draw.randint(0, 2500))


def _boolean(draw: random.Random, hostile: float) -> bool:
    return draw.random() < 0.5


def drawn(draw: random.Random, values: list[Any], rows: int, missing: float) -> list[Any]:
    """A column of them: even, skewed, all equal or all different as far as they go."""
    shape = draw.random()
    if shape < 0.08:
        return [values[0]] * rows
    if shape < 0.16:
        return [values[i % len(values)] for i in range(rows)]
    even = [draw.choice(values) for _ in range(rows)]
    skewed = [values[int(len(values) * draw.random() ** 3)] for _ in range(rows)]
    chosen = even if shape < 0.5 else skewed
    return [None if draw.random() < missing else value for value in chosen]
