"""The figures of `kanon-sql attack` as people read them in a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kanon_sql.cli.parts import Grid, Line, Parts
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
    ]


def _cells(one: Json) -> list[str]:
    low, high = one["interval"]
    shares = [_share(one[key]) for key in ("main", "baseline", "control", "risk")]
    return [*shares, f"{low:.3f} to {high:.3f}"]


def _share(value: float | None) -> str:
    return _NONE if value is None else f"{value:.3f}"
