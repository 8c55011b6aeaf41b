"""What is left of each quasi-identifier, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kanon_sql.report.page.model import ColumnFacts, PageFacts, Step
from kanon_sql.report.page.texts import Json, Table, count, counted, joined, percent

_LONGEST_LABEL = 40


@dataclass(frozen=True)
class ColumnView:
    """A quasi-identifier in words, beside its facts."""

    facts: ColumnFacts
    anchor: str
    known: str


def view_columns(facts: PageFacts) -> tuple[ColumnView, ...]:
    """Each quasi-identifier as the page shows it."""
    return tuple(
        ColumnView(column, f"column-{place}", known(facts, column)) for place, column in enumerate(facts.columns, 1)
    )


def overview(facts: PageFacts) -> Table:
    """All quasi-identifiers in one table."""
    rows = [
        (
            shortened(one.name),
            "by class" if one.level is None else f"{one.level} of {max((step.level for step in one.steps), default=0)}",
            count(one.distinct[0]),
            count(one.distinct[1]),
            percent(one.loss),
            one.generalized_by,
        )
        for one in facts.columns
    ]
    head = ("column", "level", "values before", "after", "loss", "generalized by")
    return Table("Quasi-identifiers, and what is left of each", head, tuple(rows), texts=(0, 5))


def known(facts: PageFacts, column: ColumnFacts) -> str:
    """What a release tells of a column: "in steps of 10"."""
    shown = _asked(facts.report, column.name).get("aggregate")
    if shown is not None and column.level != 0 and column.loss:
        return (
            "by the least and the greatest value of each class" if shown == "interval" else f"the {shown} of each class"
        )
    if column.level is None:
        return _by_class(facts.report, column)
    step = next((one for one in column.steps if one.level == column.level), None)
    if column.distinct[1] == 1 and column.level > 0:
        return "nothing: one label for all rows"
    if column.level == 0:
        suppressed = facts.report["rows"]["suppressed"] and column.loss
        return f"as in the source{', but for suppressed rows' if suppressed else ''}"
    return _built_in(_asked(facts.report, column.name), column.level) or _groups(column, step)


def shortened(label: str | None) -> str:
    """A label as a cell holds it, cut where it is long."""
    if label is None:
        return "(missing)"
    return label if len(label) <= _LONGEST_LABEL else f"{label[: _LONGEST_LABEL - 1]}\N{HORIZONTAL ELLIPSIS}"


def _asked(report: Json, name: str) -> Json:
    """What the configuration says of a quasi-identifier, where the report has it."""
    listed = (report.get("configuration") or {}).get("quasi_identifiers")
    found = listed.get(name) if isinstance(listed, dict) else None
    return found if isinstance(found, dict) else {}


def _built_in(asked: Json, level: int) -> str | None:
    """What a level of a built-in hierarchy keeps."""
    keys = {"intervals": "widths", "prefix": "keep", "date": "levels"}
    listed = asked.get(keys.get(asked.get("builtin", ""), ""))
    if not isinstance(listed, list) or not 0 < level <= len(listed):
        return None
    kept: Any = listed[level - 1]
    if asked["builtin"] == "intervals":
        return f"in steps of {kept}"
    if asked["builtin"] == "date":
        return f"by {kept}"
    return f"by {'its first character' if kept == 1 else f'its first {kept} characters'}"


def _groups(column: ColumnFacts, step: Step | None) -> str:
    before, after = column.distinct
    groups = counted(after, "group")
    instead = f" instead of {count(before)} values" if before is not None else ""
    labels = [shortened(one) for one in column.labels[:2]]
    return f"in {groups}{instead}{f', such as {joined(labels)}' if labels else ''}"


def _by_class(report: Json, column: ColumnFacts) -> str:
    """How many rows are exact, coarser or not told; the report says it too where the search is local."""
    top = max((step.level for step in column.steps), default=0)
    told = {step.level: step.rows for step in column.steps if step.rows}
    by_level = ((report.get("solution") or {}).get("rows_by_level") or {}).get(column.name) or {}
    told = told or {int(level): count for level, count in by_level.items()}
    rows, exact = sum(told.values()), told.get(0, 0)
    if column.loss == 0 or (rows and exact == rows):
        return "as in the source"
    if not rows:
        return "each class has labels of its own"
    ends_in_star = any(step.level == top > 0 and step.labels == ("*",) for step in column.steps)
    hidden = told.get(top, 0) if ends_in_star else 0
    coarser = rows - exact - hidden
    parts = [f"exactly in {percent(exact / rows)} of the rows" if exact else "exactly in no row"]
    parts += [f"coarser in {percent(coarser / rows)}"] * bool(coarser)
    parts += [f"not at all in {percent(hidden / rows)}"] * bool(hidden)
    return joined(parts)
