"""The figures of `kanon-sql utility` as people read them in a terminal."""

from __future__ import annotations

from typing import Any

from kanon_sql.cli.parts import table
from kanon_sql.report.charts.diagram import clean

Json = dict[str, Any]

MOST_PAIRS = 15
_MEASURES = {
    "pearson": "correlation",
    "correlation_ratio": "correlation ratio",
    "cramers_v": "Cram\N{LATIN SMALL LETTER E WITH ACUTE}r's V",
}
_NONE = "\N{EN DASH}"


def summarize_utility(data: Json) -> str:
    """The distances of the columns, the pairs whose association changed most, the errors of queries, and the rest."""
    parts = [f"what the release is still good for\n\n{_columns(data['columns'])}", *_treated(data["columns"])]
    if data["pairs"]:
        parts.append(_pairs(data["pairs"]))
    if data["prediction"]:
        parts.append(_prediction(data["prediction"]))
    parts.append("\n".join(_others(data)))
    return "\n\n".join(parts)


def _columns(columns: Json) -> str:
    rows = [
        [clean(name), _number(one["total_variation"]), _number(one["earth_mover"])] for name, one in columns.items()
    ]
    return table(["column", "total variation", "earth mover's distance"], rows, text=0)


def _treated(columns: Json) -> list[str]:
    """Which values treated columns are compared with."""
    said = {"untreated": "the values before their treatments", "treated": "the treated values, for want of others"}
    named = {key: [clean(name) for name, one in columns.items() if one.get("compared_with") == key] for key in said}
    lines = [f"{', '.join(names)}: compared with {said[key]}" for key, names in named.items() if names]
    return ["\n".join(lines)] if lines else []


def _pairs(pairs: list[Json]) -> str:
    """The pairs that changed most, the largest change first."""
    by_change = sorted(pairs, key=lambda one: -abs(one["source"] - one["release"]))
    rows = [
        [
            _number(one["source"]),
            _number(one["release"]),
            _MEASURES[one["measure"]],
            ", ".join(map(clean, one["columns"])),
        ]
        for one in by_change[:MOST_PAIRS]
    ]
    what = "association of columns in the source and in the release"
    if len(pairs) > MOST_PAIRS:
        what += f", the {MOST_PAIRS} of {len(pairs)} pairs that changed most"
    return f"{what}\n{table(['source', 'release', 'measure', 'columns'], rows, text=(2, 3))}"


def _prediction(prediction: Json) -> str:
    rows = [
        [clean(name), *(_number(one[key]) for key in ("source", "release", "guessing"))]
        for name, one in prediction.items()
    ]
    return (
        f"share of rows whose value is predicted rightly\n{table(['', 'source', 'release', 'guessing'], rows, text=0)}"
    )


def _others(data: Json) -> list[str]:
    queries, pmse = data["queries"], data["pmse"]
    lines = []
    if queries is not None:
        median, p95 = (100 * queries[f"{name}_relative_error"] for name in ("median", "p95"))
        said = f"half are wrong by at most {median:.1f} %, 95 % by at most {p95:.1f} %"
        lines.append(f"counting queries  {queries['count']}: {said}")
    if pmse is not None:
        lines.append(f"pMSE              {pmse:.4f} (0: nothing tells both apart)")
    return lines


def _number(value: float | None) -> str:
    return _NONE if value is None else f"{value:.4f}"
