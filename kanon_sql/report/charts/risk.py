"""Class sizes and risks, before and after: what `kanon-sql risk --json` prints, drawn.

Class sizes and risks, before and after: `risk --plot FILE.html`, `FILE.svg` or `FILE.png`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from kanon_sql.report.charts.diagram import clean
from kanon_sql.report.charts.figure import Figure, LegendEntry, Panel, page
from kanon_sql.report.charts.paired import Frame, Pair, Track, dot_legend, draw_dumbbells, draw_pairs_of_bars, legend
from kanon_sql.report.charts.sheet import draw_sheet
from kanon_sql.report.charts.svg import decimal_top
from kanon_sql.report.charts.sweep import write_drawing

Json = Mapping[str, Any]

_KEYS = ("before", "after")
_RISKS = (
    ("prosecutor risk, highest", ("prosecutor", "highest")),
    ("prosecutor risk, average", ("prosecutor", "average")),
    ("journalist risk, highest", ("journalist", "highest")),
    ("journalist risk, average", ("journalist", "average")),
    ("risk by weights, highest", ("weighted", "highest")),
    ("risk by weights, average", ("weighted", "average")),
    ("marketer risk", ("marketer", "average")),
)
_SHARES = (
    ("prosecutor risk above {threshold:g}", ("prosecutor", "above")),
    ("journalist risk above {threshold:g}", ("journalist", "above")),
    ("risk by weights above {threshold:g}", ("weighted", "above")),
    ("alone in their class (unique)", ("unique",)),
)
_DASH = "\N{EN DASH}"
_NOT_TOLD = "not told"
_LEAST_RISK = 1e-9


def draw_class_sizes(risk: Json, k: int, name: str = "class-sizes", words: str = "") -> Figure:
    """Shares of the rows by the size of their class, and the classes, before and after, each on one scale.

    A line divides the classes below `k` from the others; `words` stand beside it in place of "k = 5". A count
    or share that is None is not told.
    """
    sides = _sides(risk)
    bins = [{key: risk[key]["sizes"][place] for key in sides} for place in range(len(risk[sides[0]]["sizes"]))]
    line = _place_of(k, [bucket[sides[0]] for bucket in bins])
    shown = tuple(key == "before" for key in sides)
    words = words or f"k = {k:,}"
    share = Frame("Rows in classes of this size", "% of the rows", False, line, words)
    count = Frame("Classes of this size", "classes", True, line, words)
    alt = _smallest(risk, sides, k)
    panels = (
        Panel(
            "Rows by the size of their class",
            f"For each size of class, the share of the rows that are in such classes. {alt}",
            draw_pairs_of_bars(share, [_share_pair(bucket, sides) for bucket in bins], shown),
        ),
        Panel(
            "Classes by size",
            f"For each size of class, the number of such classes. {alt}",
            draw_pairs_of_bars(count, [_class_pair(bucket, sides) for bucket in bins], shown),
        ),
    )
    columns = (("rows", "rows"), ("%", "share"), ("classes", "classes"))
    table = tuple(
        (size_text(bucket[sides[0]]), *(_cell(bucket[key], what) for _, what in columns for key in sides))
        for bucket in bins
    )
    head = ("rows in the class", *(f"{words} {key}" for words, _ in columns for key in sides))
    title = "How many rows share their quasi-identifiers?"
    return Figure(name, title, alt, panels, _legend(sides), head, table)


def draw_risks(risk: Json, name: str = "risks") -> Figure:
    """The risks of prosecutor, journalist and marketer, the rows above the threshold and the unique ones.

    A count, share or risk that is None is not told.
    """
    sides = _sides(risk)
    threshold = risk["threshold"]
    risks = [_risk_pair(risk, sides, label, path) for label, path in _RISKS if _is_there(risk, sides, path)]
    shares = [
        _rows_pair(risk, sides, label.format(threshold=threshold), path)
        for label, path in _SHARES
        if _is_there(risk, sides, path)
    ]
    values = [value for pair in risks for value in (pair.before, pair.after) if value]
    low = min([*values, 0.1])
    track = Track(
        "Risk of a row, by what the attacker knows",
        "probability, log scale",
        max(low, _LEAST_RISK),
        1.0,
        True,
        threshold,
        f"threshold {threshold:g}",
    )
    high = max([value for pair in shares for value in (pair.before, pair.after) if value] or [1.0])
    rows = Track("Rows at risk", "% of the rows", 0.0, decimal_top(high))
    alt = _likely(risk, sides)
    panels = (
        Panel("Risk of a row", alt, draw_dumbbells(track, risks)),
        Panel(
            "Rows at risk",
            f"Share of the rows whose risk is above {threshold:g}, and of those that are unique.",
            draw_dumbbells(rows, shares),
        ),
    )
    dots = dot_legend([key == "before" for key in sides])
    table = tuple(
        (pair.label, *(pair.texts[_KEYS.index(key)] for key in sides))
        for pair in (*risks, *(Pair(f"rows {p.label}", p.before, p.after, p.texts) for p in shares))
    )
    return Figure(name, "How likely is somebody found?", alt, panels, dots, ("measure", *sides), table)


def size_text(bucket: Json) -> str:
    """A range of class sizes."""
    low, high = bucket["from"], bucket["to"]
    return f"{low:,}" if low == high else f"{low:,}{_DASH}{high:,}"


def _sides(risk: Json) -> list[str]:
    return [key for key in _KEYS if risk.get(key) is not None]


def _legend(sides: Sequence[str]) -> tuple[LegendEntry, ...]:
    return legend("before: the source" if "before" in sides else "", "after: the release" if "after" in sides else "")


def _place_of(k: int, sizes: Sequence[Json]) -> float | None:
    """How many of the rows of the drawing lie below k; a part of the one that holds k."""
    for place, bucket in enumerate(sizes):
        if k <= bucket["to"]:
            return float(place + max(k - bucket["from"], 0) / (bucket["to"] - bucket["from"] + 1))
    return None


def _smallest(risk: Json, sides: Sequence[str], k: int) -> str:
    """The smallest class of each side, as a sentence."""
    smallest = {key: risk[key]["classes"]["min"] for key in sides}
    words = {key: f"fewer than {k:,} rows" if n is None else _rows(n) for key, n in smallest.items()}
    if len(sides) == 2:
        return f"The smallest class of the source has {words['before']}, that of the release {words['after']}."
    return f"The smallest class has {words[sides[0]]}."


def _rows(count: int) -> str:
    return f"{count:,} row" if count == 1 else f"{count:,} rows"


def _likely(risk: Json, sides: Sequence[str]) -> str:
    """The highest and the average risk of each side, as a sentence."""
    words = {"before": " in the source", "after": " in the release"} if len(sides) == 2 else {}
    risks = {
        what: " and ".join(f"{_probability(risk[key]['prosecutor'][what])}{words.get(key, '')}" for key in sides)
        for what in ("highest", "average")
    }
    return (
        "For somebody who knows that a person is in the table, the probability to find the one at most risk is "
        f"{risks['highest']}; the mean over all rows is {risks['average']}."
    )


def _probability(value: float | None) -> str:
    return _NOT_TOLD if value is None else f"{value:.3g}"


def _count(count: int | None) -> str:
    return _NOT_TOLD if count is None else f"{count:,}"


def _cell(entry: Json, what: str) -> str:
    """A count, or a share in percent, of the table."""
    value = entry[what]
    return _count(value) if value is None or what != "share" else f"{100 * value:.2f}"


def _percent(share: float | None, digits: int) -> str:
    if share is None:
        return _NOT_TOLD
    return f"{100 * share:.{digits}f} %" if share else "0"


def _share_pair(bucket: Mapping[str, Json], sides: Sequence[str]) -> Pair:
    shares = {key: bucket[key]["share"] for key in sides}
    texts = {key: _percent(share, 1) for key, share in shares.items()}
    values = {key: None if share is None else 100 * share for key, share in shares.items()}
    lines = [f"classes of {size_text(bucket[sides[0]])} rows"]
    lines += [f"{key}: {_count(bucket[key]['rows'])} rows, {texts[key]}" for key in sides]
    return _pair(size_text(bucket[sides[0]]), values, texts, "\n".join(lines))


def _class_pair(bucket: Mapping[str, Json], sides: Sequence[str]) -> Pair:
    counts = {key: bucket[key]["classes"] for key in sides}
    texts = {key: _count(count) for key, count in counts.items()}
    lines = [f"classes of {size_text(bucket[sides[0]])} rows", *(f"classes {key}: {texts[key]}" for key in sides)]
    return _pair(size_text(bucket[sides[0]]), counts, texts, "\n".join(lines))


def _pair(label: str, values: Mapping[str, float | None], texts: Mapping[str, str], tip: str = "") -> Pair:
    return Pair(
        label, values.get("before"), values.get("after"), (texts.get("before", ""), texts.get("after", "")), tip
    )


def _is_there(risk: Json, sides: Sequence[str], path: Sequence[str]) -> bool:
    return any(_found(risk[key], path[:1]) is not None for key in sides)


def _found(side: Json, path: Sequence[str]) -> Any:
    value: Any = side
    for key in path:
        value = None if value is None else value.get(key)
    return value


def _risk_pair(risk: Json, sides: Sequence[str], label: str, path: Sequence[str]) -> Pair:
    values = {key: _found(risk[key], path) for key in sides}
    there = {key: _found(risk[key], path[:1]) is not None for key in sides}
    untold = {key: _NOT_TOLD if there[key] else _DASH for key in sides}
    texts = {key: untold[key] if value is None else _short(value) for key, value in values.items()}
    return _pair(label, values, texts)


def _short(value: float) -> str:
    return f"{value:.4f}" if value >= 0.001 or not value else f"{value:.2g}"


def _rows_pair(risk: Json, sides: Sequence[str], label: str, path: Sequence[str]) -> Pair:
    """The share of the rows; a dash where it was not measured."""
    there = {key: _found(risk[key], path) for key in sides}
    shares = {key: None if there_side is None else there_side["share"] for key, there_side in there.items()}
    texts = {key: _DASH if there[key] is None else _percent(share, 2) for key, share in shares.items()}
    values = {key: None if share is None else 100 * share for key, share in shares.items()}
    return _pair(label, values, texts)


__all__ = ["draw_html", "draw_svg", "size_text", "write_risk_plot"]

_COLUMNS = 2
_MOST_SHARES = 5  # columns that are named with what they add to the scores of special uniques


def write_risk_plot(path: Path, data: Json) -> None:
    """Writes the drawing that the suffix asks for. Raises ConfigurationError or EngineError as write_drawing does."""
    write_drawing(path, data, draw_svg, draw_html)


def draw_html(data: Json) -> str:
    """What `risk --json` prints as a page that needs nothing else: figures, and their numbers side by side."""
    return page(_title(data), _figures(data), _notes(data))


def draw_svg(data: Json) -> str:
    """What `risk --json` prints as a self-contained SVG file, without the numbers."""
    sizes, risks = _figures(data)
    legend = [replace(key, words=words) for key, words in zip(sizes.legend, _tables(data), strict=True)]
    return draw_sheet(_title(data), legend, (*sizes.panels, *risks.panels), _COLUMNS)


def _figures(data: Json) -> tuple[Figure, Figure]:
    """The sizes, with a line between the classes whose rows are above the threshold and the others; the risks."""
    threshold = data["threshold"]
    safe = math.ceil(1 / threshold - 1e-9)
    words = f"above this line: prosecutor risk above {threshold:g}"
    return draw_class_sizes(data, safe, words=words), draw_risks(data)


def _title(data: Json) -> str:
    return f"Class sizes and risk of {clean(data['before']['table'])}"


def _notes(data: Json) -> list[str]:
    sides = [data[key] for key in ("before", "after") if data[key] is not None]
    return [
        f"{words}; quasi-identifiers {', '.join(side['quasi_identifiers'])}"
        f"{_weighted(side)}{_uniqueness(side)}{_special(side)}"
        for words, side in zip(_tables(data), sides, strict=True)
    ]


def _uniqueness(side: Json) -> str:
    """The estimate for the population, as words that follow."""
    estimate = side["population_uniqueness"]
    if estimate is None:
        return ""
    size = round(estimate["population_size"])
    return f"; {100 * estimate['dankar']:.2f} % of {size:,} persons estimated to be unique in the population (Dankar)"


def _weighted(side: Json) -> str:
    """The risk by weights, as words that follow."""
    weights = side.get("weighted")
    if weights is None:
        return ""
    return f"; {weights['reidentifications']:,.1f} rows are expected to be found again, by the weights of the rows"


def _special(side: Json) -> str:
    """What is said of the special uniques of one table, where they were looked for."""
    special = side.get("special_uniques")
    if special is None:
        return ""
    shares = sorted(special["columns"].items(), key=lambda entry: -entry[1])
    most = ", ".join(f"{name} {100 * share:.0f} %" for name, share in shares[:_MOST_SHARES] if share)
    return (
        f"; {special['rows']:,} rows hold minimal sample uniques of up to {special['size']} columns"
        f"{f', their scores by columns: {most}' if most else ''}"
    )


def _tables(data: Json) -> list[str]:
    """Each table with its rows, and with a word where there are two."""
    keys = [key for key in ("before", "after") if data[key] is not None]
    return [
        f"{f'{key}: ' if len(keys) > 1 else ''}{clean(data[key]['table'])}, {data[key]['rows']['measured']:,} rows"
        for key in keys
    ]
