"""Hierarchies of cases: what the configuration says of one, and what each value becomes, computed here alone."""

from __future__ import annotations

import csv
import math
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any

from places import ROOT

Json = dict[str, Any]
ICD10 = {
    "E10.3": ("E10", "E10-E14", "E00-E90"),
    "E11": ("E11", "E10-E14", "E00-E90"),
    "I21.4": ("I21", "I20-I25", "I00-I99"),
    "J45": ("J45", "J40-J47", "J00-J99"),
    "E66": ("E66", "E65-E68", "E00-E90"),
}
SEXES = ["Female", "Male", "female", "male", "f", "m"]


@dataclass
class Tree:
    """A quasi-identifier's entry in the configuration, its files, and the words of each value from level 0 up."""

    entry: Json
    words: Mapping[str, Sequence[str]]
    top: int
    files: dict[str, bytes] = field(default_factory=dict)
    counted: bool = False  # made of the rows that take part: merge-rare

    def label(self, value: Any, level: int) -> Any:
        """What a value becomes; a missing one is `*` at the top, also where that is level 0."""
        if value is None:
            return "*" if level == self.top else None
        return value if level == 0 else self.words[text(value)][level]


def text(value: Any) -> str:
    """A value as CSV has it."""
    if isinstance(value, bool):
        return str(value).lower()
    return value.isoformat() if isinstance(value, date) else str(value)


def tree(draw: random.Random, kind: str, values: Sequence[Any], index: int) -> Tree:
    """A hierarchy that covers the values; None is not among them."""
    texts = sorted({text(value) for value in values})
    ways = ["suppress", "file", "file"] if kind != "double" else ["suppress"]
    if kind == "text":
        ways += ["prefix", "merge"]
    numbers = [number(word) for word in texts]
    if texts and all(value is not None and abs(value) < 10**13 for value in numbers) and kind != "date":
        ways += ["intervals"] * 4
    if texts and all(day(word) for word in texts):
        ways += ["date"] * 4
    makers = {
        "suppress": _suppress,
        "file": _file,
        "prefix": _prefix,
        "merge": _merge,
        "intervals": _intervals,
        "date": _date,
    }
    return makers[draw.choice(ways)](draw, texts, index)


def number(word: str) -> Decimal | None:
    """The number of a plain numeral."""
    try:
        value = Decimal(word.strip(" "))
    except InvalidOperation:
        return None
    return value if value.is_finite() and "_" not in word and word.isascii() else None


def day(word: str) -> date | None:
    """The date of a text in ISO 8601."""
    try:
        return date.fromisoformat(word) if len(word) == 10 else None
    except ValueError:
        return None


def _suppress(draw: random.Random, texts: list[str], index: int) -> Tree:
    return Tree({"builtin": "suppress"}, {word: (word, "*") for word in texts}, 1)


def _prefix(draw: random.Random, texts: list[str], index: int) -> Tree:
    keep = draw.choice([[3, 1], [4, 3, 2], [2], [1], [0], [5, 2]])
    words = {word: (word, *(word[:n] + "*" * len(word[n:]) for n in keep), "*") for word in texts}
    return Tree({"builtin": "prefix", "keep": keep}, words, len(keep) + 1)


def _merge(draw: random.Random, texts: list[str], index: int) -> Tree:
    below = draw.choice([[3], [2, 6], [5, 20]])
    rest = draw.choice(["Other", "rest", "x, y", "Ö"])
    entry: Json = {"builtin": "merge-rare", "below": below, **({} if rest == "Other" else {"other": rest})}
    return Tree(entry, {}, len(below) + 1, counted=True)


def merged(tree_below: Tree, values: Sequence[str | None], others: Sequence[str] = ()) -> Tree:
    """The words of merge-rare, which the rows that take part decide, for `others` too."""
    rows = Counter(value for value in values if value is not None)
    rest = tree_below.entry.get("other", "Other")
    words = {
        value: (value, *(value if rows[value] >= n else rest for n in tree_below.entry["below"]), "*")
        for value in {*rows, *others}
    }
    return Tree(tree_below.entry, words, tree_below.top)


def _intervals(draw: random.Random, texts: list[str], index: int) -> Tree:
    widths = draw.choice([[5, 10, 20], [10], [10, 50], [2, 4, 8, 16], [25]])
    entry: Json = {"builtin": "intervals", "widths": widths}
    origin = draw.choice([0, 0, 0, 1, -3])
    if origin:
        entry["origin"] = origin
    bottom, top = (draw.choice([None, None, n]) for n in (18, 80))
    entry |= {key: n for key, n in (("bottom", bottom), ("top", top)) if n is not None}
    numbers = {word: number(word) for word in texts}
    whole = all(value is not None and value == value.to_integral_value() for value in numbers.values())
    words = {
        word: (word, *_labels(n, widths, (origin, bottom, top), whole), "*")
        for word, n in numbers.items()
        if n is not None
    }
    return Tree(entry, words, len(widths) + 1)


def _labels(n: Decimal, widths: list[int], ends: tuple[int, int | None, int | None], whole: bool) -> list[str]:
    origin, bottom, top = ends
    labels = []
    for width in widths:
        low = origin + width * math.floor((n - origin) / width)
        high = low + width
        if bottom is not None and n < bottom:
            labels.append(f"<{bottom}")
            continue
        if top is not None and n >= top:
            labels.append(f">={top}")
            continue
        low = max(low, bottom) if bottom is not None else low
        high = min(high, top) if top is not None else high
        if whole:
            labels.append(f"{low}-{high - 1}")
        else:
            labels.append(f"[{low}, {high})")
    return labels


