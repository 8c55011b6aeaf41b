"""Success and risk of attacks: `attack --html FILE`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kanon_sql.report.charts import svg
from kanon_sql.report.charts.diagram import clean
from kanon_sql.report.charts.figure import WIDTH, Figure, LegendEntry, Panel, cut, page
from kanon_sql.report.charts.paired import AFTER, SIZE, Pair, Track, add_axis, add_head, dot, draw_dumbbells
from kanon_sql.report.charts.svg import Axis
from kanon_sql.report.words import fixed
from kanon_sql.targets.staging_permissions import write_output

if TYPE_CHECKING:
    from kanon_sql.results.attack import Attack, AttackReport

__all__ = ["attack_rows", "draw_attacks", "draw_html", "write_attack_page"]

_PITCH, _TRACK, _INSET = 40, 28, 12
_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)
_HEAD = ("attack", "guesses", "success", "blind", "control", "risk", "from", "to")


def write_attack_page(path: Path, data: AttackReport) -> None:
    """Writes the page of a report of attacks; a file that is there is replaced. Raises EngineError."""
    write_output(path, draw_html(data).encode(), "page")


def draw_html(data: AttackReport) -> str:
    """What `attack --json` prints as a page that needs nothing else."""
    return page(f"Attacks on {clean(data['release'])}", [draw_attacks(data)], _notes(data))


def attack_rows(data: AttackReport) -> list[tuple[str, Attack]]:
    """The attacks that were played, each with its name."""
    singled, linked = data["singling_out"], data["linkability"]
    attacks: list[tuple[str, Attack | None]] = [
        ("singling out", singled),
        ("singling out, all columns", None if singled is None else singled["all_columns"]),
        ("linkability", linked),
        *((f"inference of {cut(name)}", attack) for name, attack in data["inference"].items()),
    ]
    return [(name, attack) for name, attack in attacks if attack is not None]


def draw_attacks(data: AttackReport, name: str = "attacks") -> Figure:
    """How often adversaries are right, on the source and on those against whom they are measured; the risk."""
    rows = attack_rows(data)
    against = data["against"]
    others = "the control group" if against == "control" else "blind guessing"
    pairs = [
        Pair(label, attack[against], attack["main"], (fixed(attack[against], 3), fixed(attack["main"], 3)))
        for label, attack in rows
    ]
    track = Track("How often adversaries are right", "share of their guesses", 0.0, 1.0)
    worst = max(rows, key=lambda row: row[1]["risk"], default=None)
    description = "No attack was played."
    if worst is not None:
        low, high = worst[1]["interval"]
        description = f"The greatest risk is {fixed(worst[1]['risk'], 3)} ({low:.2f} to {high:.2f}): {worst[0]}."
    panels = (
        Panel("Success", f"Success on the source and against {others}.", draw_dumbbells(track, pairs)),
        Panel("Risk", "The risk of each attack with its interval.", _draw_risks(rows)),
    )
    marks = (LegendEntry(dot(0, 0, before=True), others), LegendEntry(dot(0, 0, before=False), "rows of the source"))
    note = f"Risk: how much more often adversaries are right than against {others}, with intervals of 95 %."
    table = tuple((label, *_cells(attack)) for label, attack in rows)
    return Figure(
        name, "What do adversaries learn of persons?", description, panels * bool(rows), marks, _HEAD, table, note
    )


def _draw_risks(rows: list[tuple[str, Attack]]) -> svg.Drawing:
    """A line from 0 to 1 for each attack, on it the interval and the risk."""
    drawing = svg.Drawing(WIDTH, 0)
    add_head(drawing, "Risk")
    across = Axis(0.0, 1.0, _INSET, WIDTH - _INSET, False, _TICKS)
    top = drawing.height + 2
    floor = top + len(rows) * _PITCH
    add_axis(drawing, across, top, floor, "risk")
    for place, (label, attack) in enumerate(rows):
        drawing.marks.append(_risk(label, attack, across, top + place * _PITCH))
    drawing.height = floor + 34
    return drawing


def _risk(label: str, attack: Attack, across: Axis, y: float) -> str:
    low, high = attack["interval"]
    words = f"{fixed(attack['risk'], 3)} ({low:.2f} to {high:.2f})"
    line = y + _TRACK
    name = svg.shortened(clean(label), WIDTH - svg.text_width(words, SIZE) - 10, SIZE)
    path = f"M{across.start:.1f} {line:.1f}H{across.end:.1f}"
    between = f"M{across.at(low):.1f} {line:.1f}H{across.at(high):.1f}"
    marks = [
        svg.tooltip(f"{clean(label)}\n{words}"),
        svg.text(0, y + 15, name, SIZE),
        svg.text(WIDTH, y + 15, words, SIZE, text_anchor="end"),
        svg.tag("path", d=path, class_="axis", stroke=svg.BORDER, stroke_width=1),
        svg.tag("path", d=between, class_="between", stroke=AFTER, stroke_width=5, stroke_opacity=0.4),
        dot(across.at(attack["risk"]), line, before=False),
    ]
    return svg.tag("g", *marks, class_="pair")


def _cells(attack: Attack) -> tuple[str, ...]:
    values = [attack["main"], attack["baseline"], attack["control"], attack["risk"]]
    return (f"{attack['guesses']['main']:,}", *(fixed(share, 3) for share in [*values, *attack["interval"]]))


def _notes(data: AttackReport) -> list[str]:
    counts: Mapping[str, Any] = data["rows"]
    rows = ", ".join(f"{side} {count:,}" for side, count in counts.items() if count is not None)
    notes = [f"Rows: {rows}. Seed {data['seed']}."]
    if data["linkability"] is not None:
        parts = " | ".join(", ".join(map(clean, part)) for part in data["linkability"]["columns"])
        notes.append(f"Linkability: {parts}.")
    return [*notes, *data["warnings"]]
