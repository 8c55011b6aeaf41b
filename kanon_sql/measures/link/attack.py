"""The linking attack: an external table with names is joined to a source, or to its release.

L. Sweeney: k-anonymity: a model for protecting privacy. IJUFKS 10(5), 2002, section 1: health data and a voter list
share ZIP, birth date and sex. Expected links: F. Dankar, K. El Emam: A method for evaluating marketer re-identification
risk. EDBT/ICDT workshops (PAIS), 2010.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kanon_sql.errors import ConfigurationError
from kanon_sql.measures.link.matching import (
    EQUAL,
    SIDES,
    ColumnMatch,
    LinkingColumn,
    Meaning,
    find_cells,
    group_rows,
    match_groups,
    table,
    text_name,
)
from kanon_sql.report.call import Call
from kanon_sql.source.formats.registry import telling_faults
from kanon_sql.source.model import Source
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Item

if TYPE_CHECKING:
    from kanon_sql.results.link import LinkedPair, LinkExamples, LinkReport, Links, MatchBin

# Numbers of matches are counted one by one up to 4, then from each of these up to the next.
_LOWS = (1, 2, 3, 4, 5, 10, 20, 50, 100, 200, 500, *(10**power for power in range(3, 18)))


@dataclass(frozen=True)
class LinkColumn:
    """A pair of columns that a link compares, and how the released values are read."""

    release: str
    external: str
    meaning: Meaning


def link_tables(engine: Engine, release: Source, external: Source, on: Sequence[LinkColumn], call: Call) -> LinkReport:
    """The report of a link: which external persons (one row each) match which rows.

    Raises ConfigurationError for columns that are not there, EngineError for tables that cannot be read.
    """
    meanings = [linked.meaning for linked in on]
    left, problems = find_cells(external, [linked.external for linked in on], [EQUAL] * len(on))
    right, more = find_cells(release, [linked.release for linked in on], meanings)
    if problems or more:
        raise ConfigurationError(more + problems)
    with call.step("read", "reading both tables", engine.progress):
        persons = read_side(engine, "left", external, left)
        rows = read_side(engine, "right", release, right)
    with call.step("link", "matching", engine.progress):
        columns = match_groups(engine, left, right, meanings)
        measured = _measure(engine, persons, rows)
    examples: LinkExamples = {"examples": _examples(engine, on)} if engine.show_values else {}
    return {
        "status": "measured",
        "release": release.label,
        "external": external.label,
        "on": [_column(linked, match) for linked, match in zip(on, columns, strict=True)],
        "persons": persons,
        "rows": rows,
        **measured,
        "warnings": _warnings(release, external, persons, rows),
        **examples,
        "seconds": call.watch.report(),
    }


def read_side(engine: Engine, side: str, source: Source, cells: Sequence[LinkingColumn]) -> int:
    """Groups the rows of one side; how many there are. Raises EngineError."""
    with telling_faults(engine, source):
        return group_rows(engine, side, source.relation, cells)


def _measure(engine: Engine, persons: int, rows: int) -> Links:
    names: dict[str, str] = {}
    for side in SIDES:
        names |= {f"{side}_{name}": table(side, name) for name in ("sizes", "counts")}
        own = {"sizes": table(side, "sizes"), "groups": table(side, "groups")}
        engine.query("measures/link/sizes", names=own)
    by_side: dict[str, tuple[int, int, int | None, float]] = {}
    for side, other in (SIDES, SIDES[::-1]):
        ways = {
            "counts": table(side, "counts"),
            "this_node": f"{side}_node",
            "other_node": f"{other}_node",
            "this_sizes": table(side, "sizes"),
            "other_sizes": table(other, "sizes"),
        }
        engine.query("measures/link/counts", names=ways)
        matched, unique, least, expected = engine.query("measures/link/totals", scope=ways)[0]
        by_side[side] = (int(matched), int(unique), None if least is None else int(least), float(expected))
    mutual = int(engine.query("measures/link/mutual", scope=names)[0][0])
    (people, person_unique, person_least, by_person), (linked, row_unique, row_least, by_row) = by_side.values()
    return {
        "matched": {"persons": people, "rows": linked},
        "unique": {"persons": person_unique, "rows": row_unique, "both": mutual},
        "least_matches": {"of_a_person": person_least, "of_a_row": row_least},
        "expected_links": {"by_person": by_person, "by_row": by_row},
        "histogram": {
            "persons": _histogram(engine, "left", persons - people),
            "rows": _histogram(engine, "right", rows - linked),
        },
    }


def _histogram(engine: Engine, side: str, unmatched: int) -> list[MatchBin]:
    highs = [low - 1 for low in _LOWS[1:]] + [2**63 - 1]
    rows = engine.query(
        "measures/link/histogram",
        names={"counts": table(side, "counts")},
        values={"lows": list(_LOWS), "highs": highs},
    )
    nothing: list[MatchBin] = [{"from": 0, "to": 0, "count": unmatched}] if unmatched else []
    return nothing + [{"from": int(low), "to": int(high), "count": int(count)} for low, high, count in rows]


def _column(linked: LinkColumn, match: ColumnMatch) -> LinkedPair:
    return {
        "release": linked.release,
        "external": linked.external,
        "release_values": {"distinct": match.right_values, "unmatched": match.right_unmatched},
        "external_values": {"distinct": match.left_values, "unmatched": match.left_unmatched},
        "persons_unmatched": match.left_unmatched_rows,
    }


def _warnings(release: Source, external: Source, persons: int, rows: int) -> list[str]:
    empty = [source.label for source, count in ((release, rows), (external, persons)) if not count]
    return [*release.warnings, *external.warnings, *(f"{label} has no row" for label in empty)]


def _examples(engine: Engine, on: Sequence[LinkColumn]) -> list[dict[str, str | None]]:
    texts: list[Item] = [{"text": text_name(i)} for i in range(len(on))]
    rows = engine.query(
        "measures/link/examples",
        names={"groups": table("left", "groups"), "counts": table("left", "counts")},
        lists={"cell": texts},
    )
    return [{linked.external: value for linked, value in zip(on, row, strict=True)} for row in rows]
