"""Class sizes and risks, before and after: what `kanon-sql risk --json` prints, drawn.

Class sizes and risks, before and after: `risk --plot FILE.html`, `FILE.svg` or `FILE.png`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from kanon_sql.report.charts.diagram import clean
from kanon_sql.report.charts.figure import Figure, LegendEntry, Panel, page
from kanon_sql.report.charts.paired import Frame, Pair, Track, dot_legend, draw_dumbbells, draw_pairs_of_bars, legend
from kanon_sql.report.charts.sheet import draw_sheet
from kanon_sql.report.charts.svg import decimal_top
from kanon_sql.report.charts.sweep import write_drawing
from kanon_sql.report.words import UNKNOWN, counted

if TYPE_CHECKING:
    from kanon_sql.results.risk import RiskReport, Side, TableRisk
    from kanon_sql.results.told import ToldBin, ToldRisk, ToldShare, ToldTable, ToldTables

_KEYS: tuple[Side, ...] = ("before", "after")
_FIGURES: tuple[Literal["highest"], Literal["average"]] = ("highest", "average")
_COUNTS: tuple[Literal["rows"], Literal["classes"]] = ("rows", "classes")
_Risk = Callable[["ToldTable"], "ToldRisk | None"]
_RISKS: tuple[tuple[str, _Risk], ...] = (
    ("prosecutor risk", lambda table: table["prosecutor"]),
    ("journalist risk", lambda table: table["journalist"]),
    ("risk by weights", lambda table: table.get("weighted")),
)
_NOT_TOLD = "not told"
_LEAST_RISK = 1e-9


def draw_class_sizes(risk: ToldTables, k: int, name: str = "class-sizes", words: str = "") -> Figure:
    """Shares of the rows by the size of their class, and the classes, before and after, each on one scale.

    A line divides the classes below `k` from the others; `words` stand beside it in place of "k = 5". A count
    or share that is None is not told.
    """
    sides = _sides(risk)
    first = next(iter(sides))
    bins = [{key: table["sizes"][place] for key, table in sides.items()} for place in range(len(sides[first]["sizes"]))]
    line = _place_of(k, sides[first]["sizes"])
    shown = tuple(key == "before" for key in sides)
    words = words or f"k = {k:,}"
    share = Frame("Rows in classes of this size", "% of the rows", False, line, words)
    count = Frame("Classes of this size", "classes", True, line, words)
    alt = _smallest(sides, k)
    panels = (
        Panel(
            "Rows by the size of their class",
            f"For each size of class, the share of the rows that are in such classes. {alt}",
            draw_pairs_of_bars(share, [_share_pair(bucket) for bucket in bins], shown),
        ),
        Panel(
            "Classes by size",
            f"For each size of class, the number of such classes. {alt}",
            draw_pairs_of_bars(count, [_class_pair(bucket) for bucket in bins], shown),
        ),
    )
    table = tuple((size_text(bucket[first]), *_cells(bucket)) for bucket in bins)
    head = ("rows in the class", *(f"{words} {key}" for words in ("rows", "%", "classes") for key in sides))
    title = "How many rows share their quasi-identifiers?"
    return Figure(name, title, alt, panels, _legend(sides), head, table)


def draw_risks(risk: ToldTables, name: str = "risks") -> Figure:
    """The risks of prosecutor, journalist and marketer, the rows above the threshold and the unique ones.

    A count, share or risk that is None is not told.
    """
    sides = _sides(risk)
    threshold = risk["threshold"]
    measured = {
        label: {key: of(table) for key, table in sides.items()}
        for label, of in _RISKS
        if any(of(table) is not None for table in sides.values())
    }
    risks = [
        _risk_pair(
            f"{label}, {what}", {key: None if entry is None else (entry[what],) for key, entry in entries.items()}
        )
        for label, entries in measured.items()
        for what in _FIGURES
    ]
    marketer = {key: table["marketer"] for key, table in sides.items()}
    if any(entry is not None for entry in marketer.values()):
        averages = {key: None if entry is None else (entry["average"],) for key, entry in marketer.items()}
        risks.append(_risk_pair("marketer risk", averages))
    shares = [
        _rows_pair(
            f"{label} above {threshold:g}",
            {key: None if entry is None else entry["above"] for key, entry in entries.items()},
        )
        for label, entries in measured.items()
    ]
    shares.append(_rows_pair("alone in their class (unique)", {key: table["unique"] for key, table in sides.items()}))
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
    alt = _likely(sides)
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


def size_text(bucket: ToldBin) -> str:
    """A range of class sizes."""
    low, high = bucket["from"], bucket["to"]
    return f"{low:,}" if low == high else f"{low:,}\N{EN DASH}{high:,}"


def _sides(risk: ToldTables) -> dict[Side, ToldTable]:
    return {key: table for key in _KEYS if (table := risk.get(key)) is not None}


def _legend(sides: Collection[Side]) -> tuple[LegendEntry, ...]:
    return legend("before: the source" if "before" in sides else "", "after: the release" if "after" in sides else "")


def _place_of(k: int, sizes: Sequence[ToldBin]) -> float | None:
    """How many of the rows of the drawing lie below k; a part of the one that holds k."""
    for place, bucket in enumerate(sizes):
        if k <= bucket["to"]:
            return float(place + max(k - bucket["from"], 0) / (bucket["to"] - bucket["from"] + 1))
    return None


def _smallest(sides: Mapping[Side, ToldTable], k: int) -> str:
    """The smallest class of each side, as a sentence."""
    smallest = {key: table["classes"]["min"] for key, table in sides.items()}
    words = {key: f"fewer than {k:,} rows" if n is None else counted(n, "row") for key, n in smallest.items()}
    if len(sides) == 2:
        return f"The smallest class of the source has {words['before']}, that of the release {words['after']}."
    return f"The smallest class has {next(iter(words.values()))}."


def _likely(sides: Mapping[Side, ToldTable]) -> str:
    """The highest and the average risk of each side, as a sentence."""
    words = {"before": " in the source", "after": " in the release"} if len(sides) == 2 else {}
    risks = {
        what: " and ".join(
            f"{_probability(table['prosecutor'][what])}{words.get(key, '')}" for key, table in sides.items()
        )
        for what in _FIGURES
    }
    return (
        "For somebody who knows that a person is in the table, the probability to find the one at most risk is "
        f"{risks['highest']}; the mean over all rows is {risks['average']}."
    )


def _probability(value: float | None) -> str:
    return _NOT_TOLD if value is None else f"{value:.3g}"


def _count(count: int | None) -> str:
    return _NOT_TOLD if count is None else f"{count:,}"


def _cells(bucket: Mapping[Side, ToldBin]) -> list[str]:
    """The numbers of the table: rows, their shares in percent, classes."""
    bins = bucket.values()
    rows, classes = ([_count(entry[what]) for entry in bins] for what in _COUNTS)
    shares = [_NOT_TOLD if (share := entry["share"]) is None else f"{100 * share:.2f}" for entry in bins]
    return [*rows, *shares, *classes]


def _percent(share: float | None, digits: int) -> str:
    if share is None:
        return _NOT_TOLD
    return f"{100 * share:.{digits}f} %" if share else "0"


def _share_pair(bucket: Mapping[Side, ToldBin]) -> Pair:
    shares = {key: entry["share"] for key, entry in bucket.items()}
    texts = {key: _percent(share, 1) for key, share in shares.items()}
    values = {key: None if share is None else 100 * share for key, share in shares.items()}
    size = size_text(next(iter(bucket.values())))
    lines = [f"classes of {size} rows"]
    lines += [f"{key}: {_count(entry['rows'])} rows, {texts[key]}" for key, entry in bucket.items()]
    return _pair(size, values, texts, "\n".join(lines))


def _class_pair(bucket: Mapping[Side, ToldBin]) -> Pair:
    counts = {key: entry["classes"] for key, entry in bucket.items()}
    texts = {key: _count(count) for key, count in counts.items()}
    size = size_text(next(iter(bucket.values())))
    lines = [f"classes of {size} rows", *(f"classes {key}: {texts[key]}" for key in counts)]
    return _pair(size, counts, texts, "\n".join(lines))


def _pair(label: str, values: Mapping[Side, float | None], texts: Mapping[Side, str], tip: str = "") -> Pair:
    return Pair(
        label, values.get("before"), values.get("after"), (texts.get("before", ""), texts.get("after", "")), tip
    )


def _risk_pair(label: str, entries: Mapping[Side, tuple[float | None] | None]) -> Pair:
    """A risk, None in it where it is not told; a dash where it was not measured."""
    values = {key: None if entry is None else entry[0] for key, entry in entries.items()}
    untold = {key: UNKNOWN if entry is None else _NOT_TOLD for key, entry in entries.items()}
    texts = {key: untold[key] if value is None else _short(value) for key, value in values.items()}
    return _pair(label, values, texts)


def _short(value: float) -> str:
    return f"{value:.4f}" if value >= 0.001 or not value else f"{value:.2g}"


def _rows_pair(label: str, entries: Mapping[Side, ToldShare | None]) -> Pair:
    """The share of the rows; a dash where it was not measured."""
    shares = {key: None if entry is None else entry["share"] for key, entry in entries.items()}
    texts = {key: UNKNOWN if entry is None else _percent(entry["share"], 2) for key, entry in entries.items()}
    values = {key: None if share is None else 100 * share for key, share in shares.items()}
    return _pair(label, values, texts)


__all__ = ["draw_html", "draw_svg", "size_text", "write_risk_plot"]

_COLUMNS = 2
_MOST_SHARES = 5  # columns that are named with what they add to the scores of special uniques


def write_risk_plot(path: Path, data: RiskReport) -> None:
    """Writes the drawing that the suffix asks for. Raises ConfigurationError or EngineError as write_drawing does."""
    write_drawing(path, data, draw_svg, draw_html)


def draw_html(data: RiskReport) -> str:
    """What `risk --json` prints as a page that needs nothing else: figures, and their numbers side by side."""
    return page(_title(data), _figures(data), _notes(data))


def draw_svg(data: RiskReport) -> str:
    """What `risk --json` prints as a self-contained SVG file, without the numbers."""
    sizes, risks = _figures(data)
    legend = [replace(key, words=words) for key, words in zip(sizes.legend, _tables(data), strict=True)]
    return draw_sheet(_title(data), legend, (*sizes.panels, *risks.panels), _COLUMNS)


def _figures(data: RiskReport) -> tuple[Figure, Figure]:
    """The sizes, with a line between the classes whose rows are above the threshold and the others; the risks."""
    threshold = data["threshold"]
    safe = math.ceil(1 / threshold - 1e-9)
    words = f"above this line: prosecutor risk above {threshold:g}"
    return draw_class_sizes(data, safe, words=words), draw_risks(data)


def _title(data: RiskReport) -> str:
    return f"Class sizes and risk of {clean(data['before']['table'])}"


def _notes(data: RiskReport) -> list[str]:
    sides = [data["before"], *([] if data["after"] is None else [data["after"]])]
    return [
        f"{words}; quasi-identifiers {', '.join(side['quasi_identifiers'])}"
        f"{_weighted(side)}{_uniqueness(side)}{_special(side)}"
        for words, side in zip(_tables(data), sides, strict=True)
    ]


def _uniqueness(side: TableRisk) -> str:
    """The estimate for the population, as words that follow."""
    estimate = side["population_uniqueness"]
    if estimate is None:
        return ""
    size = round(estimate["population_size"])
    return f"; {100 * estimate['dankar']:.2f} % of {size:,} persons estimated to be unique in the population (Dankar)"


def _weighted(side: TableRisk) -> str:
    """The risk by weights, as words that follow."""
    weights = side.get("weighted")
    if weights is None:
        return ""
    return f"; {weights['reidentifications']:,.1f} rows are expected to be found again, by the weights of the rows"


def _special(side: TableRisk) -> str:
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


def _tables(data: RiskReport) -> list[str]:
    """Each table with its rows, and with a word where there are two."""
    before, after = data["before"], data["after"]
    if after is None:
        return [_table(before)]
    return [f"before: {_table(before)}", f"after: {_table(after)}"]


def _table(side: TableRisk) -> str:
    return f"{clean(side['table'])}, {side['rows']['measured']:,} rows"
