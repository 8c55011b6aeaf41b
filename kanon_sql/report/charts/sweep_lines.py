"""What a sweep shows, in tables and drawings alike: the measures with their texts, and the lines of points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kanon_sql.report.charts.diagram import clean, number

Json = Mapping[str, Any]

_STATUS = {"no-release": "no release", "timed-out": "timed out"}
_MOST_LISTED = 12


@dataclass(frozen=True)
class Measure:
    """A column of the table, and a panel of the drawing; `log` lets its axis be logarithmic."""

    key: str
    head: str
    title: str
    unit: str
    digits: int
    log: bool = False

    def text(self, point: Json) -> str:
        """The value of a point as everybody sees it; empty where there is none."""
        value = point[self.key]
        return "" if value is None else number(value, self.digits)


LOSS = Measure("ncp", "loss %", "Loss", "NCP, % of the worst", 2)
C_AVG = Measure("c_avg", "C_AVG", "Class size", "C_AVG: average class / k", 3, log=True)
CLASSES = Measure("classes", "classes", "Classes", "number", 0, log=True)
SUPPRESSED = Measure("suppressed", "suppressed", "Suppressed rows", "number", 0)
SECONDS = Measure("seconds", "seconds", "Search time", "seconds", 3, log=True)

TABLE = (CLASSES, C_AVG, LOSS, SUPPRESSED, SECONDS)
HEAD = ("series", "k", "limit", *(measure.head for measure in TABLE))


@dataclass(frozen=True)
class Line:
    """Points that belong together, by k; the name tells them from the other lines."""

    name: str
    points: tuple[Json, ...]


def cells(point: Json) -> list[str]:
    """A point as a row of the table; one without a release says so under the classes."""
    found = [measure.text(point) for measure in TABLE]
    if point["status"] != "released":
        found[0] = _STATUS[point["status"]]
    return [clean(point["series"]), f"{point['k']:,}", limit_text(point["limit"]), *found]


def limit_text(limit: int | str) -> str:
    """A number of rows with separators, a share as it is."""
    return f"{limit:,}" if isinstance(limit, int) else limit


def lines_of(data: Json) -> list[Line]:
    """One line for each series and limit; limits that make no difference to a series are one line."""
    lines = []
    for series in data["series"]:
        merged: list[tuple[list[str], list[Json]]] = []
        for limit in data["limits"]:
            own = [p for p in data["points"] if p["series"] == series["name"] and p["limit"] == limit]
            same = next((limits for limits, points in merged if _agree(points, own)), None)
            if own and same is not None:
                same.append(limit_text(limit))
            elif own:
                merged.append(([limit_text(limit)], own))
        for limits, points in merged:
            name = clean(series["name"])
            several = f"{name}, limit {' or '.join(limits)}"
            lines.append(Line(several if len(merged) > 1 else name, tuple(points)))
    return lines


def _agree(points: Sequence[Json], others: Sequence[Json]) -> bool:
    """Whether they are the same searches: then the seconds agree as well."""
    asked = ("limit", "limit_rows", "problem")
    first, second = ([{k: v for k, v in p.items() if k not in asked} for p in some] for some in (points, others))
    return first == second


def title_of(data: Json) -> str:
    """What was swept."""
    configurations = list(dict.fromkeys(clean(one["configuration"].strip("<>")) for one in data["series"]))
    ks, limits = [f"{k:,}" for k in data["k"]], list(map(limit_text, data["limits"]))
    return f"{_listed(configurations)}: k = {_listed(ks)}, suppression limit {_listed(limits)}"


def _listed(texts: Sequence[str]) -> str:
    if len(texts) > _MOST_LISTED:
        return f"{texts[0]} to {texts[-1]} ({len(texts)})"
    return " and ".join(filter(None, (", ".join(texts[:-1]), texts[-1])))
