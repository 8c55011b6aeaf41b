"""The report of a database of persons as people read it in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kanon_sql.report.charts.diagram import clean
from kanon_sql.report.views.measures import column_distances
from kanon_sql.report.views.measures import summarize_utility as summarize_persons
from kanon_sql.report.views.parts import FactList, Grid, Line, Look, Part, Parts
from kanon_sql.report.words import UNKNOWN, counted, fixed

if TYPE_CHECKING:
    from kanon_sql.results.utility import UtilityReport

Json = dict[str, Any]


def summarize_database(report: Json) -> Parts:
    """What a run of a whole database did: persons, facts, and the rows of each table."""
    persons, facts, classes = report["persons"], report["facts"], report["classes"]
    dry = report["status"] == "dry-run"
    done = "dry run, nothing was released: would release" if dry else "released"
    lines: list[tuple[str, str, Look]] = [
        ("suppressed", counted(persons["suppressed"], "person"), ""),
        (
            "classes",
            f"{classes['count']:,}, of {classes['min']:,} to {classes['max']:,} persons "
            f"(asked for k = {report['privacy']['k']['required']})",
            "",
        ),
        *_models(report["privacy"]),
    ]
    if facts is not None:
        least = "nobody has a fact" if facts["actual"] is None else f"{facts['actual']:,} persons have each"
        beside = " of their class" if facts["with"] == "quasi_identifiers" else ""
        lines += [
            (
                "facts",
                f"sets of at most {facts['known']}: at least {least}{beside} (asked for {facts['required']})",
                "",
            ),
            *_confidence(facts),
            ("kept", f"{100 * (facts['kept'] or 0):.1f} % of {facts['pairs']:,} pairs of a person and a fact", ""),
            ("loss", f"{100 * facts['loss']:.1f} % of a pair, no release is below {100 * facts['bound']:.1f} %", ""),
        ]
        lines += [("level", f"{name}: {level}", "") for name, level in facts["levels"].items() if level]
    lines.append(("seconds", ", ".join(f"{name} {value:.2f}" for name, value in report["seconds"].items()), "quiet"))
    head = ["table", "rows", "orphans", "suppressed", "released"]
    rows = [
        [name, *(f"{entry['rows'][key]:,}" for key in ("source", "orphans", "suppressed", "released"))]
        for name, entry in report["tables"].items()
    ]
    return [
        Line(
            f"{done} {persons['released']:,} of {persons['source']:,} persons in {len(rows):,} tables to "
            f"{report['release']['target']}",
            "good",
        ),
        FactList(lines, 13),
        Line(),
        Grid(head, rows, (0,)),
    ]


def _models(privacy: Json) -> list[tuple[str, str, Look]]:
    """What the classes of persons reach of the models of sensitive columns."""
    return [
        (
            "sensitive",
            f"{entry['column']}: {key} {entry['actual'] or 0:.4g} in every class (asked for {entry['required']:g})",
            "",
        )
        for key, entries in privacy.items()
        for entry in (entries if isinstance(entries, list) else [entries])
        if "column" in entry and isinstance(entry["actual"], (int, float))
    ]


def _confidence(facts: Json) -> list[tuple[str, str, Look]]:
    """With which share facts tell a sensitive value, where that is bounded."""
    bounded = facts.get("confidence")
    if bounded is None:
        return []
    actual = "nobody with facts has any" if bounded["actual"] is None else f"{100 * bounded['actual']:.1f} % at most"
    return [("sensitive", f"told by a set of facts: {actual} (asked for {100 * bounded['required']:g} %)", "")]


def summarize_check(report: Json) -> Parts:
    """Whether a database holds what was asked for."""
    holds, facts, k = report["status"] == "satisfied", report["facts"], report["privacy"]["k"]
    lines: list[tuple[str, str, Look]] = [
        ("persons", f"{report['persons']['measured']:,}, the smallest class holds {k['actual'] or 0:,}", ""),
        ("keys", f"{report['keys']['columns']:,} columns looked at", ""),
        *_models(report["privacy"]),
    ]
    if facts is not None:
        least = (
            "nobody has a fact"
            if facts["actual"] is None
            else f"the rarest is had by {counted(facts['actual'], 'person')}"
        )
        lines.append(("facts", f"sets of at most {facts['known']}: {least}", ""))
        lines += _confidence(facts)
    lines += [("violations", text, "bad") for text in report["violations"]]
    verdict = "satisfies" if holds else "VIOLATES"
    return [
        Line(f"{report['database']} {verdict} k = {k['required']}", "good" if holds else "bad"),
        FactList(lines, 13),
    ]


def summarize_risk(report: Json) -> Parts:
    """How many persons the quasi-identifiers and facts tell apart, before and after."""
    sides = [(name, report[name]) for name in ("source", "release") if report[name] is not None]
    head = [
        "somebody knows",
        *(f"{name}: below {report['k']}" for name, _ in sides),
        *(f"{name}: alone" for name, _ in sides),
    ]
    first = sides[0][1]
    rows = [["the quasi-identifiers", *_shares([side["quasi_identifiers"] for _, side in sides], sides)]]
    for i, entry in enumerate(first["facts"]):
        what = f"{entry['known']} fact{'s' if entry['known'] > 1 else ''}"
        rows.append([what, *_shares([side["facts"][i] for _, side in sides], sides)])
    persons = ", ".join(f"{side['persons']:,} in the {name}" for name, side in sides)
    models = [(name, text, look) for name, side in sides for _, text, look in _models(side["privacy"])]
    return [Line(f"persons: {persons}", "head"), Grid(head, rows, (0,)), *([FactList(models, 13)] if models else [])]


def _shares(entries: list[Json], sides: list[tuple[str, Json]]) -> list[str]:
    persons = [max(side["persons"], 1) for _, side in sides]
    return [
        *(f"{100 * entry['below_k'] / n:.1f} %" for entry, n in zip(entries, persons, strict=True)),
        *(f"{100 * entry['alone'] / n:.1f} %" for entry, n in zip(entries, persons, strict=True)),
    ]


def summarize_utility(data: UtilityReport) -> Parts:
    """The figures of the table of persons, what is left of facts, and what of each table about persons."""
    parts: list[Part] = [*summarize_persons(data)]
    facts = [
        [
            "single" if entry["together"] == 1 else "two of a person",
            f"{entry['source']:,}",
            UNKNOWN if entry["kept"] is None else f"{100 * entry['kept']:.1f} %",
            fixed(entry["total_variation"], 4),
        ]
        for entry in data.get("facts") or []
    ]
    if facts:
        head = ["facts", "persons have in the source", "in the release", "total variation"]
        parts += [Line(), Line("facts of persons, at the levels of the release", "head"), Grid(head, facts, (0,))]
    for name, entry in data.get("tables", {}).items():
        rows = entry["rows"]
        parts += [Line(), Line(f"table {clean(name)}: {rows['release']:,} of {rows['source']:,} rows", "head")]
        if entry["columns"]:
            parts += column_distances(entry["columns"])
        for days in entry["days"]:
            first, second = map(clean, days["columns"])
            means = " and ".join(f"{fixed(days['mean'][side], 1)} in the {side}" for side in ("source", "release"))
            varied = fixed(days["total_variation"], 4)
            parts.append(Line(f"days from {first} to {second}: {means} on average, total variation {varied}"))
    return parts
