"""A result as a person reads it: five lines of text, or a small table in a notebook."""

from __future__ import annotations

from html import escape as quoted
from typing import Any

from kanon_sql.errors import escape

Json = dict[str, Any]

_MOST_COLUMNS = 50
# Grey that lets light and dark pages through, and a blue that stands out on both.
_TRACK, _BAR, _LINE = "rgba(128,128,128,.25)", "#4c8bd0", "1px solid rgba(128,128,128,.35)"
_CELL = f"text-align:left;padding:2px 10px;border:0;border-bottom:{_LINE};background:none;color:inherit"


def in_lines(report: Json) -> str:
    """Five lines: rows and target, what was asked and reached, levels, loss, search."""
    return "\n".join(
        [
            f"{report['status']}: {_rows(report)}, to {escape(str(report['release']['target']))}",
            f"  privacy  {_reached(report)}",
            f"  {_found(report)}",
            f"  loss     {_loss(report)}",
            f"  search   {_search(report)}",
        ]
    )


def in_html(report: Json) -> str:
    """The same as a table with a bar for the loss of each quasi-identifier; it needs nothing from elsewhere."""
    facts = [
        (report["status"], f"{_rows(report)}, to {escape(str(report['release']['target']))}"),
        ("privacy", _reached(report)),
        ("loss", _loss(report)),
        ("search", _search(report)),
    ]
    attributes = report["loss"]["attributes"]
    levels = (report["solution"] or {}).get("levels")
    head = "".join(f'<th style="{_CELL}">{name}</th>' for name in _head(levels))
    shown = list(attributes.items())[:_MOST_COLUMNS]
    lines = [f"<tr>{_column(name, None if levels is None else levels[name], loss)}</tr>" for name, loss in shown]
    if len(attributes) > len(shown):
        lines.append(f'<tr><td style="{_CELL}" colspan="3">and {len(attributes) - len(shown)} more</td></tr>')
    told = "".join(
        f'<div><b style="display:inline-block;min-width:5em">{quoted(what)}</b> {quoted(text)}</div>'
        for what, text in facts
    )
    warnings = len(report["warnings"])
    if warnings:
        told += f'<div style="opacity:.8">{_many(warnings, "warning")}: see .warnings</div>'
    return (
        f'<div style="font-size:90%;line-height:1.5">{told}'
        f'<table style="margin:6px 0;border-collapse:collapse;background:none;color:inherit"><thead><tr>{head}</tr>'
        f"</thead><tbody>{''.join(lines)}</tbody></table></div>"
    )


def _head(levels: Json | None) -> list[str]:
    return ["quasi-identifier", *(["level"] if levels is not None else []), "loss"]


def _column(name: str, level: int | None, loss: float) -> str:
    percent = min(100.0, max(0.0, 100 * loss))
    bar = (
        f'<span style="display:inline-block;width:100px;height:.7em;background:{_TRACK};border-radius:2px">'
        f'<span style="display:block;width:{percent:.1f}%;height:100%;background:{_BAR};border-radius:2px"></span>'
        "</span>"
    )
    cells = [quoted(escape(name)), *([] if level is None else [str(level)]), f"{bar} {100 * loss:.2f} %"]
    return "".join(f'<td style="{_CELL}">{cell}</td>' for cell in cells)


def _rows(report: Json) -> str:
    rows = report["rows"]
    missing = f", {rows['missing']:,} left out for missing values" if rows["missing"] else ""
    masked = " (masked)" if rows["masked"] else ""
    return f"{rows['released']:,} of {rows['source']:,} rows, {rows['suppressed']:,} suppressed{masked}{missing}"


def _reached(report: Json) -> str:
    """Every model, as it was asked for and as the release reaches it; the classes."""
    told = []
    for key, entries in report["privacy"].items():
        for entry in entries if isinstance(entries, list) else [entries]:
            what = " ".join([key.replace("_", "-"), *([escape(entry["column"])] if entry.get("column") else [])])
            told.append(f"{what} {_number(entry['required'])} asked, {_number(entry['actual'])} reached")
    classes = report["classes"]
    return f"{'; '.join(told)}; {_many(classes['count'], 'class')} of {classes['min']:,} to {classes['max']:,} rows"


def _number(value: Any) -> str:
    if isinstance(value, dict):
        return " to ".join(_number(one) for one in value.values())
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return f"{value:,}" if isinstance(value, int) else f"{value:.4g}"
    return "no bound" if value is None else str(value)


def _found(report: Json) -> str:
    solution = report["solution"] or {}
    if "levels" in solution:
        told = [f"{escape(name)} {level}" for name, level in solution["levels"].items()]
        more = [f"and {len(told) - _MOST_COLUMNS} more"] if len(told) > _MOST_COLUMNS else []
        return f"levels   {', '.join([*told[:_MOST_COLUMNS], *more])}"
    plain = [f"{key} {value:,}" for key, value in solution.items() if isinstance(value, int)]
    return f"classes  {', '.join(plain) or 'each at levels of its own'}"


def _loss(report: Json) -> str:
    loss = report["loss"]
    return f"{loss['ncp']:.2f} % (lm {loss['lm']:.4f} of {len(loss['attributes'])})"


def _search(report: Json) -> str:
    search, name = report["search"] or {}, report["algorithm"]["name"]
    proven = "" if not search.get("proven") else ", proven optimal" if name == "optimal" else ", proven"
    checked = (
        f", {search['checked']:,} of {search['lattice_nodes']:,} nodes checked" if "lattice_nodes" in search else ""
    )
    return f"{name}{checked}{proven}, in {report['seconds'].get('total', 0.0):.2f} s"


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'es' if what.endswith('s') else 's'}" if count != 1 else f"1 {what}"
