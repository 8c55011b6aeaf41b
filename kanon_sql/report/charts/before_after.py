"""Class sizes and risks, before and after: what `kanon-sql risk --json` prints, drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kanon_sql.report.charts.figure import Figure, Panel
from kanon_sql.report.charts.paired import Frame, Pair, draw_pairs_of_bars, legend

Json = Mapping[str, Any]

_KEYS = ("before", "after")


def draw_class_sizes(risk: Json, k: int, name: str = "class-sizes") -> Figure:
    """Shares of the rows by the size of their class, and the classes, before and after, each on one scale.

    A count or share that is None is one below `k` that is not told.
    """
    sides = _sides(risk)
    sizes = list(risk[sides[0]]["sizes"])
    bins = [{key: risk[key]["sizes"][place] for key in sides} for place in range(len(sizes))]
    below = sum(one["to"] < k for one in sizes)
    share = Frame("Rows in classes of this size", "% of the rows", False, below, f"below k = {k:,}")
    count = Frame("Classes of this size", "classes", True, below, f"below k = {k:,}")
    rows = [_pair(one, sides, "share", k) for one in bins]
    classes = [_pair(one, sides, "classes", k) for one in bins]
    shown = tuple(key == "before" for key in sides)
    panels = (
        Panel(
            "Rows by the size of their class",
            _alt(risk, sides),
            draw_pairs_of_bars(share, rows, shown),
        ),
        Panel(
            "Classes by size",
            _alt(risk, sides),
            draw_pairs_of_bars(count, classes, shown),
        ),
    )
    table = tuple(
        (size_text(one[sides[0]]), *(_count(one[key][what], k) for what in ("rows", "classes") for key in sides))
        for one in bins
    )
    head = ("rows in the class", *(f"{what} {key}" for what in ("rows", "classes") for key in sides))
    return Figure(
        name, "How many rows share their quasi-identifiers?", _alt(risk, sides), panels, _legend(sides), head, table
    )


def draw_risks(risk: Json, k: int, name: str = "risks") -> Figure:
    """The risks of prosecutor, journalist and marketer, the rows above the threshold and the unique ones."""
    sides = _sides(risk)
    shown = tuple(key == "before" for key in sides)
    risks = [_measure(risk, sides, label, path) for label, path in _RISKS if _is_there(risk, sides, path)]
    shares = [
        _measure(risk, sides, label.format(threshold=risk["threshold"]), path, 100)
        for label, path in _SHARES
        if _is_there(risk, sides, path)
    ]
    panels = (
        Panel("Risk", "", draw_pairs_of_bars(Frame("Risk of a row", "probability"), risks, shown)),
        Panel("Rows at risk", "", draw_pairs_of_bars(Frame("Rows at risk", "% of the rows"), shares, shown)),
    )
    table = tuple((pair.label, *(pair.texts[0 if before else 1] for before in shown)) for pair in (*risks, *shares))
    title = "How likely is somebody found?"
    return Figure(name, title, "", panels, _legend(sides), ("measure", *sides), table)


_RISKS = (
    ("prosecutor, highest", ("prosecutor", "highest")),
    ("prosecutor, average", ("prosecutor", "average")),
    ("journalist, highest", ("journalist", "highest")),
    ("journalist, average", ("journalist", "average")),
    ("marketer", ("marketer", "average")),
)
_SHARES = (
    ("prosecutor > {threshold:g}", ("prosecutor", "above", "share")),
    ("journalist > {threshold:g}", ("journalist", "above", "share")),
    ("unique", ("unique", "share")),
)


def size_text(one: Json) -> str:
    """A range of class sizes."""
    low, high = one["from"], one["to"]
    return f"{low:,}" if low == high else f"{low:,}\N{EN DASH}{high:,}"


def _sides(risk: Json) -> list[str]:
    return [key for key in _KEYS if risk.get(key) is not None]


def _legend(sides: Sequence[str]) -> tuple[Any, ...]:
    return legend("before: the source" if "before" in sides else "", "after: the release" if "after" in sides else "")


def _alt(risk: Json, sides: Sequence[str]) -> str:
    return "; ".join(f"{key}: {risk[key]['classes']['count']:,} classes" for key in sides)


def _count(count: int | None, k: int) -> str:
    return f"< {k:,}" if count is None else f"{count:,}"


def _pair(one: Mapping[str, Json], sides: Sequence[str], what: str, k: int) -> Pair:
    values = {key: one[key][what] for key in sides}
    if what == "share":
        values = {key: None if value is None else 100 * value for key, value in values.items()}
        texts = {key: f"< {k:,} rows" if value is None else f"{value:.1f} %" for key, value in values.items()}
    else:
        texts = {key: _count(value, k) for key, value in values.items()}
    return Pair(
        size_text(one[sides[0]]),
        values.get("before"),
        values.get("after"),
        (texts.get("before", ""), texts.get("after", "")),
    )


def _is_there(risk: Json, sides: Sequence[str], path: Sequence[str]) -> bool:
    return any(_found(risk[key], path) is not None for key in sides)


def _found(side: Json, path: Sequence[str]) -> float | None:
    found: Any = side
    for key in path:
        found = None if found is None else found[key]
    return None if found is None else float(found)


def _measure(risk: Json, sides: Sequence[str], label: str, path: Sequence[str], times: float = 1) -> Pair:
    values = {key: _found(risk[key], path) for key in sides}
    texts = {
        key: "\N{EN DASH}" if value is None else f"{100 * value:.2f} %" if times == 100 else f"{value:.4f}"
        for key, value in values.items()
    }
    scaled = {key: None if value is None else times * value for key, value in values.items()}
    return Pair(
        label, scaled.get("before"), scaled.get("after"), (texts.get("before", ""), texts.get("after", "\N{EN DASH}"))
    )
