"""Two releases of the same rows, joined: what do they say together that neither says alone?

L. Sweeney: k-anonymity: a model for protecting privacy. IJUFKS 10(5), 2002, section 4. The *complementary release*
attack (4.2) joins two releases on the columns that both leave as they were; rows are compatible when these are equal
and the generalized values overlap. The *unsorted matching* attack (4.1) joins them by the places of their rows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from kanon_sql.errors import ConfigurationError
from kanon_sql.measures.link.attack import read_side
from kanon_sql.measures.link.matching import (
    EQUAL,
    SIDES,
    LinkingColumn,
    Meaning,
    find_cells,
    match_groups,
    table,
    text_name,
)
from kanon_sql.report.call import Call
from kanon_sql.source.model import Source
from kanon_sql.sql import tables
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Item, state

if TYPE_CHECKING:
    from kanon_sql.results.link import (
        CombinedTuples,
        PairReport,
        SameOrder,
        TupleCounts,
        TupleExample,
        TupleExamples,
    )

# Rows in random order all fit at their places with less than this chance, or the order is taken for the same.
_BY_CHANCE = 1e-3


@dataclass(frozen=True)
class JoinRequest:
    """What a check of two releases is asked: quasi-identifiers, columns to join on, k."""

    quasi_identifiers: tuple[str, ...]
    on: tuple[str, ...]
    k: int
    meanings: Mapping[str, Meaning]

    @property
    def columns(self) -> list[tuple[str, Meaning]]:
        """All columns that are compared: quasi-identifiers first, then those that must be equal."""
        generalized = [(name, self.meanings.get(name, EQUAL)) for name in self.quasi_identifiers]
        return generalized + [(name, EQUAL) for name in self.on]


def check_pair(
    engine: Engine, releases: Sequence[Source], source: Source | None, request: JoinRequest, call: Call
) -> PairReport:
    """The report of `kanon-sql releases check`: status is satisfied or violated.

    Raises ConfigurationError for columns that are not there, EngineError for tables that cannot be read.
    """
    cells = _find_columns(releases, source, request)
    with call.step("read", "reading the releases", engine.progress):
        rows = [read_side(engine, f"kept_{i}", release, cells[i]) for i, release in enumerate(releases)]
        smallest = [_smallest_alone(engine, i, request) for i in range(2)]
        source_rows = read_side(engine, "kept_2", source, cells[2]) if source is not None else None
    with call.step("join", "joining", engine.progress):
        _combine(engine, cells, request)
        if source is None:
            combined = _at_most(engine, request, same_rows=rows[0] == rows[1])
        else:
            combined = _of_source(engine, cells, request)
        examples: TupleExamples = {"examples": _examples(engine, request)} if engine.show_values else {}
    with call.step("order", "comparing the order", engine.progress):
        order = _order(engine, releases, cells, rows, request)
    violated = combined["violating"]["tuples"] > 0 or (order["same"] and order["violating"]["tuples"] > 0)
    return {
        "status": "violated" if violated else "satisfied",
        "releases": [
            {"table": release.label, "rows": count, "smallest_class": size}
            for release, count, size in zip(releases, rows, smallest, strict=True)
        ],
        "source": None if source is None else {"table": source.label, "rows": source_rows},
        "quasi_identifiers": list(request.quasi_identifiers),
        "on": list(request.on),
        "k": request.k,
        "combined": combined,
        "order": order,
        "warnings": [warning for side in [*releases, *([source] if source else [])] for warning in side.warnings],
        **examples,
        "seconds": call.watch.report(),
    }


def _find_columns(releases: Sequence[Source], source: Source | None, request: JoinRequest) -> list[list[LinkingColumn]]:
    """The columns of the releases, and of the source where there is one.

    A quasi-identifier that one release does not have is * in it; one of them must have it.
    """
    names, meanings = zip(*request.columns, strict=True)
    wanted = len(request.quasi_identifiers)
    cells: list[list[LinkingColumn]] = []
    problems: list[str] = []
    for release in releases:
        own_cells: list[LinkingColumn] = []
        for i, (name, meaning) in enumerate(request.columns):
            matched, wrong = find_cells(release, [name], [meaning])
            if wrong and i >= wanted:
                problems += wrong
            own_cells += matched or [LinkingColumn(name, exp.Literal.string("*"), "VARCHAR")]
        cells.append(own_cells)
    for i, name in enumerate(names[:wanted]):
        if all(isinstance(side_cells[i].text, exp.Literal) for side_cells in cells):
            problems.append(f"neither {releases[0].label} nor {releases[1].label} has the quasi-identifier {name!r}")
    if source is not None:
        matched, wrong = find_cells(source, names, meanings)
        problems += wrong
        cells.append(matched)
    if problems:
        raise ConfigurationError(problems)
    return cells


def _smallest_alone(engine: Engine, number: int, request: JoinRequest) -> int:
    items: list[Item] = [{"text": text_name(i)} for i in range(len(request.quasi_identifiers))]
    names = {"groups": table(f"kept_{number}", "groups")}
    return int(engine.query("measures/link/alone", names=names, lists={"qi": items})[0][0])


def _match(
    engine: Engine, pair: tuple[int, int], cells: Sequence[Sequence[LinkingColumn]], request: JoinRequest
) -> None:
    """Makes the table group_pairs of the combinations of two tables that match, by their numbers."""
    for side, number in zip(SIDES, pair, strict=True):
        engine.run(tables.copy(table(side, "groups"), table(f"kept_{number}", "groups")))
    meanings = [meaning for _, meaning in request.columns]
    match_groups(engine, cells[pair[0]], cells[pair[1]], meanings, meets=pair == (0, 1))
    names = {f"{side}_groups": table(side, "groups") for side in SIDES}
    engine.query("measures/link/group_pairs", names=names)


def _combine(engine: Engine, cells: Sequence[Sequence[LinkingColumn]], request: JoinRequest) -> None:
    """Makes the table combined: pairs of combinations of both releases that match, and what they say together."""
    _match(engine, (0, 1), cells, request)
    wanted = len(request.quasi_identifiers)
    engine.query(
        "measures/link/combined",
        names={f"{side}_groups": table(side, "groups") for side in SIDES},
        lists={
            "qi": [{"meets": table("both", "meets", i), "text": text_name(i), "said": f"q{i}"} for i in range(wanted)],
            "shared": [{"text": text_name(i)} for i in range(wanted, len(request.columns))],
        },
    )


def _counts(engine: Engine, k: int) -> TupleCounts:
    """The combined tuples of the table tuples."""
    counts = engine.query("measures/link/tuple_counts", values={"k": k})[0]
    tuples, smallest, violating, rows = (int(count) for count in counts)
    return {"tuples": tuples, "smallest": smallest, "violating": {"tuples": violating, "rows": rows}}


def _at_most(engine: Engine, request: JoinRequest, *, same_rows: bool) -> CombinedTuples:
    """Without the source: how many rows each combined tuple stands for at most."""
    engine.query("measures/link/tuples_at_most")
    counts = _counts(engine, request.k)
    certain = None
    if same_rows:
        certain = int(engine.query("measures/link/certain", values={"k": request.k})[0][0])
    return {"exact": False, **counts, "certain": certain, "ambiguous_rows": None}


def _of_source(engine: Engine, cells: Sequence[Sequence[LinkingColumn]], request: JoinRequest) -> CombinedTuples:
    """With the source: how many of its rows each combined tuple stands for."""
    for number, pairs_table in enumerate(("first_pairs", "second_pairs")):
        _match(engine, (2, number), cells, request)
        items: list[Item] = [{"text": text_name(i)} for i in range(len(request.quasi_identifiers))]
        groups = table(f"kept_{number}", "groups")
        names = {"found_pairs": state(pairs_table), "groups": groups}
        engine.query("measures/link/unmasked", names=names, lists={"qi": items})
    engine.query("measures/link/origins")
    engine.query("measures/link/tuples_of_source")
    counts = _counts(engine, request.k)
    ambiguous = int(engine.query("measures/link/ambiguous")[0][0])
    return {"exact": ambiguous == 0, **counts, "certain": counts["violating"]["tuples"], "ambiguous_rows": ambiguous}


def _order(
    engine: Engine,
    releases: Sequence[Source],
    cells: Sequence[Sequence[LinkingColumn]],
    rows: Sequence[int],
    request: JoinRequest,
) -> SameOrder:
    """Whether both releases stand in one order: every row then matches the one at its place, which chance will not do.

    `chance` is that of so many rows to match at their places in random order, as if each were drawn by itself.
    """
    no_counts: TupleCounts = {"tuples": 0, "smallest": 0, "violating": {"tuples": 0, "rows": 0}}
    if rows[0] != rows[1] or not rows[0]:
        return {"same": False, "matching": None, "chance": None, **no_counts}
    names = {f"{side}_placed": table(side, "placed") for side in SIDES}
    for number, side in enumerate(SIDES):
        items: list[Item] = [{"value": cell.text, "text": text_name(i)} for i, cell in enumerate(cells[number])]
        engine.query(
            "measures/link/placed",
            names={
                "placed": table(side, "placed"),
                "groups": table(f"kept_{number}", "groups"),
                "table_rows": releases[number].relation,
            },
            lists={"cell": items},
        )
    engine.query("measures/link/positions", scope=names)
    matching, pairs = engine.query("measures/link/position_counts", scope=names)[0]
    share = min(float(pairs) / rows[0] ** 2, 1.0)
    chance = math.exp(rows[0] * math.log(share)) if share else 0.0
    same = matching >= rows[0] and chance < _BY_CHANCE
    counts = _counts(engine, request.k) if same else no_counts
    return {"same": same, "matching": int(matching), "chance": chance, **counts}


def _examples(engine: Engine, request: JoinRequest) -> list[TupleExample]:
    items: list[Item] = [{"said": f"q{i}"} for i in range(len(request.quasi_identifiers))]
    rows = engine.query("measures/link/tuple_examples", values={"k": request.k}, lists={"qi": items})
    return [{"rows": int(row[0]), "says": dict(zip(request.quasi_identifiers, row[1:], strict=True))} for row in rows]
