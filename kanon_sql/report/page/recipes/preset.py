"""A preset of the page: the steps that a legal or regulatory text asks for, beside what was measured of each.

What was measured of a release, in the figures that more than one preset asks for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from kanon_sql.report.page.model import PageFacts
from kanon_sql.report.words import NOT_TOLD, chance, count, counted, decimal, joined, moment, percent, plain

if TYPE_CHECKING:
    from kanon_sql.results.told import ToldTable

State = Literal["met", "not met", "judgement"]
Fact = tuple[str, str]  # what was measured, and the figure

NO_ADVICE = (
    "This is not legal advice. It lays figures out along the steps of a text; whether the text is complied with is for "
    "a person to decide, who answers for it."
)


@dataclass(frozen=True)
class RecipeStep:
    """One thing that the text asks for.

    `asked` says it in our words, `source` where it stands. `facts` are what was measured of it: (what, figure). `state`
    is `met` or `not met` where the text, or the guidance beside it, has a threshold or a condition that a program can
    check, else `judgement`. `remains` says what a person has to judge, whatever the state.
    """

    title: str
    asked: str
    source: str
    facts: tuple[Fact, ...]
    state: State
    remains: str = ""


@dataclass(frozen=True)
class Recipe:
    """The steps of the preset `name`, in the order of the text; `sources` are the texts, with their addresses.

    `note` belongs on the page, before the steps.
    """

    name: str
    title: str
    sources: tuple[tuple[str, str], ...]  # (title, address)
    steps: tuple[RecipeStep, ...]
    note: str = NO_ADVICE


NONE = "none"


def released(facts: PageFacts) -> bool:
    """Whether there is a release, or a dry run has counted one."""
    return facts.report["status"] in ("released", "dry-run") and facts.report.get("classes") is not None


def after(facts: PageFacts) -> ToldTable | None:
    """The risks of the release; None where they were not measured."""
    return facts.risk["after"] if facts.risk is not None and released(facts) else None


def highest(facts: PageFacts) -> float | None:
    """The highest prosecutor risk in the release, where entities are counted that of an entity."""
    measured = after(facts)
    if measured is None:
        return None
    k = facts.report["privacy"]["k"]
    entities = 1 / k["actual"] if k.get("counts") == "entities" and k["actual"] else 0.0
    return max(measured["prosecutor"]["highest"] or 0.0, entities)


def journalist(facts: PageFacts) -> float | None:
    """The highest risk beside the population that was given; None without one."""
    measured = after(facts)
    return None if measured is None or not measured["journalist"] else measured["journalist"]["highest"]


def unique(facts: PageFacts) -> int | None:
    """Rows of the release that are alone with their quasi-identifiers."""
    measured = after(facts)
    return None if measured is None else measured["unique"]["rows"]


def risks(facts: PageFacts) -> tuple[Fact, ...]:
    """The smallest class and the risks of the three attackers in the release."""
    measured = after(facts)
    if measured is None:
        return (("risks", _why(facts, "risk")),)
    lines: list[Fact] = [*classes(facts), ("highest prosecutor risk", chance(highest(facts)))]
    lines.append(("average prosecutor risk", _risk(measured["prosecutor"]["average"])))
    if measured["journalist"]:
        lines.append(("highest journalist risk", f"{chance(journalist(facts))}, in the population that was given"))
    else:
        lines.append(("highest journalist risk", "not measured: no population was given"))
    if measured["marketer"]:
        lines.append(("marketer risk", f"{percent(measured['marketer']['average'])} of the rows named right"))
    lines.append(("rows alone with their quasi-identifiers", plain(unique(facts))))
    return tuple(lines)


def classes(facts: PageFacts) -> tuple[Fact, ...]:
    """The k that was reached."""
    k = facts.report["privacy"]["k"]
    if not released(facts) or k["actual"] is None:
        return (("smallest class", "there is no release"),)
    unit = ("entity", "entities") if k.get("counts") == "entities" else ("row", "rows")
    few, there = facts.report["privacy"].get("known_columns"), facts.report["classes"]
    if few is None or there is None or there["min"] >= k["actual"]:
        return (("smallest class", f"{counted(k['actual'], *unit)}; asked for k = {k['required']}"),)
    return (
        (
            f"smallest combination of {few['actual']} columns",
            f"{counted(k['actual'], *unit)}; asked for {k['required']}",
        ),
        ("smallest class by all quasi-identifiers", counted(there["min"], "row")),
    )


def models(facts: PageFacts) -> tuple[Fact, ...]:
    """What the models beside k asked for and reached."""
    return tuple(
        (f"{name.replace('_', '-')} of {entry['column']}" if entry.get("column") else name.replace("_", "-"), figures)
        for name, entry in entries(facts)
        for figures in (f"{plain(entry['actual'])}; asked for {plain(entry['required'])}",)
    )


_OF_CLASSES = ("k", "known_columns")


def entries(facts: PageFacts) -> list[tuple[str, Mapping[str, Any]]]:
    """The models beside k with their entries in the report."""
    privacy: Mapping[str, Any] = facts.report["privacy"]
    listed = [
        (name, entry if isinstance(entry, list) else [entry])
        for name, entry in privacy.items()
        if name not in _OF_CLASSES
    ]
    return [(name, entry) for name, several in listed for entry in several]


def roles(facts: PageFacts, role: str) -> tuple[str, ...]:
    """The columns that the configuration lists as `role`."""
    return tuple(map(str, configuration(facts).get(role) or ()))


def configuration(facts: PageFacts) -> Mapping[str, Any]:
    """The resolved configuration, secrets masked."""
    return facts.report.get("configuration") or {}


def pseudonyms(facts: PageFacts) -> tuple[str, ...]:
    """The columns that are released as pseudonyms."""
    return tuple(
        name
        for name, treatment in (configuration(facts).get("transform") or {}).items()
        if isinstance(treatment, dict) and treatment.get("pseudonym")
    )


def listed(names: Iterable[str], most: int = 20) -> str:
    """Names of columns in a sentence."""
    words = list(names)
    if len(words) > most:
        words = [*words[:most], f"{len(words) - most} more"]
    return joined(words) or NONE


def columns(facts: PageFacts) -> tuple[Fact, ...]:
    """What becomes of the columns, by their roles."""
    if not configuration(facts):
        return (("columns", "the report does not hold its configuration"),)
    return (
        ("direct identifiers, never released", listed(_hidden(facts))),
        ("released as pseudonyms", listed(pseudonyms(facts))),
        ("quasi-identifiers, generalized", listed(roles(facts, "quasi_identifiers"))),
        ("sensitive, released as they are", listed(roles(facts, "sensitive"))),
        ("others, released as they are", listed(roles(facts, "insensitive"))),
    )


def methods(facts: PageFacts) -> tuple[Fact, ...]:
    """How the release was made: each quasi-identifier, and what was suppressed."""
    if not released(facts):
        return (("release", "there is none"),)
    reported = facts.report["loss"]
    loss = reported["attributes"] if reported else {}
    lines: list[Fact] = [("search", str(facts.report["algorithm"]["name"]))]
    lines += [
        (f"{column.name}: {column.generalized_by}", f"{percent(loss.get(column.name, column.loss))} lost")
        for column in facts.columns
    ] or [(name, f"generalized, {percent(lost)} lost") for name, lost in loss.items()]
    rows = facts.report["rows"]
    suppressed = f"{count(rows['suppressed'])} of {count(rows['source'])}, {count(rows['masked'])} of them masked"
    lines.append(("rows suppressed", suppressed if rows["suppressed"] is not None else "not known"))
    return tuple(lines)


def worth(facts: PageFacts) -> tuple[Fact, ...]:
    """What the data are still good for."""
    loss, rows = facts.report.get("loss"), facts.report["rows"]
    if not released(facts) or loss is None:
        return (("utility", "there is no release"),)
    lines: list[Fact] = [
        ("information lost", f"{percent(loss['ncp'] / 100)} in the quasi-identifiers"),
        ("rows released", f"{count(rows['released'])} of {count(rows['source'])}"),
    ]
    utility = facts.utility
    if utility is None:
        return (*lines, ("distances from the source", _why(facts, "utility")))
    queries = utility.get("queries")
    if queries:
        lines.append(("counting queries, median relative error", _figure(queries["median_relative_error"], percent)))
        lines.append(("counting queries, 95th percentile", _figure(queries["p95_relative_error"], percent)))
    if utility.get("pmse") is not None:
        lines.append(("propensity (pMSE)", _figure(utility["pmse"], decimal)))
    return tuple(lines)


def _figure(value: float | str | None, written: Callable[[float | None], str]) -> str:
    """A figure, or the word that the page has in its place."""
    return value or NOT_TOLD if isinstance(value, str) else written(value)


def documents(facts: PageFacts) -> tuple[tuple[Fact, ...], State]:
    """What of the methods and results stands on the page, and whether all of it does."""
    evidence = facts.evidence
    parts = {
        "configuration": bool(evidence and evidence.configuration),
        "result of the search": released(facts),
        "risks of the release": after(facts) is not None,
        "SHA-256 of the release": bool(evidence and evidence.release.sha256),
        "statements to count again": bool(evidence and evidence.recounts),
        "versions of the programs": bool(evidence and evidence.versions),
    }
    present = tuple((name, "on this page" if there else "not on this page") for name, there in parts.items())
    judged = (
        ("made", f"{moment(facts.report.get('created'))}, by kanon-sql {facts.report.get('version', '')}".rstrip()),
    )
    return (*present, *judged), "met" if all(parts.values()) else "not met"


def _hidden(facts: PageFacts) -> list[str]:
    """The identifiers that are not released as pseudonyms either."""
    return [name for name in roles(facts, "identifiers") if name not in pseudonyms(facts)]


def _risk(value: float | None) -> str:
    return decimal(value, 4)


def _why(facts: PageFacts, part: str) -> str:
    if not released(facts):
        return "there is no release"
    return f"not measured: {facts.notes[part]}" if part in facts.notes else "not measured"
