"""The page of a database of persons: its tables, what is promised of them, how it was counted again, and what is not.

All its figures are of the release but for how many persons and facts were suppressed, the latter in steps of five
percent: what single suppressed rows were is not told.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import floor
from typing import Any

from kanon_sql.report.charts.figure import page
from kanon_sql.report.charts.tables import draw_tables

Json = dict[str, Any]

_STEP = 5  # percent


def database_page(report: Json, unit: str) -> str:
    """The page as one HTML text that loads nothing, of the JSON report of a run that released; `unit` is the table of
    persons.
    """
    persons, tables = report["persons"], report["tables"]
    title = f"{persons['released']:,} persons in {len(tables):,} tables"
    return page(title, [draw_tables(tables, unit)], _sentences(report))


def _sentences(report: Json) -> Iterator[str]:
    """What the page says below its drawing, a paragraph each."""
    persons, k, facts = report["persons"], report["privacy"]["k"], report["facts"]
    gone = f"{persons['suppressed']:,} of {persons['source']:,} persons were suppressed, with all their rows"
    yield f"{gone} in all tables." if persons["suppressed"] else "No person was suppressed."
    if report["solution"] and report["solution"].get("levels") == {}:
        yield "The table of persons has no quasi-identifiers: who knows a person's row there is not considered."
    else:
        yield (
            f"Whoever knows the quasi-identifiers of a person finds at least {k['actual']:,} persons alike in the "
            f"release (asked for: {k['required']:,})."
        )
    yield from _of_models(report["privacy"])
    if facts is not None:
        yield from _of_facts(facts)
    yield (
        "Keys that join tables have new values, or those that the configuration says; no key of the release leads "
        "nowhere. A person keeps the same new key in all tables."
    )
    counted = report["verification"] or {}
    yield (
        "What was written was counted again by statements that the search does not use: every row of every table was "
        f"compared with what was to be released, {counted.get('keys', 0):,} columns of keys were followed, classes and "
        "sets of facts counted."
    )
    if report["warnings"]:
        yield f"Warnings of the run: {len(report['warnings']):,}. Its JSON report has them: read them."
    yield (
        "Not promised: anything of whoever knows more facts than that, of the order and distance of dates, of how many "
        "rows a person has, of columns that are released beside facts, of facts that somebody does not have, nor of "
        "what all persons of a class share. A class of k persons leaves a chance of 1 in k. Whether that is low enough "
        "depends on who gets the release; a person has to judge that."
    )
    yield f"Made by kanon-sql {report['version']} at {report['created']}. This file loads nothing and sends nothing."


def _of_models(privacy: Json) -> Iterator[str]:
    for key, entries in privacy.items():
        for entry in entries if isinstance(entries, list) else [entries]:
            if "column" not in entry or entry["actual"] is None:
                continue
            name, figures = entry["column"], f"{entry['actual']:.4g} (asked for: {entry['required']:g})"
            if key == "l_diversity":
                variant = entry.get("variant", "distinct")
                yield f"The values of {name} of every class have a diversity ({variant}) of at least {figures}."
            elif key == "t_closeness":
                yield f"In every class the values of {name} are spread nearly as among all persons: {figures} at most."
            else:
                yield f"Every class holds {key} of {name}: {figures}."


def _of_facts(facts: Json) -> Iterator[str]:
    among = " of her class" if facts["with"] == "quasi_identifiers" else ""
    what = "one fact" if facts["known"] == 1 else f"any {facts['known']} facts or fewer"
    least = (
        "nobody has a fact in the release"
        if facts["actual"] is None
        else f"finds at least {facts['actual']:,} persons{among} who have them too"
    )
    yield f"Whoever knows {what} of a person, over all tables together, {least} (asked for: {facts['required']:,})."
    bounded = facts.get("confidence")
    if bounded is not None:
        actual = f"{100 * (bounded['actual'] or 0):.1f} %"
        yield (
            f"Of those who have such a set, {actual} at most have the same sensitive value (asked for: "
            f"{100 * bounded['required']:g} %)."
        )
    share = 100 * (facts["kept"] or 0)
    step = min(100 - _STEP, _STEP * floor(share / _STEP))
    yield f"Of the pairs of a person and a fact, {step} to {step + _STEP} % are released, as they are or coarser."
    levels = [f"{name} at level {level}" for name, level in facts["levels"].items()]
    if levels:
        yield f"Columns of facts: {', '.join(levels)}."
