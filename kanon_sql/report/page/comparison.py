"""The risk of re-identification before and after, in words and side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kanon_sql.report.page.model import PageFacts, PageTable
from kanon_sql.report.page.withheld import left_out
from kanon_sql.report.words import NOT_TOLD, UNKNOWN, chance, count, counted, decimal, percent

if TYPE_CHECKING:
    from kanon_sql.results.told import ToldAverage, ToldMarketer, ToldRisk, ToldShare, ToldSubset, ToldTable, ToldTables

Cell = Callable[["ToldTable"], str]  # what a row of the table says of a side

_MOST_SUBSETS = 15
_LEFT_OUT = (
    "The source is looked at without the {rows}: before are the rows that were released, as they were in it. A figure "
    "of all its rows would tell of these."
)


@dataclass(frozen=True)
class Comparison:
    """What the section says: who is alone, what is not told, the risks, the riskiest combinations of columns."""

    alone: str
    note: str | None
    risks: PageTable
    subsets: PageTable | None


def compare(facts: PageFacts) -> Comparison | None:
    """The risks of source and release; None where they were not measured."""
    if facts.risk is None:
        return None
    risk, k = facts.risk, facts.report["privacy"]["k"]["required"]
    shown = [(word, side) for word, side in (("before", risk["before"]), ("after", risk["after"])) if side is not None]
    words, sides = [word for word, _ in shown], [side for _, side in shown]
    hidden = left_out(facts.report) if risk.get("before") is not None else 0
    notes = [*([_LEFT_OUT.format(rows=counted(hidden, "suppressed row"))] if hidden else []), _note(risk, k)]
    note = " ".join(filter(None, notes)) or None
    return Comparison(_alone(risk), note, _risks(risk, words, sides, k, of_all=not hidden), _subsets(words, sides))


def _note(risk: ToldTables, k: int) -> str | None:
    """What is not told of the source, and why."""
    if risk["before"] is None or risk["before"]["classes"]["count"] is not None:
        return None
    return (
        f"Some small classes of the source hold fewer than {k} rows together. So that nobody can count these, sizes of "
        "classes are joined, and neither the number of classes of the source nor what would tell it is told."
    )


def _alone(risk: ToldTables) -> str:
    """How many rows are alone, before and after."""
    before, after = risk.get("before"), risk.get("after")
    parts = []
    if before is not None and before["unique"]["rows"] is None:
        parts.append("It is not told how many rows of the source are alone with their values of the quasi-identifiers")
    elif before is not None:
        parts.append(f"In the source {_rows(before['unique'])} alone with their values of the quasi-identifiers")
    if after is not None:
        alone = " alone with their values of the quasi-identifiers" if before is None else ""
        parts.append(f"{'in' if parts else 'In'} the release {_rows(after['unique'])}{alone}")
    return f"{'; '.join(parts)}."


def found_by(risk: ToldTables, k: int) -> str:
    """How likely somebody finds the row of a person, before and after."""
    parts = [
        f"{where} with a probability of {_probabilities(side['prosecutor'], k)}"
        for side, where in ((risk["before"], "in the source"), (risk["after"], "in the release"))
        if side is not None
    ]
    return (
        "Who knows that a person is in the table, and knows the quasi-identifiers, points at the right row "
        f"{'; '.join(parts)}."
    )


def _probabilities(entry: ToldRisk, k: int) -> str:
    highest = entry["highest"]
    most = f"more than {decimal(1 / k, 4)} for some rows" if highest is None else _most(highest)
    return most if entry["average"] is None else f"{most}, {decimal(entry['average'], 4)} on average"


def _most(highest: float) -> str:
    written = chance(highest)
    return written if written.endswith(")") else f"{written} at most"


def _rows(entry: ToldShare) -> str:
    """How many rows are something: "5 rows (1.2 %) are"."""
    rows, share = entry["rows"], entry["share"]
    if rows == 0:
        return "no row is"
    part = "" if share is None else f" ({percent(share)})"
    return f"{counted(rows, 'row')}{part} {'is' if rows == 1 else 'are'}"


def _risks(risk: ToldTables, words: Sequence[str], sides: Sequence[ToldTable], k: int, *, of_all: bool) -> PageTable:
    above = f"rows above {risk['threshold']:g}"
    cells: list[tuple[str, Cell]] = [
        ("rows measured", lambda side: count(side["rows"]["measured"])),
        ("classes", lambda side: _told(side["classes"]["count"])),
        ("rows of the smallest class", lambda side: count(side["classes"]["min"], k)),
        ("unique rows", lambda side: _cell(side["unique"])),
    ]
    if risk["population"] is not None:
        cells.append(
            ("unique rows that are unique in the population", lambda side: _told(side["unique"]["in_population"]))
        )
    cells += _risks_of("prosecutor", lambda side: side["prosecutor"], above, k)
    if risk["population"] is not None:
        cells += _risks_of("journalist", lambda side: side["journalist"], above, k)
    cells += [
        ("marketer risk", lambda side: _average(side["marketer"])),
        ("rows that a marketer names right", lambda side: _named(side["marketer"])),
    ]
    heads = {"before": "source (before)" if of_all else "released rows in the source (before)"}
    heads["after"] = "release (after)"
    rows = tuple((name, *map(cell, sides)) for name, cell in cells)
    return PageTable("Risk of re-identification", ("", *(heads[word] for word in words)), rows)


def _risks_of(name: str, risk_of: Callable[[ToldTable], ToldRisk | None], above: str, k: int) -> list[tuple[str, Cell]]:
    """The rows of the table on one adversary."""
    return [
        (f"{name} risk, highest", lambda side: _highest(risk_of(side), k)),
        (f"{name} risk, average", lambda side: _average(risk_of(side))),
        (f"{name} risk, {above}", lambda side: UNKNOWN if (entry := risk_of(side)) is None else _cell(entry["above"])),
    ]


def _highest(entry: ToldRisk | None, k: int) -> str:
    if entry is None:
        return UNKNOWN
    return f"> {decimal(1 / k, 4)}" if entry["highest"] is None else chance(entry["highest"])


def _average(entry: ToldAverage | None) -> str:
    if entry is None:
        return UNKNOWN
    return NOT_TOLD if entry["average"] is None else decimal(entry["average"], 4)


def _named(marketer: ToldMarketer | None) -> str:
    if marketer is None:
        return UNKNOWN
    rows = marketer["rows"]
    if rows is None:
        return NOT_TOLD
    return count(int(rows)) if float(rows).is_integer() else decimal(rows, 1)


def _told(number: int | None) -> str:
    return NOT_TOLD if number is None else count(number)


def _cell(counted_rows: ToldShare | None) -> str:
    if counted_rows is None:
        return UNKNOWN
    rows, share = counted_rows["rows"], counted_rows["share"]
    return _told(rows) if rows is None or share is None else f"{count(rows)} ({percent(share)})"


def _subsets(words: Sequence[str], sides: Sequence[ToldTable]) -> PageTable | None:
    """The combinations of few columns that single out most rows; those that hold a smaller key say nothing new."""
    listed = [subsets["listed"] if (subsets := side.get("subsets")) else () for side in sides]
    if not listed or not listed[0]:
        return None
    telling = [subset for subset in listed[0] if not subset["holds_key"]][:_MOST_SUBSETS]
    others = [{tuple(subset["columns"]): subset for subset in subsets} for subsets in listed[1:]]
    rows = []
    for subset in telling:
        after = [other.get(tuple(subset["columns"])) for other in others]
        rows.append(
            (
                ", ".join(subset["columns"]),
                _unique(subset),
                *(UNKNOWN if subset is None else _unique(subset) for subset in after),
            )
        )
    head = ("columns", *(f"unique rows {word}" for word in words))
    return PageTable("Combinations of few columns that single out most rows", head, tuple(rows)) if rows else None


def _unique(subset: ToldSubset) -> str:
    return _cell({"rows": subset["unique"], "share": subset["unique_share"]})
