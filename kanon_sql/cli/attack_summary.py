"""The figures of `kanon-sql attack` as people read them in a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kanon_sql.cli.parts import Facts, Grid, Line, Look, Parts
from kanon_sql.report.charts.attack import attack_rows
from kanon_sql.report.charts.diagram import clean

Json = Mapping[str, Any]

_NONE = "\N{EN DASH}"


def summarize_attack(data: Json) -> Parts:
    """One row an attack: how often it succeeds, blindly, on the control group, and the risk with its interval."""
    entries = attack_rows(data)
    rows = [[name, *_cells(one)] for name, one in entries]
    risks = [one["risk"] for _, one in entries]
    against = "the control group" if data["against"] == "control" else "blind guessing"
    return [
        Line(f"attacks on {clean(data['release'])}: risk is success above that of {against}", "head"),
        Line(),
        Grid(
            ["attack", "success", "blind", "control", "risk", f"{100 * data['confidence']:.0f} % interval"],
            rows,
            texts=(0,),
            bars={4: (risks, "bad")},
        ),
        *_method(data),
    ]


def _method(data: Json) -> Parts:
    """What the method tells, where it was asked for."""
    worlds, narrowed = data.get("minimality"), data.get("downcoding")
    facts: list[tuple[str, str, Look]] = []
    if worlds is not None:
        facts.append(("minimality", f"{worlds['kept']:,} of {worlds['worlds']:,} worlds lead to this release", ""))
        for name, one in (worlds["columns"] or {}).items():
            gain = f"a value's share up to {one['gain']:.3f} above that in its class, {one['by_chance']:.3f} by chance"
            facts.append((f"  {clean(name)}", gain, "bad" if one["gain"] > 2 * one["by_chance"] else ""))
    if narrowed is not None:
        rows = narrowed["rows"]
        facts.append(("downcoding", f"{rows:,} rows can be narrowed in a column", "bad" if rows else ""))
    return [Line(), Facts(facts, 19)] if facts else []


def _cells(one: Json) -> list[str]:
    low, high = one["interval"]
    shares = [_share(one[key]) for key in ("main", "baseline", "control", "risk")]
    return [*shares, f"{low:.3f} to {high:.3f}"]


def _share(value: float | None) -> str:
    return _NONE if value is None else f"{value:.3f}"
