"""The risk of re-identification before and after, in words and side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kanon_sql.report.page.model import PageFacts
from kanon_sql.report.page.texts import UNKNOWN, Json, Table, count, counted, decimal, percent

_MOST_SUBSETS = 15


@dataclass(frozen=True)
class Comparison:
    """What the section says: who is alone, the table of risks, the riskiest combinations of columns."""

    alone: str
    risks: Table
    subsets: Table | None


def compare(facts: PageFacts) -> Comparison | None:
    """The risks of source and release; None where they were not measured."""
    if facts.risk is None:
        return None
    risk, k = facts.risk, facts.report["privacy"]["k"]["required"]
    words = [word for word in ("before", "after") if risk.get(word) is not None]
    sides = [risk[word] for word in words]
    return Comparison(_alone(risk, k), _risks(risk, words, sides, k), _subsets(words, sides, k))


def _alone(risk: Json, k: int) -> str:
    """How many rows are alone, before and after."""
    before, after = risk.get("before"), risk.get("after")
    parts = []
    if before is not None:
        parts.append(f"In the source {_rows(before['unique'], k)} alone with their values of the quasi-identifiers")
    if after is not None:
        alone = " alone with their values of the quasi-identifiers" if before is None else ""
        parts.append(f"{'in' if parts else 'In'} the release {_rows(after['unique'])}{alone}")
    return f"{'; '.join(parts)}."


def found_by(risk: Json) -> str:
    """How likely somebody finds the row of a person, before and after."""
    told = {"before": "in the source", "after": "in the release"}
    parts = [
        f"{where} with a probability of {decimal(risk[word]['prosecutor']['highest'], 4)} at most, "
        f"{decimal(risk[word]['prosecutor']['average'], 4)} on average"
        for word, where in told.items()
        if risk.get(word) is not None
    ]
    return (
        "Who knows that a person is in the table, and knows the quasi-identifiers, points at the right row "
        f"{'; '.join(parts)}."
    )


def _rows(found: Json, k: int | None = None) -> str:
    """How many rows are something: "5 rows (1.2 %) are"; None is a count below k."""
    rows, share = found["rows"], found["share"]
    if rows == 0:
        return "no row is"
    many = f"fewer than {k} rows" if rows is None else counted(rows, "row")
    part = f" ({percent(share)})" if rows is not None and share is not None else ""
    return f"{many}{part} {'is' if rows == 1 else 'are'}"


def _risks(risk: Json, words: Sequence[str], sides: Sequence[Json], k: int) -> Table:
    above = f"rows above {risk['threshold']:g}"
    cells: list[tuple[str, Callable[[Json], str]]] = [
        ("rows measured", lambda side: count(side["rows"]["measured"])),
        ("classes", lambda side: count(side["classes"]["count"])),
        ("rows of the smallest class", lambda side: count(side["classes"]["min"], k)),
        ("unique rows", lambda side: _cell(side["unique"], k)),
    ]
    if risk["population"] is not None:
        cells.append(
            ("unique rows that are unique in the population", lambda side: count(side["unique"]["in_population"], k))
        )
    for name in ("prosecutor", *(["journalist"] if risk["population"] is not None else [])):
        cells += [
            (f"{name} risk, highest", _share(name, "highest")),
            (f"{name} risk, average", _share(name, "average")),
            (f"{name} risk, {above}", _above(name, k)),
        ]
    cells += [
        ("marketer risk", _share("marketer", "average")),
        ("rows that a marketer names right", lambda side: _named(side["marketer"])),
    ]
    heads = {"before": "source (before)", "after": "release (after)"}
    rows = tuple((name, *map(cell, sides)) for name, cell in cells)
    return Table("Risk of re-identification", ("", *(heads[word] for word in words)), rows)


def _share(name: str, key: str) -> Callable[[Json], str]:
    return lambda side: UNKNOWN if side[name] is None else decimal(side[name][key], 4)


def _above(name: str, k: int) -> Callable[[Json], str]:
    return lambda side: _cell((side[name] or {}).get("above"), k)


def _named(marketer: Json | None) -> str:
    return UNKNOWN if marketer is None else decimal(marketer["rows"], 1)


def _cell(counted_rows: Json | None, k: int) -> str:
    if counted_rows is None:
        return UNKNOWN
    rows, share = counted_rows["rows"], counted_rows["share"]
    return count(rows, k) if rows is None or share is None else f"{count(rows)} ({percent(share)})"


def _subsets(words: Sequence[str], sides: Sequence[Json], k: int) -> Table | None:
    """The combinations of few columns that single out most rows; those that hold a smaller key say nothing new."""
    if not sides or not sides[0].get("subsets"):
        return None
    telling = [one for one in sides[0]["subsets"]["listed"] if not one["holds_key"]][:_MOST_SUBSETS]
    others = [{tuple(one["columns"]): one for one in side["subsets"]["listed"]} for side in sides[1:]]
    rows = []
    for one in telling:
        after = [other.get(tuple(one["columns"])) for other in others]
        rows.append(
            (
                ", ".join(one["columns"]),
                _unique(one, k),
                *(UNKNOWN if found is None else _unique(found, k) for found in after),
            )
        )
    head = ("columns", *(f"unique rows {word}" for word in words))
    return Table("Combinations of few columns that single out most rows", head, tuple(rows)) if rows else None


def _unique(one: Json, k: int) -> str:
    return _cell({"rows": one["unique"], "share": one["unique_share"]}, k)
