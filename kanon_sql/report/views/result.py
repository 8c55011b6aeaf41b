"""The result of a run as a person reads it in Python: five lines of text, or a small table in a notebook."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kanon_sql.report.views.parts import FactList, Grid, Line, Look, Part, Parts
from kanon_sql.report.words import counted

if TYPE_CHECKING:
    from kanon_sql.results.run import ReleasedReport

_MOST_COLUMNS = 50


def in_lines(report: ReleasedReport) -> str:
    """Five lines: rows and target, what was asked and reached, levels, loss, search."""
    return "\n".join(
        [
            f"{report['status']}: {_rows(report)}",
            f"  privacy  {_reached(report)}",
            f"  {_found(report)}",
            f"  loss     {_loss(report)}",
            f"  search   {_search(report)}",
        ]
    )


def summarize_result(report: ReleasedReport) -> Parts:
    """The same with a row for each quasi-identifier, and a bar for its loss."""
    facts: list[tuple[str, str, Look]] = [
        (report["status"], _rows(report), ""),
        ("privacy", _reached(report), ""),
        ("loss", _loss(report), ""),
        ("search", _search(report), ""),
    ]
    losses, levels = report["loss"]["attributes"], _levels(report)
    shown = list(losses.items())[:_MOST_COLUMNS]
    rows = [[name, *([] if levels is None else [str(levels[name])]), f"{100 * loss:.2f} %"] for name, loss in shown]
    head = ["quasi-identifier", *(["level"] if levels is not None else []), "loss"]
    parts: list[Part] = [FactList(facts, 10)]
    if report["warnings"]:
        parts.append(Line(f"{counted(len(report['warnings']), 'warning')}: see .warnings"))
    parts.append(Grid(head, rows, 0, bars={len(head) - 1: ([loss for _, loss in shown], "before")}))
    if len(losses) > len(shown):
        parts.append(Line(f"and {len(losses) - len(shown)} more"))
    return parts


def _levels(report: ReleasedReport) -> Mapping[str, int] | None:
    """The level of each column, where there is one; a database of facts alone has no solution."""
    solution: Mapping[str, Any] = report["solution"] or {}
    return solution.get("levels")


def _rows(report: ReleasedReport) -> str:
    rows = report["rows"]
    missing = f", {rows['missing']:,} left out for missing values" if rows["missing"] else ""
    masked = " (masked)" if rows["masked"] else ""
    done = f"{rows['released']:,} of {rows['source']:,} rows, {rows['suppressed']:,} suppressed{masked}{missing}"
    return f"{done}, to {report['release']['target']}"


def _reached(report: ReleasedReport) -> str:
    """Every model, as it was asked for and as the release reaches it; the classes."""
    privacy: Mapping[str, Any] = report["privacy"]
    reached = []
    for key, entries in privacy.items():
        for entry in entries if isinstance(entries, list) else [entries]:
            what = " ".join([key.replace("_", "-"), *([entry["column"]] if entry.get("column") else [])])
            reached.append(f"{what} {_number(entry['required'])} asked, {_number(entry['actual'])} reached")
    classes = report["classes"]
    sizes = f"{classes['min']:,} to {classes['max']:,} rows"
    return f"{'; '.join(reached)}; {counted(classes['count'], 'class', 'classes')} of {sizes}"


def _number(value: Any) -> str:
    if isinstance(value, dict):
        return " to ".join(_number(end) for end in value.values())
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return f"{value:,}" if isinstance(value, int) else f"{value:.4g}"
    return "no bound" if value is None else str(value)


def _found(report: ReleasedReport) -> str:
    levels = _levels(report)
    if levels is not None:
        texts = [f"{name} {level}" for name, level in levels.items()]
        more = [f"and {len(texts) - _MOST_COLUMNS} more"] if len(texts) > _MOST_COLUMNS else []
        return f"levels   {', '.join([*texts[:_MOST_COLUMNS], *more])}"
    plain = [f"{key} {value:,}" for key, value in (report["solution"] or {}).items() if isinstance(value, int)]
    return f"classes  {', '.join(plain) or 'each at levels of its own'}"


def _loss(report: ReleasedReport) -> str:
    loss = report["loss"]
    return f"{loss['ncp']:.2f} % (lm {loss['lm']:.4f} of {len(loss['attributes'])})"


def _search(report: ReleasedReport) -> str:
    name = report["algorithm"]["name"]
    search: Mapping[str, Any] = report["search"] or {}  # as `_levels` has it
    proven = "" if not search.get("proven") else ", proven optimal" if name == "optimal" else ", proven"
    checked = (
        f", {search['checked']:,} of {search['lattice_nodes']:,} nodes checked" if "lattice_nodes" in search else ""
    )
    return f"{name}{checked}{proven}, in {report['seconds'].get('total', 0.0):.2f} s"
