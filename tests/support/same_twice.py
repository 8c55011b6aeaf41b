"""The same table in other orders and files, and what has to be the same of it."""

from __future__ import annotations

import csv
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

Json = dict[str, Any]
HEADER = ("age", "zip", "sex", "pay", "illness")

# What says when, where and from which files a report came, or how long it took.
_OF_THE_RUN = (
    "created",
    "seconds",
    "source",
    "target",
    "configuration",
    "release",
    "sha256",
    "folder",
    "path",
    "table",
)


def draw(seed: int, rows: int) -> list[list[str]]:
    """A table with many rows alike, some of them in all but one column, and values missing."""
    chance = random.Random(seed)
    return [
        [
            chance.choice(["", *map(str, range(20, 32))]),
            chance.choice(["02138", "02139", "02141", "03755", "03756"]),
            chance.choice(["m", "w", "w"]),
            f"{chance.choice([0.1, 0.2, 0.3, 1.7, 12.5])}",
            chance.choice(["flu", "cold", "cough", "fever"]),
        ]
        for _ in range(rows)
    ]


def ways(folder: Path, rows: Sequence[Sequence[str]], seed: int) -> Iterator[tuple[Path, int]]:
    """Files of the same rows, with a number of threads each: twice the same, in another order, in several files."""
    _write(folder / "a.csv", rows)
    yield folder / "a.csv", 1
    yield folder / "a.csv", 3
    shuffled = random.Random(seed).sample(list(rows), len(rows))
    _write(folder / "b.csv", shuffled)
    yield folder / "b.csv", 2
    for part in range(3):
        _write(folder / "parts" / f"{part}.csv", shuffled[part::3])
    yield folder / "parts" / "*.csv", 3


def without_times(report: Any) -> Any:
    """A report without what may differ from run to run."""
    if isinstance(report, dict):
        return {key: without_times(value) for key, value in report.items() if key not in _OF_THE_RUN}
    return [without_times(part) for part in report] if isinstance(report, (list, tuple)) else report


def bag(path: Path) -> Counter[tuple[str, ...]]:
    """The rows of a file, in no order."""
    with path.open(newline="", encoding="utf-8") as file:
        return Counter(map(tuple, csv.reader(file)))


def _write(path: Path, rows: Sequence[Sequence[str]]) -> None:
    path.parent.mkdir(exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([HEADER, *rows])


def differences(left: Any, right: Any, place: str = "") -> Iterator[str]:
    """Where two of what was told differ."""
    if isinstance(left, dict) and isinstance(right, dict):
        for key in sorted({*left, *right}, key=str):
            yield from differences(left.get(key), right.get(key), f"{place}.{key}")
    elif isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)) and len(left) == len(right):
        for number, pair in enumerate(zip(left, right, strict=True)):
            yield from differences(*pair, f"{place}[{number}]")
    elif left != right:
        yield f"{place}: {left!r} and {right!r}"