def _date(draw: random.Random, texts: list[str], index: int) -> Tree:
    levels = draw.choice(
        [["month", "year"], ["month", "year", "decade"], ["year", "century"], ["quarter", "year"], ["year"]]
    )
    forms: dict[str, Callable[[date], str]] = {
        "month": lambda d: f"{d:%m}",
        "quarter": lambda d: f"Q{(d.month + 2) // 3}",
        "year": lambda d: "",
        "decade": lambda d: "",
        "century": lambda d: "",
    }

    def label(at: date, level: str) -> str:
        if level in ("decade", "century"):
            span = 10 if level == "decade" else 100
            first = at.year // span * span
            return f"{first}-{first + span - 1}"  # without zeros before early years
        rest = forms[level](at)
        return f"{at.year:04d}" + (f"-{rest}" if rest else "")

    words = {word: (word, *(label(at, level) for level in levels), "*") for word in texts if (at := day(word))}
    return Tree({"builtin": "date", "levels": levels}, words, len(levels) + 1)


def _file(draw: random.Random, texts: list[str], index: int) -> Tree:
    """A file of levels or of pairs; values that the data lack may be in it, `*` on top may be left out."""
    height = draw.choice([0, 1, 1, 2, 2, 3])
    groups = [f"g{i} {draw.choice(['', 'a,b', 'é', chr(34), 'x'])}".strip() for i in range(max(1, len(texts) // 2))]
    spread = [word for word in texts if word]  # an empty text that needs a row gets it below, without a draw
    extra = [f"extra{i}" for i in range(draw.choice([0, 0, 1, 4]))]
    lines = []
    for word in [*spread, *extra, *([""] if draw.random() < 0.2 else [])]:
        at = draw.randrange(len(groups))
        ways = [groups[at], f"h{at // 2}", f"i{at // 4}"][:height]
        lines.append([word, *ways])
    if "" in texts and not any(line[0] == "" for line in lines):
        lines.append(["", *[groups[0], "h0", "i0"][:height]])
    if not lines:
        lines = [["none", *["g0", "h0", "i0"][:height]]]
    starred = draw.random() < 0.5
    if starred:
        lines = [[*line, "*"] for line in lines]
    complete = lines if len({line[-1] for line in lines}) == 1 else [[*line, "*"] for line in lines]
    if draw.random() < 0.1:
        lines.append(lines[0])
    name = f"h{index}.csv" if draw.random() < 0.8 else f"hier {index} é.csv"
    delimiter = draw.choice([",", ";", "\t"])
    words = {line[0]: line for line in complete}
    entry: Json = {"hierarchy": name}
    return Tree(entry, words, len(complete[0]) - 1, {name: table_bytes(lines, delimiter, draw.choice(["\n", "\r\n"]))})


def table_bytes(lines: Sequence[Sequence[str]], delimiter: str = ",", end: str = "\n") -> bytes:
    """CSV in UTF-8."""
    return "".join(record(line, delimiter, end=end, every=len(line) == 1) for line in lines).encode()


def record(line: Sequence[str], delimiter: str, quote: str = '"', end: str = "\n", *, every: bool = False) -> str:
    """A record of a CSV: Python's own writer puts no quotes around a lone carriage return."""
    odd = {delimiter, quote, "\r", "\n"}
    fields = [f"{quote}{cell.replace(quote, quote * 2)}{quote}" if every or odd & set(cell) else cell for cell in line]
    return delimiter.join(fields) + end


def ready(draw: random.Random, rows: int) -> tuple[str, list[str], Tree]:
    """(kind, values of a column, a hierarchy that is ready for them)."""
    way = draw.choice(["sex", "age", "icd10", "isco", "nace", "de-plz", "us-zip"])
    if way in ("sex", "age"):
        with (ROOT / "hierarchies" / f"{way}.csv").open(newline="", encoding="utf-8") as file:
            lines = {line[0]: line for line in csv.reader(file)}
        candidates = SEXES if way == "sex" else [str(n) for n in range(0, 121, 3)]
        known_values = [value for value in candidates if value in lines]
        return (
            way,
            [draw.choice(known_values) for _ in range(rows)],
            Tree({"hierarchy": way}, lines, len(lines[known_values[0]]) - 1),
        )
    values = {
        "icd10": list(ICD10),
        "isco": ["2211", "2212", "2221", "9112", "5120"],
        "nace": ["01.11", "01.12", "62.01", "62.02", "01.21"],
        "de-plz": ["10115", "10117", "01067", "80331"],
        "us-zip": ["02139", "02138", "94305", "10001"],
    }[way]
    rules: dict[str, Callable[[str], tuple[str, ...]]] = {
        "icd10": lambda v: (v, *ICD10[v], "*"),
        "isco": lambda v: (v, v[:3], v[:2], v[0], "*"),
        "nace": lambda v: (v, v[:4], v[:2], "A" if v[0] == "0" else "J", "*"),
        "de-plz": lambda v: (v, v[:3] + "**", v[:2] + "***", v[0] + "****", "*"),
        "us-zip": lambda v: (v, *(v[:n] + "*" * (5 - n) for n in (4, 3, 2, 1)), "*"),
    }
    lines_of = {value: rules[way](value) for value in values}
    entry: Json = {"hierarchy": way} if way == "us-zip" or draw.random() < 0.4 else {"builtin": way}
    return way, [draw.choice(values) for _ in range(rows)], Tree(entry, lines_of, len(lines_of[values[0]]) - 1)
